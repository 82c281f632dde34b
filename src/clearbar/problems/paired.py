"""Two models on the same units: how surprising their difference is, and what the true one may be.

A unit is what is independent: a sample, a whole group, a task. Under "exchange the two models' answers,
unit by unit" each unit on which they differ is a fair coin (Fisher 1935, section 21; McNemar 1947 for the
share that is right), whatever the measure. What the difference may be is a bootstrap of units.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.problems._resampled_t import Mean, mean_of_folds, t_interval, two_sided
from clearbar.problems.bootstrap import Bootstrap, acceleration, portions

MOST_CELLS = 2**22
"""Ways to swap up to which all are looked at."""

MOST_NUMBERS = 2**25
"""Where whole groups are swapped, samples up to which they are, over all ways."""

TOGETHER = 2**18
"""Numbers of units or samples that are worked on together."""

REACH = 38.0
"""Standard deviations beyond which a fair coin's probability is below 1e-300."""

TIE = 2e-14
"""Differences closer than this, relatively to the scores, are the same but for rounding."""

MOST_LEFT_OUT = 256
"""Kinds of units that are left out, one at a time, to see how skewed the difference's law is."""

SEED = 0

Scores = Callable[[FloatArray, FloatArray], FloatArray]
"""Scores of models that give so many units of each kind the first answer, and so many the second one."""


class Paired(Protocol):
    """Two models' scores, how surprising their difference is, and what it may be.

    Attributes
    ----------
    scores : (float, float)
        Of both models.
    test : str
        What was done: ``"swaps"``, ``"delong"`` or ``"resampled_t"``; empty where nothing could be.
    alone : (int, int) or None
        On how many samples only the one is right, and only the other, where that is known.
    p_value : float
        How surprising a difference of this size is if neither model is better, two-sided.
    note : str
        How it was found, if not exactly; or why nothing is known.
    """

    @property
    def scores(self) -> tuple[float, float]:
        """Of both models."""

    @property
    def test(self) -> str:
        """What was done."""

    @property
    def alone(self) -> tuple[int, int] | None:
        """Where only one is right."""

    @property
    def p_value(self) -> float:
        """How surprising the difference is."""

    @property
    def note(self) -> str:
        """How it was found."""

    def interval(self, level: float) -> tuple[float, float]:
        """Return the differences that are not refuted."""
        ...

    def surprise(self, difference: float) -> float:
        """Return how surprising the difference is if the true one is this, two-sided."""
        ...


@dataclass(frozen=True, eq=False)
class Swaps:
    """Units of several kinds, on each of which one answer is one model's and the other one the other's.

    Of each kind, on `straight` units the first answer is model a's and the second b's; on `crossed` units it
    is the reverse. Kinds of one of the `strata` are drawn anew together. ``worse`` are the scores of either
    model if the shares `SHARES` of its answers were wrong.
    """

    straight: IntArray
    crossed: IntArray
    differ: BoolArray  # kinds whose two answers are not the same
    strata: IntArray
    scores_of: Scores
    worse: Callable[[], tuple[FloatArray, FloatArray]]
    test: str = "swaps"
    alone: tuple[int, int] | None = None
    """On how many samples only a is right, and only b."""
    law: Callable[[], float] | None = None
    """The p-value, where it is known without looking at every way to swap."""
    samples: int = 0
    """How many samples the scores are worked out from each time, where units are whole groups of them."""

    @cached_property
    def scores(self) -> tuple[float, float]:
        """The scores of both models."""
        first, second = (np.asarray(side, dtype=np.float64)[None] for side in (self.straight, self.crossed))
        return float(self.scores_of(first, second)[0]), float(self.scores_of(second, first)[0])

    @property
    def difference(self) -> float:
        """Of a's score minus b's."""
        return self.scores[0] - self.scores[1]

    @property
    def note(self) -> str:
        """How the p-value was found where not all swaps were looked at."""
        return self._law[1]

    @property
    def p_value(self) -> float:
        """The share of swaps with a difference at least as large; without a value it counts as such."""
        return self._law[0]

    @cached_property
    def _law(self) -> tuple[float, str]:
        if math.isnan(self.difference):
            return math.nan, "a score has no value"
        if self.law is not None:
            return self.law(), ""
        kinds = np.flatnonzero(self.differ & (self.straight + self.crossed > 0))
        coins = [fair_coins(int(self.straight[at] + self.crossed[at])) for at in kinds.tolist()]
        ways = math.prod(len(heads) for heads, _ in coins)
        if ways <= MOST_CELLS and ways * self.samples <= MOST_NUMBERS:
            return min(1.0, sum(self._weighed(kinds, coins))), ""
        return self._drawn(kinds)

    def _differences(self, kinds: IntArray, heads: FloatArray) -> FloatArray:
        """Return the differences where so many units of some kinds give a the first answer."""
        whole = (self.straight + self.crossed).astype(np.float64)
        first = np.broadcast_to(self.straight.astype(np.float64), (len(heads), len(whole))).copy()
        first[:, kinds] = heads
        second = whole - first
        return self.scores_of(first, second) - self.scores_of(second, first)

    @property
    def _rows(self) -> int:
        """How many swaps are scored together."""
        return max(1, TOGETHER // max(len(self.straight), self.samples))

    def _extreme(self, differences: FloatArray) -> BoolArray:
        slack = TIE * max(map(abs, self.scores))
        return ~(np.abs(differences) < abs(self.difference) - slack)

    def _weighed(self, kinds: IntArray, coins: list[tuple[FloatArray, FloatArray]]) -> Iterator[float]:
        """Yield the probabilities of extreme differences, some thousand swaps at a time."""
        sizes = [len(heads) for heads, _ in coins]
        number = math.prod(sizes)
        step = self._rows
        for start in range(0, number, step):
            flat = np.arange(start, min(start + step, number))
            places = np.unravel_index(flat, sizes) if sizes else ()
            heads = np.empty((len(flat), len(kinds)))
            for column, ((own, _), at) in enumerate(zip(coins, places, strict=True)):
                heads[:, column] = own[at]
            weight = np.ones(len(flat))
            for (_, own), at in zip(coins, places, strict=True):
                weight *= own[at]
            yield float(weight[self._extreme(self._differences(kinds, heads))].sum())

    def _drawn(self, kinds: IntArray) -> tuple[float, str]:
        generator = np.random.default_rng(SEED)
        number = self.straight[kinds] + self.crossed[kinds]
        reached = drawn = 0
        for rows in portions(len(self.straight), samples=self.samples):
            heads = generator.binomial(number, 0.5, size=(rows, len(kinds))).astype(np.float64)
            reached += int(np.count_nonzero(self._extreme(self._differences(kinds, heads))))
            drawn += rows
        return (reached + 1) / (drawn + 1), f"p_value is from {drawn:,} random swaps"

    @cached_property
    def _bootstrap(self) -> Bootstrap:
        generator = np.random.default_rng(SEED)
        units = int((self.straight + self.crossed).sum())
        cells = np.concatenate((self.straight, self.crossed))
        strata = np.concatenate((self.strata, self.strata))
        held = np.flatnonzero(cells)
        held = held[np.argsort(strata[held], kind="stable")]
        values = np.concatenate(
            [self._differences_of(part) for part in _resamples(cells, held, strata, generator, self.samples)]
        )
        return Bootstrap(
            self.difference, values, acceleration(self._left_out(cells, held, strata)), units, self._supposed
        )

    def _differences_of(self, cells: FloatArray) -> FloatArray:
        first, second = np.split(cells, 2, axis=1)
        return self.scores_of(first, second) - self.scores_of(second, first)

    def _left_out(
        self, cells: IntArray, held: IntArray, strata: IntArray
    ) -> Iterator[tuple[FloatArray, IntArray]]:
        """Yield for each stratum the differences without a unit of each kind, or of some of many kinds."""
        for stratum in np.unique(strata[held]):
            own = held[strata[held] == stratum]
            some = own[np.unique(np.linspace(0, len(own) - 1, min(len(own), MOST_LEFT_OUT)).astype(int))]
            parts = []
            for start in range(0, len(some), self._rows):
                part = some[start : start + self._rows]
                left = np.broadcast_to(cells.astype(np.float64), (len(part), len(cells))).copy()
                left[np.arange(len(part)), part] -= 1
                parts.append(self._differences_of(left))
            yield np.concatenate(parts), cells[some]

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


def fair_coins(number: int) -> tuple[FloatArray, FloatArray]:
    """Return the numbers of heads of so many fair coins that are likelier than 1e-300, and how likely."""
    middle = number // 2
    high = min(number, math.ceil(number / 2 + REACH * math.sqrt(number) / 2))
    up = np.arange(middle, high, dtype=np.float64)
    falling = np.concatenate(([1.0], np.cumprod((number - up) / (up + 1))))
    heads = np.arange(number - high, high + 1)
    weights = falling[np.maximum(heads, number - heads) - middle]
    return heads.astype(np.float64), weights / weights.sum()


def mcnemar(one: int, other: int) -> float:
    """Return McNemar's exact p: how likely ``one + other`` fair coins fall at least as unevenly."""
    heads, weights = fair_coins(one + other)
    uneven = np.abs(2 * heads - (one + other)) >= abs(one - other)
    return min(1.0, float(weights[uneven].sum()))


@dataclass(frozen=True, eq=False)
class PairedFolds:
    """Two models on the same folds: the corrected resampled t-test of the mean difference."""

    scores: tuple[float, float]
    mean: Mean | None
    bounds: tuple[float, float]
    untested: str = "a p-value needs two folds on which both models have a score, and some spread"
    test: str = "resampled_t"
    alone: None = None

    @property
    def p_value(self) -> float:
        """How surprising the difference is if the models are equally good."""
        return self.surprise(0.0)

    @property
    def note(self) -> str:
        """How it was found."""
        return (
            self.untested
            if math.isnan(self.p_value)
            else "p_value is the corrected resampled t-test (Nadeau and Bengio 2003), which is approximate"
        )

    def interval(self, level: float) -> tuple[float, float]:
        """Return the differences that the test does not refute."""
        reach = self.bounds[1] - self.bounds[0]
        return t_interval(self.mean, level, (-reach, reach))

    def surprise(self, difference: float) -> float:
        """Return how surprising the difference is if the true one is this, two-sided."""
        return math.nan if self.mean is None else two_sided(self.mean, difference)


@dataclass(frozen=True, eq=False)
class Unpaired:
    """Two scores of which nothing more is known; the note says why."""

    scores: tuple[float, float]
    note: str
    test: str = ""
    p_value: float = math.nan
    alone: None = None

    def interval(self, level: float) -> tuple[float, float]:  # noqa: ARG002
        """Return nothing."""
        return math.nan, math.nan

    def surprise(self, difference: float) -> float:  # noqa: ARG002
        """Return nothing."""
        return math.nan


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
    mean = mean_of_folds(first - second, ratio)
    return PairedFolds((a, b), None if mean is None else mean._replace(value=a - b), bounds)


def paired_units(scores: Any, others: Any) -> Swaps:
    """Return two models' scores on units of equal weight, such as tasks: swapped one by one."""
    a, b = np.asarray(scores, dtype=np.float64), np.asarray(others, dtype=np.float64)
    ones, none = np.ones(len(a), dtype=np.int64), np.zeros(len(a), dtype=np.int64)

    def means(first: FloatArray, second: FloatArray) -> FloatArray:
        weight = (first + second).sum(axis=1)
        return np.asarray((first @ a + second @ b) / weight)

    return Swaps(ones, none, a != b, none, means, lambda: (np.full(1, np.nan), np.full(1, np.nan)))
