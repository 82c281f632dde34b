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

from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.inference.units import number_of_draws
from clearbar.null import pieces
from clearbar.problems.scores._blind import SEED

Values = Callable[[Any, Any], Any]
"""``values(tp, fp)`` at points of the lattice; nan counts as never reached."""

MOST_POINTS, MOST_STEPS = 100_000, 300_000_000
"""Points of the lattice up to which every value there is a level; additions up to which that is done."""

MOST_FOLLOWED = 15_000_000
"""Points of the lattice up to which a p-value is computed exactly: some 20,000 samples."""

BRACKET_STEPS, MOST_BRACKETED = 25_000_000, 1_100_000_000
"""Additions for a bracket of the expectation, where it can be coarse; and at the most."""

COARSE, FEWEST_LEVELS, MOST_LEVELS = 16, 50, 1_700
"""Levels of the first look, which finds out where the distribution changes; and of the bracket itself."""

CELLS = 150_000
"""Numbers held at once."""

AT_ONCE = 64
"""Samples passed whose values are computed at once."""

BLOCK = 64
"""Samples among which positives are dealt together before they are put in order."""

LEFT_OUT = 1e-9
"""More than the probability of ever being ten standard deviations from the mean path."""

FEWEST, PRECISE = 199, 1e-4
"""Random rankings tried at the least, and the standard error at which no more are."""


class Expectation(NamedTuple):
    """An expected value, and how far it may be off."""

    value: float  # the expectation
    error: float  # half the width of the certified bracket, or three standard errors; 0 if exact
    how: str  # "exact", "bracketed" or "simulated"


def _spread(total: int, rare: int, passed: Any) -> Any:
    """Return the standard deviation of the samples of the rarer class among those passed."""
    return np.sqrt(passed * (total - passed) / total * rare * (total - rare) / total / max(total - 1, 1))


def _width(total: int, positives: int, deviations: float) -> int:
    """Return how many points of a diagonal are so many standard deviations or less from the mean path."""
    rare = min(positives, total - positives)
    return min(rare + 1, int(2 * deviations * float(_spread(total, rare, total // 2))) + 4)


def reach_levels(
    values: Values,
    total: int,
    positives: int,
    levels: FloatArray,
    *,
    stops: BoolArray | None = None,
    deviations: float = math.inf,
) -> FloatArray:
    """Return the probability that the best value along a random path reaches each level.

    Sample by sample, `state[r, level]` is the probability of having passed r samples of the rarer class and
    no stop at the level. Paths further from the mean than so many standard deviations are left out.
    """
    rare = min(positives, total - positives)
    portions = -(-len(levels) * (rare + 1) // CELLS)
    if portions > 1 and len(levels) > 1:
        parts = np.array_split(levels, min(portions, len(levels)))
        options: Any = {"stops": stops, "deviations": deviations}
        return np.concatenate([reach_levels(values, total, positives, part, **options) for part in parts])
    state, reached = np.zeros((rare + 2, len(levels))), np.zeros(len(levels))
    state[0] = 1.0
    passed = np.arange(total + 1)
    low, high = np.maximum(0, passed - (total - rare)), np.minimum(rare, passed)
    if math.isfinite(deviations):
        mean, width = passed * rare / total, deviations * _spread(total, rare, passed) + 2
        low = np.maximum(low, np.floor(mean - width).astype(np.int64))
        high = np.minimum(high, np.ceil(mean + width).astype(np.int64))
    ahead, top = (0, rare), float(levels.max())  # where a path may be that has not reached every level
    blocks = tracked(pieces(total + 1, AT_ONCE), total + 1, lambda part: part.stop - part.start, "samples")
    for block in blocks:
        steps = range(total + 1)[block]
        points = np.arange(low[steps.start], high[steps.stop - 1] + 1)
        of_rare = np.clip(points, low[block, None], high[block, None])
        tp = of_rare if rare == positives else passed[block, None] - of_rare
        table = np.asarray(values(tp, passed[block, None] - tp))
        for step, row in zip(steps, table, strict=True):
            first, last = max(int(low[step]), ahead[0]), min(int(high[step]), ahead[1])
            if first > last:
                continue
            if stops is None or stops[step]:
                own = row[first - points[0] : last + 1 - points[0]]
                _absorb(own, levels, state[first : last + 1], reached)
                left = np.flatnonzero(~(own >= top))  # further out every level is reached
                if not len(left):
                    ahead = 1, 0
                    continue
                first, last = first + int(left[0]), first + int(left[-1])
            ahead = first, last + 1
            if step < total:
                here = state[first : last + 1]
                onward = here * ((rare - np.arange(first, last + 1)) / (total - step))[:, None]
                here -= onward
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


def best_at_least(
    values: Values, total: int, positives: int, level: float, stops: BoolArray | None
) -> float | None:
    """Return how likely the best value at the stops reaches a level; None where that takes too long.

    Paths more than twelve standard deviations from the mean are left out, which are fewer than 1e-30.
    """
    if (total + 1) * _width(total, positives, 12.0) > MOST_FOLLOWED:
        return None
    levels = np.array([level])
    return float(reach_levels(values, total, positives, levels, stops=stops, deviations=12.0)[0])


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
    points = (total + 1) * _width(total, positives, 10.0)
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
    seen = random_bests(values, np.ones(total, dtype=np.int64), positives, 99, rising)
    low, high = float(seen.min()), float(seen.max())
    room = (high - low) / 2 + 1e-9 * (best - floor)
    levels = np.linspace(max(low - room, floor), min(high + 2 * room, best), COARSE)
    chances = reach_levels(values, total, positives, levels, deviations=10.0)
    levels = _closer(levels, chances, finest)
    chances = reach_levels(values, total, positives, levels, deviations=10.0)
    chances[0] = 1.0 if levels[0] <= floor else chances[0]
    below, above = (float((np.diff(levels) * heights).sum()) for heights in (chances[1:], chances[:-1]))
    before = levels[0] - floor  # up to the first level the probability is near one
    lower = floor + before * chances[0] + below
    upper = floor + before + above + (best - levels[-1]) * chances[-1] + LEFT_OUT * (best - floor)
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
    untied, best = np.ones(total, dtype=np.int64), np.empty(0)
    for seed in range(number_of_draws(total, fewest=FEWEST) // FEWEST):
        best = np.append(best, random_bests(values, untied, positives, FEWEST, rising, seed=seed))
        error = float(best.std(ddof=1)) / math.sqrt(len(best))
        if error <= PRECISE:
            break
    return Expectation(float(best.mean()), 3 * error, "simulated")


def random_bests(
    values: Values, sizes: IntArray, positives: int, number: int, rising: int, *, seed: int = 0
) -> FloatArray:
    """Return the best values of random arrangements of the labels over tie groups of these sizes.

    Positives are first dealt to blocks of neighbouring groups, all at once. For values that rise with a
    positive and fall with a negative (`rising` 1; 2 if the best is taken of two values, one of which does
    so with classes swapped), no value within a block is above the one with its positives, or negatives,
    first. So labels are put in order only in blocks that could hold the best value.
    """
    generator = np.random.default_rng((SEED, seed))
    ends = np.cumsum(sizes)
    block = (ends - 1) // (BLOCK if rising else ends[-1])
    marks = np.append(0, ends[np.diff(block, append=block[-1] + 1) > 0])
    threshold = np.zeros(marks[-1] + 1, dtype=bool)
    threshold[ends] = True
    rows = max(1, CELLS // len(marks))
    parts = [
        _bests(values, threshold, marks, positives, min(rows, number - start), rising, generator)
        for start in range(0, number, rows)
    ]
    return np.concatenate(parts)


def _bests(
    values: Values,
    threshold: BoolArray,
    marks: IntArray,
    positives: int,
    rows: int,
    rising: int,
    generator: np.random.Generator,
) -> FloatArray:
    """Return the best values of some arrangements, whose blocks lie between the marks."""
    widths = np.diff(marks)
    dealt = generator.multivariate_hypergeometric(widths, positives, size=rows, method="marginals")
    tp = np.pad(np.cumsum(dealt, axis=1), ((0, 0), (1, 0)))
    fp = marks - tp
    with np.errstate(invalid="ignore", divide="ignore"):
        best = np.fmax.reduce(np.asarray(values(tp, fp), dtype=np.float64), axis=1)
        bound = np.full(dealt.shape, np.nan)
        if rising:
            bound = np.asarray(values(tp[:, 1:], fp[:, :-1]), dtype=np.float64)
        if rising == 2:
            bound = np.fmax(bound, values(tp[:, :-1], fp[:, 1:]))
        row, block = np.nonzero(~(bound <= best[:, None]) & (widths > 1))
        for width in np.unique(widths[block]).tolist():
            alike = np.flatnonzero(widths[block] == width)
            for some in np.array_split(alike, len(alike) * width // CELLS + 1):
                rows_here, blocks = row[some], block[some]
                first = np.arange(width) < dealt[rows_here, blocks][:, None]
                found = tp[rows_here, blocks][:, None] + np.cumsum(generator.permuted(first, axis=1), axis=1)
                passed = marks[blocks][:, None] + np.arange(1, width + 1)
                reached = np.where(threshold[passed], values(found, passed - found), np.nan)
                np.fmax.at(best, rows_here, np.fmax.reduce(reached, axis=1))
    return np.asarray(best)
