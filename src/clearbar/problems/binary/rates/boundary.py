"""Where the outcomes at least as far out as the observed one end: for each TP, the largest FP among them.

On the boundary T = t lies above each TP exactly one FP (a real number), and the most likely point of the
curve for it solves Lagrange's condition: (x - Pa)/(a(1-a)) a' + (y - Nb)/(b(1-b)) b' = 0. For a given x
and a point s of the curve that condition gives y, and y gives T: one root in s per row, no inner search.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray
from clearbar.problems.binary.rates.binomial import ALMOST_NONE, LEAST, rate_deviance
from clearbar.problems.binary.rates.curve import Curves
from clearbar.problems.binary.rates.roots import bracketed_root
from clearbar.problems.binary.rates.signed_root import signed_root

_CHECKED = 1e6
"""Tables (P times N) up to which a bent curve's boundary is checked outcome by outcome."""
_LARGE, _COARSE = 2.0**19, 1e-3
"""Size of a class from which neighbouring points of a curve may lie too far apart, and how far in y."""
_SHORT, _MISS = (1e-3, 0.1), (10.0, 0.3)
"""Longest last step of y, and how many times its length it may miss by: on bent curves, on straight ones."""
_NEAR = 0.1
"""Longest last step as a part of the way to the nearer end of the curve."""
_EDGE = 1e-6
"""Nearest that a first guess is to an end of the curve."""
_TOGETHER, _STEPS = 1, 12
"""Newton steps that all places take, and the most that one takes."""
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


def row_by_row(
    curves: Curves, P: FloatArray, N: FloatArray, x: FloatArray, least: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The same y for each x, true up to its floor, and its s: where T(x, y) = least, or beyond 0..N."""
    beside = _beside(N[:, None], np.stack((curves.b0, curves.b0 + curves.wb), axis=1), least[:, None])
    s, y, t = (flat.reshape(x.shape) for flat in _crossings(curves, P, N, x, least))
    P, N, least, start, end = (column[:, None] for column in (P, N, least, *beside.T))
    none, every = x <= 0, x >= P
    # Outcomes on a side of the square are nearest to the curve's end there.
    y = np.where((s <= 0.0) & (t < least), np.where(none & (curves.a0[:, None] <= 0), start, -1.0), y)
    on_right = every & (curves.a0 + curves.wa >= 1.0)[:, None]
    y = np.where((s >= 1.0) & (t >= least), np.where(on_right, end, N), y)
    return np.where((curves.wb == 0)[:, None], start, y), s


def _crossings(curves: Curves, P: FloatArray, N: FloatArray, x: FloatArray, least: FloatArray) -> FloatArray:
    """S, y and T where T falls to `least`, for each x: those of an end of the curve where it does not.

    Newton steps inside a bracket, until one is short beside the way that y has to the next whole number.
    """
    crossings, active = np.empty((3, x.size)), np.arange(x.size)
    given = curves, P[:, None], N[:, None], x, least[:, None]
    s = _guess(*given)
    # An end that has not been looked at is outside the bracket.
    low, high = np.full_like(s, -1.0), np.full_like(s, 2.0)
    before = [np.full_like(s, np.inf), s]
    with np.errstate(all="ignore"):
        for number in range(_STEPS):
            done, inside, new, answer = _step(*given, s, before)
            crossings[:, active] = np.stack(answer).reshape(3, -1)
            left = np.flatnonzero(~done)
            if not left.size:
                return crossings
            low, high = np.where(inside, s, low), np.where(inside, high, s)
            new = np.minimum(np.fmax(new, 0.0), 1.0)
            halved = (new <= low) | (new >= high) | (s == 0.0) | (s == 1.0)
            new = np.where(halved, 0.5 * (np.maximum(low, 0.0) + np.minimum(high, 1.0)), new)
            before, s = [s, answer[2]], new
            if number >= _TOGETHER:  # until then all go on: columns of single places are slower
                low, high, *before, s = (v.reshape(-1, 1)[left] for v in (low, high, *before, s))
                active = active[left]
                row = active // x.shape[1]
                given = curves[row], P[row, None], N[row, None], x.reshape(-1, 1)[active], least[row, None]
        ends = np.maximum(low, 0.0), np.minimum(high, 1.0)
        s = bracketed_root(lambda s: given[-1] - _rival(*given[:-1], s)[1], *ends)
        crossings[:, active] = np.stack((s, *_rival(*given[:-1], s)[:2]))[:, :, 0]
    return crossings


def _step(
    curves: Curves,
    P: FloatArray,
    N: FloatArray,
    x: FloatArray,
    goal: FloatArray,
    s: FloatArray,
    before: Sequence[FloatArray],
) -> tuple[BoolArray, BoolArray, FloatArray, tuple[FloatArray, FloatArray, FloatArray]]:
    """Whether y's floor is known, whether T is at least `goal`, the next s; and s, y and T so far."""
    y, t, rise, fall = _rival(curves, P, N, x, s)
    if curves.curved:
        secant = (t - before[1]) / (s - before[0])  # knows how the curve itself bends
        fall = np.where(secant < 0, secant, fall)
    inside, move = t >= goal, (goal - t) / fall
    settled, aim = _settled(y, rise * move, N, exact=not curves.curved)
    settled &= np.abs(move) < _NEAR * np.minimum(s, 1.0 - s)
    beyond = np.where(inside, (y >= N) | (s >= 1.0), (y < 0.0) | (s <= 0.0))
    return settled | beyond, inside, s + move, (s, np.where(settled, aim, y), t)


def _settled(y: FloatArray, move: FloatArray, N: FloatArray, *, exact: bool) -> tuple[BoolArray, FloatArray]:
    """Whether a step of y tells the whole number below where it leads to; and y there."""
    aim, off = y + move, np.abs(move)
    room = np.minimum(np.minimum(np.abs(y), np.abs(N - y)), 1.0)
    return (off <= _SHORT[exact] * room) & (_MISS[exact] * off < np.abs(aim - np.rint(aim))), aim


def _guess(curves: Curves, P: FloatArray, N: FloatArray, x: FloatArray, least: FloatArray) -> FloatArray:
    """S about where T(x, y) = least: in arcsines of roots of rates, T is nearly the distance to the curve."""
    a0, wa = curves.a0[:, None], curves.wa[:, None]
    with np.errstate(all="ignore"):
        share = x / P
        at = curves.points(np.clip((share - a0) / wa, _EDGE, 1.0 - _EDGE))
        lean = P * at.da**2 * at.b * (1.0 - at.b) / (N * at.db**2 * at.a * (1.0 - at.a))
        angle = np.arcsin(np.sqrt(share)) - least / (2.0 * np.sqrt(P * (1.0 + lean)))
        s = (np.sin(np.clip(angle, 0.0, np.pi / 2)) ** 2 - a0) / wa
    return np.clip(np.nan_to_num(s, nan=0.5), _EDGE, 1.0 - _EDGE)


def _rival(
    curves: Curves, P: FloatArray, N: FloatArray, x: FloatArray, s: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Y that the curve's point s is most likely for, given x, and T there; and both slopes in s of a line."""
    none, every = x <= 0, x >= P
    at = curves.points(s)
    a, b = np.maximum(at.a, LEAST), np.maximum(at.b, LEAST)
    ac, bc = np.maximum(1.0 - at.a, LEAST), np.maximum(1.0 - at.b, LEAST)
    away, spread_a, spread_b = x - P * at.a, a * ac, b * bc
    with np.errstate(all="ignore"):
        pull = np.where(none, -P / ac, np.where(every, P / a, away / spread_a))
        ratio = at.da / np.maximum(at.db, LEAST)
        moved = pull * (spread_b * ratio)
        moved = np.where(np.isnan(moved), 0.0, moved)
        y = N * at.b - moved
        inner = np.minimum(np.maximum(y, 0.0), N)
        beyond = inner - N * at.b
        log_a, log_ac = _log_ratio(away, P * a), _log_ratio(-away, P * ac)
        log_b, log_bc = _log_ratio(beyond, N * b), _log_ratio(-beyond, N * bc)
        lacking = x * log_a + (P - x) * log_ac + inner * log_b + (N - inner) * log_bc
        t = np.copysign(np.sqrt(np.maximum(2.0 * lacking, 0.0)), np.where(none, -1.0, away))
        rise = N * at.db + P * at.da * ratio * spread_b / spread_a
        rise += moved * ((1.0 - 2.0 * a) * at.da / spread_a - (1.0 - 2.0 * b) * at.db / spread_b)
        # At its most likely point the likelihood changes with y alone; beyond 0..N with the point alone.
        by_y = (log_b - log_bc) * rise
        by_s = -(pull * at.da + beyond / spread_b * at.db)
        fall = np.where(at.da == 0, -0.0, np.where(inner == y, by_y, by_s) / t)
    return y, t, rise, fall


def _log_ratio(moved: FloatArray, mean: FloatArray) -> FloatArray:
    """Logarithm of what a count is to its mean, finite where it is 0."""
    return np.log1p(np.maximum(moved / mean, ALMOST_NONE))


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
    y, s = row_by_row(curves, P, N, x, least)
    y = np.clip(np.floor(y), -1.0, N[:, None])
    doubtful = curves.bent
    large = np.flatnonzero(~doubtful & (np.maximum(P, N) >= _LARGE))
    if large.size:
        rise = _rival(curves[large], P[large, None], N[large, None], x[large], s[large])[2]
        doubtful[large] = ~(np.abs(rise) * np.spacing(s[large]) <= _COARSE).all(axis=1)
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
