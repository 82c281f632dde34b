"""A bound on how likely rows of labels in random order score as well: what permutations are too few to tell.

At most exp(-t^2 / (4 mu + 2 t)) is the probability that a sum over samples, each term from 0 to 1 and given
by its place and what order put there, is t above its mean mu (Chatterjee, Stochastic Processes and their
Applications 117, 2007). A Jaccard index is no such sum, but below one: of two sets with so many members each
the union has at least as many as the larger.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from clearbar.core.label_sets import LabelSets
from clearbar.problems.multilabel._compared import Compared
from clearbar.problems.multilabel.measures import LabelMeasure, Worth

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
