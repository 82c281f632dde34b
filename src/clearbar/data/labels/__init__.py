"""Which labels are positive, and what is refused; shared by counting and by data frames.

Nothing here counts cells. ``read`` turns whatever holds labels into a column, ``settle`` decides
on the labels that occur, and both explain what is wrong in one sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from clearbar.core.errors import shown
from clearbar.data.labels._blocks import BLOCK, ArrayBlock
from clearbar.data.labels._columns import (
    Column,
    DeviceColumn,
    HostColumn,
    Tally,
    UnexpectedLabelError,
    masked,
)
from clearbar.data.labels._label import is_missing, is_whole, kind_of, plain
from clearbar.data.labels._read import guarded, library, native, of_64_bits, read, refuse_other_rows
from clearbar.data.labels._refuse import (
    refuse_empty,
    refuse_missing,
    refuse_several,
    refuse_unequal,
)
from clearbar.data.labels._rules import MOST_CLASSES, Labels, parse_label, settle

__all__ = [
    "BLOCK",
    "MOST_CLASSES",
    "ArrayBlock",
    "Column",
    "DeviceColumn",
    "HostColumn",
    "Labels",
    "Tally",
    "explained",
    "guarded",
    "is_missing",
    "is_whole",
    "kind_of",
    "library",
    "masked",
    "native",
    "of_64_bits",
    "parse_label",
    "plain",
    "positive_label",
    "read",
    "refuse_empty",
    "refuse_missing",
    "refuse_other_rows",
    "refuse_several",
    "refuse_unequal",
    "settle",
    "settle_columns",
    "shown",
]


def positive_label(y_true: Any, pos_label: Any = None, name: str = "y_true") -> Labels:
    """Settle which label is positive, from the true labels alone."""
    columns = [read(y_true, name)]
    labels = settle_columns(columns, pos_label)
    with explained(columns, pos_label):
        columns[0].positives(labels)
    return labels


def settle_columns(columns: Sequence[Column], pos_label: Any) -> Labels:
    """Settle labels, mostly from the first samples; `explained` tells of others that occur further on."""
    for column in columns:
        refuse_empty(column.name, column.length)
    try:
        tallies = [Tally(dict.fromkeys(column.first_labels(), 0)) for column in columns]
        return _settle(columns, tallies, pos_label)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001, S110 - whatever is wrong, the tallies have the counts to say it
        pass
    return _settle(columns, _tallies(columns), pos_label)


@contextmanager
def explained(columns: Sequence[Column], pos_label: Any) -> Iterator[None]:
    """Turn what goes wrong while columns are counted into the error that explains it."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - a foreign object may raise anything
        unexpected = isinstance(error, UnexpectedLabelError)
        raise _explanation(columns, pos_label) from (None if unexpected else error)


def _explanation(columns: Sequence[Column], pos_label: Any) -> ValueError:
    try:
        _settle(columns, _tallies(columns), pos_label)
    except ValueError as error:
        return error
    names = " and ".join(column.name for column in columns)
    return ValueError(
        f"{names} could not be counted: values that look the same there do not compare as equal. "
        "Pass them as NumPy arrays of whole numbers, text or truth values."
    )


def _tallies(columns: Sequence[Column]) -> list[Tally]:
    tallies = []
    for column in columns:
        with guarded(column, column.name):
            tallies.append(column.tally())
    return tallies


def _settle(columns: Sequence[Column], tallies: Sequence[Tally], pos_label: Any) -> Labels:
    names = [column.name for column in columns]
    return settle(*tallies, pos_label=pos_label, names=names)
