"""From a table to its samples, in this process's memory: where some of them belong together."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, IntArray
from clearbar.data.tables._ask import Ask
from clearbar.data.tables._labels import typed
from clearbar.data.tables._query import lacking, samples_query
from clearbar.data.tables._scan import opened
from clearbar.data.tables._settle import EVERY_ROW_LACKS, refuse_missing_in, refuse_nothing, settled


class FrameSamples(NamedTuple):
    """The samples of a table: labels, predictions of each model, slices, and what belongs together."""

    truth: BoolArray
    predicted: dict[str, BoolArray]
    slices: tuple[Any, ...]
    """The columns that part samples into slices."""
    clusters: Any
    left_out: int


def sampled_frame(frame: Any, ask: Ask) -> FrameSamples:
    """Read the samples of a table; only the columns that are asked for."""
    from narwhals import from_native

    table = opened(frame, ask)
    if table.files is not None:
        table = table.files.slower().checked().table()
    pairs = settled(table, ask)
    frame = samples_query(table, ask, pairs)
    groups = (*ask.slices, "c")
    absent = _flags(frame, "missing")
    columns: dict[str, Any] = {}
    for name in groups:
        column = frame.get_column(name)
        if name in table.texts:
            column = from_native(typed(column.to_native().fill_null("")), series_only=True)
        without = lacking(column)
        if ask.nulls == "raise":
            refuse_missing_in(ask, name, int(without.sum()))
        absent |= without
        columns[name] = column
    kept = np.flatnonzero(~absent)
    if not len(kept):
        refuse_nothing(EVERY_ROW_LACKS)
    names = {name: _flags(frame, name)[kept] for name in ask.labels}
    values = {name: _values(column, kept) for name, column in columns.items()}
    slices = tuple(values[name] for name in ask.slices)
    truth, *models = (names[name] for name in ask.labels)
    predicted = dict(zip(ask.y_pred, models, strict=True))
    return FrameSamples(truth, predicted, slices, values["c"], int(absent.sum()))


def _flags(frame: Any, name: str) -> BoolArray:
    return np.asarray(frame.get_column(f"is_{name}").to_numpy() == 1)


def _values(column: Any, kept: IntArray) -> Any:
    """Return the values of some rows, as whatever Python makes of them."""
    values = np.empty(len(column), dtype=object)
    values[:] = column.to_list()
    found = values[kept]
    kinds = {type(value) for value in found[:1000].tolist()}
    return np.array(found.tolist()) if kinds in ({int}, {float}, {bool}) else found
