"""Weights of the nodes of many draws: four routes, each for the draws it suits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from clearbar.null.hypergeometric._arrays import FloatArray, IntArray
from clearbar.null.hypergeometric._binomial import SMALL, small_pmf
from clearbar.null.hypergeometric.pmf import cells_at, deviation, log_ratio, pmf

# Rounding errors of the ratio recurrence add up; wider windows get each probability on its own.
_RECURRENCE_WIDTH = 4096
_BLOCK = 2**15
_STRIDED_BLOCK = 2**12
# Draws of unlike widths are sorted first if padding would otherwise exceed this share.
_PADDING = 1.5


class Grid(NamedTuple):
    """Margins of the draws, and where the nodes of each lie: first, first + stride, ..., `width` of them.

    One of them is the mode, `centre`.
    """

    m: IntArray
    p: IntArray
    k: IntArray
    centre: IntArray
    first: IntArray
    stride: IntArray
    width: IntArray

    def take(self, rows: IntArray | slice) -> Grid:
        """Some of the draws."""
        return Grid(*(column[rows] for column in self))

    def points(self) -> IntArray:
        """All nodes, draw after draw."""
        start = np.cumsum(self.width) - self.width
        if np.all(self.stride == 1):
            dense: IntArray = np.arange(self.width.sum()) + np.repeat(self.first - start, self.width)
            return dense
        steps = np.arange(self.width.sum()) - np.repeat(start, self.width)
        points: IntArray = steps * np.repeat(self.stride, self.width) + np.repeat(self.first, self.width)
        return points

    def sides(self) -> tuple[IntArray, IntArray]:
        """Number of nodes below and above the mode."""
        below = (self.centre - self.first) // self.stride
        return below, self.width - 1 - below


_Route: TypeAlias = Callable[[Grid], FloatArray]


def _exact(grid: Grid) -> FloatArray:
    m, p, k = (np.repeat(margin, grid.width) for margin in (grid.m, grid.p, grid.k))
    return small_pmf(grid.points(), m, p, k, log=False)


def _wide(grid: Grid) -> FloatArray:
    parts = []
    for row in range(grid.m.size):
        one = grid.take(slice(row, row + 1))
        weight = pmf(one.points(), one.m, one.p, one.k)
        parts.append(weight / weight.sum())
    return np.concatenate(parts)


def _blocks(grid: Grid, size: int = _BLOCK) -> Iterator[Grid]:
    """Consecutive draws, few enough for a padded block to stay in cache."""
    rows = max(size // int(grid.width.max()), 1)
    for start in range(0, grid.m.size, rows):
        yield grid.take(slice(start, start + rows))


def _recurrence(grid: Grid) -> FloatArray:
    return np.concatenate([_recurrence_block(block) for block in _blocks(grid)])


def _recurrence_block(grid: Grid) -> FloatArray:
    """Products of the ratios of neighbouring probabilities, outward from the mode.

    They become exactly zero at the support's end and stay so: padding needs no care there.
    """
    below, above = grid.sides()
    left, right = int(below.max()), int(above.max())
    tp, fn, fp, tn = (cell[:, None] for cell in cells_at(grid.centre, grid.m, grid.p, grid.k))
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
    out /= out.sum(axis=1, keepdims=True)
    if below.min() == left and above.min() == right:
        return out.reshape(-1)
    column = np.arange(-left, right + 1)
    return out[(column >= -below[:, None]) & (column <= above[:, None])]


def _strided(grid: Grid) -> FloatArray:
    return np.concatenate([_strided_block(block) for block in _blocks(grid, _STRIDED_BLOCK)])


def _strided_block(grid: Grid) -> FloatArray:
    """Ratios to the probability of the mode; one column per draw, so that rows are long."""
    below, above = grid.sides()
    cells = cells_at(grid.centre, grid.m, grid.p, grid.k)
    d = deviation(grid.centre, grid.m, grid.p, grid.k)
    slope = np.log1p(d * grid.m / (cells[1] * cells[2]))
    row = np.arange(-int(below.max()), int(above.max()) + 1)[:, None]
    used = (row >= -below) & (row <= above)
    step = (np.clip(row, -below, above) * grid.stride).astype(np.float64)
    weight = np.exp(log_ratio(cells, slope, step, whole=True))
    weight *= used
    weight /= weight.sum(axis=0)
    return np.ascontiguousarray(weight.T)[used.T]


def _by_width(width: IntArray, rows: IntArray) -> IntArray:
    """The rows, in order of width where their neighbours are too unlike to be padded together."""
    sizes = width[rows]
    block = max(_BLOCK // int(sizes.max()), 1)
    edges = np.arange(0, sizes.size, block)
    padded = int((np.maximum.reduceat(sizes, edges) * np.diff(edges, append=sizes.size)).sum())
    return rows[np.argsort(sizes, kind="stable")] if padded > _PADDING * sizes.sum() else rows


def _route_masks(grid: Grid) -> Iterator[tuple[_Route, IntArray]]:
    small = grid.m <= SMALL
    strided = grid.stride > 1
    wide = ~(small | strided) & (grid.width > _RECURRENCE_WIDTH)
    for route, mask in ((_exact, small), (_strided, strided), (_wide, wide)):
        yield route, np.flatnonzero(mask)
    narrow = np.flatnonzero(~(small | strided | wide))
    yield _recurrence, _by_width(grid.width, narrow) if narrow.size else narrow


def weights(grid: Grid) -> FloatArray:
    """Probability of each node, adding up to 1 for each draw, draw after draw."""
    out = np.empty(int(grid.width.sum()))
    start = np.cumsum(grid.width) - grid.width
    for route, rows in _route_masks(grid):
        if not rows.size:
            continue
        part = grid.take(rows)
        values = route(part)
        if rows.size == grid.m.size and np.all(rows[1:] > rows[:-1]):
            return values
        inner = np.cumsum(part.width) - part.width
        out[np.arange(values.size) + np.repeat(start[rows] - inner, part.width)] = values
    return out
