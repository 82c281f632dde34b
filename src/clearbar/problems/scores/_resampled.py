"""How surely a measure of scores is above a bar: the bias-corrected accelerated bootstrap, by class.

A resample keeps the distinct scores and draws anew how many samples of each class have each, so that one sort
serves all resamples. Of very many scores neighbours are drawn as one, and what that changes in the score is
added. Efron, J. Amer. Statist. Assoc. 82, 1987; of two samples: Efron and Tibshirani, An Introduction to the
Bootstrap, 1993, chapters 14 and 22.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.null import hypergeometric as hg
from clearbar.problems import bootstrap
from clearbar.problems._tested import Resampled
from clearbar.problems.bootstrap import (
    SHARES,
    WORK,
    TwoSided,
    accelerated,
    number_of_draws,
    reached_by,
    slack,
)
from clearbar.problems.scores._blocks import in_blocks
from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores._ranking import Ranking

CELLS = 250_000
"""Distinct scores times resamples that are held at once."""

ONE_CALL = 10_000
"""What a call costs, in distinct scores, of a measure that takes one resample at a time."""

FEWEST_LEFT_OUT = 256
"""Scores that the jackknife leaves out at least, a quarter of them at either end."""


@dataclass(frozen=True)
class Steps:
    """How surprising a score is that is above some bar: a step function of the bar that never falls."""

    values: FloatArray
    p_values: FloatArray
    """One-sided, by how many of the values (ascending) the bar reaches: one more than there are values."""

    def p_value(self, bar: float) -> float:
        """Return how surprising the score is if the true one is at most the bar."""
        return float(self.p_values[reached_by(self.values, bar)])

    def end(self, tail: float) -> float:
        """Return the least bar that is not refuted."""
        reached = int(np.searchsorted(self.p_values, tail, side="right"))
        return float(self.values[reached - 1]) if reached else -math.inf


def resampled(measure: ScoreMeasure, ranking: Ranking) -> Resampled:
    """Resample a ranking; where no two resamples differ, suppose failures that were not seen."""
    score, blocks = float(measure.value(ranking)), in_blocks(ranking)
    number = resamples(measure, ranking)
    sizes = [int(counts.sum()) for counts in _classes(ranking)]
    lone = 1 in sizes
    values = np.empty(0) if lone else _bootstrap(measure, blocks, number)
    values += score - float(measure.value(blocks))
    if lone or (np.abs(values - score) <= slack(score)).all():
        why = "a class has a single sample" if lone else f"all {number:,} resamples score the same"
        note = f"conservative: {why}, so failures are supposed that were not seen"
        supposed = _supposed(measure, ranking, number)
        return Resampled(TwoSided(score, *supposed, method="estimated", draws=number), note)
    known = values[~np.isnan(values)]
    if 2 * len(known) <= number:
        note = f"unknown: {number - len(known):,} of {number:,} resamples have no value"
        blank = Steps(np.empty(0), np.ones(1))
        return Resampled(TwoSided(score, blank, blank), note)
    drawn = accelerated(score, values, acceleration(measure, blocks))
    note = f"approximate: bootstrap of {number:,} resamples"
    if len(known) < number:
        note += f", of which {number - len(known):,} have no value"
    return Resampled(drawn, note)


def resamples(measure: ScoreMeasure, ranking: Ranking) -> int:
    """Return how many resamples are drawn: fewer where one is expensive."""
    cost = ranking.scores.size + (0 if measure.in_catalogue else ONE_CALL)
    return number_of_draws(cost, finest=ranking.finest)


def acceleration(measure: ScoreMeasure, ranking: Ranking) -> float:
    """Return the skewness of the score's influences over 6, from leaving out one sample at a time."""
    return bootstrap.acceleration(
        (left, _classes(ranking)[0 if positive else 1][held])
        for positive, (left, held) in left_out_of(measure, ranking)
    )


def left_out_of(
    measure: ScoreMeasure, ranking: Ranking
) -> Iterator[tuple[bool, tuple[FloatArray, IntArray]]]:
    """Yield for each class of two samples or more the scores without a sample of each score that it has."""
    for positive, counts in zip((True, False), _classes(ranking), strict=True):
        held = np.flatnonzero(counts)
        if counts.sum() < 2:
            continue
        at = _left_out(held, len(counts))
        left = np.concatenate(list(_without(measure, ranking, at, positive=positive)))
        yield positive, (np.interp(held, at, left), held)


def _bootstrap(measure: ScoreMeasure, ranking: Ranking, number: int) -> FloatArray:
    generator = np.random.default_rng(ranking.seed)
    portion = max(1, CELLS // len(ranking.scores))
    values = []
    for part in hg.pieces(number, portion):
        rows = part.stop - part.start
        positives, negatives = (drawn_anew(counts, rows, generator) for counts in _classes(ranking))
        values.append(values_of(measure, ranking, positives + negatives, positives))
    return np.concatenate(values)


def drawn_anew(counts: IntArray, rows: int, generator: np.random.Generator) -> IntArray:
    """Draw as many samples of a class as there are, with replacement; count them by score."""
    size, groups = int(counts.sum()), len(counts)
    held = np.flatnonzero(counts)
    if size > 8 * len(held):  # then a binomial variate per score costs less than an index per sample
        drawn = np.zeros((rows, groups), dtype=np.int64)
        drawn[:, held] = generator.multinomial(size, counts[held] / size, size=rows) if size else 0
        return drawn
    owners = np.repeat(np.arange(groups), counts)[generator.integers(size, size=(rows, size))]
    owners += groups * np.arange(rows)[:, None]
    return np.asarray(np.bincount(owners.ravel(), minlength=rows * groups).reshape(rows, groups))


def values_of(measure: ScoreMeasure, ranking: Ranking, sizes: IntArray, positives: IntArray) -> FloatArray:
    """Evaluate a measure on samples of the same size; one at a time if it is not of the catalogue."""
    with np.errstate(all="ignore"):
        if measure.in_catalogue:
            return measure.value(replace(ranking, sizes=sizes, positives=positives))
        return np.array([float(measure.value(one)) for one in _each(ranking, sizes, positives)])


def _each(ranking: Ranking, sizes: IntArray, positives: IntArray) -> Iterator[Ranking]:
    for size, part in zip(sizes, positives, strict=True):
        kept = size > 0
        yield replace(ranking, scores=ranking.scores[kept], sizes=size[kept], positives=part[kept])


def _left_out(held: IntArray, scores: int) -> IntArray:
    """Return the scores to leave out: all, or all near the ends and some between them."""
    most = max(FEWEST_LEFT_OUT, WORK // (8 * scores))
    if len(held) <= most:
        return held
    ends = most // 4
    between = np.linspace(ends, len(held) - ends - 1, most - 2 * ends).round().astype(np.int64)
    last = np.arange(len(held) - ends, len(held))
    return np.asarray(held[np.concatenate([np.arange(ends), between, last])])


def _without(
    measure: ScoreMeasure, ranking: Ranking, at: IntArray, *, positive: bool
) -> Iterator[FloatArray]:
    """Evaluate a measure without one sample of a class, of each of some scores."""
    for part in hg.pieces(len(at), max(1, CELLS // len(ranking.scores))):
        gone = (at[part, None] == np.arange(len(ranking.scores))).astype(np.int64)
        yield values_of(measure, ranking, ranking.sizes - gone, ranking.positives - gone * positive)


def _supposed(measure: ScoreMeasure, ranking: Ranking, number: int) -> tuple[Steps, Steps]:
    """Return how surprising it is that no sample was at the wrong end, or at the right one.

    Were a share of 1 - exp(-x / n) of a class of n at an end, none of it would be among n samples with
    probability exp(-x): the value with that share, rounded up to samples, goes with that p-value.
    """
    last = math.log(number + 1)
    sizes = [int(counts.sum()) for counts in _classes(ranking)]
    steps = sorted({-n * math.log1p(-k / n) for n in sizes for k in range(min(n, math.ceil(last)))})
    steps = [step for step in steps if step < last]
    moved = np.array([[_moved(n, step) for n in sizes] for step in steps])
    failing, lucky = (
        with_ends(measure, ranking, moved, positives_last=positives_last) for positives_last in (True, False)
    )
    lowest, highest = (failing, lucky) if measure.greater_is_better else (lucky, failing)
    p_values = np.array([1 / (number + 1), *(math.exp(-step) for step in reversed(steps))])

    def side(values: FloatArray) -> Steps:
        worst = np.minimum.accumulate(np.where(np.isnan(values), -np.inf, values))
        return Steps(worst[::-1], p_values)

    return side(lowest), side(-highest)


def _moved(size: int, step: float) -> int:
    share = -math.expm1(-step / size) if size else 0.0
    return min(size, math.floor(share * size + 1e-9) + 1)


def at_class_sizes(
    ranking: Ranking, positives: FloatArray | IntArray, negatives: FloatArray | IntArray
) -> tuple[IntArray, IntArray]:
    """Scale classes drawn in whole groups, counted by score, to their sizes: all samples, and positive ones.

    Sums are half a sample off at most; a class of which nothing was drawn stays empty.
    """
    classes = []
    for counts, own in zip((positives, negatives), _classes(ranking), strict=True):
        sums = np.cumsum(counts, axis=1)
        scaled = np.rint(sums * (int(own.sum()) / np.maximum(sums[:, -1:], 1)))
        classes.append(np.diff(scaled.astype(np.int64), prepend=0, axis=1))
    return classes[0] + classes[1], classes[0]


def values_of_whole(
    measure: ScoreMeasure, ranking: Ranking, sizes: IntArray, positives: IntArray
) -> FloatArray:
    """Evaluate a measure on resamples; nan where a class is gone."""
    hits = positives.sum(axis=1)
    kept = (hits == ranking.hits) & (sizes.sum(axis=1) == ranking.total)
    values = np.full(len(sizes), np.nan)
    if kept.any():
        values[kept] = values_of(measure, ranking, sizes[kept], positives[kept])
    return values


def with_shares(measure: ScoreMeasure, ranking: Ranking, *, positives_last: bool) -> FloatArray:
    """Evaluate a measure with the shares `SHARES` of both classes moved to the ends of the ranking."""
    sizes = np.array([int(counts.sum()) for counts in _classes(ranking)])
    moved = np.ceil(SHARES[:, None] * sizes).astype(np.int64)
    return with_ends(measure, ranking, moved, positives_last=positives_last)


def with_ends(
    measure: ScoreMeasure, ranking: Ranking, moved: IntArray, *, positives_last: bool
) -> FloatArray:
    """Evaluate a measure with some samples of either class moved to the ends of the ranking."""
    # An unseen probability may be as wrong as any; of other scores the order alone counts.
    top, bottom = (1.0, 0.0) if measure.probabilities else (ranking.scores[0] + 1, ranking.scores[-1] - 1)
    scores = np.concatenate([[top], ranking.scores, [bottom]])
    parts = []
    for counts, numbers, last in zip(
        _classes(ranking), moved.T, (positives_last, not positives_last), strict=True
    ):
        few, which = np.unique(numbers, return_inverse=True)
        inside = np.array([_thinned(counts, number) for number in few.tolist()])[which]
        end = numbers[:, None]
        none = np.zeros_like(end)
        parts.append(np.hstack([none, inside, end] if last else [end, inside, none]))
    positives, negatives = parts
    return values_of(measure, replace(ranking, scores=scores), positives + negatives, positives)


def _thinned(counts: IntArray, number: int) -> IntArray:
    """Take samples away, evenly over the ranking."""
    size = int(counts.sum())
    if not size:
        return counts
    places = ((2 * np.arange(number) + 1) * size) // (2 * number)
    gone = np.bincount(np.searchsorted(np.cumsum(counts), places, side="right"), minlength=len(counts))
    return np.asarray(counts - gone)


def _classes(ranking: Ranking) -> tuple[IntArray, IntArray]:
    return ranking.positives, ranking.negatives
