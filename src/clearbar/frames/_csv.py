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

from clearbar.frames._files import MissingColumnError, Source

CHUNK = 2**20
"""Bytes that are looked at together."""

MOST_BLANK = 1_000_000
"""Blank lines that are looked for quickly; a file with more is gone through line by line."""

_SEPARATORS = (",", ";", "\t", "|")


@dataclass(frozen=True)
class Header:
    """How a file's columns are parted, and their names without the blanks around them."""

    separator: str
    names: tuple[str, ...]

    def position(self, column: str, path: str) -> int:
        """Return where a column is.

        Parameters
        ----------
        column : str
            Its name.
        path : str
            The file, for messages.

        Returns
        -------
        int

        Raises
        ------
        ValueError
            If there is no such column, or more than one.
        """
        found = [at for at, name in enumerate(self.names) if name == column]
        if not found:
            raise MissingColumnError(column, path, self.names)
        if len(found) > 1:
            raise ValueError(
                f"{path} has {len(found)} columns named {column!r} (the {_ordinal(found[0] + 1)} and the "
                f"{_ordinal(found[1] + 1)}); give each its own name."
            )
        return found[0]


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def header(source: Source, wanted: Sequence[str]) -> Header:
    """Read the first line.

    Parameters
    ----------
    source : Source
        The file.
    wanted : sequence of str
        The columns that are asked for: they decide what parts the columns.

    Returns
    -------
    Header
        Parted by the first of comma, semicolon, tab and bar that shows all wanted columns, else
        by the one that shows most columns.
    """
    order = ("\t", ",", ";", "|") if source.tabs else _SEPARATORS
    found, wrong = [], []
    for separator in order:
        try:
            found.append(Header(separator, _first_line(source, separator)))
        except ValueError as error:  # quotes beside text: not this separator
            wrong.append(error)
    if not found:
        raise wrong[0]
    return next(
        (one for one in found if set(wanted) <= set(one.names)), max(found, key=lambda one: len(one.names))
    )


def _first_line(source: Source, separator: str) -> tuple[str, ...]:
    with _records(source, separator) as records:
        names: list[str] = next(records, [])
    if not any(name.strip() for name in names):
        raise ValueError(f"the first line of {source.path} is blank; it must name the columns.")
    return tuple(name.strip() for name in names)


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


def read(source: Source, wanted: Sequence[str]) -> Any:
    """Read columns as text.

    Parameters
    ----------
    source : Source
        The file.
    wanted : sequence of str
        Their names.

    Returns
    -------
    polars.DataFrame
        Text, empty where a value is; blank lines are left out.

    Raises
    ------
    ValueError
        If a column is missing or the file is not CSV.
    """
    import polars as pl

    top = header(source, wanted)
    picked = {name: str(top.position(name, source.path)) for name in wanted}
    last = str(len(top.names) - 1)
    lazy = scan(source, top)
    try:
        columns = [pl.col(at).alias(f"c{number}") for number, at in enumerate(picked.values())]
        found = lazy.select(*columns, pl.col(last).alias("last")).collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        blank_rows(source, top)  # says what is wrong in our words, mostly
        reason = str(error).partition("\n")[0]
        raise ValueError(f"{source.path} cannot be read as CSV: {reason}.") from None
    if not found.height:
        raise ValueError(f"{source.path} has a header but no rows.")
    if (found["last"] == "").any():  # short rows and blank lines look like this, and nothing else wrong does
        blank, records = blank_rows(source, top)
        if records != found.height:
            raise ValueError(f"{source.path} is not CSV: its quotes do not tell where rows end.")
        if blank:
            keep = pl.Series([True]).new_from_index(0, found.height).scatter(blank, values=False)
            found = found.filter(keep)
    if not found.height:
        raise ValueError(f"{source.path} has a header but no rows.")
    return found.drop("last").rename({f"c{at}": name for at, name in enumerate(picked)})


def scan(source: Source, top: Header, dtypes: Mapping[str, Any] | None = None) -> Any:
    """Return a lazy frame of all columns, named by their positions.

    Parameters
    ----------
    source : Source
        The file.
    top : Header
        Its first line.
    dtypes : mapping of str to polars data type, optional
        What columns are, where they are not text.

    Returns
    -------
    polars.LazyFrame
    """
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


def first_rows(source: Source, top: Header, most: int = 64) -> list[list[str]]:
    """Return the first rows of a file, to see what they look like.

    Parameters
    ----------
    source : Source
        The file.
    top : Header
        Its first line.
    most : int
        How many.

    Returns
    -------
    list of list of str
    """
    with _records(source, top.separator) as records:
        return list(itertools.islice(records, 1, most + 1))


def irregular(source: Source, top: Header) -> list[int]:
    """Return the positions of the rows that are blank lines.

    Parameters
    ----------
    source : Source
        The file.
    top : Header
        Its first line.

    Returns
    -------
    list of int

    Raises
    ------
    ValueError
        If a row has more or fewer values than there are columns, or the file is not CSV.
    """
    if _is_full(source, top):
        return []
    found = _quickly(source, top)
    return blank_rows(source, top)[0] if found is None else found


def _is_full(source: Source, top: Header) -> bool:
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


def _quickly(source: Source, top: Header) -> list[int] | None:
    """Return the blank rows of a file without quotes, whose lines are its rows; None for any other."""
    import polars as pl

    if len(top.names) < 2:
        return None
    lines = pl.scan_csv(
        source.path,
        has_header=False,
        separator="\x01",
        quote_char=None,
        infer_schema=False,
        new_columns=["line"],
        eol_char="\r" if source.returns else "\n",
        glob=False,
    ).with_row_index("at")
    line = pl.col("line").fill_null("")
    blank = line.str.strip_chars() == ""
    wide = line.str.count_matches(top.separator, literal=True) == len(top.names) - 1
    try:
        found = lines.filter(blank | ~wide | line.str.contains('"', literal=True)).select(
            pl.col("at").cast(pl.Int64) - 1, blank.alias("blank")
        )
        rows = found.head(MOST_BLANK + 1).collect(engine="streaming")
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        return None
    if len(rows) > MOST_BLANK or not rows["blank"].all():
        return None
    return [at for at in rows["at"].to_list() if at >= 0]


def blank_rows(source: Source, top: Header) -> tuple[list[int], int]:
    """Go through a file line by line: slow, for what the engine does not tell.

    Parameters
    ----------
    source : Source
        The file.
    top : Header
        Its first line.

    Returns
    -------
    blank : list of int
        Positions of the rows that are blank lines.
    records : int
        Number of rows, blank lines among them.

    Raises
    ------
    ValueError
        If a row has more or fewer values than there are columns, a quote is never closed, or the
        text is not UTF-8.
    """
    width, blank, at, start = len(top.names), [], -1, 1
    with _records(source, top.separator) as reader:
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
    return blank, at + 1


def _values(number: int) -> str:
    return f"{number:,} value{'' if number == 1 else 's'}"
