"""The best blind prediction: the number k of predicted positives with the largest expected score.

One search serves one population and arrays of them. Where a measure declares how its expectation runs over k,
a few k are tried; otherwise every k, up to a size, and beyond on a grid that is refined around the best
points of it.

Two expectations that agree to 4e-15 are equal where they are sums in floating point. Where the measure is
affine in TP and the population is one, they are fractions, compared exactly.
"""

from __future__ import annotations

import functools
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
from clearbar.null.hypergeometric import support
from clearbar.problems.binary._optimum import Optimum, merged, runs
from clearbar.problems.binary._policy import Filling, fill_is_proved, fill_value

TIE = 4e-15
"""Relative difference below which two sums in floating point count as equal."""

RESOLVED = 2**20
"""Samples up to which neighbouring expectations next to a peak differ by more than rounding:
by some 4/M^2."""

SCAN_DRAWS = 2**18
"""Numbers of predicted positives up to which every one is tried, as long as they need no more than..."""

SCAN_NODES = 2**27
"""...this many evaluations of the measure."""

THIN = 2**10
"""Outcomes looked at by a search where a measure has kinks and distributions are wide: a kink
then costs about 1e-5 of the standard deviation, and the best few are summed in full."""

FULL_NODES = 2**19

CHUNK = 2**18
"""Predictions held in memory at once by a scan."""

TOGETHER_K = 64
"""Numbers of predicted positives that are tried together where there are few populations."""

TOGETHER = 2**14
"""Populations looked at together: few enough to stay in a processor's cache."""

ENDS, COSINE, GEOMETRIC, PEAKS, FAN = 64, 513, 257, 8, 33
"""Of a search: numbers tried next to either end and
around what is found, points of the two grids, places that are refined, and by how many numbers a time."""

Scored = Callable[[IntArray], tuple[FloatArray, FloatArray]]
"""From numbers of predicted positives to expected scores, nan where not admissible, and the scale of what was
averaged: a mean near zero of values of size one carries their rounding."""


Ranges = list[tuple[IntArray, IntArray]]
"""First and last k of ranges; a first of -1 is none."""

Expected = Callable[[Any, IntArray], Any]
"""From rows of populations and numbers of predicted positives to expected scores."""


class Side(NamedTuple):
    """One end of several populations: its value, the k that attain it, and whether that is proved."""

    value: FloatArray
    draws: Ranges
    certified: BoolArray

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
    if measure.shape not in {
        "constant",
        "monotone",
    }:  # which take less than finding the populations that differ
        pairs, back = np.unique(np.stack((m, p)), axis=1, return_inverse=True)
        m, p = pairs
    search = _by_shape if _has_shape(measure) else _by_trying
    largest, smallest = (
        Optimum(
            side.value[back].reshape(total.shape),
            side.smallest[back].reshape(total.shape),
            total,
            side.certified[back].reshape(total.shape),
        )
        for side in search(measure, m, p, filling)
    )
    return largest, smallest


@functools.lru_cache(maxsize=256)
def _of_one(measure: Measure, total: int, positives: int, filling: Filling) -> tuple[Optimum, Optimum]:
    """Return the same with complete sets of k."""
    if not _has_shape(measure):
        return _scan_one(measure, total, positives, filling)
    m, p = np.array([total]), np.array([positives])
    ends = []
    for side in _by_shape(measure, m, p, filling):
        ranges = (range(int(first[0]), int(last[0]) + 1) for first, last in side.draws if first[0] >= 0)
        ends.append(Optimum(float(side.value[0]), merged(ranges), total, bool(side.certified[0])))
    return ends[0], ends[1]


def _has_shape(measure: Measure) -> bool:
    """Return whether the expectation runs in a known way over all k at which the formula has a value."""
    return measure.shape is not None and measure.admissible.on_margins


def _by_shape(measure: Measure, m: IntArray, p: IntArray, filling: Filling) -> tuple[Side, Side]:
    parts = pieces(len(m), TOGETHER)
    steps = tracked(parts, len(m), lambda part: part.stop - part.start, "populations")
    blocks = [_ends(measure, m[part], p[part], filling) for part in steps]
    if len(blocks) == 1:
        return blocks[0]
    largest, smallest = (_joined([block[end] for block in blocks]) for end in (0, 1))
    return largest, smallest


def _joined(sides: list[Side]) -> Side:
    if not sides:
        nothing = np.zeros(0, dtype=np.int64)
        return Side(np.zeros(0), [(nothing, nothing)], np.zeros(0, dtype=bool))
    first = np.concatenate([side.smallest for side in sides])
    value = np.concatenate([side.value for side in sides])
    return Side(value, [(first, first)], np.concatenate([side.certified for side in sides]))


def _ends(measure: Measure, m: IntArray, p: IntArray, filling: Filling) -> tuple[Side, Side]:
    domain = measure.admissible if filling == "exclude" else measure.domain
    first, last, empty = _admissible_range(domain, m, p)
    expected = _expectation_of(measure, m, p, first)
    constant = measure.shape == "constant"
    at_ends = [expectations(measure, m, p, first)] if constant else _together(expected, first, last)
    sides = []
    for sign in (1, -1):
        draws: Ranges = [(first, last)]
        if constant:
            value = at_ends[0]
        elif {"peak": 1, "valley": -1}.get(str(measure.shape)) == sign:
            value, draws = _peak(measure, expected, m, p, first, last, sign)
        else:
            value, draws = _better_end(measure, expected, at_ends, m, p, first, last, sign)
        value = value.astype(np.float64, copy=False)
        if empty.any():
            value = np.where(empty, np.nan, value)
            draws = [(np.where(empty, -1, start), end) for start, end in draws]
        side = Side(value, draws, np.ones(m.shape, dtype=bool))
        if filling != "exclude":
            side = _with_fill(measure, m, side, first, last, empty, filling, sign)
        sides.append(side)
    return sides[0], sides[1]


def _with_fill(
    measure: Measure,
    m: IntArray,
    side: Side,
    first: IntArray,
    last: IntArray,
    empty: BoolArray,
    filling: Filling,
    sign: int,
) -> Side:
    """Let k = 0, k = M, or every k compete where no outcome has a value but the policy's."""
    value, draws, certified = side
    fill = np.broadcast_to(
        np.asarray(fill_value(measure, m, filling, largest=sign > 0), dtype=float), m.shape
    )
    offered = (empty | (first > 0) | (last < m)) & ~np.isnan(fill)
    tie = np.abs(fill - value) <= TIE * np.maximum(np.maximum(np.abs(fill), np.abs(value)), 1.0)
    better = offered & (np.isnan(value) | (~tie & (sign * fill > sign * value)))
    used = better | (offered & tie)
    draws = [(np.where(better, -1, start), end) for start, end in draws]
    draws.append((np.where(used & (empty | (first > 0)), 0, -1), np.where(empty, m, 0)))
    draws.append((np.where(used & ~empty & (last < m), m, -1), m))
    proved = fill_is_proved(measure, m, filling, largest=sign > 0)
    return Side(np.where(better, fill, value), draws, certified & (~used | proved))


def _admissible_range(domain: Condition, m: IntArray, p: IntArray) -> tuple[IntArray, IntArray, BoolArray]:
    """Return first and last admissible k: conditions on margins exclude k = 0, k = M, or all."""
    if m.size == 1:
        spans = domain.spans(int(m[0]), int(p[0]))
        start, end = spans[0] if spans else (0, 0)
        return np.array([start]), np.array([end]), np.array([not spans])

    def holds(k: IntArray) -> BoolArray:
        return domain.holds(cells_at(np.maximum(k - (m - p), 0), m, p, k))

    first = np.where(holds(np.zeros_like(m)), 0, 1)
    last = np.where(holds(m), m, m - 1)
    empty = first > last
    for moved, k in ((first > 0, first), (last < m, last)):
        if moved.any():
            empty |= moved & ~holds(np.clip(k, 0, m))
    return first, np.maximum(last, first), empty


def _peak(
    measure: Measure,
    expected: Expected,
    m: IntArray,
    p: IntArray,
    first: IntArray,
    last: IntArray,
    sign: int,
) -> tuple[Any, Ranges]:
    """Return the top, which is strict on both sides: at most a neighbour is level with it."""
    top = np.clip(_turn(measure, expected, m, p, first, last, sign), first, last)
    left, right = np.maximum(top - 1, first), np.minimum(top + 1, last)
    value, before, after = _together(expected, top, left, right)
    resolved = (m <= RESOLVED) | (value.dtype == object)
    start = np.where(_level(before, value) & resolved, left, top)
    end = np.where(_level(after, value) & resolved, right, top)
    if measure.affine and m.size > 1:
        for row in np.flatnonzero(~resolved).tolist():  # exactly
            one = slice(row, row + 1)
            alone = _expectation_of(measure, m[one], p[one], first[one])
            best, [(start[one], end[one])] = _peak(
                measure, alone, m[one], p[one], first[one], last[one], sign
            )
            value[one] = best.astype(np.float64)
    return value, [(start, end)]


def _better_end(
    measure: Measure,
    expected: Expected,
    at_ends: list[Any],
    m: IntArray,
    p: IntArray,
    first: IntArray,
    last: IntArray,
    sign: int,
) -> tuple[Any, Ranges]:
    """Return the better of first and last; of what never turns back, all that is level with it."""
    at_first, at_last = at_ends
    level = _level(at_first, at_last)
    ahead = np.asarray(sign * at_first > sign * at_last, dtype=bool)
    value = np.where(level | ahead, at_first, at_last)
    if measure.shape != "monotone":
        nobody = np.full_like(first, -1)
        ranges = (
            (np.where(level | ahead, first, nobody), first),
            (np.where(level | ~ahead, last, nobody), last),
        )
        return value, list(ranges)
    # It never turns back, but may stay level from its first k on, which is of interest for one population, or
    # up to its last.
    start, end = np.where(level | ahead, first, last), np.where(level | ~ahead, last, first)
    for from_start in (True, False):
        rows = np.flatnonzero(
            ~level & (ahead == from_start) & (first < last) & (not from_start or first.size == 1)
        )
        if rows.size:
            beside = first[rows] + 1 if from_start else last[rows] - 1
            rows = rows[_level(expected(rows, beside), value[rows])]
        if measure.affine and m.size > 1:
            for row in rows[m[rows] > RESOLVED].tolist():  # exactly
                one = slice(row, row + 1)
                sizes = m[one], p[one], first[one], last[one]
                alone = _expectation_of(measure, *sizes[:3])
                ends = _together(alone, *sizes[2:])
                _, [(start[one], end[one])] = _better_end(measure, alone, ends, *sizes, sign)
            rows = rows[m[rows] <= RESOLVED]
        if not rows.size:
            continue
        test = functools.partial(_is_level, expected, value, rows, level=not from_start)
        together = 1 if value.dtype == object else TOGETHER_K
        found = least_true(test, first[rows], last[rows], np.full_like(rows, -1), together=together)
        if from_start:
            end[rows] = found - 1
        else:
            start[rows] = found
    return value, [(start, end)]


def _is_level(
    expected: Expected, value: Any, rows: IntArray, k: IntArray, of: Any, *, level: bool
) -> BoolArray:
    return np.asarray(_level(expected(rows[of], k), value[rows[of]]) == level)


def _expectation_of(measure: Measure, m: IntArray, p: IntArray, first: IntArray) -> Expected:
    """Return what expects the scores of rows of populations at numbers of predicted positives."""

    def in_floats(rows: Any, k: IntArray) -> FloatArray:
        return expectations(measure, m[rows], p[rows], k)

    if m.size != 1 or not measure.affine:
        return in_floats
    total, positives = int(m[0]), int(p[0])

    @functools.cache
    def exactly(k: int) -> Any:
        return exact_mean(measure, total, positives, k)

    def in_fractions(rows: Any, k: IntArray) -> Any:  # noqa: ARG001 - there is one population
        return np.array([exactly(number) for number in k.tolist()], dtype=object)

    try:
        return in_floats if exactly(int(first[0])) is None else in_fractions
    except NotExact:
        return in_floats


def _together(expected: Expected, *several: IntArray) -> list[Any]:
    """Return the expectations of every population at several k each; of few, from one look."""
    if several[0].size > TOGETHER_K:
        return [expected(slice(None), k) for k in several]
    everyone = np.arange(several[0].size)
    scores = expected(np.concatenate([everyone] * len(several)), np.concatenate(several))
    return np.split(scores, len(several))


def _level(left: Any, right: Any) -> BoolArray:
    """Return where two expectations are equal, or rounding could have parted them."""
    if left.dtype == object:
        return np.asarray(left == right, dtype=bool)
    return np.asarray(np.abs(left - right) <= TIE * np.maximum(np.abs(left), np.abs(right)))


def _turn(
    measure: Measure,
    expected: Expected,
    m: IntArray,
    p: IntArray,
    first: IntArray,
    last: IntArray,
    sign: int,
) -> IntArray:
    """Return the k at which expectations that rise (sign 1) and then fall are largest.

    The formula at the mean table, which needs no sum, turns next to where its expectation does. Of more
    samples than are resolved, k some 1e-6 M apart are compared, and then those between.
    """
    exact = measure.affine and expected(np.arange(1), first[:1]).dtype == object
    coarse = np.maximum(m // RESOLVED, 1)
    stride = np.ones_like(m) if exact else coarse
    n = m - p
    samples = np.maximum(m, 1).astype(np.float64)

    def at_mean(k: IntArray, rows: Any) -> FloatArray:
        shares = k / samples[rows]
        hits, alarms = shares * p[rows], shares * n[rows]
        return measure.values(hits, alarms, (1 - shares) * p[rows], (1 - shares) * n[rows])

    def falls(step: IntArray, rows: Any) -> BoolArray:
        k = first[rows] + step * coarse[rows]
        return ~(sign * (at_mean(k + coarse[rows], rows) - at_mean(k, rows)) > 0)

    def no_longer_rises(step: IntArray, rows: Any) -> BoolArray:
        k = first[rows] + step * stride[rows]
        here = np.arange(m.size)[rows]
        both = expected(np.concatenate((here, here)), np.concatenate((k, k + stride[rows])))
        now, later = both[: k.size], both[k.size :]
        change = sign * (later - now)
        noise = 0 if change.dtype == object else 4 * np.spacing(np.abs(now))
        return np.asarray(~(change > noise), dtype=bool)

    none = np.full_like(m, -1)
    hint = least_true(falls, np.zeros_like(m), (last - first) // coarse - 1, none) * coarse // stride
    steps = (last - first) // stride
    together = 1 if exact else TOGETHER_K
    top = first + stride * least_true(no_longer_rises, np.zeros_like(m), steps - 1, hint, together=together)
    rows = np.flatnonzero(stride > 1)
    if rows.size:
        around = top[rows, None] + (stride[rows, None] * np.linspace(-1, 1, ENDS + 1)).astype(np.int64)
        around = np.clip(around, first[rows, None], last[rows, None])
        scores = expected(np.repeat(rows, ENDS + 1), around.reshape(-1)).reshape(around.shape)
        best = [int(np.argmax(row)) for row in sign * scores]
        top[rows] = around[np.arange(rows.size), best]
    return top


def _by_trying(measure: Measure, m: IntArray, p: IntArray, filling: Filling) -> tuple[Side, Side]:
    """Try every k of every population in one flat array; of large ones, search."""
    value, draws = np.full((2, m.size), np.nan), np.full((2, m.size), -1)
    certified = np.ones((2, m.size), dtype=bool)
    sizes = m + 1
    small = np.flatnonzero(sizes <= SCAN_DRAWS)
    work = int(sizes[small].sum())
    for part in tracked(cuts(sizes[small], CHUNK), work, lambda part: int(sizes[small[part]].sum()), "draws"):
        rows = small[part]
        row, k, start = laid_out(sizes[rows])
        of_row = rows[row]
        for end, sign in enumerate((1, -1)):
            fill = fill_value(measure, m[rows], filling, largest=sign > 0)
            if end == 0 or filling == "worst":
                per_draw = fill if np.ndim(fill) == 0 else np.asarray(fill)[row]
                mean, scale = _scores(measure, m[of_row], p[of_row], k, per_draw)
            scores = np.where(np.isnan(mean), -np.inf, sign * mean)
            best = np.maximum.reduceat(scores, start)
            at_best = np.maximum.reduceat(np.where(scores == best[row], scale, 0.0), start)
            tied = scores >= best[row] - TIE * np.maximum(scale, at_best[row])
            least = np.minimum.reduceat(np.where(tied, k, m[of_row] + 1), start)
            found = np.isfinite(best)
            value[end, rows], draws[end, rows] = (
                np.where(found, sign * best, np.nan),
                np.where(found, least, -1),
            )
            certified[end, rows] = _is_certified(measure, m[rows], filling, sign, value[end, rows])
    large = np.flatnonzero(sizes > SCAN_DRAWS)
    for i in tracked(large, len(large), lambda _: 1, "populations"):
        for end, side in enumerate(_of_one(measure, int(m[i]), int(p[i]), filling)):
            value[end, i], draws[end, i], certified[end, i] = side.value, side.smallest, side.certified
    largest, smallest = (Side(value[end], [(draws[end], draws[end])], certified[end]) for end in (0, 1))
    return largest, smallest


def _is_certified(measure: Measure, m: Any, filling: Filling, sign: int, value: Any) -> Any:
    """Return whether the value of the policy is proved to be the worst, or does not matter here."""
    proved = fill_is_proved(measure, m, filling, largest=sign > 0)
    if np.all(proved) or not (measure.in_catalogue and measure.domain.on_margins):
        return proved
    fill = fill_value(measure, m, filling, largest=sign > 0)
    return proved | (sign * value > sign * fill + TIE * np.maximum(np.abs(fill), np.abs(value)))


def _scan_one(measure: Measure, total: int, positives: int, filling: Filling) -> tuple[Optimum, Optimum]:
    """Try every k of one population, or search among too many."""
    if filling == "exclude" and not measure.admissible.spans(total, positives):
        return Optimum(np.nan, (), total), Optimum(np.nan, (), total)
    every = np.arange(total + 1) if total < SCAN_DRAWS else None
    one = np.array([total]), np.array([positives])
    if every is not None and not measure.affine:
        nodes = node_counts(
            np.full_like(every, total), np.full_like(every, positives), every, strided=measure.smooth
        )
        every = every if int(nodes.sum()) <= SCAN_NODES else None
    widest = int(node_counts(*one, np.array([total // 2]), strided=measure.smooth)[0])
    most = THIN if every is None and widest > THIN and not measure.affine else None

    def looked_at(k: IntArray, fill: float, most: int | None) -> tuple[FloatArray, FloatArray]:
        return _scores(measure, np.full_like(k, total), np.full_like(k, positives), k, fill, most)

    ends: list[Optimum] = []
    tried: Any = None
    for sign in (1, -1):
        fill = float(fill_value(measure, total, filling, largest=sign > 0))
        if filling == "worst":
            tried = None
        if every is None:
            scored = functools.partial(looked_at, fill=fill, most=most)
            tried = coarse_to_fine(scored, total, positives, sign, tried)
        elif tried is None:
            tried = every, *looked_at(every, fill, None)
        k, mean, scale = tried
        if most is not None:  # sum in full at what looked best
            order = np.argsort(np.where(np.isnan(mean), np.inf, -sign * mean), kind="stable")[:2]
            k = np.sort(k[order])
            mean, scale = looked_at(k, fill, FULL_NODES)
        ends.append(best_of(k, mean, scale, total, sign, certified=every is not None))
    if filling != "exclude":
        ends = [
            Optimum(
                end.value,
                end.predicted_positives,
                total,
                end.certified and bool(_is_certified(measure, total, filling, sign, end.value)),
            )
            for end, sign in zip(ends, (1, -1), strict=True)
        ]
    return ends[0], ends[1]


def best_of(
    k: IntArray, mean: FloatArray, scale: FloatArray, total: int, sign: int, *, certified: bool
) -> Optimum:
    """Return the best of some k and all that are level with it.

    Of a grid, those between neighbours that are level count, too.
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


def coarse_to_fine(
    scored: Scored, total: int, positives: int, sign: float, tried: Any = None
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Look on a grid that is dense at the ends, then around the best points of it until all there are tried.

    It finds every optimum of a function without needle-like peaks, and cannot prove that there are none.
    Returned are the k that were tried, in order, with their scores and scales; given those, it goes on from
    there.
    """
    k, mean, scale = tried or _on_grid(scored, total, positives)
    while True:
        signed = np.where(np.isnan(mean), -np.inf, sign * mean)
        padded = np.concatenate(([-np.inf], signed, [-np.inf]))
        peaks = np.flatnonzero((signed >= padded[:-2]) & (signed >= padded[2:]) & np.isfinite(signed))
        peaks = peaks[np.argsort(-signed[peaks], kind="stable")[:PEAKS]]
        fans = [_fan(int(k[max(i - 1, 0)]), int(k[min(i + 1, len(k) - 1)])) for i in peaks.tolist()]
        new = np.setdiff1d(np.concatenate(fans), k) if fans else k[:0]
        if not new.size:
            return k, mean, scale
        added = scored(new)
        order = np.argsort(np.concatenate((k, new)), kind="stable")
        k = np.concatenate((k, new))[order]
        mean, scale = (np.concatenate(both)[order] for both in zip((mean, scale), added, strict=True))


def _on_grid(scored: Scored, total: int, positives: int) -> tuple[IntArray, FloatArray, FloatArray]:
    few = np.arange(min(ENDS, total) + 1)
    cosine = np.rint((1 - np.cos(np.linspace(0, np.pi, COSINE))) / 2 * total)
    geometric = np.rint(np.geomspace(1, max(total, 1), GEOMETRIC))
    special = np.array([positives, total - positives, total // 2, total // 3, 2 * total // 3])
    near = (special[:, None] + np.arange(-2, 3)).ravel()
    points = np.concatenate((few, total - few, cosine, geometric, total - geometric, near)).astype(np.int64)
    k = np.unique(points[(points >= 0) & (points <= total)])
    return k, *scored(k)


def _fan(low: int, high: int) -> IntArray:
    return np.arange(low, high + 1) if high - low <= ENDS else np.linspace(low, high, FAN).astype(np.int64)
