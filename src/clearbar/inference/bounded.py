"""The mean of independent scores from 0 to 1, of any distribution: Gaffke's bound.

The probabilities of what was seen, and of one more score that is all wrong, are drawn as the gaps between
uniform numbers; the p-value is the probability that the mean is at most the bar. Of scores that are 0 or 1
this is the binomial tail, and the interval is Clopper and Pearson's. That its size holds for every
distribution is a conjecture for which no counterexample is known (Gaffke, Math. Methods of Statistics 14,
2005; Learned-Miller and Thomas, arXiv:1905.06208, 2019). Clusters add up their scores, and the one more is
as large as the largest. Limits of several tasks are added in quadrature (Zou and Donner, Statist. in Medicine
27, 2008), which is approximate. Losses of probabilities are tested as such scores, too: of Brier score and
RPS the bounds are known, those of log loss are of these probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.core.reasons import Reason
from clearbar.inference import Tail
from clearbar.inference.binomial import bracketed_root

STEP, FARTHEST = 0.08, 14.0  # of the integral over v, at sinh v standard deviations from the saddle point
ROW = 12  # places that are looked at together; what is left of the integral is then judged by the last
BOUNDED = Reason("bounded")
MOST_KINDS, ENDS = 500, 125  # kinds of units that are told apart; of more, those at either end
LEAST_TAIL = 1e-12  # below which no limit is looked for
ACCURACY = 1e-9


def negative_sum(values: FloatArray, often: FloatArray) -> float:
    """P(Σ a E ≤ 0) where each value a has a gamma variable E of shape `often`.

    The inversion integral of its cumulant generating function through the saddle point, where the integrand
    falls fastest: tails are right to about 12 digits of their own, however small they are.
    """
    low, high = float(values.min()), float(values.max())
    if high <= 0 or low >= 0:
        return float(high <= 0)

    def slope(s: FloatArray) -> FloatArray:
        return np.array([float((often * values / (1 - values * x)).sum()) - 1 / x for x in s.tolist()])

    ends = np.array([1 / low * (1 - 1e-13)]), np.array([1 / low * 1e-13])
    saddle = float(bracketed_root(slope, *ends, relative=1e-4)[0])  # any path beside it gives the same
    # log(1 - a z) at z = saddle + i y is log(1 - a saddle) + log(1 - i y ratio): real functions are fast.
    ratios, at_saddle = values / (1 - values * saddle), float(often @ np.log1p(-values * saddle))
    scale = 1 / math.sqrt(float((often * ratios**2).sum()) + 1 / saddle**2)
    total, least = 0.0, 0.0
    for start in range(0, math.ceil(FARTHEST / STEP), ROW):
        v = STEP * np.arange(start, start + ROW)
        y = scale * np.sinh(v)
        turns = np.multiply.outer(ratios, y)
        exponents = 1j * (often @ np.arctan(turns)) - often @ np.log1p(turns**2) / 2 - at_saddle
        terms = np.exp(exponents) / -(saddle + 1j * y) * np.cosh(v)
        if not start:
            terms[0] /= 2
            least = 1e-16 * abs(terms[0])
        total += float(terms.real.sum())
        if abs(terms[-1]) <= least:
            break
    return min(1.0, max(0.0, STEP * scale * total / math.pi))


@dataclass(frozen=True, eq=False)
class BoundedMean:
    """Units by kind: what each kind's samples score in sum, how many they are, and how often it is there."""

    sums: FloatArray
    sizes: FloatArray
    often: FloatArray

    @classmethod
    def of(cls, sums: FloatArray, sizes: FloatArray) -> BoundedMean:
        """Count units that are alike; of very many kinds, neighbours of one size share their mean inside."""
        order = np.argsort(sums - sizes * (sums.sum() / sizes.sum()), kind="stable")
        sums, sizes = sums[order], sizes[order]
        starts = np.flatnonzero(np.append(True, (np.diff(sums) != 0) | (np.diff(sizes) != 0)))
        if len(starts) > MOST_KINDS:
            inside = np.linspace(ENDS, len(sums) - ENDS, MOST_KINDS - 2 * ENDS).astype(np.int64)
            starts = np.concatenate([np.arange(ENDS), inside[:-1], np.arange(len(sums) - ENDS, len(sums))])
            part = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(sums)))
            order = np.lexsort((sizes, part))
            sums, sizes = sums[order], sizes[order]
            starts = np.flatnonzero(np.append(True, (np.diff(part) != 0) | (np.diff(sizes) != 0)))
        often = np.diff(starts, append=len(sums)).astype(np.float64)
        return cls(np.add.reduceat(sums, starts) / often, np.add.reduceat(sizes, starts) / often, often)

    @cached_property
    def mean(self) -> float:
        return float((self.often @ self.sums) / (self.often @ self.sizes))

    @cached_property
    def others(self) -> BoundedMean:
        """What is left to 1."""
        return BoundedMean(self.sizes - self.sums, self.sizes, self.often)

    def p_value(self, bar: float) -> float:
        """Return the p-value of a true mean of at most the bar."""
        if not 0 < bar < 1:
            return float(bar >= 1)
        unseen = -bar * float(self.sizes.max())
        values = np.append(self.sums - bar * self.sizes, unseen)
        return negative_sum(values, np.append(self.often, 1.0))

    def least(self, tail: float) -> float:
        """Return the least true mean that is not refuted."""

        def above(bars: FloatArray) -> FloatArray:
            return np.array([self.p_value(bar) - tail for bar in bars.tolist()])

        ends = np.zeros(1), np.array([self.mean])
        return float(bracketed_root(above, *ends, relative=ACCURACY, absolute=ACCURACY)[0])


@dataclass(frozen=True, eq=False)
class BoundedMeans:
    """The test of a line in the means of several tasks, each of which raises it."""

    nothing: float
    slopes: Sequence[float]
    means: Sequence[BoundedMean]
    note: Reason = BOUNDED

    @cached_property
    def score(self) -> float:
        return self.line([of.mean for of in self.means])

    def line(self, means: Sequence[float] | FloatArray) -> float:
        """Return the score of these means."""
        return self.nothing + float(np.dot(self.slopes, means))

    def above(self, bar: float) -> Tail:
        """Return the one-sided p-value of a true score of at most the bar."""
        p_value = 1.0 if bar >= self.score else self._one_sided(bar, above=False)
        return Tail(p_value, p_value, Reason("bounded_blind"), "estimated")

    def tail(self, bar: float) -> Tail:
        if abs(bar - self.score) <= ACCURACY:
            p_value = 1.0
        else:
            p_value = min(1.0, 2 * self._one_sided(bar, above=bar > self.score))
        return Tail(p_value, p_value, self.note, "estimated")

    def p_value(self, bar: float) -> float:
        """Return the two-sided p-value of H0: the true score is the bar."""
        return float(self.tail(bar).upper)

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        low, high = (self._limit((1 - level) / 2, above=above) for above in (False, True))
        return max(low, bounds[0]), min(high, bounds[1])

    def _one_sided(self, bar: float, *, above: bool) -> float:
        if len(self.means) == 1:
            mean = (bar - self.nothing) / self.slopes[0]
            return self.means[0].others.p_value(1 - mean) if above else self.means[0].p_value(mean)

        def short(logs: FloatArray) -> FloatArray:
            limits = [self._limit(math.exp(log), above=above) for log in logs.tolist()]
            return np.array([bar - limit if above else limit - bar for limit in limits])

        ends = np.array([math.log(LEAST_TAIL)]), np.array([math.log(0.5)])
        return math.exp(float(bracketed_root(short, *ends, relative=1e-6)[0]))

    def _limit(self, tail: float, *, above: bool) -> float:
        """Return the score and what it may be off: the limits of all means, in quadrature."""
        off = 0.0
        for slope, of in zip(self.slopes, self.means, strict=True):
            distance = of.others.mean - of.others.least(tail) if above else of.mean - of.least(tail)
            off = math.hypot(off, slope * max(distance, 0.0))
        return self.score + off if above else self.score - off
