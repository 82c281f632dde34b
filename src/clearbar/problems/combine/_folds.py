"""A measure on folds whose class sizes are known, and the bar of a way to combine them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core._value import Value
from clearbar.core.counts import Population
from clearbar.problems.binary import Baseline, baseline
from clearbar.problems.combine._undefined import filled, named
from clearbar.problems.recipes import NOTHING_TO_DO, PREDICT_NONE, Recipe, predict_all, predict_any

Draws = tuple[int, int] | Literal["all", "none"] | None
"""Optimal draws by the distance of the first and the last to the ends; None where they are not one range."""

NUMBERS = ("value", "best_possible", "worst_value", "certified")


@dataclass(frozen=True, eq=False)
class FoldBar(Value):
    """The best that blind predictions expect of a score combined over folds.

    Its numbers are arrays of one group, as those of any bar, or numbers once that group is asked for.
    """

    measure: Any  # what is evaluated
    population: Any  # all samples, as an array of one group, or that group
    words: str  # how folds are combined
    value: Any  # the bar; nan where there is none, with a reason
    best_possible: Any  # the score of perfect predictions
    worst_value: Any  # the worst expected score of blind predictions; nan where it is not known
    certified: Any  # whether no blind predictions can be better
    reason: str  # why there is no bar; empty where there is one
    attained_by: Recipe  # which predictions attain it

    rounding = 0.0

    @property
    def recipe(self) -> str:
        """What to do to get the bar, as an order."""
        return str(self.attained_by)

    @property
    def claim(self) -> str:
        """The sentence that says why nothing does better."""
        return (
            f"Nothing that ignores its input does better on average, {self.words} "
            "(Pries et al. 2023, fold by fold)."
        )

    def __float__(self) -> float:
        """Return the bar of the one group there is."""
        return float(np.asarray(self.value).item())

    def __getitem__(self, index: Any) -> FoldBar:
        """Return the bar of the one group there is, or of a slice of it, as NumPy would."""
        numbers = {name: getattr(self, name)[index] for name in NUMBERS}
        if np.ndim(numbers["value"]) == 0:
            numbers = {name: number.item() for name, number in numbers.items()}
        return replace(self, population=self.population[index], **numbers)


@dataclass(frozen=True, eq=False)
class Folds:
    """Folds by their samples and positive samples, and what stands for outcomes without a value."""

    measure: Measure
    total: IntArray
    positives: IntArray
    undefined: Undefined
    names: tuple[Any, ...] = ()

    part = "fold"
    """What one of them is called."""

    kind_of_bar: ClassVar[type[FoldBar]] = FoldBar

    @property
    def largest(self) -> bool:
        """Whether the best score is the largest."""
        return self.measure.greater_is_better is not False

    @property
    def sign(self) -> float:
        """1 for a score, -1 for a loss."""
        return 1.0 if self.largest else -1.0

    @property
    def bound(self) -> float:
        """The best value that the measure can have."""
        return self.measure.bounds[1 if self.largest else 0]

    @cached_property
    def population(self) -> Population:
        """All samples, as an array of one group."""
        return Population(self.total.sum(keepdims=True), self.positives.sum(keepdims=True))

    def bars(self, policy: Undefined) -> Baseline:
        """Return the bar of each fold."""
        return baseline(Population(self.total, self.positives), self.measure, undefined=policy)

    def perfect(self, policy: Undefined) -> FloatArray:
        """Return the score of perfect predictions in each fold."""
        p, n = self.positives, self.total - self.positives
        values = np.asarray(self.measure(tp=p, fp=0 * p, fn=0 * p, tn=n), dtype=np.float64)
        return filled(self.measure, values, self.total, policy)

    def bar(
        self,
        words: str,
        value: float,
        best_possible: float,
        worst_value: float,
        attained_by: Recipe,
        *,
        certified: bool,
        reason: str = "",
    ) -> FoldBar:
        """Return a bar of one way of combining, whose words these are."""
        bar, best, worst, proved = np.reshape([value, best_possible, worst_value, certified], (4, 1))
        proved = proved.astype(bool)
        facts = bar, best, worst, proved, reason, attained_by
        return self.kind_of_bar(self.measure, self.population, words, *facts)

    def no_bar(self, words: str, reason: str, best_possible: float = math.nan) -> FoldBar:
        """Return that there is no bar, and why."""
        nothing = math.nan, best_possible, math.nan, NOTHING_TO_DO
        return self.bar(words, *nothing, certified=True, reason=reason)

    def named(self, chosen: BoolArray) -> str:
        """Return folds by name."""
        return named(self.names, chosen)

    def all_positive_in(self, chosen: BoolArray) -> Recipe:
        """Predict everything positive in some folds, and nothing elsewhere."""
        if not chosen.any():
            return PREDICT_NONE
        number = int(self.total[chosen].sum())
        if chosen.all():
            return predict_all(number)
        return predict_all(number, f" in {self.named(chosen)}", "none elsewhere")

    def recipe_of_each(self, bars: Baseline, chosen: BoolArray) -> Recipe:
        """Return what attains the bar of every fold that counts, where that is the same."""
        rows = np.flatnonzero(chosen)
        sizes = np.stack((self.total[rows], self.positives[rows]), axis=1)
        first = rows[np.unique(sizes, axis=0, return_index=True)[1]]
        kinds = {_draws(bars[at], int(self.total[at])) for at in first.tolist()}
        kind = kinds.pop() if len(kinds) == 1 else None
        if kind == "all":
            return predict_all(int(self.total.sum()))
        if kind == "none":
            return PREDICT_NONE
        short = None if kind is None else predict_any(*kind, " in each fold")
        return short or Recipe("draw", "in each fold as is best there")


def _draws(bar: Baseline, total: int) -> Draws:
    """Return which draws attain the bar of one fold."""
    ranges = () if bar.best is None else tuple(bar.best.predicted_positives)
    if len(ranges) != 1:
        return None
    before, after = int(ranges[0].start), total + 1 - int(ranges[0].stop)
    if before + after < total:
        return before, after
    return "all" if after == 0 else "none" if before == 0 else None


def first_reason(bars: Baseline) -> str:
    """Return why the first fold without a bar has none."""
    reasons = [str(reason) for reason in np.atleast_1d(bars.reason) if reason]
    return reasons[0] if reasons else "it has no value there"
