"""Folds of a score or probability of each of many classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.errors import listed
from clearbar.problems.bars import Recipe
from clearbar.problems.folds.bars import Folds
from clearbar.problems.folds.classes import ClassFolds
from clearbar.problems.folds.problem import FoldRows
from clearbar.problems.folds.ways import Way, way_of
from clearbar.problems.multiclass import ClassColumns, ProbabilityMeasure, Sizes, class_bar
from clearbar.problems.multiclass.columns import scores_of, scores_of_orders


@dataclass(frozen=True, eq=False)
class ColumnFolds(ClassFolds):
    """A measure of probabilities on folds; those that lack a class that it needs are left out."""

    skips_missing: ClassVar[bool] = True

    def bars_of_each(self, policy: Undefined | None = None) -> Any:
        return class_bar(self.measure, self.sizes, 0.0)

    def recipe(self, bars: Any, counted: BoolArray) -> Recipe:
        first: Recipe = bars[int(np.argmax(counted))].attained_by
        of_fold = Recipe("give", "every sample the shares of the classes in its fold", certain=True)
        return first if self.measure.pairs else of_fold


@dataclass(frozen=True, eq=False)
class FoldColumns(FoldRows):
    """Each model's matrix of a column per class, of the tests of all folds, one after the other."""

    labels: tuple[Any, ...] = field(kw_only=True)

    @cached_property
    def sizes(self) -> Sizes:
        """The class sizes of the folds."""
        counts = [np.bincount(self.truth[rows], minlength=len(self.labels)) for rows in self.rows]
        return Sizes(self.labels, np.stack(counts))

    @property
    def pooled(self) -> ClassColumns:
        return ClassColumns(self.models, (None,), self.labels, self.truth, self.answers, seed=self.seed)

    def on_folds(self, measure: ProbabilityMeasure) -> Folds:
        return ColumnFolds(measure, self.total, self.total, sizes=self.sizes, **self._combined)

    def in_each_fold(self, measures: Sequence[ProbabilityMeasure]) -> FloatArray:
        return np.array(
            [
                [scores_of(measures, self.truth[rows], matrix[rows]) for rows in self.rows]
                for matrix in self.answers
            ]
        )

    def fold_scores(
        self, measures: Sequence[ProbabilityMeasure], answers: FloatArray, labels: IntArray
    ) -> FloatArray:
        return scores_of_orders(measures, answers, labels)

    def fold_agreement(self, truth: IntArray, answers: FloatArray) -> FloatArray:
        apart = answers - answers.mean(axis=0)
        sizes = np.bincount(truth, minlength=len(self.labels))
        return np.asarray(apart[np.arange(len(truth)), truth] - apart @ sizes / len(truth))


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
