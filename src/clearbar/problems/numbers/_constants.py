"""The best constant of samples, or one for each group of them, under weights.

Samples are sorted by group, and by target within each; `starts` says where each group begins. Weights have
shape (..., samples), and what is returned (..., groups).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from clearbar.core._typing import FloatArray, IntArray

Constant = Callable[[FloatArray, FloatArray, IntArray], FloatArray]
"""``constant(y, weights, starts)``."""

ROUNDING = 1e-12
"""Share of the weight by which sums may be off."""


def mean(y: FloatArray, weights: FloatArray, starts: IntArray) -> FloatArray:
    """Return the mean of each group; of a group without weight, 0."""
    total = np.add.reduceat(weights, starts, axis=-1)
    centre = y.mean()
    off = np.add.reduceat(weights * (y - centre), starts, axis=-1)
    return np.asarray(centre + off / np.where(total > 0, total, 1.0))


def log_mean(y: FloatArray, weights: FloatArray, starts: IntArray) -> FloatArray:
    """Return exp(mean log(1 + y)) - 1 of each group."""
    return np.asarray(np.expm1(mean(np.log1p(y), weights, starts)))


def quantile(level: float) -> Constant:
    """Return what finds the middle of the values below which this share of the weight lies."""

    def of_level(y: FloatArray, weights: FloatArray, starts: IntArray) -> FloatArray:
        return weighted_quantile(y, weights, starts, level)

    return of_level


def median_of_inverse(y: FloatArray, weights: FloatArray, starts: IntArray) -> FloatArray:
    """Return the median of each group, samples weighted by 1 / abs(y)."""
    return weighted_quantile(y, weights / np.abs(y), starts, 0.5)


def weighted_quantile(y: FloatArray, weights: FloatArray, starts: IntArray, level: float) -> FloatArray:
    """Return the quantile of each group: the middle, where values between two samples are all as good."""
    sizes = np.diff(starts, append=len(y))
    sums = np.cumsum(weights, axis=-1)
    ends = sums[..., starts + sizes - 1]
    before = sums[..., starts] - weights[..., starts]
    target, slack = before + level * (ends - before), ROUNDING * sums[..., -1:]
    sides = []
    for below in (target - slack, target + slack):
        of_each = below if len(starts) == 1 else np.repeat(below, sizes, axis=-1)
        short = np.add.reduceat(sums < of_each, starts, axis=-1, dtype=np.int64)
        sides.append(y[starts + np.minimum(short, sizes - 1)])
    low, high = sides
    return np.asarray(low + (high - low) / 2)


def midrange(y: FloatArray, weights: FloatArray, starts: IntArray) -> FloatArray:
    """Return the middle between the smallest and the largest value of each group."""
    low = np.minimum.reduceat(np.where(weights > 0, y, np.inf), starts, axis=-1)
    high = np.maximum.reduceat(np.where(weights > 0, y, -np.inf), starts, axis=-1)
    return np.where(low <= high, (low + high) / 2, 0.0)


def shortest_half(y: FloatArray, weights: FloatArray, starts: IntArray) -> FloatArray:  # noqa: ARG001
    """Return the middle of the shortest interval that holds more than half of the weight, of one group."""
    low, width = _shortest_half(y, weights)
    return (low + width / 2)[..., None]


def half_of_shortest_half(y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return half the length of that interval, which is the median distance from its middle.

    With 2h samples the median is the mean of the distances of the h-th and the next, which add up to the
    length of an interval around h + 1 samples at least.
    """
    return _shortest_half(y, weights)[1] / 2


def _shortest_half(y: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return where the shortest interval begins, and its length."""
    rows = weights.reshape(-1, weights.shape[-1])
    sums = np.cumsum(rows, axis=1)
    total = sums[:, -1:]
    offset = 2 * np.cumsum(total[:, 0])[:, None]  # all rows are searched at once, one beyond the other
    need = offset + sums - rows + total / 2
    last = np.searchsorted((sums + offset).ravel(), need.ravel(), side="right").reshape(rows.shape)
    last -= len(y) * np.arange(len(rows))[:, None]
    inside = (last < len(y)) & (rows > 0)
    width = np.where(inside, y[np.minimum(last, len(y) - 1)] - y, np.inf)
    first = np.argmin(width, axis=1)
    shape = weights.shape[:-1]
    return y[first].reshape(shape), width[np.arange(len(rows)), first].reshape(shape)
