"""Printed numbers: a text such as ``"0.735"`` or ``"73.5 %"`` stands for all that is rounded to it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from clearbar.core.errors import shown

_PRINTED = re.compile(r"([+\-−]?)(?P<number>(?:\d+|(?=\.\d))(?:\.(?P<decimals>\d*))?)\s*(?P<percent>%?)")
MOST_DECIMALS = 40
# Error of a score of a few operations on floats; all of their digits are more than they know.
FLOAT = Fraction(1, 2**50)


@dataclass(frozen=True)
class Printed:
    """A printed number: its value, the decimals of that (two more than of a percentage), and its text."""

    value: Fraction
    decimals: int
    text: str

    @classmethod
    def read(cls, name: str, text: Any) -> Printed:
        """Read a text, or say that it is no printed number."""
        match = _PRINTED.fullmatch(text.strip()) if isinstance(text, str) else None
        decimals = len(match["decimals"] or "") if match else 0
        if match is None or decimals > MOST_DECIMALS:
            raise ValueError(f'{name} must be a number, or text such as "0.735"; found {shown(text)}.')
        value = Fraction(match["number"]) / (100 if match["percent"] else 1)
        sign = -1 if match[1] in {"-", "−"} else 1
        return cls(sign * value, decimals + (2 if match["percent"] else 0), text.strip())

    def ends(self, *, truncated: bool = False) -> tuple[Fraction, Fraction]:
        """Return the least and the largest number that is printed so, both included: rules of ties differ.

        One that was cut off after its decimals is at most a unit of the last one further from 0; the end
        counts too, as 0.29 is a float a little below it.
        """
        unit = Fraction(1, 10**self.decimals)
        if not truncated:
            half = max(unit / 2, FLOAT * max(abs(self.value), Fraction(1)))
            return self.value - half, self.value + half
        if self.value == 0:
            return -unit, unit
        return (self.value, self.value + unit) if self.value > 0 else (self.value - unit, self.value)


def read_score(name: str, score: Any) -> Printed:
    """Read a score that has to be a text: a number does not tell its decimals."""
    if isinstance(score, str):
        return Printed.read(name, score)
    raise ValueError(
        f'{name} must be text with the decimals that were printed, such as "0.90"; found {shown(score)}, '
        "which does not tell how it was rounded."
    )
