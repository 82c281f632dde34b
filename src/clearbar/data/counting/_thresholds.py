"""Counts at every threshold at once: scores are sorted once, and each threshold reads off its sums.

A float's bits, read as a whole number, are in the order of the floats of its sign; one place further
left they leave room for the label. So the scores and the labels are sorted together, as whole
numbers, with no index of the order in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Counts
from clearbar.core.errors import ArgumentError
from clearbar.data.counting._host import read_here
from clearbar.data.counting._scores import read_scores
from clearbar.data.labels import (
    explained,
    refuse_empty,
    refuse_other_rows,
    settle_columns,
)


class TieGroups(NamedTuple):
    """Samples with equal scores, the highest score first."""

    scores: FloatArray  # the distinct scores, descending
    sizes: IntArray  # samples and positive samples that have each
    positives: IntArray  # samples and positive samples that have each


def read_truth(y_true: Any, pos_label: Any = None) -> BoolArray:
    """Return which samples are positive."""
    truth = read_here(y_true, "y_true")
    refuse_empty("y_true", truth.length)
    with of_one_class():
        labels = settle_columns([truth], pos_label)
        with explained([truth], pos_label):
            return truth.mask(labels)


@contextmanager
def of_one_class() -> Iterator[None]:
    """Say of scores, where there are more than two classes, how they are judged: one class at a time."""
    try:
        yield
    except ArgumentError as error:
        if error.mends != "two classes":
            raise
        right = (
            f"Scores are judged one class at a time: pass {error.argument} == label and its scores, or judge "
            "the label of the highest score by evaluate_multiclass."
        )
        raise type(error)(error.argument, error.found, right, "one class") from None


def tie_groups(truth: BoolArray, scores: FloatArray) -> TieGroups:
    """Sort samples by score and count those that share one."""
    negatives, keys = _sorted_keys(truth, scores)
    last = np.empty(len(keys), dtype=bool)  # whether the next sample has another score
    np.greater(keys[1:] ^ keys[:-1], 1, out=last[:-1])
    last[[negatives - 1, -1]] = True  # a score and its negative look alike
    ends = np.flatnonzero(last)
    positives = np.cumsum(keys & np.uint64(1), dtype=np.int64)[ends]
    values = (keys[ends] >> np.uint64(1)).view(np.float64)
    values[: np.searchsorted(ends, negatives)] *= -1.0
    return TieGroups(values[::-1], np.diff(ends + 1, prepend=0)[::-1], np.diff(positives, prepend=0)[::-1])


def _sorted_keys(truth: BoolArray, scores: FloatArray) -> tuple[int, Any]:
    """Return how many scores are negative, and scores with their labels as keys in ascending order."""
    keys = np.add(scores, 0.0, dtype=np.float64).view(np.uint64)  # a negative zero becomes a zero
    keys <<= np.uint64(1)  # the sign goes
    keys |= truth
    negative = scores < 0
    negatives = int(np.count_nonzero(negative))
    if not negatives:
        keys.sort()
        return 0, keys
    low, high = keys[negative], keys[~negative]
    low.sort()
    high.sort()
    return negatives, np.concatenate([low[::-1], high])


def counts_at_thresholds(y_true: Any, y_score: Any, *, pos_label: Any = None) -> tuple[FloatArray, Counts]:
    """Return infinity and each distinct score, and the counts where scores from there on are positive."""
    truth = read_truth(y_true, pos_label)
    scores = read_scores(y_score, "y_score", len(truth))
    refuse_other_rows(y_true, y_score, "y_score")
    groups = tie_groups(truth, scores)
    predicted, tp = (np.concatenate([[0], np.cumsum(part)]) for part in (groups.sizes, groups.positives))
    positives = int(np.count_nonzero(truth))
    counts = Counts(tp=tp, fp=predicted - tp, fn=positives - tp, tn=len(truth) - positives - predicted + tp)
    return np.concatenate([[np.inf], groups.scores]), counts
