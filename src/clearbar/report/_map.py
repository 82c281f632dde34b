"""Skill as a map: models down, measures across, and how each cell stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.formatting import signed
from clearbar.scorecard import MARKS, Names, View, best_first

ROWS = 40
"""Rows of a map whose rows are slices; those with the least skill."""

SHADES = 5
"""Shades of either colour."""


@dataclass(frozen=True, eq=False)
class SkillMap:
    """Skill in rows and columns; each cell is a verdict of the scorecard.

    Columns are measures, or where the whole is a mean over tasks, the mean and the tasks. Rows are models,
    the best first; where there is no whole, each slice of each model.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    places: IntArray  # model, group and measure of each cell: shape (rows, columns, 3)
    skill: FloatArray  # shape (rows, columns); nan where there is none
    state: Any  # how each cell stands, as in `View.state`
    left_out: int = 0  # rows that have no place, those with more skill

    def text(self, row: int, column: int) -> str:
        """Write a cell: its mark, and its skill where there is one."""
        state, skill = str(self.state[row, column]), float(self.skill[row, column])
        mark = MARKS.get(state, "")
        return f"{mark} {signed(skill)}" if mark and not np.isnan(skill) else mark or signed(skill)

    @property
    def shades(self) -> IntArray:
        """How deep each colour is, from 0 to `SHADES`; below 0 where the skill is."""
        known = np.where(np.isnan(self.skill), 0.0, np.clip(self.skill, -1.0, 1.0))
        deep: IntArray = (np.sign(known) * np.ceil(SHADES * np.abs(known))).astype(np.int64)
        return deep


def skill_map(view: View, names: Names, most: int = ROWS) -> SkillMap:
    """Return the map of a scorecard, with the names that a page or a picture has for everything."""
    card = view.card
    whole = card.groups[0] is None or len(card.groups) == 1
    models = best_first(card)
    groups, measures = list(range(len(card.groups))), list(range(len(card.measures)))
    if card.tasked and len(groups) > 1:
        rows = tuple(names.models[model] for model in models)
        cells = [[(model, group, 0) for group in groups] for model in models]
        return _map(view, rows, tuple(names.groups[group] for group in groups), cells)
    columns = tuple(names.measures)
    if whole:
        cells = [[(model, 0, measure) for measure in measures] for model in models]
        return _map(view, tuple(names.models[model] for model in models), columns, cells)
    lines = _least_skill(view, most)
    cells = [[(model, group, measure) for measure in measures] for model, group in lines]
    several = len(models) > 1
    rows = tuple(
        f"{names.groups[group]} · {names.models[model]}" if several else names.groups[group]
        for model, group in lines
    )
    return _map(view, rows, columns, cells, len(models) * len(groups) - len(lines))


def _map(view: View, rows: Any, columns: Any, cells: Any, left_out: int = 0) -> SkillMap:
    places = np.array(cells, dtype=np.int64)
    at = tuple(np.moveaxis(places, -1, 0))
    state = view.state[at]
    silent = np.isin(state, ("undefined", "unbeatable"))
    values = np.where(state == "ties", 0.0, view.card.columns["skill"][at])
    skill: FloatArray = np.where(silent, np.nan, values)
    return SkillMap(rows, columns, places, skill, state, left_out)


def _least_skill(view: View, most: int) -> list[tuple[int, int]]:
    """Return the models and groups whose least skill is the least."""
    skill = view.card.columns["skill"]
    silent = np.isin(view.state, ("undefined", "unbeatable")) | np.isnan(skill)
    least = np.where(silent, np.inf, skill).min(axis=2)
    order = np.argsort(least, axis=None, kind="stable")[:most]
    models, groups = np.unravel_index(order, least.shape)
    return list(zip(models.tolist(), groups.tolist(), strict=True))
