"""What happens by chance: blind predictions, and the distributions of measures under them."""

from __future__ import annotations

from clearbar.null.arrays import laid_out, least_true, pieces
from clearbar.null.distribution import Draw, NullDistribution, one_population, predicted_from_theta
from clearbar.null.expectation import (
    cells_at,
    coin_score,
    expectations,
    moments,
    values_at,
)
from clearbar.null.nodes import strides
from clearbar.null.sampling import checked_seed, generator
from clearbar.null.tails import attains, reach_probability, reaches, slack

__all__ = [
    "Draw",
    "NullDistribution",
    "attains",
    "cells_at",
    "checked_seed",
    "coin_score",
    "expectations",
    "generator",
    "laid_out",
    "least_true",
    "moments",
    "one_population",
    "pieces",
    "predicted_from_theta",
    "reach_probability",
    "reaches",
    "slack",
    "strides",
    "values_at",
]
