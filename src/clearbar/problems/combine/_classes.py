"""Confusion matrices of many classes in folds: added up, or each scored and the scores averaged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.reasons import Reason
from clearbar.inference.bootstrap import Resampled
from clearbar.problems._folded import Folded
from clearbar.problems._protocol import Tail
from clearbar.problems._resampled_t import NO_SPREAD, Mean
from clearbar.problems._tested import Test
from clearbar.problems.combine._folds import FoldBar
from clearbar.problems.combine._undefined import named
from clearbar.problems.multiclass import ClassLabels, ClassMeasure, Sizes, Tables, class_bar
from clearbar.problems.multiclass.units import faultless, share_as_good
from clearbar.problems.recipes import NOTHING_TO_DO, Recipe
from clearbar.problems.validation import UNKNOWN, Validation

PERMUTED = "p_value_blind is from up to 9,999 permutations of the labels within folds"


@dataclass(frozen=True)
class ClassWay:
    """A way of combining folds of many classes; tables have an axis of folds before that of classes."""

    name: str
    words: str
    pools: bool
    fold_aware = False
    untested = NO_SPREAD

    def scores(self, measure: ClassMeasure, tables: Tables, empty: float) -> FloatArray:
        """Return the combined scores."""
        return measure(tables.pooled, empty) if self.pools else measure(tables, empty).mean(axis=-1)

    def note(self, folds: int) -> str:
        """Say below a scorecard how the folds were combined, and what the bars know."""
        if self.pools:
            return (
                f"The confusion matrices of {folds:,} folds are pooled and scored once; the bars are those "
                "of all samples together."
            )
        return (
            f"Scores are means over {folds:,} folds; the bars are what the best blind predictions expect of "
            "the same, knowing the class sizes of each fold."
        )


CLASS_WAYS = {
    way.name: way
    for way in (ClassWay("pooled", "pooled", pools=True), ClassWay("mean", "mean over folds", pools=False))
}
"""By the names that `aggregate` takes."""


@dataclass(frozen=True, eq=False)
class FoldClasses(Folded):
    """A confusion matrix of each model in each fold, judged by one score that combines the folds."""

    models: tuple[str, ...]
    matrices: tuple[tuple[ConfusionMatrix, ...], ...]
    folds: tuple[Any, ...]
    way: ClassWay
    zero_division: float = 0.0
    groups: tuple[Any, ...] = (None,)
    validation: Validation = UNKNOWN
    truth: IntArray | None = field(default=None, kw_only=True)  # the samples, where they are known
    predicted: tuple[IntArray, ...] = field(default=(), kw_only=True)
    seed: int = field(default=0, kw_only=True)

    by_model = ("models", "matrices", "predicted")

    @property
    def fold_counts(self) -> tuple[tuple[ConfusionMatrix, ...], ...]:
        """What happened in each fold."""
        return self.matrices

    @property
    def sizes(self) -> Sizes:
        """The class sizes of the folds; all models have the same."""
        first = self.matrices[0]
        return Sizes(first[0].labels, np.stack([matrix.true_counts for matrix in first]))

    @property
    def pooled(self) -> ClassLabels:
        """The matrices added up, as one test set."""
        sums = tuple((sum(own[1:], start=own[0]),) for own in self.matrices)
        known = {"truth": self.truth, "predicted": self.predicted, "seed": self.seed}
        return ClassLabels(self.models, (None,), sums, self.zero_division, **known)  # type: ignore[arg-type]

    def bars(self, measures: Sequence[ClassMeasure]) -> tuple[Any, ...]:
        """Return the bar of the same combination, over the one group of all samples."""
        if self.way.pools:
            return self.pooled.bars(measures)
        return tuple(self._mean_bar(measure) for measure in measures)

    def _mean_bar(self, measure: ClassMeasure) -> FoldBar:
        """Return the mean of the folds' bars: what is done in one fold changes nothing in another."""
        sizes = self.sizes
        bars = class_bar(measure, sizes, self.zero_division)
        whole = Sizes(sizes.labels, sizes.counts.sum(axis=0)[None])
        lost = np.isnan(bars.value)
        reason, recipe = "", Recipe("draw", "in each fold as is best there")
        if lost.any():
            first = bars.reason[int(np.argmax(lost))]
            reason = f"{measure.label} has no bar in {named(self.folds, lost)}: {first}"
            recipe = NOTHING_TO_DO
        elif len({optimum.how for optimum in bars.optima}) == 1 and bars.optima[0].how != "counts":
            recipe = _same_in_each_fold(class_bar(measure, whole, self.zero_division)[0].attained_by, bars)
        numbers = bars.value, bars.best_possible, bars.worst_value
        value, best, worst = (np.atleast_1d(np.mean(number)) for number in numbers)
        proved = np.atleast_1d(bars.certified.all())
        return FoldBar(measure, whole, self.way.words, value, best, worst, proved, reason, recipe)

    @cached_property
    def _tables(self) -> tuple[Tables, ...]:
        """The tables of each model, with an axis of folds."""
        return tuple(Tables.stacked(own) for own in self.matrices)

    def scores(self, measures: Sequence[ClassMeasure]) -> FloatArray:
        """Return the combined scores."""
        score, empty = self.way.scores, self.zero_division
        return np.array(
            [[[float(score(measure, own, empty)) for measure in measures]] for own in self._tables]
        )

    def in_each_fold(self, measures: Sequence[ClassMeasure]) -> FloatArray:
        """Return the scores of the folds, of shape (models, folds, measures)."""
        by_measure = [[one(own, self.zero_division) for own in self._tables] for one in measures]
        return np.stack(by_measure, axis=-1)

    def in_folds(self, measure: ClassMeasure) -> FloatArray:
        """Return the scores of one model in the folds."""
        return measure(self._tables[0], self.zero_division)

    def without_spread(self, measure: ClassMeasure, mean: Mean) -> Test | None:
        """Return what folds tell that are all right."""
        return self._faultless(measure, mean.value)

    def _faultless(self, measure: ClassMeasure, score: float) -> Test | None:
        folds = [Tables.of(matrix) for matrix in self.matrices[0]]
        drawn = faultless(measure, folds, self.zero_division, score, self.validation.seen_once)
        return None if drawn is None else Resampled(drawn, Reason("unseen_in_folds"))

    def chance(self, measures: Sequence[ClassMeasure], scores: FloatArray) -> Tail:
        """Return how likely labels in random order within folds score as well."""
        tails, notes = np.full(scores.shape, np.nan), np.full(scores.shape, "", dtype=object)
        drawn = np.zeros(scores.shape, dtype=np.int64)
        for model, own in enumerate(self._tables):
            judged = np.flatnonzero(~np.isnan(scores[model, 0]))
            if len(judged):
                tails[model, 0, judged], drawn[model] = share_as_good(
                    [measures[at] for at in judged.tolist()],
                    own,
                    scores[model, 0, judged],
                    lambda measure, part: self.way.scores(measure, part, self.zero_division),
                    self.seed,
                )
                notes[model, 0, judged] = PERMUTED
        return Tail(tails, tails, notes, "permutation", drawn)

    def why_undefined(self, measure: ClassMeasure, missing: BoolArray) -> Any:
        """Name the folds in which there is no value."""
        if self.way.pools:
            return self.pooled.why_undefined(measure, missing)
        lost = np.isnan(self.in_each_fold([measure])[..., 0])
        hint = "; pooled matrices may have one (aggregate='pooled')"
        return [
            f"{measure.label} has no value in {named(self.folds, lost[model])}{hint}"
            for model in np.flatnonzero(missing[:, 0]).tolist()
        ]


def _same_in_each_fold(recipe: Recipe, bars: Any) -> Recipe:
    """Return the recipe of all samples where it is that of each fold too."""
    if recipe.always and len({int(np.argmax(optimum.counts)) for optimum in bars.optima}) > 1:
        return Recipe("label", "all samples of each fold with its largest class")
    return recipe if recipe.always else replace(recipe, what=f"{recipe.what}, in each fold")
