"""The one door for numbers: text, truth values, None, masked and complex values are none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.core.errors import shown

if TYPE_CHECKING:
    from clearbar.core._typing import FloatArray

_NO_NUMBERS = (str, bytes, bytearray, bool, np.bool_, type(np.ma.masked))
"""What float() takes, or makes nan of, though it is no number."""


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
