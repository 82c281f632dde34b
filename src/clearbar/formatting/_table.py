"""Tables, sentences and pages as values: what stands where, and how a terminal shows it.

HTML, Markdown and LaTeX are in `_markup`.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from clearbar.core._progress import is_terminal
from clearbar.core._value import checked_flag, whole_number
from clearbar.core.errors import visible
from clearbar.formatting import _text
from clearbar.formatting._text import (
    anchored,
    checked_encoding,
    encodable,
    encoding_of,
    filled,
    longest_part,
    wrapped_words,
)

Align = Literal["left", "right", "decimal"]
Style = Literal["", "bad", "doubt", "muted", "strong"]

_WHOLE = re.compile(r"[+−-]?[\d,]+|[–=-]|[+−-]?(∞|inf)")
_TOGETHER = re.compile(r"\(?p from [\d.]+ up|\(?\w [=<>≤≥] [\w.]|\(p \w|\d %|--[-\w]+ [A-Z]+\b")
"""What no line break may part."""

WIDE, DEEPEST, INDENT = 80, 6, 2
"""Columns of a terminal whose width is not known; lines that a cell of words takes, or a few more, before
each row becomes a block; blanks before the lines of a block."""


@dataclass(frozen=True)
class Cell:
    """One cell."""

    text: str = ""  # what it says
    mark: str = ""  # a sign behind it, such as ✗; the signs of a column stand below each other
    style: Style = ""  # how it is set apart where there are colours; never the only sign of anything
    span: int = 1  # columns it covers; only in a heading
    note: str = ""  # what the mark means, for those who hear the page
    small: str = ""  # what stands beside it in small letters, on a page alone
    drawing: Callable[[], str] | None = None  # makes the markup of a picture of it, for HTML alone


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
        table = presentable(self, encoding)
        fits = table if width is None else _fitted(table, width)
        shown = lines(fits, color=color) if fits else _blocks(table, cast("int", width), color=color)
        return "\n".join(line.rstrip() for line in shown)

    def fits(self, width: int) -> bool:
        """Tell whether it is shown as a table in a width, its words wrapped perhaps."""
        return _fitted(presentable(self, None), width) is not None

    @property
    def width(self) -> int:
        """The columns of a terminal that it takes where no width is given."""
        return max(map(_text.width, self.to_text().splitlines()))

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

    def cells(self, position: int) -> list[str]:
        return [row[position].text for row in self.rows]

    def headings(self, position: int) -> list[str]:
        """Return what stands over one column alone, a text for each line of the heading."""
        alone = range(position, position + 1)
        return [cell.text for line in self.header for cell, columns in spans(line) if columns == alone]


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
    if not (color and text):
        return text
    from clearbar.formatting._palette import TERMINAL

    code = TERMINAL.get(style, "")
    return f"\x1b[{code}m{text}\x1b[0m" if code else text


def sentence_lines(words: str, most: int, style: str = "", *, first: str = "", color: bool) -> list[str]:
    """Return words on lines of so many columns; no line ends at a no-break space, which becomes a blank."""
    return [
        styled(anchored(line.replace("\xa0", " ")), style, color=color) for line in filled(words, most, first)
    ]


def number_parts(text: str) -> tuple[str, str]:
    """Split a number before its decimal point."""
    before, point, after = text.partition(".")
    return before, point + after


def on_point(text: str) -> bool:
    """Tell whether a text stands on its decimal point, or on where that would be."""
    return "." in text or _WHOLE.fullmatch(text) is not None


def spans(line: Sequence[Cell]) -> Iterator[tuple[Cell, range]]:
    """Yield each cell with the positions of the columns that it covers."""
    ends = itertools.accumulate(cell.span for cell in line)
    return ((cell, range(end - cell.span, end)) for cell, end in zip(line, ends, strict=True))


@dataclass
class Slot:
    """What the cells of one column need: before the decimal point, from it on, and for marks."""

    align: str
    gap: int = 0
    before: int = 0
    after: int = 0
    text: int = 0
    marks: int = 0
    extra: int = 0  # blanks behind the marks, where a heading over several columns is wider than these

    def take(self, cell: Cell) -> None:
        if self.align == "decimal" and on_point(cell.text):
            before, after = map(_text.width, number_parts(cell.text))
            self.before, self.after = max(self.before, before), max(self.after, after)
        self.text = max(self.text, _text.width(cell.text), self.before + self.after)
        self.marks = max(self.marks, _text.width(cell.mark))

    @property
    def width(self) -> int:
        return self.text + (self.marks + 1 if self.marks else 0) + self.extra

    def blanks_before(self, text: str, *, heading: bool) -> int:
        free = max(0, self.text - _text.width(text))
        if self.align == "decimal" and not heading and on_point(text):
            return free - self.after + _text.width(number_parts(text)[1])
        return 0 if self.align == "left" else free

    def shown(self, cell: Cell, *, color: bool) -> str:
        """Return a cell and its mark where they stand in the slot."""
        left = self.blanks_before(cell.text, heading=False)
        right = max(0, self.text - left - _text.width(cell.text))
        text = f"{' ' * left}{styled(anchored(cell.text), cell.style, color=color)}{' ' * right}"
        mark = styled(cell.mark, cell.style, color=color)
        return f"{text}{' ' * (1 + self.marks - _text.width(cell.mark))}{mark}" if self.marks else text


def slots(table: Table) -> list[Slot]:
    room = [Slot(column.align, column.gap if first else 0) for first, column in enumerate(table.columns)]
    for row in table.rows:
        for slot, cell in zip(room, row, strict=True):
            slot.take(cell)
    headings = [heading for line in table.header for heading in spans(line)]
    for cell, columns in sorted(headings, key=lambda heading: heading[0].span > 1):  # of one column first
        covered = room[columns.start : columns.stop]
        lacking = max(0, _text.width(cell.text) - taken(covered))
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
        left = covered[0].blanks_before(cell.text, heading=True) if cell.span == 1 else 0
        text = styled(anchored(cell.text), cell.style, color=color)
        right = taken(covered) - left - _text.width(cell.text)
        pieces.append(f"{' ' * (covered[0].gap + left)}{text}{' ' * right}")
    return "".join(pieces)


def _fitted(table: Table, wide: int) -> Table | None:
    """Return a table no wider than a terminal; None where blocks say its rows in fewer lines."""
    lacking = taken(slots(table)) - wide
    if lacking <= 0:
        return table
    narrowed = _wrapped(table, _narrower(table, lacking))
    if taken(slots(narrowed)) > wide:
        return None
    deep = len(narrowed.rows)
    return narrowed if deep == len(table.rows) or deep <= len(_blocks(table, wide)) else None


def _narrower(table: Table, lacking: int) -> dict[int, int]:
    """Return by position how wide columns of words shall be: the widest give way until the table fits."""
    texts, floors = [], []
    for position, column in enumerate(table.columns):
        cells, heads = table.cells(position), table.headings(position)
        numbers, words = ([], [*cells, *heads]) if column.align == "left" else (cells, heads)
        # Numbers stay whole, and so do words; a wide letter takes two columns.
        shallow = -(-max(map(_text.width, words), default=0) // DEEPEST)
        longest = max(map(longest_part, words), default=0)
        floors.append(max(longest, shallow, *map(_text.width, numbers), 2))
        texts.append([*cells, *heads])
    sizes = [max(map(_text.width, column), default=0) for column in texts]
    widths: dict[int, int] = {}
    while lacking > 0:
        wider = sorted((size, position) for position, size in enumerate(sizes) if size > floors[position])
        if not wider:
            break
        size, widest = wider[-1]
        next_to_it = wider[-2][0] if len(wider) > 1 else 0
        widths[widest] = max(floors[widest], min(next_to_it, size - 1), size - lacking)
        broken = (line for text in texts[widest] for line in wrapped_words(text, widths[widest]))
        sizes[widest] = max(map(_text.width, broken))
        lacking -= size - sizes[widest]
    return widths


def _wrapped(table: Table, widths: Mapping[int, int]) -> Table:
    """Return a table whose words are wrapped; a row of several lines is as many rows."""
    of_words = {column: size for column, size in widths.items() if table.columns[column].align == "left"}
    header = (line for row in table.header for line in _row_lines(row, widths, above=True))
    rows = (line for row in table.rows for line in _row_lines(row, of_words, above=False))
    return replace(table, header=tuple(header), rows=tuple(rows))


def _row_lines(row: tuple[Cell, ...], widths: Mapping[int, int], *, above: bool) -> list[tuple[Cell, ...]]:
    """Return the lines of a row; the empty ones stand `above` the words or below."""
    texts = [
        wrapped_words(cell.text, widths[columns[0]])
        if cell.span == 1 and columns[0] in widths
        else [cell.text]
        for cell, columns in spans(row)
    ]
    deep = max(map(len, texts))
    blank = [[""] * (deep - len(words)) for words in texts]
    columns = [empty + words if above else words + empty for empty, words in zip(blank, texts, strict=True)]
    return [
        tuple(
            replace(cell, text=words[line], mark="" if line else cell.mark)
            for cell, words in zip(row, columns, strict=True)
        )
        for line in range(deep)
    ]


def _blocks(table: Table, wide: int, *, color: bool = False) -> list[str]:
    """Return the lines of all rows: its name, and below it a line for each heading with its cell."""
    heads = [" ".join(filter(None, table.headings(position))) for position in range(len(table.columns))]
    owners = [""] * len(heads)  # what stands over several columns
    for cell, columns in itertools.chain.from_iterable(map(spans, table.header)):
        if cell.span > 1:
            owners[columns.start : columns.stop] = [cell.text] * cell.span
    shown = []
    for row in table.rows:
        name = " · ".join(cell.text for cell in row[: table.named] if cell.text)
        shown += sentence_lines(name, wide, "strong", color=color)
        for owner, positions in itertools.groupby(range(table.named, len(row)), key=owners.__getitem__):
            indent = " " * INDENT * (2 if owner else 1)
            shown += sentence_lines(owner, wide, first=" " * INDENT, color=color) if owner else []
            for position in positions:
                cell, head = row[position], heads[position]
                text = f"{cell.text} {cell.mark}".strip()
                if table.columns[position].align != "left":  # a number stays with its mark
                    text = text.replace(" ", "\xa0")
                room = wide - _text.width(f"{indent}{head} ")
                beside = max(map(_text.width, text.split(" "))) <= room
                if head and text and not beside:
                    shown += sentence_lines(head, wide, first=indent, color=color)
                first = f"{indent}{head} " if head and beside else indent + " " * INDENT * bool(head)
                shown += sentence_lines(text, wide, cell.style, first=first, color=color) if text else []
    return shown


@dataclass(frozen=True)
class Screen:
    """What a stream can show: colours, letters and columns."""

    color: bool = False  # whether it is a terminal, and colours are wanted
    encoding: str | None = None  # its encoding; None for one that shows everything
    width: int | None = None  # its columns; None where it is no terminal, so that a line is a line

    @classmethod
    def of(cls, stream: Any) -> Screen:
        terminal = is_terminal(stream)
        color = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        width = max(shutil.get_terminal_size().columns, 1) if terminal else None
        return cls(color, encoding_of(stream), width)

    @classmethod
    def plain(cls, stream: Any) -> Screen:
        """Return what a stream can show without colours."""
        return replace(cls.of(stream), color=False)

    @classmethod
    def chosen(cls, color: bool, encoding: Any, width: int | None) -> Screen:  # noqa: FBT001 - by its users
        """Return a screen as its user wants it; a width that is not given is that of many terminals."""
        color = checked_flag("color", color)
        columns = WIDE if width is None else whole_number("width", width, 1, f", or None for {WIDE}")
        return cls(color, checked_encoding(encoding), columns)

    @property
    def options(self) -> dict[str, Any]:
        """What is passed to whatever has a `to_text`."""
        return {"color": self.color, "encoding": self.encoding, "width": self.width}

    @property
    def columns(self) -> int:
        """Columns that a sentence may take."""
        return WIDE if self.width is None else self.width

    def sentence(self, words: str, style: Style = "", *, first: str = "") -> str:
        """Return words on lines that fit; `first` stands before them, and blanks before the other lines."""
        words = _TOGETHER.sub(lambda match: match[0].replace(" ", "\xa0"), encodable(words, self.encoding))
        first = encodable(first, self.encoding)
        return "\n".join(sentence_lines(words, self.columns, style, first=first, color=self.color))

    def line(self, words: str, style: Style = "", *, first: str = "") -> str:
        """Return words as a sentence on a terminal, and on one line elsewhere: programs read lines."""
        if self.width is not None:
            return self.sentence(words, style, first=first)
        return styled(encodable(first + words, self.encoding), style, color=self.color)

    def table(self, table: Table) -> str:
        return table.to_text(**self.options)
