"""What we judge by: the registry of measures, the measures of binary labels, and how to make one's own.

A new measure is one decorated formula in the module of its family:

- `rates`: counts, and shares of the positives, the negatives, the predictions or all samples;
- `agreement`: accuracy, and agreement beyond chance (MCC, kappa);
- `overlap`: F scores, Jaccard, and other coefficients of two sets of positives;
- `forecast`: skill of forecasts of rare events, odds, likelihood ratios;
- `distance`: trade-offs between recall and specificity;
- `association`: information and divergence between labels and predictions, chi squared;
- `cost`: errors with prices, and gains.
"""

from __future__ import annotations

from clearbar.catalogue._arithmetic import DIGITS, NotExact, as_fraction, to_decimal
from clearbar.catalogue._domain import Condition, always
from clearbar.catalogue._entry import Entry, Family, Range, Refused
from clearbar.catalogue._measure import (
    Filling,
    Measure,
    affine_coefficients,
    extreme_value,
    fill_is_proved,
    fill_value,
    scoring,
)
from clearbar.catalogue._registry import (
    KINDS,
    REFUSED,
    common_kind,
    default_catalogue,
    defined_in,
    door,
    get_measure,
    judges,
    measures,
    name_key,
    register,
    register_later,
)

__all__ = [
    "DIGITS",
    "KINDS",
    "Condition",
    "Entry",
    "Family",
    "Filling",
    "Measure",
    "NotExact",
    "Range",
    "Refused",
    "affine_coefficients",
    "always",
    "as_fraction",
    "common_kind",
    "default_catalogue",
    "defined_in",
    "door",
    "extreme_value",
    "fill_is_proved",
    "fill_value",
    "get_measure",
    "judges",
    "measures",
    "name_key",
    "register",
    "scoring",
    "to_decimal",
]

# Modules in documentation order; within a module, the order of definition.
_FAMILIES = ("rates", "agreement", "overlap", "forecast", "distance", "association", "cost")

register("binary", REFUSED)
register_later("binary", [f"{__name__}.{family}" for family in _FAMILIES], [f"{__name__}.overlap"])
