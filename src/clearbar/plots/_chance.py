"""What blind predictions score: bands of quantiles, and how far chance can reach."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.null import Draw, NullDistribution
from clearbar.null.hypergeometric import quantile, support
from clearbar.problems.binary import Baseline, fill_value
from clearbar.verdict import chance_limit as exact_limit

BAND = (0.05, 0.95)
"""Quantiles between which ninety of a hundred draws lie."""

FEW = 60
"""Samples up to which each possible share is marked by a dot."""

ALL_COUNTS = 200
"""Samples up to which a band has a point for every number predicted positive."""

EXACT = 2_000
"""Samples up to which the limit of chance is found exactly, from all k."""

SCORED = 300
"""Samples up to which it is found for measures of scores, by asking for their p-values."""

BISECTIONS = 14
"""How often the way is halved then: to the width of a line in a figure."""


def k_grid(total: int, points: int = 101) -> IntArray:
    if total <= ALL_COUNTS:
        return np.arange(total + 1)
    return np.unique(np.rint(np.linspace(0, total, points)).astype(np.int64))


def fill_of(bar: Baseline) -> float:
    """Return what an outcome without a value counts as under the bar's policy; nan where it is left out."""
    return float(fill_value(bar.measure, int(bar.population.total), bar.undefined))


def quantiles(null: NullDistribution, levels: tuple[float, ...], fill: float) -> FloatArray:
    """Return quantiles of a score, its outcomes without a value counted as `fill`, or left out.

    The mixture has an atom of the undefined mass u at `fill`: below it, its q-quantile is that of the defined
    scores at q / (1 - u); above it, at (q - u) / (1 - u).
    """
    undefined = null.undefined_mass
    q = np.array(levels)
    if not undefined or math.isnan(fill):
        return np.asarray(null.ppf(q), dtype=np.float64)
    if undefined >= 1.0:
        return np.full(len(levels), fill)
    below = np.asarray(null.ppf(np.minimum(q / (1.0 - undefined), 1.0)))
    below = np.where(q <= 1.0 - undefined, below, np.inf)
    above = np.asarray(null.ppf(np.clip((q - undefined) / (1.0 - undefined), 0.0, 1.0)))
    return np.where(below <= fill, below, np.where((q > undefined) & (above >= fill), above, fill))


def quantiles_by_k(bar: Baseline, k: IntArray, levels: tuple[float, ...]) -> FloatArray:
    """Return the quantiles of the score at each number predicted positive: an array of shape (levels, k)."""
    fill = fill_of(bar)
    draws = (Draw(bar.population, predicted) for predicted in k.tolist())
    limits = [quantiles(NullDistribution(bar.measure, draw), levels, fill) for draw in draws]
    return np.array(limits).reshape(len(k), len(levels)).T


def chance_limit(bar: Any, alpha: float) -> float:
    """Return the score beyond which no blind prediction gets with a probability of alpha.

    Up to 2,000 samples the least such score; beyond, the best quantile among draws of about fifty
    sizes. Infinite where every score can be reached, nan where it is not known.
    """
    if np.isnan(float(bar.value)):
        return math.nan
    if not (isinstance(bar, Baseline) and isinstance(bar.measure, Measure)):
        return _bisected_limit(bar, alpha)
    better = 1.0 if bar.measure.greater_is_better else -1.0
    if int(bar.population.total) <= EXACT:
        limit = exact_limit(bar, alpha)
        return better * math.inf if math.isnan(limit) else limit
    k = _searched(int(bar.population.total), bar)
    scores, known = _scores_at_quantile(bar, k, alpha)
    (others,) = quantiles_by_k(bar, k[~known], (1.0 - alpha if better > 0 else alpha,))
    return float(better * np.nanmax(better * np.append(scores[known], others)))


def _scores_at_quantile(bar: Baseline, k: IntArray, alpha: float) -> tuple[FloatArray, BoolArray]:
    """Return the scores at the upper quantile of the true positives, and where they are the score's own.

    So they are for a measure that rises with the true positives and has a value whatever the outcome.
    """
    measure, total, positives = bar.measure, int(bar.population.total), int(bar.population.positives)

    def score(tp: IntArray) -> FloatArray:
        scores = measure(tp=tp, fp=k - tp, fn=positives - tp, tn=total - positives - k + tp)
        return np.asarray(scores, dtype=np.float64)

    low, high = support(total, positives, k)
    rises = bool(measure.better_with_tp and measure.worse_with_fp)
    with np.errstate(all="ignore"):
        known: BoolArray = rises & np.isfinite(score(low)) & np.isfinite(score(high))
        return score(quantile(alpha, total, positives, k, upper=True)), known


def _searched(total: int, bar: Baseline) -> IntArray:
    """Return about fifty k: evenly spread, closer together at both ends, and those of the bar."""
    near_ends = np.append(np.arange(1, 4), np.rint(np.geomspace(1, total, 16)).astype(np.int64))
    optimal = [end for ks in bar.predicted_positives for end in (ks.start, ks.stop - 1)]
    searched = near_ends, total - near_ends, k_grid(total, 21), np.array(optimal, np.int64)
    return np.unique(np.concatenate(searched))


def _bisected_limit(bar: Any, alpha: float) -> float:
    """Bisect between the bar and the best possible score by the p-values of scores."""
    if not hasattr(bar, "judge") or int(bar.population.total) > SCORED:
        return math.nan
    likely, unlikely = float(bar.value), float(bar.best_possible)
    p_value = bar.judge(unlikely).p_value_blind if math.isfinite(unlikely) else math.nan
    if p_value >= alpha:
        return math.inf if unlikely >= likely else -math.inf
    for _ in range(BISECTIONS):
        if math.isnan(p_value):
            return math.nan
        middle = (likely + unlikely) / 2
        p_value = bar.judge(middle).p_value_blind
        likely, unlikely = (middle, unlikely) if p_value >= alpha else (likely, middle)
    return math.nan if math.isnan(p_value) else unlikely
