"""Weighted points that turn an expectation over TP into a sum, for many blind predictions at once.

Where the standard deviation sigma is at least 12 and the function smooth, every floor(sigma/2)-th integer is
enough: the sum of a function over the integers and that over every h-th one, times h, differ by aliases of
the characteristic function, at most 2 exp(-2 pi^2 2^2) = e^-78 for a constant (a real-rooted generating
function bounds it by exp(-2 sigma^2 sin^2(u/2))), and by rounding for the smooth measures here. For a kink,
or an exception at one point, it is wrong, and no comparison of grids can tell: only what is declared `smooth`
is strided.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.null.hypergeometric import log_pmf_between, mode, tp_variance, window

STRIDED_FROM = 12.0
"""Standard deviation from which on strides are taken: narrower windows meet empty cells."""

WIDEST = 2**23
"""Points of one window beyond which it is refused."""

CACHED = 2**15
"""Nodes looked at together: few enough to stay in a processor's cache."""

Margins: TypeAlias = tuple[IntArray, ...]
"""M, P and k of several blind predictions, each of shape (predictions,)."""


def strides(
    margins: Margins, *, smooth: bool, most: int | None = None
) -> tuple[IntArray, IntArray, IntArray]:
    """Return how many integers apart the nodes are, and how many are below and above the mode.

    With `most`, wide windows keep so many nodes, which is rough where the function is not smooth.
    """
    (low, high), centre = window(*margins), mode(*margins)
    sigma = np.sqrt(tp_variance(*margins))
    apart = (sigma / 2.0).astype(np.int64) if smooth else np.ones_like(low)
    if most is not None:
        apart = np.maximum(apart, -(-(high - low + 1) // most))
    stride = np.where(sigma >= STRIDED_FROM, apart, 1)
    return stride, (centre - low) // stride, (high - centre) // stride


def node_blocks(
    margins: Margins, *, smooth: bool, most: int | None = None, together: int = CACHED
) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
    """Yield rows of predictions, and TP and weights of shape (rows, nodes), which add up to 1 in each row.

    Predictions with windows of about one width come together. What pads the narrower ones weighs nothing.
    """
    stride, below, above = strides(margins, smooth=smooth, most=most)
    width = below + above + 1
    if np.any(width > WIDEST):
        total, positives, draws = (int(margin[np.argmax(width)]) for margin in margins)
        raise ValueError(
            f"total={total}, positives={positives}, draws={draws} has a window of {width.max()} values, too "
            f"wide to be summed (at most {WIDEST})."
        )
    for kind in (stride == 1, stride > 1):
        rows = np.flatnonzero(kind)
        rows = rows[np.argsort(-width[rows], kind="stable")]
        while rows.size:
            block, rows = np.split(rows, [max(together // int(width[rows[0]]), 1)])
            yield block, *_nodes(margins, block, stride, below, above)


def _nodes(
    margins: Margins, rows: IntArray, stride: IntArray, below: IntArray, above: IntArray
) -> tuple[FloatArray, FloatArray]:
    m, p, k = (margin[rows, None] for margin in margins)
    stride, below, above = stride[rows, None], below[rows, None], above[rows, None]
    centre = mode(m, p, k)
    offset = np.arange(-int(below.max()), int(above.max()) + 1)
    tp = centre + stride * np.clip(offset, -below, above)
    if int(stride[0, 0]) == 1:
        weight = _relative_to_mode(np.stack((centre, p - centre, k - centre, m - p - k + centre)), offset)
    else:
        weight = np.exp(log_pmf_between(tp.T.astype(np.float64), *(margin[rows] for margin in margins))).T
    weight *= (offset >= -below) & (offset <= above)
    weight /= weight.sum(axis=1, keepdims=True)
    return tp.astype(np.float64), weight


def _relative_to_mode(cells: IntArray, offset: IntArray) -> FloatArray:
    """Return products of the ratios of neighbouring probabilities, outwards from the mode.

    They become exactly zero at the end of the support and stay so: padding needs no care there.
    """
    tp, fn, fp, tn = cells.astype(np.float64)
    left, right = -int(offset[0]), int(offset[-1])
    out = np.ones((len(tp), offset.size))
    j = np.arange(max(left, right), dtype=np.float64)
    for (falling, falling_too), (rising, rising_too), columns in (
        ((fn, fp), (tp, tn), np.s_[:, left + 1 :]),
        ((tp, tn), (fn, fp), np.s_[:, left - 1 :: -1] if left else np.s_[:, :0]),
    ):
        part = out[columns]
        i = j[: part.shape[1]]
        ratio = (falling - i) * (falling_too - i)
        ratio /= (rising + 1.0 + i) * (rising_too + 1.0 + i)
        np.cumprod(ratio, axis=1, out=part)
    return out
