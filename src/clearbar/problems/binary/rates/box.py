"""The confidence box of the two rates, inside which the worst case is looked for (Berger and Boos 1994)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.problems.binary.rates.binomial import LEAST, log_pmf, smooth_tails

_LogTail = Callable[[FloatArray, FloatArray, FloatArray], tuple[FloatArray, FloatArray]]

BETA = 1e-6
"""What a p-value pays for the box: the probability that the true rates lie outside it."""

_TAIL = -math.expm1(0.5 * math.log1p(-BETA)) / 2
_Z = 5.0263
_GRAINY = 400.0
"""Below this variance a tail is added up term by term."""
_TERMS = 96
_STEPS = 40
_ROWS = 512


def limits(count: FloatArray, size: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Clopper-Pearson limits of a rate, such that both rates' limits hold together with 1 - BETA."""
    lower = _lower(count, size)
    return lower, 1.0 - _lower(size - count, size)


def _lower(count: FloatArray, size: FloatArray) -> FloatArray:
    """The rate at which `count` or more has probability _TAIL, by Newton steps on both logarithms."""
    shape = np.broadcast_shapes(np.shape(count), np.shape(size))
    x = np.broadcast_to(np.asarray(count, dtype=np.float64), shape).reshape(-1)
    n = np.broadcast_to(np.asarray(size, dtype=np.float64), shape).reshape(-1)
    out = np.zeros(x.size)
    positive = np.flatnonzero(x > 0)
    x, n = x[positive], n[positive]
    grainy = x * (1.0 - x / n) < _GRAINY
    for where, tail in ((grainy, _summed), (~grainy, _smooth)):
        rows = np.flatnonzero(where)
        for start in range(0, rows.size, _ROWS):
            cut = rows[start : start + _ROWS]
            out[positive[cut]] = _solve(x[cut], n[cut], tail)
    return out.reshape(shape)


def _solve(x: FloatArray, n: FloatArray, tail: _LogTail) -> FloatArray:
    """Newton in log rate; the logarithm of the tail is concave there, so that steps from below never pass."""
    share, square = x / n, _Z * _Z
    middle = share + square / (2 * n)
    half = _Z * np.sqrt(share * (1.0 - share) / n + square / (4 * n * n))
    log_rate = np.log(np.maximum((middle - half) / (1.0 + square / n), LEAST))
    target, left = math.log(_TAIL), np.arange(x.size)
    for _ in range(_STEPS):
        log_tail, slope = tail(x[left], n[left], np.exp(log_rate[left]))
        step = (target - log_tail) / slope
        log_rate[left] = np.minimum(log_rate[left] + step, -1e-17)
        left = left[~(np.abs(step) < 1e-12)]
        if not left.size:
            break
    return np.exp(log_rate)


def _summed(x: FloatArray, n: FloatArray, rate: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Log of P(at least x), and its slope in log rate, by adding up the falling terms."""
    j = np.arange(_TERMS, dtype=np.float64)
    ratio = np.maximum((n - x)[:, None] - j, 0.0)
    ratio /= x[:, None] + (1.0 + j)
    ratio *= (rate / np.maximum(1.0 - rate, LEAST))[:, None]
    total = 1.0 + np.cumprod(ratio, axis=1, out=ratio).sum(axis=1)
    return log_pmf(x, n, rate) + np.log(total), x / total


def _smooth(x: FloatArray, n: FloatArray, rate: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The same from the smooth tail."""
    log_tail = np.log(np.maximum(smooth_tails(x - 1.0, n, rate)[1], LEAST))
    return log_tail, x * np.exp(log_pmf(x, n, rate) - log_tail)
