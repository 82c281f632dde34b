"""Files whose columns have types of their own: Parquet and JSON-lines."""

from __future__ import annotations

from typing import Any

from clearbar.frames._files import Source


def scan_typed(source: Source, *, whole: bool = True) -> Any:
    """Return a lazy frame of a file whose columns have types of their own.

    Parameters
    ----------
    source : Source
        Parquet or JSON-lines.
    whole : bool
        Whether all records of JSON-lines are looked at to tell the types, not only the first ones.

    Returns
    -------
    polars.LazyFrame
    """
    import polars as pl

    if source.kind == "json":
        return pl.scan_ndjson(source.path, infer_schema_length=None if whole else 100)
    return pl.scan_parquet(source.path, glob="://" in source.path)


def damaged(source: Source, error: BaseException) -> str:
    """Return what is wrong with a file that the engine cannot read.

    Parameters
    ----------
    source : Source
        The file.
    error : BaseException
        What the engine raised.

    Returns
    -------
    str
    """
    reason = str(error).partition("\n")[0].rstrip(". ")
    what = {"csv": "cannot be read as CSV", "json": "is not JSON-lines, one record per line"}
    told = what.get(source.kind, "is a damaged or truncated Parquet file")
    return f"{source.path} {told} ({reason})."


def schema_of(source: Source, lazy: Any) -> Any:
    """Return the names and types of a file's columns, or say that the file is damaged.

    Parameters
    ----------
    source : Source
        The file.
    lazy : polars.LazyFrame
        What is read from it.

    Returns
    -------
    polars.Schema

    Raises
    ------
    ValueError
        If its types cannot be read.
    """
    import polars as pl

    try:
        return lazy.collect_schema()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise ValueError(damaged(source, error)) from None
