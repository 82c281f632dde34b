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

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.inference.binomial import log_pmf
from clearbar.null import laid_out, pieces
from clearbar.problems.scores._blind import AT_ONCE, SEED, random_labels

Values = Callable[[Any, Any], Any]
"""``values(tp, fp)`` at points of the lattice; nan counts as never reached."""

MOST_POINTS, MOST_STEPS = 100_000, 300_000_000
"""Points of the lattice up to which every value there is a level; additions up to which that is done."""

BRACKET_STEPS, MOST_BRACKETED, FEWEST_LEVELS, MOST_LEVELS = 25_000_000, 700_000_000, 50, 500
"""Additions for a certified bracket, where it can be coarse, and at the most; and its levels."""

PILOT, BINS = 399, 16
"""Random rankings, and levels between which they are counted, that tell where levels should be."""

CELLS = 150_000
"""Numbers held at once."""

DIAGONALS = 64
"""Samples passed whose values are computed at once."""

DEVIATIONS, LEFT_OUT = 8.0, 1e-9
"""Standard deviations from the mean path beyond which paths are left out; more than the share of these."""

FEWEST, MOST_SAMPLES, PRECISE = 49, 20_000_000, 1e-4
"""Random rankings at the least, samples of all of them, and the standard error at which no more are drawn."""


class Expectation(NamedTuple):
    """An expected value, and how far it may be off."""

    value: float
    error: float  # 0 if exact, half the width of a certified bracket, or three standard errors


def exceedance_of_levels(values: Values, total: int, positives: int, levels: FloatArray) -> FloatArray:
    """Return the probability that the best value along a random path reaches each level, ascending.

    Sample by sample, `state[r, level]` is the probability of having passed r samples of the rarer class and
    no point at the level, where labels are independent coins. Given that r ends at the class size, each path
    is as likely as the other; so a step is one product and one sum.
    """
    rare = min(positives, total - positives)
    portions = -(-len(levels) * _width(total, rare) // CELLS)
    if portions > 1 and len(levels) > 1:
        parts = np.array_split(levels, min(portions, len(levels)))
        return np.concatenate([exceedance_of_levels(values, total, positives, part) for part in parts])
    share = rare / total
    state, onward = np.zeros((2, rare + 2, len(levels)))
    flat = state.reshape(-1)
    passed = np.arange(total + 1)
    # r is hypergeometric given how many samples are passed; paths further than 8 standard deviations off its
    # mean are left out, which is what keeps n^2 points of a large lattice down to some n^1.5.
    mean, spread = passed * rare / total, passed * (total - passed) / total
    width = DEVIATIONS * np.sqrt(spread * rare * (total - rare) / total / max(total - 1, 1)) + 2
    low = np.maximum(np.floor(mean - width).astype(np.int64), np.maximum(0, passed - (total - rare)))
    high = np.minimum(np.ceil(mean + width).astype(np.int64), np.minimum(rare, passed))

    def reached(steps: IntArray, points: IntArray) -> IntArray:
        """Count the levels that paths have reached after so many samples with so many of the rarer class."""
        of_rare = np.clip(points, low[steps, None], high[steps, None])
        tp = of_rare if rare == positives else steps[:, None] - of_rare
        table = np.asarray(values(tp, steps[:, None] - tp))
        return np.searchsorted(levels, np.where(np.isnan(table), -np.inf, table), side="right")

    state[0, int(reached(passed[:1], passed[:1])[0, 0]) :] = 1.0
    for block in pieces(total, DIAGONALS):
        steps = np.append(passed[block], passed[block][-1] + 1)
        points = np.arange(low[steps[0]], high[steps[-1]] + 1)
        number = reached(steps, points)
        ends = _ends(number < len(levels)) + points[0]
        first, last = np.maximum(low[steps], ends[:, 0]), np.minimum(high[steps], ends[:, 1] - 1)
        cells, stops = _newly_reached(number, points[0] * len(levels), len(levels))
        for step, (start, stop) in enumerate(zip(first[:-1].tolist(), (last[:-1] + 1).tolist(), strict=True)):
            # A coin: stay at r with 1 - share, go on to r + 1 with share. The factor 1 - share is common to
            # both and is made up for once a block, so that staying costs nothing.
            if start < stop:
                np.multiply(state[start:stop], share / (1.0 - share), out=onward[start:stop])
                state[start + 1 : stop + 1] += onward[start:stop]
            flat[cells[stops[step] : stops[step + 1]]] = 0.0
        state[points[0] : points[-1] + 2] *= (1.0 - share) ** (len(steps) - 1)
    # Conditioned on r ending at the class size: divided by the binomial probability that it does.
    size, count = np.array([float(total)]), np.array([float(rare)])
    return np.asarray(1.0 - state[rare] / np.exp(log_pmf(count, size, np.array([share])))).clip(0.0, 1.0)


def _width(total: int, rare: int) -> int:
    """Return how many samples of the rarer class paths may have passed, half way, at the most."""
    return min(rare + 1, int(DEVIATIONS * math.sqrt(total) / 2) + 4)


def _newly_reached(number: IntArray, first: int, levels: int) -> tuple[IntArray, list[int]]:
    """Return cells of the state that a step enters although their level is reached, and where steps begin.

    A point is entered from two, and a level that both had reached was left empty there.
    """
    before = number[:-1].copy()
    np.minimum(before[:, 1:], number[:-1, :-1], out=before[:, 1:])
    sizes = np.maximum(number[1:] - before, 0)
    entered, place, _ = laid_out(sizes.reshape(-1))
    cells = first + (entered % number.shape[1]) * levels + before.reshape(-1)[entered] + place
    return cells, np.append(0, np.cumsum(sizes.sum(axis=1))).tolist()


def _ends(marked: BoolArray) -> IntArray:
    """First marked place of each row, and the one behind the last; two zeros where there is none."""
    ends = np.stack((marked.argmax(axis=1), marked.shape[1] - marked[:, ::-1].argmax(axis=1)), axis=1)
    return np.asarray(ends * marked.any(axis=1, keepdims=True))


def expected_best(values: Values, total: int, positives: int, rising: int = 0) -> Expectation:
    """Return the expected best value along a random path, the integral of P(best >= level).

    Exact where the lattice is small, else the middle of a certified bracket, else a mean over random
    rankings; see `random_bests` for `rising`.
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
            chances = exceedance_of_levels(values, total, positives, levels) if len(levels) else levels
            return Expectation(floor + float((np.diff(levels, prepend=floor) * chances).sum()), 0.0)
    points = (total + 1) * _width(total, min(positives, negatives))
    number = int(np.clip(BRACKET_STEPS // points, FEWEST_LEVELS, MOST_LEVELS))
    perfect = float(np.asarray(values(np.array([positives]), np.array([0])))[0])
    # Of other values none is known that no ranking exceeds.
    if rising and -math.inf < floor < perfect < math.inf and points * number <= MOST_BRACKETED:
        return _bracket(values, total, positives, (floor, perfect), number, rising)
    generator, best, error = np.random.default_rng(SEED), np.empty(0), math.inf
    while len(best) < FEWEST or (error > PRECISE and len(best) * total < MOST_SAMPLES):
        more = random_bests(values, total, positives, max(FEWEST, len(best)), rising, generator)
        best = np.append(best, more)
        error = float(best.std(ddof=1)) / math.sqrt(len(best))
    return Expectation(float(best.mean()), 3 * error)


def _bracket(
    values: Values, total: int, positives: int, ends: tuple[float, float], number: int, rising: int
) -> Expectation:
    """Enclose the integral of P(best >= level) between sums over levels, wherever these are."""
    floor, perfect = ends
    pilot = random_bests(values, total, positives, PILOT, rising, np.random.default_rng(SEED))
    low, high = float(pilot.min()), float(pilot.max())
    room = (high - low) / 2 + 1e-9 * (perfect - floor)
    bins = np.linspace(max(low - room, floor), min(high + 2 * room, perfect), BINS)
    # Levels as dense as the root of the density make the bracket narrowest; a tenth is spread evenly.
    width = bins[1] - bins[0]
    weights = np.sqrt(np.histogram(pilot, bins)[0] / PILOT * width) + 0.1 / BINS
    places = np.append(0.0, np.cumsum(weights))
    levels = np.interp(np.linspace(0.0, places[-1], number), places, bins)
    chances = exceedance_of_levels(values, total, positives, levels)
    chances[0] = 1.0 if levels[0] <= floor else chances[0]
    below, above = (float((np.diff(levels) * heights).sum()) for heights in (chances[1:], chances[:-1]))
    lower = floor + (levels[0] - floor) * chances[0] + below
    upper = levels[0] + above + (perfect - levels[-1]) * chances[-1] + LEFT_OUT * (perfect - floor)
    return Expectation(float(lower + upper) / 2, float(upper - lower) / 2)


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
        true_positives = tp[row, block][:, None] + np.cumsum(inside, axis=1, dtype=np.int64)
        passed = np.minimum(marks[block][:, None] + np.arange(1, block_size + 1), total)
        np.fmax.at(
            best, row, np.fmax.reduce(np.asarray(values(true_positives, passed - true_positives)), axis=1)
        )
    return np.asarray(best)
