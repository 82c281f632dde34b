"""What all functions that judge have in common: `tries`, and a scorecard that remembers the call."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import os
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from clearbar.catalogue import Entry
from clearbar.formatting import shorten
from clearbar.problems.binary import checked_tries
from clearbar.scorecard import Scorecard, best_of_tries

Given = ParamSpec("Given")
Card = TypeVar("Card", bound=Scorecard)

INSTEAD = {
    "p_values": "p_values= is no option: rows have p_value, p_value_blind; intervals=False leaves them out.",
    "clusters": "clusters= is no option here, and counts cannot have them: give labels to evaluate(..., "
    "clusters=...), or a learner to clearbar.sklearn.cross_evaluate(..., clusters=...).",
}
"""What stands for options that are often looked for."""

MOST, LONGEST = 24, 80
"""Items of a list and letters of a text that are written out."""


def remembered(function: Callable[Given, Card]) -> Callable[Given, Card]:
    """Let a function's scorecards say which call made them, and correct them for its `tries`."""
    signature = inspect.signature(function)
    name = f"{'sklearn.' * function.__module__.startswith('clearbar.sklearn.')}{function.__name__}"

    @functools.wraps(function)
    def called(*args: Given.args, **kwargs: Given.kwargs) -> Card:
        for option, instead in INSTEAD.items():
            if option in kwargs and option not in signature.parameters:
                raise TypeError(instead)
        tries = checked_tries(kwargs.get("tries", 1))
        card = best_of_tries(function(*args, **kwargs), tries)
        return dataclasses.replace(card, call=_written(name, signature.bind(*args, **kwargs)))

    return called


def _written(name: str, given: inspect.BoundArguments) -> str:
    parts, gap = [], False
    for parameter in given.signature.parameters.values():
        if parameter.name not in given.arguments:
            gap = True
            continue
        text = _literal(given.arguments[parameter.name]) or parameter.name
        named = gap or parameter.kind is parameter.KEYWORD_ONLY
        parts.append(f"{parameter.name}={text}" if named else text)
    return f"clearbar.{name}({', '.join(parts)})"


def _literal(value: Any) -> str:
    """Write a value as code; empty for data, which has no short name but its variable's."""
    if isinstance(value, (str, os.PathLike)):
        return repr(shorten(str(value), LONGEST))
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, Entry):
        return repr(value.name) if value.in_catalogue else repr(value)
    if isinstance(value, Mapping) and 0 < len(value) <= MOST:
        return f"{{{', '.join(f'{_literal(key) or repr(key)}: ...' for key in value)}}}"
    if isinstance(value, (list, tuple)) and 0 < len(value) <= MOST:
        items = [_literal(item) if isinstance(item, (str, Entry)) else "" for item in value]
        return f"[{', '.join(items)}]" if all(items) else ""
    return ""
