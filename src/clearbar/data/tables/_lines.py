"""Lines of CSV that are no rows: found quickly where there are no quotes, else line by line."""

from __future__ import annotations

from typing import Any

from clearbar.data.tables._csv import Header, records
from clearbar.data.tables._files import Source

CHUNK = 2**20
"""Bytes that are looked at together."""

MOST_BLANK = 1_000_000
"""Blank lines that are looked for quickly; a file with more is gone through line by line."""


def irregular(source: Source, top: Header) -> list[int]:
    """Return the positions of the rows that are blank lines."""
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


def lines_of(source: Source) -> Any:
    """Return a lazy frame of a file's lines and their positions."""
    import polars as pl

    return pl.scan_csv(
        source.path,
        has_header=False,
        separator="\x01",
        quote_char=None,
        infer_schema=False,
        new_columns=["line"],
        eol_char="\r" if source.returns else "\n",
        glob=False,
    ).with_row_index("at")


def _quickly(source: Source, top: Header) -> list[int] | None:
    """Return the blank rows of a file without quotes, whose lines are its rows; None for any other."""
    import polars as pl

    if len(top.names) < 2:
        return None
    lines = lines_of(source)
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

    Positions of the rows that are blank lines. Number of rows, blank lines among them.
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
    return blank, at + 1


def _values(number: int) -> str:
    return f"{number:,} value{'' if number == 1 else 's'}"
