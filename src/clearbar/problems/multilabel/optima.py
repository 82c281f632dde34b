"""What the best blind predictions of sets of labels expect, and which labels they call.

The best that ignores the features is a multiset of sets, given out to the samples at random: the proof for
two classes (Pries et al., Statistica Neerlandica 2023, theorem 1) holds for predictions of any kind. A mean
over labels depends on how often each label is called alone, so that labels are chosen one by one; a mean over
samples is best served by one set for all. Where that set is hard to find it is searched, and it is said
whether the search is proved to have found the best.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.label_sets import LabelSets
from clearbar.null import hypergeometric as hg
from clearbar.problems.reasons import OfAnyMeasure

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


Search = Callable[[LabelSets, float], "Optimum"]
Gains = Callable[[int], FloatArray]
Alone = Callable[[FloatArray, int], FloatArray]
"""The score of labels that are called for every sample, by their counts and the number of samples."""


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
    reason: str = ""


NO_BAR = Optimum(math.nan, math.nan, None, reason=OfAnyMeasure("no label occurs"))


def only(truth: LabelSets, places: IntArray | list[int]) -> BoolArray:
    """Return which labels are chosen, by their positions."""
    chosen = np.zeros(len(truth.labels), dtype=bool)
    chosen[places] = True
    return chosen


def subset_accuracy_bar(truth: LabelSets, _empty: float, *, loss: bool = False) -> Optimum:
    """Always call the commonest set."""
    first, counts = truth.kinds
    commonest = int(first[counts == counts.max()].min())
    every = len(truth.labels) < 63 and len(counts) == 2 ** len(truth.labels)  # else a set that nobody has
    right = np.array([counts.max(), counts.min() if every else 0])
    value, worst = (len(truth) - right if loss else right) / len(truth)
    return Optimum(float(value), float(worst), only(truth, truth.take([commonest]).columns))


def hamming_bar(truth: LabelSets, _empty: float) -> Optimum:
    """Call each label that most samples have."""
    total, cells = len(truth), len(truth) * len(truth.labels)
    lacking = total - truth.counts
    wrong, right = (f(truth.counts, lacking).sum() for f in (np.minimum, np.maximum))
    return Optimum(int(wrong) / cells, int(right) / cells, 2 * truth.counts > total)


def averaged_bars(name: str, beta: float) -> dict[str, Search]:
    """Return the bars of precision, recall, F-beta or Jaccard, averaged in each way."""
    if name in {"precision", "recall"}:
        bar = _precision if name == "precision" else _recall
        return {way: partial(bar, way) for way in ("micro", "macro", "weighted", "samples")}
    square = beta * beta
    alone: Alone
    if name == "jaccard":
        micro, samples, alone = micro_jaccard_bar, samples_jaccard_bar, lambda counts, total: counts / total
    else:
        micro, samples = partial(_micro_fbeta, square), partial(_samples_fbeta, square)
        alone = lambda counts, total: (1 + square) * counts / (square * counts + total)  # noqa: E731
    labelwise = {way: partial(_labelwise, way, alone) for way in ("macro", "weighted")}
    return {"micro": micro, **labelwise, "samples": samples}


def _precision(way: str, truth: LabelSets, empty: float) -> Optimum:
    """A label that is called expects its share of samples, however often it is called."""
    share = truth.counts / len(truth)
    best, every = only(truth, [int(np.argmax(share))]), np.ones(len(share), dtype=bool)
    weights = truth.counts if way == "weighted" and truth.counts.any() else np.ones_like(truth.counts)
    mean = float((share * weights).sum() / weights.sum())
    together = way in {"macro", "weighted"}
    if math.isnan(empty):  # the mean over what is called
        return Optimum(float(share.max()), float(share.min()), best)
    if empty == 1:  # the empty prediction has precision 1
        return Optimum(1.0, mean if together else float(share.min()), ~every)
    return Optimum(mean, 0.0, every) if together else Optimum(float(share.max()), 0.0, best)


def _recall(way: str, truth: LabelSets, empty: float) -> Optimum:
    """Call every label."""
    units = truth.sizes if way == "samples" else truth.counts
    lacking = float(np.mean(units == 0))
    if way in {"micro", "weighted"} and lacking < 1:
        lacking = 0.0
    every = np.ones(len(truth.labels), dtype=bool)
    if math.isnan(empty):
        return NO_BAR if lacking == 1 else Optimum(1.0, 0.0, every)
    return Optimum(1 - lacking + empty * lacking, empty * lacking, every)


def _labelwise(way: str, alone: Alone, truth: LabelSets, empty: float) -> Optimum:
    """Call each label that occurs for every sample: F-beta and Jaccard of a label rise with its calls.

    A label that does not occur is not called, so that it counts as `empty`.
    """
    here = truth.counts > 0
    if not here.any():
        return _without_labels(truth, empty)
    values = alone(truth.counts.astype(np.float64), len(truth))
    if way == "weighted":
        return Optimum(float((values * truth.counts).sum() / truth.counts.sum()), 0.0, here)
    kept = values[here] if math.isnan(empty) else np.where(here, values, empty)
    return Optimum(float(kept.mean()), 0.0, here)


def _without_labels(truth: LabelSets, empty: float) -> Optimum:
    """Call nothing where no label occurs; if that has no value, anything, which scores 0."""
    anything = math.isnan(empty)
    return Optimum(0.0 if anything else empty, 0.0, np.full(len(truth.labels), anything))


def _micro_fbeta(square: float, truth: LabelSets, empty: float) -> Optimum:
    """Call the labels whose share of samples is at least F/(1 + beta squared), F being the bar.

    The expectation is a ratio of linear functions of how often each label is called, so best at a vertex.
    """
    pairs = int(truth.counts.sum())
    if not pairs:
        return _without_labels(truth, empty)
    order = np.argsort(-truth.counts, kind="stable")
    called = np.arange(1, len(order) + 1) * len(truth)
    values = (1 + square) * np.cumsum(truth.counts[order]) / (square * pairs + called)
    best = int(np.argmax(values))
    return Optimum(float(values[best]), 0.0, only(truth, order[: best + 1]))


# -- means over samples: one set for all -------------------------------------------------------------------


def _samples_fbeta(square: float, truth: LabelSets, empty: float) -> Optimum:
    """One set for all: the s labels with the largest sums of (1 + b2) / (b2 |y| + s), for the best s."""
    gains = _gains_by_size(truth, lambda sizes, s: (1 + square) / (square * sizes + s))
    best, labels = 0.0, np.zeros(0, dtype=np.int64)
    for size in _promising(gains, len(truth.labels), lambda: best):  # noqa: B023 - the best so far
        largest = np.argsort(-gains(size), kind="stable")[:size]
        value = float(gains(size)[largest].sum())
        if value > best:
            best, labels = value, largest
    return _of_constant(truth, empty, best, only(truth, labels), gains, best)


def samples_jaccard_bar(truth: LabelSets, empty: float) -> Optimum:
    """One set for all: a median of sets, which is hard to find (Chierichetti et al., SODA 2010).

    Of few labels all sets are tried; else a climb starts from sets that a bound points to, and the bound
    tells whether there can be a better one: of s labels |y and S| / |y or S| is at most
    |y and S| / max(|y|, s).
    """
    gains = _gains_by_size(truth, lambda sizes, s: 1 / np.maximum(sizes, s))
    if 2 ** len(truth.labels) <= MOST_SETS:
        best, chosen = _best_of_all(truth)
        return _of_constant(truth, empty, best, chosen, gains, best)
    best, chosen, bound = _climbed(truth, gains)
    return _of_constant(truth, empty, best, chosen, gains, bound)


def _of_constant(
    truth: LabelSets, empty: float, best: float, chosen: BoolArray, gains: Gains, bound: float
) -> Optimum:
    """Return the bar of a mean over samples, given that of sets that are not empty, and what none exceeds.

    The empty set counts as `empty` for samples without labels, and as 0 for others. If samples without a
    value are left out, it is no better than others: a share of samples called nothing loses at least as much
    as it takes out of the mean. No set does worse than the worst single label or the empty one.
    """
    without = float(np.mean(truth.sizes == 0))
    worst = min(without, float(gains(1).min())) if empty == 1 else 0.0
    if empty == 1 and without >= best:
        best, chosen = without, np.zeros_like(chosen)
    elif without == 1 and math.isnan(empty):
        chosen = np.ones_like(chosen)  # only who calls something has a value
    return Optimum(best, worst, chosen, certified=bound <= best * (1 + 1e-12))


def _gains_by_size(truth: LabelSets, weight: Callable[[FloatArray, int], FloatArray]) -> Gains:
    """Return what each label adds to a mean over samples where so many are called; the more, the less."""
    sizes, cells = truth.by_size
    set_sizes = sizes.astype(np.float64)
    return lambda size: np.asarray(weight(set_sizes, size) @ cells / len(truth))


def _promising(gains: Gains, labels: int, best: Callable[[], float]) -> Iterator[int]:
    """Yield the numbers of labels that may reach more than the best so far.

    From `low` up to `high` labels none adds more than at `low`, so that ranges are left out as a whole.
    """
    doubling = [2**power for power in range(labels.bit_length())]
    ranges = [(low, min(2 * low - 1, labels)) for low in reversed(doubling)]
    while ranges:
        low, high = ranges.pop()
        if float(np.sort(gains(low))[labels - high :].sum()) <= best():
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
    of_sample = kinds.per_sample(powers[kinds.columns])
    sets = np.arange(1, 2**labels)
    total = np.zeros(len(sets))
    for bits, count in zip(of_sample.tolist(), counts.tolist(), strict=True):
        total += count * (np.bitwise_count(sets & bits) / np.bitwise_count(sets | bits))
    best_index = int(np.argmax(total))
    return float(total[best_index]) / len(truth), (sets[best_index] & powers) > 0


def _climbed(truth: LabelSets, gains: Gains) -> tuple[float, BoolArray, float]:
    """Return the best set that was found, and what no set exceeds."""
    best, bound, starts = 0.0, 0.0, []
    for size in _promising(gains, len(truth.labels), lambda: best):  # noqa: B023 - the best so far
        start = only(truth, np.argsort(-gains(size), kind="stable")[:size])
        starts.append((_jaccard_of(truth, start), start))
        best, bound = max(best, starts[-1][0]), max(bound, float(gains(size)[start].sum()))
    starts.sort(key=lambda found: -found[0])
    reached = [*starts[:1], *(_climb(truth, start) for _, start in starts[:MOST_STARTS])]
    value, chosen = max(reached, key=lambda found: found[0], default=(0.0, only(truth, [])))
    return value, chosen, max(bound, value)


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
        hit, lost = (both + 1) / np.maximum(union, 1), np.maximum(both - 1, 0) / np.maximum(union, 1)
        added = (both / more).sum() + truth.per_label((hit - both / more)[truth.rows])
        dropped = (both / fewer).sum() + truth.per_label((lost - both / fewer)[truth.rows])
        after = np.where(chosen, dropped, added) / len(truth)
        best_index = int(np.argmax(after))
        if after[best_index] <= value * (1 + 1e-12):
            break
        chosen[best_index] = not chosen[best_index]
        value = _jaccard_of(truth, chosen)
    return value, chosen


# -- micro Jaccard ----------------------------------------------------------------------------------------


def micro_jaccard_bar(truth: LabelSets, empty: float) -> Optimum:
    """Give out sets that were all tried, or call the commonest labels, and perhaps one more for some.

    Neither of the latter need be best.
    With T right of D labels that are there or called the score is T / (D - T), which is convex in T, so that
    chance itself adds to its mean.
    """
    pairs, total = int(truth.counts.sum()), len(truth)
    if not pairs:
        return _without_labels(truth, empty)
    if max(total, len(truth.labels)) <= MOST_BITS:
        orders = math.comb(2 ** len(truth.labels) + total - 1, total) * math.factorial(total)
        if orders <= MOST_ORDERS:
            return _best_of_multisets(truth)
    order = np.argsort(-truth.counts, kind="stable")
    right = np.concatenate(([0], np.cumsum(truth.counts[order])))
    called = np.arange(len(order) + 1) * total
    values = right / (pairs + called - right)
    best_index = int(np.argmax(values))
    best, chosen = float(values[best_index]), order[:best_index]
    dealt: tuple[tuple[BoolArray, int], ...] = ()
    if len(order) > 1 and total <= MOST_VARIED:
        for first in range(max(best_index - MOST_OFF, 0), min(best_index + MOST_OFF, len(order))):
            label = int(order[first])
            value, number = _varied(int(right[first]), pairs + first * total, total, int(truth.counts[label]))
            if value > best * (1 + 1e-12):
                best, chosen = value, order[:first]
                rest = only(truth, chosen), only(truth, order[: first + 1])
                dealt = tuple(zip(rest, (total - number, number), strict=True))
    return Optimum(best, 0.0, only(truth, chosen), dealt, certified=len(order) == 1)


def _best_of_multisets(truth: LabelSets) -> Optimum:
    """Give out every multiset of sets in every order: of so few samples and labels that is all there is."""
    total, pairs = len(truth), int(truth.counts.sum())
    powers = (1 << np.arange(len(truth.labels))).astype(np.int64)
    of_sample, sets = truth.per_sample(powers[truth.columns]), np.arange(2 ** len(truth.labels))
    both, sizes = (
        np.bitwise_count(of_sample[:, None] & sets).astype(np.int64),
        np.bitwise_count(sets).astype(int),
    )
    orders = np.array(list(itertools.permutations(range(total))))
    every = itertools.combinations_with_replacement(range(len(sets)), total)
    best, called = -1.0, (0,) * total
    while several := list(itertools.islice(every, max(1, TOGETHER // orders.size))):
        given = np.array(several)
        right = both[np.arange(total), given[:, orders]].sum(axis=2)
        values = (right / (pairs + sizes[given].sum(axis=1)[:, None] - right)).mean(axis=1)
        for case in np.flatnonzero(values >= max(best, values.max()) * (1 - 1e-12)).tolist():
            fewer = len(set(several[case])) < len(set(called))  # of equal ones the plainest
            if values[case] > best * (1 + 1e-12) or fewer:
                best, called = float(values[case]), several[case]
    kinds = [((powers & bits) > 0, called.count(bits)) for bits in sorted(set(called))]
    everywhere = np.logical_and.reduce([chosen for chosen, _ in kinds])
    return Optimum(best, 0.0, everywhere, tuple(kinds) if len(kinds) > 1 else ())


def _varied(right: int, either: int, total: int, count: int) -> tuple[float, int]:
    """Return the best expectation if one more label is called for some samples, and for how many."""
    number, hits = np.arange(1, total)[:, None], np.arange(count + 1)
    pmf = hg.pmf(hits, np.int64(total), np.int64(count), number)
    values = (pmf * (right + hits) / np.maximum(either + number - right - hits, 1)).sum(axis=1)
    if not len(values):
        return 0.0, 0
    best_index = int(np.argmax(values))
    return float(values[best_index]), best_index + 1
