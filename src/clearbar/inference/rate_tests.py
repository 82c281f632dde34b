"""Is a measure's true score a bar? The exact unconditional test of a function of two binomial rates.

Given the class sizes, TP ~ Bin(P, a) and FP ~ Bin(N, b) of a model that was fixed beforehand; its true score
is f(Pa, Nb, P(1 - a), N(1 - b)). Outcomes are ordered by the signed root T of the likelihood ratio against
the curve f(a, b) = bar (`level_curves`), and

    p = sup of P(T >= t) over the points of the curve inside a confidence box of (a, b), + BETA

(Berger and Boos, J. Amer. Statist. Assoc. 89, 1994). Ordered by the score itself, precision and its kin would
have no power; without the box the worst case is often far from the data. {T >= t} is an up-set in TP and a
down-set in FP, so that each TP has a largest FP, and so that the worst case is on the curve. This boundary is
the same for all points of the curve. It is found once; then the class whose count varies less is summed over,
and the other one enters by its cumulative probability.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.inference.binomial import (
    TINY,
    at_least,
    bracketed_root,
    clopper_pearson,
    rate_deviance,
    smooth_below,
    tilted_pmf,
)
from clearbar.inference.level_curves import (
    GRID,
    Columns,
    Curves,
    depends_on,
    level_curves,
    log_likelihood,
    signed_root,
    true_scores,
)

# The sizes below keep p within 1e-5, and within 5e-3 of itself where it is "estimated" (docs/exactness.md).
BETA = 1e-6  # what a p-value pays for the box: the probability that the true rates lie outside it
BOX_TAIL = -np.expm1(0.5 * np.log1p(-BETA)) / 2  # of either side of both: (1 - sqrt(1 - BETA)) / 2
TIE = 1e-9  # outcomes with T as close to t, relative to it above 1, are in the tail: symmetries make ties

# Counts left out have less than exp(-26) = 5e-12 of a class's probability on either side: `windows` solves
# Bernstein's bound exp(-d^2 / (2 variance + 2 d / 3)) for the distance d from the mean.
_WINDOW = 26.0
_SMOOTH = 1e3  # standard deviation of both counts from which the tail is normal, within 1e-3 relative
_AT_END = 1e-15  # how near to an end of the curve, as a share of it, no ray is looked at
_GUESSED, _CLOSE = 1.2, 1e-3  # how far off its level T may be on a ray that is guessed, or nearly found
_FOUND = 1e-7  # how far off its level T may be on a ray that was found
# Counts of the first class that are summed one by one; aimed at where there are more; at most.
FEW_ROWS, _USUAL_ROWS, _MOST_ROWS = 2048, 1024, 8000
_GRAINY = 4096  # counts of the second class up to which probabilities are cumulated one by one
MANY_SAMPLES = 1e5  # samples from which fewer points of the curve are looked at
_MANY_POINTS, _FEW_POINTS = 41, 17  # points of the curve
_FANS = np.array((0.3, 0.05))  # steps between three points around each of the best two, one after the other
# Numbers that are held in memory together: where tails end, and how likely they are.
_EDGES, _CHUNK = 2**20, 2**18


@dataclass(frozen=True)
class Tables(Columns):
    """Counts x of P and y of N, and the confidence boxes of their rates a and b, one table per row.

    The first class is the one whose count varies less at the rate of its box that is nearest to 1/2; of very
    many samples it is the smaller one. Mostly x is TP and y is FP. Where `mirrored` the first class is the
    negative one, x is TN and y is FN: scores rise with the one and fall with the other just as well.
    """

    P: FloatArray
    N: FloatArray
    x: FloatArray
    y: FloatArray
    low_a: FloatArray
    low_b: FloatArray
    high_a: FloatArray
    high_b: FloatArray
    mirrored: BoolArray

    @classmethod
    def of(cls, cells: FloatArray) -> Tables:
        """Tables given as rows tp, fp, fn, tn."""
        tp, fp, fn, tn = cells
        sizes, spreads = (tp + fn, fp + tn), []
        for count, size in zip((tp, fp), sizes, strict=True):
            rate = np.clip(0.5, *clopper_pearson(count, size, BOX_TAIL))
            spreads.append(size * rate * (1.0 - rate))
        mirrored = np.where(sum(sizes) <= 1e9, spreads[0] > spreads[1], sizes[0] > sizes[1])
        P, N = np.where(mirrored, sizes[::-1], sizes)
        x, y = np.where(mirrored, (tn, fn), (tp, fp))
        (low_a, high_a), (low_b, high_b) = clopper_pearson(x, P, BOX_TAIL), clopper_pearson(y, N, BOX_TAIL)
        return cls(P, N, x, y, low_a, low_b, high_a, high_b, mirrored)

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
    valueless: BoolArray  # whether no count of either class, and every one of both, has no score

    @property
    def valueless_above(self) -> BoolArray:
        """Which of these are left out of a tail above the bar."""
        return np.asarray(self.valueless & (self.t > 0)[:, None])


def make_tests(
    measures: Sequence[Measure], measure_index: IntArray, tables: Tables, bars: FloatArray, scores: FloatArray
) -> Tests:
    """Tests of each row's measure; bars and scores of losses are negatives.

    An outcome without a value (a corner) is above no bar; below one it counts as what it lies next to.
    """
    P, N, mirrored = tables.P, tables.N, tables.mirrored
    curves = level_curves(measures, measure_index, P, N, bars, mirrored)
    zero = np.zeros((P.size, 1))
    best = true_scores(measures, measure_index, mirrored, (P, N), (zero + 1.0, zero))[:, 0]
    # A score that is its bar but for rounding has T = 0 and p = 1: else the sign of rounding would decide.
    distance = np.where(np.isfinite(best), np.abs(best - bars), 0.0)
    tied = np.abs(scores - bars) <= np.maximum(1e-12 * distance, 4 * np.spacing(np.abs(scores)))
    t = signed_root(curves, P, N, tables.x[:, None], tables.y[:, None])[:, 0]
    rates_read = [("first", "second", "both").index(depends_on(measure)) for measure in measures]
    reads = np.array(rates_read)[measure_index]
    single = np.where(reads < 2, reads ^ mirrored, -1)
    corners = np.concatenate((zero, zero + 1.0), axis=1)
    valueless = np.isnan(true_scores(measures, measure_index, mirrored, (P, N), (corners, corners)))
    return Tests(**vars(tables), curves=curves, t=np.where(tied, 0.0, t), single=single, valueless=valueless)


def tail_edge(tests: Tests, upper: BoolArray, x: FloatArray) -> FloatArray:
    """Largest y for each x of shape (rows, counts) with T(x, y) >= t where `upper`, else with T(x, y) > t.

    -1 where there is none. Tables that mirror the observed one have its T but for rounding, so that the level
    is off t by TIE; and the observed one is in its tail, however T is rounded.
    """
    room = TIE * np.maximum(1.0, np.abs(tests.t))
    level = tests.t + np.where(upper, -room, room)
    y = np.full(x.shape, -1.0)
    finite = np.flatnonzero(np.isfinite(tests.t) & (tests.t != 0))
    if finite.size:
        y[finite] = _edge(tests[finite], level[finite], x[finite])
    # Where there is no curve nothing is as far out, and everything where the outcome is on it.
    empty, everything = ~np.isfinite(tests.t), tests.t == 0
    y[np.where(upper, everything, empty)] = tests.N[np.where(upper, everything, empty), None]
    observed = (x == tests.x[:, None]) & ~empty[:, None]
    edges = np.maximum(y, tests.y[:, None]), np.minimum(y, tests.y[:, None] - 1.0)
    return np.where(observed, np.where(upper[:, None], *edges), y)


def _edge(tests: Tests, level: FloatArray, x: FloatArray) -> FloatArray:
    """Largest whole y with T(x, y) >= level.

    The outcomes whose likeliest point of the curve is (a(s), b(s)) lie on a ray (Lagrange):
    (x - Pa) a'/(a(1-a)) + (y - Nb) b'/(b(1-b)) = 0. So the y of each x is a function of s, and T there falls
    with s: where it is the level is the edge. Where no ray reaches it, at the sides of the square, where the
    likelihood is singular, and where the curve has a corner, y is halved down to.
    """
    P, N = tests.P[:, None], tests.N[:, None]
    s, y, below = (column.reshape(x.shape) for column in _crossings(tests, level, x))
    curves = tests.curves
    # Beyond the first ray nothing is in the tail, and everything before the last one.
    before, after = s <= _AT_END, s >= 1.0 - _AT_END
    y = np.where(before, -1.0, np.where(after, N, y))
    doubtful = ~(before | after) & ~(np.abs(below) < _FOUND)
    # But for a count of 0 or P where the curve ends: there the end is the likeliest point.
    on_side = before & (x == 0) & (curves.a0 == 0)[:, None]
    on_side |= after & (x == P) & (curves.a0 + curves.wa >= 1.0 - _AT_END)[:, None]
    row, column = np.nonzero(on_side)
    if row.size:
        end = curves.b0[row] + np.where(after[row, column], curves.wb[row], 0.0)
        y[row, column] = _edge_of_one(level[row], tests.N[row], end)
    flat = (curves.constant_sign != 0) | (curves.wa == 0) | (curves.wb == 0)
    doubtful |= (flat | np.isfinite(curves.parting))[:, None]
    # The likelihood has one top along a line; along a curve a further one may be higher.
    bent = np.flatnonzero(~curves.lines)
    if bent.size:
        sizes, outcomes = (P[bent], N[bent]), (x[bent], np.clip(y[bent], 0.0, N[bent]))
        top = log_likelihood(curves[bent].points(GRID), *sizes, *outcomes).max(axis=2)
        here = log_likelihood(curves[bent].points(s[bent]), *sizes, *outcomes, each=True)
        # That leaves fewer outcomes above the bar, and more below it.
        settled = np.where(level[bent, None] > 0, y[bent] < 0, y[bent] >= N[bent])
        doubtful[bent] |= ~(settled | (top <= here + TIE * np.abs(here)))
    y, (row, column) = np.clip(np.floor(y), -1.0, N), np.nonzero(doubtful)
    if row.size:  # what fills up the counts of a test are repetitions
        points = np.stack((row, x[row, column]))
        _, first, back = np.unique(points, axis=1, return_index=True, return_inverse=True)
        rows, guess = row[first], y[row, column][first]
        y[row, column] = _halved(tests[rows], level[rows], points[1, first], guess)[back.reshape(-1)]
    return y


def _ray(
    s: FloatArray, level: FloatArray, curves: Curves, P: FloatArray, N: FloatArray, x: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Y of each x whose likeliest point is the curve's at s, and how far T there is below the level."""
    on = curves.points(s)
    with np.errstate(all="ignore"):
        # (x - Pa) / (a (1 - a)), where a may be 0 or 1 if so is x / P.
        slope = np.where(x > 0, x / on.a, 0.0) - np.where(x < P, (P - x) / (1.0 - on.a), 0.0)
        y = N * on.b - slope * on.da * on.b * (1.0 - on.b) / on.db
        lacking = rate_deviance(x, P, on.a) + rate_deviance(np.clip(y, 0.0, N), N, on.b)
        return y, level - np.copysign(np.sqrt(2.0 * lacking), x - P * on.a)


def _crossings(tests: Tests, level: FloatArray, x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """S and y of the ray on which T is the level, and T there, for each x, as columns.

    Only the whole number below y is asked for: mostly a ray near the crossing tells it.
    """
    row = np.repeat(np.arange(len(x)), x.shape[1])
    columns = level[row, None], tests.curves[row], tests.P[row, None], tests.N[row, None], x.reshape(-1, 1)
    s, y, below = np.repeat(((0.5,), (-1.0,), (0.0,)), row.size, axis=1)[:, :, None]
    # No crossing is looked for beyond the counts of the second class (T falls with s, and y rises), and where
    # the last count is repeated, as what fills up the counts of a test.
    (low, high), outside = _around(tests, level, x), np.diff(x, prepend=-1.0).reshape(-1, 1) <= 0
    for end in (low, high):
        of_end, falls = _ray(end, *columns)
        none, every = (falls > 0) & (of_end < 0), (falls <= 0) & (of_end >= columns[3])
        y = np.where(none, -1.0, np.where(every, columns[3], y))
        outside |= none | every
    left = np.flatnonzero(~outside)
    remaining: Any = [column[left] for column in columns]
    s[left] = bracketed_root(lambda s, *of: _ray(s, *of)[1], low[left], high[left], remaining, close=_CLOSE)
    y[left], below[left] = _ray(s[left], *remaining)
    step, sure = _last_step(s[left], y[left], below[left], *remaining)
    y[left], below[left] = y[left] + step, 0.0
    again = left[~sure[:, 0]]
    if again.size:
        remaining = [column[again] for column in columns]
        ends = np.full((again.size, 1), _AT_END), np.full((again.size, 1), 1.0 - _AT_END)
        s[again] = bracketed_root(lambda s, *of: _ray(s, *of)[1], *ends, remaining, 1e-14)
        y[again], below[again] = _ray(s[again], *remaining)
    return s, y, below


def _last_step(
    s: FloatArray,
    y: FloatArray,
    below: FloatArray,
    level: FloatArray,
    curves: Curves,
    _: Any,
    N: FloatArray,
    __: Any,
) -> tuple[FloatArray, BoolArray]:
    """Newton's step in y from rays near their crossings, and whether it surely leads to the right side.

    A ray is the likeliest of its outcome, so that T^2/2 changes with y as the deviance at its point does.
    """
    b, T = curves.points(s).b, level - below
    with np.errstate(all="ignore"):
        rise, bend = np.log(y / (N - y)) - np.log(b / (1.0 - b)), 1.0 / y + 1.0 / (N - y)
        step = below * T / rise
        room = 1e-6 + 2.0 * step**2 * (bend + (rise / T) ** 2) / np.abs(rise)
        sure = np.abs(y + step - np.rint(y + step)) > room
    sure &= (np.abs(below) <= _CLOSE) & (y > 0.5) & (y < N - 0.5)
    ended = np.where(below > 0, s <= _AT_END, s >= 1.0 - _AT_END)
    return np.where(sure, step, 0.0), sure | ended


def _around(tests: Tests, level: FloatArray, x: FloatArray) -> Iterator[FloatArray]:
    """Rays of each x on either side of where T is about the level, as columns.

    Measured in arcsines of square roots of shares, T is nearly the distance from the curve.
    """
    P, N, curves = tests.P[:, None], tests.N[:, None], tests.curves
    with np.errstate(all="ignore"):
        on = curves.points(np.clip((x / P - curves.a0[:, None]) / curves.wa[:, None], 1e-6, 1.0 - 1e-6))
        lean = P * on.da**2 * on.b * (1.0 - on.b) / (N * on.db**2 * on.a * (1.0 - on.a))
        for T in (level + _GUESSED, level - _GUESSED):
            angle = np.arcsin(np.sqrt(x / P)) - 0.5 * T[:, None] / np.sqrt(P * (1.0 + lean))
            s = (np.sin(np.clip(angle, 0.0, np.pi / 2)) ** 2 - curves.a0[:, None]) / curves.wa[:, None]
            yield np.clip(np.nan_to_num(s, nan=0.5), _AT_END, 1.0 - _AT_END).reshape(-1, 1)


def _edge_of_one(level: FloatArray, N: FloatArray, rate: FloatArray) -> FloatArray:
    """Largest y whose own signed root, of a class whose rate is known, is at least the level."""

    def below(y: FloatArray, level: FloatArray, N: FloatArray, rate: FloatArray) -> FloatArray:
        return level - np.copysign(np.sqrt(2.0 * rate_deviance(y, N, rate)), N * rate - y)

    none, ones = np.zeros_like(N), (level, N, rate)
    return np.where(below(none, *ones) > 0, -1.0, bracketed_root(below, none, N, ones, 1e-14))


def _halved(tests: Tests, level: FloatArray, x: FloatArray, guess: FloatArray) -> FloatArray:
    """The same for one x per test, by halving; whether the guess is right is looked at before."""
    low, high, first = np.full(x.shape, -1.0), tests.N.copy(), [guess, guess + 1.0]
    left = np.flatnonzero(high > low)
    while left.size:
        middle, remaining = np.ceil((low[left] + high[left]) / 2), tests[left]
        if first:
            middle = np.clip(first.pop()[left], low[left] + 1.0, high[left])
        T = signed_root(remaining.curves, remaining.P, remaining.N, x[left, None], middle[:, None])[:, 0]
        reached = level[left] <= T
        low[left] = np.where(reached, middle, low[left])
        high[left] = np.where(reached, high[left], middle - 1.0)
        left = left[high[left] > low[left]]
    return low


# -- how likely the tail is ------------------------------------------------------------------------------
def _below_edge(tests: Tests, x: FloatArray, share: FloatArray, edge: FloatArray) -> Callable[..., Any]:
    """P(Y <= edge(X)), each x standing for `share` counts: a function of rates of shape (rows, points)."""
    of_x = tilted_pmf(x, share, tests.P, 0.5 * (tests.low_a + tests.high_a))
    first, last = tests.windows()[1]
    width = int((last - first).max()) + 1
    if width > _GRAINY:  # of all rows, or of none
        return lambda a, b: np.clip((of_x(a) * smooth_below(edge, tests.N, b)).sum(axis=0), 0.0, 1.0)
    y = first[:, None] + np.arange(-1.0, width)  # the first one counts nothing
    counted = ((y >= first[:, None]) & (y <= tests.N[:, None])).astype(np.float64)
    of_y = tilted_pmf(y, counted, tests.N, 0.5 * (tests.low_b + tests.high_b))
    place = np.clip(edge - first[:, None] + 1.0, 0, width).astype(np.int64).T
    place = place * len(first) + np.arange(len(first))

    def probability(a: FloatArray, b: FloatArray) -> FloatArray:
        weight, below = of_x(a), of_y(b)
        for before, here in itertools.pairwise(below):  # some times as fast as NumPy's cumsum
            here += before  # noqa: PLW2901 - in place
        weight *= below.reshape(-1, b.shape[1])[place]
        return np.asarray(np.clip(weight.sum(axis=0), 0.0, 1.0))

    return probability


def _lattices(tests: Tests) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
    """Counts x of each test that are summed over, and how many each stands for, in chunks of like size."""
    (first, last), (low, high) = tests.windows()
    step = np.ones_like(first)
    many = np.flatnonzero(last - first >= FEW_ROWS)
    if many.size:
        step[many] = _stride(tests[many], (last - first)[many])
    size = (np.floor((last - first) / step) + 1.0).astype(np.int64)
    # What `_below_edge` and `_worst` decide for all rows of a chunk at once.
    kind = 2 * (high - low < _GRAINY) + (tests.P + tests.N < MANY_SAMPLES)
    cost = (size + np.minimum(high - low, _GRAINY).astype(np.int64)) * _MANY_POINTS
    order, start = np.lexsort((cost, kind)), 0
    for stop in range(1, order.size + 1):
        rows = order[start : stop + 1]
        alike = stop < order.size and kind[rows[-1]] == kind[rows[0]]
        if not (alike and cost[rows].max() * rows.size <= _EDGES):
            rows, start = order[start:stop], stop
            place = np.arange(size[rows].max())
            x = first[rows, None] + step[rows, None] * np.minimum(place, size[rows, None] - 1)
            yield rows, x, np.where(place < size[rows, None], step[rows, None], 0.0)


def _stride(tests: Tests, width: FloatArray) -> FloatArray:
    """A stride far below the standard deviations along both classes.

    It is odd: the edge is rounded down to whole counts, and an even stride would meet only every other of the
    steps of an edge with slope 1/2.
    """
    sd_a, sd_b = tests.least_deviations()
    first, last = tests.curves.arc(*tests.box)
    ends = tests.curves.points(np.stack((np.minimum(first, last), last), axis=1))
    rise = tests.N * np.ptp(ends.b, axis=1) / np.maximum(tests.P * np.ptp(ends.a, axis=1), TINY)
    most = np.minimum(sd_a, sd_b / np.maximum(rise, TINY)) / 4.0
    most = np.maximum(np.minimum(most, width / _USUAL_ROWS), width / _MOST_ROWS)
    return np.asarray(2.0 * np.floor(np.maximum(most - 1.0, 0.0) / 2.0) + 1.0)


def tail_edges(tests: Tests, upper: BoolArray) -> FloatArray:
    """Edges of the tails of tests whose counts are all summed, shape (tests, counts)."""
    first, last = tests.windows()[0]
    edges = np.full((len(first), int((last - first).max()) + 1), -1.0)
    for rows, x, _ in _lattices(tests):
        edges[rows, : x.shape[1]] = tail_edge(tests[rows], upper[rows], x)
    return edges


def one_sided(tests: Tests, upper: BoolArray, edges: FloatArray | None = None) -> FloatArray:
    """P of "above" where `upper`, else of "below"; of tails with these `edges`, if they are given."""
    from scipy.special import ndtr

    beyond = np.where(upper, tests.t, -tests.t)  # how far the outcome is on the side that is asked about
    first, last = tests.curves.arc(*tests.box)
    # A box that the curve misses is on one side of it; so are all outcomes where there is no curve.
    p = np.where(beyond > 0, 0.0, 1.0)
    tested = np.isfinite(tests.t) & (tests.t != 0) & (first <= last)
    # The binomial tail of one rate, with no sup; of the second one, what is above is below.
    second = tests.single == 1
    count, size = np.where(second, (tests.y, tests.N), (tests.x, tests.P))
    rate = np.where(second, tests.curves.b0, tests.curves.a0)
    tail = np.where(upper ^ second, at_least(count, size, rate), at_least(size - count, size, 1.0 - rate))
    single, smooth = tested & (tests.single >= 0), tested & (tests.single < 0) & tests.are_smooth()
    p = np.where(single, tail, np.where(smooth, ndtr(-beyond), p))
    summed = np.flatnonzero(tested & ~smooth & ~single)
    for chunk, x, share in _lattices(tests[summed]) if summed.size else ():
        rows = summed[chunk]
        edge = tail_edge(tests[rows], upper[rows], x) if edges is None else edges[rows, : x.shape[1]]
        for part in np.array_split(np.arange(rows.size), 1 + rows.size * x.shape[1] * _MANY_POINTS // _CHUNK):
            cut = rows[part]
            p[cut] = _worst(tests[cut], upper[cut], x[part], share[part], edge[part], first[cut], last[cut])
    return np.minimum(p + BETA, 1.0)


def _worst(
    tests: Tests,
    upper: BoolArray,
    x: FloatArray,
    share: FloatArray,
    edge: FloatArray,
    first: FloatArray,
    last: FloatArray,
) -> FloatArray:
    """The largest probability over the curve inside the box: a grid, its kink, and finer around two peaks."""
    first, width, P, N = first[:, None], (last - first)[:, None], tests.P[:, None], tests.N[:, None]
    reached = np.stack((((x == 0) & (edge >= 0)).any(axis=1), ((x == P) & (edge >= N)).any(axis=1)))
    none, every = (reached & tests.valueless_above.T & upper)[:, :, None]
    below_edge = _below_edge(tests, x, share, edge)

    def p_at(place: FloatArray) -> FloatArray:
        on = tests.curves.points(first + width * place)
        below = below_edge(on.a, on.b)
        if none.any() or every.any():
            below -= none * (1.0 - on.a) ** P * (1.0 - on.b) ** N + every * on.a**P * on.b**N
        return np.asarray(np.where(upper[:, None], below, 1.0 - below))

    many = tests.P[0] + tests.N[0] < MANY_SAMPLES  # of all rows, or of none
    points = _MANY_POINTS if many else _FEW_POINTS
    p = p_at(np.broadcast_to(np.linspace(0.0, 1.0, points), (len(first), points)))
    worst: FloatArray = p.max(axis=1)
    if np.isfinite(tests.curves.kink).any():
        with np.errstate(divide="ignore", invalid="ignore"):
            kink = np.nan_to_num((tests.curves.kink[:, None] - first) / width, nan=0.0)
        worst = np.maximum(worst, p_at(np.clip(kink, 0.0, 1.0))[:, 0])
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
