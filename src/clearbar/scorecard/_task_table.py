"""A line per task and model as in lm-evaluation-harness' table, with bar, guess and rescaled score."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.formatting import Cell, Column, Table, visible

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

HEADS = ("Tasks", "Model", "Samples", "Metric", "", "Value", "", "Stderr", "Bar", "Guess", "Rescaled")
BETTER = {True: "↑", False: "↓", None: ""}
NOT_KNOWN = "N/A"


def task_table(card: Scorecard, order: Sequence[int], measure: int, guesses: FloatArray | None) -> Table:
    """Return the models of each slice below each other, in this order, and last those of the whole."""
    groups = [*range(1, len(card.groups)), 0]
    known = np.full(len(card.groups), math.nan) if guesses is None else guesses
    spreads = None if card.problem is None else card.problem.spreads()
    rows = [
        row for group in groups for row in _rows(card, order, group, measure, float(known[group]), spreads)
    ]
    left, right = Column(), Column("right")
    columns = (left, left, right, left, left, right, left, right, right, right, right)
    return Table(columns, (tuple(map(Cell, HEADS)),), tuple(rows))


def _rows(
    card: Scorecard,
    order: Sequence[int],
    group: int,
    measure: int,
    guess: float,
    spreads: FloatArray | None,
) -> Iterator[tuple[Cell, ...]]:
    judged, samples = card.measures[measure], int(np.asarray(card.population.total)[group])
    name = "all" if card.groups[group] is None else visible(card.groups[group])
    for at in order:
        score, bar, best = (
            float(card.columns[key][at, group, measure]) for key in ("score", "bar", "best_possible")
        )
        error = math.nan
        if group and judged.name == "accuracy":
            # Right or wrong: the standard deviation of the samples, n - 1 below, follows from their mean.
            spread = math.sqrt(score * (1 - score)) if spreads is None else float(spreads[at, group])
            error = spread / math.sqrt(samples - 1) if samples > 1 else math.nan
        rescaled = _whole_rescaled(card, at) if group == 0 else math.nan
        if math.isnan(rescaled):
            rescaled = (score - bar) / (best - bar) if best != bar else math.nan
        facts = (name, visible(card.models[at]), f"{samples}", judged.name, BETTER[judged.greater_is_better])
        numbers = (_four(score), "±", _four(error), _four(bar), _four(guess), _four(rescaled))
        yield tuple(map(Cell, (*facts, *numbers)))
        name = ""


def _whole_rescaled(card: Scorecard, model: int) -> float:
    """Return the mean over tasks of what was rescaled in each; nan where that was not judged."""
    names = [measure.name for measure in card.measures]
    if "accuracy_rescaled" not in names:
        return math.nan
    return float(card.columns["score"][model, 0, names.index("accuracy_rescaled")])


def _four(value: float) -> str:
    return NOT_KNOWN if math.isnan(value) else f"{value:.4f}"
