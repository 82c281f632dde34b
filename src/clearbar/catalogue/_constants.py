"""Expectations that are the same for every draw.

Each takes the number of samples and of positives (numbers or arrays) and is exact: a bar that is
one half is the number 0.5, not a rounding of a sum.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def zero(total: Any, positives: Any) -> Any:
    """Return 0."""
    return 0.0 * total


def half(total: Any, positives: Any) -> Any:
    """Return one half."""
    return 0.5 + 0.0 * total


def one(total: Any, positives: Any) -> Any:
    """Return 1."""
    return 1.0 + 0.0 * total


def share_of_positives(total: Any, positives: Any) -> Any:
    """Return P / M."""
    return positives / total


def share_of_negatives(total: Any, positives: Any) -> Any:
    """Return N / M."""
    return (total - positives) / total


def one_per_other_sample(total: Any, positives: Any) -> Any:
    """Return 1 / (M - 1), the variance of the correlation of two shuffled labels."""
    return 1 / np.maximum(total - 1, 1)  # with one sample there is no draw to have it


def samples_per_other_sample(total: Any, positives: Any) -> Any:
    """Return M / (M - 1)."""
    return total / np.maximum(total - 1, 1)
