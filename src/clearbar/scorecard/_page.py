"""What is printed of a scorecard, and of what is made from it: sentences, tables, and what stands below.

A `Page` is the one model of it: named parts, which are written once for each format.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.formatting import Screen, Style, Table, escape_html, escape_markdown, latex_page, plural
from clearbar.scorecard._columns import Hints, View
from clearbar.scorecard._rows import best_first, checked_most, slices, worst_rows
from clearbar.scorecard._sentences import (
    about_runs,
    correction,
    headline,
    remarks,
    samples_line,
    slices_sentence,
)
from clearbar.scorecard._tables import MEASURES, has_matrix, matrices, worst_table
from clearbar.verdict import UNJUDGED

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

MOST = 20
"""Rows of a table of the worst on a terminal and in a notebook."""


@dataclass(frozen=True)
class Block:
    """A table, the sentence over it, and what is to be said below it."""

    table: Table | None
    notes: Sequence[str] = ()
    legend: Sequence[str] = ()  # what each mark means, and what p was corrected for
    title: str = ""

    @property
    def below(self) -> list[str]:
        return [line for line in (*self.notes, "   ".join(self.legend)) if line]


@dataclass(frozen=True)
class Page:
    """The verdict in a sentence, tables, and what is said of the whole."""

    headline: str  # empty where the tables speak for themselves
    blocks: Sequence[Block]
    notes: Sequence[str] = ()
    data: str = ""  # what was judged, over the headline

    def text(self, screen: Screen) -> str:
        """Return the page for a terminal, an empty line between its parts."""
        head: list[tuple[str, Style]] = [(self.data, ""), (self.headline, "strong")]
        parts = [[screen.sentence(line, style) for line, style in head if line]]
        for block in self.blocks:
            legend = "   ".join(part.replace(" ", "\xa0") for part in block.legend)  # no meaning is torn
            table = [screen.table(block.table)] if block.table is not None else []
            below = [screen.sentence(line, "muted") for line in (*block.notes, legend) if line]
            parts += [[screen.sentence(block.title, "strong")] if block.title else [], table + below]
        parts.append([screen.sentence(note) for note in self.notes])
        return "\n\n".join("\n".join(lines) for lines in parts if lines)

    def html(self, name: str) -> str:
        """Return the page for a notebook; `name` tells a style sheet what it is."""
        headline = f"<strong>{escape_html(self.headline)}</strong>" if self.headline else ""
        head = "<br>".join(filter(None, (escape_html(self.data), headline)))
        parts = [f"<p>{head}</p>"] if head else []
        for block in self.blocks:
            parts += [f"<p><strong>{escape_html(block.title)}</strong></p>"] if block.title else []
            parts += [block.table.to_html()] if block.table is not None else []
            below = "<br>".join(map(escape_html, block.below))
            parts += [f"<p><small>{below}</small></p>"] if below else []
        parts += [f"<p>{escape_html(note)}</p>" for note in self.notes]
        body = "\n".join(parts)
        return f'<div class="clearbar-{name}" dir="ltr" style="overflow-x:auto">\n{body}\n</div>'

    def markdown(self) -> str:
        parts = [escape_markdown(self.data)] if self.data else []
        parts.append(f"**{escape_markdown(self.headline)}**")
        for block in self.blocks:
            parts += [f"**{escape_markdown(block.title)}**"] if block.title else []
            parts += [block.table.to_markdown()] if block.table is not None else []
            parts += map(escape_markdown, block.below)
        return "\n\n".join([*parts, *map(escape_markdown, self.notes)]) + "\n"

    def latex(self) -> str:
        """Return the tables and what stands below them in LaTeX, with booktabs rules."""
        parts: list[str | Table] = []
        for block in self.blocks:
            parts += [block.table] if block.table is not None else []
            parts += block.below
        return latex_page([*parts, *self.notes])


class Printed:
    """What shows itself as a page, on a terminal and in a notebook."""

    def _page(self, wide: int | None) -> Page:
        """Return the page; `wide` is the width of a terminal, None where tables may have any."""
        raise NotImplementedError

    def to_text(self, *, color: bool = False, encoding: str | None = None, width: int | None = None) -> str:
        """Return the sentence, the table and the notes, for a terminal.

        Parameters
        ----------
        color : bool
            Whether the terminal understands ANSI colours.
        encoding : str, optional
            The stream's encoding; plain letters stand in for what it cannot show.
        width : int, optional
            Columns of the terminal, 80 by default; a table that does not fit is broken up.
        """
        screen = Screen.chosen(color, encoding, width)
        return self._page(screen.columns).text(screen)

    def __str__(self) -> str:
        screen = Screen.of(sys.stdout)
        return self.to_text(encoding=screen.encoding, width=screen.width)

    def _repr_html_(self) -> str:
        """Return the page for a notebook."""
        return self._page(None).html(type(self).__name__.lower())


def to_text(
    card: Scorecard,
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
    """
    screen = Screen.chosen(color, encoding, width)
    return page(View.of(card, alpha, hints), most, columns, screen.columns).text(screen)


def to_markdown(
    card: Scorecard, *, alpha: float | None = None, most: int | None = None, hints: Hints | None = None
) -> str:
    """Return the scorecard in GitHub-flavoured Markdown; names are escaped.

    Parameters
    ----------
    alpha, most, hints
        As for `to_text`; all rows by default.
    """
    return page(View.of(card, alpha, hints), most).markdown()


def to_latex(card: Scorecard, *, alpha: float | None = None, most: int | None = None) -> str:
    """Return the scorecard's tables in LaTeX, with booktabs rules; names are escaped.

    Parameters
    ----------
    alpha, most
        As for `to_text`; all rows by default.
    """
    return page(View.of(card, alpha), most).latex()


def page(view: View, most: int | None, columns: Sequence[str] | None = None, wide: int | None = None) -> Page:
    """Return what is printed of a scorecard; `wide` is None where tables may be of any width."""
    card, blocks, most = view.card, [], checked_most(most)
    if has_matrix(card):
        blocks += _matrix_blocks(view, most, columns, wide)
    if len(card.groups) > 1 or not has_matrix(card):
        blocks.append(_worst_block(view, most, wide))
    return Page(headline(card, view.alpha), blocks, card.notes, samples_line(card))


def _matrix_blocks(
    view: View, most: int | None, columns: Sequence[str] | None, wide: int | None
) -> list[Block]:
    """Return one table, or several below each other where the models do not fit beside each other.

    A screen has room for some of the measures: those with the least skill.
    """
    card = view.card
    measures, notes = list(range(len(card.measures))), []
    if most is not None and len(measures) > MEASURES:
        silent = np.isin(view.state[:, 0, :], UNJUDGED) | np.isnan(card.columns["skill"][:, 0, :])
        lowest = np.where(silent, np.inf, card.columns["skill"][:, 0, :]).min(axis=0)
        left = len(measures) - MEASURES
        notes.append(f"… the {MEASURES} with the least skill; {left:,} more{view.hints.more}.")
        measures = [int(measure) for measure in np.argsort(lowest, kind="stable")[:MEASURES]]
    tables = matrices(view, measures, best_first(card), columns, wide)
    notes += [*remarks(card, measures), *about_runs(card)]
    legend = _legend(view, view.state[:, 0, measures], correction(card))
    return [*map(Block, tables[:-1]), Block(tables[-1], notes, legend)]


def _worst_block(view: View, most: int | None, wide: int | None) -> Block:
    card = view.card
    several, sliced = len(card.groups) > 1, slices(card)
    rows = sliced[None, :, None]
    judged = ~np.isin(view.state, UNJUDGED) & rows
    order = worst_rows(card, judged)
    if has_matrix(card) and several and most is not None:
        most = max(1, most // 2)
    shown = order[:most]
    title = slices_sentence(card, view.alpha) if several and card.groups[0] is None else ""
    notes = []
    if len(shown) < len(order):
        left = plural(len(order) - len(shown), "row")
        notes.append(f"… worst first; {left} more{view.hints.more}.")
    silent = int((~judged & rows).sum())
    if silent:
        notes.append(f"{plural(silent, 'row')} without a verdict left out{view.hints.reasons}.")
    if not len(shown):
        return Block(None, notes, title=title)
    if not has_matrix(card):  # else it stands below the first table
        notes += about_runs(card)
    corrected = correction(card, slices=int(sliced.sum()) if several else 0)
    legend = _legend(view, view.state.reshape(-1)[shown], corrected)
    return Block(worst_table(view, shown.tolist(), wide), notes, legend, title)


def _legend(view: View, states: Any, corrected: str) -> list[str]:
    marks = [f"{mark} {words}" for _, mark, words in view.legend(states)]
    return [*marks, corrected] if corrected else marks
