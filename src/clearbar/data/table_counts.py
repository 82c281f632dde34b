"""Counts of a table's models, slices and folds, from the few numbers that its engine gives back."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import and_
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np

from clearbar.core._typing import BoolArray, IntArray
from clearbar.core.calls import PairCalls
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.counts import Counts
from clearbar.core.errors import listed, shown
from clearbar.data.arrays import plain
from clearbar.data.classes import Factor, confusion_matrices, resolve_classes
from clearbar.data.labels import parse_label, resolve
from clearbar.data.query import TableQuery
from clearbar.data.table_pairs import (
    EVERY_ROW_LACKS,
    Pairs,
    in_order_of,
    read_pairs,
    read_together,
    refuse_empty_models,
    refuse_nothing,
    refuse_scores,
    tidied,
)
from clearbar.data.tables import (
    IrregularRowsError,
    Table,
    cells,
    is_value,
    opened,
    summed,
    whole,
)

# Combinations of a true class and what each model calls it, up to which they are counted.
MOST_TOGETHER = 1_000_000

Counted = TypeVar("Counted")


@dataclass(frozen=True)
class FrameCounts:
    models: tuple[str, ...]  # their names; the first axis of ``counts``
    keys: tuple[tuple[Any, ...], ...]
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
    models: tuple[str, ...]
    keys: tuple[tuple[Any, ...], ...]  # slices or folds; none where nothing parts the rows
    matrices: tuple[tuple[ConfusionMatrix, ...], ...]  # of each model: the whole, then each key
    left_out: int  # rows that were left out because a value is missing
    together: Together  # what models call the same rows


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
    sums = _sums_of_usual_labels(table, query) or _sums_of_pairs(table, query)
    keys, numbers, total = sums.keys, sums.numbers, sums.numbers["total"]
    if not total.any():
        refuse_nothing("weight is 0 everywhere" if query.weight is not None else EVERY_ROW_LACKS)
    if query.model is not None:
        refuse_empty_models(keys[0], total)
    kept = np.flatnonzero(total)
    if len(kept) < len(total):  # slices without a sample
        numbers = {name: column[kept] for name, column in numbers.items()}
        keys = [list(itertools.compress(column, total)) for column in keys]
    models, parts = query.y_pred, [slice(None)]
    if query.model is not None:
        models, parts = _models_of(keys[0])
        keys = _same_slices(models, parts, keys[1:], numbers)
    stacked = {name: np.stack([column[part] for part in parts]) for name, column in numbers.items()}
    predicted, both = (
        np.concatenate([stacked[f"{letter}{i}"] for i in range(len(query.y_pred))]) for letter in "pb"
    )
    P, M = stacked["t"][:1], stacked["total"][:1]
    counts = Counts(tp=both, fp=predicted - both, fn=P - both, tn=M - P - predicted + both)
    slices = tuple(zip(*keys, strict=True)) if keys else ((),)
    return FrameCounts(models, slices, counts, sums.left_out, sums.calls)


class _Sums(NamedTuple):
    """Whole numbers per combination of keys, in order of these: ``total``, ``t``, ``p0`` ..., ``b0`` ..."""

    keys: list[list[Any]]
    numbers: dict[str, IntArray]
    left_out: int
    calls: PairCalls | None


def _sums_of_usual_labels(table: Table, query: TableQuery) -> _Sums | None:
    """Add up rows in one pass, presuming that labels are 0 and 1 or truth values; None if they are not.

    polars adds up conditions faster than it groups; other engines do not.
    """
    positive = 1 if query.pos_label is None else plain(query.pos_label)
    if query.spelt and query.pos_label is not None:
        positive = {"0": 0, "1": 1}.get(query.pos_label)
    labels = query.labels if query.threshold is None else ("t",)
    kinds = {"text" if name in table.texts else table.kinds[name] for name in labels}
    if table.engine != "polars" or not kinds <= {"boolean", "integer", "float"}:
        return None
    if isinstance(positive, str) or positive not in {0, 1}:
        return None
    values = {name: int(positive) if name in labels else 1 for name in query.labels}
    of_positive = {name: is_value(table, name, value) for name, value in values.items()}
    either = [of_positive[name] | is_value(table, name, 1 - value) for name, value in values.items()]
    frame = summed(table, query, of_positive, functools.reduce(and_, either))
    frame, left_out = tidied(table, query, frame, query.keys)
    frame = in_order_of(frame, query.keys)
    numbers = {name: whole(frame.get_column(name)) for name in frame.columns if name not in query.keys}
    missing = numbers.get("missing", np.zeros(1, np.int64))
    if (numbers["n"] - numbers["known"] - missing).any():
        return None
    numbers.setdefault("total", numbers["known"])
    calls = _pair_calls(numbers, len(query.y_pred)) if query.compared else None
    keys = [frame.get_column(key).to_list() for key in query.keys]
    return _Sums(keys, numbers, left_out + int(missing.sum()), calls)


def _pair_calls(numbers: Mapping[str, Any], models: int) -> PairCalls:
    # Of a model with itself, both call positive what it calls so.
    names = [[f"{min(a, b)}_{max(a, b)}" if a != b else str(a) for b in range(models)] for a in range(models)]
    positives, called = (
        np.array([[int(np.sum(numbers[f"{letter}{name}"])) for name in row] for row in names])
        for letter in "bp"
    )
    return PairCalls(positives, called - positives)


def _sums_of_pairs(table: Table, query: TableQuery) -> _Sums:
    """Add up pairs of labels, whatever these are, once it is resolved which of them is positive."""
    refuse_scores(table, query)
    read = read_pairs(table, query)
    numbers: dict[str, IntArray] = {}
    positive: dict[str, Any] = {}
    for i, (name, pairs) in enumerate(read.of_models.items()):
        parts = [slice(None)] if query.model is None else _models_of(pairs.keys[0])[1]
        masks = []
        for rows in parts:
            positive |= _positive_labels(query, name, pairs, rows)
            labels = (pairs.truth, positive["t"]), (pairs.predicted, positive[name])
            masks.append([_has(factor, label)[rows] for factor, label in labels])
        truth, predicted = np.concatenate(masks, axis=1)
        starts = pairs.starts()
        sums = {"t": truth, f"p{i}": predicted, f"b{i}": truth & predicted, "total": True}
        numbers |= {key: np.add.reduceat(pairs.samples * where, starts) for key, where in sums.items()}
    keys = [[column[start] for start in starts.tolist()] for column in pairs.keys]
    calls = None
    if query.compared:
        factors, samples = read_together(table, query, read.nothing)
        called = {name: _has(factor, positive[name]) for name, factor in factors.items()}
        joint = {name: samples * where for name, where in cells(called, paired=True).items()}
        calls = _pair_calls(joint, len(query.y_pred))
    return _Sums(keys, numbers, read.left_out, calls)


def _positive_labels(query: TableQuery, name: str, pairs: Pairs, rows: slice) -> dict[str, Any]:
    """Return the positive label of the truth and of a model's predictions, in some pairs."""
    tallies = [
        factor._replace(codes=factor.codes[rows]).tally(pairs.samples[rows])
        for factor in (pairs.truth, pairs.predicted)
    ]
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
    refuse_scores(table, query, many_classes=True)
    read = read_pairs(table, query)
    columns = []
    for name, pairs in read.of_models.items():
        columns += [(query.argument("t"), pairs.truth), (query.argument(name), pairs.predicted)]
    classes, codes = resolve_classes(columns, None)
    of_models = [
        pairs._replace(truth=truth, predicted=predicted)
        for pairs, truth, predicted in zip(read.of_models.values(), codes[::2], codes[1::2], strict=True)
    ]
    models = query.y_pred
    if query.model is not None:
        (together,) = of_models
        models, parts = _models_of(together.keys[0])
        of_models = [together.of_model(rows) for rows in parts]
    counted = [_matrices(classes, pairs) for pairs in of_models]
    _refuse_other_matrices(models, counted)
    keys, matrices = counted[0][0], tuple(of_model for _, of_model in counted)
    together_of_models = Together()
    if query.compared and len(classes) ** len(query.labels) <= MOST_TOGETHER:
        factors, samples = read_together(table, query, read.nothing)
        named = [(query.argument(name), factor) for name, factor in factors.items()]
        truth, *called = resolve_classes(named, classes)[1]
        together_of_models = Together(truth, tuple(called), samples)
    return FrameClasses(models, keys, matrices, read.left_out, together_of_models)


def _matrices(
    classes: tuple[Any, ...], pairs: Pairs
) -> tuple[tuple[tuple[Any, ...], ...], tuple[ConfusionMatrix, ...]]:
    """Return the keys of one model, and the matrices of the whole and of each key."""
    truth, predicted, samples, columns = pairs
    if not columns:
        return (), confusion_matrices(classes, truth, predicted, None, 0, samples)
    starts = pairs.starts()
    keys = tuple(tuple(column[start] for column in columns) for start in starts.tolist())
    groups = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(samples))))
    return keys, confusion_matrices(classes, truth, predicted, groups, len(keys), samples)


def _models_of(names: list[Any]) -> tuple[tuple[str, ...], list[slice]]:
    """Return the names of models, and which rows are about each; rows are in order of their model."""
    in_order = np.array(names, dtype=object)
    starts = [0, *(np.flatnonzero(in_order[1:] != in_order[:-1]) + 1).tolist(), len(names)]
    models = [str(names[start]) for start in starts[:-1]]
    (most, times), *_ = Counter(models).most_common(1)
    if times > 1:
        raise ValueError(f"model holds several values that print as {shown(most)}; give each its own name.")
    return tuple(models), [slice(start, stop) for start, stop in itertools.pairwise(starts)]


def _same_slices(
    models: Sequence[str], parts: Sequence[slice], keys: list[list[Any]], numbers: Mapping[str, IntArray]
) -> list[list[Any]]:
    """Return the slices of the first model; raise if another has others, or other samples in them."""
    first = [column[parts[0]] for column in keys]
    for model, part in zip(models, parts, strict=True):
        pair, of_model = (models[0], model), [column[part] for column in keys]
        if of_model != first:
            _refuse_other_slices(pair, list(zip(*first, strict=True)), list(zip(*of_model, strict=True)))
        for what, sizes in {"samples": numbers["total"], "positive samples": numbers["t"]}.items():
            differing = np.flatnonzero(sizes[part] != sizes[parts[0]])
            if len(differing):
                i = int(differing[0])
                pair_of_sizes = sizes[parts[0]][i], sizes[part][i]
                _refuse_other_numbers(pair, pair_of_sizes, what, [column[i] for column in first])
    return first


def _refuse_other_matrices(models: Sequence[str], counted: Sequence[Any]) -> None:
    first_keys, first_matrices = counted[0]
    for model, (keys, matrices) in zip(models[1:], counted[1:], strict=True):
        pair = models[0], model
        if keys != first_keys:
            _refuse_other_slices(pair, list(first_keys), list(keys))
        for key, first, matrix in zip(((), *first_keys), first_matrices, matrices, strict=True):
            differing = np.flatnonzero(first.true_counts != matrix.true_counts)
            if len(differing):
                i = int(differing[0])
                numbers = first.true_counts[i], matrix.true_counts[i]
                _refuse_other_numbers(pair, numbers, f"of class {shown(first.labels[i])}", key)


def _refuse_other_slices(models: tuple[str, str], first: list[Any], second: list[Any]) -> None:
    a, b = map(shown, models)
    for lacking_model, model, keys, others in ((b, a, second, first), (a, b, first, second)):
        alone = set(others) - set(keys)
        if alone:
            where = listed((_shown_key(key) for key in others if key in alone), most=3)
            _refuse_other_samples(f"{lacking_model} has none in {where}, where {model} has some")


def _refuse_other_numbers(models: tuple[str, str], numbers: tuple[Any, Any], what: str, key: Any) -> NoReturn:
    where = f" in {_shown_key(key)}" if key else ""
    a, b = map(shown, models)
    _refuse_other_samples(f"{a} has {numbers[0]:,} {what}{where} and {b} has {numbers[1]:,}")


def _refuse_other_samples(difference: str) -> NoReturn:
    raise ValueError(
        f"all models must be judged on the same samples; {difference}. Give every model the same rows, or "
        "judge them in separate calls."
    )


def _shown_key(key: Any) -> str:
    return shown(key[0]) if len(key) == 1 else shown(tuple(key))
