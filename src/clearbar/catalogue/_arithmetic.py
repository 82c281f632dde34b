"""Differences and ratios of counts without cancellation.

`determinant` works on float64 arrays and on exact numbers alike, so that a formula is written once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from clearbar.core._value import is_masked

Exact = TypeVar("Exact", Fraction, Decimal)

_EXACT = 2.0**53
_SPLITTER = 2**27 + 1


def determinant(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Return ``tp * tn - fp * fn`` to nearly full precision."""
    # Both products are split into a rounded part and its exact error (Dekker 1971), so that a difference of
    # 1e6 between two products of 1e24 keeps all its digits.
    left, right = tp * tn, fp * fn
    if _are_whole(left, right, tp, fp, fn, tn):
        return left - right
    return (left - right) + (_product_error(tp, tn, left) - _product_error(fp, fn, right))


def _are_whole(left: Any, right: Any, *cells: Any) -> bool:
    """Whether products of float64 arrays have no error, since the cells are whole and they are small."""
    if type(left) is not np.ndarray or type(right) is not np.ndarray or not left.size or not right.size:
        return False
    if left.dtype != np.float64 or not (np.abs(left).max() < _EXACT and np.abs(right).max() < _EXACT):
        return False
    return all((np.rint(cell) == cell).all() for cell in cells)


def _product_error(a: Any, b: Any, product: Any) -> Any:
    a_high, b_high = _high_half(a), _high_half(b)
    a_low, b_low = a - a_high, b - b_high
    return a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)


def _high_half(a: Any) -> Any:
    scaled = _SPLITTER * a
    return scaled - (scaled - a)


def log_share(part: Any, rest: Any) -> Any:
    """Return ``ln(part / (part + rest))``, exact to the last digits also where the share is near 1."""
    return -np.log1p(rest / part)


def log_ratio(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return ``ln(a * d / (b * c))``, exactly 0 where the products are equal."""
    excess = determinant(a, b, c, d) / (b * c)
    return np.where(np.abs(excess) < 0.5, np.log1p(excess), np.log(a * d / (b * c)))


def surprise(cell: Any, expected: Any, excess: Any) -> Any:
    """Return ``cell * ln(cell / expected) - (cell - expected)``, which is never negative."""
    # Summed over the four cells the second part vanishes and the sum is M times the mutual information; term
    # by term nothing cancels.
    both = np.where(cell + expected > 0, cell + expected, 1.0)
    v = excess / both
    small = np.abs(v) < _SERIES_RANGE
    inner = np.where(small, v, 0.0)
    square = inner * inner
    tail = np.zeros_like(square)  # atanh(v) - v = v^3 (1/3 + v^2/5 + v^4/7 + ...)
    for order in range(_SERIES_TERMS, 0, -1):
        tail = tail * square + 1 / (2 * order + 1)
    near = both * square * (1 + (1 + inner) * inner * tail)
    filled = cell > 0
    ratio = np.where(filled, cell, 1.0) / np.where(filled, expected, 1.0)
    return np.where(small, near, np.where(filled, cell * np.log(ratio), 0.0) - excess)


_SERIES_RANGE = 0.2
_SERIES_TERMS = 12

LN_2 = math.log(2)


DIGITS = 60  # decimal digits carried where a formula has square roots and exact rationals end


class NotExact(Exception):  # noqa: N818 - a signal between two functions, never seen by a user
    """A formula could not be evaluated in exact or many-digit arithmetic."""


def evaluate_exactly(
    name: str,
    function: Callable[..., Any],
    cells: tuple[Any, Any, Any, Any],
    given: Mapping[str, int | float],
) -> Fraction | Decimal:
    """Evaluate a formula in fractions, or in decimals where it takes roots."""
    parameters = {key: as_fraction(value) for key, value in given.items()} if given else {}
    table = tuple(cell if type(cell) is Fraction else Fraction(cell) for cell in cells)
    try:
        return _as(Fraction, function(*table, **parameters))
    except (TypeError, AttributeError, ValueError, NotExact):
        pass
    with localcontext() as context:
        context.prec = DIGITS
        decimals = [to_decimal(cell) for cell in table]
        numbers = {key: to_decimal(value) for key, value in parameters.items()}
        try:
            return _as(Decimal, function(*decimals, **numbers))
        except (TypeError, AttributeError, ValueError) as error:
            raise NotExact(name) from error
        except ArithmeticError as error:
            raise ZeroDivisionError(name) from error


def as_fraction(value: Any) -> Fraction:
    """Read a parameter as the decimal that was typed: 0.3 is 3/10, not its nearest double."""
    return Fraction(repr(float(value)) if isinstance(value, float) else value)


def to_decimal(value: Fraction) -> Decimal:
    """Return a Fraction as a Decimal of the context's precision."""
    return Decimal(value.numerator) / Decimal(value.denominator)


def _as(kind: type[Exact], value: Any) -> Exact:
    """Return what a formula returned as a `kind` of exact number; floats and truth values are none."""
    if isinstance(value, np.ndarray):
        if is_masked(value):
            raise ZeroDivisionError  # as where the formula has no value
        value = value.item()
    value = int(value) if isinstance(value, np.integer) else value
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, kind)):
        raise NotExact
    return value if type(value) is kind else kind(value)
