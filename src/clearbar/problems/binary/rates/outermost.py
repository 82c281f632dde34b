"""The outermost bar along a path that is not refuted.

Between two bars all tails lie within the union of both, whose probability at the nearer bar bounds p in
between. What the bound does not clear is split.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray
from clearbar.problems.binary.rates.ends import Ends
from clearbar.problems.binary.rates.roots import bracketed_root
from clearbar.problems.binary.rates.worst import boundaries, one_sided

_PARTS = 12
"""Parts into which what is in doubt is split, however many ends are looked for together."""
WIDTH = 1e-6
"""Ends are found to this part of the way to the last bar."""
_ROUNDS = 60
_NODES = np.cos(np.pi * (np.arange(5) + 0.5) / 5)
_FIT = np.linalg.inv(np.polynomial.chebyshev.chebvander(_NODES, _NODES.size - 1))
"""From values at the nodes to the coefficients of the polynomial through them."""


def outermost_bar(ends: Ends, cuts: FloatArray, tail: float) -> FloatArray:
    """The outermost bar between cuts that is not refuted, 0 where all are: what is in doubt is split."""
    outermost = np.zeros(len(cuts))
    least = WIDTH * cuts[:, -1]
    waiting: list[list[tuple[float, float]]] = [[] for _ in cuts]  # parts to look at, innermost first
    roots: dict[int, tuple[float, float, FloatArray]] = {}  # in which p crosses and the tail is the same
    active = np.arange(len(cuts))
    for _ in range(_ROUNDS):
        flagged, same = _flagged(ends[active], cuts, tail)
        for k, row in enumerate(active.tolist()):
            low, high = cuts[k, :-1][flagged[k]], cuts[k, 1:][flagged[k]]
            waiting[row] += list(zip(low.tolist(), high.tolist(), strict=True))
            if (line := same[k]) is not None:
                roots[row] = (*waiting[row].pop(), line)
        outermost[active] = 0.0  # unless a part is left
        active = np.array([row for row in active if waiting[row] and row not in roots], dtype=np.int64)
        spans = np.array([waiting[row][-1] for row in active]).reshape(-1, 2)
        outermost[active] = spans[:, 1]
        wide = spans[:, 1] - spans[:, 0] > least[active]
        active, spans = active[wide], spans[wide]
        if not active.size:
            break
        for row in active:
            waiting[row].pop()
        cuts = spans[:, :1] + (spans[:, 1:] - spans[:, :1]) * np.linspace(0.0, 1.0, _PARTS + 1)
    if roots:
        low, high, boundary = zip(*roots.values(), strict=True)
        outermost[[*roots]] = _smooth_root(ends[[*roots]], np.array(low), np.array(high), boundary, tail)
    return outermost


def _flagged(ends: Ends, cuts: FloatArray, tail: float) -> tuple[BoolArray, list[FloatArray | None]]:
    """Which parts may hold a bar that is not refuted; and the boundary if the last of them has but one."""
    count, points = cuts.shape
    at = np.arange(count * points).reshape(count, points)
    side = ends[np.repeat(np.arange(count), points)].sides(cuts.reshape(-1))
    y = boundaries(side)
    before, after = at[:, :-1].reshape(-1), at[:, 1:].reshape(-1)
    same = (y[before] == y[after]).all(axis=1).reshape(count, -1)
    bound = one_sided(side[before], boundary=np.maximum(y[before], y[after])).reshape(count, -1)
    flagged = bound > tail
    last = points - 2 - np.argmax(flagged[:, ::-1], axis=1)
    smooth = flagged.any(axis=1) & same[np.arange(count), last]
    return flagged, [y[at[k, last[k]]] if smooth[k] else None for k in range(count)]


def _smooth_root(
    ends: Ends, low: FloatArray, high: FloatArray, lines: Sequence[FloatArray], tail: float
) -> FloatArray:
    """Where p crosses `tail` while no outcome enters or leaves, by a polynomial through its logarithm."""
    boundary = np.full((len(lines), max(map(len, lines))), -1.0)
    for row, line in zip(boundary, lines, strict=True):
        row[: line.size] = line
    middle, half = (low + high) / 2, (high - low) / 2
    rows = np.repeat(np.arange(low.size), _NODES.size)
    along = (middle[:, None] + half[:, None] * _NODES).reshape(-1)
    p = one_sided(ends[rows].sides(along), boundary=boundary[rows]).reshape(-1, _NODES.size)
    fit = np.sum(_FIT[:, :, None] * np.log(p).T, axis=1)  # least squares of many would round together

    def over(place: FloatArray) -> FloatArray:
        return np.asarray(np.log(tail) - np.polynomial.chebyshev.chebval(place, fit, tensor=False))

    return middle + half * bracketed_root(over, -np.ones_like(low), np.ones_like(low), relative=1e-9)
