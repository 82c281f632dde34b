"""Counts of a table's models, slices and folds, from the few numbers that its engine gives back."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar._typing import BoolArray, IntArray
from clearbar.counts import LARGEST_TOTAL, Counts
from clearbar.frames._ask import Ask
from clearbar.frames._labels import typed
from clearbar.frames._long import by_model
from clearbar.frames._query import summed, tallied, weight_that_is_none
from clearbar.frames._settle import (
    AT_ONCE,
    Pairs,
    presumed,
    refuse_missing_in,
    refuse_scores,
    settled,
    settled_rows,
)
from clearbar.frames._tables import IrregularError, Table
from clearbar.labelling import is_missing, refuse_empty, shown


@dataclass(frozen=True)
class FrameCounts:
    """What a table holds, as far as any verdict needs to know.

    Parameters
    ----------
    models : tuple of str
        Their names; the first axis of ``counts``.
    keys : tuple of tuple
        For each position of the second axis its slice's values, and its fold's last if there is one.
    counts : Counts
        Of shape (models, keys).
    left_out : int
        Rows that were left out because a value is missing.
    agreements : mapping, optional
        For an ordered pair of models: on how many rows only the first, and only the second, is right.
    """

    models: tuple[str, ...]
    keys: tuple[tuple[Any, ...], ...]
    counts: Counts
    left_out: int = 0
    agreements: Mapping[tuple[str, str], tuple[int, int]] | None = None


def counted(table: Table, ask: Ask) -> FrameCounts:
    """Count a table.

    Parameters
    ----------
    table : Table
        The rows.
    ask : Ask
        What its columns are.

    Returns
    -------
    FrameCounts

    Raises
    ------
    ValueError
        If it cannot be counted; the message says what to do.
    """
    while True:
        try:
            return _counted(table, ask)
        except IrregularError as found:
            table = found.files.table()
        except ValueError:
            # Labels that did not look like this at first are read again, as whatever they are.
            if table.files is None or not table.files.quick:
                raise
            table = table.files.slower().table()


def _counted(table: Table, ask: Ask) -> FrameCounts:
    pairs = presumed(table, ask)
    if _is_plain(table, ask) and (pairs is None or table.engine != "polars"):
        if table.files is not None:
            refuse_scores(table, ask)
        rows = tallied(table, ask, ask.labels)
        return _assembled(_sums_of(rows, ask, settled_rows(table, ask, rows, ask.labels)), ask)
    found = None if pairs is None else _sums(table, ask, pairs)
    if found is None or found.strange:
        pairs = settled(table, ask)
        found = _sums(table, ask, pairs)
        if found.strange:
            raise ValueError("the table gives different labels each time it is read; store it first.")
    return _assembled(found, ask)


@dataclass(frozen=True)
class _Sums:
    """Whole numbers per key, the keys in order."""

    keys: list[list[Any]]
    numbers: dict[str, IntArray]
    left_out: int

    @property
    def strange(self) -> int:
        """Rows that hold a label beyond the two, or lack one where none may."""
        numbers = self.numbers
        missing = numbers.get("missing", np.zeros(1, np.int64))
        return int((numbers["n"] - numbers["known"] - missing).sum())


def _is_plain(table: Table, ask: Ask) -> bool:
    """Tell whether all is known from how often each combination of labels occurs, and these are few.

    Most engines group faster than they add up conditions; polars does not.
    """
    few = not ask.keys and ask.weight is None and len(ask.y_pred) <= AT_ONCE
    return few and all(table.kinds[name] != "float" for name in ask.labels)


def _sums_of(rows: list[dict[str, Any]], ask: Ask, pairs: Pairs) -> _Sums:
    """Return what `summed` does, from the combinations of labels."""
    sizes = np.array([row["n"] for row in rows], dtype=np.int64)
    positive, known = {}, {}
    for name in ask.labels:
        values = [row[name] for row in rows]
        positive[name] = np.array([_is_one_of(value, pairs[name][0]) for value in values])
        known[name] = positive[name] | np.array([_is_one_of(value, pairs[name][1]) for value in values])
    every = np.all(list(known.values()), axis=0)
    truth, *models = ask.labels
    right = {name: positive[name] == positive[truth] for name in models}
    numbers = {"n": np.ones(len(sizes), dtype=bool), "known": every, truth: every & positive[truth]}
    numbers["missing"] = ~every
    for at, name in enumerate(models):
        numbers |= {name: every & positive[name], f"b{at}": every & positive[name] & positive[truth]}
    for (a, one), (b, other) in itertools.combinations(enumerate(models), 2):
        numbers[f"r{a}_{b}"] = every & right[one] & right[other]
    totals = {name: np.array([sizes[where].sum()], dtype=np.int64) for name, where in numbers.items()}
    return _Sums([], totals, int(totals["missing"][0]))


def _is_one_of(value: Any, known: list[Any]) -> bool:
    return not is_missing(value) and any(bool(value == one) for one in known)


def _sums(table: Table, ask: Ask, pairs: Pairs) -> _Sums:
    import narwhals as nw

    frame = summed(table, ask, pairs)
    rows = frame.select(nw.col("n").sum()).item() if len(frame) else 0
    refuse_empty("y_true", int(rows or 0))
    names = [name for name in frame.columns if name not in ask.keys]
    texts = [key for key in ask.keys if key in table.texts]
    if texts and len(frame):
        frame = _read_texts(frame, ask, texts, names)
    absent = _without_key(frame, ask)
    left_out = 0
    if absent.any():
        left_out = _left_out(frame, ask, absent)
        frame = frame.filter((~absent).tolist())
    frame = _sorted(frame, ask)
    numbers = {name: _whole(frame.get_column(name)) for name in names}
    if ask.weight is not None:
        _refuse_weights(table, ask, numbers)
    left_out += int(numbers["missing"].sum()) if "missing" in numbers else 0
    return _Sums([frame.get_column(key).to_list() for key in ask.keys], numbers, left_out)


def _read_texts(frame: Any, ask: Ask, texts: list[str], names: list[str]) -> Any:
    """Return keys that are text as what they stand for; several texts may stand for the same."""
    import narwhals as nw
    import polars as pl

    native = frame.to_native()
    native = native.with_columns(typed(native[key].fill_null("")).alias(key) for key in texts)
    return nw.from_native(native.group_by(ask.keys).agg(pl.col(names).sum()))


def _without_key(frame: Any, ask: Ask) -> BoolArray:
    """Return which rows lack a model, a slice or a fold."""
    absent = np.zeros(len(frame), dtype=bool)
    for key in ask.keys:
        column = frame.get_column(key)
        absent |= column.is_null().to_numpy().astype(bool)
        if column.dtype.is_float():
            absent |= column.is_nan().fill_null(True).to_numpy().astype(bool)  # noqa: FBT003
    return absent


def _left_out(frame: Any, ask: Ask, absent: BoolArray) -> int:
    rows = _whole(frame.get_column("n"))
    if ask.nulls == "drop":
        return int(rows[absent].sum())
    for key in ask.keys:
        column = frame.get_column(key)
        here = column.is_null().to_numpy().astype(bool)
        if column.dtype.is_float():
            here |= column.is_nan().fill_null(True).to_numpy().astype(bool)  # noqa: FBT003
        refuse_missing_in(ask, key, int(rows[here].sum()))
    return 0


def _whole(column: Any) -> IntArray:
    import narwhals as nw

    found = column.cast(nw.Int64).to_numpy()
    return np.asarray(found, dtype=np.int64)


def _sorted(frame: Any, ask: Ask) -> Any:
    if not ask.keys:
        return frame
    try:
        return frame.sort(*ask.keys)
    except Exception:  # noqa: BLE001 - values of several types, in whatever words the library says it
        columns = [frame.get_column(key).to_list() for key in ask.keys]
        order = sorted(range(len(frame)), key=lambda at: [_rank(column[at]) for column in columns])
        return frame[order]


def _rank(value: Any) -> tuple[str, str]:
    return type(value).__name__, str(value)


def _refuse_weights(table: Table, ask: Ask, numbers: Mapping[str, IntArray]) -> None:
    bad = int(numbers["bad"].sum())
    if bad:
        found = weight_that_is_none(table)
        raise ValueError(
            f"{ask.called('w')} must hold whole numbers from 0 up, how often each row "
            f"occurs; found {shown(found)}{f' and {bad - 1:,} more' if bad > 1 else ''}. Importance weights "
            "have no hypergeometric null, because a feature-blind classifier draws whole samples."
        )
    total = float(numbers["total"].astype(np.float64).sum())
    if total > LARGEST_TOTAL:
        raise ValueError(
            f"weight adds up to {total:.3g} samples; it must not exceed 2**52, up to which numbers of "
            "samples are exact in floating point."
        )


def _assembled(found: _Sums, ask: Ask) -> FrameCounts:
    numbers = dict(found.numbers)
    total = numbers["total"] if ask.weight is not None else numbers["known"]
    if not total.any():
        weighed = "weight is 0 everywhere" if ask.weight is not None else "every row lacks a value"
        raise ValueError(f"{weighed}, so that there are no samples; at least one is needed to have a bar.")
    keys = found.keys
    kept = np.flatnonzero(total)
    if len(kept) < len(total):  # slices without a sample
        numbers = {name: column[kept] for name, column in numbers.items()}
        total, keys = total[kept], [list(itertools.compress(column, total)) for column in keys]
    if ask.model is not None:
        models, keys, numbers, total = by_model(keys, numbers, total)
    else:
        models = ask.y_pred
        numbers = {name: column[None] for name, column in numbers.items()}
        total = total[None]
    counts = _counts(numbers, total, len(ask.y_pred))
    slices = tuple(zip(*keys, strict=True)) if keys else ((),)
    return FrameCounts(models, slices, counts, found.left_out, _agreements(numbers, total, ask))


def _counts(numbers: Mapping[str, IntArray], total: IntArray, models: int) -> Counts:
    def stacked(letter: str) -> IntArray:
        return np.concatenate([numbers[f"{letter}{at}"] for at in range(models)])

    positives, predicted, both = numbers["t"], stacked("p"), stacked("b")
    return Counts(both, predicted - both, positives - both, total - positives - predicted + both)


def _agreements(
    numbers: Mapping[str, IntArray], total: IntArray, ask: Ask
) -> dict[tuple[str, str], tuple[int, int]] | None:
    if not ask.compared:
        return None
    names = ask.y_pred
    # Right are the true positives and the true negatives: M - P - k + 2 TP.
    right = [
        int((total - numbers["t"] - numbers[f"p{at}"] + 2 * numbers[f"b{at}"])[0, 0])
        for at in range(len(names))
    ]
    found = {}
    for a, b in itertools.combinations(range(len(names)), 2):
        both = int(numbers[f"r{a}_{b}"][0, 0])
        found[names[a], names[b]] = right[a] - both, right[b] - both
        found[names[b], names[a]] = right[b] - both, right[a] - both
    return found
