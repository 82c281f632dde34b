"""What the best blind predictions of many classes expect, where that has a closed form.

Samples are called classes at random, x_j of them class j, so that E[C_jj] = n_j x_j / M.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray, IntArray

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


def how_many_each(counts: IntArray, sizes: IntArray) -> How:
    """Return what to do to call so many samples each class."""
    if np.count_nonzero(counts) == 1:
        return "single"
    return "sizes" if (counts == sizes).all() else "counts"


NO_BAR = Optimum(math.nan, math.nan, None, "none", reason="only one class occurs")


def _one(sizes: IntArray, at: int) -> IntArray:
    counts = np.zeros_like(sizes)
    counts[at] = sizes.sum()
    return counts


def single(sizes: IntArray, values: FloatArray, worst: float | None = None) -> Optimum:
    """Return the best of predicting one class for all, where that is known to be best."""
    at = int(np.argmax(values))
    least = float(values.min()) if worst is None else worst
    return Optimum(float(values[at]), least, _one(sizes, at), "single")


def accuracy_bar(sizes: IntArray, _empty: float) -> Optimum:
    """Always predict the largest class."""
    return single(sizes, sizes / sizes.sum())


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
    return single(sizes, values)


def _precision_macro(sizes: IntArray, empty: float) -> Optimum:
    total, classes = int(sizes.sum()), len(sizes)
    share = sizes / total
    if math.isnan(empty):  # the mean over the classes that are predicted
        return single(sizes, share)
    if empty > 0:  # a class that is never predicted scores `empty`
        return _some_of_each(sizes, share - empty, classes * empty, classes)
    return _some_of_each(sizes, share, 0.0, classes)


def _precision_weighted(sizes: IntArray, empty: float) -> Optimum:
    total = int(sizes.sum())
    share = sizes / total
    if math.isnan(empty):
        return single(sizes, np.where(sizes > 0, share, -math.inf), float(share[sizes > 0].min()))
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


def with_a_value(sizes: IntArray, empty: float) -> tuple[int, float]:
    """Return over how many classes a plain mean is, and what those that do not occur add to its sum."""
    present = int(np.count_nonzero(sizes))
    return (present, 0.0) if math.isnan(empty) else (len(sizes), empty * (len(sizes) - present))


def _recall_macro(sizes: IntArray, empty: float) -> Optimum:
    known, extra = with_a_value(sizes, empty)
    return _any(sizes, (1 + extra) / known, extra / known)


recall_bars = {"micro": accuracy_bar, "macro": _recall_macro, "weighted": accuracy_bar}


def as_many_as_there_are(sizes: IntArray, empty: float, value: Any) -> Optimum:
    """Call as many as there are: each class then expects its share of samples, and together 1/K.

    Any measure C_jj / g(n_j, x_j) with g of degree 1, g(n, n) = n and x/g concave; a class that neither
    occurs nor is predicted counts as `empty`.
    """
    total = int(sizes.sum())
    known, extra = with_a_value(sizes, empty)
    alone = value(sizes.astype(np.float64), float(total), total)
    worst = float(alone.min()) / known if sizes.all() else lost(sizes, empty)
    return Optimum((1 + extra) / known, worst, np.array(sizes), "sizes")


def lost(sizes: IntArray, empty: float) -> float:
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
    return single(sizes, values, _least_fowlkes_mallows(sizes, empty))


def _least_fowlkes_mallows(sizes: IntArray, empty: float) -> float:
    """Predict the smallest classes once, and the rest where it gains least: absent, or the smallest."""
    total, small = int(sizes.sum()), np.sort(sizes[sizes > 0])
    number = np.arange(1, len(small) + 1)
    rest = np.sqrt(small[0]) * (np.sqrt(total - number + 1.0) - 1) if sizes.all() else 0.0
    sums = (np.cumsum(np.sqrt(small)) + rest) / total
    means = sums / number if math.isnan(empty) else (sums + empty * (len(sizes) - number)) / len(sizes)
    return float(means.min())
