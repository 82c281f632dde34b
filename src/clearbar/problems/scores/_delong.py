"""How surely a ROC AUC is above a bar: DeLong's variance on the logit scale, a bound where it is 0.

DeLong, DeLong and Clarke-Pearson, Biometrics 44, 1988; Sun and Xu, IEEE Signal Processing Letters 21, 2014;
Hoeffding, J. Amer. Statist. Assoc. 58, 1963, section 5b.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar

import numpy as np

from clearbar.core._typing import IntArray
from clearbar.problems._protocol import Method
from clearbar.problems._tested import Resampled
from clearbar.problems.scores._ranking import Ranking

NOTE = "approximate: DeLong's variance on the logit scale"


@dataclass(frozen=True)
class DeLong:
    """A ROC AUC strictly between 0 and 1, and the standard error of its logit."""

    auc: float
    error: float
    unknown: ClassVar[str] = ""
    method: ClassVar[Method] = "delong"
    draws: ClassVar[int] = 0

    def p_value(self, bar: float) -> float:
        """Return how surprising the AUC is if the true one is the bar, two-sided."""
        if not 0 < bar < 1:
            return 0.0
        return math.erfc(abs(_logit(self.auc) - _logit(bar)) / self.error / math.sqrt(2))

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:  # noqa: ARG002
        """Return the AUCs that are not refuted."""
        half = -NormalDist().inv_cdf((1 - level) / 2) * self.error
        low, high = (_expit(_logit(self.auc) + step) for step in (-half, half))
        return min(low, self.auc), max(high, self.auc)


@dataclass(frozen=True)
class PairBound:
    """A ROC AUC whose variance cannot be seen: what the fewest disjoint pairs still refute.

    Any P(AUC >= auc) under a true AUC is at most exp(-pairs times the divergence of the two), where pairs
    is the size of the rarer class: an AUC is a mean over ways to pair each of these with another sample.
    """

    auc: float
    pairs: int
    unknown: ClassVar[str] = ""
    method: ClassVar[Method] = "exact"
    draws: ClassVar[int] = 0

    def p_value(self, bar: float) -> float:
        """Return how surprising the AUC is if the true one is the bar, two-sided and at most."""
        return min(1.0, 2 * math.exp(-self.pairs * _divergence(self.auc, bar)))

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the AUCs that are not refuted."""
        low, high = (self._end(bound, level) for bound in bounds)
        return low, high

    def _end(self, refuted: float, level: float) -> float:
        kept = self.auc
        if self.p_value(refuted) > 1 - level:
            return refuted
        for _ in range(60):
            middle = (refuted + kept) / 2
            if self.p_value(middle) > 1 - level:
                kept = middle
            else:
                refuted = middle
        return kept


def delong(ranking: Ranking) -> Resampled:
    """Return what the placements of the samples of each class say about a ROC AUC."""
    positives, negatives = ranking.positives, ranking.negatives
    of_positives = _twice_below(negatives)
    of_negatives = 2 * ranking.hits - _twice_below(positives)
    P, N = ranking.hits, ranking.total - ranking.hits
    auc = float((positives * of_positives.astype(np.float64)).sum() / (2.0 * P * N))
    pairs = min(P, N)
    if pairs == 1:
        return Resampled(PairBound(auc, pairs), f"conservative: Hoeffding's bound, as {_one_sample(P, N)}")
    seen = [of_positives[positives > 0], of_negatives[negatives > 0]]
    if all(part.min() == part.max() for part in seen):
        least = f"Hoeffding's bound for {pairs:,} pairs, as the AUC has no variance here"
        return Resampled(PairBound(auc, pairs), f"conservative: {least}")
    variance = _variance(of_positives, positives) / (4.0 * N**2 * P)
    variance += _variance(of_negatives, negatives) / (4.0 * P**2 * N)
    return Resampled(DeLong(auc, math.sqrt(variance) / (auc * (1 - auc))), NOTE)


def _one_sample(P: int, N: int) -> str:
    if P == N:
        return "each class has a single sample"
    return f"a single sample is {'positive' if P == 1 else 'negative'}"


def _twice_below(counts: IntArray) -> IntArray:
    """Return twice the number of samples with a lower score, and once those with the same."""
    below = counts.sum() - np.cumsum(counts)
    return np.asarray(2 * below + counts)


def _variance(placements: IntArray, counts: IntArray) -> float:
    number = float(counts.sum())
    off = placements - float((counts * placements.astype(np.float64)).sum()) / number
    return float((counts * off**2).sum() / (number - 1))


def _logit(x: float) -> float:
    return math.log(x) - math.log1p(-x)


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _divergence(seen: float, true: float) -> float:
    """Return the relative entropy of a coin with one bias from a coin with another."""
    if seen == true:
        return 0.0
    if not 0 < true < 1:
        return math.inf
    terms = ((seen, true), (1 - seen, 1 - true))
    return max(0.0, math.fsum(a * math.log(a / b) for a, b in terms if a))
