"""Folds of any kind as a problem: one test set where they are pooled, else a mean with its t-test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.problems._protocol import Bar, PairPValues, Problem, Tail
from clearbar.problems._resampled_t import Mean, mean_of_folds
from clearbar.problems._tested import NotTested, Test, TestedProblem
from clearbar.problems.paired import Paired, paired_folds
from clearbar.problems.validation import Validation

AS_ONE_TEST_SET = "p_value takes the pooled counts for one test set, which is approximate"


class Folded(TestedProblem):
    """Models tested on the same folds, with one score that combines them.

    A kind brings `pooled`, `in_folds`, `without_spread` and `chance`; the second and third are of one model.
    """

    way: Any  # how folds are combined, with `pools` and `untested`
    validation: Validation
    pooled_note = AS_ONE_TEST_SET  # how the p-value of pooled folds was found; empty if that says it itself

    @property
    def pooled(self) -> Problem:
        """All folds added up, as one test set."""
        raise NotImplementedError

    def in_folds(self, measure: Any) -> FloatArray | None:
        """Return the scores of one model in the folds, nan where it has none; None if they tell nothing."""
        raise NotImplementedError

    def without_spread(self, measure: Any, mean: Mean) -> Test | None:
        """Return what is known of one model whose folds all score the same; None if nothing is."""
        raise NotImplementedError

    def chance(self, measures: Sequence[Any], scores: FloatArray) -> Tail:
        """Return how likely labels in random order within folds score as well, for all models."""
        raise NotImplementedError

    @property
    def as_one_test_set(self) -> bool:
        """Whether pooled folds are so many samples, none of them tested twice."""
        return self.way.pools and not self.validation.overlaps

    def at_the_bar(self, measures: Sequence[Any], bars: Sequence[Bar], scores: FloatArray) -> Tail:
        """Return the two-sided test of pooled folds as one test set, or of a mean over folds."""
        if not self.as_one_test_set:
            return super().at_the_bar(measures, bars, scores)
        tail = self.pooled.at_the_bar(measures, bars, scores)
        if not self.pooled_note:
            return tail
        # Folds as one test set are an approximation, whatever its test is.
        method = np.where(tail.method == "exact", "estimated", tail.method)
        note = np.where(np.isnan(tail.upper), tail.note, self.pooled_note)
        return tail._replace(note=note, method=method)

    def within_interval(
        self, measures: Sequence[Any], bars: Sequence[Bar], p_sure: FloatArray, level: float
    ) -> FloatArray:
        """Return those of pooled folds as one test set."""
        problem: Any = self.pooled if self.as_one_test_set else super()
        larger: FloatArray = problem.within_interval(measures, bars, p_sure, level)
        return larger

    def intervals(self, measures: Sequence[Any], level: float) -> list[tuple[float, float]]:
        """Return the intervals that belong to that test."""
        if self.as_one_test_set:
            return self.pooled.intervals(measures, level)
        return super().intervals(measures, level)

    def tests(self, measures: Sequence[Any], model: int, group: int) -> list[Test]:  # noqa: ARG002 - one group
        """Return the corrected resampled t-tests of one model, or what folds without spread tell."""
        own: Any = self.one(model, 0)
        return [own.test(measure) for measure in measures]

    def test(self, measure: Any) -> Test:
        """Return the test of the score of one model."""
        values = self.in_folds(measure)
        if values is None:
            return NotTested(self.way.untested)
        mean = mean_of_folds(values, self.validation.ratio)._replace(value=self.combined(measure, values))
        return (self.without_spread(measure, mean) if mean.error == 0 else None) or mean

    def combined(self, measure: Any, values: FloatArray) -> float:  # noqa: ARG002
        """Return the score of one model, whose folds have these values."""
        return float(self.scores([measure])[0, 0, 0])

    def paired(self, measure: Any, a: int, b: int) -> Paired:
        """Return two models' pooled labels, sample by sample; or their scores on each fold."""
        if self.as_one_test_set:
            return self.pooled.paired(measure, a, b)
        scores = self.scores([measure])[[a, b], 0, 0].tolist()
        models: list[Any] = [self.one(model, 0) for model in (a, b)]
        values = [model.in_folds(measure) for model in models]
        return paired_folds(scores, values, self.validation.ratio, measure.bounds, self.way.untested)

    def pair_p_values(self, measure: Any, a: IntArray, b: IntArray, *, alpha: float) -> PairPValues:
        """Return the p-values of many pairs, of pooled labels as one test set."""
        problem: Any = self.pooled if self.as_one_test_set else super()
        found: PairPValues = problem.pair_p_values(measure, a, b, alpha=alpha)
        return found

    def blind(self, measures: Sequence[Any], scores: FloatArray) -> Tail:
        """Return the p-values of refits, or how likely labels in random order within folds score as well."""
        return self.validation.blind(scores.shape) or self.chance(measures, scores)
