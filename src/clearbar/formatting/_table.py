"""A table as a value: what stands where. How it looks is decided when it is rendered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from clearbar.formatting import _markup
from clearbar.formatting._blocks import blocks
from clearbar.formatting._fit import fitted
from clearbar.formatting._plain import lines

Align = Literal["left", "right", "decimal"]
Style = Literal["", "bad", "doubt", "muted", "strong"]


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
        aligns: Iterable[Align],
        heads: Iterable[str],
        rows: Iterable[Iterable[str | Cell]],
        named: int = 1,
    ) -> Table:
        """Return a table with one line of headings; texts in its rows become cells."""
        lines = (tuple(cell if isinstance(cell, Cell) else Cell(cell) for cell in row) for row in rows)
        return cls(tuple(map(Column, aligns)), (tuple(map(Cell, heads)),), tuple(lines), named=named)

    def to_text(self, *, color: bool = False, encoding: str | None = None, width: int | None = None) -> str:
        """Return the table in columns; where a width is given, so that it fits: words wrapped, or blocks."""
        table = self if width is None else self._fitted(width, encoding)
        if table is None and width is not None:
            text = blocks(self, width, color=color, encoding=encoding)
        else:
            text = lines(table or self, color=color, encoding=encoding)
        return "\n".join(line.rstrip() for line in text)

    def fits(self, width: int, encoding: str | None = None) -> bool:
        """Tell whether it is shown as a table in a width, its words wrapped perhaps."""
        return self._fitted(width, encoding) is not None

    def _fitted(self, width: int, encoding: str | None) -> Table | None:
        """Return a table that fits; None if none does, or if blocks say its rows in fewer lines."""
        table = fitted(self, width, encoding)
        if table is None or len(table.rows) == len(self.rows):
            return table
        return table if len(table.rows) <= len(blocks(self, width, encoding=encoding)) else None

    to_html = _markup.to_html
    to_markdown = _markup.to_markdown
    to_latex = _markup.to_latex
