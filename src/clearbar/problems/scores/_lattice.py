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
from clearbar.core._typing import BoolArray, FloatArray
from clearbar.problems.scores._arrangements import shuffles

Values = Callable[[Any, Any], Any]
"""``values(tp, fp)`` at points of the lattice; nan counts as never reached."""

MOST_POINTS = 100_000
"""Points of the lattice up to which every value there is a level."""

MOST_STEPS = 300_000_000
"""Numbers added up to which a law is computed exactly."""

BRACKET_STEPS = 60_000_000
"""Likewise that a bracket takes where it can be coarse."""

MOST_BRACKETED = 2_500_000_000
"""Likewise up to which an expectation is bracketed between sums over levels."""

LEVELS = 40, 60
"""How many levels the first looks at the law take, which find out where it changes."""

FINEST = 120, 4_000
"""Fewest and most levels of the bracket itself."""

CELLS = 150_000
"""Numbers held at once."""


LEFT_OUT = 1e-9
"""More than the probability of ever being ten standard deviations from the mean path."""

FEWEST, PRECISE = 30, 1e-4
"""Random rankings tried at the least, and the standard error at which no more are."""


class Expectation(NamedTuple):
    """An expected value, and how far it may be off."""

    value: float  # the expectation
    error: float  # half the width of the certified bracket, or three standard errors; 0 if exact
    how: str  # "exact", "bracketed" or "simulated"


def reach_levels(
    values: Values,
    total: int,
    positives: int,
    levels: FloatArray,
    *,
    stops: BoolArray | None = None,
    deviations: float = math.inf,
) -> FloatArray:
    """Return the probability that the best value along a random path reaches each level."""
    portion = max(1, CELLS // (min(positives, total - positives) + 1))
    parts = [
        _reach(values, total, positives, levels[start : start + portion], stops, deviations)
        for start in range(0, len(levels), portion)
    ]
    return np.concatenate(parts)


def _reach(
    values: Values,
    total: int,
    positives: int,
    levels: FloatArray,
    stops: BoolArray | None,
    deviations: float,
) -> FloatArray:
    rare = min(positives, total - positives)
    state = np.zeros((rare + 2, len(levels)))
    state[0] = 1.0
    hit = np.zeros(len(levels))
    for passed in tracked(range(total + 1), total + 1, lambda _: 1, "samples"):
        low, high = max(0, passed - (total - rare)), min(rare, passed)
        if math.isfinite(deviations):
            mean, width = passed * rare / total, deviations * _spread(total, rare, passed) + 2
            low, high = max(low, math.floor(mean - width)), min(high, math.ceil(mean + width))
        of_rare = np.arange(low, high + 1)
        here = state[low : high + 1]
        if stops is None or stops[passed]:
            tp = of_rare if rare == positives else passed - of_rare
            _absorb(np.asarray(values(tp, passed - tp)), levels, here, hit)
        if passed < total:
            onward = here * ((rare - of_rare) / (total - passed))[:, None]
            here -= onward
            state[low + 1 : high + 2] += onward
            state[max(low - 2, 0) : low] = 0.0  # left behind by the moving window
    return np.minimum(hit, 1.0)


def _absorb(values: FloatArray, levels: FloatArray, state: FloatArray, hit: FloatArray) -> None:
    """Move the paths that reach a level at these points from the state to the hits."""
    with np.errstate(invalid="ignore"):
        reaching = np.flatnonzero(values >= levels.min())
        if not len(reaching):
            return
        points = slice(int(reaching[0]), int(reaching[-1]) + 1)
        there = values[points, None] >= levels
    hit += np.where(there, state[points], 0.0).sum(axis=0)
    state[points][there] = 0.0


def _spread(total: int, rare: int, passed: int) -> float:
    return math.sqrt(passed * (total - passed) / total * rare * (total - rare) / total / max(total - 1, 1))


def expected_best(values: Values, total: int, positives: int) -> Expectation:
    """Return the expected best value along a random path.

    Exact where the lattice is small, else a certified bracket's middle, else a mean over random rankings.
    """
    negatives = total - positives
    ends = np.asarray(values(np.array([0, positives]), np.array([0, negatives])), dtype=np.float64)
    floor = float(np.nanmax(np.where(np.isnan(ends), -np.inf, ends)))
    steps = (total + 1) * (min(positives, negatives) + 1)
    if (positives + 1) * (negatives + 1) <= MOST_POINTS:
        tp, fp = np.meshgrid(np.arange(positives + 1), np.arange(negatives + 1), indexing="ij")
        levels = np.unique(np.asarray(values(tp, fp), dtype=np.float64))
        levels = levels[(levels > floor) & np.isfinite(levels)]
        if steps * len(levels) <= MOST_STEPS:
            if not math.isfinite(floor):
                floor, levels = float(levels[0]), levels[1:]
            chances = reach_levels(values, total, positives, levels) if len(levels) else levels
            return Expectation(floor + float((np.diff(levels, prepend=floor) * chances).sum()), 0.0, "exact")
    width = min(min(positives, negatives) + 1, int(20 * _spread(total, positives, total // 2)) + 4)
    finest = int(np.clip(BRACKET_STEPS // ((total + 1) * width), *FINEST))
    if math.isfinite(floor) and (total + 1) * width * (sum(LEVELS) + finest) <= MOST_BRACKETED:
        best = float(values(np.array([positives]), np.array([0]))[0])
        return _bracket(values, total, positives, (floor, best), finest)
    return _simulated(values, total, positives)


def _bracket(
    values: Values, total: int, positives: int, ends: tuple[float, float], finest: int
) -> Expectation:
    floor, best = low, high = ends
    for number in (*LEVELS, finest):
        levels = np.linspace(low, high, number + 1)
        chances = reach_levels(values, total, positives, levels, deviations=10.0)
        chances[0] = 1.0 if levels[0] <= floor else chances[0]
        sums = [float((np.diff(levels) * part).sum()) for part in (chances[1:], chances[:-1])]
        from_below = levels[0] - floor  # up to the first level the probability is near one
        bounds = from_below * chances[0] + sums[0], from_below + sums[1] + (best - high) * chances[-1]
        wide = np.flatnonzero((chances > 1e-9) & (chances < 1 - 1e-9))
        if len(wide):
            low = float(levels[max(int(wide[0]) - 1, 0)])
            high = float(levels[min(int(wide[-1]) + 1, number)])
    lower, upper = floor + bounds[0], floor + bounds[1] + LEFT_OUT * (best - floor)
    return Expectation(float(lower + upper) / 2, float(upper - lower) / 2, "bracketed")


def _simulated(values: Values, total: int, positives: int) -> Expectation:
    found = []
    for part in shuffles(np.ones(total, dtype=np.int64), positives):
        tp = np.concatenate([np.zeros((len(part), 1), dtype=np.int64), np.cumsum(part, axis=1)], axis=1)
        with np.errstate(invalid="ignore"):
            found.append(np.nanmax(values(tp, np.arange(total + 1) - tp), axis=1))
        best = np.concatenate(found)
        error = float(best.std(ddof=1)) / math.sqrt(len(best)) if len(best) > 1 else math.inf
        if len(best) >= FEWEST and error <= PRECISE:
            break
    return Expectation(float(best.mean()), 3 * error, "simulated")
