"""A table as a value: what stands where. How it looks is decided when it is rendered."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from clearbar.core.errors import visible
from clearbar.formatting import _text
from clearbar.formatting._text import anchored, encodable, filled, width

Align = Literal["left", "right", "decimal"]
Style = Literal["", "bad", "doubt", "muted", "strong"]

_COLOURS = {"bad": "1;38;5;196", "doubt": "38;5;166", "muted": "38;5;244", "strong": "1"}
"""Red, orange and grey of the 240 colours that no theme changes, neither light nor dark."""

_WHOLE = re.compile(r"[+−-]?[\d,]+|[–=-]|[+−-]?(∞|inf)")


@dataclass(frozen=True)
class Cell:
    """One cell."""

    text: str = ""  # what it says
    mark: str = ""  # a sign behind it, such as ✗; the signs of a column stand below each other
    style: Style = ""  # how it is set apart where there are colours; never the only sign of anything
    span: int = 1  # columns it covers; only in a heading
    note: str = ""  # what the mark means, for those who hear the page
    small: str = ""  # what stands beside it in small letters, on a page alone


@dataclass(frozen=True)
class Column:
    """How a column is set."""

    align: Align = "left"  # side on which its cells line up, or their decimal points
    gap: int = 2  # blanks before it in plain text
    key: str = ""  # what it holds, for a page that sorts and filters
    owner: int | None = None  # whose it is, of those who stand side by side


@dataclass(frozen=True)
class Table:
    """Rows of cells below one or more lines of headings; the first columns name the rows."""

    columns: tuple[Column, ...]  # how each column is set
    header: tuple[tuple[Cell, ...], ...]
    rows: tuple[tuple[Cell, ...], ...]  # one cell per column
    caption: str = ""  # what the table shows; HTML only
    named: int = 1  # columns that name the rows

    def __post_init__(self) -> None:
        for line in (*self.header, *self.rows):
            if sum(cell.span for cell in line) != len(self.columns):
                msg = f"every line needs {len(self.columns)} cells, one per column; found {line!r:.200}."
                raise ValueError(msg)

    @classmethod
    def of(
        cls,
        aligns: Iterable[str],
        heads: Iterable[str],
        rows: Iterable[Iterable[str | Cell]],
        named: int = 1,
    ) -> Table:
        """Return a table with one line of headings; texts in its rows become cells."""
        lines = (tuple(cell if isinstance(cell, Cell) else Cell(cell) for cell in row) for row in rows)
        columns = tuple(Column(cast("Align", align)) for align in aligns)
        return cls(columns, (tuple(map(Cell, heads)),), tuple(lines), named=named)

    def to_text(self, *, color: bool = False, encoding: str | None = None, width: int | None = None) -> str:
        """Return the table in columns; where a width is given, so that it fits: words wrapped, or blocks."""
        from clearbar.formatting import _wide

        table = presentable(self, encoding)
        fitting = table if width is None else _wide.fitted(table, width)
        if fitting is None and width is not None:
            text = _wide.blocks(table, width, color=color)
        else:
            text = lines(fitting or table, color=color)
        return "\n".join(line.rstrip() for line in text)

    def fits(self, width: int) -> bool:
        """Tell whether it is shown as a table in a width, its words wrapped perhaps."""
        from clearbar.formatting import _wide

        return _wide.fitted(presentable(self, None), width) is not None

    @property
    def width(self) -> int:
        """The columns of a terminal that it takes where no width is given."""
        return max(_text.width(line) for line in self.to_text().splitlines())

    def to_html(self) -> str:
        """Return an HTML ``<table>`` that is readable without CSS; everything is escaped."""
        from clearbar.formatting import _markup

        return _markup.to_html(self)

    def to_markdown(self) -> str:
        """Return a GitHub-flavoured Markdown table; everything is escaped."""
        from clearbar.formatting import _markup

        return _markup.to_markdown(self)

    def to_latex(self) -> str:
        """Return a LaTeX ``tabular`` with booktabs rules; everything is escaped."""
        from clearbar.formatting import _markup

        return _markup.to_latex(self)


def presentable(table: Table, encoding: str | None) -> Table:
    """Return a table whose texts and marks a stream can show."""

    def clean(line: tuple[Cell, ...]) -> tuple[Cell, ...]:
        return tuple(
            replace(cell, text=encodable(visible(cell.text), encoding), mark=encodable(cell.mark, encoding))
            for cell in line
        )

    return replace(table, header=tuple(map(clean, table.header)), rows=tuple(map(clean, table.rows)))


def styled(text: str, style: str, *, color: bool) -> str:
    r"""Return text in the colours of a terminal."""
    code = _COLOURS.get(style, "") if color and text else ""
    return f"\x1b[{code}m{text}\x1b[0m" if code else text


def sentence_lines(words: str, most: int, style: str = "", *, first: str = "", color: bool) -> list[str]:
    """Return words on lines of so many columns; no line ends at a no-break space, which becomes a blank."""
    return [
        styled(anchored(line.replace("\xa0", " ")), style, color=color) for line in filled(words, most, first)
    ]


def parts(text: str) -> tuple[str, str]:
    """Split a number before its decimal point."""
    before, point, after = text.partition(".")
    return before, point + after


def on_point(text: str) -> bool:
    """Tell whether a text stands on its decimal point, or on where that would be."""
    return "." in text or _WHOLE.fullmatch(text) is not None


def spans(line: Sequence[Cell]) -> Iterator[tuple[Cell, range]]:
    """Yield each cell with the positions of the columns that it covers."""
    first = 0
    for cell in line:
        yield cell, range(first, first + cell.span)
        first += cell.span


@dataclass
class Slot:
    """What the cells of one column need: before the decimal point, from it on, and for marks."""

    align: str
    gap: int = 0
    before: int = 0
    after: int = 0
    text: int = 0
    marks: int = 0
    extra: int = 0

    def take(self, cell: Cell) -> None:
        if self.align == "decimal" and on_point(cell.text):
            before, after = parts(cell.text)
            self.before = max(self.before, width(before))
            self.after = max(self.after, width(after))
        self.text = max(self.text, width(cell.text), self.before + self.after)
        self.marks = max(self.marks, width(cell.mark))

    @property
    def width(self) -> int:
        return self.text + (self.marks + 1 if self.marks else 0) + self.extra

    def blanks(self, text: str, *, heading: bool) -> tuple[int, int]:
        """Return the blanks on either side of a text, the slot for marks not counted."""
        free = max(0, self.text - width(text))
        if self.align == "left":
            return 0, free
        if self.align == "decimal" and not heading and on_point(text):
            right = self.after - width(parts(text)[1])
            return free - right, right
        return free, 0

    def shown(self, cell: Cell, *, color: bool) -> str:
        """Return a cell and its mark where they stand in the slot."""
        left, right = self.blanks(cell.text, heading=False)
        text = f"{' ' * left}{styled(anchored(cell.text), cell.style, color=color)}{' ' * right}"
        if not self.marks:
            return text
        mark = styled(cell.mark, cell.style, color=color)
        return f"{text}{' ' * (1 + self.marks - width(cell.mark))}{mark}"


def slots(table: Table) -> list[Slot]:
    room = [Slot(column.align, column.gap if first else 0) for first, column in enumerate(table.columns)]
    for row in table.rows:
        for slot, cell in zip(room, row, strict=True):
            slot.take(cell)
    headings = [heading for line in table.header for heading in spans(line)]
    for cell, columns in sorted(headings, key=lambda heading: heading[0].span > 1):  # of one column first
        covered = room[columns.start : columns.stop]
        lacking = max(0, width(cell.text) - taken(covered))
        if cell.span == 1:
            covered[0].text += lacking
        else:  # the numbers stay below the start of the name
            covered[-1].extra += lacking
    return room


def taken(covered: Sequence[Slot]) -> int:
    """Return the columns for a heading over some slots, those of marks included."""
    return sum(slot.width for slot in covered) + sum(slot.gap for slot in covered[1:])


def lines(table: Table, *, color: bool) -> list[str]:
    """Return the lines of a presentable table, all of the same width."""
    room = slots(table)
    return [_heading(line, room, color=color) for line in table.header] + [
        "".join(
            f"{' ' * slot.gap}{slot.shown(cell, color=color)}{' ' * slot.extra}"
            for cell, slot in zip(row, room, strict=True)
        )
        for row in table.rows
    ]


def _heading(line: tuple[Cell, ...], room: Sequence[Slot], *, color: bool) -> str:
    """Return a line of headings, which may be so wide that they stand over the marks as well."""
    pieces = []
    for cell, columns in spans(line):
        covered = room[columns.start : columns.stop]
        left = covered[0].blanks(cell.text, heading=True)[0] if cell.span == 1 else 0
        text = styled(anchored(cell.text), cell.style, color=color)
        right = taken(covered) - left - width(cell.text)
        pieces.append(f"{' ' * (covered[0].gap + left)}{text}{' ' * right}")
    return "".join(pieces)
