"""Where the outcomes at least as far out as the observed one end: for each TP, the largest FP among them.

On the boundary T = t lies above each TP exactly one FP (a real number), and the most likely point of the
curve for it solves Lagrange's condition: (x - Pa)/(a(1-a)) a' + (y - Nb)/(b(1-b)) b' = 0. For a given x
and a point s of the curve that condition gives y, and y gives T: one root in s per row, no inner search.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.problems.binary.rates.binomial import LEAST, rate_deviance
from clearbar.problems.binary.rates.curve import Curves
from clearbar.problems.binary.rates.roots import bracketed_root
from clearbar.problems.binary.rates.signed_root import signed_root

_CHECKED = 1e6
"""Tables (P times N) up to which a bent curve's boundary is checked outcome by outcome."""
TIE = 1e-9
"""Outcomes this close to t, relative to t where it is above 1, belong to the tail."""


def with_ties(t: FloatArray) -> FloatArray:
    """The least T that belongs to the tail of t."""
    return t - TIE * np.maximum(1.0, np.abs(t))


def whole_table(curves: Curves, P: FloatArray, N: FloatArray, x: FloatArray, least: FloatArray) -> FloatArray:
    """Largest y with T(x, y) >= least, -1 where none, from T of every outcome; x of shape (rows, nodes)."""
    out = np.full(x.shape, -1.0)
    for row in range(x.shape[0]):
        y = np.arange(N[row] + 1.0)
        tp, fp = (grid.reshape(1, -1) for grid in np.meshgrid(np.clip(x[row], 0, P[row]), y, indexing="ij"))
        one = slice(row, row + 1)
        t = signed_root(curves[one], P[one], N[one], tp, fp).reshape(x.shape[1], y.size)
        out[row] = (t >= least[row]).sum(axis=1) - 1.0
    return out


def row_by_row(curves: Curves, P: FloatArray, N: FloatArray, x: FloatArray, least: FloatArray) -> FloatArray:
    """The same real y for each x, not rounded down: where T(x, y) = least, and beyond 0..N where nowhere."""
    beside = _beside(N[:, None], np.stack((curves.b0, curves.b0 + curves.wb), axis=1), least[:, None])

    def short(rows: IntArray, x: FloatArray) -> Callable[[FloatArray], FloatArray]:
        part, at = curves[rows], (P[rows, None], N[rows, None])
        return lambda s: least[rows, None] - _rival(part, *at, x, s)[1]

    every_row, zero, width = np.arange(P.size), np.zeros(x.shape), x.shape[1]
    s = bracketed_root(
        short(every_row, x),
        zero,
        zero + 1.0,
        only=lambda places: short(places // width, x.reshape(-1)[places, None]),
    )
    P, N, least, start, end = (column[:, None] for column in (P, N, least, *beside.T))
    y, t = _rival(curves, P, N, x, s)
    none, every = x <= 0, x >= P
    # Outcomes on a side of the square are nearest to the curve's end there.
    y = np.where((s <= 0.0) & (t < least), np.where(none & (curves.a0[:, None] <= 0), start, -1.0), y)
    on_right = every & (curves.a0 + curves.wa >= 1.0)[:, None]
    y = np.where((s >= 1.0) & (t >= least), np.where(on_right, end, N), y)
    return np.where((curves.wb == 0)[:, None], start, y)


def _rival(
    curves: Curves, P: FloatArray, N: FloatArray, x: FloatArray, s: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Y that the curve's point s is most likely for, given x, and T there."""
    none, every = x <= 0, x >= P
    at = curves.points(s)
    a, b = np.maximum(at.a, LEAST), np.maximum(at.b, LEAST)
    ac, bc = np.maximum(1.0 - at.a, LEAST), np.maximum(1.0 - at.b, LEAST)
    away = x - P * at.a
    with np.errstate(all="ignore"):
        pull = np.where(none, -P / ac, np.where(every, P / a, away / (a * ac)))
        moved = pull * (b * bc * at.da / np.maximum(at.db, LEAST))
    y = N * at.b - np.where(np.isnan(moved), 0.0, moved)
    root = np.sqrt(2.0 * (rate_deviance(x, P, at.a) + rate_deviance(np.clip(y, 0.0, N), N, at.b)))
    return y, np.copysign(root, np.where(none, -1.0, away))


def _beside(N: FloatArray, b: FloatArray, least: FloatArray) -> FloatArray:
    """Y at which the rate b alone has the signed root `least`; below 0 or N where none has."""
    above = least < 0

    def distance(y: FloatArray) -> FloatArray:
        return np.sqrt(2.0 * rate_deviance(y, N, b)) - np.abs(least)

    low, high = np.where(above, N * b, 0.0), np.where(above, N, N * b)
    y = bracketed_root(lambda y: np.where(above, distance(y), -distance(y)), low, high)
    return np.where(~above & (distance(np.zeros_like(b)) < 0), -1.0, y)


def by_rows(curves: Curves, P: FloatArray, N: FloatArray, x: FloatArray, least: FloatArray) -> FloatArray:
    """Largest whole y with T(x, y) >= least, -1 where none, for each x; of shape (rows, nodes)."""
    y = np.clip(np.floor(row_by_row(curves, P, N, x, least)), -1.0, N[:, None])
    doubtful = curves.bent
    checked = np.flatnonzero((curves.D != 0) & ~doubtful & (P * N <= _CHECKED))
    if checked.size:  # the condition may hold at a point that is not the most likely one
        at = (curves[checked], P[checked], N[checked])
        inner, outer = y[checked], y[checked] + 1.0
        few = least[checked, None]
        wrong = (inner >= 0) & (signed_root(*at, x[checked], np.maximum(inner, 0.0)) < few)
        wrong |= (outer <= at[2][:, None]) & (
            signed_root(*at, x[checked], np.minimum(outer, at[2][:, None])) >= few
        )
        doubtful[checked] = wrong.any(axis=1)
    rows = np.flatnonzero(doubtful)
    if rows.size:
        y[rows] = row_by_search(curves[rows], P[rows], N[rows], x[rows], least[rows])
    return y


def row_by_search(
    curves: Curves, P: FloatArray, N: FloatArray, x: FloatArray, least: FloatArray
) -> FloatArray:
    """Largest whole y with T(x, y) >= least, by halving: for curves with a kink, which no condition tells."""
    low, high = np.full(x.shape, -1.0), np.broadcast_to(N[:, None], x.shape).copy()
    while np.any(high > low):
        middle = np.ceil((low + high) / 2)
        among = signed_root(curves, P, N, x, middle) >= least[:, None]
        low, high = np.where(among, middle, low), np.where(among, high, middle - 1.0)
    return low
