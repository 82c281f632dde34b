"""Vectorised bisection over the integers, and lists of unequal length laid end to end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, IntArray

TOGETHER = 64  # integers that are tested together where there are few rows, which takes as long as one
GALLOP = (1, 4, 16, 64, 256, 1024)  # distances from a hint that are tried before the rest is halved


class Ragged(NamedTuple):
    """Lists of unequal length in one flat array: the list of each item, its position there, all starts."""

    row: IntArray
    offset: IntArray
    start: IntArray


def pieces(number: int, most: int) -> list[slice]:
    """Cut a number of items into consecutive blocks."""
    return [slice(start, min(start + most, number)) for start in range(0, number, most)]


def laid_out(sizes: IntArray) -> Ragged:
    """Lay lists of these lengths end to end."""
    start = np.cumsum(sizes) - sizes
    row = np.repeat(np.arange(sizes.size), sizes)
    return Ragged(row, np.arange(row.size) - start[row], start)


def least_true(
    test: Callable[[IntArray, Any], BoolArray], low: IntArray, high: IntArray, hint: Any = -1
) -> IntArray:
    """Return the least integer in [low, high] that passes, high + 1 where none does."""
    # Row by row, `test` must fail below some integer and pass from there on. A hint outside of [low, high] is
    # none.
    # Invariant per row: every x < left fails, every x >= right passes.
    left, right = low.copy(), np.maximum(high + 1, low)

    def look(x: IntArray, rows: IntArray) -> BoolArray:
        passed = test(x, rows)
        right[rows[passed]] = x[passed]
        left[rows[~passed]] = x[~passed] + 1
        return passed

    hint = np.broadcast_to(hint, low.shape)
    rows = np.flatnonzero((hint >= low) & (hint <= high))
    below = np.zeros(low.shape, dtype=bool)
    if rows.size:
        below[rows] = look(hint[rows], rows)
    for step in GALLOP:  # most hints are right or close
        x = np.where(below[rows], right[rows] - step, left[rows] + step - 1)
        inside = (x >= left[rows]) & (x < right[rows])
        rows, x = rows[inside], x[inside]
        if not rows.size:
            break
        rows = rows[look(x, rows) == below[rows]]
    rows = np.flatnonzero(left < right)
    while rows.size:
        fan, span = max(TOGETHER // rows.size, 1), right[rows] - left[rows]
        steps = (np.linspace(0.0, 1.0, fan + 2)[1:-1] * span[:, None]).astype(np.int64)
        x = left[rows, None] + np.minimum(steps, span[:, None] - 1)
        passed = test(x.reshape(-1), np.repeat(rows, fan)).reshape(x.shape)
        first = np.where(passed.any(axis=1), passed.argmax(axis=1), fan)
        padded = np.column_stack((left[rows] - 1, x, right[rows]))
        left[rows] = padded[np.arange(rows.size), first] + 1
        right[rows] = padded[np.arange(rows.size), first + 1]
        rows = rows[left[rows] < right[rows]]
    return left
