"""One model's sets of labels beside the true ones: what measures add up, over samples."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Counts, counts_of
from clearbar.core.label_sets import LabelSets
from clearbar.problems.multilabel.measures import LabelMeasure, Sums


@dataclass(frozen=True, eq=False)
class Compared:
    """The true sets of labels of some samples, and those that a model calls."""

    truth: LabelSets
    called: LabelSets

    @cached_property
    def hits(self) -> LabelSets:
        """The labels that are both there and called."""
        return self.truth.both(self.called)

    @cached_property
    def by_label(self) -> Sums:
        """How many samples have each label, are called it, and both."""
        return tuple(side.counts.astype(np.float64) for side in (self.truth, self.called, self.hits))

    @property
    def counts(self) -> Counts:
        """The four cells of each label."""
        true, called, both = (side.counts for side in (self.truth, self.called, self.hits))
        return counts_of((both, called - both, true - both, len(self.truth) - true - called + both))

    @property
    def right(self) -> BoolArray:
        """Which samples have all labels right, and no other."""
        hits = self.hits.sizes
        return np.asarray((self.truth.sizes == hits) & (self.called.sizes == hits))

    def terms(self, measure: LabelMeasure, empty: float) -> Sums:
        """Return what each sample adds."""
        return terms_of(measure, self.truth.sizes, self.called.sizes, self.hits.sizes, empty, self.truth)

    def sums(self, measure: LabelMeasure, empty: float) -> Sums:
        """Return what a measure reads."""
        if measure.terms is None:
            return self.by_label
        return tuple(term.sum() for term in self.terms(measure, empty))

    def score(self, measure: LabelMeasure, empty: float) -> float:
        """Return the value of a measure."""
        return float(measure(self.sums(measure, empty), empty))

    def weighted_labels(self, weights: FloatArray | IntArray) -> Sums:
        """Return `by_label` if samples count so often; weights of shape (..., samples)."""
        return tuple(side.weighted(weights) for side in (self.truth, self.called, self.hits))


def terms_of(
    measure: LabelMeasure, true: Any, called: Any, both: Any, empty: float, truth: LabelSets
) -> tuple[FloatArray, ...]:
    """Return what samples add to a measure that does not look at each label, as floats."""
    sizes = [np.asarray(side, dtype=np.float64) for side in (true, called, both)]
    terms: Any = measure.terms
    return tuple(np.asarray(term, dtype=np.float64) for term in terms(*sizes, empty, len(truth.labels)))


def constant_terms(
    measure: LabelMeasure, truth: LabelSets, chosen: BoolArray, empty: float
) -> tuple[FloatArray, ...]:
    """Return what samples add if the same labels are called for all."""
    called = np.full(len(truth), int(chosen.sum()))
    return terms_of(measure, truth.sizes, called, truth.within(chosen), empty, truth)


def perfect(measure: LabelMeasure, truth: LabelSets, empty: float) -> float:
    """Return the score of perfect predictions."""
    if measure.terms is None:
        counts = truth.counts.astype(np.float64)
        return float(measure((counts, counts, counts), empty))
    terms = terms_of(measure, truth.sizes, truth.sizes, truth.sizes, empty, truth)
    return float(measure(tuple(term.sum() for term in terms), empty))
