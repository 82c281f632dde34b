"""Tables that are wider than a terminal: words wrapped in their cells, columns stacked, nothing torn."""

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
"""Lines that a cell of words takes, or a few more, before columns are stacked."""

LEAST = 6
"""Columns that a column keeps if its words are broken, since nothing else is left to do."""


def fitted(table: Table, wide: int, encoding: str | None) -> list[Table]:
    """Return a table as one or several below each other, none wider than a terminal if that can be."""
    return _Room(wide, encoding).stacked(table) or _Room(wide, encoding, broken=True).stacked(table)


@dataclass(frozen=True)
class _Room:
    """What a table must fit into."""

    wide: int
    encoding: str | None
    broken: bool = False  # whether words may be broken

    def stacked(self, table: Table) -> list[Table]:
        """Return tables of the columns that fit, the naming ones in each; none if not even one fits."""
        names, rest = list(range(table.named)), list(range(table.named, len(table.columns)))
        found: list[Table] = []
        while rest:
            kept = self._most_that_fit(table, names, rest) or (rest[:1] if self.broken else [])
            if not kept:
                return []
            found.append(self._narrowed(_picked(table, names + kept)))
            rest = rest[len(kept) :]
        return found or [self._narrowed(table)]

    def _most_that_fit(self, table: Table, names: list[int], rest: list[int]) -> list[int]:
        """Return the most columns that fit beside the names; those of one owner together if they can be."""
        owners = [table.columns[at].owner for at in rest] + [None]
        ends = range(len(rest), 0, -1)
        between = [end for end in ends if owners[end] is None or owners[end - 1] != owners[end]]
        for end in [*between, *(end for end in ends if end not in between)]:
            if columns_taken(self._narrowed(_picked(table, names + rest[:end])), self.encoding) <= self.wide:
                return rest[:end]
        return []

    def _narrowed(self, table: Table) -> Table:
        """Return a table whose widest columns of words are narrower, until it fits or none gives way."""
        lacking = columns_taken(table, self.encoding) - self.wide
        if lacking <= 0:
            return table
        texts = [self._texts(table, at) for at in range(len(table.columns))]
        sizes = [max(map(width, own), default=0) for own in texts]
        floors = [self._floor(table, at) for at in range(len(texts))]
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

    def _floor(self, table: Table, at: int) -> int:
        """Return how narrow a column may become: words stay whole if they can, numbers always."""
        cells = [row[at].text for row in table.rows]
        numbers, words = ([], cells) if table.columns[at].align == "left" else (cells, [])
        words = [*words, *_headings(table, at)]
        longest = max(map(longest_part, words), default=0)
        shallow = -(-max(map(width, words), default=0) // DEEPEST)
        least = min(longest, LEAST) if self.broken else max(longest, shallow)
        return max(least, *map(width, numbers), 1)

    def _texts(self, table: Table, at: int) -> list[str]:
        """Return what stands in a column, its heading too."""
        texts = [*(row[at].text for row in table.rows), *_headings(table, at)]
        return [encodable(visible(text), self.encoding) for text in texts]


def _headings(table: Table, at: int) -> list[str]:
    return [
        cell.text for line in table.header for cell, covered in _over(line) if covered == range(at, at + 1)
    ]


def _over(line: Sequence[Cell]) -> Iterator[tuple[Cell, range]]:
    """Yield each cell with the positions that it covers."""
    at = 0
    for cell in line:
        yield cell, range(at, at + cell.span)
        at += cell.span


def _picked(table: Table, kept: Sequence[int]) -> Table:
    """Return some columns of a table; headings over several of them cover those that are left."""
    if len(kept) == len(table.columns):
        return table
    header = []
    for line in table.header:
        spans = ((cell, sum(at in kept for at in covered)) for cell, covered in _over(line))
        cells = tuple(replace(cell, span=span) for cell, span in spans if span)
        header += [cells] if any(cell.text for cell in cells) else []
    columns = tuple(table.columns[at] for at in kept)
    rows = tuple(tuple(row[at] for at in kept) for row in table.rows)
    return replace(table, columns=columns, header=tuple(header), rows=rows)


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
        for cell, covered in _over(row)
    ]
    deep = max(map(len, texts))
    return [
        tuple(
            replace(cell, text=own[line - deep + len(own)] if line >= deep - len(own) else "")
            for cell, own in zip(row, texts, strict=True)
        )
        for line in range(deep)
    ]
