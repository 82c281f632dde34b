"""Counts of folds that all score the same."""

from __future__ import annotations

import functools
import math

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray, IntArray, Undefined
from clearbar.core.counts import Counts, counts_of
from clearbar.problems._faultless import MOST_FAILURES, Faultless
from clearbar.problems.combine.ways import Way


def faultless_counts(
    way: Way, measure: Measure, counts: Counts, undefined: Undefined, score: float, seen_once: float
) -> Faultless | None:
    """Return what the counts of one model tell if no sample of any fold failed; None of others.

    A fold without a value, once some samples failed, is taken for the worst.
    """
    if np.any(counts.fp) or np.any(counts.fn):
        return None
    sizes, times = _sizes(counts)
    parts = _with_failures(way, measure, sizes, undefined)
    if parts is None:
        return None
    worst = 0.0 if len(parts) > 1 else measure.bounds[0 if measure.greater_is_better else 1]
    if not math.isfinite(worst):
        return None
    better = bool(measure.greater_is_better)
    joined = functools.partial(way.joined, measure)
    return Faultless(score, sizes, times.astype(np.float64), parts, worst, joined, better, seen_once)


def adds_up(way: Way, measure: Measure, counts: Counts, undefined: Undefined) -> bool:
    """Whether a mean over these folds is the score of their pooled counts, whichever samples fail.

    So it is where folds are of one size and every failure costs the same, as with accuracy.
    """
    sizes, _ = _sizes(counts)
    parts = _with_failures(way, measure, sizes, undefined)
    if parts is None or parts.shape[:2] != (1, 1):
        return False
    table = parts[0, 0]
    costs = np.diff(table, axis=0), np.diff(table, axis=1)
    return all(bool(np.ptp(cost) <= 1e-12) for cost in costs if cost.size)


def _sizes(counts: Counts) -> tuple[IntArray, IntArray]:
    """Return the class sizes that folds have, and how many have each."""
    both = np.stack([np.asarray(counts.positives), np.asarray(counts.negatives)], axis=-1)
    return np.unique(both.astype(np.int64), axis=0, return_counts=True)


def _with_failures(way: Way, measure: Measure, sizes: IntArray, undefined: Undefined) -> FloatArray | None:
    """Return what folds add with so many positives and negatives that fail: (parts, folds, i, j)."""
    failures = np.arange(min(MOST_FAILURES, int(sizes.max())) + 1)
    shape = len(sizes), len(failures), len(failures)
    p, n = (sizes[:, at, None, None] for at in (0, 1))
    fn, fp = np.minimum(failures[:, None], p), np.minimum(failures, n)
    tables = counts_of(np.broadcast_to(cell, shape).ravel() for cell in (p - fn, fp, fn, n - fp))
    parts = way.in_parts(measure, tables, undefined)
    return None if parts is None else parts.reshape(-1, *shape)
