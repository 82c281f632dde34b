"""Where a model's true score lies: its class sizes fixed, each row of the confusion matrix is multinomial.

The share that is right is a mean of as many coins as samples, of different chances in different classes. By
Hoeffding (Annals of Math. Stat. 27, 1956) a binomial with the mean chance has the heavier tail from one
above its mean on, so that its tail there bounds what any classes' accuracies can do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.inference.binomial import at_least as upper_tails
from clearbar.inference.binomial import bracketed_root
from clearbar.problems._protocol import Tail

CERTIFIED = "p_value holds for any accuracies of the classes (Hoeffding 1956)"


@dataclass(frozen=True)
class Certified:
    """The share of samples that are right, or wrong, each of which is a coin of its own."""

    right: int
    total: int
    loss: bool = False
    note: Any = CERTIFIED

    def tail(self, bar: float) -> Tail:
        """Return the two-sided p-value."""
        p_value = certified_p_value(self.right, self.total, 1 - bar if self.loss else bar)
        return Tail.between(p_value, p_value, self.note)

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:  # noqa: ARG002
        """Return Clopper and Pearson's limits."""
        low, high = certified_interval(self.right, self.total, level)
        return (1 - high, 1 - low) if self.loss else (low, high)


def at_least(count: int, size: int, rate: float) -> float:
    """Return P(Bin(size, rate) >= count)."""
    return float(upper_tails(np.array(count), np.array(size), np.array(rate)))


def at_most(count: int, size: int, rate: float) -> float:
    """Return P(Bin(size, rate) <= count)."""
    return at_least(size - count, size, 1.0 - rate)


def certified_p_value(right: int, total: int, rate: float) -> float:
    """Return the two-sided p of a share that is right, the true one being `rate` on average over samples."""
    ahead, slack = right - total * rate, 1e-12 * total  # a whole sample, but for rounding
    above = at_least(right, total, rate) if ahead >= 1 - slack else 1.0
    below = at_most(right, total, rate) if ahead <= -1 + slack else 1.0
    return min(1.0, 2 * min(above, below))


def certified_interval(right: int, total: int, level: float) -> tuple[float, float]:
    """Return Clopper and Pearson's limits, wider where one sample is right, or all but one."""
    tail = (1 - level) / 2
    return _least_rate(right, total, tail), 1 - _least_rate(total - right, total, tail)


def _least_rate(right: int, total: int, tail: float) -> float:
    if right == 0:
        return 0.0
    if right == 1:  # at a mean of less than one above 0 a mixture can have the heavier tail
        return tail / total

    def over(rate: FloatArray) -> FloatArray:
        return np.array([at_least(right, total, float(r)) - tail for r in rate])

    return float(bracketed_root(over, np.zeros(1), np.array([right / total]))[0])
