"""Which measures were named."""

from __future__ import annotations

import shlex

from clearbar.catalogue import Measure
from clearbar.cli._parser import UsageError
from clearbar.evaluation import chosen_measures


def chosen(names: list[str] | None, default: str | None = None) -> tuple[Measure, ...]:
    """Return the measures that were named on the command line."""
    if names is None:
        return chosen_measures(default)
    for name in names:
        if "," in name and "(" not in name:
            parts = shlex.join(part.strip() for part in name.split(",") if part.strip())
            raise UsageError(f"--measure {name!r}: separate names with spaces, as in --measure {parts}.")
    if any(name.strip().casefold() == "all" for name in names):
        return chosen_measures("all")
    return chosen_measures(names)
