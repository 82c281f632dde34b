"""The probability of one number of true positives, and its ratio to that of another one."""

from __future__ import annotations

from functools import partial

import numpy as np

from clearbar.null.hypergeometric._arrays import FloatArray, IntArray, IntLike, pointwise
from clearbar.null.hypergeometric._binomial import SMALL, small_pmf
from clearbar.null.hypergeometric._exact import divide_product
from clearbar.null.hypergeometric._series import (
    ATANH_RANGE,
    EMPTY,
    atanh_excess,
    deviance,
    stirling_error,
    stirling_series,
)

# How each cell moves with the number of true positives.
_SIGNS = np.array((1.0, -1.0, -1.0, 1.0))[:, None]


def cells_at(x: IntArray, m: IntArray, p: IntArray, k: IntArray) -> FloatArray:
    """The table with x true positives as floats that hold integers: rows tp, fn, fp, tn."""
    out = np.empty((4, x.size))
    out[0] = x
    out[1] = p - x
    out[2] = k - x
    out[3] = (m - p - k) + x
    return out


def deviation(x: IntArray, m: IntArray, p: IntArray, k: IntArray) -> FloatArray:
    """Distance x - kP/M to the mean, up to sign the same for all cells; rounded in its fraction only."""
    quotient, remainder = divide_product(k, p, np.maximum(m, 1))
    return (x - quotient) - remainder / np.maximum(m, 1)


def _saddle_point(x: IntArray, m: IntArray, p: IntArray, k: IntArray) -> tuple[FloatArray, FloatArray]:
    """Exponent and squared factor of P(TP = x) = sqrt(factor) * exp(exponent), x in the support."""
    total, rows, columns = m.astype(np.float64), p.astype(np.float64), k.astype(np.float64)
    parts = np.stack((rows, total - rows, columns, total - columns))
    expected = parts[(0, 0, 1, 1), :] * parts[(2, 3, 2, 3), :]
    expected /= np.maximum(total, 1.0)
    cells = cells_at(x, m, p, k)
    filled = np.maximum(parts, EMPTY)
    factor = (filled[0] * filled[1] / np.maximum(total, EMPTY)) * (filled[2] * filled[3] * EMPTY)
    factor = factor / np.maximum(cells, EMPTY).prod(axis=0)
    exponent = stirling_error(parts).sum(axis=0) - stirling_error(total)
    exponent = exponent - stirling_error(cells).sum(axis=0)
    exponent -= deviance(cells, expected, _SIGNS * deviation(x, m, p, k)).sum(axis=0)
    return exponent, factor


def pmf_kernel(x: IntArray, m: IntArray, p: IntArray, k: IntArray, *, log: bool) -> FloatArray:
    """P(TP = x) or its logarithm for one dimension of points; margins of the same length or of length 1."""
    x = np.clip(x, -1, m + 1)  # farther out the cells could overflow, and the answer is the same
    small = np.broadcast_to(m <= SMALL, x.shape)
    if small.all():
        return small_pmf(x, m, p, k, log=log)
    outside = (x | (p - x) | (k - x) | (m - p - k + x)) < 0
    inside = np.where(outside, np.maximum(k - (m - p), 0), x) if outside.any() else x
    exponent, factor = _saddle_point(inside, m, p, k)
    out = exponent + 0.5 * np.log(factor) if log else np.sqrt(factor) * np.exp(exponent)
    out[np.broadcast_to((p == 0) | (p == m) | (k == 0) | (k == m), x.shape)] = 0.0 if log else 1.0
    out[outside] = -np.inf if log else 0.0
    if small.any():
        out[small] = small_pmf(x[small], m[small], p[small], k[small], log=log)
    return out


def pmf(x: IntLike, total: IntLike, positives: IntLike, draws: IntLike) -> FloatArray:
    """Probability of exactly x true positives.

    Within 1e-12 relative down to 1e-300 (within 2 ulp where total <= 64).
    """
    return pointwise(partial(pmf_kernel, log=False), x, total, positives, draws)


def log_pmf(x: IntLike, total: IntLike, positives: IntLike, draws: IntLike) -> FloatArray:
    """Natural logarithm of `pmf`; -inf outside the support."""
    return pointwise(partial(pmf_kernel, log=True), x, total, positives, draws)


def log_ratio(start: FloatArray, log_odds: FloatArray, step: FloatArray, *, whole: bool) -> FloatArray:
    """Logarithm of P(TP = x + step) / P(TP = x)."""
    stirling = stirling_error if whole else stirling_series
    cells, moved = start[:, None, :], _SIGNS[:, None] * step
    end = cells + moved
    v = cells + end
    np.divide(moved, v, out=v)
    out = atanh_excess(v)
    out *= 2.0 * end + 1.0
    far = np.flatnonzero(np.abs(v) > ATANH_RANGE)
    v *= 1.0 + moved
    out += v
    if far.size:
        at = np.unravel_index(far, v.shape)
        cell, by = np.broadcast_to(cells, v.shape)[at], np.broadcast_to(moved, v.shape)[at]
        out[at] = (cell + by + 0.5) * np.log1p(by / cell) - by
    out += stirling(end)
    out -= stirling(cells)
    total = -step * log_odds
    for term in out:
        total -= term
    return np.asarray(total)
