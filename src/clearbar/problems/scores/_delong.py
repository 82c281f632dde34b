"""ROC AUC: DeLong's variance on the logit scale, a bound where it is 0, and the difference of two models.

Quantiles are Student's, since the variance is estimated from few samples where a class is small.

DeLong, DeLong and Clarke-Pearson, Biometrics 44, 1988; Sun and Xu, IEEE Signal Processing Letters 21, 2014;
Hoeffding, J. Amer. Statist. Assoc. 58, 1963, section 5b.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray
from clearbar.core.reasons import Reason
from clearbar.inference import Tail
from clearbar.inference.bootstrap import Test
from clearbar.inference.exchange import Exchangeable, exchange
from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores._units import ScoreUnits

# Placements are ratios of whole numbers below 2^53: a variance below this may be that of rounding alone.
NO_VARIANCE = 1e-28


@dataclass(frozen=True)
class DeLong:
    """A ROC AUC strictly between 0 and 1, the standard error of its logit, and the degrees of freedom."""

    auc: float
    error: float
    degrees: float

    def tail(self, bar: float) -> Tail:
        """Return the two-sided p-value of H0: the true AUC is the bar."""
        from scipy.special import logit, stdtr

        p_value = 0.0
        if 0 < bar < 1:
            off = abs(float(logit(self.auc) - logit(bar)))
            p_value = 2 * float(stdtr(self.degrees, -off / self.error))
        return Tail(p_value, p_value, Reason("delong"), "delong")

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the AUCs that are not refuted."""
        from scipy.special import expit, logit, stdtrit

        # On the logit scale, so that no end leaves [0, 1]; going there and back rounds, and an interval
        # without width must still hold the AUC.
        half = -float(stdtrit(self.degrees, (1 - level) / 2)) * self.error
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
            # At a bar of 0 or 1 the divergence is infinite, which brentq cannot interpolate.
            return float(brentq(lambda bar: min(_divergence(self.auc, bar), 1e3) - wanted, bound, self.auc))

        low, high = map(end, bounds)
        return low, high


def delong(truth: BoolArray, scores: FloatArray) -> Test:
    """Return what the placements of the samples of each class say about a ROC AUC."""
    placements = _placements(truth, scores)
    auc, pairs = float(placements[0].mean()), min(map(len, placements))
    if pairs == 1:
        return PairBound(auc, pairs, Reason("delong_lone"))
    variance, degrees = _variance(*placements)
    if not variance:
        return PairBound(auc, pairs, Reason.of("delong_no_variance", pairs=pairs))
    # Delta method: the derivative of logit(a) is 1 / (a (1 - a)).
    return DeLong(auc, math.sqrt(variance) / (auc * (1 - auc)), degrees)


def _placements(truth: BoolArray, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the share of negatives below each positive, and of positives above each negative."""

    def below(values: FloatArray, others: FloatArray) -> FloatArray:
        """Return the share of values below each of the others, ties counting half."""
        values = np.sort(values)
        sides: Any = np.searchsorted(values, others) + np.searchsorted(values, others, side="right")
        return np.asarray(sides / (2 * len(values)))

    positives, negatives = scores[truth], scores[~truth]
    return below(negatives, positives), 1.0 - below(positives, negatives)


def _variance(*placements: FloatArray) -> tuple[float, float]:
    """Return the variance of an AUC, or of a difference of two (0 if hidden by rounding), and its degrees."""
    # DeLong et al. (1988), equation 5: S10/P + S01/N. The AUC is the mean of the placements of either class,
    # and to first order its errors from drawing positives and from drawing negatives are independent. Of
    # two models the placements are subtracted first, which takes their covariance into account. Either part
    # is of few samples where the class is small: Satterthwaite's degrees of freedom (Biometrics Bulletin 2,
    # 1946).
    parts = [float(values.var(ddof=1)) / len(values) for values in placements]
    variance = sum(parts)
    if not variance > NO_VARIANCE:
        return 0.0, math.inf
    squares = sum(part**2 / (len(values) - 1) for part, values in zip(parts, placements, strict=True))
    return variance, variance**2 / squares


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
    """Two ROC AUCs of the same samples, their difference's standard error, and the degrees of freedom."""

    scores: tuple[float, float]
    error: float
    degrees: float
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
        from scipy.special import stdtr

        off = abs(self.scores[0] - self.scores[1] - difference)
        return 2 * float(stdtr(self.degrees, -off / self.error))

    def beyond(self, difference: float) -> float:
        return self.surprise(difference) / 2

    def interval(self, level: float) -> tuple[float, float]:
        """Return the differences that the test does not refute."""
        from scipy.special import stdtrit

        half = -float(stdtrit(self.degrees, (1 - level) / 2)) * self.error
        difference = self.scores[0] - self.scores[1]
        return max(difference - half, -1.0), min(difference + half, 1.0)

    def exchangeable(self) -> Exchangeable:
        return exchange(self.units, self.measure)


def paired_delong(units: ScoreUnits, measure: ScoreMeasure) -> PairedDeLong | None:
    """Return the difference of two AUCs of independent samples; None where no placement varies."""
    first, second = (_placements(units.truth, scores) for scores in units.scores)
    apart = [a - b for a, b in zip(first, second, strict=True)]
    variance, degrees = _variance(*apart)
    aucs = float(first[0].mean()), float(second[0].mean())
    return PairedDeLong(aucs, math.sqrt(variance), degrees, units, measure) if variance else None
