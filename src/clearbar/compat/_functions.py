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


def functions_of_theta(measure: Measure, population: Population) -> dict[str, Callable[..., Any]]:
    """Return the law of a measure as functions of the share predicted positive, under the older keys."""

    @functools.lru_cache(maxsize=KEPT)
    def law_of(k: int) -> NullDistribution:
        return Draw(population, k).distribution(measure)

    def law(theta: float) -> NullDistribution:
        draw = Draw.from_theta(population, theta)
        law_there = law_of(draw.predicted_positives)
        if math.isnan(law_there.mean()):
            predicted = f"{draw.predicted_positives:,} of {population.total:,}"
            raise ValueError(
                f"{measure.name} has no value with {predicted} samples predicted positive (theta={theta!r}): "
                f"it needs {measure.domain}."
            )
        return law_there

    def domain(theta: float) -> list[float]:
        """Return the scores with positive probability, from the smallest TP to the largest."""
        law_there = law(theta)
        scores: list[float] = law_there.atoms()[0].tolist()
        margins = int(population.total), int(population.positives), law_there.draw.predicted_positives
        ends = np.array(hg.support(*margins), dtype=np.int64)
        first, last = values_at(measure, ends, *(np.full(2, margin) for margin in margins))
        return scores[::-1] if first > last else scores

    def expectation(theta: float) -> float:
        return law(theta).mean()

    return {
        "Distribution": lambda y, theta: float(law(theta).pmf(float(y))),
        "Domain": domain,
        "Fast Expectation Function": expectation,
        "Variance Function": lambda theta: law(theta).var(),
        "Expectation Function": expectation,
    }
