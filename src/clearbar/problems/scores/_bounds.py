"""Upper bounds that hold for every pattern of ties, at any size: Chernoff's."""

from __future__ import annotations

import math

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.problems.scores._arrangements import log_arrangements
from clearbar.problems.scores._sums import equations

_ROUNDS = 60

ROUGH = 2_000
"""Factors that the search for the best exponent looks at."""


def chernoff_bound(weights: FloatArray, positives: int, observed: float) -> float:
    """Return an upper bound of the probability that the sum reaches what was observed.

    It holds for the weights given and for every way to average some of them, so for every pattern of
    ties of a measure whose ties are averaged.

    The minimum over z and t of exp(-t w) z**-P prod(1 + z exp(t c)) / C(M, P) (Chernoff, Annals of
    Mathematical Statistics 23(4), 1952).
    """
    total = len(weights)
    sizes = np.ones(total, dtype=np.int64)
    mean, spread = float(weights.mean()), float(weights.std())
    if not spread or not 0 < positives < total:
        return 1.0
    units, target = (weights - mean) / spread, (observed - positives * mean) / spread
    if target <= 0:
        return 1.0
    share = positives / total
    tilt = np.array([math.log(share / (1 - share)), 0.0])
    wanted = np.array([float(positives), target])
    best = math.inf
    for _ in range(_ROUNDS):
        gap, jacobian, value = equations(units, sizes, tilt, wanted)
        best = min(best, value)  # any tilt with t >= 0 bounds, the best one bounds best
        try:
            step = np.linalg.solve(jacobian + 1e-12 * np.diag(np.diag(jacobian)), gap)
        except np.linalg.LinAlgError:
            break
        length = 1.0
        while length > 1e-6:
            new = tilt + length * step
            if new[1] >= 0 and equations(units, sizes, new, wanted)[2] <= value:
                break
            length /= 2
        tilt = tilt + length * step
        if length * float(np.abs(step).max()) < 1e-10 or length <= 1e-6:
            break
    return min(1.0, math.exp(min(0.0, best - log_arrangements(total, positives))))


def pairs_bound(total: int, positives: int, excess: float) -> float:
    """Bound the chance that so many more pairs than on average are in the right order, whatever the ties.

    Markov's inequality for exp(t U), whose mean without ties is the Gaussian binomial coefficient at
    q = exp(t) over the binomial one; with ties it is smaller (Jensen).
    """
    if excess <= 0:
        return 1.0
    variance = positives * (total - positives) * (total + 1) / 12
    rough = _factors(total, positives, ROUGH)
    high, most = excess / variance, 1e3 * excess / variance
    while high < most and _exponent(2 * high, rough, excess) < _exponent(high, rough, excess):
        high *= 2
    low, high = 0.0, 2 * high
    for _ in range(80):
        third = (high - low) / 3
        if _exponent(low + third, rough, excess) < _exponent(high - third, rough, excess):
            high -= third
        else:
            low += third
    # The search may be rough: the bound holds at any t, if it is computed there in full.
    full = _factors(total, positives, min(positives, total - positives))
    return min(1.0, math.exp(min(0.0, _exponent((low + high) / 2, full, excess))))


_Factors = tuple[FloatArray, FloatArray, float]


def _factors(total: int, positives: int, most: int) -> _Factors:
    """Return the arguments of the hyperbolic sines, or some of them and how many each stands for."""
    fewer, more = sorted((positives, total - positives))
    number = min(fewer, most)
    i = np.linspace(1.0, fewer, number) if number < fewer else np.arange(1.0, fewer + 1)
    return (more + i) / 2, i / 2, fewer / number


def _exponent(t: float, factors: _Factors, excess: float) -> float:
    """Return the logarithm of the mean of exp(t (U - P N / 2)), less t times the excess."""
    above, below, times = factors
    return times * float((_log_sinhc(t * above) - _log_sinhc(t * below)).sum()) - t * excess


def _log_sinhc(x: FloatArray) -> FloatArray:
    """Return log(sinh(x) / x) for x > 0."""
    small = x < 1e-3
    safe = np.where(small, 1.0, x)
    exact = safe + np.log1p(-np.exp(-2 * safe)) - math.log(2) - np.log(safe)
    return np.where(small, x * x / 6, exact)
