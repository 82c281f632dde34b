"""Question A the slow way: dense grids, every outcome, nothing shared with the package but the formulas."""

import numpy as np
from scipy import special, stats

import clearbar as cb
from clearbar.inference.two_rates import intervals, p_values

BETA = 1e-6
_GRID = np.unique(np.concatenate((np.sin(np.linspace(0, np.pi / 2, 161)) ** 2, np.logspace(-9, -3, 19))))
_DENSE = np.linspace(0, 1, 2001)
_HALVINGS = 38
_STEPS = np.linspace(0, 1, 17)[:, None]


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
        """Least deviance over points of the curve by one rate: a grid, and finer ones around its best."""
        other = self.curve_at(_GRID, which)
        x, y = self.x.reshape(-1), self.y.reshape(-1)
        pairs = (_GRID, other) if which == "a" else (other, _GRID)
        d = self.deviance(pairs[0][:, None], pairs[1][:, None], x, y)
        d = np.where(np.isnan(other)[:, None], np.inf, d)
        best, least = np.argmin(d, axis=0), d.min(axis=0)

        def at(rate):
            other = self.curve_at(rate, which)
            a, b = (rate, other) if which == "a" else (other, rate)
            return np.where(np.isnan(other), np.inf, self.deviance(a, b, x, y))

        low, high = _GRID[np.maximum(best - 1, 0)], _GRID[np.minimum(best + 1, _GRID.size - 1)]
        columns = np.arange(x.size)
        for _ in range(5):  # each time eight times as close
            rates = low + (high - low) * _STEPS
            d = at(rates)
            best, least = np.argmin(d, axis=0), np.minimum(least, d.min(axis=0))
            low = rates[np.maximum(best - 1, 0), columns]
            high = rates[np.minimum(best + 1, len(rates) - 1), columns]
        return least

    def _signed_roots(self):
        least = np.minimum(self._least("a"), self._least("b")).reshape(self.x.shape)
        # An outcome without a value is ordered by what lies next to it, but above no bar (see `p`).
        beside = (
            np.clip(count / max(size, 1), 1e-9, 1 - 1e-9)
            for count, size in ((self.x, self.P), (self.y, self.N))
        )
        h = np.where(np.isnan(self.scores), self.height(*beside), self.scores - self.bar)
        return np.where(np.abs(h) <= 1e-12, 0.0, np.sign(h) * np.sqrt(2 * least))

    def p(self, x, y):
        """p above and p below of the outcomes: the sup over a dense set of the null inside their boxes."""
        t = self.T[x, y][:, None, None]
        room = 1e-9 * np.maximum(1, np.abs(t))
        with np.errstate(invalid="ignore"):
            tails = (t - room <= self.T) & ~(np.isnan(self.scores) & (t > 0)), (t + room >= self.T)
        ends_a, ends_b = box(x, self.P), box(y, self.N)
        a, b = self.curve[:, ~np.isnan(self.curve).any(axis=0), None]
        kept = (a >= ends_a[0]) & (a <= ends_a[1]) & (b >= ends_b[0]) & (b <= ends_b[1])
        joint = (pmf(a, self.P)[..., :, None] * pmf(b, self.N)[..., None, :]).reshape(len(a), -1)
        found = []
        for tail, null in zip(tails, (np.less_equal, np.greater_equal), strict=True):
            on = np.where(kept, joint @ tail.reshape(len(x), -1).T.astype(float), 0.0).max(axis=0, initial=0)
            worst = np.maximum(on, self._near(tail, null, ends_a, ends_b))
            found.append(np.where(self.T[x, y] == 0, 1.0, np.minimum(worst + BETA, 1.0)))
        return found

    def _near(self, tail, null, ends_a, ends_b):
        """The largest probability of each tail where the curve leaves its box, and on a grid inside."""
        kinks = ((ends_a, self.curve_at(ends_a, "a")), (self.curve_at(ends_b, "b"), ends_b))
        a, b = np.concatenate(kinks, axis=1)
        with np.errstate(invalid="ignore"):
            held = (a >= ends_a[0]) & (a <= ends_a[1]) & (b >= ends_b[0]) & (b <= ends_b[1])
        shares = (side.reshape(-1, 1) for side in np.meshgrid(*[np.linspace(0, 1, 15)] * 2))
        inner = [low + (high - low) * s for (low, high), s in zip((ends_a, ends_b), shares, strict=True)]
        with np.errstate(invalid="ignore"):
            held = np.concatenate((held, null(self.height(*inner), 0)))
        a, b = (np.concatenate((rim, own)) for rim, own in zip((a, b), inner, strict=True))
        of_x, of_y = pmf(a.T, self.P), pmf(b.T, self.N)  # outcomes, points, counts
        chance = ((of_x @ tail.astype(float)) * of_y).sum(axis=-1)
        return np.where(held.T, chance, 0.0).max(axis=1)


def box(count, size):
    """Clopper and Pearson's ends."""
    tail = (1 - np.sqrt(1 - BETA)) / 2
    low = np.where(count > 0, stats.beta.ppf(tail, np.maximum(count, 1), size - count + 1), 0.0)
    high = np.where(count < size, stats.beta.isf(tail, count + 1, np.maximum(size - count, 1)), 1.0)
    return np.array((low, high))


def pmf(rate, size):
    """The binomial law, in a last axis."""
    ways, count = special.comb(size, np.arange(size + 1)), np.arange(size + 1)
    return ways * rate[..., None] ** count * (1 - rate[..., None]) ** (size - count)


def table(tp, fp, fn, tn):
    """Counts from cells in this order."""
    return cb.Counts(tp=tp, fp=fp, fn=fn, tn=tn)


def p_of(measure, counts, bar):
    """Two-sided p of one measure."""
    return p_values([measure], counts, [bar])[0]


def interval(measure, counts, level=0.95):
    """Ends of the interval of one measure."""
    low, high = intervals([measure], counts, level)
    return low[0], high[0]


def bar_of(measure, P, N, source):
    """The blind bar or as often the score of two random rates; nan where all tables score the same."""
    bar, scores = float(cb.baseline(cb.Population(P + N, P), measure)), measure(every_table(P, N))
    scores = scores[np.isfinite(scores)]
    if np.unique(scores).size < 2:
        return np.nan
    while not scores.min() < bar < scores.max() or source.random() < 0.5:
        a, b = source.uniform(0.1, 0.9, 2)
        bar = float(measure(tp=P * a, fp=N * b, fn=P * (1 - a), tn=N * (1 - b)))
    return bar


def every_table(P, N):
    """All outcomes of class sizes P and N."""
    x, y = np.indices((P + 1, N + 1))
    return table(x, y, P - x, N - y)


def differences(measure, P, N, bar, x, y):
    """By how much our p exceeds the slow one, before it is doubled; nan where there is no score."""
    slow = SlowTest(measure, P, N, bar)
    above, below = slow.p(x, y)
    fast = p_of(measure, table(x, y, P - x, N - y), bar)
    unknown, T = ~np.isfinite(slow.scores[x, y]), slow.T[x, y]
    assert (np.isnan(fast) == unknown).all(), (measure.name, P, N, bar)
    two_sided = np.where(T == 0, 1.0, np.minimum(2 * np.minimum(above, below), 1.0))
    return np.where(unknown, np.nan, (fast - two_sided) / 2)
