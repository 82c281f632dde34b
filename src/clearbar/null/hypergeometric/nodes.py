"""Points and weights that turn an expectation over the number of true positives into a sum."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from clearbar.null.hypergeometric._arrays import FloatArray, IntArray, IntLike, flat_margins, margins
from clearbar.null.hypergeometric._cuts import cuts
from clearbar.null.hypergeometric._exact import divide_product
from clearbar.null.hypergeometric._series import half_width
from clearbar.null.hypergeometric._weights import Grid, weights
from clearbar.null.hypergeometric.support import mode

# From this standard deviation on, every floor(sigma/2)-th integer is enough for smooth functions.
_STRIDED_FROM = 12.0
WIDEST = 2**23


class Nodes(NamedTuple):
    """Weighted points of several draws, one draw after the other."""

    draw: IntArray
    """Which draw a node belongs to, counted from the first one of its chunk."""
    x: IntArray
    """Number of true positives."""
    weight: FloatArray
    """Probability of the node; adds up to 1 for each draw."""
    start: IntArray
    """First node of each draw, and the number of nodes at the end."""

    def sums(self, values: FloatArray) -> FloatArray:
        """Sum of values at the nodes, for each draw."""
        if self.start.size == 2:  # a sum is faster
            return np.array([np.sum(values)])
        return np.add.reduceat(values, self.start[:-1])


def _variance(m: IntArray, p: IntArray, k: IntArray) -> FloatArray:
    """The variance to a few ulp, for widths."""
    total = np.maximum(m, 2).astype(np.float64)
    return (k * (p / total)) * (((m - p) / total) * ((m - k) / (total - 1.0)))


def _window(m: IntArray, p: IntArray, k: IntArray, variance: FloatArray) -> tuple[IntArray, IntArray]:
    reach = np.ceil(half_width(variance)).astype(np.int64)
    mean = divide_product(k, p, np.maximum(m, 1))[0]
    low = np.maximum(np.maximum(k - (m - p), 0), mean - reach)
    high = np.minimum(np.minimum(p, k), mean + 1 + reach)
    return low, high


def window(total: IntLike, positives: IntLike, draws: IntLike) -> tuple[IntArray, IntArray]:
    """Smallest and largest number of true positives worth summing over.

    Inside the support; less than 2e-18 of the probability lies outside.
    """
    m, p, k, shape = flat_margins(total, positives, draws)
    low, high = _window(m, p, k, _variance(m, p, k))
    return low.reshape(shape), high.reshape(shape)


def _grid(m: IntArray, p: IntArray, k: IntArray, *, strided: bool, most: int | None = None) -> Grid:
    variance = _variance(m, p, k)
    low, high = _window(m, p, k, variance)
    centre = mode(m, p, k)
    stride = np.ones_like(low)
    if strided or most is not None:
        sigma = np.sqrt(variance)
        longest = (sigma / 2.0).astype(np.int64) if strided else stride
        if most is not None:
            longest = np.maximum(longest, -(-(high - low + 1) // most))
        stride = np.where(sigma >= _STRIDED_FROM, longest, 1)  # narrower windows meet empty cells
    below, above = (centre - low) // stride, (high - centre) // stride
    return Grid(m, p, k, centre, centre - below * stride, stride, below + above + 1)


def node_counts(total: IntLike, positives: IntLike, draws: IntLike, *, strided: bool) -> IntArray:
    """How many nodes each draw gets from `node_chunks`."""
    m, p, k, shape = flat_margins(total, positives, draws)
    return _grid(m, p, k, strided=strided).width.reshape(shape)


def _nodes(grid: Grid) -> Nodes:
    start = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(grid.width)))
    draw = np.repeat(np.arange(grid.m.size), grid.width)
    return Nodes(draw, grid.points(), weights(grid), start)


def node_chunks(
    total: IntArray,
    positives: IntArray,
    draws: IntArray,
    *,
    strided: bool,
    max_nodes: int = 2**18,
    most: int | None = None,
) -> Iterator[tuple[slice, Nodes]]:
    """Cut a list of draws into consecutive pieces and give the nodes of each piece."""
    m, p, k = margins(total, positives, draws)
    if not m.shape == p.shape == k.shape or m.ndim != 1:
        raise ValueError(
            f"margins must be one-dimensional, of equal length; got shapes {m.shape}, {p.shape}, {k.shape}."
        )
    grid = _grid(m, p, k, strided=strided, most=most)
    if np.any(grid.width > WIDEST):
        worst = int(np.argmax(grid.width))
        raise ValueError(
            f"total={m[worst]}, positives={p[worst]}, draws={k[worst]} has a window of {grid.width[worst]} "
            f"values, too wide to be summed (at most {WIDEST})."
        )
    return ((cut, _nodes(grid.take(cut))) for cut in cuts(grid.width, max_nodes))
