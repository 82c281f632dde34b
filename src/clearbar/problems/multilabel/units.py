"""Sets of labels beside the true ones: what measures add up over samples, and what is drawn.

Labels are resampled with the samples, and with them the bar: how far a score is ahead of the answer that
attains the bar, on the same samples, gives the p-value; the interval is that of the score alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.label_sets import LabelSets
from clearbar.inference.exchange import right_alone
from clearbar.inference.units import ENOUGH, SHARES, Groups, Units, gradient
from clearbar.problems.multilabel.measures import LabelMeasure

MOST_SUMS = 24  # up to which a score's slopes are found in each resample
MOST_DENSE = 2**22  # samples times labels, threefold, up to which a table of them is dense


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
    def by_label(self) -> FloatArray:
        """How many samples have each label, are called it, and both: (3, labels)."""
        return np.array([sets.counts for sets in (self.truth, self.called, self.hits)], dtype=np.float64)

    @cached_property
    def right(self) -> BoolArray:
        """Which samples have all labels right, and no other."""
        hits = self.hits.sizes
        return np.asarray((self.truth.sizes == hits) & (self.called.sizes == hits))

    def terms(self, measure: LabelMeasure, empty: float) -> Any:
        """Return what each sample adds to the sums that a measure reads: (samples, sums)."""
        if measure.terms is None:
            return self._labels
        sizes = self.truth.sizes, self.called.sizes, self.hits.sizes
        return terms_of(measure, *sizes, empty, len(self.truth.labels))

    @cached_property
    def _labels(self) -> Any:
        """Which labels each sample has, is called, and both; sparse where that would be large."""
        from scipy.sparse import hstack

        table = hstack([sets.matrix for sets in (self.truth, self.called, self.hits)], format="csr")
        small = math.prod(table.shape) <= MOST_DENSE
        return table.toarray().astype(np.float64) if small else table.astype(np.float64)

    def sums(self, measure: LabelMeasure, empty: float) -> FloatArray:
        """Return what a measure reads of all samples."""
        return self.by_label.ravel() if measure.terms is None else self.terms(measure, empty).sum(axis=0)

    def score(self, measure: LabelMeasure, empty: float) -> float:
        return float(measure.of_sums(self.sums(measure, empty), empty))


def terms_of(
    measure: LabelMeasure, true: Any, called: Any, both: Any, empty: float, labels: int
) -> FloatArray:
    """Return what samples add to a measure that does not look at each label, on a last axis."""
    sizes = np.broadcast_arrays(*(np.asarray(side, dtype=np.float64) for side in (true, called, both)))
    terms: Any = measure.terms
    return np.stack([np.asarray(term, np.float64) for term in terms(*sizes, empty, labels)], axis=-1)


class SetUnits(Units):
    """Samples, or whole clusters of them, with the sets of labels that some models call.

    `constant` returns the labels of the constant answer that attains the bar of a measure, or comes next to
    it.
    """

    enough = ENOUGH
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
        kinds = np.array([compared[0].truth.kind, *(of_model.called.kind for of_model in compared)])
        if clusters is None:  # then the order of the rows decides nothing
            order = np.lexsort(kinds[::-1])
            kinds, truth = kinds[:, order], compared[0].truth.take(order)
            compared = [Compared(truth, of_model.called.take(order)) for of_model in compared]
        else:
            self.clusters = Groups.of(clusters, *kinds)
        self.compared, self.constant, self.empty = compared, constant, empty
        self.truth, self.models, self.kinds = compared[0].truth, len(compared), kinds
        self.samples, self.seed, self.finest = len(self.truth), seed, finest
        self.fewest = 1 if joint else self.fewest

    @property
    def held(self) -> FloatArray:
        """The sets of each sample; clusters are numbered by them already."""
        return self.kinds if self.clusters is None else super().held

    @property
    def labels(self) -> IntArray:
        return self.truth.kind

    def resample_cost(self, measures: Sequence[LabelMeasure]) -> int:
        pairs = len(self.truth.columns) + max(len(of_model.called.columns) for of_model in self.compared)
        return max(self.samples, pairs if any(m.terms is None for m in measures) else 0)

    def order_cost(self, measures: Sequence[LabelMeasure]) -> int:
        return max(self.samples, len(self.truth.columns))

    def score(self, measures: Sequence[LabelMeasure], weights: FloatArray) -> FloatArray:
        per_sample = self.per_sample(weights)
        values = np.empty((len(measures), self.models, len(weights)))
        for model, compared in enumerate(self.compared):
            sums: dict[Any, FloatArray] = {}  # measures that look at each label read the same
            for place, measure in enumerate(measures):
                if measure.terms is None and compared.right.all():  # perfect, also where a label is not drawn
                    values[place, model] = compared.score(measure, self.empty)
                    continue
                if measure.terms not in sums:
                    sums[measure.terms] = per_sample @ compared.terms(measure, self.empty)
                values[place, model] = measure.of_sums(sums[measure.terms], self.empty)
        return values

    def bar(self, measure: LabelMeasure, weights: FloatArray) -> FloatArray:
        """Return the score of the constant answer that attains the bar."""
        per_sample, called = self.per_sample(weights), self.constant(measure)
        if measure.terms is None:
            counts = np.asarray(per_sample @ self.truth.matrix)
            total = per_sample.sum(axis=1)[:, None]
            return measure((counts, total * called, counts * called), self.empty)
        sizes = self.truth.sizes, int(called.sum()), self.truth.within(called)
        terms = terms_of(measure, *sizes, self.empty, len(called))
        return measure.of_sums(per_sample @ terms, self.empty)

    def failing(self, measure: LabelMeasure, model: int) -> tuple[FloatArray, FloatArray]:
        """Return the scores if shares of all samples had every label wrong, and if they had all right."""
        observed, labels = self.compared[model].sums(measure, self.empty), len(self.truth.labels)
        by_label = measure.terms is None
        true, most = (self.truth.counts, len(self.truth)) if by_label else (self.truth.sizes, labels)
        values = []
        for called, both in ((most - true, np.zeros_like(true)), (true, true)):  # all wrong, all right
            if by_label:
                sums = np.concatenate([true, called, both])
            else:
                sums = terms_of(measure, true, called, both, self.empty, labels).sum(axis=0)
            mixed = np.multiply.outer(1 - SHARES, observed) + np.multiply.outer(SHARES, sums)
            values.append(measure.of_sums(mixed, self.empty))
        wrong, right = values
        return (wrong, right) if measure.greater_is_better else (right, wrong)

    def shuffled(self, measures: Sequence[LabelMeasure], orders: IntArray) -> FloatArray:
        true, labels = self.truth.sizes[orders], len(self.truth.labels)
        values = np.empty((len(measures), self.models, len(orders)))
        for model, compared in enumerate(self.compared):
            called = compared.called
            hit = self.truth.has(orders[:, called.rows], called.columns)
            both = called.per_sample(hit)
            of_labels = called.per_label(hit) if any(m.terms is None for m in measures) else None
            for place, measure in enumerate(measures):
                if measure.terms is None:
                    values[place, model] = measure((*compared.by_label[:2], of_labels), self.empty)
                else:
                    terms = terms_of(measure, true, called.sizes, both, self.empty, labels)
                    values[place, model] = measure.of_sums(terms.sum(axis=1), self.empty)
        return values

    def agreement(self, measure: LabelMeasure, model: int) -> FloatArray:
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
        if measure.terms is None and 3 * len(self.truth.labels) > MOST_SUMS:
            weights = np.ones((1, weights.shape[1]))  # those of the sample for all resamples
        per_sample, slopes = self.per_sample(weights), []
        for compared in self.compared:
            terms = compared.terms(measure, self.empty)
            if self.linear(measure):
                slopes.append(terms[:, 0][None] / self.samples)
                continue
            rises = gradient(lambda sums: measure.of_sums(sums, self.empty), per_sample @ terms)
            slopes.append(self.added_up(np.asarray(rises @ terms.T)))
        return np.array(slopes)

    def mixed(self, measure: LabelMeasure, first: FloatArray, second: FloatArray) -> FloatArray:
        sums = sum(
            self.per_sample(weights) @ compared.terms(measure, self.empty)
            for compared, weights in zip(self.compared, (first, second), strict=True)
        )
        return measure.of_sums(np.asarray(sums), self.empty)

    def differ(self) -> BoolArray:
        a, b = (of_model.called for of_model in self.compared)
        both = a.both(b).sizes
        unlike = np.asarray((a.sizes != both) | (b.sizes != both), dtype=np.float64)
        return np.asarray(self.added_up(unlike) > 0)

    def only_one_right(self) -> tuple[int, int] | None:
        first, second = self.compared
        return right_alone(first.right, second.right) if self.clusters is None else None

    def counts_right(self, measure: LabelMeasure) -> bool:
        return measure.counts_right
