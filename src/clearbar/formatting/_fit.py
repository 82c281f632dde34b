"""Tables that are wider than a terminal: words wrapped in their cells, so that no column is torn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from clearbar.core.errors import visible
from clearbar.formatting._plain import columns_taken, spans
from clearbar.formatting._text import encodable, longest_part, width, wrapped_words

if TYPE_CHECKING:
    from clearbar.formatting._table import Cell, Table

DEEPEST = 6
"""Lines that a cell of words takes, or a few more, before each row becomes a block."""


def fitted(table: Table, wide: int, encoding: str | None) -> Table | None:
    """Return a table no wider than a terminal, its words wrapped perhaps; None if it cannot be."""
    lacking = columns_taken(table, encoding) - wide
    if lacking <= 0:
        return table
    narrowed = _wrapped(table, _narrower(table, lacking, encoding))
    return narrowed if columns_taken(narrowed, encoding) <= wide else None


def _narrower(table: Table, lacking: int, encoding: str | None) -> dict[int, int]:
    """Return by position how wide columns of words shall be: the widest give way until the table fits."""
    texts = [
        [encodable(visible(text), encoding) for text in (*_cells(table, at), *headings(table, at))]
        for at in range(len(table.columns))
    ]
    sizes = [max(map(width, own), default=0) for own in texts]
    floors = [_floor(table, at) for at in range(len(texts))]
    widths: dict[int, int] = {}
    while lacking > 0:
        wider = sorted((size, at) for at, size in enumerate(sizes) if size > floors[at])
        if not wider:
            break
        size, widest = wider[-1]
        next_to_it = wider[-2][0] if len(wider) > 1 else 0
        widths[widest] = max(floors[widest], min(next_to_it, size - 1), size - lacking)
        lines = (line for text in texts[widest] for line in wrapped_words(text, widths[widest]))
        sizes[widest] = max(map(width, lines))
        lacking -= size - sizes[widest]
    return widths


def _floor(table: Table, at: int) -> int:
    """Return how narrow a column may become: numbers stay whole, and so do words."""
    cells = _cells(table, at)
    numbers, words = ([], cells) if table.columns[at].align == "left" else (cells, [])
    words = [*words, *headings(table, at)]
    longest = max(map(longest_part, words), default=0)
    shallow = -(-max(map(width, words), default=0) // DEEPEST)
    return max(longest, shallow, *map(width, numbers), 2)  # a wide letter takes two


def _cells(table: Table, at: int) -> list[str]:
    return [row[at].text for row in table.rows]


def headings(table: Table, at: int) -> list[str]:
    """Return what stands over one column alone, a text for each line of the heading."""
    return [
        cell.text for line in table.header for cell, covered in spans(line) if covered == range(at, at + 1)
    ]


def _wrapped(table: Table, widths: Mapping[int, int]) -> Table:
    """Return a table whose cells are wrapped: a row of several lines is as many rows.

    Numbers stand on the first line of a row, a heading directly over its column.
    """
    of_words = {at: size for at, size in widths.items() if table.columns[at].align == "left"}
    header = (line for row in table.header for line in _lines(row, widths, above=True))
    rows = (line for row in table.rows for line in _lines(row, of_words, above=False))
    return replace(table, header=tuple(header), rows=tuple(rows))


def _lines(row: tuple[Cell, ...], widths: Mapping[int, int], *, above: bool) -> list[tuple[Cell, ...]]:
    """Return the lines of a row; the empty ones stand `above` the words or below."""
    texts = [
        wrapped_words(visible(cell.text), widths[covered[0]])
        if cell.span == 1 and covered[0] in widths
        else [cell.text]
        for cell, covered in spans(row)
    ]
    deep = max(map(len, texts))
    empty = [[""] * (deep - len(own)) for own in texts]
    columns = [blank + own if above else own + blank for own, blank in zip(texts, empty, strict=True)]
    return [
        tuple(
            replace(cell, text=text, mark=cell.mark if line == 0 else "")
            for cell, text in zip(row, texts_of_line, strict=True)
        )
        for line, texts_of_line in enumerate(zip(*columns, strict=True))
    ]
