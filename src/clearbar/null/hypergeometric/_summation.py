"""Sum of P(TP = x + j)/P(TP = x) over j = 0, 1, 2, ... where the terms fall: O(1) at any total.

Short sums are added up as they are. Long ones are slowly varying, and a Gauss rule for the counting
measure takes 32 terms at real j in their stead.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise

import numpy as np

from clearbar.null.hypergeometric._arrays import FloatArray, IntArray
from clearbar.null.hypergeometric._series import half_width
from clearbar.null.hypergeometric.pmf import log_ratio

# Terms below exp(-REACH) of the first one, and everything after them, are left out.
REACH = 42.0
# Sums of at most this many terms are added up; a longer one has at least 500 in every cell it meets.
SHORT = 256
_NODES = 32
# Gauss rules are kept for lengths SHORT * 2**(i/4): a sum may run on past where it matters.
_PER_OCTAVE = 4
_BLOCK = 2**15
_ROWS = 128


def _length(rising: FloatArray, falling: FloatArray, slope: FloatArray) -> FloatArray:
    """Upper bound on the number of terms, first one included.

    The first j terms fall at least as fast as exp(-j slope - j^2 c/2) with c made of 1/cell for cells
    that empty and 1/(cell + j/3) for cells that fill (Bennett's inequality and Bernstein's bound on it).
    """
    inverse = (1.0 / np.maximum(falling, 1.0)).sum(axis=0)
    reach = np.sqrt(2.0 * REACH / inverse)
    for cell in rising:
        np.minimum(reach, half_width(cell), out=reach)
    for _ in range(2):
        curve = inverse + (1.0 / (rising + reach / 3.0 + 1.0)).sum(axis=0)
        reach = 2.0 * REACH / (slope + np.sqrt(slope * slope + 2.0 * REACH * curve))
    return np.asarray(np.ceil(np.minimum(reach + 2.0, falling.min(axis=0) + 1.0)))


@cache
def gram_rule(length: int) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of the Gauss rule for the sum over 0..length-1, exact to degree 63.

    Golub and Welsch (1969) on the recurrence of the Gram polynomials, (l^2/4)(n^2 - l^2)/(4 l^2 - 1).
    """
    j = np.arange(1.0, _NODES)
    side = 0.5 * j * np.sqrt((1.0 - (j / length) ** 2) / (4.0 * j * j - 1.0))
    values, vectors = np.linalg.eigh(np.diag(side, 1) + np.diag(side, -1))
    nodes = (length - 1) / 2.0 + values * length
    weights = vectors[0] ** 2 * length
    nodes.flags.writeable = weights.flags.writeable = False
    return nodes, weights


def rule_length(terms: int) -> int:
    """Length of the Gauss rule for a sum of that many terms."""
    return _ranked(math.ceil(math.log2(terms / SHORT) * _PER_OCTAVE))


def _ranked(rank: int) -> int:
    length: int = round(SHORT * 2.0 ** (rank / _PER_OCTAVE))
    return length


def _short(tables: FloatArray, terms: IntArray) -> FloatArray:
    """Plain sums; `tables` has the two cells that fill and the two that empty as rows."""
    out = np.empty(terms.size)
    start = 0
    while start < terms.size:
        width = max(int(terms[start]) - 1, 1)  # sorted: the first sum is the longest
        cut = slice(start, start + max(_BLOCK // width, 1))
        j = np.arange(width, dtype=np.float64)
        up, up_too, down, down_too = tables[:, cut, None]
        ratio = (down - j) * (down_too - j)
        j += 1.0
        ratio /= (up + j) * (up_too + j)
        out[cut] = 1.0 + np.cumprod(ratio, axis=1, out=ratio).sum(axis=1)
        start = cut.stop
    return out


def _long(tables: FloatArray, slope: FloatArray, length: int) -> FloatArray:
    """Sums by the Gauss rule of that length, all terms being inside the support."""
    nodes, weights = gram_rule(length)
    out = np.empty(slope.size)
    tables = tables[[0, 2, 3, 1]]
    for start in range(0, slope.size, _ROWS):
        cut = slice(start, start + _ROWS)
        out[cut] = weights @ np.exp(log_ratio(tables[:, cut], slope[cut], nodes[:, None], whole=False))
    return out


def falling_sum(rising: FloatArray, falling: FloatArray, slope: FloatArray) -> FloatArray:
    """Sum over j >= 0 of P(j more steps)/P(here), for steps away from the mean.

    Between 1 and the number of terms; relative error about 1e-14.
    """
    terms = _length(rising, falling, slope)
    order = np.argsort(-terms, kind="stable")
    tables = np.concatenate((rising, falling))[:, order]
    terms, slope = terms[order], slope[order]
    sums = np.empty(terms.size)
    split = int(np.searchsorted(-terms, -SHORT))
    sums[split:] = _short(tables[:, split:], terms[split:].astype(np.int64))
    rank = np.ceil(np.log2(terms[:split] / SHORT) * _PER_OCTAVE).astype(np.int64)
    edges = np.flatnonzero(np.diff(rank, prepend=-1, append=-1))
    for start, stop in pairwise(edges):
        length = _ranked(int(rank[start]))
        cut = slice(start, stop)
        sums[cut] = _long(tables[:, cut], slope[cut], length)
    out = np.empty_like(sums)
    out[order] = sums
    return out
