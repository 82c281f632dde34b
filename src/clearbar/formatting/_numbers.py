"""Numbers as people read them: as many digits as they deserve, and all of them right."""

from __future__ import annotations

import math

MINUS = "−"
MISSING = "–"
TELLS = 1e-5
"""The least p-value of a verdict that is written: its test gives up 2e-6 for its confidence box."""

ALPHA = 0.05
_INTEGERS_TO = 1e15
_NEAR = 1e-12
"""Closer than this, relatively, a number is the whole number that arithmetic just missed."""
_RARE = 1e-6
"""A share below which zeros are no longer counted."""


def decimals(samples: int) -> int:
    """Return the decimals of a share: 3 up to 10,000 samples; one more for every factor of 100 beyond."""
    return max(3, math.ceil(math.log10(max(samples, 1)) / 2) + 1)


def number(value: float, samples: int = 1000, *, scale: float = 0.0, places: int | None = None) -> str:
    """Write a number with the digits that the sample size supports, or with more if else it looked whole."""
    value = float(value)
    if math.isnan(value):
        return MISSING
    size = abs(value)
    if size <= 1e-14 * scale:
        return "0"
    places = decimals(samples) if places is None else places
    return (MINUS if value < 0 else "") + _size(size, places)


def _size(size: float, places: int) -> str:
    if math.isinf(size):
        return "∞"
    if size < _INTEGERS_TO and abs(size - round(size)) <= _NEAR * size:
        return f"{round(size):,}"
    places = max(1, places - max(0, math.floor(math.log10(size))))
    if size >= _INTEGERS_TO or size < 10.0 ** -(places + 2):
        return _scientific(size)
    text = f"{size:,.{places}f}"
    while not text.partition(".")[2].strip("0") or float(text.replace(",", "")) == 0.0:
        places += 1
        text = f"{size:,.{places}f}"
    return text


def _scientific(size: float, digits: int = 1) -> str:
    mantissa, exponent = f"{size:.{digits}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def signed(value: float, places: int = 2) -> str:
    value = float(value)
    text = number(value, places=places)
    if 0 < abs(value) < 0.5 * 10.0**-places and "e" not in text:  # one digit is enough to see the sign
        first = -math.floor(math.log10(abs(value)))
        text = f"{MINUS if value < 0 else ''}{abs(value):.{first}f}"
    return text if not value > 0 or text == "0" else f"+{text}"


def p_value_parts(
    value: float, alpha: float = ALPHA, *, floor: float = 1e-16, is_bound: bool = False
) -> tuple[str, str]:
    """Return the sign before a probability, such as ``<``, and two significant digits on its side of alpha.

    One that is the least that its number of random draws can tell is a bound: ``≤``, ``0.00020``.
    """
    value = float(value)
    if math.isnan(value):
        return "", MISSING
    if value < floor:
        return "<", _scientific(floor, digits=0)
    if value > 0.99:
        return ("", "1") if value >= 1.0 else (">", "0.99")
    sign = "≤" if is_bound else ""
    if value < 1e-4:
        return sign, _scientific(value)
    places = 1 - math.floor(math.log10(value))
    while value != alpha and (float(f"{value:.{places}f}") - alpha) * (value - alpha) <= 0 and places < 12:
        places += 1
    return sign, f"{value:.{places}f}"


def p_value_text(value: float, alpha: float = ALPHA, *, floor: float = 1e-16, is_bound: bool = False) -> str:
    """Write a probability for a table: ``0.015``, ``<1e-16``, ``≤0.00020``."""
    return "".join(p_value_parts(value, alpha, floor=floor, is_bound=is_bound))


def p_phrase(value: float, alpha: float = ALPHA, *, floor: float = 1e-16, is_bound: bool = False) -> str:
    """Write a probability as a sentence would: ``p = 0.015``, ``p < 1e-16``, ``p ≤ 0.00020``."""
    sign, text = p_value_parts(value, alpha, floor=floor, is_bound=is_bound)
    return f"p {sign or '='} {text}"


def percent(share: float) -> str:
    """Write a share in per cent; what is neither none nor all never looks like it."""
    if math.isnan(share):
        return MISSING
    if share in {0.0, 1.0}:
        return f"{100 * share:.0f} %"
    if share < _RARE:
        return f"{_scientific(100 * share)} %"
    if share > 1.0 - _RARE:
        return f">{100 * (1.0 - _RARE):.4f} %"
    places = 1
    while f"{100 * share:.{places}f}".strip("0") in {".", "100."}:
        places += 1
    return f"{100 * share:.{places}f} %"


def whole_percent(share: float) -> str:
    """Write a level as it is said: 5 %, not 5.0 %."""
    return percent(share).replace(".0 %", " %")


def plural(count: int, one: str, many: str = "") -> str:
    """Write how many there are of something."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
