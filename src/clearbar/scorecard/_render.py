"""A scorecard on a page: the verdict in a sentence, the table, the reasons."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from clearbar.core.errors import listed
from clearbar.formatting import (
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
from clearbar.scorecard._headline import headline, samples_line, slices_sentence
from clearbar.scorecard._rows import best_first, checked_most, slices, worst_rows
from clearbar.scorecard._tables import (
    COLUMNS,
    MARKS,
    MEANING,
    MEASURES,
    Hints,
    Remark,
    View,
    has_matrix,
    matrix,
    worst_table,
)

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

WIDE = 80
"""Columns of a terminal whose width is not known."""

_TOGETHER = re.compile(r"p [=<>] [\d.]|p up to [\d.]|\d %|   \S")
"""What no line break may part."""


@dataclass(frozen=True)
class Block:
    """A sentence, the table that it is about, and what is to be said below it."""

    title: str
    table: Table | None
    notes: tuple[str, ...]
    legend: str


def _blocks(
    view: View, most: int | None, columns: Sequence[str] | None, *, wide: int | None = None
) -> list[Block]:
    """Return the parts of a card; `wide` is the width of a terminal, None where tables may be any width."""
    card, parts, most = view.card, [], checked_most(most)
    if has_matrix(card):
        parts += _matrix_blocks(view, most, columns, wide)
    if len(card.groups) > 1 or not has_matrix(card):
        parts.append(_worst_block(view, most))
    return parts


def _matrix_blocks(
    view: View, most: int | None, columns: Sequence[str] | None, wide: int | None
) -> list[Block]:
    """Return one table, or several below each other where the models do not fit beside each other."""
    card = view.card
    measures, notes = _measures_shown(view, most)
    shown = _columns_shown(card, columns)
    order = best_first(card)
    tables = [matrix(view, measures, order, shown, wrap=wide is not None)]
    if wide is not None and len(order) > 1 and _width(tables[0]) > wide:
        per_table = next(
            (
                size
                for size in range(len(order) - 1, 1, -1)
                if all(_width(table) <= wide for table in _stacked(view, measures, order, shown, size))
            ),
            1,
        )
        tables = _stacked(view, measures, order, shown, per_table)
    notes += _remarks(view, measures) + _about_numbers(view)
    states = set(view.state[:, 0, measures].reshape(-1).tolist())
    blocks = [Block("", table, (), "") for table in tables[:-1]]
    return [*blocks, Block("", tables[-1], tuple(notes), _legend(states))]


def _measures_shown(view: View, most: int | None) -> tuple[list[int], list[str]]:
    """Return the measures of a table: all, or those with the least skill if a screen has no room."""
    card = view.card
    measures = list(range(len(card.measures)))
    if most is None or len(measures) <= MEASURES:
        return measures, []
    silent = np.isin(view.state[:, 0, :], ("undefined", "unbeatable"))
    skill = np.where(silent, np.nan, card.columns["skill"][:, 0, :])
    lowest = np.where(np.isnan(skill), np.inf, skill).min(axis=0)
    left = len(measures) - MEASURES
    note = f"… the {MEASURES} with the least skill; {left:,} more{view.hints.more}."
    return [int(at) for at in np.argsort(lowest, kind="stable")[:MEASURES]], [note]


def _columns_shown(card: Scorecard, columns: Sequence[str] | None) -> Sequence[str]:
    """Return the columns beside bar and score: for one model all, for several those asked for."""
    if columns is None:
        columns = COLUMNS if len(card.models) == 1 else ()
    unknown = [name for name in columns if name not in COLUMNS]
    if unknown:
        raise ValueError(f"columns must be among {listed(map(repr, COLUMNS))}; found {unknown[0]!r:.60}.")
    if card.has_p_values:
        return columns
    return [name for name in columns if name == "skill"]


def _stacked(
    view: View, measures: Sequence[int], order: Sequence[int], shown: Sequence[str], size: int
) -> list[Table]:
    return [
        matrix(view, measures, order[at : at + size], shown, wrap=True) for at in range(0, len(order), size)
    ]


def _width(table: Table) -> int:
    return max(width(line) for line in table.to_text().splitlines())


def _remarks(view: View, measures: Sequence[int]) -> list[str]:
    """Return the remarks as sentences, one for all measures that share it."""
    by_remark: dict[Remark, list[str]] = {}
    for at in measures:
        remark = view.remark(range(len(view.card.models)), 0, at)
        if remark.text:
            by_remark.setdefault(remark, []).append(visible(view.card.measures[at].label))
    return [
        f"{listed(labels)}{remark.verbs[len(labels) > 1]} {remark.text}."
        for remark, labels in by_remark.items()
    ]


def _about_slices(card: Scorecard) -> list[str]:
    """Say what the p-values of slices were corrected for."""
    if not card.has_p_values:
        return []
    of_models = f" of {len(card.models):,} models" if len(card.models) > 1 else ""
    return [f"p is corrected for all slices{of_models}."]


def _about_numbers(view: View) -> list[str]:
    """Say that runs are averaged, and what p was corrected for."""
    card, notes = view.card, []
    if card.runs > 1:
        notes.append(f"Scores are means over {card.runs:,} runs (± their standard deviation).")
    if card.has_p_values and len(card.models) > 1:
        notes.append(f"p is corrected for {len(card.models):,} models.")
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
        notes.append(f"… worst first; {left} more{view.hints.more}.")
    silent = int((~judged & slices(card)[None, :, None]).sum())
    if silent:
        notes.append(f"{plural(silent, 'row')} without a verdict left out{view.hints.reasons}.")
    states = set(view.state.reshape(-1)[shown].tolist())
    if not len(shown):
        return Block(title, None, tuple(notes), "")
    table = worst_table(view, [int(row) for row in shown])
    if several:
        notes += _about_slices(card)
    elif not has_matrix(card):  # else it stands below the first table
        notes += _about_numbers(view)
    return Block(title, table, tuple(notes), _legend(states))


def _legend(states: set[str]) -> str:
    return "   ".join(f"{MARKS[state]} {words}" for state, words in MEANING.items() if state in states)


def text(
    card: Scorecard,
    *,
    color: bool,
    encoding: str | None,
    alpha: float | None,
    most: int | None,
    columns: Sequence[str] | None = None,
    wide: int | None = None,
    hints: Hints | None = None,
) -> str:
    """Return a scorecard for a terminal of a width."""
    wide, encoding = WIDE if wide is None else wide, checked_encoding(encoding)
    blocks = _blocks(View.of(card, alpha, hints), most, columns, wide=wide)

    def sentence(words: str, style: str = "") -> str:
        words = _TOGETHER.sub(lambda found: found[0].replace(" ", "\xa0"), encodable(words, encoding))
        filled = textwrap.wrap(words, wide, break_long_words=False, break_on_hyphens=False)
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


def html(card: Scorecard, *, alpha: float | None, most: int | None) -> str:
    """Return a scorecard for a notebook."""
    found = [
        f"<p>{escape_html(samples_line(card))}<br><strong>{escape_html(headline(card, alpha))}</strong></p>"
    ]
    for block in _blocks(View.of(card, alpha), most, None):
        if block.title:
            found.append(f"<p><strong>{escape_html(block.title)}</strong></p>")
        found += [block.table.to_html()] if block.table is not None else []
        lines = [escape_html(line) for line in (*block.notes, block.legend) if line]
        if lines:
            found.append(f"<p><small>{'<br>'.join(lines)}</small></p>")
    found += [f"<p>{escape_html(note)}</p>" for note in card.notes]
    body = "\n".join(found)
    return f'<div class="clearbar-scorecard" dir="ltr" style="overflow-x:auto">\n{body}\n</div>'


def markdown(card: Scorecard, *, alpha: float | None, most: int | None, hints: Hints | None = None) -> str:
    """Return a scorecard in Markdown."""
    found = [escape_markdown(samples_line(card)), f"**{escape_markdown(headline(card, alpha))}**"]
    for block in _blocks(View.of(card, alpha, hints), most, None):
        found += [f"**{escape_markdown(block.title)}**"] if block.title else []
        found += [block.table.to_markdown()] if block.table is not None else []
        found += [escape_markdown(line) for line in (*block.notes, block.legend) if line]
    found += map(escape_markdown, card.notes)
    return "\n\n".join(found) + "\n"


def latex(card: Scorecard, *, alpha: float | None, most: int | None) -> str:
    """Return a scorecard's tables in LaTeX."""
    found = [r"% \usepackage{booktabs}"]
    for block in _blocks(View.of(card, alpha), most, None):
        found += [block.table.to_latex()] if block.table is not None else []
        lines = [escape_latex(line) for line in (*block.notes, block.legend) if line]
        found += map(_small_latex, lines)
    found += [_small_latex(escape_latex(note)) for note in card.notes]
    return "\n".join(found) + "\n"


def _small_latex(line: str) -> str:
    return rf"\par\smallskip{{\footnotesize {line}\par}}"
