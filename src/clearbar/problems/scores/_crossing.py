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

from clearbar import hypergeometric as hg
from clearbar._progress import tracked
from clearbar._typing import FloatArray, IntArray

DEVIATIONS = 8.5
"""How far below its mean a path is followed. Paths that cross an edge above are positively associated with
high ones (Fortuin, Kasteleyn and Ginibre 1971), so that the share left out is no larger than among all."""

WIDEST = 48
"""Steps taken at once, at the most: longer courses are more, and longer, than what they save."""

NEGLIGIBLE = 1e-17

_FAR = 2**30


EVERY = 64
"""An edge is searched for at every so manieth stop; in between it is nearly straight."""


def edge(
    values: Callable[[Any, Any], Any], total: int, positives: int, level: float, stops: IntArray
) -> IntArray | None:
    """Return the fewest positives with which values reach a level at each stop.

    Parameters
    ----------
    values : callable
        ``values(tp, fp)``, which never fall with one more positive in place of a negative.
    total, positives : int
        Class sizes.
    level : float
        What to reach.
    stops : ndarray of int64, shape (T,)
        Samples passed.

    Returns
    -------
    ndarray of int64, or None
        One more than there can be where the level is out of reach. None if values do fall somewhere, or
        the edge falls or rises faster than a path.
    """
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
    found = np.interp(np.arange(len(stops)), grid, above).astype(np.int64)
    found = np.clip(found, low, high + 1)
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
    """What becomes of paths near an edge over some steps, for each course that it takes.

    Positions count from the edge upward, at the start of the course.

    Attributes
    ----------
    which : ndarray of int64
        The course of each block.
    alive : ndarray of float64, shape (courses, S, S + steps)
        From the S positions below the edge to those from S below on: not crossed.
    over : ndarray of float64, shape (courses, S, steps)
        Likewise to those from the edge on: crossed, wherever they went from there.
    """

    which: IntArray
    alive: FloatArray
    over: FloatArray

    @property
    def reach(self) -> int:
        """How far below the edge a path may be and still cross it."""
        return self.alive.shape[1]


def crossing(
    total: int, positives: int, stops: IntArray, upper: IntArray, lower: IntArray | None = None
) -> float:
    """Return the probability of reaching an edge at a stop: the upper from below, or the lower from above.

    Parameters
    ----------
    total, positives : int
        Class sizes.
    stops : ndarray of int64, shape (T,)
        After how many samples it is seen where the path is, ascending.
    upper, lower : ndarray of int64, shape (T,)
        From and up to how many positives an edge is reached there; neither falls, nor rises by more than
        the samples between.

    Returns
    -------
    float
    """
    share = positives / total
    for _ in range(3):  # ever closer around the stops that matter
        kept = _span(total, positives, stops, upper, lower)
        stops, upper, lower = stops[kept], upper[kept], None if lower is None else lower[kept]
        if not len(stops):
            return 0.0
    mirrored = None if lower is None else stops - lower
    if lower is None:
        floor = _lowest(total, positives, stops)
        room = WIDEST
    else:
        floor = lower + 1
        room = int((upper - floor).min())
    steps = max(1, min(WIDEST, room - 2, int(math.sqrt(total) / 4)))
    marks = _marks(stops, steps)
    courses = _courses(stops, upper, marks, steps, share)
    others = None if mirrored is None else _courses(stops, mirrored, marks, steps, 1 - share)

    # Where paths are at the first stop: over the edges already, or between them.
    at, begin, end = int(stops[0]), int(floor[0]), int(upper[0])
    x = np.arange(0, at + 1)
    chances = _heads(x, at, share)
    arrived = [(np.concatenate([x[:begin] if lower is not None else x[:0], x[end:]]), at)]
    weights = [np.concatenate([chances[:begin] if lower is not None else chances[:0], chances[end:]])]
    state = np.zeros(max(end - begin, 0))
    inside = slice(max(begin, 0), min(end, at + 1))
    state[inside.start - begin : inside.stop - begin] = chances[inside]

    kernels: dict[int, FloatArray] = {}
    blocks = range(len(marks) - 1)
    for block in tracked(blocks, len(marks) - 1, lambda _: 1, "blocks"):
        a, b = int(marks[block]), int(marks[block + 1])
        length, low, high = int(stops[b] - stops[a]), int(floor[b]), int(upper[b])
        begin, end = int(floor[a]), int(upper[a])
        if length not in kernels:
            kernels[length] = _heads(np.arange(length + 1), length, share)
        kernel = kernels[length]
        if b == a + 1:  # seen at the end alone
            moved = np.convolve(state, kernel) if len(state) else np.zeros(0)
            top = max(high - begin, 0)
            arrived.append((np.arange(begin + top, begin + len(moved)), int(stops[b])))
            weights.append(moved[top:])
            if lower is not None and low > begin:
                arrived.append((np.arange(begin, low), int(stops[b])))
                weights.append(moved[: low - begin])
            new = np.zeros(max(high - low, 0))
            kept = moved[max(low - begin, 0) : top]
            new[: len(kept)] = kept
            state = new
        else:
            reach = courses.reach
            if len(state) < reach:  # nobody is there
                state = np.concatenate([np.zeros(reach - len(state)), state])
                begin = end - reach
            down = 0 if others is None else others.reach
            near, middle = state[-reach:], state[down : len(state) - reach]
            new = np.zeros(high - min(begin, low) if others is None else high - low)
            base = min(begin, low) if others is None else low
            if len(middle):
                moved = np.convolve(middle, kernel)
                new[begin + down - base :][: len(moved)] += moved
            which = courses.which[block]
            there = near @ courses.alive[which]
            begun = end - reach - base
            new[begun:] += there[: len(new) - begun]
            arrived.append((np.arange(end, end + steps), int(stops[b])))
            weights.append(near @ courses.over[which])
            if others is not None:
                which = others.which[block]
                there = (state[:down][::-1] @ others.alive[which])[::-1]
                stop = length + begin - 1 + down + 1 - base
                new[:stop] += there[len(there) - stop :]
                arrived.append((length + begin - 1 - np.arange(steps), int(stops[b])))
                weights.append(state[:down][::-1] @ others.over[which])
            state = new[low - base :]
        if state.sum() < 1e-25:
            break
    return _ended(total, positives, share, arrived, weights)


def _span(total: int, positives: int, stops: IntArray, upper: IntArray, lower: IntArray | None) -> slice:
    """Return the stops between which paths cross, but for a negligible share of them."""
    within = upper <= np.minimum(stops, positives)
    if lower is not None:
        within |= lower >= np.maximum(stops - (total - positives), 0)
    reachable = np.flatnonzero(within)
    if not len(reachable):
        return slice(0)
    grid = np.unique(np.linspace(reachable[0], reachable[-1], 512).astype(np.int64))
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
        marks = np.arange(0, len(stops), steps)
        return marks if marks[-1] == len(stops) - 1 else np.append(marks, len(stops) - 1)
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
        for part in (over, alive):
            moved = part * up
            part -= moved
            part[..., 1:] += moved[..., :-1]
        crossed = seen >= rises[:, at_step, None]
        if crossed.any():
            beyond = alive[..., reach:]
            over += np.where(crossed[:, None], beyond, 0.0)
            beyond[np.broadcast_to(crossed[:, None], beyond.shape)] = 0.0
    return Courses(which, alive, over)


def _heads(heads: IntArray, flips: int, share: float) -> FloatArray:
    if not flips:
        return np.ones(1)
    found: FloatArray = np.exp(hg.log_heads(heads.astype(np.float64), np.array([float(flips)]), share))
    return found


def _ended(
    total: int,
    positives: int,
    share: float,
    arrived: list[tuple[IntArray, int]],
    weights: list[FloatArray],
) -> float:
    """Return the share of paths that crossed and end where every path does."""
    x = np.concatenate([part for part, _ in arrived])
    left = np.repeat([total - at for _, at in arrived], [len(part) for part, _ in arrived])
    weight = np.concatenate(weights)
    possible = (weight > 0) & (x <= positives) & (positives - x <= left)
    heads, left, weight = (positives - x)[possible], left[possible], weight[possible]
    logs = np.where(
        left > 0,
        hg.log_heads(heads.astype(np.float64), np.maximum(left, 1).astype(np.float64), share),
        0.0,
    )
    whole = hg.log_heads(np.array([float(positives)]), np.array([float(total)]), share)
    return float(min(np.sum(weight * np.exp(logs - whole)), 1.0))
