"""Student's t distribution, for degrees of freedom that need not be whole."""

from __future__ import annotations

import math

import numpy as np

FAR = 2.0
"""Distance from which the tail is summed itself, not what is left of one."""

SERIES_END = -40.0
"""Logarithm of what further terms add, relative to the sum."""

MANY = 10_000
"""Degrees of freedom from which on Student's t is normal."""


def student_tail(t: float, freedom: float) -> float:
    """Return P(|T| >= t), to 1e-12 relative.

    It is the incomplete beta function I(freedom / (freedom + t^2); freedom / 2, 1 / 2), far out by its own
    series, near the centre as one less its complement: all terms of DLMF 8.17.8 are positive, so that
    nothing cancels.
    """
    share = freedom / (freedom + t * t)
    if t > FAR:
        return _incomplete_beta(freedom / 2, 0.5, share, 1 - share)
    return 1.0 - _incomplete_beta(0.5, freedom / 2, t * t / (freedom + t * t), share)


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """Return I(x; a, b) = x^a (1 - x)^b / (a B(a, b)) F(a + b, 1; a + 1; x); `rest` is 1 - x."""
    if x <= 0:
        return 0.0
    # Ratios of neighbouring terms tend to x; the first few may be as large as (a + b) / (a + 1).
    n = np.arange(math.ceil(SERIES_END / math.log(x)) + 200)
    terms = np.cumprod(np.concatenate(([1.0], x * (a + b + n) / (a + 1 + n))))
    front = a * math.log(x) + b * math.log(rest)
    front -= math.log(a) + math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    return math.exp(front) * float(terms.sum())


def quantile(level: float, freedom: float) -> float:
    """Return the t with P(|T| >= t) = 1 - level."""
    low, high = 0.0, 1.0
    while student_tail(high, freedom) > 1 - level:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if student_tail(middle, freedom) > 1 - level else (low, middle)
    return high


def upper_tail(t: float, freedom: float) -> float:
    """Return P(T >= t)."""
    both = math.erfc(abs(t) / math.sqrt(2)) if freedom > MANY else student_tail(abs(t), freedom)
    return both / 2 if t >= 0 else 1 - both / 2
