"""Two models' sets of labels on the same samples: what each sample's two answers add to a score."""

from __future__ import annotations

from functools import partial

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.problems.exchanged import mcnemar
from clearbar.problems.multilabel._compared import Compared
from clearbar.problems.multilabel._resampled import supposed
from clearbar.problems.multilabel.measures import LabelMeasure
from clearbar.problems.paired import Swaps, right_alone


def paired_sets(
    measure: LabelMeasure, a: Compared, b: Compared, empty: float, clusters: IntArray | None, seed: int
) -> Swaps:
    """Return two models' sets of labels: sample by sample, or in whole groups of samples."""
    units = np.arange(len(a.truth)) if clusters is None else clusters
    number = int(units.max()) + 1
    differ = _differ(a, b)
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
    return Swaps(
        np.ones(number, dtype=np.int64),
        np.zeros(number, dtype=np.int64),
        np.bincount(units, differ, number) > 0,
        scores_of,
        np.zeros(number, dtype=np.int64),
        worse,
        alone=alone if clusters is None else None,
        law=partial(mcnemar, *alone) if exact else None,
        samples=0 if clusters is None else len(a.truth),
        seed=seed,
    )


def _differ(a: Compared, b: Compared) -> FloatArray:
    """Return on which samples the two answers are not the same, as 0 and 1."""
    both = a.called.both(b.called).sizes
    return np.asarray((a.called.sizes != both) | (b.called.sizes != both), dtype=np.float64)
