"""ROC AUC and the Mann-Whitney statistic: its exact law, bounds over every pattern of ties, p-values.

U counts the pairs of a positive and a negative sample that a ranking has in the right order, ties for
one half: ROC AUC is U / (P N).
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.core._typing import FloatArray, IntArray
from clearbar.problems._protocol import Tail
from clearbar.problems.binary import universal_p_value
from clearbar.problems.scores._arrangements import can_list
from clearbar.problems.scores._chance import Chance, by_arrangements, majorant
from clearbar.problems.scores._sums import sum_tail

if TYPE_CHECKING:
    from clearbar.problems.scores._measure import ScoreMeasure
    from clearbar.problems.scores._ranking import Ranking

MOST_STEPS = 100_000_000
"""Additions up to which the law without ties is computed exactly."""

MOST_TIED_STEPS = 1_000_000_000
"""Likewise with ties."""

ROUGH = 2_000
"""Factors that the search for the best exponent looks at."""

MOST_SAMPLES = 100_000
"""Samples up to which rankings with two distinct scores are all tried."""


def is_small(total: int, positives: int) -> bool:
    """Whether the law without ties is computed exactly."""
    fewer = min(positives, total - positives)
    return fewer * positives * (total - positives) <= MOST_STEPS


@functools.lru_cache(maxsize=16)
def untied_law(total: int, positives: int) -> FloatArray:
    """Return P(U = u) for u = 0 ... P N, without ties.

    The number of arrangements with U = u is the coefficient of q**u in the Gaussian binomial coefficient, the
    product over i of (1 - q**(N + i)) / (1 - q**i). It is symmetric, so that only the lower half is computed,
    where nothing but small terms are subtracted.

    Mann and Whitney, Annals of Mathematical Statistics 18(1), 1947; Loeffler, Wissenschaftliche Zeitschrift
    der Universitaet Halle 32, 1983.
    """
    fewer, more = sorted((positives, total - positives))
    size = fewer * more
    half = np.zeros(size // 2 + 1)
    half[0] = 1.0
    for i in range(1, fewer + 1):
        step = half.copy()
        if more + i < len(half):
            step[more + i :] -= half[: len(half) - more - i]
        half = _running_sums(step, i) * (i / (more + i))
    law = np.concatenate([half, half[: size - size // 2][::-1]])
    law.flags.writeable = False
    return law


def _running_sums(values: FloatArray, stride: int) -> FloatArray:
    """Return sums over every ``stride``-th value before each."""
    padded = np.zeros(-(-len(values) // stride) * stride)
    padded[: len(values)] = values
    return padded.reshape(-1, stride).cumsum(axis=0).reshape(-1)[: len(values)]


def tied_steps(sizes: IntArray, positives: int) -> float:
    """Return how many additions the law with ties takes."""
    total = int(sizes.sum())
    return float(np.minimum(sizes, positives).sum()) * (positives + 1) * (2 * positives * total + 1)


def tied_law(sizes: IntArray, positives: int) -> FloatArray:
    """Return P(2 U = u) for u = 0 ... 2 P N, where samples share ranks.

    Groups of samples with equal scores are added one by one, the lowest first: a group of g samples, of which
    b are positive, adds b (2 n + g - b) to 2 U when n negatives are below it.
    """
    total = int(sizes.sum())
    width = 2 * positives * (total - positives) + 1
    law = np.zeros((positives + 1, width))
    law[0, 0] = 1.0
    below = 0
    for size in sizes[::-1].tolist():
        new = np.zeros_like(law)
        for among in range(min(size, positives) + 1):
            ways = float(math.comb(size, among))
            for before in range(max(0, below - (total - positives)), min(below, positives - among) + 1):
                negatives = below - before
                if negatives + size - among > total - positives:
                    continue
                shift = among * (2 * negatives + size - among)
                new[before + among, shift:] += ways * law[before, : width - shift]
        law = new
        below += size
    return np.asarray(law[positives] / float(math.comb(total, positives)))


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


def _any(total: int, positives: int, score: float) -> Tail:
    pairs = positives * (total - positives)
    wanted = score * pairs
    upper = pairs_bound(total, positives, wanted * (1 - 1e-14) - pairs / 2)
    if is_small(total, positives):
        law = untied_law(total, positives)
        upper = min(upper, majorant(np.arange(pairs + 1.0), law, wanted * (1 - 1e-14)))
        untied = float(law[math.ceil(wanted - 1e-9 * max(1.0, wanted)) :].sum())
    else:
        untied = 0.0
    lower = untied
    if total <= MOST_SAMPLES:  # two groups of ties are labels, and their ROC AUC is the balanced accuracy
        two_groups = universal_p_value(get_measure("balanced_accuracy", "binary"), total, positives, score)
        lower = max(untied, float(two_groups.lower))
    return Tail.between(lower, max(upper, lower))


def _own(measure: ScoreMeasure, ranking: Ranking, score: float) -> Tail:
    total, positives = ranking.total, ranking.hits
    pairs = positives * (total - positives)
    untied = len(ranking.sizes) == total
    if untied and is_small(total, positives):
        law, wanted = untied_law(total, positives), round(score * pairs)
        return Tail.exactly(float(law[wanted:].sum()))
    if can_list(ranking.sizes, ranking.hits):
        return by_arrangements(measure, ranking, score)
    if not untied and tied_steps(ranking.sizes, positives) <= MOST_TIED_STEPS:
        law, wanted = tied_law(ranking.sizes, positives), round(2 * score * pairs)
        return Tail.exactly(float(law[wanted:].sum()))
    observed = score * pairs + positives * (positives + 1) / 2
    return sum_tail(ranking.midranks, ranking.sizes, positives, observed, _span(ranking))


def _span(ranking: Ranking) -> float:
    """Return the distance between sums of midranks: a half, unless groups have sizes in common."""
    doubled = np.rint(2 * ranking.midranks).astype(np.int64)
    return float(np.gcd.reduce(np.diff(doubled))) / 2 if len(doubled) > 1 else 1.0


PAIRS = Chance(_any, _own)
