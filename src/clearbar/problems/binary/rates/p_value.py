"""Question A: how surprising is the score if the model's true score is the bar?

The p-value of a side is the largest probability, at true rates inside the confidence box at which the true
score is the bar or worse, of an outcome at least as far out as the observed one, plus what the box costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.counts import Counts
from clearbar.problems.binary.rates.question import Boxes, questions
from clearbar.problems.binary.rates.side import Side
from clearbar.problems.binary.rates.tail import ROUTES
from clearbar.problems.binary.rates.worst import one_sided

_TOGETHER = 2**11
"""Tables whose questions are held at once."""


class Tails(NamedTuple):
    """p-values per table: above the bar, below it, and two-sided; and the route that was taken."""

    above: FloatArray
    below: FloatArray
    two_sided: FloatArray
    route: Any


def p_values(
    measures: Measure | Sequence[Measure],
    counts: Counts,
    bars: FloatArray | Sequence[FloatArray],
    *,
    route: str | None = None,
    both_sides: bool = False,
) -> Tails:
    """p-values of question A for a measure at its bars, or for several measures (a leading axis).

    The side on which the score does not lie is given as 1 where it cannot matter, unless asked for.
    nan where the score or the bar has no value.
    """
    several = not isinstance(measures, Measure)
    judged = (measures,) if isinstance(measures, Measure) else tuple(measures)
    bars = np.asarray(bars, dtype=np.float64)
    if several:
        bars = bars.reshape(len(judged), *(1,) * (len(counts.shape) + 1 - bars.ndim), *bars.shape[1:])
    every = np.broadcast_to(bars, (len(judged), *counts.shape)).reshape(len(judged), -1)
    cells = np.stack([np.asarray(cell, dtype=np.float64).reshape(-1) for cell in counts.cells])
    above, below = np.empty(every.shape), np.empty(every.shape)
    route_taken = np.empty(every.shape, dtype=f"<U{max(map(len, ROUTES))}")
    order = np.lexsort(cells)  # equal tables next to one another
    for start in range(0, order.size, _TOGETHER):
        cut = order[start : start + _TOGETHER]
        answer = _flat(judged, cells[:, cut], every[:, cut], route, both=both_sides)
        above[:, cut], below[:, cut], route_taken[:, cut] = answer
    shape = (len(judged), *counts.shape) if several else counts.shape
    two = np.minimum(2.0 * np.minimum(above, below), 1.0)
    return Tails(*(column.reshape(shape) for column in (above, below, two, route_taken)))


def _flat(
    measures: tuple[Measure, ...], cells: FloatArray, bars: FloatArray, route: str | None, *, both: bool
) -> tuple[FloatArray, FloatArray, Any]:
    """P of both sides per measure and table: equal tables have one box, and equal curves one test."""
    tables, table = np.unique(cells, axis=1, return_inverse=True)
    table = table.reshape(-1)
    boxes = Boxes.of(tables)
    above, below = np.full(bars.shape, np.nan), np.full(bars.shape, np.nan)
    taken = np.full(bars.shape, "", dtype=f"<U{max(map(len, ROUTES))}")
    judged, places = [], []
    for number, measure in enumerate(measures):
        sign = -1.0 if measure.greater_is_better is False else 1.0
        with np.errstate(all="ignore"):
            bar, score = sign * bars[number], sign * measure.values(*cells)
        rows = np.flatnonzero(np.isfinite(score) & np.isfinite(bar))
        if rows.size:
            judged.append((measure, boxes[table[rows]], bar[rows], score[rows]))
            places.append((np.full(rows.size, number), rows))
    if not judged:
        return above, below, taken
    side = questions(judged)
    which, rows = (np.concatenate(part) for part in zip(*places, strict=True))
    side = side if both else side.filled()
    key = np.column_stack((table[rows], side.curves.keys(), side.t == 0, side.holes))
    _, one, back = np.unique(key, axis=0, return_index=True, return_inverse=True)
    back = back.reshape(-1)
    up, down, routes = both_sides_of(side[one], route, both=both)
    above[which, rows], below[which, rows] = up[back], down[back]
    taken[which, rows] = np.array(ROUTES)[routes[back]]
    return above, below, taken


def both_sides_of(
    side: Side, route: str | None = None, *, both: bool = False
) -> tuple[FloatArray, FloatArray, IntArray]:
    """P of both sides; that of the wrong side only where it could be the smaller one, or is asked for."""
    p = np.ones((2, side.t.size))
    routes = np.full(side.t.size, ROUTES.index("rows"))
    first = np.where(side.t > 0, 0, 1)
    for wrong in (False, True):
        for number in (0, 1):
            rows = (side.t != 0) & ((first == number) != wrong)
            rows &= not wrong or both or (p[1 - number] >= 0.5)
            rows = np.flatnonzero(rows)
            if rows.size:
                part = side[rows] if wrong else side[rows].filled()
                answer = one_sided(part.above(below=number == 1), route)
                p[number, rows] = answer.p
                if not wrong:
                    routes[rows] = answer.route
    return p[0], p[1], routes
