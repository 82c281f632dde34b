"""A measure as a function of two true rates, and the curve f(a, b) = c on which it is exactly the bar.

A measure that rises in TP and falls in FP has a level line that never falls: it runs from a lower left to
an upper right end on the sides of the unit square. Between the ends, with both directions scaled to them,
it is (s + v, s - v) for 0 <= s <= 1. Lines have v = 0, and nearly every other measure has a conic:
A v^2 + (B + C s) v + D s (1 - s) = 0, so that three points tell the curve. What is neither has a spline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.inference.binomial import TINY, bracketed_root, rate_deviance

if TYPE_CHECKING:
    from clearbar.inference.splines import Splines


def true_score(measure: Measure, P: FloatArray, N: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """The measure at true rates a and b, as its negative where less is better; x/0 is infinite."""
    cells = P * a, N * b, P * (1.0 - a), N * (1.0 - b)
    with np.errstate(all="ignore"):
        if measure.in_catalogue:
            values = np.asarray(measure.function(*cells, **measure.float_parameters()), dtype=np.float64)
        else:
            values = measure.values(*cells)
    return -values if measure.greater_is_better is False else values


_SIZES = ((1, 1), (2, 5), (5, 2), (12, 12), (30, 4), (4, 30), (1000, 3), (3, 1000), (1e6, 1e3), (1e3, 1e6))
_SMALL_RATES = np.append(0.0, np.logspace(-7, -1.5, 12))
_RATES = np.unique(np.concatenate((_SMALL_RATES, np.linspace(0.05, 0.95, 19), 1 - _SMALL_RATES)))


@lru_cache(maxsize=512)
def is_ordered(measure: Measure) -> bool:
    """Whether the measure rises in TP and falls in FP: one that does not declare it is not looked at.

    x/0 counts as infinite. An outcome without any value may be a corner, or the worst of all: not one that
    is at least as good in both counts as one with a value.
    """
    # the catalogue's odds declare no direction in FP: their x/0 lie where a search would need a value
    declared = measure.better_with_tp and (measure.worse_with_fp or measure.in_catalogue)
    if measure.greater_is_better is None or not declared:
        return False
    a, b = np.meshgrid(_RATES, _RATES, indexing="ij")
    every = (true_score(measure, np.full_like(a, P), np.full_like(a, N), a, b) for P, N in _SIZES)
    return all(_rises(values) and _rises(values[:, ::-1].T) for values in every)


def _rises(values: FloatArray) -> bool:
    """Whether each value along the first axis is at least the one before, corners without a value aside."""
    low = np.where(np.isnan(values), -np.inf, values)
    corner = np.zeros(values.shape, dtype=bool)
    corner[[0, 0, -1, -1], [0, -1, 0, -1]] = np.isnan(values[[0, 0, -1, -1], [0, -1, 0, -1]])
    with np.errstate(invalid="ignore"):
        room = np.where(np.isfinite(low[1:]), 1e-9 * np.maximum(np.abs(low[1:]), 1e-3), 0.0)
        rises = (low[1:] >= low[:-1] - room) | (low[1:] == low[:-1])
    return bool((rises | corner[1:] | corner[:-1]).all())


@lru_cache(maxsize=512)
def depends_on(measure: Measure) -> Literal["first", "second", "both"]:
    """Which rates a measure reads: a test of one rate is that of one binomial."""
    P, N, rates = np.array(7.0), np.array(12.0), np.linspace(0.1, 0.9, 9)
    values = true_score(measure, P, N, *np.meshgrid(rates, rates, indexing="ij"))
    if np.isfinite(values).all():
        if (values == values[:, :1]).all():
            return "first"
        if (values == values[:1]).all():
            return "second"
    return "both"


def true_scores(
    measures: Sequence[Measure],
    measure_index: IntArray,
    mirrored: BoolArray,
    sizes: tuple[FloatArray, FloatArray],
    rates: tuple[FloatArray, FloatArray],
) -> FloatArray:
    """True scores of each row's measure, sizes of shape (rows,) and rates of shape (rows, points).

    Where `mirrored` the rates are those of TN and FN: the first class is the negative one.
    """
    a, b = rates
    P, N = np.where(mirrored, sizes[::-1], sizes)
    a, b = np.where(mirrored[:, None], (1.0 - b, 1.0 - a), (a, b))
    out = np.empty(a.shape)
    for index in np.unique(measure_index):
        rows = np.flatnonzero(measure_index == index)
        out[rows] = true_score(measures[index], P[rows, None], N[rows, None], a[rows], b[rows])
    return out


_INNER = np.array((0.25, 0.5, 0.75))  # s of the points that tell a conic whose ends are known
_CHECKED = np.array((0.03, 0.11, 0.37, 0.64, 0.9, 0.98))
_FIT_ERROR = 1e-9
_STRAIGHT = 1e-15
# A curve that passes a corner as near as this passes through it; one that is as narrow has no width.
_CORNER = 1e-14
_TIE = 2.0**-49  # how far from its bar, relative to it, a score is the bar but for rounding
_FAR = 1e300
# How small, relative to its coefficients, the square root in a conic is where it is a pair of lines.
_PAIR = 1e-7
_CHUNK = 2**18


class Columns:
    """A base of frozen dataclasses of columns; its last `shared` fields are the same for all rows."""

    shared = 0

    def __getitem__(self, rows: Any) -> Self:
        """Select rows by their numbers."""
        columns, shared = _column_names(type(self))  # type: ignore[arg-type]
        return type(self)(
            *[getattr(self, name)[rows] for name in columns], *[getattr(self, name) for name in shared]
        )


@lru_cache
def _column_names(kind: type[Columns]) -> tuple[list[str], list[str]]:
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    number = len(names) - kind.shared
    return names[:number], names[number:]


class Points(NamedTuple):
    """Points of curves, and their derivatives along s."""

    a: FloatArray
    b: FloatArray
    da: FloatArray
    db: FloatArray


@dataclass(frozen=True)
class Curves(Columns):
    """One curve per row; `constant_sign` is that of f - c where no point has f = c, else 0."""

    constant_sign: FloatArray
    a0: FloatArray
    b0: FloatArray
    wa: FloatArray
    wb: FloatArray
    conic: FloatArray  # A, B, C and D; of lines D is 0
    kink: FloatArray  # s of a kink; nan where there is none
    parting: FloatArray  # by how much the square root changes along s on either side of it
    spline: IntArray  # which spline; -1 where there is none
    splines: Splines | None = None

    shared = 1

    @property
    def lines(self) -> BoolArray:
        return np.asarray((self.conic[:, 3] == 0) & (self.spline < 0))

    def keys(self) -> FloatArray:
        """Numbers that are the same where curves are, to the last bit, one row per curve."""
        return np.column_stack(
            (self.constant_sign, self.a0, self.b0, self.wa, self.wb, self.conic, self.spline)
        )

    def offset(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        """V and dv/ds at s of shape (rows, points)."""
        # Of lines both are 0, which most measures have; only the other rows are worked out.
        curved = np.flatnonzero(~self.lines)
        if curved.size == len(self.constant_sign):
            return self._of_curves(s)
        v, slope = np.zeros((2, len(self.constant_sign), s.shape[-1]))
        if curved.size:
            s = s if len(s) == 1 else s[curved]
            v[curved], slope[curved] = self[curved]._of_curves(s)  # noqa: SLF001
        return v, slope

    def _of_curves(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        # The root of A v^2 + linear v + constant that is 0 at s = 0 and s = 1, in the form 2c / (-b -+ root),
        # which does not cancel where v is small. Where the conic is a pair of lines its discriminant is the
        # square of a linear function of s: `parting` * |s - kink| is its root without rounding's noise.
        A, B, C, D = (column[:, None] for column in self.conic.T)
        linear, constant = B + C * s, D * s * (1.0 - s)
        root = np.sqrt(np.maximum(linear * linear - 4.0 * A * constant, 0.0))
        kink, parting = self.kink[:, None], self.parting[:, None]
        root = np.where(np.isnan(parting), root, parting * np.abs(s - kink))
        with np.errstate(divide="ignore", invalid="ignore"):
            v = -2.0 * constant / (linear + np.copysign(root, linear))
            slope = -(C * v + D * (1.0 - 2.0 * s)) / np.copysign(root, linear)
        v, slope = (np.where(np.isfinite(column), column, 0.0) for column in (v, slope))
        rows = np.flatnonzero(self.spline >= 0)
        if self.splines and rows.size:
            v[rows], slope[rows] = self.splines.at(self.spline[rows], np.broadcast_to(s, v.shape)[rows])
        # s + v and s - v both never fall along the curve, so that |dv/ds| <= 1 but for rounding.
        return v, np.clip(slope, -1.0, 1.0)

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
        start, width = (np.stack(ends * 2, axis=1) for ends in ((self.a0, self.b0), (self.wa, self.wb)))
        edge = np.stack((low_a, low_b, high_a, high_b), axis=1)
        beyond = np.where(np.arange(4) < 2, edge > start, edge >= start)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(width > 0, (edge - start) / width, np.where(beyond, np.inf, -np.inf))
        curved = np.flatnonzero(~self.lines)
        if curved.size:
            curves, inner = self[curved], np.clip(share[curved], 0.0, 1.0)
            crossing = bracketed_root(
                lambda s, curves, inner: s + sign * curves.offset(s)[0] - inner,
                np.zeros_like(inner),
                np.ones_like(inner),
                (curves, inner),
            )
            outside = (share[curved] < 0) | (share[curved] > 1)
            share[curved] = np.where(outside, share[curved], crossing)
        first, last = share[:, :2].max(axis=1), share[:, 2:].min(axis=1)
        none = (self.constant_sign != 0) | (first > 1.0) | (last < 0.0)
        return np.where(none, 1.0, np.maximum(first, 0.0)), np.where(none, 0.0, np.minimum(last, 1.0))


@lru_cache(maxsize=512)
def kind_of(measure: Measure) -> Literal["line", "conic", "other"]:
    """Tell whether a measure's level curves are lines, or all conics, by some at five class sizes."""
    P, N = np.array(((1.0, 3.0, 40.0, 1000.0, 7.0), (1.0, 8.0, 60.0, 20.0, 2e5))).repeat(16, axis=1)
    share = np.tile((np.arange(16) + 0.5) / 16, 5)
    # The second rates are those of a lattice, so that the points lie all over the square.
    bars = true_score(measure, P, N, share, (share * 7.3 + 0.21) % 1.0)
    finite = np.isfinite(bars)
    none = np.zeros(int(finite.sum()), dtype=np.int64)
    levels = _Levels.of(none, P[finite], N[finite], none > 0, bars[finite], (measure,))
    if np.abs(levels.offset(_INNER)).max() < _FIT_ERROR:
        return "line"
    return "other" if (levels.misfit() > _FIT_ERROR).any() else "conic"


def level_curves(
    measures: Sequence[Measure],
    measure_index: IntArray,
    P: FloatArray,
    N: FloatArray,
    bar: FloatArray,
    mirrored: BoolArray | None = None,
) -> Curves:
    """One curve per row, of measure `measure_index` at its bar (negative for losses).

    Where `mirrored`, P and a belong to the negative class.
    """
    mirrored = np.zeros(P.size, dtype=bool) if mirrored is None else mirrored
    # Slices of the same class sizes share their curves.
    keys, row = np.unique(np.stack((measure_index, P, N, mirrored, bar)), axis=1, return_inverse=True)
    of_measure = keys[0].astype(np.int64)
    levels = _Levels.of(of_measure, keys[1], keys[2], keys[3] > 0, keys[4], tuple(measures))
    kinds = np.array([kind_of(measure) for measure in measures])[of_measure]
    offsets = np.zeros((of_measure.size, _INNER.size))
    curved = np.flatnonzero(kinds != "line")
    if curved.size:
        offsets[curved] = levels[curved].offset(_INNER)
    curves = levels.conics(offsets)
    other = np.flatnonzero(kinds == "other")
    other = other[levels[other].misfit() > _FIT_ERROR] if other.size else other
    if other.size:
        from clearbar.inference.splines import NODES, Splines, interpolated

        parts = (levels[rows] for rows in np.array_split(other, other.size * NODES // _CHUNK + 1))
        splines, bends = zip(*(interpolated(piece.offset, piece.P.size) for piece in parts), strict=True)
        curves.spline[other], curves.kink[other] = np.arange(other.size), np.concatenate(bends)
        curves = replace(curves, splines=Splines(*map(np.concatenate, zip(*splines, strict=True))))
    return curves[row.reshape(-1)]


@dataclass(frozen=True, eq=False)
class _Levels(Columns):
    """Where measures are at their bars, one curve per row."""

    measure_index: IntArray
    P: FloatArray
    N: FloatArray
    mirrored: BoolArray
    bar: FloatArray
    constant_sign: FloatArray  # as of `Curves`
    frame: FloatArray  # columns a0, b0, wa and wb
    measures: tuple[Measure, ...]

    shared = 1

    @classmethod
    def of(
        cls,
        measure_index: IntArray,
        P: FloatArray,
        N: FloatArray,
        mirrored: BoolArray,
        bar: FloatArray,
        measures: tuple[Measure, ...],
    ) -> _Levels:
        """Find where curves begin and end."""
        levels = cls(measure_index, P, N, mirrored, bar, np.zeros(P.size), np.zeros((P.size, 4)), measures)
        zero, ones, tie = np.zeros((P.size, 1)), np.ones((P.size, 1)), _TIE * np.abs(bar)
        best, worst = levels.differences(ones, zero)[:, 0], levels.differences(zero, ones)[:, 0]
        sign = np.where(best < -tie, -1.0, np.where(worst > tie, 1.0, 0.0))
        return replace(levels, constant_sign=sign, frame=levels._frame())

    def differences(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """F - c at rates of shape (rows, points); nan where there is no value."""
        out = true_scores(self.measures, self.measure_index, self.mirrored, (self.P, self.N), (a, b))
        return np.clip(out - self.bar[:, None], -_FAR, _FAR)

    def height(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """F - c, where no value at all is the worst."""
        differences = self.differences(a, b)
        return np.where(np.isnan(differences), -np.inf, differences)

    def _frame(self) -> FloatArray:
        """Rates where curves begin, and how far they go in both.

        Each end is looked for on a path from the worst corner (0, 1) to the best one (1, 0): down the left
        side and along the lower one, and along the upper side and down the right one. On either 0 is the
        corner between, where the measure may have no value, or jump.
        """
        tie = (_TIE * np.abs(self.bar))[:, None]

        def along(u: FloatArray, levels: _Levels) -> FloatArray:
            down, right = np.maximum(-u, 0.0), np.maximum(u, 0.0)
            return levels.height(
                np.stack((right[:, 0], 1.0 - down[:, 1]), axis=1),
                np.stack((down[:, 0], 1.0 - right[:, 1]), axis=1),
            )

        corner = np.full((self.P.size, 2), _CORNER)
        before, after = along(-corner, self) > tie, along(corner, self) < -tie
        low = np.where(before, -1.0, np.where(after, _CORNER, 0.0))
        high = np.where(before, -_CORNER, np.where(after, 1.0, 0.0))
        first, second = bracketed_root(along, low, high, (self,)).T
        a0, b0 = np.maximum(first, 0.0), np.maximum(-first, 0.0)
        wa, wb = np.minimum(1.0 + second, 1.0) - a0, np.minimum(1.0 - second, 1.0) - b0
        return np.stack((a0, b0, *(np.where(w > _CORNER, w, 0.0) for w in (wa, wb))), axis=1)

    def conics(self, v: FloatArray) -> Curves:
        """The conics through both ends and the points at _INNER, whose offsets are v."""
        with np.errstate(all="ignore"):
            scale = np.abs(v).max(axis=1)
            straight = scale == 0
            u = (
                v / np.where(straight, 1.0, scale)[:, None]
            )  # of size 1, or minors of a flat curve are rounding
            terms = np.stack((u * u, u, u * _INNER, np.broadcast_to(_INNER * (1.0 - _INNER), u.shape)))
            # The null vector of three equations in A, B, C and D: their minors.
            minors = [_determinant(*np.delete(terms, term, axis=0)) for term in range(4)]
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
        return Curves(self.constant_sign, a0, b0, wa, wb, conic, np.where(pair, kink, np.nan), parting, none)

    def offset(self, s: FloatArray) -> FloatArray:
        """V at s: what lies below and right of the curve has more v."""
        s = np.broadcast_to(s, (self.P.size, s.shape[-1]))

        def height(v: FloatArray, s: FloatArray, levels: _Levels) -> FloatArray:
            a, b, wa, wb = (column[:, None] for column in levels.frame.T)
            return levels.height(a + wa * (s + v), b + wb * (s - v))

        free = (self.constant_sign == 0) & (self.frame[:, 2:] > 0).all(axis=1)
        # What lies on the line but for rounding has v = 0 exactly: lines have shorter ways everywhere.
        on_line = np.abs(height(np.zeros_like(s), s, self)) <= (4 * _TIE * np.abs(self.bar))[:, None]
        straight = ~free[:, None] | on_line
        most = np.where(straight, 0.0, np.minimum(s, 1.0 - s))
        root = bracketed_root(height, -most, most, (s, self), absolute=_STRAIGHT / 64)
        return np.where(straight | (np.abs(root) < _STRAIGHT), 0.0, root)

    def misfit(self) -> FloatArray:
        """The largest distance of the conics from the curves."""
        v = self.offset(np.concatenate((_INNER, _CHECKED)))
        checked = np.broadcast_to(_CHECKED, (self.P.size, _CHECKED.size))
        fitted = self.conics(v[:, : _INNER.size]).offset(checked)[0]
        return np.asarray(np.abs(fitted - v[:, _INNER.size :]).max(axis=1))


def _determinant(x: FloatArray, y: FloatArray, z: FloatArray) -> FloatArray:
    """Of 3x3 matrices with these rows, in the last axis."""
    (a, b, c), (d, e, f), (g, h, i) = x.T, y.T, z.T
    return np.asarray(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g))


GRID = np.sin(np.linspace(0.0, np.pi / 2, 41))[None] ** 2
_SETTLED = 1e-13  # how near, relative to s, the likeliest point of a curve is found


def signed_root(curves: Curves, P: FloatArray, N: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """T of outcomes (x of P, y of N), shape (rows, outcomes): positive below and right of the curve.

    Infinite where there is no curve, or none of its points is possible.
    """
    x, y = np.broadcast_arrays(x, y)
    out = np.empty(x.shape)
    rows = max(1, _CHUNK // (GRID.size * max(1, x.shape[-1])))
    for start in range(0, len(out), rows):
        cut = slice(start, start + rows)
        out[cut] = _signed_root(curves[cut], P[cut, None], N[cut, None], x[cut], y[cut])
    return np.where(
        curves.constant_sign[:, None] == 0, out, np.copysign(np.inf, curves.constant_sign[:, None])
    )


def _signed_root(curves: Curves, P: FloatArray, N: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    least, nearest = np.full(x.shape, np.inf), np.zeros(x.shape)
    zero, ones = np.zeros((len(P), 1)), np.ones((len(P), 1))
    # The curve is closed; either side of a kink may have a likeliest point of its own.
    parts, places = [(zero, ones)], [zero, ones]
    if np.isfinite(curves.kink).any():
        kink = np.nan_to_num(curves.kink, nan=0.5)[:, None]
        parts, places = [(zero, ones), (zero, kink), (kink, ones)], [zero, ones, kink]
    for s in [*places, *(_nearest(curves, P, N, x, y, *ends) for ends in parts)]:
        s = np.broadcast_to(s, x.shape)  # noqa: PLW2901
        on = curves.points(s)
        lacking = rate_deviance(x, P, on.a) + rate_deviance(y, N, on.b)
        nearest, least = np.where(lacking < least, s, nearest), np.minimum(lacking, least)
    on = curves.points(nearest)
    right = np.where(P > 0, x - P * on.a, 0.0) / np.maximum(P, 1.0)
    above = np.where(N > 0, y - N * on.b, 0.0) / np.maximum(N, 1.0)
    return np.copysign(np.where(least > 1e15, np.inf, np.sqrt(2.0 * least)), right - above)


def log_likelihood(
    on: Points, P: FloatArray, N: FloatArray, x: FloatArray, y: FloatArray, *, each: bool = False
) -> FloatArray:
    """Of outcomes, (rows, outcomes), at points: of `each` at its own one, else (rows, outcomes, points)."""
    logs = [np.log(np.maximum(rate, TINY)) for rate in (on.a, 1.0 - on.a, on.b, 1.0 - on.b)]
    counts = np.stack(np.broadcast_arrays(x, P - x, y, N - y), axis=-1)
    return np.asarray(
        (counts * np.stack(logs, axis=-1)).sum(axis=-1) if each else counts @ np.stack(logs, axis=1)
    )


def _nearest(
    curves: Curves,
    P: FloatArray,
    N: FloatArray,
    x: FloatArray,
    y: FloatArray,
    start: FloatArray,
    stop: FloatArray,
) -> FloatArray:
    """S of the most likely point of each curve: where the likelihood stops rising near the best of a grid."""
    grid = start + (stop - start) * GRID
    best = np.argmax(log_likelihood(curves.points(grid), P, N, x, y), axis=-1)
    low = np.take_along_axis(grid, np.maximum(best - 1, 0), axis=1)
    high = np.take_along_axis(grid, np.minimum(best + 1, GRID.size - 1), axis=1)
    # The likelihood may be singular at the ends.
    low = np.where(best == 0, np.maximum(np.nextafter(start, 2.0), 1e-18), low)
    high = np.where(best == GRID.size - 1, np.nextafter(stop, -1.0), high)

    def fall(
        s: FloatArray, curves: Curves, P: FloatArray, N: FloatArray, x: FloatArray, y: FloatArray
    ) -> FloatArray:
        on = curves.points(s)
        a, b = np.maximum(on.a, TINY), np.maximum(on.b, TINY)
        of_x = x / a - (P - x) / np.maximum(1.0 - on.a, TINY)
        of_y = y / b - (N - y) / np.maximum(1.0 - on.b, TINY)
        return -(of_x * on.da + of_y * on.db)

    with np.errstate(all="ignore"):
        return bracketed_root(fall, low, high, (curves, P, N, x, y), _SETTLED)
