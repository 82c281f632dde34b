"""Is a measure's true score a bar? The exact unconditional test of a function of two binomial rates.

Given the class sizes, TP ~ Bin(P, a) and FP ~ Bin(N, b) of a model that was fixed beforehand; its true score
is f(Pa, Nb, P(1 - a), N(1 - b)). Outcomes are ordered by the signed root T of the likelihood ratio against
the curve f(a, b) = bar (`level_curves`), and

    p = sup of P(T >= t) over the points of the curve inside a confidence box of (a, b), + BETA

(Berger and Boos, J. Amer. Statist. Assoc. 89, 1994). Ordered by the score itself, precision and its kin would
have no power; without the box the worst case is often far from the data. {T >= t} is an up-set in TP and a
down-set in FP, so that each TP has a largest FP, and so that the worst case is on the curve. The boundary is
the same for all points of the curve. It is found once; then the class whose count varies less is summed over,
and the other one enters by its cumulative probability.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Counts
from clearbar.inference.binomial import TINY, at_least, clopper_pearson, log_pmf, rate_deviance, smooth_cdf
from clearbar.inference.level_curves import Curves, Rows, depends_on, level_curves, signed_root, true_scores

# The sizes below keep p within 1e-5, and within 5e-3 of itself where it is "estimated" (docs/exactness.md).
BETA = 1e-6  # what a p-value pays for the box: the probability that the true rates lie outside it
BOX_TAIL = -np.expm1(0.5 * np.log1p(-BETA)) / 2  # of either side of both: (1 - sqrt(1 - BETA)) / 2
TIE = 1e-9  # outcomes with T as close to t, relative to it above 1, are in the tail: symmetries make ties

# Counts left out have less than exp(-26) = 5e-12 of a class's probability on either side: `windows` solves
# Bernstein's bound exp(-d^2 / (2 variance + 2 d / 3)) for the distance d from the mean.
_WINDOW = 26.0
# Counts of the first class that are summed one by one; aimed at where there are more; at most.
_FEW_ROWS, _USUAL_ROWS, _MOST_ROWS = 2048, 1024, 8000
_GRAINY = 4096  # counts of the second class up to which probabilities are cumulated one by one
_SMOOTH = 1e3  # standard deviation of both counts from which the tail is normal, within 1e-3 relative
_MANY_SAMPLES = 1e5  # samples from which fewer points of the curve are looked at
_EXACT_ROWS = 256  # rows up to which a boundary is checked more closely: rays are further apart than those
# How near to a whole number a boundary is checked, of few rows and of many: ties lie on it; and how near to
# the sides of the square it is, of few rows.
_NEAR_INTEGER, _BESIDE = (0.2, 0.02), 4.0
_RAYS, _RAY_STEPS = 64, 6  # rays on which the boundary is solved for, by so many steps of Newton
_MANY_POINTS, _FEW_POINTS = 41, 17  # points of the curve
_FANS = np.array((0.3, 0.05))  # steps between three points around each of the best two, one after the other
_TOGETHER, _CHUNK = 2**11, 2**19  # tables, and numbers, that are held in memory together


@dataclass(frozen=True)
class Tables(Rows):
    """Counts x of P and y of N, and the confidence boxes of their rates, one table per row.

    Where `swapped` the first class is the negative one: the one whose count varies less at the rate of the
    box that is nearest to 1/2 is summed over. Of very many samples it is the smaller one.
    """

    P: FloatArray
    N: FloatArray
    x: FloatArray
    y: FloatArray
    low_a: FloatArray
    low_b: FloatArray
    high_a: FloatArray
    high_b: FloatArray
    swapped: BoolArray

    @classmethod
    def of(cls, cells: FloatArray) -> Tables:
        """Tables given as rows tp, fp, fn, tn."""
        tp, fp, fn, tn = cells
        pair = [(size, x, *clopper_pearson(x, size, BOX_TAIL)) for size, x in ((tp + fn, tp), (fp + tn, fp))]
        nearest = [np.clip(0.5, low, high) for _, _, low, high in pair]
        varies = [of[0] * rate * (1.0 - rate) for of, rate in zip(pair, nearest, strict=True)]
        sizes = tp + fn, fp + tn
        swapped = np.where(sum(sizes) <= 1e9, varies[0] > varies[1], sizes[0] > sizes[1])
        columns = [np.where(swapped, both[::-1], both) for both in zip(*pair, strict=True)]
        (P, N), (x, y), (low_a, low_b), (high_a, high_b) = columns
        return cls(P, N, x, y, low_a, low_b, high_a, high_b, swapped)

    @property
    def box(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        return self.low_a, self.high_a, self.low_b, self.high_b

    def windows(self) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
        """First and last count of either class that matters at rates inside the box."""

        def window(size: FloatArray, *ends: FloatArray) -> tuple[FloatArray, FloatArray]:
            rates = np.stack(ends)
            variance, mean = size * rates * (1.0 - rates), size * rates
            half = _WINDOW / 3.0 + np.sqrt(_WINDOW**2 / 9.0 + 2.0 * _WINDOW * variance)
            first, last = np.floor((mean - half).min(axis=0)), np.ceil((mean + half).max(axis=0))
            return np.maximum(first, 0.0), np.minimum(last, size)

        return window(self.P, self.low_a, self.high_a), window(self.N, self.low_b, self.high_b)

    def least_deviations(self) -> FloatArray:
        """Least standard deviations of both counts inside the box."""
        low, high = np.stack((self.low_a, self.low_b)), np.stack((self.high_a, self.high_b))
        sizes = np.stack((self.P, self.N))
        return np.asarray(np.sqrt(sizes * np.minimum(low * (1.0 - low), high * (1.0 - high))))

    def are_smooth(self) -> BoolArray:
        """Whether both counts vary so much that tails are normal, and not summed."""
        return np.asarray(self.least_deviations().min(axis=0) > _SMOOTH)


@dataclass(frozen=True)
class Tests(Tables):
    """Is the true score of each table above its bar, or below? `t` is the table's T, 0 at the bar."""

    curves: Curves
    t: FloatArray
    single: IntArray  # the class that the measure reads, where it reads one alone; else -1


def make_tests(
    measures: Sequence[Measure], number: IntArray, tables: Tables, bars: FloatArray, scores: FloatArray
) -> Tests:
    """Tests of each row's measure; bars and scores of losses are negatives.

    Outcomes without a value count as what they lie next to: were they left out of a tail, its probability
    would be largest off the curve, and the worst case would be missed.
    """
    P, N, swapped = tables.P, tables.N, tables.swapped
    curves = level_curves(measures, number, P, N, bars, swapped)
    corner = np.where(swapped, 1.0, 0.0)[:, None]  # all right: the best point of the square
    best = true_scores(measures, number, swapped, (P, N), (1.0 - corner, corner))[:, 0]
    # A score that is its bar but for rounding has T = 0 and p = 1: else the sign of rounding would decide.
    distance = np.where(np.isfinite(best), np.abs(best - bars), 0.0)
    tied = np.abs(scores - bars) <= np.maximum(1e-12 * distance, 4 * np.spacing(np.abs(scores)))
    t = signed_root(curves, P, N, tables.x[:, None], tables.y[:, None])[:, 0]
    reads = np.array([("first", "second", "both").index(depends_on(measure)) for measure in measures])[number]
    single = np.where(reads < 2, reads ^ swapped, -1)
    return Tests(**vars(tables), curves=curves, t=np.where(tied, 0.0, t), single=single)


def boundary(tests: Tests, level: FloatArray, x: FloatArray) -> FloatArray:
    """Largest whole y with T(x, y) >= level, -1 where none, for x of shape (rows, counts).

    Interpolated between points of the boundary, one per ray; checked by T itself where that may be wrong.
    """
    N = tests.N[:, None]
    y, right = _along_rays(tests, level, x)
    y = np.where(right, y, np.clip(y, -1.0, N))
    few = (x[:, -1] - x[:, 0] < _EXACT_ROWS)[:, None]
    doubtful = ~right | (np.abs(y - np.rint(y)) < np.where(few, *_NEAR_INTEGER))
    # The likelihood is singular at the sides of the square.
    beside = np.where(few, _BESIDE, 1.0)
    doubtful |= (x < beside) | (x > tests.P[:, None] - beside) | (y < beside) | (y > N - beside)
    y = np.clip(np.floor(y), -1.0, N)
    first = np.argsort(~doubtful, axis=1, kind="stable")[:, : doubtful.sum(axis=1).max()]
    asked, guess = np.take_along_axis(x, first, axis=1), np.take_along_axis(y, first, axis=1)
    found = np.where(np.take_along_axis(doubtful, first, axis=1), _checked(tests, level, asked, guess), guess)
    np.put_along_axis(y, first, found, axis=1)
    return y


def _checked(tests: Tests, level: FloatArray, x: FloatArray, guess: FloatArray) -> FloatArray:
    """The same y by T: the guess where it is reached and the next is not, else found by halving."""
    most = np.broadcast_to(tests.N[:, None], x.shape)
    low, high = np.full(x.shape, -1.0), most.copy()
    for asked in (guess, guess + 1.0):
        T = signed_root(tests.curves, tests.P, tests.N, x, np.clip(asked, 0.0, most))
        reached = ((level[:, None] <= T) | (asked < 0)) & (asked <= most)
        low = np.where(reached, np.maximum(low, asked), low)
        high = np.where(reached, high, np.minimum(high, asked - 1.0))
    row, column = np.nonzero(high > low)
    # The guess is hardly ever off by more than one.
    middle = np.where(low > guess, low + 1.0, high)[row, column]
    while row.size:  # one outcome per row
        wrong = tests[row]
        T = signed_root(wrong.curves, wrong.P, wrong.N, x[row, column][:, None], middle[:, None])[:, 0]
        reached = level[row] <= T
        low[row, column] = np.where(reached, middle, low[row, column])
        high[row, column] = np.where(reached, high[row, column], middle - 1.0)
        left = high[row, column] > low[row, column]
        row, column = row[left], column[left]
        middle = np.ceil((low[row, column] + high[row, column]) / 2)
    return low


def _along_rays(tests: Tests, level: FloatArray, x: FloatArray) -> tuple[FloatArray, BoolArray]:
    """The same y as a real number, and where it is right but for the error of interpolation.

    The outcomes whose most likely point of the curve is (a, b) lie on a ray (Lagrange):
    (x - Pa) a'/(a(1-a)) + (y - Nb) b'/(b(1-b)) = 0. On each of some rays T = level is solved for; the slope
    of the boundary there is known, since T changes with the outcome alone where the point is the best one.
    """
    P, N, goal = tests.P[:, None], tests.N[:, None], level[:, None]
    # The part of the curve whose rays reach the counts that are looked at: on the scale of arcsin(sqrt(rate))
    # a count has the standard deviation 1 / (2 sqrt(P)) at any rate; T is a number of these, one is to spare.
    wide = (np.abs(goal) + 1.0) / 2.0 / np.sqrt(np.maximum(P, 1.0)) * (-1.0, 1.0)
    angles = np.arcsin(np.sqrt(np.clip(x[:, [0, -1]] / np.maximum(P, 1.0), 0.0, 1.0))) + wide
    none = np.zeros_like(level)
    low, high = (np.sin(np.clip(angles, 0.0, np.pi / 2)) ** 2).T
    first, last = tests.curves.arc(low, high, none, none + 1.0)
    start, stop = (np.arcsin(np.sqrt(end)) for end in (first, np.maximum(first, last)))
    on = tests.curves.points(np.sin(np.linspace(start, stop, _RAYS, axis=1)) ** 2)
    with np.errstate(all="ignore"):
        toward_x, toward_y = on.a * (1.0 - on.a) * on.db, on.b * (1.0 - on.b) * on.da
        mean_x, mean_y = P * on.a, N * on.b
        to_x = np.where(goal > 0, P - mean_x, mean_x) / toward_x
        to_y = np.where(goal > 0, mean_y, N - mean_y) / toward_y
        most = np.minimum(to_x, to_y)  # where the ray leaves the square
        way = np.minimum(np.abs(goal) / np.sqrt(toward_x * on.db / P + toward_y * on.da / N), most)
        sign = np.where(goal > 0, 1.0, -1.0)
        for _ in range(_RAY_STEPS):  # Newton on T^2 / 2, whose slope along a ray is that of the log odds
            ray_x = np.clip(mean_x + sign * way * toward_x, 0.0, P)
            ray_y = np.clip(mean_y - sign * way * toward_y, 0.0, N)
            T = np.sqrt(2.0 * (rate_deviance(ray_x, P, on.a) + rate_deviance(ray_y, N, on.b)))
            rise_x = np.log(ray_x * (1.0 - on.a) / ((P - ray_x) * on.a))
            rise_y = np.log(ray_y * (1.0 - on.b) / ((N - ray_y) * on.b))
            step = (np.abs(goal) - T) * T / (sign * (toward_x * rise_x - toward_y * rise_y))
            way = np.where(np.isfinite(step), np.clip(way + step, 0.0, most), way)
        slope = np.where(np.abs(goal) < 1e-4, N * on.db / (P * on.da), -rise_x / rise_y)
        good = (np.abs(T - np.abs(goal)) < 1e-7) & np.isfinite(step) & np.isfinite(slope) & (way < most)
        ray = (ray_x[:, None, :] <= x[:, :, None]).sum(axis=2) - 1
        inside = (ray >= 0) & (ray < _RAYS - 1)
        ray = np.clip(ray, 0, _RAYS - 2)

        def of(column: FloatArray, which: IntArray) -> Any:
            return np.take_along_axis(column, which, axis=1)

        # The cubic through both neighbours with the slopes there (Hermite).
        gap, rise = of(ray_x, ray + 1) - of(ray_x, ray), of(ray_y, ray + 1) - of(ray_y, ray)
        t, near, far = (x - of(ray_x, ray)) / gap, of(slope, ray) * gap, of(slope, ray + 1) * gap
        y = of(ray_y, ray) + t * (near + t * (3 * rise - 2 * near - far + t * (near + far - 2 * rise)))
        in_order = (np.diff(ray_x, axis=1) > 0).all(axis=1) & (tests.curves.side == 0)
        right = of(good, ray) & of(good, ray + 1) & inside & np.isfinite(y)
        right &= (in_order & ~np.isfinite(tests.curves.kink))[:, None]
        # Beyond the rays, or where they leave the square, on along the nearest one's tangent.
        distance = np.where(good[:, None, :], np.abs(ray_x[:, None, :] - x[:, :, None]), np.inf)
        nearest = np.argmin(distance, axis=2)
        tangent = of(ray_y, nearest) + of(slope, nearest) * (x - of(ray_x, nearest))
        return np.where(right, y, np.where(np.isfinite(tangent), tangent, -1.0)), right


class _Tail(NamedTuple):
    """The outcomes up to a boundary: for each x summed over, how many it stands for, and the largest y."""

    tests: Tests
    x: FloatArray
    share: FloatArray
    y: FloatArray

    def probability(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """P(Y <= y(X)) at rates of shape (rows, points)."""
        tests = self.tests
        weight = _pmf(self.x, self.share, tests.P, 0.5 * (tests.low_a + tests.high_a), a)
        first, last = tests.windows()[1]
        width = int((last - first).max()) + 1
        if width > _GRAINY:  # of all rows, or of none
            weight *= _smooth(self.y, tests.N, b)
        else:
            y = first[:, None] + np.arange(-1.0, width)  # the first one counts nothing
            counted = ((y >= first[:, None]) & (y <= tests.N[:, None])).astype(np.float64)
            y = np.clip(y, first[:, None], tests.N[:, None])
            below = np.cumsum(_pmf(y, counted, tests.N, 0.5 * (tests.low_b + tests.high_b), b), axis=0)
            place = np.clip(self.y - first[:, None] + 1.0, 0, width).astype(np.int64)
            weight *= below.reshape(-1, b.shape[1])[place.T * len(first) + np.arange(len(first))]
        return np.asarray(np.clip(weight.sum(axis=0), 0.0, 1.0))


def _pmf(count: FloatArray, share: FloatArray, size: FloatArray, base: FloatArray, rates: FloatArray) -> Any:
    """Probabilities, each `share` times, at rates of shape (rows, points): shape (counts, rows, points).

    Of shape (rows, counts) at one rate per row, exponentially tilted to the others.
    """
    size = size[:, None]
    # log p(x; r) = log p(x; base) + (x - n base) tilt - deviance of r at n base: one log pmf for all rates.
    # A base of 0 or 1 has no logarithm, so that it stays a quarter of a sample away.
    least = 0.25 / np.maximum(size, 1.0)
    base = np.clip(base[:, None], least, 1.0 - least)
    rates = np.clip(rates, 1e-270, 1.0 - 2.0**-53)
    log_base = log_pmf(count, size, base) + np.log(np.maximum(share, TINY))
    tilt = np.log(rates / base) - np.log((1.0 - rates) / (1.0 - base))
    logs = (count - size * base).T[:, :, None] * tilt
    logs += log_base.T[:, :, None]
    logs -= rate_deviance(size * base, size, rates)
    return np.exp(np.maximum(logs, -700.0, out=logs), out=logs)  # smaller numbers are slow


def _smooth(y: FloatArray, size: FloatArray, rates: FloatArray) -> FloatArray:
    """P(at most y) far from the lattice's grain, of shape (counts, rows, points)."""
    y, n = y.T[:, :, None], size[:, None]
    z = (y + 0.5 - n * rates) / np.sqrt(np.maximum(n * rates * (1.0 - rates), TINY))
    out = np.where(z > 0, 1.0, 0.0)
    near = np.nonzero(np.abs(z) < 9.0)
    out[near] = smooth_cdf(*(np.broadcast_to(column, z.shape)[near] for column in (y, n, rates)))
    return out


def _tails(tests: Tests, upper: BoolArray, known: FloatArray | None) -> Iterator[tuple[IntArray, _Tail]]:
    """Tails in chunks of like size; their boundaries are known, or found."""
    (first, last), (low, high) = tests.windows()
    step = np.ones_like(first)
    many = np.flatnonzero(last - first >= _FEW_ROWS)
    if many.size:
        step[many] = _stride(tests[many], (last - first)[many])
    size = (np.floor((last - first) / step) + 1.0).astype(np.int64)
    # What `probability` and `_worst` decide for all rows of a chunk at once.
    kind = 2 * (high - low < _GRAINY) + (tests.P + tests.N < _MANY_SAMPLES)
    cost = (size + np.minimum(high - low, _GRAINY).astype(np.int64)) * _MANY_POINTS
    order, start = np.lexsort((cost, kind)), 0
    for stop in range(1, order.size + 1):
        rows = order[start : stop + 1]
        alike = stop < order.size and kind[rows[-1]] == kind[rows[0]]
        if alike and cost[rows].max() * rows.size <= _CHUNK:
            continue
        rows, start = order[start:stop], stop
        chunk, place = tests[rows], np.arange(size[rows].max())
        x = first[rows, None] + step[rows, None] * np.minimum(place, size[rows, None] - 1)
        share = np.where(place < size[rows, None], step[rows, None], 0.0)
        if known is None:
            # Tables that mirror the observed one have its T but for rounding, and belong to its tail.
            room = TIE * np.maximum(1.0, np.abs(chunk.t))
            y = boundary(chunk, chunk.t + np.where(upper[rows], -room, room), x)
            # The observed outcome is in its tail, however T is rounded.
            edges = np.maximum(y, chunk.y[:, None]), np.minimum(y, chunk.y[:, None] - 1.0)
            y = np.where(x == chunk.x[:, None], np.where(upper[rows, None], *edges), y)
        else:
            y = known[rows, : place.size]
        yield rows, _Tail(chunk, x, share, y)


def boundaries(tests: Tests, upper: BoolArray) -> FloatArray:
    """Boundaries of tails whose counts are all summed: the largest y per x, padded by -1."""
    first, last = tests.windows()[0]
    size = (last - first).astype(np.int64) + 1
    # Where there is no curve nothing is as far out, and everything where the outcome is on it.
    up, found = upper ^ tests.swapped, np.isfinite(tests.t) & (tests.t != 0)
    y = np.where(up == (tests.t == 0), tests.N, -1.0)[:, None] * np.ones(size.max())
    y[found] = -1.0
    finite = np.flatnonzero(found)
    for rows, tail in _tails(tests[finite], up[finite], None):
        width = tail.y.shape[1]
        y[finite[rows], :width] = np.where(np.arange(width) < size[finite[rows], None], tail.y, -1.0)
    return y


def _stride(tests: Tests, width: FloatArray) -> FloatArray:
    """A stride far below the standard deviations along both classes.

    It is odd: the boundary is rounded down to whole counts, and an even stride would meet only every other of
    the steps of a boundary with slope 1/2.
    """
    sd_a, sd_b = tests.least_deviations()
    first, last = tests.curves.arc(*tests.box)
    ends = tests.curves.points(np.stack((np.minimum(first, last), last), axis=1))
    rise = tests.N * np.ptp(ends.b, axis=1) / np.maximum(tests.P * np.ptp(ends.a, axis=1), TINY)
    most = np.minimum(sd_a, sd_b / np.maximum(rise, TINY)) / 4.0
    most = np.maximum(np.minimum(most, width / _USUAL_ROWS), width / _MOST_ROWS)
    return np.asarray(2.0 * np.floor(np.maximum(most - 1.0, 0.0) / 2.0) + 1.0)


def one_sided(tests: Tests, upper: BoolArray, known: FloatArray | None = None) -> FloatArray:
    """P of "above" where `upper`, else of "below"; `known` boundaries take the place of that of t."""
    from scipy.special import ndtr

    upper = upper ^ tests.swapped
    beyond = np.where(upper, tests.t, -tests.t)  # how far the outcome is on the side that is asked about
    first, last = tests.curves.arc(*tests.box)
    # A box that the curve misses is on one side of it; so are all outcomes where there is no curve.
    p = np.where(beyond > 0, 0.0, 1.0)
    asked = np.isfinite(tests.t) & (tests.t != 0) & (first <= last)
    # The binomial tail of one rate, with no sup; of the second one, what is above is below.
    second = tests.single == 1
    count, size = np.where(second, (tests.y, tests.N), (tests.x, tests.P))
    rate = np.where(second, tests.curves.b0, tests.curves.a0)
    tail = np.where(upper ^ second, at_least(count, size, rate), at_least(size - count, size, 1.0 - rate))
    single, smooth = asked & (tests.single >= 0), asked & (tests.single < 0) & tests.are_smooth()
    p = np.where(single, tail, np.where(smooth, ndtr(-beyond), p))
    summed = np.flatnonzero(asked & ~smooth & ~single)
    if summed.size:
        found = _tails(tests[summed], upper[summed], None if known is None else known[summed])
        for rows, outcomes in found:
            place = summed[rows]
            p[place] = _worst(outcomes, upper[place], first[place], last[place])
    return np.minimum(p + BETA, 1.0)


def _worst(tail: _Tail, upper: BoolArray, first: FloatArray, last: FloatArray) -> FloatArray:
    """The largest probability over the curve inside the box: a grid, its kink, and finer around two peaks."""
    curves = tail.tests.curves
    first, width = first[:, None], (last - first)[:, None]

    def p_at(share: FloatArray) -> FloatArray:
        on = curves.points(first + width * share)
        below = tail.probability(on.a, on.b)
        return np.where(upper[:, None], below, 1.0 - below)

    many = tail.tests.P[0] + tail.tests.N[0] < _MANY_SAMPLES  # of all rows, or of none
    points = _MANY_POINTS if many else _FEW_POINTS
    p = p_at(np.broadcast_to(np.linspace(0.0, 1.0, points), (len(first), points)))
    worst: FloatArray = p.max(axis=1)
    kink = curves.kink[:, None]
    if np.isfinite(kink).any():
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.clip(np.nan_to_num((kink - first) / width, nan=0.0), 0.0, 1.0)
        worst = np.maximum(worst, p_at(share)[:, 0])
    if not many:
        return worst
    step = 1.0 / (points - 1)
    middle = _peaks(p) * step
    for apart in step * _FANS:
        # Three different points, also at an end: where two are one, the parabola leads away from a maximum.
        middle = np.clip(middle, apart, 1.0 - apart)
        fan = middle[:, :, None] + apart * np.array((-1.0, 0.0, 1.0))
        p = p_at(fan.reshape(len(p), -1))
        worst = np.maximum(worst, p.max(axis=1))
        middle = middle + apart * _vertex(*np.moveaxis(p.reshape(fan.shape), 2, 0))
    return np.asarray(np.maximum(worst, p_at(np.clip(middle, 0.0, 1.0)).max(axis=1)))


def _vertex(left: FloatArray, middle: FloatArray, right: FloatArray) -> FloatArray:
    """Where the parabola through three values is largest, at most one step off."""
    bend = left - 2.0 * middle + right
    with np.errstate(divide="ignore", invalid="ignore"):
        vertex = np.where(bend < 0, 0.5 * (left - right) / bend, np.sign(right - left))
    return np.asarray(np.clip(np.nan_to_num(vertex), -1.0, 1.0))


def _peaks(p: FloatArray) -> FloatArray:
    """Places of the two largest maxima between values along the last axis, in steps."""
    inner = p[:, 1:-1]
    is_top = (inner >= p[:, :-2]) & (inner >= p[:, 2:])
    is_top[:, [0, -1]] = True  # a maximum may lie between an end and the point beside it
    best = np.argsort(np.where(is_top, -inner, 1.0), axis=1, kind="stable")[:, :2]
    row = np.arange(len(p))[:, None]
    return np.asarray(best + 1 + _vertex(p[row, best], p[row, best + 1], p[row, best + 2]))


def p_values(measures: Sequence[Measure], counts: Counts, bars: Sequence[FloatArray]) -> FloatArray:
    """Two-sided p of each measure at its bars, of shape (measures, *counts.shape).

    nan where the score or the bar has no value.
    """
    by_measure = np.stack([np.broadcast_to(bar, counts.shape).reshape(-1) for bar in bars])
    cells = cells_of(counts)
    p = np.empty(by_measure.shape)
    tp, fp, fn, tn = cells
    order = np.lexsort((tp, fp, fp + tn, tp + fn))  # equal tables, and equal class sizes, side by side
    for start in range(0, order.size, _TOGETHER):
        cut = order[start : start + _TOGETHER]
        p[:, cut] = _of_tables(measures, cells[:, cut], by_measure[:, cut])
    return p.reshape(len(measures), *counts.shape)


def cells_of(counts: Counts) -> FloatArray:
    """Tables as rows tp, fp, fn, tn."""
    return np.stack([np.asarray(cell, dtype=np.float64).reshape(-1) for cell in counts.cells])


def _of_tables(measures: Sequence[Measure], cells: FloatArray, bars: FloatArray) -> FloatArray:
    """P per measure and table: equal tables have one box, and equal curves one test."""
    distinct, table = np.unique(cells, axis=1, return_inverse=True)
    table = table.reshape(-1)
    sign = np.array([-1.0 if measure.greater_is_better is False else 1.0 for measure in measures])[:, None]
    with np.errstate(all="ignore"):
        bars, scores = sign * bars, sign * np.stack([measure.values(*cells) for measure in measures])
    # Losses are negated, so that larger is better throughout.
    p = np.full(bars.shape, np.nan)
    number, column = defined = np.nonzero(np.isfinite(scores) & np.isfinite(bars))
    if number.size:
        tests = make_tests(
            measures, number, Tables.of(distinct)[table[column]], bars[defined], scores[defined]
        )
        # MCC, kappa and informedness at 0 have one curve, a = b, and so one test.
        keys = np.column_stack((table[column], tests.curves.keys(), tests.t == 0, tests.single))
        _, first, back = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        p[defined] = _two_sided(tests[first])[back.reshape(-1)]
    return p


def _two_sided(tests: Tests) -> FloatArray:
    """Twice the smaller p; that of the side on which the score does not lie only where it could be that."""
    above = (tests.t > 0) ^ tests.swapped
    p = one_sided(tests, above)
    doubtful = np.flatnonzero((p >= 0.5) & (tests.t != 0))
    if doubtful.size:
        p[doubtful] = np.minimum(p[doubtful], one_sided(tests[doubtful], ~above[doubtful]))
    return np.minimum(2.0 * p, 1.0)


def methods(counts: Counts) -> Any:
    """How the p-values and intervals of tables are found, an array like the counts.

    "exact" where every outcome is summed; "estimated" where one stands for its neighbours, or fewer points of
    the curve are looked at; "normal" where both counts vary so much that nothing is summed.
    """
    tables = Tables.of(cells_of(counts))
    first, last = tables.windows()[0]
    exact = (last - first < _FEW_ROWS) & (tables.P + tables.N < _MANY_SAMPLES)
    found = np.where(tables.are_smooth(), "normal", np.where(exact, "exact", "estimated"))
    return found.astype(object).reshape(counts.shape)
