"""The page's tables of verdicts: which rows they have, in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.formatting import Table, visible
from clearbar.scorecard import (
    INTERVALS,
    PAGE,
    Layout,
    Line,
    Names,
    Scorecard,
    View,
    best_first,
    by_word,
    shown_columns,
    slices,
    table,
)
from clearbar.verdict import UNJUDGED

NAME = 48
"""Columns that a name may take; the page lists in full what is shortened."""

SIDE_BY_SIDE = 6
"""Models up to which each has columns of its own."""

WIDE, LONG = 7_200, 2_400
"""Verdicts in a table of slices, where models stand side by side and where each has its own row."""


@dataclass(frozen=True)
class Sheet:
    """A table of verdicts, the name by which each of its rows is linked to, and the rows without a place."""

    table: Table
    rows: tuple[str, ...]
    left_out: int = 0


def row_id(group: int, measure: int) -> str:
    """Return the name by which a row of the page's tables is linked to."""
    return f"r{group}-{measure}"


def has_whole(card: Any) -> bool:
    """Whether the first group is what is judged as a whole: all samples, or the only slice."""
    return card.groups[0] is None or len(card.groups) == 1


def place_of(card: Any, names: Names, group: int) -> str:
    """Return the name of a slice for a sentence; empty for the whole, or where there is no other."""
    return "" if card.groups[group] is None or len(card.groups) == 1 else names.groups[group]


def names_of(card: Scorecard) -> Names:
    """Return what everything is called on the page."""
    names = Names.of(card, NAME, range(len(card.groups)))
    return replace(names, models=["the model"]) if card.models == ("model",) else names


def shortened(card: Scorecard, names: Names) -> list[tuple[str, str]]:
    """Return the names that were shortened, with what they are in full."""
    pairs = [
        *(zip(names.models, card.models, strict=True) if len(card.models) > 1 else ()),
        *zip(names.measures, (measure.label for measure in card.measures), strict=True),
        *((names.groups[at], group) for at, group in enumerate(card.groups) if group is not None),
    ]
    return [(brief, visible(full)) for brief, full in pairs if brief != visible(full)]


def judged_skill(view: View) -> FloatArray:
    """Return every skill that tells something, by which rows are ordered; infinity where none does."""
    skill = view.card.columns["skill"]
    silent = np.isin(view.state, UNJUDGED) | np.isnan(skill)
    return np.asarray(np.where(silent, np.inf, skill), dtype=np.float64)


def with_intervals(view: View) -> bool:
    """Whether the table of all samples shows intervals: where they were asked for and are not too many."""
    card = view.card
    return card.has_p_values and len(card.models) * len(card.measures) <= INTERVALS


def whole_sheet(view: View, names: Names) -> Sheet:
    """Return the verdicts on all samples, in the order of the measures."""
    measures = np.arange(len(view.card.measures))
    return _sheet(view, names, np.stack([np.zeros_like(measures), measures], axis=1), sliced=False)


def slices_sheet(view: View, names: Names) -> Sheet:
    """Return the verdicts on slices, the worst first."""
    chosen = np.flatnonzero(slices(view.card))
    groups, measures = np.meshgrid(chosen, np.arange(len(view.card.measures)), indexing="ij")
    pairs = np.stack([groups.reshape(-1), measures.reshape(-1)], axis=1)
    lowest = judged_skill(view).min(axis=0)[pairs[:, 0], pairs[:, 1]]
    return _sheet(view, names, pairs[np.argsort(lowest, kind="stable")], sliced=True)


def _sheet(view: View, names: Names, pairs: IntArray, *, sliced: bool) -> Sheet:
    """Return the first lines of a table of groups and measures, given in pairs."""
    models = best_first(view.card)
    beside = len(models) <= SIDE_BY_SIDE
    if beside:
        shown = [Line(models, *pair) for pair in pairs[: max(1, WIDE // len(models))].tolist()]
    else:
        shown = _lines_per_model(view, models, pairs)
    layout = Layout(
        [*([view.card.group_words[0]] if sliced else []), "measure", *([] if beside else ["model"])],
        shown_columns(view.card, PAGE),
        sizes=sliced,
        below=by_word()["interval"] if not sliced and with_intervals(view) else None,
    )
    left_out = len(pairs) * (1 if beside else len(models)) - len(shown)
    return Sheet(table(view, shown, layout, names), _row_ids(shown), left_out)


def _row_ids(lines: Sequence[Line]) -> tuple[str, ...]:
    """Return a name for each line; of those of several models, the first has the short one."""
    names: dict[str, None] = {}
    for line in lines:
        name = row_id(line.group, line.measure)
        names[name if name not in names else f"{name}-{line.models[0]}"] = None
    return tuple(names)


def _lines_per_model(view: View, models: Sequence[int], pairs: IntArray) -> list[Line]:
    """Return a line for each model; where not all have a place, those with the least skill."""
    owners = np.tile(np.asarray(models), len(pairs))
    groups, measures = np.repeat(pairs, len(models), axis=0).T
    order = np.arange(len(owners))
    if len(owners) > LONG:
        order = np.argsort(judged_skill(view)[owners, groups, measures], kind="stable")[:LONG]
    places = np.stack([owners, groups, measures], axis=1)[order].tolist()
    return [Line([model], group, measure) for model, group, measure in places]
