"""Pairs of true and predicted labels in a table, counted by its engine; and samples, where these are read."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import or_
from typing import Any, NamedTuple, NoReturn

import narwhals as nw
import numpy as np

from clearbar.core._numbers import LARGEST_TOTAL
from clearbar.core._typing import BoolArray, IntArray
from clearbar.core.errors import ArgumentError, listed, shown
from clearbar.data.arrays import is_missing, of_64_bits, plain, read, refuse_empty
from clearbar.data.classes import Factor, factorise
from clearbar.data.counting import MOST_SAMPLES, WHOLE_SAMPLES
from clearbar.data.labels import (
    Tally,
    kind_of,
    parse_label,
    positive_samples,
    refuse_fractions,
    refuse_no_labels,
    resolve,
    tallied,
)
from clearbar.data.polars_engine import imported, meanings, typed
from clearbar.data.query import TableQuery
from clearbar.data.tables import (
    Table,
    a_bad_weight,
    collected,
    flag,
    grouped,
    lacking,
    lacks_one,
    opened,
    weighted_columns,
    whole,
)

# Rows in which predictions show whether they are scores; labels beyond which they do.
FIRST, MOST_LABELS = 1000, 50

EVERY_ROW_LACKS = "every row lacks a value"


class Pairs(NamedTuple):
    """How often samples of one class are called another by one model, in the order of the keys."""

    truth: Any  # a `Factor` of labels; later the numbers of the classes, or which are positive
    predicted: Any
    samples: IntArray
    keys: list[list[Any]]  # columns of what parts the pairs

    def of_model(self, rows: slice) -> Pairs:
        truth, predicted, samples, keys = self
        return Pairs(truth[rows], predicted[rows], samples[rows], [key[rows] for key in keys[1:]])

    def starts(self) -> IntArray:
        """Return where each new combination of keys begins."""
        new = np.zeros(len(self.samples), dtype=bool)
        new[0] = True
        for column in self.keys:
            values = np.empty(len(column), dtype=object)
            values[:] = column
            new[1:] |= values[1:] != values[:-1]
        return np.flatnonzero(new)


def refuse_scores(table: Table, query: TableQuery, *, many_classes: bool = False) -> None:
    """Raise if the first predictions look like scores, of which a table may hold n different ones."""
    truth, *models = query.labels
    for name in models if query.threshold is None else ():
        if table.files is None and table.kinds[name] != "float":
            continue
        frame = _typed(table, grouped(table, (truth, name), {}, first=FIRST), (truth, name))
        tallies = []
        for column in (truth, name):
            values = frame.get_column(column).to_list()
            labels = [plain(value) for value in values if not is_missing(value)]
            tallies.append(Tally(Counter(map(tallied, labels))))
        if many_classes and tallies[1].counts:
            refuse_no_labels(query.argument(name), tallies[1])
            refuse_fractions(query.argument(name), tallies[1])
        found = tallies[1].counts
        if not many_classes and len(found) > MOST_LABELS and all(kind_of(v) == "numbers" for v in found):
            tallies[1] = tallies[1]._replace(complete=False)
            resolve(*tallies, pos_label=query.pos_label, names=[query.argument(c) for c in (truth, name)])


class ReadPairs(NamedTuple):
    """The pairs of each column of predictions, and what was left out."""

    of_models: dict[str, Pairs]
    left_out: int
    nothing: dict[str, list[str]]  # of columns of text, what stands for no label


def read_pairs(table: Table, query: TableQuery) -> ReadPairs:
    """Count how often each label of the truth stands beside each of the predictions, of every model."""

    def frames(nothing: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        missing = _lacks_label(table, query, nothing)
        columns = weighted_columns(table, query, ~missing)
        if query.nulls == "drop" and len(query.columns) > 2:  # beside labels that are missing in these pairs
            columns["missing"] = flag(missing)
        return {name: grouped(table, ("t", name, *query.keys), columns) for name in query.labels[1:]}

    of_models = frames({})
    nothing = {}
    for name in query.labels:
        if name in table.texts:
            column = (of_models["p0"] if name == "t" else of_models[name]).get_column(name)
            texts = meanings(column.unique().to_list())
            nothing[name] = [text for text, meant in texts.items() if meant is None and text is not None]
    if any(nothing.values()) and query.nulls == "drop" and len(of_models) > 1:
        of_models = frames(nothing)  # a row is left out for all models
    pairs = {name: _pairs(table, query, name, frame) for name, frame in of_models.items()}
    return ReadPairs({name: each for name, (each, _) in pairs.items()}, pairs["p0"][1], nothing)


def _pairs(table: Table, query: TableQuery, name: str, frame: Any) -> tuple[Pairs, int]:
    """Return the pairs of labels of one model, in the order of the keys; and how many rows were left out."""
    frame, left_out = tidied(table, query, frame, ("t", name, *query.keys))
    rows, missing = whole(frame.get_column("n")), _missing(frame)
    without = np.zeros(len(frame), dtype=bool)
    for column in ("t", name):
        absent = lacking(frame.get_column(column))
        if query.nulls == "raise":
            refuse_missing_in(query, column, int(rows[absent].sum()))
        without |= absent
    samples = _samples(frame, query, without)
    left_out += int(np.where(without, rows, missing).sum())
    if not samples.any():
        weightless = query.weight is not None and left_out < int(rows.sum())
        refuse_nothing("weight is 0 everywhere" if weightless else EVERY_ROW_LACKS)
    if query.model is not None:
        refuse_empty_models(frame.get_column("m").to_list(), samples)
    frame = in_order_of(frame.filter((samples > 0).tolist()), query.keys)
    truth, predicted = (_factor(frame, query, column) for column in ("t", name))
    keys = [frame.get_column(key).to_list() for key in query.keys]
    return Pairs(truth, predicted, _samples(frame, query), keys), left_out


def _factor(frame: Any, query: TableQuery, column: str) -> Factor:
    return factorise(frame.get_column(column).to_native(), len(frame), query.argument(column))


def _samples(frame: Any, query: TableQuery, without: BoolArray | None = None) -> IntArray:
    """Return how many samples each pair stands for; none where a label is missing."""
    if query.weight is not None:
        samples = whole(frame.get_column("total"))
    else:
        samples = whole(frame.get_column("n")) - _missing(frame)
    return samples if without is None else np.where(without, 0, samples)


def _missing(frame: Any) -> IntArray:
    counted = "missing" in frame.columns
    return whole(frame.get_column("missing")) if counted else np.zeros(len(frame), dtype=np.int64)


def read_together(
    table: Table, query: TableQuery, nothing: Mapping[str, Sequence[str]]
) -> tuple[dict[str, Factor], IntArray]:
    """Count how often all labels of a row occur together: each column's, and how many rows."""
    columns = {"missing": flag(_lacks_label(table, query, nothing))}
    frame = _typed(table, grouped(table, query.labels, columns), query.labels)
    without = functools.reduce(or_, [lacking(frame.get_column(name)) for name in query.labels])
    samples = _samples(frame, query, without)
    frame, samples = frame.filter((samples > 0).tolist()), samples[samples > 0]
    return {name: _factor(frame, query, name) for name in query.labels}, samples


def _lacks_label(table: Table, query: TableQuery, nothing: Mapping[str, Sequence[str]]) -> Any:
    """Return where a label of any column or the weight is missing; in text, also where it says nothing."""
    absent = [nw.col(name) == text for name, texts in nothing.items() for text in texts]
    return functools.reduce(or_, [lacks_one(table, query), *absent])


def tidied(table: Table, query: TableQuery, frame: Any, columns: Sequence[str]) -> tuple[Any, int]:
    """Return sums by some columns without the rows that lack a key, and how many rows of the table these are.

    Columns that are text in a file are replaced by the values that the text stands for.
    """
    if not whole(frame.get_column("n")).any():
        refuse_rowless(table)
    if query.weight is not None:
        _refuse_weights(table, query, frame)
        frame = frame.drop("size", "bad", "unweighed")
    frame = _typed(table, frame, columns)
    rows, without = whole(frame.get_column("n")), np.zeros(len(frame), dtype=bool)
    for key in query.keys:
        absent = lacking(frame.get_column(key))
        if query.nulls == "raise":
            refuse_missing_in(query, key, int(rows[absent].sum()))
        without |= absent
    return (frame.filter((~without).tolist()) if without.any() else frame), int(rows[without].sum())


def _typed(table: Table, frame: Any, columns: Sequence[str]) -> Any:
    """Return sums by columns of text by what the text stands for; several texts may stand for the same."""
    texts = [name for name in columns if name in table.texts]
    if not texts or not len(frame):
        return frame
    pl = imported()
    sums = [name for name in frame.columns if name not in columns]
    native = frame.to_native()
    native = native.with_columns(typed(native[name].fill_null("")).alias(name) for name in texts)
    return nw.from_native(native.group_by(list(columns)).agg(pl.col(sums).cast(pl.Int64).sum()))


def in_order_of(frame: Any, keys: Sequence[str]) -> Any:
    """Return rows in the order of their keys, whatever types these have."""
    if not keys:
        return frame
    try:
        return frame.sort(*keys)
    except Exception:  # noqa: BLE001 - values of several types, in whatever words the library says it
        columns = [[(type(v).__name__, str(v)) for v in frame.get_column(key).to_list()] for key in keys]
        return frame[sorted(range(len(frame)), key=lambda row: [column[row] for column in columns])]


def _refuse_weights(table: Table, query: TableQuery, frame: Any) -> None:
    """Raise if weights are none, or add up to more samples than can be counted."""
    if query.nulls == "raise":
        refuse_missing_in(query, "w", int(whole(frame.get_column("unweighed")).sum()))
    bad = int(whole(frame.get_column("bad")).sum())
    if bad:
        weight = a_bad_weight(table)
        if LARGEST_TOTAL < weight < np.inf:
            raise ValueError(
                f"{query.called('w')} has a row that occurs {shown(weight)} times; it {MOST_SAMPLES}"
            )
        raise ValueError(
            f"{query.called('w')} must hold whole numbers from 0 up, how often each row "
            f"occurs; found {shown(weight)}{f' and {bad - 1:,} more' if bad > 1 else ''}. {WHOLE_SAMPLES}"
        )
    total = float(frame.get_column("size").to_numpy().sum())
    if total > LARGEST_TOTAL:  # known before whole numbers of 64 bits are added up, which may overflow
        raise ValueError(f"weight adds up to {total:.3g} samples; it {MOST_SAMPLES}")


def refuse_rowless(table: Table) -> NoReturn:
    paths = [] if table.files is None else table.files.paths
    if not paths:
        refuse_empty("y_true", 0)
    if len(paths) > 1:
        raise ValueError(f"none of {len(paths):,} files has a row.")
    raise ValueError(f"{paths[0]} has columns but no rows.")


def refuse_nothing(why: str) -> NoReturn:
    raise ValueError(f"{why}, so that there are no samples; at least one is needed to have a bar.")


def refuse_missing_in(query: TableQuery, name: str, number: int) -> None:
    if number:
        values = "1 missing value" if number == 1 else f"{number:,} missing values"
        raise ArgumentError(
            query.called(name),
            f" has {values}. Fill them in, or ",
            "pass nulls='drop' to leave those rows out.",
            "nulls",
        )


def refuse_empty_models(models: Iterable[Any], total: IntArray) -> None:
    names = list(models)
    having = set(itertools.compress(names, total))
    empty = [name for name in dict.fromkeys(names) if name not in having]
    if empty:
        verb = "has" if len(empty) == 1 else "have"
        raise ValueError(
            f"{listed(map(shown, empty), most=3)} {verb} no samples left: every row lacks a value or has "
            "weight 0. Leave out the rows of that model, or fill in its values."
        )


class FrameSamples(NamedTuple):
    """The samples of a table: labels, predictions of each model, slices, and what belongs together."""

    truth: Any
    predicted: dict[str, Any]
    slices: tuple[Any, ...]
    """The columns that part samples into slices."""
    clusters: Any
    folds: Any
    left_out: int


def sampled_frame(frame: Any, query: TableQuery) -> FrameSamples:
    """Read which samples of a table are positive, and which of them are called so."""
    samples = sampled_values(frame, query)
    truth = _positive(samples, query, None)
    predicted = {
        name: values == 1 if query.threshold is not None else _positive(samples, query, name)
        for name, values in samples.predicted.items()
    }
    return samples._replace(truth=truth, predicted=predicted)


def sampled_scores(frame: Any, query: TableQuery) -> FrameSamples:
    samples = sampled_values(frame, query)
    return samples._replace(truth=_positive(samples, query, None))


def _positive(samples: FrameSamples, query: TableQuery, model: str | None) -> Any:
    """Return which samples are positive, or which of them a model calls so."""
    truth, predicted, pos_label = read(samples.truth, query.argument("t")), None, query.pos_label
    if model is not None:
        name = query.labels[1 + query.y_pred.index(model)]
        predicted = read(samples.predicted[model], query.argument(name))
    if query.spelt and pos_label is not None:
        columns = [truth] if predicted is None else [truth, predicted]
        labels = {plain(label) for column in columns for label in np.unique(column.values).tolist()}
        pos_label = parse_label(pos_label, sorted(labels, key=str))
    return positive_samples(truth, pos_label, predicted)[1]


def sampled_values(frame: Any, query: TableQuery) -> FrameSamples:
    """Read the samples of a table and their labels of any number of classes, or numbers."""
    columns, left_out = _columns(frame, query)
    values = {name: _array(column) for name, column in columns.items()}
    truth, *models = (values[name] for name in query.labels)
    predicted = dict(zip(query.y_pred, models, strict=True))
    slices = tuple(values[name] for name in query.slices)
    return FrameSamples(truth, predicted, slices, values.get("c"), values.get("f"), left_out)


def column_values(
    frame: Any, query: TableQuery, may_lack: Collection[str]
) -> tuple[dict[str, list[Any]], int]:
    """Read the columns that are asked for, by our names; and how many rows lack one that none may lack.

    These rows are left out; elsewhere None stands for a missing value.
    """
    columns, left_out = _columns(frame, query, may_lack)
    values = {
        name: [None if gone else value for value, gone in zip(column.to_list(), lacking(column), strict=True)]
        for name, column in columns.items()
    }
    return values, left_out


def _columns(frame: Any, query: TableQuery, may_lack: Collection[str] = ()) -> tuple[dict[str, Any], int]:
    """Read columns, text as what it stands for, without rows that lack one; and how many these are."""
    table = opened(frame, query)
    if table.files is not None:  # looked through for what is no row
        table = table.files.slower().checked().table()
    names = [*query.columns, *query.slices[len(query.by) :]]
    rows = collected(table, lambda lazy: lazy.select(*names))
    if not len(rows):
        refuse_rowless(table)
    columns = {}
    absent = np.zeros(len(rows), dtype=bool)
    for name in names:
        column = rows.get_column(name)
        if name in table.texts:
            column = nw.from_native(typed(column.to_native().fill_null("")), series_only=True)
        columns[name] = column
        if name not in may_lack:
            without = lacking(column)
            if query.nulls == "raise":
                refuse_missing_in(query, name, int(without.sum()))
            absent |= without
    if absent.all():
        refuse_nothing(EVERY_ROW_LACKS)
    if absent.any():
        columns = {name: column.filter((~absent).tolist()) for name, column in columns.items()}
    return columns, int(absent.sum())


def _array(column: Any) -> Any:
    if column.dtype in {nw.Int128, nw.UInt128}:
        return np.asarray(of_64_bits(column.to_native(), f"column {column.name!r}"))
    if column.dtype.is_numeric() or column.dtype == nw.Boolean:
        return np.asarray(column.to_numpy())
    values = np.empty(len(column), dtype=object)
    values[:] = column.to_list()
    kinds = {type(value) for value in values[:1000].tolist()}
    return np.array(values.tolist()) if kinds in ({int}, {float}, {bool}) else values
