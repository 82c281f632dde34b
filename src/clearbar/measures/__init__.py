"""What we judge by: the catalogue of measures, and how to make one's own.

A new measure is one decorated formula in the family module it belongs to; nothing else is edited.
"""

from __future__ import annotations

from clearbar.measures._affine import affine_coefficients
from clearbar.measures._catalogue import default_catalogue, get_measure, measures
from clearbar.measures._domain import Condition, always
from clearbar.measures._elsewhere import INSTEAD, JUDGED, elsewhere, kind_of_problem
from clearbar.measures._exactly import DIGITS, NotExact, as_fraction, to_decimal
from clearbar.measures._measure import Measure
from clearbar.measures._naming import name_key

__all__ = [
    "DIGITS",
    "INSTEAD",
    "JUDGED",
    "Condition",
    "Measure",
    "NotExact",
    "affine_coefficients",
    "always",
    "as_fraction",
    "default_catalogue",
    "elsewhere",
    "get_measure",
    "kind_of_problem",
    "measures",
    "name_key",
    "to_decimal",
]
