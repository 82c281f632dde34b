"""Counts of a table's models, slices and folds, from the pairs of labels that its engine counts."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import or_
from typing import Any, NamedTuple, TypeVar

import narwhals as nw
import numpy as np

from clearbar.core._numbers import LARGEST_TOTAL
from clearbar.core._typing import BoolArray, IntArray
from clearbar.core.calls import PairCalls
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.counts import Counts
from clearbar.core.errors import listed, shown
from clearbar.data.arrays import is_missing, plain
from clearbar.data.classes import Factor, confusion_matrices, factorise, resolve_classes
from clearbar.data.counting import MOST_SAMPLES, WHOLE_SAMPLES
from clearbar.data.labels import (
    MOST_LABELS,
    Tally,
    kind_of,
    parse_label,
    refuse_fractions,
    refuse_no_labels,
    resolve,
    tallied,
)
from clearbar.data.polars_engine import imported, meanings, typed
from clearbar.data.query import TableQuery
from clearbar.data.table_samples import EVERY_ROW_LACKS, refuse_missing_in, refuse_nothing, refuse_rowless
from clearbar.data.tables import (
    IrregularRowsError,
    Table,
    a_bad_weight,
    flag,
    grouped,
    lacking,
    lacks_one,
    opened,
    weighted_columns,
    whole,
)

FIRST = 1000  # rows in which predictions show whether they are scores

# Combinations of a true class and what each model calls it, up to which they are counted.
MOST_TOGETHER = 1_000_000

# Columns of labels up to which a table is read once: of more, nearly every row may have its own combination.
READ_TOGETHER = 6

Counted = TypeVar("Counted")
Key = tuple[Any, ...]


@dataclass(frozen=True)
class FrameCounts:
    """What a table of two classes holds, as far as any verdict needs to know."""

    models: tuple[str, ...]  # their names; the first axis of ``counts``
    keys: tuple[Key, ...]
    counts: Counts  # of shape (models, keys)
    left_out: int = 0  # rows that were left out because a value is missing
    calls: PairCalls | None = None  # which models call the same rows positive


class Together(NamedTuple):
    """Combinations of a true class and what each model calls it, if these are few; how often each occurs."""

    truth: IntArray | None = None
    predicted: tuple[IntArray, ...] = ()
    times: IntArray | None = None


@dataclass(frozen=True)
class FrameClasses:
    """What a table of many classes holds, as far as any verdict needs to know."""

    models: tuple[str, ...]
    keys: tuple[Key, ...]  # slices or folds; none where nothing parts the rows
    matrices: tuple[tuple[ConfusionMatrix, ...], ...]  # of each model: the whole, then each key
    left_out: int  # rows that were left out because a value is missing
    together: Together  # what models call the same rows


class Pairs(NamedTuple):
    """How often samples of one class are called another by one model, each combination of keys apart."""

    truth: Factor
    predicted: Factor
    samples: IntArray
    groups: IntArray  # the position of each pair's combination of keys
    keys: list[Key]  # in order

    def of_models(self, column: str, query: TableQuery) -> Iterator[tuple[str, Pairs]]:
        """Yield the name and the pairs of each model: of a column, or by the first of the keys."""
        if query.model is None:
            yield column, self
            return
        start, names = 0, set()
        for model, keys in itertools.groupby(self.keys, key=lambda key: key[0]):
            of_model = [key[1:] for key in keys]
            stop = start + len(of_model)
            rows = np.flatnonzero((self.groups >= start) & (self.groups < stop))
            truth, predicted = (
                factor._replace(codes=factor.codes[rows]) for factor in (self.truth, self.predicted)
            )
            name = str(model)
            if name in names:
                raise ValueError(
                    f"model holds several values that print as {shown(name)}; give each its own name."
                )
            names.add(name)
            yield name, Pairs(truth, predicted, self.samples[rows], self.groups[rows] - start, of_model)
            start = stop


def count_frame(frame: Any, query: TableQuery) -> FrameCounts:
    return _read_again(opened(frame, query), lambda table: _count_two_classes(table, query))


def count_classes(frame: Any, query: TableQuery) -> FrameClasses:
    return _read_again(opened(frame, query), lambda table: _count_classes(table, query))


def _read_again(table: Table, counted: Callable[[Table], Counted]) -> Counted:
    """Count a table; one of files again, read more slowly, where it is not what it looked like."""
    while True:
        try:
            return counted(table)
        except IrregularRowsError as irregular:
            table = irregular.files.table()
        except ValueError:
            # Labels that did not look like this at first are read again, as whatever they are.
            if table.files is None or not table.files.quick:
                raise
            table = table.files.slower().table()


def _count_two_classes(table: Table, query: TableQuery) -> FrameCounts:
    _refuse_scores(table, query)
    of_columns, left_out, rows_alike = _read_pairs(table, query)
    models, keys, numbers = [], [], []
    positive: dict[str, Any] = {}
    for column, of_column in of_columns.items():
        for model, pairs in of_column.of_models(column, query):
            positive |= _positive_labels(query, column, pairs)
            truth, predicted = (_has(pairs.truth, positive["t"]), _has(pairs.predicted, positive[column]))
            sums = [
                np.bincount(pairs.groups, pairs.samples * where, len(pairs.keys))  # exact up to 2**53
                for where in (np.ones_like(truth), truth, predicted, truth & predicted)
            ]
            models.append(model)
            keys.append(pairs.keys)
            numbers.append(np.array(sums).astype(np.int64))
    _refuse_other_samples(models, keys, [sums[:2] for sums in numbers], ("samples", "positive samples"))
    M, P, predicted, both = np.stack(numbers, axis=1)
    counts = Counts(tp=both, fp=predicted - both, fn=P - both, tn=M - P - predicted + both)
    calls = None
    if query.compared:
        factors, samples = _answers_together(table, query, rows_alike())
        truth, *called = (_has(factor, positive[name]) for name, factor in factors.items())
        both_of_two = [
            (np.array(called) * (samples * where)) @ np.array(called).T for where in (truth, ~truth)
        ]
        calls = PairCalls(*both_of_two)
    return FrameCounts(_names(models, query), tuple(keys[0]), counts, left_out, calls)


def _names(models: Sequence[str], query: TableQuery) -> tuple[str, ...]:
    return query.y_pred if query.model is None else tuple(models)


def _positive_labels(query: TableQuery, name: str, pairs: Pairs) -> dict[str, Any]:
    """Return the positive label of the truth and of a model's predictions."""
    tallies = [factor.tally(pairs.samples) for factor in (pairs.truth, pairs.predicted)]
    if query.threshold is not None:
        tallies = tallies[:1]
    wanted = query.pos_label
    if query.spelt and wanted is not None:
        occurring = dict.fromkeys(label for tally in tallies for label in tally.counts)
        wanted = parse_label(wanted, sorted(occurring, key=str))
    names = [query.argument(column) for column in ("t", name)]
    positive = resolve(*tallies, pos_label=wanted, names=names).pos_label
    return {"t": positive, name: positive if query.threshold is None else 1}


def _has(factor: Factor, label: Any) -> BoolArray:
    return np.array([plain(value) == label for value in factor.values], dtype=bool)[factor.codes]


def _count_classes(table: Table, query: TableQuery) -> FrameClasses:
    _refuse_scores(table, query, many_classes=True)
    of_columns, left_out, rows_alike = _read_pairs(table, query)
    columns = []
    for column, pairs in of_columns.items():
        columns += [(query.argument("t"), pairs.truth), (query.argument(column), pairs.predicted)]
    classes, codes = resolve_classes(columns, None)
    numbered = iter(Factor(classes, of_column) for of_column in codes)
    models, keys, matrices = [], [], []
    is_parted = len(query.keys) > (query.model is not None)
    for column, of_column in of_columns.items():
        coded = of_column._replace(truth=next(numbered), predicted=next(numbered))
        for model, pairs in coded.of_models(column, query):
            groups, number = (pairs.groups, len(pairs.keys)) if is_parted else (None, 0)
            truth, predicted = pairs.truth.codes, pairs.predicted.codes
            models.append(model)
            keys.append(pairs.keys)
            matrices.append(confusion_matrices(classes, truth, predicted, groups, number, pairs.samples))
    sizes = [np.array([matrix.true_counts for matrix in several[is_parted:]]).T for several in matrices]
    _refuse_other_samples(models, keys, sizes, [f"of class {shown(label)}" for label in classes])
    together = Together()
    if query.compared and len(classes) ** len(query.labels) <= MOST_TOGETHER:
        factors, samples = _answers_together(table, query, rows_alike())
        named = [(query.argument(name), factor) for name, factor in factors.items()]
        truth, *called = resolve_classes(named, classes)[1]
        together = Together(truth, tuple(called), samples)
    parts = tuple(keys[0]) if is_parted else ()
    return FrameClasses(_names(models, query), parts, tuple(matrices), left_out, together)


def _refuse_other_samples(
    models: Sequence[str], keys: Sequence[list[Key]], sizes: Sequence[IntArray], nouns: Sequence[str]
) -> None:
    """Raise if a model has other slices than the first, or other numbers of samples in them."""
    for model, of_model, numbers in zip(models[1:], keys[1:], sizes[1:], strict=True):
        a, b = map(shown, (models[0], model))
        difference = ""
        if of_model != keys[0]:
            ours, theirs = set(keys[0]), set(of_model)
            alone = [key for key in keys[0] if key not in theirs]
            has, lacks = (a, b) if alone else (b, a)
            alone = alone or [key for key in of_model if key not in ours]
            difference = f"{lacks} has none in {listed(map(_shown_key, alone), most=3)}, where {has} has some"
        elif (sizes[0] != numbers).any():
            noun, key = np.argwhere(sizes[0] != numbers)[0].tolist()
            where = f" in {_shown_key(keys[0][key])}" if keys[0][key] else ""
            difference = (
                f"{a} has {sizes[0][noun, key]:,} {nouns[noun]}{where} and {b} has {numbers[noun, key]:,}"
            )
        if difference:
            raise ValueError(
                f"all models must be judged on the same samples; {difference}. Give every model the same "
                "rows, or judge them in separate calls."
            )


def _shown_key(key: Any) -> str:
    return shown(key[0]) if len(key) == 1 else shown(tuple(key))


def _refuse_scores(table: Table, query: TableQuery, *, many_classes: bool = False) -> None:
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
        found = tallies[1].counts
        if many_classes and found:
            refuse_no_labels(query.argument(name), tallies[1])
            refuse_fractions(query.argument(name), tallies[1])
        elif len(found) > MOST_LABELS and all(kind_of(label) == "numbers" for label in found):
            tallies[1] = tallies[1]._replace(complete=False)
            resolve(*tallies, pos_label=query.pos_label, names=[query.argument(c) for c in (truth, name)])


def _read_pairs(table: Table, query: TableQuery) -> tuple[dict[str, Pairs], int, Callable[[], Any]]:
    """Count how often each label of the truth stands beside each of the predictions, of every column.

    Also how many rows were left out; and what counts how often all labels of a row occur together.
    """
    together: Any = None

    def frames(nothing: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        nonlocal together
        missing = _lacks_label(table, query, nothing)
        columns = weighted_columns(table, query, ~missing)
        if query.nulls == "drop" and len(query.columns) > 2:  # beside labels that are missing in these pairs
            columns["missing"] = flag(missing)
        if (
            not query.keys and 2 < len(query.labels) <= READ_TOGETHER
        ):  # a file is then read once for all models
            together = grouped(table, query.labels, columns)
            sums = [nw.col(name).sum() for name in ("n", *columns)]
            return {name: together.group_by("t", name).agg(*sums) for name in query.labels[1:]}
        return {name: grouped(table, ("t", name, *query.keys), columns) for name in query.labels[1:]}

    of_columns = frames({})
    nothing = {}
    for name in query.labels:
        if name in table.texts:
            column = (of_columns["p0"] if name == "t" else of_columns[name]).get_column(name)
            texts = meanings(column.unique().to_list())
            nothing[name] = [text for text, meant in texts.items() if meant is None and text is not None]
    if any(nothing.values()) and query.nulls == "drop" and len(of_columns) > 1:
        of_columns = frames(nothing)  # a row is left out for all models
    pairs = {name: _pairs(table, query, name, frame) for name, frame in of_columns.items()}

    def all_together() -> Any:
        missing = {"missing": flag(_lacks_label(table, query, nothing))}
        return grouped(table, query.labels, missing) if together is None else together

    return {name: of_column for name, (of_column, _) in pairs.items()}, pairs["p0"][1], all_together


def _pairs(table: Table, query: TableQuery, name: str, frame: Any) -> tuple[Pairs, int]:
    """Return the pairs of labels in a column, and how many rows were left out because a value is missing."""
    if not whole(frame.get_column("n")).any():
        refuse_rowless(table)
    if query.weight is not None:
        _refuse_weights(table, query, frame)
        frame = frame.drop("size", "bad", "unweighed")
    columns = (*query.keys, "t", name)
    frame = _typed(table, frame, columns)
    rows = whole(frame.get_column("n"))
    absent = {column: lacking(frame.get_column(column)) for column in columns}
    for column in columns if query.nulls == "raise" else ():
        refuse_missing_in(query, column, int(rows[absent[column]].sum()))
    without = functools.reduce(or_, absent.values())
    samples = _samples(frame, query, without)
    elsewhere = whole(frame.get_column("missing")) if "missing" in frame.columns else np.zeros_like(rows)
    left_out = int(np.where(without, rows, elsewhere).sum())
    if not samples.any():
        weightless = query.weight is not None and left_out < int(rows.sum())
        refuse_nothing("weight is 0 everywhere" if weightless else EVERY_ROW_LACKS)
    if query.model is not None:
        _refuse_empty_models(frame.get_column("m").to_list(), samples, absent["m"])
    frame, samples = frame.filter((samples > 0).tolist()), samples[samples > 0]
    truth, predicted = (_factor(frame, query, column) for column in ("t", name))
    groups, firsts = _combinations([_factor(frame, query, key) for key in query.keys], len(frame))
    in_order = frame.select(*query.keys)[firsts.tolist()] if query.keys else None
    keys: list[Key] = (
        [()] if in_order is None else list(zip(*(in_order[key].to_list() for key in query.keys), strict=True))
    )
    return Pairs(truth, predicted, samples, groups, keys), left_out


def _combinations(factors: Sequence[Factor], length: int) -> tuple[IntArray, IntArray]:
    """Return which combination of values each row has, in order of these, and a row that has each."""
    groups, number = np.zeros(length, dtype=np.int64), 1
    for factor in factors:
        groups = groups * len(factor.values) + factor.codes
        if number > 1:  # else every code occurs
            groups = np.unique(groups, return_inverse=True)[1].reshape(-1).astype(np.int64)
        number = int(groups.max()) + 1
    firsts = np.zeros(number, dtype=np.int64)
    firsts[groups] = np.arange(length)
    return groups, firsts


def _factor(frame: Any, query: TableQuery, column: str) -> Factor:
    name = query.argument(column) if column in query.columns else "by_file"
    return factorise(frame.get_column(column).to_native(), len(frame), name)


def _samples(frame: Any, query: TableQuery, without: BoolArray) -> IntArray:
    """Return how many samples each pair stands for; none where a label is missing."""
    if query.weight is not None:
        samples = whole(frame.get_column("total"))
    else:
        samples = whole(frame.get_column("n"))
        samples = samples - (whole(frame.get_column("missing")) if "missing" in frame.columns else 0)
    return np.where(without, 0, samples)


def _answers_together(table: Table, query: TableQuery, frame: Any) -> tuple[dict[str, Factor], IntArray]:
    """Return the labels of rows that are alike, of each column, and how many rows they are."""
    frame = _typed(table, frame, query.labels)
    without = functools.reduce(or_, [lacking(frame.get_column(name)) for name in query.labels])
    samples = _samples(frame, query, without)
    frame, samples = frame.filter((samples > 0).tolist()), samples[samples > 0]
    return {name: _factor(frame, query, name) for name in query.labels}, samples


def _lacks_label(table: Table, query: TableQuery, nothing: Mapping[str, Sequence[str]]) -> Any:
    """Return where a label of any column or the weight is missing; in text, also where it says nothing."""
    absent = [nw.col(name) == text for name, texts in nothing.items() for text in texts]
    return functools.reduce(or_, [lacks_one(table, query), *absent])


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


def _refuse_empty_models(models: Sequence[Any], samples: IntArray, nameless: BoolArray) -> None:
    """Raise if some models of a long table have no sample left."""
    having = set(itertools.compress(models, samples))
    empty = [name for name in dict.fromkeys(itertools.compress(models, ~nameless)) if name not in having]
    if empty:
        verb = "has" if len(empty) == 1 else "have"
        raise ValueError(
            f"{listed(map(shown, empty), most=3)} {verb} no samples left: every row lacks a value or has "
            "weight 0. Leave out the rows of that model, or fill in its values."
        )
