"""How surely the true score of a model is above its bar: one test for each measure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from clearbar.problems.bootstrap import Bootstrap
from clearbar.problems.groups import FEWEST, Groups
from clearbar.problems.multiclass.interval import certified_interval, certified_p_value
from clearbar.problems.multilabel._compared import Compared
from clearbar.problems.multilabel._resampled import WithOptima, bootstraps
from clearbar.problems.multilabel.bars import CERTIFIED
from clearbar.problems.multilabel.measures import LabelMeasure


class Test(Protocol):
    """What is known of a true score."""

    @property
    def note(self) -> str:
        """How it is known, or why it is not."""

    def p_value(self, bar: float) -> float:
        """Return how surprising the score is if the true one is the bar, two-sided."""

    def interval(self, level: float) -> tuple[float, float]:
        """Return the scores that are not refuted."""


@dataclass(frozen=True)
class Unknown:
    """Nothing is known."""

    why: str

    @property
    def note(self) -> str:
        """Say why."""
        return f"p_value is not known: {self.why}"

    def p_value(self, bar: float) -> float:  # noqa: ARG002
        """Return nan."""
        return math.nan

    def interval(self, level: float) -> tuple[float, float]:  # noqa: ARG002
        """Return nan twice."""
        return math.nan, math.nan


@dataclass(frozen=True)
class Certified:
    """The share of samples that are right, each of which is a coin of its own."""

    right: int
    total: int
    loss: bool
    note: str = CERTIFIED

    def p_value(self, bar: float) -> float:
        """Return the two-sided p-value."""
        return certified_p_value(self.right, self.total, 1 - bar if self.loss else bar)

    def interval(self, level: float) -> tuple[float, float]:
        """Return Clopper and Pearson's limits."""
        low, high = certified_interval(self.right, self.total, level)
        return (1 - high, 1 - low) if self.loss else (low, high)


@dataclass(frozen=True, eq=False)
class Resampled:
    """What resamples tell."""

    bootstrap: Bootstrap
    bounds: tuple[float, float]
    units: str

    @property
    def note(self) -> str:
        """Say what was drawn anew."""
        return f"p_value is from bootstrap resamples of {self.units}, which is approximate"

    def p_value(self, bar: float) -> float:
        """Return the two-sided p-value."""
        return self.bootstrap.p_value(bar)

    def interval(self, level: float) -> tuple[float, float]:
        """Return the scores that it does not refute."""
        return self.bootstrap.interval(level, self.bounds)


def tests_of(
    with_optima: WithOptima, compared: Compared, groups: Groups, empty: float, seed: int
) -> list[Test]:
    """Return the test of each measure; all that are resampled share their resamples."""
    single = len(groups) == len(compared.truth)
    tests: dict[LabelMeasure, Test] = {}
    if single:
        tests = {measure: _certified(measure, compared) for measure, _ in with_optima if measure.counts_right}
    left = [one for one in with_optima if one[0] not in tests]
    if len(groups) < FEWEST:
        units = "samples" if single else "groups"
        why = f"it takes at least {FEWEST} {units}, and there are {len(groups)}"
        return [tests.get(measure) or Unknown(why) for measure, _ in with_optima]
    units = "the samples" if single else f"{len(groups):,} groups"
    drawn = bootstraps(left, compared, groups, empty, seed) if left else []
    for (measure, _), own in zip(left, drawn, strict=True):
        tests[measure] = Unknown(own.unknown) if own.unknown else Resampled(own, measure.bounds, units)
    return [tests[measure] for measure, _ in with_optima]


def _certified(measure: LabelMeasure, compared: Compared) -> Certified:
    right = int(np.count_nonzero(compared.right))
    return Certified(right, len(compared.truth), loss=not measure.greater_is_better)
