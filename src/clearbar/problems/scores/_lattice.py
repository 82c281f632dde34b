"""The best value over all thresholds when a ranking is random.

Passing the samples from the highest score down is a path over (positives passed, negatives passed). A
measure of labels has a value at every point; the best one along a random path is what choosing the
threshold on the test labels is worth to a guess.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.inference.units import number_of_draws
from clearbar.null import pieces
from clearbar.problems.scores._blind import AT_ONCE, SEED, random_labels

Values = Callable[[Any, Any], Any]
"""``values(tp, fp)`` at points of the lattice; nan counts as never reached."""

MOST_POINTS, MOST_STEPS = 100_000, 300_000_000
"""Points of the lattice up to which every value there is a level; additions up to which that is done."""

BRACKET_STEPS, MOST_BRACKETED = 25_000_000, 50_000_000
"""Additions for a bracket of the expectation, where it can be coarse; and at the most: some 3,000 samples."""

COARSE, FEWEST_LEVELS, MOST_LEVELS = 16, 50, 1_700
"""Levels of the first look, which finds out where the distribution changes; and of the bracket itself."""

CELLS = 150_000
"""Numbers held at once."""

DIAGONALS = 64
"""Samples passed whose values are computed at once."""

DEVIATIONS = 10.0
"""Standard deviations from the mean path beyond which paths are left out: fewer than 1e-20."""

FEWEST, PRECISE = 49, 1e-4
"""Random rankings at the least, and the standard error at which no more are drawn."""


class Expectation(NamedTuple):
    """An expected value, and how far it may be off."""

    value: float  # the expectation
    error: float  # half the width of the certified bracket, or three standard errors; 0 if exact
    how: str  # "exact", "bracketed" or "simulated"


def _spread(total: int, rare: int, passed: Any) -> Any:
    """Return the standard deviation of the samples of the rarer class among those passed."""
    return np.sqrt(passed * (total - passed) / total * rare * (total - rare) / total / max(total - 1, 1))


def reach_levels(values: Values, total: int, positives: int, levels: FloatArray) -> FloatArray:
    """Return the probability that the best value along a random path reaches each level.

    Sample by sample, `state[r, level]` is the probability of having passed r samples of the rarer class and
    no point at the level.
    """
    rare = min(positives, total - positives)
    portions = -(-len(levels) * (rare + 1) // CELLS)
    if portions > 1 and len(levels) > 1:
        parts = np.array_split(levels, min(portions, len(levels)))
        return np.concatenate([reach_levels(values, total, positives, part) for part in parts])
    state, reached = np.zeros((rare + 2, len(levels))), np.zeros(len(levels))
    state[0] = 1.0
    passed = np.arange(total + 1)
    mean, width = passed * rare / total, DEVIATIONS * _spread(total, rare, passed) + 2
    low = np.maximum(np.floor(mean - width).astype(np.int64), np.maximum(0, passed - (total - rare)))
    high = np.minimum(np.ceil(mean + width).astype(np.int64), np.minimum(rare, passed))
    ahead, top = (0, rare), float(levels.max())  # where a path may be that has not reached every level
    for block in pieces(total + 1, DIAGONALS):
        steps = range(total + 1)[block]
        points = np.arange(low[steps.start], high[steps.stop - 1] + 1)
        of_rare = np.clip(points, low[block, None], high[block, None])
        tp = of_rare if rare == positives else passed[block, None] - of_rare
        table = np.asarray(values(tp, passed[block, None] - tp))
        for step, row in zip(steps, table, strict=True):
            first, last = max(int(low[step]), ahead[0]), min(int(high[step]), ahead[1])
            if first > last:
                continue
            here = row[first - points[0] : last + 1 - points[0]]
            _absorb(here, levels, state[first : last + 1], reached)
            left = np.flatnonzero(~(here >= top))  # further out every level is reached
            if not len(left):
                ahead = 1, 0
                continue
            first, last = first + int(left[0]), first + int(left[-1])
            ahead = first, last + 1
            if step < total:
                paths = state[first : last + 1]
                onward = paths * ((rare - np.arange(first, last + 1)) / (total - step))[:, None]
                paths -= onward
                state[first + 1 : last + 2] += onward
                state[max(first - 2, 0) : first] = 0.0  # left behind by the moving window
    return np.minimum(reached, 1.0)


def _absorb(values: FloatArray, levels: FloatArray, state: FloatArray, reached: FloatArray) -> None:
    """Move the paths that reach a level at these points from the state to what reached it."""
    with np.errstate(invalid="ignore"):
        some = np.flatnonzero(values >= levels.min())
        if not len(some):
            return
        points = slice(int(some[0]), int(some[-1]) + 1)
        which = values[points, None] >= levels
    reached += np.where(which, state[points], 0.0).sum(axis=0)
    state[points][which] = 0.0


def expected_best(values: Values, total: int, positives: int, rising: int = 0) -> Expectation:
    """Return the expected best value along a random path, the integral of P(best >= level).

    Exact where the lattice is small, else a certified bracket's middle, else a mean over random rankings;
    see `random_bests` for `rising`.
    """
    negatives = total - positives
    ends = np.asarray(values(np.array([0, positives]), np.array([0, negatives])), dtype=np.float64)
    floor = float(np.nanmax(np.where(np.isnan(ends), -np.inf, ends)))
    if not math.isfinite(floor):  # every path passes one of the first two samples
        floor = float(np.min(np.nan_to_num(values(np.array([1, 0]), np.array([0, 1])), nan=-np.inf)))
    if (positives + 1) * (negatives + 1) <= MOST_POINTS:
        tp, fp = np.meshgrid(np.arange(positives + 1), np.arange(negatives + 1), indexing="ij")
        levels = np.unique(np.asarray(values(tp, fp), dtype=np.float64))
        levels = levels[(levels > floor) & np.isfinite(levels)]
        if (total + 1) * (min(positives, negatives) + 1) * len(levels) <= MOST_STEPS:
            if not math.isfinite(floor):
                floor, levels = float(levels[0]), levels[1:]
            chances = reach_levels(values, total, positives, levels) if len(levels) else levels
            return Expectation(floor + float((np.diff(levels, prepend=floor) * chances).sum()), 0.0, "exact")
    rare = min(positives, negatives)
    width = min(rare + 1, int(2 * DEVIATIONS * float(_spread(total, rare, total // 2))) + 4)
    points = (total + 1) * width
    finest = int(np.clip(BRACKET_STEPS // points, FEWEST_LEVELS, MOST_LEVELS))
    if math.isfinite(floor) and points * (COARSE + finest) <= MOST_BRACKETED:
        best = float(values(np.array([positives]), np.array([0]))[0])
        return _bracket(values, total, positives, (floor, best), finest, rising)
    return _simulated(values, total, positives, rising)


def _bracket(
    values: Values, total: int, positives: int, ends: tuple[float, float], finest: int, rising: int
) -> Expectation:
    """Enclose the integral between sums over levels."""
    floor, best = ends
    seen = random_bests(values, total, positives, 99, rising, np.random.default_rng(SEED))
    low, high = float(seen.min()), float(seen.max())
    room = (high - low) / 2 + 1e-9 * (best - floor)
    levels = np.linspace(max(low - room, floor), min(high + 2 * room, best), COARSE)
    levels = _closer(levels, reach_levels(values, total, positives, levels), finest)
    chances = reach_levels(values, total, positives, levels)
    chances[0] = 1.0 if levels[0] <= floor else chances[0]
    below, above = (float((np.diff(levels) * heights).sum()) for heights in (chances[1:], chances[:-1]))
    before = levels[0] - floor  # up to the first level the probability is near one
    lower = floor + before * chances[0] + below
    upper = floor + before + above + (best - levels[-1]) * chances[-1]
    return Expectation(float(lower + upper) / 2, float(upper - lower) / 2, "bracketed")


def _closer(levels: FloatArray, chances: FloatArray, number: int) -> FloatArray:
    """Place levels where the distribution changes: with the root of how fast, the bracket is narrowest."""
    certain, possible = int((chances >= 1 - 1e-9).sum()), int((chances > 1e-9).sum())
    first = min(max(certain - 1, 0), len(levels) - 2)
    changing = slice(first, max(possible, first + 1) + 1)
    levels, falls = levels[changing], -np.diff(chances[changing])
    weights = np.sqrt(np.maximum(falls, 0.0) * np.diff(levels)) + 0.1 * np.diff(levels) / np.ptp(levels)
    places = np.append(0.0, np.cumsum(weights))
    return np.interp(np.linspace(0.0, places[-1], number + 1), places, levels)


def _simulated(values: Values, total: int, positives: int, rising: int) -> Expectation:
    generator, best, error = np.random.default_rng(SEED), np.empty(0), math.inf
    while error > PRECISE and len(best) < number_of_draws(total, fewest=FEWEST):
        more = random_bests(values, total, positives, max(FEWEST, len(best)), rising, generator)
        best = np.append(best, more)
        error = float(best.std(ddof=1)) / math.sqrt(len(best))
    return Expectation(float(best.mean()), 3 * error, "simulated")


def random_bests(
    values: Values, total: int, positives: int, number: int, rising: int, generator: np.random.Generator
) -> FloatArray:
    """Return the best values of random rankings without ties.

    Of values that rise with a positive and fall with a negative (`rising` 1; 2 if the best is taken of two
    values, one of which does so with classes swapped), none within a block is above the one with its
    positives, or negatives, first. So only blocks that could hold the best value are looked at.
    """
    rows = max(1, (AT_ONCE if rising else CELLS) // total)
    return np.concatenate(
        [
            _bests(values, random_labels(total, positives, min(rows, number - start), generator), rising)
            for start in range(0, number, rows)
        ]
    )


def _bests(values: Values, labels: Any, rising: int) -> FloatArray:
    rows, total = labels.shape
    block_size = int(np.clip(math.sqrt(total) / 4, 8, 255))
    marks = np.append(np.arange(0, total, block_size), total)
    dealt = np.add.reduceat(labels, marks[:-1], axis=1, dtype=np.uint8)
    tp = np.pad(np.cumsum(dealt, axis=1, dtype=np.int64), ((0, 0), (1, 0)))
    fp = marks - tp
    with np.errstate(invalid="ignore", divide="ignore"):
        best = np.fmax.reduce(np.asarray(values(tp, fp), dtype=np.float64), axis=1)
        bound = np.full(dealt.shape, np.nan)
        if rising:
            bound = np.asarray(values(tp[:, 1:], fp[:, :-1]), dtype=np.float64)
        if rising == 2:
            bound = np.fmax(bound, values(tp[:, :-1], fp[:, 1:]))
        row, block = np.nonzero(~(bound <= best[:, None]))
        inside = np.pad(labels, ((0, 0), (0, -total % block_size))).reshape(rows, -1, block_size)[row, block]
        found = tp[row, block][:, None] + np.cumsum(inside, axis=1, dtype=np.int64)
        passed = np.minimum(marks[block][:, None] + np.arange(1, block_size + 1), total)
        np.fmax.at(best, row, np.fmax.reduce(np.asarray(values(found, passed - found)), axis=1))
    return np.asarray(best)
