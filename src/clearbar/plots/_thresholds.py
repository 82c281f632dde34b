"""Curves over thresholds: counts in their order, and as many points as a figure can show."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.core.counts import Counts, refuse_matrix

DRAWN = 1_000
"""Stretches of a curve that are told apart on a figure; each keeps its extremes."""


def in_order(counts: Any, thresholds: Any) -> tuple[Counts, FloatArray]:
    """Return one score's confusion matrices and thresholds, the highest threshold first."""
    refuse_matrix(counts)
    if not isinstance(counts, Counts) or len(counts.shape) != 1 or not counts.shape[0]:
        raise ValueError("counts must be Counts of shape (T,): one confusion matrix per threshold.")
    places = np.full(counts.shape, math.nan) if thresholds is None else np.asarray(thresholds, np.float64)
    if places.shape != counts.shape:
        raise ValueError(
            f"thresholds must be as many as the counts, {counts.shape[0]:,}; found shape {places.shape}."
        )
    order = np.argsort(np.asarray(counts.predicted_positives), kind="stable")
    counts, places = counts[order], places[order]
    same = np.ptp(np.asarray(counts.total)) == 0 == np.ptp(np.asarray(counts.positives))
    if not same or (np.diff(counts.tp) < 0).any() or (np.diff(counts.fp) < 0).any():
        raise ValueError(
            "counts must be those of one score's thresholds: the same classes, and whoever predicts more "
            "positive has at least as many true and false positives."
        )
    return counts, places


def thinned(x: Any, y: FloatArray) -> tuple[Any, FloatArray]:
    """Keep first, last, lowest and highest of each stretch: what a figure can show of many points."""
    if len(x) <= 4 * DRAWN:
        return x, y
    start = np.unique(np.linspace(0, len(x), DRAWN, endpoint=False).astype(np.int64))
    stop = np.concatenate((start[1:], [len(x)]))
    kept = [start, stop - 1]
    for sign in (1.0, -1.0):
        order = np.where(np.isnan(y), -np.inf, sign * y)
        top = np.maximum.reduceat(order, start)
        hits = np.flatnonzero(order == np.repeat(top, stop - start))
        kept.append(hits[np.searchsorted(hits, start)])
    at = np.unique(np.concatenate(kept))
    return x[at], y[at]
