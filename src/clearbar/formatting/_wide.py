"""Tables that are wider than a terminal: words wrapped in their cells, or each row a block of lines."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace

from clearbar.formatting._table import Cell, Slot, Table, sentence_lines, slots, spans, taken
from clearbar.formatting._text import longest_part, width, wrapped_words

DEEPEST = 6
"""Lines that a cell of words takes, or a few more, before each row becomes a block."""

INDENT = 2
"""Blanks before the lines of a block, and before those of an owner's columns in it."""


def fitted(table: Table, wide: int) -> Table | None:
    """Return a presentable table no wider than a terminal, its words wrapped perhaps.

    None if it cannot be, or if blocks say its rows in fewer lines.
    """
    lacking = taken(slots(table)) - wide
    if lacking <= 0:
        return table
    narrowed = _wrapped(table, _narrower(table, lacking))
    if taken(slots(narrowed)) > wide:
        return None
    deep = len(narrowed.rows)
    return narrowed if deep == len(table.rows) or deep <= len(blocks(table, wide)) else None


def _narrower(table: Table, lacking: int) -> dict[int, int]:
    """Return by position how wide columns of words shall be: the widest give way until the table fits."""
    positions = range(len(table.columns))
    texts = [[*_cells(table, position), *headings(table, position)] for position in positions]
    sizes = [max(map(width, column), default=0) for column in texts]
    floors = [_floor(table, position) for position in positions]
    widths: dict[int, int] = {}
    while lacking > 0:
        wider = sorted((size, position) for position, size in enumerate(sizes) if size > floors[position])
        if not wider:
            break
        size, widest = wider[-1]
        next_to_it = wider[-2][0] if len(wider) > 1 else 0
        widths[widest] = max(floors[widest], min(next_to_it, size - 1), size - lacking)
        lines = (line for text in texts[widest] for line in wrapped_words(text, widths[widest]))
        sizes[widest] = max(map(width, lines))
        lacking -= size - sizes[widest]
    return widths


def _floor(table: Table, position: int) -> int:
    """Return how narrow a column may become: numbers stay whole, and so do words."""
    cells = _cells(table, position)
    numbers, words = ([], cells) if table.columns[position].align == "left" else (cells, [])
    words = [*words, *headings(table, position)]
    longest = max(map(longest_part, words), default=0)
    shallow = -(-max(map(width, words), default=0) // DEEPEST)
    return max(longest, shallow, *map(width, numbers), 2)  # a wide letter takes two


def _cells(table: Table, position: int) -> list[str]:
    return [row[position].text for row in table.rows]


def headings(table: Table, position: int) -> list[str]:
    """Return what stands over one column alone, a text for each line of the heading."""
    alone = range(position, position + 1)
    return [cell.text for line in table.header for cell, columns in spans(line) if columns == alone]


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
        wrapped_words(cell.text, widths[columns[0]])
        if cell.span == 1 and columns[0] in widths
        else [cell.text]
        for cell, columns in spans(row)
    ]
    deep = max(map(len, texts))
    empty = [[""] * (deep - len(words)) for words in texts]
    columns = [blank + words if above else words + blank for words, blank in zip(texts, empty, strict=True)]
    return [
        tuple(
            replace(cell, text=words[line], mark="" if line else cell.mark)
            for cell, words in zip(row, columns, strict=True)
        )
        for line in range(deep)
    ]


def blocks(table: Table, wide: int, *, color: bool = False) -> list[str]:
    """Return the lines of all rows: its name, and below it each heading with its cell, as many as fit."""
    heads = [" ".join(filter(None, headings(table, position))) for position in range(len(table.columns))]
    owners = _owners(table)
    slot_of = {head: Slot(column.align) for head, column in zip(heads, table.columns, strict=True)}
    for row in table.rows:
        for head, cell in zip(heads[table.named :], row[table.named :], strict=True):
            slot_of[head].take(cell)
    lines = []
    for row in table.rows:
        name = " · ".join(cell.text for cell in row[: table.named] if cell.text)
        lines += sentence_lines(name, wide, "strong", color=color)
        for owner, columns in itertools.groupby(range(table.named, len(row)), key=owners.__getitem__):
            indent = INDENT * (2 if owner else 1)
            lines += sentence_lines(owner, wide, first=" " * INDENT, color=color) if owner else []
            cells = [(heads[position], row[position]) for position in columns]
            lines += _flow(cells, slot_of, wide, indent, color=color)
    return lines


def _owners(table: Table) -> list[str]:
    """Return of each column what stands over it and others."""
    owners = [""] * len(table.columns)
    for line in table.header:
        for cell, columns in spans(line):
            if cell.span > 1:
                owners[columns.start : columns.stop] = [cell.text] * cell.span
    return owners


def _flow(
    cells: list[tuple[str, Cell]], slot_of: Mapping[str, Slot], wide: int, indent: int, *, color: bool
) -> list[str]:
    """Return lines of headings with their cells; one that is wider than a line has lines of its own."""
    lines: list[str] = []
    filled = wide  # columns of the last line that are taken
    for head, cell in cells:
        if not cell.text and not cell.mark:
            continue
        slot, first = slot_of[head], f"{head} " if head else ""
        size = width(first) + slot.width
        if indent + size > wide:
            lines += _alone(head, cell, slot, wide, indent, color=color)
            filled = wide
            continue
        if filled + INDENT + size > wide:
            lines.append(" " * indent)
            filled = indent
        else:
            lines[-1] += " " * INDENT
            filled += INDENT
        lines[-1] += first + slot.shown(cell, color=color)
        filled += size
    return lines


def _alone(head: str, cell: Cell, slot: Slot, wide: int, indent: int, *, color: bool) -> list[str]:
    """Return lines of one heading with its cell, words beside it where there is room, numbers whole."""
    text = f"{cell.text} {cell.mark}".rstrip()
    text = text if slot.align == "left" else text.replace(" ", "\xa0")
    first = " " * indent + (f"{head} " if head else "")
    if width(first) + max(map(width, text.split(" "))) <= wide:
        return sentence_lines(text, wide, cell.style, first=first, color=color)
    above = sentence_lines(head, wide, first=" " * indent, color=color) if head else []
    return [*above, *sentence_lines(text, wide, cell.style, first=" " * (indent + INDENT), color=color)]
