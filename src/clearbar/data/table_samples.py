"""Samples of a table, where these are read into memory, and what is said of a table without any."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple, NoReturn

import narwhals as nw
import numpy as np

from clearbar.core._value import WholeNumbers, whole_numbers
from clearbar.core.errors import ArgumentError
from clearbar.data.arrays import guarded, refuse_empty
from clearbar.data.labels import Labels, class_names, parse_label, positive_samples, read_labels
from clearbar.data.polars_engine import typed
from clearbar.data.query import TableQuery
from clearbar.data.tables import Table, collected, lacking, opened

MOST_REPEATED = 100_000_000
"""Samples that rows are repeated to by their weights, where samples are read."""

EVERY_ROW_LACKS = "every row lacks a value"


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
    slices: tuple[Any, ...]
    """The columns that part samples into slices."""
    clusters: Any
    folds: Any
    left_out: int
    labels: tuple[str, str] = WholeNumbers.labels
    """What the negative and the positive class are called."""
    given: Any = None
    """A column that bars may see."""


def sampled_frame(frame: Any, query: TableQuery) -> FrameSamples:
    """Read which samples of a table are positive, and which of them are called so."""
    samples = sampled_values(frame, query)
    labels, truth = _positive(samples, query, None)
    predicted = {
        name: values == 1 if query.threshold is not None else _positive(samples, query, name)[1]
        for name, values in samples.predicted.items()
    }
    return samples._replace(truth=truth, predicted=predicted, labels=class_names(labels))


def sampled_scores(frame: Any, query: TableQuery) -> FrameSamples:
    samples = sampled_values(frame, query)
    labels, truth = _positive(samples, query, None)
    return samples._replace(truth=truth, labels=class_names(labels))


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
    predicted = dict(zip(query.y_pred, models, strict=True))
    slices = tuple(values[name] for name in query.slices)
    samples = FrameSamples(truth, predicted, slices, values.get("c"), values.get("f"), left_out)
    samples = samples._replace(given=values.get("v"))
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
    """Read the columns that are asked for, by our names; and how many rows lack one that none may lack.

    These rows are left out; elsewhere None stands for a missing value.
    """
    columns, left_out = _columns(frame, query, may_lack)
    return {name: _list(column) for name, column in columns.items()}, left_out


def _list(column: Any) -> list[Any]:
    values, absent = column.to_list(), lacking(column)
    if not absent.any():
        return list(values)
    return [None if gone else value for value, gone in zip(values, absent, strict=True)]


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
