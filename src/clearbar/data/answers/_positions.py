"""Options as positions: numbers from 0 or 1, or letters; one way for a whole task."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import IntArray
from clearbar.core.errors import shown

LETTERS = 26
"""Options that have a letter; harnesses call those beyond by numbers from 1."""

NO_OPTION = -1
"""The position of an answer that was not given, or that is not known."""

_LETTER = re.compile("[A-Za-z]")
_NUMBER = re.compile(r"\d{1,15}")  # longer ones are no positions, and may be no int64


class Positions(NamedTuple):
    """How the options of a task are called, and where a name stands."""

    letters: bool
    first: int  # the number of the first option

    def of(self, value: Any) -> int | None:
        """Return where a name stands; None if it is none."""
        if _absent(value):
            return NO_OPTION
        if self.letters:
            return ord(value.upper()) - ord("A") if isinstance(value, str) and _is_letter(value) else None
        number = _number(value)
        return None if number is None or number < self.first else number - self.first

    def name(self, position: int) -> str:
        """Return what an option is called."""
        return chr(ord("A") + position) if self.letters else str(position + self.first)


def positions_of(gold: Sequence[Any], answers: Sequence[Any], options: IntArray) -> Positions | None:
    """Return how the options are called, going by the right answers; None if these are no positions."""
    if any(value is None or isinstance(value, tuple) for value in gold):
        return None
    if all(isinstance(value, str) and _is_letter(value) for value in gold):
        return Positions(letters=True, first=0)
    numbers = [_number(value) for value in gold]
    if any(number is None for number in numbers):
        return None
    given = np.array(numbers, dtype=np.int64)
    said = [number for number in map(_number, answers) if number is not None]
    from_one = (
        (given >= 1).all() and 0 not in said and bool((given == options).any() or options.max() in said)
    )
    return Positions(letters=False, first=int(from_one))


def placed(
    values: Sequence[Any], options: Sequence[int], names: Positions, what: Callable[[int], str]
) -> IntArray:
    """Return where names stand; raise at the first that stands for none of the options, `what` it is."""
    places = []
    for at, (value, number) in enumerate(zip(values, options, strict=True)):
        place = names.of(value)
        if place is None or place >= number:
            raise ValueError(
                f"{what(at)} is {shown(value)}, outside its {number} options ({names.name(0)} to "
                f"{names.name(number - 1)}); an answer that was not given is an empty text."
            )
        places.append(place)
    return np.array(places, dtype=np.int64)


def same(gold: Any, answer: Any) -> bool:
    """Whether two names of options are the same: letters in any case, numbers of any type."""
    if isinstance(gold, str) and isinstance(answer, str) and _is_letter(gold) and _is_letter(answer):
        return gold.upper() == answer.upper()
    number = _number(gold)
    return bool(gold == answer) or (number is not None and number == _number(answer))


def _absent(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value)


def _is_letter(value: str) -> bool:
    return _LETTER.fullmatch(value) is not None


def _number(value: Any) -> int | None:
    if isinstance(value, (bool, np.bool_)):
        return None
    if isinstance(value, (float, np.floating)):
        value = int(value) if float(value).is_integer() else None
    if isinstance(value, (int, np.integer)):
        return int(value) if abs(int(value)) < 10**15 else None
    return int(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else None
