"""The interval of the true score: the hull of the bars that the test of two rates does not refute.

Each end is looked for along a path of true rates, straight from the observed ones to the worst corner (lower
ends) or the best one; its bars are the true scores on it. Where tables are large p follows T, so that a few
steps in T lead to the end. Where they are small p is not monotone: it jumps as outcomes enter or leave the
tail. Between two bars all tails lie within the union of both, whose probability at the nearer bar bounds p
in between. What the bound does not clear is split, the outermost part first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Counts
from clearbar.inference.binomial import bracketed_root, clopper_pearson
from clearbar.inference.true_scores import depends_on, true_score
from clearbar.inference.two_rates import BETA, Tables, Tests, boundaries, cells_of, make_tests, one_sided

_JUMPY = 4e4, 2.5e3
"""Tables (P times N), and product of the variances of TP and FP, up to which jumps are looked for."""
_NEARER, _LAST = 20.0, 14.0
"""Paths go from the logit of one part in M * _NEARER of the way to the logit _LAST."""
_PARTS = 10
_PLACES = 44
_AROUND = np.array((-0.3, -0.08, -0.03, 0.0, 0.03, 0.08, 0.2, 0.5, 1.0, 2.0))
"""Distances in T from where an end is expected to the bars that are looked at first."""
_WIDTH = 1e-6
"""Ends are found to this, in logits."""
_ROUNDS = 400
_STEPS = 3
_FURTHER = np.array((0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.5))
"""How much further than a bar's T worse bars are looked at."""
_BETWEEN = 101
"""Bars that are looked at between a bar that is refuted and the worst that is not."""
_JUMP = 0.8
"""How far one p may be above that of a better bar: the chance of one count at the tail's edge, times this.

The furthest seen is 0.54, among some 13,000 tables of 2 to 600 samples at levels of 0.1, 0.05 and 0.01.
"""


@dataclass(frozen=True)
class _Paths:
    """One end of an interval per row: of which measure, table, and side; losses negative."""

    measures: tuple[Measure, ...]
    number: IntArray
    tables: Tables
    upper: BoolArray
    score: FloatArray

    @classmethod
    def of(cls, measures: Sequence[Measure], number: IntArray, tables: Tables, upper: BoolArray) -> _Paths:
        """Paths from the observed scores."""
        paths = cls(tuple(measures), number, tables, upper, np.empty(0))
        return replace(paths, score=paths.bars(np.zeros(number.size)))

    def __getitem__(self, rows: Any) -> _Paths:
        """Select paths by their numbers."""
        return _Paths(self.measures, self.number[rows], self.tables[rows], self.upper[rows], self.score[rows])

    def bars(self, share: FloatArray) -> FloatArray:
        """Bars at a share of the way from the observed rates to the worst or best corner."""
        tables, out = self.tables, np.empty(share.shape)
        to_first = (self.upper ^ tables.swapped).astype(np.float64)
        first, second = tables.x / np.maximum(tables.P, 1.0), tables.y / np.maximum(tables.N, 1.0)
        first, second = first + share * (to_first - first), second + share * (1.0 - to_first - second)
        a, b = np.where(tables.swapped, (second, first), (first, second))
        P, N = np.where(tables.swapped, (tables.N, tables.P), (tables.P, tables.N))
        for number in np.unique(self.number):
            rows = np.flatnonzero(self.number == number)
            out[rows] = true_score(self.measures[number], P[rows], N[rows], a[rows], b[rows])
        return out

    def tests(self, logit: FloatArray) -> Tests:
        """The tests of bars at these logits of the share of the way."""
        return make_tests(
            self.measures, self.number, self.tables, self.bars(1.0 / (1.0 + np.exp(-logit))), self.score
        )

    def p(self, logit: FloatArray) -> FloatArray:
        """P of the side on which the score lies."""
        return one_sided(self.tests(logit), ~self.upper)

    @property
    def start(self) -> FloatArray:
        """The first logit."""
        return np.asarray(-np.log(_NEARER * np.maximum(self.tables.P + self.tables.N, 1.0)))

    @property
    def jumpy(self) -> BoolArray:
        """Whether so few outcomes are likely that p jumps as one of them enters or leaves the tail."""
        size, variances = _JUMPY
        tables = self.tables
        of_x, of_y = (
            1.0 + count * (1.0 - count / np.maximum(of, 1.0))
            for count, of in ((tables.x, tables.P), (tables.y, tables.N))
        )
        return np.asarray((size >= tables.P * tables.N) | (of_x * of_y <= variances))


def _share(logit: FloatArray) -> FloatArray:
    """The share of the way that an end is: all of it where nothing is refuted up to the last bar."""
    return np.where(logit > _LAST - 1e-5, 1.0, 1.0 / (1.0 + np.exp(-logit)))


def intervals(
    measures: Sequence[Measure], counts: Counts, level: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Ends of the intervals of several measures' true scores, shape (measures, *counts.shape)."""
    cells, table = np.unique(cells_of(counts), axis=1, return_inverse=True)
    grid = np.meshgrid(np.arange(len(measures)), np.arange(cells.shape[1]), (False, True), indexing="ij")
    number, column, upper = (part.reshape(-1) for part in grid)
    paths = _Paths.of(measures, number, Tables.of(cells)[column], upper)
    reads = np.array([depends_on(measure) for measure in measures])[number]
    bars, tail = np.full(number.size, np.nan), (1.0 - level) / 2
    for which in ("first", "second"):
        rows = np.flatnonzero(np.isfinite(paths.score) & (reads == which))
        if rows.size:
            bars[rows] = _ends_of_one_rate(paths[rows], tail, is_first=which == "first")
    rows = np.flatnonzero(np.isfinite(paths.score) & (reads == "both"))
    if rows.size:
        bars[rows] = _ends(paths[rows], tail)
    lower, upper = bars.reshape(len(measures), -1, 2)[:, table.reshape(-1)].transpose(2, 0, 1)
    loss = np.array([measure.greater_is_better is False for measure in measures])[:, None]
    low, high = np.where(loss, -upper, lower), np.where(loss, -lower, upper)
    shape = (len(measures), *counts.shape)
    return low.reshape(shape) + 0.0, high.reshape(shape) + 0.0  # no zero is negative


def _ends_of_one_rate(paths: _Paths, tail: float, *, is_first: bool) -> FloatArray:
    """Clopper and Pearson's limits, at a tail of BETA less, which is part of every p."""
    tables = paths.tables
    first = tables.swapped ^ is_first
    count, size = np.where(first, (tables.x, tables.P), (tables.y, tables.N))
    low, high = clopper_pearson(count, size, tail - BETA)
    rate = np.where(paths.upper == is_first, high, low)  # of the negative class less is better
    out = np.empty(rate.shape)
    P, N = np.where(tables.swapped, (tables.N, tables.P), (tables.P, tables.N))
    for number in np.unique(paths.number):
        rows = np.flatnonzero(paths.number == number)
        out[rows] = true_score(paths.measures[number], P[rows], N[rows], rate[rows], rate[rows])
    return out


def _ends(paths: _Paths, tail: float) -> FloatArray:
    """The outermost bar whose p is above `tail`, the end of the range where none is refuted."""
    logit, jumpy = np.empty(paths.upper.shape), paths.jumpy
    for rows, find in ((np.flatnonzero(jumpy), _by_splitting), (np.flatnonzero(~jumpy), _by_distance)):
        if rows.size:
            logit[rows] = find(paths[rows], tail)
    bars = paths.bars(_share(logit))
    return np.where(np.isnan(bars), paths.bars(np.minimum(_share(logit), 1.0 - 1e-9)), bars)


@dataclass(frozen=True)
class _Distances:
    """How far |T| is along each path, at many places."""

    logits: FloatArray
    log_t: FloatArray

    @classmethod
    def of(cls, paths: _Paths) -> _Distances:
        """Look at many places of each path; |T| is taken to rise along it."""
        logits = np.linspace(paths.start, _LAST, _PLACES, axis=1)
        t = np.abs(paths[np.repeat(np.arange(len(logits)), _PLACES)].tests(logits.reshape(-1)).t)
        log_t = np.log(np.clip(t, 1e-300, 1e6)).reshape(logits.shape)
        return cls(logits, np.maximum.accumulate(log_t, axis=1))

    def logit(self, t: FloatArray) -> FloatArray:
        """Where |T| is about t; t of shape (paths, ...)."""
        rows = zip(np.log(np.maximum(t, 1e-300)), self.log_t, self.logits, strict=True)
        return np.array([np.interp(*row) for row in rows]).reshape(t.shape)


def _by_distance(paths: _Paths, tail: float) -> FloatArray:
    """Where p is `tail`, by steps in T: p is nearly its normal tail."""
    from scipy.special import ndtri

    z, distances = -ndtri(tail), _Distances.of(paths)
    logit = distances.logit(np.full(paths.upper.shape, z))
    for _ in range(_STEPS):
        tests = paths.tests(logit)
        t, p = np.minimum(np.abs(tests.t), 1e6), np.clip(one_sided(tests, ~paths.upper), 1e-12, 1.0 - 1e-12)
        further = distances.logit(np.maximum(t + z + ndtri(p), 1e-6)) - distances.logit(t)
        logit = np.minimum(logit + further, _LAST)
    return logit


def _by_splitting(paths: _Paths, tail: float) -> FloatArray:
    """The same where p jumps: the whole path is looked at, finest where p is expected to be `tail`."""
    from scipy.special import ndtri

    near = _Distances.of(paths).logit(np.tile(_AROUND - ndtri(tail), (paths.upper.size, 1)))
    return _outermost(paths, np.column_stack((paths.start, near, np.full(near.shape[0], _LAST))), tail)


def _outermost(paths: _Paths, cuts: FloatArray, tail: float) -> FloatArray:
    """The outermost logit between the first and the last of cuts whose bar is not refuted; else the first."""
    found, rows = cuts[:, 0].copy(), np.arange(len(cuts))
    waiting: list[list[tuple[float, float]]] = [[] for _ in cuts]  # parts to look at, innermost first
    smooth: dict[int, tuple[float, float, FloatArray]] = {}
    for _ in range(_ROUNDS):
        y, bound = _bounds(paths[rows], cuts)
        for cut, edges, doubt, row in zip(cuts, y, bound > tail, rows.tolist(), strict=True):
            parts = np.flatnonzero(doubt & (np.diff(cut) > 0))
            waiting[row] += [(float(cut[part]), float(cut[part + 1])) for part in parts]
            if parts.size and (edges[parts[-1]] == edges[parts[-1] + 1]).all():
                smooth[row] = (*waiting[row][-1], edges[parts[-1]])
                waiting[row].clear()
        for row, left in enumerate(waiting):
            if left and left[-1][1] - left[-1][0] <= _WIDTH:
                found[row] = left[-1][1]
                left.clear()
        rows = np.array([row for row, left in enumerate(waiting) if left], dtype=np.int64)
        if not rows.size:
            break
        start, stop = np.array([waiting[row].pop() for row in rows]).T
        cuts = np.linspace(start, stop, _PARTS + 1, axis=1)
    if smooth:  # no outcome enters or leaves the tail in these
        rows, (low, high, lines) = np.array([*smooth]), zip(*smooth.values(), strict=True)
        width = max(map(len, lines))
        known = np.stack([np.pad(line, (0, width - len(line)), constant_values=-1.0) for line in lines])
        part = paths[rows]
        found[rows] = bracketed_root(
            lambda logit: np.log(tail / one_sided(part.tests(logit), ~part.upper, known)),
            np.array(low),
            np.array(high),
            _WIDTH,
        )
    return found


def _bounds(paths: _Paths, cuts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Boundaries of the tails at cuts, shape (paths, cuts, counts), and bounds of p between them."""
    count, points = cuts.shape
    tests = paths[np.repeat(np.arange(count), points)].tests(cuts.reshape(-1))
    upper = ~np.repeat(paths.upper, points)
    y = boundaries(tests, upper)
    index = np.arange(count * points).reshape(count, points)
    near, far = index[:, :-1].reshape(-1), index[:, 1:].reshape(-1)
    below = (upper ^ tests.swapped)[near, None]
    union = np.where(below, np.maximum(y[near], y[far]), np.minimum(y[near], y[far]))
    bound = one_sided(tests[near], upper[near], union)
    return y.reshape(count, points, -1), bound.reshape(count, -1)


def may_be_inside(counts: Counts, p: FloatArray, level: float) -> BoolArray:
    """Whether an interval may hold a bar whose two-sided p is at most 1 - level.

    p jumps as a count of the class that varies less enters the tail, whose chance there is about the density
    of the normal distribution over the standard deviation. `p` has the shape of the counts, or one more axis.
    """
    from scipy.special import ndtri

    x, y, P, N = counts.tp, counts.fp, counts.positives, counts.negatives
    least = np.minimum(*(1.0 + c * (1.0 - c / np.maximum(size, 1.0)) for c, size in ((x, P), (y, N))))
    density = np.exp(-0.5 * ndtri((1.0 - level) / 2) ** 2) / np.sqrt(2.0 * np.pi)
    jump = 2.0 * _JUMP * density / np.sqrt(least)
    jump = jump.reshape(jump.shape + (1,) * (p.ndim - jump.ndim))
    return np.asarray((p <= 1.0 - level) & (p + jump > 1.0 - level))


def p_of_worse_bars(measure: Measure, counts: Counts, bars: FloatArray, level: float) -> FloatArray:
    """Two-sided p of the worse bar that is refuted least, for scores above bars that are refuted themselves.

    nan where every worse bar is refuted, too, so that the interval does not hold the bar. One row per table;
    where tables are large, or one rate is all that counts, p has no jumps to speak of.
    """
    distinct, table = np.unique(np.vstack((cells_of(counts), bars)), axis=1, return_inverse=True)
    bar = distinct[-1] * (-1.0 if measure.greater_is_better is False else 1.0)
    least_refuted, none = np.full(bar.size, np.nan), np.zeros(bar.size, dtype=np.int64)
    paths = _Paths.of((measure,), none, Tables.of(distinct[:-1]), none > 0)
    rows = np.flatnonzero(paths.jumpy & (depends_on(measure) == "both"))
    if rows.size:
        paths, bar, tail = paths[rows], bar[rows], (1.0 - level) / 2
        start = bracketed_root(
            lambda logit: bar - paths.bars(_share(logit)), paths.start, np.full(bar.shape, _LAST)
        )
        t = np.abs(paths.tests(start).t)
        further = _Distances.of(paths).logit(t[:, None] + _FURTHER)
        end = _outermost(paths, np.column_stack((start, np.maximum(further, start[:, None]))), tail)
        inside = np.flatnonzero(end > start + 2 * _WIDTH)
        if inside.size:
            logits = np.linspace(start[inside], end[inside], _BETWEEN, axis=1)
            p = paths[np.repeat(inside, _BETWEEN)].p(logits.reshape(-1)).reshape(logits.shape)
            least = np.nextafter(1.0 - level, 1.0)
            least_refuted[rows[inside]] = np.clip(2.0 * p.max(axis=1), least, 1.0)
    return least_refuted[table.reshape(-1)]
