"""The one door for numbers: text, truth values, None, masked and complex values are none."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.core.errors import shown

if TYPE_CHECKING:
    from clearbar.core._typing import FloatArray, IntArray

# Above twice this a float64 no longer tells whole numbers apart; the law needs the factor.
LARGEST_TOTAL = 2**52
# What float() takes, or makes nan of, though it is no number.
_NO_NUMBERS = (str, bytes, bytearray, bool, np.bool_, type(np.ma.masked))


def numbers(name: str, value: Any) -> FloatArray:
    """Return a number or an array of them as float64, or say what was given instead; nan is let in."""
    try:
        array = np.asarray(value)
        if array.dtype.kind == "O":
            array = np.array([_number(item) for item in array.ravel()], dtype=np.float64).reshape(array.shape)
    except (TypeError, ValueError, OverflowError):
        array = np.asarray("")
    if array.dtype.kind not in "iuf" or is_masked(value):
        raise ValueError(f"{name} must be a number or an array of them; found {shown(value)}.")
    return array.astype(np.float64, copy=False)


def number_or_nan(value: Any) -> float:
    """Return one number as a float, and nan for whatever is not one."""
    try:
        array = numbers("", value)
    except ValueError:
        return math.nan
    return math.nan if array.ndim else float(array)


def is_masked(value: Any) -> bool:
    """Tell whether values of an array are masked: NumPy drops the mask where it converts."""
    return isinstance(value, np.ma.MaskedArray) and bool(np.ma.getmaskarray(value).any())


def _number(item: Any) -> float:
    if isinstance(item, _NO_NUMBERS):
        raise TypeError
    return float(item)


def whole_number(name: str, value: Any, least: int = 0, instead: str = "") -> int:
    """Return one whole number from `least` up, or say what may be given, something else `instead` too."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= least:
        return int(value)
    raise ValueError(f"{name} must be a whole number from {least} up{instead}; found {shown(value)}.")


def whole_numbers(name: str, value: Any) -> IntArray:
    """Return ``value`` as an int64 array, or say what in it is not a whole number from 0 up."""
    array, finding = np.asarray(value), ""
    if array.dtype.kind == "O" and not any(isinstance(item, _NO_NUMBERS) for item in array.ravel()):
        with suppress(TypeError, ValueError, OverflowError):
            array = array.astype(np.float64) if _has_fractions(array) else array.astype(np.int64)
    if is_masked(value):
        finding = "masked values"
    elif array.dtype.kind in "iu" and array.size and array.min() >= 0 and array.max() <= LARGEST_TOTAL:
        return array.astype(np.int64, copy=False)  # most numbers; the rest takes twice as long
    elif array.dtype.kind in "iuf":
        wrong = (array < 0) | (array > LARGEST_TOTAL)
        if array.dtype.kind == "f":
            wrong |= ~(np.isfinite(array) & (array == np.floor(array)))
        if not wrong.any():
            return array.astype(np.int64)
        finding = str(array[wrong].ravel()[0] if array.ndim else array[()])
    elif array.ndim and array.dtype.kind != "O":
        finding = f"{array.dtype} values"
    raise ValueError(f"{name} must hold whole numbers from 0 to 2**52; found {finding or shown(value)}.")


def _has_fractions(array: Any) -> bool:
    return any(not isinstance(item, (int, np.integer)) for item in array.ravel())
