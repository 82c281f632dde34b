"""Is the true score the bar? For measures that rise and fall with either rate: their level lines are traced.

Which true rates have the bar is found on a grid of rates, outcomes are ordered by the signed root of the
likelihood ratio against these, and their binomial probability is looked at wherever the true score may be the
bar or worse inside the confidence box, not on the lines alone: a tail need be no up-set. Of small tables all
outcomes are added up, of larger ones some of them, evenly spaced. Grids have gaps: the answer is estimated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray
from clearbar.core.counts import Counts
from clearbar.inference.binomial import clopper_pearson, log_pmf, rate_deviance
from clearbar.inference.level_curves import true_score
from clearbar.inference.two_rates import BETA, BOX_TAIL, TIE

# Outcomes up to which all are added up; counts of each class that are looked at where there are more.
OUTCOMES, COUNTS = 12_000, 88
# Rates of each class between which level lines are looked for, and steps to one of them.
GRID, BISECTIONS = 65, 40
INSIDE = 21  # rates of each class inside the box at which H0 is tried beside those of the lines
REACH = 7.0  # standard deviations beyond the box within which outcomes are looked at
STEPS = 14  # bars that are tried for each end of an interval
# Rounds in which rates around the worst are looked at, closer and closer, and around how many of them.
ROUNDS, SEEDS = 6, 16
# How much further than the first bar that is refuted others are tried.
BEYOND = (0.01, 0.02, 0.04, 0.07, 0.1, 0.15, 0.2)

_AROUND = np.array([(i, j) for i in (-1.0, 0.0, 1.0) for j in (-1.0, 0.0, 1.0) if i or j]).T


class _Counts(NamedTuple):
    """Counts of one class that are looked at, ascending, and how many counts each stands for."""

    size: float
    values: FloatArray
    step: float

    @classmethod
    def of(cls, size: float, low: float, high: float, most: float) -> _Counts:
        """Cover what is likely at rates from low to high by at most `most` counts."""
        spread = [REACH * math.sqrt(size * rate * (1 - rate)) + REACH for rate in (low, high)]
        first = max(math.floor(size * low - spread[0]), 0)
        last = min(math.ceil(size * high + spread[1]), size)
        step = max(1.0, math.ceil((last - first + 1) / most))
        return cls(size, np.arange(first, last + 1, step, dtype=np.float64), step)

    def deviances(self, rates: FloatArray) -> FloatArray:
        """Log-likelihood that rates lack to the observed shares, of shape (counts, rates)."""
        return rate_deviance(self.values[:, None], np.array(self.size), rates)

    def weights(self, rates: FloatArray) -> FloatArray:
        """Probabilities at rates, of shape (counts, rates)."""
        rates = np.clip(rates, 1e-300, 1 - 2.0**-53)
        weights = np.exp(log_pmf(self.values[:, None], np.array(self.size), rates))
        return weights if self.step == 1 else weights / weights.sum(axis=0)


class _Rates(NamedTuple):
    """Pairs of rates, and their true scores."""

    a: FloatArray
    b: FloatArray
    scores: FloatArray


@dataclass(frozen=True, eq=False)
class TracedTest:
    """The test of one table by a measure without an order in TP and FP; losses are negatives inside."""

    measure: Measure
    counts: Counts

    @cached_property
    def _table(self) -> tuple[float, float, float, float]:
        """X of P and y of N."""
        tp, fp, fn, tn = (float(cell) for cell in self.counts.cells)
        return tp, fp, tp + fn, fp + tn

    @property
    def _sign(self) -> float:
        return -1.0 if self.measure.greater_is_better is False else 1.0

    @cached_property
    def _score(self) -> float:
        with np.errstate(all="ignore"):
            return self._sign * float(self.measure.values(*self.counts.cells)[()])

    @cached_property
    def _box(self) -> tuple[float, float, float, float]:
        """Lowest and highest rate of both classes."""
        x, y, P, N = (np.array([value]) for value in self._table)
        ends = *clopper_pearson(x, P, BOX_TAIL), *clopper_pearson(y, N, BOX_TAIL)
        return tuple(float(end[0]) for end in ends)  # type: ignore[return-value]

    @cached_property
    def _outcomes(self) -> tuple[_Counts, _Counts, FloatArray]:
        """Counts of both classes, and the scores of all pairs; those without a value are the worst."""
        (_, _, P, N), (low_a, high_a, low_b, high_b) = self._table, self._box
        if (P + 1) * (N + 1) <= OUTCOMES:
            x, y = _Counts.of(P, 0.0, 1.0, math.inf), _Counts.of(N, 0.0, 1.0, math.inf)
        else:
            x, y = _Counts.of(P, low_a, high_a, COUNTS), _Counts.of(N, low_b, high_b, COUNTS)
        tp, fp = x.values[:, None], y.values[None, :]
        with np.errstate(all="ignore"):
            scores = self._sign * self.measure.values(tp, fp, P - tp, N - fp)
        return x, y, np.where(np.isnan(scores), -np.inf, scores)

    def _true(self, a: FloatArray, b: FloatArray) -> FloatArray:
        _, _, P, N = self._table
        return true_score(self.measure, np.array(P), np.array(N), a, b)

    @cached_property
    def _grid(self) -> _Rates:
        """Rates of both classes, and the true scores of all pairs."""
        rates = []
        for counts in self._outcomes[:2]:
            low, high = (math.asin(math.sqrt(end / max(counts.size, 1.0))) for end in counts.values[[0, -1]])
            rates.append(np.sin(np.linspace(low, high, GRID)) ** 2)
        a, b = rates
        return _Rates(a, b, self._true(a[:, None], b[None, :]))

    @cached_property
    def _inside(self) -> _Rates:
        """Pairs of rates all over the box."""
        low_a, high_a, low_b, high_b = self._box
        grids = np.meshgrid(np.linspace(low_a, high_a, INSIDE), np.linspace(low_b, high_b, INSIDE))
        a, b = (grid.ravel() for grid in grids)
        return _Rates(a, b, self._true(a, b))

    def _lines(self, bar: float) -> tuple[FloatArray, FloatArray]:
        """Pairs of rates at which the true score is the bar, between neighbours of the grid."""
        a, b, scores = self._grid
        above, defined = scores >= bar, ~np.isnan(scores)
        i, j = np.nonzero((above[1:] != above[:-1]) & defined[1:] & defined[:-1])
        k, l = np.nonzero((above[:, 1:] != above[:, :-1]) & defined[:, 1:] & defined[:, :-1])
        start_a, start_b = np.append(a[i], a[k]), np.append(b[j], b[l])
        way_a, way_b = np.append(a[i + 1], a[k]) - start_a, np.append(b[j], b[l + 1]) - start_b
        first_above = np.append(above[i, j], above[k, l])
        low, high = np.zeros(first_above.shape), np.ones(first_above.shape)
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            stays = (self._true(start_a + middle * way_a, start_b + middle * way_b) >= bar) == first_above
            low, high = np.where(stays, middle, low), np.where(stays, high, middle)
        return start_a + low * way_a, start_b + low * way_b

    def one_sided(self, bar: float) -> float:
        """P of the side on which the score lies: as far from the bar, or further."""
        above = self._score > bar
        line_a, line_b = self._lines(bar)
        null = (self._inside.scores <= bar) if above else (self._inside.scores >= bar)
        low_a, high_a, low_b, high_b = self._box
        boxed = (low_a <= line_a) & (line_a <= high_a) & (low_b <= line_b) & (line_b <= high_b)
        a, b = np.append(line_a[boxed], self._inside.a[null]), np.append(line_b[boxed], self._inside.b[null])
        if not a.size:
            return BETA
        if not line_a.size:  # no rates are known to have the bar: the score tells nothing of its distance
            return 1.0
        reached = self._reached(bar, line_a, line_b, above=above)
        return min(self._worst(bar, reached, a, b, above=above) + BETA, 1.0)

    def _worst(self, bar: float, reached: FloatArray, a: FloatArray, b: FloatArray, *, above: bool) -> float:
        """The largest probability of a tail at these rates, and around the worst: there may be a ridge."""
        x, y, _ = self._outcomes
        low_a, high_a, low_b, high_b = self._box
        p = ((reached @ y.weights(b)) * x.weights(a)).sum(axis=0)
        wide, high = (high_a - low_a) / (INSIDE - 1), (high_b - low_b) / (INSIDE - 1)
        for _ in range(ROUNDS):
            best = np.argsort(-p, kind="stable")[:SEEDS]
            near_a = np.clip((a[best, None] + wide * _AROUND[0]).ravel(), low_a, high_a)
            near_b = np.clip((b[best, None] + high * _AROUND[1]).ravel(), low_b, high_b)
            true = self._true(near_a, near_b)
            null = (true <= bar) if above else (true >= bar)
            near_a, near_b = near_a[null], near_b[null]
            near_p = ((reached @ y.weights(near_b)) * x.weights(near_a)).sum(axis=0)
            a, b, p = np.append(a[best], near_a), np.append(b[best], near_b), np.append(p[best], near_p)
            wide, high = wide / 2, high / 2
        return float(p.max())

    def _reached(self, bar: float, line_a: FloatArray, line_b: FloatArray, *, above: bool) -> FloatArray:
        """Which outcomes are at least as far out as the table, or what part of those that one stands for."""
        x, y, scores = self._outcomes
        least = np.full(scores.shape, np.inf)
        for of_x, of_y in zip(x.deviances(line_a).T, y.deviances(line_b).T, strict=True):
            np.minimum(least, of_x[:, None] + of_y, out=least)
        t = (1.0 if above else -1.0) * np.copysign(np.sqrt(2 * least), scores - bar)
        tp, fp, P, N = (np.array(value) for value in self._table)
        own = math.sqrt(2 * float((rate_deviance(tp, P, line_a) + rate_deviance(fp, N, line_b)).min()))
        level = own - TIE * max(1.0, own)
        if x.step == y.step == 1:
            return np.asarray(t >= level, dtype=np.float64)
        slopes = [np.abs(np.gradient(t, axis=axis)) if t.shape[axis] > 1 else 0.0 for axis in (0, 1)]
        return np.asarray(np.clip(0.5 + (t - level) / np.maximum(slopes[0] + slopes[1], TIE), 0.0, 1.0))

    def p_value(self, bar: float) -> float:
        goal = self._sign * bar
        if abs(goal - self._score) <= 1e-12 * max(1.0, abs(goal)):
            return 1.0
        return min(1.0, 2 * self.one_sided(goal))

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        finite = self._inside.scores[np.isfinite(self._inside.scores)]
        ends = [self._end((1 - level) / 2, far) for far in (finite.min(), finite.max())]
        low, high = sorted(self._sign * end for end in ends)
        return max(low, bounds[0]), min(high, bounds[1])

    def _end(self, tail: float, far: float) -> float:
        """Return the bar towards the furthest of the box at which p falls to `tail`, by secants in z."""
        from scipy.special import ndtri

        near, goal = self._score, -ndtri(tail)
        if abs(far - near) <= 1e-12 * max(1.0, abs(near)):
            return near
        low, high, share = 0.0, 1.0, 0.4
        for _ in range(STEPS):
            z = -ndtri(min(max(self.one_sided(near + share * (far - near)), 1e-12), 0.5))
            low, high = (share, high) if z < goal else (low, share)
            guess = share * goal / z if z > 0.3 else (low + high) / 2
            guess = min(max(guess, low + 0.02 * (high - low)), high - 0.02 * (high - low))
            if high - low < 1e-6 or abs(guess - share) < 1e-5:
                break
            share = guess
        if self._outcomes[0].step == self._outcomes[1].step == 1:
            high = self._outermost(tail, far, high)
        return float(near + high * (far - near))

    def _outermost(self, tail: float, far: float, share: float) -> float:
        """Look beyond the first bar that is refuted: p jumps where outcomes enter the tail, or leave it."""

        def refuted(share: float) -> bool:
            return self.one_sided(self._score + share * (far - self._score)) <= tail

        beyond = [share, *(min(share * (1 + more), 1.0) for more in BEYOND)]
        last = max(place for place in range(len(beyond)) if place == 0 or not refuted(beyond[place]))
        if not last:
            return share
        low, high = beyond[last], beyond[min(last + 1, len(beyond) - 1)]
        for _ in range(6):
            middle = (low + high) / 2
            low, high = (low, middle) if refuted(middle) else (middle, high)
        return high
