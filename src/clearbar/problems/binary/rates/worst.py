"""The worst case: the largest probability of a tail over the part of the null hypothesis inside the box."""

from __future__ import annotations

import numpy as np

from clearbar._typing import FloatArray, IntArray
from clearbar.problems.binary.rates.binomial import normal_cdf
from clearbar.problems.binary.rates.box import BETA
from clearbar.problems.binary.rates.side import Side
from clearbar.problems.binary.rates.tail import ROUTES, Tail, probability, route_of, tails

_MANY_POINTS, _FEW_POINTS = 61, 17
_MANY_UP_TO = 1e5
"""Samples up to which many points of the curve are looked at, and the best of them refined."""
_REFINED = np.linspace(0.0, 1.0, 9)
_ROUNDS = 4


def one_sided(side: Side, route: str | None = None) -> tuple[FloatArray, IntArray]:
    """P of "above" for questions in their one form, and the numbers of the routes."""
    p, routes = np.ones(side.t.size), np.full(side.t.size, ROUTES.index("rows"))
    many = side.P + side.N < _MANY_UP_TO
    first, last = side.curves.arc(side.low_a, side.high_a, side.low_b, side.high_b)
    arc = first <= last
    # A box without the curve lies above the bar altogether, or below, where its best corner is the worst case.
    corner = ~arc & ((side.curves.side < 0) | ((side.curves.side == 0) & (side.t < 0)))
    p[~arc & ~corner] = BETA
    first, width = np.where(arc, first, 0.0), np.where(arc, last - first, 0.0)
    share = {points: np.linspace(0.0, 1.0, points) for points in (_MANY_POINTS, _FEW_POINTS, 1)}
    for points, group in ((_MANY_POINTS, arc & many), (_FEW_POINTS, arc & ~many), (1, corner)):
        rows = np.flatnonzero(group & np.isfinite(side.t) & (side.t != 0))
        if not rows.size:
            continue
        some, span = side[rows], (first[rows, None], width[rows, None])
        if points == 1:
            a, b = some.high_a[:, None], some.low_b[:, None]
        else:
            a, b, _, _ = some.curves.points(span[0] + span[1] * share[points])
        chosen = route_of(some, a, b) if route is None else np.full(rows.size, ROUTES.index(route))
        routes[rows] = chosen
        for number in np.unique(chosen):
            here = np.flatnonzero(chosen == number)
            worst = _worst(some[here], a[here], b[here], (span[0][here], span[1][here]), ROUTES[number])
            p[rows[here]] = np.minimum(worst + BETA, 1.0)
    p[np.isposinf(side.t) & arc] = BETA
    return p, routes


def _worst(
    side: Side, a: FloatArray, b: FloatArray, span: tuple[FloatArray, FloatArray], route: str
) -> FloatArray:
    """The largest probability over the points of questions of one route."""
    if route == "normal":
        return normal_cdf(-side.t)
    worst = np.empty(side.t.size)
    for cut, tail in tails(side, a, b, route):
        p = probability(tail, a[cut], b[cut])
        if a.shape[1] == _MANY_POINTS:
            worst[cut] = _refined(tail, p, span[0][cut], span[1][cut])
        else:
            worst[cut] = p.max(axis=1)
    return worst


def _refined(tail: Tail, p: FloatArray, first: FloatArray, width: FloatArray) -> FloatArray:
    """The largest probability near the best of the points."""
    step = 1.0 / (p.shape[1] - 1)
    middle, worst = p.argmax(axis=1)[:, None] * step, p.max(axis=1)
    for _ in range(_ROUNDS):
        low, high = np.maximum(middle - step, 0.0), np.minimum(middle + step, 1.0)
        share = low + (high - low) * _REFINED
        at = tail.side.curves.points(first + width * share)
        p = probability(tail, at.a, at.b)
        worst = np.maximum(worst, p.max(axis=1))
        middle = np.take_along_axis(share, p.argmax(axis=1)[:, None], axis=1)
        step /= 4.0
    return worst
