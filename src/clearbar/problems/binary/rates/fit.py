"""Curves made from a measure's formula: its ends by root finding, and what it is in between by a fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray, IntArray
from clearbar.problems.binary.rates.curve import INNER, Curves
from clearbar.problems.binary.rates.roots import bracketed_root
from clearbar.problems.binary.rates.sampled import sample

_FAR = 1e300
_CORNER = 1e-14
"""How far from a corner without a value its neighbours on the sides are asked."""
_ULPS = 2.0**-49
_CHECK = np.array((0.03, 0.11, 0.37, 0.64, 0.9, 0.98))
_FIT_ERROR = 1e-9
_STRAIGHT = 1e-15


def true_score(measure: Measure, P: FloatArray, N: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """The measure at true rates a and b, as its negative where less is better; x/0 is infinite."""
    cells = np.broadcast_arrays(P * a, N * b, P * (1.0 - a), N * (1.0 - b))
    with np.errstate(all="ignore"):
        if measure.in_catalogue:
            values = np.asarray(measure.function(*cells, **measure.float_parameters()), dtype=np.float64)
            values = np.broadcast_to(values, cells[0].shape)
        else:
            values = measure.values(*cells)
    return -values if measure.greater_is_better is False else values


@lru_cache(maxsize=512)
def kind_of(measure: Measure) -> Literal["line", "conic", "other"]:
    """What all curves of a measure are, by those through some points of the square for some class sizes."""
    P, N = (np.array(size)[:, None] for size in ((1.0, 3.0, 40.0, 1000.0, 7.0), (1.0, 8.0, 60.0, 20.0, 2e5)))
    share = (np.arange(16) + 0.5) / 16
    a, b = share, (share * 7.3 + 0.21) % 1.0
    bars = true_score(measure, P, N, a, b).reshape(-1)
    P, N = (np.repeat(size[:, 0], share.size) for size in (P, N))
    known = np.isfinite(bars)
    curves, misfit = _Levels(measure, P[known], N[known], bars[known]).fitted()
    if (misfit > _FIT_ERROR).any():
        return "other"
    return "conic" if curves.D.any() else "line"


def curves_of(measure: Measure, P: FloatArray, N: FloatArray, bar: FloatArray) -> Curves:
    """One curve per row, at bars (negative for losses)."""
    levels, kind = _Levels(measure, P, N, bar), kind_of(measure)
    if kind == "line":
        return levels.conics(np.zeros((P.size, INNER.size)))
    if kind == "conic":
        return levels.conics(levels.offset(INNER))
    curves, misfit = levels.fitted()
    other = np.flatnonzero(misfit > _FIT_ERROR)
    if not other.size:
        return curves
    return replace(curves, samples=sample(levels[other].offset, other, P.size))


class _Ends(NamedTuple):
    """Where curves begin and how far they go in both rates; `side` as in `Curves`."""

    side: FloatArray
    a: FloatArray
    b: FloatArray
    width_a: FloatArray
    width_b: FloatArray


@dataclass(frozen=True, eq=False)
class _Levels:
    """Where a measure is at its bar, one curve per row."""

    measure: Measure
    P: FloatArray
    N: FloatArray
    bar: FloatArray

    def __getitem__(self, rows: IntArray) -> _Levels:
        """Select curves by their numbers."""
        return _Levels(self.measure, self.P[rows], self.N[rows], self.bar[rows])

    def height(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """F - c, where no value at all is the worst; a column per point."""
        values = true_score(self.measure, self.P[:, None], self.N[:, None], a, b) - self.bar[:, None]
        return np.clip(np.where(np.isnan(values), -np.inf, values), -_FAR, _FAR)

    @property
    def tie(self) -> FloatArray:
        """How far from its bar a score still is the bar."""
        return _ULPS * np.abs(self.bar)

    @cached_property
    def ends(self) -> _Ends:
        """Look at the sides of the square."""
        with np.errstate(all="ignore"):
            corners = _corners(self.measure, self.P, self.N) - self.bar[:, None]
        best, worst = corners[:, 0], corners[:, 1]
        best = np.where(np.isnan(best), np.inf, best)
        worst = np.where(np.isnan(worst), -np.inf, worst)
        side = np.where(best < -self.tie, -1.0, np.where(worst > self.tie, 1.0, 0.0))
        (a0, a1), (b0, b1) = np.transpose(_ends(self.height, corners[:, 2:], self.tie), (2, 1, 0))
        widths = (np.where(width > _STRAIGHT, width, 0.0) for width in (a1 - a0, b1 - b0))
        return _Ends(side, a0, b0, *widths)

    def offset(self, s: FloatArray) -> FloatArray:
        """V at s: what lies below and right of the curve has more v."""
        s = np.broadcast_to(s, (self.P.size, s.shape[-1]))
        most, ends = np.minimum(s, 1.0 - s), self.ends
        a, b, wa, wb = (column[:, None] for column in ends[1:])

        def at(v: FloatArray) -> FloatArray:
            return self.height(a + wa * (s + v), b + wb * (s - v))

        free = (wa > 0) & (wb > 0) & (ends.side == 0)[:, None]
        straight = ~free | (np.abs(at(np.zeros_like(s))) <= self.tie[:, None])
        if straight.all():
            return np.zeros_like(s)
        root = bracketed_root(at, np.where(straight, 0.0, -most), np.where(straight, 0.0, most))
        return np.where(straight | (np.abs(root) < _STRAIGHT), 0.0, root)

    def fitted(self) -> tuple[Curves, FloatArray]:
        """The conics, and how far they are from the curves at most."""
        v = self.offset(np.concatenate((INNER, _CHECK)))
        curves = self.conics(v[:, : INNER.size])
        off = curves.offset(np.broadcast_to(_CHECK, (self.P.size, _CHECK.size)))[0] - v[:, INNER.size :]
        return curves, np.abs(off).max(axis=1)

    def conics(self, v: FloatArray) -> Curves:
        """The conics through both ends and the points at INNER, whose offsets are v."""
        size = self.P.size
        straight = np.abs(v).max(axis=1) == 0
        A, B, C = np.zeros(size), np.ones(size), np.zeros(size)
        bent = np.flatnonzero(~straight)
        if bent.size:
            u = v[bent]
            scale = np.abs(u).max(axis=1, keepdims=True)
            u = u / scale
            system = np.stack((u * u, u, u * INNER), axis=2)
            right = np.broadcast_to(-INNER * (1.0 - INNER), u.shape)[..., None]
            solved = np.array([_solution(*one) for one in zip(system, right, strict=True)])
            A[bent], B[bent], C[bent] = (solved[..., 0] / (scale ** np.array((2, 1, 1)))).T
        return Curves(*self.ends, A, B, C, np.where(straight, 0.0, 1.0))


def _solution(system: FloatArray, right: FloatArray) -> FloatArray:
    try:
        return np.asarray(np.linalg.solve(system, right), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.pinv(system) @ right)


def _corners(measure: Measure, P: FloatArray, N: FloatArray) -> FloatArray:
    """Values at the best and the worst corner, and at either side of the two others."""
    e = _CORNER
    a = np.array((1.0, 0.0, 0.0, 0.0, 0.0, e, 1.0, 1.0, 1.0 - e))
    b = np.array((0.0, 1.0, 0.0, e, 0.0, 0.0, 1.0, 1.0 - e, 1.0))
    a, b = np.broadcast_to(a, (P.size, 9)), np.broadcast_to(b, (P.size, 9))
    f = true_score(measure, P[:, None], N[:, None], a, b)
    low, high = f[:, 2], f[:, 6]
    lowest = np.where(np.isnan(f), -np.inf, f)
    left, bottom = (np.where(np.isnan(low), lowest[:, i], low) for i in (3, 5))
    right, top = (np.where(np.isnan(high), lowest[:, i], high) for i in (7, 8))
    return np.stack((f[:, 0], f[:, 1], left, bottom, right, top), axis=1)


def _ends(
    height: Callable[[FloatArray, FloatArray], FloatArray], beside: FloatArray, tie: FloatArray
) -> FloatArray:
    """Where the curve leaves the left or the lower side of the square, and meets the upper or the right one.

    Columns a and b of both ends; `beside` is f - c left, below, right of and above the corners.
    """
    left, bottom, right, top = beside.T
    turned = np.stack((left > tie, top > tie), axis=1)  # along the left side, along the upper one
    moves = turned | np.stack((bottom < -tie, right < -tie), axis=1)
    corner = np.where(turned, np.stack((-left, top), axis=1), np.stack((bottom, -right), axis=1))
    stays, sign = np.array((0.0, 1.0)), np.array((-1.0, 1.0))

    def along(w: FloatArray) -> FloatArray:
        a_moves = turned == (stays == 1)
        f = height(np.where(a_moves, w, stays), np.where(a_moves, stays, w))
        return np.where(w == stays, corner, np.where(turned, sign, -sign) * f)

    w = bracketed_root(along, np.zeros(turned.shape), np.ones(turned.shape))
    w = np.where(moves, w, stays)
    a_moves = turned == (stays == 1)
    return np.stack((np.where(a_moves, w, stays), np.where(a_moves, stays, w)), axis=2)
