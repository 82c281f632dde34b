"""A scorecard as a document: text, tables for pages and papers, data for other programs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from clearbar.core._later import Later
from clearbar.core._saving import save
from clearbar.core.documents import strict_json
from clearbar.formatting import Screen
from clearbar.scorecard import _frames
from clearbar.scorecard._columns import Columns
from clearbar.scorecard._page import Printed
from clearbar.scorecard._render import page
from clearbar.scorecard._view import Hints, View

MOST = 20
"""Rows of a table of the worst on a terminal and in a notebook."""


@dataclass(frozen=True, eq=False)
class Documents(Printed, Columns):
    """What a scorecard can be written as."""

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Return a data frame with a row per verdict.

        `low` and `high` are those of the whole; a slice's are found when ``card[row].low`` is read.
        With several runs, scores and the cells `tp`, `fp`, `fn`, `tn` are means over them.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}
            The library that makes it.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table

        Raises
        ------
        ValueError
            If the backend is none of these.
        ImportError
            If the library is not installed.
        """
        return _frames.to_frame(lambda: _frames.flat_columns(self), backend)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, ready for JSON: None where a number is nan or infinite.

        Returns
        -------
        dict
            The versions of the package and of the document, what was asked, and a dictionary per row. The
            page "JSON for other programs" has the schema.
        """
        return _frames.to_dict(self)

    def to_json(self, indent: int | None = None) -> str:
        """Return one strict JSON document: nan and infinity are null, the reason stands beside.

        Parameters
        ----------
        indent : int, optional
            Blanks per level; everything on one line by default.

        Returns
        -------
        str
        """
        return strict_json(self.to_dict(), indent)

    def to_text(
        self,
        *,
        color: bool = False,
        encoding: str | None = None,
        alpha: float | None = None,
        most: int | None = MOST,
        columns: Sequence[str] | None = None,
        width: int | None = None,
        hints: Hints | None = None,
    ) -> str:
        """Return the scorecard as it is printed.

        Parameters
        ----------
        color : bool
            Whether the terminal understands ANSI colours.
        encoding : str, optional
            The stream's encoding; plain letters stand in for what it cannot show.
        alpha : float
            The p-value above which a score is marked as doubtful.
        most : int or None
            Rows of a table of the worst; None for all.
        columns : sequence of {"interval", "skill", "p"}, optional
            What stands beside each score; all for one model, nothing for several by default.
        width : int, optional
            Columns of the terminal, 80 by default; models that do not fit side by side are stacked.
        hints : Hints, optional
            What a reader can type for what is left out; methods of the card by default.

        Returns
        -------
        str
        """
        screen = Screen.chosen(color, encoding, width)
        return page(View.of(self, alpha, hints), most, columns, screen.columns).text(screen)

    to_html = Later("clearbar.report", "to_html")

    def to_csv(self, path: str | os.PathLike[str] | None = None, *, overwrite: bool = False) -> str | None:
        """Return or write the rows of `to_frame` as comma-separated values.

        A number without a value is empty. A name that a spreadsheet would take for a formula is written
        behind an apostrophe, and control characters as their escapes.

        Parameters
        ----------
        path : str or path-like, optional
            The file to write; the text is returned when none is given.
        overwrite : bool
            Whether a file that is there may be replaced.

        Returns
        -------
        str or None

        Raises
        ------
        FileExistsError
            If the file is there, and may not be replaced.
        """
        text = _frames.to_csv(self)
        if path is None:
            return text
        save(text, path, overwrite=overwrite)
        return None

    def to_markdown(
        self, *, alpha: float | None = None, most: int | None = None, hints: Hints | None = None
    ) -> str:
        """Return the scorecard in GitHub-flavoured Markdown; names are escaped.

        Parameters
        ----------
        alpha, most, hints
            As for `to_text`; all rows by default.

        Returns
        -------
        str
        """
        return page(View.of(self, alpha, hints), most).markdown()

    def to_latex(self, *, alpha: float | None = None, most: int | None = None) -> str:
        """Return the scorecard's tables in LaTeX, with booktabs rules; names are escaped.

        Parameters
        ----------
        alpha, most
            As for `to_text`; all rows by default.

        Returns
        -------
        str
        """
        return page(View.of(self, alpha), most).latex()

    def __rich_console__(self, console: Any, options: Any) -> Any:
        """Yield the scorecard for a console of rich's, with as many colours as that has."""
        from rich.text import Text

        color = console.color_system is not None and not console.no_color
        width = getattr(options, "max_width", None)
        shown = self.to_text(color=color, encoding=getattr(options, "encoding", None), width=width)
        yield Text.from_ansi(shown, overflow="fold")

    def _repr_html_(self) -> str:
        """Return the scorecard for a notebook."""
        return page(View.of(self), MOST).html("scorecard")
