"""Expected scores of the best blind predictions of many classes: closed forms, and exact searches.

Samples are called classes at random, x_j of them class j, so that E[C_jj] = n_j x_j / M. A measure that adds
up concave terms f_j(x_j) is best where units go one by one to the class that gains most (by exchange).
The calculator translates the closed forms: they hold to arithmetic and the few NumPy functions it knows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.reasons import OfAnyMeasure
from clearbar.null import expectations

MOST_LISTED = 4_096  # gains of units, of all kinds of classes, up to which each is worked out once
BISECTIONS = 200  # steps of the search for the price of a unit; floats are exhausted sooner

# What to do: one class for all, as many of each as it has, anything, each class at least once, two classes at
# least, so many of each, the same few classes for all; the shares of the classes as probabilities, the same
# scores for all; nothing where there is no bar.
How = Literal["single", "sizes", "any", "every", "several", "counts", "first", "shares", "scores", "none"]


class ClassOptimum(NamedTuple):
    """The largest and smallest expected score of blind predictions; the bar is one of them.

    `counts` is one x that attains the bar, None where there is none; `certified` says that no x is better.
    """

    value: float
    worst: float
    counts: IntArray | None
    how: How
    certified: bool = True
    reason: str = ""


NO_BAR = ClassOptimum(math.nan, math.nan, None, "none", reason=OfAnyMeasure("only one class occurs"))
NOT_KNOWN = NO_BAR._replace(reason=OfAnyMeasure("it is not known where a class is absent"))


def how_many_each(counts: IntArray, sizes: IntArray) -> How:
    """Return what to do to call so many samples each class."""
    if np.count_nonzero(counts) == 1:
        return "single"
    return "sizes" if (counts == sizes).all() else "counts"


def _all_called(sizes: IntArray, label: int) -> IntArray:
    counts = np.zeros_like(sizes)
    counts[label] = sizes.sum()
    return counts


def _single(sizes: IntArray, values: FloatArray, worst: float | None = None) -> ClassOptimum:
    """Return the best of predicting one class for all, where that is known to be best."""
    label = int(np.argmax(values))
    least = float(values.min()) if worst is None else worst
    return ClassOptimum(float(values[label]), least, _all_called(sizes, label), "single")


def _any(sizes: IntArray, value: float, elsewhere: float) -> ClassOptimum:
    """Return a bar that every prediction of classes that occur expects; `elsewhere` is what others do."""
    worst = value if sizes.all() else elsewhere
    return ClassOptimum(value, worst, _all_called(sizes, int(np.argmax(sizes))), "any")


# -- sums over samples, and measures whose expectation is constant ---------------------------------------


def accuracy_bar(sizes: IntArray, _empty: float) -> ClassOptimum:
    """Always predict the largest class."""
    return _single(sizes, sizes / sizes.sum())


def error_bar(sizes: IntArray, _empty: float) -> ClassOptimum:
    total = int(sizes.sum())
    wrong = (total - sizes) / total
    label = int(np.argmin(wrong))
    return ClassOptimum(float(wrong[label]), float(wrong.max()), _all_called(sizes, label), "single")


def top_k_bar(k: int) -> Callable[[IntArray, float], ClassOptimum]:
    """Return the bar of naming k classes: always the largest."""

    def bar(sizes: IntArray, _empty: float) -> ClassOptimum:
        order = np.argsort(-sizes, kind="stable")
        total, counts = int(sizes.sum()), np.zeros_like(sizes)
        counts[order[:k]] = total
        value, worst = (float(sizes[few].sum()) / total for few in (order[:k], order[-k:]))
        return ClassOptimum(value, worst, counts, "first")

    return bar


def balanced_accuracy_bar(sizes: IntArray, _empty: float) -> ClassOptimum:
    """Each class is hit as often as it is predicted, whatever its size: 1/K."""
    return _any(sizes, 1 / int(np.count_nonzero(sizes)), 0.0)


def adjusted_balanced_accuracy_bar(sizes: IntArray, _empty: float) -> ClassOptimum:
    here = int(np.count_nonzero(sizes))
    return NO_BAR if here == 1 else _any(sizes, 0.0, -1 / (here - 1))


def chance_corrected_bar(sizes: IntArray, _empty: float) -> ClassOptimum:
    """Whatever has a value expects 0."""
    if np.count_nonzero(sizes) < 2:
        return NO_BAR
    return ClassOptimum(0.0, 0.0, np.array(sizes), "several")


def kappa_bar(sizes: IntArray, empty: float) -> ClassOptimum:
    """As for MCC; but where one class is all, calling samples another has a value too: 0."""
    here = np.flatnonzero(sizes)
    if len(sizes) == 1 or len(here) > 1:
        return chance_corrected_bar(sizes, empty)
    return ClassOptimum(0.0, 0.0, _all_called(sizes, 1 if here[0] == 0 else 0)[: len(sizes)], "several")


def specificity_bar(sizes: IntArray, empty: float) -> ClassOptimum:
    """Any prediction expects 1 - 1/K, but where one class is all: its own has no value."""
    total, classes = int(sizes.sum()), len(sizes)
    if int(sizes.max()) < total:
        return _any(sizes, 1 - 1 / classes, 1 - 1 / classes)
    others = classes - 1
    valued = classes if not math.isnan(empty) else others
    if not valued:
        return NO_BAR
    extra = 0.0 if math.isnan(empty) else empty
    return _single(sizes, np.where(sizes == total, others + extra, others - 1 + extra) / valued)


def _with_a_value(sizes: IntArray, empty: float) -> tuple[int, float]:
    """Return over how many classes a plain mean is, and what those that do not occur add to its sum."""
    present = int(np.count_nonzero(sizes))
    return (present, 0.0) if math.isnan(empty) else (len(sizes), empty * (len(sizes) - present))


def _recall_macro(sizes: IntArray, empty: float) -> ClassOptimum:
    valued, extra = _with_a_value(sizes, empty)
    return _any(sizes, (1 + extra) / valued, extra / valued)


# -- precision: what a class adds depends on whether it is predicted at all --------------------------------


def _precision_macro(sizes: IntArray, empty: float) -> ClassOptimum:
    share = sizes / int(sizes.sum())
    if math.isnan(empty):  # the mean over the classes that are predicted
        return _single(sizes, share)
    # a class that is never predicted scores `empty`
    return _some_of_each(sizes, share - empty, len(sizes) * empty, len(sizes))


def _precision_weighted(sizes: IntArray, empty: float) -> ClassOptimum:
    share = sizes / int(sizes.sum())
    if math.isnan(empty):
        return _single(sizes, np.where(sizes > 0, share, -math.inf), float(share[sizes > 0].min()))
    return _some_of_each(sizes, share * (share - empty), empty, 1)


def _some_of_each(sizes: IntArray, gains: FloatArray, base: float, scale: float) -> ClassOptimum:
    """Return the best set of classes to predict, from one to M, each of which adds its gain."""
    total = int(sizes.sum())

    def summed(order: IntArray, sign: float) -> tuple[float, IntArray]:
        useful = int(np.count_nonzero(sign * gains[order[:total]] > 0))
        named = order[: max(useful, 1)]
        return (base + float(gains[named].sum())) / scale, named

    value, named = summed(np.argsort(-gains, kind="stable"), 1.0)
    worst, _ = summed(np.argsort(gains, kind="stable"), -1.0)
    counts = np.zeros_like(sizes)
    counts[named] = 1
    counts[named[0]] += total - len(named)
    how: How = "single" if len(named) == 1 else "every" if len(named) == len(sizes) else "counts"
    return ClassOptimum(value, worst, counts, how)


# -- macro F-beta and its like, the mean of C_jj / g(n_j, x_j): predict as many as there are ----------------
#
# x_j samples are predicted to be of class j, which has n_j; E[C_jj] = n_j x_j / M. Where g is of degree 1 and
# g(n, n) = n, the slope of n x / g(n, x) in x depends on x / n alone. It is then the same for all classes at
# x = n, which is the maximum under sum of x_j = M where x / g is concave. There class j expects n_j / M, and
# all of them together 1: the bar of macro F1 is 1 / K.


def _as_many_as_there_are(sizes: IntArray, empty: float, value: Any) -> ClassOptimum:
    """The bar is 1/K; `value`, what one class expects, tells the worst prediction."""
    # A class that neither occurs nor is predicted counts as `empty`.
    total = int(sizes.sum())
    valued, extra = _with_a_value(sizes, empty)
    alone = value(sizes.astype(np.float64), float(total), total)
    worst = float(alone.min()) / valued if sizes.all() else _lost(sizes, empty)
    return ClassOptimum((1 + extra) / valued, worst, np.array(sizes), "sizes")


def _lost(sizes: IntArray, empty: float) -> float:
    """Return what is left if as many absent classes as possible are predicted: each then scores 0."""
    left = max(int(np.count_nonzero(sizes == 0)) - int(sizes.sum()), 0)
    return 0.0 if math.isnan(empty) else empty * left / len(sizes)


def f1_of_averages_bar(sizes: IntArray, empty: float) -> ClassOptimum:
    """Call as many as there are: precision and recall of each class are then equal, and their means too."""
    total, classes = int(sizes.sum()), len(sizes)
    if empty != 0 and not sizes.all():
        return NOT_KNOWN
    if empty == 0:
        alone = 2 * sizes / (classes * (sizes + total))
        return ClassOptimum(1 / classes, float(alone.min()), np.array(sizes), "sizes")
    # a class that is never predicted adds `empty` to mean precision: compare single classes
    share = sizes / total
    precision = share if math.isnan(empty) else (share + (classes - 1) * empty) / classes
    alone = 2 * precision * (1 / classes) / (precision + 1 / classes)
    label = int(np.argmax(alone))
    return ClassOptimum(float(alone[label]), math.nan, _all_called(sizes, label), "single", certified=False)


def fowlkes_mallows_bar(sizes: IntArray, empty: float) -> ClassOptimum:
    """Call as many as there are; one class where those never predicted score 1 or are left out."""
    total, classes = int(sizes.sum()), len(sizes)
    root = np.sqrt(sizes / total)
    if empty == 0:
        return ClassOptimum(1 / classes, float(root.min()) / classes, np.array(sizes), "sizes")
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


# -- sums of concave terms ---------------------------------------------------------------------------------


def fbeta_bars(beta: float) -> dict[str, Callable[[IntArray, float], ClassOptimum]]:
    """Return the bars of F-beta averaged in each way."""
    square = beta * beta

    def value(sizes: Any, x: Any, total: int) -> Any:
        return (1 + square) * sizes * x / (total * (square * sizes + x))

    def gain(sizes: Any, x: Any, total: int) -> Any:
        both = (square * sizes + x) * (square * sizes + x + 1)
        return (1 + square) * square * sizes**2 / (total * both)

    def macro_bar(sizes: IntArray, empty: float) -> ClassOptimum:
        return _as_many_as_there_are(sizes, empty, value)

    def weighted_bar(sizes: IntArray, _empty: float) -> ClassOptimum:
        return _separable(sizes, value, gain, by_size=True)

    return {"micro": accuracy_bar, "macro": macro_bar, "weighted": weighted_bar}


def expected_jaccard(sizes: Any, x: Any, total: int) -> FloatArray:
    """E[C / (n + x - C)], the expected threat score of one class against the rest: concave in x."""
    size, called = np.broadcast_arrays(np.asarray(sizes, np.int64), np.asarray(x, np.int64))
    means = np.zeros(size.shape)
    possible = (size > 0) & (called > 0)
    if possible.any():
        totals = np.full(int(possible.sum()), total, dtype=np.int64)
        means[possible] = expectations(get_measure("threat_score"), totals, size[possible], called[possible])
    return means


def _jaccard_gain(sizes: Any, x: Any, total: int) -> FloatArray:
    later = np.minimum(np.asarray(x, np.int64) + 1, total)
    return expected_jaccard(sizes, later, total) - expected_jaccard(sizes, x, total)


def _jaccard_macro(sizes: IntArray, empty: float) -> ClassOptimum:
    valued, extra = _with_a_value(sizes, empty)
    optimum = _separable(sizes, expected_jaccard, _jaccard_gain, by_size=False)
    worst = optimum.worst / valued if sizes.all() else _lost(sizes, empty)
    return optimum._replace(value=(optimum.value + extra) / valued, worst=worst)


def _jaccard_weighted(sizes: IntArray, _empty: float) -> ClassOptimum:
    return _separable(sizes, expected_jaccard, _jaccard_gain, by_size=True)


def _separable(sizes: IntArray, value: Any, gain: Any, *, by_size: bool) -> ClassOptimum:
    """Return the largest sum of concave terms, one for each class, each 0 where x is."""
    total, here = int(sizes.sum()), np.flatnonzero(sizes)
    distinct, kind = np.unique(sizes[here], return_inverse=True)
    weights = distinct / total if by_size else np.ones(len(distinct))
    kinds, kind = np.arange(len(distinct)), kind.reshape(-1)
    counts = np.zeros_like(sizes)
    if len(distinct) * total <= MOST_LISTED:
        listed = weights[:, None] * gain(distinct[:, None], np.arange(total), total)
        counts[here] = best_shares(lambda x: listed[kinds, np.minimum(x, total - 1)], kind, total)
    else:
        counts[here] = best_shares(lambda x: weights * gain(distinct, x, total), kind, total)
    best = float((weights[kind] * value(sizes[here], counts[here], total)).sum())
    alone = weights * value(distinct, np.full(len(distinct), total), total)
    worst = float(alone.min()) if len(here) == len(sizes) else 0.0  # a concave sum is least at a vertex
    return ClassOptimum(best, worst, counts, how_many_each(counts, sizes))


def best_shares(gain: Callable[[IntArray], FloatArray], kind: IntArray, total: int) -> IntArray:
    """Return how many of `total` units each class gets, where unit x + 1 of a class adds `gain(x)`."""
    # Classes of one `kind` gain alike, and gains fall with x; `gain` takes and returns an array over kinds. A
    # price is found by bisection at which as many units gain more as there are.
    kinds = int(kind.max()) + 1
    classes = np.bincount(kind, minlength=kinds)
    least, most = np.zeros(kinds, dtype=np.int64), np.full(kinds, total, dtype=np.int64)
    high, low = float(gain(least).max()), np.nextafter(float(gain(most - 1).min()), -np.inf)
    for _ in range(BISECTIONS):
        price = low + (high - low) / 2
        if (least == most).all() or not low < price < high:
            break
        units = _units_above(gain, price, least, most)
        if int(classes @ units) > total:
            low, most = price, units
        else:
            high, least = price, units
    counts = least[kind]
    left = total - int(counts.sum())
    room = np.minimum((most - least)[kind], left)  # units of equal gain
    before = np.cumsum(room) - room
    return np.asarray(counts + np.clip(left - before, 0, room))


def _units_above(
    gain: Callable[[IntArray], FloatArray], price: float, least: IntArray, most: IntArray
) -> IntArray:
    """Return how many units of each kind gain more than a price, between two bounds."""
    low, high = least.copy(), most.copy()
    while (low < high).any():
        middle = (low + high) // 2
        pays = (gain(middle) > price) & (low < high)
        low = np.where(pays, middle + 1, low)
        high = np.where(pays | (low >= high), high, middle)
    return low


def ac1_bar(sizes: IntArray, _empty: float) -> ClassOptimum:
    """One class for all: 1 - AC1 is a linear function over a convex one, so it is least at a vertex."""
    total, classes = int(sizes.sum()), len(sizes)
    if classes < 2:
        return NO_BAR
    square = float(total) ** 2

    def lack(hits: Any, spread: Any) -> Any:
        return (1 - hits / square) * (classes - 1) / (classes - 2 + spread / (4 * square))

    squares = float((sizes.astype(np.float64) ** 2).sum())
    values = 1 - lack(sizes.astype(np.float64) * total, squares + 2.0 * sizes * total + square)

    # The largest ratio, by Dinkelbach's steps (Management Science 13, 1967) over concave sums.
    def ratio(x: IntArray) -> float:
        return float(lack(float((sizes * x).sum()), float(((sizes + x).astype(np.float64) ** 2).sum())))

    def gain(scale: float, x: IntArray) -> FloatArray:
        return np.asarray(-sizes / square - scale * (2 * (sizes + x) + 1) / (4 * square))

    largest = ratio(sizes)
    for _ in range(50):
        value = ratio(best_shares(partial(gain, largest / (classes - 1)), np.arange(classes), total))
        if value <= largest * (1 + 1e-15):
            break
        largest = value
    return _single(sizes, values, 1 - largest)


precision_bars = {"micro": accuracy_bar, "macro": _precision_macro, "weighted": _precision_weighted}
recall_bars = {"micro": accuracy_bar, "macro": _recall_macro, "weighted": accuracy_bar}
jaccard_bars = {"macro": _jaccard_macro, "weighted": _jaccard_weighted}
