"""Expected scores of the best blind predictions of sets of labels, and which labels they call.

The best that ignores the features is a multiset of sets, given out to the samples at random: the proof for
two classes (Pries et al., Statistica Neerlandica 2023, theorem 1) holds for predictions of any kind. A mean
over labels depends on how often each label is called alone, so that labels are chosen one by one; a mean over
samples is best served by one set for all. Where that set is hard to find it is searched, and it is said
whether the search is proved to have found the best.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.label_sets import LabelSets
from clearbar.core.reasons import OfAnyMeasure
from clearbar.null import hypergeometric as hg

MOST_SETS = 2**12  # sets of labels up to which all are tried
MOST_VARIED = 300  # samples up to which a label is tried for any number of them, not for none or all alone
NEARBY = 4  # labels by which the number that are called for all then differs from the best constant answer's
ROUNDS, MOST_STARTS = 100, 5  # steps of a climb from a set to a better one, and sets from which it starts

Search = Callable[[LabelSets, float], "LabelOptimum"]
Gains = Callable[[int], FloatArray]
# The score of labels that are called for every sample, by their counts and the number of samples.
ScoreOfCalled = Callable[[FloatArray, int], FloatArray]


class LabelOptimum(NamedTuple):
    """The largest and smallest expected score of blind predictions; the bar is one of them.

    `called` says which labels are called for every sample, None where there is no bar; `for_some` is one more
    label and for how many samples, at random, it is called. `certified` says that nothing blind is better.
    """

    value: float
    worst: float
    called: BoolArray | None
    for_some: tuple[int, int] | None = None
    certified: bool = True
    reason: str = ""
    best_possible: float = math.nan  # the score of perfect predictions, which the bar adds


class Candidate(NamedTuple):
    """A set of labels for every sample, its score, and what no other set exceeds."""

    value: float
    called: BoolArray
    bound: float


NO_BAR = LabelOptimum(math.nan, math.nan, None, reason=OfAnyMeasure("no label occurs"))


def only(truth: LabelSets, positions: IntArray | list[int]) -> BoolArray:
    """Return which labels are called, given their positions."""
    called = np.zeros(len(truth.labels), dtype=bool)
    called[positions] = True
    return called


def subset_accuracy_bar(truth: LabelSets, _empty: float, *, loss: bool = False) -> LabelOptimum:
    """Always call the commonest set."""
    first, counts = truth.kinds
    commonest = int(first[counts == counts.max()].min())
    every = len(truth.labels) < 63 and len(counts) == 2 ** len(truth.labels)  # else a set that nobody has
    right = np.array([counts.max(), counts.min() if every else 0])
    value, worst = (len(truth) - right if loss else right) / len(truth)
    return LabelOptimum(float(value), float(worst), only(truth, truth.take([commonest]).columns))


def hamming_bar(truth: LabelSets, _empty: float) -> LabelOptimum:
    """Call each label that most samples have."""
    total, cells = len(truth), len(truth) * len(truth.labels)
    lacking = total - truth.counts
    wrong, right = (f(truth.counts, lacking).sum() for f in (np.minimum, np.maximum))
    return LabelOptimum(int(wrong) / cells, int(right) / cells, 2 * truth.counts > total)


def averaged_bars(name: str, beta: float) -> dict[str, Search]:
    """Return the bars of precision, recall, F-beta or Jaccard, averaged in each way."""
    if name in {"precision", "recall"}:
        bar = _precision if name == "precision" else _recall
        return {way: partial(bar, way) for way in ("micro", "macro", "weighted", "samples")}
    square = beta * beta
    alone: ScoreOfCalled
    if name == "jaccard":
        micro, samples, alone = micro_jaccard_bar, samples_jaccard_bar, lambda counts, total: counts / total
    else:
        micro, samples = partial(_micro_fbeta, square), partial(_samples_fbeta, square)
        alone = lambda counts, total: (1 + square) * counts / (square * counts + total)  # noqa: E731
    labelwise = {way: partial(_labelwise, way, alone) for way in ("macro", "weighted")}
    return {"micro": micro, **labelwise, "samples": samples}


def _precision(way: str, truth: LabelSets, empty: float) -> LabelOptimum:
    """A label that is called expects its share of samples, however often it is called."""
    share = truth.counts / len(truth)
    best, every = only(truth, [int(np.argmax(share))]), np.ones(len(share), dtype=bool)
    weights = truth.counts if way == "weighted" and truth.counts.any() else np.ones_like(truth.counts)
    mean = float((share * weights).sum() / weights.sum())
    together = way in {"macro", "weighted"}
    if math.isnan(empty):  # the mean over what is called
        return LabelOptimum(float(share.max()), float(share.min()), best)
    if empty == 1:  # the empty prediction has precision 1
        return LabelOptimum(1.0, mean if together else float(share.min()), ~every)
    return LabelOptimum(mean, 0.0, every) if together else LabelOptimum(float(share.max()), 0.0, best)


def _recall(way: str, truth: LabelSets, empty: float) -> LabelOptimum:
    """Call every label."""
    units = truth.sizes if way == "samples" else truth.counts
    lacking = float(np.mean(units == 0))
    if way in {"micro", "weighted"} and lacking < 1:
        lacking = 0.0
    every = np.ones(len(truth.labels), dtype=bool)
    if math.isnan(empty):
        return NO_BAR if lacking == 1 else LabelOptimum(1.0, 0.0, every)
    return LabelOptimum(1 - lacking + empty * lacking, empty * lacking, every)


def _labelwise(way: str, alone: ScoreOfCalled, truth: LabelSets, empty: float) -> LabelOptimum:
    """Call each label that occurs for every sample: F-beta and Jaccard of a label rise with its calls."""
    # A label that does not occur is not called, so that it counts as `empty`.
    here = truth.counts > 0
    if not here.any():
        return _without_labels(truth, empty)
    values = alone(truth.counts.astype(np.float64), len(truth))
    if way == "weighted":
        return LabelOptimum(float((values * truth.counts).sum() / truth.counts.sum()), 0.0, here)
    kept = values[here] if math.isnan(empty) else np.where(here, values, empty)
    return LabelOptimum(float(kept.mean()), 0.0, here)


def _without_labels(truth: LabelSets, empty: float) -> LabelOptimum:
    """Call nothing where no label occurs; if that has no value, anything, which scores 0."""
    anything = math.isnan(empty)
    return LabelOptimum(0.0 if anything else empty, 0.0, np.full(len(truth.labels), anything))


def _micro_fbeta(square: float, truth: LabelSets, empty: float) -> LabelOptimum:
    """Call the labels whose share of samples is at least F/(1 + beta squared), F being the bar."""
    # The expectation is a ratio of linear functions of how often each label is called, so best at a vertex.
    pairs = int(truth.counts.sum())
    if not pairs:
        return _without_labels(truth, empty)
    order = np.argsort(-truth.counts, kind="stable")
    called = np.arange(1, len(order) + 1) * len(truth)
    values = (1 + square) * np.cumsum(truth.counts[order]) / (square * pairs + called)
    best = int(np.argmax(values))
    return LabelOptimum(float(values[best]), 0.0, only(truth, order[: best + 1]))


# -- means over samples: one set for all -------------------------------------------------------------------


def _gains_by_size(truth: LabelSets, weight: Callable[[FloatArray, int], FloatArray]) -> Gains:
    """Return what each label adds to a mean over samples where so many are called; the more, the less."""
    sizes, cells = truth.by_size
    set_sizes = sizes.astype(np.float64)
    return lambda size: np.asarray(weight(set_sizes, size) @ cells / len(truth))


def _largest_gains(
    truth: LabelSets, gains: Gains, value: Callable[[LabelSets, BoolArray], float] | None = None
) -> list[Candidate]:
    """Return for each number of labels the set that gains most, as long as a larger one may be better."""
    # No set of as many labels scores more than that gain; nor, since gains fall with the number of labels,
    # does a larger one score more than the gains of all labels together. The score is the gain unless `value`
    # tells.
    candidates, best, labels = [], 0.0, len(truth.labels)
    for size in range(1, labels + 1):
        gain = gains(size)
        if float(gain.sum()) <= best:
            break
        bound = float(np.partition(gain, labels - size)[labels - size :].sum())
        if bound > best:
            called = only(truth, np.argsort(-gain, kind="stable")[:size])
            candidates.append(Candidate(bound if value is None else value(truth, called), called, bound))
            best = max(best, candidates[-1].value)
    return candidates


def _samples_fbeta(square: float, truth: LabelSets, empty: float) -> LabelOptimum:
    """One set for all: the s labels with the largest sums of (1 + b2) / (b2 |y| + s), for the best s."""
    gains = _gains_by_size(truth, lambda sizes, s: (1 + square) / (square * sizes + s))
    best = max(_largest_gains(truth, gains), key=lambda candidate: candidate.value, default=_nothing(truth))
    return _of_constant(truth, empty, best, gains)


def samples_jaccard_bar(truth: LabelSets, empty: float) -> LabelOptimum:
    """One set for all: a median of sets, which is hard to find (Chierichetti et al., SODA 2010)."""
    # Of few labels all sets are tried; else sets are improved label by label, and it is said whether the
    # bound of the gains proves that none is better: of s labels |y and S| / |y or S| is at most |y and S| /
    # max(|y|, s).
    gains = _gains_by_size(truth, lambda sizes, s: 1 / np.maximum(sizes, s))
    if 2 ** len(truth.labels) <= MOST_SETS:
        return _of_constant(truth, empty, _best_of_all(truth), gains)
    candidates = sorted(_largest_gains(truth, gains, _jaccard_of), key=lambda candidate: -candidate.value)
    climbed = (_climbed(truth, candidate) for candidate in candidates[:MOST_STARTS])
    best = max(climbed, key=lambda candidate: candidate.value, default=_nothing(truth))
    bound = max((candidate.bound for candidate in candidates), default=0.0)
    return _of_constant(truth, empty, best._replace(bound=max(bound, best.value)), gains)


def _nothing(truth: LabelSets) -> Candidate:
    return Candidate(0.0, only(truth, []), 0.0)


def _of_constant(truth: LabelSets, empty: float, best: Candidate, gains: Gains) -> LabelOptimum:
    """Return the bar of a mean over samples, given the best set that is not empty."""
    # The empty set counts as `empty` for samples without labels, and as 0 for others. If samples without a
    # value are left out, it is no better than others: a share of samples called nothing loses at least as
    # much as it takes out of the mean. No set does worse than the worst single label or the empty one.
    value, called = best.value, best.called
    without = float(np.mean(truth.sizes == 0))
    worst = min(without, float(gains(1).min())) if empty == 1 else 0.0
    if empty == 1 and without >= value:
        value, called = without, np.zeros_like(called)
    elif without == 1 and math.isnan(empty):
        called = np.ones_like(called)  # only who calls something has a value
    return LabelOptimum(value, worst, called, certified=best.bound <= value * (1 + 1e-12))


def _best_of_all(truth: LabelSets) -> Candidate:
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
    value = float(total[best_index]) / len(truth)
    return Candidate(value, (sets[best_index] & powers) > 0, value)


def _jaccard_of(truth: LabelSets, called: BoolArray) -> float:
    both = truth.within(called)
    union = truth.sizes + int(called.sum()) - both
    return float((both / np.maximum(union, 1)).mean())


def _climbed(truth: LabelSets, start: Candidate) -> Candidate:
    """Add or drop the label that gains most, as long as one gains."""
    called, value = start.called.copy(), start.value
    for _ in range(ROUNDS):
        both = truth.within(called)
        union = truth.sizes + int(called.sum()) - both
        more, fewer = np.maximum(union + 1, 1), np.maximum(union - 1, 1)
        hit, lost = (both + 1) / np.maximum(union, 1), np.maximum(both - 1, 0) / np.maximum(union, 1)
        added = (both / more).sum() + truth.per_label((hit - both / more)[truth.rows])
        dropped = (both / fewer).sum() + truth.per_label((lost - both / fewer)[truth.rows])
        after = np.where(called, dropped, added) / len(truth)
        changed = int(np.argmax(after))
        if after[changed] <= value * (1 + 1e-12):
            break
        called[changed] = not called[changed]
        value = _jaccard_of(truth, called)
    return Candidate(value, called, start.bound)


# -- micro Jaccard ----------------------------------------------------------------------------------------


def micro_jaccard_bar(truth: LabelSets, empty: float) -> LabelOptimum:
    """Call the commonest labels, and perhaps one more for some samples: neither need be best."""
    # With T right of D labels that are there or called the score is T / (D - T), which is convex in T, so
    # that chance itself adds to its mean.
    pairs, total = int(truth.counts.sum()), len(truth)
    if not pairs:
        return _without_labels(truth, empty)
    order = np.argsort(-truth.counts, kind="stable")
    right = np.concatenate(([0], np.cumsum(truth.counts[order])))
    called = np.arange(len(order) + 1) * total
    values = right / (pairs + called - right)
    number = int(np.argmax(values))
    optimum = LabelOptimum(float(values[number]), 0.0, only(truth, order[:number]), certified=len(order) == 1)
    if len(order) > 1 and 1 < total <= MOST_VARIED:
        for first in range(max(number - NEARBY, 0), min(number + NEARBY, len(order))):
            label = int(order[first])
            value, times = _for_some(
                int(right[first]), pairs + first * total, total, int(truth.counts[label])
            )
            if value > optimum.value * (1 + 1e-12):
                optimum = LabelOptimum(
                    value, 0.0, only(truth, order[:first]), (label, times), certified=False
                )
    return optimum


def _for_some(right: int, either: int, total: int, count: int) -> tuple[float, int]:
    """Return the best expectation if one more label is called for some samples, and for how many."""
    times, hits = np.arange(1, total)[:, None], np.arange(count + 1)
    pmf = hg.pmf(hits, np.int64(total), np.int64(count), times)
    values = (pmf * (right + hits) / np.maximum(either + times - right - hits, 1)).sum(axis=1)
    best = int(np.argmax(values))
    return float(values[best]), best + 1
