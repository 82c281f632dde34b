"""The probability that a random ranking's path crosses an edge, where the lattice is large.

A path over (positives passed, negatives passed) between fixed ends is a walk of independent steps, given
where it ends; such a walk takes many steps at once by one convolution. Only what is so near an edge that it
may cross meanwhile goes step by step, and that depends on nothing but the edge's course over those steps.
Along an edge few courses occur, and each is gone through once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.distributions import hypergeometric as hg

DEVIATIONS, BRIDGE_DEVIATIONS = 8.5, 9.5
"""How far below its mean a path is followed, and below the straight way to where it crosses later.

Paths that cross an edge above are positively associated with high ones (Fortuin, Kasteleyn and Ginibre 1971),
so that the share left out is no larger than among all; and few bridges to an edge are that low."""

STEPS = (48, 36, 24, 16, 8, 4, 2, 1)
"""Steps taken at once: the most for which courses take less time than blocks do, and edges are far apart."""

COURSES_PER_SAMPLE = 7_000
"""Courses times the fourth power of their length, for each sample, up to which they are cheap."""

SPARSE = 32
"""Samples between two corners of the edges from which on each corner is a block of its own."""

NEGLIGIBLE = 1e-17

LAST = 1e-25
"""Share of paths between the edges that no longer counts: nearly all have crossed."""

GRID = 96
"""Stops between which bounds are looked at."""

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
    edges: IntArray = np.clip(np.interp(every, grid, above).astype(np.int64), low, high + 1)
    for way in (-1, 1):
        at = every
        while len(at):
            tp = edges[at] - (way < 0)
            on = (tp >= low[at]) & (tp <= high[at])
            at = at[on]
            at = at[(value(tp[on], at) >= level) == (way < 0)]
            edges[at] += way
    steps, gone = np.diff(edges), np.flatnonzero(np.isnan(value(high, every)))
    if (~np.isnan(value(np.maximum(high - 1, low)[gone], gone))).any():
        return None
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
        stops, sides = times, [_Side(side.edge[following], side.members) for side in sides]
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
        here = hg.tail_ge(at, total, members, stops[grid])
        # Who crosses between two stops is over the first one's edge at the second.
        parts = np.append(here[:1], hg.tail_ge(at[:-1], total, members, stops[grid[1:]]))
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
    share, upper, two_sided = positives / total, sides[0].edge, len(sides) > 1
    floor = times - sides[1].edge + 1 if two_sided else _lowest(total, positives, times, upper)
    marks, courses = _blocks(times, sides, (share, 1 - share), (upper - floor).min() if two_sided else total)
    walk = _Walk(
        floor[marks].tolist(), upper[marks].tolist(), times[marks].tolist(), share, two_sided=two_sided
    )
    strides = len(courses[0].which) if courses else 0
    for block in tracked(range(len(marks) - 1), len(marks) - 1, lambda _: 1, "blocks of samples"):
        if not len(walk.state) or (two_sided and not block % 16 and walk.state.sum() < LAST):
            break
        if block < strides:
            walk.stride(block, *courses)
        else:
            walk.jump(block)
    left = [
        (times[1 : len(part) + 1], edge[1 : len(part) + 1], part)
        for edge, part in zip((upper, floor - 1), map(_joined, walk.near), strict=True)
    ]
    if walk.far:
        passed, positives_there, weights = zip(*walk.far, strict=True)
        left.append((np.repeat(passed, list(map(len, weights))), _joined(positives_there), _joined(weights)))
    reached = sum(_onward(total, positives, *arrivals) for arrivals in left)
    return reached / float(np.exp(_log_heads(positives, total, share))[0])


def _joined(parts: Sequence[Any]) -> Any:
    return np.concatenate(parts) if parts else np.empty(0)


def _log_heads(heads: Any, flips: Any, share: float) -> Any:
    heads, flips = (np.atleast_1d(np.asarray(part, dtype=np.float64)) for part in (heads, flips))
    return np.where(flips > 0, hg.log_heads(heads, np.maximum(flips, 1.0), share), 0.0)


def _onward(total: int, positives: int, passed: Any, positives_there: Any, weights: FloatArray) -> float:
    """Return how likely walks end at the class sizes that have so many positives among the samples passed."""
    missing, left = np.broadcast_arrays(positives - positives_there, total - passed)
    possible = (weights > 0) & (missing >= 0) & (missing <= left)
    onward = np.exp(_log_heads(missing[possible], left[possible], positives / total))
    return float((weights[possible] * onward).sum())


class _Walk:
    """How likely a walk is anywhere between the edges, block after block, and where walks left."""

    def __init__(
        self, low: list[int], high: list[int], passed: list[int], share: float, *, two_sided: bool
    ) -> None:
        self.low, self.high, self.passed, self.two_sided = low, high, passed, two_sided
        self.kernels = _Kernels(share)
        self.near: tuple[list[FloatArray], list[FloatArray]] = ([], [])  # over each edge, sample after sample
        self.far: list[tuple[int, IntArray, FloatArray]] = []  # after so many samples, at so many positives
        begun = self.kernels[passed[0]][max(low[0], 0) : max(high[0], 0)]
        self.state = np.zeros(max(high[0] - low[0], 0))
        self.state[max(-low[0], 0) :][: len(begun)] = begun

    def jump(self, block: int) -> None:
        """Take all steps of a block at once: an edge is reached at its end or not at all."""
        begin, now = self.low[block], self.passed[block + 1]
        next_begin, next_end = self.low[block + 1], self.high[block + 1]
        moved = np.convolve(self.state, self.kernels[now - self.passed[block]])
        first, last = max(next_begin - begin, 0), max(next_end - begin, 0)
        self.state = np.zeros(max(next_end - next_begin, 0))
        self.state[max(begin - next_begin, 0) :][: len(moved[first:last])] = moved[first:last]
        positions = np.arange(begin, begin + len(moved))
        self.far.append((now, positions[last:], moved[last:]))
        if self.two_sided:
            self.far.append((now, positions[:first], moved[:first]))

    def stride(self, block: int, over: _Courses, under: _Courses | None = None) -> None:
        """Take all steps of a block at once, but for walks near an edge."""
        state, begin, end = self.state, self.low[block], self.high[block]
        next_begin, next_end = self.low[block + 1], self.high[block + 1]
        gap = self.passed[block + 1] - self.passed[block]
        top, bottom = over.reach, 0 if under is None else under.reach
        if len(state) < top:  # nobody is lower
            begin, state = end - top, np.concatenate([np.zeros(top - len(state)), state])
        base = min(begin, next_begin)
        after = np.zeros(next_end - base)
        if len(state) > bottom + top:
            moved = np.convolve(state[bottom : len(state) - top], self.kernels[gap])
            after[begin + bottom - base :][: len(moved)] += moved
        moved = state[len(state) - top :] @ over.moves[over.which[block]]
        kept = after[end - top - base :][: top + gap]
        kept += moved[: len(kept)]
        self.near[0].append(moved[-gap:])
        if under is not None:
            moved = state[:bottom][::-1] @ under.moves[under.which[block]]
            kept = after[begin - base :][: bottom + gap]
            kept += moved[:-gap][::-1][: len(kept)]
            self.near[1].append(moved[-gap:])
        self.state = after[next_begin - base :]


class _Kernels(dict[int, FloatArray]):
    """How many of so many steps are up, as far as that is likely: computed once for each number of steps."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self._share = share

    def __missing__(self, steps: int) -> FloatArray:
        mean = steps * self._share
        most = min(steps, int(mean + 12 * math.sqrt(mean * (1 - self._share)) + 40))
        self[steps] = np.exp(_log_heads(np.arange(most + 1), steps, self._share))
        return self[steps]


class _Courses(NamedTuple):
    """What becomes of walks near an edge over each stride.

    `moves` has, for each course, a row for each of the R positions below the edge, the lowest first: to the
    R + steps positions from the lowest on, then over the edge after 1 ... steps samples.
    """

    which: list[int]
    moves: FloatArray

    @property
    def reach(self) -> int:
        """How far below the edge a walk may be and still cross it."""
        return int(self.moves.shape[1])


def _blocks(
    times: IntArray, sides: list[_Side], shares: tuple[float, float], room: int
) -> tuple[IntArray, list[_Courses]]:
    """Return where blocks begin and end, and the courses of each edge over those that are strides."""
    every = np.arange(len(times))
    if len(times) == times[-1] - times[0] + 1:
        for steps in STEPS:
            strides = (len(times) - 1) // steps
            marks = every[: strides * steps + 1 : steps]
            tables = [
                side.edge[1:][: strides * steps].reshape(strides, steps) - side.edge[marks[:-1], None]
                for side in sides
            ]
            kinds = [_unlike(table) for table in tables]
            cheap = sum(len(at) for at, _ in kinds) * steps**4 <= COURSES_PER_SAMPLE * len(times)
            if strides and cheap and sum(map(_reach, tables)) <= room:
                courses = [
                    _Courses(which.tolist(), _moves(table[at], share))
                    for table, (at, which), share in zip(tables, kinds, shares, strict=False)
                ]
                return np.append(marks, every[strides * steps + 1 :]), courses
    return every, []


def _unlike(table: IntArray) -> tuple[IntArray, IntArray]:
    """Return the first row of each kind, and of which kind each row is."""
    rows = np.ascontiguousarray(table, dtype=np.int32)
    keys = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    _, at, which = np.unique(keys, return_index=True, return_inverse=True)
    return at, which


def _reach(rises: IntArray) -> int:
    """Return how far below an edge a walk may be and still cross it as it rises so."""
    return int((np.arange(1, rises.shape[1] + 1) - rises).max(initial=1))


def _moves(rises: IntArray, share: float) -> FloatArray:
    """Go through each course that an edge takes over a stride, from every position near it."""
    courses, steps = rises.shape
    reach = _reach(rises)
    below = np.arange(reach, 0, -1)
    alive = np.zeros((steps + 2, courses, reach))  # after so many steps up
    alive[0] = 1.0
    moves = np.zeros((courses, reach, reach + 2 * steps))
    course, start = np.ogrid[:courses, :reach]
    for step in range(steps):
        up = alive[: step + 1] * share
        alive[: step + 1] -= up
        alive[1 : step + 2] += up
        at = np.minimum(rises[:, step, None] + below, steps + 1)  # one step up leads at most onto the edge
        moves[..., step - steps] = alive[at, course, start]
        alive[at, course, start] = 0.0
    for row in range(reach):
        moves[:, row, row : row + steps + 1] += alive[:-1, :, row].T
    return moves


def _lowest(total: int, positives: int, times: IntArray, edge: IntArray) -> IntArray:
    """Return how low a walk may be that crosses later, but for a negligible share."""
    share = positives / total
    turns = np.arcsin(np.sqrt((times - times[0]) / max(times[-1] - times[0], 1)))
    # Closer at the ends, where spreads grow like square roots.
    grid = np.unique(np.searchsorted(turns, np.linspace(0.0, turns[-1], GRID) - 1e-9))
    now, later = times[grid, None].astype(np.float64), np.maximum(times[grid], 1.0)
    up = edge[grid] / later
    spread = now * (1 - now / total) * share * (1 - share) * total / max(total - 1, 1)
    low = (now * share - DEVIATIONS * np.sqrt(spread))[:, 0]
    crosses = (later >= now) & (edge[grid] <= positives) & (up <= 1)
    spread = np.where(crosses, now * (1 - now / later) * up * (1 - up), 0.0)
    bridges = np.where(crosses, now * up - BRIDGE_DEVIATIONS * np.sqrt(spread), np.inf)
    low = np.minimum(np.maximum(low, bridges.min(axis=1)), edge[grid])
    lowest = np.floor(np.interp(turns, turns[grid], low)).astype(np.int64) - 2
    return np.maximum.accumulate(np.maximum(lowest, 0))
