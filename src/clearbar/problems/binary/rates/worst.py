"""The worst case: the largest probability of a tail over the part of the null hypothesis inside the box."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.problems.binary.rates.binomial import normal_cdf
from clearbar.problems.binary.rates.box import BETA
from clearbar.problems.binary.rates.side import Side
from clearbar.problems.binary.rates.tail import Tail, is_smooth, probability, tails

_MANY_POINTS, _FEW_POINTS = 41, 17
MANY_UP_TO = 1e5
"""Samples up to which many points of the curve are looked at, and the best of them refined."""
_STEPS = (0.3, 0.05)
"""Steps between points beside the best of them, one after the other."""


def one_sided(side: Side, boundary: FloatArray | None = None) -> FloatArray:
    """P of "above" for questions in their one form; `boundary` takes the place of the tail of t."""
    first, last = side.curves.arc(side.low_a, side.high_a, side.low_b, side.high_b)
    arc = first <= last
    # A box without the curve lies above the bar altogether, or below: its best corner is the worst case.
    corner = ~arc & ((side.curves.side < 0) | ((side.curves.side == 0) & (side.t < 0)))
    p = np.where((side.t == 0) | (np.isneginf(side.t) & (arc | corner)), 1.0, BETA)
    normal = np.flatnonzero(_unsettled(side) & is_smooth(side))
    p[normal] = np.where(arc[normal] | corner[normal], normal_cdf(-side.t[normal]) + BETA, BETA)
    for rows, points, tail in _summed(side, boundary):
        on_arc = arc[rows, None]
        start = np.where(on_arc, first[rows, None], 0.0)
        width = np.where(on_arc, (last - first)[rows, None], 0.0)
        worst = _worst(tail, points, start, width, on_arc)
        p[rows] = np.where(arc[rows] | corner[rows], worst + BETA, BETA)
    return np.minimum(p, 1.0)


def boundaries(side: Side) -> FloatArray:
    """Each tail's boundary: the largest y per x, padded by -1."""
    lines = [(rows, tail.y) for rows, _, tail in _summed(side, None)]
    padded = np.full((side.t.size, max((y.shape[1] for _, y in lines), default=0)), -1.0)
    for rows, y in lines:
        padded[rows, : y.shape[1]] = y
    return padded


def _unsettled(side: Side) -> BoolArray:
    return np.asarray(np.isfinite(side.t) & (side.t != 0))


def _summed(side: Side, boundary: FloatArray | None) -> Iterator[tuple[IntArray, int, Tail]]:
    """Generate rows whose tails are summed, a few at a time: at how many points of the curve, and which."""
    few = side.P + side.N >= MANY_UP_TO
    summed = _unsettled(side) & ~is_smooth(side)
    for points, chosen in ((_MANY_POINTS, summed & ~few), (_FEW_POINTS, summed & few)):
        rows = np.flatnonzero(chosen)
        known = None if boundary is None else boundary[rows]
        for cut, tail in tails(side[rows], points, known) if rows.size else ():
            yield rows[cut], points, tail


def _worst(tail: Tail, points: int, first: FloatArray, width: FloatArray, on_arc: BoolArray) -> FloatArray:
    """The largest probability over points of the curve, or at the box's best corner where it has none."""
    side = tail.side
    best = side.high_a[:, None], side.low_b[:, None]

    def at(share: FloatArray) -> FloatArray:
        a, b, _, _ = side.curves.points(first + width * share)
        return probability(tail, np.where(on_arc, a, best[0]), np.where(on_arc, b, best[1]))

    share = np.broadcast_to(np.linspace(0.0, 1.0, points), (side.t.size, points))
    p = at(share)
    worst: FloatArray = p.max(axis=1)
    kink = side.curves.kinks[:, None]
    if np.isfinite(kink).any():
        with np.errstate(divide="ignore", invalid="ignore"):
            place = np.nan_to_num((kink - first) / width, nan=0.0)
        worst = np.maximum(worst, at(np.clip(place, 0.0, 1.0))[:, 0])
    if points == _FEW_POINTS:
        return worst
    step = 1.0 / (points - 1)
    middle = _peaks(p) * step
    for apart in np.array(_STEPS) * step:
        # Three different points, also at an end: where two are one, the parabola leads away from a maximum.
        middle = np.clip(middle, apart, 1.0 - apart)
        beside = middle[:, :, None] + apart * np.array((-1.0, 0.0, 1.0))
        p = at(beside.reshape(len(p), -1))
        worst = np.maximum(worst, p.max(axis=1))
        vertex, _ = _parabola(*np.moveaxis(p.reshape(beside.shape), 2, 0))
        middle = middle + apart * vertex
    return np.asarray(np.maximum(worst, at(np.clip(middle, 0.0, 1.0)).max(axis=1)))


def _parabola(left: FloatArray, middle: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where the parabola through three values is largest, at most one step off, and how large."""
    bend = left - 2.0 * middle + right
    with np.errstate(divide="ignore", invalid="ignore"):
        at = np.nan_to_num(np.where(bend < 0, 0.5 * (left - right) / bend, np.sign(right - left)))
    at = np.clip(at, -1.0, 1.0)
    return at, middle + 0.5 * at * (right - left + at * bend)


def _peaks(p: FloatArray) -> FloatArray:
    """Places of the two largest maxima between values along the last axis, in steps."""
    inner = np.arange(1, p.shape[1] - 1)
    at, height = _parabola(p[:, :-2], p[:, 1:-1], p[:, 2:])
    first = np.argmax(height, axis=1)
    apart = np.abs(inner - 1 - first[:, None]) > 1
    is_top = (p[:, 1:-1] >= p[:, :-2]) & (p[:, 1:-1] >= p[:, 2:]) | (inner == 1) | (inner == inner[-1])
    second = np.argmax(np.where(apart & is_top, height, -np.inf), axis=1)
    both, row = np.stack((first, second), axis=1), np.arange(len(p))[:, None]
    return np.asarray(inner[both] + at[row, both])
