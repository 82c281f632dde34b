"""Several files are one table."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from clearbar.frames import _csv
from clearbar.frames._files import MissingColumnError, Source, inspect
from clearbar.frames._labels import family, typed
from clearbar.frames._lines import blank_rows
from clearbar.frames._paths import paths_of, require_engine
from clearbar.frames._typed import damaged, scan_typed


def read_table(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], columns: Sequence[str]
) -> dict[str, Any]:
    """Read columns from CSV and Parquet files; several files are one table.

    Parameters
    ----------
    paths : path, or iterable of them
        CSV (also ``.tsv`` and ``.txt``, with gzip or without) and Parquet files.
    columns : sequence of str
        The columns; every file must have all of them.

    Returns
    -------
    dict of str to polars.Series
        Null where a value is missing. A column of a CSV file is whole numbers, numbers, truth
        values or text: what all of its values are, in all files together.

    Raises
    ------
    ValueError
        If a file cannot be read, or does not have a column.
    ImportError
        If polars is not installed.
    """
    require_engine()
    import polars as pl

    wanted = list(dict.fromkeys(columns))
    sources = [inspect(path) for path in files_of(paths)]
    pieces = [(source, _piece(source, wanted)) for source in sources]
    texts = [frame for source, frame in pieces if source.kind == "csv"]
    found = {}
    for name in wanted:
        parts = [(source.path, frame[name]) for source, frame in pieces if source.kind != "csv"]
        if texts:
            whole = typed(pl.concat([frame[name] for frame in texts]))
            parts.insert(0, (next(s.path for s, _ in pieces if s.kind == "csv"), whole))
        found[name] = _joined(name, parts)
    return found


def files_of(paths: Any) -> list[str]:
    """Return the files that paths and patterns stand for.

    Parameters
    ----------
    paths : path, or iterable of them
        What was given.

    Returns
    -------
    list of str

    Raises
    ------
    ValueError
        If there is none.
    """
    several = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    found = paths_of(several)
    if found is None:
        raise ValueError(f"files must be named by their paths; found {several!r:.80}.")
    return found


def _piece(source: Source, wanted: Sequence[str]) -> Any:
    return _read_csv(source, wanted) if source.kind == "csv" else _read_typed(source, wanted)


def _joined(name: str, parts: list[tuple[str, Any]]) -> Any:
    """Put the pieces of one column together, if they are of one kind."""
    import polars as pl

    if len(parts) == 1:
        return parts[0][1]
    kinds = {kind: path for path, part in reversed(parts) if (kind := family(part.dtype))}
    if len(kinds) > 1:
        (one, here), (other, there) = list(kinds.items())[:2]
        raise ValueError(
            f"column {name!r} holds {other} in {there} but {one} in {here}; make it one kind in all files."
        )
    plain = pl.String if "text" in kinds else None
    series = [part.cast(plain) if plain else part for _, part in parts]
    return pl.concat([one.to_frame(name) for one in series], how="vertical_relaxed").to_series()


def _read_csv(source: Source, wanted: Sequence[str]) -> Any:
    """Read columns as text.

    Parameters
    ----------
    source : Source
        The file.
    wanted : sequence of str
        Their names.

    Returns
    -------
    polars.DataFrame
        Text, empty where a value is; blank lines are left out.

    Raises
    ------
    ValueError
        If a column is missing or the file is not CSV.
    """
    import polars as pl

    top = _csv.header(source, wanted)
    picked = {name: str(top.position(name, source.path)) for name in wanted}
    last = str(len(top.names) - 1)
    lazy = _csv.scan(source, top)
    try:
        columns = [pl.col(at).alias(f"c{number}") for number, at in enumerate(picked.values())]
        found = lazy.select(*columns, pl.col(last).alias("last")).collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        blank_rows(source, top)  # says what is wrong in our words, mostly
        reason = str(error).partition("\n")[0]
        raise ValueError(f"{source.path} cannot be read as CSV: {reason}.") from None
    if not found.height:
        raise ValueError(f"{source.path} has a header but no rows.")
    if (found["last"] == "").any():  # short rows and blank lines look like this, and nothing else wrong does
        blank, records = blank_rows(source, top)
        if records != found.height:
            raise ValueError(f"{source.path} is not CSV: its quotes do not tell where rows end.")
        if blank:
            keep = pl.Series([True]).new_from_index(0, found.height).scatter(blank, values=False)
            found = found.filter(keep)
    if not found.height:
        raise ValueError(f"{source.path} has a header but no rows.")
    return found.drop("last").rename({f"c{at}": name for at, name in enumerate(picked)})


def _read_typed(source: Source, wanted: Sequence[str]) -> Any:
    import polars as pl

    try:
        lazy = scan_typed(source)
        schema = lazy.collect_schema()
        for name in wanted:
            if name not in schema:
                raise MissingColumnError(name, source.path, schema.names())
            if schema[name].is_nested():
                raise ValueError(
                    f"column {name!r} in {source.path} holds {schema[name]}; labels are single values, "
                    "one per row."
                )
        found = lazy.select(wanted).fill_nan(None).collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise ValueError(damaged(source, error)) from None
    if not found.height:
        raise ValueError(f"{source.path} has columns but no rows.")
    return found


def column_names(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the names of a file's columns.

    Parameters
    ----------
    path : path
        A CSV or Parquet file.

    Returns
    -------
    tuple of str

    Raises
    ------
    ValueError
        If the file cannot be read.
    ImportError
        If polars is not installed.
    """
    require_engine()
    import polars as pl

    source = inspect(os.fspath(path))
    if source.kind == "csv":
        return _csv.header(source, ()).names
    try:
        return tuple(scan_typed(source).collect_schema().names())
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise ValueError(damaged(source, error)) from None
