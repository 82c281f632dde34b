"""What a file is, found out from its first bytes and its name; and what is wrong with it."""

from __future__ import annotations

import codecs
import difflib
import errno
import gzip
import os
import stat
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, Literal

from clearbar.core.errors import brief, listed, nearest

Packing = Literal["", "gzip", "zstd"]

HEAD = 2**16
"""Bytes that are looked at to tell what a file is."""

_TEXT = (".csv", ".tsv", ".tab", ".txt")
_PARQUET = (".parquet", ".pq", ".parq")
_LINES = (".jsonl", ".ndjson", ".jsonlines")
_ENDINGS = "Files end in .csv, .tsv, .txt, .jsonl (or these and .gz or .zst), .parquet or .pq."
_PACKED: dict[bytes, Packing] = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
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


class MissingColumnError(ValueError):
    """A file does not have a column."""

    def __init__(self, column: str, path: str, columns: Sequence[str]) -> None:
        self.column, self.path, self.columns = column, path, tuple(columns)
        near = nearest(column, self.columns)
        ordered = [*near, *(name for name in self.columns if name not in near)]
        super().__init__(f"no column {brief(column)!r} in {path}. It has: {listed(map(brief, ordered))}.")

    def __reduce__(self) -> Any:
        """Pickle by what it was made from."""
        return type(self), (self.column, self.path, self.columns)


@dataclass(frozen=True)
class Source:
    """A file that can be read."""

    path: str  # where it is
    kind: Literal["csv", "parquet", "json"]  # what it holds
    compressed: Packing = ""  # how its text is packed
    tabs: bool = False  # whether its name says that tabs part its columns
    returns: bool = False  # whether its lines end in a carriage return alone

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """Open the file for its unpacked bytes; what goes wrong is told in a sentence."""
        with errors_of_reading(self.path), _open(self.path, compressed=self.compressed) as file:
            yield file


def _open(path: str, *, compressed: Packing) -> IO[bytes]:
    if compressed == "gzip":
        return gzip.open(path, "rb")  # type: ignore[return-value]
    return _open_zstd(path) if compressed else open(path, "rb")  # noqa: PTH123


def _open_zstd(path: str) -> IO[bytes]:
    """Open with pyarrow: Python itself unpacks zstd only from 3.14 on."""
    try:
        import pyarrow as pa
    except ImportError:
        raise ImportError(
            f"looking into {path} (zstd) needs pyarrow, which is not installed: pip install pyarrow; or "
            "compress it with gzip."
        ) from None
    opened: IO[bytes] = pa.input_stream(path, compression="zstd")
    return opened


@contextmanager
def errors_of_reading(path: str) -> Iterator[None]:
    """Turn what the operating system says about a file into a sentence."""
    try:
        yield
    except FileNotFoundError:
        raise ValueError(_missing(path)) from None
    except PermissionError:
        raise ValueError(f"{path} cannot be read: permission denied.") from None
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


def inspect(path: str) -> Source:
    """Find out what a file is."""
    if "://" in path:
        return _remote(path)
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
        with _open(path, compressed="") as file:
            head = file.read(HEAD)
    if not head:
        raise ValueError(f"{path} is empty.")
    name = path.lower()
    if head.startswith(b"PAR1"):
        return Source(path, "parquet")
    if name.endswith(_PARQUET):
        raise ValueError(f"{path} is not a Parquet file: it does not begin as one.{_like_text(head)}")
    return _text_source(path, name, head)


def _like_text(head: bytes) -> str:
    return "" if head.translate(None, _CONTROLS) != head else " If it is CSV, let its name end in .csv."


def _remote(path: str) -> Source:
    """Go by the name of an object in a store, which the engine opens."""
    name = path.lower()
    if name.removesuffix(".gz").removesuffix(".zst").endswith(_LINES):
        return Source(path, "json")
    if name.endswith(_PARQUET):
        return Source(path, "parquet")
    raise ValueError(
        f"{path} is in a remote store, where Parquet and JSON-lines are read; found another name."
    )


def _text_source(path: str, name: str, head: bytes) -> Source:
    compressed: Packing = next((packing for magic, packing in _PACKED.items() if head.startswith(magic)), "")
    if compressed:
        with errors_of_reading(path), _open(path, compressed=compressed) as file:
            head = file.read(HEAD)
    for magic, what in _FOREIGN.items():
        if head.startswith(magic):
            raise ValueError(f"{path} is {what}.")
    plain = name.removesuffix(".gz").removesuffix(".zst")
    if not plain.endswith((*_TEXT, *_LINES)):
        raise ValueError(f"cannot tell from its name what {path} holds. {_ENDINGS}")
    if head.translate(None, _CONTROLS) != head:
        raise ValueError(f"{path} holds binary data, not {'JSON' if plain.endswith(_LINES) else 'CSV'}.")
    if not head.strip():
        raise ValueError(f"{path} is empty.")
    if plain.endswith(_LINES):
        if head.startswith(codecs.BOM_UTF8):
            raise ValueError(f"{path} begins with a byte-order mark, which JSON has not; save it without.")
        return Source(path, "json", compressed)
    returns = b"\r" in head and b"\n" not in head
    return Source(path, "csv", compressed, tabs=plain.endswith((".tsv", ".tab")), returns=returns)


def rows_of_text(source: Source) -> int:
    """Return how many rows a text file has, more or less, from how long its first lines are."""
    with source.opened() as file:
        head = file.read(HEAD)
    lines = head.count(b"\r" if source.returns else b"\n") or 1
    return int(os.stat(source.path).st_size * lines / len(head))  # noqa: PTH116
