"""The interval of the true score: the hull of the bars that are not refuted.

p is nearly the normal tail of T, so that a step or two in T lead close to the end. But p is not monotone: it
jumps where outcomes enter or leave the tail. So the outermost bar that is not refuted is looked for, up to
_BEYOND in units of T. Where tables are large the jumps are small, and the steps in T are all.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray
from clearbar.core.counts import Counts
from clearbar.problems.binary.rates.ends import LAST, Distances, Ends, part_before
from clearbar.problems.binary.rates.outermost import WIDTH, outermost_bar
from clearbar.problems.binary.rates.roots import bracketed_root
from clearbar.problems.binary.rates.side import Boxes, cells_of
from clearbar.problems.binary.rates.worst import one_sided

_JUMPY = 4e4, 2.5e3
"""Tables (P times N), and product of the variances of TP and FP, up to which jumps are looked for."""
_BEYOND = 1.5
_AROUND = np.array((-0.08, -0.03, 0.03, 0.08, 0.2, 0.4, 0.8, _BEYOND))
"""Distances in T from where the end is expected to the bars that are looked at first."""
_AHEAD = np.array((0.15, 0.6, _BEYOND))
"""Distances in T from a bar that is refuted to the worse ones that are looked at."""
_FURTHER = 1.5
"""By how much more than T is asked the way is taken, along which T need not rise evenly."""
_JUMP = 0.8
"""How far one p may be above that of a better bar: the chance of one count at the tail's edge, times this.

The furthest seen is 0.54, among some 13,000 tables of 2 to 600 samples at levels of 0.1, 0.05 and 0.01.
"""
_BETWEEN = 101
"""Bars that are looked at between a bar that is refuted and the worst that is not."""
_GRID = 12
"""Parts of the way in T to z + _BEYOND in which bars are looked for where none is found near z."""
_STEPS = 8
"""Most secants."""
_NEAR, _CLOSE = 0.15, 0.02
"""How near to z, on the normal scale of p, the last step begins: if jumps are looked for next, and if not."""
_ALMOST = 1.0 - 1e-9
"""Part of a path that is looked at where its last point has no true score."""
_NORMAL = NormalDist()


def intervals(
    measures: Sequence[Measure], counts: Counts, level: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Ends of the intervals of several measures' true scores, shape (measures, *counts.shape)."""
    tables, table = np.unique(cells_of(counts), axis=1, return_inverse=True)
    ends = Ends.of(measures, Boxes.of(tables))
    known = np.flatnonzero(np.isfinite(ends.score))
    bars = np.full(ends.score.size, np.nan)
    if known.size:
        bars[known] = _bars_of_ends(ends[known], (1.0 - level) / 2)
    lower, upper = bars.reshape(len(measures), -1, 2)[:, table.reshape(-1)].transpose(2, 0, 1)
    loss = np.array([measure.greater_is_better is False for measure in measures])[:, None]
    low, high = np.where(loss, -upper, lower), np.where(loss, -lower, upper)
    shape = (len(measures), *counts.shape)
    return low.reshape(shape) + 0.0, high.reshape(shape) + 0.0  # no zero is negative


def may_be_inside(counts: Counts, p: FloatArray, level: float) -> BoolArray:
    """Whether an interval may hold a bar whose two-sided p is at most 1 - level.

    p jumps as a count of the class that varies less enters the tail, whose chance there is about the density
    of the normal law over the standard deviation. `p` has the shape of the counts, or one more axis.
    """
    x, y, P, N = counts.tp, counts.fp, counts.positives, counts.negatives
    least = np.minimum(*(1.0 + c * (1.0 - c / np.maximum(size, 1.0)) for c, size in ((x, P), (y, N))))
    jump = 2.0 * _JUMP * _NORMAL.pdf(_NORMAL.inv_cdf((1.0 - level) / 2)) / np.sqrt(least)
    jump = jump.reshape(jump.shape + (1,) * (p.ndim - jump.ndim))
    return np.asarray((p <= 1.0 - level) & (p + jump > 1.0 - level))


def p_of_worse_bars(measure: Measure, counts: Counts, bars: FloatArray, level: float) -> FloatArray:
    """Two-sided p of the worse bar that is refuted least, for scores above bars that are refuted themselves.

    nan where every worse bar is refuted, too, so that the interval does not hold the bar. One row per table;
    where tables are large p has no jumps to speak of.
    """
    different, table = np.unique(np.vstack((cells_of(counts), bars)), axis=1, return_inverse=True)
    tables, bar = different[:-1], different[-1] * (-1.0 if measure.greater_is_better is False else 1.0)
    least_refuted = np.full(bar.size, np.nan)
    boxes = Boxes.of(tables)
    small = np.flatnonzero(_jumpy(boxes))
    if not small.size:
        return least_refuted[table.reshape(-1)]
    ends, bar = Ends.of((measure,), boxes[small]), bar[small]
    ends = ends[~ends.upper]
    at = bracketed_root(lambda along: bar - ends.bars(along), np.zeros(bar.size), np.ones(bar.size))
    t = np.abs(ends.sides(at).t)
    # T grows about as the way does, and is looked at somewhat further than that says.
    ahead = at[:, None] * (1.0 + _FURTHER * _AHEAD / np.maximum(t, _AHEAD[0])[:, None])
    cuts = np.minimum(ahead, part_before(np.array(LAST)))
    end = outermost_bar(ends, np.column_stack((at, cuts)), (1.0 - level) / 2)
    rows = np.flatnonzero(end > at + 2 * WIDTH * cuts[:, -1])
    if rows.size:
        along = np.linspace(at[rows], end[rows], _BETWEEN, axis=1)
        p = one_sided(ends[np.repeat(rows, _BETWEEN)].sides(along.reshape(-1))).reshape(along.shape)
        least_refuted[small[rows]] = np.clip(2.0 * p.max(axis=1), np.nextafter(1.0 - level, 1.0), 1.0)
    return least_refuted[table.reshape(-1)]


def _jumpy(boxes: Boxes) -> BoolArray:
    """Whether so few outcomes are likely that p jumps as one of them enters or leaves the tail."""
    tables, variances = _JUMPY
    tp, fp = (
        1.0 + count * (1.0 - count / np.maximum(size, 1.0))
        for count, size in ((boxes.x, boxes.P), (boxes.y, boxes.N))
    )
    size = boxes.P * boxes.N
    return np.asarray((size <= tables) | (tp * fp <= variances))


def _bars_of_ends(ends: Ends, tail: float) -> FloatArray:
    """The outermost bar whose p is above `tail`, the end of the range where none is refuted."""
    z, distances, small = -_NORMAL.inv_cdf(tail), Distances.of(ends), _jumpy(ends.boxes)
    t, near = np.full(small.size, z), np.where(small, _NEAR, _CLOSE)
    place = distances.place(t)
    rows = np.flatnonzero(place < LAST)
    place[rows], t[rows] = _steps(ends[rows], distances[rows], place[rows], z, near[rows])
    along, rows = part_before(place), np.flatnonzero(small)
    along[rows] = _hull(ends[rows], distances[rows], t[rows], z, tail)
    along = np.where(along < part_before(np.array(LAST)), along, 1.0)
    bars = ends.bars(along)
    return np.where(np.isnan(bars), ends.bars(np.minimum(along, _ALMOST)), bars)


def _steps(
    ends: Ends, distances: Distances, place: FloatArray, z: float, near: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Where p has about the normal quantile z, and T there: secants in T, until one begins near."""
    rows, place, t = np.arange(place.size), place.copy(), np.full(place.size, z)
    t_before, quantile_before = np.full((2, place.size), np.nan)
    for _ in range(_STEPS if rows.size else 0):
        side = ends[rows].sides(part_before(place[rows]))
        t_here, p = np.abs(side.t), np.clip(one_sided(side), 1e-12, 1.0 - 1e-12)
        quantile = -np.array([_NORMAL.inv_cdf(value) for value in p])
        with np.errstate(divide="ignore", invalid="ignore"):
            rise = (quantile - quantile_before[rows]) / (t_here - t_before[rows])
        t_before[rows], quantile_before[rows] = t_here, quantile
        t[rows] = t_here + (z - quantile) / np.clip(np.nan_to_num(rise, nan=1.0), 0.5, 2.0)
        place[rows] += distances[rows].place(t[rows]) - distances[rows].place(t_here)
        rows = rows[(np.abs(quantile - z) > near[rows]) & (place[rows] < LAST)]
        if not rows.size:
            break
    if rows.size:  # secants have not arrived
        tail, left = _NORMAL.cdf(-z), ends[rows]
        place[rows] = bracketed_root(
            lambda place: tail - one_sided(left.sides(part_before(place))),
            distances.places[rows, 0],
            np.full(rows.size, LAST),
            relative=1e-7,
        )
        t[rows] = np.abs(left.sides(part_before(place[rows])).t)
    return np.minimum(place, LAST), t


def _hull(ends: Ends, distances: Distances, t: FloatArray, z: float, tail: float) -> FloatArray:
    """Part of the way to the outermost bar that is not refuted: near where T is t, or else anywhere."""
    outermost = np.zeros_like(t)
    if t.size:
        outermost = outermost_bar(ends, part_before(distances.place(t[:, None] + _AROUND)), tail)
    rows = np.flatnonzero(outermost == 0.0)
    if rows.size:
        t = np.concatenate(([0.0], np.linspace(0.5 * z, z + _BEYOND, _GRID + 1)))
        cuts = part_before(distances[rows].place(np.broadcast_to(t, (rows.size, t.size))))
        cuts[:, 0] = 0.0
        outermost[rows] = outermost_bar(ends[rows], cuts, tail)
    return outermost
