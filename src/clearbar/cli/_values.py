"""What the values of options may be."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable
from decimal import Decimal


def _number(text: str, rule: str, fits: Callable[[float], bool]) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not fits(value):
        raise argparse.ArgumentTypeError(f"must be {rule}; found {text!r}.")
    return value


def finite(text: str) -> float:
    """Return a finite number, a typographic minus too."""
    return _number(text.replace("−", "-"), "a number", math.isfinite)


def margin(text: str) -> float:
    """Return a finite number above 0."""
    return _number(text, "a number above 0, the least difference that matters", lambda x: 0 < x < math.inf)


def printed(text: str) -> str:
    """Return a finite number with the decimals that were typed; exponents written out."""
    finite(text)
    return f"{Decimal(text.replace('−', '-').strip()):f}"


def probability(text: str) -> float:
    """Return a probability greater than 0 and at most 1."""
    return _number(text, "a probability greater than 0 and at most 1", lambda value: 0 < value <= 1)


def share(text: str) -> float:
    """Return a share from 0 to 1."""
    return _number(text, "a share from 0 to 1", lambda value: 0 <= value <= 1)


def confidence(text: str) -> float:
    """Return a confidence level."""
    return _number(text, "a number above 0 and at most 0.9999", lambda value: 0 < value <= 0.9999)


def level_or_none(text: str) -> float | None:
    """Return a probability; None for ``none``, which asks for the score alone."""
    return None if text.strip().casefold() == "none" else probability(text)


def whole(text: str) -> int:
    """Return a whole number, with or without separators."""
    plain = text.replace(",", "").replace("_", "").strip()
    if not re.fullmatch(r"[+-]?\d{1,18}", plain):
        raise argparse.ArgumentTypeError(f"must be a whole number; found {text!r}.")
    return int(plain)


def size(text: str) -> int:
    """Return a whole number from 0 up."""
    number = whole(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 up; found {text!r}.")
    return number


def policy(text: str) -> str | float:
    """Return what is done about outcomes without a value: a word or a number."""
    if text in {"exclude", "worst"}:
        return text
    return _number(text, "exclude, worst or a number", math.isfinite)
