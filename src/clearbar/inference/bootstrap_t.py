"""The symmetric bootstrap-t of the difference of two scores on the same units.

Units are drawn anew, and each difference is divided by its own standard error, so that a long tail of errors,
which makes both large at once, is not taken for a difference of scores: p is the share of
|D* − D| / se* that are at least |D| / se. Hall, J. Roy. Statist. Soc. B 50, 1988, section 2.3 (symmetric
intervals); Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 12.5.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from clearbar.core._typing import FloatArray, IntArray

CELLS = 500_000
"""Units times resamples that are held at once."""

STEP = 1e-6
"""Share of the largest sum by which sums are moved to see how a score follows them."""

MOST_SUMS = 24
"""Sums up to which a score's slopes are found in each resample."""

TILT = 1e-3
"""By how much the weight of a unit is changed."""

NO_SPREAD = 1e-12
"""Share of the second moment below which a variance is that of equal numbers."""

NOISE = 1e-9
"""Share of the scores below which a standard error is rounding, where slopes are found by small steps."""

DRAWN, PAIR, LINE = 20.0, 6.0, 0.1
"""What it costs to draw a unit, to look at it for a pair of models, and for scores that add up: in steps."""

TIE = 1e-9
"""Studentised differences that are closer than this, relatively, are the same but for rounding."""


class Score(Protocol):
    """One model's score as it follows from how often each kind of unit counts."""

    @property
    def cost(self) -> float:
        """How many steps it takes for each kind of a resample."""
        ...

    def at(self, weights: FloatArray) -> FloatArray:
        """Return the score under each row of weights, nan where it has no value."""
        ...

    def slopes(self, weights: FloatArray) -> FloatArray:
        """Return by how much it rises with each weight: a row per row of weights, or one for all."""
        ...


@dataclass(frozen=True, eq=False)
class Line:
    """A score that adds up what units add, such as a mean."""

    values: FloatArray
    nothing: float = 0.0
    cost: float = LINE

    def at(self, weights: FloatArray) -> FloatArray:
        """Return the score under each row of weights."""
        return np.asarray(self.nothing + weights @ self.values)

    def slopes(self, weights: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return what units add."""
        return self.values[None]


@dataclass(frozen=True, eq=False)
class OfSums:
    """A score that is a function of a few sums over units; `terms` has shape (kinds, sums)."""

    terms: FloatArray
    function: Callable[[FloatArray], FloatArray]

    @property
    def cost(self) -> float:
        """A few steps for each sum."""
        return 5.0 * float(self.terms.shape[1])

    def at(self, weights: FloatArray) -> FloatArray:
        """Return the score under each row of weights."""
        return self.function(weights @ self.terms)

    def slopes(self, weights: FloatArray) -> FloatArray:
        """Return them by the delta method, at the sums of each row."""
        return np.asarray(gradient(self.function, weights @ self.terms) @ self.terms.T)


@dataclass(frozen=True, eq=False)
class AsSeen:
    """Any other score, with the slopes that it has on the sample itself for all resamples.

    Without slopes, resamples of a difference are not studentised. Units that differ in nothing else differ in
    what is `held`.
    """

    score: Callable[[FloatArray], FloatArray]
    own: FloatArray | None
    held: FloatArray
    cost: float = 40.0

    def at(self, weights: FloatArray) -> FloatArray:
        """Return the score under each row of weights."""
        return self.score(weights)

    def slopes(self, weights: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return those of the sample; nan where there are none."""
        return np.full((1, len(self.held)), np.nan) if self.own is None else self.own[None]


def tilted(score: Callable[[FloatArray], FloatArray], units: int) -> FloatArray:
    """Return how a score rises with each unit's weight, which is made a little more and a little less."""
    slopes = np.empty(units)
    rows = max(1, CELLS // units)
    for start in range(0, units, rows):
        at = np.arange(start, min(start + rows, units))
        more = np.ones((len(at), units))
        more[np.arange(len(at)), at] += TILT
        slopes[at] = (score(more) - score(2.0 - more)) / (2 * TILT)
    return slopes


def gradient(function: Callable[[FloatArray], FloatArray], sums: FloatArray) -> FloatArray:
    """Return how a function of sums, (rows, sums), rises with each; one-sided where it ends."""
    slopes = np.empty(sums.shape)
    middle = function(sums)
    for at in range(sums.shape[1]):
        step = STEP * (float(np.abs(sums[:, at]).max()) or 1.0)
        moved = sums.copy()
        moved[:, at] = sums[:, at] + step
        above = function(moved)
        moved[:, at] = sums[:, at] - step
        below = function(moved)
        inside = ~np.isnan(above) & ~np.isnan(below)
        one_sided = np.where(np.isnan(above), middle - below, above - middle) / step
        slopes[:, at] = np.where(inside, (above - below) / (2 * step), one_sided)
    return slopes


class Seen(NamedTuple):
    """Differences of pairs on the sample, their standard errors, and how many units these rest on."""

    differences: FloatArray
    errors: FloatArray
    carried_by: FloatArray
    """(Σ d²)² / Σ d⁴ of the units' influences d: all units if all count alike, one if one decides."""


@dataclass(frozen=True, eq=False)
class Units:
    """Units of several kinds, drawn anew within strata, and the models' scores on them."""

    number: IntArray  # units of each kind
    strata: IntArray
    scores: tuple[Score, ...]

    @classmethod
    def single(cls, scores: Sequence[Score], strata: IntArray) -> Units:
        """Return units each of a kind of its own."""
        return cls(np.ones(len(strata), dtype=np.int64), strata, tuple(scores))

    def __len__(self) -> int:
        """Return the number of units."""
        return int(self.number.sum())

    @cached_property
    def _whole(self) -> FloatArray:
        return self.number[None].astype(np.float64)

    @cached_property
    def values(self) -> FloatArray:
        """The scores of all models."""
        return np.array([float(score.at(self._whole)[0]) for score in self.scores])

    @cached_property
    def slopes(self) -> FloatArray:
        """The slopes of all models on the sample: (models, kinds)."""
        return np.concatenate([score.slopes(self._whole) for score in self.scores])

    @cached_property
    def _blocks(self) -> list[IntArray]:
        """The kinds of each stratum that are there, in an order that knows nothing of that of the rows."""
        held = [score.held for score in self.scores if isinstance(score, AsSeen)]
        keys = np.vstack([self.number, *held, np.nan_to_num(self.slopes), self.strata])
        order = np.lexsort(keys)
        order = order[self.number[order] > 0]
        ends = np.flatnonzero(np.diff(self.strata[order])) + 1
        return np.split(order, ends)

    @cached_property
    def lone(self) -> bool:
        """Whether some stratum has a single unit, so that nothing tells how it varies."""
        return any(int(self.number[own].sum()) < 2 for own in self._blocks)

    def seen(self, a: IntArray, b: IntArray) -> Seen:
        """Return what the sample says of pairs of models."""
        parts = []
        for one, other in zip(a.tolist(), b.tolist(), strict=True):
            squares = self._squares(self.slopes[one] - self.slopes[other])
            second, fourth = float((self.number * squares).sum()), float((self.number * squares**2).sum())
            parts.append((math.sqrt(second), second**2 / fourth if fourth > 0 else 0.0))
        errors, carried = np.array(parts).reshape(-1, 2).T
        stepped = np.array([not isinstance(score, Line) for score in self.scores])
        rounded = NOISE * np.maximum(stepped[a] * np.abs(self.values[a]), stepped[b] * np.abs(self.values[b]))
        errors = np.where(errors <= rounded, 0.0, errors)
        return Seen(self.values[a] - self.values[b], errors, carried)

    def _squares(self, apart: FloatArray) -> FloatArray:
        """Return the squared influences of units: off their stratum's mean, and as a sample's variance is."""
        if np.isnan(apart).any():
            return np.full(len(apart), np.nan)
        squares = np.zeros(len(apart))
        for own in self._blocks:
            number = self.number[own]
            size = int(number.sum())
            off = apart[own] - float(number @ apart[own]) / size
            moment = float(number @ apart[own] ** 2)
            if size > 1 and float(number @ off**2) > NO_SPREAD * moment:
                squares[own] = off**2 * size / (size - 1)
        return squares

    def drawn(
        self, a: IntArray, b: IntArray, draws: int, generator: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Yield |D* − D| / se* of pairs, (resamples, pairs): infinite without spread, nan without a value."""
        differences = self.values[a] - self.values[b]
        models = np.union1d(a, b)
        place = np.searchsorted(models, a), np.searchsorted(models, b)
        chosen = [self.scores[model] for model in models.tolist()]
        rows = max(1, CELLS // len(self.number))
        for start in range(0, draws, rows):
            weights = self._weights(min(rows, draws - start), generator)
            with np.errstate(all="ignore"):
                values = _values(chosen, weights)
                off = np.abs(values[:, place[0]] - values[:, place[1]] - differences)
                errors = self._errors(weights, [score.slopes(weights) for score in chosen], place)
                spread = np.where(off <= 1e-12 * np.maximum(1.0, np.abs(differences)), 0.0, np.inf)
                yield np.where(np.isnan(off), np.nan, np.where(errors > 0, off / errors, spread))

    def work(self, a: IntArray, b: IntArray) -> float:
        """Return about how many steps a resample of these pairs takes."""
        models = [self.scores[model] for model in np.union1d(a, b).tolist()]
        lines = all(isinstance(score, Line | AsSeen) for score in models)
        pairs = (LINE if lines else PAIR) * len(a)
        return float(len(self.number) * (DRAWN + pairs + sum(score.cost for score in models)))

    def _weights(self, rows: int, generator: np.random.Generator) -> FloatArray:
        """Draw as many units of each stratum as it has, and count them by kind."""
        kinds = len(self.number)
        weights = np.zeros((rows, kinds))
        for own in self._blocks:
            number = int(self.number[own].sum())
            if number > 8 * len(own):  # then a binomial variate per kind costs less than an index per unit
                weights[:, own] = generator.multinomial(number, self.number[own] / number, size=rows)
                continue
            places = np.repeat(np.arange(len(own)), self.number[own])
            picked = places[generator.integers(number, size=(rows, number), dtype=np.int32)]
            picked += len(own) * np.arange(rows)[:, None]
            counts = np.bincount(picked.ravel(), minlength=rows * len(own)).reshape(rows, -1)
            weights[:, own] = counts
        return weights

    def _errors(
        self, weights: FloatArray, slopes: list[FloatArray], place: tuple[IntArray, IntArray]
    ) -> FloatArray:
        """Return the standard errors of the pairs' differences in each resample, 1 where there are none."""
        if all(len(own) == 1 for own in slopes):
            one = np.concatenate(slopes)
            apart = one[place[0]] - one[place[1]]
            return self._errors_of_lines(weights, apart)
        errors = np.empty((len(weights), len(place[0])))
        for at, (first, second) in enumerate(zip(*place, strict=True)):
            errors[:, at] = np.sqrt(self._variances(weights, slopes[first] - slopes[second]))
        return errors

    def _errors_of_lines(self, weights: FloatArray, apart: FloatArray) -> FloatArray:
        """Return them where slopes are the same in all resamples: (pairs, kinds)."""
        total = np.zeros((len(weights), len(apart)))
        moment = np.zeros_like(total)
        for own in self._blocks:
            size = int(self.number[own].sum())
            scale = size / max(size - 1, 1)
            centred = apart[:, own] - (apart[:, own] @ self.number[own] / size)[:, None]
            part = weights if len(own) == weights.shape[1] else weights[:, own]
            order = own if len(own) == weights.shape[1] else slice(None)
            columns = np.empty_like(centred)
            columns[:, order] = centred
            second = part @ (columns**2).T
            total += scale * (second - (part @ columns.T) ** 2 / size)
            moment += scale * second
        errors = np.sqrt(np.where(total > NO_SPREAD * moment, total, 0.0))
        return np.where(np.isnan(apart).any(axis=1), 1.0, errors)

    def _variances(self, weights: FloatArray, apart: FloatArray) -> FloatArray:
        """Return the variances of a difference with these slopes in each resample."""
        total, moment = np.zeros(len(weights)), np.zeros(len(weights))
        for own in self._blocks:
            size = int(self.number[own].sum())
            scale = size / max(size - 1, 1)
            part, of_part = (weights, apart) if len(self._blocks) == 1 else (weights[:, own], apart[:, own])
            weighted = part * of_part
            squares = np.einsum("ij,ij->i", weighted, of_part)
            total += scale * (squares - weighted.sum(axis=1) ** 2 / size)
            moment += scale * squares
        return np.where(total > NO_SPREAD * moment, total, 0.0)


def _values(scores: list[Score], weights: FloatArray) -> FloatArray:
    """Return the scores of models, (resamples, models); those that add up by one product."""
    lines = [score for score in scores if isinstance(score, Line)]
    if len(lines) < len(scores):
        return np.stack([score.at(weights) for score in scores], axis=1)
    nothing = np.array([line.nothing for line in lines])
    return np.asarray(weights @ np.stack([line.values for line in lines], axis=1) + nothing)


@dataclass(frozen=True, eq=False)
class BootstrapT:
    """A difference, its standard error, and ascending |D* − D| / se* of resamples.

    Those without a value, so many are `missing`, count as infinite. Where scores have no slopes, the error
    is 1: the resamples are not studentised.
    """

    difference: float
    error: float
    sizes: FloatArray
    missing: int

    @classmethod
    def of(cls, units: Units, draws: int, seed: int) -> BootstrapT:
        """Resample the difference of two models."""
        first, second = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
        seen = units.seen(first, second)
        error = float(seen.errors[0])
        sizes = np.empty(0)
        if error != 0:
            drawn = units.drawn(first, second, draws, np.random.default_rng(seed))
            sizes = np.concatenate([part[:, 0] for part in drawn])
        missing = np.isnan(sizes)
        sizes = np.sort(np.where(missing, np.inf, sizes))
        if math.isnan(error):
            error = 1.0 if sizes.any() else 0.0
        return cls(float(seen.differences[0]), error, sizes, int(missing.sum()))

    def p_value(self, difference: float) -> float:
        """Return how surprising the difference is if the true one is this, two-sided."""
        size = abs(self.difference - difference) / self.error
        reached = len(self.sizes) - int(np.searchsorted(self.sizes, size * (1 - TIE)))
        return (reached + 1) / (len(self.sizes) + 1)

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the true differences that are not refuted, within bounds."""
        number = len(self.sizes)
        # So many sizes at least as large make p just larger than 1 - level; but for rounding.
        beyond = math.floor((1 - level) * (number + 1) * (1 + 1e-12))
        width = math.inf if beyond < 1 else float(self.sizes[number - beyond]) * self.error
        return max(self.difference - width, bounds[0]), min(self.difference + width, bounds[1])
