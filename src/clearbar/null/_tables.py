"""The tables that a draw can lead to."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray, IntArray

Cells = tuple[Any, Any, Any, Any]


def cells_at(tp: Any, total: Any, positives: Any, predicted_positives: Any) -> Cells:
    """Return the table with this TP at fixed margins."""
    fn = positives - tp
    return tp, predicted_positives - tp, fn, (total - predicted_positives) - fn


def expected_cells(total: IntArray, positives: IntArray, predicted_positives: IntArray) -> Cells:
    """Return the mean table; no cell is a difference of others."""
    m, p, k = (np.asarray(margin, dtype=np.float64) for margin in (total, positives, predicted_positives))
    n, rest = m - p, m - k
    return k * p / m, k * n / m, rest * p / m, rest * n / m


def values_at(
    measure: Measure,
    tp: IntArray,
    total: IntArray,
    positives: IntArray,
    predicted_positives: IntArray,
) -> FloatArray:
    """Return the raw values of a measure at given TP: x/0 infinite, 0/0 nan."""
    return measure.values(*cells_at(tp, total, positives, predicted_positives))
