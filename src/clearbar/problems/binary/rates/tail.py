"""The probability of a tail at points of the curve, summed over the rarer class.

The boundary of the tail is the same for every point, so that it is found once. Along it the rarer class is
summed over; the other one enters by its cumulative probability, added up where it is grainy, smooth beyond.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.problems.binary.rates.binomial import LEAST, smooth_tails
from clearbar.problems.binary.rates.boundary import Rows, by_rows, with_ties
from clearbar.problems.binary.rates.law import Law, running_sum
from clearbar.problems.binary.rates.side import Boxes, Side

_DEPTH = 26.0
"""Windows leave out exp(-26) of a class's probability on either side, by Bernstein's bound."""
_GRAINY = 4096
"""Widest window over which cumulative probabilities are added up."""
FEW, _USUAL, _MOST = 2048, 1024, 8_000
"""Rows summed one by one; aimed at where there are more; at most where a stride is not smooth enough."""
_SMOOTH = 1e3
"""Standard deviation of both classes from which the tail is normal: there it is within 1e-3, relative."""
_CHUNK = 2**18
_OUTCOMES = 2**15
"""Rows of outcomes whose boundary is looked for at once."""
_BEYOND = 9.0


def _window(size: FloatArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """First and last count that matters at rates from low to high: beyond lies less than exp(-26)."""
    rates = np.stack((low, high))
    variance, mean = size * rates * (1.0 - rates), size * rates
    half = _DEPTH / 3.0 + np.sqrt(_DEPTH**2 / 9.0 + 2.0 * _DEPTH * variance)
    first, last = np.floor((mean - half).min(axis=0)), np.ceil((mean + half).max(axis=0))
    return np.maximum(first, 0.0), np.minimum(last, size)


def is_summed_one_by_one(boxes: Boxes) -> BoolArray:
    """Whether every count of the class that is summed over enters by itself, not one for several."""
    other = boxes.second_is_narrower()
    windows = (
        _window(boxes.P, boxes.low_a, boxes.high_a),
        _window(boxes.N, boxes.low_b, boxes.high_b),
    )
    of_first, of_second = (last - first for first, last in windows)
    return np.asarray(np.where(other, of_second, of_first) < FEW)


def is_smooth(side: Boxes) -> BoolArray:
    """Whether both counts vary so much that a tail is not summed: it is normal."""
    return np.asarray(np.minimum(*_deviations(side)) > _SMOOTH)


def _deviations(side: Boxes) -> tuple[FloatArray, FloatArray]:
    """Least standard deviations of both counts inside the box."""

    def least(size: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
        return np.sqrt(size * np.minimum(low * (1.0 - low), high * (1.0 - high)))

    return least(side.P, side.low_a, side.high_a), least(side.N, side.low_b, side.high_b)


class Tail(NamedTuple):
    """The outcomes of a tail, the same for all points of the curve: for each x summed over, the largest y."""

    side: Side
    y: FloatArray
    law: Law
    """Of x, times how many x each stands for; 0 for padding."""
    below: tuple[Law, IntArray] | None
    """That of all y that matter, after one that counts nothing, and which of them each x's y is, numbered
    over all rows, of shape (nodes, rows); None where they are too many."""

    @staticmethod
    def of(side: Side, y: FloatArray, law: Law, first: FloatArray, width: int) -> Tail:
        """Lay out the tail; `first` is the first y that matters, `width` how many there are at most."""
        if width > _GRAINY:
            return Tail(side, y, law, None)
        points = first[:, None] + np.arange(-1.0, width)
        counts = (points >= first[:, None]) & (points <= side.N[:, None])
        inside = np.clip(points, first[:, None], side.N[:, None])
        node = np.clip(y - first[:, None] + 1.0, 0, width).astype(np.int64)
        place = node.T * first.size + np.arange(first.size)
        below = Law.of(inside, side.N, 0.5 * (side.low_b + side.high_b), counts.astype(np.float64))
        return Tail(side, y, law, (below, place))


def tails(side: Side, points: int, boundary: FloatArray | None = None) -> Iterator[tuple[IntArray, Tail]]:
    """Tails in chunks of like size, to be summed at so many points; the boundary is known, or found."""
    first, last = _window(side.P, side.low_a, side.high_a)
    step = np.ones_like(first)
    many = np.flatnonzero(last - first >= FEW)
    if many.size:
        step[many] = _stride(side[many], (last - first)[many])
    size = (np.floor((last - first) / step) + 1.0).astype(np.int64)
    y_first, y_last = _window(side.N, side.low_b, side.high_b)
    width = (y_last - y_first + 1.0).astype(np.int64)
    cost = (size + np.minimum(width, _GRAINY)) * points
    grainy = width <= _GRAINY
    for together in _blocks(np.lexsort((size, grainy)), size, _OUTCOMES):
        part, place = side[together], np.arange(size[together].max())
        at = np.minimum(place, size[together, None] - 1)  # the last one again, where others have more
        x = first[together, None] + step[together, None] * at
        share = np.where(place < size[together, None], step[together, None], 0.0)
        if boundary is None:
            y = by_rows(Rows(part.curves, part.P, part.N, x, with_ties(part.t)))
            y = np.where(x == part.x[:, None], np.maximum(y, part.y[:, None]), y)
        else:
            y = boundary[together, : place.size]
        order = np.lexsort((cost[together], grainy[together]))
        for rows in _blocks(order, cost[together], _CHUNK, grainy[together]):
            cut = together[rows]
            tail, nodes = side[cut], slice(size[cut].max())
            law = Law.of(x[rows, nodes], tail.P, 0.5 * (tail.low_a + tail.high_a), share[rows, nodes])
            yield cut, Tail.of(tail, y[rows, nodes], law, y_first[cut], int(width[cut].max()))


def _blocks(
    order: IntArray, cost: IntArray, most: float, kind: BoolArray | None = None
) -> Iterator[IntArray]:
    """Cut rows into blocks, each of one kind, that cost no more together than `most`, or of one row."""
    start, largest = 0, 0.0
    costs = cost[order].tolist()
    kinds = [False] * order.size if kind is None else kind[order].tolist()
    for stop, (row_cost, row_kind) in enumerate(zip(costs, kinds, strict=True)):
        largest = max(largest, row_cost)
        if stop > start and (row_kind != kinds[start] or largest * (stop + 1 - start) > most):
            yield order[start:stop]
            start, largest = stop, row_cost
    if start < order.size:
        yield order[start:]


def _stride(side: Side, width: FloatArray) -> FloatArray:
    """An odd stride, far below the standard deviations along both classes."""
    sd_a, sd_b = _deviations(side)
    first, last = side.curves.arc(side.low_a, side.high_a, side.low_b, side.high_b)
    ends = side.curves.points(np.stack((np.minimum(first, last), last), axis=1))
    rise = side.N * np.ptp(ends.b, axis=1) / np.maximum(side.P * np.ptp(ends.a, axis=1), LEAST)
    most = np.minimum(sd_a, sd_b / np.maximum(rise, LEAST)) / 4.0
    most = np.maximum(np.minimum(most, width / _USUAL), width / _MOST)
    return np.asarray(2.0 * np.floor(np.maximum(most - 1.0, 0.0) / 2.0) + 1.0)


def probability(tail: Tail, a: FloatArray, b: FloatArray) -> FloatArray:
    """P(T >= t, ties included) at points of shape (rows, points)."""
    weight = tail.law.at(a)
    if tail.below is not None:
        law, place = tail.below
        reached = running_sum(law.at(b)).reshape(-1, b.shape[1]).take(place, axis=0)
    else:
        reached = _smooth(tail.y, tail.side.N, b)
    weight *= reached
    # node after node: sums of a single column are taken in another order
    total = weight.sum(axis=0) if weight[0].size > 1 else np.repeat(weight, 2, axis=2).sum(axis=0)[:, :1]
    return np.asarray(np.clip(total, 0.0, 1.0))


def _smooth(y: FloatArray, size: FloatArray, rates: FloatArray) -> FloatArray:
    """P(at most y) where the law is far from its lattice's grain, of shape (nodes, rows, points)."""
    y, n, r = y.T[:, :, None], size[:, None], rates
    z = (y + 0.5 - n * r) / np.sqrt(np.maximum(n * r * (1.0 - r), LEAST))
    out = np.where(z > 0, 1.0, 0.0)
    near = np.nonzero(np.abs(z) < _BEYOND)
    shape = z.shape
    every = (np.broadcast_to(v, shape)[near] for v in (y, n, r))
    out[near] = smooth_tails(*every)[0]
    return out
