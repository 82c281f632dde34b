"""Small populations: probabilities as ratios of exact integers.

Up to M = 64 a binomial coefficient fits into int64, and so do the product C(P, x) C(N, k-x) and any
sum of such products, since together they add up to C(M, k) (Vandermonde). A probability then carries
three roundings: numerator, denominator, quotient.
"""

from __future__ import annotations

from math import comb

import numpy as np

from clearbar.null.hypergeometric._arrays import FloatArray, IntArray

SMALL = 64
_BLOCK = 512
_SHIFT = SMALL + 1  # column of C(n, 0); everything left of it is zero
_WIDTH = 2 * SMALL + 3


def _table() -> IntArray:
    table = np.zeros((SMALL + 1, _WIDTH), dtype=np.int64)
    for n in range(SMALL + 1):
        table[n, _SHIFT : _SHIFT + n + 1] = [comb(n, r) for r in range(n + 1)]
    table.flags.writeable = False
    return table.reshape(-1)


_TABLE = _table()


def _binomial(n: IntArray, r: IntArray) -> IntArray:
    """C(n, r), zero for r outside 0..n."""
    column = np.clip(r, -_SHIFT, SMALL + 1)
    column = column + (n * _WIDTH + _SHIFT)
    return _TABLE[column]


def _ratio(part: IntArray, whole: IntArray) -> FloatArray:
    return np.asarray(part / whole)


def _log_ratio(part: IntArray, whole: IntArray) -> FloatArray:
    """log(part/whole), from the complement where the ratio is near 1; -inf for part = 0."""
    out = np.full(part.shape, -np.inf)
    near_one = part > whole - part
    np.log(part / whole, out=out, where=(part > 0) & ~near_one)
    np.log1p((part - whole) / whole, out=out, where=near_one)
    return out


def small_pmf(x: IntArray, m: IntArray, p: IntArray, k: IntArray, *, log: bool) -> FloatArray:
    """P(TP = x), or its logarithm, for totals up to SMALL; within 2 ulp."""
    part = _binomial(p, x) * _binomial(m - p, k - x)
    whole = _binomial(m, k)
    return _log_ratio(part, whole) if log else _ratio(part, whole)


def _count_from(x: IntArray, p: IntArray, n: IntArray, k: IntArray) -> IntArray:
    """Number of k-subsets with at least x positives."""
    first = np.maximum(x, np.maximum(k - n, 0))
    terms = int(max(np.max(np.minimum(p, k) - first, initial=0) + 1, 1))
    points = first[:, None] + np.arange(terms)
    products = _binomial(p[:, None], points) * _binomial(n[:, None], k[:, None] - points)
    return np.asarray(products.sum(axis=1))


def small_tail(x: IntArray, m: IntArray, p: IntArray, k: IntArray, *, above: bool, log: bool) -> FloatArray:
    """P(TP >= x) if `above`, else P(TP < x), or the logarithm, for totals up to SMALL; within 2 ulp."""
    out = np.empty(x.size)
    for start in range(0, x.size, _BLOCK):
        cut = slice(start, start + _BLOCK)
        whole = _binomial(m[cut], k[cut])
        part = _count_from(x[cut], p[cut], m[cut] - p[cut], k[cut])
        if not above:
            part = whole - part
        out[cut] = _log_ratio(part, whole) if log else _ratio(part, whole)
    return out
