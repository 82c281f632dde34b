"""Confusion matrices of many classes, from how often samples of each class are called each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import IntArray
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.errors import shown
from clearbar.data.classes import confusion_matrices, refuse_no_labels, resolve_classes
from clearbar.data.groups import Factor, factorise
from clearbar.data.labels import is_missing
from clearbar.data.tables._ask import Ask
from clearbar.data.tables._assembled import (
    parted,
    refuse_empty_models,
    refuse_other_numbers,
    refuse_other_slices,
)
from clearbar.data.tables._counted import in_order, read_texts, settled_on, tidied, whole
from clearbar.data.tables._labels import meanings
from clearbar.data.tables._query import combined, lacking, paired, tallied
from clearbar.data.tables._settle import EVERY_ROW_LACKS, FIRST, refuse_missing_in, refuse_nothing
from clearbar.data.tables._tables import Table, opened

MOST_TOGETHER = 1_000_000
"""Combinations of a true class and what each model calls it, up to which they are counted."""


class Together(NamedTuple):
    """Combinations of a true class and what each model calls it, if these are few; how often each occurs."""

    truth: IntArray | None = None
    predicted: tuple[IntArray, ...] = ()
    times: IntArray | None = None


@dataclass(frozen=True)
class FrameClasses:
    """What a table of many classes holds, as far as any verdict needs to know."""

    models: tuple[str, ...]
    keys: tuple[tuple[Any, ...], ...]  # slices or folds; none where nothing parts the rows
    matrices: tuple[tuple[ConfusionMatrix, ...], ...]  # of each model: the whole, then each key
    left_out: int  # rows that were left out because a value is missing
    together: Together  # what models call the same rows


class Pairs(NamedTuple):
    """How often samples of one class are called another, by one model or all of a long table."""

    truth: Any  # labels and which of them each pair has; later the numbers of the classes
    called: Any
    samples: IntArray
    keys: list[list[Any]]  # columns of what parts the pairs, which are in order of it

    def part(self, rows: slice) -> Pairs:
        """Return the pairs of one model, whose name is the first key."""
        own = self.truth[rows], self.called[rows], self.samples[rows]
        return Pairs(*own, [column[rows] for column in self.keys[1:]])


def count_classes(frame: Any, ask: Ask) -> FrameClasses:
    """Count the confusion matrices of a table's models and slices, of any number of classes."""
    return settled_on(opened(frame, ask), lambda table: _counted(table, ask))


def _counted(table: Table, ask: Ask) -> FrameClasses:
    _refuse_scores(table, ask)
    frames = {name: paired(table, ask, name, {}) for name in ask.labels[1:]}
    nothing = _nothing(table, frames)
    if nothing and ask.nulls == "drop" and len(frames) > 1:  # a row is left out for all models
        frames = {name: paired(table, ask, name, nothing) for name in frames}
    read = [_pairs(table, ask, name, frame) for name, frame in frames.items()]
    columns = []
    for name, (pairs, _) in zip(frames, read, strict=True):
        columns += [(ask.argument("t"), pairs.truth), (ask.argument(name), pairs.called)]
    known, codes = resolve_classes(columns, None)
    of_models = [
        pairs._replace(truth=truth, called=called)
        for (pairs, _), truth, called in zip(read, codes[::2], codes[1::2], strict=True)
    ]
    models = ask.y_pred
    if ask.model is not None:
        models, parts = parted(of_models[0].keys[0])
        of_models = [of_models[0].part(rows) for rows in parts]
    counted = [_matrices(known, pairs) for pairs in of_models]
    _refuse_other_samples(models, counted)
    keys, matrices = counted[0][0], tuple(own for _, own in counted)
    return FrameClasses(models, keys, matrices, read[0][1], _together(table, ask, known, nothing))


def _together(
    table: Table, ask: Ask, known: tuple[Any, ...], nothing: Mapping[str, Sequence[str]]
) -> Together:
    """Count which classes models call the same rows, where there cannot be too many combinations."""
    if not ask.compared or len(known) ** len(ask.labels) > MOST_TOGETHER:
        return Together()
    texts = [name for name in ask.labels if name in table.texts]
    frame = read_texts(combined(table, ask, nothing), texts, ask.labels)
    samples = _samples(frame, ask)
    for name in ask.labels:
        samples[lacking(frame.get_column(name))] = 0
    frame, samples = frame.filter((samples > 0).tolist()), samples[samples > 0]
    columns = [(ask.argument(name), _numbered(frame, name, ask.argument(name))) for name in ask.labels]
    truth, *called = resolve_classes(columns, known)[1]
    return Together(truth, tuple(called), samples)


def _refuse_scores(table: Table, ask: Ask) -> None:
    """Raise if the first predictions are fractions, of which a table may hold as many as rows."""
    for name in ask.labels[1:]:
        if table.files is not None or table.kinds[name] == "float":
            values = [row[name] for row in tallied(table, ask, (name,), first=FIRST)]
            if name in table.texts:
                values = list(meanings(values).values())
            refuse_no_labels(ask.argument(name), [value for value in values if not is_missing(value)])


def _nothing(table: Table, frames: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return for columns of text which of it stands for no label."""
    columns = {name: frame.get_column("p") for name, frame in frames.items()}
    columns["t"] = next(iter(frames.values())).get_column("t")
    nothing = {}
    for name, column in columns.items():
        if name in table.texts:
            texts = meanings(column.unique().to_list())
            nothing[name] = [text for text, meant in texts.items() if meant is None and text is not None]
    return {name: texts for name, texts in nothing.items() if texts}


def _pairs(table: Table, ask: Ask, name: str, frame: Any) -> tuple[Pairs, int]:
    """Return the pairs of labels of one column, in the order of the keys; and how many rows were left out."""
    columns = {"t": "t", "p": name}
    frame, left_out = tidied(table, ask, frame, columns | {key: key for key in ask.keys})
    rows, missing = (whole(frame.get_column(column)) for column in ("n", "missing"))
    absent = {ours: lacking(frame.get_column(ours)) for ours in columns}
    for ours, column in columns.items() if ask.nulls == "raise" else ():
        refuse_missing_in(ask, column, int(rows[absent[ours]].sum()))
    samples = _samples(frame, ask)
    samples[absent["t"] | absent["p"]] = 0
    left_out += int(np.where(absent["t"] | absent["p"], rows, missing).sum())
    if not samples.any():
        weightless = ask.weight is not None and left_out < int(rows.sum())
        refuse_nothing("weight is 0 everywhere" if weightless else EVERY_ROW_LACKS)
    if ask.model is not None:
        refuse_empty_models(frame.get_column("m").to_list(), samples)
    frame = in_order(frame.filter((samples > 0).tolist()), ask.keys)
    truth, called = (_numbered(frame, ours, ask.argument(column)) for ours, column in columns.items())
    keys = [frame.get_column(key).to_list() for key in ask.keys]
    return Pairs(truth, called, _samples(frame, ask), keys), left_out


def _numbered(frame: Any, column: str, argument: str) -> Factor:
    return factorise(frame.get_column(column).to_native(), len(frame), argument)


def _samples(frame: Any, ask: Ask) -> IntArray:
    if ask.weight is not None:
        return whole(frame.get_column("total")).copy()
    return np.asarray(whole(frame.get_column("n")) - whole(frame.get_column("missing")))


def _matrices(
    known: tuple[Any, ...], pairs: Pairs
) -> tuple[tuple[tuple[Any, ...], ...], tuple[ConfusionMatrix, ...]]:
    """Return the keys of one model, and the matrices of the whole and of each key."""
    truth, called, samples, columns = pairs
    if not columns:
        return (), confusion_matrices(known, truth, called, None, 0, samples)
    new = np.zeros(len(samples), dtype=bool)
    new[0] = True
    for column in columns:
        values = np.empty(len(column), dtype=object)
        values[:] = column
        new[1:] |= values[1:] != values[:-1]
    starts = np.flatnonzero(new).tolist()
    keys = tuple(tuple(column[at] for column in columns) for at in starts)
    return keys, confusion_matrices(known, truth, called, np.cumsum(new) - 1, len(keys), samples)


def _refuse_other_samples(models: Sequence[str], counted: Sequence[Any]) -> None:
    """Raise if one model is judged on other samples than the first."""
    first_keys, first_matrices = counted[0]
    for model, (keys, matrices) in zip(models[1:], counted[1:], strict=True):
        pair = models[0], model
        if keys != first_keys:
            refuse_other_slices(pair, list(first_keys), list(keys))
        for key, first, own in zip(((), *first_keys), first_matrices, matrices, strict=True):
            differing = np.flatnonzero(first.true_counts != own.true_counts)
            if len(differing):
                at = int(differing[0])
                numbers = first.true_counts[at], own.true_counts[at]
                refuse_other_numbers(pair, numbers, f"of class {shown(first.labels[at])}", key)
