"""What is known of many classes without resamples: certified shares, two classes, fitted rates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from clearbar.catalogue import Measure, get_measure
from clearbar.core._typing import FloatArray
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.counts import Counts, counts_of
from clearbar.core.reasons import Reason
from clearbar.inference import Tail
from clearbar.inference.binomial import at_least, clopper_pearson
from clearbar.inference.bootstrap import tolerance
from clearbar.inference.multinomials import Function
from clearbar.inference.orders import tables_of
from clearbar.inference.rows import Estimated, ObservedTable
from clearbar.inference.two_rates import intervals, methods, p_values
from clearbar.null import hypergeometric as hg
from clearbar.problems.multiclass.joint import law_of_right
from clearbar.problems.multiclass.measures import ClassMeasure
from clearbar.problems.multiclass.names import places
from clearbar.problems.multiclass.tables import Tables, relative_gradient, terms

LARGEST_EXACT = 150  # samples up to which the distribution of the number right is summed in whole numbers
MOST_CLASSES = 20  # classes up to which rates are fitted; beyond, the samples of each class are resampled


@dataclass(frozen=True)
class Certified:
    """The share of samples that are right, or wrong, each of which is a coin of its own.

    By Hoeffding (Annals of Math. Stat. 27, 1956) a binomial with the mean chance has the heavier tail from
    one above its mean on, so that its tail there bounds what any chances of single samples can do.
    """

    right: int
    total: int
    loss: bool = False
    units: str = "samples"

    @classmethod
    def of(cls, measure: ClassMeasure, matrix: ConfusionMatrix) -> Certified | None:
        """Return the test of a measure that is such a share; None of any other."""
        loss = not measure.greater_is_better
        return cls(matrix.correct, matrix.total, loss) if measure.counts_right else None

    def tail(self, bar: float) -> Tail:
        """Return the two-sided p-value of H0: the true share is the bar."""
        p_value = certified_p_value(self.right, self.total, 1 - bar if self.loss else bar)
        return Tail.between(p_value, p_value, Reason.of("hoeffding", units=self.units))

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return Clopper and Pearson's limits, wider where one sample is right, or all but one."""
        tail, units = (1 - level) / 2, np.array(self.total)
        low, high = map(float, clopper_pearson(np.array(self.right), units, tail))
        # At a mean of less than one above 0, or below all, a mixture can have the heavier tail.
        low = tail / self.total if self.right == 1 else low
        high = 1 - tail / self.total if self.right == self.total - 1 else high
        return (1 - high, 1 - low) if self.loss else (low, high)


def certified_p_value(right: int, total: int, rate: float) -> float:
    """Return the two-sided p of a share that is right, the true one being `rate` on average over samples."""
    # Hoeffding's theorem 4: P(b <= S <= c) of a binomial is the least for whole b <= mean <= c. So its tail
    # P(S >= right) is the largest from right >= mean + 1 on; nearer to the mean nothing is known: 1.
    ahead, rounding = right - total * rate, 1e-12 * total  # a whole sample, but for rounding
    above = float(at_least(*np.array([right, total, rate]))) if ahead >= 1 - rounding else 1.0
    below = float(at_least(*np.array([total - right, total, 1 - rate]))) if ahead <= -1 + rounding else 1.0
    return min(1.0, 2 * min(above, below))


@dataclass(frozen=True, eq=False)
class OfTwo:
    """The exact test of two classes: what measures of many ask of them is a question of two rates."""

    measure: Measure
    counts: Counts

    @classmethod
    def of(cls, measure: ClassMeasure, matrix: ConfusionMatrix) -> OfTwo | None:
        """Return the test of two classes; None where there are more, or the measure is none of two."""
        if not measure.of_two or len(matrix.labels) != 2 or not matrix.true_counts.all():
            return None
        # Which class is positive says no name but what they hold; the measures are the same either way.
        positive = min((0, 1), key=lambda label: (matrix.true_counts[label], matrix.predicted_counts[label]))
        cells = (int(np.asarray(cell)[positive]) for cell in matrix.one_vs_rest().cells)
        return cls(get_measure(measure.of_two, "binary"), counts_of(cells))

    def tail(self, bar: float) -> Tail:
        """Return the two-sided p-value of H0: the true score is the bar."""
        p_value = float(p_values([self.measure], self.counts, [np.array(bar)])[0])
        return Tail(p_value, p_value, method=methods(self.counts).item())

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the scores that are not refuted."""
        ((low,), (high,)) = np.asarray(intervals([self.measure], self.counts, level)).tolist()
        return low, high


@dataclass(frozen=True, eq=False)
class OfRates:
    """The true score of a matrix of few classes, each row of which is a multinomial of its class size.

    `at_zero` is the same of a measure that is 0 at the same rates: that is one question, and has one answer.
    """

    tables: Estimated
    at_zero: Estimated | None = None

    def tail(self, bar: float) -> Tail:
        """Return the two-sided p-value of H0: the true score is the bar."""
        unknown = (self.at_zero or self.tables).unknown
        if unknown:
            return Tail(math.nan, math.nan, Reason.of("p_value_unknown", why=unknown))
        test = self.tables if self.at_zero is None or bar != 0 else self.at_zero
        p_value = test.p_value(bar)
        # Tables are weighed, so that their number is no floor.
        return Tail(p_value, p_value, Reason("likeliest_rates"), "estimated")

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the true scores that are not refuted: 0 is among them where its p-value says so."""
        if (self.at_zero or self.tables).unknown:
            return math.nan, math.nan
        low, high = self.tables.interval(level, bounds)
        if self.at_zero is not None and self.at_zero.p_value(0.0) > 1 - level:
            return min(low, 0.0), max(high, 0.0)
        return low, high


def estimates(
    measures: Sequence[ClassMeasure], matrix: ConfusionMatrix, empty: float, seed: int
) -> list[OfRates]:
    """Return what tables drawn near one matrix tell of several measures, whatever classes are called."""
    sizes = matrix.true_counts
    order = np.argsort(places(matrix.rows, matrix.columns[None], matrix.values, len(sizes)))
    true, called = order[sizes[order] > 0], order[(sizes + matrix.predicted_counts)[order] > 0]
    added = terms(np.repeat(true, len(called)), np.tile(called, len(true)), len(sizes))
    rows = ObservedTable(matrix.to_array()[np.ix_(true, called)].astype(np.float64), seed)

    @cache
    def estimated(measure: ClassMeasure) -> Estimated:
        def value(counts: FloatArray) -> FloatArray:
            return of_sums(counts.reshape(*counts.shape[:-2], -1) @ added)

        def of_sums(sums: FloatArray) -> FloatArray:
            return measure(Tables.of_sums(sums, sizes), empty)

        def slope(counts: FloatArray) -> FloatArray:
            sums = counts.reshape(-1, len(added)) @ added
            return np.asarray(relative_gradient(of_sums, sums) @ added.T).reshape(counts.shape)

        return Estimated(rows, Function(value, slope))

    zero = {name: get_measure(name, "multiclass") for measure in measures if (name := measure.at_zero)}
    return [
        OfRates(estimated(measure), estimated(zero[measure.at_zero]) if measure.at_zero else None)
        for measure in measures
    ]


def exact_chances(
    measures: Sequence[ClassMeasure], tables: Tables, empty: float, scores: FloatArray
) -> list[Tail | None]:
    """Return how likely labels in random order score as well, where that can be counted out; else None."""
    # Measures that only ask how many samples are right share one distribution.
    sizes, predicted = (np.asarray(margin, dtype=np.int64) for margin in (tables.sizes, tables.predicted))
    of_right, present = None, np.flatnonzero(sizes + predicted)
    two = len(present) == 2  # one diagonal cell settles the other, and with it all: Fisher's exact test
    if two:
        hits = np.int64(tables.hits[present[0]])
        of_right = Tail.exactly(
            float(hg.tail_ge(hits, sizes.sum(), sizes[present[0]], predicted[present[0]]))
        )
    elif sizes.sum() <= LARGEST_EXACT:
        chances = law_of_right(tuple(sizes.tolist()), tuple(predicted.tolist()))
        of_right = Tail.exactly(float(sum(chances[int(tables.right) :])))
    by_right = [measure.rises_with_right or (two and measure.weights is not None) for measure in measures]
    tails = [
        Tail(math.nan, math.nan) if math.isnan(score) else of_right if rises else None
        for rises, score in zip(by_right, scores.tolist(), strict=True)
    ]
    true, called = np.flatnonzero(sizes), np.flatnonzero(predicted)
    every = tables_of(sizes[true], predicted[called]) if None in tails else None
    if every is None:
        return tails
    added = terms(np.repeat(true, len(called)), np.tile(called, len(true)), len(sizes))
    orders = Tables.of_sums(every[0].reshape(len(every[0]), -1).astype(np.float64) @ added, sizes)
    for place, measure in enumerate(measures):
        if tails[place] is None:  # a table without a value counts as reaching the score
            sign, score = 1.0 if measure.greater_is_better else -1.0, float(scores[place])
            ahead = (measure(orders, empty) - score) * sign
            tails[place] = Tail.exactly(every[1][~(ahead < -tolerance(score))].sum())
    return tails
