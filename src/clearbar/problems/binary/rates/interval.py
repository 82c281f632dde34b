"""The interval of the true score: the hull of the bars that are not refuted.

Bars are looked for along a straight path from the observed rates to the worst corner (for the lower end) or
the best one. p is nearly the normal tail of T, so that a step or two in T lead close to the end. But p is not
monotone: it jumps where outcomes enter or leave the tail. Between two bars all tails lie within the union of
both, whose probability at the nearer bar bounds p in between; what the bound does not clear is split. So the
outermost bar that is not refuted is found, up to _BEYOND in units of T. Where tables are large the jumps are
small, and the steps in T are all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Counts
from clearbar.problems.binary.rates.fit import true_score
from clearbar.problems.binary.rates.question import Boxes, questions
from clearbar.problems.binary.rates.roots import bracketed_root
from clearbar.problems.binary.rates.side import Side
from clearbar.problems.binary.rates.worst import boundaries, one_sided

_JUMPY = 4e4, 2.5e3
"""Tables (P times N), and product of the variances of TP and FP, up to which jumps are looked for."""
_BEYOND = 1.5
_AROUND = np.array((-0.08, -0.03, 0.03, 0.08, 0.2, 0.4, 0.8, _BEYOND))
"""Distances in T from where the end is expected to the bars that are looked at first."""
_AHEAD = np.array((0.02, 0.05, 0.1, 0.2, 0.4, 0.8, _BEYOND))
"""Distances in T from a bar that is refuted to the worse ones that are looked at."""
_BETWEEN = 101
"""Bars that are looked at between a bar that is refuted and the worst that is not."""
_GRID = 12
_BARS, _PARTS = 96, (6, 24)
"""Bars that are looked at together, about; fewest and most parts into which what is in doubt is split."""
_WIDTH = 1e-6
"""Ends are found to this part of the path to T = z + _BEYOND."""
_ROUNDS = 60
_STEPS = 8
_NEAR, _CLOSE = 0.15, 0.02
"""How near to z, on the normal scale of p, the last step begins: if jumps are looked for next, and if not."""
_NODES = np.cos(np.pi * (np.arange(5) + 0.5) / 5)
_PLACES, _NEARER, _LAST = 44, 20.0, 14.0
"""Places that are looked at along a path, as logits of the part before them: from M * _NEARER parts on."""
_ALMOST = 1.0 - 1e-9
_NORMAL = NormalDist()


@dataclass(frozen=True)
class Ends:
    """Ends of intervals to look for, one per row: of which measure, table, and side; losses negative."""

    measures: tuple[Measure, ...]
    number: IntArray
    boxes: Boxes
    upper: BoolArray
    score: FloatArray

    @classmethod
    def of(cls, measures: Sequence[Measure], boxes: Boxes) -> Ends:
        """Both ends of all tables for every measure."""
        numbers = np.arange(len(measures)), np.arange(boxes.P.size), (False, True)
        number, place, upper = (part.reshape(-1) for part in np.meshgrid(*numbers, indexing="ij"))
        ends = cls(tuple(measures), number, boxes[place], upper, np.empty(0))
        return replace(ends, score=ends.bars(np.zeros(number.size)))

    def __getitem__(self, rows: Any) -> Ends:
        """Select ends by their numbers."""
        return Ends(self.measures, self.number[rows], self.boxes[rows], self.upper[rows], self.score[rows])

    def bars(self, along: FloatArray) -> FloatArray:
        """Bars at a part of the way from the observed rates to the worst or best corner."""
        x, y, P, N = self.boxes.x, self.boxes.y, self.boxes.P, self.boxes.N
        a, b = x / np.maximum(P, 1.0), y / np.maximum(N, 1.0)
        to_a, to_b = self.upper.astype(np.float64), 1.0 - self.upper
        a, b = a + along * (to_a - a), b + along * (to_b - b)
        out = np.empty(along.shape)
        for number in np.unique(self.number):
            rows = np.flatnonzero(self.number == number)
            out[rows] = true_score(self.measures[number], P[rows], N[rows], a[rows], b[rows])
        return out

    def sides(self, along: FloatArray) -> Side:
        """The questions whether the true score lies on the score's side of the bars."""
        bars = self.bars(along)
        groups = [np.flatnonzero(self.number == number) for number in np.unique(self.number)]
        side = questions(
            [(self.measures[self.number[at[0]]], self.boxes[at], bars[at], self.score[at]) for at in groups],
            filled=True,
        )
        side = side[np.argsort(np.concatenate(groups), kind="stable")]
        return side.above(below=self.upper)


def intervals(
    measures: Sequence[Measure], counts: Counts, level: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Ends of the intervals of several measures' true scores, shape (measures, *counts.shape)."""
    cells = np.stack([np.asarray(cell, dtype=np.float64).reshape(-1) for cell in counts.cells])
    tables, table = np.unique(cells, axis=1, return_inverse=True)
    count = tables.shape[1]
    ends = Ends.of(measures, Boxes.of(tables))
    known = np.flatnonzero(np.isfinite(ends.score))
    bars = np.full(ends.score.size, np.nan)
    if known.size:
        bars[known] = _bars_of_ends(ends[known], (1.0 - level) / 2)
    sign = np.array([-1.0 if m.greater_is_better is False else 1.0 for m in measures])[:, None]
    low, high = bars.reshape(len(measures), count, 2).transpose(2, 0, 1) * sign
    low, high = np.where(sign < 0, high, low) + 0.0, np.where(sign < 0, low, high) + 0.0
    shape = (len(measures), *counts.shape)
    table = table.reshape(-1)
    return low[:, table].reshape(shape), high[:, table].reshape(shape)


def interval(measure: Measure, counts: Counts, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Ends of the interval of one measure's true score; nan where the score has no value."""
    low, high = intervals((measure,), counts, level)
    return low[0], high[0]


def p_of_worse_bars(measure: Measure, counts: Counts, bars: FloatArray, level: float) -> FloatArray:
    """Two-sided p of the worse bar that is refuted least, for scores above bars that are refuted themselves.

    nan where every worse bar is refuted, too, so that the interval does not hold the bar. One row per table;
    where tables are large p has no jumps to speak of.
    """
    tables = np.stack([np.asarray(cell, dtype=np.float64).reshape(-1) for cell in counts.cells])
    least_refuted = np.full(tables.shape[1], np.nan)
    small = np.flatnonzero(_jumpy(Boxes.of(tables)))
    if not small.size:
        return least_refuted
    ends = Ends.of((measure,), Boxes.of(tables[:, small]))
    ends = ends[~ends.upper]
    bar = bars[small] * (-1.0 if measure.greater_is_better is False else 1.0)
    at = bracketed_root(lambda along: bar - ends.bars(along), np.zeros(bar.size), np.ones(bar.size))
    ways, t = Ways.of(ends), np.abs(ends.sides(at).t)
    cuts = np.maximum(_part(ways.place(t[:, None] + _AHEAD)), at[:, None])
    end = _outermost(ends, np.column_stack((at, cuts)), (1.0 - level) / 2)
    for row in np.flatnonzero(end > at + 2 * _WIDTH * cuts[:, -1]):
        along = np.linspace(at[row], end[row], _BETWEEN)
        p = 2.0 * one_sided(ends[np.full(_BETWEEN, row)].sides(along)).p
        least_refuted[small[row]] = np.clip(p.max(), np.nextafter(1.0 - level, 1.0), 1.0)
    return least_refuted


@dataclass(frozen=True)
class Ways:
    """How far |T| of the observed table is along each path, at places whose scale is dense at both ends."""

    places: FloatArray
    rise: FloatArray

    @classmethod
    def of(cls, ends: Ends) -> Ways:
        """Look at many places of each path."""
        first = -np.log(_NEARER * np.maximum(ends.boxes.P + ends.boxes.N, 1.0))
        places = np.linspace(first, _LAST, _PLACES, axis=1)
        rows = np.repeat(np.arange(first.size), _PLACES)
        t = np.abs(ends[rows].sides(_part(places.reshape(-1))).t)
        t = np.clip(t, 1e-300, 1e6).reshape(places.shape)
        return cls(places, np.maximum.accumulate(np.log(t), axis=1))

    def __getitem__(self, rows: Any) -> Ways:
        """Select paths by their numbers."""
        return Ways(self.places[rows], self.rise[rows])

    def place(self, t: FloatArray) -> FloatArray:
        """Place on each path where |T| is about t; t of shape (paths, ...)."""
        paths = zip(np.log(np.maximum(t, 1e-300)), self.rise, self.places, strict=True)
        return np.array([np.interp(*path) for path in paths]).reshape(t.shape)


def _jumpy(boxes: Boxes) -> BoolArray:
    """Whether so few outcomes are likely that p jumps as one of them enters or leaves the tail."""
    tables, variances = _JUMPY
    tp, fp = (
        1.0 + count * (1.0 - count / np.maximum(size, 1.0))
        for count, size in ((boxes.x, boxes.P), (boxes.y, boxes.N))
    )
    size = boxes.P * boxes.N
    return np.asarray((size <= tables) | (tp * fp <= variances))


def _part(place: FloatArray) -> FloatArray:
    """Part of a path before a place."""
    return 1.0 / (1.0 + np.exp(-place))


def _bars_of_ends(ends: Ends, tail: float) -> FloatArray:
    """The outermost bar whose p is above `tail`, the end of the range where none is refuted."""
    z, ways = -_NORMAL.inv_cdf(tail), Ways.of(ends)
    t = np.full(ends.upper.size, z)
    place = ways.place(t)
    reached, small = place < _LAST, _jumpy(ends.boxes)
    for where, near in ((small, _NEAR), (~small, _CLOSE)):
        rows = np.flatnonzero(where & reached)
        place[rows], t[rows] = _steps(ends[rows], ways[rows], place[rows], z, near)
    along, rows = _part(place), np.flatnonzero(small)
    along[rows] = _hull(ends[rows], ways[rows], t[rows], z, tail)
    along = np.where(along < _part(np.array(_LAST)), along, 1.0)
    bars = ends.bars(along)
    return np.where(np.isnan(bars), ends.bars(np.minimum(along, _ALMOST)), bars)


def _steps(ends: Ends, ways: Ways, place: FloatArray, z: float, near: float) -> tuple[FloatArray, FloatArray]:
    """Where p has about the normal quantile z, and T there: secants in T, until one begins near."""
    rows, place, to = np.arange(place.size), place.copy(), np.full(place.size, z)
    before, at_before = np.full((2, place.size), np.nan)
    for _ in range(_STEPS if rows.size else 0):
        side = ends[rows].sides(_part(place[rows]))
        t, p = np.abs(side.t), np.clip(one_sided(side).p, 1e-12, 1.0 - 1e-12)
        at = -np.array([_NORMAL.inv_cdf(value) for value in p])
        with np.errstate(divide="ignore", invalid="ignore"):
            rise = (at - at_before[rows]) / (t - before[rows])
        before[rows], at_before[rows] = t, at
        to[rows] = t + (z - at) / np.clip(np.nan_to_num(rise, nan=1.0), 0.5, 2.0)
        place[rows] += ways[rows].place(to[rows]) - ways[rows].place(t)
        rows = rows[(np.abs(at - z) > near) & (place[rows] < _LAST)]
        if not rows.size:
            break
    if rows.size:  # secants have not arrived
        tail, far = _NORMAL.cdf(-z), np.full(rows.size, _LAST)
        place[rows] = bracketed_root(
            lambda at: tail - one_sided(ends[rows].sides(_part(at))).p,
            ways.places[rows, 0],
            far,
            relative=1e-7,
        )
        to[rows] = np.abs(ends[rows].sides(_part(place[rows])).t)
    return np.minimum(place, _LAST), to


def _hull(ends: Ends, ways: Ways, t: FloatArray, z: float, tail: float) -> FloatArray:
    """Part of the way to the outermost bar that is not refuted: near where T is t, or else anywhere."""
    outermost = np.zeros_like(t)
    if t.size:
        outermost = _outermost(ends, _part(ways.place(t[:, None] + _AROUND)), tail)
    rows = np.flatnonzero(outermost == 0.0)
    if rows.size:
        t = np.concatenate(([0.0], np.linspace(0.5 * z, z + _BEYOND, _GRID + 1)))
        cuts = _part(ways[rows].place(np.broadcast_to(t, (rows.size, t.size))))
        cuts[:, 0] = 0.0
        outermost[rows] = _outermost(ends[rows], cuts, tail)
    return outermost


def _outermost(ends: Ends, cuts: FloatArray, tail: float) -> FloatArray:
    """The outermost bar between cuts that is not refuted, 0 where all are: what is in doubt is split."""
    outermost = np.zeros(len(cuts))
    least = _WIDTH * cuts[:, -1]
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
        parts = int(np.clip(_BARS // active.size, *_PARTS))
        cuts = spans[:, :1] + (spans[:, 1:] - spans[:, :1]) * np.linspace(0.0, 1.0, parts + 1)
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
    bound = one_sided(side[before], boundary=np.maximum(y[before], y[after])).p.reshape(count, -1)
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
    p = one_sided(ends[rows].sides(along), boundary=boundary[rows]).p.reshape(-1, _NODES.size)
    fit = np.polynomial.chebyshev.chebfit(_NODES, np.log(p).T, _NODES.size - 1)

    def over(place: FloatArray) -> FloatArray:
        return np.asarray(np.log(tail) - np.polynomial.chebyshev.chebval(place, fit, tensor=False))

    return middle + half * bracketed_root(over, -np.ones_like(low), np.ones_like(low), relative=1e-9)
