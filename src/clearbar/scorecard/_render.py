"""A scorecard on a page: the verdict in a sentence, the table, the reasons."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from clearbar.display import (
    Table,
    anchored,
    checked_encoding,
    encodable,
    escape_html,
    escape_latex,
    escape_markdown,
    plural,
    styled,
    visible,
    width,
)
from clearbar.errors import listed
from clearbar.scorecard._headline import headline, samples_line, slices_sentence
from clearbar.scorecard._rows import checked_most, slices, worst_rows
from clearbar.scorecard._tables import MARKS, MEASURES, View, has_matrix, matrix, worst_table

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

WIDE = 110
"""Columns that a table may take before its remarks move below it."""

_TOGETHER = re.compile(r"p [=<>] [\d.]|p up to [\d.]|\d %|   \S")
"""What no line break may part."""


@dataclass(frozen=True)
class Block:
    """A sentence, the table that it is about, and what is to be said below it."""

    title: str
    table: Table | None
    notes: tuple[str, ...]
    legend: str


def _blocks(view: View, most: int | None, *, remarks: bool, wrap: bool) -> list[Block]:
    found = []
    card, most = view.card, checked_most(most)
    if has_matrix(card):
        found.append(_matrix_block(view, most, remarks=remarks, wrap=wrap))
    if len(card.groups) > 1 or not has_matrix(card):
        found.append(_worst_block(view, most))
    return found


def _matrix_block(view: View, most: int | None, *, remarks: bool, wrap: bool) -> Block:
    card = view.card
    measures = list(range(len(card.measures)))
    notes = []
    if most is not None and len(measures) > MEASURES:
        silent = np.isin(view.state[:, 0, :], ("undefined", "unbeatable"))
        lowest = np.where(silent, np.nan, card.columns["skill"][:, 0, :])
        lowest = np.where(np.isnan(lowest), np.inf, lowest).min(axis=0)
        measures = [int(at) for at in np.argsort(lowest, kind="stable")[:MEASURES]]
        left = len(card.measures) - MEASURES
        notes.append(
            f"… the {MEASURES} with the least skill; {left:,} more: card.to_frame(), card.worst(20)."
        )
    table = matrix(view, measures, remarks=remarks, wrap=wrap)
    if remarks and not any(row[-1].text for row in table.rows):
        table = matrix(view, measures, remarks=False, wrap=wrap)
    if not remarks:
        notes += _remarks(view, measures)
    notes += _about_numbers(view, p=len(card.models) == 1)
    states = set(view.state[:, 0, measures].reshape(-1).tolist())
    return Block("", table, tuple(notes), _legend(view, states))


def _remarks(view: View, measures: Sequence[int]) -> list[str]:
    """Return the remarks as sentences, one for all measures that share it."""
    by_remark: dict[str, list[str]] = {}
    for at in measures:
        text = view.remark(range(len(view.card.models)), 0, at)
        if text:
            by_remark.setdefault(text, []).append(visible(view.card.measures[at].label))
    return [_about_measures(labels, text) for text, labels in by_remark.items()]


def _about_measures(labels: Sequence[str], text: str) -> str:
    """Write a remark that several measures may share as a sentence."""
    if text.startswith("no value here: it needs ") and len(labels) > 1:
        text = f"have {text.replace(': it needs ', ': they need ', 1)}"
    elif text.startswith("no value"):
        text = f"has {text}" if len(labels) == 1 else f"have {text}"
    elif not text.startswith("cannot"):
        return f"{listed(labels)}: {text}."
    return f"{listed(labels)} {text}."


def _about_numbers(view: View, *, p: bool) -> list[str]:
    """Say what p is where it is not the plain one, and that runs are averaged."""
    notes = []
    runs = view.card.runs
    if runs > 1:
        notes.append(f"Scores are means over {runs:,} runs (± their standard deviation).")
    if p and runs > 1 and not np.isnan(view.likely).all():
        notes[-1] += " p is twice the mean of the runs' p, however the runs depend on each other."
    if p and view.matched.any():
        reasons = view.card.columns["reason"][view.matched].tolist()
        known = any("p_value is not known" not in str(reason) for reason in reasons)  # else it was asked for
        offer = "; p_values='both' gives the one for every guess" if known else ""
        notes.append(f"p is for a guess with the model's own number of positives{offer}.")
    return notes


def _worst_block(view: View, most: int | None) -> Block:
    card = view.card
    judged = ~np.isin(view.state, ("undefined", "unbeatable"))
    several = len(card.groups) > 1
    judged &= slices(card)[None, :, None]
    order = worst_rows(card, judged)
    if has_matrix(card) and several and most is not None:
        most = max(1, most // 2)
    shown = order[:most]
    title = slices_sentence(card, view.alpha) if several and card.groups[0] is None else ""
    notes = []
    if len(shown) < len(order):
        left = plural(len(order) - len(shown), "row")
        worst = "card.worst(20, min_support=30)" if several else "card.worst(20)"
        notes.append(f"… worst first; {left} more: {worst}, card.failing, card.to_frame().")
    silent = int((~judged & slices(card)[None, :, None]).sum())
    if silent:
        notes.append(f"{plural(silent, 'row')} without a verdict left out: card.to_frame() has the reasons.")
    states = set(view.state.reshape(-1)[shown].tolist())
    if not len(shown):
        return Block(title, None, tuple(notes), "")
    table = worst_table(view, [int(row) for row in shown])
    if not (has_matrix(card) and len(card.models) == 1):  # else it stands below the first table
        notes += _about_numbers(view, p=True)
    return Block(title, table, tuple(notes), _legend(view, states))


def _legend(view: View, states: set[str]) -> str:
    words = {
        "fails": f"{MARKS['fails']} worse than the bar",
        "ties": f"{MARKS['ties']} no better than the bar",
        "doubt": f"{MARKS['doubt']} p > {view.alpha:g}: a lucky guess gets as far",
    }
    return "   ".join(text for state, text in words.items() if state in states)


def text(card: Scorecard, *, color: bool, encoding: str | None, alpha: float, most: int | None) -> str:
    """Return a scorecard for a terminal.

    Parameters
    ----------
    card : Scorecard
        The rows.
    color : bool
        Whether to use ANSI colours.
    encoding : str or None
        The stream's encoding.
    alpha : float
        The p-value above which a score is doubtful.
    most : int or None
        Rows of a table of the worst.

    Returns
    -------
    str
    """
    view, encoding = View.of(card, alpha), checked_encoding(encoding)
    blocks = _blocks(view, most, remarks=True, wrap=True)
    first = blocks[0].table
    if first is not None and any(width(line) > WIDE for line in first.to_text().splitlines()):
        blocks = _blocks(view, most, remarks=False, wrap=True)

    def sentence(words: str, style: str = "") -> str:
        words = _TOGETHER.sub(lambda found: found[0].replace(" ", "\xa0"), encodable(words, encoding))
        filled = textwrap.wrap(words, WIDE, break_long_words=False, break_on_hyphens=False)
        plain = (anchored(line.replace("\xa0", " ")) for line in filled)
        return "\n".join(styled(line, style, color=color) for line in plain)

    found = [sentence(samples_line(card)), sentence(headline(card, alpha), "strong")]
    for block in blocks:
        found += ["", *([sentence(block.title, "strong"), ""] if block.title else [])]
        if block.table is not None:
            found.append(block.table.to_text(color=color, encoding=encoding))
        found += [sentence(line, "muted") for line in (*block.notes, block.legend) if line]
    found += [""] * bool(card.notes) + [sentence(note) for note in card.notes]
    return "\n".join(found)


def html(card: Scorecard, *, alpha: float, most: int | None) -> str:
    """Return a scorecard for a notebook.

    Parameters
    ----------
    card : Scorecard
        The rows.
    alpha : float
        The p-value above which a score is doubtful.
    most : int or None
        Rows of a table of the worst.

    Returns
    -------
    str
    """
    found = [
        f"<p>{escape_html(samples_line(card))}<br><strong>{escape_html(headline(card, alpha))}</strong></p>"
    ]
    for block in _blocks(View.of(card, alpha), most, remarks=True, wrap=False):
        if block.title:
            found.append(f"<p><strong>{escape_html(block.title)}</strong></p>")
        found += [block.table.to_html()] if block.table is not None else []
        lines = [escape_html(line) for line in (*block.notes, block.legend) if line]
        if lines:
            found.append(f"<p><small>{'<br>'.join(lines)}</small></p>")
    found += [f"<p>{escape_html(note)}</p>" for note in card.notes]
    body = "\n".join(found)
    return f'<div class="clearbar-scorecard" dir="ltr" style="overflow-x:auto">\n{body}\n</div>'


def markdown(card: Scorecard, *, alpha: float, most: int | None) -> str:
    """Return a scorecard in Markdown.

    Parameters
    ----------
    card : Scorecard
        The rows.
    alpha : float
        The p-value above which a score is doubtful.
    most : int or None
        Rows of a table of the worst.

    Returns
    -------
    str
    """
    found = [escape_markdown(samples_line(card)), f"**{escape_markdown(headline(card, alpha))}**"]
    for block in _blocks(View.of(card, alpha), most, remarks=True, wrap=False):
        found += [f"**{escape_markdown(block.title)}**"] if block.title else []
        found += [block.table.to_markdown()] if block.table is not None else []
        found += [escape_markdown(line) for line in (*block.notes, block.legend) if line]
    found += map(escape_markdown, card.notes)
    return "\n\n".join(found) + "\n"


def latex(card: Scorecard, *, alpha: float, most: int | None) -> str:
    """Return a scorecard's tables in LaTeX.

    Parameters
    ----------
    card : Scorecard
        The rows.
    alpha : float
        The p-value above which a score is doubtful.
    most : int or None
        Rows of a table of the worst.

    Returns
    -------
    str
    """
    found = [r"% \usepackage{booktabs}"]
    for block in _blocks(View.of(card, alpha), most, remarks=False, wrap=False):
        found += [block.table.to_latex()] if block.table is not None else []
        lines = [escape_latex(line) for line in (*block.notes, block.legend) if line]
        found += map(_small_latex, lines)
    found += [_small_latex(escape_latex(note)) for note in card.notes]
    return "\n".join(found) + "\n"


def _small_latex(line: str) -> str:
    return rf"\par\smallskip{{\footnotesize {line}\par}}"
