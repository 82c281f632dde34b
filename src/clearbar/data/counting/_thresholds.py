"""Counts at many thresholds at once: scores are sorted once, and every threshold reads off its sums.

A float's bits, read as a whole number, are in the order of the floats of its sign; one place further
left they leave room for the label. So the scores and the labels are sorted together, as whole
numbers, with no index of the order in between.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clearbar.core._numbers import numbers
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Counts
from clearbar.core.errors import listed
from clearbar.data.counting._host import read_here
from clearbar.data.counting._scores import precision, read_scores
from clearbar.data.labels import (
    explained,
    refuse_empty,
    refuse_other_rows,
    rounded,
    settle_columns,
)

FEW = 1_000
"""Thresholds up to which samples are sorted into the bins between them instead of by their scores."""

_BLOCK = 2**17


class TieGroups(NamedTuple):
    """Samples with equal scores, the highest score first."""

    scores: FloatArray  # the distinct scores, descending
    sizes: IntArray  # samples and positive samples that have each
    positives: IntArray  # samples and positive samples that have each


def read_truth(y_true: Any, pos_label: Any = None) -> BoolArray:
    """Return which samples are positive."""
    truth = read_here(y_true, "y_true")
    refuse_empty("y_true", truth.length)
    labels = settle_columns([truth], pos_label)
    with explained([truth], pos_label):
        return truth.mask(labels)


def tie_groups(truth: BoolArray, scores: FloatArray) -> TieGroups:
    """Sort samples by score and count those that share one."""
    ends, keys = _sorted_keys(truth, scores)
    last = np.empty(len(keys), dtype=bool)
    np.greater(keys[1:] ^ keys[:-1], 1, out=last[:-1])
    last[[ends - 1, -1]] = True  # a score and its negative look alike
    at = np.flatnonzero(last)
    below = np.cumsum(keys & np.uint64(1), dtype=np.int64)[at]
    values = (keys[at] >> np.uint64(1)).view(np.float64)
    values[: np.searchsorted(at, ends)] *= -1.0
    return TieGroups(values[::-1], _steps(at + 1)[::-1], _steps(below)[::-1])


def _steps(sums: IntArray) -> IntArray:
    steps = sums.copy()
    steps[1:] -= sums[:-1]
    return steps


def _sorted_keys(truth: BoolArray, scores: FloatArray) -> tuple[int, Any]:
    """Return scores and labels as ascending keys, and how many at the start are of negative scores."""
    keys = np.add(scores, 0.0, dtype=np.float64).view(np.uint64)  # a negative zero becomes a zero
    keys <<= np.uint64(1)  # the sign goes
    keys |= truth
    negative = scores < 0
    ends = int(np.count_nonzero(negative))
    if not ends:
        keys.sort()
        return 0, keys
    low, high = keys[negative], keys[~negative]
    low.sort()
    high.sort()
    return ends, np.concatenate([low[::-1], high])


def counts_at_thresholds(
    y_true: Any, y_score: Any, thresholds: Any = None, *, pos_label: Any = None
) -> tuple[FloatArray, Counts]:
    """Count true and false positives and negatives at many thresholds, in one pass.

    A sample is predicted positive if its score is at least the threshold, rounded to the type of the scores:
    of float32 scores, the one nearest to 0.7 reaches 0.7, as in NumPy.
    """
    truth = read_truth(y_true, pos_label)
    scores = read_scores(y_score, "y_score", len(truth))
    refuse_other_rows(y_true, y_score, "y_score")
    if thresholds is None:
        groups = tie_groups(truth, scores)
        at = np.concatenate([[np.inf], groups.scores])
        predicted, tp = (_running(part) for part in (groups.sizes, groups.positives))
    else:
        at = _read_thresholds(thresholds)
        bounds = rounded(at, precision(y_score))
        order = np.argsort(bounds)
        bins = _binned if len(at) <= FEW else _merged
        predicted, tp = np.empty((2, len(at)), dtype=np.int64)
        predicted[order], tp[order] = bins(truth, scores, bounds[order])
    positives = int(np.count_nonzero(truth))
    return at, Counts(tp=tp, fp=predicted - tp, fn=positives - tp, tn=len(truth) - positives - predicted + tp)


def _running(parts: IntArray) -> IntArray:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(parts)])


def _binned(truth: BoolArray, scores: FloatArray, ascending: FloatArray) -> tuple[IntArray, IntArray]:
    """Return predicted and true positives per threshold, without sorting the samples."""
    number = len(ascending) + 1
    table = np.zeros(2 * number, dtype=np.int64)
    for start in range(0, len(scores), _BLOCK):
        part = slice(start, start + _BLOCK)
        bins = np.searchsorted(ascending, scores[part], side="right")
        table += np.bincount(2 * bins + truth[part], minlength=2 * number)
    reached = table.reshape(number, 2)[:0:-1].cumsum(axis=0)[::-1]
    return reached.sum(axis=1), reached[:, 1]


def _merged(truth: BoolArray, scores: FloatArray, ascending: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the same from samples in the order of their scores, for very many thresholds."""
    groups = tie_groups(truth, scores)
    below = np.searchsorted(groups.scores[::-1], ascending, side="left")
    predicted, tp = (_running(part) for part in (groups.sizes, groups.positives))
    return predicted[len(groups.scores) - below], tp[len(groups.scores) - below]


def _read_thresholds(thresholds: Any) -> FloatArray:
    at = np.atleast_1d(numbers("thresholds", thresholds))
    if at.ndim != 1 or not len(at):
        raise ValueError(f"thresholds must be a number or a list of them; found shape {at.shape}.")
    if np.isnan(at).any():
        where = np.flatnonzero(np.isnan(at)).tolist()
        raise ValueError(f"thresholds must be numbers; found nan at position {listed(where, most=6)}.")
    return at
