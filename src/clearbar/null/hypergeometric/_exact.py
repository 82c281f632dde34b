"""Products of two 52-bit integers without losing a bit: wrapped int64 remainders and error-free floats."""

from __future__ import annotations

import numpy as np

from clearbar.null.hypergeometric._arrays import FloatArray, IntArray

_SPLITTER = 134217729.0  # 2**27 + 1, Veltkamp


def divide_product(a: IntArray, b: IntArray, m: IntArray) -> tuple[IntArray, IntArray]:
    """Quotient and remainder of a*b by m, for 0 <= a, b <= m + 1 <= 2**52 + 2.

    The float quotient is off by at most one, so the remainder is a small multiple of m: int64
    arithmetic, which wraps modulo 2**64, finds it exactly although a*b itself does not fit.
    (Arrays, never NumPy scalars: only arrays wrap without a warning.)
    """
    quotient = (a.astype(np.float64) * b / m).astype(np.int64)
    remainder = a * b
    remainder -= quotient * m
    step = (remainder >= m).astype(np.int64)
    step -= remainder < 0
    quotient += step
    remainder -= step * m
    return quotient, remainder


def two_product(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The rounded product and its rounding error (Dekker 1971); their sum is a*b exactly."""
    product = a * b
    a_high = _SPLITTER * a
    a_high -= a_high - a
    b_high = _SPLITTER * b
    b_high -= b_high - b
    a_low, b_low = a - a_high, b - b_high
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error
