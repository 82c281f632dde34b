"""One label: its kind, its plain Python value, and how a message shows it."""

from __future__ import annotations

import math
import numbers
from decimal import Decimal
from typing import Any, Literal

import numpy as np

Kind = Literal["numbers", "text", "bytes"]

_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def in_words(number: int) -> str:
    """Write a small number as a word."""
    return _NUMBERS[number] if number < len(_NUMBERS) else f"{number:,}"


def plain(label: Any) -> Any:
    """Return a label as the Python value that it equals: ``np.int8(1)`` and ``1.0`` are ``1``."""
    if isinstance(label, np.ndarray) and label.ndim == 0:
        label = label[()]
    if isinstance(label, np.floating):
        label = float(label)
    elif isinstance(label, np.bool_ | np.integer | np.str_ | np.bytes_):
        label = label.item()
    if isinstance(label, float | Decimal) and is_whole(label):
        return int(label)
    return label


def kind_of(label: Any) -> Kind | None:
    """Return what a label is; None where it cannot be one."""
    if isinstance(label, str):
        return "text"
    if isinstance(label, bytes):
        return "bytes"
    return "numbers" if isinstance(label, bool | np.bool_ | numbers.Real | Decimal) else None


def is_whole(label: Any) -> bool:
    """Tell whether a number can be a label; a fraction, nan or infinity cannot."""
    try:
        return isinstance(label, int) or bool(math.isfinite(label) and label == math.floor(label))
    except (ArithmeticError, TypeError, ValueError):  # a signalling nan, or a number of one's own
        return False


def is_missing(value: Any) -> bool:
    """Tell whether a single value stands for none, in any library."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, float | np.floating) and bool(np.isnan(value))
