"""Which files a path names, and what each is, found out from its first bytes and its name."""

from __future__ import annotations

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
from typing import IO, Any

from clearbar.core.errors import in_given_order, listed
from clearbar.data.formats import FORMATS, PACKED_ENDINGS, TableFile

HEAD = 2**16  # bytes that are looked at to tell what a file is
_PACKINGS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
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
    path: str
    format: type[TableFile]
    packing: str = ""  # how its text is packed: "gzip" or "zstd"
    head: bytes = b""  # its first bytes, unpacked

    @property
    def remote(self) -> bool:
        return "://" in self.path

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        with errors_of_reading(self.path), _opened(self.path, self.packing) as file:
            yield file


def files_of(paths: Any) -> list[str]:
    several = [paths] if isinstance(paths, (str, os.PathLike)) else in_given_order("paths", paths)
    files = paths_of(several)
    if files is None:
        raise ValueError(f"files must be named by their paths; found {several!r:.80}.")
    return files


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
    named: dict[Any, str] = {}
    for path in paths:
        place = path if "://" in path else os.stat(path)[1:3]  # noqa: PTH116 - its number on its device
        if place in named:
            first = named[place]
            same = f"{path} is named twice" if path == first else f"{first} and {path} are one file"
            raise ValueError(f"{same}; name it once, or its rows are counted twice.")
        named[place] = path


def inspect(path: str) -> Source:
    """Find out what a file is, and refuse what no format is."""
    name = path.lower()
    for ending in reversed(PACKED_ENDINGS):
        name = name.removesuffix(ending)
    by_name = next((kind for kind in FORMATS if name.endswith(kind.endings)), None)
    if "://" in path:
        if by_name is None or not by_name.remote:
            remote = listed(sorted((kind.noun for kind in FORMATS if kind.remote), reverse=True))
            raise ValueError(f"{path} is in a remote store, where {remote} are read; found another name.")
        if by_name.magic and name != path.lower():
            raise ValueError(f"{path} is a packed {by_name.noun} file; unpack it.")
        return Source(path, by_name)
    head = _head(path)
    packing = next((packing for magic, packing in _PACKINGS.items() if head.startswith(magic)), "")
    if by_name is not None and by_name.magic and packing:
        raise ValueError(f"{path} is a packed {by_name.noun} file; unpack it.")
    if packing:
        with errors_of_reading(path), _opened(path, packing) as file:
            head = file.read(HEAD)
    if not head.strip():
        raise ValueError(f"{path} is empty.")
    by_magic = next((kind for kind in FORMATS if kind.magic and head.startswith(kind.magic)), None)
    if by_magic is not None:
        return Source(path, by_magic)
    return Source(path, _text_format(path, by_name, head), packing, head)


def _text_format(path: str, by_name: type[TableFile] | None, head: bytes) -> type[TableFile]:
    binary = head.translate(None, _CONTROLS) != head
    if by_name is not None and by_name.magic:
        hint = "" if binary else " If it is CSV, let its name end in .csv."
        raise ValueError(f"{path} is not a {by_name.noun} file: it does not begin as one.{hint}")
    for magic, foreign in _FOREIGN.items():
        if head.startswith(magic):
            raise ValueError(f"{path} is {foreign}.")
    if by_name is None:
        texts = ", ".join(ending for kind in FORMATS if not kind.magic for ending in kind.endings)
        others = listed((ending for kind in FORMATS if kind.magic for ending in kind.endings), last="or")
        raise ValueError(
            f"cannot tell from its name what {path} holds. Files end in {texts} (or these and "
            f"{listed(PACKED_ENDINGS, last='or')}), {others}."
        )
    if binary:
        raise ValueError(f"{path} holds binary data, not {by_name.noun}.")
    return by_name


def _head(path: str) -> bytes:
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


def _opened(path: str, packing: str) -> IO[bytes]:
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
    try:
        yield
    except FileNotFoundError:
        raise ValueError(_missing(path)) from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise ValueError(f"{path} is a damaged or truncated gzip file.") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        name = f"{path[:60]}..." if error.errno == errno.ENAMETOOLONG else path
        raise ValueError(f"{name} cannot be read: {reason}.") from None


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
