"""How often each sample occurs: whole numbers, or there is no null distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearbar.core._numbers import LARGEST_TOTAL, number_or_nan, numbers
from clearbar.core.errors import shown
from clearbar.data.counting._host import read_here
from clearbar.data.labels import BLOCK, refuse_unequal

MOST_SAMPLES = "must not exceed 2**52, up to which numbers of samples are exact in floating point."
WHOLE_SAMPLES = (
    "Importance weights have no hypergeometric null, because a feature-blind classifier draws whole samples."
)
"""What weights can be, for the messages of those who read them."""


def frequencies(sample_weight: Any, length: int) -> NDArray[Any]:
    """Return frequencies as an array of whole numbers, in the type in which they came."""
    column = read_here(sample_weight, "sample_weight")
    refuse_unequal("y_true", length, "sample_weight", column.length)
    weights: NDArray[Any] | None = getattr(column.take(0, length), "values", None)
    if weights is not None and weights.dtype.kind == "O":
        weights = _numeric(weights)
    if weights is None or weights.dtype.kind not in "biuf":
        raise ValueError(
            "sample_weight must hold whole numbers, how often each sample occurs; found "
            f"{'text or categories' if weights is None else f'{weights.dtype} values'}."
        )
    total = sum(_checked(weights, start) for start in range(0, length, BLOCK))
    if total > LARGEST_TOTAL:
        raise ValueError(f"sample_weight adds up to {total:.3g} samples; it {MOST_SAMPLES}")
    if total == 0:
        raise ValueError(
            "sample_weight is 0 everywhere, so that there are no samples; at least one must occur."
        )
    return weights


def _numeric(weights: NDArray[Any]) -> NDArray[Any]:
    try:
        return numbers("sample_weight", weights)
    except ValueError:
        where, item = next(
            (place, item)
            for place, item in enumerate(weights)
            if not isinstance(item, float) and math.isnan(number_or_nan(item))
        )
        raise ValueError(
            "sample_weight must hold whole numbers, how often each sample occurs; found "
            f"{shown(item)} at position {where}."
        ) from None


def _checked(weights: NDArray[Any], start: int) -> int:
    part = weights[start : start + BLOCK]
    if part.dtype.kind == "f":
        wrong = ~(np.isfinite(part) & (part >= 0) & (part == np.floor(part)))
    else:
        wrong = part < 0
    if wrong.any():
        where = int(np.argmax(wrong))
        raise ValueError(
            "sample_weight must hold whole numbers from 0 up, how often each sample occurs; found "
            f"{part[where]} at position {start + where}. {WHOLE_SAMPLES}"
        )
    # In floats the sum of a block cannot overflow, and is exact where it matters: up to 2**52.
    return int(part.sum(dtype=np.float64))
