"""Which files a path names, and what each is, by its first bytes and its name. A new format is one class.

A class in `FORMATS` says how its files are called and how they begin; an instance is a file that was looked
at: the names of its columns, and polars' lazy frame of them. polars may not be installed.
"""

from __future__ import annotations

import codecs
import csv
import difflib
import errno
import glob
import gzip
import io
import os
import re
import stat
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import accumulate
from typing import IO, Any, ClassVar, NoReturn

from clearbar.core.errors import in_given_order, listed
from clearbar.data.polars_engine import imported, no_number, sentences_of_polars

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

DEEPEST = 1_000  # lists and records within one another up to which a record is read
FIRST = 64  # rows from which one sees what a file holds
CHUNK = 2**20  # bytes that are looked at together


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


class TableFile:
    """A file of a table whose columns have types; what the formats share."""

    noun: ClassVar[str]
    endings: ClassVar[tuple[str, ...]]
    damage: ClassVar[str]  # what is said of one that cannot be read
    magic: ClassVar[bytes] = b""  # how every file begins; empty for text
    remote: ClassVar[bool] = True  # whether the engine reads it from a remote store
    typed: ClassVar[bool] = True  # else all values are text, and empty where a row has none

    def __init__(self, source: Source, wanted: Iterable[str] = ()) -> None:
        self.source = source
        with self.sentences():
            self.names = self._names(tuple(wanted))

    def _names(self, wanted: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        return tuple(self._lazy().collect_schema().names())

    def _lazy(self) -> Any:
        """Return polars' lazy frame."""
        raise NotImplementedError

    def scan(self, dtypes: Mapping[int, Any]) -> Any:  # noqa: ARG002
        """Return a lazy frame of all columns, named by their positions; text as `dtypes` of positions say."""
        pl = imported()
        return self._lazy().select(pl.nth(index).alias(str(index)) for index in range(len(self.names)))

    def is_plain(self, labels: Sequence[int]) -> bool:  # noqa: ARG002 - the columns of labels
        """Tell from first rows whether labels of text are written 0 and 1."""
        return True

    def blank_rows(self) -> list[int]:
        """Return the positions of lines that are no rows; raise if one is ragged."""
        return []

    def refuse_damage(self, numeric: Mapping[int, str]) -> None:  # noqa: ARG002
        """Raise if the file cannot be read; `numeric` are columns of numbers and what messages call them."""
        pl = imported()
        with self.sentences():
            self.scan({}).select(pl.len(), pl.all().null_count()).collect(engine="streaming")

    def sentences(self) -> AbstractContextManager[None]:
        return sentences_of_polars(f"{self.source.path} {self.damage}")


class Parquet(TableFile):
    """Parquet: columns with names and types."""

    noun = "Parquet"
    endings = (".parquet", ".pq", ".parq")
    magic = b"PAR1"
    damage = "is a damaged or truncated Parquet file"

    def _lazy(self) -> Any:
        return imported().scan_parquet(self.source.path, glob=self.source.remote)


class JsonLines(TableFile):
    noun = "JSON-lines"
    endings = (".jsonl", ".ndjson", ".jsonlines")
    damage = "is not JSON-lines, one record per line"

    def __init__(self, source: Source, wanted: Iterable[str] = ()) -> None:
        if source.head.startswith(codecs.BOM_UTF8):
            raise ValueError(
                f"{source.path} begins with a byte-order mark, which JSON has not; save it without."
            )
        self._refuse_deep_records(source)
        super().__init__(source, wanted)

    def _refuse_deep_records(self, source: Source) -> None:
        """Raise if a record is nested so deep that older polars overflow their stack, which ends Python."""
        pl = imported()
        options: Any = {"has_header": False, "separator": "\x01", "quote_char": None, "infer_schema": False}
        lines = pl.scan_csv(source.path, **options, new_columns=["text"], glob=False)
        opened = pl.col("text").str.count_matches(r"[\[{]")
        try:
            deep = lines.with_row_index("line", offset=1).filter(opened > DEEPEST)
            rows = deep.collect(engine="streaming").rows()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
            return  # whatever is wrong is told when the records are read
        for line, record in rows:
            signs = re.findall(r"[\[\]{}]", re.sub(r'"(?:[^"\\]|\\.)*"', "", record))
            if max(accumulate(1 if sign in "[{" else -1 for sign in signs), default=0) > DEEPEST:
                raise ValueError(
                    f"{source.path} {self.damage}: line {line:,} is nested more than {DEEPEST:,} deep."
                )

    def _lazy(self) -> Any:
        return imported().scan_ndjson(
            self.source.path, infer_schema_length=None
        )  # first records may lack some


class Csv(TableFile):
    """CSV: a first line of names, then text, whose values get types when all of a column is known.

    polars fills short rows and skips no blank line, without a word; where the last value of a row is empty,
    the file is read once more by the standard library's reader, line by line.
    """

    noun = "CSV"
    endings = (".csv", ".tsv", ".tab", ".txt")
    remote = False
    typed = False
    damage = "cannot be read as CSV"

    def __init__(self, source: Source, wanted: Iterable[str] = ()) -> None:
        self._return = b"\r" in source.head and b"\n" not in source.head  # lines end in it alone
        super().__init__(source, wanted)

    def _names(self, wanted: Sequence[str]) -> tuple[str, ...]:
        headers, errors = [], []
        tabs = any(ending in self.source.path.lower() for ending in (".tsv", ".tab"))
        for separator in "\t,;|" if tabs else ",;\t|":
            try:
                with self._records(separator) as rows:
                    headers.append((separator, tuple(name.strip() for name in next(rows, []))))
            except ValueError as error:  # quotes beside text: not this separator
                errors.append(error)
        if not headers:
            raise errors[0]
        complete = [header for header in headers if set(wanted) <= set(header[1])]
        self.separator, names = complete[0] if complete else max(headers, key=lambda header: len(header[1]))
        if not any(names):
            raise ValueError(f"the first line of {self.source.path} is blank; it must name the columns.")
        return names

    def scan(self, dtypes: Mapping[int, Any]) -> Any:
        pl = imported()
        return pl.scan_csv(
            self.source.path,
            separator=self.separator,
            infer_schema=False,
            schema_overrides={str(index): dtype for index, dtype in dtypes.items()},
            new_columns=[str(index) for index in range(len(self.names))],
            eol_char="\r" if self._return else "\n",
            glob=False,
        )

    def is_plain(self, labels: Sequence[int]) -> bool:
        try:
            with self.sentences():
                rows = self.scan({}).select(map(str, labels)).head(FIRST).collect()
        except ValueError:  # what is wrong is told when all is read
            return False
        return len(rows) > 0 and all(label.drop_nulls().is_in(["0", "1"]).all() for label in rows)

    def blank_rows(self) -> list[int]:
        return [] if self._is_full() else self._irregular_rows()

    def _is_full(self) -> bool:
        """Tell whether a file without quotes has as many separators as its rows can have.

        The engine refuses rows with too many, so that none can make up for another.
        """
        separator, end = self.separator.encode(), b"\r" if self._return else b"\n"
        separators, lines, last = 0, 0, end
        with self.source.opened() as file:
            while block := file.read(CHUNK):
                if b'"' in block:
                    return False
                separators += block.count(separator)
                lines += block.count(end)
                last = block[-1:]
        return separators == (lines + (last != end)) * (len(self.names) - 1)

    def _irregular_rows(self) -> list[int]:
        blank, line, width = [], 1, len(self.names)
        with self._records(self.separator) as reader:
            for position, row in enumerate(reader, start=-1):  # the header is row -1
                if position >= 0 and len(row) <= 1 and not "".join(row).strip():
                    blank.append(position)
                elif position >= 0 and len(row) != width:
                    values = "1 value" if len(row) == 1 else f"{len(row):,} values"
                    raise ValueError(
                        f"{self.source.path} has ragged rows: line {line:,} has {values} where the header "
                        f"names {width:,} columns."
                    )
                line = reader.line_num + 1
        return blank

    def refuse_damage(self, numeric: Mapping[int, str]) -> None:
        self._irregular_rows()
        super().refuse_damage(numeric)
        lazy, pl = self.scan({}), imported()
        for position, called in numeric.items():
            text = pl.col(str(position))
            wrong = lazy.filter(no_number(text)).select(text).head(1).collect(engine="streaming")
            if len(wrong):
                raise ValueError(f"{called} must hold numbers; {self.source.path} has {wrong.item()!r}.")

    @contextmanager
    def _records(self, separator: str) -> Iterator[Any]:
        """Open a file as the standard library's reader of CSV, strict about quotes."""
        with self.source.opened() as file:
            text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
            reader = csv.reader(text, delimiter=separator, strict=True)
            try:
                yield reader
            except UnicodeDecodeError:
                self._refuse_encoding()
            except csv.Error as error:
                reason = f"line {reader.line_num:,} has text beside a quote ({error})"
                if "unexpected end of data" in str(error):
                    reason = "a quote is opened and never closed"
                elif "field larger than" in str(error):
                    reason = (
                        f"near line {reader.line_num:,} a single value is longer than "
                        f"{csv.field_size_limit():,} characters, as where a quote is left open"
                    )
                raise ValueError(f"{self.source.path} is not CSV: {reason.removesuffix('.')}.") from None

    def _refuse_encoding(self) -> NoReturn:
        where = ""
        with self.source.opened() as file:
            for number, line in enumerate(file, start=1):
                try:
                    line.decode("utf-8")
                except UnicodeDecodeError as error:
                    where = f" (byte 0x{line[error.start]:02X} in line {number:,})"
                    break
        raise ValueError(f"{self.source.path} is not UTF-8 text{where}; save it as UTF-8.")


FORMATS: tuple[type[TableFile], ...] = (Csv, JsonLines, Parquet)

PACKED_ENDINGS = (".gz", ".zst")

# How the names of files of tables may end.
TABLE_ENDINGS = (*(ending for kind in FORMATS for ending in kind.endings), *PACKED_ENDINGS)


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
    except FileNotFoundError:
        return f"there is no folder {folder}."
    except OSError:
        return f"there is no file {path}: the folder {folder} cannot be opened."
    near = difflib.get_close_matches(name, present, n=1, cutoff=0.75)
    hint = f" Did you mean {os.path.join(folder, near[0])}?" if near else ""  # noqa: PTH118
    return f"there is no file {path}.{hint}"
