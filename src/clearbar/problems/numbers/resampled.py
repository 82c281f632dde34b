"""How sure a score is: two bootstraps from the same resamples, of the score and of its distance to the bar.

The interval is that of the score. The p-value is that of score − bar, the bar looked for anew in each
resample, since both are found on the same targets. Samples, or whole groups of them, are drawn anew together
with their predictions (bias-corrected and accelerated, Efron 1987). Where predictions may see a column, its
constants stay those of the bar: looked for anew they would follow each resample the closer the fewer samples
a group has, and to first order they make no difference.

Of many samples each resample has the size of all, but is drawn from a random part of them: the bag of little
bootstraps (Kleiner, Talwalkar, Sarkar and Jordan, J. R. Statist. Soc. B 76, 2014), by Poisson weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.problems._protocol import Tail
from clearbar.problems._tested import NotTested, Test
from clearbar.problems.bootstrap import CELLS, SHARES, Bootstrap, acceleration, number_of_draws
from clearbar.problems.groups import Groups
from clearbar.problems.numbers._measure import NumberMeasure
from clearbar.problems.numbers._pairs import Pairs
from clearbar.problems.numbers.bars import optimum

MOST_LEFT_OUT = 500
"""Parts of the samples that are left out in turn; of more samples a part is several, drawn at random."""

FEWEST = 5
"""Samples below which resamples say too little."""

MOST_WHOLE = 20_000
"""Samples of which all are resampled together."""

PART, PARTS = 5_000, 20
"""Of more samples, the size of a random part, and how many parts there are."""

FROM_PARTS = 1_999
"""Resamples of all parts together."""

UNSEEN = "p_value supposes larger errors that were not seen, which is approximate"

NO_LARGEST = "resamples have no larger error than the largest that was seen"


@dataclass(frozen=True, eq=False)
class ScoreAndDistance:
    """Resamples of a score and of score − bar, in units of the way from the bar to perfect predictions.

    Both are set off from the bar that was found, so that no units of the targets matter.
    """

    score: Bootstrap
    distance: Bootstrap
    bar: float
    way: float
    note: str

    def tail(self, bar: float) -> Tail:
        """Return how surprising the distance is if the true one is 0."""
        if self.distance.unknown:
            return Tail(math.nan, math.nan, f"p_value is not known: {self.distance.unknown}")
        off = (bar - self.bar) / self.way
        p_value, note = self.distance.p_value(off), self.note
        if self.score.alike:  # then the bar alone varies, and failures that were not seen are hypothetical
            p_value, note = max(p_value, self.score.p_value(off)), UNSEEN
        return Tail(p_value, p_value, note, self.score.method, self.score.draws)

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the scores that are not refuted."""
        least, most = ((bound - self.bar) / self.way for bound in bounds)
        low, high = (self.bar + self.way * end for end in self.score.interval(level, (least, most)))
        return low, high


class _Drawn(NamedTuple):
    """Scores of the models and the bar in each resample, and how skewed scores and distances are."""

    scores: FloatArray
    bars: FloatArray
    skewed: FloatArray
    skewed_distances: FloatArray


def tests_of(
    measures: Sequence[NumberMeasure],
    pairs: Pairs,
    seed: int,
    finest: float = 1.0,  # noqa: PT028 - this is no test
) -> list[list[Test]]:
    """Return for each model what is known of its score by each measure.

    `finest` is the least p-value that must be told from larger ones.
    """
    why = pairs.together.too_few if pairs.together is not None else ""
    if pairs.together is None and len(pairs.y) < FEWEST:
        why = f"it takes at least {FEWEST} samples, and there are {len(pairs.y)}"
    columns = [_Column.of(measure, pairs) for measure in measures if measure.resampled and not why]
    not_tested = NotTested(f"p_value is not known: {why or NO_LARGEST}")
    rows: list[dict[NumberMeasure, Test]] = [{} for _ in pairs.predicted]
    if columns:
        groups = pairs.together or Groups(np.arange(len(pairs.y)))
        units = "samples" if pairs.together is None else f"{len(groups):,} groups"
        note = f"p_value is from bootstrap resamples of {units}, which is approximate"
        for column, drawn in zip(columns, _drawn(columns, groups, seed, finest), strict=True):
            for model, row in enumerate(rows):
                row[column.measure] = column.test(model, drawn, len(groups), note)
    return [[row.get(measure, not_tested) for measure in measures] for row in rows]


def _drawn(columns: Sequence[_Column], groups: Groups, seed: int, finest: float) -> list[_Drawn]:
    """Resample samples, or whole groups, once for all columns and models."""
    generator = np.random.default_rng(seed)
    samples, number = len(groups.codes), len(groups)
    share = PART / samples
    if samples <= MOST_WHOLE or share * number < MOST_LEFT_OUT:
        weights = groups.weights(generator, samples=samples, finest=finest)
        drawn = _evaluated(columns, groups, weights)
        left_out = _evaluated(columns, groups, _without_parts(groups, generator, MOST_LEFT_OUT))
        return [_Drawn(*values, *_skewed(*left)) for values, left in zip(drawn, left_out, strict=True)]
    by_part = []
    number_drawn = number_of_draws(PART, most=FROM_PARTS, finest=finest)
    for resamples in np.diff(np.linspace(0, number_drawn, PARTS + 1).astype(int)).tolist():
        chosen = np.zeros(number, dtype=bool)
        chosen[generator.choice(number, round(share * number), replace=False, shuffle=False)] = True
        by_part.append(_of_part(columns, groups, chosen, resamples, generator))
    return [_together(parts) for parts in zip(*by_part, strict=True)]


def _of_part(
    columns: Sequence[_Column],
    groups: Groups,
    chosen: BoolArray,
    resamples: int,
    generator: np.random.Generator,
) -> list[_Drawn]:
    """Draw as many units as there are from those chosen; what the part itself is off is taken away."""
    rows = np.flatnonzero(chosen[groups.codes])
    own = Groups(np.unique(groups.codes[rows], return_inverse=True)[1])
    parts = [column.part(rows) for column in columns]
    times = len(groups) / len(own)
    portion = max(1, CELLS // len(rows))
    weights = (
        generator.poisson(times, size=(min(portion, resamples - first), len(own)))
        for first in range(0, resamples, portion)
    )
    drawn = _evaluated(parts, own, weights)
    as_it_is = _evaluated(parts, own, iter([np.ones((1, len(own)), dtype=np.int64)]))
    left_out = _evaluated(parts, own, _without_parts(own, generator, MOST_LEFT_OUT // (PARTS // 2)))
    found = []
    for column, values, base, left in zip(columns, drawn, as_it_is, left_out, strict=True):
        observed = column.values(np.ones((1, len(column.y))))
        scores, bars = (v - b + o for v, b, o in zip(values, base, observed, strict=True))
        # A sixth of the skewness of a sum falls with the root of the number of its terms.
        found.append(_Drawn(scores, bars, *(skewed / math.sqrt(times) for skewed in _skewed(*left))))
    return found


def _together(parts: Sequence[_Drawn]) -> _Drawn:
    """Return the resamples of all parts, and the mean of how skewed they are."""
    scores, bars, skewed, skewed_distances = zip(*parts, strict=True)
    return _Drawn(
        np.concatenate(scores, axis=1),
        np.concatenate(bars, axis=1),
        np.mean(skewed, axis=0),
        np.mean(skewed_distances, axis=0),
    )


def _evaluated(
    columns: Sequence[_Column], groups: Groups, parts: Iterator[IntArray]
) -> list[tuple[FloatArray, FloatArray]]:
    """Return scores and bars under weights of groups, of shape (models or 1, resamples), for each column."""
    per_column: list[list[tuple[FloatArray, FloatArray]]] = [[] for _ in columns]
    for part in parts:
        # Not part[:, codes], whose rows lie across memory and are several times slower to add up.
        weights = part.astype(np.float64).take(groups.codes, axis=1)
        for column, values in zip(columns, per_column, strict=True):
            values.append(column.values(weights))
    return [
        (np.concatenate(scores, axis=1), np.concatenate(bars, axis=1))
        for scores, bars in (zip(*values, strict=True) for values in per_column)
    ]


def _skewed(scores: FloatArray, bars: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the acceleration of each model's score and of its distance, from leaving out parts."""
    once = np.ones(scores.shape[1], dtype=np.int64)
    both = (np.array([acceleration([(row, once)]) for row in rows]) for rows in (scores, scores - bars))
    skewed, of_distances = both
    return skewed, of_distances


@dataclass(frozen=True, eq=False)
class _Column:
    """One measure of all models, in units of the way from the bar to perfect predictions, from the bar."""

    measure: NumberMeasure
    y: FloatArray
    predicted: FloatArray
    bar: float
    way: float
    held: FloatArray | None
    """The best constant of each sample's group, where predictions may see a column."""

    @classmethod
    def of(cls, measure: NumberMeasure, pairs: Pairs) -> _Column:
        """Find the bar of these pairs."""
        best = optimum(measure, pairs)
        room = abs((1.0 if measure.greater_is_better else 0.0) - best.value)
        held = pairs.by_group(np.array(best.constants)) if len(pairs.starts) > 1 else None
        return cls(measure, pairs.y, pairs.predicted, best.value, room if room > 0 else 1.0, held)

    def part(self, rows: IntArray) -> _Column:
        """Return the same of some samples, on the same scale."""
        held = None if self.held is None else self.held[rows]
        return replace(self, y=self.y[rows], predicted=self.predicted[:, rows], held=held)

    def _off(self, values: FloatArray) -> FloatArray:
        return (values - self.bar) / self.way

    def _bars(self, y: FloatArray, held: FloatArray | None, weights: FloatArray) -> FloatArray:
        return self.measure.best(y, weights) if held is None else self.measure(y, held, weights)

    def values(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return scores, of shape (models, resamples), and bars, (1, resamples)."""
        bars = self._bars(self.y, self.held, weights)
        scores = np.array([self.measure(self.y, f, weights) for f in self.predicted])
        return self._off(scores), self._off(bars)[None]

    def test(self, model: int, drawn: _Drawn, units: int, note: str) -> ScoreAndDistance:
        """Return what resamples say of one model."""
        observed = float(self._off(self.measure(self.y, self.predicted[model])))
        scores = drawn.scores[model]
        hypothetical = partial(self._hypothetical, model, distances=False)
        score = Bootstrap(observed, scores, float(drawn.skewed[model]), units, hypothetical)
        distance = score
        if self.held is not None or self.measure.flat is None:
            skewed = float(drawn.skewed_distances[model])
            hypothetical = partial(self._hypothetical, model, distances=True)
            distance = Bootstrap(observed, scores - drawn.bars[0], skewed, units, hypothetical)
        return ScoreAndDistance(score, distance, self.bar, self.way, note)

    def _hypothetical(self, model: int, *, distances: bool) -> tuple[FloatArray, FloatArray]:
        """Return scores, or distances, if shares of samples were as wrong as can be, or right."""
        if len(self.y) > MOST_WHOLE:  # evenly over the sorted targets, which keeps both of their ends
            some = np.linspace(0, len(self.y) - 1, MOST_WHOLE).round().astype(np.int64)
            return self.part(some)._hypothetical(model, distances=distances)  # noqa: SLF001 - its own
        y, f = self.y, self.predicted[model]
        low, high = float(y.min()), float(y.max())
        wrong = np.where(y - low > high - y, low, high)
        order = np.argsort(np.concatenate([y, y]), kind="stable")
        held = None if self.held is None else np.concatenate([self.held, self.held])[order]
        share = np.repeat(np.stack([1 - SHARES, SHARES], axis=1), len(y), axis=1)[:, order]
        doubled = np.concatenate([y, y])[order]
        ends = []
        for other in (wrong, y):
            both = np.concatenate([f, other])[order]
            bars: Any = self._off(self._bars(doubled, held, share)) if distances else 0.0
            ends.append(self._off(self.measure(doubled, both, share)) - bars)
        worse, better = ends
        return (worse, better) if self.measure.greater_is_better else (better, worse)


def _without_parts(groups: Groups, generator: np.random.Generator, most: int) -> Iterator[IntArray]:
    """Yield weights of groups that leave out one of them after the other, or some of many."""
    number = len(groups)
    parts = Groups(np.arange(number))
    if number > most:
        parts = Groups(generator.permutation(np.arange(number) % most))
    return (weights[:, parts.codes] for weights in parts.all_but_one(samples=len(groups.codes)))
