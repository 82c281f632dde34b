"""True positives of independent folds, added up: the law behind a pooled table.

Given how many samples of each fold are predicted positive, the pooled TP is a sum of independent
hypergeometric numbers, and its tail is the exact conditional Cochran-Mantel-Haenszel test. Far out,
such a sum is found by tilting: every fold's law is multiplied by ``exp(theta * TP)`` with the theta
that moves the mean of the sum to where the tail begins. There all that counts is of ordinary size, so
that nothing underflows and a convolution of short windows keeps its digits.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.null import attains, least_true, values_at
from clearbar.null import hypergeometric as hg

LEFT_OUT = 45.0
"""A window leaves out less than two times exp(-45) of a tilted law (Bernstein's inequality)."""

MOST_POINTS = 2**22
"""Points in the windows of all folds up to which they are convolved."""

DIRECT = 2**28
"""Products in one convolution up to which they are all formed; beyond, Fourier transforms."""

MOST_TABLES = 2**22
"""Pooled tables up to which a measure without order in TP is looked at everywhere."""

FEW_PIECES = 16
"""Stretches of TP that are added up as differences of tails."""


def log_tail_of_sum(least: int, total: Any, positives: Any, draws: Any) -> float:
    """Return log P(sum of TP >= least), the folds drawn independently.

    Mantel and Haenszel, J. Nat. Cancer Inst. 22, 1959; Gart, Biometrika 57, 1970 (exact conditional).

    Within 1e-10 of the logarithm, also where the probability itself underflows; nan where the folds are too
    large to be convolved.
    """
    m, p, k = (np.asarray(margin, dtype=np.int64).reshape(-1) for margin in (total, positives, draws))
    if least <= int(hg.support(m, p, k)[0].sum()):
        return 0.0
    if least > float(hg.tp_mean(m, p, k).sum()):
        return _upper(least, m, p, k)
    # TP <= least - 1 is FN >= P - least + 1, and FN is what a draw of M - k samples finds.
    return math.log1p(-math.exp(_upper(int(p.sum()) - least + 1, m, p, m - k)))


def _upper(least: int, m: IntArray, p: IntArray, k: IntArray) -> float:
    """Return the same of a tail that begins at the mean or above."""
    low, high = hg.support(m, p, k)
    if least > int(high.sum()):
        return -math.inf
    if least == int(high.sum()):
        return float(hg.log_pmf(high, m, p, k).sum())
    theta, centre, variance = _tilt(least, m, p, k)
    reach = LEFT_OUT / 3 + np.sqrt(LEFT_OUT**2 / 9 + 2 * LEFT_OUT * (1.25 * variance + 1.0)) + 2
    middle = np.clip(np.rint(centre).astype(np.int64), low, high)
    first = np.maximum(low, middle - reach.astype(np.int64))
    last = np.minimum(high, middle + reach.astype(np.int64))
    if int((last - first + 1).sum()) > MOST_POINTS:
        return math.nan
    fold, at, start = hg.laid_out(last - first + 1)
    tp = at + first[fold]
    log_weight = hg.log_pmf(tp, m[fold], p[fold], k[fold]) + theta * (tp - middle[fold])
    top = np.maximum.reduceat(log_weight, start)
    weight = np.exp(log_weight - top[fold])
    whole = np.add.reduceat(weight, start)
    together = _convolved(np.split(weight / whole[fold], start[1:]))  # adds up to 1, however many folds
    from_least = together[least - int(first.sum()) :]
    scale = float((top + np.log(whole)).sum()) - theta * (least - int(middle.sum()))
    mass = float((from_least * np.exp(-theta * np.arange(len(from_least)))).sum())
    return scale + math.log(mass)


def _tilt(least: int, m: IntArray, p: IntArray, k: IntArray) -> tuple[float, FloatArray, FloatArray]:
    """Return theta, and mean and variance of each fold's tilted law (Cornfield's approximations).

    They only place the windows: any theta and windows wide enough give the same tail.
    """
    positives, draws, rest = (part.astype(np.float64) for part in (p, k, m - p - k))

    def means(theta: float) -> FloatArray:
        odds = math.exp(theta)
        b = odds * (positives + draws) + rest
        root = np.sqrt(np.maximum(b * b - 4 * (odds - 1) * odds * positives * draws, 0.0))
        means = 2 * odds * positives * draws / np.maximum(b + root, 1e-300)
        return np.asarray(means, dtype=np.float64)

    low, high = 0.0, 150.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if means(middle).sum() < least else (low, middle)
    centre = means(high)
    cells = np.stack((centre, positives - centre, draws - centre, rest + centre))
    with np.errstate(divide="ignore"):
        variance = 1.0 / (1.0 / np.maximum(cells, 1e-9)).sum(axis=0)
    return high, centre, variance


def _convolved(parts: list[FloatArray]) -> FloatArray:
    """Convolve short windows first, so that the long ones meet late."""
    parts = sorted(parts, key=len)
    while len(parts) > 2**6:  # neighbours first: one by one, a sum of many folds meets each of them
        pairs = zip(parts[::2], [*parts[1::2], np.ones(1)], strict=False)
        parts = [_convolve(one, other) for one, other in pairs]
    return functools.reduce(_convolve, parts)


def _convolve(one: FloatArray, other: FloatArray) -> FloatArray:
    if len(one) * len(other) <= DIRECT:
        return np.convolve(one, other)
    length = len(one) + len(other) - 1
    size = 1 << (length - 1).bit_length()
    sums = np.fft.irfft(np.fft.rfft(one, size) * np.fft.rfft(other, size), size)[:length]
    return np.maximum(sums, 0.0)


def tail_of_sum(least: int, total: Any, positives: Any, draws: Any) -> float:
    """Return P(sum of TP >= least); see `log_tail_of_sum`."""
    return math.exp(log_tail_of_sum(least, total, positives, draws))


def reach_of_sum(
    measure: Measure,
    total: IntArray,
    positives: IntArray,
    draws: IntArray,
    score: float,
    *,
    fill: float = math.nan,
) -> float:
    """Return P(the measure of the pooled table is at least as good as a score)."""
    if math.isnan(score):
        return math.nan
    low, high = (int(end.sum()) for end in hg.support(total, positives, draws))
    margins = int(total.sum()), int(positives.sum()), int(draws.sum())
    if high - low >= MOST_TABLES:
        return _by_threshold(measure, (total, positives, draws), margins, (low, high), score)
    tp = np.arange(low, high + 1)
    raw = values_at(measure, tp, *(np.full(tp.shape, margin) for margin in margins))
    raw = np.where(np.isnan(raw) | (np.isinf(raw) & (not math.isnan(fill))), fill, raw)
    counts = attains(raw, score, greater_is_better=measure.greater_is_better)
    return _mass(counts, low, total, positives, draws)


def _by_threshold(
    measure: Measure,
    folds: tuple[IntArray, IntArray, IntArray],
    margins: tuple[int, int, int],
    ends: tuple[int, int],
    score: float,
) -> float:
    if not measure.better_with_tp:
        return math.nan

    def reaches(tp: IntArray, rows: Any) -> BoolArray:  # noqa: ARG001 - one row
        raw = values_at(measure, tp, *(np.full(tp.shape, margin) for margin in margins))
        return attains(raw, score, greater_is_better=measure.greater_is_better)

    first = least_true(reaches, np.array([ends[0]]), np.array([ends[1]]), np.array([-1]))
    return tail_of_sum(int(first[0]), *folds)


def _mass(counts: BoolArray, low: int, total: IntArray, positives: IntArray, draws: IntArray) -> float:
    """Add up the probability of a set of TP, stretch by stretch, each from the side of its tail."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], counts, [False]))))
    first, last = edges[::2] + low, edges[1::2] + low - 1
    if not len(first):
        return 0.0
    if len(first) == 1 and last[0] == low + len(counts) - 1:
        return tail_of_sum(int(first[0]), total, positives, draws)
    if len(first) > FEW_PIECES:
        whole, start = law_of_sum(total, positives, draws)
        keep = counts[start - low : start - low + len(whole)]
        return float(whole[keep].sum())
    mean = float(hg.tp_mean(total, positives, draws).sum())
    pieces = zip(first.tolist(), last.tolist(), strict=True)
    return min(sum(_stretch(a, b, mean, total, positives, draws) for a, b in pieces), 1.0)


def _stretch(first: int, last: int, mean: float, m: IntArray, p: IntArray, k: IntArray) -> float:
    """Return P(first <= sum of TP <= last) as a difference of tails away from the mean."""
    if first > mean:
        return tail_of_sum(first, m, p, k) - tail_of_sum(last + 1, m, p, k)
    missed = int(p.sum())  # FN of a draw is TP of its complement
    up_to_last = tail_of_sum(missed - last, m, p, m - k)
    return up_to_last - tail_of_sum(missed - first + 1, m, p, m - k)


def law_of_sum(total: Any, positives: Any, draws: Any) -> tuple[FloatArray, int]:
    """Return the law of the sum of TP, the folds drawn independently.

    Of the first TP and those that follow; less than 2e-18 of each fold's law is left out.
    """
    m, p, k = (np.asarray(margin, dtype=np.int64).reshape(-1) for margin in (total, positives, draws))
    first, last = hg.window(m, p, k)
    fold, at, start = hg.laid_out(last - first + 1)
    tp = at + first[fold]
    parts = np.split(hg.pmf(tp, m[fold], p[fold], k[fold]), start[1:])
    return _convolved(parts), int(first.sum())


def laws_of_sums(total: IntArray, positives: IntArray, draws: IntArray) -> FloatArray:
    """Return P(sum of TP = 0, 1, ...) for each row of draws per fold, nothing left out."""
    laws = np.ones((len(draws), 1))
    for m, p, k in zip(total.tolist(), positives.tolist(), draws.T, strict=True):
        own = hg.pmf(np.arange(p + 1), m, p, np.arange(m + 1)[:, None])[k]
        short, long = sorted((laws, own), key=lambda part: part.shape[1])
        laws = np.zeros((len(draws), short.shape[1] + long.shape[1] - 1))
        for at in range(short.shape[1]):
            laws[:, at : at + long.shape[1]] += short[:, at, None] * long
    return laws
