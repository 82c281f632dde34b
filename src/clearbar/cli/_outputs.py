"""An output is never an input: what is read would be damaged by what is written."""

from __future__ import annotations

import argparse
import os
import stat
import sys

from clearbar.cli._parser import UsageError
from clearbar.data.tables import files_of

_OPTIONS = ("html", "summary")


def refuse_inputs(options: argparse.Namespace) -> None:
    """Raise if a file that would be written is one of those that are read, whatever it is called."""
    read = {_identity(path): path for path in (files_of(options.files) if options.files else ())}
    read.pop(None, None)
    written = {f"--{name} {path}": path for name in _OPTIONS if (path := getattr(options, name, None))}
    for words, place in {**written, "standard output": _descriptor()}.items():
        if taken := read.get(_identity(place)):
            known = "" if place == taken else f" {taken},"
            raise UsageError(f"{words} is{known} a file that is read; write to another one.")


def _descriptor() -> int | None:
    try:
        return sys.stdout.fileno()
    except (AttributeError, OSError, ValueError):  # none, closed or made up
        return None


def _identity(place: str | int | None) -> tuple[int, int] | None:
    """Return device and inode of an ordinary file, links followed; None of what is none."""
    try:
        status = None if place is None else os.stat(place)  # noqa: PTH116 - also of a descriptor
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if status and stat.S_ISREG(status.st_mode) else None
