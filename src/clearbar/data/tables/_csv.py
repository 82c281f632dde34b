"""CSV: how its columns are parted and named, and rows that have too few or too many values."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn

from clearbar.data.tables._files import Source
from clearbar.data.tables._labels import is_nothing
from clearbar.data.tables._polars import pl

CHUNK = 2**20
"""Bytes that are looked at together."""


class Header(NamedTuple):
    """How a file's columns are parted, and their names without the blanks around them."""

    separator: str
    names: tuple[str, ...]


def read_header(source: Source, wanted: Iterable[str] = ()) -> Header:
    """Read the first line.

    Parted by the first of comma, semicolon, tab and bar that shows all wanted columns, else by the one that
    shows most columns.
    """
    headers, errors = [], []
    for separator in "\t,;|" if source.tabs else ",;\t|":
        try:
            headers.append(Header(separator, _first_line(source, separator)))
        except ValueError as error:  # quotes beside text: not this separator
            errors.append(error)
    if not headers:
        raise errors[0]
    whole = [header for header in headers if set(wanted) <= set(header.names)]
    return whole[0] if whole else max(headers, key=lambda header: len(header.names))


def _first_line(source: Source, separator: str) -> tuple[str, ...]:
    with _records(source, separator) as rows:
        names = tuple(name.strip() for name in next(rows, []))
    if not any(names):
        raise ValueError(f"the first line of {source.path} is blank; it must name the columns.")
    return names


def scan_csv(source: Source, header: Header, dtypes: Mapping[int, Any]) -> Any:
    """Return a lazy frame of all columns, named by their positions; text but for some types.

    Null where a row has no value, or an empty one.
    """
    return pl.scan_csv(
        source.path,
        separator=header.separator,
        infer_schema=False,
        schema_overrides={str(at): dtype for at, dtype in dtypes.items()},
        new_columns=[str(at) for at in range(len(header.names))],
        eol_char="\r" if source.returns else "\n",
        glob=False,
    )


def as_number(text: Any, *, strict: bool = True) -> Any:
    """Return an expression of text as one of numbers; strict, the engine stops where it is none."""
    text = text.str.strip_chars()
    return pl.when(~is_nothing(text)).then(text).cast(pl.Float64, strict=strict)


def no_number(text: Any) -> Any:
    """Return an expression that tells where text is neither a number nor stands for nothing."""
    return ~is_nothing(text.str.strip_chars()) & as_number(text, strict=False).is_null()


def is_full(source: Source, header: Header) -> bool:
    """Tell whether a file without quotes has as many separators as its rows can have.

    The engine refuses rows with too many, so that none can make up for another.
    """
    separator, end = header.separator.encode(), b"\r" if source.returns else b"\n"
    separators, lines, last = 0, 0, end
    with source.opened() as file:
        while block := file.read(CHUNK):
            if b'"' in block:
                return False
            separators += block.count(separator)
            lines += block.count(end)
            last = block[-1:]
    return separators == (lines + (last != end)) * (len(header.names) - 1)


def blank_rows(source: Source, header: Header) -> list[int]:
    """Return the positions of blank lines; raise if rows are ragged, quotes or letters are wrong.

    Line by line, with the standard library's reader: slow, for what the engine does not tell.
    """
    width, blank, line = len(header.names), [], 1
    with _records(source, header.separator) as reader:
        for at, row in enumerate(reader, start=-1):  # the header is row -1
            if at >= 0 and len(row) <= 1 and not "".join(row).strip():
                blank.append(at)
            elif at >= 0 and len(row) != width:
                values = "1 value" if len(row) == 1 else f"{len(row):,} values"
                raise ValueError(
                    f"{source.path} has ragged rows: line {line:,} has {values} where the header names "
                    f"{width:,} columns."
                )
            line = reader.line_num + 1
    return blank


@contextmanager
def _records(source: Source, separator: str) -> Iterator[Any]:
    """Open a file as the standard library's reader of CSV, strict about quotes."""
    with source.opened() as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        reader = csv.reader(text, delimiter=separator, strict=True)
        try:
            yield reader
        except UnicodeDecodeError:
            _refuse_encoding(source)
        except csv.Error as error:
            _refuse_quotes(source, reader.line_num, error)


def _refuse_encoding(source: Source) -> NoReturn:
    with source.opened() as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                where = f"byte 0x{line[error.start]:02X} in line {number:,}"
                raise ValueError(f"{source.path} is not UTF-8 text ({where}); save it as UTF-8.") from None
    raise ValueError(f"{source.path} is not UTF-8 text; save it as UTF-8.")


def _refuse_quotes(source: Source, line: int, error: csv.Error) -> NoReturn:
    if "unexpected end of data" in str(error):
        raise ValueError(f"{source.path} is not CSV: a quote is opened and never closed.") from None
    if "field larger than" in str(error):
        raise ValueError(
            f"{source.path} is not CSV: near line {line:,} a single value is longer than "
            f"{csv.field_size_limit():,} characters; is a quote left open?"
        ) from None
    raise ValueError(f"{source.path} is not CSV: line {line:,} has text beside a quote ({error}).") from None
