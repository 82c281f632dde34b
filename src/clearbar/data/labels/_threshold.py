"""What a score must reach to be a positive prediction, whatever holds the scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray


def rounded(threshold: Any, dtype: Any) -> FloatArray:
    """Return a threshold as NumPy compares it with scores of a type: floats keep to their own precision."""
    if np.dtype(dtype).kind != "f":
        return np.asarray(threshold, dtype=np.float64)
    with np.errstate(over="ignore"):
        return np.asarray(threshold, dtype=dtype).astype(np.float64)
