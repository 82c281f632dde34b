"""H0: two models have the same true score. The symmetric bootstrap-t of their difference.

Units are resampled, and each difference is divided by its own standard error, so that a long tail of errors,
which makes both large at once, is not taken for a difference of scores: p is the share of |D* − D| / se* that
are at least |D| / se. Hall, J. Roy. Statist. Soc. B 50, 1988, section 2.3 (symmetric intervals); Efron and
Tibshirani, An Introduction to the Bootstrap, 1993, section 12.5.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.reasons import Reason
from clearbar.inference.bootstrap import MANY, Bootstrap
from clearbar.inference.bounded import BoundedMeans
from clearbar.inference.exchange import (
    SCREEN,
    Exchangeable,
    Paired,
    PairPValues,
    Unpaired,
    exchange,
    in_doubt,
    mcnemar,
)
from clearbar.inference.units import CELLS, RESAMPLES, Units, portions, resampled, strata_of

TIE = 1e-9  # Studentised differences that are closer than this, relatively, are the same but for rounding
NO_SPREAD = 1e-12  # share of the second moment below which a variance is that of equal numbers
# Share of the scores below which a standard error is rounding, where slopes are found by small steps.
NOISE = 1e-9
MOST_MISSING = 0.1  # share of resamples without a value from which on nothing is said
# Resamples of many pairs at most, and steps that they take at most, some of 2 ns.
MOST_DRAWS, MOST_STEPS = 1_000_000, 10_000_000_000
DRAWN, PAIR = 20.0, 6.0  # what it costs to resample a unit, and to look at it for a pair of models: in steps
ENOUGH = 100  # larger differences in resamples from which on a p-value is known well enough
FEW_PAIRS = 3  # pairs whose standard errors are added up without BLAS
FEW_DRAWS = 1_999  # resamples that give a standard error where scores have no slopes


def paired(units: Units, measure: Any) -> Paired:
    """Return the two models of joint units."""
    why = units.not_resampled(measure)
    if why is None:
        return PairedUnits(units, measure)
    first, second = Differences(units, measure).scores.tolist()
    return Unpaired((first, second), Reason.of("difference_unknown", why=why))


class Differences:
    """The scores of models on units, and how differences of them vary over resamples."""

    def __init__(self, units: Units, measure: Any) -> None:
        self.units, self.measure = units, measure
        self.strata = strata_of(units)

    @cached_property
    def _whole(self) -> FloatArray:
        return self.units.multiplicity[None].astype(np.float64)

    def _score(self, weights: FloatArray) -> FloatArray:
        """Return scores, (resamples, models), means over runs."""
        values = self.units.score([self.measure], weights)[0]
        return np.asarray((values if values.ndim == 2 else values.mean(axis=1)).T)

    @cached_property
    def scores(self) -> FloatArray:
        return np.asarray(self._score(self._whole)[0])

    @cached_property
    def slopes(self) -> FloatArray:
        """The slopes of all models on the sample itself: (models, kinds)."""
        return self.units.slopes(self.measure, self._whole)[:, 0]

    @property
    def lone(self) -> bool:
        """Whether some stratum has a single unit, so that nothing tells how it varies."""
        return any(int(self.units.multiplicity[kinds].sum()) < 2 for kinds in self.strata)

    def observed(self, a: IntArray, b: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return differences of pairs, their standard errors, and how many units carry these."""
        # (Σ d²)² / Σ d⁴ of the units' influences d: all units if all count alike, one if one decides.
        number, errors, carried = self.units.multiplicity, np.empty(len(a)), np.empty(len(a))
        for place, (first, second) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
            squares = self._squares(self.slopes[first] - self.slopes[second])
            moment, fourth = float((number * squares).sum()), float((number * squares**2).sum())
            errors[place], carried[place] = math.sqrt(moment), moment**2 / fourth if fourth > 0 else 0.0
        if not self.units.linear(self.measure):
            noise = NOISE * np.maximum(np.abs(self.scores[a]), np.abs(self.scores[b]))
            errors = np.where(errors <= noise, 0.0, errors)
        return self.scores[a] - self.scores[b], errors, carried

    def _squares(self, apart: FloatArray) -> FloatArray:
        """Return the squared influences of units: off their stratum's mean, and as a sample's variance is."""
        if np.isnan(apart).any():
            return np.full(len(apart), np.nan)
        squares = np.zeros(len(apart))
        for kinds in self.strata:
            number = self.units.multiplicity[kinds]
            size = int(number.sum())
            off = apart[kinds] - float(number @ apart[kinds]) / size
            moment = float(number @ apart[kinds] ** 2)
            if size > 1 and float(number @ off**2) > NO_SPREAD * moment:
                squares[kinds] = off**2 * size / (size - 1)
        return squares

    def studentised(
        self, a: IntArray, b: IntArray, draws: int, generator: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Yield (D* − D) / se* of pairs, (resamples, pairs): infinite without spread, nan without a value."""
        differences = self.scores[a] - self.scores[b]
        rows = max(1, CELLS // max(len(self.units.multiplicity), self.units.samples))
        for start in range(0, draws, rows):
            weights = resampled(self.units, self.strata, min(rows, draws - start), generator)
            with np.errstate(all="ignore"):
                values = self._score(weights)
                off = values[:, a] - values[:, b] - differences
                errors = self._errors(weights, a, b)
                far = np.abs(off) > 1e-12 * np.maximum(1.0, np.abs(differences))
                spread = np.where(far, np.copysign(np.inf, off), 0.0)
                yield np.where(np.isnan(off), np.nan, np.where(errors > 0, off / errors, spread))

    def _errors(self, weights: FloatArray, a: IntArray, b: IntArray) -> FloatArray:
        """Return the standard errors of differences in each resample, 1 where there are no slopes."""
        slopes = (
            self.slopes[:, None]
            if self.units.linear(self.measure)
            else self.units.slopes(self.measure, weights)
        )
        if slopes.shape[1] == 1:
            return self._errors_of_lines(weights, slopes[a, 0] - slopes[b, 0])
        errors = np.empty((len(weights), len(a)))
        for column, (first, second) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
            errors[:, column] = np.sqrt(self._variances(weights, slopes[first] - slopes[second]))
        return errors

    def _errors_of_lines(self, weights: FloatArray, apart: FloatArray) -> FloatArray:
        """Return them where slopes, (pairs, kinds), are the same in all resamples."""
        total = np.zeros((len(weights), len(apart)))
        moments = np.zeros_like(total)

        def added_up(lines: FloatArray) -> FloatArray:
            # Of a few pairs, threads of BLAS would wait for each other longer than the sums take.
            return np.asarray(np.einsum("rk,pk->rp", weights, lines, optimize=len(lines) > FEW_PAIRS))

        for kinds, (size, scale) in zip(self.strata, self._sizes, strict=True):
            centred = np.zeros_like(apart)
            mean = apart[:, kinds] @ self.units.multiplicity[kinds] / size
            centred[:, kinds] = apart[:, kinds] - mean[:, None]
            moment, sums = map(added_up, (centred**2, centred))
            total += scale * (moment - sums**2 / size)
            moments += scale * moment
        errors = np.sqrt(np.where(total > NO_SPREAD * moments, total, 0.0))
        return np.where(np.isnan(apart).any(axis=1), 1.0, errors)

    @cached_property
    def _sizes(self) -> list[tuple[int, float]]:
        sizes = [int(self.units.multiplicity[kinds].sum()) for kinds in self.strata]
        return [(size, size / max(size - 1, 1)) for size in sizes]

    def _variances(self, weights: FloatArray, apart: FloatArray) -> FloatArray:
        """Return the variances of a difference with these slopes in each resample."""
        total, moments = np.zeros(len(weights)), np.zeros(len(weights))
        for kinds, (size, scale) in zip(self.strata, self._sizes, strict=True):
            single_stratum = len(self.strata) == 1
            weights_of_kinds, slopes = (
                (weights, apart) if single_stratum else (weights[:, kinds], apart[:, kinds])
            )
            weighted = weights_of_kinds * slopes
            moment = np.einsum("ij,ij->i", weighted, slopes)
            total += scale * (moment - weighted.sum(axis=1) ** 2 / size)
            moments += scale * moment
        return np.where(total > NO_SPREAD * moments, total, 0.0)

    def work(self, models: int, pairs: int) -> float:
        """Return about how many steps a resample of pairs of models takes."""
        per_pair = PAIR * (0.02 if self.units.linear(self.measure) else 1.0)
        of_models = self.units.pair_cost(self.measure) * models
        return float(len(self.units.multiplicity) * (DRAWN + per_pair * pairs + of_models))


@dataclass(frozen=True, eq=False)
class BootstrapT:
    """A difference, its standard error, and ascending |D* − D| / se* of resamples, and (D* − D) / se*.

    Those without a value, so many are `missing`, count as infinite, to both sides. Where scores have no
    slopes, the error is 1: the resamples are not studentised.
    """

    difference: float
    error: float
    sizes: FloatArray
    signed: FloatArray
    missing: int

    @classmethod
    def of(cls, differences: Differences, draws: int, seed: int) -> BootstrapT:
        """Resample the difference of two models."""
        first, second = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
        apart, errors, _ = differences.observed(first, second)
        error = float(errors[0])
        t = np.empty(0)
        if error != 0:
            drawn = differences.studentised(first, second, draws, np.random.default_rng(seed))
            t = np.concatenate([block[:, 0] for block in drawn])
        missing = np.isnan(t)
        sizes = np.sort(np.where(missing, np.inf, np.abs(t)))
        if math.isnan(error):
            error = 1.0 if sizes.any() else 0.0
        return cls(float(apart[0]), error, sizes, np.sort(t[~missing]), int(missing.sum()))

    def p_value(self, difference: float) -> float:
        size = abs(self.difference - difference) / self.error
        larger = len(self.sizes) - int(np.searchsorted(self.sizes, size * (1 - TIE)))
        return (larger + 1) / (len(self.sizes) + 1)

    def beyond(self, difference: float) -> float:
        """Return the share as far off on the observed one's side; at least half of that on both."""
        # The symmetric test may have nearly all of its resamples on one side, where differences are skewed.
        t = (self.difference - difference) / self.error
        below = int(np.searchsorted(self.signed, t + TIE * abs(t), side="right"))
        above = len(self.signed) - int(np.searchsorted(self.signed, t - TIE * abs(t)))
        reached = self.missing + (below if t < 0 else above)
        return max(self.p_value(difference) / 2, (reached + 1) / (len(self.sizes) + 1))

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        number = len(self.sizes)
        # n sizes at least as large make p just larger than 1 - level; but for rounding.
        beyond = math.floor((1 - level) * (number + 1) * (1 + 1e-12))
        width = math.inf if beyond < 1 else float(self.sizes[number - beyond]) * self.error
        return max(self.difference - width, bounds[0]), min(self.difference + width, bounds[1])


@dataclass(frozen=True, eq=False)
class PairedUnits:
    """Two models on units whose difference has bounds, or is resampled: the symmetric bootstrap-t."""

    units: Units
    measure: Any

    @cached_property
    def _differences(self) -> Differences:
        return Differences(self.units, self.measure)

    @property
    def scores(self) -> tuple[float, float]:
        first, second = self._differences.scores.tolist()
        return first, second

    @cached_property
    def same(self) -> bool:
        return not bool((self.units.differ() & (self.units.multiplicity > 0)).any())

    @cached_property
    def alone(self) -> tuple[int, int] | None:
        return self.units.only_one_right()

    @property
    def mcnemar(self) -> float:
        return math.nan if self.alone is None else mcnemar(*self.alone)

    @cached_property
    def _drawn(self) -> BoundedMeans | BootstrapT | Bootstrap | Reason:
        """The test of differences between bounds, or what was drawn; or why there is neither."""
        if math.isnan(self.scores[0] - self.scores[1]):
            return Reason("no_score")
        return self.units.bounded_difference(self.measure, 0, 1) or self._resampled

    @cached_property
    def _resampled(self) -> BootstrapT | Bootstrap | Reason:
        """The resampled differences, or those of failures that were not seen; or why there are none."""
        draws = sum(portions(len(self.units)))
        if self.same:
            return self._unseen(draws)
        if self._differences.lone:
            return Reason("lone_unit")
        drawn = BootstrapT.of(self._differences, draws, self.units.seed)
        if drawn.missing > MOST_MISSING * draws:
            return Reason.of("undefined_resamples", missing=drawn.missing, draws=draws)
        if drawn.error > 0:
            return drawn
        unseen = self._unseen(draws)
        return Reason("no_spread") if np.isnan(unseen.failing).all() else unseen

    def _unseen(self, draws: int) -> Bootstrap:
        """Suppose failures that were not seen, of either model."""
        worst = 1 if self.measure.greater_is_better is False else 0
        ends_a, ends_b = (self.units.failing(self.measure, model) for model in (0, 1))
        changed = ends_a[worst] - self.scores[1], self.scores[0] - ends_b[worst]
        # Models that differ in every unit alike, or in none, may do so the other way round in units not seen.
        low = np.fmin(np.fmin(*changed), ends_a[0] - ends_b[1])
        high = np.fmax(np.fmax(*changed), ends_a[1] - ends_b[0])
        difference = self.scores[0] - self.scores[1]
        return Bootstrap(difference, np.full(draws, difference), 0.0, len(self.units), (low, high))

    @property
    def test(self) -> str:
        if isinstance(self._drawn, BoundedMeans):
            return "bounded"
        return "" if isinstance(self._drawn, Reason) else "bootstrap_t"

    @property
    def method(self) -> str:
        if isinstance(self._drawn, BoundedMeans):
            return "estimated"
        return "unknown" if isinstance(self._drawn, Reason) else "bootstrap"

    @property
    def note(self) -> Any:
        drawn = self._drawn
        if isinstance(drawn, Reason):
            return drawn
        if self.same:
            return ""
        if isinstance(drawn, BoundedMeans):
            return drawn.note
        if isinstance(drawn, Bootstrap):
            return Reason("unseen_failures")
        return Reason.of("bootstrap_t", draws=len(drawn.sizes))

    @property
    def p_value(self) -> float:
        return self.surprise(0.0)

    def surprise(self, difference: float) -> float:
        return math.nan if isinstance(self._drawn, Reason) else self._drawn.p_value(difference)

    def beyond(self, difference: float) -> float:
        drawn = self._drawn
        return drawn.beyond(difference) if isinstance(drawn, BootstrapT) else self.surprise(difference) / 2

    def interval(self, level: float) -> tuple[float, float]:
        if isinstance(self._drawn, Reason):
            return math.nan, math.nan
        span = self.units.span(self.measure)
        return self._drawn.interval(level, (-span, span))

    def exchangeable(self) -> Exchangeable:
        return exchange(self.units, self.measure)


class Means(Units):
    """Means over units of equal weight, such as tasks: values of shape (models, units)."""

    def __init__(
        self,
        values: FloatArray,
        span: float,
        seed: int = 0,
        *,
        alone: tuple[int, int] | None = None,
        counted: bool = False,
    ) -> None:
        self.values, self.seed = np.asarray(values, dtype=np.float64), seed
        self.models, self.samples = self.values.shape
        self._span, self._alone, self._counted = span, alone, counted

    @property
    def held(self) -> FloatArray:
        return self.values

    def not_resampled(self, measure: Any) -> Reason | None:
        return None

    def score(self, measures: Any, weights: FloatArray) -> FloatArray:
        return np.asarray((weights @ self.values.T / self.samples).T[None])

    def slopes(self, measure: Any, weights: FloatArray) -> FloatArray:
        return self.values[:, None] / self.samples

    def linear(self, measure: Any) -> bool:
        return True

    def failing(self, measure: Any, model: int) -> tuple[FloatArray, FloatArray]:
        return np.full(1, np.nan), np.full(1, np.nan)

    def differ(self) -> BoolArray:
        return np.asarray(self.values[0] != self.values[1])

    def steps(self, measure: Any) -> FloatArray:
        return np.asarray(self.values[0] - self.values[1])

    def mixed(self, measure: Any, first: FloatArray, second: FloatArray) -> FloatArray:
        return np.asarray((first @ self.values[0] + second @ self.values[1]) / self.samples)

    def only_one_right(self) -> tuple[int, int] | None:
        return self._alone

    def counts_right(self, measure: Any) -> bool:
        return self._counted

    def span(self, measure: Any) -> float:
        return self._span


def pair_p_values(units: Units, measure: Any, a: IntArray, b: IntArray, alpha: float) -> PairPValues:
    """Return p-values of many pairs of models; those of resamples share them, nan without spread or value."""
    bounded = _bounded(units, measure, a, b)
    if not np.isnan(bounded).all():
        return PairPValues(bounded)
    # Student's t decides where, corrected for so many pairs, it is far from the level `alpha` of all of them.
    # It has as many degrees of freedom as units carry the difference, less one. The other pairs are resampled
    # until so many differences are larger that p is known well enough.
    base, pairs = sum(portions(len(units))), Differences(units, measure)
    differences, errors, carried = pairs.observed(a, b)
    scale = errors
    if np.isnan(errors).any():
        drawn = pairs.studentised(a, b, min(base, FEW_DRAWS), np.random.default_rng(units.seed))
        errors = np.sqrt(np.nanmean(np.concatenate(list(drawn)) ** 2, axis=0))
        scale, carried = np.ones(len(a)), np.full(len(a), float(len(units)))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where((errors > 0) & ~np.isnan(differences), np.abs(differences) / errors, np.nan)
    p_values = _student(t, carried)
    rows = in_doubt(p_values, p_values, alpha)
    if not rows.size:
        return PairPValues(p_values)
    work = pairs.work(len(np.union1d(a[rows], b[rows])), len(rows))
    wanted = max(base, math.ceil(SCREEN * len(a) / alpha))
    draws = max(base, min(wanted, MOST_DRAWS, int(MOST_STEPS / work)))
    sizes = np.abs(differences[rows]) / scale[rows]
    p_values[rows] = _until_enough(pairs, a[rows], b[rows], sizes, draws)
    return PairPValues(p_values, 1 / (draws + 1))


def _bounded(units: Units, measure: Any, a: IntArray, b: IntArray) -> FloatArray:
    """Return p-values of pairs whose differences lie between known bounds, nan of others."""
    pairs = zip(a.tolist(), b.tolist(), strict=True)
    tests = (units.bounded_difference(measure, *pair) for pair in pairs)
    return np.array([math.nan if test is None else test.p_value(0.0) for test in tests])


def _student(t: FloatArray, carried: FloatArray) -> FloatArray:
    from scipy.special import ndtr, stdtr

    few = stdtr(np.maximum(np.floor(carried) - 1, 1), -t)
    return np.asarray(2 * np.where(carried > MANY, ndtr(-t), few))


def _until_enough(pairs: Differences, a: IntArray, b: IntArray, sizes: FloatArray, draws: int) -> FloatArray:
    """Return p-values from up to so many resamples, less where many differences are larger soon."""
    # Where the number of larger ones decides when to stop, their share is as valid a p-value as that of a
    # fixed number of resamples (Besag and Clifford, Biometrika 78, 1991).
    generator = np.random.default_rng(pairs.units.seed)
    p_values, pending, done = np.ones(len(a)), np.arange(len(a)), 0
    larger = np.zeros(len(a), dtype=np.int64)
    while pending.size and done < draws:
        portion = min(max(done, RESAMPLES), draws - done)
        done += portion
        for block in pairs.studentised(a[pending], b[pending], portion, generator):
            larger[pending] += np.count_nonzero(~(np.abs(block) < sizes[pending] * (1 - TIE)), axis=0)
        p_values[pending] = (larger[pending] + 1) / (done + 1)
        pending = pending[larger[pending] < ENOUGH]
    return p_values
