"""Sets of labels beside the true ones: what measures add up over samples, and what is drawn.

Labels are resampled with the samples, and with them the bar: how far a score is ahead of the answer that
attains the bar, on the same samples, gives both p-value and interval.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.label_sets import LabelSets
from clearbar.inference.exchange import right_alone
from clearbar.inference.units import SHARES, Groups, Units, gradient, slopes_of_sums
from clearbar.problems.multilabel.measures import LabelMeasure, Sums

MOST_SUMS = 24
"""Sums up to which a score's slopes are found in each resample."""


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

    @cached_property
    def right(self) -> BoolArray:
        """Which samples have all labels right, and no other."""
        hits = self.hits.sizes
        return np.asarray((self.truth.sizes == hits) & (self.called.sizes == hits))

    def terms(self, measure: LabelMeasure, empty: float) -> Sums:
        """Return what each sample adds."""
        return terms_of(measure, self.truth.sizes, self.called.sizes, self.hits.sizes, empty, self.truth)

    def sums(self, measure: LabelMeasure, empty: float, weights: FloatArray | None = None) -> Sums:
        """Return what a measure reads; with weights of shape (rows, samples) if samples count so often."""
        if measure.terms is not None:
            weights = np.ones(len(self.truth)) if weights is None else weights
            return tuple(weights @ term for term in self.terms(measure, empty))
        if weights is None:
            return self.by_label
        return tuple(side.weighted(weights) for side in (self.truth, self.called, self.hits))

    def score(self, measure: LabelMeasure, empty: float) -> float:
        return float(measure(self.sums(measure, empty), empty))


def terms_of(
    measure: LabelMeasure, true: Any, called: Any, both: Any, empty: float, truth: LabelSets
) -> tuple[FloatArray, ...]:
    """Return what samples add to a measure that does not look at each label, as floats."""
    sizes = [np.asarray(side, dtype=np.float64) for side in (true, called, both)]
    terms: Any = measure.terms
    return tuple(np.asarray(term, dtype=np.float64) for term in terms(*sizes, empty, len(truth.labels)))


class SetUnits(Units):
    """Samples, or whole clusters of them, with the sets of labels that some models call.

    `constant` returns the labels of the constant answer that attains the bar of a measure, or comes next to
    it.
    """

    interval_of_distance = True
    enough = 50
    label_noun = "rows of labels"

    def __init__(
        self,
        compared: Sequence[Compared],
        constant: Callable[[LabelMeasure], BoolArray],
        empty: float,
        clusters: IntArray | None,
        *,
        seed: int,
        finest: float,
        joint: bool,
    ) -> None:
        self.compared, self.constant, self.empty = compared, constant, empty
        self.truth, self.models = compared[0].truth, len(compared)
        self.samples, self.seed, self.finest = len(self.truth), seed, finest
        self.fewest = 1 if joint else self.fewest
        kinds = np.array([self.truth.kind, *(one.called.kind for one in compared)])
        self.clusters = None if clusters is None else Groups.of(clusters, *kinds)
        self.kinds = kinds

    @property
    def held(self) -> FloatArray:
        """The sets of each sample; clusters are numbered by them already."""
        return self.kinds if self.clusters is None else super().held

    @property
    def labels(self) -> IntArray:
        return self.truth.kind

    def resample_cost(self, measures: Sequence[LabelMeasure]) -> int:
        pairs = len(self.truth.columns) + max(len(one.called.columns) for one in self.compared)
        return max(self.samples, pairs if any(m.terms is None for m in measures) else 0)

    def order_cost(self, measures: Sequence[LabelMeasure]) -> int:  # noqa: ARG002 - the same for all
        return max(self.samples, len(self.truth.columns))

    def score(self, measures: Sequence[LabelMeasure], weights: FloatArray) -> FloatArray:
        per_sample = self.per_sample(weights)
        values = np.empty((len(measures), self.models, len(weights)))
        for model, compared in enumerate(self.compared):
            sums: dict[Any, Sums] = {}  # measures that look at each label read the same
            for place, measure in enumerate(measures):
                if measure.terms is None and compared.right.all():  # perfect, also where a label is not drawn
                    values[place, model] = compared.score(measure, self.empty)
                    continue
                if measure.terms not in sums:
                    sums[measure.terms] = compared.sums(measure, self.empty, per_sample)
                values[place, model] = measure(sums[measure.terms], self.empty)
        return values

    def bar(self, measure: LabelMeasure, weights: FloatArray) -> FloatArray:
        """Return the score of the constant answer that attains the bar."""
        per_sample, called = self.per_sample(weights), self.constant(measure)
        if measure.terms is None:
            counts = self.truth.weighted(per_sample)
            total = per_sample.sum(axis=1)[:, None]
            return measure((counts, total * called, counts * called), self.empty)
        number, both = np.full(self.samples, int(called.sum())), self.truth.within(called)
        terms = terms_of(measure, self.truth.sizes, number, both, self.empty, self.truth)
        return measure(tuple(per_sample @ term for term in terms), self.empty)

    def failing(self, measure: LabelMeasure, model: int) -> tuple[FloatArray, FloatArray]:
        """Return the scores if shares of all samples had every label wrong, and if they had all right."""
        truth, own = self.truth, self.compared[model].sums(measure, self.empty)
        if measure.terms is None:
            true, most, share = own[0], len(truth), SHARES[:, None]
        else:
            true, most, share = truth.sizes, len(truth.labels), SHARES
        values = []
        for called, both in ((most - true, np.zeros_like(true)), (true, true)):  # all wrong, all right
            sums: Sums = (true, called, both)
            if measure.terms is not None:
                terms = terms_of(measure, true, called, both, self.empty, truth)
                sums = tuple(term.sum() for term in terms)
            mixed = ((1 - share) * a + share * b for a, b in zip(own, sums, strict=True))
            values.append(measure(tuple(mixed), self.empty))
        wrong, right = values
        return (wrong, right) if measure.greater_is_better else (right, wrong)

    def shuffled(self, measures: Sequence[LabelMeasure], orders: IntArray) -> FloatArray:
        true = self.truth.sizes[orders]
        values = np.empty((len(measures), self.models, len(orders)))
        for model, compared in enumerate(self.compared):
            called = compared.called
            hit = self.truth.has(orders[:, called.rows], called.columns)
            both = called.per_sample(hit)
            by_label: Sums = ()
            for place, measure in enumerate(measures):
                if measure.terms is not None:
                    sizes = np.broadcast_to(called.sizes, both.shape)
                    terms = terms_of(measure, true, sizes, both, self.empty, self.truth)
                    sums = tuple(np.broadcast_to(term, both.shape).sum(axis=1) for term in terms)
                else:
                    sums = by_label = by_label or (*compared.by_label[:2], called.per_label(hit))
                values[place, model] = measure(sums, self.empty)
        return values

    def agreement(self, measure: LabelMeasure, model: int) -> FloatArray:  # noqa: ARG002
        """Return what each sample adds to the covariances of true and called labels, all labels together."""
        truth, called = self.truth, self.compared[model].called
        of_truth, of_called = (side.counts / len(side) for side in (truth, called))
        expected = truth.per_sample(of_called[truth.columns]) + called.per_sample(of_truth[called.columns])
        return np.asarray(self.compared[model].hits.sizes - expected + of_truth @ of_called)

    # -- two models -------------------------------------------------------------------------------------
    def linear(self, measure: LabelMeasure) -> bool:
        return measure.counts_right and self.clusters is None

    def pair_cost(self, measure: LabelMeasure) -> float:
        return 10.0 + 3.0 * len(self.truth.labels) * (measure.terms is None)

    def slopes(self, measure: LabelMeasure, weights: FloatArray) -> FloatArray:
        if measure.terms is None:
            if 3 * len(self.truth.labels) > MOST_SUMS:  # those of the sample for all resamples
                weights = np.ones((1, weights.shape[1]))
            return np.array([self._slopes_by_label(measure, one, weights) for one in self.compared])
        found = []
        for one in self.compared:
            terms = np.stack([self.added_up(term) for term in one.terms(measure, self.empty)], axis=1)
            if self.linear(measure):
                found.append(terms[:, 0][None] / self.samples)
            else:
                found.append(
                    slopes_of_sums(lambda sums: measure(tuple(sums.T), self.empty), weights @ terms, terms)
                )
        return np.array(found)

    def _slopes_by_label(self, measure: LabelMeasure, one: Compared, weights: FloatArray) -> FloatArray:
        sums = np.concatenate(one.sums(measure, self.empty, self.per_sample(weights)), axis=1)
        rises = gradient(lambda rows: measure(tuple(np.split(rows, 3, axis=1)), self.empty), sums)
        sides = zip((one.truth, one.called, one.hits), np.split(rises, 3, axis=1), strict=True)
        added = sum(side.per_sample(own[:, side.columns]) for side, own in sides)
        return self.added_up(np.asarray(added))

    def mixed(self, measure: LabelMeasure, first: FloatArray, second: FloatArray) -> FloatArray:
        parts = (
            one.sums(measure, self.empty, self.per_sample(weights))
            for one, weights in zip(self.compared, (first, second), strict=True)
        )
        return measure(tuple(a + b for a, b in zip(*parts, strict=True)), self.empty)

    def differ(self) -> BoolArray:
        a, b = (one.called for one in self.compared)
        both = a.both(b).sizes
        unlike = np.asarray((a.sizes != both) | (b.sizes != both), dtype=np.float64)
        return np.asarray(self.added_up(unlike) > 0)

    def only_one_right(self) -> tuple[int, int] | None:
        first, second = self.compared
        return right_alone(first.right, second.right) if self.clusters is None else None

    def counts_right(self, measure: LabelMeasure) -> bool:
        return measure.counts_right
