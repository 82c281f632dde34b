"""Question A: how surprising is the score if the model's true score is the bar?

The p-value of a side is the largest probability, at true rates inside the confidence box at which the true
score is the bar or worse, of an outcome at least as far out as the observed one, plus what the box costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from clearbar._typing import BoolArray, FloatArray
from clearbar.counts import Counts
from clearbar.measures import Measure
from clearbar.problems.binary.rates.box import limits
from clearbar.problems.binary.rates.curve import Curves, curves_of, true_score
from clearbar.problems.binary.rates.side import Side
from clearbar.problems.binary.rates.signed_root import signed_root
from clearbar.problems.binary.rates.tail import ROUTES
from clearbar.problems.binary.rates.worst import one_sided


class Tails(NamedTuple):
    """p-values per table: above the bar, below it, and two-sided; and the route that was taken."""

    above: FloatArray
    below: FloatArray
    two_sided: FloatArray
    route: np.ndarray


def question(
    curves: Curves,
    P: FloatArray,
    N: FloatArray,
    x: FloatArray,
    y: FloatArray,
    tied: BoolArray,
    holes: BoolArray,
) -> Side:
    """Put one question per row: where the outcome lies, and its box."""
    t = signed_root(curves, P, N, x[:, None], y[:, None])[:, 0]
    low_a, high_a = limits(x, P)
    low_b, high_b = limits(y, N)
    return Side(curves, P, N, x, y, low_a, high_a, low_b, high_b, np.where(tied, 0.0, t), holes)


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
    measures = tuple(measures) if several else (measures,)
    bars = np.broadcast_to(np.asarray(bars, dtype=np.float64), (len(measures), *counts.shape))
    cells = np.stack([np.asarray(cell, dtype=np.float64).reshape(-1) for cell in counts.cells])
    above, below, route_taken = _flat(
        measures, cells, bars.reshape(len(measures), -1), route, both=both_sides
    )
    shape = (len(measures), *counts.shape) if several else counts.shape
    two = np.minimum(2.0 * np.minimum(above, below), 1.0)
    return Tails(*(column.reshape(shape) for column in (above, below, two, route_taken)))


def _flat(measures, cells, bars, route, *, both):
    tables, places = np.unique(cells, axis=1, return_inverse=True)
    places = places.reshape(-1)
    tp, fp, fn, tn = cells
    P, N = tp + fn, fp + tn
    parts, keys, valid_rows = [], [], []
    size = cells.shape[1]
    above, below = np.full((len(measures), size), np.nan), np.full((len(measures), size), np.nan)
    taken = np.full((len(measures), size), "", dtype="<U8")
    for number, measure in enumerate(measures):
        sign = -1.0 if measure.greater_is_better is False else 1.0
        bar = sign * bars[number]
        score = sign * measure.values(*cells)
        rows = np.flatnonzero(np.isfinite(score) & np.isfinite(bar))
        if not rows.size:
            continue
        key = np.stack((places[rows].astype(np.float64), bar[rows]))
        _, one, back = np.unique(key, axis=1, return_index=True, return_inverse=True)
        one = rows[one]
        curves = curves_of(measure, P[one], N[one], bar[one])
        tied = ties(score[one], bar[one], measure, P[one], N[one])
        side = question(curves, P[one], N[one], tp[one], fp[one], tied, holes_of(measure, P[one], N[one]))
        up, down, routes = both_p(side, route, both=both)
        back = back.reshape(-1)
        above[number, rows], below[number, rows] = up[back], down[back]
        taken[number, rows] = np.array(ROUTES)[routes[back]]
    return above, below, taken


def both_p(side: Side, route: str | None, *, both: bool):
    """P of both sides; that of the wrong side only where it could be the smaller one, or is asked for."""
    size = side.t.size
    up, down = np.ones(size), np.ones(size)
    routes = np.full(size, ROUTES.index("rows"))
    for first, sign in ((True, 1.0), (False, -1.0)):
        out = up if first else down
        rows = np.flatnonzero(np.sign(side.t) == sign)
        if rows.size:
            out[rows], routes[rows] = one_sided(_turned(side[rows], first), route)
    for first, sign in ((True, -1.0), (False, 1.0)):
        out, told = (up, down) if first else (down, up)
        rows = np.flatnonzero((np.sign(side.t) == sign) & (both | (told >= 0.5)))
        if rows.size:
            out[rows], _ = one_sided(_turned(side[rows], first), route)
    return up, down, routes


def _turned(side: Side, above: bool) -> Side:  # noqa: FBT001
    return side.above() if above else side.below()


def ties(score, bar, measure, P, N):
    """Whether a score equals its bar but for rounding."""
    best = true_score(measure, P, N, np.ones_like(P), np.zeros_like(P))
    room = np.where(np.isfinite(best), np.abs(best - bar), 0.0)
    return np.abs(score - bar) <= np.maximum(1e-12 * room, 4 * np.spacing(np.abs(score)))


def holes_of(measure, P, N):
    """Which corner outcomes have no value."""
    a, b = np.array((0.0, 1.0, 0.0, 1.0)), np.array((0.0, 1.0, 1.0, 0.0))
    return np.isnan(true_score(measure, P[:, None], N[:, None], a, b))
