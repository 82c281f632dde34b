"""Two models on the same units: how surprising their difference is, and what the true one may be.

The hypothesis is that both true scores are equal. Units are drawn anew and differences studentised
(`clearbar.inference.bootstrap_t`); ROC AUC and means over folds have tests of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.inference.bootstrap_t import TIE, BootstrapT, Line, Units
from clearbar.inference.multiplicity import holm
from clearbar.inference.student_t import student_tail
from clearbar.problems._protocol import PairPValues, Problem
from clearbar.problems._resampled_t import RESAMPLED_T, Mean, mean_of_folds
from clearbar.problems.bootstrap import MANY, RESAMPLES, Bootstrap, portions
from clearbar.problems.exchanged import Exchanged, mcnemar

TOO_FEW_FOLDS = "a p-value needs two folds on which both models have a score, and some spread"

NO_SPREAD = "the difference is the same in every unit, which does not tell how much it varies"

MOST_MISSING = 0.1
"""Share of resamples without a value from which on nothing is said."""

SCREEN = 20.0
"""How far from the level a corrected p-value by Student's t decides without resamples."""

MOST_DRAWS = 1_000_000
"""Resamples of many pairs at most."""

MOST_WORK = 10_000_000_000
"""Steps that the resamples of many pairs take at most, some of 2 ns."""

ENOUGH = 100
"""Larger differences in resamples from which on a p-value is known well enough."""

FEW_DRAWS = 1_999
"""Resamples that give a standard error where scores have no slopes."""

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
class PairedUnits:
    """Two models on units that are drawn anew: the symmetric bootstrap-t of their difference.

    `worse` returns the scores of either model if the shares `SHARES` of its answers were wrong: failures that
    were not seen, which decide where no two resamples differ.
    """

    units: Units
    exchanged: Exchanged
    worse: Callable[[], tuple[FloatArray, FloatArray]]
    bounds: tuple[float, float]
    seed: int
    alone: tuple[int, int] | None = field(default=None, kw_only=True)

    @property
    def scores(self) -> tuple[float, float]:
        """Of both models."""
        first, second = self.units.values.tolist()
        return first, second

    @property
    def same(self) -> bool:
        """Whether they differ on no unit."""
        return self.exchanged.same

    @property
    def mcnemar(self) -> float:
        """McNemar's p-value; nan where right and wrong are not known."""
        return math.nan if self.alone is None else mcnemar(*self.alone)

    @cached_property
    def _difference(self) -> float:
        return float(self.units.values[0] - self.units.values[1])

    @cached_property
    def _drawn(self) -> BootstrapT | Bootstrap | str:
        """What resamples tell, or failures that were not seen; or why nothing does."""
        if math.isnan(self._difference):
            return "a score has no value"
        draws = sum(portions(len(self.units)))
        if self.same:
            return self._unseen(draws)
        if self.units.lone:
            return "a class or task has a single unit, which does not tell how much the difference varies"
        drawn = BootstrapT.of(self.units, draws, self.seed)
        if drawn.missing > MOST_MISSING * draws:
            return f"{drawn.missing:,} of {draws:,} resamples have no value"
        if drawn.error > 0:
            return drawn
        return NO_SPREAD if np.isnan(self._supposed()).all() else self._unseen(draws)

    def _unseen(self, draws: int) -> Bootstrap:
        alike = np.full(draws, self._difference)
        return Bootstrap(self._difference, alike, 0.0, len(self.units), self._supposed)

    def _supposed(self) -> tuple[FloatArray, FloatArray]:
        worse_a, worse_b = self.worse()
        changed = worse_a - self.scores[1], self.scores[0] - worse_b
        return np.fmin(*changed), np.fmax(*changed)

    @property
    def test(self) -> str:
        """What was done."""
        return "" if isinstance(self._drawn, str) else "bootstrap_t"

    @property
    def method(self) -> str:
        """What kind of number the p-value is."""
        return "unknown" if isinstance(self._drawn, str) else "bootstrap"

    @property
    def note(self) -> str:
        """How the p-value was found."""
        drawn = self._drawn
        if isinstance(drawn, str):
            return drawn
        if self.same:
            return ""
        if isinstance(drawn, Bootstrap):
            return "no two resamples differ, so failures are supposed that were not seen"
        return f"p_value is from {len(drawn.sizes):,} bootstrap resamples, which is approximate"

    @property
    def p_value(self) -> float:
        """How surprising the difference is if both true scores are equal."""
        return self.surprise(0.0)

    def surprise(self, difference: float) -> float:
        """Return how surprising the difference is if the true one is this, two-sided."""
        return math.nan if isinstance(self._drawn, str) else self._drawn.p_value(difference)

    def interval(self, level: float) -> tuple[float, float]:
        """Return the differences that are not refuted."""
        if isinstance(self._drawn, str):
            return math.nan, math.nan
        reach = self.bounds[1] - self.bounds[0]
        return self._drawn.interval(level, (-reach, reach))

    def exchangeable(self) -> Exchangeable:
        """Return how surprising the difference is if both models' answers may be exchanged."""
        return self.exchanged.exchangeable()


@dataclass(frozen=True, eq=False)
class PairedFolds:
    """Two models on the same folds: the corrected resampled t-test of the mean difference."""

    scores: tuple[float, float]
    mean: Mean
    bounds: tuple[float, float]
    test: str = "resampled_t"
    alone: None = None
    same: bool = False
    mcnemar: float = math.nan

    @property
    def method(self) -> str:
        """What kind of number the p-value is."""
        return "unknown" if math.isnan(self.p_value) else "t"

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

    def exchangeable(self) -> Exchangeable:
        """Say that means over folds hold no answers."""
        return math.nan, "unknown", "means over folds do not tell which answers could be exchanged"


@dataclass(frozen=True, eq=False)
class Unpaired:
    """Two scores of which nothing more is known; the note says why."""

    scores: tuple[float, float]
    note: str
    test: str = ""
    method: str = "unknown"
    p_value: float = math.nan
    alone: None = None
    same: bool = False
    mcnemar: float = math.nan

    def interval(self, level: float) -> tuple[float, float]:  # noqa: ARG002
        """Return nothing."""
        return math.nan, math.nan

    def surprise(self, difference: float) -> float:  # noqa: ARG002
        """Return nothing."""
        return math.nan

    def exchangeable(self) -> Exchangeable:
        """Return nothing, and why."""
        return math.nan, "unknown", self.note


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


def paired_means(scores: Any, others: Any, bounds: tuple[float, float], seed: int) -> PairedUnits:
    """Return two models' scores on units of equal weight, such as tasks: they are means over units."""
    a, b = np.asarray(scores, dtype=np.float64), np.asarray(others, dtype=np.float64)
    ones, none = np.ones(len(a), dtype=np.int64), np.zeros(len(a), dtype=np.int64)

    def means(first: FloatArray, second: FloatArray) -> FloatArray:
        return np.asarray((first @ a + second @ b) / len(a))

    def worse() -> tuple[FloatArray, FloatArray]:
        return np.full(1, np.nan), np.full(1, np.nan)

    exchanged = Exchanged(ones, none, a != b, means, steps=a - b, seed=seed)
    units = Units.single([Line(a / len(a)), Line(b / len(b))], none)
    return PairedUnits(units, exchanged, worse, bounds, seed)


class PairedInUnits(Problem):
    """A problem whose models are compared on units that are drawn anew, the same for all of them."""

    seed: int

    def units_of(self, measure: Any, models: Sequence[int]) -> Units | str:
        """Return the units with the scores of some models, or why nothing can be drawn anew."""
        raise NotImplementedError

    def pair_p_values(self, measure: Any, a: IntArray, b: IntArray, *, alpha: float) -> PairPValues:
        """Return the p-values of many pairs by the same resamples; one by one where these do not tell."""
        models = np.union1d(a, b)
        units = self.units_of(measure, models.tolist())
        if isinstance(units, str):
            return PairPValues(np.full(len(a), np.nan))
        places = np.searchsorted(models, a), np.searchsorted(models, b)
        found = p_values_of_pairs(units, *places, alpha, self.seed)
        for at in np.flatnonzero(np.isnan(found.values)).tolist():
            found.values[at] = self.paired(measure, int(a[at]), int(b[at])).p_value
        return found


def p_values_of_pairs(units: Units, a: IntArray, b: IntArray, alpha: float, seed: int) -> PairPValues:
    """Return p-values of many pairs by the same resamples; nan without spread or value.

    Student's t decides where, corrected for so many pairs, it is far from the level. It has as many degrees
    of freedom as units carry the difference, less one. The other pairs are resampled until so many
    differences are larger that p is known well enough.
    """
    base = sum(portions(len(units)))
    differences, errors, carried = units.seen(a, b)
    scale = errors
    if np.isnan(errors).any():
        drawn = units.drawn(a, b, min(base, FEW_DRAWS), np.random.default_rng(seed))
        errors = np.sqrt(np.nanmean(np.concatenate(list(drawn)) ** 2, axis=0))
        scale, carried = np.ones(len(a)), np.full(len(a), float(len(units)))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where((errors > 0) & ~np.isnan(differences), np.abs(differences) / errors, np.nan)
    p_values = np.array([_student(size, int(own)) for size, own in zip(t.tolist(), carried, strict=True)])
    corrected = holm(np.where(np.isnan(p_values), 1.0, p_values))
    near = (corrected >= alpha / SCREEN) & (corrected < min(1.0, alpha * SCREEN)) & ~np.isnan(p_values)
    rows = np.flatnonzero(near)
    if not rows.size:
        return PairPValues(p_values)
    work = units.work(a[rows], b[rows])
    wanted = max(base, math.ceil(SCREEN * len(a) / alpha))
    draws = max(base, min(wanted, MOST_DRAWS, int(MOST_WORK / work)))
    sizes = np.abs(differences[rows]) / scale[rows]
    p_values[rows] = _resampled(units, a[rows], b[rows], sizes, draws, seed)
    return PairPValues(p_values, 1 / (draws + 1))


def _student(t: float, units: int) -> float:
    if math.isnan(t):
        return math.nan
    return math.erfc(t / math.sqrt(2)) if units > MANY else student_tail(t, max(units - 1, 1))


def _resampled(
    units: Units, a: IntArray, b: IntArray, sizes: FloatArray, draws: int, seed: int
) -> FloatArray:
    """Return p-values from up to so many resamples, less where many differences are larger soon.

    Where the number of larger ones decides when to stop, their share is as valid a p-value as that of a fixed
    number of resamples (Besag and Clifford, Biometrika 78, 1991).
    """
    generator = np.random.default_rng(seed)
    p_values, open_, done = np.ones(len(a)), np.arange(len(a)), 0
    larger = np.zeros(len(a), dtype=np.int64)
    while open_.size and done < draws:
        portion = min(max(done, RESAMPLES), draws - done)
        done += portion
        for part in units.drawn(a[open_], b[open_], portion, generator):
            larger[open_] += np.count_nonzero(~(part < sizes[open_] * (1 - TIE)), axis=0)
        p_values[open_] = (larger[open_] + 1) / (done + 1)
        open_ = open_[larger[open_] < ENOUGH]
    return p_values
