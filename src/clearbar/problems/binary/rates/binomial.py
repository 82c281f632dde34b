"""The binomial law at any size: deviances, probabilities, and tails far from the lattice's grain."""

from __future__ import annotations

import math

import numpy as np

from clearbar.core._typing import FloatArray

LEAST = 1e-280
"""What a probability of 0 is read as under a logarithm."""
ALMOST_NONE = -1.0 + 2.0**-53
_HALF_LOG_2_PI = 0.5 * math.log(2.0 * math.pi)


def deviance(count: FloatArray, mean: FloatArray) -> FloatArray:
    """count*log(count/mean) - (count - mean) >= 0; absolute error 1e-16 of the distance."""
    mean = np.maximum(mean, LEAST)
    moved = count - mean
    ratio = np.asarray(moved / mean)
    np.maximum(ratio, ALMOST_NONE, out=ratio)
    np.log1p(ratio, out=ratio)
    ratio *= count
    ratio -= moved
    return np.maximum(ratio, 0.0, out=ratio)


def rate_deviance(count: FloatArray, size: FloatArray, rate: FloatArray) -> FloatArray:
    """Log-likelihood that `rate` lacks to the observed share, for `count` of `size`."""
    return deviance(count, size * rate) + deviance(size - count, size * (1.0 - rate))


def stirling_error(n: FloatArray) -> FloatArray:
    """Log n! less Stirling's formula, 0 read as 1/(2 pi); absolute error 1e-15."""
    n = np.asarray(n, dtype=np.float64)
    small = np.minimum(n, _TABLE - 1).astype(np.int64)
    r = 1.0 / np.maximum(n, 1.0)
    w = r * r
    series = r * (1 / 12 - w * (1 / 360 - w * (1 / 1260 - w / 1680)))
    return np.where(n < _TABLE, _ERRORS[small], series)


_TABLE = 64


def _errors() -> FloatArray:
    """Stirling's errors of 0..63, from exact factorials."""
    first = [math.lgamma(k + 1) - (k + 0.5) * math.log(k) + k - _HALF_LOG_2_PI for k in range(1, 10)]
    # lgamma's difference cancels to 1e-14 beyond, where the series is better.
    n = np.arange(10.0, _TABLE)
    r = 1.0 / n
    w = r * r
    terms = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
    series = r * np.polynomial.polynomial.polyval(w, terms)
    return np.concatenate(([0.0], first, series))


_ERRORS = _errors()


def log_pmf(count: FloatArray, size: FloatArray, rate: FloatArray) -> FloatArray:
    """Loader's saddle-point form (2000) of the log probability of `count` of `size`, inside the support."""
    rest = size - count
    inner = (count > 0) & (rest > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(inner, 0.5 * np.log(size / (count * rest)) - _HALF_LOG_2_PI, 0.0)
    errors = np.where(inner, stirling_error(size) - stirling_error(count) - stirling_error(rest), 0.0)
    return factor + errors - rate_deviance(count, size, rate)


def _mills() -> FloatArray:
    """Chebyshev coefficients of exp(z^2/2) P(Z > z) for z in 0..9, in t = 18/(z + 2)."""
    degree = 30
    nodes = np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
    t = _NEAREST + (nodes + 1) / 2 * (_FARTHEST - _NEAREST)
    z = 1.0 / t - 2.0
    values = [math.exp(v * v / 2) * math.erfc(v / math.sqrt(2)) / 2 for v in z]
    return np.asarray(np.polynomial.chebyshev.chebfit(nodes, values, degree), dtype=np.float64)


_FARTHEST, _NEAREST = 1 / 2, 1 / 14
_MILLS = _mills()


def normal_cdf(z: FloatArray) -> FloatArray:
    """P(Z <= z) of a standard normal; absolute error 1e-15, 0 below -12."""
    z = np.asarray(z, dtype=np.float64)
    far = np.minimum(np.abs(z), 12.0)
    t = ((1.0 / (far + 2.0)) - _NEAREST) * (2.0 / (_FARTHEST - _NEAREST)) - 1.0
    tail = np.polynomial.chebyshev.chebval(t, _MILLS) * np.exp(-0.5 * far * far)
    return np.where(z > 0, 1.0 - tail, tail)


def smooth_tails(count: FloatArray, size: FloatArray, rate: FloatArray) -> tuple[FloatArray, FloatArray]:
    """P(at most `count` of `size`) and P(more): Temme's expansion of the incomplete beta, within 0.01/sd^3.

    The normal tails of the signed root of the deviance at count + 1 of size + 1, with its first correction.
    """
    whole, taken = size + 1.0, np.clip(count, -1.0, size) + 1.0
    share = taken / whole
    spread = np.sqrt(np.maximum(share * (1.0 - share), LEAST))
    away = share - rate
    root = np.copysign(np.sqrt(2.0 * rate_deviance(taken, whole, rate)), away)
    z, scale = away / spread, np.sqrt(whole)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        skew, curve = (2.0 * share - 1.0) / spread, 1.0 / spread**2 - 3.0
        near = (skew / 3.0 + z * (skew**2 / 6.0 - curve / 4.0)) / scale
        close = np.abs(away) < 1e-4 * np.minimum(share, 1.0 - share)
        correction = np.where(close, near, 1.0 / root - 1.0 / (z * scale))
        correction = np.where(np.isfinite(correction), correction, 0.0)
    correction *= np.exp(-0.5 * root * root - _HALF_LOG_2_PI)
    none, every = count < 0, count >= size
    below = np.where(none, 0.0, np.where(every, 1.0, normal_cdf(root) + correction))
    above = np.where(none, 1.0, np.where(every, 0.0, normal_cdf(-root) - correction))
    return np.clip(below, 0.0, 1.0), np.clip(above, 0.0, 1.0)
