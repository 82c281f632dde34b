"""Give out units one by one where each gains most, without going one by one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from clearbar.core._typing import FloatArray, IntArray

HALVINGS = 200
"""Steps of the search for the price of a unit; floats are exhausted sooner."""


def filled(gain: Callable[[IntArray], FloatArray], kind: IntArray, total: int) -> IntArray:
    """Return how many of `total` units each class gets, where unit x + 1 of a class adds `gain(x)`.

    Classes of one `kind` gain alike, and gains fall with x; `gain` takes and returns an array over kinds.
    """
    kinds = int(kind.max()) + 1
    classes = np.bincount(kind, minlength=kinds)
    few, many = np.zeros(kinds, dtype=np.int64), np.full(kinds, total, dtype=np.int64)
    high, low = float(gain(few).max()), np.nextafter(float(gain(many - 1).min()), -np.inf)
    for _ in range(HALVINGS):
        price = low + (high - low) / 2
        if (few == many).all() or not low < price < high:
            break
        worth = _worth(gain, price, few, many)
        if int(classes @ worth) > total:
            low, many = price, worth
        else:
            high, few = price, worth
    counts = few[kind]
    left = total - int(counts.sum())
    room = np.minimum((many - few)[kind], left)  # units of equal gain
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
