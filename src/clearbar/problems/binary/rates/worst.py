"""The worst case: the largest probability of a tail over the part of the null hypothesis inside the box."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.problems.binary.rates.binomial import normal_cdf
from clearbar.problems.binary.rates.box import BETA
from clearbar.problems.binary.rates.side import Side
from clearbar.problems.binary.rates.tail import ROUTES, Tail, probability, route_of, tails

_MANY_POINTS, _FEW_POINTS = 61, 17
_MANY_UP_TO = 1e5
"""Samples up to which many points of the curve are looked at, and the best of them refined."""
_REFINED = np.linspace(0.0, 1.0, 9)
_ROUNDS = 3


class OneSided(NamedTuple):
    """p of "above" per question, the number of its route, and the boundary where it was found by rows."""

    p: FloatArray
    route: IntArray
    boundary: FloatArray


def one_sided(side: Side, route: str | None = None, boundary: FloatArray | None = None) -> OneSided:
    """P of "above" for questions in their one form; `boundary` takes the place of the tail of t."""
    first, last = side.curves.arc(side.low_a, side.high_a, side.low_b, side.high_b)
    arc = first <= last
    # A box without the curve lies above the bar altogether, or below: its best corner is the worst case.
    corner = ~arc & ((side.curves.side < 0) | ((side.curves.side == 0) & (side.t < 0)))
    p = np.where((side.t == 0) | (np.isneginf(side.t) & (arc | corner)), 1.0, BETA)
    settled = ~np.isfinite(side.t) | (side.t == 0)
    chosen = route_of(side) if route is None else np.full(p.size, ROUTES.index(route))
    few = side.P + side.N >= _MANY_UP_TO
    found: list[tuple[IntArray, FloatArray]] = []
    for number, points in ((n, c) for n in range(len(ROUTES)) for c in (_MANY_POINTS, _FEW_POINTS)):
        rows = np.flatnonzero(~settled & (chosen == number) & (few == (points == _FEW_POINTS)))
        if not rows.size:
            continue
        if ROUTES[number] == "normal":
            p[rows] = np.where(arc[rows] | corner[rows], normal_cdf(-side.t[rows]) + BETA, BETA)
            continue
        known = None if boundary is None else boundary[rows]
        for cut, tail in tails(side[rows], points, ROUTES[number], known):
            here = rows[cut]
            on_arc, span = arc[here, None], (first[here, None], (last - first)[here, None])
            worst = _worst(
                tail, points, np.where(on_arc, span[0], 0.0), np.where(on_arc, span[1], 0.0), on_arc
            )
            p[here] = np.where(arc[here] | corner[here], worst + BETA, BETA)
            found.append((here, tail.y))
    widest = max((y.shape[1] for _, y in found), default=0)
    lines = np.full((p.size, widest), -1.0)
    for here, y in found:
        lines[here, : y.shape[1]] = y
    return OneSided(np.minimum(p, 1.0), chosen, lines)


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
    middle = p.argmax(axis=1)[:, None] * step
    for _ in range(_ROUNDS):
        low, high = np.maximum(middle - step, 0.0), np.minimum(middle + step, 1.0)
        share = low + (high - low) * _REFINED
        p = at(share)
        worst = np.maximum(worst, p.max(axis=1))
        middle = np.take_along_axis(share, p.argmax(axis=1)[:, None], axis=1)
        step /= 4.0
    return worst
