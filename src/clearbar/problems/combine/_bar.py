"""A bar over folds, as every verdict, table and picture reads one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._value import Value
from clearbar.core.counts import Population
from clearbar.problems.combine._ways import WORDS, Aggregate
from clearbar.problems.recipes import NOTHING_TO_DO, Recipe


@dataclass(frozen=True, eq=False)
class OneBar(Value):
    """The bar of one measure on one set of folds."""

    value: float
    best_possible: float
    worst_value: float
    certified: bool  # whether no blind predictions can be better
    reason: str  # why there is no bar; empty where there is one
    attained_by: Recipe = NOTHING_TO_DO  # which predictions attain it


@dataclass(frozen=True, eq=False)
class FoldBar(Value):
    """The best that blind predictions expect of a score combined over folds, group by group."""

    measure: Measure  # what is evaluated
    population: Population  # all samples of each group
    aggregate: Aggregate  # how folds are combined
    bars: tuple[OneBar, ...]  # the bar of each group

    rounding = 0.0

    @property
    def value(self) -> Any:
        """The bar; nan where there is none, with a `reason`."""
        return self._column("value")

    @property
    def best_possible(self) -> Any:
        """The score of perfect predictions."""
        return self._column("best_possible")

    @property
    def worst_value(self) -> Any:
        """The worst expected score of blind predictions; nan where it is not known."""
        return self._column("worst_value")

    @property
    def certified(self) -> Any:
        """Whether the bar is proved to be the optimum."""
        return self._column("certified")

    @property
    def reason(self) -> Any:
        """Why there is no bar; empty where there is one."""
        return self._column("reason")

    def _column(self, name: str) -> Any:
        if not self.population.shape:
            return getattr(self.bars[0], name)
        return np.array([getattr(bar, name) for bar in self.bars])

    @property
    def recipe(self) -> str:
        """What to do to get the bar of one group, as an order."""
        return str(self.attained_by)

    @property
    def attained_by(self) -> Recipe:
        """What blind predictions do to get the bar of one group."""
        return self._one.attained_by

    @property
    def _one(self) -> OneBar:
        if self.population.shape:
            raise ValueError("these are the bars of several groups; index them first, as in bars[0].")
        return self.bars[0]

    @property
    def claim(self) -> str:
        """The sentence that says why nothing does better."""
        return (
            f"Nothing that ignores its input does better on average, {WORDS[self.aggregate]} "
            "(Pries et al. 2023, fold by fold)."
        )

    def __float__(self) -> float:
        """Return the bar of one group."""
        return self._one.value

    def __getitem__(self, index: Any) -> FoldBar:
        """Return the bar of a group, or of several, as NumPy would."""
        at = np.arange(len(self.bars))[index]
        chosen = tuple(self.bars[int(one)] for one in np.atleast_1d(at))
        return FoldBar(self.measure, self.population[index], self.aggregate, chosen)
