"""The probability that a random ranking's path crosses an edge, where the lattice is large.

A path over (positives passed, negatives passed) between fixed ends is a walk of independent steps, given
where it ends (`_walk.py`). Here is where the edge lies, which part of it counts, and how likely a walk that
crossed ends where it must.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.null import hypergeometric as hg
from clearbar.problems.scores._courses import Courses, courses_of
from clearbar.problems.scores._walk import Walk

DEVIATIONS, BRIDGE_DEVIATIONS = 8.5, 9.5
"""How far below its mean a path is followed, and below the straight way to where it crosses later.

Paths that cross an edge above are positively associated with high ones (Fortuin, Kasteleyn and Ginibre 1971),
so that the share left out is no larger than among all; and few bridges to an edge are that low."""

SPARSE = 32
"""Samples between two corners of the edges from which on each corner is a block of its own."""

NEGLIGIBLE = 1e-17

GRID = 96
"""Stops between which bounds are looked at."""

PORTION = 8_192
"""Numbers at once, which stay in a processor's cache."""

FEW_STOPS = 1_600
"""An edge is searched for at so many stops; in between it is nearly straight."""


def edge(
    values: Callable[[Any, Any], Any], total: int, positives: int, level: float, stops: IntArray
) -> IntArray | None:
    """Return from how many positives on values reach a level at each stop; None if they have no edge."""
    # Out of reach is one more than there can be. An edge neither falls nor rises faster than a path.
    low, high = np.maximum(stops - (total - positives), 0), np.minimum(stops, positives)

    def value(tp: IntArray, at: Any) -> Any:
        with np.errstate(invalid="ignore"):
            return np.asarray(values(tp, stops[at] - tp))

    grid = np.unique(np.linspace(0, len(stops) - 1, min(len(stops), FEW_STOPS)).astype(np.int64))
    below, above = low[grid] - 1, high[grid] + 1  # not reached below, reached from above on
    while (np.diff([below, above], axis=0) > 1).any():
        middle = np.clip((below + above) // 2, low[grid], high[grid])
        reached = value(middle, grid) >= level
        below, above = np.where(reached, below, np.maximum(below, middle)), np.where(reached, middle, above)
    every = np.arange(len(stops))
    edges: IntArray = np.clip(np.rint(np.interp(every, grid, above)).astype(np.int64), low, high + 1)
    for part in hg.pieces(len(stops), PORTION):
        for way in (-1, 1):
            at: Any = part  # a slice at first, then the few stops that were off
            while len(every[at]):
                tp = edges[at] - (way < 0)
                reached = value(np.clip(tp, low[at], high[at]), at) >= level
                wrong = (reached == (way < 0)) & (tp >= low[at]) & (tp <= high[at])
                at = every[at][wrong]
                edges[at] += way
        gone = every[part][np.isnan(value(high[part], part))]
        if (~np.isnan(value(np.maximum(high - 1, low)[gone], gone))).any():
            return None
    steps = np.diff(edges)
    return None if (steps < 0).any() or (steps > np.diff(stops)).any() else edges


def crossing(
    total: int, positives: int, stops: IntArray, over: IntArray, under: IntArray | None = None
) -> float:
    """Return the probability that positives passed reach one edge at a stop, or negatives the other."""
    sides = [_Side(over, positives)] + ([] if under is None else [_Side(under, total - positives)])
    span, bounds, least = _span(total, stops, sides)
    if (
        len(sides) > 1 and math.prod(bounds) <= NEGLIGIBLE * least
    ):  # negatively associated, so hardly ever both
        swapped = crossing(total, total - positives, stops, sides[1].edge)
        return min(crossing(total, positives, stops, over) + swapped, 1.0)
    stops, sides = stops[span], [_Side(side.edge[span], side.members) for side in sides]
    if not len(stops):
        return 0.0
    kept = _corners(stops, sides)
    stops, sides = stops[kept], [_Side(side.edge[kept], side.members) for side in sides]
    begun = sum(float(hg.tail_ge(side.edge[:1], total, side.members, stops[:1])[0]) for side in sides)
    times = np.arange(stops[0], stops[-1] + 1)
    if len(times) < SPARSE * len(stops):  # who reaches an edge, reaches it until the next stop: each is one
        following = np.searchsorted(stops, times)
        before = np.maximum(following - 1, 0)
        since = times - stops[before]  # no path that was below the edge before is higher above it by now
        sides = [
            _Side(np.minimum(side.edge[following], side.edge[before] + since), side.members) for side in sides
        ]
        stops = times
    return min(begun + _crossed(total, positives, stops, sides), 1.0)


class _Side(NamedTuple):
    """An edge: from how many of a class of so many members on it is reached, at each stop."""

    edge: IntArray
    members: int


def _span(total: int, stops: IntArray, sides: list[_Side]) -> tuple[slice, list[float], float]:
    """Return the stops between which nearly all paths cross; bounds of how many, per side, and from below."""
    within = np.any([side.edge <= np.minimum(stops, side.members) for side in sides], axis=0)
    reachable = np.flatnonzero(within)
    if not len(reachable):
        return slice(0), [0.0] * len(sides), 0.0
    grid = np.unique(np.linspace(reachable[0], reachable[-1], GRID).astype(np.int64))
    bound, least, bounds = np.zeros(len(grid)), 0.0, []
    for side in sides:
        at, members = side.edge[grid], side.members
        # Who crosses between two stops is over the first one's edge at the second.
        later = np.append(grid, grid[1:])
        tails = hg.tail_ge(np.append(at, at[:-1]), total, members, stops[later])
        here, parts = tails[: len(grid)], np.append(tails[0], tails[len(grid) :])
        bound, least = bound + parts, max(least, float(here.max()))
        bounds.append(float(parts.sum()))
    counts = np.flatnonzero(bound > NEGLIGIBLE * least / len(grid)) if least > 0 else np.array([], dtype=int)
    if not len(counts):
        return slice(0), bounds, least
    return slice(int(grid[max(counts[0] - 1, 0)]), int(grid[counts[-1]]) + 1), bounds, least


def _corners(stops: IntArray, sides: list[_Side]) -> BoolArray:
    """Return the stops that decide: others are crossed only if one of these is.

    Who reaches an edge reaches it also at the next stop, if it is the same there; and who lacks few enough of
    the others did so at the stop before, if as few were lacking there.
    """
    kept = np.zeros(len(stops), dtype=bool)
    for side in sides:
        rises, missing = np.diff(side.edge) > 0, np.diff(stops - side.edge) > 0
        kept |= np.append(rises, True) & np.append(True, missing)
    return kept


def _crossed(total: int, positives: int, times: IntArray, sides: list[_Side]) -> float:
    """Return the share of paths between the edges at the first time that reach one at a later time."""
    # Any share will do, but one minus it has to be exact.
    share, upper, two_sided = round(positives / total * 2**30) / 2**30, sides[0].edge, len(sides) > 1
    floor = times - sides[1].edge + 1 if two_sided else _lowest(total, positives, times, upper)
    every, courses = np.arange(len(times)), list[Courses]()
    if len(times) == times[-1] - times[0] + 1:
        shares = (share, 1 - share)[: len(sides)]
        room = int((upper - floor).min()) if two_sided else total
        courses = courses_of([side.edge for side in sides], shares, room)
    strides, steps = (len(courses[0].which), courses[0].steps) if courses else (0, 1)
    marks = np.append(every[: strides * steps : steps], every[strides * steps :])
    walk = Walk(floor[marks], upper[marks], times[marks], share, two_sided=two_sided)
    if courses:
        walk.stride(*courses)
    jumps = range(strides, len(marks) - 1)
    for block in tracked(jumps, len(jumps), lambda _: 1, "blocks of samples"):
        if not len(walk.state) or (block % 16 == 0 and walk.is_over):
            break
        walk.jump(block)
    reached = 0.0
    for edge, near in zip((upper, floor - 1), walk.near, strict=True):
        if near:
            reached += _along(total - times, positives - edge, np.array(near), share)
    if walk.far:
        passed, positives_there, weights = zip(*walk.far, strict=True)
        samples = np.repeat(passed, list(map(len, weights)))
        missing = positives - np.concatenate(positives_there)
        reached += _onward(total - samples, missing, np.concatenate(weights), share)
    return reached / float(np.exp(hg.log_heads(positives, total, share))[0])


def _along(left: IntArray, missing: IntArray, weights: FloatArray, share: float) -> float:
    """Return how likely walks end at the class sizes that reach an edge, stride after stride, at each sample.

    From one sample to the next, the probability changes by one factor.
    """
    (strides, steps), reached = weights.shape, 0.0
    first, flips = missing[:-1:steps][:strides], left[:-1:steps][:strides]
    possible = (first >= 0) & (first <= flips)
    begun = np.where(possible, np.exp(hg.log_heads(np.clip(first, 0, flips), flips, share)), 0.0)
    for part in hg.pieces(strides, PORTION // steps):
        here = slice(part.start * steps, part.stop * steps)
        up = np.diff(missing[here.start : here.stop + 1]) < 0
        ways = np.where(up, missing[here] / share, (left - missing)[here] / (1 - share)) / left[here]
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows began at nothing
            changed = np.fmin(np.cumprod(np.maximum(ways, 0.0).reshape(-1, steps), axis=1), 1e300)
        reached += float(np.einsum("ij,ij,i", weights[part], changed, begun[part]))
    return reached


def _onward(left: IntArray, missing: IntArray, weights: FloatArray, share: float) -> float:
    """Return how likely walks end at the class sizes for which so many positives are missing."""
    possible = np.flatnonzero((weights > 0) & (missing >= 0) & (missing <= left))
    reached = 0.0
    for part in hg.pieces(len(possible), PORTION):
        at = possible[part]
        reached += float(weights[at] @ np.exp(hg.log_heads(missing[at], left[at], share)))
    return reached


def _lowest(total: int, positives: int, times: IntArray, edge: IntArray) -> IntArray:
    """Return how low a walk may be that crosses later, but for a negligible share."""
    share = positives / total
    mean = times * share
    spread = np.sqrt(mean * (1 - share) * (total - times) / max(total - 1, 1))
    turns = np.arcsin(np.sqrt((times - times[0]) / max(times[-1] - times[0], 1)))
    # Closer at the ends, where spreads grow like square roots.
    grid = np.unique(np.searchsorted(turns, np.linspace(0.0, turns[-1], GRID) - 1e-9))
    now, later = times[grid, None].astype(np.float64), np.maximum(times[grid], 1.0)
    up = edge[grid] / later
    crosses = (later >= now) & (edge[grid] <= positives) & (up <= 1)
    wide = np.where(crosses, now * (1 - now / later) * up * (1 - up), 0.0)
    bridges = np.where(crosses, now * up - BRIDGE_DEVIATIONS * np.sqrt(wide), np.inf)
    low = np.minimum(bridges.min(axis=1), edge[grid]) - mean[grid]
    # Between the stops looked at, it is not straight in positions but nearly so in standard deviations.
    depth = np.full(len(grid), -DEVIATIONS)
    apart = spread[grid] > 0
    depth[apart] = np.maximum(low[apart] / spread[grid][apart], -DEVIATIONS)
    lowest = np.floor(mean + np.interp(turns, turns[grid], depth) * spread).astype(np.int64) - 2
    return np.maximum.accumulate(np.clip(lowest, 0, np.maximum(edge, 0)))
