"""Methods of a value that a later room computes.

Data flows one way, but a reader looks for ``bar.judge(0.72)`` on the bar. Such a method is named
here and found when it is first used, so that no room imports a later one and importing stays cheap.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any


class Later:
    """A method that stands in another room."""

    def __init__(self, room: str, name: str, *, static: bool = False) -> None:
        self._room, self._name, self._static = room, name, static

    def __get__(self, value: Any, owner: type) -> Callable[..., Any]:
        """Find the function and bind it."""
        function: Callable[..., Any] = getattr(importlib.import_module(self._room), self._name)
        if value is None or self._static:
            return function
        return functools.wraps(function)(functools.partial(function, value))
