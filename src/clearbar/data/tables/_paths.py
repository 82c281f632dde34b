"""Paths and patterns, and the engine that reads what they name."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from typing import Any

from clearbar.data.tables._forked import refuse_fork

INSTALL = "reading files needs polars, which is not installed: pip install 'clearbar[cli]'"


def require_engine() -> None:
    """Raise if there is nothing that reads files."""
    try:
        import polars  # noqa: F401, ICN001
    except ImportError:
        raise ImportError(INSTALL) from None
    refuse_fork()


def files_of(paths: Any) -> list[str]:
    """Return the files that paths and patterns stand for."""
    several = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    inside = paths_of(several)
    if inside is None:
        raise ValueError(f"files must be named by their paths; found {several!r:.80}.")
    return inside


def paths_of(given: Any) -> list[str] | None:
    """Return the paths that are given, patterns filled in; None if these are no paths."""
    several = [given] if isinstance(given, (str, os.PathLike)) else given
    if not isinstance(several, (list, tuple, set, frozenset)) or not all(
        isinstance(path, (str, os.PathLike)) for path in several
    ):
        return None
    if not several:
        raise ValueError("name at least one file to read.")
    return [path for one in several for path in _expanded(os.fsdecode(one))]


def refuse_repeated(paths: Iterable[str]) -> None:
    """Raise if two paths lead to one file, whose rows would be counted twice."""
    known: dict[Any, str] = {}
    for path in paths:
        where = path if "://" in path else os.stat(path)[1:3]  # noqa: PTH116 - its number on its device
        if where in known:
            same = (
                f"{path} is named twice"
                if path == known[where]
                else f"{known[where]} and {path} are one file"
            )
            raise ValueError(f"{same}; name it once, or its rows are counted twice.")
        known[where] = path


def _expanded(path: str) -> list[str]:
    """Return the files that a pattern stands for; a file of that very name wins."""
    if "://" in path or not glob.has_magic(path) or os.path.exists(path):  # noqa: PTH110
        return [path]
    files = sorted(name for name in glob.glob(path, recursive=True) if not os.path.isdir(name))  # noqa: PTH112, PTH207
    if not files:
        raise ValueError(f"no file matches {path}.")
    return files
