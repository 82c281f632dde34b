"""The best blind prediction: the number k of predicted positives with the largest expected score.

Where a measure declares how its expectation runs over k, a few k are compared, for many populations at once;
otherwise every k, up to a size, and beyond on a grid that is refined around its best points. Two expectations
that agree to 4e-15 are equal, but where one formula, affine in TP, can be asked in fractions.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from clearbar.catalogue import Condition, Filling, Measure, NotExact, fill_is_proved, fill_value
from clearbar.core import Later
from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core._value import Value, whole_number
from clearbar.core.counts import Population
from clearbar.core.errors import shown
from clearbar.null import cells_at, expectations, least_true, moments, pieces, strides, values_at
from clearbar.null.expectation import node_blocks
from clearbar.null.hypergeometric import support, tp_variance

# Relative difference below which two sums in floating point count as equal, and are asked in fractions.
TIE, NEAR = 4e-15, 1e-9

# Samples up to which neighbouring expectations next to a peak differ by more than rounding (some 4/M^2).
RESOLVED = 2**20

# Numbers of predicted positives that are all tried, as long as they need no more evaluations than these.
SCAN_DRAWS, SCAN_NODES = 2**18, 3 * 2**26

# Samples up to which every number of predicted positives is tried for the best of several tries.
SCAN_TRIES = 2_000

# Outcomes summed in a search, around its best k, and at the best two.
# A kink between outcomes that are h apart costs up to h^2 / 8 times its probability: with 1,024 outcomes some
# 1e-5 of the standard deviation of TP, which may move the best k.
THIN, REFINED, FULL_NODES = 2**10, 2**13, 2**19

TOGETHER = 2**14  # populations held at once: few enough to stay in a processor's cache

# Of a search: k tried next to either end and around what is found, points of the two grids, places that are
# refined, and by how many k at a time.
ENDS, COSINE, GEOMETRIC, PEAKS, FAN = 64, 513, 257, 8, 33

MOST_TRIES = 10**12  # tries beyond which nobody asks: no p-value is that small

# k, ascending, their expected scores, nan where not admissible, and the scale of what was averaged: a mean
# near zero of values of size one carries their rounding.
Tried = tuple[IntArray, FloatArray, FloatArray]

# One end of several populations: its value, first and last k of ranges that attain it, of shape (ranges,
# populations) with a first k of -1 for none, and whether that is proved.
Side = tuple[FloatArray, IntArray, IntArray, BoolArray]


@dataclass(frozen=True, eq=False)
class Optimum(Value):
    """The best (or worst) expected score of any draw.

    Attributes
    ----------
    value : float or ndarray
        The expected score; nan where no draw is admissible.
    predicted_positives : tuple of range, or ndarray of int64
        The complete set of optimal k as maximal, disjoint, ascending ranges, empty where `value` is
        nan. For an array of populations the smallest optimal k of each, -1 where there is none.
    total : int or ndarray
        Number of samples M.
    certified : bool or ndarray
        Whether no other draw can be better: proved from the measure's shape, or all k were tried.
    """

    value: float | FloatArray
    predicted_positives: tuple[range, ...] | IntArray
    total: Any
    certified: bool | Any = True

    _repr_html_ = Later("clearbar.notebook", "optimum_html")

    def __post_init__(self) -> None:
        for name in ("value", "predicted_positives", "total", "certified"):
            array = getattr(self, name)
            if isinstance(array, np.ndarray):
                array = array.view()
                array.flags.writeable = False
                object.__setattr__(self, name, array)

    @property
    def theta_star(self) -> tuple[tuple[float, float], ...]:
        """The optimal shares k / M as closed (low, high) pairs."""
        return tuple((r.start / self.total, (r.stop - 1) / self.total) for r in self._ranges)

    @property
    def theta(self) -> tuple[tuple[float, float], ...]:
        """The shares that round to an optimal k.

        Intervals ``[low, high)`` cut to [0, 1]; the right end belongs to it only where it is 1.
        """
        halves = ((r.start - 0.5, r.stop - 0.5) for r in self._ranges)
        return tuple((max(low / self.total, 0.0), min(high / self.total, 1.0)) for low, high in halves)

    @property
    def smallest(self) -> int | IntArray:
        """The smallest optimal k, -1 where there is none."""
        if isinstance(self.predicted_positives, tuple):
            return self.predicted_positives[0].start if self.predicted_positives else -1
        return self.predicted_positives

    @property
    def _ranges(self) -> Any:
        if isinstance(self.predicted_positives, tuple):
            return self.predicted_positives
        msg = "an array of populations keeps only the smallest optimal k of each; index the baseline first."
        raise ValueError(msg)


def checked_tries(tries: Any) -> int:
    """Return a number of tries, or say what one is."""
    if whole_number("tries", tries, 1) > MOST_TRIES:
        raise ValueError(f"tries must be at most {MOST_TRIES:,}; found {shown(tries)}.")
    return int(tries)


def extremes(
    measure: Measure, population: Population, filling: Filling, tries: int = 1
) -> tuple[Optimum, Optimum]:
    """Return the largest and the smallest expected score of one population, or of an array of them."""
    # Of several tries, all with one k, it is what the best of them expects.
    if not population.shape:
        return _of_one(measure, int(population.total), int(population.positives), filling, tries)
    total, positives = np.asarray(population.total), np.asarray(population.positives)
    m, p = total.reshape(-1), positives.reshape(-1)
    back: Any = slice(None)
    shaped = _has_shape(measure)
    if not (shaped and measure.shape in {"constant", "monotone"}):  # they cost less than to find equal ones
        (m, p), back = np.unique(np.stack((m, p)), axis=1, return_inverse=True)
    value, smallest, certified = (
        np.empty((2, m.size)),
        np.empty((2, m.size), int),
        np.empty((2, m.size), bool),
    )
    blocks = pieces(m.size, TOGETHER if shaped else 1)
    for rows in tracked(blocks, m.size, lambda rows: rows.stop - rows.start, "populations"):
        if shaped:
            for end, (values, starts, _, proved) in enumerate(_by_shape(measure, m[rows], p[rows], filling)):
                least = np.where(starts < 0, m[rows] + 1, starts).min(axis=0)
                value[end, rows], certified[end, rows] = values, proved
                smallest[end, rows] = np.where(least > m[rows], -1, least)
        else:
            (row,) = range(rows.start, rows.stop)
            for end, best in enumerate(_of_one(measure, int(m[row]), int(p[row]), filling, 1)):
                value[end, row], smallest[end, row], certified[end, row] = (
                    best.value,
                    best.smallest,
                    best.certified,
                )

    def side(end: int) -> Optimum:
        columns = (column[end, back].reshape(total.shape) for column in (value, smallest, certified))
        values, draws, proved = columns
        return Optimum(values, draws, total, proved)

    return side(0), side(1)


@functools.lru_cache(maxsize=256)
def _of_one(
    measure: Measure, total: int, positives: int, filling: Filling, tries: int
) -> tuple[Optimum, Optimum]:
    """Return the same with complete sets of k."""
    if tries > 1 or not _has_shape(measure):
        return _by_trying(measure, total, positives, filling, tries)
    ends = []
    for value, starts, stops, proved in _by_shape(measure, np.array([total]), np.array([positives]), filling):
        pairs = zip(starts[:, 0].tolist(), stops[:, 0].tolist(), strict=True)
        ranges = merged(range(first, last + 1) for first, last in pairs if first >= 0)
        ends.append(Optimum(float(value[0]), ranges, total, bool(proved[0])))
    return ends[0], ends[1]


def _has_shape(measure: Measure) -> bool:
    """Return whether the expectation runs in a known way over all k at which the formula has a value."""
    return measure.shape is not None and measure.admissible.on_margins


# -- a declared shape ---------------------------------------------------------------------------------
def _by_shape(measure: Measure, m: IntArray, p: IntArray, filling: Filling) -> list[Side]:
    """Compare the k at which an expectation of known shape can be extreme."""
    # These are the ends of the admissible k, those around a peak or valley, and, under a policy that fills
    # what has no value, k = 0 and k = M.
    first, last = _admissible_range(measure.admissible if filling == "exclude" else measure.domain, m, p)
    empty = first > last
    if empty.any():  # some k, where there is none
        first, last = np.where(empty, 0, first), np.where(empty, 0, last)
    k = np.stack((first, last) if measure.shape != "constant" else (first,))
    if measure.shape == "monotone":
        second = [np.minimum(first + 1, last)] if m.size == 1 else []
        k = np.stack((first, *second, np.maximum(last - 1, first), last))
    elif measure.shape != "constant":
        k = np.concatenate((k, _around_top(measure, m, p, first, last)))
    mean = expectations(measure, m, p, k)
    mean = np.where(empty, np.nan, mean) if empty.any() else mean
    sides = []
    for sign in (1.0, -1.0):
        ends = mean[[0, -1]] if measure.shape == "monotone" else mean  # where it never turns back
        value = sign * np.fmax.reduce(sign * ends)
        starts, stops = np.where(empty, -1, first)[None], last[None]
        if measure.shape != "constant":
            starts, stops = _level_ranges(measure, m, p, k, mean, value)
        proved: Any = np.ones(m.shape, dtype=bool)
        if filling != "exclude":
            fill = fill_value(measure, m, filling, largest=sign > 0)
            at_none, at_all = empty | (first > 0), ~empty & (last < m)
            offered = (at_none | at_all) & ~np.isnan(fill)
            tie = np.abs(fill - value) <= TIE * np.maximum(np.maximum(np.abs(fill), np.abs(value)), 1.0)
            better = offered & (np.isnan(value) | (~tie & (sign * fill > sign * value)))
            used = better | (offered & tie)
            starts[:, better] = -1
            value = np.where(better, fill, value)
            starts = np.vstack((starts, np.where(used & at_none, 0, -1), np.where(used & at_all, m, -1)))
            stops = np.vstack((stops, np.where(empty, m, 0), m))
            proved = ~used | fill_is_proved(measure, m, filling, largest=sign > 0)
        sides.append((value, starts, stops, proved))
    return sides


def _admissible_range(domain: Condition, m: IntArray, p: IntArray) -> tuple[IntArray, IntArray]:
    """Return first and last admissible k, a last before the first where there is none."""
    # Conditions on margins ask which of P, N, k and M - k are 0: small populations answer for all others.
    ends = []
    for positives, negatives in itertools.product((0, 2), repeat=2):
        spans = domain.spans(positives + negatives, positives)
        ends.append((spans[0][0], positives + negatives - spans[0][1]) if spans else (1, 2**53))
    first, left_out = np.array(ends).T
    kind = 2 * (p > 0) + (p < m)
    return first[kind], m - left_out[kind]


def _around_top(measure: Measure, m: IntArray, p: IntArray, first: IntArray, last: IntArray) -> IntArray:
    """Return the k around the top of what rises and then falls, or falls and then rises, strictly."""
    # The formula at the mean table, which needs no sum, turns next to where its expectation does. Of more
    # samples than floats resolve, k some 1e-6 M apart are compared.
    sign = 1.0 if measure.shape == "peak" else -1.0
    stride = np.maximum(m // RESOLVED, 1)
    none, steps = np.zeros_like(m), (last - first) // stride

    def falls_at_mean(step: IntArray, rows: IntArray) -> BoolArray:
        k = first[rows] + np.stack((step, step + 1)) * stride[rows]
        shares, of_class = k / np.maximum(m[rows], 1), (p[rows], (m - p)[rows])
        (tp, fp), (fn, tn) = ([share * size for size in of_class] for share in (shares, 1 - shares))
        return np.asarray(~(sign * np.diff(measure.values(tp, fp, fn, tn), axis=0)[0] > 0))

    def falls(step: IntArray, rows: IntArray) -> BoolArray:
        k = first[rows] + np.stack((step, step + 1)) * stride[rows]
        here, there = expectations(measure, m[rows], p[rows], k)
        return np.asarray(~(sign * (there - here) > 4 * np.spacing(np.abs(here))))

    guess = least_true(falls_at_mean, none, steps - 1)
    step = least_true(falls, none, steps - 1, guess)
    near = np.array([[-1], [0], [1]]) * (m <= RESOLVED)
    return np.asarray(np.clip(first + stride * step + near, first, last))


def _level_ranges(
    measure: Measure, m: IntArray, p: IntArray, k: IntArray, means: FloatArray, value: FloatArray
) -> tuple[IntArray, IntArray]:
    """Return ranges of k that attain a value: single ones, or plateaus of what never turns back."""
    exact = measure.shape == "monotone" and measure.affine and (m.size == 1 or m.max() > RESOLVED)
    best = k[[0, -1]][np.argmax(means[[0, -1]] == value, axis=0), np.arange(m.size)] if exact else value

    def is_level(draws: IntArray, mean: FloatArray, rows: Any = slice(None)) -> BoolArray:
        difference, size = np.abs(mean - value[rows]), np.abs(value[rows])
        level = np.asarray(difference <= TIE * size)
        if exact:
            near = (difference <= np.maximum(NEAR * size, 1e-12)) & (draws != best[rows])
            near &= (m.size == 1) | (m[rows] > RESOLVED)
            for place in map(tuple, np.argwhere(near)):
                row = np.arange(m.size)[rows][place[-1]]
                sizes = int(m[row]), int(p[row]), int(draws[place]), int(best[row])
                level[place] = _exactly_level(measure, *sizes, otherwise=bool(level[place]))
        return level

    level = is_level(k, means)
    starts, stops = np.where(level, k, -1), k.copy()
    if measure.shape != "monotone":
        return starts, stops
    stops[0] = np.where(level[0] & level[-1], k[-1], stops[0])
    # It never turns back, but may stay level up to its last k, or from its first on, which is of interest for
    # one population: of an array only the smallest k is kept.
    for turned, neighbour in ((True, 1), (False, -2))[m.size > 1 :]:
        rows = np.flatnonzero((level[0] != level[-1]) & level[neighbour] & (level[0] == turned))
        if rows.size:

            def test(x: IntArray, of: IntArray, rows: IntArray = rows, *, turned: bool = turned) -> BoolArray:
                row = rows[of]
                return np.asarray(is_level(x, expectations(measure, m[row], p[row], x), row) != turned)

            edge = least_true(test, k[0, rows], k[-1, rows])
            if turned:
                stops[0, rows] = edge - 1
            else:
                starts[-1, rows] = edge
    return starts, stops


def _exactly_level(
    measure: Measure, total: int, positives: int, k: int, best: int, *, otherwise: bool
) -> bool:
    """Tell by fractions whether two predictions expect the same: the formula at the expected tables."""
    sizes = positives, total - positives
    tables = [
        [Fraction(rows * size, total) for rows in (draws, total - draws) for size in sizes]
        for draws in (k, best)
    ]
    try:
        first, second = (measure.exactly(*table) for table in tables)
    except (NotExact, ZeroDivisionError):
        return otherwise
    return first == second


# -- no shape -----------------------------------------------------------------------------------------
def _by_trying(
    measure: Measure, total: int, positives: int, filling: Filling, tries: int
) -> tuple[Optimum, Optimum]:
    """Try every k of one population, or search among them."""
    if tries > 1:
        every, thinned = total <= SCAN_TRIES, False
    else:
        _, below, above = strides(
            tuple(np.array([n]) for n in (total, positives, total // 2)), smooth=measure.smooth
        )
        nodes = 1 if measure.affine else int(below[0] + above[0]) + 1
        every = total < SCAN_DRAWS and (total + 1) * nodes <= SCAN_NODES
        thinned = not (every or measure.affine or measure.smooth)
    ends: list[Optimum] = []
    tried: Any = None
    for sign in (1.0, -1.0):
        fill = float(fill_value(measure, total, filling, largest=sign > 0))
        looks = functools.partial(_look, measure, total, positives, fill, tries)
        look = functools.partial(looks, most=THIN if thinned else None)
        if tried is None or filling == "worst":
            tried = look(np.arange(total + 1) if every else grid(total, positives))
        k, mean, scale = tried = tried if every else refined(look, tried, sign)
        if thinned and not np.isnan(mean).all():
            best = int(k[np.nanargmax(sign * mean)])
            variance = float(tp_variance(total, positives, best))
            width = ENDS + int(0.2 * math.sqrt(variance) * total / max(positives, 1))
            near = _fan(max(best - width, 0), min(best + width, total))
            look = functools.partial(looks, most=REFINED)
            k, mean, _ = refined(look, look(near), sign, places=1)
            two = np.argsort(np.where(np.isnan(mean), np.inf, -sign * mean), kind="stable")[:2]
            k, mean, scale = looks(np.sort(k[two]), most=FULL_NODES)
        certified = every and bool(fill_is_proved(measure, total, filling, largest=sign > 0))
        ends.append(_best_of((k, mean, scale), total, sign, every=every, certified=certified))
    return ends[0], ends[1]


def _look(
    measure: Measure, total: int, positives: int, fill: float, tries: int, k: IntArray, most: int | None
) -> Tried:
    """Return the expected score of some k, nan where it is not admissible, and its scale."""
    if tries > 1:
        mean = expected_best(measure, total, positives, k, tries, fill)
    else:
        mean, variance, undefined = moments(measure, total, positives, k, fill=fill, most_nodes=most)
    if math.isnan(fill):
        ends = support(total, positives, k)  # which a window of the mass may leave out
        kept = np.isfinite([values_at(measure, tp, total, positives, k) for tp in ends]).all(axis=0)
        if measure.requires is not None:
            kept &= measure.requires.holds(cells_at(ends[0], total, positives, k))
        mean = np.where(kept if tries > 1 else kept & (undefined == 0), mean, np.nan)
    if tries > 1:
        return k, mean, np.maximum(np.abs(mean), 1.0)
    return k, mean, np.abs(mean) + np.sqrt(np.where(np.isnan(mean), 0.0, variance))


def _best_of(tried: Tried, total: int, sign: float, *, every: bool, certified: bool) -> Optimum:
    """Return the best of the k that were tried, with those that are level with it."""
    # Of a search whatever lies between neighbouring tried k that are level counts, too.
    kept = ~np.isnan(tried[1])
    k, mean, scale = (column[kept] for column in tried)
    if not k.size:
        return Optimum(np.nan, (), total)
    best = int(np.argmax(sign * mean))
    tied = np.abs(mean - mean[best]) <= TIE * np.maximum(scale, scale[best])
    ranges = runs(k[tied])
    if not every:
        ranges = tuple(range(int(k[r.start]), int(k[r.stop - 1]) + 1) for r in runs(np.flatnonzero(tied)))
    return Optimum(float(mean[best]), ranges, total, certified)


def refined(look: Callable[[IntArray], Tried], tried: Tried, sign: float, *, places: int = PEAKS) -> Tried:
    """Look around the best k that were tried until all there are."""
    # It finds every optimum of a function without needle-like peaks, and cannot prove that there are none.
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


def expected_best(
    measure: Measure, total: int, positives: int, draws: IntArray, tries: int, fill: float = np.nan
) -> FloatArray:
    """Return for each k what the best of so many tries expects; nan where an outcome has no value."""
    # With F the probability that one try does at least this well, one of n does with 1 - (1 - F)^n.
    mean = np.empty(len(draws))
    sign = -1.0 if measure.greater_is_better is False else 1.0
    margins = np.full_like(draws, total), np.full_like(draws, positives), draws
    blocks = node_blocks(margins, smooth=False)
    for rows, tp, single in tracked(blocks, len(draws), lambda block: block[0].size, "draws"):
        values = values_at(measure, tp, total, positives, draws[rows, None])
        values = sign * np.where(np.isfinite(values), values, fill)
        order = np.argsort(-values, axis=1, kind="stable")
        values, weight = (np.take_along_axis(array, order, axis=1) for array in (values, single))
        at_least = np.minimum(np.cumsum(weight, axis=1), 1.0)
        with np.errstate(divide="ignore"):
            one_does = -np.expm1(tries * np.log1p(-at_least))
        one_does[:, -1] = 1.0
        share = np.diff(one_does, axis=1, prepend=0.0)
        lost = (np.isnan(values) & (weight > 0)).any(axis=1)
        best = np.where(share > 0, share * values, 0.0).sum(axis=1)
        mean[rows] = np.where(lost, np.nan, sign * best + 0.0)  # no zero is negative
    return mean


def merged(ranges: Iterable[range]) -> tuple[range, ...]:
    """Return ranges as maximal, disjoint, ascending ones."""
    joined: list[range] = []
    for draws in sorted((r for r in ranges if len(r)), key=lambda r: r.start):
        if joined and draws.start <= joined[-1].stop:
            joined[-1] = range(joined[-1].start, max(joined[-1].stop, draws.stop))
        else:
            joined.append(draws)
    return tuple(joined)


def runs(numbers: IntArray) -> tuple[range, ...]:
    """Return ascending distinct integers as ranges."""
    if not numbers.size:
        return ()
    breaks = np.flatnonzero(np.diff(numbers) != 1)
    first = numbers[np.concatenate(([0], breaks + 1))]
    last = numbers[np.concatenate((breaks, [len(numbers) - 1]))]
    return tuple(range(int(a), int(b) + 1) for a, b in zip(first, last, strict=True))
