"""Where the outcomes at least as far out as the observed one end: for each TP, the largest FP among them.

On the boundary T = t lies above each TP exactly one FP (a real number), and the most likely point of the
curve for it solves Lagrange's condition: (x - Pa)/(a(1-a)) a' + (y - Nb)/(b(1-b)) b' = 0. For a given x
and a point s of the curve that condition gives y, and y gives T: one root in s per row, no inner search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.problems.binary.rates.binomial import ALMOST_NONE, LEAST, rate_deviance
from clearbar.problems.binary.rates.curve import Curves
from clearbar.problems.binary.rates.roots import bracketed_root
from clearbar.problems.binary.rates.signed_root import signed_root

_CHECKED = 1e6
"""Tables (P times N) up to which a bent curve's boundary is checked outcome by outcome."""
_LARGE, _COARSE = 2.0**19, 1e-3
"""Size of a class from which neighbouring points of a curve may lie too far apart, and how far in y."""


class _Precision(NamedTuple):
    """When Newton steps end: the longest last step of y, and by how many times its length it may miss."""

    step: float
    miss: float


_BENT, _STRAIGHT = _Precision(step=1e-3, miss=10.0), _Precision(step=0.1, miss=0.3)
_NEAR = 0.1
"""Longest last step as a part of the way to the nearer end of the curve."""
_EDGE = 1e-6
"""Nearest that a first guess is to an end of the curve."""
_TOGETHER, _STEPS = 1, 12
"""Newton steps that all places take, and the most that one takes."""
TIE = 1e-9
"""Outcomes this close to t, relative to t where it is above 1, belong to the tail."""


@dataclass(frozen=True)
class Rows:
    """Counts x of shape (rows, nodes); per row the curve, the class sizes and the least T of the tail."""

    curves: Curves
    P: FloatArray
    N: FloatArray
    x: FloatArray
    least: FloatArray

    def places(self, places: IntArray) -> Rows:
        """Select single counts, numbered over all rows, each as a row of its own."""
        row = places // self.x.shape[1]
        return Rows(
            self.curves[row], self.P[row], self.N[row], self.x.reshape(-1, 1)[places], self.least[row]
        )

    def __getitem__(self, rows: IntArray) -> Rows:
        """Select rows by their numbers."""
        return Rows(self.curves[rows], self.P[rows], self.N[rows], self.x[rows], self.least[rows])

    def reached(self, y: FloatArray) -> BoolArray:
        """Whether outcomes (x, y) belong to the tail."""
        return np.asarray(signed_root(self.curves, self.P, self.N, self.x, y) >= self.least[:, None])


class _Rival(NamedTuple):
    """Y that a point of the curve is most likely for, given x; T there; and both slopes in s of a line."""

    y: FloatArray
    t: FloatArray
    rise: FloatArray
    fall: FloatArray


def with_ties(t: FloatArray) -> FloatArray:
    """The least T that belongs to the tail of t."""
    return t - TIE * np.maximum(1.0, np.abs(t))


def by_rows(rows: Rows) -> FloatArray:
    """Largest whole y with T(x, y) >= least, -1 where none, for each x; of shape (rows, nodes)."""
    P, N = rows.P, rows.N
    y, s = _continuous(rows)
    y = np.clip(np.floor(y), -1.0, N[:, None])
    doubtful = rows.curves.bent
    large = np.flatnonzero(~doubtful & (np.maximum(P, N) >= _LARGE))
    if large.size:
        rise = _rival(rows[large], s[large]).rise
        doubtful[large] = ~(np.abs(rise) * np.spacing(s[large]) <= _COARSE).all(axis=1)
    checked = np.flatnonzero((rows.curves.D != 0) & ~doubtful & (P * N <= _CHECKED))
    if checked.size:  # the condition may hold at a point that is not the most likely one
        part, inner, most = rows[checked], y[checked], N[checked, None]
        wrong = (inner >= 0) & ~part.reached(np.maximum(inner, 0.0))
        wrong |= (inner < most) & part.reached(np.minimum(inner + 1.0, most))
        doubtful[checked] = wrong.any(axis=1)
    again = np.flatnonzero(doubtful)
    if again.size:
        y[again] = by_search(rows[again])
    return y


def by_search(rows: Rows) -> FloatArray:
    """The same y by halving: for curves with a kink, which no condition tells."""
    low, high = np.full(rows.x.shape, -1.0), np.broadcast_to(rows.N[:, None], rows.x.shape).copy()
    while np.any(high > low):
        middle = np.ceil((low + high) / 2)
        reached = rows.reached(middle)
        low, high = np.where(reached, middle, low), np.where(reached, high, middle - 1.0)
    return low


def _continuous(rows: Rows) -> tuple[FloatArray, FloatArray]:
    """The same y, true up to its floor, and its s: where T(x, y) = least, or beyond 0..N."""
    curves, P, N, least = rows.curves, rows.P[:, None], rows.N[:, None], rows.least[:, None]
    s, y, t = (flat.reshape(rows.x.shape) for flat in _crossings(rows))
    ends = _beside(N, np.stack((curves.b0, curves.b0 + curves.wb), axis=1), least)
    start, end = ends[:, :1], ends[:, 1:]
    none, every = rows.x <= 0, rows.x >= P
    # Outcomes on a side of the square are nearest to the curve's end there.
    y = np.where((s <= 0.0) & (t < least), np.where(none & (curves.a0[:, None] <= 0), start, -1.0), y)
    on_right = every & (curves.a0 + curves.wa >= 1.0)[:, None]
    y = np.where((s >= 1.0) & (t >= least), np.where(on_right, end, N), y)
    return np.where((curves.wb == 0)[:, None], start, y), s


def _crossings(rows: Rows) -> FloatArray:
    """S, y and T where T falls to `least`, for each x: those of an end of the curve where it does not.

    Newton steps inside a bracket, until one is short beside the way that y has to the next whole number.
    """
    crossings, active = np.empty((3, rows.x.size)), np.arange(rows.x.size)
    done = np.zeros(rows.x.size, dtype=bool)
    s = _guess(rows)
    s_before, t_before = np.full_like(s, np.inf), s
    # An end that has not been looked at is outside the bracket.
    low, high = np.full_like(s, -1.0), np.full_like(s, 2.0)
    with np.errstate(all="ignore"):
        for step in range(_STEPS):
            N, goal, line = rows.N[:, None], rows.least[:, None], rows.curves.lines[:, None]
            y, t, rise, fall = _rival(rows, s)
            secant = (t - t_before) / (s - s_before)  # knows how the curve itself bends
            fall = np.where(~line & (secant < 0), secant, fall)
            inside, move = t >= goal, (goal - t) / fall
            settled = _settled(y, rise * move, N, line)
            settled &= np.abs(move) < _NEAR * np.minimum(s, 1.0 - s)
            found = np.stack((s, np.where(settled, y + rise * move, y), t)).reshape(3, -1)
            crossings[:, active] = np.where(done, crossings[:, active], found)
            beyond = np.where(inside, (y >= N) | (s >= 1.0), (y < 0.0) | (s <= 0.0))
            done |= (settled | beyond).reshape(-1)
            left = np.flatnonzero(~done)
            if not left.size:
                return crossings
            low, high = np.where(inside, s, low), np.where(inside, high, s)
            s_before, t_before, s = s, t, _next(low, s, high, move)
            if step >= _TOGETHER:  # until then all go on: columns of single places are slower
                low, high, s_before, t_before, s = (
                    column.reshape(-1, 1)[left] for column in (low, high, s_before, t_before, s)
                )
                active, rows, done = active[left], rows.places(left), done[left]
        goal = rows.least[:, None]
        s = bracketed_root(lambda s: goal - _rival(rows, s).t, np.maximum(low, 0.0), np.minimum(high, 1.0))
        last = _rival(rows, s)
        crossings[:, active] = np.stack((s, last.y, last.t))[:, :, 0]
    return crossings


def _next(low: FloatArray, s: FloatArray, high: FloatArray, move: FloatArray) -> FloatArray:
    """The next s: a move from this one, or where that leaves the bracket its middle."""
    new = np.minimum(np.fmax(s + move, 0.0), 1.0)
    halved = (new <= low) | (new >= high) | (s == 0.0) | (s == 1.0)
    return np.where(halved, 0.5 * (np.maximum(low, 0.0) + np.minimum(high, 1.0)), new)


def _settled(y: FloatArray, step: FloatArray, N: FloatArray, line: BoolArray) -> BoolArray:
    """Whether a step from y tells the whole number below where it leads to."""
    aim, off = y + step, np.abs(step)
    room = np.minimum(np.minimum(np.abs(y), np.abs(N - y)), 1.0)
    longest, miss = (np.where(line, *both) for both in zip(_STRAIGHT, _BENT, strict=True))
    return np.asarray((off <= longest * room) & (miss * off < np.abs(aim - np.rint(aim))))


def _guess(rows: Rows) -> FloatArray:
    """S about where T(x, y) = least: in arcsines of roots of rates, T is nearly the distance to the curve."""
    P, N, a0, wa = (column[:, None] for column in (rows.P, rows.N, rows.curves.a0, rows.curves.wa))
    with np.errstate(all="ignore"):
        share = rows.x / P
        at = rows.curves.points(np.clip((share - a0) / wa, _EDGE, 1.0 - _EDGE))
        lean = P * at.da**2 * at.b * (1.0 - at.b) / (N * at.db**2 * at.a * (1.0 - at.a))
        angle = np.arcsin(np.sqrt(share)) - rows.least[:, None] / (2.0 * np.sqrt(P * (1.0 + lean)))
        s = (np.sin(np.clip(angle, 0.0, np.pi / 2)) ** 2 - a0) / wa
    return np.clip(np.nan_to_num(s, nan=0.5), _EDGE, 1.0 - _EDGE)


def _rival(rows: Rows, s: FloatArray) -> _Rival:
    """Look at the curve's points at s."""
    x, P, N = rows.x, rows.P[:, None], rows.N[:, None]
    none, every = x <= 0, x >= P
    at = rows.curves.points(s)
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
    return _Rival(y, t, rise, fall)


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
