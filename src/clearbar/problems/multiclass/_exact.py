"""What is known of many classes without resamples: certified shares, two classes, every table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearbar.catalogue import Measure, get_measure
from clearbar.core._typing import FloatArray
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.counts import Counts, counts_of
from clearbar.core.reasons import Reason
from clearbar.inference.bootstrap import tolerance
from clearbar.inference.orders import tables_of
from clearbar.inference.rate_intervals import intervals
from clearbar.inference.two_rates import methods, p_values
from clearbar.inference.units import Tail
from clearbar.null import hypergeometric as hg
from clearbar.problems.multiclass._joint import law_of_right
from clearbar.problems.multiclass._measure import ClassMeasure
from clearbar.problems.multiclass._tables import Tables

LARGEST_EXACT = 150
"""Samples up to which the distribution of the number right is summed in whole numbers."""


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

    def tail(self, bar: float) -> Tail:
        """Return the two-sided p-value of H0: the true share is the bar."""
        p_value = certified_p_value(self.right, self.total, 1 - bar if self.loss else bar)
        return Tail.between(p_value, p_value, Reason.of("hoeffding", units=self.units))

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:  # noqa: ARG002
        """Return Clopper and Pearson's limits, wider where one sample is right, or all but one."""
        tail = (1 - level) / 2
        low = _least_rate(self.right, self.total, tail)
        high = 1 - _least_rate(self.total - self.right, self.total, tail)
        return (1 - high, 1 - low) if self.loss else (low, high)


def certified_p_value(right: int, total: int, rate: float) -> float:
    """Return the two-sided p of a share that is right, the true one being `rate` on average over samples."""
    from scipy.special import betainc

    def at_least(count: int, rate: float) -> float:
        return float(betainc(count, total - count + 1, rate))

    ahead, rounding = right - total * rate, 1e-12 * total  # a whole sample, but for rounding
    above = at_least(right, rate) if ahead >= 1 - rounding else 1.0
    below = at_least(total - right, 1 - rate) if ahead <= -1 + rounding else 1.0
    return min(1.0, 2 * min(above, below))


def _least_rate(right: int, total: int, tail: float) -> float:
    from scipy.special import betaincinv

    if right == 0:
        return 0.0
    # At a mean of less than one above 0 a mixture can have the heavier tail.
    return tail / total if right == 1 else float(betaincinv(right, total - right + 1, tail))


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

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:  # noqa: ARG002
        """Return the scores that are not refuted."""
        ((low,), (high,)) = np.asarray(intervals([self.measure], self.counts, level)).tolist()
        return low, high


def exact_chances(
    measures: Sequence[ClassMeasure], tables: Tables, empty: float, scores: FloatArray
) -> list[Tail | None]:
    """Return how likely labels in random order score as well, where that can be counted out; else None.

    Measures that only ask how many samples are right share one distribution.
    """
    of_right, two = _of_right(tables), len(_involved(tables)) == 2
    tails: list[Tail | None] = [None] * len(measures)
    for place, measure in enumerate(measures):
        rises = measure.rises_with_right or (two and measure.weights is not None)
        if math.isnan(scores[place]):
            tails[place] = Tail(math.nan, math.nan)
        elif of_right is not None and rises:
            tails[place] = Tail.exactly(of_right)
    left = [place for place, tail in enumerate(tails) if tail is None]
    every = _every_order(tables) if left else None
    for place in left if every is not None else ():
        assert every is not None  # noqa: S101 - what is looped over says so
        tails[place] = Tail.exactly(_share_of(measures[place], *every, empty, float(scores[place])))
    return tails


def _every_order(tables: Tables) -> tuple[Tables, FloatArray] | None:
    """Return every table that labels in some order make, and how likely it is; None if there are too many."""
    sizes, predicted = (np.asarray(side, dtype=np.int64) for side in (tables.sizes, tables.predicted))
    true, called = np.flatnonzero(sizes), np.flatnonzero(predicted)
    every = tables_of(sizes[true], predicted[called])
    if every is None:
        return None
    cells, chances = every
    hits = np.zeros((len(cells), len(sizes)))
    both = np.intersect1d(true, called)
    hits[:, both] = cells[:, np.searchsorted(true, both), np.searchsorted(called, both)]
    step = np.abs(true[:, None] - called).astype(np.float64)
    apart, squared = ((cells * far).sum(axis=(1, 2)) for far in (step, step**2))
    margins = [np.broadcast_to(side, hits.shape) for side in (tables.sizes, tables.predicted)]
    return Tables(margins[0], margins[1], hits, apart, squared), chances


def _share_of(measure: ClassMeasure, every: Tables, chances: FloatArray, empty: float, score: float) -> float:
    """Return how likely tables score as well; one without a value counts as reaching the score."""
    ahead = (measure(every, empty) - score) * (1.0 if measure.greater_is_better else -1.0)
    return float(chances[~(ahead < -tolerance(score))].sum())


def _of_right(tables: Tables) -> float | None:
    """Return how likely at least as many samples are right; None where that is too long to compute."""
    sizes, predicted = (tuple(int(n) for n in side) for side in (tables.sizes, tables.predicted))
    total, right = sum(sizes), int(tables.right)
    both = _involved(tables)
    if len(both) == 2:  # one diagonal cell settles the other
        n, x, hits = sizes[both[0]], predicted[both[0]], int(tables.hits[both[0]])
        return float(hg.tail_ge(np.int64(hits), np.int64(total), np.int64(n), np.int64(x)))
    return None if total > LARGEST_EXACT else float(sum(law_of_right(sizes, predicted)[right:]))


def _involved(tables: Tables) -> list[int]:
    """Return the classes that occur or are predicted."""
    places: list[int] = np.flatnonzero(tables.sizes + tables.predicted).tolist()
    return places
