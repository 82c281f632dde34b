"""Probabilities of at least, and of at most, so many true positives."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from clearbar.null.hypergeometric._arrays import (
    MAX_TOTAL,
    BoolArray,
    FloatArray,
    IntArray,
    IntLike,
    integers,
    pointwise,
)
from clearbar.null.hypergeometric._binomial import SMALL, small_tail
from clearbar.null.hypergeometric._point import point_tail
from clearbar.null.hypergeometric._summation import falling_sum
from clearbar.null.hypergeometric.pmf import cells_at, deviation, pmf_kernel

# Sums are sorted by length, which pays in larger batches than plain arithmetic.
_CHUNK = 2**14


class Split(NamedTuple):
    """The smaller side of a cut between x - 1 and x, for x with support on both sides."""

    value: FloatArray
    """The probability of that side, or its logarithm."""
    above: BoolArray
    """Whether that side is TP >= x."""
    terms: FloatArray
    """That side over its largest probability."""


def _side(
    x: IntArray, margin: tuple[IntArray, IntArray, IntArray], above: BoolArray, d: FloatArray, *, log: bool
) -> tuple[FloatArray, FloatArray]:
    """The side of the cut below x that `above` names: its value, and it over its first probability."""
    first = x - ~above
    tp, fn, fp, tn = cells_at(first, *margin)
    rising = np.where(above, (tp, tn), (fn, fp))
    falling = np.where(above, (fn, fp), (tp, tn))
    # tp tn - fp fn = M (x - kP/M), so the log odds ratio needs no difference of products.
    excess = np.abs(d - ~above) * margin[0]
    slope = np.log1p(excess / np.maximum(falling[0] * falling[1], 1.0))
    terms = falling_sum(rising, falling, slope)
    start = pmf_kernel(first, *margin, log=log)
    return (start + np.log(terms) if log else start * terms), terms


def split(x: IntArray, m: IntArray, p: IntArray, k: IntArray, *, log: bool) -> Split:
    """Probability on the smaller side of the cut between x - 1 and x; one dimension, all of one length.

    Steps away from the mean make a falling series. Where the side away from the mean nevertheless holds
    more than half (the mean lies within one step), the other side is taken: its terms fall as well.
    """
    margin = (m, p, k)
    d = deviation(x, *margin)
    above = d > 0
    value, terms = _side(x, margin, above, d, log=log)
    big = np.flatnonzero(value > (np.log(0.5) if log else 0.5))
    if big.size:
        above[big] = ~above[big]
        part = (m[big], p[big], k[big])
        value[big], terms[big] = _side(x[big], part, above[big], d[big], log=log)
    return Split(value, above, terms)


def _complement(value: FloatArray, *, log: bool) -> FloatArray:
    return np.log1p(-np.exp(value)) if log else 1.0 - value


def tail_kernel(x: IntArray, m: IntArray, p: IntArray, k: IntArray, *, above: bool, log: bool) -> FloatArray:
    """P(TP >= x) if `above`, else P(TP < x), or the logarithm, for points in one dimension."""
    m, p, k = (np.broadcast_to(margin, x.shape) for margin in (m, p, k))
    low, high = np.maximum(k - (m - p), 0), np.minimum(p, k)
    sure, impossible = (0.0, -np.inf) if log else (1.0, 0.0)
    out = np.where((x <= low) == above, sure, impossible)
    inner = (x > low) & (x <= high)
    small = np.flatnonzero(inner & (m <= SMALL))
    if small.size:
        out[small] = small_tail(x[small], m[small], p[small], k[small], above=above, log=log)
    large = np.flatnonzero(inner & (m > SMALL))
    if large.size:
        side = split(x[large], m[large], p[large], k[large], log=log)
        out[large] = np.where(side.above == above, side.value, _complement(side.value, log=log))
    return out


def _tail(
    x: IntLike, total: IntLike, positives: IntLike, draws: IntLike, *, above: bool, log: bool
) -> FloatArray:
    arrays = [np.asarray(value) for value in (x, total, positives, draws)]
    if all(array.ndim == 0 and array.dtype.kind in "iu" for array in arrays):
        point, m, p, k = (int(array.item()) for array in arrays)
        if SMALL < m <= MAX_TOTAL and 0 <= p <= m and 0 <= k <= m:
            at_point = point_tail(point, m, p, k, above=above, log=log)
            return np.full(np.broadcast(*arrays).shape, at_point)
    return pointwise(partial(tail_kernel, above=above, log=log), x, total, positives, draws, chunk=_CHUNK)


def _after(x: IntLike) -> IntArray:
    points = integers("x", x)
    return np.asarray(points + (points < np.iinfo(np.int64).max))


def tail_ge(x: IntLike, total: IntLike, positives: IntLike, draws: IntLike) -> FloatArray:
    """Probability of at least x true positives.

    Within 1e-12 relative down to 1e-300, at any total (within 2 ulp where total <= 64).
    """
    return _tail(x, total, positives, draws, above=True, log=False)


def tail_le(x: IntLike, total: IntLike, positives: IntLike, draws: IntLike) -> FloatArray:
    """Probability of at most x true positives; see `tail_ge`."""
    return _tail(_after(x), total, positives, draws, above=False, log=False)


def log_tail_ge(x: IntLike, total: IntLike, positives: IntLike, draws: IntLike) -> FloatArray:
    """Natural logarithm of `tail_ge`, 1e-12 relative also where the probability underflows or is nearly 1."""
    return _tail(x, total, positives, draws, above=True, log=True)


def log_tail_le(x: IntLike, total: IntLike, positives: IntLike, draws: IntLike) -> FloatArray:
    """Natural logarithm of `tail_le`, 1e-12 relative also where the probability underflows or is nearly 1."""
    return _tail(_after(x), total, positives, draws, above=False, log=True)
