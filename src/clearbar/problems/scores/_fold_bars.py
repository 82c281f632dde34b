"""The bar of scores across folds, averaged or merged into one ranking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from clearbar.catalogue import measures as registered
from clearbar.core._typing import IntArray
from clearbar.core._value import Value
from clearbar.core.counts import Population
from clearbar.core.errors import listed
from clearbar.problems.recipes import NOTHING_TO_DO, Recipe
from clearbar.problems.scores._baseline import bars_of
from clearbar.problems.scores._measure import SAME_SCORE, ScoreMeasure

ScoreAggregate = Literal["mean", "merged"]

PREVALENCE_OF_FOLD = Recipe("give", "every sample the prevalence of its fold")

CALIBRATED = (
    "The folds' scores are merged into one ranking: models fitted in different folds are compared with each "
    "other, which is fair only if their scores are calibrated alike (Forman and Scholz 2010). "
    "aggregate='mean' needs no such thing."
)


@dataclass(frozen=True, eq=False)
class FoldScoreBaseline(Value):
    """The best that scores expect across folds if they ignore the features."""

    measure: ScoreMeasure  # what is evaluated
    population: Population  # all samples, as an array of one group, or that group
    value: float  # as in `ScoreBaseline`, of the same combination of folds
    worst_value: float  # as in `ScoreBaseline`, of the same combination of folds
    best_possible: float  # as in `ScoreBaseline`, of the same combination of folds
    error: float  # as in `ScoreBaseline`, of the same combination of folds
    reason: str  # why there is no bar; empty where there is one
    attained_by: Recipe  # what to do to get the bar
    claim: str  # why nothing does better

    rounding: float = 0.0  # as in `ScoreBaseline`
    certified: bool = True
    train_value: None = None

    @property
    def recipe(self) -> str:
        """What to do to get the bar, as an order."""
        return str(self.attained_by)

    def __float__(self) -> float:
        """Return the bar."""
        return self.value

    def __getitem__(self, index: Any) -> FoldScoreBaseline:
        """Return the bar of the one group there is."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return FoldScoreBaseline(**{**fields, "population": self.population[index]})


def checked_score_aggregate(aggregate: Any, measures: Sequence[ScoreMeasure]) -> ScoreAggregate:
    """Return how folds are combined, or say what can be asked for."""
    if aggregate not in ("mean", "merged"):
        raise ValueError(f"aggregate must be 'mean' or 'merged' for scores; found {aggregate!r:.60}.")
    unknown = [measure.label for measure in measures if not measure.mean_over]
    if aggregate == "merged" and unknown:
        known = listed(measure.name for measure in registered("scores") if measure.mean_over)
        raise ValueError(
            f"aggregate='merged' is known for {known}, not for {listed(unknown, most=4)}; use "
            "aggregate='mean'."
        )
    return aggregate  # type: ignore[no-any-return]


def fold_score_bar(
    measure: ScoreMeasure, total: IntArray, positives: IntArray, aggregate: ScoreAggregate
) -> FoldScoreBaseline:
    """Return the bar of a measure across folds.

    Forman and Scholz, Apples-to-apples in cross-validation studies, SIGKDD Explorations 12(1), 2010, section
    3.1.
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
        return float(np.mean(np.broadcast_to(column, defined.shape)[defined])) if defined.any() else math.nan

    recipe = PREVALENCE_OF_FOLD
    if not measure.probabilities:
        recipe = replace(measure.recipe(int(total.sum()), int(positives.sum())), aside="fold by fold")
    return FoldScoreBaseline(
        measure,
        whole,
        mean(bars.value),
        mean(bars.worst_value),
        mean(bars.best_possible),
        mean(bars.error),
        "" if defined.any() else f"{measure.label} has no value in any fold",
        replace(recipe, certain=measure.certain),
        f"{measure.claim} Folds are averaged, and so are their bars.",
        mean(bars.rounding),
    )


def _merged_bar(
    measure: ScoreMeasure, total: IntArray, positives: IntArray, whole: Population
) -> FoldScoreBaseline:
    if measure.mean_over == "samples":
        bars = bars_of(measure, Population(total, positives))
        share = total / total.sum()
        value, worst, rounding = (
            float((share * np.asarray(part)).sum()) for part in (bars.value, bars.worst_value, bars.rounding)
        )
        numbers = value, worst, 0.0
        return _made(measure, whole, numbers, PREVALENCE_OF_FOLD, measure.claim, rounding=rounding)
    lacking = measure.needs(int(total.sum()), int(positives.sum()))
    if lacking:
        return _made(measure, whole, (math.nan, math.nan, math.nan), NOTHING_TO_DO, measure.claim, lacking)
    value = merged_auc(total, positives)
    recipe = SAME_SCORE
    if value > 0.5:
        aside = "higher where more of them are positive"
        recipe = Recipe("give", "all samples of a fold the same score", aside)
    claim = (
        "The order within a fold expects one half of its pairs, and no order of whole folds has more of the "
        "others right than that by prevalence."
    )
    return _made(measure, whole, (value, 1 - value, 1.0), recipe, claim)


def _made(
    measure: ScoreMeasure,
    whole: Population,
    numbers: tuple[float, float, float],
    recipe: Recipe,
    claim: str,
    reason: str = "",
    rounding: float = 0.0,
) -> FoldScoreBaseline:
    value, worst, best = numbers
    return FoldScoreBaseline(
        measure,
        whole,
        value,
        worst,
        best,
        0.0,
        reason,
        replace(recipe, certain=True),
        claim,
        rounding=rounding,
    )


def merged_auc(total: IntArray, positives: IntArray) -> float:
    """Return the best expected ROC AUC of merged folds that ignores the features but knows the folds."""
    p, n = positives.astype(np.float64), (total - positives).astype(np.float64)
    order = np.argsort(-(p / (p + n)), kind="stable")
    p, n = p[order], n[order]
    below = n.sum() - np.cumsum(n)
    return float((p * (n / 2 + below)).sum() / (p.sum() * n.sum()))
