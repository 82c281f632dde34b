"""A scorecard on a page: the verdict in a sentence, the table, the reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.formatting import Screen, Table, escape_html, escape_markdown, latex_page, plural
from clearbar.scorecard._headline import headline, samples_line, slices_sentence
from clearbar.scorecard._remarks import about_runs, correction, remarks
from clearbar.scorecard._rows import best_first, checked_most, slices, worst_rows
from clearbar.scorecard._tables import MEASURES, has_matrix, matrices, worst_table
from clearbar.scorecard._view import View


@dataclass(frozen=True)
class Block:
    """A sentence, the table that it is about, and what is to be said below it."""

    title: str
    table: Table | None
    notes: tuple[str, ...]
    legend: tuple[str, ...]  # what each mark means, and what p was corrected for


def _blocks(
    view: View, most: int | None, columns: Sequence[str] | None, *, wide: int | None = None
) -> list[Block]:
    """Return the parts of a card; `wide` is the width of a terminal, None where tables may be any width."""
    card, parts, most = view.card, [], checked_most(most)
    if has_matrix(card):
        parts += _matrix_blocks(view, most, columns, wide)
    if len(card.groups) > 1 or not has_matrix(card):
        parts.append(_worst_block(view, most, wide))
    return parts


def _matrix_blocks(
    view: View, most: int | None, columns: Sequence[str] | None, wide: int | None
) -> list[Block]:
    """Return one table, or several below each other where the models do not fit beside each other."""
    card = view.card
    measures, left = _measures_shown(view, most)
    tables = matrices(view, measures, best_first(card), columns, wide)
    notes = (*left, *remarks(view, measures), *about_runs(card))
    legend = _legend(view, view.state[:, 0, measures], correction(card))
    blocks = [Block("", table, (), ()) for table in tables[:-1]]
    return [*blocks, Block("", tables[-1], notes, legend)]


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


def _worst_block(view: View, most: int | None, wide: int | None) -> Block:
    card = view.card
    several = len(card.groups) > 1
    chosen = slices(card)[None, :, None]
    judged = ~np.isin(view.state, ("undefined", "unbeatable")) & chosen
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
        return Block(title, None, tuple(notes), ())
    if not has_matrix(card):  # else it stands below the first table
        notes += about_runs(card)
    states = view.state.reshape(-1)[shown]
    corrected = correction(card, slices=int(chosen.sum()) if several else 0)
    return Block(
        title, worst_table(view, shown.tolist(), wide), tuple(notes), _legend(view, states, corrected)
    )


def _legend(view: View, states: Any, corrected: str) -> tuple[str, ...]:
    marks = (f"{mark} {words}" for _, mark, words in view.legend(states))
    return (*marks, *([corrected] if corrected else []))


def text(view: View, screen: Screen, most: int | None, columns: Sequence[str] | None = None) -> str:
    """Return a scorecard for a terminal."""
    card, said = view.card, screen.sentence
    lines = [said(samples_line(card)), said(headline(card, view.alpha), "strong")]
    for block in _blocks(view, most, columns, wide=screen.columns):
        lines += ["", *([said(block.title, "strong"), ""] if block.title else [])]
        if block.table is not None:
            lines.append(screen.table(block.table))
        legend = "   ".join(part.replace(" ", "\xa0") for part in block.legend)  # no meaning is torn
        lines += [said(line, "muted") for line in (*block.notes, legend) if line]
    lines += [""] * bool(card.notes) + [said(note) for note in card.notes]
    return "\n".join(lines)


def html(view: View, most: int | None) -> str:
    """Return a scorecard for a notebook."""
    card = view.card
    said = escape_html(headline(card, view.alpha))
    parts = [f"<p>{escape_html(samples_line(card))}<br><strong>{said}</strong></p>"]
    for block in _blocks(view, most, None):
        if block.title:
            parts.append(f"<p><strong>{escape_html(block.title)}</strong></p>")
        parts += [block.table.to_html()] if block.table is not None else []
        lines = [escape_html(line) for line in _below(block)]
        if lines:
            parts.append(f"<p><small>{'<br>'.join(lines)}</small></p>")
    parts += [f"<p>{escape_html(note)}</p>" for note in card.notes]
    body = "\n".join(parts)
    return f'<div class="clearbar-scorecard" dir="ltr" style="overflow-x:auto">\n{body}\n</div>'


def markdown(view: View, most: int | None) -> str:
    """Return a scorecard in Markdown."""
    card = view.card
    parts = [escape_markdown(samples_line(card)), f"**{escape_markdown(headline(card, view.alpha))}**"]
    for block in _blocks(view, most, None):
        parts += [f"**{escape_markdown(block.title)}**"] if block.title else []
        parts += [block.table.to_markdown()] if block.table is not None else []
        parts += map(escape_markdown, _below(block))
    parts += map(escape_markdown, card.notes)
    return "\n\n".join(parts) + "\n"


def latex(view: View, most: int | None) -> str:
    """Return a scorecard's tables in LaTeX."""
    parts: list[str | Table] = []
    for block in _blocks(view, most, None):
        parts += [block.table] if block.table is not None else []
        parts += _below(block)
    return latex_page([*parts, *view.card.notes])


def _below(block: Block) -> list[str]:
    """Return the lines below a table."""
    return [line for line in (*block.notes, "   ".join(block.legend)) if line]
