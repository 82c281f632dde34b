"""Bars of classes and of sets of labels: what a share that is right tells alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from clearbar.problems._group_bars import GroupBars
from clearbar.problems._protocol import Tail
from clearbar.problems.multiclass.interval import CERTIFIED, certified_p_value


@dataclass(frozen=True, eq=False, repr=False)
class SearchedBar(GroupBars):
    """The best blind predictions of classes or of sets of labels, found in closed form or by a search.

    A kind brings `proved` and `found`: why nothing does better, and that nothing better was found.
    """

    how_certified = CERTIFIED
    proved = found = ""

    measure: Any
    population: Any
    optima: tuple[Any, ...]
    zero_division: float = 0.0

    def _identity(self) -> tuple[Any, ...]:
        return self.measure, self.population, self.zero_division  # the optima follow from these

    @property
    def certified(self) -> Any:
        """Whether the bar is proved to be the optimum."""
        return self._array("certified", bool)

    @property
    def claim(self) -> str:
        """The sentence that says why nothing does better, or that nothing better was found."""
        return self.proved if self._one("claim").certified else self.found

    def clearing_score(self, alpha: float = 0.05, *, tries: int = 1) -> float:  # noqa: ARG002
        """Refuse: what blind predictions reach, of any number of each class, cannot be listed."""
        raise ValueError(
            f"clearing_score is for two classes: how often blind predictions reach {self.measure.label} "
            f"depends on {self.needed}; judge that."
        )

    def bare(self, score: float) -> Tail:
        """Return what is known of question A without predictions: of the share that is right, all."""
        total = int(self.population.total)
        if not self.measure.counts_right or math.isnan(float(self.value)):
            return super().bare(score)
        share = [
            value if self.measure.greater_is_better else 1 - value for value in (score, float(self.value))
        ]
        right = (
            math.floor(share[0] * total + 1e-9) if share[0] > share[1] else math.ceil(share[0] * total - 1e-9)
        )
        p_value = certified_p_value(right, total, share[1])
        return Tail(p_value, p_value, self.how_certified)
