"""Which files are meant, and which columns they have."""

from __future__ import annotations

import os
from typing import Any

from clearbar.data.tables import _csv
from clearbar.data.tables._files import inspect
from clearbar.data.tables._paths import paths_of, require_engine
from clearbar.data.tables._typed import damaged, scan_typed


def files_of(paths: Any) -> list[str]:
    """Return the files that paths and patterns stand for."""
    several = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    found = paths_of(several)
    if found is None:
        raise ValueError(f"files must be named by their paths; found {several!r:.80}.")
    return found


def column_names(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the names of a file's columns."""
    require_engine()
    import polars as pl

    source = inspect(os.fspath(path))
    if source.kind == "csv":
        return _csv.header(source, ()).names
    try:
        return tuple(scan_typed(source).collect_schema().names())
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise ValueError(damaged(source, error)) from None
