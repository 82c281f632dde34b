"""Tables in a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clearbar.core.errors import visible
from clearbar.formatting._text import anchored, encodable, filled, width

if TYPE_CHECKING:
    from clearbar.formatting._table import Cell, Table

_COLOURS = {"bad": "1;38;5;196", "doubt": "38;5;166", "muted": "38;5;244", "strong": "1"}
"""Red, orange and grey of the 240 colours that no theme changes, neither light nor dark."""

_WHOLE = re.compile(r"[+−-]?[\d,]+|[–=-]|[+−-]?(∞|inf)")


def styled(text: str, style: str, *, color: bool) -> str:
    r"""Return text in the colours of a terminal."""
    code = _COLOURS.get(style, "") if color and text else ""
    return f"\x1b[{code}m{text}\x1b[0m" if code else text


def sentence_lines(words: str, most: int, style: str = "", *, first: str = "", color: bool) -> list[str]:
    """Return words on lines of so many columns; no line ends at a no-break space, which becomes a blank."""
    return [
        styled(anchored(line.replace("\xa0", " ")), style, color=color) for line in filled(words, most, first)
    ]


@dataclass
class Slot:
    """What the cells of one column need: before the decimal point, from it on, and for marks."""

    align: str
    gap: int = 0
    before: int = 0
    after: int = 0
    whole: int = 0
    marks: int = 0
    extra: int = 0

    def take(self, text: str, mark: str) -> None:
        if self.align == "decimal" and on_point(text):
            before, after = parts(text)
            self.before = max(self.before, width(before))
            self.after = max(self.after, width(after))
        self.whole = max(self.whole, width(text), self.before + self.after)
        self.marks = max(self.marks, width(mark))

    @property
    def width(self) -> int:
        return self.whole + (self.marks + 1 if self.marks else 0) + self.extra

    def fill(self, text: str, *, heading: bool) -> tuple[int, int]:
        """Return the blanks on either side of a text, the slot for marks not counted."""
        free = max(0, self.whole - width(text))
        if self.align == "left":
            return 0, free
        if self.align == "decimal" and not heading and on_point(text):
            right = self.after - width(parts(text)[1])
            return free - right, right
        return free, 0

    def shown(self, cell: Cell, *, color: bool) -> str:
        """Return a cell and its mark where they stand in the slot."""
        left, right = self.fill(cell.text, heading=False)
        text = f"{' ' * left}{styled(anchored(cell.text), cell.style, color=color)}{' ' * right}"
        if not self.marks:
            return text
        mark = styled(cell.mark, cell.style, color=color)
        return f"{text}{' ' * (1 + self.marks - width(cell.mark))}{mark}"


def parts(text: str) -> tuple[str, str]:
    """Split a number before its decimal point."""
    before, point, after = text.partition(".")
    return before, point + after


def on_point(text: str) -> bool:
    """Tell whether a text stands on its decimal point, or on where that would be."""
    return "." in text or _WHOLE.fullmatch(text) is not None


def lines(table: Table, *, color: bool = False, encoding: str | None = None) -> list[str]:
    """Return the lines of a table, all of the same width."""
    table = presentable(table, encoding)
    slots = _slots(table)
    return [_line(line, slots, heading=True, color=color) for line in table.header] + [
        _line(line, slots, heading=False, color=color) for line in table.rows
    ]


def columns_taken(table: Table, encoding: str | None = None) -> int:
    """Return how wide the lines of a table are."""
    return _room(_slots(presentable(table, encoding)))


def presentable(table: Table, encoding: str | None) -> Table:
    """Return a table whose texts and marks a stream can show."""

    def clean(line: tuple[Cell, ...]) -> tuple[Cell, ...]:
        return tuple(
            replace(c, text=encodable(visible(c.text), encoding), mark=encodable(c.mark, encoding))
            for c in line
        )

    return replace(table, header=tuple(map(clean, table.header)), rows=tuple(map(clean, table.rows)))


def _slots(table: Table) -> list[Slot]:
    """Return the room that each column takes."""
    slots = [Slot(column.align, column.gap if at else 0) for at, column in enumerate(table.columns)]
    for row in table.rows:
        for slot, cell in zip(slots, row, strict=True):
            slot.take(cell.text, cell.mark)
    headings = [heading for line in table.header for heading in spans(line)]
    for cell, at in sorted(headings, key=lambda heading: heading[0].span > 1):  # those of one column first
        covered = slots[at.start : at.stop]
        lacking = max(0, width(cell.text) - _room(covered))
        if cell.span == 1:
            covered[0].whole += lacking
        else:  # the numbers stay below the start of the name
            covered[-1].extra += lacking
    return slots


def spans(line: Sequence[Cell]) -> Iterator[tuple[Cell, range]]:
    """Yield each cell with the positions of the columns that it covers."""
    at = 0
    for cell in line:
        yield cell, range(at, at + cell.span)
        at += cell.span


def _room(covered: list[Slot]) -> int:
    """Return the columns for a heading, those of marks included."""
    return sum(slot.width for slot in covered) + sum(slot.gap for slot in covered[1:])


def _line(line: tuple[Cell, ...], slots: list[Slot], *, heading: bool, color: bool) -> str:
    pieces = []
    for cell, at in spans(line):
        covered = slots[at.start : at.stop]
        slot = covered[0]
        pieces.append(" " * slot.gap)
        if heading:  # which may be so wide that it stands over the marks as well
            left = slot.fill(cell.text, heading=True)[0] if cell.span == 1 else 0
            pieces += [" " * left, styled(anchored(cell.text), cell.style, color=color)]
            pieces.append(" " * (_room(covered) - left - width(cell.text)))
        else:
            pieces += [slot.shown(cell, color=color), " " * slot.extra]
    return "".join(pieces)
