"""ROC AUC: DeLong's variance on the logit scale, a bound where it is 0, and the difference of two models.

DeLong, DeLong and Clarke-Pearson, Biometrics 44, 1988; Sun and Xu, IEEE Signal Processing Letters 21, 2014;
Hoeffding, J. Amer. Statist. Assoc. 58, 1963, section 5b.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.reasons import Reason
from clearbar.inference.bootstrap import Test
from clearbar.inference.exchange import Exchangeable, exchange
from clearbar.inference.units import Tail
from clearbar.problems.scores._measure import Ranking, ScoreMeasure
from clearbar.problems.scores._units import ScoreUnits


@dataclass(frozen=True)
class DeLong:
    """A ROC AUC strictly between 0 and 1, and the standard error of its logit."""

    auc: float
    error: float

    def tail(self, bar: float) -> Tail:
        """Return the two-sided p-value of H0: the true AUC is the bar."""
        from scipy.special import logit

        p_value = 0.0
        if 0 < bar < 1:
            p_value = math.erfc(abs(float(logit(self.auc) - logit(bar))) / self.error / math.sqrt(2))
        return Tail(p_value, p_value, Reason("delong"), "delong")

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:  # noqa: ARG002
        """Return the AUCs that are not refuted."""
        from scipy.special import expit, logit, ndtri

        half = -float(ndtri((1 - level) / 2)) * self.error
        low, high = (float(expit(logit(self.auc) + step)) for step in (-half, half))
        return min(low, self.auc), max(high, self.auc)


@dataclass(frozen=True)
class PairBound:
    """A ROC AUC whose variance cannot be seen: what the fewest disjoint pairs still refute.

    Any P(AUC >= auc) under a true AUC is at most exp(-pairs times the divergence of the two), where pairs
    is the size of the rarer class: an AUC is a mean over ways to pair each of these with another sample.
    """

    auc: float
    pairs: int
    note: Reason

    def tail(self, bar: float) -> Tail:
        """Return a bound of the two-sided p-value of H0: the true AUC is the bar."""
        p_value = self._p_value(bar)
        return Tail(p_value, p_value, self.note, "exact")

    def _p_value(self, bar: float) -> float:
        return min(1.0, 2 * math.exp(-self.pairs * _divergence(self.auc, bar)))

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the AUCs that are not refuted."""
        from scipy.optimize import brentq

        def end(bound: float) -> float:
            if self._p_value(bound) > 1 - level:
                return bound
            wanted = math.log(2 / (1 - level)) / self.pairs
            return float(brentq(lambda bar: min(_divergence(self.auc, bar), 1e3) - wanted, bound, self.auc))

        low, high = map(end, bounds)
        return low, high


def delong(ranking: Ranking) -> Test:
    """Return what the placements of the samples of each class say about a ROC AUC."""
    positives, negatives = ranking.positives, ranking.negatives
    of_positives = _twice_below(negatives)
    of_negatives = 2 * ranking.hits - _twice_below(positives)
    P, N = ranking.hits, ranking.total - ranking.hits
    auc = float((positives * of_positives.astype(np.float64)).sum() / (2.0 * P * N))
    pairs = min(P, N)
    if pairs == 1:
        return PairBound(auc, pairs, Reason("delong_lone"))
    placements = of_positives[positives > 0], of_negatives[negatives > 0]
    if all(values.min() == values.max() for values in placements):
        return PairBound(auc, pairs, Reason.of("delong_no_variance", pairs=pairs))
    variance = _variance(of_positives, positives) / (4.0 * N**2 * P)
    variance += _variance(of_negatives, negatives) / (4.0 * P**2 * N)
    return DeLong(auc, math.sqrt(variance) / (auc * (1 - auc)))


def _twice_below(counts: IntArray) -> IntArray:
    """Return twice the number of samples with a lower score, and once those with the same."""
    below = counts.sum() - np.cumsum(counts)
    return np.asarray(2 * below + counts)


def _variance(placements: IntArray, counts: IntArray) -> float:
    number = float(counts.sum())
    off = placements - float((counts * placements.astype(np.float64)).sum()) / number
    return float((counts * off**2).sum() / (number - 1))


def _divergence(seen: float, true: float) -> float:
    """Return the relative entropy of a coin with one bias from a coin with another."""
    if seen == true:
        return 0.0
    if not 0 < true < 1:
        return math.inf
    terms = ((seen, true), (1 - seen, 1 - true))
    return max(0.0, math.fsum(a * math.log(a / b) for a, b in terms if a))


@dataclass(frozen=True, eq=False)
class PairedDeLong:
    """The ROC AUCs of two models on the same samples."""

    scores: tuple[float, float]
    error: float
    units: ScoreUnits
    measure: ScoreMeasure
    test: ClassVar[str] = "delong"
    method: ClassVar[str] = "delong"
    alone: ClassVar[None] = None
    same: ClassVar[bool] = False
    mcnemar: ClassVar[float] = math.nan
    note: ClassVar[Reason] = Reason("delong_difference")

    @property
    def p_value(self) -> float:
        return self.surprise(0.0)

    def surprise(self, difference: float) -> float:
        """Return the two-sided p-value of H0: the true difference is this."""
        off = abs(self.scores[0] - self.scores[1] - difference)
        return math.erfc(off / self.error / math.sqrt(2)) if off > 0 else 1.0

    def interval(self, level: float) -> tuple[float, float]:
        """Return the differences that the test does not refute."""
        from scipy.special import ndtri

        half = -float(ndtri((1 - level) / 2)) * self.error
        difference = self.scores[0] - self.scores[1]
        return max(difference - half, -1.0), min(difference + half, 1.0)

    def exchangeable(self) -> Exchangeable:
        return exchange(self.units, self.measure)


def paired_delong(units: ScoreUnits, measure: ScoreMeasure) -> PairedDeLong | None:
    """Return the difference of two AUCs of independent samples; None where no placement varies."""
    placements = [_placements(units, scores) for scores in units.scores]
    aucs = [float(of_positives.mean()) for of_positives, _ in placements]
    variance = sum(
        float((first - second).var(ddof=1)) / len(first) for first, second in zip(*placements, strict=True)
    )
    return PairedDeLong((aucs[0], aucs[1]), math.sqrt(variance), units, measure) if variance > 1e-28 else None


def _placements(units: ScoreUnits, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the share of negatives below each positive, and of positives above each negative."""
    positives, negatives = np.sort(scores[units.truth]), np.sort(scores[~units.truth])
    below = _below(negatives, scores[units.truth]) / len(negatives)
    return below, 1.0 - _below(positives, scores[~units.truth]) / len(positives)


def _below(values: FloatArray, scores: FloatArray) -> FloatArray:
    """Return how many of ascending values are below scores, ties counting half."""
    return np.asarray((np.searchsorted(values, scores) + np.searchsorted(values, scores, side="right")) / 2)
