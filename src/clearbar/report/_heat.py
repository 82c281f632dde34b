"""The heat table of skill, as cells: what they say, how deep their colour is, where they link to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.formatting import signed, visible
from clearbar.report._sheet import has_whole, judged_skill, row_id
from clearbar.scorecard import MARKS, Names, View, best_first, meaning
from clearbar.verdict import UNJUDGED

ROWS = 40
"""Rows of a table whose rows are slices; those with the least skill."""

SHADES = 5
"""Shades of either colour."""

ACROSS = 14
"""Columns up to which models stand below each other; with more, the table is turned over."""


@dataclass(frozen=True)
class HeatCell:
    """One cell."""

    text: str
    kind: str  # how it is coloured: names of classes of the style sheet
    note: str  # what its mark means, for those who hear the page
    shade: int  # how deep its colour is; below 0 where the skill is
    doubtful: bool


@dataclass(frozen=True)
class HeatTable:
    """The skill of each model by each measure, or turned over where measures are many."""

    heads: tuple[tuple[str, str], ...]  # names of the columns, and the rows of the page that they link to
    rows: tuple[tuple[str, str, tuple[HeatCell, ...]], ...]  # name, the row of the page, cells
    what: tuple[str, str]  # what stands in rows and in columns
    left_out: int  # rows that have no place, those with more skill
    doubtful: bool


def heat_table(view: View, names: Names) -> HeatTable | None:
    """Return the heat table; None where it has no skill to show, or only one."""
    card = view.card
    sides, columns, places, left_out = _places(view, names)
    cells = [[_cell(view, *place) for place in line] for line in places]
    every = [cell for line in cells for cell in line]
    if len(every) < 2 or not any(cell.shade for cell in every):
        return None
    linked = has_whole(card)
    heads = [
        (name, row_id(group, measure) if linked else "")
        for name, (_, group, measure) in zip(columns, places[0], strict=True)
    ]
    rows = [(name, "") for name in sides]
    words = "model" if linked else card.group_words[0], card.group_words[0] if card.tasked else "measure"
    if len(heads) > max(ACROSS, len(rows)):
        heads, rows, words = rows, heads, (words[1], words[0])
        cells = [list(column) for column in zip(*cells, strict=True)]
    lines = tuple((*row, tuple(line)) for row, line in zip(rows, cells, strict=True))
    return HeatTable(tuple(heads), lines, words, left_out, any(cell.doubtful for cell in every))


Places = list[list[tuple[int, int, int]]]


def _places(view: View, names: Names) -> tuple[Any, Any, Places, int]:
    """Return names of rows and columns, what each cell is about, and how many rows are left out.

    Columns are measures, or where the whole is a mean over tasks, the mean and the tasks. Rows are models,
    the best first; where there is no whole, each slice of each model.
    """
    card = view.card
    models, groups, measures = best_first(card), range(len(card.groups)), range(len(card.measures))
    called = [names.models[model] for model in models]
    if card.tasked and len(groups) > 1:
        tasks = [names.groups[group] for group in groups]
        return called, tasks, [[(model, group, 0) for group in groups] for model in models], 0
    if has_whole(card):
        return called, names.measures, [[(model, 0, at) for at in measures] for model in models], 0
    least = judged_skill(view).min(axis=2)
    order = np.argsort(least, axis=None, kind="stable")[:ROWS]
    lines = [
        (int(model), int(group)) for model, group in zip(*np.unravel_index(order, least.shape), strict=True)
    ]
    rows = [
        f"{names.groups[group]} · {names.models[model]}" if len(models) > 1 else names.groups[group]
        for model, group in lines
    ]
    cells = [[(model, group, at) for at in measures] for model, group in lines]
    return rows, names.measures, cells, least.size - len(lines)


def _cell(view: View, model: int, group: int, measure: int) -> HeatCell:
    state = str(view.state[model, group, measure])
    skill = float(view.card.columns["skill"][model, group, measure])
    if state == "ties":
        skill = 0.0
    known = state not in UNJUDGED and not np.isnan(skill)
    mark, written = MARKS.get(state, ""), signed(skill) if known else ""
    shade = int(np.sign(skill) * np.ceil(SHADES * min(abs(skill), 1.0))) if known else 0
    colour = f"{'up' if shade > 0 else 'down'} s{abs(shade)}" if shade else ""
    doubtful = state == "doubt"
    return HeatCell(
        visible(f"{mark} {written}".strip() or signed(np.nan)),
        f"{colour} q".strip() if doubtful else colour,
        meaning(state, [view.card.measures[measure]]),
        shade,
        doubtful,
    )
