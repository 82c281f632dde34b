"""A scorecard on a page: the verdict in a sentence, the table, the reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.formatting import Screen, plural
from clearbar.scorecard._headline import headline, samples_line, slices_sentence
from clearbar.scorecard._page import Block, Page
from clearbar.scorecard._remarks import about_runs, correction, remarks
from clearbar.scorecard._rows import best_first, checked_most, slices, worst_rows
from clearbar.scorecard._tables import MEASURES, has_matrix, matrices, worst_table
from clearbar.scorecard._view import Hints, View
from clearbar.verdict import UNJUDGED

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard


MOST = 20
"""Rows of a table of the worst on a terminal and in a notebook."""


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

    Returns
    -------
    str
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

    Returns
    -------
    str
    """
    return page(View.of(card, alpha, hints), most).markdown()


def to_latex(card: Scorecard, *, alpha: float | None = None, most: int | None = None) -> str:
    """Return the scorecard's tables in LaTeX, with booktabs rules; names are escaped.

    Parameters
    ----------
    alpha, most
        As for `to_text`; all rows by default.

    Returns
    -------
    str
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
    """Return one table, or several below each other where the models do not fit beside each other."""
    card = view.card
    measures, left = _measures_shown(view, most)
    tables = matrices(view, measures, best_first(card), columns, wide)
    notes = [*left, *remarks(view, measures), *about_runs(card)]
    legend = _legend(view, view.state[:, 0, measures], correction(card))
    return [*map(Block, tables[:-1]), Block(tables[-1], notes, legend)]


def _measures_shown(view: View, most: int | None) -> tuple[list[int], list[str]]:
    """Return the measures of a table: all, or those with the least skill if a screen has no room."""
    card = view.card
    measures = list(range(len(card.measures)))
    if most is None or len(measures) <= MEASURES:
        return measures, []
    silent = np.isin(view.state[:, 0, :], UNJUDGED)
    skill = np.where(silent, np.nan, card.columns["skill"][:, 0, :])
    lowest = np.where(np.isnan(skill), np.inf, skill).min(axis=0)
    left = len(measures) - MEASURES
    note = f"… the {MEASURES} with the least skill; {left:,} more{view.hints.more}."
    return [int(at) for at in np.argsort(lowest, kind="stable")[:MEASURES]], [note]


def _worst_block(view: View, most: int | None, wide: int | None) -> Block:
    card = view.card
    several = len(card.groups) > 1
    chosen = slices(card)[None, :, None]
    judged = ~np.isin(view.state, UNJUDGED) & chosen
    order = worst_rows(card, judged)
    if has_matrix(card) and several and most is not None:
        most = max(1, most // 2)
    shown = order[:most]
    title = slices_sentence(card, view.alpha) if several and card.groups[0] is None else ""
    notes = []
    if len(shown) < len(order):
        left = plural(len(order) - len(shown), "row")
        notes.append(f"… worst first; {left} more{view.hints.more}.")
    silent = int((~judged & chosen).sum())
    if silent:
        notes.append(f"{plural(silent, 'row')} without a verdict left out{view.hints.reasons}.")
    if not len(shown):
        return Block(None, notes, title=title)
    if not has_matrix(card):  # else it stands below the first table
        notes += about_runs(card)
    states = view.state.reshape(-1)[shown]
    corrected = correction(card, slices=int(chosen.sum()) if several else 0)
    table = worst_table(view, shown.tolist(), wide)
    return Block(table, notes, _legend(view, states, corrected), title)


def _legend(view: View, states: Any, corrected: str) -> list[str]:
    marks = [f"{mark} {words}" for _, mark, words in view.legend(states)]
    return [*marks, corrected] if corrected else marks
