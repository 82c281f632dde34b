"""How likely whole rows of labels in random order score as well, given the sets that were predicted.

That is valid against every feature-blind classifier: (b + 1)/(B + 1) of B seeded permutations, the same ones
for all measures and models, each of which stops once its answer is clear (Besag and Clifford 1991).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.label_sets import LabelSets
from clearbar.problems.groups import Groups
from clearbar.problems.multilabel._compared import Compared, terms_of
from clearbar.problems.multilabel.measures import LabelMeasure

ENOUGH = 50
"""Permutations at least as good after which a measure of a model needs no more."""


def by_permutation(
    measures: Sequence[LabelMeasure],
    models: Sequence[Compared],
    groups: Groups,
    empty: float,
    scores: FloatArray,
    seed: int,
) -> FloatArray:
    """Return p-values of shape (models, measures); nan where there is no score."""
    signs = np.array([1.0 if measure.greater_is_better else -1.0 for measure in measures])
    goals = signs * scores - 1e-12 * np.maximum(1.0, np.abs(scores))
    reached, drawn = np.zeros(scores.shape, dtype=np.int64), np.zeros(scores.shape, dtype=np.int64)
    truth = models[0].truth
    orders = groups.permuted(np.arange(len(truth)), np.random.default_rng(seed), samples=len(truth.columns))
    for order in orders:
        going = (reached < ENOUGH) & ~np.isnan(scores)
        if not going.any():
            break
        for model in np.flatnonzero(going.any(axis=1)).tolist():
            undecided = np.flatnonzero(going[model]).tolist()
            own = _permuted([measures[at] for at in undecided], truth, models[model], order, empty)
            values = own * signs[undecided]
            reached[model, undecided] += np.count_nonzero(~(values < goals[model, undecided]), axis=0)
            drawn[model, undecided] += len(order)
    return np.where(np.isnan(scores), np.nan, (reached + 1) / (drawn + 1))


def _permuted(
    measures: Sequence[LabelMeasure], truth: LabelSets, model: Compared, order: IntArray, empty: float
) -> FloatArray:
    """Evaluate measures if sample i is called what sample ``order[i]`` was; shape (orders, measures)."""
    hit = model.called.has(order[:, truth.rows], truth.columns)
    called = model.called.sizes[order]
    both = truth.per_sample(hit)
    labels = None
    columns = []
    for measure in measures:
        if measure.terms is None:
            labels = truth.per_label(hit) if labels is None else labels
            columns.append(measure((*model.by_label[:2], labels), empty))
        else:
            terms = terms_of(measure, truth.sizes, called, both, empty, truth)
            columns.append(measure(tuple(np.broadcast_to(t, both.shape).sum(axis=1) for t in terms), empty))
    return np.stack(columns, axis=-1)


def permuted_scores(
    measure: LabelMeasure, models: Sequence[Compared], empty: float, orders: Iterable[IntArray]
) -> FloatArray:
    """Return the scores of all models, of shape (permutations, models), for rows of labels in each order."""
    truth = models[0].truth
    return np.concatenate(
        [
            np.concatenate([_permuted([measure], truth, one, order, empty) for one in models], axis=1)
            for order in orders
        ]
    )
