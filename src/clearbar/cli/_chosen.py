"""Which measures were named."""

from __future__ import annotations

import shlex
from typing import Any

from clearbar.cli._parser import UsageError
from clearbar.evaluation import chosen_measures


def chosen(
    names: list[str] | None, default: str | None = None, kind: str | None = "binary"
) -> tuple[Any, ...]:
    """Return the measures that were named on the command line, of any kind if it is None."""
    for name in names or ():
        if "," in name and "(" not in name:
            parts = shlex.join(part.strip() for part in name.split(",") if part.strip())
            raise UsageError(f"--measure {name!r}: separate names with spaces, as in --measure {parts}.")
    if names and any(name.strip().casefold() == "all" for name in names):
        return chosen_measures("all")
    return chosen_measures(default if names is None else names, kind)
