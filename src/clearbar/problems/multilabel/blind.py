"""How likely whole rows of labels in random order score as well, given the sets that were predicted.

That is valid against every feature-blind classifier: (b + 1)/(B + 1) of B seeded permutations, the same ones
for all measures and models, each of which stops once its answer is clear (Besag and Clifford 1991).

Where these are too few to tell there is a bound: at most exp(-t^2 / (4 mu + 2 t)) is the probability that a
sum over samples, each term from 0 to 1 and given by its place and what order put there, is t above its mean
mu (Chatterjee, Stochastic Processes and their Applications 117, 2007). A Jaccard index is no such sum, but
below one: of two sets with so many members each the union has at least as many as the larger.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.label_sets import LabelSets
from clearbar.problems.groups import Groups
from clearbar.problems.multilabel._compared import Compared, terms_of
from clearbar.problems.multilabel.measures import LabelMeasure, Worth

ENOUGH = 50
"""Permutations at least as good after which a measure of a model needs no more."""


def by_permutation(
    measures: Sequence[LabelMeasure],
    models: Sequence[Compared],
    groups: Groups,
    empty: float,
    scores: FloatArray,
    seed: int,
    finest: float = 1.0,
) -> tuple[FloatArray, IntArray]:
    """Return p-values of shape (models, measures), nan where there is no score, and from how many orders."""
    signs = np.array([1.0 if measure.greater_is_better else -1.0 for measure in measures])
    goals = signs * scores - 1e-12 * np.maximum(1.0, np.abs(scores))
    reached, drawn = np.zeros(scores.shape, dtype=np.int64), np.zeros(scores.shape, dtype=np.int64)
    truth = models[0].truth
    every = groups.counts_out(truth.kind)
    orders = groups.rearranged(
        np.arange(len(truth)),
        np.random.default_rng(seed),
        samples=len(truth.columns),
        kinds=truth.kind,
        finest=finest,
    )
    for order in orders:
        # Orders in which equal rows of labels stand alike are one; here predictions move, not labels.
        order = np.argsort(order, axis=1) if every else order  # noqa: PLW2901
        going = ((reached < ENOUGH) | every) & ~np.isnan(scores)
        if not going.any():
            break
        for model in np.flatnonzero(going.any(axis=1)).tolist():
            undecided = np.flatnonzero(going[model]).tolist()
            own = _permuted([measures[at] for at in undecided], truth, models[model], order, empty)
            values = own * signs[undecided]
            reached[model, undecided] += np.count_nonzero(~(values < goals[model, undecided]), axis=0)
            drawn[model, undecided] += len(order)
    return np.where(np.isnan(scores), np.nan, (reached + 1) / (drawn + 1)), drawn


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


def agreement(compared: Compared) -> FloatArray:
    """Return what each sample adds to the covariances of true and called labels, all labels together."""
    truth, called = compared.truth, compared.called
    of_truth, of_called = (side.counts / len(side) for side in (truth, called))
    both = compared.hits.sizes
    expected = truth.per_sample(of_called[truth.columns]) + called.per_sample(of_truth[called.columns])
    return np.asarray(both - expected + of_truth @ of_called)


Sum = tuple[float, float, float]
"""What was reached, what random order expects, and the largest term."""


def proved(measure: LabelMeasure, compared: Compared, empty: float) -> float:
    """Return what the probability does not exceed; 1 where nothing is known."""
    sums = _sum_of(measure, compared, empty)
    if sums is None or sums[2] <= 0:
        return 1.0
    reached, mean = sums[0] / sums[2], sums[1] / sums[2]
    above = reached - mean - 1e-12 * max(1.0, reached)
    return math.exp(-(above**2) / (4 * mean + 2 * above)) if above > 0 else 1.0


def _sum_of(measure: LabelMeasure, compared: Compared, empty: float) -> Sum | None:
    if measure.counts_right:
        return _of_rows(compared)
    if measure.way == "samples":
        return _of_samples(measure.worth, compared, empty)
    true, called, both = compared.by_label
    here = (true > 0) & (called > 0)
    if measure.way == "micro":  # at fixed margins the more hits, the better
        reached, most = here * 1.0, here * 1.0
    else:
        scale = true if measure.way == "weighted" else np.ones_like(true)
        with np.errstate(divide="ignore", invalid="ignore"):
            worths = [measure.worth(true, called, hits) for hits in (both, np.minimum(true, called))]
            reached, most = (np.where(here, scale * worth, 0.0) for worth in worths)
    largest = min(
        float(side.per_sample(most[side.columns]).max()) for side in (compared.truth, compared.called)
    )
    return float(reached @ both), float(most @ (true * called)) / len(compared.truth), largest


def _of_rows(compared: Compared) -> Sum:
    """Add up the samples that are right."""
    counts = [Counter(_rows(side)) for side in (compared.truth, compared.called)]
    mean = sum(number * counts[1][row] for row, number in counts[0].items()) / len(compared.truth)
    return float(np.count_nonzero(compared.right)), mean, 1.0


def _rows(sets: LabelSets) -> list[bytes]:
    return [row.tobytes() for row in np.split(sets.columns, sets.starts[1:-1])]


def _of_samples(worth: Worth, compared: Compared, empty: float) -> Sum | None:
    """Add up the scores of samples; those that have no labels and are called none score `empty`."""
    without = [np.count_nonzero(side.sizes == 0) for side in (compared.truth, compared.called)]
    lost = compared.hits.sizes + compared.truth.sizes + compared.called.sizes == 0
    nothing = float(without[0] * without[1]) / len(lost)
    if math.isnan(empty) and nothing:  # how many have a score depends on the order
        return None
    true, called, both = (
        side.sizes.astype(np.float64) for side in (compared.truth, compared.called, compared.hits)
    )
    hit = both > 0
    reached = float((worth(true[hit], called[hit], both[hit]) * both[hit]).sum())
    sizes, cells = zip(*(side.by_size for side in (compared.truth, compared.called)), strict=True)
    one, other = np.meshgrid(*(size.astype(np.float64) for size in sizes), indexing="ij")
    with np.errstate(divide="ignore", invalid="ignore"):
        most = np.where((one > 0) & (other > 0), worth(one, other, np.minimum(one, other)), 0.0)
    mean = float((most * (cells[0] @ cells[1].T)).sum()) / len(lost)
    if empty == 1:
        reached, mean = reached + float(np.count_nonzero(lost)), mean + nothing
    return reached, mean, 1.0
