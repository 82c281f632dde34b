"""Confusion matrices of many classes in folds: added up, or each scored and the scores averaged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.classes import ConfusionMatrix
from clearbar.problems._faultless import FAULTLESS
from clearbar.problems._protocol import Bar, Problem, Tail
from clearbar.problems._resampled_t import NO_SPREAD, Mean, mean_of_folds, t_interval, tail_at_the_bar
from clearbar.problems.combine._bar import FoldBar
from clearbar.problems.combine._problem import AS_ONE_TEST_SET
from clearbar.problems.combine._undefined import named
from clearbar.problems.multiclass import ClassLabels, ClassMeasure, Sizes, Tables, class_bar, share_as_good
from clearbar.problems.multiclass.resampled import ClassBootstrap, faultless
from clearbar.problems.paired import Paired, paired_folds
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
class FoldClasses(Problem):
    """A confusion matrix of each model in each fold, judged by one score that combines the folds."""

    models: tuple[str, ...]
    matrices: tuple[tuple[ConfusionMatrix, ...], ...]
    folds: tuple[Any, ...]
    way: ClassWay
    zero_division: float = 0.0
    groups: tuple[Any, ...] = (None,)
    validation: Validation = UNKNOWN
    truth: IntArray | None = field(default=None, kw_only=True)  # the samples, where they are known
    own: tuple[IntArray, ...] = field(default=(), kw_only=True)
    seed: int = field(default=0, kw_only=True)

    @property
    def sizes(self) -> Sizes:
        """The class sizes of the folds; all models have the same."""
        first = self.matrices[0]
        return Sizes(first[0].labels, np.stack([matrix.true_counts for matrix in first]))

    @property
    def pooled(self) -> ClassLabels:
        """The matrices added up, as one test set."""
        sums = tuple((sum(own[1:], start=own[0]),) for own in self.matrices)
        known = {"truth": self.truth, "own": self.own, "seed": self.seed}
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

    def scores(self, measures: Sequence[ClassMeasure]) -> FloatArray:
        """Return the combined scores."""
        tables = [Tables.stacked(own) for own in self.matrices]
        scores = [
            [float(self.way.scores(one, own, self.zero_division)) for one in measures] for own in tables
        ]
        return np.array(scores)[:, None]

    def in_folds(self, measures: Sequence[ClassMeasure]) -> FloatArray:
        """Return the scores of the folds, of shape (models, folds, measures)."""
        tables = [Tables.stacked(own) for own in self.matrices]
        return np.stack([[one(own, self.zero_division) for own in tables] for one in measures], axis=-1)

    def one(self, model: int, group: int) -> FoldClasses:  # noqa: ARG002 - one group
        """Return the folds of one model."""
        part = slice(model, model + 1)
        models, matrices, own = self.models[part], self.matrices[part], self.own[part]
        return replace(self, models=models, matrices=matrices, own=own)

    def paired(self, measure: ClassMeasure, a: int, b: int) -> Paired:
        """Return two models' pooled labels, sample by sample; or their scores on each fold."""
        if self._as_one_test_set:
            return self.pooled.paired(measure, a, b)
        scores, values = self.scores([measure])[:, 0, 0], self.in_folds([measure])[..., 0]
        own, in_folds = (float(scores[a]), float(scores[b])), [values[a], values[b]]
        return paired_folds(own, in_folds, self.validation.ratio, measure.bounds, NO_SPREAD)

    @property
    def _as_one_test_set(self) -> bool:
        """Whether pooled matrices are those of so many samples, none of them tested twice."""
        return self.way.pools and not self.validation.overlaps

    def at_the_bar(self, measures: Sequence[ClassMeasure], bars: Sequence[Bar], scores: FloatArray) -> Tail:
        """Return the two-sided test of pooled matrices as one test set, or of a mean over folds."""
        if self._as_one_test_set:
            tail = self.pooled.at_the_bar(measures, bars, scores)
            return tail._replace(note=np.where(np.isnan(tail.upper), tail.note, AS_ONE_TEST_SET))
        p_values, notes = np.full(scores.shape, np.nan), np.full(scores.shape, "", dtype=object)
        values = self.in_folds(measures)
        for model, _, at in np.argwhere(~np.isnan(scores)).tolist():
            score, bar = float(scores[model, 0, at]), np.asarray(bars[at].value).item()
            mean = mean_of_folds(values[model, :, at], self.validation.ratio)
            right = self._faultless(measures[at], model, score, mean)
            mean = None if mean is None else mean._replace(value=score)
            tail = tail_at_the_bar(mean, bar)
            if right is not None:
                tail = Tail(right.p_value(bar), right.p_value(bar), FAULTLESS)
            p_values[model, 0, at], notes[model, 0, at] = tail.upper, tail.note
        return Tail(p_values, p_values, notes)

    def interval(self, measure: ClassMeasure, level: float) -> tuple[float, float]:
        """Return the interval that belongs to that test."""
        return self.intervals([measure], level)[0]

    def intervals(self, measures: Sequence[ClassMeasure], level: float) -> list[tuple[float, float]]:
        """Return the intervals of several measures, of one model."""
        if self._as_one_test_set:
            return self.pooled.intervals(measures, level)
        values, scores, by_measure = self.in_folds(measures)[0], self.scores(measures)[0, 0], []
        for at, measure in enumerate(measures):
            score = float(scores[at])
            mean = mean_of_folds(values[:, at], self.validation.ratio)
            right = self._faultless(measure, 0, score, mean)
            mean = None if mean is None else mean._replace(value=score)
            ends = t_interval(mean, level, measure.bounds)
            by_measure.append(ends if right is None else right.interval(level, measure.bounds))
        return by_measure

    def _faultless(
        self, measure: ClassMeasure, model: int, score: float, mean: Mean | None
    ) -> ClassBootstrap | None:
        """Return what folds tell that are all right, where their scores do not vary."""
        if mean is None or mean.error > 0:
            return None
        folds = [Tables.of(matrix) for matrix in self.matrices[model]]
        return faultless(measure, folds, self.zero_division, score, self.validation.seen_once)

    def blind(self, measures: Sequence[ClassMeasure], scores: FloatArray) -> Tail:
        """Return how likely labels in random order within folds score as well."""
        known = self.validation.blind(scores.shape)
        if known is not None:
            return known
        tails, notes = np.full(scores.shape, np.nan), np.full(scores.shape, "", dtype=object)
        for model, own in enumerate(self.matrices):
            judged = np.flatnonzero(~np.isnan(scores[model, 0]))
            if len(judged):
                tails[model, 0, judged] = share_as_good(
                    [measures[at] for at in judged.tolist()],
                    Tables.stacked(own),
                    scores[model, 0, judged],
                    lambda measure, part: self.way.scores(measure, part, self.zero_division),
                    self.seed,
                )
                notes[model, 0, judged] = PERMUTED
        return Tail(tails, tails, notes)

    def why_undefined(self, measure: ClassMeasure, missing: BoolArray) -> Any:
        """Name the folds in which there is no value."""
        if self.way.pools:
            return self.pooled.why_undefined(measure, missing)
        lost = np.isnan(self.in_folds([measure])[..., 0])
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
