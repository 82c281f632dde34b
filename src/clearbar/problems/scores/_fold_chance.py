"""Scores across folds, and how likely labels dealt out within each fold do as well."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from clearbar._typing import BoolArray, FloatArray, IntArray
from clearbar.problems.scores import _arrangements as deal
from clearbar.problems.scores._bounds import pairs_bound
from clearbar.problems.scores._chance import NOTHING, Reach, every_value, reached, simulated
from clearbar.problems.scores._fold_bars import ScoreAggregate
from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores._ranking import Ranking
from clearbar.problems.scores.probability import entropy

MOST_VALUES = 200_000
"""Distinct values up to which the law of a mean over folds is computed exactly."""


def combined(
    measure: ScoreMeasure,
    truth: BoolArray,
    scores: FloatArray,
    folds: Sequence[IntArray],
    aggregate: ScoreAggregate,
    *,
    p_values: bool,
) -> tuple[float, Reach, Reach]:
    """Evaluate one model across folds.

    Parameters
    ----------
    measure : ScoreMeasure
        What is evaluated.
    truth, scores : ndarray of shape (M,)
        Labels and scores.
    folds : sequence of ndarray
        The samples of each fold.
    aggregate : {"mean", "merged"}
        How folds are combined.
    p_values : bool
        Whether they are computed.

    Returns
    -------
    score : float
        nan where it has no value.
    any_scores, own : Reach
        The universal and the matched p-value: labels are dealt out within each fold.
    """
    if aggregate == "merged":
        tested = np.concatenate(folds)
        score = float(measure.value(Ranking.of(truth[tested], scores[tested])))
        if not p_values or math.isnan(score):
            return score, NOTHING, NOTHING
        return (
            score,
            _any_merged(measure, truth, folds, score),
            _merged_chance(measure, truth, scores, folds, score),
        )
    rankings = [Ranking.of(truth[fold], scores[fold]) for fold in folds]
    values = np.array([float(measure.value(one)) for one in rankings])
    kept = [one for one, value in zip(rankings, values, strict=True) if not math.isnan(value)]
    if not kept:
        return math.nan, NOTHING, NOTHING
    score = float(np.nanmean(values))
    if not p_values:
        return score, NOTHING, NOTHING
    return score, _any_mean(measure, kept, score), _mean_chance(measure, kept, score)


def _any_merged(measure: ScoreMeasure, truth: BoolArray, folds: Sequence[IntArray], score: float) -> Reach:
    """Return a bound for merged log loss: the folds' likelihoods are independent, and multiply."""
    if measure.name != "log_loss":
        return NOTHING
    sizes = [(len(fold), int(np.count_nonzero(truth[fold]))) for fold in folds]
    total = sum(size for size, _ in sizes)
    bar = sum(size * entropy(size, positives) for size, positives in sizes) / total
    if score >= bar * (1 - 1e-12):
        return Reach.exactly(1.0)  # the prevalence of each fold has this every time
    arrangements = sum(deal.log_arrangements(*size) for size in sizes)
    return Reach(math.exp(min(0.0, total * score - arrangements)), math.exp(-arrangements))


def _any_log_loss(rankings: Sequence[Ranking], score: float) -> Reach:
    """Return a bound for the mean log loss of folds.

    With L a fold's log loss, the mean of exp(-a M L) is at most C(M, P) to the power of -min(a, 1), by
    Jensen's inequality below 1. The folds are independent, and Markov's inequality takes a M = t.
    """
    sizes = np.array([(one.total, one.hits) for one in rankings])
    bar = float(np.mean([entropy(*size) for size in sizes.tolist()]))
    if score >= bar * (1 - 1e-12):
        return Reach.exactly(1.0)
    logs = np.array([deal.log_arrangements(*size) for size in sizes.tolist()])
    t = np.unique(sizes[:, 0])[:, None]
    exponents = (t * score * len(rankings))[:, 0] - (np.minimum(t / sizes[:, 0], 1) * logs).sum(axis=1)
    return Reach(math.exp(min(0.0, float(exponents.min()))), math.exp(-float(logs.sum())))


def _any_mean(measure: ScoreMeasure, rankings: Sequence[Ranking], score: float) -> Reach:
    if measure.name == "log_loss":
        return _any_log_loss(rankings, score)
    if measure.name != "roc_auc":
        return NOTHING
    if score <= 0.5 + 1e-12:
        return Reach.exactly(1.0)
    sizes = [(one.total, one.hits) for one in rankings]
    weights = [1 / (len(rankings) * one.hits * (one.total - one.hits)) for one in rankings]
    return Reach(pairs_bound(sizes, score - 0.5, weights), math.nan)


def _mean_chance(measure: ScoreMeasure, rankings: Sequence[Ranking], score: float) -> Reach:
    exact = _exact_mean(measure, rankings)
    if exact is not None:
        values, chances = exact
        return Reach.exactly(float(chances[reached(measure, values, score)].sum()))
    parts = [
        np.concatenate(
            [measure.value(one.with_positives(part)) for part in deal.shuffles(one.sizes, one.hits, at)]
        )
        for at, one in enumerate(rankings)
    ]
    tried = min(map(len, parts))
    means = np.mean([part[:tried] for part in parts], axis=0)
    return simulated(int(np.count_nonzero(reached(measure, means, score))), tried)


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
) -> Reach:
    tested = np.concatenate(folds)
    order = np.argsort(-scores[tested], kind="stable")
    ranking = Ranking.of(truth[tested], scores[tested])
    starts = np.cumsum(ranking.sizes) - ranking.sizes
    as_good = tried = 0
    for labels in _within(truth, folds):
        dealt = np.add.reduceat(labels[:, order].astype(np.int64), starts, axis=1)
        values = measure.value(ranking.with_positives(dealt))
        as_good += int(np.count_nonzero(reached(measure, values, score)))
        tried += len(labels)
    return simulated(as_good, tried)


def _within(truth: BoolArray, folds: Sequence[IntArray]) -> Iterator[BoolArray]:
    """Yield labels dealt out at random within each fold, the folds one after the other."""
    total = sum(map(len, folds))
    number = int(np.clip(deal.WORK // total, deal.FEWEST_SHUFFLES, deal.SHUFFLES))
    portion = min(max(1, deal.CELLS // total), number)
    generator = np.random.default_rng(deal.SEED)
    for first in range(0, number, portion):
        size = min(portion, number - first)
        parts = [generator.permuted(np.tile(truth[fold], (size, 1)), axis=1) for fold in folds]
        yield np.concatenate(parts, axis=1)
