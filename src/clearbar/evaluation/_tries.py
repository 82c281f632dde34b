"""A function that judges takes `tries`, and its scorecard is corrected for them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from clearbar.problems.binary import checked_tries
from clearbar.scorecard import Scorecard, best_of_tries

Given = ParamSpec("Given")
Card = TypeVar("Card", bound=Scorecard)


def tried(function: Callable[Given, Card]) -> Callable[Given, Card]:
    """Let a function that judges take `tries`, and correct its scorecard for them."""

    @functools.wraps(function)
    def called(*args: Given.args, **kwargs: Given.kwargs) -> Card:
        tries = checked_tries(kwargs.get("tries", 1))
        return best_of_tries(function(*args, **kwargs), tries)

    return called
