"""Optima that are searched: unit by unit where terms are concave, which is exact, or among candidates."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.core._typing import FloatArray, IntArray
from clearbar.null import expectations
from clearbar.problems.multiclass._joint import best_micro_jaccard
from clearbar.problems.multiclass._optimum import (
    NO_BAR,
    Optimum,
    accuracy_bar,
    as_many_as_there_are,
    how_many_each,
    lost,
    single,
    with_a_value,
)

MOST_LISTED = 4_096
"""Gains of units, of all kinds of classes, up to which each is worked out once."""

HALVINGS = 200
"""Steps of the search for the price of a unit; floats are exhausted sooner."""


def fbeta_bars(beta: float) -> dict[str, Callable[[IntArray, float], Optimum]]:
    """Return the bars of F-beta averaged in each way."""
    square = beta * beta

    def value(sizes: Any, x: Any, total: int) -> Any:
        return (1 + square) * sizes * x / (total * (square * sizes + x))

    def gain(sizes: Any, x: Any, total: int) -> Any:
        both = (square * sizes + x) * (square * sizes + x + 1)
        return (1 + square) * square * sizes**2 / (total * both)

    def macro(sizes: IntArray, empty: float) -> Optimum:
        return as_many_as_there_are(sizes, empty, value)

    def weighted(sizes: IntArray, _empty: float) -> Optimum:
        return _greedy(sizes, value, gain, lambda n, total: n / total)

    return {"micro": accuracy_bar, "macro": macro, "weighted": weighted}


def expected_jaccard(sizes: Any, x: Any, total: int) -> FloatArray:
    """E[C / (n + x - C)], the expected threat score of one class against the rest."""
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


def _jaccard_macro(sizes: IntArray, empty: float) -> Optimum:
    known, extra = with_a_value(sizes, empty)
    optimum = _greedy(sizes, expected_jaccard, _jaccard_gain, lambda n, _: np.ones_like(n, dtype=np.float64))
    worst = optimum.worst / known if sizes.all() else lost(sizes, empty)
    return optimum._replace(value=(optimum.value + extra) / known, worst=worst)


def _jaccard_weighted(sizes: IntArray, _empty: float) -> Optimum:
    return _greedy(sizes, expected_jaccard, _jaccard_gain, lambda n, total: n / total)


def _greedy(sizes: IntArray, value: Any, gain: Any, weight: Any) -> Optimum:
    """Return the largest sum of weighted concave terms, one for each class, each 0 where x is."""
    total, here = int(sizes.sum()), np.flatnonzero(sizes)
    distinct, at = np.unique(sizes[here], return_inverse=True)
    weights, kinds = weight(distinct, total), np.arange(len(distinct))
    counts = np.zeros_like(sizes)
    if len(distinct) * total <= MOST_LISTED:
        listed = weights[:, None] * gain(distinct[:, None], np.arange(total), total)
        counts[here] = filled(lambda x: listed[kinds, np.minimum(x, total - 1)], at.reshape(-1), total)
    else:
        counts[here] = filled(lambda x: weights * gain(distinct, x, total), at.reshape(-1), total)
    own = weight(sizes[here], total)
    best = float((own * value(sizes[here], counts[here], total)).sum())
    alone = weights * value(distinct, np.full(len(distinct), total), total)
    worst = float(alone.min()) if len(here) == len(sizes) else 0.0
    return Optimum(best, worst, counts, how_many_each(counts, sizes))


def filled(gain: Callable[[IntArray], FloatArray], kind: IntArray, total: int) -> IntArray:
    """Return how many of `total` units each class gets, where unit x + 1 of a class adds `gain(x)`.

    Classes of one `kind` gain alike, and gains fall with x; `gain` takes and returns an array over kinds.
    """
    kinds = int(kind.max()) + 1
    classes = np.bincount(kind, minlength=kinds)
    least, most = np.zeros(kinds, dtype=np.int64), np.full(kinds, total, dtype=np.int64)
    high, low = float(gain(least).max()), np.nextafter(float(gain(most - 1).min()), -np.inf)
    for _ in range(HALVINGS):
        price = low + (high - low) / 2
        if (least == most).all() or not low < price < high:
            break
        worth = _worth(gain, price, least, most)
        if int(classes @ worth) > total:
            low, most = price, worth
        else:
            high, least = price, worth
    counts = least[kind]
    left = total - int(counts.sum())
    room = np.minimum((most - least)[kind], left)  # units of equal gain
    before = np.cumsum(room) - room
    return np.asarray(counts + np.clip(left - before, 0, room))


def _worth(gain: Callable[[IntArray], FloatArray], price: float, least: IntArray, most: IntArray) -> IntArray:
    """Return how many units of each kind gain more than a price, between two bounds."""
    low, high = least.copy(), most.copy()
    while (low < high).any():
        middle = (low + high) // 2
        pays = (gain(middle) > price) & (low < high)
        low = np.where(pays, middle + 1, low)
        high = np.where(pays | (low >= high), high, middle)
    return low


def ac1_bar(sizes: IntArray, _empty: float) -> Optimum:
    """One class for all: 1 - AC1 is a linear function over a convex one, so it is least at a vertex."""
    total, classes = int(sizes.sum()), len(sizes)
    if classes < 2:
        return NO_BAR
    square = float((sizes.astype(np.float64) ** 2).sum())
    spread = (square + 2.0 * sizes * total + float(total) ** 2) / (4 * float(total) ** 2)
    values = 1 - (1 - sizes / total) * (classes - 1) / (classes - 2 + spread)
    return single(sizes, values, _least_ac1(sizes))


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
    how = how_many_each(counts, sizes)
    return Optimum(value, least / (2 * total - least), counts, how, certified)


jaccard_bars = {"micro": _jaccard_micro, "macro": _jaccard_macro, "weighted": _jaccard_weighted}
