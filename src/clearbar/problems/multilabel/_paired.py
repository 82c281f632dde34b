"""Two models' sets of labels on the same samples: the difference of their scores, over samples or groups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.inference.bootstrap_t import MOST_SUMS, Line, OfSums, Score, Units, gradient
from clearbar.problems.exchanged import Exchanged, mcnemar
from clearbar.problems.multilabel._compared import Compared
from clearbar.problems.multilabel._resampled import supposed
from clearbar.problems.multilabel.measures import LabelMeasure
from clearbar.problems.paired import PairedUnits, right_alone


@dataclass(frozen=True, eq=False)
class ByLabel:
    """The score of a measure that looks at each label; `units` says which unit each sample is part of."""

    measure: LabelMeasure
    compared: Compared
    empty: float
    units: IntArray

    @property
    def cost(self) -> float:
        """A few steps for each label."""
        return 10.0 + 3.0 * len(self.compared.truth.labels)

    def at(self, weights: FloatArray) -> FloatArray:
        """Return the score under each row of weights."""
        return self.measure(self.compared.weighted_labels(weights[:, self.units]), self.empty)

    def slopes(self, weights: FloatArray) -> FloatArray:
        """Return its slopes at the sums of each row; of many labels those of the sample for all."""
        if 3 * len(self.compared.truth.labels) > MOST_SUMS:
            return self._own
        return self._slopes(np.concatenate(self.compared.weighted_labels(weights[:, self.units]), axis=1))

    @cached_property
    def _own(self) -> FloatArray:
        return self._slopes(np.concatenate(self.compared.by_label)[None])

    def _slopes(self, sums: FloatArray) -> FloatArray:
        """Return what each unit's labels add, at sums of shape (rows, 3 labels)."""
        rises = gradient(lambda rows: self.measure(tuple(np.split(rows, 3, axis=1)), self.empty), sums)
        sides = self.compared.truth, self.compared.called, self.compared.hits
        added = sum(
            side.per_sample(own[:, side.columns])
            for side, own in zip(sides, np.split(rises, 3, axis=1), strict=True)
        )
        number = int(self.units.max()) + 1
        if number == len(self.units):
            return np.asarray(added[:, np.argsort(self.units)])
        return np.stack([np.bincount(self.units, row, number) for row in added])


def units_of(measure: LabelMeasure, models: list[Compared], empty: float, clusters: IntArray | None) -> Units:
    """Return the samples, or whole groups of them, with the scores of models."""
    units = np.arange(len(models[0].truth)) if clusters is None else clusters
    scores = [_score(measure, model, empty, units) for model in models]
    return Units.single(scores, np.zeros(int(units.max()) + 1, dtype=np.int64))


def _score(measure: LabelMeasure, model: Compared, empty: float, units: IntArray) -> Score:
    if measure.terms is None:
        return ByLabel(measure, model, empty, units)
    terms = [np.bincount(units, term) for term in model.terms(measure, empty)]
    if measure.counts_right and len(terms[0]) == len(units):
        return Line(terms[0] / len(units))
    return OfSums(np.stack(terms, axis=1), lambda sums: measure(tuple(sums.T), empty))


def paired_sets(
    measure: LabelMeasure, a: Compared, b: Compared, empty: float, clusters: IntArray | None, seed: int
) -> PairedUnits:
    """Return two models' sets of labels: sample by sample, or in whole groups of samples."""
    units = np.arange(len(a.truth)) if clusters is None else clusters
    number = int(units.max()) + 1
    alone = right_alone(a.right, b.right)
    terms = None if measure.terms is None else (a.terms(measure, empty), b.terms(measure, empty))

    def scores_of(first: FloatArray, second: FloatArray) -> FloatArray:
        weights = first[:, units], second[:, units]
        if terms is None:
            sides = [model.weighted_labels(own) for model, own in zip((a, b), weights, strict=True)]
        else:
            sides = [tuple(own @ term for term in side) for side, own in zip(terms, weights, strict=True)]
        return measure(tuple(sum(parts) for parts in zip(*sides, strict=True)), empty)

    def worse() -> tuple[FloatArray, FloatArray]:
        at = 0 if measure.greater_is_better else 1
        return supposed(measure, a, empty)[at], supposed(measure, b, empty)[at]

    exact = measure.counts_right and clusters is None
    exchanged = Exchanged(
        np.ones(number, dtype=np.int64),
        np.zeros(number, dtype=np.int64),
        np.bincount(units, _differ(a, b), number) > 0,
        scores_of,
        law=partial(mcnemar, *alone) if exact else None,
        samples=0 if clusters is None else len(a.truth),
        seed=seed,
    )
    drawn = units_of(measure, [a, b], empty, clusters)
    known = alone if clusters is None else None
    return PairedUnits(drawn, exchanged, worse, measure.bounds, seed, alone=known)


def _differ(a: Compared, b: Compared) -> FloatArray:
    """Return on which samples the two answers are not the same, as 0 and 1."""
    both = a.called.both(b.called).sizes
    return np.asarray((a.called.sizes != both) | (b.called.sizes != both), dtype=np.float64)
