"""Which measures were named."""

from __future__ import annotations

import shlex

from clearbar.cli._parser import UsageError


def named(names: list[str] | None, default: str | None = None) -> list[str] | str | None:
    """Return the measures that were named on the command line."""
    for name in names or ():
        if "," in name and "(" not in name:
            parts = shlex.join(part.strip() for part in name.split(",") if part.strip())
            raise UsageError(f"--measure {name!r}: separate names with spaces, as in --measure {parts}.")
    if names and any(name.strip().casefold() == "all" for name in names):
        return "all"
    return default if names is None else names
