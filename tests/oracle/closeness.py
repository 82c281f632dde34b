"""How close is close enough: 2 ulp for what is rational, 1e-14 for what is not."""

import math
from fractions import Fraction

from mpmath import mp, mpf

mp.dps = 60

SAME = mpf(10) ** -45
"""Relative difference below which two numbers of 60 digits are the same number."""


def as_mpf(value):
    """Return a Fraction, int or float as a number of 60 digits."""
    return mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else mpf(value)


def ulps(got, want):
    """Return how many units in the last place lie between a float and an exact rational."""
    want = Fraction(want)
    gap = abs(Fraction(got) - want)
    return float(gap / Fraction(math.ulp(float(want)))) if gap else 0.0


def agrees(got, want, *, floor=0, relative=1e-14):
    """Tell whether a float is the exact number; None is nan.

    A rational within 2 ulp. Anything else within ``relative`` of itself. Or within the absolute ``floor``,
    where sums cancel.
    """
    if want is None or math.isnan(got):
        return want is None and math.isnan(got)
    if isinstance(want, (Fraction, int)):
        return ulps(got, want) <= 2 or abs(Fraction(got) - want) <= Fraction(floor)
    return abs(mpf(got) - want) <= max(relative * abs(want), floor)
