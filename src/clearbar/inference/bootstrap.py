"""H0: the true score is the bar. Bias-corrected accelerated bootstrap, wider where units are few.

Efron, J. Amer. Statist. Assoc. 82, 1987. With G units a percentile interval is about as narrow as one that
takes Student's t for normal and G for G - 1; Hesterberg, The American Statistician 69, 2015, section 3.3,
widens it so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import Any, NamedTuple, Protocol

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.core.reasons import Reason
from clearbar.inference import Method, Tail
from clearbar.inference.units import SHARES

FAR = 12.0  # a normal quantile beyond which there is nothing
MANY = 10_000  # units from which on Student's t is normal
NEARLY = 1e-5  # part of the way to the bar that hypothetical failures may stay away from it

_NORMAL = NormalDist()


class Test(Protocol):
    """What is known of one true score."""

    def tail(self, bar: float) -> Tail:
        """Return the two-sided p-value of H0: the true score is this bar."""
        ...

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the true scores that are not refuted, within the bounds of the measure."""
        ...


@dataclass(frozen=True)
class NotTested:
    """Nothing is known of a true score, and why."""

    why: Any

    def tail(self, bar: float) -> Tail:
        return Tail(math.nan, math.nan, self.why)

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        return math.nan, math.nan


def tolerance(value: float) -> float:
    """Return how far apart two values may be that are equal but for rounding."""
    return 1e-12 * max(1.0, abs(value))


def unseen(probability: Any, units: Any) -> Any:
    """Return the share of failures of which so many units show none with this probability."""
    return 1 - probability ** (1 / units)


def share_reaching(scores: FloatArray, bar: float, place: int) -> float:
    """Return the share of failures at which falling scores reach a bar, the first of them at a place."""
    if place == 0:
        return 0.0
    before, after = scores[place - 1], scores[place]
    fraction = (before - bar) / (before - after) if math.isfinite(before) and math.isfinite(after) else 0.0
    return float(SHARES[place - 1] + fraction * (SHARES[place] - SHARES[place - 1]))


def score_at(scores: FloatArray, share: float) -> float:
    """Return the score at a share of failures; between two that are known, on the line through them."""
    place = min(int(np.searchsorted(SHARES, share)), len(scores) - 1)
    before, after = scores[max(place - 1, 0)], scores[place]
    if place == 0 or share >= SHARES[place] or not (math.isfinite(before) and math.isfinite(after)):
        return float(after)
    fraction = (share - SHARES[place - 1]) / (SHARES[place] - SHARES[place - 1])
    return float(before + fraction * (after - before))


@dataclass(frozen=True, eq=False)
class Accelerated:
    """One side of a BCa bootstrap: resamples (ascending), beyond the least of which a normal tail goes on."""

    values: FloatArray
    bias: float
    acceleration: float
    units: float = math.inf

    def p_value(self, bar: float) -> float:
        """Return the p-value of a true score of at most the bar."""
        number = len(self.values)
        reached = int(np.searchsorted(self.values, bar + tolerance(bar), side="right"))
        if reached == number or self.units < 2:  # a single unit does not tell how units differ
            return 1.0
        z = _NORMAL.inv_cdf((reached + 1) / (number + 1))
        if not reached:
            mean, spread = self._moments
            z = min(z, (bar - mean) / spread)
        off = z - self.bias
        room = 1 + self.acceleration * off
        z = off / room - self.bias if room > 0 else math.copysign(FAR, off)
        return max(self._tail(z), 1 / (number + 1))

    def end(self, tail: float) -> float:
        """Return the least bar that is not refuted; minus infinity where all are not."""
        number = len(self.values)
        if tail < 1 / (number + 1) or self.units < 2:
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
        defined = self.values[np.isfinite(self.values)]
        return float(defined.mean()), max(float(defined.std()), math.ulp(0.0))

    def _tail(self, z: float) -> float:
        """Return what a normal quantile leaves below it, widened for few units."""
        if self.units > MANY or z >= 0:
            return _NORMAL.cdf(z)
        from scipy.special import stdtr

        return float(stdtr(int(self.units) - 1, z * math.sqrt(1 - 1 / self.units)))

    def _quantile(self, tail: float) -> float:
        if self.units > MANY:
            return _NORMAL.inv_cdf(tail)
        from scipy.special import stdtrit

        return float(stdtrit(int(self.units) - 1, tail)) / math.sqrt(1 - 1 / self.units)


class Unseen(NamedTuple):
    """Losses and gains that strata which never vary may have unseen: all of one wrong, or all right."""

    lost: FloatArray  # what the score loses if all of a stratum were otherwise
    gained: FloatArray
    sizes: FloatArray  # units of each

    def change(self, changes: FloatArray, tail: float) -> float:
        """Return the largest Σ c s with Π (1 − s)^n >= tail, over shares s of strata of n units."""
        # By Lagrange 1 − s = min(1, x n / c), x found by bisection.
        rising = changes > 0
        if not rising.any():
            return 0.0
        change, size = changes[rising], self.sizes[rising]
        ratio = size / change
        low, high = 1e-15, float((1 / ratio).max())
        for _ in range(60):
            middle = math.sqrt(low * high)
            likely = float((size * np.log(np.minimum(1.0, middle * ratio))).sum()) >= math.log(tail)
            low, high = (low, middle) if likely else (middle, high)
        return float((change * (1 - np.minimum(1.0, high * ratio))).sum())


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Scores of resamples, nan where they have none, of so many units.

    `failing` holds the scores if the shares `SHARES` of units were all wrong, and if they were all right:
    failures that were not seen, where no two resamples differ. `unseen` holds those of strata that never
    vary; they are added to the ends of the interval in quadrature.
    """

    score: float
    values: FloatArray
    acceleration: float
    units: int
    failing: tuple[FloatArray, FloatArray]
    unseen: Unseen | None = None

    def with_unseen(self, lost: FloatArray, gained: FloatArray, sizes: FloatArray) -> Bootstrap:
        return replace(self, unseen=Unseen(lost, gained, sizes) if len(sizes) else None)

    @cached_property
    def unknown(self) -> Reason | None:
        """Why nothing is known."""
        missing, draws = int(np.count_nonzero(np.isnan(self.values))), len(self.values)
        few = 2 * missing >= draws
        return Reason.of("undefined_resamples", missing=missing, draws=draws) if few else None

    @cached_property
    def alike(self) -> bool:
        """Whether no two resamples differ."""
        defined = self.values[~np.isnan(self.values)]
        return bool((np.abs(defined - self.score) <= tolerance(self.score)).all())

    @property
    def method(self) -> Method:
        return "estimated" if self.alike else "bootstrap"

    @property
    def draws(self) -> int:
        return len(self.values)

    @cached_property
    def _failing(self) -> tuple[FloatArray, FloatArray]:
        lows, highs = self.failing
        return np.fmin.accumulate(lows), np.fmax.accumulate(highs)

    @cached_property
    def _sides(self) -> tuple[Accelerated, Accelerated]:
        """Both sides, the second of negatives; resamples without a value could be the least or largest."""
        defined = self.values[~np.isnan(self.values)]
        near = np.abs(defined - self.score) <= tolerance(self.score)
        share = (np.count_nonzero((defined < self.score) & ~near) + np.count_nonzero(near) / 2) / len(defined)
        least = 1 / (len(defined) + 1)
        bias = _NORMAL.inv_cdf(min(max(share, least), 1 - least))
        below, above = (
            np.sort(np.where(np.isnan(side), -np.inf, side)) for side in (self.values, -self.values)
        )
        return (
            Accelerated(below, bias, self.acceleration, self.units),
            Accelerated(above, -bias, -self.acceleration, self.units),
        )

    def p_value(self, bar: float) -> float:
        """Return the two-sided p-value of H0: the true score is this bar."""
        if self.unknown or math.isnan(bar):
            return math.nan
        if abs(bar - self.score) <= tolerance(bar):
            return 1.0
        if self.unseen and (self.alike or self.unseen.lost.any() or self.unseen.gained.any()):
            # The least 1 - level at which the bar is outside of the interval.
            least, most = math.log(2 / (len(self.values) + 1)), 0.0
            for _ in range(60):
                middle = (least + most) / 2
                low, high = self.interval(1 - math.exp(middle), (-math.inf, math.inf))
                least, most = (middle, most) if low <= bar <= high else (least, middle)
            return math.exp(most)
        sign = 1.0 if bar < self.score else -1.0
        if not self.alike:
            below, above = self._sides
            return min(1.0, 2 * (below.p_value(bar) if sign > 0 else above.p_value(-bar)))
        # The last share leaves a millionth of the units right, and so that much of the score.
        scores, near = sign * self._failing[0 if sign > 0 else 1], NEARLY * abs(self.score - bar)
        reached = sign * bar + max(tolerance(bar), near)
        worse = np.flatnonzero(scores <= reached)
        # Where no hypothetical failure reaches the bar, they tell nothing of it.
        unlikely = (1 - share_reaching(scores, reached, int(worse[0]))) ** self.units if len(worse) else 1.0
        return min(1.0, max(2 * unlikely, 2 / (len(self.values) + 1)))

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the scores that are not refuted; to the end of the measure's range where none is."""
        if self.unknown:
            return math.nan, math.nan
        tail, score = (1 - level) / 2, self.score
        if not self.alike:
            below, above = self._sides
            low, high = below.end(tail), -above.end(tail)
        elif self.unseen:
            low, high = score, score
        else:
            low, high = (score_at(side, unseen(tail, self.units)) for side in self._failing)
        low, high = min(max(low, bounds[0]), score), max(min(high, bounds[1]), score)
        if not self.unseen:
            return low, high
        low = score - math.hypot(score - low, self.unseen.change(self.unseen.lost, tail))
        high = score + math.hypot(high - score, self.unseen.change(self.unseen.gained, tail))
        return max(low, bounds[0]), min(high, bounds[1])


@dataclass(frozen=True, eq=False)
class Resampled:
    """The test of resamples of a score, and of its distance to the bar, in units set off from an origin."""

    score: Bootstrap
    note: Reason
    distance: Bootstrap | None = None  # None where the bar never moves
    origin: float = 0.0
    length: float = 1.0

    def tail(self, bar: float) -> Tail:
        distance, off = self.distance or self.score, (bar - self.origin) / self.length
        if distance.unknown:
            return Tail(math.nan, math.nan, Reason.of("p_value_unknown", why=distance.unknown))
        p_value, note = distance.p_value(off), self.note
        if self.distance is not None and self.score.alike:
            # Then the bar alone varies, and failures that were not seen are hypothetical.
            p_value, note = max(p_value, self.score.p_value(off)), Reason("unseen_errors")
        return Tail(p_value, p_value, note, self.score.method, self.score.draws)

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        least, most = ((bound - self.origin) / self.length for bound in bounds)
        low, high = (self.origin + self.length * end for end in self.score.interval(level, (least, most)))
        return low, high
