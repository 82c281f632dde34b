"""What we judge by: the catalogue of measures, and how to make one's own.

A new measure is one decorated formula in the family module it belongs to; nothing else is edited.
"""

from __future__ import annotations

from clearbar.catalogue._affine import affine_coefficients
from clearbar.catalogue._catalogue import default_catalogue, get_measure, measures
from clearbar.catalogue._domain import Condition, always
from clearbar.catalogue._elsewhere import INSTEAD, JUDGED, elsewhere, kind_of_problem
from clearbar.catalogue._exactly import DIGITS, NotExact, as_fraction, to_decimal
from clearbar.catalogue._measure import Measure
from clearbar.catalogue._naming import name_key

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
