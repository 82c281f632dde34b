"""Blind predictions, and the distributions of measures under them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clearbar.core import late
from clearbar.null.expectation import (
    cells_at,
    coin_score,
    expectations,
    moments,
    strides,
    values_at,
)
from clearbar.null.hypergeometric import laid_out, least_true, pieces
from clearbar.null.tails import attains, exceedance_probability, reaches, score_tolerance

if TYPE_CHECKING:
    from clearbar.null.distribution import Draw, NullDistribution, one_population, predicted_from_theta

__all__ = [
    "Draw",
    "NullDistribution",
    "attains",
    "cells_at",
    "coin_score",
    "exceedance_probability",
    "expectations",
    "laid_out",
    "least_true",
    "moments",
    "one_population",
    "pieces",
    "predicted_from_theta",
    "reaches",
    "score_tolerance",
    "strides",
    "values_at",
]

__getattr__ = late(
    __name__, {".distribution": ("Draw", "NullDistribution", "one_population", "predicted_from_theta")}
)
