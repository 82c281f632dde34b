"""The formats of files that hold tables. A new format is one class here, in `FORMATS`.

A class says how its files are called and how they begin; an instance is a file that was looked at: the
names of its columns, and polars' lazy frame of them. polars is imported on use, as it may not be installed.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from clearbar.data.polars_engine import imported, no_number, sentences_of_polars

if TYPE_CHECKING:
    from clearbar.data.files import Source

FIRST = 64  # rows from which one sees what a file holds
CHUNK = 2**20  # bytes that are looked at together


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
        return tuple(self._lazy(quick=True).collect_schema().names())

    def _lazy(self, *, quick: bool) -> Any:
        """Return polars' lazy frame; `quick`: types are those of the first rows."""
        raise NotImplementedError

    def scan(self, dtypes: Mapping[int, Any], *, quick: bool) -> Any:  # noqa: ARG002
        """Return a lazy frame of all columns, named by their positions; text as `dtypes` of positions say."""
        pl, lazy = imported(), self._lazy(quick=quick)
        with self.sentences():
            present = (
                lazy.collect_schema().names()
            )  # which may be more where `quick` is not, in another order
        columns = ((pl.nth(present.index(name)), str(at)) for at, name in enumerate(self.names))
        return lazy.select(column.alias(position) for column, position in columns)

    def is_plain(self, labels: Sequence[int]) -> bool:  # noqa: ARG002 - the columns of labels
        """Tell from first rows whether a file can be read quickly, with fewer questions about its types."""
        return True

    def blank_rows(self) -> list[int]:
        """Return the positions of lines that are no rows; raise if one is ragged."""
        return []

    def refuse_damage(self, numeric: Mapping[int, str]) -> None:  # noqa: ARG002
        """Raise if the file cannot be read; `numeric` are columns of numbers and what messages call them."""
        pl = imported()
        with self.sentences():
            self.scan({}, quick=False).select(pl.len(), pl.all().null_count()).collect(engine="streaming")

    def sentences(self) -> AbstractContextManager[None]:
        return sentences_of_polars(f"{self.source.path} {self.damage}")


class Parquet(TableFile):
    """Parquet: columns with names and types."""

    noun = "Parquet"
    endings = (".parquet", ".pq", ".parq")
    magic = b"PAR1"
    damage = "is a damaged or truncated Parquet file"

    def _lazy(self, *, quick: bool) -> Any:  # noqa: ARG002
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
        super().__init__(source, wanted)

    def _lazy(self, *, quick: bool) -> Any:
        return imported().scan_ndjson(self.source.path, infer_schema_length=100 if quick else None)

    def _names(self, wanted: Sequence[str]) -> tuple[str, ...]:
        names = super()._names(wanted)
        self._in_first_records = set(wanted) <= set(names)
        return names if self._in_first_records else tuple(self._lazy(quick=False).collect_schema().names())

    def is_plain(self, labels: Sequence[int]) -> bool:  # noqa: ARG002
        return self._in_first_records


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

    def scan(self, dtypes: Mapping[int, Any], *, quick: bool) -> Any:  # noqa: ARG002
        pl = imported()
        return pl.scan_csv(
            self.source.path,
            separator=self.separator,
            infer_schema=False,
            schema_overrides={str(at): dtype for at, dtype in dtypes.items()},
            new_columns=[str(at) for at in range(len(self.names))],
            eol_char="\r" if self._return else "\n",
            glob=False,
        )

    def is_plain(self, labels: Sequence[int]) -> bool:
        """Tell from first rows whether labels are written 0 and 1."""
        try:
            with self.sentences():
                rows = self.scan({}, quick=True).select(map(str, labels)).head(FIRST).collect()
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
        lazy, pl = self.scan({}, quick=False), imported()
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
                        f"{csv.field_size_limit():,} characters; is a quote left open?"
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
