"""The curve f(a, b) = c: the pairs of true rates at which a measure's true score is exactly the bar.

A measure that rises in TP and falls in FP has a level line that never falls: it runs from a lower left to
an upper right end on the sides of the unit square. Between the ends, with both directions scaled to them,
it is (s + v, s - v) for 0 <= s <= 1. Lines have v = 0, and nearly every other measure has a conic:
A v^2 + (B + C s) v + D s (1 - s) = 0. What is neither is sampled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np

from clearbar._typing import BoolArray, FloatArray, IntArray
from clearbar.measures import Measure
from clearbar.problems.binary.rates.roots import bracketed_root
from clearbar.problems.binary.rates.sampled import Samples, sample

Level = Callable[[FloatArray, FloatArray], FloatArray]

_FAR = 1e300
_CORNER = 1e-14
"""How far from a corner without a value its neighbours on the sides are asked."""
_ULPS = 2.0**-49
_FIT = np.array((0.25, 0.5, 0.75))
_CHECK = np.array((0.03, 0.11, 0.37, 0.64, 0.9, 0.98))
_FIT_ERROR = 1e-9
_STRAIGHT = 1e-15
_PAIR = 1e-7


class Points(NamedTuple):
    """Points of curves, and their derivatives along s."""

    a: FloatArray
    b: FloatArray
    da: FloatArray
    db: FloatArray


@dataclass(frozen=True)
class Curves:
    """One curve per row; `side` is 0 where there is one, else the sign of f - c everywhere."""

    side: FloatArray
    a0: FloatArray
    b0: FloatArray
    wa: FloatArray
    wb: FloatArray
    A: FloatArray
    B: FloatArray
    C: FloatArray
    D: FloatArray
    samples: Samples | None = None

    @staticmethod
    def joined(parts: list[Curves]) -> Curves:
        """One after the other."""
        columns = (np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Curves)[:-1])
        sampled = any(part.samples is not None for part in parts)
        samples = Samples.joined([(part.samples, part.side.size) for part in parts]) if sampled else None
        return replace(Curves(*columns), samples=samples)  # type: ignore[arg-type]

    def __getitem__(self, rows: Any) -> Curves:
        """Select curves by their numbers."""
        samples = None if self.samples is None else self.samples[rows]
        columns = (getattr(self, f.name)[rows] for f in fields(self)[:-1])
        return replace(Curves(*columns), samples=samples)

    @property
    def curved(self) -> bool:
        """Whether one of them is no line."""
        return bool(self.D.any()) or self.samples is not None

    @cached_property
    def _kinks(self) -> tuple[FloatArray, FloatArray]:
        """S of a kink, nan where there is none: a conic that is a pair of lines; and the lines' parting."""
        # The square root in `offset` is that of a quadratic in s; a double root between the ends is a kink.
        A, B, C, D = self.A, self.B, self.C, self.D
        first, second = 2 * B * C - 4 * A * D, C * C + 4 * A * D
        with np.errstate(divide="ignore", invalid="ignore"):
            at = np.nan_to_num(-first / (2 * second), nan=-1.0)
            least = B * B + at * (first + at * second)
        pair = (D != 0) & (at > 0) & (at < 1) & (least < _PAIR * (B * B + np.abs(first) + np.abs(second)))
        return np.where(pair, at, np.nan), np.sqrt(np.maximum(second, 0.0))

    @property
    def kinks(self) -> FloatArray:
        """S of the kink of a pair of lines, nan for other curves."""
        return self._kinks[0]

    @property
    def bent(self) -> BoolArray:
        """Where a curve may have a kink: it is sampled, or a pair of lines."""
        pair = np.isfinite(self._kinks[0])
        return pair if self.samples is None else pair | (self.samples.index >= 0)

    def offset(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        """V and dv/ds at s of shape (rows, points)."""
        if not self.curved:
            return np.zeros_like(s), np.zeros_like(s)
        A, B, C, D = (x[:, None] for x in (self.A, self.B, self.C, self.D))
        linear, constant = B + C * s, D * s * (1.0 - s)
        root = np.sqrt(np.maximum(linear * linear - 4.0 * A * constant, 0.0))
        kink, parting = (column[:, None] for column in self._kinks)
        root = np.where(np.isnan(kink), root, parting * np.abs(s - kink))
        with np.errstate(divide="ignore", invalid="ignore"):
            v = -2.0 * constant / (linear + np.copysign(root, linear))
            slope = -(C * v + D * (1.0 - 2.0 * s)) / np.copysign(root, linear)
        v = np.where(np.isfinite(v), v, 0.0)
        slope = np.clip(np.where(np.isfinite(slope), slope, 0.0), -1.0, 1.0)
        return (v, slope) if self.samples is None else self.samples.offset(s, v, slope)

    def points(self, s: FloatArray) -> Points:
        """Points at s of shape (rows, points)."""
        v, slope = self.offset(s)
        wa, wb = self.wa[:, None], self.wb[:, None]
        a, b = self.a0[:, None] + wa * (s + v), self.b0[:, None] + wb * (s - v)
        return Points(np.clip(a, 0.0, 1.0), np.clip(b, 0.0, 1.0), wa * (1.0 + slope), wb * (1.0 - slope))

    def keys(self) -> FloatArray:
        """Numbers that are equal where curves are equal but for rounding, one row per curve."""
        v, _ = self.offset(np.broadcast_to(_FIT, (self.side.size, _FIT.size)))
        numbers = np.column_stack((self.side, self.a0, self.b0, self.wa, self.wb, v))
        mantissa, exponent = np.frexp(numbers)
        return np.ldexp(np.rint(mantissa * 2.0**40), exponent)

    def swapped(self, rows: BoolArray) -> Curves:
        """Exchange the two rates."""
        pairs = {
            "side": -self.side,
            "a0": self.b0,
            "b0": self.a0,
            "wa": self.wb,
            "wb": self.wa,
            "B": -self.B,
            "C": -self.C,
        }
        changed = {name: np.where(rows, new, getattr(self, name)) for name, new in pairs.items()}
        samples = None if self.samples is None else self.samples.swapped(rows)
        return replace(self, **changed, samples=samples)

    def flipped(self, rows: BoolArray) -> Curves:
        """Replace both rates by their complements."""
        pairs = {
            "side": -self.side,
            "a0": _complement(self.a0, self.wa),
            "b0": _complement(self.b0, self.wb),
            "B": -(self.B + self.C),
        }
        changed = {name: np.where(rows, new, getattr(self, name)) for name, new in pairs.items()}
        samples = None if self.samples is None else self.samples.flipped(rows)
        return replace(self, **changed, samples=samples)

    def arc(
        self, low_a: FloatArray, high_a: FloatArray, low_b: FloatArray, high_b: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """First and last s inside a box; the first is larger where there is none."""
        first = np.maximum(self._reaching(low_a, "a", last=False), self._reaching(low_b, "b", last=False))
        last = np.minimum(self._reaching(high_a, "a", last=True), self._reaching(high_b, "b", last=True))
        none = (self.side != 0) | (first > 1.0) | (last < 0.0)
        return np.where(none, 1.0, np.maximum(first, 0.0)), np.where(none, 0.0, np.minimum(last, 1.0))

    def _reaching(self, value: FloatArray, rate: str, *, last: bool) -> FloatArray:
        """The s at which a rate reaches a value, infinite where it never does."""
        start, width, sign = (self.a0, self.wa, 1.0) if rate == "a" else (self.b0, self.wb, -1.0)
        beyond = value >= start if last else value > start
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(width > 0, (value - start) / width, np.where(beyond, np.inf, -np.inf))
        if not self.curved:
            return share
        inner = np.clip(share, 0.0, 1.0)[:, None]
        zero = np.zeros_like(inner)
        found = bracketed_root(lambda s: s + sign * self.offset(s)[0] - inner, zero, zero + 1.0)[:, 0]
        return np.where((share < 0) | (share > 1), share, found)


def _complement(start: FloatArray, width: FloatArray) -> FloatArray:
    return 1.0 - (start + width)


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
    curves = curves_of(measure, P[known], N[known], bars[known], checking=True)
    if np.isinf(curves.side).any():
        return "other"
    return "conic" if curves.D.any() else "line"


def curves_of(
    measure: Measure, P: FloatArray, N: FloatArray, bar: FloatArray, *, checking: bool = False
) -> Curves:
    """One curve per row, at bars (negative for losses); if `checking`, what is no conic has side inf."""

    def height(a: FloatArray, b: FloatArray) -> FloatArray:
        """F - c, where no value at all is the worst; a column per point."""
        values = true_score(measure, P[:, None], N[:, None], a, b) - bar[:, None]
        return np.clip(np.where(np.isnan(values), -np.inf, values), -_FAR, _FAR)

    tie = _ULPS * np.abs(bar)
    with np.errstate(all="ignore"):
        ends = _corners(measure, P, N) - bar[:, None]
    best, worst = ends[:, 0], ends[:, 1]
    best = np.where(np.isnan(best), np.inf, best)
    worst = np.where(np.isnan(worst), -np.inf, worst)
    side = np.where(best < -tie, -1.0, np.where(worst > tie, 1.0, 0.0))
    a0, b0 = _lower_end(height, ends[:, 2], ends[:, 3], tie)
    a1, b1 = _upper_end(height, ends[:, 4], ends[:, 5], tie)
    wa, wb = (np.where(width > _STRAIGHT, width, 0.0) for width in (a1 - a0, b1 - b0))

    def inside(s: FloatArray) -> FloatArray:
        """V at s: what lies below and right of the curve has more v."""
        s = np.broadcast_to(s, (P.size, s.shape[-1]))
        most = np.minimum(s, 1.0 - s)

        def at(v: FloatArray) -> FloatArray:
            return height(a0[:, None] + wa[:, None] * (s + v), b0[:, None] + wb[:, None] * (s - v))

        free = ((wa > 0) & (wb > 0) & (side == 0))[:, None]
        straight = ~free | (np.abs(at(np.zeros_like(s))) <= tie[:, None])
        if straight.all():
            return np.zeros_like(s)
        found = bracketed_root(at, np.where(straight, 0.0, -most), np.where(straight, 0.0, most))
        return np.where(straight | (np.abs(found) < _STRAIGHT), 0.0, found)

    kind = "other" if checking else kind_of(measure)
    if kind == "line":
        return _conics(side, a0, b0, wa, wb, np.zeros((P.size, _FIT.size)))
    v = inside(_FIT if kind == "conic" else np.concatenate((_FIT, _CHECK)))
    curves = _conics(side, a0, b0, wa, wb, v[:, : _FIT.size])
    if kind == "conic":
        return curves
    off = np.abs(curves.offset(np.broadcast_to(_CHECK, (P.size, _CHECK.size)))[0] - v[:, _FIT.size :])
    other = np.flatnonzero(off.max(axis=1) > _FIT_ERROR)
    if not other.size or checking:
        return replace(curves, side=np.where(off.max(axis=1) > _FIT_ERROR, np.inf, side))
    return replace(curves, samples=sample(lambda s, rows: _rows(inside, s, rows, P.size), other, P.size))


def _rows(inside: Callable[[FloatArray], FloatArray], s: FloatArray, rows: IntArray, size: int) -> FloatArray:
    """Evaluate some of the rows: the others are given any place."""
    every = np.full((size, s.shape[1]), 0.5)
    every[rows] = s
    return inside(every)[rows]


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


def _lower_end(
    height: Level, left: FloatArray, bottom: FloatArray, tie: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Where the curve leaves the left or the lower side of the square."""
    on_left = left > tie
    on_bottom = ~on_left & (bottom < -tie)
    zero = np.zeros((left.size, 1))
    corner = np.where(on_left, -left, bottom)[:, None]

    def along(w: FloatArray) -> FloatArray:
        return np.where(w > 0, np.where(on_left[:, None], -height(zero, w), height(w, zero)), corner)

    w = bracketed_root(along, zero, np.ones_like(zero))[:, 0]
    return np.where(on_bottom, w, 0.0), np.where(on_left, w, 0.0)


def _upper_end(
    height: Level, right: FloatArray, top: FloatArray, tie: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Where the curve meets the right or the upper side of the square."""
    on_top = top > tie
    on_right = ~on_top & (right < -tie)
    one = np.ones((top.size, 1))
    corner = np.where(on_top, top, -right)[:, None]

    def along(w: FloatArray) -> FloatArray:
        return np.where(w < 1, np.where(on_top[:, None], height(w, one), -height(one, w)), corner)

    w = bracketed_root(along, np.zeros_like(one), one)[:, 0]
    return np.where(on_top, w, 1.0), np.where(on_right, w, 1.0)


def _conics(
    side: FloatArray, a0: FloatArray, b0: FloatArray, wa: FloatArray, wb: FloatArray, v: FloatArray
) -> Curves:
    """The conics through both ends and three points in between."""
    size = side.size
    straight = np.abs(v).max(axis=1) == 0
    A, B, C = np.zeros(size), np.ones(size), np.zeros(size)
    bent = np.flatnonzero(~straight)
    if bent.size:
        u = v[bent]
        scale = np.abs(u).max(axis=1, keepdims=True)
        u = u / scale
        system = np.stack((u * u, u, u * _FIT), axis=2)
        right = np.broadcast_to(-_FIT * (1.0 - _FIT), u.shape)
        try:
            solved = np.linalg.solve(system, right[..., None])[..., 0]
        except np.linalg.LinAlgError:
            solved = np.linalg.pinv(system) @ right[..., None]
            solved = solved[..., 0]
        A[bent], B[bent], C[bent] = (solved / (scale ** np.array((2, 1, 1)))).T
    return Curves(side, a0, b0, wa, wb, A, B, C, np.where(straight, 0.0, 1.0))
