"""Folds of labels of more than two classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.reasons import OfMeasure, Reason
from clearbar.inference.bootstrap import Bootstrap, Resampled, Test
from clearbar.inference.permutation import agreement
from clearbar.inference.units import RESAMPLES
from clearbar.problems.bars import Recipe
from clearbar.problems.folds.bars import IN_EACH_FOLD, Folds, named
from clearbar.problems.folds.problem import Folded
from clearbar.problems.multiclass import ClassLabels, ClassMeasure, Sizes, Tables, class_bar
from clearbar.problems.multiclass.tables import counted
from clearbar.problems.multiclass.units import never_varying, with_unseen


@dataclass(frozen=True, eq=False)
class ClassFolds(Folds):
    """A measure on folds of more than two classes."""

    sizes: Any = None
    empty: float = 0.0

    @cached_property
    def population(self) -> Sizes:
        return Sizes(self.sizes.labels, self.sizes.counts.sum(axis=0)[None])

    def bars_of_each(self, policy: Undefined | None = None) -> Any:
        return class_bar(self.measure, self.sizes, self.empty)

    def perfect(self, bars: Any) -> FloatArray:
        return np.asarray(bars.best_possible)

    def recipe(self, bars: Any, counted: BoolArray) -> Recipe:
        """Return the recipe of all samples where it is that of each fold too."""
        kinds = {optimum.how for optimum in bars.optima}
        if len(kinds) > 1 or "counts" in kinds:
            return IN_EACH_FOLD
        recipe: Recipe = class_bar(self.measure, self.population, self.empty)[0].attained_by
        if recipe.always and len({int(np.argmax(optimum.counts)) for optimum in bars.optima}) > 1:
            return Recipe("label", "all samples of each fold with its largest class")
        return recipe if recipe.always else replace(recipe, what=f"{recipe.what}, in each fold")


@dataclass(frozen=True, eq=False)
class FoldClasses(Folded):
    """A confusion matrix of each model in each fold; the samples, where they are known, fold after fold."""

    matrices: tuple[tuple[ConfusionMatrix, ...], ...]
    zero_division: float = 0.0
    truth: IntArray | None = field(default=None, kw_only=True)
    predicted: tuple[IntArray, ...] = field(default=(), kw_only=True)

    by_model: ClassVar[tuple[str, ...]] = ("models", "matrices", "predicted")

    @property
    def fold_counts(self) -> tuple[tuple[ConfusionMatrix, ...], ...]:
        return self.matrices

    @cached_property
    def sizes(self) -> Sizes:
        """The class sizes of the folds; all models have the same."""
        first = self.matrices[0]
        return Sizes(first[0].labels, np.stack([matrix.true_counts for matrix in first]))

    @property
    def total(self) -> IntArray:
        return np.asarray(self.sizes.counts.sum(axis=1))

    @property
    def pooled(self) -> ClassLabels:
        sums = tuple((sum(matrices[1:], start=matrices[0]),) for matrices in self.matrices)
        samples: Any = {"truth": self.truth, "predicted": self.predicted, "clusters": self.clusters}
        return ClassLabels(self.models, (None,), sums, self.zero_division, **samples, seed=self.seed)

    def on_folds(self, measure: ClassMeasure) -> ClassFolds:
        facts: Any = {"words": self.way.words, "sizes": self.sizes, "empty": self.zero_division}
        return ClassFolds(
            measure,
            self.total,
            self.total,
            names=self.folds,
            weights=self.way.weights_of(self.total),
            **facts,
        )

    @cached_property
    def _tables(self) -> tuple[Tables, ...]:
        """The tables of each model, with an axis of folds."""
        return tuple(map(Tables.stacked, self.matrices))

    def _score(self, measure: ClassMeasure, tables: Tables) -> FloatArray:
        if self.way.pools:
            return measure(tables.pooled, self.zero_division)
        return self.way.mean(measure(tables, self.zero_division), self.total)

    def scores(self, measures: Sequence[ClassMeasure]) -> FloatArray:
        values = [[float(self._score(measure, tables)) for measure in measures] for tables in self._tables]
        return np.array(values)[:, None]

    def in_each_fold(self, measures: Sequence[ClassMeasure]) -> FloatArray:
        by_measure = [
            [measure(tables, self.zero_division) for tables in self._tables] for measure in measures
        ]
        return np.stack(by_measure, axis=-1)

    def without_spread(self, measure: ClassMeasure, model: int, score: float) -> Test | None:
        """Return what folds tell that are all right: failures unseen, at equal rates in all."""
        folds = [Tables.of(matrix) for matrix in self.matrices[model]]
        if self.clusters is not None or any(float(fold.right) < float(fold.total) for fold in folds):
            return None  # samples of a cluster fail together
        sizes = np.sum([fold.sizes for fold in folds], axis=0)
        seen = sizes * self.validation.seen_once
        changes = np.nan_to_num([never_varying(measure, fold, self.zero_division, seen) for fold in folds])
        change = np.where(sizes > 0, changes.mean(axis=0), math.nan)
        nothing = np.zeros(1), np.zeros(1)
        alike = Bootstrap(score, np.full(RESAMPLES, score), 0.0, int(sizes.sum()), nothing)
        return Resampled(with_unseen(alike, change, seen), Reason("unseen_in_folds"))

    @property
    def truth_of_tests(self) -> IntArray:
        """The labels; without clusters sorted by class within folds, whatever the order of the samples."""
        if self.clusters is not None and self.truth is not None:
            return self.truth
        return np.concatenate([np.repeat(matrix.rows, matrix.values) for matrix in self.matrices[0]])

    def _answers(self, model: int) -> IntArray:
        """Return what one model called the tests of `truth_of_tests`."""
        if self.clusters is not None:
            return self.predicted[model]
        return np.concatenate([np.repeat(matrix.columns, matrix.values) for matrix in self.matrices[model]])

    def relabelled(self, measures: Sequence[ClassMeasure], labels: IntArray, model: int) -> FloatArray:
        sizes, called = np.asarray(self.sizes.counts, dtype=np.int64), self._tables[model].predicted
        numbers, ordered = called.astype(np.int64), any(measure.ordered for measure in measures)
        folds, classes = sizes.shape
        fold, answers = np.repeat(np.arange(folds), self.total), self._answers(model)
        order = np.lexsort((answers, fold))
        labels, calls = labels[:, order], answers[order]
        if self.clusters is not None:  # they may lie in several folds, whose class sizes then change
            places = (np.arange(len(labels))[:, None] * folds + fold) * classes + labels
            sizes = np.bincount(places.ravel(), minlength=len(labels) * folds * classes)
            sizes = sizes.reshape(len(labels), folds, classes)
        tables = counted(labels, calls, sizes, numbers, ordered=ordered)
        return np.stack([self._score(measure, tables) for measure in measures])

    def agreement(self, model: int) -> FloatArray:
        return agreement(self.truth_of_tests, self.predicted[model][None], self.sizes.counts.shape[-1])

    def why_undefined(self, measure: ClassMeasure, missing: BoolArray) -> Any:
        """Name the folds in which there is no value."""
        if self.way.pools:
            return self.pooled.why_undefined(measure, missing)
        lost = np.isnan(self.in_each_fold([measure])[..., 0])
        hint = "; pooled matrices may have one (aggregate='pooled')"
        return [
            OfMeasure(f"{measure.label} has no value in {named(self.folds, lost[model])}{hint}")
            for model in np.flatnonzero(missing[:, 0]).tolist()
        ]
