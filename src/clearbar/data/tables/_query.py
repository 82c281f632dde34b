"""The questions that a table is asked; each is one aggregation in the table's own engine.

`tallied`: how often does each combination of labels occur? Few rows come back whatever the table's
size, and they hold all that a refusal talks about. `summed`: how many rows of each slice are
positive, predicted positive, and both? One row per slice comes back, with a few whole numbers.
`paired`, of more than two classes: how often are samples of each class called each? `combined`: and what do
several models call them together?
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import numpy as np

from clearbar.core._numbers import LARGEST_TOTAL
from clearbar.core._typing import BoolArray
from clearbar.data.tables._ask import Ask
from clearbar.data.tables._tables import Table, stopped

if TYPE_CHECKING:
    from clearbar.data.tables._scan import Files

MOST_COMBINATIONS = 20_000
"""Combinations of labels that are looked at; where there are more, these are no labels."""


class Sides(NamedTuple):
    """The values of a column that are positive, and those that are negative."""

    positive: list[Any]
    negative: list[Any]


class IrregularError(Exception):
    """Some lines of files are no rows: they must be read again without these."""

    def __init__(self, files: Files) -> None:
        super().__init__()
        self.files = files


def tallied(
    table: Table, ask: Ask, labels: Sequence[str], *, first: int | None = None
) -> list[dict[str, Any]]:
    """Count every combination of labels as ``n``, of each model where a column names it."""
    keys = {name: nw.col(name) for name in (*labels, *(("m",) if ask.model is not None else ()))}
    rows = _added_up(table, keys, {}, first=first, most=MOST_COMBINATIONS)
    values = [rows.get_column(name).to_list() for name in (*keys, "n")]
    return [dict(zip((*keys, "n"), row, strict=True)) for row in zip(*values, strict=True)]


def summed(table: Table, ask: Ask, sides: Mapping[str, Sides]) -> Any:
    """Add up, for each slice, what a confusion matrix is made of.

    The keys, and per slice: ``n`` rows; ``known`` rows whose labels are all on a side, ``missing`` rows
    that lack one; ``t``, ``p0`` ..., ``b0`` ...: samples that are positive, predicted positive, and both;
    ``p0_1`` ..., ``b0_1`` ...: the same of two models that both say so; with weights ``total`` samples and
    their ``size``, which cannot overflow; ``bad`` rows whose weight is none, ``unweighed`` ones that lack it.
    """
    positive = {name: _among(table, name, sides[name].positive) for name in ask.labels}
    negative = {name: _among(table, name, sides[name].negative) for name in ask.labels}
    known = reduce(and_, [positive[name] | negative[name] for name in ask.labels])
    counted = cells(positive, paired=ask.compared)
    wanted = (*ask.labels, *(() if ask.weight is None else ("w",)))
    missing = reduce(or_, [_missing(table, name, sides) for name in wanted])
    if ask.nulls == "drop":
        known = known & ~missing
        counted = {name: condition & known for name, condition in counted.items()}
    columns = {name: _flag(condition) for name, condition in {**counted, "known": known}.items()}
    if ask.nulls == "drop":
        columns["missing"] = _flag(missing)
    if ask.weight is not None:
        columns |= {name: _weighed(condition, table) for name, condition in counted.items()}
        columns |= _weights(table, known)
    return _added_up(table, {key: nw.col(key) for key in ask.keys}, columns)


def paired(table: Table, ask: Ask, name: str, nothing: Mapping[str, Sequence[str]]) -> Any:
    """Count, for each slice, how often samples of each class are called each: ``t`` and ``p``.

    `nothing` are texts that stand for no label. Beside the keys ``n`` rows and ``missing`` ones that lack a
    label of any column or a weight; with weights what `summed` has of them.
    """
    missing = _lacks_one(table, ask, nothing)
    columns = {"missing": _flag(missing)} | ({} if ask.weight is None else _weights(table, ~missing))
    keys = {"t": nw.col("t"), "p": nw.col(name), **{key: nw.col(key) for key in ask.keys}}
    return _added_up(table, keys, columns)


def combined(table: Table, ask: Ask, nothing: Mapping[str, Sequence[str]]) -> Any:
    """Count how often all labels of a row occur together: these columns, ``n`` rows, ``missing`` ones."""
    keys = {name: nw.col(name) for name in ask.labels}
    return _added_up(table, keys, {"missing": _flag(_lacks_one(table, ask, nothing))})


def _lacks_one(table: Table, ask: Ask, nothing: Mapping[str, Sequence[str]]) -> Any:
    """Return where a label of any column or the weight is missing."""
    absent = [_is_nothing(table, name) for name in (*ask.labels, *(() if ask.weight is None else ("w",)))]
    absent += [nw.col(name) == text for name, texts in nothing.items() for text in texts]
    return reduce(or_, absent)


def _weights(table: Table, known: Any) -> dict[str, Any]:
    """Return what is added up of weights: samples, their size that cannot overflow, and what is wrong."""
    total = _weighed(known, table)
    wrong = {"bad": _flag(_bad_weight(table)), "unweighed": _flag(_is_nothing(table, "w"))}
    return {"total": total, "size": total.cast(nw.Float64), **wrong}


def samples_query(table: Table, sides: Mapping[str, Sides], others: Sequence[str]) -> Any:
    """Return other columns of every row, and 1 where labels are positive or one is ``missing``, else 0."""
    flagged = {name: _among(table, name, sides[name].positive) for name in sides}
    if sides:
        flagged["missing"] = reduce(or_, [_missing(table, name, sides) for name in sides])
    columns = [_flag(condition).alias(name) for name, condition in flagged.items()]
    columns += [nw.col(name) for name in others]
    return collected(table, lambda frame: frame.select(*columns))


def _added_up(
    table: Table,
    keys: Mapping[str, Any],
    columns: Mapping[str, Any],
    *,
    first: int | None = None,
    most: int | None = None,
) -> Any:
    """Add up columns for each combination of keys and count its rows as ``n``; raise if lines are no rows.

    Of the `first` rows, and `most` combinations, where that is said.
    """
    if "e" in table.kinds:
        columns = {**columns, "e": nw.col("e")}

    def query(frame: Any) -> Any:
        frame = frame if first is None else frame.head(first)
        frame = frame.select(*(column.alias(name) for name, column in {**keys, **columns}.items()))
        sums = [nw.len().alias("n"), *(nw.col(name).sum() for name in columns)]
        frame = frame.group_by(*keys).agg(*sums) if keys else frame.select(*sums)
        return frame if most is None else frame.head(most)

    rows = collected(table, query)
    if table.files is None or "e" not in table.kinds:
        return rows
    if rows.select(nw.col("e").sum()).item():
        files = table.files.checked()
        if any((files.blank or {}).values()):
            raise IrregularError(files)
    return rows.drop("e")


def cells(positive: Mapping[str, Any], *, paired: bool) -> dict[str, Any]:
    """Return the conditions whose rows make up a population and the models' confusion matrices.

    `paired`: also those that both of two models call positive.
    """
    truth, *models = positive
    called = {str(at): positive[name] for at, name in enumerate(models)}
    if paired:
        pairs = list(itertools.combinations(called, 2))
        called |= {f"{a}_{b}": called[a] & called[b] for a, b in pairs}
    conditions = {truth: positive[truth]}
    for name, condition in called.items():
        conditions |= {f"p{name}": condition, f"b{name}": positive[truth] & condition}
    return conditions


def collected(table: Table, query: Callable[[Any], Any]) -> Any:
    """Run a query; a table in this process keeps its library, others come back as pyarrow."""
    try:
        with nullcontext(table.frame) if table.files is None else table.files.watched(table.frame) as frame:
            return query(frame).collect(**({"engine": "streaming"} if table.engine == "polars" else {}))
    except MemoryError:
        raise
    except BaseException as error:  # an engine may raise anything, and its panic is no Exception
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        refusal = stopped(table.engine, error, "counting")
        if table.files is not None:
            table.files.explain(refusal)
        raise refusal from error


def lacking(column: Any) -> BoolArray:
    """Return which values of a column are missing."""
    absent = column.is_null()
    if column.dtype.is_float():
        absent = absent | column.is_nan().fill_null(True)  # noqa: FBT003
    return np.asarray(absent.to_numpy(), dtype=bool)


def weight_that_is_none(table: Table) -> Any:
    """Return a weight that is no whole number from 0 up, to show it."""
    row = collected(table, lambda frame: frame.filter(_bad_weight(table)).select("w").head(1))
    return next(iter(row.get_column("w").to_list()), None)


def _among(table: Table, name: str, values: Sequence[Any]) -> Any:
    """Return where a column holds one of some values."""
    column = nw.col(name)
    if table.kinds[name] == "boolean":  # some engines do not compare truth values
        return reduce(or_, [column & ~column, *(column if value else ~column for value in values)])
    return reduce(or_, [column == value for value in values] or [column.is_null() & ~column.is_null()])


def _missing(table: Table, name: str, sides: Mapping[str, Sides]) -> Any:
    column = nw.col(name)
    if table.kinds[name] == "float":
        return _is_nothing(table, name)
    if name in table.texts and name in sides:  # of a text that stands for nothing, no value is made
        return column.is_null() | ~_among(table, name, [*sides[name].positive, *sides[name].negative])
    return column.is_null()


def _is_nothing(table: Table, name: str) -> Any:
    """Return where a column has no value, or none that is a number."""
    column = nw.col(name)
    return column.is_null() | column.is_nan() if table.kinds[name] == "float" else column.is_null()


def _bad_weight(table: Table) -> Any:
    """Return where a weight is there but cannot be how often a row occurs."""
    column = nw.col("w")
    # As floats, so that the limit fits beside columns of any width.
    wrong = (column < 0) | (column.cast(nw.Float64) > float(LARGEST_TOTAL))
    if table.kinds["w"] == "float":
        wrong = wrong | ~column.is_finite() | (column != column.floor())
    return ~_is_nothing(table, "w") & wrong


def _weighed(condition: Any, table: Table) -> Any:
    """Return the weight where a condition holds, else 0; in 64 bits, as sums may keep to a column's type."""
    sound = ~(_bad_weight(table) | _is_nothing(table, "w"))
    return nw.when(condition & sound).then(nw.col("w")).otherwise(nw.lit(0)).cast(nw.Int64)


def _flag(condition: Any) -> Any:
    """Return 1 where a condition holds, else 0: some engines add up no truth values, or too narrowly."""
    return nw.when(condition).then(nw.lit(1, nw.Int64)).otherwise(nw.lit(0, nw.Int64))
