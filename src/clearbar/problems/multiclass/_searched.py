"""Bars whose best and worst blind predictions were found group by group: what all of them can tell."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.core._later import Later
from clearbar.core._value import Value
from clearbar.problems._protocol import Tail
from clearbar.problems.multiclass.interval import CERTIFIED, certified_p_value
from clearbar.problems.recipes import Recipe


@dataclass(frozen=True, eq=False)
class SearchedBar(Value):
    """What bars have in common whose best and worst blind predictions are known group by group.

    A kind brings `best_possible`, `attained_by`, `claim` and `__getitem__`.
    """

    needed = "the confusion matrix"
    how_certified = CERTIFIED

    measure: Any
    population: Any
    optima: tuple[Any, ...]
    zero_division: float = 0.0

    @property
    def best_possible(self) -> Any:
        """The score of perfect predictions."""
        raise NotImplementedError

    def clearing_score(self, alpha: float = 0.05, *, tries: int = 1) -> float:  # noqa: ARG002
        """Refuse: what blind predictions reach, of any number of each class, cannot be listed."""
        raise ValueError(
            f"clearing_score is for two classes: how often blind predictions reach {self.measure.label} "
            f"depends on {self.needed}; judge that."
        )

    @property
    def attained_by(self) -> Recipe:
        """What predictions that ignore the features do to get the bar."""
        raise NotImplementedError

    def _identity(self) -> tuple[Any, ...]:
        return self.measure, self.population, self.zero_division  # the optima follow from these

    def _array(self, name: str, kind: Any = np.float64) -> Any:
        values = np.array([getattr(optimum, name) for optimum in self.optima], dtype=kind)
        return values if self.population.shape else values[0].item() if kind is not object else values[0]

    @property
    def value(self) -> Any:
        """The bar; nan where there is none."""
        return self._array("value")

    @property
    def worst_value(self) -> Any:
        """The worst expected score of predictions that ignore the features."""
        return self._array("worst")

    @property
    def certified(self) -> Any:
        """Whether the bar is proved to be the optimum."""
        return self._array("certified", bool)

    @property
    def reason(self) -> Any:
        """Why there is no bar; empty where there is one."""
        return self._array("reason", object)

    @property
    def rounding(self) -> float:
        """0: the recipe can be followed exactly."""
        return 0.0

    @property
    def recipe(self) -> str:
        """What to do to get the bar, such as ``call all 60 samples dog``."""
        return str(self.attained_by)

    def draw(self) -> Any:
        """Return nothing: there is no single draw that all else follows from."""
        return None

    judge = Later("clearbar.verdict", "judge")

    def bare(self, score: float) -> Tail:
        """Return what is known of question A without predictions: of the share that is right, all."""
        total = int(self.population.total)
        if not self.measure.counts_right or math.isnan(float(self.value)):
            return Tail(math.nan, math.nan, f"p_value is not known without {self.needed}")
        share = [
            value if self.measure.greater_is_better else 1 - value for value in (score, float(self.value))
        ]
        right = (
            math.floor(share[0] * total + 1e-9) if share[0] > share[1] else math.ceil(share[0] * total - 1e-9)
        )
        p_value = certified_p_value(right, total, share[1])
        return Tail(p_value, p_value, self.how_certified)

    def reach(self, score: float) -> Tail:  # noqa: ARG002 - nothing is known of the predictions
        """Return what is known of all blind predictions together: nothing in closed form."""
        return Tail(math.nan, math.nan, f"p_value_blind is not known without {self.needed}")

    def _one(self, what: str) -> Any:
        if self.population.shape:
            msg = f"{what} needs the baseline of one group; this one holds {len(self.optima):,}."
            raise ValueError(msg)
        return self.optima[0]

    def __float__(self) -> float:
        """Return the bar of one group."""
        return float(self._one("float()").value)

    def __str__(self) -> str:
        """Say the bar in words."""
        if self.population.shape:
            return f"{self.measure.label} bars of {len(self.optima):,} groups"
        if math.isnan(float(self.value)):
            return f"{self.measure.label} has no bar: {self.reason}"
        return f"{self.measure.label} bar {float(self.value):.3g}: {self.recipe}"

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.population)

    def __bool__(self) -> bool:
        """Be true, whether there is a length or not."""
        return True
