"""A table as a value: what stands where. How it looks is decided when it is rendered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clearbar.formatting._markup import to_html, to_latex, to_markdown
from clearbar.formatting._plain import lines

Align = Literal["left", "right", "decimal"]
Style = Literal["", "bad", "doubt", "muted", "strong"]


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes
    ----------
    text : str
        What it says.
    mark : str
        A sign behind it, such as ✗; the signs of a column stand below each other.
    style : {"", "bad", "doubt", "muted", "strong"}
        How it is set apart where there are colours; never the only sign of anything.
    span : int
        Columns it covers; only in a heading.
    note : str
        What the mark means, for those who hear the page.
    """

    text: str = ""
    mark: str = ""
    style: Style = ""
    span: int = 1
    note: str = ""


@dataclass(frozen=True)
class Column:
    """How a column is set.

    Attributes
    ----------
    align : {"left", "right", "decimal"}
        Side on which its cells line up, or their decimal points.
    gap : int
        Blanks before it in plain text.
    """

    align: Align = "left"
    gap: int = 2


@dataclass(frozen=True)
class Table:
    """Rows of cells below one or more lines of headings; the first column names the rows.

    Attributes
    ----------
    columns : tuple of Column
        How each column is set.
    header : tuple of tuple of Cell
        Lines of headings; the spans of a line add up to the number of columns.
    rows : tuple of tuple of Cell
        One cell per column.
    caption : str
        What the table shows; HTML only.

    Raises
    ------
    ValueError
        If a line does not have as many cells as there are columns.

    Examples
    --------
    >>> table = Table(
    ...     (Column(), Column("decimal")), ((Cell(""), Cell("bar")),), ((Cell("F1"), Cell("0.671")),)
    ... )
    >>> print(table.to_text())
          bar
    F1  0.671
    """

    columns: tuple[Column, ...]
    header: tuple[tuple[Cell, ...], ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""

    def __post_init__(self) -> None:
        for line in (*self.header, *self.rows):
            if sum(cell.span for cell in line) != len(self.columns):
                msg = f"every line needs {len(self.columns)} cells, one per column; found {line!r:.200}."
                raise ValueError(msg)

    def to_text(self, *, color: bool = False, encoding: str | None = None) -> str:
        """Return the table in columns, for a terminal.

        Parameters
        ----------
        color : bool
            Whether the terminal understands ANSI colours.
        encoding : str or None
            The stream's encoding; plain letters stand in for what it cannot show.

        Returns
        -------
        str
        """
        found = lines(self, color=color, encoding=encoding)
        return "\n".join(line.rstrip() for line in found)

    def to_html(self) -> str:
        """Return an HTML ``<table>`` that is readable without CSS; everything is escaped.

        Returns
        -------
        str
        """
        return to_html(self)

    def to_markdown(self) -> str:
        """Return a GitHub-flavoured Markdown table; everything is escaped.

        Returns
        -------
        str
        """
        return to_markdown(self)

    def to_latex(self) -> str:
        """Return a LaTeX ``tabular`` with booktabs rules; everything is escaped.

        Returns
        -------
        str
        """
        return to_latex(self)
