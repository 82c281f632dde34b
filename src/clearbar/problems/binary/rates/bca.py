"""Bias-corrected and accelerated bootstrap of the counts (Efron 1987), for measures without an order.

TP and FP are drawn anew from binomials with the observed rates, which is what drawing the samples of each
class anew would do. The answers are approximate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray
from clearbar.core.counts import Counts
from clearbar.problems.binary.rates.binomial import normal_cdf
from clearbar.problems.binary.rates.roots import bracketed_root

RESAMPLES = 9_999
SEED = 20_240_229


class Resampled(NamedTuple):
    """Sorted scores of resamples that have one, and what shifts their quantiles."""

    scores: FloatArray
    bias: float
    acceleration: float


def resampled(measure: Measure, counts: Counts, *, resamples: int = RESAMPLES, seed: int = SEED) -> Resampled:
    """Resample one table; losses as their negatives."""
    tp, fp, fn, tn = (float(cell) for cell in counts.cells)
    P, N = tp + fn, fp + tn
    source = np.random.default_rng(seed)
    x = source.binomial(int(P), tp / P if P else 0.0, resamples).astype(np.float64)
    y = source.binomial(int(N), fp / N if N else 0.0, resamples).astype(np.float64)
    sign = -1.0 if measure.greater_is_better is False else 1.0

    def scored(x: FloatArray, y: FloatArray) -> FloatArray:
        with np.errstate(all="ignore"):
            return sign * measure.values(x, y, P - x, N - y)

    observed = float(scored(np.array([tp]), np.array([fp]))[0])
    scores = scored(x, y)
    scores = np.sort(scores[np.isfinite(scores)])
    # Where no two resamples differ, as at rates of 0 and 1, they say nothing about the true score.
    if not np.isfinite(observed) or not scores.size or scores[0] == scores[-1]:
        return Resampled(np.empty(0), np.nan, np.nan)
    below = (np.count_nonzero(scores < observed) + 0.5 * np.count_nonzero(scores == observed)) / scores.size
    return Resampled(scores, _quantile(below, scores.size), _acceleration(measure, (tp, fp, fn, tn), sign))


def _acceleration(measure: Measure, cells: tuple[float, ...], sign: float) -> float:
    """A sixth of the skewness of the jackknife: each cell's samples left out one at a time are all alike."""
    table = np.array(cells)
    left = table[:, None] - np.eye(4)
    kept = table > 0
    with np.errstate(all="ignore"):
        scores = sign * measure.values(*np.maximum(left, 0.0))
    kept &= np.isfinite(scores)
    weight = np.where(kept, table, 0.0)
    scores = np.where(kept, scores, 0.0)
    away = np.where(kept, (weight @ scores) / max(weight.sum(), 1.0) - scores, 0.0)
    spread = float(weight @ away**2)
    return float(weight @ away**3) / (6.0 * spread**1.5) if spread > 0 else 0.0


def _quantile(share: float, size: int) -> float:
    """Normal quantile of a share, kept half a resample from 0 and 1."""
    share = min(max(share, 0.5 / size), 1.0 - 0.5 / size)
    low, high = np.array([-12.0]), np.array([12.0])
    return float(bracketed_root(lambda z: normal_cdf(z) - share, low, high)[0])


def bca_p_value(drawn: Resampled, bar: float) -> float:
    """Two-sided p by inversion: the least 1 - level at which the bar lies outside the interval."""
    if not drawn.scores.size or not np.isfinite(bar):
        return np.nan
    size = drawn.scores.size
    below = (np.count_nonzero(drawn.scores < bar) + 0.5 * np.count_nonzero(drawn.scores == bar)) / size
    # the level whose corrected quantile is the bar: z = (w - b)/(1 + a (w - b)) - b with w the bar's own
    w = _quantile(below, size) - drawn.bias
    z = w / (1.0 + drawn.acceleration * w) - drawn.bias
    share = float(normal_cdf(np.array(z)))
    return min(1.0, max(2.0 * min(share, 1.0 - share), 2.0 / (size + 1)))


def bca_interval(drawn: Resampled, level: float) -> tuple[float, float]:
    """Both ends, in the order of the scores; losses still as their negatives."""
    if not drawn.scores.size:
        return np.nan, np.nan
    size = drawn.scores.size
    ends = []
    for tail in ((1.0 - level) / 2, (1.0 + level) / 2):
        z = drawn.bias + _quantile(tail, 10**9)
        room = 1.0 - drawn.acceleration * z
        shifted = drawn.bias + z / room if room > 0 else np.copysign(12.0, z)
        share = float(normal_cdf(np.array(shifted)))
        ends.append(float(drawn.scores[min(max(int(np.floor(share * size)), 0), size - 1)]))
    return ends[0], ends[1]
