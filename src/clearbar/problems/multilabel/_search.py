"""Bars of sets of labels that are searched, and whether the search is proved to have found the best."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.label_sets import LabelSets
from clearbar.core.reasons import Reason
from clearbar.null import hypergeometric as hg

MOST_SETS = 2**12
"""Sets of labels up to which all are tried."""

MOST_VARIED = 300
"""Samples up to which a label is tried for any number of them, not for none or all alone."""

MOST_OFF = 4
"""Labels by which the number that are called for all then differs from the best constant answer's."""

MOST_ORDERS, MOST_BITS = 2**21, 12
"""Multisets of sets times orders of the samples up to which all are tried; labels, or samples, at most."""

TOGETHER = 2**18
"""Of these, numbers that are held at once."""

ROUNDS = 100
"""Steps of a climb from a set to a better one."""

MOST_STARTS = 5
"""Sets from which a climb starts."""


class Optimum(NamedTuple):
    """The largest and smallest expected score of blind predictions; the bar is one of them.

    `chosen` says which labels are called for every sample, None where there is no bar; `dealt` holds the
    sets, and for how many samples each, that are given out at random where one for all is not best.
    `certified` says that nothing blind is better.
    """

    value: float
    worst: float
    chosen: BoolArray | None
    dealt: tuple[tuple[BoolArray, int], ...] = ()
    certified: bool = True
    reason: str | Reason = ""


NO_BAR = Optimum(math.nan, math.nan, None, reason=Reason("no_label"))


def only(truth: LabelSets, places: IntArray | list[int]) -> BoolArray:
    """Return which labels are chosen, by their positions."""
    chosen = np.zeros(len(truth.labels), dtype=bool)
    chosen[places] = True
    return chosen


def samples_fbeta_bar(truth: LabelSets, empty: float, square: float) -> Optimum:
    """One set for all: the s labels with the largest sums of (1 + b2) / (b2 |y| + s), for the best s."""
    by_size = BySize(truth, lambda own, s: (1 + square) / (square * own + s))
    best, order = 0.0, np.zeros(0, dtype=np.int64)
    for size in by_size.promising(lambda: best):  # noqa: B023 - the best so far
        gains = by_size.gains(size)
        largest = np.argsort(-gains, kind="stable")[:size]
        value = float(gains[largest].sum())
        if value > best:
            best, order = value, largest
    return _of_constant(truth, empty, best, only(truth, order), by_size, best)


def samples_jaccard_bar(truth: LabelSets, empty: float) -> Optimum:
    """One set for all: a median of sets, which is hard to find (Chierichetti et al., SODA 2010).

    Of few labels all sets are tried; else a climb starts from sets that a bound points to, and the bound
    tells whether there can be a better one: of s labels |y and S| / |y or S| is at most
    |y and S| / max(|y|, s).
    """
    by_size = BySize(truth, lambda own, s: 1 / np.maximum(own, s))
    if 2 ** len(truth.labels) <= MOST_SETS:
        best, chosen = _best_of_all(truth)
        return _of_constant(truth, empty, best, chosen, by_size, best)
    best, chosen, bound = _climbed(truth, by_size)
    return _of_constant(truth, empty, best, chosen, by_size, bound)


def _of_constant(
    truth: LabelSets, empty: float, best: float, chosen: BoolArray, by_size: BySize, bound: float
) -> Optimum:
    """Return the bar of a mean over samples, given that of sets that are not empty, and what none exceeds.

    The empty set counts as `empty` for samples without labels, and as 0 for others. If samples without a
    value are left out, it is no better than others: a share of samples called nothing loses at least as much
    as it takes out of the mean. No set does worse than the worst single label or the empty one.
    """
    without = float(np.mean(truth.sizes == 0))
    worst = min(without, float(by_size.gains(1).min())) if empty == 1 else 0.0
    if empty == 1 and without >= best:
        best, chosen = without, np.zeros_like(chosen)
    elif without == 1 and math.isnan(empty):
        chosen = np.ones_like(chosen)  # only who calls something has a value
    return Optimum(best, worst, chosen, certified=bound <= best * (1 + 1e-12))


class BySize:
    """What each label adds to a mean over samples, by how many labels are called; the more, the less."""

    def __init__(self, truth: LabelSets, weight: Callable[[FloatArray, int], FloatArray]) -> None:
        sizes, self._cells = truth.by_size
        self._sizes, self._weight, self._total = sizes.astype(np.float64), weight, len(truth)

    def gains(self, size: int) -> FloatArray:
        """Return what each label adds where so many are called."""
        return np.asarray(self._weight(self._sizes, size) @ self._cells / self._total)

    def promising(self, best: Callable[[], float]) -> Iterator[int]:
        """Yield the numbers of labels that may reach more than the best so far.

        From `low` up to `high` labels none adds more than at `low`, so that ranges are left out as a whole.
        """
        labels = self._cells.shape[1]
        doubling = [2**power for power in range(labels.bit_length())]
        ranges = [(low, min(2 * low - 1, labels)) for low in reversed(doubling)]
        while ranges:
            low, high = ranges.pop()
            if float(np.sort(self.gains(low))[labels - high :].sum()) <= best():
                continue
            if low == high:
                yield low
            else:
                middle = (low + high) // 2
                ranges += [(middle + 1, high), (low, middle)]


def _best_of_all(truth: LabelSets) -> tuple[float, BoolArray]:
    """Try all sets on the distinct sets that occur."""
    first, counts = truth.kinds
    kinds = truth.take(first)
    labels = len(truth.labels)
    powers = (1 << np.arange(labels)).astype(np.int64)
    own = kinds.per_sample(powers[kinds.columns])
    sets = np.arange(1, 2**labels)
    total = np.zeros(len(sets))
    for bits, count in zip(own.tolist(), counts.tolist(), strict=True):
        total += count * (np.bitwise_count(sets & bits) / np.bitwise_count(sets | bits))
    at = int(np.argmax(total))
    return float(total[at]) / len(truth), (sets[at] & powers) > 0


def _climbed(truth: LabelSets, by_size: BySize) -> tuple[float, BoolArray, float]:
    """Return the best set that was found, and what no set exceeds."""
    best, chosen, bound, starts = 0.0, only(truth, []), 0.0, []
    for size in by_size.promising(lambda: best):  # noqa: B023 - the best so far
        gains = by_size.gains(size)
        start = only(truth, np.argsort(-gains, kind="stable")[:size])
        bound = max(bound, float(gains[start].sum()))
        value = _jaccard_of(truth, start)
        starts.append((value, size, start))
        if value > best:
            best, chosen = value, start
    for _, _, start in sorted(starts, key=lambda one: (-one[0], one[1]))[:MOST_STARTS]:
        value, reached = _climb(truth, start)
        if value > best:
            best, chosen = value, reached
    return best, chosen, max(bound, best)


def _jaccard_of(truth: LabelSets, chosen: BoolArray) -> float:
    both = truth.within(chosen)
    union = truth.sizes + int(chosen.sum()) - both
    return float((both / np.maximum(union, 1)).mean())


def _climb(truth: LabelSets, chosen: BoolArray) -> tuple[float, BoolArray]:
    """Add or drop the label that gains most, as long as one gains."""
    chosen, value = chosen.copy(), _jaccard_of(truth, chosen)
    for _ in range(ROUNDS):
        both = truth.within(chosen)
        union = truth.sizes + int(chosen.sum()) - both
        more, fewer = np.maximum(union + 1, 1), np.maximum(union - 1, 1)
        own = truth.rows
        added = (both / more).sum() + truth.per_label(((both + 1) / np.maximum(union, 1) - both / more)[own])
        dropped = (both / fewer).sum() + truth.per_label(
            (np.maximum(both - 1, 0) / np.maximum(union, 1) - both / fewer)[own]
        )
        after = np.where(chosen, dropped, added) / len(truth)
        at = int(np.argmax(after))
        if after[at] <= value * (1 + 1e-12):
            break
        chosen[at] = not chosen[at]
        value = _jaccard_of(truth, chosen)
    return value, chosen


def micro_jaccard_bar(truth: LabelSets, empty: float) -> Optimum:
    """Give out sets that were all tried, or call the commonest labels, and perhaps one more for some.

    Neither of the latter need be best.
    With T right of D labels that are there or called the score is T / (D - T), which is convex in T, so that
    chance itself adds to its mean.
    """
    pairs, total = int(truth.counts.sum()), len(truth)
    if not pairs:
        nothing = np.full(len(truth.labels), math.isnan(empty))
        return Optimum(0.0 if math.isnan(empty) else empty, 0.0, nothing)
    if len(truth.labels) <= MOST_BITS and _orders(truth) <= MOST_ORDERS:
        return _best_of_multisets(truth)
    order = np.argsort(-truth.counts, kind="stable")
    right = np.concatenate(([0], np.cumsum(truth.counts[order])))
    called = np.arange(len(order) + 1) * total
    values = right / (pairs + called - right)
    at = int(np.argmax(values))
    best, chosen = float(values[at]), order[:at]
    dealt: tuple[tuple[BoolArray, int], ...] = ()
    if len(order) > 1 and total <= MOST_VARIED:
        for first in range(max(at - MOST_OFF, 0), min(at + MOST_OFF, len(order))):
            label = int(order[first])
            own = int(truth.counts[label])
            value, number = _varied(int(right[first]), pairs + first * total, total, own)
            if value > best * (1 + 1e-12):
                best, chosen = value, order[:first]
                rest = only(truth, chosen), only(truth, order[: first + 1])
                dealt = tuple(zip(rest, (total - number, number), strict=True))
    return Optimum(best, 0.0, only(truth, chosen), dealt, certified=len(order) == 1)


def _orders(truth: LabelSets) -> int:
    """Return how many multisets of sets there are to call, times the orders of the samples."""
    total, sets = len(truth), 2 ** len(truth.labels)
    if total > MOST_BITS:
        return MOST_ORDERS + 1
    return math.comb(sets + total - 1, total) * math.factorial(total)


def _best_of_multisets(truth: LabelSets) -> Optimum:
    """Give out every multiset of sets in every order: of so few samples and labels that is all there is."""
    total, pairs = len(truth), int(truth.counts.sum())
    powers = (1 << np.arange(len(truth.labels))).astype(np.int64)
    own, sets = truth.per_sample(powers[truth.columns]), np.arange(2 ** len(truth.labels))
    both, sizes = np.bitwise_count(own[:, None] & sets).astype(np.int64), np.bitwise_count(sets).astype(int)
    orders = np.array(list(itertools.permutations(range(total))))
    every = itertools.combinations_with_replacement(range(len(sets)), total)
    best, called = -1.0, (0,) * total
    while several := list(itertools.islice(every, max(1, TOGETHER // orders.size))):
        given = np.array(several)
        right = both[np.arange(total), given[:, orders]].sum(axis=2)
        values = (right / (pairs + sizes[given].sum(axis=1)[:, None] - right)).mean(axis=1)
        for at in np.flatnonzero(values >= max(best, values.max()) * (1 - 1e-12)).tolist():
            fewer = len(set(several[at])) < len(set(called))  # of equal ones the plainest
            if values[at] > best * (1 + 1e-12) or fewer:
                best, called = float(values[at]), several[at]
    kinds = [((powers & one) > 0, called.count(one)) for one in sorted(set(called))]
    everywhere = np.logical_and.reduce([chosen for chosen, _ in kinds])
    return Optimum(best, 0.0, everywhere, tuple(kinds) if len(kinds) > 1 else ())


def _varied(right: int, either: int, total: int, count: int) -> tuple[float, int]:
    """Return the best expectation if one more label is called for some samples, and for how many."""
    number, hits = np.arange(1, total)[:, None], np.arange(count + 1)
    law = hg.pmf(hits, np.int64(total), np.int64(count), number)
    values = (law * (right + hits) / np.maximum(either + number - right - hits, 1)).sum(axis=1)
    if not len(values):
        return 0.0, 0
    at = int(np.argmax(values))
    return float(values[at]), at + 1
