"""Is the true score the bar? For measures that rise and fall with either rate: their level lines are traced.

Which true rates have the bar is found on a grid of rates, outcomes are ordered by the signed root of the
likelihood ratio against these, and their binomial probability is looked at wherever the true score may be the
bar or worse inside the confidence box, not on the lines alone: a tail need be no up-set. Of small tables all
outcomes are added up, of larger ones some of them, evenly spaced. Grids have gaps: the answer is estimated.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray
from clearbar.core.counts import Counts
from clearbar.inference.binomial import TINY, clopper_pearson, log_pmf, rate_deviance
from clearbar.inference.level_curves import true_score
from clearbar.inference.rate_tests import BETA, BOX_TAIL, TIE

# Outcomes up to which all are added up; counts of each class that are looked at where there are more.
OUTCOMES, COUNTS = 12_000, 88
# Rates of each class between which level lines are looked for, and halvings: ties need the last digits.
GRID, BISECTIONS = 65, 40
INSIDE = 21  # rates of each class inside the box at which H0 is tried beside those of the lines
REACH = 7.0  # standard deviations beyond the box within which outcomes are looked at
STEPS = 14  # bars that are tried for each end of an interval
# Rounds in which rates around the worst are looked at, closer and closer, and around how many of them.
ROUNDS, SEEDS = 6, 16
# How much further than the first bar that is refuted others are tried, and halvings to the last of them.
BEYOND, HALVINGS = (0.01, 0.02, 0.04, 0.07, 0.1, 0.15, 0.2), 6

_AROUND = np.array([(i, j) for i in (-1.0, 0.0, 1.0) for j in (-1.0, 0.0, 1.0) if i or j]).T[:, None]


class _Class(NamedTuple):
    """One class: its confidence box, and counts that are looked at, each standing for `step` of them."""

    size: float
    low: float
    high: float
    counts: FloatArray
    step: float

    @classmethod
    def of(cls, count: float, size: float, *, every: bool) -> _Class:
        """Look at every count, or at what is likely at rates inside the box."""
        low, high = (float(end) for end in clopper_pearson(np.array(count), np.array(size), BOX_TAIL))
        if every:
            return cls(size, low, high, np.arange(size + 1.0), 1.0)
        spread = [REACH * math.sqrt(size * rate * (1 - rate)) + REACH for rate in (low, high)]
        first = max(math.floor(size * low - spread[0]), 0)
        last = min(math.ceil(size * high + spread[1]), size)
        step = max(1.0, math.ceil((last - first + 1) / COUNTS))
        return cls(size, low, high, np.arange(first, last + 1, step, dtype=np.float64), step)

    def grid(self) -> FloatArray:
        """Rates over all counts, evenly spaced in standard deviations."""
        ends = [math.asin(math.sqrt(count / max(self.size, 1.0))) for count in self.counts[[0, -1]].tolist()]
        return np.asarray(np.sin(np.linspace(ends[0], ends[1], GRID)) ** 2)

    def lacking(self, rates: FloatArray) -> FloatArray:
        """Log-likelihood that rates lack to the observed shares, of shape (counts, rates)."""
        return rate_deviance(self.counts[:, None], np.array(self.size), rates)

    def weights(self, rates: FloatArray) -> FloatArray:
        """Probabilities at rates, of shape (counts, rates)."""
        rates = np.clip(rates, TINY, 1 - 2.0**-53)
        weights = np.exp(log_pmf(self.counts[:, None], np.array(self.size), rates))
        return weights if self.step == 1 else weights / weights.sum(axis=0)


class TracedTest:
    """The test of one table by a measure without an order in TP and FP; losses are negatives inside."""

    def __init__(self, measure: Measure, counts: Counts) -> None:
        self.measure, self.sign = measure, -1.0 if measure.greater_is_better is False else 1.0
        tp, fp, fn, tn = (float(cell) for cell in counts.cells)
        self.x, self.y, self.P, self.N = (np.array(value) for value in (tp, fp, tp + fn, fp + tn))
        every = bool((self.P + 1) * (self.N + 1) <= OUTCOMES)
        self.first, self.second = _Class.of(tp, tp + fn, every=every), _Class.of(fp, fp + tn, every=every)
        self.exact = self.first.step == self.second.step == 1
        x, y = self.first.counts[:, None], self.second.counts
        with np.errstate(all="ignore"):
            self.score = self.sign * float(measure.values(*counts.cells)[()])
            scores = self.sign * measure.values(x, y, self.P - x, self.N - y)
        self.scores = np.where(np.isnan(scores), -np.inf, scores)  # those without a value are the worst
        self.grid = self.first.grid(), self.second.grid()
        self.grid_scores = self.true(self.grid[0][:, None], self.grid[1])
        sides = [np.linspace(of.low, of.high, INSIDE) for of in (self.first, self.second)]
        self.inside = tuple(side.ravel() for side in np.meshgrid(*sides))
        self.inside_scores = self.true(*self.inside)

    def true(self, a: FloatArray, b: FloatArray) -> FloatArray:
        return true_score(self.measure, self.P, self.N, *np.broadcast_arrays(a, b))

    def lines(self, bar: float) -> tuple[FloatArray, FloatArray]:
        """Pairs of rates at which the true score is the bar, between neighbours of the grid."""
        (a, b), above, defined = self.grid, self.grid_scores >= bar, ~np.isnan(self.grid_scores)
        i, j = np.nonzero((above[1:] != above[:-1]) & defined[1:] & defined[:-1])
        k, l = np.nonzero((above[:, 1:] != above[:, :-1]) & defined[:, 1:] & defined[:, :-1])
        start_a, start_b = np.append(a[i], a[k]), np.append(b[j], b[l])
        way_a, way_b = np.append(a[i + 1], a[k]) - start_a, np.append(b[j], b[l + 1]) - start_b
        first_above = np.append(above[i, j], above[k, l])
        low, high = np.zeros(first_above.shape), np.ones(first_above.shape)
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            stays = (self.true(start_a + middle * way_a, start_b + middle * way_b) >= bar) == first_above
            low, high = np.where(stays, middle, low), np.where(stays, high, middle)
        return start_a + low * way_a, start_b + low * way_b

    def one_sided(self, bar: float) -> float:
        """P of the side on which the score lies: as far from the bar, or further."""
        sign = 1.0 if self.score > bar else -1.0
        line_a, line_b = self.lines(bar)
        (low_a, high_a), (low_b, high_b) = self.first[1:3], self.second[1:3]
        boxed = (low_a <= line_a) & (line_a <= high_a) & (low_b <= line_b) & (line_b <= high_b)
        null = sign * self.inside_scores <= sign * bar
        a = np.append(line_a[boxed], self.inside[0][null])
        b = np.append(line_b[boxed], self.inside[1][null])
        if not a.size:
            return BETA
        if not line_a.size:  # no rates are known to have the bar: the score tells nothing of its distance
            return 1.0
        tail = self.tail(bar, line_a, line_b, sign)

        def p_at(a: FloatArray, b: FloatArray) -> FloatArray:
            return np.asarray(((tail @ self.second.weights(b)) * self.first.weights(a)).sum(axis=0))

        # The largest p at these rates, and around the worst of them: there may be a ridge.
        p, wide, high = p_at(a, b), (high_a - low_a) / (INSIDE - 1), (high_b - low_b) / (INSIDE - 1)
        for _ in range(ROUNDS):
            best = np.argsort(-p, kind="stable")[:SEEDS]
            near_a = np.clip((a[best, None] + wide * _AROUND[0]).ravel(), low_a, high_a)
            near_b = np.clip((b[best, None] + high * _AROUND[1]).ravel(), low_b, high_b)
            null = sign * self.true(near_a, near_b) <= sign * bar
            a, b = np.append(a[best], near_a[null]), np.append(b[best], near_b[null])
            p, wide, high = np.append(p[best], p_at(near_a[null], near_b[null])), wide / 2, high / 2
        return min(float(p.max()) + BETA, 1.0)

    def tail(self, bar: float, line_a: FloatArray, line_b: FloatArray, sign: float) -> FloatArray:
        """Which outcomes are at least as far out as the table, or what part of those that one stands for."""
        least = np.full(self.scores.shape, np.inf)
        for of_x, of_y in zip(self.first.lacking(line_a).T, self.second.lacking(line_b).T, strict=True):
            np.minimum(least, of_x[:, None] + of_y, out=least)
        t = sign * np.copysign(np.sqrt(2 * least), self.scores - bar)
        lacking = rate_deviance(self.x, self.P, line_a) + rate_deviance(self.y, self.N, line_b)
        level = math.sqrt(2 * float(lacking.min()))
        level -= TIE * max(1.0, level)
        if self.exact:
            return np.asarray(t >= level, dtype=np.float64)
        slopes = [np.abs(np.gradient(t, axis=axis)) if t.shape[axis] > 1 else 0.0 for axis in (0, 1)]
        return np.asarray(np.clip(0.5 + (t - level) / np.maximum(slopes[0] + slopes[1], TIE), 0.0, 1.0))

    def p_value(self, bar: float) -> float:
        goal = self.sign * bar
        if abs(goal - self.score) <= 1e-12 * max(1.0, abs(goal)):
            return 1.0
        return min(1.0, 2 * self.one_sided(goal))

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        finite = self.inside_scores[np.isfinite(self.inside_scores)]
        ends = [self._end((1 - level) / 2, far) for far in (finite.min(), finite.max())]
        low, high = sorted(self.sign * end for end in ends)
        return max(low, bounds[0]), min(high, bounds[1])

    def _end(self, tail: float, far: float) -> float:
        """Return the bar towards the furthest of the box at which p falls to `tail`, by secants in z."""
        from scipy.special import ndtri

        if abs(far - self.score) <= 1e-12 * max(1.0, abs(self.score)):
            return self.score

        def bar_at(share: float) -> float:
            return float(self.score + share * (far - self.score))

        low, high, share, goal = 0.0, 1.0, 0.4, -ndtri(tail)
        for _ in range(STEPS):
            z = -ndtri(min(max(self.one_sided(bar_at(share)), 1e-12), 0.5))
            low, high = (share, high) if z < goal else (low, share)
            guess = share * goal / z if z > 0.3 else (low + high) / 2
            guess = min(max(guess, low + 0.02 * (high - low)), high - 0.02 * (high - low))
            if high - low < 1e-6 or abs(guess - share) < 1e-5:
                break
            share = guess
        if not self.exact:
            return bar_at(high)
        # p jumps where outcomes enter the tail, or leave it: the last bar that is not refuted is the end.
        further = [min(high * (1 + more), 1.0) for more in BEYOND]
        inside = [place for place, share in enumerate(further) if self.one_sided(bar_at(share)) > tail]
        if inside:
            low, high = further[inside[-1]], further[min(inside[-1] + 1, len(further) - 1)]
            for _ in range(HALVINGS):
                middle = (low + high) / 2
                low, high = (middle, high) if self.one_sided(bar_at(middle)) > tail else (low, middle)
        return bar_at(high)
