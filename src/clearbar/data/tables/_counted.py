"""Counts of a table's models, slices and folds, from the few numbers that its engine gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any, TypeVar

import narwhals as nw
import numpy as np

from clearbar.core._numbers import LARGEST_TOTAL
from clearbar.core._typing import BoolArray, IntArray
from clearbar.core.errors import shown
from clearbar.data.counting import MOST_SAMPLES, WHOLE_SAMPLES
from clearbar.data.labels import is_missing
from clearbar.data.tables._ask import Ask
from clearbar.data.tables._assembled import FrameCounts, Sums, assembled
from clearbar.data.tables._labels import typed
from clearbar.data.tables._query import (
    IrregularError,
    Sides,
    cells,
    lacking,
    summed,
    tallied,
    weight_that_is_none,
)
from clearbar.data.tables._settle import (
    AT_ONCE,
    presumed,
    refuse_missing_in,
    refuse_rowless,
    refuse_scores,
    settled,
    settled_rows,
)
from clearbar.data.tables._tables import Table, opened

Counted = TypeVar("Counted")


def count_frame(frame: Any, ask: Ask) -> FrameCounts:
    """Count the confusion matrices of a table's models and slices."""
    return settled_on(opened(frame, ask), lambda table: _counted(table, ask))


def settled_on(table: Table, counted: Callable[[Table], Counted]) -> Counted:
    """Count a table; one of files again, read more slowly, where it is not what it looked like."""
    while True:
        try:
            return counted(table)
        except IrregularError as irregular:
            table = irregular.files.table()
        except ValueError:
            # Labels that did not look like this at first are read again, as whatever they are.
            if table.files is None or not table.files.quick:
                raise
            table = table.files.slower().table()


def _counted(table: Table, ask: Ask) -> FrameCounts:
    sides = presumed(table, ask)
    if _is_plain(table, ask) and (sides is None or table.engine != "polars"):
        refuse_scores(table, ask)
        rows = tallied(table, ask, ask.labels)
        return assembled(_sums_of(rows, ask, settled_rows(table, ask, rows, ask.labels)), ask)
    sums = None if sides is None else _sums(table, ask, sides)
    if sums is None or sums.strange:
        sums = _sums(table, ask, settled(table, ask))
        if sums.strange:
            raise ValueError("the table gives different labels each time it is read; store it first.")
    return assembled(sums, ask)


def _is_plain(table: Table, ask: Ask) -> bool:
    """Tell whether all is known from how often each combination of labels occurs, and these are few.

    Most engines group faster than they add up conditions; polars does not.
    """
    few = not ask.keys and ask.weight is None and len(ask.y_pred) <= AT_ONCE
    return few and all(table.kinds[name] != "float" for name in ask.labels)


def _sums_of(rows: list[dict[str, Any]], ask: Ask, sides: Mapping[str, Sides]) -> Sums:
    """Return what `summed` does, from the combinations of labels."""
    sizes = np.array([row["n"] for row in rows], dtype=np.int64)
    positive, known = {}, np.ones(len(sizes), dtype=bool)
    for name in ask.labels:
        values = [row[name] for row in rows]
        positive[name] = _among(values, sides[name].positive)
        known &= positive[name] | _among(values, sides[name].negative)
    where = {"n": np.ones(len(sizes), dtype=bool), "known": known, "missing": ~known}
    where |= {name: known & cell for name, cell in cells(positive, paired=ask.compared).items()}
    numbers = {name: np.array([sizes[chosen].sum()], dtype=np.int64) for name, chosen in where.items()}
    return Sums([], numbers, int(numbers["missing"][0]))


def _among(values: list[Any], side: list[Any]) -> BoolArray:
    return np.array([not is_missing(value) and value in side for value in values])


def _sums(table: Table, ask: Ask, sides: Mapping[str, Sides]) -> Sums:
    frame, left_out = tidied(table, ask, summed(table, ask, sides), {key: key for key in ask.keys})
    frame = in_order(frame, ask.keys)
    numbers = {name: whole(frame.get_column(name)) for name in frame.columns if name not in ask.keys}
    left_out += int(numbers["missing"].sum()) if "missing" in numbers else 0
    return Sums([frame.get_column(key).to_list() for key in ask.keys], numbers, left_out)


def tidied(table: Table, ask: Ask, frame: Any, keys: Mapping[str, str]) -> tuple[Any, int]:
    """Return the sums without the rows that lack a key, and how many rows of the table these are.

    `keys` maps each column of keys in `frame` to the column of the table it comes from; keys that are text
    in a file are replaced by the values that the text stands for.
    """
    if not whole(frame.get_column("n")).any():
        refuse_rowless(table)
    if ask.weight is not None:
        _refuse_weights(table, ask, frame)
        frame = frame.drop("size", "bad", "unweighed")
    texts = [key for key, column in keys.items() if column in table.texts]
    frame = read_texts(frame, texts, list(keys))
    absent = {key: lacking(frame.get_column(key)) for key in ask.keys}
    rows = whole(frame.get_column("n"))
    for key in ask.keys if ask.nulls == "raise" else ():
        refuse_missing_in(ask, key, int(rows[absent[key]].sum()))
    without = reduce(or_, absent.values(), np.zeros(len(frame), dtype=bool))
    if without.any():
        frame = frame.filter((~without).tolist())
    return frame, int(rows[without].sum())


def read_texts(frame: Any, texts: Sequence[str], keys: Sequence[str]) -> Any:
    """Return those keys that are text as what they stand for; several texts may stand for the same."""
    import polars as pl

    if not texts or not len(frame):
        return frame
    names = [name for name in frame.columns if name not in keys]
    native = frame.to_native()
    native = native.with_columns(typed(native[key].fill_null("")).alias(key) for key in texts)
    return nw.from_native(native.group_by(list(keys)).agg(pl.col(names).cast(pl.Int64).sum()))


def whole(column: Any) -> IntArray:
    """Return a column of whole numbers as an array."""
    numbers = column.cast(nw.Int64).to_numpy()
    return np.asarray(numbers, dtype=np.int64)


def in_order(frame: Any, keys: Sequence[str]) -> Any:
    """Return rows in the order of their keys, whatever types these have."""
    if not keys:
        return frame
    try:
        return frame.sort(*keys)
    except Exception:  # noqa: BLE001 - values of several types, in whatever words the library says it
        columns = [frame.get_column(key).to_list() for key in keys]
        order = sorted(range(len(frame)), key=lambda at: [_rank(column[at]) for column in columns])
        return frame[order]


def _rank(value: Any) -> tuple[str, str]:
    return type(value).__name__, str(value)


def _refuse_weights(table: Table, ask: Ask, frame: Any) -> None:
    """Raise if weights are none, or add up to more samples than can be counted."""
    if ask.nulls == "raise":
        refuse_missing_in(ask, "w", int(whole(frame.get_column("unweighed")).sum()))
    bad = int(whole(frame.get_column("bad")).sum())
    if bad:
        weight = weight_that_is_none(table)
        if LARGEST_TOTAL < weight < np.inf:
            raise ValueError(
                f"{ask.called('w')} has a row that occurs {shown(weight)} times; it {MOST_SAMPLES}"
            )
        raise ValueError(
            f"{ask.called('w')} must hold whole numbers from 0 up, how often each row "
            f"occurs; found {shown(weight)}{f' and {bad - 1:,} more' if bad > 1 else ''}. {WHOLE_SAMPLES}"
        )
    total = float(frame.get_column("size").to_numpy().sum())
    if total > LARGEST_TOTAL:  # known before whole numbers of 64 bits are added up, which may overflow
        raise ValueError(f"weight adds up to {total:.3g} samples; it {MOST_SAMPLES}")
