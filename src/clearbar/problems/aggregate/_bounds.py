"""Bounds on what any blind predictions attain, fold by fold, by exponential moments.

P(sum of X >= s) is at most the product of E exp(t X) over folds, divided by exp(t s), for every t >= 0
(Chernoff 1952). Folds are drawn independently, so that the largest such bound over all numbers of
predicted positives is the product of each fold's largest moment. Besides, a mean over folds reaches
nothing that no fold reaches, which says more where folds are large.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from clearbar import hypergeometric as hg
from clearbar._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.baseline import baseline, fill_value
from clearbar.counts import Population
from clearbar.measures import Measure
from clearbar.null import attains, least_true, support_chunks, values_at
from clearbar.problems.aggregate._pair import is_concave, lines
from clearbar.problems.aggregate._ways import Aggregate, by_pair, filled, pair_fill, policy_in_folds, skips
from clearbar.verdict import universal_p_value

MOST_TABLES = 2**18
"""Tables of all draws of a fold up to which its moments are computed; a chord bounds them beyond."""

MOST_POSITIVES = 2**21
"""Positive samples up to which every pooled TP is looked at."""

RATES = np.concatenate(([0.0], np.geomspace(0.5, 500.0, 31)))
"""The t that are tried, for scores from 0 to 1; each gives a bound."""


def bound(
    measure: Measure,
    total: IntArray,
    positives: IntArray,
    aggregate: Aggregate,
    undefined: Undefined,
    score: float,
) -> float:
    """Return a bound on the probability that any blind predictions reach a score.

    Parameters
    ----------
    measure : Measure
        What is evaluated.
    total, positives : ndarray of int, shape (folds,)
        The margins M and P of each fold.
    aggregate : str
        The way of combining.
    undefined : "exclude", "worst" or float
        What to do about outcomes without a value.
    score : float
        The score to reach.

    Returns
    -------
    float
        1 where nothing better is known.
    """
    if aggregate == "pooled":
        return _of_pooled(measure, total, positives, undefined, score)
    policy = policy_in_folds(measure, aggregate, undefined)
    if by_pair(aggregate):
        return _of_pair(measure, total, positives, policy, score, some=skips(aggregate))
    return _of_mean(measure, total, positives, policy, score, some=skips(aggregate))


def _of_mean(
    measure: Measure, total: IntArray, positives: IntArray, policy: Undefined, score: float, *, some: bool
) -> float:
    low, high = measure.bounds
    fits = policy in {"exclude", "worst"} or low <= float(policy) <= high
    if not (math.isfinite(high - low) and fits and measure.in_catalogue):
        return 1.0
    largest = measure.greater_is_better is not False
    reach = (score - low if largest else high - score) / (high - low)
    moments = _moments(total, positives, lambda m, p: _moment_of_score(measure, policy, m, p))
    if moments is None:
        moments = _chords(_best_shares(measure, total, positives, policy, largest=largest))
    found = _smallest(moments, reach, first=2 if some else len(total))
    alone = in_each(measure, total, positives, policy, score)
    if some:  # one fold alone is the plain problem, whose p-value is exact
        found = max(found, float(alone.max()))
    return min(found, _in_any(alone))


def in_each(
    measure: Measure, total: IntArray, positives: IntArray, policy: Undefined, score: float
) -> FloatArray:
    """Return for each fold the largest probability that its own score reaches this one.

    Parameters
    ----------
    measure : Measure
        What is evaluated.
    total, positives : ndarray of int, shape (folds,)
        The margins M and P of each fold.
    policy : "exclude", "worst" or float
        What counts for an outcome without a value in a fold.
    score : float
        The score to reach.

    Returns
    -------
    ndarray of shape (folds,)
    """
    fill = fill_value(measure, total, policy, largest=measure.greater_is_better is not False)
    return np.nan_to_num(universal_p_value(measure, total, positives, score, fill=fill).upper, nan=0.0)


def _in_any(alone: FloatArray) -> float:
    """Return the probability of any of independent events: a mean reaches nothing that no fold reaches."""
    with np.errstate(divide="ignore"):
        return abs(float(np.expm1(np.log1p(-np.minimum(alone, 1.0)).sum())))


def _best_shares(
    measure: Measure, total: IntArray, positives: IntArray, policy: Undefined, *, largest: bool
) -> FloatArray:
    """Return the largest mean of each fold, 1 where it is not certain."""
    low, high = measure.bounds
    bars = baseline(Population(total, positives), measure, undefined=policy)
    value = np.asarray(bars.value, dtype=np.float64)
    shares = (value - low if largest else high - value) / (high - low)
    known = np.asarray(bars.certified) & (measure.domain.on_margins or policy != "exclude") & ~np.isnan(value)
    return np.where(known, shares, 1.0)


def _of_pair(
    measure: Measure, total: IntArray, positives: IntArray, policy: Undefined, score: float, *, some: bool
) -> float:
    """Bound what lies beyond a line below which the score is not reached, for several such lines."""
    fill = pair_fill(measure, policy)
    if not is_concave(measure) or not (math.isnan(fill) or fill == 0.0):
        return 1.0
    found, share = 1.0, positives / total
    needed = lines(measure, score)
    for weight, reach in needed if _few_tables(total, positives) else needed[::4]:
        if (weight * share + (1 - weight) * (positives > 0)).mean() >= reach:
            continue  # predicting everything positive gets there
        moments = _moments(total, positives, functools.partial(_moment_of_pair, weight))
        if moments is None:
            moments = _chords(weight * share + (1 - weight) * (positives > 0))
        found = min(found, _smallest(moments, reach, first=2 if some else len(total)))
        together = Measure(
            "a line of precision and recall",
            functools.partial(_on_line, weight=weight),
            greater_is_better=True,
            bounds=(0.0, 1.0),
            better_with_tp=True,
            worse_with_fp=True,
        )
        alone = universal_p_value(together, total, positives, reach * (1 - 1e-12)).upper
        found = min(found, _in_any(np.nan_to_num(alone, nan=0.0)))
    if some:
        found = max(found, float(in_each(measure, total, positives, policy, score).max()))
    return min(found, 1.0)


def _on_line(tp: Any, fp: Any, fn: Any, tn: Any, *, weight: float) -> Any:  # noqa: ARG001 - a measure's cells
    return weight * tp / np.maximum(tp + fp, 1) + (1 - weight) * tp / np.maximum(tp + fn, 1)


def _few_tables(total: IntArray, positives: IntArray) -> bool:
    m, p = np.unique(np.stack((total, positives), axis=1), axis=0).T
    return int(((np.minimum(p, m - p) + 1) * m).sum()) <= MOST_TABLES


def _moments(
    total: IntArray, positives: IntArray, moment: Callable[[int, int], FloatArray]
) -> FloatArray | None:
    """Return the logarithm of each fold's largest E exp(t X), at every rate; None where that is much work.

    Outcomes without a value reach nothing, and add nothing.
    """
    if not _few_tables(total, positives):
        return None
    distinct, back = np.unique(np.stack((total, positives), axis=1), axis=0, return_inverse=True)
    found = np.stack([moment(int(m), int(p)) for m, p in distinct])
    return found[back.reshape(-1)]


@functools.lru_cache(maxsize=4096)
def _moment_of_score(measure: Measure, policy: Undefined, total: int, positives: int) -> FloatArray:
    low, high = measure.bounds

    def shares(tp: IntArray, m: IntArray, p: IntArray, k: IntArray) -> FloatArray:
        raw = values_at(measure, tp, m, p, k)
        raw = filled(measure, np.where(np.isfinite(raw), raw, np.nan), m, policy)
        return np.asarray((high - raw if measure.greater_is_better is False else raw - low) / (high - low))

    return _largest_moment(total, positives, shares)


@functools.lru_cache(maxsize=4096)
def _moment_of_pair(weight: float, total: int, positives: int) -> FloatArray:
    def shares(tp: IntArray, m: IntArray, p: IntArray, k: IntArray) -> FloatArray:  # noqa: ARG001
        return np.asarray(weight * tp / np.maximum(k, 1) + (1 - weight) * tp / np.maximum(p, 1))

    return _largest_moment(total, positives, shares)


def _largest_moment(total: int, positives: int, shares: Callable[..., FloatArray]) -> FloatArray:
    k = np.arange(total + 1)
    m, p = np.full(k.shape, total), np.full(k.shape, positives)
    best = np.full(RATES.shape, -np.inf)
    for rows, draw, tp, start in support_chunks(m, p, k):
        own = k[rows][draw]
        margins = (np.full(tp.shape, total), np.full(tp.shape, positives), own)
        x = shares(tp, *margins)
        mass = np.where(np.isnan(x), 0.0, hg.pmf(tp, *margins))
        x = np.nan_to_num(x)
        for at, rate in enumerate(RATES):
            sums = np.add.reduceat(mass * np.exp(rate * (x - 1.0)), start)
            with np.errstate(divide="ignore"):
                best[at] = max(best[at], float(np.log(sums.max())) + rate)
    return best


def _chords(means: FloatArray) -> FloatArray:
    """Bound moments by means: exp(t x) lies below its chord from 0 to 1 (Hoeffding 1963)."""
    clipped = np.clip(means, 0.0, 1.0)[:, None]
    # log(1 - m + m exp(t)), without overflow
    found: FloatArray = RATES + np.log(clipped + (1 - clipped) * np.exp(-RATES))
    return found


def _smallest(moments: FloatArray, reach: float, *, first: int) -> float:
    """Return the smallest bound over all rates, for the number of folds at which that is largest."""
    if len(moments) < first:
        return 0.0
    together = np.cumsum(np.sort(moments, axis=0)[::-1], axis=0)
    folds = np.arange(1, len(moments) + 1)[:, None]
    bounds = (together - RATES * reach * folds).min(axis=1)
    return math.exp(min(float(bounds[first - 1 :].max()), 0.0))


def _of_pooled(
    measure: Measure, total: IntArray, positives: IntArray, undefined: Undefined, score: float
) -> float:
    """Return a bound from the mean of TP, which is largest where folds rich in positives come first.

    For every TP the largest K at which it still reaches the score has the heaviest tail; the pooled
    TP is a sum of P independent indicators (Vatutin and Mikhailov 1982), so that Hoeffding's bound
    for their mean holds.
    """
    m, p = int(total.sum()), int(positives.sum())
    ordered = measure.better_with_tp and measure.worse_with_fp and measure.domain.on_margins
    if not ordered or undefined != "exclude" or p > MOST_POSITIVES or not p:
        return 1.0
    tp = np.arange(p + 1)

    def fails(fp: IntArray, rows: Any) -> BoolArray:
        raw = measure.values(tp[rows], fp, p - tp[rows], m - p - fp)
        return ~attains(raw, score, greater_is_better=measure.greater_is_better)

    low = np.minimum((tp == 0).astype(np.int64), m - p)
    beyond = least_true(fails, low, np.full_like(tp, m - p), np.full_like(tp, -1))
    reached = beyond > low
    alone = measure.values(*np.array([[0], [0], [p], [m - p]]))
    if attains(alone, score, greater_is_better=measure.greater_is_better).any():
        return 1.0
    tp, k = tp[reached], (tp + beyond - 1)[reached]
    order = np.argsort(-(positives / total), kind="stable")
    edges = np.concatenate(([0], np.cumsum(total[order])))
    mean = np.interp(k, edges, np.concatenate(([0], np.cumsum(positives[order]))))
    if (tp <= mean).any():
        return 1.0
    missed, expected = p - tp, p - mean
    with np.errstate(divide="ignore", invalid="ignore"):
        divergence = tp * np.log(tp / mean) + np.where(missed > 0, missed * np.log(missed / expected), 0.0)
    return float(np.exp(-divergence).max(initial=0.0))
