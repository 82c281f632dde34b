"""From tables of 0 and 1, or lists of sets, to the set of labels of each sample."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._numbers import is_masked
from clearbar.core._typing import IntArray
from clearbar.core.errors import in_given_order, listed, shown
from clearbar.core.label_sets import LabelSets
from clearbar.data.counting._groups import in_order
from clearbar.data.counting._host import array_here, read_here
from clearbar.data.counting._predictions import columns_of
from clearbar.data.labels import guarded, is_missing, library, native, plain, refuse_empty, refuse_other_rows

ONE_AT_A_TIME = "Judge a single label with evaluate(y_true, y_pred)"


class Pairs(NamedTuple):
    """Samples and labels that belong together, ascending, and the names of labels where they have some."""

    rows: IntArray
    columns: IntArray
    shape: tuple[int, int]
    names: tuple[Any, ...] | None = None


def is_label_sets(value: Any) -> bool:
    """Whether true labels are sets of them: a sparse matrix, a table of 0 and 1, or a list of sets.

    So are rows of different lengths, which are refused where they are read.
    """
    value = native(value)
    if hasattr(value, "tocsr") or _holds_sets(value):
        return True
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], (list, tuple)):
        if len({len(row) for row in value if isinstance(row, (list, tuple))}) > 1:
            return True
        value = np.asarray(value) if len({*map(np.size, value)}) == 1 else value
    shape = getattr(value, "shape", ())
    if len(shape) != 2 or min(shape) < 2:
        return False
    try:
        _pairs(value, "y_true")
    except ValueError:  # a table of something else
        return False
    return True


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
    sets: dict[str, list[Any]] = {name: list(value) for name, value in values.items() if _holds_sets(value)}
    tables = {name: _pairs(value, name) for name, value in values.items() if name not in sets}
    known = given or _known(tables, sets)
    models = {
        name: _of_sets(sets[name], known, name) if name in sets else _as_named(tables[name], known, name)
        for name in values
    }
    shape = models["Y_true"].shape
    refuse_empty("Y_true", shape[0])
    if shape[1] < 2:
        raise ValueError(f"Y_true must have two labels or more; found {shape[1]}. {ONE_AT_A_TIME}.")
    for name, pairs in models.items():
        if pairs.shape != shape:
            raise ValueError(
                f"Y_true and {name} must have the same samples and labels; found shapes {shape} and "
                f"{pairs.shape}."
            )
        refuse_other_rows(y_true, values[name], name)
    made = {name: LabelSets.of(known, pairs.rows, pairs.columns, shape[0]) for name, pairs in models.items()}
    return made.pop("Y_true"), made


def _known(tables: Mapping[str, Pairs], sets: Mapping[str, list[Any]]) -> tuple[Any, ...]:
    """Return the labels where none are given: a data frame's columns, a table's numbers, or all in sets."""
    named = [pairs.names for pairs in tables.values() if pairs.names is not None]
    if named:
        return named[0]
    if tables:
        return tuple(range(next(iter(tables.values())).shape[1]))
    samples = [labels for own in sets.values() for labels in own if isinstance(labels, AbstractSet)]
    return tuple(in_order({plain(label) for labels in samples for label in labels}))


def _distinct(names: tuple[Any, ...], what: str) -> tuple[Any, ...]:
    if len(set(names)) != len(names):
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        raise ValueError(
            f"{what} must name each label once; found {listed(map(shown, twice), most=6)} twice."
        )
    return names


def _holds_sets(value: Any) -> bool:
    """Whether the first of several values, in a list, an array or a column of pandas, is a set."""
    if library(value) == "pandas":
        value = value.to_numpy() if getattr(value, "ndim", 0) == 1 else None
    several = isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim == 1)
    return several and len(value) > 0 and isinstance(value[0], AbstractSet)


def _of_sets(sets: list[Any], names: tuple[Any, ...], argument: str) -> Pairs:
    wrong = next((at for at, labels in enumerate(sets) if not isinstance(labels, AbstractSet)), None)
    if wrong is not None:
        raise ValueError(
            f"{argument} must hold a set of labels for each sample; found {shown(sets[wrong])} at position "
            f"{wrong:,}."
        )
    _refuse_missing_in_sets(sets, argument)
    place = {label: at for at, label in enumerate(names)}
    rows = np.repeat(np.arange(len(sets)), list(map(len, sets)))
    try:
        columns = np.array([place[plain(label)] for labels in sets for label in labels], dtype=np.int64)
    except KeyError as error:
        raise ValueError(
            f"labels lacks {shown(error.args[0])}, which {argument} holds; name every label that occurs."
        ) from None
    order = np.lexsort((columns, rows))
    return Pairs(rows, columns[order], (len(sets), len(names)), names)


def _refuse_missing_in_sets(sets: list[Any], argument: str) -> None:
    """Raise if None or nan stands where a label does: else it would count as one."""
    if not any(map(is_missing, {label for labels in sets for label in labels})):
        return
    at = next(at for at, labels in enumerate(sets) if any(map(is_missing, labels)))
    raise ValueError(
        f"{argument} holds a missing value among the labels at position {at:,}: {shown(sets[at])}. Take it "
        "out of the set; a sample without labels has the empty set."
    )


def _pairs(value: Any, argument: str) -> Pairs:
    """Read a table of 0 and 1."""
    if hasattr(value, "tocsr"):
        return _of_sparse(value, argument)
    if library(value) is not None:
        return _of_frame(value, argument)
    if isinstance(value, (list, tuple)) and len({np.size(row) for row in value}) > 1:
        raise ValueError(
            f"{argument} holds rows of different lengths; give a set of labels for each sample, such as "
            "{'a', 'b'}, or 0 and 1 for every label."
        )
    if is_masked(value):
        raise ValueError(f"{argument} must hold 0 and 1; found masked values.")
    with guarded(value, argument):
        table = np.asarray(array_here(value, argument))
    _refuse_axes(table.shape, argument)
    rows, columns = np.nonzero(_truth_values(table, argument))
    return Pairs(rows, columns, (table.shape[0], table.shape[1]))


def _refuse_axes(shape: tuple[int, ...], argument: str) -> None:
    if len(shape) != 2:
        raise ValueError(
            f"{argument} must have a row per sample and a column per label, or hold sets; found shape "
            f"{shape}."
        )


def _truth_values(table: Any, argument: str) -> Any:
    """Return a table as truth values, or say what in it is not 0 or 1."""
    if table.dtype.kind == "b":
        return table
    with np.errstate(invalid="ignore"):
        right = np.asarray((table == 0) | (table == 1))
    if right.shape != table.shape or not right.all():
        wrong = table.ravel()[int(np.argmin(right))] if right.shape == table.shape else table.ravel()[0]
        raise ValueError(f"{argument} must hold 0 and 1; found {shown(plain(wrong))}.")
    return table.astype(bool)


def _of_sparse(sparse: Any, argument: str) -> Pairs:
    _refuse_axes(tuple(sparse.shape), argument)
    matrix = sparse.tocsr()
    if not getattr(matrix, "has_canonical_format", True):
        matrix = matrix.copy()
        matrix.sum_duplicates()  # in place; columns are ascending then
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    stored = _truth_values(np.asarray(matrix.data), argument)
    return Pairs(rows[stored], matrix.indices[stored].astype(np.int64), tuple(matrix.shape))


def _of_frame(frame: Any, argument: str) -> Pairs:
    """Read a data frame, column by column."""
    table = columns_of(frame, argument)
    if table is None:
        raise ValueError(f"{argument} must have a column per label; found a single column.")
    names, columns = table
    parts = []
    for name, column in zip(names, columns, strict=True):
        own = read_here(column, f"{argument}[{name!r}]")
        values = getattr(own.take(0, own.length), "values", None)
        if values is None:
            raise ValueError(f"{own.name} must hold 0 and 1; found text or categories.")
        parts.append(np.flatnonzero(_truth_values(np.asarray(values), own.name)))
    rows = np.concatenate(parts) if parts else np.zeros(0, np.int64)
    at = np.repeat(np.arange(len(parts)), list(map(len, parts)))
    order = np.lexsort((at, rows))
    length = own.length if parts else 0
    return Pairs(rows[order], at[order], (length, len(parts)), _distinct(tuple(map(plain, names)), argument))


def _as_named(pairs: Pairs, known: tuple[Any, ...], argument: str) -> Pairs:
    """Return pairs with the columns in the order of the labels known."""
    if pairs.names is None or pairs.names == known:
        if argument == "Y_true" and len(known) != pairs.shape[1]:
            raise ValueError(
                f"labels must name all {pairs.shape[1]:,} columns of {argument}; found {len(known):,} names."
            )
        return pairs
    if set(pairs.names) != set(known):
        odd = [name for name in (*pairs.names, *known) if (name in pairs.names) != (name in known)]
        raise ValueError(
            f"{argument} must have a column for each label and no other; those that differ are "
            f"{listed(map(shown, odd), most=6)}."
        )
    place = {name: at for at, name in enumerate(known)}
    columns = np.array([place[name] for name in pairs.names])[pairs.columns]
    order = np.lexsort((columns, pairs.rows))
    return pairs._replace(rows=pairs.rows[order], columns=columns[order], names=known)
