"""Two models on the same units: how surprising their difference is, and what the true one may be.

Exchanges of their answers tell the one (`exchanged`), a bootstrap of units the other; means over folds have a
test of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.problems._protocol import Problem
from clearbar.problems._resampled_t import RESAMPLED_T, Mean, mean_of_folds
from clearbar.problems.bootstrap import Bootstrap, acceleration, portions
from clearbar.problems.exchanged import Exchanged

TOO_FEW_FOLDS = "a p-value needs two folds on which both models have a score, and some spread"

MOST_LEFT_OUT = 256
"""Kinds of units that are left out, one at a time, to see how skewed the difference's law is."""


Exchangeable = tuple[float, str, str]
"""Of the hypothesis that two models' answers may be exchanged: the p-value, its method, and a note."""


class Paired(Protocol):
    """Two models' scores, how surprising their difference is, and what it may be.

    Attributes
    ----------
    scores : (float, float)
        Of both models.
    same : bool
        Whether the models are known to differ on no unit.
    alone : (int, int) or None
        On how many samples only the one is right, and only the other, where that is known.
    test : str
        What was done: ``"equal_scores"``, ``"bootstrap_t"``, ``"delong"`` or ``"resampled_t"``; empty where
        nothing could be.
    method : str
        What kind of number the p-value is: ``"estimated"``, ``"normal"``, ``"bootstrap"``, ``"delong"``,
        ``"t"``, ``"exact"``, ``"permutation"`` or ``"unknown"``.
    p_value : float
        How surprising a difference of this size is if both true scores are equal, two-sided.
    mcnemar : float
        McNemar's exact p-value that both are right equally often; nan where right and wrong are not known.
    note : str
        How the p-value was found, if not exactly; or why nothing is known.
    """

    @property
    def scores(self) -> tuple[float, float]:
        """Of both models."""

    @property
    def same(self) -> bool:
        """Whether they differ on no unit."""

    @property
    def alone(self) -> tuple[int, int] | None:
        """Where only one is right."""

    @property
    def test(self) -> str:
        """What was done."""

    @property
    def method(self) -> str:
        """What kind of number the p-value is."""

    @property
    def p_value(self) -> float:
        """How surprising the difference is."""

    @property
    def mcnemar(self) -> float:
        """McNemar's p-value."""

    @property
    def note(self) -> str:
        """How the p-value was found."""

    def interval(self, level: float) -> tuple[float, float]:
        """Return the true differences that are not refuted."""
        ...

    def surprise(self, difference: float) -> float:
        """Return how surprising the difference is if the true one is this, two-sided."""
        ...

    def exchangeable(self) -> Exchangeable:
        """Return how surprising the difference is if both models' answers may be exchanged."""
        ...


@dataclass(frozen=True, eq=False)
class Swaps(Exchanged):
    """Units whose answers may be exchanged, and which are drawn anew.

    Kinds of one of the `strata` are drawn anew together. ``worse`` are the scores of either model if the
    shares `SHARES` of its answers were wrong.
    """

    strata: IntArray
    worse: Callable[[], tuple[FloatArray, FloatArray]]
    test: str = "swaps"
    alone: tuple[int, int] | None = None
    """On how many samples only a is right, and only b."""

    @cached_property
    def _bootstrap(self) -> Bootstrap:
        generator = np.random.default_rng(self.seed)
        units = int((self.straight + self.crossed).sum())
        cells = np.concatenate((self.straight, self.crossed))
        strata = np.concatenate((self.strata, self.strata))
        held = np.flatnonzero(cells)
        held = held[np.argsort(strata[held], kind="stable")]
        drawn = _resamples(cells, held, strata, generator, self.samples)
        values = np.concatenate([self.differences_of(*np.split(part, 2, axis=1)) for part in drawn])
        return Bootstrap(
            self.difference, values, acceleration(self._left_out(cells, held, strata)), units, self._supposed
        )

    def _left_out(
        self, cells: IntArray, held: IntArray, strata: IntArray
    ) -> Iterator[tuple[FloatArray, IntArray]]:
        """Yield for each stratum the differences without a unit of each kind, or of some of many kinds."""
        for stratum in np.unique(strata[held]):
            own = held[strata[held] == stratum]
            chosen = own[np.unique(np.linspace(0, len(own) - 1, min(len(own), MOST_LEFT_OUT)).astype(int))]
            parts = []
            for start in range(0, len(chosen), self.rows):
                part = chosen[start : start + self.rows]
                left = np.broadcast_to(cells.astype(np.float64), (len(part), len(cells))).copy()
                left[np.arange(len(part)), part] -= 1
                parts.append(self.differences_of(*np.split(left, 2, axis=1)))
            yield np.concatenate(parts), cells[chosen]

    def _supposed(self) -> tuple[FloatArray, FloatArray]:
        worse_a, worse_b = self.worse()
        changed = worse_a - self.scores[1], self.scores[0] - worse_b
        return np.fmin(*changed), np.fmax(*changed)

    def interval(self, level: float) -> tuple[float, float]:
        """Return the differences that the bootstrap does not refute."""
        if math.isnan(self.difference):
            return math.nan, math.nan
        return self._bootstrap.interval(level, (-math.inf, math.inf))

    def surprise(self, difference: float) -> float:
        """Return how surprising the difference is if the true one is this, two-sided."""
        return math.nan if math.isnan(self.difference) else self._bootstrap.p_value(difference)


def _resamples(
    cells: IntArray, held: IntArray, strata: IntArray, generator: np.random.Generator, samples: int
) -> Iterator[FloatArray]:
    """Yield how many units of each cell are drawn, in portions: as many of each stratum as it has."""
    ends = [*np.flatnonzero(np.diff(strata[held])) + 1, len(held)]
    for rows in portions(len(cells), samples=2 * samples):
        drawn = np.zeros((rows, len(cells)))
        for own in np.split(held, ends[:-1]):
            number = int(cells[own].sum())
            if number > 8 * len(own):  # then a binomial variate per cell costs less than an index per unit
                drawn[:, own] = generator.multinomial(number, cells[own] / number, size=rows)
                continue
            owners = np.repeat(np.arange(len(own)), cells[own])
            picked = owners[generator.integers(number, size=(rows, number))]
            picked += len(own) * np.arange(rows)[:, None]
            drawn[:, own] = np.bincount(picked.ravel(), minlength=rows * len(own)).reshape(rows, -1)
        yield drawn


@dataclass(frozen=True, eq=False)
class PairedFolds:
    """Two models on the same folds: the corrected resampled t-test of the mean difference."""

    scores: tuple[float, float]
    mean: Mean
    bounds: tuple[float, float]
    test: str = "resampled_t"
    alone: None = None
    same: bool = False

    @property
    def p_value(self) -> float:
        """How surprising the difference is if the models are equally good."""
        return self.surprise(0.0)

    @property
    def note(self) -> str:
        """How it was found."""
        return TOO_FEW_FOLDS if math.isnan(self.p_value) else RESAMPLED_T

    def interval(self, level: float) -> tuple[float, float]:
        """Return the differences that the test does not refute."""
        reach = self.bounds[1] - self.bounds[0]
        return self.mean.interval(level, (-reach, reach))

    def surprise(self, difference: float) -> float:
        """Return how surprising the difference is if the true one is this, two-sided."""
        return self.mean.p_value(difference)


@dataclass(frozen=True, eq=False)
class Unpaired:
    """Two scores of which nothing more is known; the note says why."""

    scores: tuple[float, float]
    note: str
    test: str = ""
    p_value: float = math.nan
    alone: None = None
    same: bool = False

    def interval(self, level: float) -> tuple[float, float]:  # noqa: ARG002
        """Return nothing."""
        return math.nan, math.nan

    def surprise(self, difference: float) -> float:  # noqa: ARG002
        """Return nothing."""
        return math.nan


def unpaired(problem: Problem, measure: Any, models: tuple[int, int], why: str) -> Unpaired:
    """Return the scores of two models, means over their runs, and why nothing more is known."""
    scores = problem.scores([measure])[list(models), 0, 0].reshape(2, -1).mean(axis=1).tolist()
    return Unpaired((scores[0], scores[1]), f"nothing is known of the difference: {why}")


def paired_folds(
    scores: Sequence[float],
    in_folds: Sequence[FloatArray | None],
    ratio: float | None,
    bounds: tuple[float, float],
    untested: str,
) -> Paired:
    """Return two models on the same folds; where folds have no scores of their own, `untested` says so."""
    a, b = scores
    first, second = in_folds
    if first is None or second is None:
        return Unpaired((a, b), untested)
    mean = mean_of_folds(first - second, ratio)._replace(value=a - b)
    return PairedFolds((a, b), mean, bounds)


def right_alone(a: BoolArray, b: BoolArray, times: Any = 1) -> tuple[int, int]:
    """Return on how many samples, which occur so many times, only one of two models is right."""
    return int(((a & ~b) * times).sum()), int(((b & ~a) * times).sum())


def paired_units(scores: Any, others: Any, seed: int = 0) -> Swaps:
    """Return two models' scores on units of equal weight, such as tasks: swapped one by one."""
    a, b = np.asarray(scores, dtype=np.float64), np.asarray(others, dtype=np.float64)
    ones, none = np.ones(len(a), dtype=np.int64), np.zeros(len(a), dtype=np.int64)

    def means(first: FloatArray, second: FloatArray) -> FloatArray:
        weight = (first + second).sum(axis=1)
        return np.asarray((first @ a + second @ b) / weight)

    def worse() -> tuple[FloatArray, FloatArray]:
        return np.full(1, np.nan), np.full(1, np.nan)

    return Swaps(ones, none, a != b, means, none, worse, steps=a - b, seed=seed)
