"""Where measures meet the hypergeometric: draws, and the law of a score under them."""

from __future__ import annotations

from clearbar.distributions.null._attain import FINE, ULPS, attains, reaches, slack
from clearbar.distributions.null._draw import (
    Draw,
    checked_seed,
    generator,
    one_population,
    predicted_from_theta,
)
from clearbar.distributions.null._exact import Exact, exact_mean, exact_moments
from clearbar.distributions.null._law import NullDistribution
from clearbar.distributions.null._moments import Moments, expectations, moments
from clearbar.distributions.null._reach import reach_probability
from clearbar.distributions.null._search import least_true
from clearbar.distributions.null._tables import cells_at, expected_cells, values_at

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
