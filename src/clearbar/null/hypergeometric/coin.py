"""The law of the number of predicted positives when every sample's label is a coin flip."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.null.hypergeometric._arrays import FloatArray, IntArray
from clearbar.null.hypergeometric._series import EMPTY, deviance, half_width, stirling_error


def coin_weights(total: int, chance: float, most: int) -> tuple[IntArray, FloatArray]:
    """Points and weights that turn an expectation over the number of heads into a sum."""
    if chance in {0.0, 1.0}:
        return np.array([total if chance else 0], dtype=np.int64), np.ones(1)
    mean, variance = total * chance, total * chance * (1.0 - chance)
    half = float(half_width(np.array(variance)))
    low = max(int(np.floor(mean - half)), 0)
    high = min(int(np.ceil(mean + half)), total)
    stride = -(-(high - low + 1) // most)
    heads = np.arange(low, high + 1, stride, dtype=np.int64)
    weights = np.exp(log_heads(heads, total, chance))
    return heads, weights / weights.sum()


def log_heads(heads: Any, flips: Any, chance: float) -> FloatArray:
    """Logarithm of the probability of so many heads in so many flips of a coin."""
    heads, flips = (np.atleast_1d(np.asarray(part, dtype=np.float64)) for part in (heads, flips))
    tails = flips - heads
    filled = np.maximum(heads, EMPTY) * np.maximum(tails, EMPTY)
    factor = 0.5 * np.log(np.maximum(flips, EMPTY) / filled) - 0.5 * np.log(2.0 * np.pi)
    at_end = (heads == 0) | (tails == 0)
    errors = stirling_error(flips) - stirling_error(heads) - stirling_error(tails)
    exponent: FloatArray = np.where(at_end, 0.0, factor) + np.where(at_end, 0.0, errors)
    for count, mean in ((heads, flips * chance), (tails, flips * (1.0 - chance))):
        exponent -= deviance(count, mean, count - mean)
    return exponent
