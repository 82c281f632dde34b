"""How sure a score is: one bootstrap of score − bar, the bar looked for anew in each resample.

Samples, or whole groups of them, are drawn anew together with their predictions (bias-corrected and
accelerated, Efron 1987). Where predictions may see a column, its constants stay those of the bar: looked for
anew they would follow each resample the closer the fewer samples a group has, and to first order they make no
difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.problems._protocol import Method
from clearbar.problems._tested import NotTested, Resampled, Test
from clearbar.problems.bootstrap import SHARES, Bootstrap, acceleration
from clearbar.problems.groups import Groups
from clearbar.problems.numbers._measure import NumberMeasure
from clearbar.problems.numbers._pairs import Pairs
from clearbar.problems.numbers.bars import optimum

MOST_LEFT_OUT = 500
"""Parts of the samples that are left out in turn; of more samples a part is several, drawn at random."""

FEWEST = 5
"""Samples below which resamples say too little."""


NO_LARGEST = "resamples have no larger error than the largest that was seen"


@dataclass(frozen=True, eq=False)
class Distance:
    """Resamples of score − bar as a share of the way from the bar to perfect predictions."""

    drawn: Bootstrap
    bar: float
    way: float

    @property
    def unknown(self) -> str:
        """Why nothing is known; empty if something is."""
        return self.drawn.unknown

    @property
    def method(self) -> Method:
        """That of the resamples."""
        return self.drawn.method

    @property
    def draws(self) -> int:
        """How many resamples there are."""
        return self.drawn.draws

    def p_value(self, bar: float) -> float:
        """Return how surprising the score is if the true one is a bar."""
        return self.drawn.p_value((bar - self.bar) / self.way)

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the scores that are not refuted, the bar being where it is."""
        least, most = ((bound - self.bar) / self.way for bound in bounds)
        low, high = (self.bar + self.way * end for end in self.drawn.interval(level, (least, most)))
        return low, high


def distances(measures: Sequence[NumberMeasure], pairs: Pairs, seed: int) -> list[list[Test]]:
    """Return for each model what is known of its distance by each measure."""
    why = pairs.together.too_few if pairs.together is not None else ""
    if pairs.together is None and len(pairs.y) < FEWEST:
        why = f"it takes at least {FEWEST} samples, and there are {len(pairs.y)}"
    columns = [_Column(measure, pairs) for measure in measures if measure.resampled and not why]
    not_tested = NotTested(f"p_value is not known: {why or NO_LARGEST}")
    rows: list[dict[NumberMeasure, Test]] = [{} for _ in pairs.predicted]
    if columns:
        groups, generator = pairs.together or Groups(np.arange(len(pairs.y))), np.random.default_rng(seed)
        units = "samples" if pairs.together is None else f"{len(groups):,} groups"
        note = f"p_value is from bootstrap resamples of {units}, which is approximate"
        drawn = _evaluated(columns, groups, groups.weights(generator, samples=len(pairs.y)))
        left_out = _evaluated(columns, groups, _without_parts(groups, generator))
        for column, values, without in zip(columns, drawn, left_out, strict=True):
            for model, row in enumerate(rows):
                bootstrap = Bootstrap(
                    column.observed(model),
                    values[model],
                    acceleration([(without[model], np.ones(without.shape[1], dtype=np.int64))]),
                    len(groups),
                    partial(column.supposed, model),
                )
                row[column.measure] = Resampled(Distance(bootstrap, column.bar, column.way), note)
    return [[row.get(measure, not_tested) for measure in measures] for row in rows]


def _evaluated(columns: Sequence[_Column], groups: Groups, parts: Iterator[IntArray]) -> list[FloatArray]:
    """Return distances under weights of groups, of shape (models, resamples), for each column."""
    per_column: list[list[FloatArray]] = [[] for _ in columns]
    for part in parts:
        weights = part[:, groups.codes].astype(np.float64)
        for column, values in zip(columns, per_column, strict=True):
            values.append(column.distances(weights))
    return [np.concatenate(values, axis=1) for values in per_column]


class _Column:
    """One measure of all models."""

    def __init__(self, measure: NumberMeasure, pairs: Pairs) -> None:
        self.measure, self.pairs = measure, pairs
        best = optimum(measure, pairs)
        self.bar = best.value
        room = abs((1.0 if measure.greater_is_better else 0.0) - self.bar)
        self.way = room if room > 0 else 1.0
        self.held = pairs.by_group(np.array(best.constants)) if len(pairs.starts) > 1 else None

    def _bars(self, y: FloatArray, held: FloatArray | None, weights: FloatArray) -> FloatArray:
        return self.measure.best(y, weights) if held is None else self.measure(y, held, weights)

    def distances(self, weights: FloatArray) -> FloatArray:
        bars = self._bars(self.pairs.y, self.held, weights)
        scores = np.array([self.measure(self.pairs.y, f, weights) for f in self.pairs.predicted])
        return (scores - bars) / self.way

    def observed(self, model: int) -> float:
        return (float(self.measure(self.pairs.y, self.pairs.predicted[model])) - self.bar) / self.way

    def supposed(self, model: int) -> tuple[FloatArray, FloatArray]:
        """Return the distances if shares of samples were as wrong as can be, and if they were right."""
        y, f = self.pairs.y, self.pairs.predicted[model]
        low, high = float(y.min()), float(y.max())
        wrong = np.where(y - low > high - y, low, high)
        order = np.argsort(np.concatenate([y, y]), kind="stable")
        held = None if self.held is None else np.concatenate([self.held, self.held])[order]
        share = np.repeat(np.stack([1 - SHARES, SHARES], axis=1), len(y), axis=1)[:, order]
        whole = np.concatenate([y, y])[order]
        ends = []
        for other in (wrong, y):
            both = np.concatenate([f, other])[order]
            ends.append((self.measure(whole, both, share) - self._bars(whole, held, share)) / self.way)
        worse, better = ends
        return (worse, better) if self.measure.greater_is_better else (better, worse)


def _without_parts(groups: Groups, generator: np.random.Generator) -> Iterator[IntArray]:
    """Yield weights of groups that leave out one of them after the other, or some of many."""
    number = len(groups)
    parts = Groups(np.arange(number))
    if number > MOST_LEFT_OUT:
        parts = Groups(generator.permutation(np.arange(number) % MOST_LEFT_OUT))
    return (weights[:, parts.codes] for weights in parts.all_but_one(samples=number))
