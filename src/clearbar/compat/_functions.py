"""The functions of theta that the older interface returns."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core.counts import Population
from clearbar.distributions import hypergeometric as hg
from clearbar.distributions.null import Draw, NullDistribution, values_at

KEPT = 16
"""Draws whose law is kept, so that asking for one value after the other does not recompute it."""


class ScoresByTheta:
    """The law of a measure as functions of the share predicted positive."""

    def __init__(self, measure: Measure, population: Population) -> None:
        self._measure = measure
        self._population = population
        self._law_of = functools.lru_cache(maxsize=KEPT)(self._new_law)

    def as_dict(self) -> dict[str, Callable[..., Any]]:
        """Return the functions under the older package's keys."""
        return {
            "Distribution": self.distribution,
            "Domain": self.domain,
            "Fast Expectation Function": self.expectation,
            "Variance Function": self.variance,
            "Expectation Function": self.expectation,
        }

    def distribution(self, y: float, theta: float) -> float:
        """Return the probability of a score."""
        return float(self._law(theta).pmf(float(y)))

    def domain(self, theta: float) -> list[float]:
        """Return the scores with positive probability, from the smallest TP to the largest."""
        law = self._law(theta)
        scores: list[float] = law.atoms()[0].tolist()
        return scores[::-1] if self._falls_with_tp(law) else scores

    def expectation(self, theta: float) -> float:
        """Return the expected score."""
        return self._law(theta).mean()

    def variance(self, theta: float) -> float:
        """Return the variance of the score."""
        return self._law(theta).var()

    def _law(self, theta: float) -> NullDistribution:
        draw = Draw.from_theta(self._population, theta)
        law = self._law_of(draw.predicted_positives)
        if math.isnan(law.mean()):
            msg = (
                f"{self._measure.name} has no value with {draw.predicted_positives:,} of "
                f"{self._population.total:,} samples predicted positive (theta={theta!r}): it needs "
                f"{self._measure.domain}."
            )
            raise ValueError(msg)
        return law

    def _new_law(self, k: int) -> NullDistribution:
        return Draw(self._population, k).distribution(self._measure)

    def _falls_with_tp(self, law: NullDistribution) -> bool:
        population, k = law.draw.population, law.draw.predicted_positives
        margins = int(population.total), int(population.positives), k
        low, high = hg.support(*margins)
        ends = np.array([low, high], dtype=np.int64)
        first, last = values_at(self._measure, ends, *(np.full(2, margin) for margin in margins))
        return bool(first > last)
