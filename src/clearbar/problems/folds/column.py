"""Blind predictions that may see one column: the best number of positives for each of its values.

Its values are to them what folds are to predictions that know each fold's share of positives, counts pooled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray, Undefined
from clearbar.core._value import checked_policy
from clearbar.core.errors import ManyClassesError
from clearbar.data.arrays import read
from clearbar.data.classes import seen_column
from clearbar.data.counting import count_many
from clearbar.inference import Tail
from clearbar.problems.binary import Labels
from clearbar.problems.binary._bare import bare_p_value
from clearbar.problems.folds.bars import FoldBar, Folds, aware_bar
from clearbar.problems.folds.labels import FoldLabels
from clearbar.problems.folds.ways import POOLED_AWARE


@dataclass(frozen=True, eq=False, repr=False)
class ColumnBar(FoldBar):
    """The best that predictions expect which see one column and no feature.

    Made by ``clearbar.baseline(..., given=)``. ``float(bar)`` is the bar.
    """

    def bare(self, near: float, far: float | None = None, *, tested: int = 32) -> Tail:
        """Return how surprising a score is if the true one is the bar, whatever its confusion matrix."""
        total, positives = int(self.population.total), int(self.population.positives)
        return bare_p_value(self.measure, total, positives, near, float(self), far=far, tested=tested)


@dataclass(frozen=True, eq=False)
class Values(Folds):
    """The values of a column, by their samples and positive samples."""

    part = "group"
    kind_of_bar = ColumnBar
    claim = "Nothing that sees only this column does better on average (Pries et al. 2023, group by group)."


@dataclass(frozen=True)
class ColumnLabels(Labels):
    """Counts of all samples as one group, and beside them those of each value of a column, as folds."""

    values: FoldLabels = field(kw_only=True)

    def bars(self, measures: Sequence[Measure]) -> tuple[Any, ...]:
        """Return for each measure the best that predictions expect which see the column."""
        total, positives = self.values.total, np.asarray(self.values.counts.positives)[0]
        facts = total, positives, self.undefined, self.values.folds
        return tuple(aware_bar(Values(measure, *facts)) for measure in measures)

    def blind(self, measures: Sequence[Measure], scores: FloatArray) -> Tail:
        """Return how likely labels in random order within each value of the column score as well."""
        tails = [self.values.chances(measures, row, model) for model, row in enumerate(scores[:, 0])]
        cells = (
            ((model, 0, place), tail) for model, row in enumerate(tails) for place, tail in enumerate(row)
        )
        return Tail.gathered(scores.shape, cells)

    def permuted(self, measure: Measure) -> FloatArray:
        """Refuse: labels in random order forget the column, and would praise who sees nothing else."""
        raise ValueError("best_of does not know of the column that the bars see; leave out given.")

    def one(self, model: int, group: int) -> ColumnLabels:
        """Return the counts of one model."""
        models = slice(model, model + 1)
        facts: Any = {"counts": self.counts[models], "values": self.values.one(model, 0)}
        return replace(self, models=self.models[models], calls=None, **facts)

    def pieces(self, measures: int) -> Iterator[tuple[slice, Labels]]:
        """Yield the one group."""
        yield slice(None), self


def column_labels(
    y_true: Any, predictions: dict[str, Any], given: Any, pos_label: Any, undefined: Any
) -> ColumnLabels:
    """Count what happened for each value of a column."""
    length = read(y_true, "y_true").length
    names, codes = seen_column(given, y_true, length)
    try:
        table = count_many(y_true, predictions, pos_label=pos_label, by=codes)
    except ManyClassesError as error:
        raise ValueError(
            f"given takes labels of two classes, or numbers, and {error.argument} holds more classes; leave "
            "given out, or judge one class against the rest: pass y_true == label and y_pred == label."
        ) from None
    if len(table.counts.shape) == 3:
        raise ValueError("given takes one prediction per sample and model; name the runs, as models.")
    policy: Undefined = checked_policy(undefined)
    values = FoldLabels(table.models, names, POOLED_AWARE, table.counts[:, 1:], policy)
    return ColumnLabels(table.models, (None,), table.counts[:, :1], policy, table.calls, values=values)


def column_baseline(y_true: Any, measure: Measure, given: Any, pos_label: Any, undefined: Any) -> Any:
    """Return the bar of predictions that see one column."""
    problem = column_labels(y_true, {"y_true": y_true}, given, pos_label, undefined)
    return problem.bars([measure])[0][0]
