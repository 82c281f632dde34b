"""Which files a path names, and what each is, found out from its first bytes and its name."""

from __future__ import annotations

import codecs
import difflib
import errno
import glob
import gzip
import os
import stat
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, Literal

from clearbar.core.errors import in_given_order

Kind = Literal["csv", "json", "parquet"]
Packing = Literal["", "gzip", "zstd"]

HEAD = 2**16
"""Bytes that are looked at to tell what a file is."""

_ENDINGS: dict[Kind, tuple[str, ...]] = {
    "csv": (".csv", ".tsv", ".tab", ".txt"),
    "json": (".jsonl", ".ndjson", ".jsonlines"),
    "parquet": (".parquet", ".pq", ".parq"),
}
_PACKED: dict[bytes, Packing] = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_PACKED_PARQUET = "is a packed Parquet file; unpack it."
_FOREIGN = {
    b"PK\x03\x04": "a zip archive or an Excel workbook; save the table as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; save the table as CSV",
    b"BZh": "compressed with bzip2; unpack it, or compress it with gzip",
    b"\xfd7zXZ": "compressed with xz; unpack it, or compress it with gzip",
    b"ARROW1": "an Arrow (Feather) file; save the table as Parquet",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
}
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x1a\x1b"))


@dataclass(frozen=True)
class Source:
    """A file that can be read."""

    path: str  # where it is
    kind: Kind  # what it holds
    packing: Packing = ""  # how its text is packed
    tabs: bool = False  # whether its name says that tabs part its columns
    returns: bool = False  # whether its lines end in a carriage return alone

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """Open the file for its unpacked bytes; what goes wrong is told in a sentence."""
        with errors_of_reading(self.path), _opened(self.path, self.packing) as file:
            yield file


def files_of(paths: Any) -> list[str]:
    """Return the files that paths and patterns stand for."""
    several = [paths] if isinstance(paths, (str, os.PathLike)) else in_given_order("paths", paths)
    inside = paths_of(several)
    if inside is None:
        raise ValueError(f"files must be named by their paths; found {several!r:.80}.")
    return inside


def paths_of(frame: Any) -> list[str] | None:
    """Return the files that paths and patterns stand for; None if these are no paths."""
    several = [frame] if isinstance(frame, (str, os.PathLike)) else frame
    if not isinstance(several, (list, tuple, set, frozenset)):
        return None
    if not all(isinstance(path, (str, os.PathLike)) for path in several):
        return None
    several = in_given_order("paths", several)
    if not several:
        raise ValueError("name at least one file to read.")
    return [file for path in several for file in _matching(os.fsdecode(path))]


def _matching(path: str) -> list[str]:
    """Return the files that a pattern stands for; a file of that very name wins."""
    if "://" in path or not glob.has_magic(path) or os.path.exists(path):  # noqa: PTH110
        return [path]
    files = sorted(name for name in glob.glob(path, recursive=True) if not os.path.isdir(name))  # noqa: PTH112, PTH207
    if not files:
        raise ValueError(f"no file matches {path}.")
    return files


def refuse_repeated(paths: Iterable[str]) -> None:
    """Raise if two paths lead to one file, whose rows would be counted twice."""
    known: dict[Any, str] = {}
    for path in paths:
        place = path if "://" in path else os.stat(path)[1:3]  # noqa: PTH116 - its number on its device
        if place in known:
            first = known[place]
            same = f"{path} is named twice" if path == first else f"{first} and {path} are one file"
            raise ValueError(f"{same}; name it once, or its rows are counted twice.")
        known[place] = path


def inspect(path: str) -> Source:
    """Find out what a file is."""
    kind = _kind_by_name(path)
    if "://" in path:  # the engine opens it
        if kind not in {"json", "parquet"}:
            raise ValueError(
                f"{path} is in a remote store, where Parquet and JSON-lines are read; found another name."
            )
        if kind == "parquet" and path.lower().endswith((".gz", ".zst")):
            raise ValueError(f"{path} {_PACKED_PARQUET}")
        return Source(path, kind)
    head = _head(path)
    if not head:
        raise ValueError(f"{path} is empty.")
    if head.startswith(b"PAR1"):
        return Source(path, "parquet")
    if kind == "parquet" and head.startswith(tuple(_PACKED)):
        raise ValueError(f"{path} {_PACKED_PARQUET}")
    if kind == "parquet":
        hint = "" if _is_binary(head) else " If it is CSV, let its name end in .csv."
        raise ValueError(f"{path} is not a Parquet file: it does not begin as one.{hint}")
    return _text_source(path, kind, head)


def _kind_by_name(path: str) -> Kind | None:
    name = path.lower().removesuffix(".gz").removesuffix(".zst")
    return next((kind for kind, endings in _ENDINGS.items() if name.endswith(endings)), None)


def _head(path: str) -> bytes:
    """Return the first bytes of an ordinary file."""
    if "\0" in path:
        raise ValueError(f"there is no file {path!r}.")
    try:
        path.encode()
    except UnicodeEncodeError:
        shown = path.encode("utf-8", "backslashreplace").decode()
        raise ValueError(f"the name of {shown} is not UTF-8 text; give the file another one.") from None
    with errors_of_reading(path):
        mode = os.stat(path).st_mode  # noqa: PTH116
        if stat.S_ISDIR(mode):
            inside = os.path.join(path, "*.csv")  # noqa: PTH118
            raise ValueError(f"{path} is a folder; name the files in it, such as {inside}.")
        if not stat.S_ISREG(mode):
            raise ValueError(f"{path} is no ordinary file and cannot be read twice; save it as one first.")
        with _opened(path, "") as file:
            return file.read(HEAD)


def _text_source(path: str, kind: Kind | None, head: bytes) -> Source:
    packing: Packing = next((packing for magic, packing in _PACKED.items() if head.startswith(magic)), "")
    if packing:
        with errors_of_reading(path), _opened(path, packing) as file:
            head = file.read(HEAD)
    for magic, foreign in _FOREIGN.items():
        if head.startswith(magic):
            raise ValueError(f"{path} is {foreign}.")
    if kind is None:
        raise ValueError(
            f"cannot tell from its name what {path} holds. Files end in .csv, .tsv, .txt, .jsonl (or these "
            "and .gz or .zst), .parquet or .pq."
        )
    if _is_binary(head):
        raise ValueError(f"{path} holds binary data, not {'JSON' if kind == 'json' else 'CSV'}.")
    if not head.strip():
        raise ValueError(f"{path} is empty.")
    if kind == "json" and head.startswith(codecs.BOM_UTF8):
        raise ValueError(f"{path} begins with a byte-order mark, which JSON has not; save it without.")
    tabs = path.lower().removesuffix(".gz").removesuffix(".zst").endswith((".tsv", ".tab"))
    return Source(path, kind, packing, tabs, returns=b"\r" in head and b"\n" not in head)


def _is_binary(head: bytes) -> bool:
    return head.translate(None, _CONTROLS) != head


def _opened(path: str, packing: Packing) -> IO[bytes]:
    if packing == "gzip":
        return gzip.open(path, "rb")  # type: ignore[return-value]
    if not packing:
        return open(path, "rb")  # noqa: PTH123
    try:  # Python itself unpacks zstd only from 3.14 on
        import pyarrow as pa
    except ImportError:
        raise ImportError(
            f"looking into {path} (zstd) needs pyarrow, which is not installed: pip install pyarrow; or "
            "compress it with gzip."
        ) from None
    return pa.input_stream(path, compression="zstd")  # type: ignore[no-any-return]


@contextmanager
def errors_of_reading(path: str) -> Iterator[None]:
    """Turn what the operating system says about a file into a sentence."""
    try:
        yield
    except FileNotFoundError:
        raise ValueError(_missing(path)) from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise ValueError(f"{path} is a damaged or truncated gzip file.") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        if error.errno == errno.ENAMETOOLONG:
            path = f"{path[:60]}..."
        raise ValueError(f"{path} cannot be read: {reason}.") from None


def _missing(path: str) -> str:
    folder, name = os.path.split(path)
    try:
        present = [
            entry.name for entry in os.scandir(folder or ".") if entry.is_file() and entry.name.isprintable()
        ]
    except OSError:
        return f"there is no file {path}: the folder {folder} cannot be opened."
    near = difflib.get_close_matches(name, present, n=1, cutoff=0.75)
    hint = f" Did you mean {os.path.join(folder, near[0])}?" if near else ""  # noqa: PTH118
    return f"there is no file {path}.{hint}"
