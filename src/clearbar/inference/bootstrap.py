"""H0: the true score is the bar. Bias-corrected accelerated bootstrap, wider where units are few.

Efron, J. Amer. Statist. Assoc. 82, 1987. With G units a percentile interval is about as narrow as one that
takes Student's t for normal and G for G - 1; Hesterberg, The American Statistician 69, 2015, section 3.3,
widens it so.

Two bootstraps from the same resamples: the interval is that of the score; the p-value is that of score − bar,
the bar found anew in each resample, since both are found on the same labels.

Of very many units each resample has the size of all, but is drawn from a random part of them: the bag of
little bootstraps (Kleiner, Talwalkar, Sarkar and Jordan, J. R. Statist. Soc. B 76, 2014), by Poisson weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any, NamedTuple, Protocol

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.reasons import Reason
from clearbar.inference.units import (
    CELLS,
    SHARES,
    Method,
    Tail,
    Units,
    number_of_draws,
    portions,
    resampled,
    strata_of,
)

FAR = 12.0
"""A normal quantile beyond which there is nothing."""

MANY = 10_000
"""Units from which on Student's t is normal."""

NEARLY = 1e-5
"""Part of the way to the bar that hypothetical failures may stay away from it."""

MOST_LEFT_OUT = 500
"""Parts of the units that are left out in turn; of more units a part is several, drawn at random."""

MOST_WHOLE = 20_000
"""Samples of which all are resampled together."""

PART, PARTS = 5_000, 20
"""Of more samples, the size of a random part, and how many parts there are."""

FROM_PARTS = 1_999
"""Resamples of all parts together."""

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

    def tail(self, bar: float) -> Tail:  # noqa: ARG002
        return Tail(math.nan, math.nan, self.why)

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:  # noqa: ARG002
        return math.nan, math.nan


def tolerance(value: float) -> float:
    """Return how far apart two values may be that are equal but for rounding."""
    return 1e-12 * max(1.0, abs(value))


def unseen(probability: Any, units: Any) -> Any:
    """Return the share of failures of which so many units show none with this probability."""
    return 1 - probability ** (1 / units)


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
        if reached == number:
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
        from scipy.special import stdtr

        return float(stdtr(int(self.units) - 1, z * math.sqrt(1 - 1 / self.units)))

    def _quantile(self, tail: float) -> float:
        if self.units > MANY:
            return _NORMAL.inv_cdf(tail)
        from scipy.special import stdtrit

        return float(stdtrit(int(self.units) - 1, tail)) / math.sqrt(1 - 1 / self.units)


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Scores of resamples, nan where they have none, of so many units.

    `failing` holds the scores if the shares `SHARES` of units were all wrong, and if they were all right:
    failures that were not seen, where no two resamples differ.
    """

    score: float
    values: FloatArray
    acceleration: float
    units: int
    failing: tuple[FloatArray, FloatArray]

    @cached_property
    def unknown(self) -> Reason | None:
        """Why nothing is known."""
        missing, draws = int(np.count_nonzero(np.isnan(self.values))), len(self.values)
        return (
            Reason.of("undefined_resamples", missing=missing, draws=draws) if 2 * missing >= draws else None
        )

    @cached_property
    def alike(self) -> bool:
        """Whether no two resamples differ."""
        known = self.values[~np.isnan(self.values)]
        return bool((np.abs(known - self.score) <= tolerance(self.score)).all())

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
        known = self.values[~np.isnan(self.values)]
        near = np.abs(known - self.score) <= tolerance(self.score)
        share = (np.count_nonzero((known < self.score) & ~near) + np.count_nonzero(near) / 2) / len(known)
        least = 1 / (len(known) + 1)
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
        sign = 1.0 if bar < self.score else -1.0
        if not self.alike:
            below, above = self._sides
            return min(1.0, 2 * (below.p_value(bar) if sign > 0 else above.p_value(-bar)))
        # The last share leaves a millionth of the units right, and so that much of the score.
        scores, near = sign * self._failing[0 if sign > 0 else 1], NEARLY * abs(self.score - bar)
        worse = np.flatnonzero(scores <= sign * bar + max(tolerance(bar), near))
        # Where no hypothetical failure reaches the bar, they tell nothing of it.
        unlikely = float(1 - SHARES[worse[0]]) ** self.units if len(worse) else 1.0
        return min(1.0, max(2 * unlikely, 2 / (len(self.values) + 1)))

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the scores that are not refuted; to the end of the measure's range where none is."""
        if self.unknown:
            return math.nan, math.nan
        tail = (1 - level) / 2
        if self.alike:
            place = min(int(np.searchsorted(SHARES, unseen(tail, self.units))), len(SHARES) - 1)
            low, high = (float(side[min(place, len(side) - 1)]) for side in self._failing)
        else:
            below, above = self._sides
            low, high = below.end(tail), -above.end(tail)
        return min(max(low, bounds[0]), self.score), max(min(high, bounds[1]), self.score)


@dataclass(frozen=True, eq=False)
class WithUnseen:
    """A bootstrap, and what strata that never vary may lose and gain unseen: all wrong, or all right.

    The largest change that is not refuted is max Σ c s with Π (1 − s)^n ≥ tail, over shares s of strata of n
    units that would change the score by c s; it is added to the end of the interval in quadrature.
    """

    drawn: Bootstrap
    lost: FloatArray  # what the score loses if all of a stratum that never varies were otherwise
    gained: FloatArray
    sizes: FloatArray  # the units of these strata

    @property
    def unknown(self) -> Reason | None:
        return self.drawn.unknown

    @property
    def alike(self) -> bool:
        return self.drawn.alike

    @property
    def score(self) -> float:
        return self.drawn.score

    @property
    def method(self) -> Method:
        return self.drawn.method

    @property
    def draws(self) -> int:
        return self.drawn.draws

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        if self.unknown or not len(self.sizes):
            return self.drawn.interval(level, bounds)
        score, tail = self.drawn.score, (1 - level) / 2
        low, high = (score, score) if self.drawn.alike else self.drawn.interval(level, bounds)
        low = score - math.hypot(score - low, self._change(self.lost, tail))
        high = score + math.hypot(high - score, self._change(self.gained, tail))
        return max(low, bounds[0]), min(high, bounds[1])

    def p_value(self, bar: float) -> float:
        """Return the least 1 - level at which the bar is outside of the interval, by bisection."""
        changes = self.lost.any() or self.gained.any()
        if self.unknown or math.isnan(bar) or not len(self.sizes) or not (self.drawn.alike or changes):
            return self.drawn.p_value(bar)
        if abs(bar - self.drawn.score) <= tolerance(bar):
            return 1.0
        least, most = math.log(2 / (len(self.drawn.values) + 1)), 0.0
        for _ in range(60):
            middle = (least + most) / 2
            low, high = self.interval(1 - math.exp(middle), (-math.inf, math.inf))
            least, most = (middle, most) if low <= bar <= high else (least, middle)
        return math.exp(most)

    def _change(self, changes: FloatArray, tail: float) -> float:
        """Return the largest change that is not refuted, by Lagrange: 1 - s = min(1, x n / c)."""
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
class Resampled:
    """The test of resamples of a score, and of its distance to the bar, in units set off from an origin."""

    score: Bootstrap | WithUnseen
    note: Reason
    distance: Bootstrap | WithUnseen | None = None  # None where the bar never moves
    origin: float = 0.0
    length: float = 1.0
    interval_of_distance: bool = False

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
        of_score = self.distance is None or self.score.alike or not self.interval_of_distance
        test = self.score if of_score else self.distance
        assert test is not None  # noqa: S101 - of_score covers it
        low, high = (self.origin + self.length * end for end in test.interval(level, (least, most)))
        return low, high


class Drawn(NamedTuple):
    """Scores of resamples, (models, resamples), the bars, and the acceleration of scores and distances."""

    scores: FloatArray
    bars: FloatArray | None
    skewed: FloatArray
    skewed_distances: FloatArray


def tests_of(units: Units, measures: Sequence[Any]) -> list[list[Test]]:
    """Return for each model what resamples tell of its score by each measure, all from the same resamples."""
    whys = [units.not_resampled(measure) for measure in measures]
    left = [measure for measure, why in zip(measures, whys, strict=True) if why is None]
    drawn = iter(_drawn(units, left) if left else ())
    note, columns = Reason.of("bootstrap", units=units.words), []
    for measure, why in zip(measures, whys, strict=True):
        if why is not None:
            columns.append([NotTested(Reason.of("p_value_unknown", why=why))] * units.models)
        else:
            columns.append(_tests_of_measure(units, measure, next(drawn), note))
    return [[column[model] for column in columns] for model in range(units.models)]


def _tests_of_measure(units: Units, measure: Any, drawn: Drawn, note: Reason) -> list[Any]:
    origin, length = units.scale(measure)
    whole = units.multiplicity[None].astype(np.float64)
    observed = (_mean_over_runs(units.score([measure], whole))[0, :, 0] - origin) / length
    bar = units.bar(measure, whole)
    found = []
    for model, score in enumerate(observed.tolist()):
        failing = tuple((side - origin) / length for side in units.failing(measure, model))
        facts: dict[str, Any] = {"units": len(units), "failing": failing}
        scores = drawn.scores[model]
        of_score = Bootstrap(score, scores, float(drawn.skewed[model]), **facts)
        distance = None
        if drawn.bars is not None and bar is not None:
            values = scores - drawn.bars + (float(bar[0]) - origin) / length
            distance = Bootstrap(score, values, float(drawn.skewed_distances[model]), **facts)
        test = Resampled(of_score, note, distance, origin, length, units.interval_of_distance)
        found.append(units.refined(test, measure, model))
    return found


def _drawn(units: Units, measures: Sequence[Any]) -> list[Drawn]:
    """Resample once for all measures and models."""
    generator, number = np.random.default_rng(units.seed), len(units)
    share = PART / units.samples
    if units.samples > MOST_WHOLE and share * number >= MOST_LEFT_OUT:
        first = units.part(np.arange(1))
        if first is not None:
            return _of_parts(units, measures, generator, round(share * number))
    strata = strata_of(units)
    sizes = portions(number, samples=units.resample_cost(measures), finest=units.finest)
    weights = (resampled(units, strata, rows, generator) for rows in sizes)
    runs = generator if units.runs > 1 else None
    drawn = _evaluated(units, measures, weights, runs)
    left, strata_left = _without_each(units, generator, MOST_LEFT_OUT)
    left_out = _evaluated(units, measures, left)
    return [
        Drawn(scores, bars, *_accelerations(*without, strata_left))
        for (scores, bars), without in zip(drawn, left_out, strict=True)
    ]


def _of_parts(
    units: Units, measures: Sequence[Any], generator: np.random.Generator, size: int
) -> list[Drawn]:
    number = len(units)
    observed = _evaluated(units, measures, iter([units.multiplicity[None].astype(np.float64)]))
    by_part: list[list[Drawn]] = []
    draws = number_of_draws(PART, most=FROM_PARTS, finest=units.finest)
    for resamples in np.diff(np.linspace(0, draws, PARTS + 1).astype(int)).tolist():
        chosen = np.sort(generator.choice(number, size, replace=False, shuffle=False))
        part: Any = units.part(chosen)
        by_part.append(_of_part(part, observed, measures, number / size, resamples, generator))
    together = []
    for parts in zip(*by_part, strict=True):
        scores, bars, skewed, skewed_distances = zip(*parts, strict=True)
        all_bars = None if bars[0] is None else np.concatenate(bars)
        means = np.mean(skewed, axis=0), np.mean(skewed_distances, axis=0)
        together.append(Drawn(np.concatenate(scores, axis=1), all_bars, *means))
    return together


def _of_part(
    part: Units,
    observed: list[Evaluated],
    measures: Sequence[Any],
    times: float,
    resamples: int,
    generator: np.random.Generator,
) -> list[Drawn]:
    """Draw as many units as there are from a part; what the part itself is off is taken away."""
    kinds = len(part.multiplicity)
    portion = max(1, CELLS // max(part.samples, 1))
    sizes = (min(portion, resamples - first) for first in range(0, resamples, portion))
    weights = (generator.poisson(times, size=(rows, kinds)).astype(np.float64) for rows in sizes)
    drawn = _evaluated(part, measures, weights)
    of_part = _evaluated(part, measures, iter([np.ones((1, kinds))]))
    left, strata = _without_each(part, generator, MOST_LEFT_OUT // (PARTS // 2))
    left_out = _evaluated(part, measures, left)
    found = []
    for own, base, without, all_units in zip(drawn, of_part, left_out, observed, strict=True):
        scores = own[0] - base[0] + all_units[0]
        bars = None if own[1] is None else own[1] - base[1] + all_units[1]  # type: ignore[operator]
        # A sixth of the skewness of a sum falls with the root of the number of its terms.
        skewed = (values / math.sqrt(times) for values in _accelerations(*without, strata))
        found.append(Drawn(scores, bars, *skewed))
    return found


Evaluated = tuple[FloatArray, "FloatArray | None"]
"""Scores, (models, resamples), and bars, (resamples,), of one measure."""


def _evaluated(
    units: Units,
    measures: Sequence[Any],
    parts: Iterator[FloatArray],
    runs: np.random.Generator | None = None,
) -> list[Evaluated]:
    """Return scores and bars under weights, of each measure; runs are resampled if a generator is given."""
    scales = [units.scale(measure) for measure in measures]
    scores: list[FloatArray] = []
    bars: list[list[FloatArray]] = [[] for _ in measures]
    for weights in parts:
        values = units.score(measures, weights)
        if units.runs > 1:
            values = _mean_over_runs(values, runs)
        scores.append(values)
        for measure, found in zip(measures, bars, strict=True):
            bar = units.bar(measure, weights)
            if bar is not None:
                found.append(bar)
    together = np.concatenate(scores, axis=-1)
    return [
        ((own - origin) / length, (np.concatenate(found) - origin) / length if found else None)
        for own, found, (origin, length) in zip(together, bars, scales, strict=True)
    ]


def _mean_over_runs(values: FloatArray, runs: np.random.Generator | None = None) -> FloatArray:
    """Return mean scores over the axis of runs before the last, if there is one; or over resampled runs."""
    if values.ndim == 3:
        return values
    number = values.shape[2]
    if runs is None:
        return np.asarray(values.mean(axis=2))
    often = runs.multinomial(number, np.full(number, 1 / number), size=values.shape[3]).T / number
    # A run that is not drawn counts nothing, also one without a value.
    return np.asarray(np.where(often > 0, often * values, 0.0).sum(axis=2))


def _without_each(
    units: Units, generator: np.random.Generator, most: int
) -> tuple[Iterator[FloatArray], list[IntArray]]:
    """Return weights that leave out a unit of each kind, or some of many at random; counts per stratum."""
    parts: list[tuple[IntArray, int]] = []
    counts = []
    for kinds in strata_of(units):
        multiplicity = units.multiplicity[kinds]
        single = int(multiplicity.max(initial=0)) == 1
        if single and len(kinds) > most:
            codes = generator.permutation(np.arange(len(kinds)) % most)
            parts += [(kinds[codes == code], 1) for code in range(most)]
            counts.append(np.ones(most, dtype=np.int64))
        else:
            parts += [(kinds[place : place + 1], 1) for place in range(len(kinds))]
            counts.append(multiplicity)

    def weights() -> Iterator[FloatArray]:
        whole = units.multiplicity.astype(np.float64)
        rows = max(1, CELLS // max(units.samples, len(whole)))
        for first in range(0, len(parts), rows):
            chosen = parts[first : first + rows]
            block = np.tile(whole, (len(chosen), 1))
            for row, (kinds, number) in zip(block, chosen, strict=True):
                row[kinds] -= number
            yield block

    return weights(), counts


def _accelerations(
    scores: FloatArray, bars: FloatArray | None, counts: list[IntArray]
) -> tuple[FloatArray, FloatArray]:
    """Return the acceleration of each model's score and of its distance, from leaving out units."""
    ends = np.cumsum([len(own) for own in counts])[:-1]
    distances = scores if bars is None else scores - bars
    first, second = (
        np.array([acceleration(zip(np.split(row, ends), counts, strict=True)) for row in rows])
        for rows in (scores, distances)
    )
    return first, second


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
