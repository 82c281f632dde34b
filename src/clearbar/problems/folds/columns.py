"""Folds of a score or probability of each of many classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.errors import listed
from clearbar.core.reasons import Reason
from clearbar.inference.bootstrap import Test
from clearbar.problems.folds.bars import FoldBar, Folds, mean_bar
from clearbar.problems.folds.classes import ClassFolds
from clearbar.problems.folds.problem import Folded
from clearbar.problems.folds.ways import Way, way_of
from clearbar.problems.multiclass import ClassColumns, ProbabilityMeasure, Sizes, class_bar
from clearbar.problems.multiclass.columns import scores_of, scores_of_orders
from clearbar.problems.reasons import NoValue
from clearbar.problems.recipes import Recipe


@dataclass(frozen=True, eq=False)
class ColumnFolds(ClassFolds):
    """A measure of probabilities on folds; those that lack a class that it needs are left out."""

    skips_missing: ClassVar[bool] = True

    def bars_of_each(self, policy: Undefined | None = None) -> Any:  # noqa: ARG002 - there is one
        return class_bar(self.measure, self.sizes, 0.0)

    def recipe(self, bars: Any, chosen: BoolArray) -> Recipe:
        first: Recipe = bars[int(np.argmax(chosen))].attained_by
        of_fold = Recipe("give", "every sample the shares of the classes in its fold", certain=True)
        return first if self.measure.pairs else of_fold


@dataclass(frozen=True, eq=False)
class FoldColumns(Folded):
    """Each model's matrix of a column per class, of the tests of all folds, one after the other."""

    labels: tuple[Any, ...]
    truth: IntArray
    columns: tuple[FloatArray, ...]
    rows: tuple[IntArray, ...]

    by_model: ClassVar[tuple[str, ...]] = ("models", "columns")

    @cached_property
    def sizes(self) -> Sizes:
        """The class sizes of the folds."""
        counts = [np.bincount(self.truth[rows], minlength=len(self.labels)) for rows in self.rows]
        return Sizes(self.labels, np.stack(counts))

    @property
    def total(self) -> IntArray:
        return np.array([len(rows) for rows in self.rows])

    @property
    def truth_of_tests(self) -> IntArray:
        return self.truth

    @property
    def pooled(self) -> ClassColumns:
        return ClassColumns(self.models, (None,), self.labels, self.truth, self.columns, seed=self.seed)

    @property
    def untested(self) -> Reason | None:
        return Reason("merged_untested") if self.way.pools else super().untested

    def on_folds(self, measure: ProbabilityMeasure) -> Folds:
        words = "" if self.way.pools else self.way.words
        weights = self.total.astype(np.float64) if self.way.pools else self.way.weights_of(self.total)
        facts: Any = {"words": words, "sizes": self.sizes, "names": self.folds}
        return ColumnFolds(measure, self.total, self.total, weights=weights, **facts)

    def bars(self, measures: Sequence[ProbabilityMeasure]) -> tuple[FoldBar, ...]:
        return tuple((self.way.bar or mean_bar)(self.on_folds(measure)) for measure in measures)

    def in_each_fold(self, measures: Sequence[ProbabilityMeasure]) -> FloatArray:
        return np.array(
            [
                [scores_of(measures, self.truth[rows], matrix[rows]) for rows in self.rows]
                for matrix in self.columns
            ]
        )

    def scores(self, measures: Sequence[ProbabilityMeasure]) -> FloatArray:
        """Return means over the folds that have a value; nan where none has."""
        return self._mean(self.in_each_fold(measures).swapaxes(1, 2))[:, None]

    def _mean(self, values: FloatArray) -> FloatArray:
        if self.way.pools:  # of losses, which have a value in every fold
            return np.asarray(values @ self.total / self.total.sum())
        counted = ~np.isnan(values)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(counted, values, 0.0).sum(axis=-1) / counted.sum(axis=-1))

    def without_spread(self, measure: ProbabilityMeasure, model: int, score: float) -> Test | None:  # noqa: ARG002
        """Return None: equal probabilities in all folds are no failures that were not seen."""
        return None

    def relabelled(self, measures: Sequence[ProbabilityMeasure], labels: IntArray, model: int) -> FloatArray:
        values = [
            scores_of_orders(measures, self.columns[model][rows], labels[:, rows]) for rows in self.rows
        ]
        return self._mean(np.stack(values, axis=-1))

    def agreement(self, model: int) -> FloatArray:
        added = np.empty(len(self.truth))
        for rows, sizes in zip(self.rows, self.sizes.counts, strict=True):
            matrix = self.columns[model][rows]
            apart = matrix - matrix.mean(axis=0)
            added[rows] = apart[np.arange(len(rows)), self.truth[rows]] - apart @ sizes / len(rows)
        return added

    def why_undefined(self, measure: ProbabilityMeasure, missing: BoolArray) -> Any:
        return [NoValue(measure.label, where="in any fold")] * int(np.count_nonzero(missing))


def column_way(aggregate: Any, measures: Sequence[ProbabilityMeasure]) -> Way:
    """Return a way of combining folds of probabilities of classes, or say what can be asked for."""
    way = way_of("probabilities", aggregate, "probabilities of classes")
    of_pairs = [measure.label for measure in measures if measure.pairs and way.pools]
    if of_pairs:
        raise ValueError(
            f"aggregate={way.name!r} is of losses: the bar of {listed(of_pairs)} is not known where samples "
            "of different folds are compared; use aggregate='mean'."
        )
    return way
