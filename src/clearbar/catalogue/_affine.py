"""Slope and intercept of a measure that is affine in TP, without cancellation."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from clearbar.catalogue._exactly import NotExact
from clearbar.catalogue._measure import Measure


def affine_coefficients(
    measure: Measure, total: int, positives: int, predicted_positives: int
) -> tuple[Fraction | Decimal | float, Fraction | Decimal | float]:
    """Return slope and intercept of ``measure`` in TP at fixed margins.

    The formula is read at TP = 0 and TP = M, both possibly outside the support: neighbouring values would
    agree in all but their last digits when M is large.

    Exact where the formula is rational, of 60 digits where it takes roots.
    """
    if not measure.affine:
        raise ValueError(f"{measure.name} is not affine in TP, so it has no slope and intercept.")
    cells = [
        (tp, predicted_positives - tp, positives - tp, total - positives - predicted_positives + tp)
        for tp in (0, total)
    ]
    low: Any
    high: Any
    try:
        low, high = (measure.exactly(*map(Fraction, table)) for table in cells)
    except ZeroDivisionError:
        raise ValueError(
            f"{measure.name} has no value at M={total:,}, P={positives:,}, "
            f"k={predicted_positives:,}: it needs {measure.domain}."
        ) from None
    except NotExact:
        low, high = (float(value) for value in measure.values(*zip(*cells, strict=True)))
    return (high - low) / total, low
