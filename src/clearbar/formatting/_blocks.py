"""Tables too wide, or too deep once their words are wrapped: each row is a block that holds all of it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from clearbar.formatting._fit import headings
from clearbar.formatting._plain import Slot, presentable, sentence_lines, spans
from clearbar.formatting._text import width

if TYPE_CHECKING:
    from clearbar.formatting._table import Cell, Table

INDENT = 2
"""Blanks before the lines of a block, and before those of an owner's columns in it."""


def blocks(table: Table, wide: int, *, color: bool = False, encoding: str | None = None) -> list[str]:
    """Return the lines of all rows: its name, and below it each heading with its cell, as many as fit."""
    table = presentable(table, encoding)
    heads = [" ".join(filter(None, headings(table, at))) for at in range(len(table.columns))]
    owners = _owners(table)
    slots = _slots(table, heads)
    lines = []
    for row in table.rows:
        name = " · ".join(cell.text for cell in row[: table.named] if cell.text)
        lines += sentence_lines(name, wide, "strong", color=color)
        for owner, columns in itertools.groupby(range(table.named, len(row)), key=owners.__getitem__):
            indent = INDENT * (2 if owner else 1)
            lines += sentence_lines(owner, wide, first=" " * INDENT, color=color) if owner else []
            parts = [(heads[at], row[at], slots[heads[at]]) for at in columns if row[at].text or row[at].mark]
            lines += _flow(parts, wide, indent, color=color)
    return lines


def _owners(table: Table) -> list[str]:
    """Return of each column what stands over it and others."""
    owners = [""] * len(table.columns)
    for line in table.header:
        for cell, covered in spans(line):
            if cell.span > 1:
                owners[covered.start : covered.stop] = [cell.text] * cell.span
    return owners


def _slots(table: Table, heads: list[str]) -> dict[str, Slot]:
    """Return the room that cells below a heading take, the same in each block."""
    slots = {head: Slot(column.align) for head, column in zip(heads, table.columns, strict=True)}
    for row in table.rows:
        for head, cell in zip(heads[table.named :], row[table.named :], strict=True):
            slots[head].take(cell.text, cell.mark)
    return slots


def _flow(parts: list[tuple[str, Cell, Slot]], wide: int, indent: int, *, color: bool) -> list[str]:
    """Return lines of headings with their cells; one that is wider than a line has lines of its own."""
    lines: list[str] = []
    taken = wide  # columns of the last line that are taken
    for head, cell, slot in parts:
        first = f"{head} " if head else ""
        size = width(first) + slot.width
        if indent + size > wide:
            lines += _alone(head, cell, slot, wide, indent, color=color)
            taken = wide
            continue
        if taken + INDENT + size > wide:
            lines.append(" " * indent)
            taken = indent
        else:
            lines[-1] += " " * INDENT
            taken += INDENT
        lines[-1] += first + slot.shown(cell, color=color)
        taken += size
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
