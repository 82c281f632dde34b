"""A bar over folds, as every verdict, table and picture reads one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearbar.core._value import Value
from clearbar.problems.recipes import Recipe

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
