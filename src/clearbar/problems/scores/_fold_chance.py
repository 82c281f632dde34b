"""Scores across folds, and how likely labels dealt out within each fold do as well."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.problems._protocol import Tail
from clearbar.problems.scores import _arrangements as deal
from clearbar.problems.scores._chance import every_value, reached, share_of
from clearbar.problems.scores._fold_bars import ScoreAggregate
from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores._ranking import Ranking

MOST_VALUES = 200_000
"""Distinct values up to which the law of a mean over folds is computed exactly."""


def combined_score(
    measure: ScoreMeasure,
    truth: BoolArray,
    scores: FloatArray,
    folds: Sequence[IntArray],
    aggregate: ScoreAggregate,
) -> float:
    """Evaluate one model across folds; nan where it has no value."""
    if aggregate == "merged":
        tested = np.concatenate(folds)
        return float(measure.value(Ranking.of(truth[tested], scores[tested])))
    values = fold_scores(measure, truth, scores, folds)
    return math.nan if np.isnan(values).all() else float(np.nanmean(values))


def fold_scores(
    measure: ScoreMeasure, truth: BoolArray, scores: FloatArray, folds: Sequence[IntArray]
) -> FloatArray:
    """Evaluate one model in each fold; nan where it has no value."""
    return np.array([float(measure.value(Ranking.of(truth[fold], scores[fold]))) for fold in folds])


def combined_tail(
    measure: ScoreMeasure,
    truth: BoolArray,
    scores: FloatArray,
    folds: Sequence[IntArray],
    aggregate: ScoreAggregate,
    score: float,
) -> Tail:
    """Return how likely labels dealt out within each fold do as well, over the folds with a value."""
    if aggregate == "merged":
        return _merged_chance(measure, truth, scores, folds, score)
    rankings = (Ranking.of(truth[fold], scores[fold]) for fold in folds)
    return _mean_chance(measure, [one for one in rankings if not math.isnan(measure.value(one))], score)


def _mean_chance(measure: ScoreMeasure, rankings: Sequence[Ranking], score: float) -> Tail:
    exact = _exact_mean(measure, rankings)
    if exact is not None:
        values, chances = exact
        return Tail.exactly(float(chances[reached(measure, values, score)].sum()))
    parts = [
        np.concatenate(
            [measure.value(one.with_positives(part)) for part in deal.shuffles(one.sizes, one.hits, at)]
        )
        for at, one in enumerate(rankings)
    ]
    tried = min(map(len, parts))
    return share_of(measure, score, [np.mean([part[:tried] for part in parts], axis=0)])


def _exact_mean(measure: ScoreMeasure, rankings: Sequence[Ranking]) -> tuple[FloatArray, FloatArray] | None:
    """Return the law of the mean over folds where every fold has few arrangements."""
    sums, chances = np.zeros(1), np.ones(1)
    for one in rankings:
        if not deal.few(one.sizes, one.hits):
            return None
        values, probabilities = _gathered(*every_value(measure.value, one))
        if len(sums) * len(values) > 20 * MOST_VALUES:
            return None
        sums, chances = _gathered(
            np.add.outer(sums, values).ravel(), np.outer(chances, probabilities).ravel()
        )
        if len(sums) > MOST_VALUES:
            return None
    return sums / len(rankings), chances


def _gathered(values: FloatArray, probabilities: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Add up the probabilities of values that differ by rounding alone."""
    _, first, back = np.unique(np.round(values, 11), return_index=True, return_inverse=True)
    return values[first], np.bincount(back, probabilities).astype(np.float64)


def _merged_chance(
    measure: ScoreMeasure, truth: BoolArray, scores: FloatArray, folds: Sequence[IntArray], score: float
) -> Tail:
    tested = np.concatenate(folds)
    order = np.argsort(-scores[tested], kind="stable")
    ranking = Ranking.of(truth[tested], scores[tested])
    starts = np.cumsum(ranking.sizes) - ranking.sizes
    dealt = (
        np.add.reduceat(labels[:, order].astype(np.int64), starts, axis=1) for labels in _within(truth, folds)
    )
    return share_of(measure, score, (measure.value(ranking.with_positives(part)) for part in dealt))


def _within(truth: BoolArray, folds: Sequence[IntArray]) -> Iterator[BoolArray]:
    """Yield labels dealt out at random within each fold, the folds one after the other."""
    generator = np.random.default_rng(deal.SEED)
    for rows in deal.portions(sum(map(len, folds))):
        parts = [generator.permuted(np.tile(truth[fold], (rows, 1)), axis=1) for fold in folds]
        yield np.concatenate(parts, axis=1)
