"""The mean over the folds in which what the measure requires holds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.counts import Counts
from clearbar.problems._protocol import Bar
from clearbar.problems.combine._folds import Folds, first_reason
from clearbar.problems.combine._undefined import admitted
from clearbar.problems.combine.ways._way import mean_over
from clearbar.problems.combine.ways.mean import Mean
from clearbar.problems.recipes import Recipe, predict_all


@dataclass(frozen=True)
class MeanOfDefined(Mean):
    """It can be gamed: blind predictions leave undefined what would lower their score, as the bar does."""

    def score(self, measure: Measure, counts: Counts, undefined: Undefined) -> FloatArray:
        """Return the means over folds that have a value."""
        values = self.in_folds(measure, counts, undefined)
        return mean_over(values, ~np.isnan(values))

    def in_folds(self, measure: Measure, counts: Counts, undefined: Undefined) -> FloatArray:
        """Return what each fold adds to the mean; nan where it is left out."""
        values = super().in_folds(measure, counts, undefined)
        margins = counts.total, counts.positives, counts.predicted_positives
        return np.where(admitted(measure, *margins), values, np.nan)

    def counted(self, folds: Folds, draws: IntArray) -> BoolArray:
        """Return which folds have a value after these draws."""
        return admitted(folds.measure, folds.total, folds.positives, draws)

    def bar(self, folds: Folds) -> Bar:
        """Return the best mean over all folds that must count and some of those that need not."""
        bars, can_skip = folds.bars("exclude"), _can_skip(folds)
        value, label, sign = np.asarray(bars.value), folds.measure.label, folds.sign
        lost = np.isnan(value) & ~can_skip
        if lost.any():
            reason = f"{label} has no bar in {folds.named(lost)}: {first_reason(bars)}"
            return folds.no_bar(self.words, reason)
        best, chosen = _best_mean(sign * value, can_skip)
        if math.isnan(best):
            reason = f"in every fold {label} may be left without a value: {first_reason(bars)}"
            return folds.no_bar(self.words, reason)
        worst = -_best_mean(-sign * np.asarray(bars.worst_value), can_skip)[0]
        perfect = _best_mean(sign * folds.perfect("exclude"), can_skip)[0]
        recipe = folds.recipe_of_each(bars, chosen)
        if not chosen.all():
            where = f" in {folds.named(chosen)} and leave the other {int((~chosen).sum()):,} undefined"
            recipe = (
                predict_all(int(folds.total[chosen].sum()), where)
                if recipe.always == "positive"
                else Recipe("draw", f"as is best{where}", certain=recipe.certain)
            )
        certified = bool(np.asarray(bars.certified).all())
        return folds.bar(self.words, sign * best, sign * perfect, sign * worst, recipe, certified=certified)

    def note(self, folds: int) -> str:
        """Say which folds count."""
        return f"Scores are means over those of {folds:,} folds in which they have a value."


def _can_skip(folds: Folds) -> BoolArray:
    """Return where some number of predicted positives leaves the fold without a value."""
    m, p = folds.total, folds.positives
    ends = np.stack((0 * m, np.minimum(1, m), m - 1, m, p, m - p))  # all may be right at P, wrong at N
    always: BoolArray = np.asarray(admitted(folds.measure, m, p, ends).all(axis=0))
    return ~always


def _best_mean(values: FloatArray, can_skip: BoolArray) -> tuple[float, BoolArray]:
    """Return the largest mean over all folds that must count and some of those that need not.

    Taking the best of the others first, as long as each lies above the mean so far, is optimal.
    """
    usable = ~np.isnan(values)
    must = usable & ~can_skip
    order = np.argsort(np.where(usable & can_skip, -values, np.inf), kind="stable")
    order = order[: int((usable & can_skip).sum())]
    total, count = float(values[must].sum()), int(must.sum())
    means = (total + np.cumsum(values[order])) / np.arange(count + 1, count + 1 + len(order))
    known = np.concatenate(([total / count if count else -math.inf], means))
    more = int(np.argmax(known))
    chosen = must.copy()
    chosen[order[:more]] = True
    return (float(known[more]) if chosen.any() else math.nan), chosen


MEAN_OF_DEFINED = MeanOfDefined("mean_of_defined", "mean over defined folds", leaves_out=True)
