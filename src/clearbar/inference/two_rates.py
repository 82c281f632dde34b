"""Two-sided p-values of true scores at their bars, and the intervals of true scores: both from `rate_tests`.

An interval is the hull of the bars that the test of two rates does not refute.

Each end is looked for along a path of true rates, straight from the observed ones to the worst corner (lower
ends) or the best one; its bars are the true scores on it. Where tables are large p follows T, so that a few
steps in T lead to the end. Where they are small p is not monotone: it jumps as outcomes enter or leave the
tail. Between two bars all tails lie within the union of both, whose probability at the nearer bar bounds p
in between. What the bound does not clear is split, the outermost part first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Counts
from clearbar.inference.binomial import bracketed_root, clopper_pearson
from clearbar.inference.level_curves import Columns, depends_on, true_scores
from clearbar.inference.rate_tests import (
    BETA,
    FEW_ROWS,
    MANY_SAMPLES,
    Tables,
    Tests,
    make_tests,
    one_sided,
    tail_edges,
)

_TOGETHER = 2**11  # tables whose p-values are found together
# Tables (P times N), and product of the variances of TP and FP, up to which jumps are looked for.
_JUMPY = 4e4, 2.5e3
# Paths go from the logit of one part in M * _NEARER of the way to the logit _LAST.
_NEARER, _LAST, _PLACES = 20.0, 14.0, 32
# Distances in T from where an end is expected to the bars that are looked at first.
_AROUND = np.array((-0.3, -0.08, -0.03, 0.0, 0.03, 0.08, 0.2, 0.5, 1.0, 2.0))
_STEPS = 3  # steps in T to an end where tables are large
# Where they are small a part in doubt is split into so many, until it is as narrow as an end is found to, in
# logits. A part that is short, and in which the tail's outcomes stay the same, has p looked up on a grid.
_SPLITS, _WIDTH, _SHORT, _GRID = 20, 1e-5, 0.05, 17
# Distances in T, beyond a bar that is refuted, at which a worse one that is not is looked for. T grows about
# in proportion to the share of the path; half more makes up for where it grows more slowly.
_BEYOND = 1.5 * np.array((0.0, 0.1, 0.3, 0.7, 1.5))
_WORSE_BARS = 101  # bars between that one and the end of the interval among which the largest p is taken
# How far one p may be above that of a better bar: the chance of one count at the tail's edge, times this. The
# furthest seen is 0.54, among some 13,000 tables of 2 to 600 samples at levels of 0.1, 0.05 and 0.01.
_JUMP = 0.8


def p_values(measures: Sequence[Measure], counts: Counts, bars: Sequence[FloatArray]) -> FloatArray:
    """Two-sided p of each measure at its bars, of shape (measures, *counts.shape).

    nan where the score or the bar has no value.
    """
    by_measure = np.stack([np.broadcast_to(bar, counts.shape).reshape(-1) for bar in bars])
    cells = cells_of(counts)
    p = np.empty(by_measure.shape)
    tp, fp, fn, tn = cells
    # Equal tables have one test, and equal class sizes one set of curves, if they are found together.
    order = np.lexsort((tp, fp, fp + tn, tp + fn))
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
    measure_index, column = defined = np.nonzero(np.isfinite(scores) & np.isfinite(bars))
    if measure_index.size:
        tests = make_tests(
            measures, measure_index, Tables.of(distinct)[table[column]], bars[defined], scores[defined]
        )
        # MCC, kappa and informedness at 0 have one curve, a = b, and so one test.
        of_tests = tests.curves.keys(), tests.t == 0, tests.single, tests.valueless_above
        keys = np.column_stack((table[column], *of_tests))
        _, first, back = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        p[defined] = _two_sided(tests[first])[back.reshape(-1)]
    return p


def _two_sided(tests: Tests) -> FloatArray:
    """Twice the smaller of both one-sided p, at most 1."""
    # The smaller is that of the side on which the score lies, unless that is 1/2 or more.
    above = tests.t > 0
    p = one_sided(tests, above)
    doubtful = np.flatnonzero((p >= 0.5) & (tests.t != 0))
    if doubtful.size:
        p[doubtful] = np.minimum(p[doubtful], one_sided(tests[doubtful], ~above[doubtful]))
    return np.minimum(2.0 * p, 1.0)


def methods(counts: Counts) -> Any:
    """The method by which p-values and intervals of tables are found, an array like the counts.

    "exact" where every outcome is summed; "estimated" where one stands for its neighbours, or fewer points of
    the curve are looked at; "normal" where both counts vary so much that nothing is summed.
    """
    tables = Tables.of(cells_of(counts))
    first, last = tables.windows()[0]
    exact = (last - first < FEW_ROWS) & (tables.P + tables.N < MANY_SAMPLES)
    names = np.where(tables.are_smooth(), "normal", np.where(exact, "exact", "estimated"))
    return names.astype(object).reshape(counts.shape)


# -- intervals -------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Paths(Columns):
    """One end of an interval per row: of which measure, table, and side; losses negative."""

    measure_index: IntArray
    tables: Tables
    upper: BoolArray
    score: FloatArray
    measures: tuple[Measure, ...]

    shared = 1

    @classmethod
    def of(
        cls, measures: Sequence[Measure], measure_index: IntArray, tables: Tables, upper: BoolArray
    ) -> _Paths:
        """Paths from the observed scores."""
        paths = cls(measure_index, tables, upper, np.zeros(measure_index.size), tuple(measures))
        return replace(paths, score=paths.bars(np.full(measure_index.size, -np.inf)))

    def scores(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """True scores at rates of the first and the second class."""
        tables, rates = self.tables, (first[:, None], second[:, None])
        sizes = tables.P, tables.N
        return true_scores(self.measures, self.measure_index, tables.mirrored, sizes, rates)[:, 0]

    def bars(self, logit: FloatArray) -> FloatArray:
        """Bars on the way from the observed rates to the worst or best corner, whose share has this logit."""
        from scipy.special import expit

        tables, share = self.tables, expit(logit)
        first, second = tables.x / np.maximum(tables.P, 1.0), tables.y / np.maximum(tables.N, 1.0)
        to_first = self.upper.astype(np.float64)
        return self.scores(first + share * (to_first - first), second + share * (1.0 - to_first - second))

    def tests(self, logit: FloatArray) -> Tests:
        """The tests of the bars at these logits."""
        return make_tests(self.measures, self.measure_index, self.tables, self.bars(logit), self.score)

    def repeated(self, logits: FloatArray) -> tuple[_Paths, FloatArray]:
        """Paths repeated for logits of shape (paths, places), and these one by one."""
        return self[np.repeat(np.arange(len(logits)), logits.shape[1])], logits.reshape(-1)

    @property
    def start(self) -> FloatArray:
        """The first logit."""
        return np.asarray(-np.log(_NEARER * np.maximum(self.tables.P + self.tables.N, 1.0)))

    @property
    def jumpy(self) -> BoolArray:
        """Whether so few outcomes are likely that p jumps as one of them enters or leaves the tail."""
        size, variances = _JUMPY
        tables, product = self.tables, np.ones(1)
        for count, of in ((tables.x, tables.P), (tables.y, tables.N)):
            product = product * (1.0 + count * (1.0 - count / np.maximum(of, 1.0)))
        return np.asarray((size >= tables.P * tables.N) | (product <= variances))

    def logits(self) -> Callable[[FloatArray], FloatArray]:
        """Where |T|, which is taken to rise along each path, is about t: a function of t, (paths, ...)."""
        logits = np.linspace(self.start, _LAST, _PLACES, axis=1)
        paths, places = self.repeated(logits)
        log_t = np.log(np.clip(np.abs(paths.tests(places).t), 1e-300, 1e6)).reshape(logits.shape)
        log_t = np.maximum.accumulate(log_t, axis=1)

        def logits_of(t: FloatArray) -> FloatArray:
            rows = zip(np.log(np.maximum(t, 1e-300)), log_t, logits, strict=True)
            return np.array([np.interp(*row) for row in rows]).reshape(t.shape)

        return logits_of


def intervals(
    measures: Sequence[Measure], counts: Counts, level: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Ends of the intervals of several measures' true scores, shape (measures, *counts.shape)."""
    cells, table = np.unique(cells_of(counts), axis=1, return_inverse=True)
    grid = np.meshgrid(np.arange(len(measures)), np.arange(cells.shape[1]), (False, True), indexing="ij")
    measure_index, column, upper = (axis.reshape(-1) for axis in grid)
    paths = _Paths.of(measures, measure_index, Tables.of(cells)[column], upper)
    reads = np.array([depends_on(measure) for measure in measures])[measure_index]
    bars, defined, jumpy = np.full(measure_index.size, np.nan), np.isfinite(paths.score), paths.jumpy
    for rows, ends in (
        (defined & (reads == "first"), partial(_of_one_rate, is_positive=True)),
        (defined & (reads == "second"), partial(_of_one_rate, is_positive=False)),
        (defined & (reads == "both") & jumpy, _by_splitting),
        (defined & (reads == "both") & ~jumpy, _by_distance),
    ):
        if rows.any():
            bars[rows] = ends(paths[rows], (1.0 - level) / 2)
    lower, upper = bars.reshape(len(measures), -1, 2)[:, table.reshape(-1)].transpose(2, 0, 1)
    loss = np.array([measure.greater_is_better is False for measure in measures])[:, None]
    low, high = np.where(loss, -upper, lower), np.where(loss, -lower, upper)
    shape = (len(measures), *counts.shape)
    return low.reshape(shape) + 0.0, high.reshape(shape) + 0.0  # no zero is negative


def _of_one_rate(paths: _Paths, tail: float, *, is_positive: bool) -> FloatArray:
    """Clopper and Pearson's limits of one class's rate, at a tail of BETA less, which is part of every p."""
    tables, second = paths.tables, paths.tables.mirrored == is_positive
    count, size = np.where(second, (tables.y, tables.N), (tables.x, tables.P))
    low, high = clopper_pearson(count, size, tail - BETA)
    rate = np.where(paths.upper ^ second, high, low)
    return paths.scores(rate, rate)


def _by_distance(paths: _Paths, tail: float) -> FloatArray:
    """Bars where p is `tail`, by steps in T: p is nearly its normal tail."""
    from scipy.special import ndtri

    # Where p = ndtr(-|T| - error) the end is at |T| = z - error. The error changes slowly: each
    # step takes that of the last bar, -ndtri(p) - |T|, for that of the end.
    z, logits_of = -ndtri(tail), paths.logits()
    logit = logits_of(np.full(paths.upper.shape, z))
    for _ in range(_STEPS):
        tests = paths.tests(logit)
        t, p = np.minimum(np.abs(tests.t), 1e6), np.clip(one_sided(tests, ~paths.upper), 1e-12, 1.0 - 1e-12)
        target_and_here = np.stack((np.maximum(t + z + ndtri(p), 1e-6), t), axis=1)
        # `logits_of` is an interpolation: only its difference is used, so that its own error cancels.
        logit = np.minimum(logit - np.diff(logits_of(target_and_here), axis=1)[:, 0], _LAST)
    return _last_with_value(paths, logit)


def _by_splitting(paths: _Paths, tail: float) -> FloatArray:
    """The same where p jumps: the whole path is looked at, finest where p is expected to be `tail`."""
    from scipy.special import ndtri

    near = paths.logits()(np.tile(_AROUND - ndtri(tail), (paths.upper.size, 1)))
    cuts = np.column_stack((paths.start, near, np.full(near.shape[0], _LAST)))
    return _last_with_value(paths, _outermost(paths, cuts, tail))


def _last_with_value(paths: _Paths, logit: FloatArray) -> FloatArray:
    """Bars at these logits, of the last one the corner; where that has no value, what is beside it."""
    bars = paths.bars(np.where(logit > _LAST - 1e-5, np.inf, logit))
    return np.where(np.isnan(bars), paths.bars(logit), bars)


@dataclass(frozen=True)
class _Parts(Columns):
    """Parts of paths between two logits; `steady` where tails at both have the same outcomes."""

    path: IntArray
    low: FloatArray
    high: FloatArray
    steady: BoolArray

    def joined(self, other: _Parts) -> _Parts:
        return _Parts(*map(np.append, vars(self).values(), vars(other).values()))


def _outermost(paths: _Paths, cuts: FloatArray, tail: float) -> FloatArray:
    """The outermost logit between the first and the last of cuts whose bar is not refuted; else the first."""
    ends, parts = cuts[:, 0].copy(), _in_doubt(paths, np.arange(len(cuts)), cuts, tail)
    crossed = parts[:0]
    while parts.path.size:
        parts = parts[np.lexsort((parts.low, parts.path))]
        last = np.append(parts.path[1:] != parts.path[:-1], True)  # the outermost part of each path
        narrow, short = (parts.high - parts.low <= width for width in (_WIDTH, _SHORT))
        ends[parts.path[last & narrow]] = parts.high[last & narrow]
        crossed = crossed.joined(parts[last & ~narrow & short & parts.steady])
        split = parts[last & ~narrow & ~(short & parts.steady)]
        kept = parts[~last & np.isin(parts.path, split.path)]
        cuts = np.linspace(split.low, split.high, _SPLITS + 1, axis=1)
        parts = kept.joined(_in_doubt(paths, split.path, cuts, tail))
    if crossed.path.size:
        ends[crossed.path] = _crossing(paths[crossed.path], crossed.low, crossed.high, tail)
    return ends


def _in_doubt(paths: _Paths, path: IntArray, cuts: FloatArray, tail: float) -> _Parts:
    """Parts between cuts in which p may be above `tail`."""
    if not cuts.size:
        return _Parts(path, cuts[:, 0], cuts[:, 1], path > 0)
    repeated, logits = paths[path].repeated(cuts)
    tests, upper = repeated.tests(logits), ~repeated.upper
    edges, index = tail_edges(tests, upper), np.arange(cuts.size).reshape(cuts.shape)
    near, far = index[:, :-1].reshape(-1), index[:, 1:].reshape(-1)
    either = np.maximum(edges[near], edges[far]), np.minimum(edges[near], edges[far])
    bound = one_sided(tests[near], upper[near], np.where(upper[near, None], *either))
    left = (bound > tail) & (logits[near] < logits[far])
    steady = (edges[near] == edges[far]).all(axis=1)
    parts = _Parts(np.repeat(path, cuts.shape[1] - 1), logits[near], logits[far], steady)
    return parts[left]


def _crossing(paths: _Paths, low: FloatArray, high: FloatArray, tail: float) -> FloatArray:
    """Logits where p falls to `tail` between two with the same outcomes in their tails."""
    upper, logits = ~paths.upper, np.linspace(low, high, _GRID, axis=1)
    edges = np.repeat(tail_edges(paths.tests(low), upper), _GRID, axis=0)
    repeated, every = paths.repeated(logits)
    p = one_sided(repeated.tests(every), ~repeated.upper, edges).reshape(logits.shape)
    falls = -np.log(np.minimum.accumulate(p, axis=1))
    return np.array([np.interp(-np.log(tail), *row) for row in zip(falls, logits, strict=True)])


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
    from scipy.special import expit, logit

    distinct, table = np.unique(np.vstack((cells_of(counts), bars)), axis=1, return_inverse=True)
    bar = distinct[-1] * (-1.0 if measure.greater_is_better is False else 1.0)
    least_refuted, none = np.full(bar.size, np.nan), np.zeros(bar.size, dtype=np.int64)
    paths = _Paths.of((measure,), none, Tables.of(distinct[:-1]), none > 0)
    rows = np.flatnonzero(paths.jumpy & (depends_on(measure) == "both"))
    if rows.size:
        paths, bar, tail = paths[rows], bar[rows], (1.0 - level) / 2
        start = bracketed_root(
            lambda place, bar, paths: bar - paths.bars(place),
            paths.start,
            np.full(bar.shape, _LAST),
            (bar, paths),
        )
        ahead = 1.0 + _BEYOND / np.maximum(np.abs(paths.tests(start).t), 0.1)[:, None]
        cuts = np.clip(logit(np.minimum(expit(start)[:, None] * ahead, 1.0)), start[:, None], _LAST)
        end = _outermost(paths, cuts, tail)
        inside = np.flatnonzero(end > start + 2 * _WIDTH)
        if inside.size:
            logits = np.linspace(start[inside], end[inside], _WORSE_BARS, axis=1)
            repeated, logits = paths[inside].repeated(logits)
            p = one_sided(repeated.tests(logits), ~repeated.upper).reshape(-1, _WORSE_BARS).max(axis=1)
            # The last of these bars is not refuted: the largest p is above 1 - level but for rounding.
            least_refuted[rows[inside]] = np.clip(2.0 * p, np.nextafter(1.0 - level, 1.0), 1.0)
    return least_refuted[table.reshape(-1)]
