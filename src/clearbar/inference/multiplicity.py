"""Several questions at once: p-values that hold for all of them together."""

from __future__ import annotations

import numpy as np

from clearbar.core._typing import FloatArray


def holm(p_values: FloatArray) -> FloatArray:
    """Return p-values that hold for all rows of the first axis together (Holm 1979)."""
    count = p_values.shape[0]
    order = np.argsort(p_values, axis=0, kind="stable")
    ordered = np.take_along_axis(p_values, order, axis=0)
    steps = np.arange(count, 0, -1).reshape(-1, *[1] * (p_values.ndim - 1))
    stepped = np.minimum(np.maximum.accumulate(ordered * steps, axis=0), 1.0)
    corrected = np.empty_like(p_values)
    np.put_along_axis(corrected, order, stepped, axis=0)
    return corrected
