"""The curve f(a, b) = c: the pairs of true rates at which a measure's true score is exactly the bar.

A measure that rises in TP and falls in FP has a level line that never falls: it runs from a lower left to
an upper right end on the sides of the unit square. Between the ends, with both directions scaled to them,
it is (s + v, s - v) for 0 <= s <= 1. Lines have v = 0, and nearly every other measure has a conic:
A v^2 + (B + C s) v + D s (1 - s) = 0, so that three points tell the curve. What is neither has a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.inference.binomial import TINY, bracketed_root, rate_deviance
from clearbar.inference.true_scores import true_score

_INNER = np.array((0.25, 0.5, 0.75))
"""s of the points that tell a conic whose ends are known."""
_CHECKED = np.array((0.03, 0.11, 0.37, 0.64, 0.9, 0.98))
_FIT_ERROR = 1e-9
_STRAIGHT = 1e-15
_CORNER = 1e-14
"""A curve that passes a corner as near as this passes through it; one that is as narrow has no width."""
_TIE = 2.0**-49
"""How far from its bar, relative to it, a score is the bar but for rounding."""
_FAR = 1e300
_PAIR = 1e-7
"""How small, relative to its coefficients, the square root in a conic is where it is a pair of lines."""
_NODES, _REFINEMENTS, _INSERTED = 769, 7, 24
_CHUNK = 2**18


class Points(NamedTuple):
    """Points of curves, and their derivatives along s."""

    a: FloatArray
    b: FloatArray
    da: FloatArray
    db: FloatArray


class _Table(NamedTuple):
    """Nodes s, offsets v and slopes dv/ds of one curve."""

    s: FloatArray
    v: FloatArray
    slope: FloatArray


@dataclass(frozen=True)
class Curves:
    """One curve per row; `side` is 0 where there is one, else the sign of f - c everywhere."""

    side: FloatArray
    a0: FloatArray
    b0: FloatArray
    wa: FloatArray
    wb: FloatArray
    conic: FloatArray  # A, B, C and D; of lines D is 0
    kink: FloatArray  # s of a kink; nan where there is none
    parting: FloatArray  # by how much the square root changes along s on either side of it
    table: IntArray  # which table; -1 where there is none
    tables: tuple[_Table, ...] = ()

    def __getitem__(self, rows: Any) -> Self:
        """Select curves by their numbers."""
        columns = {f.name: getattr(self, f.name)[rows] for f in fields(self)[:-1]}
        return replace(self, **columns)

    @property
    def lines(self) -> BoolArray:
        """Which of them are lines."""
        return np.asarray((self.conic[:, 3] == 0) & (self.table < 0))

    def keys(self) -> FloatArray:
        """Numbers that are the same where curves are, to the last bit, one row per curve."""
        return np.column_stack((self.side, self.a0, self.b0, self.wa, self.wb, self.conic, self.table))

    def offset(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        """V and dv/ds at s of shape (rows, points)."""
        if self.lines.all():
            return np.zeros_like(s), np.zeros_like(s)
        A, B, C, D = (column[:, None] for column in self.conic.T)
        linear, constant = B + C * s, D * s * (1.0 - s)
        root = np.sqrt(np.maximum(linear * linear - 4.0 * A * constant, 0.0))
        kink, parting = self.kink[:, None], self.parting[:, None]
        root = np.where(np.isnan(parting), root, parting * np.abs(s - kink))
        with np.errstate(divide="ignore", invalid="ignore"):
            v = -2.0 * constant / (linear + np.copysign(root, linear))
            slope = -(C * v + D * (1.0 - 2.0 * s)) / np.copysign(root, linear)
        v = np.where(np.isfinite(v), v, 0.0)
        slope = np.clip(np.where(np.isfinite(slope), slope, 0.0), -1.0, 1.0)
        for number in np.unique(self.table[self.table >= 0]):
            rows = self.table == number
            v[rows], slope[rows] = _interpolated(self.tables[number], s[rows])
        return v, slope

    def points(self, s: FloatArray) -> Points:
        """Points at s of shape (rows, points)."""
        v, slope = self.offset(s)
        wa, wb = self.wa[:, None], self.wb[:, None]
        a, b = self.a0[:, None] + wa * (s + v), self.b0[:, None] + wb * (s - v)
        return Points(np.clip(a, 0.0, 1.0), np.clip(b, 0.0, 1.0), wa * (1.0 + slope), wb * (1.0 - slope))

    def arc(
        self, low_a: FloatArray, high_a: FloatArray, low_b: FloatArray, high_b: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """First and last s inside a box; the first is larger where there is none."""
        sign = np.array((1.0, -1.0, 1.0, -1.0))
        start = np.stack((self.a0, self.b0) * 2, axis=1)
        width = np.stack((self.wa, self.wb) * 2, axis=1)
        edge = np.stack((low_a, low_b, high_a, high_b), axis=1)
        beyond = np.where(np.arange(4) < 2, edge > start, edge >= start)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(width > 0, (edge - start) / width, np.where(beyond, np.inf, -np.inf))
        curved = np.flatnonzero(~self.lines)
        if curved.size:
            curves, inner = self[curved], np.clip(share[curved], 0.0, 1.0)
            crossing = bracketed_root(
                lambda s: s + sign * curves.offset(s)[0] - inner, np.zeros_like(inner), np.ones_like(inner)
            )
            outside = (share[curved] < 0) | (share[curved] > 1)
            share[curved] = np.where(outside, share[curved], crossing)
        first, last = share[:, :2].max(axis=1), share[:, 2:].min(axis=1)
        none = (self.side != 0) | (first > 1.0) | (last < 0.0)
        return np.where(none, 1.0, np.maximum(first, 0.0)), np.where(none, 0.0, np.minimum(last, 1.0))


def _interpolated(table: _Table, s: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Cubic Hermite interpolation: v and dv/ds."""
    nodes, values, slopes = table
    j = np.clip(np.searchsorted(nodes, s, side="right") - 1, 0, nodes.size - 2)
    gap, rise = nodes[j + 1] - nodes[j], values[j + 1] - values[j]
    t, near, far = (s - nodes[j]) / gap, slopes[j] * gap, slopes[j + 1] * gap
    cubic, square = near + far - 2 * rise, 3 * rise - 2 * near - far
    v = values[j] + t * (near + t * (square + t * cubic))
    return v, np.clip((near + t * (2 * square + 3 * t * cubic)) / gap, -1.0, 1.0)


@lru_cache(maxsize=512)
def kind_of(measure: Measure) -> Literal["line", "conic", "other"]:
    """What all curves of a measure are, by those through some points of the square for some class sizes."""
    sizes = np.array(((1.0, 3.0, 40.0, 1000.0, 7.0), (1.0, 8.0, 60.0, 20.0, 2e5))).repeat(16, axis=1)
    share = np.tile((np.arange(16) + 0.5) / 16, 5)
    bars = true_score(measure, sizes[0], sizes[1], share, (share * 7.3 + 0.21) % 1.0)
    finite = np.isfinite(bars)
    P, N = sizes[:, finite]
    none = np.zeros(P.size, dtype=np.int64)
    levels = _Levels.of((measure,), none, P, N, none > 0, bars[finite])
    if np.abs(levels.offset(_INNER)).max() < _FIT_ERROR:
        return "line"
    return "other" if (levels.fitted()[1] > _FIT_ERROR).any() else "conic"


def level_curves(
    measures: Sequence[Measure],
    number: IntArray,
    P: FloatArray,
    N: FloatArray,
    bar: FloatArray,
    swapped: BoolArray | None = None,
) -> Curves:
    """One curve per row, of measure `number` at its bar (negative for losses).

    Where `swapped`, P and a belong to the negative class, and what was above the curve is below.
    """
    if swapped is None:
        swapped = np.zeros(P.size, dtype=bool)
    # Slices of the same class sizes share their curves.
    keys, row = np.unique(np.stack((number, P, N, bar, swapped)), axis=1, return_inverse=True)
    of_measure = keys[0].astype(np.int64)
    levels = _Levels.of(tuple(measures), of_measure, keys[1], keys[2], keys[4] > 0, keys[3])
    kinds = np.array([kind_of(measure) for measure in measures])[of_measure]
    offsets = np.zeros((of_measure.size, _INNER.size))
    curved = np.flatnonzero(kinds != "line")
    if curved.size:
        offsets[curved] = levels[curved].offset(_INNER)
    curves = levels.conics(offsets)
    other = np.flatnonzero(kinds == "other")
    if other.size:
        other = other[levels[other].fitted()[1] > _FIT_ERROR]
        tables = tuple(_table(levels[other[j : j + 1]]) for j in range(other.size))
        table, kink = curves.table.copy(), curves.kink.copy()
        table[other], kink[other] = np.arange(other.size), [_sharpest_bend(one) for one in tables]
        curves = replace(curves, table=table, kink=kink, tables=tables)
    return curves[row.reshape(-1)]


@dataclass(frozen=True, eq=False)
class _Levels:
    """Where measures are at their bars, one curve per row."""

    measures: tuple[Measure, ...]
    number: IntArray
    P: FloatArray
    N: FloatArray
    swapped: BoolArray
    bar: FloatArray
    side: FloatArray  # as of `Curves`
    frame: FloatArray  # columns a0, b0, wa and wb

    @classmethod
    def of(
        cls,
        measures: tuple[Measure, ...],
        number: IntArray,
        P: FloatArray,
        N: FloatArray,
        swapped: BoolArray,
        bar: FloatArray,
    ) -> _Levels:
        """Find where curves begin and end."""
        levels = cls(measures, number, P, N, swapped, bar, np.zeros(P.size), np.zeros((P.size, 4)))
        return replace(levels, side=levels._sides(), frame=levels._frame())

    def __getitem__(self, rows: Any) -> _Levels:
        """Select curves by their numbers."""
        columns = {f.name: getattr(self, f.name)[rows] for f in fields(self)[1:]}
        return replace(self, **columns)

    def differences(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """F - c at rates of shape (rows, points); nan where there is no value."""
        swapped = self.swapped[:, None]
        a, b = np.where(swapped, b, a), np.where(swapped, a, b)
        P, N = np.where(self.swapped, self.N, self.P), np.where(self.swapped, self.P, self.N)
        out = np.empty(a.shape)
        for number in np.unique(self.number):
            rows = np.flatnonzero(self.number == number)
            out[rows] = true_score(self.measures[number], P[rows, None], N[rows, None], a[rows], b[rows])
        out -= self.bar[:, None]
        return np.clip(np.where(swapped, -out, out), -_FAR, _FAR)

    def height(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """F - c, where no value at all is the worst."""
        found = self.differences(a, b)
        worst = np.where(self.swapped, np.inf, -np.inf)[:, None]
        return np.where(np.isnan(found), worst, found)

    def _sides(self) -> FloatArray:
        """The sign of f - c where it is the same all over the square, else 0."""
        zero, one, tie = np.zeros((self.P.size, 1)), np.ones((self.P.size, 1)), _TIE * np.abs(self.bar)
        best, worst = self.differences(one, zero)[:, 0], self.differences(zero, one)[:, 0]
        return np.where(best < -tie, -1.0, np.where(worst > tie, 1.0, 0.0))

    def _frame(self) -> FloatArray:
        """Rates where curves begin, and how far they go in both.

        Each end is looked for on a path from the worst corner (0, 1) to the best one (1, 0): down the left
        side and along the lower one, and along the upper side and down the right one. On either 0 is the
        corner between, where the measure may have no value, or jump.
        """
        tie = (_TIE * np.abs(self.bar))[:, None]

        def along(u: FloatArray) -> FloatArray:
            down, right = np.maximum(-u, 0.0), np.maximum(u, 0.0)
            first = self.height(right[:, :1], down[:, :1])
            second = self.height(1.0 - down[:, 1:], 1.0 - right[:, 1:])
            return np.concatenate((first, second), axis=1)

        corner = np.full((self.P.size, 2), _CORNER)
        before, after = along(-corner) > tie, along(corner) < -tie
        low = np.where(before, -1.0, np.where(after, _CORNER, 0.0))
        high = np.where(before, -_CORNER, np.where(after, 1.0, 0.0))
        first, second = bracketed_root(along, low, high).T
        a0, b0 = np.maximum(first, 0.0), np.maximum(-first, 0.0)
        wa, wb = np.minimum(1.0 + second, 1.0) - a0, np.minimum(1.0 - second, 1.0) - b0
        return np.stack((a0, b0, *(np.where(w > _CORNER, w, 0.0) for w in (wa, wb))), axis=1)

    def conics(self, v: FloatArray) -> Curves:
        """The conics through both ends and the points at _INNER, whose offsets are v."""
        with np.errstate(all="ignore"):
            scale = np.abs(v).max(axis=1)
            straight = scale == 0
            u = v / np.where(straight, 1.0, scale)[:, None]
            rows = u * u, u, u * _INNER, np.broadcast_to(_INNER * (1.0 - _INNER), u.shape)
            # The null vector of three equations in A, B, C and D: their minors.
            minors = [_determinant(*(row for j, row in enumerate(rows) if j != i)) for i in range(4)]
            A, B, C, D = minors[0] / scale**2, -minors[1] / scale, minors[2] / scale, -minors[3]
            conic = np.where(straight[:, None], (0.0, 1.0, 0.0, 0.0), np.stack((A, B, C, D), axis=1))
            conic /= np.abs(conic).max(axis=1, keepdims=True)
            A, B, C, D = conic.T
            # The square root in `offset` is that of a quadratic in s; a double root of it is a kink.
            first, second = 2 * B * C - 4 * A * D, C * C + 4 * A * D
            kink = np.nan_to_num(-first / (2 * second), nan=-1.0)
            least = B * B + kink * (first + kink * second)
            pair = (D != 0) & (kink > 0) & (kink < 1)
            pair &= least < _PAIR * (B * B + np.abs(first) + np.abs(second))
            parting = np.where(pair, np.sqrt(np.maximum(second, 0.0)), np.nan)
        none = np.full(self.P.size, -1)
        a0, b0, wa, wb = self.frame.T
        return Curves(self.side, a0, b0, wa, wb, conic, np.where(pair, kink, np.nan), parting, none)

    def offset(self, s: FloatArray) -> FloatArray:
        """V at s: what lies below and right of the curve has more v."""
        s = np.broadcast_to(s, (self.P.size, s.shape[-1]))
        a, b, wa, wb = (column[:, None] for column in self.frame.T)

        def height(v: FloatArray) -> FloatArray:
            return self.height(a + wa * (s + v), b + wb * (s - v))

        free = (wa > 0) & (wb > 0) & (self.side == 0)[:, None]
        straight = ~free | (np.abs(height(np.zeros_like(s))) <= (4 * _TIE * np.abs(self.bar))[:, None])
        most = np.where(straight, 0.0, np.minimum(s, 1.0 - s))
        root = bracketed_root(height, -most, most)
        return np.where(straight | (np.abs(root) < _STRAIGHT), 0.0, root)

    def fitted(self) -> tuple[Curves, FloatArray]:
        """The conics, and how far they are from the curves at most."""
        v = self.offset(np.concatenate((_INNER, _CHECKED)))
        curves = self.conics(v[:, : _INNER.size])
        misfit = (
            curves.offset(np.broadcast_to(_CHECKED, (self.P.size, _CHECKED.size)))[0] - v[:, _INNER.size :]
        )
        return curves, np.abs(misfit).max(axis=1)


def _determinant(x: FloatArray, y: FloatArray, z: FloatArray) -> FloatArray:
    """Of 3x3 matrices with these rows, in the last axis."""
    (a, b, c), (d, e, f), (g, h, i) = x.T, y.T, z.T
    return np.asarray(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g))


def _table(level: _Levels) -> _Table:
    """Sample one curve, densely at its ends and around its sharpest bend."""
    s = np.sin(np.linspace(0.0, np.pi / 2, _NODES)) ** 2
    v = level.offset(s)[0]
    for _ in range(_REFINEMENTS):
        sharpest = int(np.argmax(np.abs(np.diff(np.diff(v) / np.diff(s)))))
        low, high = s[sharpest], s[sharpest + 2]
        inserted = low + (high - low) * (np.arange(1, _INSERTED + 1) - 0.5) / _INSERTED
        s, v = np.append(s, inserted), np.append(v, level.offset(inserted)[0])
        order = np.argsort(s)
        s, v = s[order], v[order]
    gap = np.diff(s)
    chord = np.where(gap > 0, np.diff(v) / np.where(gap > 0, gap, 1.0), 0.0)
    gap = np.where(gap > 0, gap, 1.0)
    # Of the parabola through each point and its neighbours; at a bend, nearly that of the closer one.
    inner = (chord[:-1] * gap[1:] + chord[1:] * gap[:-1]) / (gap[:-1] + gap[1:])
    slope = np.concatenate(([2 * chord[0] - inner[0]], inner, [2 * chord[-1] - inner[-1]]))
    return _Table(s, v, np.clip(slope, -1.0, 1.0))


def _sharpest_bend(table: _Table) -> float:
    chord = np.diff(table.v) / np.maximum(np.diff(table.s), 1e-12)
    return float(table.s[1 + np.argmax(np.abs(np.diff(chord)))])


_GRID = np.sin(np.linspace(0.0, np.pi / 2, 41)) ** 2
_NEWTON = 60


def signed_root(curves: Curves, P: FloatArray, N: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """T of outcomes (x of P, y of N), shape (rows, outcomes): positive below and right of the curve.

    Infinite where there is no curve, or none of its points is possible.
    """
    x, y = np.broadcast_arrays(x, y)
    out = np.empty(x.shape)
    rows = max(1, _CHUNK // (_GRID.size * max(1, x.shape[-1])))
    for start in range(0, len(out), rows):
        cut = slice(start, start + rows)
        out[cut] = _signed_root(curves[cut], P[cut, None], N[cut, None], x[cut], y[cut])
    return np.where(curves.side[:, None] == 0, out, np.copysign(np.inf, curves.side[:, None]))


def _signed_root(curves: Curves, P: FloatArray, N: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    least, nearest = np.full(x.shape, np.inf), np.zeros(x.shape)
    places = [_nearest(curves, P, N, x, y), np.zeros(x.shape), np.ones(x.shape)]  # the curve is closed
    if np.isfinite(curves.kink).any():  # either part may have a likeliest point of its own
        kink = np.nan_to_num(curves.kink, nan=0.5)[:, None]
        places += [
            _nearest(curves, P, N, x, y, stop=kink),
            _nearest(curves, P, N, x, y, start=kink),
            np.broadcast_to(kink, x.shape),
        ]
    for s in places:
        on = curves.points(s)
        lacking = rate_deviance(x, P, on.a) + rate_deviance(y, N, on.b)
        nearest, least = np.where(lacking < least, s, nearest), np.minimum(lacking, least)
    on = curves.points(nearest)
    right = np.where(P > 0, x - P * on.a, 0.0) / np.maximum(P, 1.0)
    above = np.where(N > 0, y - N * on.b, 0.0) / np.maximum(N, 1.0)
    return np.copysign(np.where(least > 1e15, np.inf, np.sqrt(2.0 * least)), right - above)


def _nearest(
    curves: Curves,
    P: FloatArray,
    N: FloatArray,
    x: FloatArray,
    y: FloatArray,
    start: FloatArray | float = 0.0,
    stop: FloatArray | float = 1.0,
) -> FloatArray:
    """S of the most likely point of each curve: the best of a grid, refined by safeguarded Newton steps."""
    grid = np.broadcast_to(start + (np.asarray(stop) - start) * _GRID, (len(P), _GRID.size))
    on = curves.points(grid)
    logs = [np.log(np.maximum(rate, TINY))[:, None] for rate in (on.a, 1.0 - on.a, on.b, 1.0 - on.b)]
    likely = sum(count[:, :, None] * log for count, log in zip((x, P - x, y, N - y), logs, strict=True))
    best = np.argmax(likely, axis=-1)
    low = np.take_along_axis(grid, np.maximum(best - 1, 0), axis=1)
    high = np.take_along_axis(grid, np.minimum(best + 1, _GRID.size - 1), axis=1)
    is_first, is_last = best == 0, best == _GRID.size - 1
    s = np.where(is_first | is_last, (low + high) / 2, np.take_along_axis(grid, best, axis=1))
    step, before = np.full(s.shape, np.inf), np.zeros_like(s)
    first = np.maximum(np.nextafter(start, 2.0), 1e-18)
    edge = np.where(is_first, first, np.where(is_last, np.nextafter(stop, -1.0), s))
    with np.errstate(all="ignore"):
        slope, _ = _likelihood_slope(curves.points(edge), P, N, x, y)
    settled = (is_first & (slope <= 0)) | (is_last & (slope >= 0))  # it is the end
    bent = np.isfinite(curves.kink) | (curves.table >= 0)
    close = np.where(bent, 1e-15, 1e-9)[:, None]  # at a kink the error is of first order
    with np.errstate(all="ignore"):
        for _ in range(_NEWTON):
            slope, bend = _likelihood_slope(curves.points(s), P, N, x, y)
            low, high = np.where(slope > 0, s, low), np.where(slope < 0, s, high)
            secant = (before - slope) / step  # knows how the curve itself bends
            bend = np.where(secant > 0, secant, bend)
            move = np.where(slope == 0, 0.0, slope / bend)
            new = np.clip(s + move, low, high)
            done = np.minimum(np.abs(move), high - low) <= close * np.minimum(s, 1.0 - s) + 1e-15
            bad = (new != s + move) | ~(bend > 0) | (np.abs(move) > 0.7 * np.abs(step))
            new = np.where(settled, s, np.where(bad & ~done, 0.5 * (low + high), new))
            step, before, s = np.where(settled, step, new - s), slope, new
            settled |= done
            if settled.all():
                break
    return s


def _likelihood_slope(
    on: Points, P: FloatArray, N: FloatArray, x: FloatArray, y: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Slope of the log-likelihood along the curve, and its fall (without the curve's own bend)."""
    a, b = np.maximum(on.a, TINY), np.maximum(on.b, TINY)
    not_a, not_b = np.maximum(1.0 - on.a, TINY), np.maximum(1.0 - on.b, TINY)
    up_a, down_a, up_b, down_b = x / a, (P - x) / not_a, y / b, (N - y) / not_b
    slope = (up_a - down_a) * on.da + (up_b - down_b) * on.db
    bend = (up_a / a + down_a / not_a) * on.da**2 + (up_b / b + down_b / not_b) * on.db**2
    return slope, bend
