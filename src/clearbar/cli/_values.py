"""What options read from what is typed: numbers by a rule, sizes, shares of two whole numbers."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from clearbar.core._value import shares


def number(rule: str, fits: Callable[[float], bool], *words: str) -> Callable[[str], Any]:
    """Return how an option is read that is a number, by a rule, or one of some words."""

    def read(text: str) -> Any:
        if text in words:
            return text
        try:
            value = float(text.replace("−", "-"))  # a typographic minus too
        except ValueError:
            value = math.nan
        if not fits(value):
            raise argparse.ArgumentTypeError(f"must be {rule}; found {text!r}.")
        return value

    return read


finite = number("a number", math.isfinite)
margin = number("a number above 0, the least difference that matters", lambda x: 0 < x < math.inf)
probability = number("a probability greater than 0 and at most 1", lambda value: 0 < value <= 1)
probability_or_none = number(
    "a probability greater than 0 and at most 1, or none", lambda p: 0 < p <= 1, "none"
)
confidence = number("a number above 0 and at most 0.9999", lambda value: 0 < value <= 0.9999)
policy = number("exclude, worst or a number", math.isfinite, "exclude", "worst")


def share(text: str) -> float:
    """Return a share, which may be typed in per cent."""
    try:
        return float(shares("", text))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be a share from 0 to 1, or in per cent; found {text!r}."
        ) from None


def passes(text: str) -> tuple[int, int]:
    """Return how many of how many passed."""
    passed, slash, total = text.partition("/")
    if not slash:
        raise argparse.ArgumentTypeError(f"must be two whole numbers, such as 83/100; found {text!r}.")
    return whole(passed), whole(total)


def printed(text: str) -> str:
    """Return a finite number with the decimals that were typed; exponents written out."""
    finite(text)
    return f"{Decimal(text.replace('−', '-').strip()):f}"


def whole(text: str) -> int:
    plain = text.replace(",", "").replace("_", "").strip()
    if not re.fullmatch(r"[+-]?\d{1,18}", plain):
        raise argparse.ArgumentTypeError(f"must be a whole number; found {text!r}.")
    return int(plain)


def size(text: str) -> int:
    if (number := whole(text)) < 0:
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 up; found {text!r}.")
    return number
