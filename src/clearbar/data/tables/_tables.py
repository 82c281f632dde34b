"""A table of any library, as one query of narwhals that is run later."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from clearbar.core.errors import brief, listed
from clearbar.data.tables._ask import Ask, MissingColumnError
from clearbar.data.tables._files import paths_of

if TYPE_CHECKING:
    from clearbar.data.tables._scan import Files

_NAMES = {
    "duckdb": "DuckDB",
    "pyspark": "Spark",
    "pyspark[connect]": "Spark",
    "dask": "Dask",
    "pandas": "pandas",
    "sqlframe": "SQLFrame",
}

_POINTS = {"Float16": "float16", "Float32": "float32"}


@dataclass(frozen=True)
class Table:
    """A table whose columns bear our names."""

    frame: Any  # the columns that are asked for
    kinds: dict[str, str]  # for each column ``"boolean"``, ``"float"``, ``"integer"`` or ``"other"``
    engine: str  # what runs the query, for messages
    texts: frozenset[str] = frozenset()
    files: Files | None = None


def opened(frame: Any, ask: Ask) -> Table:
    """Return what holds a table, in memory, in an engine or in files, as a query that has not run yet."""
    paths = paths_of(frame)
    if paths is not None:
        from clearbar.data.tables._scan import Files

        return Files.of(paths, ask).table()
    if ask.by_file:
        raise ValueError("by_file needs files; found a data frame. Name a column with by.")
    return _table_of(frame, ask)


def _table_of(frame: Any, ask: Ask) -> Table:
    """Return a data frame of any library as a table."""
    lazy, engine = _lazy(frame)
    try:
        schema = lazy.collect_schema()
    except Exception as error:
        raise stopped(engine, error, "planning") from error
    dtypes = schema.dtypes()
    places = positions(ask, schema.names(), "the frame")
    held = {ours: dtypes[place] for ours, place in places.items()}
    # By position and under our names: those of a table may be anything.
    named = (nw.nth(place).alias(ours) for ours, place in places.items())
    lazy = computable(_plainly_named(lazy, engine).select(*named), ask, held)
    kinds = {ours: kind(dtype) for ours, dtype in held.items()} | dict.fromkeys(ask.scores, "integer")
    return Table(lazy, kinds, engine)


def positions(ask: Ask, names: Sequence[str], place: str) -> dict[str, int]:
    """Return where the columns are that are asked for, by our names; raise if one is missing or twice."""
    for name in ask.columns.values():
        places = [str(at) for at, known in enumerate(names, 1) if known == name]
        if not places:
            raise MissingColumnError(name, place, names)
        if len(places) > 1:
            raise ValueError(
                f"{place} has {len(places)} columns named {brief(name)!r} (columns {listed(places)}); give "
                "each its own name."
            )
    return {ours: names.index(name) for ours, name in ask.columns.items()}


def _plainly_named(lazy: Any, engine: str) -> Any:
    """Return a table with names of our own where the engine takes signs in names for syntax."""
    native = lazy.to_native()
    if engine == "Spark":
        return nw.from_native(native.toDF(*(f"c{at}" for at in range(len(native.columns)))))
    if engine == "DuckDB":  # before its version 2
        return nw.from_native(
            native.project(", ".join(f"#{at + 1} AS c{at}" for at in range(len(native.columns))))
        )
    return lazy


def _refuse_kinds(ask: Ask, dtypes: Mapping[str, Any]) -> None:
    for ours, dtype in dtypes.items():
        type_name, column = kind(dtype), ask.called(ours)
        if type_name == "nested":
            raise ValueError(f"{column} holds {dtype} values; it must hold single ones, one per row.")
        if ours in ask.numbers and type_name == "other":
            if ask.of_scores:
                raise ValueError(f"{column} must hold numbers, a score per sample; found {dtype}.")
            raise ValueError(f"threshold needs numbers; {column} holds {dtype}.")
        if ours == "w" and type_name not in {"integer", "float"}:
            raise ValueError(f"{column} must hold whole numbers, how often each row occurs; found {dtype}.")


def _lazy(frame: Any) -> tuple[Any, str]:
    with warnings.catch_warnings():
        # narwhals announces that its part for Dask will move to a package of its own.
        warnings.filterwarnings("ignore", message=".*narwhals-dask.*", category=FutureWarning)
        try:
            known = nw.from_native(frame)
        except TypeError:
            raise ValueError(
                "frame must be a data frame (pandas, polars, pyarrow, DuckDB, Dask, Spark or another that "
                f"narwhals knows), or the path of a file; found {type(frame).__name__}."
            ) from None
        except Exception as error:  # e.g. two columns of one name
            reason = " ".join(str(error).split())
            raise ValueError(f"frame cannot be read: {reason}") from error
    engine = str(known.implementation.value)
    if engine == "polars":
        from clearbar.data.tables._polars import refuse_fork

        refuse_fork()
    return known.lazy(), _NAMES.get(engine, engine)


def computable(lazy: Any, ask: Ask, dtypes: Mapping[str, Any]) -> Any:
    """Return a table that every engine counts alike: numbers with a point as float64, scores as 1 and 0.

    Narrow floats add up to too little or to infinity, and engines ask no decimal whether it is nan. Raises if
    a column cannot have the part that it is given.
    """
    _refuse_kinds(ask, dtypes)
    points = [ours for ours, dtype in dtypes.items() if ours[0] in "tpw" and kind(dtype) == "float"]
    wide = [ours for ours in points if dtypes[ours] != nw.Float64]
    lazy = lazy.with_columns(nw.col(ours).cast(nw.Float64) for ours in wide) if wide else lazy
    scores = [_reached(ours, ask.threshold, dtypes[ours]) for ours in ask.scores]
    return lazy.with_columns(*scores) if scores else lazy


def _reached(ours: str, threshold: Any, dtype: Any) -> Any:
    """Return 1 where a score reaches a threshold as NumPy compares them: at the precision of the score."""
    column = nw.col(ours)
    value = column.cast(nw.Float64)
    missing = column.is_null() | value.is_nan() if kind(dtype) == "float" else column.is_null()
    with np.errstate(over="ignore"):
        least = float(np.asarray(threshold, dtype=_POINTS.get(str(dtype), "float64")))
    reached = value >= least
    one, zero = nw.lit(1, nw.Int64), nw.lit(0, nw.Int64)
    return nw.when(~missing).then(nw.when(reached).then(one).otherwise(zero)).alias(ours)


def kind(dtype: Any) -> str:
    """Return what a column holds, as far as counting needs to know."""
    if dtype == nw.Boolean:
        return "boolean"
    if dtype.is_integer():
        return "integer"
    if dtype.is_numeric():
        return "float"
    return "nested" if dtype.is_nested() else "other"


def stopped(engine: str, error: BaseException, doing: str) -> ValueError:
    """Return what an engine says, in a sentence."""
    first = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
    return ValueError(f"{engine} stopped while {doing} the table: {first[:300].rstrip('. ')}.")
