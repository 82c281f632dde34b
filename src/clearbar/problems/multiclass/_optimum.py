"""What the best blind predictions of many classes expect, and how often they call each class.

Samples are called classes at random, x_j of them class j, so that E[C_jj] = n_j x_j / M. Optima over x are
closed forms where there is one, and greedy where a sum of concave terms is to be made large.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.core._typing import FloatArray, IntArray
from clearbar.distributions.null import expectations
from clearbar.problems.multiclass._fill import filled
from clearbar.problems.multiclass._joint import (
    LARGEST_G_MEAN,
    MOST_G_MEAN_CLASSES,
    best_g_mean,
    best_micro_jaccard,
)

How = Literal["single", "sizes", "any", "every", "several", "counts", "first", "none"]
"""What to do: one class for all, as many of each as it has, anything, each class at least once, two classes
at least, so many of each, the same few classes for all; nothing where there is no bar."""


class Optimum(NamedTuple):
    """The largest and smallest expected score of blind predictions; the bar is one of them.

    `counts` is one x that attains the bar, None where there is none; `certified` says that no x is better.
    """

    value: float
    worst: float
    counts: IntArray | None
    how: How
    certified: bool = True
    reason: str = ""


NO_BAR = Optimum(math.nan, math.nan, None, "none", reason="only one class occurs")


def _one(sizes: IntArray, at: int) -> IntArray:
    counts = np.zeros_like(sizes)
    counts[at] = sizes.sum()
    return counts


def _single(sizes: IntArray, values: FloatArray, worst: float | None = None) -> Optimum:
    """Return the best of predicting one class for all, where that is known to be best."""
    at = int(np.argmax(values))
    least = float(values.min()) if worst is None else worst
    return Optimum(float(values[at]), least, _one(sizes, at), "single")


def accuracy_bar(sizes: IntArray, _empty: float) -> Optimum:
    """Always predict the largest class."""
    return _single(sizes, sizes / sizes.sum())


def top_k_bar(k: int) -> Callable[[IntArray, float], Optimum]:
    """Return the bar of naming k classes: always the largest."""

    def bar(sizes: IntArray, _empty: float) -> Optimum:
        order = np.argsort(-sizes, kind="stable")
        total, counts = int(sizes.sum()), np.zeros_like(sizes)
        counts[order[:k]] = total
        value, worst = (float(sizes[part].sum()) / total for part in (order[:k], order[-k:]))
        return Optimum(value, worst, counts, "first")

    return bar


def error_bar(sizes: IntArray, _empty: float) -> Optimum:
    """Always predict the largest class: the fewest errors."""
    total = int(sizes.sum())
    wrong = (total - sizes) / total
    at = int(np.argmin(wrong))
    return Optimum(float(wrong[at]), float(wrong.max()), _one(sizes, at), "single")


def _any(sizes: IntArray, value: float, elsewhere: float) -> Optimum:
    """Return a bar that every prediction of classes that occur expects; `elsewhere` is what others do."""
    worst = value if sizes.all() else elsewhere
    return Optimum(value, worst, _one(sizes, int(np.argmax(sizes))), "any")


def balanced_accuracy_bar(sizes: IntArray, _empty: float) -> Optimum:
    """Each class is hit as often as it is predicted, whatever its size: 1/K."""
    return _any(sizes, 1 / int(np.count_nonzero(sizes)), 0.0)


def adjusted_balanced_accuracy_bar(sizes: IntArray, _empty: float) -> Optimum:
    """Balanced accuracy expects what is taken off."""
    here = int(np.count_nonzero(sizes))
    return NO_BAR if here == 1 else _any(sizes, 0.0, -1 / (here - 1))


def chance_corrected_bar(sizes: IntArray, _empty: float) -> Optimum:
    """Whatever has a value expects 0."""
    if np.count_nonzero(sizes) < 2:
        return NO_BAR
    return Optimum(0.0, 0.0, np.array(sizes), "several")


def kappa_bar(sizes: IntArray, empty: float) -> Optimum:
    """As for MCC; but where one class is all, calling samples another has a value too: 0."""
    here = np.flatnonzero(sizes)
    if len(sizes) == 1 or len(here) > 1:
        return chance_corrected_bar(sizes, empty)
    return Optimum(0.0, 0.0, _one(sizes, 1 if here[0] == 0 else 0)[: len(sizes)], "several")


def specificity_bar(sizes: IntArray, empty: float) -> Optimum:
    """Any prediction expects 1 - 1/K, but where one class is all: its own has no value."""
    total, classes = int(sizes.sum()), len(sizes)
    if int(sizes.max()) < total:
        return _any(sizes, 1 - 1 / classes, 1 - 1 / classes)
    others = classes - 1
    known = classes if not math.isnan(empty) else others
    if not known:
        return NO_BAR
    extra = 0.0 if math.isnan(empty) else empty
    values = np.where(sizes == total, others + extra, others - 1 + extra) / known
    return _single(sizes, values)


def _precision_macro(sizes: IntArray, empty: float) -> Optimum:
    total, classes = int(sizes.sum()), len(sizes)
    share = sizes / total
    if math.isnan(empty):  # the mean over the classes that are predicted
        return _single(sizes, share)
    if empty > 0:  # a class that is never predicted scores `empty`
        return _some_of_each(sizes, share - empty, classes * empty, classes)
    return _some_of_each(sizes, share, 0.0, classes)


def _precision_weighted(sizes: IntArray, empty: float) -> Optimum:
    total = int(sizes.sum())
    share = sizes / total
    if math.isnan(empty):
        return _single(sizes, np.where(sizes > 0, share, -math.inf), float(share[sizes > 0].min()))
    return _some_of_each(sizes, share * (share - empty), empty, 1)


def _some_of_each(sizes: IntArray, gains: FloatArray, base: float, scale: float) -> Optimum:
    """Return the best set of classes to predict where each adds its gain, however often it is predicted.

    At least one class is predicted, and at most M.
    """
    total = int(sizes.sum())

    def reach(order: IntArray, sign: float) -> tuple[float, IntArray]:
        useful = int(np.count_nonzero(sign * gains[order[:total]] > 0))
        chosen = order[: max(useful, 1)]
        return (base + float(gains[chosen].sum())) / scale, chosen

    value, chosen = reach(np.argsort(-gains, kind="stable"), 1.0)
    worst, _ = reach(np.argsort(gains, kind="stable"), -1.0)
    counts = np.zeros_like(sizes)
    counts[chosen] = 1
    counts[chosen[0]] += total - len(chosen)
    how: How = "single" if len(chosen) == 1 else "every" if len(chosen) == len(sizes) else "counts"
    return Optimum(value, worst, counts, how)


precision_bars = {"micro": accuracy_bar, "macro": _precision_macro, "weighted": _precision_weighted}


def _recall_macro(sizes: IntArray, empty: float) -> Optimum:
    present = int(np.count_nonzero(sizes))
    known = present if math.isnan(empty) else len(sizes)
    extra = 0.0 if math.isnan(empty) else empty * (len(sizes) - present)
    return _any(sizes, (1 + extra) / known, extra / known)


recall_bars = {"micro": accuracy_bar, "macro": _recall_macro, "weighted": accuracy_bar}


def fbeta_bars(beta: float) -> dict[str, Callable[[IntArray, float], Optimum]]:
    """Return the bars of F-beta averaged in each way."""
    square = beta * beta

    def value(sizes: Any, x: Any, total: int) -> Any:
        return (1 + square) * sizes * x / (total * (square * sizes + x))

    def gain(sizes: Any, x: Any, total: int) -> Any:
        both = (square * sizes + x) * (square * sizes + x + 1)
        return (1 + square) * square * sizes**2 / (total * both)

    def macro(sizes: IntArray, empty: float) -> Optimum:
        return _as_many_as_there_are(sizes, empty, value)

    def weighted(sizes: IntArray, _empty: float) -> Optimum:
        return _greedy(sizes, value, gain, lambda n, total: n / total)

    return {"micro": accuracy_bar, "macro": macro, "weighted": weighted}


def _as_many_as_there_are(sizes: IntArray, empty: float, value: Any) -> Optimum:
    """Call as many as there are: each class then expects its share of samples, and together 1/K.

    Any measure C_jj / g(n_j, x_j) with g of degree 1, g(n, n) = n and x/g concave; a class that neither
    occurs nor is predicted counts as `empty`.
    """
    total, present = int(sizes.sum()), int(np.count_nonzero(sizes))
    known = present if math.isnan(empty) else len(sizes)
    extra = 0.0 if math.isnan(empty) else empty * (len(sizes) - present)
    alone = value(sizes.astype(np.float64), float(total), total)
    worst = float(alone.min()) / known if sizes.all() else _lost(sizes, empty)
    return Optimum((1 + extra) / known, worst, np.array(sizes), "sizes")


def _lost(sizes: IntArray, empty: float) -> float:
    """Return what is left if as many absent classes as possible are predicted: each then scores 0."""
    left = max(int(np.count_nonzero(sizes == 0)) - int(sizes.sum()), 0)
    return 0.0 if math.isnan(empty) else empty * left / len(sizes)


def f1_of_averages_bar(sizes: IntArray, empty: float) -> Optimum:
    """Call as many as there are: precision and recall of each class are then equal, and their means too."""
    total, classes = int(sizes.sum()), len(sizes)
    if empty != 0 and not sizes.all():
        return Optimum(math.nan, math.nan, None, "none", reason="it is not known where a class is absent")
    if empty != 0:
        return _f1_of_averages_unpredicted(sizes, empty)
    alone = 2 * sizes / (classes * (sizes + total))
    return Optimum(1 / classes, float(alone.min()), np.array(sizes), "sizes")


def _f1_of_averages_unpredicted(sizes: IntArray, empty: float) -> Optimum:
    """A class that is never predicted adds `empty` to mean precision: compare single classes and x = n."""
    total, classes = int(sizes.sum()), len(sizes)
    share = sizes / total
    precision = share if math.isnan(empty) else (share + (classes - 1) * empty) / classes
    recall = 1 / classes
    alone = 2 * precision * recall / (precision + recall)
    at = int(np.argmax(alone))
    return Optimum(float(alone[at]), math.nan, _one(sizes, at), "single", certified=False)


def fowlkes_mallows_bar(sizes: IntArray, empty: float) -> Optimum:
    """Call as many as there are; one class where those never predicted score 1 or are left out."""
    total, classes = int(sizes.sum()), len(sizes)
    root = np.sqrt(sizes / total)
    if empty == 0:
        worst = float(root.min()) / classes
        return Optimum(1 / classes, worst, np.array(sizes), "sizes")
    if math.isnan(empty):
        values = np.where(sizes > 0, root, -math.inf)
    else:  # a class that never occurs has no value even where it is predicted
        values = np.where(sizes > 0, (root + (classes - 1) * empty) / classes, empty)
    return _single(sizes, values, _least_fowlkes_mallows(sizes, empty))


def _least_fowlkes_mallows(sizes: IntArray, empty: float) -> float:
    """Predict the smallest classes once, and the rest where it gains least: absent, or the smallest."""
    total, small = int(sizes.sum()), np.sort(sizes[sizes > 0])
    number = np.arange(1, len(small) + 1)
    rest = np.sqrt(small[0]) * (np.sqrt(total - number + 1.0) - 1) if sizes.all() else 0.0
    sums = (np.cumsum(np.sqrt(small)) + rest) / total
    means = sums / number if math.isnan(empty) else (sums + empty * (len(sizes) - number)) / len(sizes)
    return float(means.min())


def expected_jaccard(sizes: Any, x: Any, total: int) -> FloatArray:
    """E[C / (n + x - C)], the expected threat score of one class against the rest."""
    size, called = np.broadcast_arrays(np.asarray(sizes, np.int64), np.asarray(x, np.int64))
    means = np.zeros(size.shape)
    some = (size > 0) & (called > 0)
    if some.any():
        totals = np.full(int(some.sum()), total, dtype=np.int64)
        means[some] = expectations(get_measure("threat_score"), totals, size[some], called[some])
    return means


def _jaccard_gain(sizes: Any, x: Any, total: int) -> FloatArray:
    later = np.minimum(np.asarray(x, np.int64) + 1, total)
    return expected_jaccard(sizes, later, total) - expected_jaccard(sizes, x, total)


def _jaccard_macro(sizes: IntArray, empty: float) -> Optimum:
    here = sizes > 0
    known = len(sizes) if not math.isnan(empty) else int(here.sum())
    extra = 0.0 if math.isnan(empty) else empty * int((~here).sum())
    found = _greedy(sizes, expected_jaccard, _jaccard_gain, lambda n, _: np.ones_like(n, dtype=np.float64))
    worst = found.worst / known if sizes.all() else _lost(sizes, empty)
    return found._replace(value=(found.value + extra) / known, worst=worst)


def _jaccard_weighted(sizes: IntArray, _empty: float) -> Optimum:
    return _greedy(sizes, expected_jaccard, _jaccard_gain, lambda n, total: n / total)


def _greedy(sizes: IntArray, value: Any, gain: Any, weight: Any) -> Optimum:
    """Return the largest sum of weighted concave terms, one for each class, each 0 where x is."""
    total, here = int(sizes.sum()), np.flatnonzero(sizes)
    distinct, at = np.unique(sizes[here], return_inverse=True)
    weights = weight(distinct, total)
    counts = np.zeros_like(sizes)
    counts[here] = filled(lambda x: weights * gain(distinct, x, total), at.reshape(-1), total)
    own = weight(sizes[here], total)
    best = float((own * value(sizes[here], counts[here], total)).sum())
    alone = weights * value(distinct, np.full(len(distinct), total), total)
    worst = float(alone.min()) if len(here) == len(sizes) else 0.0
    chosen = np.flatnonzero(counts)
    how: How = "single" if len(chosen) == 1 else "sizes" if (counts == sizes).all() else "counts"
    return Optimum(best, worst, counts, how)


def ac1_bar(sizes: IntArray, _empty: float) -> Optimum:
    """One class for all: 1 - AC1 is a linear function over a convex one, so it is least at a vertex."""
    total, classes = int(sizes.sum()), len(sizes)
    if classes < 2:
        return NO_BAR
    square = float((sizes.astype(np.float64) ** 2).sum())
    spread = (square + 2.0 * sizes * total + float(total) ** 2) / (4 * float(total) ** 2)
    values = 1 - (1 - sizes / total) * (classes - 1) / (classes - 2 + spread)
    return _single(sizes, values, _least_ac1(sizes))


def _least_ac1(sizes: IntArray) -> float:
    """Return the least expected AC1: the largest ratio, by Dinkelbach's steps over concave sums."""
    total, classes = int(sizes.sum()), len(sizes)
    square = float(total) ** 2

    def ratio(x: IntArray) -> float:
        spread = float(((sizes + x).astype(np.float64) ** 2).sum()) / (4 * square)
        return (1 - float((sizes * x).sum()) / square) * (classes - 1) / (classes - 2 + spread)

    at, largest = np.arange(classes), ratio(np.array(sizes))
    for _ in range(50):
        scale = largest / (classes - 1)
        x = filled(partial(_ac1_gain, sizes, scale), at, total)
        value = ratio(x)
        if value <= largest * (1 + 1e-15):
            break
        largest = value
    return 1 - largest


def _ac1_gain(sizes: IntArray, scale: float, x: IntArray) -> FloatArray:
    square = float(sizes.sum()) ** 2
    return np.asarray(-sizes / square - scale * (2 * (sizes + x) + 1) / (4 * square))


def _jaccard_micro(sizes: IntArray, _empty: float) -> Optimum:
    value, counts, certified = best_micro_jaccard(sizes)
    total, least = int(sizes.sum()), int(sizes.min())
    how: How = "single" if np.count_nonzero(counts) == 1 else "sizes" if (counts == sizes).all() else "counts"
    return Optimum(value, least / (2 * total - least), counts, how, certified)


jaccard_bars = {"micro": _jaccard_micro, "macro": _jaccard_macro, "weighted": _jaccard_weighted}


def g_mean_bar(sizes: IntArray, _empty: float) -> Optimum:
    """No closed form: searched as long as the expectation can be computed; it never exceeds 1/K."""
    here = np.flatnonzero(sizes)
    if int(sizes.sum()) > LARGEST_G_MEAN or len(here) > MOST_G_MEAN_CLASSES:
        most = f"{LARGEST_G_MEAN} samples or {MOST_G_MEAN_CLASSES} classes"
        bound = f"it is at most {1 / len(here):.3g}"
        why = f"what blind predictions expect is too long to compute above {most}; {bound}"
        return NO_BAR._replace(reason=why)
    value, own, certified = best_g_mean(sizes[here])
    counts = np.zeros_like(sizes)
    counts[here] = own
    return Optimum(value, 0.0 if len(sizes) > 1 else 1.0, counts, "counts", certified)
