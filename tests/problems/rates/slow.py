"""Question A the slow way: dense grids, every outcome, nothing shared with the package but the formulas."""

import numpy as np
from scipy import special, stats

from clearbar.core.counts import Counts

BETA = 1e-6
_GRID = np.unique(np.concatenate((np.sin(np.linspace(0, np.pi / 2, 161)) ** 2, np.logspace(-9, -3, 19))))
_DENSE = np.linspace(0, 1, 4001)
_HALVINGS = 38
_GOLDEN = (np.sqrt(5) - 1) / 2


class SlowTest:
    """All outcomes of class sizes P and N against a bar."""

    def __init__(self, measure, P, N, bar):
        self.sign = -1.0 if measure.greater_is_better is False else 1.0
        self.measure, self.P, self.N, self.bar = measure, P, N, self.sign * bar
        x, y = np.meshgrid(np.arange(P + 1.0), np.arange(N + 1.0), indexing="ij")
        self.x, self.y = x, y
        with np.errstate(all="ignore"):
            self.scores = self.sign * measure.values(x, y, P - x, N - y)
        self.T = self._signed_roots()
        self.curve = np.concatenate(
            ((_DENSE, self.curve_at(_DENSE, "a")), (self.curve_at(_DENSE, "b"), _DENSE)), axis=1
        )

    def height(self, a, b):
        a, b = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
        with np.errstate(all="ignore"):
            cells = self.P * a, self.N * b, self.P * (1 - a), self.N * (1 - b)
            return self.sign * self.measure.function(*cells, **self.measure.float_parameters()) - self.bar

    def curve_at(self, rate, which):
        """The other rate on the curve, by halving; nan where the curve has no such point."""
        rate = np.asarray(rate, dtype=float)
        low, high = np.zeros(rate.shape), np.ones(rate.shape)

        def above(other):
            pair = (rate, other) if which == "a" else (other, rate)
            h = self.height(*pair)
            nan = np.isnan(h)
            if nan.any():  # a corner or a side without value: what lies next to it
                inner = [np.clip(p, 1e-13, 1 - 1e-13) for p in pair]
                h = np.where(nan, self.height(*inner), h)
            return h > 0 if which == "a" else h < 0

        starts, ends = above(low), above(high)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            up = above(middle)
            low, high = np.where(up, middle, low), np.where(up, high, middle)
        return np.where(starts & ~ends, (low + high) / 2, np.nan)

    def deviance(self, a, b, x, y):
        def term(count, size, rate):
            rate = np.clip(rate, 1e-300, 1.0)
            return special.xlogy(count, count / np.maximum(size * rate, 1e-300))

        P, N = self.P, self.N
        d = term(x, P, a) + term(P - x, P, 1 - a) + term(y, N, b) + term(N - y, N, 1 - b)
        return np.where(np.isnan(d), np.inf, np.maximum(d, 0))

    def _least(self, which):
        """Least deviance over curve points indexed by one rate, by a dense grid and golden sections."""
        other = self.curve_at(_GRID, which)
        x, y = self.x.reshape(-1), self.y.reshape(-1)
        pairs = (_GRID, other) if which == "a" else (other, _GRID)
        d = self.deviance(pairs[0][:, None], pairs[1][:, None], x, y)
        d = np.where(np.isnan(other)[:, None], np.inf, d)
        best = np.argmin(d, axis=0)
        least = d.min(axis=0)

        def at(rate):
            other = self.curve_at(rate, which)
            a, b = (rate, other) if which == "a" else (other, rate)
            return np.where(np.isnan(other), np.inf, self.deviance(a, b, x, y))

        low, high = _GRID[np.maximum(best - 1, 0)], _GRID[np.minimum(best + 1, _GRID.size - 1)]
        for _ in range(24):
            one, two = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
            at_one, at_two = at(np.stack((one, two)))
            least = np.minimum(least, np.minimum(at_one, at_two))
            left = at_one < at_two
            low, high = np.where(left, low, one), np.where(left, two, high)
        return least

    def _signed_roots(self):
        least = np.minimum(self._least("a"), self._least("b")).reshape(self.x.shape)
        # An outcome without a value is ordered by what lies next to it.
        beside = (
            np.clip(count / max(size, 1), 1e-9, 1 - 1e-9)
            for count, size in ((self.x, self.P), (self.y, self.N))
        )
        h = np.where(np.isnan(self.scores), self.height(*beside), self.scores - self.bar)
        return np.where(np.abs(h) <= 1e-12, 0.0, np.sign(h) * np.sqrt(2 * least))

    def box(self, x, size):
        tail = (1 - np.sqrt(1 - BETA)) / 2
        low = stats.beta.ppf(tail, x, size - x + 1) if x > 0 else 0.0
        high = stats.beta.isf(tail, x + 1, size - x) if x < size else 1.0
        return low, high

    def p(self, x, y, *, above):
        """p of one side: the sup over a dense set of points of the null hypothesis inside the box."""
        t = self.T[x, y]
        if t == 0:
            return 1.0
        room = 1e-9 * max(1, abs(t))
        with np.errstate(invalid="ignore"):
            tail = (t - room <= self.T) if above else (t + room >= self.T)
        (low_a, high_a), (low_b, high_b) = self.box(x, self.P), self.box(y, self.N)
        edges_a, edges_b = np.array((low_a, high_a)), np.array((low_b, high_b))
        kinks = ((edges_a, self.curve_at(edges_a, "a")), (self.curve_at(edges_b, "b"), edges_b))
        a, b = np.concatenate((self.curve, *kinks), axis=1)
        with np.errstate(invalid="ignore"):
            kept = (a >= low_a) & (a <= high_a) & (b >= low_b) & (b <= high_b)
        inner = np.meshgrid(np.linspace(low_a, high_a, 15), np.linspace(low_b, high_b, 15))
        h = self.height(*inner)
        null = (h <= 0) if above else (h >= 0)
        a, b = (np.concatenate((on[kept], off[null])) for on, off in zip((a, b), inner, strict=True))
        worst = self._probability(tail, a, b).max() if a.size else 0.0
        return min(worst + BETA, 1.0)

    def _probability(self, tail, a, b):
        of_x = stats.binom.pmf(np.arange(self.P + 1), self.P, a[:, None])
        of_y = stats.binom.pmf(np.arange(self.N + 1), self.N, b[:, None])
        return np.einsum("ix,iy,xy->i", of_x, of_y, tail.astype(float), optimize=True)


def table(tp, fp, fn, tn):
    """Counts from cells in this order."""
    return Counts(tp=tp, fp=fp, fn=fn, tn=tn)
