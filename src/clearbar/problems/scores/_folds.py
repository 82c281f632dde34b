"""Scores across folds: averaged, or merged into one ranking; with the bar of that same combination."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from clearbar._typing import BoolArray, FloatArray, IntArray
from clearbar._value import Value
from clearbar.counts import Population
from clearbar.errors import listed
from clearbar.problems.scores import _arrangements as deal
from clearbar.problems.scores._bar import bars_of
from clearbar.problems.scores._chance import NOTHING, Reach, reached
from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores._ranking import Ranking
from clearbar.problems.scores._sums import pairs_bound

ScoreAggregate = Literal["mean", "merged"]

MERGED = ("roc_auc", "log_loss", "brier_score")
"""Measures whose bar is known when the folds' scores are merged."""

MOST_VALUES = 200_000
"""Distinct values up to which the law of a mean over folds is computed exactly."""

CALIBRATED = (
    "The folds' scores are merged into one ranking: models fitted in different folds are compared with each "
    "other, which is fair only if their scores are calibrated alike (Forman and Scholz 2010). "
    "aggregate='mean' needs no such thing."
)


@dataclass(frozen=True, eq=False)
class FoldScoreBaseline(Value):
    """The best that scores expect across folds if they ignore the features.

    Attributes
    ----------
    measure : ScoreMeasure
        What is evaluated.
    population : Population
        All samples, as an array of one group, or that group.
    value, worst_value, best_possible, error : float
        As in `ScoreBaseline`, of the same combination of folds.
    reason : str
        Why there is no bar; empty where there is one.
    recipe : str
        What to do to get the bar, as an order.
    certain : bool
        Whether doing so gives the same value every time.
    claim : str
        Why nothing does better.
    """

    measure: ScoreMeasure
    population: Population
    value: float
    worst_value: float
    best_possible: float
    error: float
    reason: str
    recipe: str
    certain: bool
    claim: str

    certified: bool = True
    train_value: None = None

    def __float__(self) -> float:
        """Return the bar."""
        return self.value

    def __getitem__(self, index: Any) -> FoldScoreBaseline:
        """Return the bar of the one group there is."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return FoldScoreBaseline(**{**fields, "population": self.population[index]})


def checked_score_aggregate(aggregate: Any, measures: Sequence[ScoreMeasure]) -> ScoreAggregate:
    """Return how folds are combined, or say what can be asked for.

    Parameters
    ----------
    aggregate : {"mean", "merged"}
        What was asked for.
    measures : sequence of ScoreMeasure
        What is evaluated.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If it is neither, or the bar of a merged measure is not known.
    """
    if aggregate not in ("mean", "merged"):
        raise ValueError(f"aggregate must be 'mean' or 'merged' for scores; found {aggregate!r:.60}.")
    unknown = [measure.label for measure in measures if measure.name not in MERGED]
    if aggregate == "merged" and unknown:
        raise ValueError(
            f"aggregate='merged' is known for {listed(MERGED)}, not for {listed(unknown, most=4)}; use "
            "aggregate='mean'."
        )
    return aggregate  # type: ignore[no-any-return]


def fold_score_bar(
    measure: ScoreMeasure, total: IntArray, positives: IntArray, aggregate: ScoreAggregate
) -> FoldScoreBaseline:
    """Return the bar of a measure across folds.

    Parameters
    ----------
    measure : ScoreMeasure
        What is evaluated.
    total, positives : ndarray of int64, shape (folds,)
        Class sizes of each fold.
    aggregate : {"mean", "merged"}
        How folds are combined.

    Returns
    -------
    FoldScoreBaseline

    References
    ----------
    Forman and Scholz, Apples-to-apples in cross-validation studies, SIGKDD Explorations 12(1), 2010,
    section 3.1.
    """
    whole = Population(total.sum(keepdims=True), positives.sum(keepdims=True))
    return (
        _merged_bar(measure, total, positives, whole)
        if aggregate == "merged"
        else _mean_bar(measure, total, positives, whole)
    )


def _mean_bar(
    measure: ScoreMeasure, total: IntArray, positives: IntArray, whole: Population
) -> FoldScoreBaseline:
    bars = bars_of(measure, Population(total, positives))
    defined = ~np.isnan(np.asarray(bars.value))

    def mean(column: Any) -> float:
        return float(np.mean(np.asarray(column)[defined])) if defined.any() else math.nan

    recipe = f"{measure.recipe(int(total.sum()), int(positives.sum()))}, fold by fold"
    if measure.probabilities:
        recipe = "give every sample the prevalence of its fold"
    return FoldScoreBaseline(
        measure,
        whole,
        mean(bars.value),
        mean(bars.worst_value),
        mean(bars.best_possible),
        mean(bars.error),
        "" if defined.any() else f"{measure.label} has a value in no fold",
        recipe,
        measure.certain,
        f"{measure.claim} Folds are averaged, and so are their bars.",
    )


def _merged_bar(
    measure: ScoreMeasure, total: IntArray, positives: IntArray, whole: Population
) -> FoldScoreBaseline:
    if measure.probabilities:
        bars = bars_of(measure, Population(total, positives))
        share = total / total.sum()
        value, worst = (float((share * np.asarray(part)).sum()) for part in (bars.value, bars.worst_value))
        recipe = "give every sample the prevalence of its fold"
        return _made(measure, whole, (value, worst, 0.0), recipe, measure.claim)
    lacking = measure.needs(int(total.sum()), int(positives.sum()))
    if lacking:
        reason = f"{measure.label} has no value here: {lacking}"
        return _made(measure, whole, (math.nan, math.nan, math.nan), "", measure.claim, reason)
    value = merged_auc(total, positives)
    recipe = "give all samples the same score"
    if value > 0.5:
        recipe = "give all samples of a fold the same score, higher where more of them are positive"
    claim = (
        "The order within a fold expects one half of its pairs, and no order of whole folds has more of the "
        "others right than that by prevalence."
    )
    return _made(measure, whole, (value, 1 - value, 1.0), recipe, claim)


def _made(
    measure: ScoreMeasure,
    whole: Population,
    numbers: tuple[float, float, float],
    recipe: str,
    claim: str,
    reason: str = "",
) -> FoldScoreBaseline:
    value, worst, best = numbers
    return FoldScoreBaseline(
        measure, whole, value, worst, best, 0.0, reason, recipe, certain=True, claim=claim
    )


def merged_auc(total: IntArray, positives: IntArray) -> float:
    """Return the best expected ROC AUC of merged folds that ignores the features but knows the folds.

    Parameters
    ----------
    total, positives : ndarray of int64, shape (folds,)
        Class sizes of each fold.

    Returns
    -------
    float
        1/2 only if all folds have the same prevalence.

    Examples
    --------
    >>> import numpy as np
    >>> from fractions import Fraction
    >>> from clearbar.problems.scores import merged_auc
    >>> Fraction(merged_auc(np.array([4, 3]), np.array([1, 2]))).limit_denominator(99)
    Fraction(17, 24)
    """
    p, n = positives.astype(np.float64), (total - positives).astype(np.float64)
    order = np.argsort(-(p / (p + n)), kind="stable")
    p, n = p[order], n[order]
    below = n.sum() - np.cumsum(n)
    return float((p * (n / 2 + below)).sum() / (p.sum() * n.sum()))


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
        return score, NOTHING, _merged_chance(measure, truth, scores, folds, score)
    rankings = [Ranking.of(truth[fold], scores[fold]) for fold in folds]
    values = np.array([float(measure.value(one)) for one in rankings])
    kept = [one for one, value in zip(rankings, values, strict=True) if not math.isnan(value)]
    if not kept:
        return math.nan, NOTHING, NOTHING
    score = float(np.nanmean(values))
    if not p_values:
        return score, NOTHING, NOTHING
    return score, _any_mean(measure, kept, score), _mean_chance(measure, kept, score)


def _any_mean(measure: ScoreMeasure, rankings: Sequence[Ranking], score: float) -> Reach:
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
    return _share(int(np.count_nonzero(reached(measure, means, score))), tried)


def _share(as_good: int, tried: int) -> Reach:
    share = (as_good + 1) / (tried + 1)
    error = math.sqrt(share * (1 - share) / tried)
    note = f"p_value_matched is from {tried:,} random rankings, with standard error {error:.1g}"
    return Reach(share, share, note)


def _exact_mean(measure: ScoreMeasure, rankings: Sequence[Ranking]) -> tuple[FloatArray, FloatArray] | None:
    """Return the law of the mean over folds where every fold has few arrangements."""
    sums, chances = np.zeros(1), np.ones(1)
    for one in rankings:
        if not deal.few(one.sizes, one.hits):
            return None
        arrangements, probabilities = deal.every(one.sizes, one.hits)
        values = measure.value(one.with_positives(arrangements))
        values, probabilities = _gathered(values, probabilities)
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
    return _share(as_good, tried)


def _within(truth: BoolArray, folds: Sequence[IntArray]) -> Any:
    """Yield labels dealt out at random within each fold, the folds one after the other."""
    total = sum(map(len, folds))
    number = int(np.clip(deal.WORK // total, deal.FEWEST_SHUFFLES, deal.SHUFFLES))
    portion = min(max(1, deal.CELLS // total), number)
    generator = np.random.default_rng(deal.SEED)
    for first in range(0, number, portion):
        size = min(portion, number - first)
        parts = [generator.permuted(np.tile(truth[fold], (size, 1)), axis=1) for fold in folds]
        yield np.concatenate(parts, axis=1)
