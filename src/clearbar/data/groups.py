"""Groups of samples: the distinct values of a column, and which of them each sample has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clearbar.core._typing import IntArray
from clearbar.data.columns import Column, read, refuse_other_rows
from clearbar.data.refusals import guarded, refuse_missing, refuse_unequal

_MOST_ROOM = 2**20
"""Whole numbers within a range of this length are looked up rather than sorted."""

_HANDFUL = 5
"""Values of a column that no number of samples is too small for."""


class Factor(NamedTuple):
    """The distinct values of a column, and the position of each sample's among them."""

    values: tuple[Any, ...]
    codes: IntArray


def factorise(by: Any, length: int, name: str = "by") -> Factor:
    """Number the distinct values of a column, sorted unless a categorical type has an order of its own."""
    _refuse_truth_among_numbers(by, name)
    column = read(by, name)
    refuse_unequal("y_true", length, name, column.length)
    with guarded(by, name):
        absent = column.missing()
        refuse_missing(name, int(np.count_nonzero(absent)), int(np.argmax(absent)) if len(absent) else 0)
        if column.categories is not None:
            return _of_categories(column)
        return (_of_text if column.values.dtype.kind in "OUST" else _of_numbers)(column.values)


def _refuse_truth_among_numbers(by: Any, name: str) -> None:
    """Refuse 1 beside True: they compare equal, so that two slices would be one."""
    dtype = getattr(by, "dtype", None)
    if getattr(dtype, "kind", "") == "O" or isinstance(by, (list, tuple)):
        kinds = set(map(type, getattr(dtype, "categories", by)))
        if kinds & {bool, np.bool_} and any(
            issubclass(kind, (int, float, np.number)) for kind in kinds - {bool}
        ):
            raise ValueError(
                f"{name} must not hold True or False beside numbers: 1 and True compare equal, so that two "
                "slices would be one. Write all of them as text, or all as numbers."
            )


def _of_categories(column: Column) -> Factor:
    codes = column.values.astype(np.int64, copy=False)
    present, inverse = _present(codes)
    labels = [(column.categories or {})[code] for code in present.tolist()]
    # Codes are in the order of an ordered type only, and an Arrow dictionary may hold a label twice.
    distinct = list(dict.fromkeys(labels)) if column.ordered else in_order(set(labels))
    position = {label: index for index, label in enumerate(distinct)}
    return Factor(tuple(distinct), np.array([position[label] for label in labels], dtype=np.int64)[inverse])


def _of_numbers(values: NDArray[Any]) -> Factor:
    if values.dtype.kind in "iu" and len(values):
        low, high = int(values.min()), int(values.max())
        if high - low < _MOST_ROOM:
            wide = np.uint64 if values.dtype.kind == "u" else np.int64
            present, codes = _present(np.subtract(values, low, dtype=wide).astype(np.int64))
            return Factor(tuple((present.astype(wide) + wide(low)).tolist()), codes)
    distinct, codes = np.unique(values, return_inverse=True)
    # Dates stay NumPy's: as Python values, those with nanoseconds would become bare numbers.
    labels = distinct if values.dtype.kind in "mM" else distinct.tolist()
    return Factor(tuple(labels), codes.astype(np.int64, copy=False))


def _present(codes: IntArray) -> tuple[IntArray, IntArray]:
    """Return the codes that occur, ascending, and each one's position among them: `unique` by counting."""
    if len(codes) and int(codes.max()) >= max(_MOST_ROOM, len(codes)):  # polars numbers categories globally
        present, inverse = np.unique(codes, return_inverse=True)
        return present, inverse.astype(np.int64, copy=False)
    counts = np.bincount(codes)
    present = np.flatnonzero(counts)
    position = np.zeros(len(counts), dtype=np.int64)
    position[present] = np.arange(len(present))
    return present, position[codes]


def _of_text(values: NDArray[Any]) -> Factor:
    # A dictionary is several times faster than sorting, and takes values of any type.
    listed = values.tolist()
    distinct = in_order(dict.fromkeys(listed))
    position = {label: index for index, label in enumerate(distinct)}
    codes = np.fromiter(map(position.__getitem__, listed), dtype=np.int64, count=len(listed))
    return Factor(tuple(distinct), codes)


def in_order(labels: Iterable[Any]) -> list[Any]:
    """Return labels sorted, those of several types by the name of their type first."""
    try:
        return sorted(labels)
    except TypeError:  # values of several types
        return sorted(labels, key=lambda label: (type(label).__name__, str(label)))


def rows_of(codes: IntArray | None, groups: int) -> tuple[Any, ...]:
    """Return the samples of each slice, all of them first."""
    if codes is None:
        return (slice(None),)
    order = np.argsort(codes, kind="stable")
    return slice(None), *np.split(order, np.searchsorted(codes[order], np.arange(1, groups)))


def too_fine(values: int, samples: int) -> bool:
    """Return whether the values of a column have fewer than ten samples each on average, and are no handful.

    The means of k groups at random take (k - 1)/(n - 1) of the variance of n samples: here more than a tenth.
    """
    return values > _HANDFUL and 10 * values > samples


def seen_column(given: Any, y_true: Any, length: int) -> Factor:
    """Number the values of a column that a bar may see; one that tells nearly each sample is refused."""
    names, codes = factorise(given, length, "given")
    refuse_other_rows(y_true, given, "given")
    number = len(names)
    fractions = any(isinstance(name, float) and not name.is_integer() for name in names)
    if too_fine(number, length) or (fractions and 2 * number > length):
        kind, share = ("numbers" if fractions else "values"), (number - 1) / (length - 1)
        raise ValueError(
            f"given holds {number:,} different {kind} for {length:,} samples, so that its bar is high by "
            f"chance alone: as many groups at random take {100 * share:.1f} % of a variance; "
            "give ten samples or more for each value: merge rare ones, or put numbers into bins, such as "
            "numpy.digitize(given, numpy.quantile(given, [0.25, 0.5, 0.75]))."
        )
    return Factor(names, codes)
