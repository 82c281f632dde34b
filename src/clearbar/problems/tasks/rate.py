"""A pass rate beside a known chance level: so many of so many trials, each of them alike and independent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray
from clearbar.core.reasons import NoValue
from clearbar.inference import Tail
from clearbar.inference.binomial import at_least, clopper_pearson
from clearbar.inference.bootstrap import Test
from clearbar.problems._protocol import Problem
from clearbar.problems.bars import CombinedOptimum
from clearbar.problems.tasks.bars import BY_CHANCE, TaskBar, TaskMeasure, TaskSizes, share_right

PASS_RATE = TaskMeasure(
    "pass_rate",
    share_right,
    label="pass rate",
    formula=r"\frac{T}{M}",
    question="What share of the trials passes?",
)

CLAIM = "It is the chance level that was named: clearbar takes it as it is."


@dataclass(frozen=True)
class Binomial:
    """The exact test of a rate: so many of independent trials that pass with the same probability."""

    passed: int
    total: int

    def tail(self, bar: float) -> Tail:
        """Return twice the smaller tail, at most 1: its inversion is `interval`."""
        sides = (
            at_least(*np.array([count, self.total, rate], dtype=np.float64))
            for count, rate in ((self.passed, bar), (self.total - self.passed, 1 - bar))
        )
        return Tail.exactly(min(1.0, 2 * float(min(sides))))

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return Clopper and Pearson's limits."""
        low, high = clopper_pearson(np.array(self.passed), np.array(self.total), (1 - level) / 2)
        return float(low), float(high)


@dataclass(frozen=True, eq=False)
class PassRate(Problem):
    """How many of all trials passed, and the share that passes by chance."""

    passed: int
    total: int
    chance: float

    models = ("model",)
    groups = (None,)
    by_model = by_group = ()

    def bars(self, measures: Sequence[TaskMeasure]) -> tuple[TaskBar, ...]:
        sizes = TaskSizes(("",), np.array([[self.total]]), np.array([self.passed]), "passed")
        optimum = CombinedOptimum(self.chance, 0.0, 1.0, BY_CHANCE)
        return tuple(TaskBar(measure, sizes, (optimum,), CLAIM) for measure in measures)

    def scores(self, measures: Sequence[TaskMeasure]) -> FloatArray:
        return np.full((1, 1, len(measures)), self.passed / self.total)

    def exact_tests(self, measures: Sequence[TaskMeasure], model: int, group: int) -> list[Test | None]:
        return [Binomial(self.passed, self.total)] * len(measures)

    def exact_chances(
        self, measures: Sequence[TaskMeasure], scores: FloatArray, model: int, group: int
    ) -> list[Tail]:
        """Return the probability of as many passes at the chance level."""
        count = np.array([self.passed, self.total, self.chance], dtype=np.float64)
        return [Tail.exactly(float(at_least(*count)))] * len(measures)

    def why_undefined(self, measure: TaskMeasure, missing: BoolArray) -> list[NoValue]:
        return [NoValue(measure.label)] * int(missing.sum())
