"""Resamples of the units of any kind: scores and bars under weights, and how skewed they are.

Two bootstraps come from the same resamples: the interval is that of the score; the p-value is that of score −
bar, the bar found anew in each resample, since both are found on the same labels.

Of very many units each resample has the size of all, but is drawn from a random part of them: the bag of
little bootstraps (Kleiner, Talwalkar, Sarkar and Jordan, J. R. Statist. Soc. B 76, 2014), by Poisson weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.reasons import Reason
from clearbar.inference.bootstrap import Bootstrap, NotTested, Resampled, Test
from clearbar.inference.units import CELLS, Units, number_of_draws, portions, resampled, strata_of

# Parts of the units that are left out in turn; of more units a part is several, drawn at random.
MOST_LEFT_OUT = 500
MOST_WHOLE = 20_000  # samples of which all are resampled together
PART, PARTS = 5_000, 20  # of more samples, the size of a random part, and how many parts there are
FROM_PARTS = 1_999  # resamples of all parts together


class Drawn(NamedTuple):
    """Scores of resamples, (models, resamples), the bars, and the acceleration of scores and distances."""

    scores: FloatArray
    bars: FloatArray | None
    skewed: FloatArray
    skewed_distances: FloatArray


def tests_of(units: Units, measures: Sequence[Any]) -> list[list[Test]]:
    """Return for each model what resamples tell of its score by each measure."""
    # Measures of equal cost share their resamples, so that no other one changes how many are drawn.
    whys = [units.not_resampled(measure) for measure in measures]
    left = [measure for measure, why in zip(measures, whys, strict=True) if why is None]
    of_measure: dict[Any, Drawn] = {}
    for cost in dict.fromkeys(units.resample_cost([measure]) for measure in left):
        alike = [measure for measure in left if units.resample_cost([measure]) == cost]
        of_measure |= dict(zip(alike, _drawn(units, alike), strict=True))
    note, columns = Reason.of("bootstrap", units=units.words), []
    for measure, why in zip(measures, whys, strict=True):
        if why is not None:
            columns.append([NotTested(Reason.of("p_value_unknown", why=why))] * units.models)
        else:
            columns.append(_tests_of_measure(units, measure, of_measure[measure], note))
    return [[column[model] for column in columns] for model in range(units.models)]


def _tests_of_measure(units: Units, measure: Any, drawn: Drawn, note: Reason) -> list[Any]:
    origin, length = units.scale(measure)
    all_units = units.multiplicity[None].astype(np.float64)
    observed = (_mean_over_runs(units.score([measure], all_units))[0, :, 0] - origin) / length
    bar = units.bar(measure, all_units)
    tests = []
    for model, score in enumerate(observed.tolist()):
        failing = tuple((scores_of_end - origin) / length for scores_of_end in units.failing(measure, model))
        facts: dict[str, Any] = {"units": len(units), "failing": failing}
        scores = drawn.scores[model]
        of_score = Bootstrap(score, scores, float(drawn.skewed[model]), **facts)
        distance = None
        if drawn.bars is not None and bar is not None:
            values = scores - drawn.bars + (float(bar[0]) - origin) / length
            distance = Bootstrap(score, values, float(drawn.skewed_distances[model]), **facts)
        test = Resampled(of_score, note, distance, origin, length)
        tests.append(units.refined(test, measure, model))
    return tests


def _drawn(units: Units, measures: Sequence[Any]) -> list[Drawn]:
    """Resample once for all measures and models."""
    generator, number = np.random.default_rng(units.seed), len(units)
    share = PART / units.samples
    if units.samples > MOST_WHOLE and share * number >= MOST_LEFT_OUT:
        first = units.part(np.arange(1))
        if first is not None:
            return _of_parts(units, measures, generator, round(share * number))
    strata = strata_of(units)
    sizes = portions(units.draw_cost, samples=units.resample_cost(measures), finest=units.finest)
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
        drawn_units = np.sort(generator.choice(number, size, replace=False, shuffle=False))
        subset: Any = units.part(drawn_units)
        by_part.append(_of_part(subset, observed, measures, number / size, resamples, generator))
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
    by_measure = []
    for resampled_part, base, without, all_units in zip(drawn, of_part, left_out, observed, strict=True):
        scores = resampled_part[0] - base[0] + all_units[0]
        bars = None if resampled_part[1] is None else resampled_part[1] - base[1] + all_units[1]  # type: ignore[operator]
        # A sixth of the skewness of a sum falls with the root of the number of its terms.
        skewed = (values / math.sqrt(times) for values in _accelerations(*without, strata))
        by_measure.append(Drawn(scores, bars, *skewed))
    return by_measure


# Scores, (models, resamples), and bars, (resamples,), of one measure.
Evaluated = tuple[FloatArray, "FloatArray | None"]


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
        for measure, measure_bars in zip(measures, bars, strict=True):
            bar = units.bar(measure, weights)
            if bar is not None:
                measure_bars.append(bar)
    together = np.concatenate(scores, axis=-1)
    return [
        (
            (measure_scores - origin) / length,
            (np.concatenate(measure_bars) - origin) / length if measure_bars else None,
        )
        for measure_scores, measure_bars, (origin, length) in zip(together, bars, scales, strict=True)
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
        all_units = units.multiplicity.astype(np.float64)
        rows = max(1, CELLS // units.resample_cost(()))
        for first in range(0, len(parts), rows):
            left_out = parts[first : first + rows]
            block = np.tile(all_units, (len(left_out), 1))
            for row, (kinds, number) in zip(block, left_out, strict=True):
                row[kinds] -= number
            yield block

    return weights(), counts


def _accelerations(
    scores: FloatArray, bars: FloatArray | None, counts: list[IntArray]
) -> tuple[FloatArray, FloatArray]:
    """Return the acceleration of each model's score and of its distance, from leaving out units."""
    ends = np.cumsum([len(part) for part in counts])[:-1]
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
