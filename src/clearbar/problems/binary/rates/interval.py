"""The interval of the true score: the hull of the bars that are not refuted.

Bars are looked for along a straight path from the observed rates to the worst corner (for the lower end) or
the best one. p is not monotone there: it jumps where outcomes enter or leave the tail. Between two bars all
tails lie within the union of both, whose probability at the nearer bar bounds p in between; what the bound
does not clear is split. So the outermost bar that is not refuted is found, up to _BEYOND in units of T.
Where tables are large the jumps are small, and a secant on the normal scale finds the end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
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
from clearbar.problems.binary.rates.worst import one_sided, with_boundaries

_JUMPY = 4e4
"""Tables (P times N) up to which jumps are looked for one by one."""
_BEYOND = 1.5
_GRID = 12
_PARTS = 5
_WIDTH = 1e-6
"""Ends are found to this part of the path from T = z/2 to T = z + _BEYOND."""
_ROUNDS = 60
_SECANTS = 8
_NEAREST, _GUESSES = 1e-8, 40
_NORMAL = NormalDist()


@dataclass(frozen=True)
class Ends:
    """Ends of intervals to look for, one per row: of which measure, table, and side."""

    measures: tuple[Measure, ...]
    number: IntArray
    boxes: Boxes
    upper: BoolArray

    def __getitem__(self, rows: Any) -> Ends:
        """Select ends by their numbers."""
        return Ends(self.measures, self.number[rows], self.boxes[rows], self.upper[rows])

    def bars(self, along: FloatArray) -> FloatArray:
        """Bars at a part of the way from the observed rates to the worst or best corner; losses negative."""
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
        bars, scores = self.bars(along), self.bars(np.zeros_like(along))
        groups = [np.flatnonzero(self.number == number) for number in np.unique(self.number)]
        side = questions(
            [(self.measures[self.number[at[0]]], self.boxes[at], bars[at], scores[at]) for at in groups]
        )
        side = side[np.argsort(np.concatenate(groups), kind="stable")].filled()
        other = side.P > side.N
        return side.swapped(other).flipped(other ^ self.upper)

    def distance(self, along: FloatArray) -> FloatArray:
        """|T| of the observed table at the bars."""
        return np.minimum(np.abs(self.sides(along).t), 1e6)


def intervals(
    measures: Sequence[Measure], counts: Counts, level: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Ends of the intervals of several measures' true scores, shape (measures, *counts.shape)."""
    cells = np.stack([np.asarray(cell, dtype=np.float64).reshape(-1) for cell in counts.cells])
    tables, table = np.unique(cells, axis=1, return_inverse=True)
    boxes = Boxes.of(tables)
    count = tables.shape[1]
    number, place, upper = (
        part.reshape(-1)
        for part in np.meshgrid(np.arange(len(measures)), np.arange(count), (False, True), indexing="ij")
    )
    ends = Ends(tuple(measures), number, boxes[place], upper)
    score = ends.bars(np.zeros(number.size))
    known = np.flatnonzero(np.isfinite(score))
    found = np.full(number.size, np.nan)
    if known.size:
        found[known] = _bars_of_ends(ends[known], (1.0 - level) / 2)
    sign = np.array([-1.0 if m.greater_is_better is False else 1.0 for m in measures])[:, None]
    low, high = found.reshape(len(measures), count, 2).transpose(2, 0, 1) * sign
    low, high = np.where(sign < 0, high, low) + 0.0, np.where(sign < 0, low, high) + 0.0
    shape = (len(measures), *counts.shape)
    table = table.reshape(-1)
    return low[:, table].reshape(shape), high[:, table].reshape(shape)


def interval(measure: Measure, counts: Counts, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Ends of the interval of one measure's true score; nan where the score has no value."""
    low, high = intervals((measure,), counts, level)
    return low[0], high[0]


def _bars_of_ends(ends: Ends, tail: float) -> FloatArray:
    """The outermost bar whose p is above `tail`, the end of the range where none is refuted."""
    z = -_NORMAL.inv_cdf(tail)
    last = 1.0 - 1e-9
    start, stop, guess = _at_distances(ends, (0.5 * z, z + _BEYOND, z), last)
    small = ends.boxes.P * ends.boxes.N <= _JUMPY
    along = np.ones_like(stop)
    jumpy, smooth = np.flatnonzero(small), np.flatnonzero(~small & (guess < last))
    if jumpy.size:
        along[jumpy] = _hull(ends[jumpy], start[jumpy], stop[jumpy], tail)
    if smooth.size:
        along[smooth] = _secant(ends[smooth], guess[smooth], start[smooth], stop[smooth], tail)
    bars = ends.bars(along)
    return np.where(np.isnan(bars), ends.bars(np.minimum(along, last)), bars)


def _at_distances(ends: Ends, distances: Sequence[float], last: float) -> list[FloatArray]:
    """About where |T| of the observed table is so large: it is nearly in proportion to the way."""
    ways = np.append(np.geomspace(_NEAREST, 0.8, _GUESSES), last)
    count = ends.upper.size
    t = ends[np.repeat(np.arange(count), ways.size)].distance(np.tile(ways, count)).reshape(count, -1)
    rise = np.maximum.accumulate(np.log(np.maximum(t, 1e-300)), axis=1)
    found = [[np.interp(math.log(to), row, np.log(ways)) for row in rise] for to in distances]
    return [np.minimum(np.exp(np.array(one)), last) for one in found]


def _hull(ends: Ends, start: FloatArray, stop: FloatArray, tail: float) -> FloatArray:
    """Part of the way to the outermost bar that is not refuted: what the bound does not clear is split."""
    found = np.zeros_like(start)
    least = _WIDTH * (stop - start)
    shares = np.concatenate(([0.0], np.linspace(0.0, 1.0, _GRID + 1)))
    cuts = start[:, None] + (stop - start)[:, None] * shares
    cuts[:, 0] = 0.0
    waiting: list[list[tuple[float, float]]] = [[] for _ in start]  # parts to look at, innermost first
    roots: dict[int, tuple[float, float]] = {}  # parts in which p crosses and no outcome enters or leaves
    active = np.arange(start.size)
    for _ in range(_ROUNDS):
        flagged, smooth = _flagged(ends[active], cuts, tail)
        for k, row in enumerate(active.tolist()):
            low, high = cuts[k, :-1][flagged[k]], cuts[k, 1:][flagged[k]]
            waiting[row] += list(zip(low.tolist(), high.tolist(), strict=True))
            if smooth[k]:
                roots[row] = waiting[row].pop()
        active = np.array([row for row in active if waiting[row] and row not in roots], dtype=np.int64)
        spans = np.array([waiting[row][-1] for row in active]).reshape(-1, 2)
        found[active] = spans[:, 1]
        wide = spans[:, 1] - spans[:, 0] > least[active]
        active, spans = active[wide], spans[wide]
        if not active.size:
            break
        for row in active:
            waiting[row].pop()
        cuts = spans[:, :1] + (spans[:, 1:] - spans[:, :1]) * np.linspace(0.0, 1.0, _PARTS + 1)
    if roots:
        rows, spans = np.array([*roots]), np.array([*roots.values()])
        found[rows] = _smooth_root(ends[rows], spans[:, 0], spans[:, 1], tail)
    return found


def _flagged(ends: Ends, cuts: FloatArray, tail: float) -> tuple[BoolArray, BoolArray]:
    """Which parts may hold a bar that is not refuted; and whether the tail is the same all over the last."""
    count, points = cuts.shape
    every = ends[np.repeat(np.arange(count), points)]
    side = every.sides(cuts.reshape(-1))
    p, y = with_boundaries(side)
    p, y = p.reshape(count, points), y.reshape(count, points, -1)
    same = (y[:, 1:] == y[:, :-1]).all(axis=2)
    bound = p[:, :-1].copy()
    k, part = np.nonzero(~same & (bound <= tail))
    if k.size:
        union = np.maximum(y[k, part], y[k, part + 1])
        bound[k, part] = one_sided(side[k * points + part], boundary=union).p
    flagged = bound > tail
    outermost = points - 2 - np.argmax(flagged[:, ::-1], axis=1)
    rows = np.arange(count)
    smooth = flagged.any(axis=1) & same[rows, outermost] & (p[rows, outermost + 1] <= tail)
    return flagged, smooth & (p[rows, outermost] > tail)


def _smooth_root(ends: Ends, low: FloatArray, high: FloatArray, tail: float) -> FloatArray:
    """Where p crosses `tail` while no outcome enters or leaves."""
    _, boundary = with_boundaries(ends.sides(low))

    def over(along: FloatArray) -> FloatArray:
        return np.asarray(np.log(tail) - np.log(one_sided(ends.sides(along), boundary=boundary).p))

    return bracketed_root(over, low, high, relative=1e-6)


def _secant(ends: Ends, guess: FloatArray, start: FloatArray, stop: FloatArray, tail: float) -> FloatArray:
    """Where p crosses `tail`, by secants on the normal scale."""
    z = -_NORMAL.inv_cdf(tail)

    def scaled(rows: IntArray) -> FloatArray:
        p = np.clip(one_sided(ends[rows].sides(along[rows])).p, 1e-12, 1.0 - 1e-12)
        return -np.array([_NORMAL.inv_cdf(value) for value in p])

    along, rows = guess.copy(), np.arange(guess.size)
    before, at_before = np.zeros_like(guess), np.zeros_like(guess)
    for _ in range(_SECANTS):
        at = scaled(rows)
        off = np.abs(at - z) >= 1e-4
        rows, at = rows[off], at[off]
        if not rows.size:
            break
        here, rise = along[rows], at - at_before[rows]
        step = (z - at) * (here - before[rows]) / np.where(np.abs(rise) > 1e-9, rise, np.inf)
        before[rows], at_before[rows] = here, at
        along[rows] = np.clip(here + step, start[rows], stop[rows])
    return along
