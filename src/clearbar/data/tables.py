"""Tables of any library as one query of narwhals: what their engines count, and samples read into memory.

`grouped`: how often does each combination of labels occur? Few rows come back, however many there are.
"""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from operator import or_
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import narwhals as nw
import numpy as np

from clearbar.core._typing import BoolArray, IntArray
from clearbar.core._value import WholeNumbers, whole_numbers
from clearbar.core.errors import ArgumentError, brief, listed
from clearbar.data.arrays import guarded, refuse_empty
from clearbar.data.files import paths_of
from clearbar.data.labels import Labels, class_names, parse_label, positive_samples, read_labels
from clearbar.data.polars_engine import typed
from clearbar.data.query import MissingColumnError, TableQuery

if TYPE_CHECKING:
    from clearbar.data.file_tables import FileTable

_ENGINES = {
    "duckdb": "DuckDB",
    "pyspark": "Spark",
    "pyspark[connect]": "Spark",
    "dask": "Dask",
    "sqlframe": "SQLFrame",
}

MOST_REPEATED = 100_000_000  # samples that rows are repeated to by their weights, where samples are read
EVERY_ROW_LACKS = "every row lacks a value"


@dataclass(frozen=True)
class Table:
    """A table whose columns bear our names."""

    frame: Any  # the columns that are asked for
    kinds: dict[str, str]  # for each column ``"boolean"``, ``"float"``, ``"integer"`` or ``"other"``
    engine: str  # what runs the query, for messages
    texts: frozenset[str] = frozenset()  # columns whose text stands for numbers, truth values or text
    files: FileTable | None = None


class IrregularRowsError(Exception):
    def __init__(self, files: FileTable) -> None:
        super().__init__()
        self.files = files


def opened(frame: Any, query: TableQuery) -> Table:
    """Return what holds a table, in memory, in an engine or in files, as a query that has not run yet."""
    paths = paths_of(frame)
    if paths is not None:
        from clearbar.data.file_tables import FileTable

        return FileTable.of(paths, query).table()
    if query.by_file:
        raise ValueError("by_file needs files; found a data frame. Name a column with by.")
    lazy, engine = _lazy(frame)
    try:
        schema = lazy.collect_schema()
    except Exception as error:
        raise _stopped(engine, error, "planning") from error
    dtypes = schema.dtypes()
    places = positions(query, schema.names(), "the frame")
    held = {ours: dtypes[place] for ours, place in places.items()}
    # By position and under our names: those of a table may be anything.
    named = (nw.nth(place).alias(ours) for ours, place in places.items())
    lazy = computable(_plainly_named(lazy, engine).select(*named), query, held)
    kinds = {ours: kind(dtype) for ours, dtype in held.items()} | dict.fromkeys(query.scores, "integer")
    return Table(lazy, kinds, engine)


def _lazy(frame: Any) -> tuple[Any, str]:
    with warnings.catch_warnings():
        # narwhals announces that its part for Dask will move to a package of its own.
        warnings.filterwarnings("ignore", message=".*narwhals-dask.*", category=FutureWarning)
        try:
            wrapped = nw.from_native(frame)
        except TypeError:
            raise ValueError(
                "frame must be a data frame (pandas, polars, pyarrow, DuckDB, Dask, Spark or another that "
                f"narwhals knows), or the path of a file; found {type(frame).__name__}."
            ) from None
        except Exception as error:  # e.g. two columns of one name
            raise ValueError(f"frame cannot be read: {' '.join(str(error).split())}") from error
    engine = str(wrapped.implementation.value)
    if engine == "polars":
        from clearbar.data.polars_engine import refuse_fork

        refuse_fork()
    return wrapped.lazy(), _ENGINES.get(engine, engine)


def _plainly_named(lazy: Any, engine: str) -> Any:
    native = lazy.to_native()
    if engine == "Spark":
        return nw.from_native(native.toDF(*(f"c{i}" for i in range(len(native.columns)))))
    if engine == "DuckDB":  # before its version 2
        return nw.from_native(
            native.project(", ".join(f"#{i + 1} AS c{i}" for i in range(len(native.columns))))
        )
    return lazy


def positions(query: TableQuery, names: Sequence[str], place: str) -> dict[str, int]:
    """Return where the columns are that are asked for, by our names; raise if one is missing or twice."""
    for wanted in query.columns.values():
        places = [str(position) for position, name in enumerate(names, 1) if name == wanted]
        if not places:
            raise MissingColumnError(wanted, place, names)
        if len(places) > 1:
            raise ValueError(
                f"{place} has {len(places)} columns named {brief(wanted)!r} (columns {listed(places)}); give "
                "each its own name."
            )
    return {ours: names.index(name) for ours, name in query.columns.items()}


def kind(dtype: Any) -> str:
    """Return what a column holds, as far as counting needs to know."""
    if dtype == nw.Boolean:
        return "boolean"
    if dtype.is_integer():
        return "integer"
    if dtype.is_numeric():
        return "float"
    return "nested" if dtype.is_nested() else "other"


def computable(lazy: Any, query: TableQuery, dtypes: Mapping[str, Any]) -> Any:
    """Return a table that every engine counts alike: numbers with a point as float64, scores as 1 and 0.

    Narrow floats add up to too little or to infinity, and engines ask no decimal whether it is nan. Raises if
    a column cannot have its role.
    """
    for ours, dtype in dtypes.items():
        holds, column = kind(dtype), query.called(ours)
        if holds == "nested":
            raise ValueError(f"{column} holds {dtype} values; it must hold single ones, one per row.")
        if ours in query.numbers and holds == "other":
            if query.threshold is None:
                raise ValueError(f"{column} must hold numbers, a score per sample; found {dtype}.")
            raise ValueError(f"threshold needs numbers; {column} holds {dtype}.")
        if ours == "w" and holds not in {"integer", "float"}:
            raise ValueError(f"{column} must hold whole numbers, how often each row occurs; found {dtype}.")
    floats = [ours for ours, dtype in dtypes.items() if ours[0] in "tpw" and kind(dtype) == "float"]
    narrow = [ours for ours in floats if dtypes[ours] != nw.Float64]
    lazy = lazy.with_columns(nw.col(ours).cast(nw.Float64) for ours in narrow) if narrow else lazy
    flags = [_at_least(lazy, ours, query.threshold, dtypes[ours]) for ours in query.scores]
    return lazy.with_columns(*flags) if flags else lazy


def _at_least(lazy: Any, ours: str, threshold: Any, dtype: Any) -> Any:
    """Return 1 where a score reaches a threshold as NumPy compares them: at the precision of the score."""
    column = nw.col(ours)
    value = column.cast(nw.Float64)
    missing = column.is_null() | value.is_nan() if _may_be_nan(lazy, kind(dtype)) else column.is_null()
    precision = {"Float16": "float16", "Float32": "float32"}.get(str(dtype), "float64")
    with np.errstate(over="ignore"):
        least = float(np.asarray(threshold, dtype=precision))
    ones = nw.when(value >= least).then(nw.lit(1, nw.Int64)).otherwise(nw.lit(0, nw.Int64))
    return nw.when(~missing).then(ones).alias(ours)


def _may_be_nan(lazy: Any, holds: str) -> bool:
    """Whether a column may hold nan: floats, but not in databases behind ibis that know none, as SQLite."""
    native = lazy.to_native()
    if holds != "float" or not hasattr(native, "get_backend"):
        return holds == "float"
    is_nan = importlib.import_module("ibis.expr.operations").IsNan
    return bool(native.get_backend().has_operation(is_nan))


def _stopped(engine: str, error: BaseException, doing: str) -> ValueError:
    first = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
    return ValueError(f"{engine} stopped while {doing} the table: {first[:300].rstrip('. ')}.")


def collected(table: Table, query: Callable[[Any], Any]) -> Any:
    """Run a query; a table in this process keeps its library, others come back as pyarrow."""
    try:
        with nullcontext(table.frame) if table.files is None else table.files.watched(table.frame) as frame:
            return query(frame).collect(**({"engine": "streaming"} if table.engine == "polars" else {}))
    except MemoryError:
        raise
    except BaseException as error:  # an engine may raise anything, and its panic is no Exception
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        refusal = _stopped(table.engine, error, "counting")
        if table.files is not None:
            table.files.explain(refusal)
        raise refusal from error


def grouped(table: Table, keys: Sequence[str], *, where: Any = None, first: int | None = None) -> Any:
    """Count the rows of each combination of keys as ``n``, of the first rows or where a condition holds."""
    looked_at = ["e"] if "e" in table.kinds else []

    def query(frame: Any) -> Any:
        frame = frame if first is None else frame.head(first)
        frame = frame if where is None else frame.filter(where)
        counts = [nw.len().alias("n"), *(nw.col(name).sum() for name in looked_at)]
        return frame.select(*keys, *looked_at).group_by(*keys).agg(*counts)

    rows = collected(table, query)
    if table.files is None or not looked_at:
        return rows
    if rows.get_column("e").sum():
        files = table.files.checked()
        if any((files.blank or {}).values()):
            raise IrregularRowsError(files)
    return rows.drop("e")


def lacks_one(table: Table, names: Sequence[str]) -> Any:
    """Return where one of several columns has no value."""
    absent = []
    for name in names:
        may_be_nan = _may_be_nan(table.frame, table.kinds[name])
        absent += [nw.col(name).is_null(), *([nw.col(name).is_nan()] if may_be_nan else [])]
    return functools.reduce(or_, absent)


def lacking(column: Any) -> BoolArray:
    """Return which values of a column in memory are missing."""
    absent = column.is_null()
    if column.dtype.is_float():
        absent = absent | column.is_nan().fill_null(True)  # noqa: FBT003
    return np.asarray(absent.to_numpy(), dtype=bool)


def whole(column: Any) -> IntArray:
    return np.array(column.cast(nw.Int64).to_numpy(), dtype=np.int64)


def refuse_rowless(table: Table) -> NoReturn:
    paths = [] if table.files is None else table.files.paths
    if not paths:
        refuse_empty("y_true", 0)
    if len(paths) > 1:
        raise ValueError(f"none of {len(paths):,} files has a row.")
    raise ValueError(f"{paths[0]} has columns but no rows.")


def refuse_nothing(why: str) -> NoReturn:
    raise ValueError(f"{why}, so that there are no samples; at least one is needed to have a bar.")


def refuse_missing_in(query: TableQuery, name: str, number: int) -> None:
    if number:
        values = "1 missing value" if number == 1 else f"{number:,} missing values"
        raise ArgumentError(
            query.called(name),
            f" has {values}. Fill them in, or ",
            "pass nulls='drop' to leave those rows out.",
            "nulls",
        )


class FrameSamples(NamedTuple):
    """The samples of a table: labels, predictions of each model, slices, and what belongs together."""

    truth: Any
    predicted: dict[str, Any]
    slices: tuple[Any, ...]  # the columns that part samples into slices
    clusters: Any
    folds: Any
    left_out: int
    labels: tuple[str, str] = WholeNumbers.labels  # of the negative and the positive class
    given: Any = None  # a column that bars may see


def sampled_frame(frame: Any, query: TableQuery) -> FrameSamples:
    """Read which samples of a table are positive, and which of them are called so; scores as they are."""
    samples = sampled_values(frame, query)
    labels, truth = _positive(samples, query, None)
    predicted = samples.predicted
    if query.threshold is not None:
        predicted = {name: values == 1 for name, values in predicted.items()}
    elif not query.of_scores:
        predicted = {name: _positive(samples, query, name)[1] for name in predicted}
    return samples._replace(truth=truth, predicted=predicted, labels=class_names(labels))


def _positive(samples: FrameSamples, query: TableQuery, model: str | None) -> tuple[Labels, Any]:
    """Return both labels, and which samples are positive, or which of them a model calls so."""
    truth, predicted, pos_label = read_labels(samples.truth, query.argument("t")), None, query.pos_label
    if model is not None:
        name = query.models[query.y_pred.index(model)]
        predicted = read_labels(samples.predicted[model], query.argument(name))
    if query.spelt and pos_label is not None:
        columns = [truth] if predicted is None else [truth, predicted]
        labels = {label for column in columns for label in column.tally.counts}
        pos_label = parse_label(pos_label, sorted(labels, key=str))
    return positive_samples(truth, pos_label, predicted)


def sampled_values(frame: Any, query: TableQuery) -> FrameSamples:
    """Read the samples of a table and their labels of any number of classes, or numbers."""
    columns, left_out = _columns(frame, query)
    values = {name: _array(column) for name, column in columns.items()}
    truth, *models = (values[name] for name in query.labels)
    predicted = dict(zip((*query.y_pred, *query.y_score), models, strict=True))
    slices = tuple(values[name] for name in query.slices)
    others: Any = {"clusters": values.get("c"), "folds": values.get("f"), "given": values.get("v")}
    samples = FrameSamples(truth, predicted, slices, left_out=left_out, **others)
    return samples if query.weight is None else _repeated(samples, query, values["w"])


def _repeated(samples: FrameSamples, query: TableQuery, weights: Any) -> FrameSamples:
    """Return each row as often as its weight says."""
    times = whole_numbers(query.argument("w"), weights)
    total = int(times.sum())
    if not 0 < total <= MOST_REPEATED:
        most = f"from 1 to {MOST_REPEATED:,} samples"
        raise ValueError(f"{query.argument('w')} must add up to {most} here; found {total:,}.")
    predicted = {name: np.repeat(values, times) for name, values in samples.predicted.items()}
    slices = tuple(np.repeat(column, times) for column in samples.slices)
    given = None if samples.given is None else np.repeat(samples.given, times)
    truth = np.repeat(samples.truth, times)
    return samples._replace(truth=truth, predicted=predicted, slices=slices, given=given)


def column_values(
    frame: Any, query: TableQuery, may_lack: Collection[str]
) -> tuple[dict[str, list[Any]], int]:
    """Read columns by our names; rows that lack a value are left out, unless they may lack it."""
    columns, left_out = _columns(frame, query, may_lack)
    values = {name: list(column.to_list()) for name, column in columns.items()}
    for name in may_lack:
        for place in np.flatnonzero(lacking(columns[name])) if name in columns else ():
            values[name][place] = None
    return values, left_out


def _columns(frame: Any, query: TableQuery, may_lack: Collection[str] = ()) -> tuple[dict[str, Any], int]:
    """Read columns, text as what it stands for, without rows that lack one; and how many these are."""
    table = opened(frame, query)
    if table.files is not None:  # looked through for what is no row
        table = table.files.slower().checked().table()
    names = [*query.columns, *query.slices[len(query.by) :]]
    rows = collected(table, lambda lazy: lazy.select(*names))
    if not len(rows):
        refuse_rowless(table)
    columns = {}
    absent = np.zeros(len(rows), dtype=bool)
    for name in names:
        column = rows.get_column(name)
        if name in table.texts:
            column = nw.from_native(typed(column.to_native().fill_null("")), series_only=True)
        columns[name] = column
        if name not in may_lack:
            without = lacking(column)
            if query.nulls == "raise":
                refuse_missing_in(query, name, int(without.sum()))
            absent |= without
    if absent.all():
        refuse_nothing(EVERY_ROW_LACKS)
    if absent.any():
        columns = {name: column.filter((~absent).tolist()) for name, column in columns.items()}
    return columns, int(absent.sum())


def _array(column: Any) -> Any:
    if column.dtype.is_numeric() or column.dtype == nw.Boolean:
        with guarded(column.to_native(), f"column {column.name!r}"):
            return np.asarray(column.to_numpy())
    values = np.empty(len(column), dtype=object)
    values[:] = column.to_list()
    kinds = {type(value) for value in values[:1000].tolist()}
    return np.array(values.tolist()) if kinds in ({int}, {float}, {bool}) else values
