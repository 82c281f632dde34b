"""Hypothetical rates, groups and clusters where a test set is planned: read and checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import Undefined
from clearbar.core._value import checked_policy, checked_seed, number_or_nan, share_or_nan
from clearbar.core.counts import Population
from clearbar.core.errors import ArgumentError, shown
from clearbar.formatting import plural
from clearbar.inference.level_curves import level_curves
from clearbar.inference.units import FEWEST
from clearbar.verdict._difference import DifferenceTrial, HypotheticalRates, Rates
from clearbar.verdict._judge import resolved_alpha
from clearbar.verdict._power import Trial, ordered

LEAST_ALPHA = 0.001
"""The level below which differences are not planned for: critical sizes come from 9,999 tables."""

LEAST_ALPHA_IN_CLUSTERS = 0.01
"""The level below which clusters are not planned for: the least p-value of five is 1/120, of six 1/720."""


@dataclass(frozen=True)
class Plan:
    """Hypotheses and options, checked; `prevalence` is that of the other group, if it is one."""

    measure: Measure
    alpha: float
    undefined: Undefined
    seed: int
    effect: float  # samples of clusters that tell as much as one independent sample
    cluster_size: float
    told: float  # independent samples that tell as much as a cluster
    rates: Rates | None  # shares predicted positive of each class; None for all that have the score
    score: float
    other: Rates | None
    group: Any  # class sizes, or the prevalence, of another group; None for models on the same samples
    agreement: Rates | None

    def sizes(self, population: Any) -> tuple[int, int]:
        """Return how many independent samples of each class tell as much as those in clusters."""
        P, N = int(population.positives), int(population.negatives)
        if self.effect == 1:
            return P, N
        total = max(math.floor((P + N) / self.effect + 0.5), 1)
        least = min(P, 1)  # one at least of a class that has samples
        positives = min(max(math.floor(total * (P / (P + N)) + 0.5), least), total - min(N, 1))
        return positives, total - positives

    def clusters(self, population: Any) -> int:
        """Return in how many clusters these samples are."""
        size = self.told * self.effect  # m; of independent samples that stand for clusters what one tells
        return math.ceil(int(population.total) / size - 1e-9)

    def degrees(self, population: Any) -> float:
        """Return the degrees of freedom of the test in clusters; infinite of independent samples."""
        return math.inf if self.cluster_size == 1 else self.clusters(population) - 1

    def refuse_few_clusters(self, population: Any) -> None:
        """Raise where there are so few clusters that nothing is said of them."""
        clusters = self.clusters(population)
        if self.cluster_size > 1 and clusters < FEWEST:
            raise ArgumentError(
                "cluster_size",
                f" leaves {plural(clusters, 'cluster')} of {int(population.total):,} samples; "
                f"without {FEWEST} there is no p-value.",
            )

    def alone(self, population: Any, rates: Rates) -> Trial:
        """Return the trial of one model against its bar."""
        (P, N), sensitivity, specificity = self.sizes(population), rates[0], 1 - rates[1]
        degrees = self.degrees(population)
        return Trial(self.measure, P, N, sensitivity, specificity, self.alpha, self.undefined, degrees)

    def of_score(self, population: Population) -> Callable[[float], Rates]:
        """Return what rates, from one end to the other, have the score at these class sizes."""
        P, N = np.array([float(population.positives)]), np.array([float(population.negatives)])
        sign = -1.0 if self.measure.greater_is_better is False else 1.0
        curve = level_curves([self.measure], np.zeros(1, np.int64), P, N, np.array([sign * self.score]))
        if curve.constant_sign[0]:
            raise ValueError(f"no model has a true {self.measure.label} of {self.score:g} on such samples.")

        def rates_at(share: float) -> Rates:
            points = curve.points(np.array([[share]]))
            return float(points.a[0, 0]), float(points.b[0, 0])

        return rates_at

    def together(self) -> list[HypotheticalRates]:
        """Return two models, or groups: one where their agreement is known, else both extremes."""
        first, second = self.rates or (0.0, 0.0), self.other or (0.0, 0.0)
        if self.group is not None:
            return [HypotheticalRates(first, second, None)]
        pairs = list(zip(first, second, strict=True))
        if self.agreement is None:
            extremes = ([max(0.0, a + b - 1) for a, b in pairs], [min(a, b) for a, b in pairs])
            return [HypotheticalRates(first, second, (both[0], both[1])) for both in extremes]
        both = [(agree - 1 + a + b) / 2 for agree, (a, b) in zip(self.agreement, pairs, strict=True)]
        return [HypotheticalRates(first, second, (both[0], both[1]))]

    def apart(self, population: Any, other: Any, rates: HypotheticalRates) -> DifferenceTrial:
        """Return the trial of a difference; `other` are the class sizes of the other group."""
        sizes = (self.sizes(population),) if other is None else (self.sizes(population), self.sizes(other))
        return DifferenceTrial(
            self.measure, sizes, rates, self.alpha, self.undefined, self.degrees(population)
        )

    def refuse_alike(self, population: Any, other: Any) -> None:
        """Raise where models that shall be told apart have the same true score."""
        difference = self.apart(population, other, self.together()[0]).difference
        if math.isnan(difference):
            raise ValueError(f"a model of such rates has no {self.measure.label}.")
        if abs(difference) < 1e-9:
            raise ArgumentError(
                "versus",
                f" supposes the same true {self.measure.label}, which no samples tell apart; "
                "give other rates.",
            )


def checked_plan(
    measure: Any,
    *,
    rates: dict[str, Any],
    score: Any,
    versus: Any,
    agreement: Any,
    group: str,
    cluster_size: Any,
    icc: Any,
    alpha: Any,
    undefined: Any,
    random_state: Any,
) -> Plan:
    level, (size, effect) = resolved_alpha(alpha), _clusters(cluster_size, icc)
    if versus is not None and level < LEAST_ALPHA:
        raise ValueError(f"alpha must be at least {LEAST_ALPHA:g} for a difference; found {level:g}.")
    if size > 1 and level < LEAST_ALPHA_IN_CLUSTERS:
        raise ValueError(f"alpha must be at least {LEAST_ALPHA_IN_CLUSTERS:g} in clusters; found {level:g}.")
    pair, correlation = _model_rates(rates, score)
    other, other_group = _other(versus, group)
    if other is not None and pair is None:
        raise ArgumentError(
            "versus", " needs sensitivity and specificity of the first model; leave score out."
        )
    if other_group is not None and size > 1:
        raise ArgumentError(
            "cluster_size",
            " must be 1 for a difference of two groups: gaps of groups in clusters are not tested; "
            f"found {size:g}.",
        )
    agree = None
    if agreement is not None:
        if other is None or other_group is not None:
            raise ArgumentError(
                "agreement", " is that of two models on the same samples: give versus their rates."
            )
        agree = _agreement(agreement, pair or (0.0, 0.0), other)
    facts = ordered(measure), level, checked_policy(undefined), checked_seed(random_state)
    return Plan(*facts, effect, size, size / effect, pair, correlation, other, other_group, agree)


def _clusters(cluster_size: Any, icc: Any) -> tuple[float, float]:
    """Return m and 1 + (m - 1) icc, by which the variance of a mean is larger (Kish 1965, section 5.4)."""
    size, correlation = number_or_nan(cluster_size), number_or_nan(icc)
    if not 1 <= size < math.inf:
        raise ArgumentError("cluster_size", f" must be a number from 1 up; found {shown(cluster_size)}.")
    if not 0 <= correlation <= 1:
        raise ArgumentError("icc", f" must be a correlation from 0 to 1; found {shown(icc)}.")
    if correlation and size == 1:
        raise ArgumentError("icc", " is that of samples in one cluster: give cluster_size as well.")
    return size, 1 + (size - 1) * correlation


def _model_rates(rates: dict[str, Any], score: Any) -> tuple[Rates | None, float]:
    """Return the rates, or None and the true score that is known instead."""
    if score is None:
        missing = [name for name, value in rates.items() if value is None]
        if missing:
            raise ArgumentError(missing[0], " must be given: both rates of the model, or its score alone.")
        sensitivity, specificity = checked_rates(**rates)
        return (sensitivity, 1 - specificity), math.nan
    if any(value is not None for value in rates.values()):
        raise ArgumentError(
            "score", " stands for the rates of all models that have it: leave both rates out."
        )
    true_score = number_or_nan(score)
    if not math.isfinite(true_score):
        raise ArgumentError("score", f" must be a number; found {shown(score)}.")
    return None, true_score


def _other(versus: Any, group: str) -> tuple[Rates | None, Any]:
    """Return the rates of the other model, and what is given of its group if it has samples of its own."""
    if versus is None:
        return None, None
    names = {"sensitivity", "specificity"}
    if not isinstance(versus, Mapping) or not names <= versus.keys() <= names | {group}:
        raise ArgumentError(
            "versus",
            f" must be a dict of 'sensitivity' and 'specificity', of another group with {group!r} as "
            f"well; found {shown(versus)}.",
        )
    sensitivity, specificity = checked_rates(**{name: versus[name] for name in sorted(names)})
    return (sensitivity, 1 - specificity), versus.get(group)


def _agreement(agreement: Any, first: Rates, second: Rates) -> Rates:
    """Return on which share of each class both models answer alike, which their rates must allow."""
    given = agreement if isinstance(agreement, (tuple, list)) else (agreement, agreement)
    if len(given) != 2:
        raise ArgumentError(
            "agreement",
            f" must be a share, or one of positives and one of negatives; found {shown(agreement)}.",
        )
    shares = checked_rates(agreement=given[0]) + checked_rates(agreement=given[1])
    for share, a, b, name in zip(shares, first, second, ("positives", "negatives"), strict=True):
        least, most = abs(a + b - 1), 1 - abs(a - b)
        if not least - 1e-9 <= share <= most + 1e-9:
            raise ArgumentError(
                "agreement",
                f" on {name} can only lie between {least:.3g} and {most:.3g} at these rates; "
                f"found {share:g}.",
            )
    return shares[0], shares[1]


def checked_rates(**rates: Any) -> tuple[float, ...]:
    for name, value in rates.items():
        if not 0 <= share_or_nan(value) <= 1:
            raise ValueError(f"{name} must be a share from 0 to 1; found {shown(value)}.")
    return tuple(map(share_or_nan, rates.values()))
