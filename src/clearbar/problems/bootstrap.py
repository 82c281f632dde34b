"""What resamples say about a true score: bias-corrected accelerated, and wider where units are few.

Efron, J. Amer. Statist. Assoc. 82, 1987. With G units a percentile interval is about as narrow as one that
takes Student's t for normal and G for G - 1; Hesterberg, The American Statistician 69, 2015, section 3.3,
widens it so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any, ClassVar, Protocol

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.inference.student_t import quantile, student_tail
from clearbar.problems._protocol import Method

RESAMPLES = 9_999
FEWEST_RESAMPLES = 999

WORK = 20_000_000
"""Units times resamples, beyond which there are fewer resamples."""

CELLS = 500_000
"""Units times resamples that are held at once."""

FAR = 12.0
"""A normal quantile beyond which there is nothing."""

MANY = 10_000
"""Units from which on Student's t is normal."""

SHARES = 1 - np.geomspace(1.0, 1e-6, 400)
"""Shares of units that are supposed to differ from all that were seen."""

NEARLY = 1e-5
"""Part of the way to the bar that supposed failures may stay away from it."""

_NORMAL = NormalDist()


MOST_RESAMPLES, MOST_WORK = 1_000_000, 400_000_000
"""Resamples that are drawn at the most, and units times resamples, where fewer would not tell enough."""

PER_TAIL = 20
"""Resamples that are drawn for one of the least p-value that must be told from a larger one."""


def number_of_draws(
    cost: int, *, fewest: int = FEWEST_RESAMPLES, most: int = RESAMPLES, finest: float = 1.0
) -> int:
    """Return how many resamples, or random orders, are drawn: fewer where each costs much.

    More where the least p-value that must be told apart, the `finest`, asks for more.
    """
    number = int(np.clip(WORK // cost, fewest, most))
    if finest >= PER_TAIL / number:
        return number
    return max(number, min(math.ceil(PER_TAIL / finest), MOST_RESAMPLES, MOST_WORK // cost))


def portions(units: int, *, samples: int = 0, most: int = RESAMPLES, finest: float = 1.0) -> Iterator[int]:
    """Yield how many of them are drawn at once."""
    cost = max(units, samples, 1)
    number = number_of_draws(cost, most=most, finest=finest)
    portion = max(1, CELLS // cost)
    for first in range(0, number, portion):
        yield min(portion, number - first)


def unseen(probability: Any, units: int) -> Any:
    """Return the share of failures of which so many units show none with this probability."""
    return 1 - probability ** (1 / units)


class OneSided(Protocol):
    """How surprising a score is that is above some bar."""

    def p_value(self, bar: float) -> float:
        """Return how surprising the score is if the true one is at most the bar."""
        ...

    def end(self, tail: float) -> float:
        """Return the least bar that is not refuted; minus infinity where all are not."""
        ...


@dataclass(frozen=True, eq=False)
class Accelerated:
    """The same from resamples (ascending), beyond the least of which a normal tail goes on."""

    values: FloatArray
    bias: float
    acceleration: float
    units: float = math.inf

    def p_value(self, bar: float) -> float:
        """Return how surprising the score is if the true one is at most the bar."""
        number, reached = len(self.values), reached_by(self.values, bar)
        if reached == number:
            return 1.0
        share = _NORMAL.inv_cdf((reached + 1) / (number + 1))
        if not reached:
            mean, spread = self._moments
            share = min(share, (bar - mean) / spread)
        off = share - self.bias
        room = 1 + self.acceleration * off
        z = off / room - self.bias if room > 0 else math.copysign(FAR, off)
        return max(self._tail(z), 1 / (number + 1))

    def end(self, tail: float) -> float:
        """Return the least bar that is not refuted."""
        number = len(self.values)
        if tail < 1 / (number + 1):
            return -math.inf
        off = self._quantile(tail) + self.bias
        room = 1 - self.acceleration * off
        z = off / room + self.bias if room > 0 else math.copysign(FAR, off)
        reached = min(math.floor((number + 1) * _NORMAL.cdf(z)), number)
        if reached:
            return float(self.values[reached - 1])
        mean, spread = self._moments
        return min(mean + spread * z, float(self.values[0]))

    @cached_property
    def _moments(self) -> tuple[float, float]:
        known = self.values[np.isfinite(self.values)]
        return float(known.mean()), max(float(known.std()), math.ulp(0.0))

    def _tail(self, z: float) -> float:
        """Return what a normal quantile leaves below it, widened for few units."""
        if self.units > MANY or z >= 0:
            return _NORMAL.cdf(z)
        return student_tail(-z * math.sqrt(1 - 1 / self.units), int(self.units) - 1) / 2

    def _quantile(self, tail: float) -> float:
        if self.units > MANY:
            return _NORMAL.inv_cdf(tail)
        return -quantile(1 - 2 * tail, int(self.units) - 1) / math.sqrt(1 - 1 / self.units)


@dataclass(frozen=True, eq=False)
class TwoSided:
    """Both sides of a score; ``above`` holds negatives, as seen from the other side."""

    score: float
    below: OneSided
    above: OneSided
    method: Method = "bootstrap"
    draws: int = 0

    unknown: ClassVar[str] = ""

    def p_value(self, bar: float) -> float:
        """Return how surprising the score is if the true one is the bar, two-sided."""
        if abs(bar - self.score) <= slack(bar):
            return 1.0
        one_sided = self.below.p_value(bar) if bar < self.score else self.above.p_value(-bar)
        return min(1.0, 2 * one_sided)

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the scores that are not refuted; to the end of the measure's range where none is."""
        tail = (1 - level) / 2
        low, high = self.below.end(tail), -self.above.end(tail)
        return min(max(low, bounds[0]), self.score), max(min(high, bounds[1]), self.score)


def accelerated(
    score: float,
    values: FloatArray,
    skewed: float,
    *,
    others: FloatArray | None = None,
    units: float = math.inf,
) -> TwoSided:
    """Return what resamples say, nan where they have no value: that could be the least and the largest.

    ``others`` are scores of the same resamples that suppose failures, which count where they are worse and
    better, but are no bias.
    """
    known = values[~np.isnan(values)]
    near = np.abs(known - score) <= slack(score)
    share = (np.count_nonzero((known < score) & ~near) + np.count_nonzero(near) / 2) / len(known)
    bias = _NORMAL.inv_cdf(min(max(share, 1 / (len(known) + 1)), len(known) / (len(known) + 1)))
    others = values if others is None else others
    lows, highs = np.minimum(values, others), np.maximum(values, others)
    below, above = (np.sort(np.where(np.isnan(side), -np.inf, side)) for side in (lows, -highs))
    sides = Accelerated(below, bias, skewed, units), Accelerated(above, -bias, -skewed, units)
    return TwoSided(score, *sides, draws=len(values))


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Scores of resamples, nan where they have none, of so many units.

    `supposed` returns the scores if the shares `SHARES` of units were all wrong, and if they were all right:
    failures that were not seen, where no two resamples differ.
    """

    score: float
    values: FloatArray
    acceleration: float
    units: int
    supposed: Callable[[], tuple[FloatArray, FloatArray]]

    @cached_property
    def unknown(self) -> str:
        """Why nothing is known; empty if something is."""
        missing = int(np.count_nonzero(np.isnan(self.values)))
        if 2 * missing >= len(self.values):
            return f"{missing:,} of {len(self.values):,} resamples have no value"
        return ""

    @cached_property
    def alike(self) -> bool:
        """Whether no two resamples differ."""
        known = self.values[~np.isnan(self.values)]
        return bool((np.abs(known - self.score) <= slack(self.score)).all())

    @property
    def method(self) -> Method:
        """Resampling, or where no two resamples differ the failures that are supposed instead."""
        return "estimated" if self.alike else "bootstrap"

    @property
    def draws(self) -> int:
        """How many resamples there are."""
        return len(self.values)

    @cached_property
    def _supposed(self) -> tuple[FloatArray, FloatArray]:
        lows, highs = self.supposed()
        return np.fmin.accumulate(lows), np.fmax.accumulate(highs)

    @cached_property
    def _drawn(self) -> TwoSided:
        return accelerated(self.score, self.values, self.acceleration, units=self.units)

    def p_value(self, bar: float) -> float:
        """Return how surprising the score is if the true one is the bar, two-sided."""
        if self.unknown or math.isnan(bar):
            return math.nan
        above = bar < self.score
        if abs(bar - self.score) <= slack(bar):
            return 1.0
        if self.alike:
            scores, end = (self._supposed[0], bar) if above else (-self._supposed[1], -bar)
            # The last share leaves a millionth of the units right, and so that much of the score.
            worse = np.flatnonzero(scores <= end + max(slack(end), NEARLY * abs(self.score - bar)))
            # Where no failure that is supposed reaches the bar, they tell nothing of it.
            unlikely = float(1 - SHARES[worse[0]]) ** self.units if len(worse) else 1.0
            return min(1.0, max(2 * unlikely, 2 / (len(self.values) + 1)))
        return self._drawn.p_value(bar)

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the scores that are not refuted; to the end of the measure's range where none is."""
        if self.unknown:
            return math.nan, math.nan
        if not self.alike:
            return self._drawn.interval(level, bounds)
        share = unseen((1 - level) / 2, self.units)
        at = int(np.searchsorted(SHARES, share))
        low, high = (side[min(at, len(side) - 1)] for side in self._supposed)
        return min(max(float(low), bounds[0]), self.score), max(min(float(high), bounds[1]), self.score)


def acceleration(strata: Iterable[tuple[FloatArray, IntArray]]) -> float:
    """Return a sixth of the skewness of the influences: per stratum scores without a unit, and how many."""
    second = third = 0.0
    for values, counts in strata:
        size = int(counts.sum())
        if size < 2:
            continue
        if not np.isfinite(values).all():
            return 0.0
        weights = counts / size
        influence = (size - 1) * ((weights * values).sum() - values)
        second += float((weights * influence**2).sum()) / size
        third += float((weights * influence**3).sum()) / size**2
    return third / (6 * second**1.5) if second > 0 else 0.0


def at_least_as_good(values: FloatArray, score: float, *, greater_is_better: bool) -> float:
    """Return (b + 1)/(B + 1) for B permutations; one without a value counts as reaching the score."""
    ahead = values - score if greater_is_better else score - values
    reach = np.count_nonzero(~(ahead < -slack(score)))
    return (reach + 1) / (len(values) + 1)


def reached_by(values: FloatArray, bar: float) -> int:
    """Return how many of ascending values a bar reaches."""
    return int(np.searchsorted(values, bar + slack(bar), side="right"))


def slack(value: float) -> float:
    """Return how far apart two values may be that are equal but for rounding."""
    return 1e-12 * max(1.0, abs(value))
