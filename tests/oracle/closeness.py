"""How close is close enough: 1e-13."""

import math
from fractions import Fraction

from mpmath import mp, mpf

mp.dps = 60

SAME = mpf(10) ** -45
"""Relative difference below which two numbers of 60 digits are the same number."""


def as_mpf(value):
    """Return a Fraction, int or float as a number of 60 digits."""
    return mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else mpf(value)


def agrees(got, want, *, floor=0, relative=1e-13):
    """Tell whether a float is the exact number; None is nan.

    Within ``relative`` of itself, or within the absolute ``floor``, where sums cancel.
    """
    if want is None or math.isnan(got):
        return want is None and math.isnan(got)
    return abs(mpf(got) - as_mpf(want)) <= max(relative * abs(as_mpf(want)), floor)
