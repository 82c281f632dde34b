"""Which points of a ROC and a precision–recall curve a random ranking reaches, at this very size.

Of M samples, P of them positive, the first k of a random ranking hold TP ~ Hypergeometric(M, P, k)
positive ones. So for each k the law of the point is exact; no limit of many samples is taken.
"""

from __future__ import annotations

import math

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.null.hypergeometric import pmf, quantile
from clearbar.plots._blind import BAND, grid

EVERY = 2_000
"""Samples up to which the band has a point for every k."""

RECALLS = 60
"""Numbers of positives found at which the expected precision is drawn."""

PLACES = 2_000
"""Places of a positive that an expectation sums over; of more, as many at equal distances."""


def numbers_predicted(total: int) -> IntArray:
    """Return numbers of predicted positives: all of them, or many, the closer together the fewer."""
    if total <= EVERY:
        return np.arange(1, total + 1)
    few = np.rint(np.geomspace(1, total, 2_000)).astype(np.int64)
    return np.unique(np.concatenate((few, grid(total, 401)[1:])))


def reached(total: int, positives: int, k: IntArray) -> tuple[IntArray, IntArray]:
    """Return between which true positives ninety of a hundred random rankings lie, for each k."""
    low = quantile(BAND[0], total, positives, k)
    return low, quantile(1.0 - BAND[1], total, positives, k, upper=True)


def precisions(total: int, positives: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return recalls, and between which precisions ninety of a hundred random rankings lie there.

    At each recall those precisions t / k whose t lies within the band of their k. The highest is the one
    above which fewer than five in a hundred rankings are when they reach the recall.
    """
    k = numbers_predicted(total)
    low, high = reached(total, positives, k)
    reachable = np.unique(high[high > 0])
    first = k[np.searchsorted(high, reachable)]
    last = k[np.searchsorted(low, reachable, side="right") - 1]
    return reachable / positives, reachable / last, reachable / first


def precision_at_recall(total: int, positives: int) -> tuple[FloatArray, FloatArray]:
    """Return recalls, and the precision that a random ranking expects when it first reaches each.

    The t-th positive stands at place K_t, P(K_t = k) = t/k P(TP_k = t); the precision there is t / K_t. Its
    mean over t is the expected average precision.
    """
    recalled = np.arange(1, positives + 1)
    if positives > RECALLS:
        recalled = np.unique(np.rint(np.geomspace(1, positives, RECALLS)).astype(np.int64))
    return recalled / positives, np.array([_expected(total, positives, t) for t in recalled.tolist()])


def _expected(total: int, positives: int, recalled: int) -> float:
    """Return the expected precision where so many positives are found: the mean of t / K_t."""
    first, last = recalled, total - positives + recalled
    k = np.arange(first, min(last, first + PLACES) + 1)
    if last > k[-1]:  # what lies ten standard deviations away is nothing
        mean = recalled * (total + 1) / (positives + 1)
        margin = 10.0 * math.sqrt(mean * (total - positives + 1) / (positives + 1))
        ends = max(first, math.floor(mean - margin)), min(last, math.ceil(mean + margin))
        k = np.unique(np.rint(np.geomspace(*ends, PLACES)).astype(np.int64))
    weight = np.gradient(k.astype(np.float64)) if len(k) > 1 else np.ones(1)
    mass = weight * recalled / k * pmf(recalled, total, positives, k)
    return float((mass * recalled / k).sum() / mass.sum())
