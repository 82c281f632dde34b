"""Counts of a table's models, slices and folds, from the combinations of labels that its engine counts."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from operator import or_
from typing import Any, NamedTuple, TypeVar

import narwhals as nw
import numpy as np

from clearbar.core._typing import BoolArray, IntArray
from clearbar.core._value import LARGEST_TOTAL
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.counts import Counts, PairCalls
from clearbar.core.errors import listed, shown
from clearbar.data.arrays import Factor, factorise, is_missing, plain
from clearbar.data.classes import confusion_matrices, resolve_classes
from clearbar.data.counting import MOST_SAMPLES, WHOLE_SAMPLES
from clearbar.data.labels import (
    MOST_LABELS,
    Labels,
    Tally,
    class_names,
    kind_of,
    parse_label,
    refuse_fractions,
    refuse_no_labels,
    resolve,
    tallied,
    tally_of,
)
from clearbar.data.polars_engine import imported, meanings, typed
from clearbar.data.query import TableQuery
from clearbar.data.tables import (
    EVERY_ROW_LACKS,
    IrregularRowsError,
    Table,
    grouped,
    lacking,
    lacks_one,
    opened,
    refuse_missing_in,
    refuse_nothing,
    refuse_rowless,
    whole,
)

FIRST = 1000  # rows in which predictions show whether they are scores

# Combinations of a true class and what each model calls it, up to which they are counted.
MOST_TOGETHER = 1_000_000

Counted = TypeVar("Counted")
Key = tuple[Any, ...]


class FrameCounts(NamedTuple):
    """What a table of two classes holds, as far as any verdict needs to know."""

    models: tuple[str, ...]  # their names; the first axis of ``counts``
    keys: tuple[Key, ...]
    counts: Counts  # of shape (models, keys)
    left_out: int = 0  # rows that were left out because a value is missing
    calls: PairCalls | None = None  # which models call the same rows positive


class FrameClasses(NamedTuple):
    """What a table of many classes holds, as far as any verdict needs to know."""

    models: tuple[str, ...]
    keys: tuple[Key, ...]  # slices or folds; none where nothing parts the rows
    matrices: tuple[tuple[ConfusionMatrix, ...], ...]  # of each model: the whole, then each key
    left_out: int  # rows that were left out because a value is missing
    together: dict[str, Any]  # true class, what each model calls it, and how many rows are alike in these


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
            yield query.columns[column], self
            return
        start, names = 0, set()
        for model, keys in itertools.groupby(self.keys, key=lambda key: key[0]):
            of_model = [key[1:] for key in keys]
            rows = np.flatnonzero((self.groups >= start) & (self.groups < start + len(of_model)))
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
            start += len(of_model)


class Read(NamedTuple):
    """What was counted of a table."""

    pairs: dict[str, Pairs]  # of each column of predictions
    left_out: int  # rows without a value
    labels: dict[str, Factor]  # where models are compared, those of rows that are alike in all of them
    times: IntArray | None  # how many rows these are


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
    pairs, left_out, labels, times = _read(table, query)
    models, keys, numbers = [], [], []
    positive: dict[str, Any] = {}
    for column, of_column in pairs.items():
        for model, of_model in of_column.of_models(column, query):
            both_labels = _labels(query, column, of_model)
            positive["t"] = both_labels.pos_label
            positive[column] = both_labels.pos_label if query.threshold is None else 1
            truth, predicted = _has(of_model.truth, positive["t"]), _has(of_model.predicted, positive[column])
            sums = [
                np.bincount(
                    of_model.groups, of_model.samples * where, len(of_model.keys)
                )  # exact up to 2**53
                for where in (np.ones_like(truth), truth, predicted, truth & predicted)
            ]
            models.append(model)
            keys.append(of_model.keys)
            numbers.append(np.array(sums).astype(np.int64))
    _refuse_other_samples(models, keys, [sums[:2] for sums in numbers], ("samples", "positive samples"))
    M, P, predicted, both = np.stack(numbers, axis=1)
    counts = Counts(tp=both, fp=predicted - both, fn=P - both, tn=M - P - predicted + both)
    counts = counts.called(class_names(both_labels))
    calls = None
    if times is not None:
        truth, *called = (_has(factor, positive[name]) for name, factor in labels.items())
        of_models = np.array(called)
        calls = PairCalls(*((of_models * (times * where)) @ of_models.T for where in (truth, ~truth)))
    return FrameCounts(tuple(models), tuple(keys[0]), counts, left_out, calls)


def _labels(query: TableQuery, name: str, pairs: Pairs) -> Labels:
    """Return the positive and the negative label of the truth and of a model's predictions."""
    tallies = [tally_of(factor, pairs.samples) for factor in (pairs.truth, pairs.predicted)]
    if query.threshold is not None:
        tallies = tallies[:1]
    wanted = query.pos_label
    if query.spelt and wanted is not None:
        occurring = dict.fromkeys(label for tally in tallies for label in tally.counts)
        wanted = parse_label(wanted, sorted(occurring, key=str))
    names = [query.argument(column) for column in ("t", name)]
    return resolve(*tallies, pos_label=wanted, names=names)


def _has(factor: Factor, label: Any) -> BoolArray:
    return np.array([plain(value) == label for value in factor.values], dtype=bool)[factor.codes]


def _count_classes(table: Table, query: TableQuery) -> FrameClasses:
    _refuse_scores(table, query, many_classes=True)
    pairs, left_out, labels, times = _read(table, query)
    columns = []
    for column, of_column in pairs.items():
        columns += [(query.argument("t"), of_column.truth), (query.argument(column), of_column.predicted)]
    classes, codes = resolve_classes(columns, None)
    numbered = iter(Factor(classes, of_column) for of_column in codes)
    models, keys, matrices = [], [], []
    is_parted = len(query.keys) > (query.model is not None)
    for column, of_column in pairs.items():
        coded = of_column._replace(truth=next(numbered), predicted=next(numbered))
        for model, of_model in coded.of_models(column, query):
            groups, number = (of_model.groups, len(of_model.keys)) if is_parted else (None, 0)
            truth, predicted = of_model.truth.codes, of_model.predicted.codes
            models.append(model)
            keys.append(of_model.keys)
            matrices.append(confusion_matrices(classes, truth, predicted, groups, number, of_model.samples))
    sizes = [np.array([matrix.true_counts for matrix in several[is_parted:]]).T for several in matrices]
    _refuse_other_samples(models, keys, sizes, [f"of class {shown(label)}" for label in classes])
    together = {}
    if times is not None and len(classes) ** len(query.labels) <= MOST_TOGETHER:
        named = [(query.argument(name), factor) for name, factor in labels.items()]
        truth, *called = resolve_classes(named, classes)[1]
        together = {"truth": truth, "predicted": tuple(called), "times": times}
    groups_of_rows = tuple(keys[0]) if is_parted else ()
    return FrameClasses(tuple(models), groups_of_rows, tuple(matrices), left_out, together)


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
        frame = _typed(table, grouped(table, (truth, name), first=FIRST), (truth, name))
        tallies = []
        for column in (truth, name):
            values = frame.get_column(column).to_list()
            labels = [plain(value) for value in values if not is_missing(value)]
            tallies.append(Tally(Counter(map(tallied, labels))))
        label_counts = tallies[1].counts
        if many_classes and label_counts:
            refuse_no_labels(query.argument(name), tallies[1])
            refuse_fractions(query.argument(name), tallies[1])
        elif len(label_counts) > MOST_LABELS and all(kind_of(label) == "numbers" for label in label_counts):
            tallies[1] = tallies[1]._replace(complete=False)
            resolve(*tallies, pos_label=query.pos_label, names=[query.argument(c) for c in (truth, name)])


def _read(table: Table, query: TableQuery) -> Read:
    """Count how often each label of the truth stands beside each of the predictions, of every column."""
    predictions = query.models
    if query.compared:  # read once for all models
        frame, left_out = _complete(table, query, _rows(table, query.labels), query.labels)
        labels = {name: _factor(frame, query, name) for name in query.labels}
        of_columns = {name: frame.group_by("t", name).agg(nw.col("n").sum()) for name in predictions}
        pairs = {name: _pairs(query, name, of_column) for name, of_column in of_columns.items()}
        return Read(pairs, left_out, labels, whole(frame.get_column("n")))
    others = (*query.keys, *(() if query.weight is None else ("w",)))
    names = {name: ("t", name, *others) for name in predictions}
    frames = {name: _rows(table, of_column) for name, of_column in names.items()}
    rows = int(whole(frames["p0"].get_column("n")).sum())
    incomplete = _incomplete(table, query, frames) if len(names) > 1 and query.nulls == "drop" else None
    if incomplete is not None:  # a row is left out for all models
        frames = {name: grouped(table, of_column, where=~incomplete) for name, of_column in names.items()}
    pairs, left_out = {}, 0
    for name, frame in frames.items():
        complete, lost = _complete(table, query, frame, names[name])
        pairs[name] = _pairs(query, name, complete)
        left_out = lost if incomplete is None else rows - int(whole(complete.get_column("n")).sum())
    return Read(pairs, left_out, {}, None)


def _rows(table: Table, columns: Sequence[str]) -> Any:
    """Count the rows of each combination of values of some columns; raise if there are none."""
    frame = grouped(table, columns)
    if not len(frame):
        refuse_rowless(table)
    return frame


def _incomplete(table: Table, query: TableQuery, frames: dict[str, Any]) -> Any:
    """Return where a label of any column or a weight is missing, in text also where it says nothing."""
    absent = [lacks_one(table, (*query.labels, *(() if query.weight is None else ("w",))))]
    for name in query.labels:
        if name in table.texts:
            texts = frames["p0" if name == "t" else name].get_column(name).unique().to_list()
            meant = meanings(texts)
            absent += [nw.col(name) == text for text in texts if text is not None and meant[text] is None]
    return functools.reduce(or_, absent)


def _complete(table: Table, query: TableQuery, frame: Any, columns: Sequence[str]) -> tuple[Any, int]:
    """Return combinations without those that lack a value, and how many rows these are."""
    frame = _typed(table, frame, columns)
    rows = whole(frame.get_column("n"))
    absent = {column: lacking(frame.get_column(column)) for column in columns}
    for column in columns if query.nulls == "raise" else ():
        refuse_missing_in(query, column, int(rows[absent[column]].sum()))
    without = functools.reduce(or_, absent.values())
    if without.all():
        refuse_nothing(EVERY_ROW_LACKS)
    if query.model is not None:
        names = frame.get_column("m").to_list()
        _refuse_empty_models(itertools.compress(names, ~absent["m"]), itertools.compress(names, ~without))
    return (frame.filter((~without).tolist()) if without.any() else frame), int(rows[without].sum())


def _pairs(query: TableQuery, name: str, frame: Any) -> Pairs:
    """Return the pairs of labels in a column, with their samples."""
    samples = whole(frame.get_column("n"))
    if query.weight is not None:
        samples = _weighed(query, frame.get_column("w"), samples)
        if query.model is not None:
            names = frame.get_column("m").to_list()
            _refuse_empty_models(names, itertools.compress(names, samples))
        frame, samples = frame.filter((samples > 0).tolist()), samples[samples > 0]
    truth, predicted = (_factor(frame, query, column) for column in ("t", name))
    groups, number = np.zeros(len(frame), dtype=np.int64), 1
    for factor in (_factor(frame, query, key) for key in query.keys):
        groups = groups * len(factor.values) + factor.codes
        if number > 1:  # else every code occurs
            groups = np.unique(groups, return_inverse=True)[1].reshape(-1).astype(np.int64)
        number = int(groups.max()) + 1
    if not query.keys:
        return Pairs(truth, predicted, samples, groups, [()])
    firsts = np.zeros(number, dtype=np.int64)  # a row of each combination of keys
    firsts[groups] = np.arange(len(frame))
    in_order = frame.select(*query.keys)[firsts.tolist()]
    keys = list(zip(*(in_order.get_column(key).to_list() for key in query.keys), strict=True))
    return Pairs(truth, predicted, samples, groups, keys)


def _factor(frame: Any, query: TableQuery, column: str) -> Factor:
    name = query.argument(column) if column in query.columns else "by_file"
    return factorise(frame.get_column(column).to_native(), len(frame), name)


def _weighed(query: TableQuery, column: Any, rows: IntArray) -> IntArray:
    """Return how many samples rows of each weight are, or say why they cannot be."""
    weights = np.asarray(column.to_numpy(), dtype=np.float64)
    wrong = ~(weights >= 0) | (weights != np.floor(weights))
    if wrong.any():
        number, weight = int(rows[wrong].sum()), column.to_list()[int(np.argmax(wrong))]
        raise ValueError(
            f"{query.called('w')} must hold whole numbers from 0 up, how often each row occurs; found "
            f"{shown(weight)}{f' and {number - 1:,} more' if number > 1 else ''}. {WHOLE_SAMPLES}"
        )
    if weights.max() > LARGEST_TOTAL:
        weight = shown(column.to_list()[int(np.argmax(weights))])
        raise ValueError(f"{query.called('w')} has a row that occurs {weight} times; it {MOST_SAMPLES}")
    total = float(weights @ rows)  # known before 64 bits are added up, which may overflow
    if total > LARGEST_TOTAL:
        raise ValueError(f"weight adds up to {total:.3g} samples; it {MOST_SAMPLES}")
    if total == 0:
        refuse_nothing("weight is 0 everywhere")
    return weights.astype(np.int64) * rows


def _typed(table: Table, frame: Any, columns: Sequence[str]) -> Any:
    """Return counts by columns of text by what the text stands for; several texts may stand for the same."""
    texts = [name for name in columns if name in table.texts]
    if not texts or not len(frame):
        return frame
    pl, native = imported(), frame.to_native()
    native = native.with_columns(typed(native[name].fill_null("")).alias(name) for name in texts)
    return nw.from_native(native.group_by(list(columns)).agg(pl.col("n").sum()))


def _refuse_empty_models(models: Iterator[Any] | Sequence[Any], having: Iterator[Any]) -> None:
    """Raise if some models of a long table have no sample left."""
    left = set(having)
    empty = [name for name in dict.fromkeys(models) if name not in left]
    if empty:
        verb = "has" if len(empty) == 1 else "have"
        raise ValueError(
            f"{listed(map(shown, empty), most=3)} {verb} no samples left: every row lacks a value or has "
            "weight 0. Leave out the rows of that model, or fill in its values."
        )
