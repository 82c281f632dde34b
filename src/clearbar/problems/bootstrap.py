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
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.problems._resampled_t import quantile, student_tail

RESAMPLES = 9_999
FEWEST_RESAMPLES = 999

WORK = 20_000_000
"""Units times resamples, beyond which there are fewer resamples."""

CELLS = 500_000
"""Units times resamples that are held at once."""

MANY = 10_000
"""Units from which on Student's t is normal."""

SHARES = 1 - np.geomspace(1.0, 1e-6, 400)
"""Shares of units that are supposed to differ from all that were seen."""

_NORMAL = NormalDist()


def portions(units: int, *, samples: int = 0) -> Iterator[int]:
    """Yield how many resamples are drawn at once: fewer in all where they cost much."""
    cost = max(units, samples, 1)
    number = int(np.clip(WORK // cost, FEWEST_RESAMPLES, RESAMPLES))
    portion = max(1, CELLS // cost)
    for first in range(0, number, portion):
        yield min(portion, number - first)


def unseen(probability: Any, units: int) -> Any:
    """Return the share of failures of which so many units show none with this probability."""
    return 1 - probability ** (1 / units)


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
        return bool((np.abs(known - self.score) <= _slack(self.score)).all())

    @cached_property
    def _supposed(self) -> tuple[FloatArray, FloatArray]:
        lows, highs = self.supposed()
        return np.fmin.accumulate(lows), np.fmax.accumulate(highs)

    @cached_property
    def _bias(self) -> float:
        known = self.values[~np.isnan(self.values)]
        near = np.abs(known - self.score) <= _slack(self.score)
        below = np.count_nonzero((known < self.score) & ~near) + np.count_nonzero(near) / 2
        return _quantile(below / len(known), len(known))

    @cached_property
    def _sides(self) -> tuple[FloatArray, FloatArray]:
        """The values from below and their negatives: without a value, either could be the least."""
        gone = np.isnan(self.values)
        return np.sort(np.where(gone, -np.inf, self.values)), np.sort(np.where(gone, -np.inf, -self.values))

    def p_value(self, bar: float) -> float:
        """Return how surprising the score is if the true one is the bar, two-sided."""
        if self.unknown or math.isnan(bar):
            return math.nan
        above = bar < self.score
        if abs(bar - self.score) <= _slack(bar):
            return 1.0
        if self.alike:
            scores, end = (self._supposed[0], bar) if above else (-self._supposed[1], -bar)
            worse = np.flatnonzero(scores <= end + _slack(end))
            # Where no failure that is supposed reaches the bar, they tell nothing of it.
            unlikely = float(1 - SHARES[worse[0]]) ** self.units if len(worse) else 1.0
            return min(1.0, max(2 * unlikely, 2 / (len(self.values) + 1)))
        side, sign = (0, 1.0) if above else (1, -1.0)
        values, end = self._sides[side], sign * bar
        reached = int(np.searchsorted(values, end + _slack(end), side="right"))
        off = _quantile((reached + 1) / (len(values) + 1), len(values)) - sign * self._bias
        room = 1 + sign * self.acceleration * off
        z = off / room - sign * self._bias if room > 0 else math.copysign(12.0, off)
        return min(1.0, 2 * self._tail(z))

    def _tail(self, z: float) -> float:
        """Return what a normal quantile leaves below it, widened for few units."""
        if self.units > MANY or z >= 0:
            return _NORMAL.cdf(z)
        return student_tail(-z * math.sqrt(1 - 1 / self.units), self.units - 1) / 2

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the scores that are not refuted; to the end of the measure's range where none is."""
        if self.unknown:
            return math.nan, math.nan
        if self.alike:
            share = unseen((1 - level) / 2, self.units)
            at = int(np.searchsorted(SHARES, share))
            low, high = (side[min(at, len(side) - 1)] for side in self._supposed)
        else:
            low, high = self._end(level, 0, 1.0), -self._end(level, 1, -1.0)
        return min(max(float(low), bounds[0]), self.score), max(min(float(high), bounds[1]), self.score)

    def _end(self, level: float, side: int, sign: float) -> float:
        values, bias, skewed = self._sides[side], sign * self._bias, sign * self.acceleration
        off = bias - self._quantile_of(level)
        room = 1 - skewed * off
        z = off / room + bias if room > 0 else math.copysign(12.0, off)
        reached = math.floor((len(values) + 1) * _NORMAL.cdf(z))
        return float(values[min(max(reached, 1), len(values)) - 1])

    def _quantile_of(self, level: float) -> float:
        if self.units > MANY:
            return _NORMAL.inv_cdf((1 + level) / 2)
        wide = quantile(level, self.units - 1)
        return wide / math.sqrt(1 - 1 / self.units)


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
    reach = np.count_nonzero(~(ahead < -_slack(score)))
    return (reach + 1) / (len(values) + 1)


def _quantile(share: float, size: int) -> float:
    return _NORMAL.inv_cdf(min(max(share, 1 / (size + 1)), size / (size + 1)))


def _slack(value: float) -> float:
    """Return how far apart two values may be that are equal but for rounding."""
    return 1e-12 * max(1.0, abs(value))
