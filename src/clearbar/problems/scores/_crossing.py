"""The probability that a random ranking's path crosses an edge, where the lattice is large.

A path over (positives passed, negatives passed) between fixed ends is a walk of independent steps, given
where it ends; such a walk takes many steps at once by one convolution. Only what is so near an edge that it
may cross meanwhile goes step by step, and that depends on nothing but the edge's course over those steps.
Along an edge few courses occur, and each is gone through once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._progress import tracked
from clearbar.core._typing import FloatArray, IntArray
from clearbar.distributions import hypergeometric as hg

DEVIATIONS = 8.0
"""How far below its mean a path is followed. Paths that cross an edge above are positively associated with
high ones (Fortuin, Kasteleyn and Ginibre 1971), so that the share left out is no larger than among all."""

WIDEST = 48
"""Steps taken at once, at the most: longer courses are more, and longer, than what they save."""

WIDEST_BETWEEN_TIES = 8
"""Likewise where ties leave out stops, so that hardly a course occurs twice."""

NEGLIGIBLE = 1e-17

LAST = 1e-25
"""Share of paths between the edges that no longer counts: nearly all have crossed."""

_FAR = 2**30


EVERY = 64
"""An edge is searched for at every so manieth stop; in between it is nearly straight."""


def edge(
    values: Callable[[Any, Any], Any], total: int, positives: int, level: float, stops: IntArray
) -> IntArray | None:
    """Return from how many positives on values reach a level at each stop; None if they have no edge."""
    # Out of reach is one more than there can be. An edge neither falls nor rises faster than a path.
    low, high = np.maximum(stops - (total - positives), 0), np.minimum(stops, positives)

    def reached(tp: IntArray, at: Any) -> Any:
        with np.errstate(invalid="ignore"):
            return np.asarray(values(tp, stops[at] - tp)) >= level

    grid = np.unique(np.append(np.arange(0, len(stops), EVERY), len(stops) - 1))
    below, above = low[grid] - 1, high[grid] + 1  # not reached below, reached from above on
    while (np.diff([below, above], axis=0) > 1).any():
        middle = np.clip((below + above) // 2, low[grid], high[grid])
        there = reached(middle, grid)
        below, above = np.where(there, below, np.maximum(below, middle)), np.where(there, middle, above)
    guess = np.interp(np.arange(len(stops)), grid, above).astype(np.int64)
    found: IntArray = np.clip(guess, low, high + 1)
    for way in (-1, 1):
        at = np.arange(len(stops))
        while len(at):
            tp = found[at] - (way < 0)
            on = (tp >= low[at]) & (tp <= high[at])
            at = at[on]
            at = at[reached(tp[on], at) == (way < 0)]
            found[at] += way
    with np.errstate(invalid="ignore"):
        tops, under = (np.asarray(values(tp, stops - tp)) for tp in (high, np.maximum(high - 1, low)))
    steps = np.diff(found)
    if (np.isnan(tops) & ~np.isnan(under)).any() or (steps < 0).any() or (steps > np.diff(stops)).any():
        return None
    return found


class Courses(NamedTuple):
    """What becomes of paths near an edge over each block of up to so many steps.

    `moves` has, for each course, a row for each of the S positions below the edge, the lowest first: to the
    S + steps positions from the lowest on without having crossed, then to the `steps` from the edge on,
    having crossed at a stop. `which` is the course of each block.
    """

    which: list[int]
    moves: FloatArray
    steps: int

    @property
    def reach(self) -> int:
        """How far below the edge a path may be and still cross it."""
        return int(self.moves.shape[1])

    def after(self, near: FloatArray, block: int) -> tuple[FloatArray, FloatArray]:
        """Return where paths near the edge are after a block, those that crossed apart."""
        moved = near @ self.moves[self.which[block]]
        return moved[: -self.steps], moved[-self.steps :]


class Arrivals:
    """Paths that crossed an edge, and from where they go on."""

    def __init__(self) -> None:
        """Begin without any."""
        self._positives: list[IntArray] = []
        self._passed: list[int] = []
        self._weights: list[FloatArray] = []

    def add(self, positives: IntArray, passed: int, weights: FloatArray) -> None:
        """Note weights at so many positives among the samples passed."""
        self._positives.append(positives)
        self._passed.append(passed)
        self._weights.append(weights)

    def ended(self, total: int, positives: int) -> float:
        """Return the share of all paths, which end at the class sizes, that came here."""
        share = positives / total
        left = np.repeat([total - passed for passed in self._passed], [len(x) for x in self._positives])
        missing, weights = positives - np.concatenate(self._positives), np.concatenate(self._weights)
        possible = (weights > 0) & (missing >= 0) & (missing <= left)
        heads, flips = (part[possible].astype(np.float64) for part in (missing, left))
        onward = np.where(flips > 0, hg.log_heads(heads, np.maximum(flips, 1.0), share), 0.0)
        whole = hg.log_heads(np.array([float(positives)]), np.array([float(total)]), share)
        return float(min(np.sum(weights[possible] * np.exp(onward - whole)), 1.0))


def crossing(
    total: int, positives: int, stops: IntArray, upper: IntArray, lower: IntArray | None = None
) -> float:
    """Return the probability of reaching an edge at a stop: the upper from below, or the lower from above."""
    # Stops are where it is seen how many are positive among the samples passed; from and up to how many an
    # edge is reached there, are the upper and the lower.
    share = positives / total
    for _ in range(2):  # the second time closer around the stops that matter
        span = _span(total, positives, stops, upper, lower)
        stops, upper, lower = stops[span], upper[span], None if lower is None else lower[span]
        if not len(stops):
            return 0.0
    floor = _lowest(total, positives, stops) if lower is None else lower + 1
    steps = _steps(total, stops, math.inf if lower is None else int((upper - floor).min()))
    marks = _marks(stops, steps)
    over = _courses(stops, upper, marks, steps, share)
    under = None if lower is None else _courses(stops, stops - lower, marks, steps, 1 - share)
    arrivals, state = _begun(int(stops[0]), int(floor[0]), int(upper[0]), share, two_sided=lower is not None)
    kernels, top, bottom = _Kernels(share), over.reach, 0 if under is None else under.reach
    low, high, passed = floor[marks].tolist(), upper[marks].tolist(), stops[marks].tolist()
    single = (np.diff(marks) == 1).tolist()
    for block in tracked(range(len(single)), len(single), lambda _: 1, "blocks of samples"):
        if not block % 16 and state.sum() < LAST:
            break
        kernel = kernels[passed[block + 1] - passed[block]]
        begin, end = low[block], high[block]
        next_begin, next_end, now = low[block + 1], high[block + 1], passed[block + 1]
        if single[block]:
            moved = np.convolve(state, kernel) if len(state) else state
            state = np.zeros(max(next_end - next_begin, 0))
            first, last = max(next_begin - begin, 0), max(next_end - begin, 0)
            state[: len(moved[first:last])] = moved[first:last]
            arrivals.add(np.arange(begin + last, begin + max(len(moved), last)), now, moved[last:])
            if under is not None:
                arrivals.add(np.arange(begin, begin + len(moved[:first])), now, moved[:first])
            continue
        if len(state) < top:  # nobody is lower
            begin = end - top
            state = np.concatenate([np.zeros(top - len(state)), state])
        base = min(begin, next_begin) if under is None else next_begin
        after = np.zeros(next_end - base)
        if len(state) > bottom + top:
            moved = np.convolve(state[bottom:-top], kernel)
            after[begin + bottom - base :][: len(moved)] += moved
        kept, crossed = over.after(state[-top:], block)
        start = end - top - base
        after[start:] += kept[: len(after) - start]
        arrivals.add(np.arange(end, end + steps), now, crossed)
        if under is not None:
            kept, crossed = under.after(state[:bottom][::-1], block)
            stop = len(kernel) - 1 + begin + bottom - base
            after[:stop] += kept[stop - 1 :: -1]
            arrivals.add(len(kernel) - 2 + begin - np.arange(steps), now, crossed)
        state = after[next_begin - base :]
    return arrivals.ended(total, positives)


class _Kernels(dict[int, FloatArray]):
    """How many of so many steps are up: computed once for each number of steps."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self._share = share

    def __missing__(self, steps: int) -> FloatArray:
        flips = np.array([float(steps)])
        self[steps] = np.exp(hg.log_heads(np.arange(steps + 1.0), flips, self._share))
        return self[steps]


def _begun(passed: int, low: int, high: int, share: float, *, two_sided: bool) -> tuple[Arrivals, FloatArray]:
    """Return the paths over an edge at the first stop, and those between the edges."""
    arrivals, x = Arrivals(), np.arange(passed + 1)
    chances = _Kernels(share)[passed] if passed else np.ones(1)
    arrivals.add(x[high:], passed, chances[high:])
    if two_sided:
        arrivals.add(x[: max(low, 0)], passed, chances[: max(low, 0)])
    state = np.zeros(max(high - low, 0))
    inside = chances[max(low, 0) : high]
    state[max(-low, 0) :][: len(inside)] = inside
    return arrivals, state


def _steps(total: int, stops: IntArray, room: float) -> int:
    """Return how many steps are taken at once: fewer where edges are near each other or courses many."""
    widest = WIDEST if len(stops) - 1 == stops[-1] - stops[0] else WIDEST_BETWEEN_TIES
    return max(1, int(min(widest, room // 2, math.sqrt(total) / 4)))


def _span(total: int, positives: int, stops: IntArray, upper: IntArray, lower: IntArray | None) -> slice:
    """Return the stops between which paths cross, but for a negligible share of them."""
    within = upper <= np.minimum(stops, positives)
    if lower is not None:
        within |= lower >= np.maximum(stops - (total - positives), 0)
    reachable = np.flatnonzero(within)
    if not len(reachable):
        return slice(0)
    grid = np.unique(np.linspace(reachable[0], reachable[-1], 128).astype(np.int64))
    before, after = grid[:-1], grid[1:]
    bound, least = np.zeros(len(grid)), 0.0
    edges = [(upper, positives)]
    if lower is not None:
        edges.append((stops - lower, total - positives))
    for edge, members in edges:
        here = hg.tail_ge(edge[grid], total, members, stops[grid])
        # Who crosses between two stops is over the first one's edge at the second.
        bound[1:] += hg.tail_ge(edge[before], total, members, stops[after])
        bound[0] += here[0]
        least = max(least, float(here.max()))
    counts = np.flatnonzero(bound > NEGLIGIBLE * least / len(grid)) if least > 0 else np.array([], dtype=int)
    if not len(counts):
        return slice(0)
    return slice(int(grid[max(counts[0] - 1, 0)]), int(grid[counts[-1]]) + 1)


def _lowest(total: int, positives: int, stops: IntArray) -> IntArray:
    share = positives / total
    sd = np.sqrt(stops * (1 - stops / total) * share * (1 - share) * total / max(total - 1, 1))
    found = np.floor(stops * share - DEVIATIONS * sd).astype(np.int64) - 2
    return np.maximum.accumulate(np.maximum(found, 0))


def _marks(stops: IntArray, steps: int) -> IntArray:
    """Return the stops at which blocks begin and end: of up to so many samples, or between two stops."""
    if len(stops) - 1 == stops[-1] - stops[0]:
        return np.append(np.arange(0, len(stops) - 1, steps), len(stops) - 1)
    last = np.maximum(np.searchsorted(stops, stops + steps, side="right") - 1, np.arange(len(stops)) + 1)
    marks, following = [0], last.tolist()
    while marks[-1] < len(stops) - 1:
        marks.append(following[marks[-1]])
    return np.array(marks)


def _courses(stops: IntArray, edge: IntArray, marks: IntArray, steps: int, share: float) -> Courses:
    """Go through each course that an edge takes over a block, from every position near it."""
    several = np.diff(marks) > 1
    block = np.repeat(np.arange(len(several)), np.diff(marks))
    step, rise = stops[1:] - stops[marks[block]] - 1, edge[1:] - edge[marks[block]]
    kept = several[block]
    table = np.full((len(several), steps + 1), _FAR, dtype=np.int32)
    table[:, -1] = np.where(several, stops[marks[1:]] - stops[marks[:-1]], 0)
    table[block[kept], step[kept]] = rise[kept]
    keys = np.ascontiguousarray(table).view(np.dtype((np.void, table.itemsize * (steps + 1)))).ravel()
    _, at, which = np.unique(keys, return_index=True, return_inverse=True)
    rises, lengths = table[at, :-1], table[at, -1]
    reach = int((np.arange(1, steps + 1) - rises).max(initial=1))
    alive = np.zeros((len(at), reach, reach + steps))
    alive[:, np.arange(reach), np.arange(reach)] = 1.0  # starting at -reach, ..., -1
    over = np.zeros((len(at), reach, steps))
    seen = np.arange(steps)
    for at_step in range(steps):
        up = np.where(lengths > at_step, share, 0.0)[:, None, None]
        _step(over, up)
        _step(alive, up)
        crossed = seen >= rises[:, at_step, None]
        if crossed.any():
            beyond = alive[..., reach:]
            over += np.where(crossed[:, None], beyond, 0.0)
            beyond[np.broadcast_to(crossed[:, None], beyond.shape)] = 0.0
    return Courses(which.tolist(), np.concatenate([alive, over], axis=-1), steps)


def _step(law: FloatArray, up: FloatArray) -> None:
    moved = law * up
    law -= moved
    law[..., 1:] += moved[..., :-1]
