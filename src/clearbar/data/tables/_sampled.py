"""From a table to its samples, in this process's memory: where they are ranked, or belong together."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from clearbar.data.columns import of_64_bits
from clearbar.data.tables._ask import Ask
from clearbar.data.tables._labels import typed
from clearbar.data.tables._query import Sides, lacking, samples_query, tallied
from clearbar.data.tables._settle import (
    EVERY_ROW_LACKS,
    refuse_missing_in,
    refuse_nothing,
    refuse_rowless,
    settled,
    settled_rows,
)
from clearbar.data.tables._tables import Table, opened


class FrameSamples(NamedTuple):
    """The samples of a table: labels, predictions of each model, slices, and what belongs together."""

    truth: Any
    predicted: dict[str, Any]
    slices: tuple[Any, ...]
    """The columns that part samples into slices."""
    clusters: Any
    folds: Any
    left_out: int


def sampled_frame(frame: Any, ask: Ask) -> FrameSamples:
    """Read which samples of a table are positive, and which of them are called so."""
    table = _read_through(frame, ask)
    return _samples(table, ask, settled(table, ask))


def sampled_scores(frame: Any, ask: Ask) -> FrameSamples:
    """Read which samples of a table are positive, and their scores."""
    table = _read_through(frame, ask)
    truth = ask.labels[:1]
    return _samples(table, ask, settled_rows(table, ask, tallied(table, ask, truth), truth))


def sampled_values(frame: Any, ask: Ask) -> FrameSamples:
    """Read the samples of a table and their labels of any number of classes, or numbers."""
    return _samples(_read_through(frame, ask), ask, {})


def column_values(frame: Any, ask: Ask, may_lack: Collection[str]) -> tuple[dict[str, list[Any]], int]:
    """Read the columns that are asked for, by our names; and how many rows lack one that none may lack.

    These rows are left out; elsewhere None stands for a missing value.
    """
    columns, left_out = _columns(_read_through(frame, ask), ask, {}, may_lack)
    values = {
        name: [None if gone else value for value, gone in zip(column.to_list(), lacking(column), strict=True)]
        for name, column in columns.items()
    }
    return values, left_out


def _read_through(frame: Any, ask: Ask) -> Table:
    """Return a table; files are looked through for what is no row."""
    table = opened(frame, ask)
    return table if table.files is None else table.files.slower().checked().table()


def _samples(table: Table, ask: Ask, sides: Mapping[str, Sides]) -> FrameSamples:
    """Read the rows that lack nothing; columns of `sides` as whether they are positive."""
    columns, left_out = _columns(table, ask, sides)
    values = {name: _array(column) for name, column in columns.items()}
    truth, *models = (values[name] for name in ask.labels)
    predicted = dict(zip(ask.y_pred, models, strict=True))
    slices = tuple(values[name] for name in ask.slices)
    return FrameSamples(truth, predicted, slices, values.get("c"), values.get("f"), left_out)


def _columns(
    table: Table, ask: Ask, sides: Mapping[str, Sides], may_lack: Collection[str] = ()
) -> tuple[dict[str, Any], int]:
    """Read columns, text as what it stands for, without rows that lack one; and how many these are."""
    names = [name for name in (*ask.columns, *ask.slices[len(ask.by) :]) if name not in sides]
    rows = samples_query(table, sides, names)
    if not len(rows):
        refuse_rowless(table)
    columns = {name: rows.get_column(name) == 1 for name in sides}
    absent = np.zeros(len(rows), dtype=bool)
    if sides:
        absent |= rows.get_column("missing").to_numpy() == 1
    for name in names:
        column = rows.get_column(name)
        if name in table.texts:
            column = nw.from_native(typed(column.to_native().fill_null("")), series_only=True)
        columns[name] = column
        if name not in may_lack:
            without = lacking(column)
            if ask.nulls == "raise":
                refuse_missing_in(ask, name, int(without.sum()))
            absent |= without
    if absent.all():
        refuse_nothing(EVERY_ROW_LACKS)
    if absent.any():
        columns = {name: column.filter((~absent).tolist()) for name, column in columns.items()}
    return columns, int(absent.sum())


def _array(column: Any) -> Any:
    """Return the values of a column that lacks none, as whatever Python makes of them."""
    if column.dtype in {nw.Int128, nw.UInt128}:
        return np.asarray(of_64_bits(column.to_native(), f"column {column.name!r}"))
    if column.dtype.is_numeric() or column.dtype == nw.Boolean:
        return np.asarray(column.to_numpy())
    values = np.empty(len(column), dtype=object)
    values[:] = column.to_list()
    kinds = {type(value) for value in values[:1000].tolist()}
    return np.array(values.tolist()) if kinds in ({int}, {float}, {bool}) else values
