"""From tables of 0 and 1, or lists of sets, to the set of labels of each sample."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._value import is_masked
from clearbar.core.errors import in_given_order, listed, shown
from clearbar.core.label_sets import LabelSets
from clearbar.data.arrays import (
    columns_of,
    guarded,
    in_order,
    is_foreign_array,
    is_missing,
    library,
    native,
    plain,
    read,
    refuse_empty,
    refuse_other_rows,
    to_host,
)
from clearbar.data.labels import holds_sets


class SampleLabels(NamedTuple):
    """A sparse matrix of truth values, a row per sample; the labels of its columns where they have names."""

    matrix: Any
    names: tuple[Any, ...] | None = None


def read_label_sets(
    y_true: Any, predictions: Mapping[str, Any], labels: Iterable[Any] | None
) -> tuple[LabelSets, dict[str, LabelSets]]:
    """Return the true sets of labels, and the predicted ones by argument; all name the same labels."""
    given = None
    if labels is not None:
        given = _distinct(tuple(map(plain, in_given_order("labels", labels))), "labels")
        if not given or any(map(is_missing, given)):
            raise ValueError(
                f"labels must name every label; found {shown(list(given))}. Without it, all that occur are."
            )
    values = {"Y_true": native(y_true), **{name: native(value) for name, value in predictions.items()}}
    sets = {name: list(value) for name, value in values.items() if holds_sets(value)}
    tables = {name: read_table(value, name) for name, value in values.items() if name not in sets}
    names = given or _all_labels(tables, sets)
    matrices = {
        name: _of_sets(sets[name], names, name) if name in sets else _with_columns(tables[name], names, name)
        for name in values
    }
    samples, number = matrices["Y_true"].shape
    refuse_empty("Y_true", samples)
    if number < 2:
        raise ValueError(
            f"Y_true must have two labels or more; found {number}. Judge a single label with "
            "evaluate(y_true, y_pred)."
        )
    for name, matrix in matrices.items():
        if matrix.shape != (samples, number):
            raise ValueError(
                f"Y_true and {name} must have the same samples and labels; found shapes {(samples, number)} "
                f"and {matrix.shape}."
            )
        refuse_other_rows(y_true, values[name], name)
    read_sets = {name: LabelSets(names, matrix) for name, matrix in matrices.items()}
    return read_sets.pop("Y_true"), read_sets


def _all_labels(tables: Mapping[str, SampleLabels], sets: Mapping[str, list[Any]]) -> tuple[Any, ...]:
    """Return the labels where none are given: a data frame's columns, a table's numbers, or all in sets."""
    named = [table.names for table in tables.values() if table.names is not None]
    if named:
        return named[0]
    if tables:
        return tuple(range(next(iter(tables.values())).matrix.shape[1]))
    samples = [labels for several in sets.values() for labels in several if isinstance(labels, AbstractSet)]
    return tuple(in_order({plain(label) for labels in samples for label in labels}))


def _distinct(names: tuple[Any, ...], what: str) -> tuple[Any, ...]:
    if len(set(names)) != len(names):
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        raise ValueError(
            f"{what} must name each label once; found {listed(map(shown, twice), most=6)} twice."
        )
    return names


def _of_sets(sets: list[Any], names: tuple[Any, ...], argument: str) -> Any:
    from scipy.sparse import csr_array

    for position, labels in enumerate(sets):
        if not isinstance(labels, AbstractSet):
            raise ValueError(
                f"{argument} must hold a set of labels for each sample; found {shown(labels)} at position "
                f"{position:,}."
            )
        if any(map(is_missing, labels)):  # which would count as a label
            raise ValueError(
                f"{argument} holds a missing value among the labels at position {position:,}: "
                f"{shown(labels)}. Take it out of the set; a sample without labels has the empty set."
            )
    place = {label: position for position, label in enumerate(names)}
    rows = np.repeat(np.arange(len(sets)), list(map(len, sets)))
    try:
        columns = np.array([place[plain(label)] for labels in sets for label in labels], dtype=np.int64)
    except KeyError as error:
        raise ValueError(
            f"labels lacks {shown(error.args[0])}, which {argument} holds; name every label that occurs."
        ) from None
    ones = np.ones(len(rows), dtype=bool)
    return csr_array((ones, (rows, columns)), shape=(len(sets), len(names)))


def read_table(value: Any, argument: str) -> SampleLabels:
    """Read a table of 0 and 1: sparse, a data frame, an array of any library, or a list of rows."""
    from scipy.sparse import csr_array

    if library(value) is not None:
        return _of_frame(value, argument)
    if hasattr(value, "tocsr"):
        matrix = csr_array(value)
        matrix.sum_duplicates()
        matrix.data = _truth_values(np.asarray(matrix.data), argument)
        matrix.eliminate_zeros()
    else:
        if isinstance(value, (list, tuple)) and len({np.size(row) for row in value}) > 1:
            raise ValueError(
                f"{argument} holds rows of different lengths; give a set of labels for each sample, such as "
                "{'a', 'b'}, or 0 and 1 for every label."
            )
        if is_masked(value):
            raise ValueError(f"{argument} must hold 0 and 1; found masked values.")
        with guarded(value, argument):
            table = to_host(value) if is_foreign_array(value) else np.asarray(value)
        matrix = _truth_values(table, argument)
    if len(matrix.shape) != 2:
        raise ValueError(
            f"{argument} must have a row per sample and a column per label, or hold sets; found shape "
            f"{matrix.shape}."
        )
    return SampleLabels(csr_array(matrix))


def _truth_values(table: Any, argument: str) -> Any:
    if table.dtype.kind == "b":
        return table
    with np.errstate(invalid="ignore"):
        right = np.asarray((table == 0) | (table == 1))
    if right.shape != table.shape or not right.all():
        wrong = table.ravel()[int(np.argmin(right))] if right.shape == table.shape else table.ravel()[0]
        raise ValueError(f"{argument} must hold 0 and 1; found {shown(plain(wrong))}.")
    return table.astype(bool)


def _of_frame(frame: Any, argument: str) -> SampleLabels:
    from scipy.sparse import csr_array

    table = columns_of(frame, argument)
    if table is None:
        raise ValueError(f"{argument} must have a column per label; found a single column.")
    columns = []
    for name, values in zip(*table, strict=True):
        column = read(values, f"{argument}[{name!r}]")
        if column.categories is not None:
            raise ValueError(f"{column.name} must hold 0 and 1; found text or categories.")
        columns.append(_truth_values(column.values, column.name))
    names = _distinct(tuple(map(plain, table[0])), argument)
    return SampleLabels(csr_array(np.stack(columns, axis=1) if columns else (0, 0)), names)


def _with_columns(table: SampleLabels, names: tuple[Any, ...], argument: str) -> Any:
    """Return a matrix with the columns in the order of the labels."""
    if table.names is None or table.names == names:
        if argument == "Y_true" and len(names) != table.matrix.shape[1]:
            raise ValueError(
                f"labels must name all {table.matrix.shape[1]:,} columns of {argument}; found "
                f"{len(names):,} names."
            )
        return table.matrix
    if set(table.names) != set(names):
        odd = [name for name in (*table.names, *names) if (name in table.names) != (name in names)]
        raise ValueError(
            f"{argument} must have a column for each label and no other; those that differ are "
            f"{listed(map(shown, odd), most=6)}."
        )
    return table.matrix[:, [table.names.index(name) for name in names]]
