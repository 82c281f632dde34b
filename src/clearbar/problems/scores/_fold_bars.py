"""The bar of scores across folds, averaged or merged into one ranking."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core._value import Value
from clearbar.core.counts import Population
from clearbar.problems.recipes import NOTHING_TO_DO, Recipe
from clearbar.problems.scores._baseline import bars_of
from clearbar.problems.scores._measure import ScoreMeasure

PREVALENCE_OF_FOLD = Recipe("give", "every sample the prevalence of its fold")


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


def bar_maker(
    measure: ScoreMeasure, total: IntArray, positives: IntArray
) -> Callable[..., FoldScoreBaseline]:
    """Return what makes bars of a measure on these folds."""
    whole = Population(total.sum(keepdims=True), positives.sum(keepdims=True))
    return functools.partial(FoldScoreBaseline, measure, whole)


def averaged_bar(
    measure: ScoreMeasure, total: IntArray, positives: IntArray, weights: FloatArray, claim: str
) -> FoldScoreBaseline:
    """Return the mean of the folds' bars with these weights; folds without a bar have none."""
    make = bar_maker(measure, total, positives)
    bars = bars_of(measure, Population(total, positives))
    weights = np.where(np.isnan(np.asarray(bars.value)), 0.0, weights)
    if not weights.any():
        return make(NOTHING_TO_DO, measure.claim, reason=f"{measure.label} has no value in any fold")
    recipe = PREVALENCE_OF_FOLD
    if not measure.probabilities:
        recipe = replace(measure.recipe(int(total.sum()), int(positives.sum())), aside="fold by fold")
    means = (
        float(np.average(np.where(weights > 0, column, 0.0), weights=weights))
        for column in (bars.value, bars.worst_value, bars.best_possible, bars.error, bars.rounding)
    )
    return make(replace(recipe, certain=measure.certain), claim, *means)
