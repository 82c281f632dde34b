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
from typing import NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.null.arrays import cuts
from clearbar.null.hypergeometric import half_width, log_heads, margins, modes, pmf, variances, windows

STRIDED_FROM = 12.0
"""Standard deviation from which on strides are taken: narrower windows meet empty cells."""

WIDEST = 2**23
"""Points of one window beyond which it is refused."""

_BLOCK = 2**15


class Nodes(NamedTuple):
    """Weighted points of several blind predictions, one prediction after the other."""

    draw: IntArray
    """The prediction that a node belongs to, counted from the first one of its block."""
    x: IntArray
    """True positives."""
    weight: FloatArray
    """Probabilities that add up to 1 for each prediction."""
    start: IntArray
    """First node of each prediction, and the number of nodes at the end."""

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sum of values at the nodes, for each prediction."""
        if self.start.size == 2:  # much faster
            return np.array([np.sum(values)])
        return np.add.reduceat(values, self.start[:-1])


class Grid(NamedTuple):
    """Margins, and where the nodes of each prediction lie: first, first + stride, ..., through the mode."""

    m: IntArray
    p: IntArray
    k: IntArray
    centre: IntArray
    first: IntArray
    stride: IntArray
    width: IntArray

    def take(self, rows: IntArray | slice) -> Grid:
        """Select predictions."""
        return Grid(*(column[rows] for column in self))


def _grid(m: IntArray, p: IntArray, k: IntArray, *, strided: bool, most: int | None) -> Grid:
    centre, variance = modes(m, p, k), variances(m, p, k)
    low, high = windows(m, p, k, centre, variance)
    stride = np.ones_like(low)
    if strided or most is not None:
        sigma = np.sqrt(variance)
        longest = (sigma / 2.0).astype(np.int64) if strided else stride
        if most is not None:
            longest = np.maximum(longest, -(-(high - low + 1) // most))
        stride = np.where(sigma >= STRIDED_FROM, longest, 1)
    below, above = (centre - low) // stride, (high - centre) // stride
    return Grid(m, p, k, centre, centre - below * stride, stride, below + above + 1)


def node_counts(total: IntArray, positives: IntArray, draws: IntArray, *, strided: bool) -> IntArray:
    """Return how many nodes each prediction gets."""
    return _grid(*margins(total, positives, draws), strided=strided, most=None).width


def node_chunks(
    total: IntArray,
    positives: IntArray,
    draws: IntArray,
    *,
    strided: bool,
    max_nodes: int = 2**18,
    most: int | None = None,
) -> Iterator[tuple[slice, Nodes]]:
    """Cut a list of predictions into consecutive blocks and give the nodes of each block.

    With `most`, wide windows keep so many points, which is rough where the function is not smooth.
    """
    grid = _grid(*margins(total, positives, draws), strided=strided, most=most)
    if np.any(grid.width > WIDEST):
        worst = int(np.argmax(grid.width))
        raise ValueError(
            f"total={grid.m[worst]}, positives={grid.p[worst]}, draws={grid.k[worst]} has a window of "
            f"{grid.width[worst]} values, too wide to be summed (at most {WIDEST})."
        )
    return ((block, _nodes(grid.take(block))) for block in cuts(grid.width, max_nodes))


def _nodes(grid: Grid) -> Nodes:
    start = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(grid.width)))
    draw = np.repeat(np.arange(grid.m.size), grid.width)
    steps = np.arange(start[-1]) - start[draw]
    points = grid.first[draw] + steps * grid.stride[draw]
    return Nodes(draw, points, _weights(grid, points, draw, start), start)


def _weights(grid: Grid, points: IntArray, draw: IntArray, start: IntArray) -> FloatArray:
    strided = grid.stride > 1
    if strided.all():
        return _strided_weights(grid, points, draw, start)
    out = np.empty(points.size)
    rows = np.flatnonzero(strided)
    if rows.size:
        part = grid.take(rows)
        inner = strided[draw]
        edges = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(part.width)))
        out[inner] = _strided_weights(part, points[inner], np.repeat(np.arange(rows.size), part.width), edges)
    rows = np.flatnonzero(~strided)
    rows = rows[np.argsort(grid.width[rows], kind="stable")]  # so that little is padded
    begin = 0
    while begin < rows.size:
        several = rows[begin : begin + max(_BLOCK // int(grid.width[rows[-1]]), 1)]
        part = grid.take(several)
        values = _recurrence(part)
        inner_start = np.cumsum(part.width) - part.width
        out[np.arange(values.size) + np.repeat(start[several] - inner_start, part.width)] = values
        begin += several.size
    return out


def _strided_weights(grid: Grid, points: IntArray, draw: IntArray, start: IntArray) -> FloatArray:
    one_population = grid.m.size == 1
    columns = (column if one_population else column[draw] for column in (grid.m, grid.p, grid.k))
    weight = pmf(points, *columns)
    return weight / np.add.reduceat(weight, start[:-1])[draw]


def _recurrence(grid: Grid) -> FloatArray:
    """Return products of the ratios of neighbouring probabilities, outwards from the mode.

    They become exactly zero at the end of the support and stay so: padding needs no care there.
    """
    below = (grid.centre - grid.first) // grid.stride
    above = grid.width - 1 - below
    left, right = int(below.max()), int(above.max())
    centre, rest = grid.centre, grid.m - grid.p - grid.k
    cells = np.stack((centre, grid.p - centre, grid.k - centre, rest + centre)).astype(np.float64)
    tp, fn, fp, tn = cells[:, :, None]
    out = np.empty((grid.m.size, left + 1 + right))
    out[:, left] = 1.0
    steps = np.arange(max(left, right), dtype=np.float64)
    j = steps[:right]
    ratio = (fn - j) * (fp - j)
    ratio /= (tp + 1.0 + j) * (tn + 1.0 + j)
    np.cumprod(ratio, axis=1, out=out[:, left + 1 :])
    j = steps[:left]
    ratio = (tp - j) * (tn - j)
    ratio /= (fn + 1.0 + j) * (fp + 1.0 + j)
    np.cumprod(ratio, axis=1, out=out[:, :left][:, ::-1])
    column = np.arange(-left, right + 1)
    inside = (column >= -below[:, None]) & (column <= above[:, None])
    out *= inside
    out /= out.sum(axis=1, keepdims=True)
    return out[inside]


def coin_weights(total: int, chance: float, most: int) -> tuple[IntArray, FloatArray]:
    """Return points and weights that turn an expectation over the number of heads into a sum."""
    if chance in {0.0, 1.0}:
        return np.array([total if chance else 0], dtype=np.int64), np.ones(1)
    width = float(half_width(np.array(total * chance * (1.0 - chance))))
    low = max(int(np.floor(total * chance - width)), 0)
    high = min(int(np.ceil(total * chance + width)), total)
    heads = np.arange(low, high + 1, -(-(high - low + 1) // most), dtype=np.int64)
    weights = np.exp(log_heads(heads, total, chance))
    return heads, weights / weights.sum()
