"""What every room stands on: counts, values, errors, progress; and here names that are imported at first use.

Data flows one way, but a reader looks for ``bar.judge(0.72)`` on the bar: such a method is named on the
bar and imported at its first use, so that no room imports a later one. And a room may offer names whose
modules are heavy without making everyone who enters it pay for them (SPEC 1 of scientific Python).
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def late(room: str, modules: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a room, for the names that each module (``"._labels"``) gives it."""
    module_of = {name: module for module, names in modules.items() for name in names}

    def __getattr__(name: str) -> Any:  # noqa: N807 - this is what Python calls it in a module
        if name not in module_of:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(module_of[name], room), name)
        setattr(sys.modules[room], name, value)
        return value

    return __getattr__


class Later:
    """A lazily imported method."""

    def __init__(self, room: str, name: str, *, static: bool = False) -> None:
        self._room, self._name, self._static = room, name, static

    def __get__(self, value: Any, owner: type) -> Callable[..., Any]:
        """Find the function and bind it."""
        function: Callable[..., Any] = getattr(importlib.import_module(self._room), self._name)
        if value is None or self._static:
            return function
        return functools.wraps(function)(functools.partial(function, value))
