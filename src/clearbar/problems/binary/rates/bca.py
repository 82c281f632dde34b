"""Bias-corrected and accelerated bootstrap of the counts (Efron 1987), for measures without an order.

TP and FP are drawn anew from binomials with the observed rates, which is what drawing the samples of each
class anew would do. Of a rate of 0 or 1 that draws nothing new, so that failures are supposed that were not
seen. The answers are approximate.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray
from clearbar.core.counts import Counts
from clearbar.problems.bootstrap import unseen

RESAMPLES = 9_999
SEED = 20_240_229
_NORMAL = NormalDist()


class Resampled(NamedTuple):
    """Scores of resamples at their worst and at their best, sorted, and what shifts their quantiles."""

    worst: FloatArray
    best: FloatArray
    bias: float
    acceleration: float


def resampled(measure: Measure, counts: Counts, *, resamples: int = RESAMPLES, seed: int = 0) -> Resampled:
    """Resample one table; losses as their negatives."""
    tp, fp, fn, tn = (float(cell) for cell in counts.cells)
    P, N = tp + fn, fp + tn
    source = np.random.default_rng(SEED + seed)
    x = source.binomial(int(P), tp / P if P else 0.0, resamples).astype(np.float64)
    y = source.binomial(int(N), fp / N if N else 0.0, resamples).astype(np.float64)
    sign = -1.0 if measure.greater_is_better is False else 1.0

    def scored(x: FloatArray, y: FloatArray) -> FloatArray:
        with np.errstate(all="ignore"):
            return sign * measure.values(x, y, P - x, N - y)

    observed = float(scored(np.array([tp]), np.array([fp]))[0])
    plain = scored(x, y)
    supposed = scored(_varied(x, tp, P, source), _varied(y, fp, N, source))
    # Without a value, a resample could be the least as well as the largest.
    gone = ~np.isfinite(plain) | ~np.isfinite(supposed)
    worst = np.sort(np.where(gone, -np.inf, np.minimum(plain, supposed)))
    best = np.sort(np.where(gone, np.inf, np.maximum(plain, supposed)))
    known = plain[np.isfinite(plain)]
    if not np.isfinite(observed) or 2 * np.count_nonzero(gone) >= gone.size or worst[0] == best[-1]:
        return Resampled(np.empty(0), np.empty(0), np.nan, np.nan)
    # What is supposed is no bias of the score.
    below = (np.count_nonzero(known < observed) + 0.5 * np.count_nonzero(known == observed)) / known.size
    return Resampled(
        worst, best, _quantile(below, known.size), _acceleration(measure, (tp, fp, fn, tn), sign)
    )


def _varied(drawn: FloatArray, count: float, size: float, source: np.random.Generator) -> FloatArray:
    """Counts drawn anew; those of a rate of 0 or 1 with failures, or successes, that were not seen."""
    if 0 < count < size or size == 0:
        return drawn
    moved = size * unseen(source.random(drawn.size), int(size))
    return np.asarray(moved if count == 0 else size - moved)


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
    return _NORMAL.inv_cdf(min(max(share, 0.5 / size), 1.0 - 0.5 / size))


def bca_p_value(drawn: Resampled, bar: float) -> float:
    """Two-sided p by inversion: the least 1 - level at which the bar lies outside the interval."""
    if not drawn.worst.size or not np.isfinite(bar):
        return np.nan
    size, shares = drawn.worst.size, []
    for scores in drawn[:2]:
        below = (np.count_nonzero(scores < bar) + 0.5 * np.count_nonzero(scores == bar)) / size
        # the level whose corrected quantile is the bar: z = (w - b)/(1 + a (w - b)) - b with w the bar's own
        w = _quantile(below, size) - drawn.bias
        shares.append(_NORMAL.cdf(w / (1.0 + drawn.acceleration * w) - drawn.bias))
    return min(1.0, max(2.0 * min(shares[0], 1.0 - shares[1]), 2.0 / (size + 1)))


def bca_interval(drawn: Resampled, level: float) -> tuple[float, float]:
    """Both ends, in the order of the scores; losses still as their negatives."""
    if not drawn.worst.size:
        return np.nan, np.nan
    size, ends = drawn.worst.size, []
    for scores, tail in ((drawn.worst, (1.0 - level) / 2), (drawn.best, (1.0 + level) / 2)):
        z = drawn.bias + _NORMAL.inv_cdf(tail)
        room = 1.0 - drawn.acceleration * z
        shifted = drawn.bias + z / room if room > 0 else np.copysign(12.0, z)
        share = _NORMAL.cdf(shifted)
        ends.append(float(scores[min(max(int(np.floor(share * size)), 0), size - 1)]))
    return ends[0], ends[1]
