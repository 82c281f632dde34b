"""CSV: columns as text, rows of equal length, and where a file breaks that."""

from __future__ import annotations

import csv
import inspect
import io
import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

from clearbar.core.errors import brief
from clearbar.data.tables._files import MissingColumnError, Source

_SEPARATORS = (",", ";", "\t", "|")

CHUNK = 2**20
"""Bytes that are looked at together."""

FIRST = 64
"""Rows from which one sees what a file holds."""


@dataclass(frozen=True)
class Header:
    """How a file's columns are parted, and their names without the blanks around them."""

    separator: str
    names: tuple[str, ...]

    def position(self, column: str, path: str) -> int:
        """Return where a column is."""
        places = [at for at, name in enumerate(self.names) if name == column]
        if not places:
            raise MissingColumnError(column, path, self.names)
        if len(places) > 1:
            first, second = (_ordinal(place + 1) for place in places[:2])
            raise ValueError(
                f"{path} has {len(places)} columns named {brief(column)!r} (the {first} and the {second}); "
                "give each its own name."
            )
        return places[0]


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def header(source: Source, wanted: Sequence[str]) -> Header:
    """Read the first line.

    Parted by the first of comma, semicolon, tab and bar that shows all wanted columns, else by the one that
    shows most columns.
    """
    order = ("\t", ",", ";", "|") if source.tabs else _SEPARATORS
    names, wrong = [], []
    for separator in order:
        try:
            names.append(Header(separator, _first_line(source, separator)))
        except ValueError as error:  # quotes beside text: not this separator
            wrong.append(error)
    if not names:
        raise wrong[0]
    return next(
        (one for one in names if set(wanted) <= set(one.names)), max(names, key=lambda one: len(one.names))
    )


def _first_line(source: Source, separator: str) -> tuple[str, ...]:
    with records(source, separator) as rows:
        names: list[str] = next(rows, [])
    if not any(name.strip() for name in names):
        raise ValueError(f"the first line of {source.path} is blank; it must name the columns.")
    return tuple(name.strip() for name in names)


@contextmanager
def records(source: Source, separator: str) -> Iterator[Any]:
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


def scan(source: Source, top: Header, dtypes: Mapping[str, Any] | None = None) -> Any:
    """Return a lazy frame of all columns, named by their positions."""
    import polars as pl

    options: dict[str, Any] = {"empty_string_is_null": False}
    if "empty_string_is_null" not in inspect.signature(pl.scan_csv).parameters:
        options = {"missing_utf8_is_empty_string": True}  # its name before polars 2
    return pl.scan_csv(
        source.path,
        separator=top.separator,
        infer_schema=False,
        schema_overrides=dtypes or None,
        new_columns=[str(at) for at in range(len(top.names))],
        eol_char="\r" if source.returns else "\n",
        glob=False,
        **options,
    )


def first_rows(source: Source, top: Header) -> list[list[str]]:
    """Return the first rows of a file, to see what they look like."""
    with records(source, top.separator) as rows:
        return list(itertools.islice(rows, 1, FIRST + 1))


def is_full(source: Source, top: Header) -> bool:
    """Tell whether a file without quotes has as many separators as its rows can have.

    The engine has refused rows with too many, so that none can make up for another.
    """
    separator, end = top.separator.encode(), b"\r" if source.returns else b"\n"
    separators, lines, last = 0, 0, end
    with source.opened() as file:
        while block := file.read(CHUNK):
            if b'"' in block:
                return False
            separators += block.count(separator)
            lines += block.count(end)
            last = block[-1:]
    return separators == (lines + (last != end)) * (len(top.names) - 1)


def blank_rows(source: Source, top: Header) -> list[int]:
    """Return the positions of blank lines; raise if rows are ragged, quotes or letters are wrong.

    Line by line, with the standard library's reader: slow, for what the engine does not tell.
    """
    width, blank, at, start = len(top.names), [], -1, 1
    with records(source, top.separator) as reader:
        for at, row in enumerate(reader, start=-1):  # the header is row -1
            if len(row) != width and at >= 0:
                if width > 1 and len(row) <= 1 and not "".join(row).strip():
                    blank.append(at)
                else:
                    raise ValueError(
                        f"{source.path} has ragged rows: line {start:,} has {_values(len(row))} where the "
                        f"header names {width:,} columns."
                    )
            start = reader.line_num + 1
    return blank


def _values(number: int) -> str:
    return f"{number:,} value{'' if number == 1 else 's'}"
