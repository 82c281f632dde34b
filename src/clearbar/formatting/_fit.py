"""Tables that are wider than a terminal: words wrapped in their cells, so that no column is torn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clearbar.core.errors import visible
from clearbar.formatting._plain import columns_taken
from clearbar.formatting._text import encodable, longest_part, width, wrapped_words

if TYPE_CHECKING:
    from clearbar.formatting._table import Cell, Table

DEEPEST = 6
"""Lines that a cell of words takes, or a few more, before each row becomes a block."""


def fitted(table: Table, wide: int, encoding: str | None) -> Table | None:
    """Return a table no wider than a terminal, its words wrapped perhaps; None if it cannot be."""
    narrowed = _Room(wide, encoding).narrowed(table)
    return narrowed if columns_taken(narrowed, encoding) <= wide else None


@dataclass(frozen=True)
class _Room:
    """What a table must fit into."""

    wide: int
    encoding: str | None

    def narrowed(self, table: Table) -> Table:
        """Return a table whose widest columns of words are narrower, until it fits or none gives way."""
        lacking = columns_taken(table, self.encoding) - self.wide
        if lacking <= 0:
            return table
        texts = [self._texts(table, at) for at in range(len(table.columns))]
        sizes = [max(map(width, own), default=0) for own in texts]
        floors = [_floor(table, at) for at in range(len(texts))]
        most: dict[int, int] = {}
        while lacking > 0:
            wider = sorted((size, at) for at, size in enumerate(sizes) if size > floors[at])
            if not wider:
                break
            size, widest = wider[-1]
            next_to_it = wider[-2][0] if len(wider) > 1 else 0
            most[widest] = max(floors[widest], min(next_to_it, size - 1), size - lacking)
            lines = (line for text in texts[widest] for line in wrapped_words(text, most[widest]))
            sizes[widest] = max(map(width, lines))
            lacking -= size - sizes[widest]
        return _wrapped(table, most)

    def _texts(self, table: Table, at: int) -> list[str]:
        """Return what stands in a column, its heading too."""
        texts = [*(row[at].text for row in table.rows), *headings(table, at)]
        return [encodable(visible(text), self.encoding) for text in texts]


def _floor(table: Table, at: int) -> int:
    """Return how narrow a column may become: numbers stay whole, and so do words."""
    cells = [row[at].text for row in table.rows]
    numbers, words = ([], cells) if table.columns[at].align == "left" else (cells, [])
    words = [*words, *headings(table, at)]
    longest = max(map(longest_part, words), default=0)
    shallow = -(-max(map(width, words), default=0) // DEEPEST)
    return max(longest, shallow, *map(width, numbers), 2)  # a wide letter takes two


def headings(table: Table, at: int) -> list[str]:
    """Return what stands over one column alone, a text for each line of the heading."""
    return [
        cell.text for line in table.header for cell, covered in over(line) if covered == range(at, at + 1)
    ]


def over(line: Sequence[Cell]) -> Iterator[tuple[Cell, range]]:
    """Yield each cell with the positions that it covers."""
    at = 0
    for cell in line:
        yield cell, range(at, at + cell.span)
        at += cell.span


def _wrapped(table: Table, most: Mapping[int, int]) -> Table:
    """Return a table whose cells are wrapped: a row of several lines is as many rows."""
    words = {at: size for at, size in most.items() if table.columns[at].align == "left"}
    header = (line for row in table.header for line in _heading_lines(row, most))
    rows = (line for row in table.rows for line in _row_lines(row, words))
    return replace(table, header=tuple(header), rows=tuple(rows))


def _row_lines(row: tuple[Cell, ...], most: Mapping[int, int]) -> list[tuple[Cell, ...]]:
    """Return the lines of a row, whose numbers stand on the first."""
    texts = [
        wrapped_words(visible(cell.text), most[at]) if at in most else [cell.text]
        for at, cell in enumerate(row)
    ]
    deep = max(map(len, texts))
    return [
        tuple(
            replace(cell, text=own[line] if line < len(own) else "", mark=cell.mark if line == 0 else "")
            for cell, own in zip(row, texts, strict=True)
        )
        for line in range(deep)
    ]


def _heading_lines(row: tuple[Cell, ...], most: Mapping[int, int]) -> list[tuple[Cell, ...]]:
    """Return the lines of a heading, which stands directly over its column."""
    texts = [
        wrapped_words(visible(cell.text), most[covered[0]])
        if cell.span == 1 and covered[0] in most
        else [cell.text]
        for cell, covered in over(row)
    ]
    deep = max(map(len, texts))
    return [
        tuple(
            replace(cell, text=own[line - deep + len(own)] if line >= deep - len(own) else "")
            for cell, own in zip(row, texts, strict=True)
        )
        for line in range(deep)
    ]
