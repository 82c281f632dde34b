"""The best draws of many populations at once, as array programs."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from clearbar import hypergeometric as hg
from clearbar._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.baseline._optimum import Optimum
from clearbar.baseline._policy import fill_value
from clearbar.baseline._scan import SCAN_DRAWS, scores_at_margins
from clearbar.baseline._search import optima
from clearbar.baseline._steps import TIE
from clearbar.measures import Condition, Measure
from clearbar.null import expectations, least_true, moments
from clearbar.null._tables import cells_at

FEW = 16
"""Different populations up to which each is searched with exact comparisons."""

CACHED = 2**15
"""Nodes looked at together: few enough to stay in a processor's cache."""

CHUNK = 2**18
"""Draws held in memory at once by a scan."""


class Side(NamedTuple):
    """An extreme expectation per population, the smallest draw that attains it, and its warrant."""

    value: FloatArray
    draws: IntArray
    certified: BoolArray


def fleet_optima(
    measure: Measure, total: IntArray, positives: IntArray, undefined: Undefined
) -> tuple[Optimum, Optimum]:
    """Return the extreme expected scores of an array of populations.

    Parameters
    ----------
    measure : Measure
        What is evaluated.
    total, positives : ndarray of int
        The populations, of one shape.
    undefined : "exclude", "worst" or float
        The policy for outcomes without a value.

    Returns
    -------
    max, min : Optimum
        Of the shape of the populations.
    """
    flat = total.reshape(-1), positives.reshape(-1)
    if measure.shape in {"constant", "monotone"} and len(flat[0]) > FEW:
        sides = _sides(measure, *flat, undefined)
        back = np.arange(len(flat[0])).reshape(total.shape)
    else:  # what costs more than finding the populations that differ is done once for each
        first, back = _distinct(*flat)
        sides = _sides(measure, flat[0][first], flat[1][first], undefined)
        back = back.reshape(total.shape)
    return tuple(  # type: ignore[return-value]
        Optimum(side.value[back], side.draws[back], total, side.certified[back]) for side in sides
    )


def _distinct(total: IntArray, positives: IntArray) -> tuple[IntArray, IntArray]:
    """Return where each distinct population first stands, and which of them every one is."""
    if int(total.max(initial=0)) < 2**31:  # both fit into one integer, which sorts much faster
        _, first, back = np.unique(total << 32 | positives, return_index=True, return_inverse=True)
    else:
        pairs = np.stack((total, positives))
        _, first, back = np.unique(pairs, axis=1, return_index=True, return_inverse=True)
    return first, back


def _sides(measure: Measure, m: IntArray, p: IntArray, undefined: Undefined) -> tuple[Side, Side]:
    if len(m) <= FEW:
        return _one_by_one(measure, m, p, undefined)
    if measure.shape is None:
        return _scanned(measure, m, p, undefined)
    domain = measure.domain
    if undefined == "exclude" and measure.requires is not None:
        domain = domain & measure.requires
    first, last, empty = _admissible(domain, m, p)
    at_ends = tuple(expectations(measure, m, p, k) for k in (first, last))
    found = []
    for direction in (1, -1):
        value, draws = _extreme(measure, m, p, (first, last), at_ends, direction)
        value, draws = np.where(empty, np.nan, value), np.where(empty, -1, draws)
        if undefined != "exclude":
            fill = fill_value(measure, m, undefined, largest=direction > 0)
            sd = np.sqrt(moments(measure, m, p, np.maximum(draws, 0)).variance)
            value, draws = _with_fill(value, draws, sd, m, first, last, empty, fill, direction)
        found.append(Side(value, draws, np.ones(m.shape, dtype=bool)))
    return found[0], found[1]


def _one_by_one(measure: Measure, m: IntArray, p: IntArray, undefined: Undefined) -> tuple[Side, Side]:
    found = [optima(measure, int(a), int(b), undefined) for a, b in zip(m, p, strict=True)]
    sides = (
        Side(
            np.array([pair[i].value for pair in found], dtype=np.float64),
            np.array([pair[i].smallest for pair in found], dtype=np.int64),
            np.array([pair[i].certified for pair in found], dtype=bool),
        )
        for i in (0, 1)
    )
    return next(sides), next(sides)


def _admissible(domain: Condition, m: IntArray, p: IntArray) -> tuple[IntArray, IntArray, BoolArray]:
    """Return first and last admissible k: conditions on margins can only exclude k = 0 and k = M."""

    def holds(k: IntArray) -> BoolArray:
        low, _ = hg.support(m, p, k)
        return domain.holds(cells_at(low, m, p, k))

    zero, one = np.zeros_like(m), np.minimum(1, m)
    first = np.where(holds(zero), zero, one)
    last = np.where(holds(m), m, m - 1)
    empty = (first > last) | ~holds(first) | ~holds(np.maximum(last, 0))
    return first, np.maximum(last, first), empty


def _extreme(
    measure: Measure,
    m: IntArray,
    p: IntArray,
    ends: tuple[IntArray, IntArray],
    at_ends: tuple[FloatArray, ...],
    direction: int,
) -> tuple[FloatArray, IntArray]:
    first, last = ends
    at_first, at_last = at_ends
    if measure.shape == "constant":
        return at_first, first
    if {"peak": 1, "valley": -1}.get(str(measure.shape)) == direction:
        draws = _top(measure, m, p, first, last, direction)
        return expectations(measure, m, p, draws), draws
    level = np.abs(at_first - at_last) <= TIE * np.maximum(np.abs(at_first), np.abs(at_last))
    at_start = level | (direction * at_first > direction * at_last)
    draws, value = np.where(at_start, first, last), np.where(at_start, at_first, at_last)
    if measure.shape == "monotone":
        draws = _back_to_level(measure, m, p, first, draws, value)
    return value, draws


def _back_to_level(
    measure: Measure, m: IntArray, p: IntArray, first: IntArray, draws: IntArray, value: FloatArray
) -> IntArray:
    """Where the last draw is best, go back to the first one that is level with it."""

    def level(k: IntArray, rows: IntArray) -> BoolArray:
        there = expectations(measure, m[rows], p[rows], k)
        return np.abs(there - value[rows]) <= TIE * np.abs(value[rows])

    rows = np.flatnonzero(draws > first)
    rows = rows[level(draws[rows] - 1, rows)]
    if not rows.size:
        return draws
    draws = draws.copy()
    second = np.minimum(first[rows] + 1, draws[rows])
    whole = level(second, rows)
    draws[rows[whole]] = second[whole]
    for i in rows[~whole]:  # a plateau inside, or neighbours that rounding makes equal: look exactly
        sides = optima(measure, int(m[i]), int(p[i]), "exclude")
        match = min(sides, key=lambda side: abs(float(side.value) - float(value[i])))
        draws[i] = match.smallest
    return draws


def _top(
    measure: Measure, m: IntArray, p: IntArray, first: IntArray, last: IntArray, direction: int
) -> IntArray:
    """Return the first draw after which the expectation no longer rises, all populations together."""

    def falls(k: IntArray, rows: Any) -> BoolArray:
        return ~(direction * _step(measure, m[rows], p[rows], k) > 0)

    guess = np.full_like(m, -1)
    if measure.near is not None:
        guess = np.clip(measure.near(m, p), first, last - 1)
    top = least_true(falls, first, last - 1, guess)
    if measure.gain is None:
        _settle(measure, m, p, first, last, top, direction)
    return top


def _settle(
    measure: Measure,
    m: IntArray,
    p: IntArray,
    first: IntArray,
    last: IntArray,
    top: IntArray,
    direction: int,
) -> None:
    """Search exactly where the steps around the top are too small for floating point."""
    here = expectations(measure, m, p, top)
    around = (np.clip(top + step, first, last) for step in (-1, 1))
    steps = [np.where(k == top, np.inf, np.abs(expectations(measure, m, p, k) - here)) for k in around]
    unsure = np.minimum(*steps) <= 64 * np.spacing(np.abs(here) + 1.0)
    for i in np.flatnonzero(unsure & (first < last)):
        largest, smallest = optima(measure, int(m[i]), int(p[i]), "exclude")
        top[i] = (largest if direction > 0 else smallest).smallest


def _step(measure: Measure, m: IntArray, p: IntArray, k: IntArray) -> FloatArray:
    if measure.gain is None:
        now, later = expectations(measure, m, p, k), expectations(measure, m, p, k + 1)
        step = later - now
        return np.where(np.abs(step) <= 4 * np.spacing(np.abs(now)), 0.0, step)
    found = np.empty(m.shape)
    chunks = hg.node_chunks(m, p, k, strided=measure.smooth, max_nodes=CACHED)
    for part, nodes in chunks:
        margins = (margin[part][nodes.draw] for margin in (m, p, k))
        cells = (np.asarray(cell, dtype=np.float64) for cell in cells_at(nodes.x, *margins))
        with np.errstate(invalid="ignore", divide="ignore"):  # no prediction is left to add at k = M
            gains = measure.gain(*cells, **measure.float_parameters())
        found[part] = np.add.reduceat(nodes.weight * gains, nodes.start[:-1])
    return found


def _with_fill(
    value: FloatArray,
    draws: IntArray,
    sd: FloatArray,
    m: IntArray,
    first: IntArray,
    last: IntArray,
    empty: BoolArray,
    fill: FloatArray,
    direction: int,
) -> tuple[FloatArray, IntArray]:
    """Let the draws outside the domain compete with the value that the policy gives them."""
    fill = np.broadcast_to(np.asarray(fill, dtype=np.float64), m.shape)
    outside = np.where(empty | (first > 0), 0, np.where(last < m, m, -1))
    offered = (outside >= 0) & ~np.isnan(fill)
    scale = np.maximum(np.maximum(np.abs(fill), np.abs(value)), np.nan_to_num(sd))
    tie = np.abs(fill - value) <= TIE * scale
    wins = offered & (np.isnan(value) | (~tie & (direction * fill > direction * value)))
    draws = np.where(wins, outside, np.where(offered & tie, np.minimum(draws, outside), draws))
    return np.where(wins, fill, value), draws


def _scanned(measure: Measure, m: IntArray, p: IntArray, undefined: Undefined) -> tuple[Side, Side]:
    """Try every k of every population in one flat array of draws."""
    sizes = m + 1
    found = [Side(np.full(m.shape, np.nan), np.full(m.shape, -1), np.ones(m.shape, dtype=bool)) for _ in "ab"]
    small = np.flatnonzero(sizes <= SCAN_DRAWS)
    ends = np.cumsum(sizes[small])
    begin = 0
    while begin < len(small):
        base = ends[begin] - sizes[small[begin]]
        end = max(int(np.searchsorted(ends, base + CHUNK, side="right")), begin + 1)
        _scan_rows(measure, m, p, small[begin:end], undefined, found)
        begin = end
    for i in np.flatnonzero(sizes > SCAN_DRAWS):  # each of these is a search of its own
        for side, optimum in zip(found, optima(measure, int(m[i]), int(p[i]), undefined), strict=True):
            side.value[i], side.draws[i] = float(optimum.value), int(optimum.smallest)
            side.certified[i] = optimum.certified
    return found[0], found[1]


def _scan_rows(
    measure: Measure,
    m: IntArray,
    p: IntArray,
    rows: IntArray,
    undefined: Undefined,
    found: list[Side],
) -> None:
    sizes = m[rows] + 1
    start = np.cumsum(sizes) - sizes
    row = np.repeat(np.arange(len(rows)), sizes)
    k = np.arange(int(sizes.sum())) - start[row]
    mm, pp = m[rows][row], p[rows][row]
    fills = [fill_value(measure, m[rows], undefined, largest=side) for side in (True, False)]
    scored = [scores_at_margins(measure, mm, pp, k, _per_draw(fills[0], row))]
    scored.append(
        scores_at_margins(measure, mm, pp, k, _per_draw(fills[1], row)) if undefined == "worst" else scored[0]
    )
    for side, (means, scale), sign in zip(found, scored, (1.0, -1.0), strict=True):
        scores = np.where(np.isnan(means), -math.inf, sign * means)
        best = np.maximum.reduceat(scores, start)
        at_best = np.maximum.reduceat(np.where(scores == best[row], scale, 0.0), start)
        tied = scores >= best[row] - TIE * np.maximum(scale, at_best[row])
        least = np.minimum.reduceat(np.where(tied, k, m[rows][row] + 1), start)
        ok = np.isfinite(best)
        side.value[rows] = np.where(ok, sign * best, np.nan)
        side.draws[rows] = np.where(ok, least, -1)


def _per_draw(fill: Any, row: IntArray) -> Any:
    return fill if np.ndim(fill) == 0 else np.asarray(fill)[row]
