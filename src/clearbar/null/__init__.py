"""Where measures meet the hypergeometric: draws, and the law of a score under them."""

from __future__ import annotations

from clearbar.null._attain import FINE, ULPS, attains, reaches, slack
from clearbar.null._draw import (
    Draw,
    checked_seed,
    generator,
    one_population,
    predicted_from_theta,
)
from clearbar.null._exact import Exact, exact_mean, exact_moments
from clearbar.null._law import NullDistribution
from clearbar.null._moments import Moments, expectations, moments
from clearbar.null._reach import reach_probability
from clearbar.null._search import least_true
from clearbar.null._tables import cells_at, expected_cells, values_at

__all__ = [
    "FINE",
    "ULPS",
    "Draw",
    "Exact",
    "Moments",
    "NullDistribution",
    "attains",
    "cells_at",
    "checked_seed",
    "exact_mean",
    "exact_moments",
    "expectations",
    "expected_cells",
    "generator",
    "least_true",
    "moments",
    "one_population",
    "predicted_from_theta",
    "reach_probability",
    "reaches",
    "slack",
    "values_at",
]
