"""The bar of scores across folds, averaged or merged into one ranking."""

from __future__ import annotations

import functools
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

BY_PREVALENCE = (
    "The order within a fold expects one half of its pairs, and no order of whole folds has more of the "
    "others right than that by prevalence."
)


@dataclass(frozen=True, eq=False)
class FoldScoreBaseline(Value):
    """The best that scores expect across folds if they ignore the features."""

    measure: ScoreMeasure  # what is evaluated
    population: Population  # all samples, as an array of one group, or that group
    attained_by: Recipe  # what to do to get the bar
    claim: str  # why nothing does better
    value: float = math.nan  # this and what follows as in `ScoreBaseline`, of the same combination of folds
    worst_value: float = math.nan
    best_possible: float = math.nan
    error: float = 0.0
    rounding: float = 0.0
    reason: str = ""

    certified = True
    train_value = None

    @property
    def recipe(self) -> str:
        """What to do to get the bar, as an order."""
        return str(self.attained_by)

    def __float__(self) -> float:
        """Return the bar."""
        return self.value

    def __getitem__(self, index: Any) -> FoldScoreBaseline:
        """Return the bar of the one group there is."""
        return replace(self, population=self.population[index])


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
    make = functools.partial(
        FoldScoreBaseline, measure, Population(total.sum(keepdims=True), positives.sum(keepdims=True))
    )
    sizes = int(total.sum()), int(positives.sum())
    if aggregate == "merged" and measure.mean_over != "samples":
        lacking = measure.needs(*sizes)
        if lacking:
            return make(NOTHING_TO_DO, measure.claim, reason=lacking)
        value = merged_auc(total, positives)
        aside = "higher where more of them are positive"
        recipe = Recipe("give", "all samples of a fold the same score", aside) if value > 0.5 else SAME_SCORE
        return make(replace(recipe, certain=True), BY_PREVALENCE, value, 1 - value, 1.0)
    bars = bars_of(measure, Population(total, positives))
    weights = total.astype(np.float64) if aggregate == "merged" else np.ones(len(total))
    weights[np.isnan(np.asarray(bars.value))] = 0.0
    if not weights.any():
        return make(NOTHING_TO_DO, measure.claim, reason=f"{measure.label} has no value in any fold")

    def mean(column: Any) -> float:
        return float(np.average(np.where(weights > 0, column, 0.0), weights=weights))

    claim = measure.claim
    recipe = PREVALENCE_OF_FOLD
    if not measure.probabilities:
        recipe = replace(measure.recipe(*sizes), aside="fold by fold")
    if aggregate == "mean":
        claim += " Folds are averaged, and so are their bars."
    value, worst, best, error, rounding = (
        mean(column)
        for column in (bars.value, bars.worst_value, bars.best_possible, bars.error, bars.rounding)
    )
    return make(replace(recipe, certain=measure.certain), claim, value, worst, best, error, rounding)


def merged_auc(total: IntArray, positives: IntArray) -> float:
    """Return the best expected ROC AUC of merged folds that ignores the features but knows the folds."""
    p, n = positives.astype(np.float64), (total - positives).astype(np.float64)
    order = np.argsort(-(p / (p + n)), kind="stable")
    p, n = p[order], n[order]
    below = n.sum() - np.cumsum(n)
    return float((p * (n / 2 + below)).sum() / (p.sum() * n.sum()))
