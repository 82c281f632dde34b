"""The best blind prediction: the number k of predicted positives with the largest expected score.

Where a measure declares how its expectation runs over k, a few k are tried; otherwise every k, up to a size,
and beyond on a grid that is refined around its best points. Two expectations that agree to 4e-15 are equal
where they are sums in floating point. Where the measure is affine in TP and the population is one, they are
fractions, compared exactly.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from clearbar.catalogue import Condition, Measure, NotExact
from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Population
from clearbar.null import (
    cells_at,
    cuts,
    exact_mean,
    expectations,
    laid_out,
    least_true,
    moments,
    node_counts,
    pieces,
    values_at,
)
from clearbar.null.hypergeometric import support, tp_variance
from clearbar.problems.binary._optimum import Optimum, merged, runs
from clearbar.problems.binary._policy import Filling, fill_is_proved, fill_value

TIE = 4e-15
"""Relative difference below which two sums in floating point count as equal."""

RESOLVED = 2**20
"""Samples up to which neighbouring expectations next to a peak differ by more than rounding (some 4/M^2)."""

SCAN_DRAWS, SCAN_NODES = 2**18, 2**27
"""Numbers of predicted positives that are all tried, as long as they need no more evaluations than these."""

THIN, REFINED, FULL_NODES = 2**10, 2**13, 2**19
"""Outcomes summed in a search, around its best k, and at the best two.

A kink between outcomes that are h apart costs up to h^2 / 8 times its probability: with 1,024 outcomes some
1e-5 of the standard deviation of TP, which may move the best k.
"""

BISECTED = 64
"""Numbers of predicted positives that are tried together where there are few populations."""

CHUNK, TOGETHER = 2**18, 2**14
"""Predictions held at once by a scan, and populations: few enough to stay in a processor's cache."""

ENDS, COSINE, GEOMETRIC, PEAKS, FAN = 64, 513, 257, 8, 33
"""Of a search: k tried next to either end and around what is found, points of the two grids, places that are
refined, and by how many k at a time."""

Ranges = list[tuple[IntArray, IntArray]]
"""First and last k of ranges, of each population; a first of -1 is none."""

Expected = Callable[[IntArray, IntArray], Any]
"""From rows of populations and numbers of predicted positives to expected scores."""

Tried = tuple[IntArray, FloatArray, FloatArray]
"""k, ascending, their expected scores, nan where not admissible, and the scale of what was averaged: a mean
near zero of values of size one carries their rounding."""


class Side(NamedTuple):
    """One end of several populations: its value, the k that attain it, and whether that is proved."""

    value: FloatArray
    draws: Ranges
    certified: Any
    unresolved: Any = False  # where floats cannot tell which k attain it, but fractions can

    @property
    def smallest(self) -> IntArray:
        """The smallest k, -1 where there is none."""
        firsts = np.stack([first for first, _ in self.draws])
        least = np.where(firsts < 0, np.iinfo(np.int64).max, firsts).min(axis=0)
        return np.where(least == np.iinfo(np.int64).max, -1, least)


def extremes(measure: Measure, population: Population, filling: Filling) -> tuple[Optimum, Optimum]:
    """Return the largest and the smallest expected score of one population, or of an array of them."""
    if not population.shape:
        return _of_one(measure, int(population.total), int(population.positives), filling)
    total, positives = np.asarray(population.total), np.asarray(population.positives)
    m, p = total.reshape(-1), positives.reshape(-1)
    back: Any = slice(None)
    if measure.shape not in {"constant", "monotone"}:  # which cost less than to find equal populations
        (m, p), back = np.unique(np.stack((m, p)), axis=1, return_inverse=True)
    value, smallest = np.full((2, m.size), np.nan), np.full((2, m.size), -1)
    certified, alone = np.ones((2, m.size), dtype=bool), np.zeros(m.size, dtype=bool)
    if _has_shape(measure):
        answer, blocks = _by_shape, pieces(m.size, TOGETHER)
        rows = np.arange(m.size)
    else:
        rows, alone = np.flatnonzero(_is_scanned(measure, m, p)), ~_is_scanned(measure, m, p)
        answer, blocks = _by_trying, list(cuts(m[rows] + 1, CHUNK))
    for block in tracked(blocks, rows.size, lambda block: block.stop - block.start, "populations"):
        few = rows[block]
        for end, side in enumerate(answer(measure, m[few], p[few], filling)):
            value[end, few], smallest[end, few], certified[end, few] = (
                side.value,
                side.smallest,
                side.certified,
            )
            alone[few] |= side.unresolved
    lone = np.flatnonzero(alone)
    for row in tracked(lone, len(lone), lambda _: 1, "populations"):
        for end, best in enumerate(_of_one(measure, int(m[row]), int(p[row]), filling)):
            value[end, row], smallest[end, row], certified[end, row] = (
                best.value,
                best.smallest,
                best.certified,
            )
    columns = zip(value, smallest, certified, strict=True)
    largest, least = (Optimum(v[back].reshape(total.shape), k[back].reshape(total.shape), total,
                              proved[back].reshape(total.shape)) for v, k, proved in columns)  # fmt: skip
    return largest, least


@functools.lru_cache(maxsize=256)
def _of_one(measure: Measure, total: int, positives: int, filling: Filling) -> tuple[Optimum, Optimum]:
    """Return the same with complete sets of k."""
    m, p = np.array([total]), np.array([positives])
    if not _has_shape(measure) and not _is_scanned(measure, m, p)[0]:
        return _searched(measure, total, positives, filling)
    answer = _by_shape if _has_shape(measure) else _by_trying
    ends = []
    for side in answer(measure, m, p, filling):
        ranges = (range(int(first[0]), int(last[0]) + 1) for first, last in side.draws if first[0] >= 0)
        ends.append(Optimum(float(side.value[0]), merged(ranges), total, bool(side.certified[0])))
    return ends[0], ends[1]


def _has_shape(measure: Measure) -> bool:
    """Return whether the expectation runs in a known way over all k at which the formula has a value."""
    return measure.shape is not None and measure.admissible.on_margins


# -- a declared shape ---------------------------------------------------------------------------------
def _by_shape(measure: Measure, m: IntArray, p: IntArray, filling: Filling) -> list[Side]:
    domain = measure.admissible if filling == "exclude" else measure.domain
    first, last, empty = _admissible_range(domain, m, p)
    expected = _expectation_of(measure, m, p, first)
    sides = []
    for sign in (1, -1):
        unresolved: Any = False
        if measure.shape == "constant":
            value, draws = expectations(measure, m, p, first), [(first, last)]
        elif {"peak": 1, "valley": -1}.get(str(measure.shape)) == sign:
            value, draws, unresolved = _peak(measure, expected, m, p, first, last, sign)
        else:
            value, draws, unresolved = _better_end(measure, expected, m, first, last, sign)
        value = value.astype(np.float64, copy=False)
        if empty.any():
            value = np.where(empty, np.nan, value)
            draws = [(np.where(empty, -1, start), end) for start, end in draws]
        side = Side(value, draws, np.ones(m.shape, dtype=bool), unresolved)
        if filling != "exclude":
            side = _with_fill(measure, m, side, first, last, empty, filling, sign)
        sides.append(side)
    return sides


def _with_fill(
    measure: Measure, m: IntArray, side: Side, first: IntArray, last: IntArray, empty: BoolArray,
    filling: Filling, sign: int,
) -> Side:  # fmt: skip
    """Let k = 0, k = M, or every k compete where no outcome has a value but the policy's."""
    value, draws, certified, unresolved = side
    fill = fill_value(measure, m, filling, largest=sign > 0)
    fill = np.broadcast_to(np.asarray(fill, dtype=np.float64), m.shape)
    offered = (empty | (first > 0) | (last < m)) & ~np.isnan(fill)
    tie = np.abs(fill - value) <= TIE * np.maximum(np.maximum(np.abs(fill), np.abs(value)), 1.0)
    better = offered & (np.isnan(value) | (~tie & (sign * fill > sign * value)))
    used = better | (offered & tie)
    draws = [(np.where(better, -1, start), end) for start, end in draws]
    draws.append((np.where(used & (empty | (first > 0)), 0, -1), np.where(empty, m, 0)))
    draws.append((np.where(used & ~empty & (last < m), m, -1), m))
    proved = fill_is_proved(measure, m, filling, largest=sign > 0)
    return Side(np.where(better, fill, value), draws, certified & (~used | proved), unresolved)


def _admissible_range(domain: Condition, m: IntArray, p: IntArray) -> tuple[IntArray, IntArray, BoolArray]:
    """Return first and last admissible k: conditions on margins exclude k = 0, k = M, or all."""

    def holds(k: IntArray) -> BoolArray:
        return domain.holds(cells_at(np.maximum(k - (m - p), 0), m, p, k))

    first = np.where(holds(np.zeros_like(m)), 0, 1)
    last = np.where(holds(m), m, m - 1)
    empty = first > last
    for moved, k in ((first > 0, first), (last < m, last)):
        if moved.any():
            empty |= moved & ~holds(np.clip(k, 0, m))
    return first, np.maximum(last, first), empty


def _expectation_of(measure: Measure, m: IntArray, p: IntArray, first: IntArray) -> Expected:
    """Return what expects the scores of rows of populations at numbers of predicted positives."""

    def in_floats(rows: IntArray, k: IntArray) -> FloatArray:
        return expectations(measure, m[rows], p[rows], k)

    if m.size != 1 or not measure.affine:
        return in_floats
    exactly = functools.cache(functools.partial(exact_mean, measure, int(m[0]), int(p[0])))

    def in_fractions(rows: IntArray, k: IntArray) -> Any:  # noqa: ARG001 - there is one population
        return np.array([exactly(number) for number in k.tolist()], dtype=object)

    try:
        return in_floats if exactly(int(first[0])) is None else in_fractions
    except NotExact:
        return in_floats


def _at(expected: Expected, *several: IntArray) -> list[Any]:
    """Return the expectations of every population at several k each, from one look."""
    rows = np.tile(np.arange(several[0].size), len(several))
    return np.split(expected(rows, np.concatenate(several)), len(several))


def _peak(
    measure: Measure,
    expected: Expected,
    m: IntArray,
    p: IntArray,
    first: IntArray,
    last: IntArray,
    sign: int,
) -> tuple[Any, Ranges, BoolArray]:
    """Return the top of what rises (sign 1) and then falls, strictly: at most a neighbour is level with it.

    The formula at the mean table, which needs no sum, turns next to where its expectation does. Of more
    samples than floats resolve, k some 1e-6 M apart are compared, and then those between.
    """
    exact = expected(np.zeros(1, np.int64), first[:1]).dtype == object
    stride = np.ones_like(m) if exact else np.maximum(m // RESOLVED, 1)

    def falls_at_mean(step: IntArray, rows: IntArray) -> BoolArray:
        k = first[rows] + np.stack((step, step + 1)) * stride[rows]
        shares, of_class = k / np.maximum(m[rows], 1), (p[rows], (m - p)[rows])
        (tp, fp), (fn, tn) = ([share * size for size in of_class] for share in (shares, 1 - shares))
        return np.asarray(~(sign * np.diff(measure.values(tp, fp, fn, tn), axis=0)[0] > 0))

    def falls(step: IntArray, rows: IntArray) -> BoolArray:
        k = first[rows] + step * stride[rows]
        here, there = np.split(expected(np.tile(rows, 2), np.concatenate((k, k + stride[rows]))), 2)
        noise = 0 if exact else 4 * np.spacing(np.abs(here))
        return np.asarray(~(sign * (there - here) > noise), dtype=bool)

    none, steps = np.zeros_like(m), (last - first) // stride
    hint = least_true(falls_at_mean, none, steps - 1, none - 1)
    top = first + stride * least_true(falls, none, steps - 1, hint, together=1 if exact else BISECTED)
    top = np.clip(top, first, last)
    rows = np.flatnonzero(stride > 1)
    if rows.size:
        around = top[rows, None] + (stride[rows, None] * np.linspace(-1, 1, ENDS + 1)).astype(np.int64)
        around = np.clip(around, first[rows, None], last[rows, None])
        scores = expected(np.repeat(rows, ENDS + 1), around.reshape(-1)).reshape(around.shape)
        top[rows] = around[np.arange(rows.size), np.argmax(sign * scores, axis=1)]
    left, right = np.maximum(top - 1, first), np.minimum(top + 1, last)
    value, before, after = _at(expected, top, left, right)
    resolved = (m <= RESOLVED) | exact
    start = np.where(_level(before, value) & resolved, left, top)
    end = np.where(_level(after, value) & resolved, right, top)
    return value, [(start, end)], ~resolved & measure.affine


def _better_end(
    measure: Measure, expected: Expected, m: IntArray, first: IntArray, last: IntArray, sign: int
) -> tuple[Any, Ranges, BoolArray]:
    """Return the better of first and last; of what never turns back, all that is level with it."""
    at_first, at_last = _at(expected, first, last)
    level = _level(at_first, at_last)
    ahead = np.asarray(sign * at_first > sign * at_last, dtype=bool)
    value, unresolved = np.where(level | ahead, at_first, at_last), np.zeros(m.shape, dtype=bool)
    starts, ends = level | ahead, level | ~ahead
    if measure.shape != "monotone":
        ranges = [(np.where(better, k, -1), k) for better, k in ((starts, first), (ends, last))]
        return value, ranges, unresolved
    start, end = np.where(starts, first, last), np.where(ends, last, first)

    def is_level(rows: IntArray, k: IntArray) -> BoolArray:
        return _level(expected(rows, k), value[rows])

    # It never turns back, but may stay level up to its last k, or from its first on, which is of interest for
    # one population: of an array only the smallest k is kept.
    for from_start in (True, False) if m.size == 1 else (False,):
        rows = np.flatnonzero(~level & (ahead == from_start) & (first < last))
        rows = rows[is_level(rows, first[rows] + 1 if from_start else last[rows] - 1)] if rows.size else rows
        if value.dtype != object and measure.affine:
            unresolved[rows] = m[rows] > RESOLVED
            rows = rows[m[rows] <= RESOLVED]
        if rows.size:

            def turned(
                k: IntArray, of: IntArray, rows: IntArray = rows, *, wanted: bool = not from_start
            ) -> Any:
                return is_level(rows[of], k) == wanted

            nowhere = np.full_like(rows, -1)
            found = least_true(turned, first[rows], last[rows], nowhere, together=1)
            if from_start:
                end[rows] = found - 1
            else:
                start[rows] = found
    return value, [(start, end)], unresolved


def _level(left: Any, right: Any) -> BoolArray:
    """Return where two expectations are equal, or rounding could have parted them."""
    if left.dtype == object:
        return np.asarray(left == right, dtype=bool)
    return np.asarray(np.abs(left - right) <= TIE * np.maximum(np.abs(left), np.abs(right)))


# -- no shape -----------------------------------------------------------------------------------------
def _is_scanned(measure: Measure, m: IntArray, p: IntArray) -> BoolArray:
    """Return where every k is tried."""
    nodes = 1 if measure.affine else node_counts(m, p, m // 2, strided=measure.smooth)
    return (m < SCAN_DRAWS) & ((m + 1) * nodes <= SCAN_NODES)


def _by_trying(measure: Measure, m: IntArray, p: IntArray, filling: Filling) -> list[Side]:
    """Try every k of every population in one flat array."""
    row, k, start = laid_out(m + 1)
    sides: list[Side] = []
    for sign in (1, -1):
        fill = fill_value(measure, m, filling, largest=sign > 0)
        if sign == 1 or filling == "worst":
            per_draw = fill if np.ndim(fill) == 0 else np.asarray(fill)[row]
            mean, scale = _scores(measure, m[row], p[row], k, per_draw)
        scores = np.where(np.isnan(mean), -np.inf, sign * mean)
        best = np.maximum.reduceat(scores, start)
        at_best = np.maximum.reduceat(np.where(scores == best[row], scale, 0.0), start)
        tied = (scores >= best[row] - TIE * np.maximum(scale, at_best[row])) & (scores > -np.inf)
        value = np.where(np.isfinite(best), sign * best, np.nan)
        if m.size == 1:
            ranges = runs(k[tied]) or (range(-1, 0),)
            draws = [(np.array([part.start]), np.array([part.stop - 1])) for part in ranges]
        else:
            least = np.minimum.reduceat(np.where(tied, k, m[row] + 1), start)
            draws = [(np.where(least > m, -1, least),) * 2]
        proved = np.broadcast_to(_is_certified(measure, m, filling, sign, value), m.shape)
        sides.append(Side(value, draws, proved))
    return sides


def _is_certified(measure: Measure, m: Any, filling: Filling, sign: int, value: Any) -> Any:
    """Return whether the value of the policy is proved to be the worst, or does not matter here."""
    proved = fill_is_proved(measure, m, filling, largest=sign > 0)
    if np.all(proved) or not (measure.in_catalogue and measure.domain.on_margins):
        return proved
    fill = fill_value(measure, m, filling, largest=sign > 0)
    return proved | (sign * value > sign * fill + TIE * np.maximum(np.abs(fill), np.abs(value)))


def _searched(measure: Measure, total: int, positives: int, filling: Filling) -> tuple[Optimum, Optimum]:
    """Search among the k of one population."""
    if filling == "exclude" and not measure.admissible.spans(total, positives):
        return Optimum(np.nan, (), total), Optimum(np.nan, (), total)
    thinned = not measure.affine and not measure.smooth

    def looked_at(k: IntArray, fill: float, most: int | None) -> Tried:
        return k, *_scores(measure, np.full_like(k, total), np.full_like(k, positives), k, fill, most)

    ends: list[Optimum] = []
    tried: Any = None
    for sign in (1, -1):
        fill = float(fill_value(measure, total, filling, largest=sign > 0))
        look = functools.partial(looked_at, fill=fill, most=THIN if thinned else None)
        tried = look(grid(total, positives)) if tried is None or filling == "worst" else tried
        k, mean, scale = tried = refined(look, tried, sign)
        if thinned and not np.isnan(mean).all():
            best = int(k[np.nanargmax(sign * mean)])
            variance = float(tp_variance(total, positives, best))
            reach = ENDS + int(0.2 * math.sqrt(variance) * total / max(positives, 1))
            near = _fan(max(best - reach, 0), min(best + reach, total))
            look = functools.partial(looked_at, fill=fill, most=REFINED)
            k, mean, _ = refined(look, look(near), sign, places=1)
            two = np.argsort(np.where(np.isnan(mean), np.inf, -sign * mean), kind="stable")[:2]
            k, mean, scale = looked_at(np.sort(k[two]), fill, FULL_NODES)
        ends.append(best_of(k, mean, scale, total, sign, certified=False))
    return ends[0], ends[1]


def best_of(
    k: IntArray, mean: FloatArray, scale: FloatArray, total: int, sign: float, *, certified: bool
) -> Optimum:
    """Return the best of the k that were tried, with those that are level with it.

    Of a search whatever lies between neighbouring tried k that are level counts, too.
    """
    kept = ~np.isnan(mean)
    k, mean, scale = k[kept], mean[kept], scale[kept]
    if not k.size:
        return Optimum(np.nan, (), total)
    best = int(np.argmax(sign * mean))
    tied = np.abs(mean - mean[best]) <= TIE * np.maximum(scale, scale[best])
    ranges = runs(k[tied])
    if not certified:
        ranges = tuple(range(int(k[r.start]), int(k[r.stop - 1]) + 1) for r in runs(np.flatnonzero(tied)))
    return Optimum(float(mean[best]), ranges, total, certified)


def _scores(
    measure: Measure, m: IntArray, p: IntArray, k: IntArray, fill: Any, most: int | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the expected score of each prediction, nan where it is not admissible, and its scale."""
    expected = moments(measure, m, p, k, fill=fill, most_nodes=most)
    kept = ~np.isnan(fill)
    if not np.all(kept):
        ends = support(m, p, k)  # which a window of the mass may leave out
        admissible = expected.undefined == 0
        for tp in ends:
            admissible &= np.isfinite(values_at(measure, tp, m, p, k))
        if measure.requires is not None:
            admissible &= measure.requires.holds(cells_at(ends[0], m, p, k))
        kept = kept | admissible
    scale = np.abs(expected.mean) + np.sqrt(np.where(kept, expected.variance, 0.0))
    return np.where(kept, expected.mean, np.nan), scale


def refined(look: Callable[[IntArray], Tried], tried: Tried, sign: float, *, places: int = PEAKS) -> Tried:
    """Look around the best k that were tried until all there are.

    It finds every optimum of a function without needle-like peaks, and cannot prove that there are none.
    """
    while True:
        k, mean, _ = tried
        signed = np.where(np.isnan(mean), -np.inf, sign * mean)
        padded = np.concatenate(([-np.inf], signed, [-np.inf]))
        peaks = np.flatnonzero((signed >= padded[:-2]) & (signed >= padded[2:]) & np.isfinite(signed))
        peaks = peaks[np.argsort(-signed[peaks], kind="stable")[:places]]
        fans = [_fan(int(k[max(i - 1, 0)]), int(k[min(i + 1, len(k) - 1)])) for i in peaks.tolist()]
        new = np.setdiff1d(np.concatenate(fans), k) if fans else k[:0]
        if not new.size:
            return tried
        both = [np.concatenate(pair) for pair in zip(tried, look(new), strict=True)]
        order = np.argsort(both[0], kind="stable")
        tried = both[0][order], both[1][order], both[2][order]


def grid(total: int, positives: int) -> IntArray:
    """Return k that lie dense at both ends."""
    few = np.arange(min(ENDS, total) + 1)
    cosine = np.rint((1 - np.cos(np.linspace(0, np.pi, COSINE))) / 2 * total)
    geometric = np.rint(np.geomspace(1, max(total, 1), GEOMETRIC))
    special = np.array([positives, total - positives, total // 2, total // 3, 2 * total // 3])
    near = (special[:, None] + np.arange(-2, 3)).ravel()
    points = np.concatenate((few, total - few, cosine, geometric, total - geometric, near)).astype(np.int64)
    return np.unique(points[(points >= 0) & (points <= total)])


def _fan(low: int, high: int) -> IntArray:
    return np.arange(low, high + 1) if high - low <= ENDS else np.linspace(low, high, FAN).astype(np.int64)
