"""The probability of one number of true positives, and its ratio to that of another one."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from clearbar.hypergeometric._arrays import FloatArray, IntArray, IntLike, pointwise
from clearbar.hypergeometric._binomial import SMALL, small_pmf
from clearbar.hypergeometric._exact import divide_product
from clearbar.hypergeometric._series import ATANH_RANGE, atanh_excess, stirling_error, stirling_series

_TINY = 1e-300
# An empty cell contributes a factor 1 where a filled one contributes 2 pi n.
_EMPTY = 1.0 / (2.0 * np.pi)


class Cells(NamedTuple):
    """The four cells of a table, as floats that hold integers."""

    tp: FloatArray
    fn: FloatArray
    fp: FloatArray
    tn: FloatArray


def cells_at(x: IntArray, m: IntArray, p: IntArray, k: IntArray) -> Cells:
    """The table with x true positives."""
    fp = k - x
    return Cells(
        x.astype(np.float64),
        (p - x).astype(np.float64),
        fp.astype(np.float64),
        ((m - p) - fp).astype(np.float64),
    )


def deviation(x: IntArray, m: IntArray, p: IntArray, k: IntArray) -> FloatArray:
    """x - kP/M: whole part exact, fraction rounded once. The same number, up to sign, for all cells."""
    quotient, remainder = divide_product(k, p, np.maximum(m, 1))
    return (x - quotient) - remainder / np.maximum(m, 1)


def _deviance(count: FloatArray, expected: FloatArray, d: FloatArray) -> FloatArray:
    """Compute count*log(count/expected) - d, never negative, for count = expected + d (Loader 2000)."""
    v = d / np.maximum(count + expected, _TINY)
    out = atanh_excess(v)
    out *= count
    out *= 2.0
    out += d * v
    far = np.flatnonzero(np.abs(v) > ATANH_RANGE)
    if far.size:
        x, e = count[far], np.broadcast_to(expected, count.shape)[far]
        out[far] = x * np.log(np.maximum(x, 1.0) / e) - np.broadcast_to(d, count.shape)[far]
    return out


def _saddle_point(
    x: IntArray, m: IntArray, p: IntArray, k: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Exponent and squared factor of P(TP = x) = sqrt(factor) * exp(exponent), x in the support."""
    total, rows, columns = m.astype(np.float64), p.astype(np.float64), k.astype(np.float64)
    rest_rows, rest_columns = total - rows, total - columns
    cells = cells_at(x, m, p, k)
    d = deviation(x, m, p, k)
    scale = 1.0 / np.maximum(total, 1.0)
    exponent = stirling_error(rows)
    for margin in (rest_rows, columns, rest_columns):
        exponent = exponent + stirling_error(margin)
    exponent = exponent - stirling_error(total)
    factor = np.maximum(rows, _EMPTY) * np.maximum(rest_rows, _EMPTY) / np.maximum(total, _EMPTY)
    factor = factor * np.maximum(columns, _EMPTY) * np.maximum(rest_columns, _EMPTY) * _EMPTY
    products = (rows * columns, rows * rest_columns, rest_rows * columns, rest_rows * rest_columns)
    below = np.ones_like(cells.tp)
    exponent = np.broadcast_to(exponent, x.shape).copy()
    for count, product, sign in zip(cells, products, (1, -1, -1, 1), strict=True):
        exponent -= stirling_error(count)
        exponent -= _deviance(count, product * scale, d if sign > 0 else -d)
        below *= np.maximum(count, _EMPTY)
    return exponent, factor / below


def pmf_kernel(x: IntArray, m: IntArray, p: IntArray, k: IntArray, *, log: bool) -> FloatArray:
    """P(TP = x) or its logarithm for one dimension of points; margins of the same length or of length 1."""
    x = np.clip(x, -1, m + 1)  # farther out the cells could overflow, and the answer is the same
    outside = (x | (p - x) | (k - x) | (m - p - k + x)) < 0
    inside = np.where(outside, np.maximum(k - (m - p), 0), x) if outside.any() else x
    exponent, factor = _saddle_point(inside, m, p, k)
    out = exponent + 0.5 * np.log(factor) if log else np.sqrt(factor) * np.exp(exponent)
    out[outside] = -np.inf if log else 0.0
    small = np.flatnonzero(np.broadcast_to(m <= SMALL, x.shape))
    if small.size:
        a, b, c = (np.broadcast_to(margin, x.shape)[small] for margin in (m, p, k))
        out[small] = small_pmf(x[small], a, b, c, log=log)
    return out


def pmf(x: IntLike, total: IntLike, positives: IntLike, draws: IntLike) -> FloatArray:
    """Probability of exactly x true positives.

    Parameters
    ----------
    x : int or array of int
        Any integers; outside the support the probability is 0.
    total, positives, draws : int or array of int
        Margins; all four arguments are broadcast against each other.

    Returns
    -------
    array of float64
        Within 1e-12 relative down to 1e-300 (within 2 ulp where total <= 64).

    Notes
    -----
    Saddle-point form of Loader (2000, "Fast and accurate computation of binomial probabilities") with
    the deviance written over the four cells, which share one exact deviation x - kP/M: no term cancels.
    """
    return pointwise(partial(pmf_kernel, log=False), x, total, positives, draws)


def log_pmf(x: IntLike, total: IntLike, positives: IntLike, draws: IntLike) -> FloatArray:
    """Natural logarithm of `pmf`; -inf outside the support.

    Parameters
    ----------
    x, total, positives, draws : int or array of int
        As for `pmf`.

    Returns
    -------
    array of float64
        Absolute error 1e-12 down to -700, 1e-12 relative below.
    """
    return pointwise(partial(pmf_kernel, log=True), x, total, positives, draws)


def log_ratio(start: Cells, log_odds: FloatArray, step: FloatArray, *, whole: bool) -> FloatArray:
    """log of P(TP = x + step) / P(TP = x), where `start` is the table at x.

    Parameters
    ----------
    start : Cells
        None of them empty; those reached by a step that is not whole must hold at least 500.
    log_odds : array of float64
        log(tp tn / (fp fn)) of `start`, supplied by the caller, who can avoid its cancellation.
    step : array of float64
        Any real numbers that stay inside the support.
    whole : bool
        Whether all steps are whole numbers.

    Notes
    -----
    With u = +-step/cell, log(1 + u) = 2 atanh(v) and v = u/(2 + u), the logarithm of each factorial's
    ratio is step*log(cell) + (1 +- step) v + 2 (cell +- step + 1/2)(atanh(v) - v) plus a difference of
    Stirling errors: terms of second order in u only, so that nothing cancels at any total.
    """
    stirling = stirling_error if whole else stirling_series
    out = -step * log_odds
    for cell, moved in zip(start, (step, -step, -step, step), strict=True):
        end = cell + moved
        v = moved / (cell + end)
        term = atanh_excess(v)
        term *= 2.0 * end + 1.0
        term += (1.0 + moved) * v
        far = np.abs(v) > ATANH_RANGE
        if whole and far.any():
            a, s = np.broadcast_to(cell, far.shape)[far], moved[far]
            term[far] = (a + s + 0.5) * np.log1p(s / a) - s
        out -= term
        out -= stirling(end)
        out += stirling(cell)
    return np.asarray(out)
