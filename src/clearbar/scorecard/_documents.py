"""A scorecard as a document: text, tables for pages and papers, data for other programs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from clearbar.core._later import Later
from clearbar.core._saving import save
from clearbar.formatting import Screen
from clearbar.scorecard import _frames, _render
from clearbar.scorecard._columns import Columns
from clearbar.scorecard._view import Hints, View


@dataclass(frozen=True, eq=False)
class Documents(Columns):
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
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def to_text(
        self,
        *,
        color: bool = False,
        encoding: str | None = None,
        alpha: float | None = None,
        most: int | None = 20,
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
        return _render.text(View.of(self, alpha, hints), screen, most, columns)

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
        return _render.markdown(View.of(self, alpha, hints), most)

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
        return _render.latex(View.of(self, alpha), most)

    def __rich_console__(self, console: Any, options: Any) -> Any:
        """Yield the scorecard for a console of rich's, with as many colours as that has."""
        from rich.text import Text

        color = console.color_system is not None and not console.no_color
        width = getattr(options, "max_width", None)
        shown = self.to_text(color=color, encoding=getattr(options, "encoding", None), width=width)
        yield Text.from_ansi(shown, overflow="fold")

    def __str__(self) -> str:
        """Return the verdict, the table and the reasons, as standard output can show them."""
        screen = Screen.of(sys.stdout)
        return self.to_text(encoding=screen.encoding, width=screen.width)

    def _repr_html_(self) -> str:
        """Return the scorecard for a notebook."""
        return _render.html(View.of(self, None), 20)
