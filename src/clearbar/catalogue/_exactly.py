"""A formula on one table, in exact rationals or with many digits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from clearbar.core._numbers import is_masked

DIGITS = 60
"""Decimal digits carried where a formula has square roots and exact rationals end."""


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
        return _fraction(function(*table, **parameters))
    except (TypeError, AttributeError, ValueError, NotExact):
        pass
    with localcontext() as context:
        context.prec = DIGITS
        decimals = [to_decimal(cell) for cell in table]
        numbers = {key: to_decimal(value) for key, value in parameters.items()}
        try:
            return _decimal(function(*decimals, **numbers))
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


def _fraction(value: Any) -> Fraction:
    plain = _unwrapped(value)
    if type(plain) is Fraction:
        return plain
    if not isinstance(plain, (int, Fraction)):
        raise NotExact
    return Fraction(plain)


def _decimal(value: Any) -> Decimal:
    plain = _unwrapped(value)
    if not isinstance(plain, (int, Decimal)):
        raise NotExact
    return Decimal(plain)


def _unwrapped(value: Any) -> Any:
    """Unwrap a 0-d object array; refuse what is no number. Floats are refused by the callers."""
    if type(value) is Fraction:
        return value
    if isinstance(value, np.ndarray):
        if is_masked(value):
            raise ZeroDivisionError  # as where the formula has no value
        value = value.item()
    if isinstance(value, (bool, np.bool_)):
        raise NotExact
    return int(value) if isinstance(value, np.integer) else value
