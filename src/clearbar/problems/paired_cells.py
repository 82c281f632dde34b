"""Two models whose answers are counted per true class: equal scores are tested, and exchanges beside them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from clearbar.inference.equal_scores import EqualScores
from clearbar.inference.exchange import Exchangeable, mcnemar


@dataclass(frozen=True, eq=False)
class PairedCells(EqualScores):
    """Two models' answers on single samples, drawn anew within each class."""

    exchange: Callable[[], Any] = field(kw_only=True)
    alone: tuple[int, int] = field(kw_only=True)
    """On how many samples only a is right, and only b."""
    test: str = "equal_scores"

    @property
    def same(self) -> bool:
        """Whether the models differ on no sample."""
        differ = (self.cells.first != self.cells.second).any(axis=1)
        return not self.counts[differ].any()

    @property
    def method(self) -> Literal["estimated", "unknown"]:
        """How the p-value was found."""
        return "unknown" if math.isnan(self.p_value) else "estimated"

    @property
    def mcnemar(self) -> float:
        """McNemar's exact p: whether one is right more often than the other."""
        return mcnemar(*self.alone)

    def exchangeable(self) -> Exchangeable:
        """Return how surprising the difference is if both models are alike, its method, and its note."""
        exchanged: Exchangeable = self.exchange().exchangeable()
        return exchanged
