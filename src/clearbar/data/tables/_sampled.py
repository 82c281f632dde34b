"""From a table to its samples, in this process's memory: where some of them belong together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, IntArray
from clearbar.data.tables._ask import Ask
from clearbar.data.tables._labels import typed
from clearbar.data.tables._query import lacking, rows_query, samples_query
from clearbar.data.tables._scan import opened
from clearbar.data.tables._settle import (
    EVERY_ROW_LACKS,
    Pairs,
    refuse_missing_in,
    refuse_nothing,
    settled,
    settled_truth,
)
from clearbar.data.tables._tables import Table


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
    return _flagged(table, ask, settled(table, ask), (*ask.slices, "c"))


def sampled_scores(frame: Any, ask: Ask) -> FrameSamples:
    """Read which samples of a table are positive, and their scores."""
    table = _read_through(frame, ask)
    single = {"c": ask.clusters, "f": ask.fold}
    others = (*ask.numbers, *ask.slices, *(ours for ours, name in single.items() if name is not None))
    return _flagged(table, ask, settled_truth(table, ask), others)


def _flagged(table: Table, ask: Ask, pairs: Pairs, others: Sequence[str]) -> FrameSamples:
    """Read labels as whether they are positive, and other columns as they are."""
    read = samples_query(table, pairs, others)
    columns, absent = _columns(table, ask, read, others)
    return _samples(
        ask, {name: _flags(read, name) for name in pairs}, columns, absent | _flags(read, "missing")
    )


def sampled_classes(frame: Any, ask: Ask) -> FrameSamples:
    """Read the samples of a table and their labels, of any number of classes."""
    table = _read_through(frame, ask)
    names = (*ask.labels, *ask.slices, "c")
    columns, absent = _columns(table, ask, rows_query(table, names), names)
    return _samples(ask, {}, columns, absent)


def _read_through(frame: Any, ask: Ask) -> Table:
    """Return a table; files are looked through for what is no row."""
    table = opened(frame, ask)
    return table if table.files is None else table.files.slower().checked().table()


def _columns(table: Table, ask: Ask, frame: Any, names: Sequence[str]) -> tuple[dict[str, Any], BoolArray]:
    """Return columns, text as what it stands for, and which rows lack one of them."""
    absent = np.zeros(len(frame), dtype=bool)
    columns: dict[str, Any] = {}
    for name in names:
        column = _typed(table, frame, name)
        without = lacking(column)
        if ask.nulls == "raise":
            refuse_missing_in(ask, name, int(without.sum()))
        absent |= without
        columns[name] = column
    return columns, absent


def _typed(table: Table, frame: Any, name: str) -> Any:
    """Return a column, text as what it stands for."""
    from narwhals import from_native

    column = frame.get_column(name)
    if name not in table.texts:
        return column
    return from_native(typed(column.to_native().fill_null("")), series_only=True)


def _samples(
    ask: Ask, flags: Mapping[str, BoolArray], columns: Mapping[str, Any], absent: BoolArray
) -> FrameSamples:
    """Return the rows that lack nothing."""
    kept = np.flatnonzero(~absent)
    if not len(kept):
        refuse_nothing(EVERY_ROW_LACKS)
    values = {name: _values(column, kept) for name, column in columns.items()}
    values |= {name: flag[kept] for name, flag in flags.items()}
    slices = tuple(values[name] for name in ask.slices)
    truth, *models = (values[name] for name in ask.labels)
    predicted = dict(zip(ask.y_pred, models, strict=True))
    return FrameSamples(truth, predicted, slices, values.get("c"), values.get("f"), int(absent.sum()))


def column_values(frame: Any, ask: Ask, may_lack: Sequence[str]) -> tuple[dict[str, list[Any]], int]:
    """Read the columns that are asked for, by our names; and how many rows lack one that none may lack.

    These rows are left out; elsewhere None stands for a missing value.
    """
    table = _read_through(frame, ask)
    names = tuple(ask.columns)
    read = rows_query(table, names)
    columns, absent = _columns(table, ask, read, [name for name in names if name not in may_lack])
    columns |= {name: _typed(table, read, name) for name in names if name in may_lack}
    kept = np.flatnonzero(~absent)
    values = {}
    for name in names:
        own, gone = columns[name].to_list(), lacking(columns[name])
        values[name] = [None if gone[at] else own[at] for at in kept.tolist()]
    return values, int(absent.sum())


def _flags(frame: Any, name: str) -> BoolArray:
    return np.asarray(frame.get_column(f"is_{name}").to_numpy() == 1)


def _values(column: Any, kept: IntArray) -> Any:
    """Return the values of some rows, as whatever Python makes of them."""
    if column.dtype.is_numeric() and len(kept) == len(column):
        return np.asarray(column.to_numpy())
    values = np.empty(len(column), dtype=object)
    values[:] = column.to_list()
    chosen = values[kept]
    kinds = {type(value) for value in chosen[:1000].tolist()}
    return np.array(chosen.tolist()) if kinds in ({int}, {float}, {bool}) else chosen
