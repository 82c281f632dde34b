"""The exact law of the Mann-Whitney statistic, with and without ties.

U counts the pairs of a positive and a negative sample that a ranking has in the right order, ties for
one half: ROC AUC is U / (P N).
"""

from __future__ import annotations

import functools
import math

import numpy as np

from clearbar.core._typing import FloatArray, IntArray

MOST_STEPS = 100_000_000
"""Additions up to which the law without ties is computed exactly."""

MOST_TIED_STEPS = 1_000_000_000
"""Likewise with ties."""


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


def majorant(values: FloatArray, probabilities: FloatArray, score: float) -> float:
    """Return the largest probability with which a coarser ranking reaches a score.

    A ranking with ties has the mean score of the rankings that break them at random. So its score is a
    conditional expectation of the untied one, and P(tied >= s) is at most the share of the untied law, best
    first, whose mean is s (Hardy and Littlewood's maximal function).

    Hardy and Littlewood, Acta Mathematica 54, 1930; Kertz and Roesler, Israel J. Math. 69, 1990.
    """
    values, probabilities = values[::-1], probabilities[::-1]
    excess = np.cumsum(probabilities * (values - score))
    above = np.flatnonzero(excess < -1e-14 * np.cumsum(probabilities * np.abs(values - score)))
    if not len(above):
        return 1.0
    at = int(above[0])
    share = float(probabilities[:at].sum())
    rest = float(excess[at - 1]) if at else 0.0
    gap = score - float(values[at])
    return min(1.0, share + max(rest, 0.0) / gap)
