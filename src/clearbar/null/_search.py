"""Where a condition begins to hold among integers, for many rows together, and a good place to begin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.null import hypergeometric as hg
from clearbar.null._tables import values_at

GALLOP = (1, 4, 16, 64, 256, 1024)
"""How far from a hint is looked before the search halves what is left."""

SECANTS = 3
"""Steps towards a score: after so many what is left are a few TP."""


def likely_tp(measure: Measure, m: IntArray, p: IntArray, k: IntArray, s: FloatArray) -> IntArray:
    """Return a TP with about this score, by secants from the mean: exact where the measure is affine.

    Within the support, or outside of it where the score is infinite: a start for a search.
    """
    low, high = hg.support(m, p, k)
    here = np.clip(hg.mode(m, p, k), low, high)
    share = p / m
    step = np.sqrt(k * (share * (1.0 - share))) + 1.0  # about a standard deviation
    nearest = np.clip(here + step.astype(np.int64), low, high)
    at_here, at_there = (values_at(measure, tp, m, p, k) for tp in (here, nearest))
    for _ in range(1 if measure.affine else SECANTS):
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            ahead = (s - at_there) * ((nearest - here) / (at_there - at_here))
        ahead = np.where(np.isfinite(ahead), np.clip(ahead, -4.0 * m, 4.0 * m), 0.0)
        here, at_here = nearest, at_there
        nearest = np.clip(nearest + np.rint(ahead).astype(np.int64), low, high)
        at_there = values_at(measure, nearest, m, p, k)
    return nearest


def least_true(
    test: Callable[[IntArray, Any], BoolArray], low: IntArray, high: IntArray, hint: IntArray
) -> IntArray:
    """Return the least integer in [low, high] that passes, high + 1 where none does."""
    # Invariant per row: every x < left fails, every x >= right passes.
    left, right = low.copy(), np.maximum(high + 1, low)

    def look(x: IntArray, rows: IntArray) -> BoolArray:
        passed = test(x, rows)
        right[rows[passed]] = x[passed]
        left[rows[~passed]] = x[~passed] + 1
        return passed

    rows = np.flatnonzero((hint >= low) & (hint <= high))
    below = np.zeros(low.shape, dtype=bool)
    below[rows] = look(hint[rows], rows)
    for step in GALLOP:  # most hints are right or close: look beside them before halving the rest
        x = np.where(below[rows], right[rows] - step, left[rows] + step - 1)
        inside = (x >= left[rows]) & (x < right[rows])
        rows, x = rows[inside], x[inside]
        if not rows.size:
            break
        rows = rows[look(x, rows) == below[rows]]
    rows = np.flatnonzero(left < right)
    while rows.size:
        look(left[rows] + (right[rows] - left[rows]) // 2, rows)
        rows = rows[left[rows] < right[rows]]
    return left
