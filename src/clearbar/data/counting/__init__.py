"""From labels to counts: the one place where samples are looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray
from clearbar.core._value import Value
from clearbar.core.calls import Calls
from clearbar.core.counts import Counts, Population, already_counted, counts_of
from clearbar.data.counting._cells import BITS, Pair, Slices, cells
from clearbar.data.counting._classes import (
    class_sizes_from_labels,
    confusion_matrices,
    confusion_matrix_from_labels,
    read_classes,
    refuse_no_labels,
    settle_classes,
)
from clearbar.data.counting._groups import Factor, factorise, rows_of, seen_column, too_fine
from clearbar.data.counting._host import refuse_apart, to_host
from clearbar.data.counting._label_sets import is_label_sets, read_label_sets
from clearbar.data.counting._matrix import counts_from_matrix
from clearbar.data.counting._predictions import (
    THE_MODEL,
    by_argument,
    columns_of_runs,
    has_fractions,
    predictions_as_mapping,
    read_model_runs,
)
from clearbar.data.counting._scores import read_numbers, read_scores
from clearbar.data.counting._thresholds import counts_at_thresholds, of_one_class, read_truth, tie_groups
from clearbar.data.counting._weights import MOST_SAMPLES, WHOLE_SAMPLES, frequencies
from clearbar.data.labels import (
    Column,
    DeviceColumn,
    Labels,
    explained,
    masked,
    read,
    refuse_empty,
    refuse_other_rows,
    refuse_unequal,
    settle_columns,
)

__all__ = [
    "MOST_SAMPLES",
    "WHOLE_SAMPLES",
    "Factor",
    "Samples",
    "by_argument",
    "class_sizes_from_labels",
    "confusion_matrices",
    "confusion_matrix_from_labels",
    "count",
    "count_many",
    "counts_at_thresholds",
    "counts_from_matrix",
    "factorise",
    "has_fractions",
    "is_label_sets",
    "of_one_class",
    "population_from_labels",
    "predictions_as_mapping",
    "read_classes",
    "read_label_sets",
    "read_model_runs",
    "read_numbers",
    "read_scores",
    "read_truth",
    "refuse_no_labels",
    "rows_of",
    "seen_column",
    "settle_classes",
    "tie_groups",
    "too_fine",
]


MOST_COMPARED = 250_000_000
"""Samples times models up to which it is counted which models call the same samples positive."""


class Samples(NamedTuple):
    """Which samples are positive, and which of them each run of each model calls so."""

    truth: BoolArray
    predicted: BoolArray
    """Of shape (models, runs, samples)."""
    rows: tuple[Any, ...]
    """The samples of each slice, all of them first."""


@dataclass(frozen=True, eq=False)
class CountTable(Value):
    """Counts of many models, slices and runs, each looked at once."""

    models: tuple[str, ...]  # their names; the first axis of ``counts``
    groups: tuple[object, ...]
    counts: Counts  # of shape (models, groups), or (models, groups, runs) if models were run several times
    labels: Labels  # which label is positive
    calls: Calls | None = None  # which models call the same samples positive, where there are several
    samples: Samples | None = None  # what was counted, for several runs or where it is asked for

    @property
    def pos_label(self) -> Any:
        """The label that counts as positive."""
        return self.labels.pos_label


def count(y_true: Any, y_pred: Any, *, pos_label: Any = None, sample_weight: Any = None) -> Counts:
    """Count true and false positives and negatives.

    One pass over the labels, block by block, without a copy. Arrays of other libraries are
    counted on their own device.

    Parameters
    ----------
    y_true, y_pred : array_like
        True and predicted labels: truth values, whole numbers, text or bytes, in an array of any
        library, a list, or a column (categorical or not) of a pandas, polars or pyarrow table.
    pos_label : object, optional
        The label that counts as positive. None means 1 for labels within {0, 1}, {-1, 1} and
        {False, True}; any others must name it.
    sample_weight : array_like of int, optional
        How often each sample occurs: whole numbers from 0 up.

    Returns
    -------
    Counts

    Raises
    ------
    ValueError
        If the labels are not those of two classes, values are missing, lengths differ, there are
        no samples, or the positive label is not known. The message says what to do.

    Examples
    --------
    >>> from clearbar import count
    >>> count([1, 1, 0, 0, 0], [1, 0, 0, 0, 1])
    Counts(tp=1, fp=1, fn=1, tn=2)
    >>> count(["spam", "ham", "ham"], ["spam", "spam", "ham"], pos_label="spam").fp
    1
    """
    truth, prediction = read(y_true, "y_true"), read(y_pred, "y_pred")
    refuse_unequal("y_pred", prediction.length, "y_true", truth.length)
    refuse_apart(truth, prediction)
    refuse_other_rows(y_true, y_pred, "y_pred")
    labels = settle_columns([truth, prediction], pos_label)
    weights = None if sample_weight is None else frequencies(sample_weight, truth.length)
    refuse_other_rows(y_true, sample_weight, "sample_weight")
    with explained([truth, prediction], pos_label):
        counted = cells(truth, labels, prediction, labels, Slices(weights=weights))
    return counts_of(counted[:, 0].tolist())


def population_from_labels(y_true: Any, *, pos_label: Any = None) -> Population:
    """Count samples and positives.

    Parameters
    ----------
    y_true : array_like or Population
        True labels, of any kind that :func:`count` takes; a population is returned as it is.
    pos_label : object, optional
        The label that counts as positive, as in :func:`count`.

    Returns
    -------
    Population

    Raises
    ------
    ValueError
        As in :func:`count`.

    Examples
    --------
    >>> from clearbar import Population
    >>> Population.from_labels([1, 1, 0])
    Population(total=3, positives=2)
    """
    if isinstance(y_true, Population):
        return already_counted(y_true, pos_label)
    truth = read(y_true, "y_true")
    labels = settle_columns([truth], pos_label)
    with explained([truth], pos_label):
        return Population(truth.length, truth.positives(labels))


def count_many(
    y_true: Any,
    predictions: Mapping[str, Any],
    *,
    pos_label: Any = None,
    by: Any = None,
    keep: bool = False,
) -> CountTable:
    """Count many models, slice by slice and run by run; the positive label is settled once."""
    truth = read(y_true, "y_true")
    refuse_empty("y_true", truth.length)
    columns, runs = _read_models(y_true, predictions, truth.length)
    labels = settle_columns([truth], pos_label)
    groups, codes = ((), None) if by is None else factorise(by, truth.length)
    slices = Slices(codes, max(1, len(groups)))
    refuse_other_rows(y_true, by, "by")
    with explained([truth], pos_label):
        positive = masked(truth, labels)
    here = not any(isinstance(column, DeviceColumn) for column in (truth, *columns))
    compared = here and not runs and len(columns) > 1 and len(columns) * truth.length <= MOST_COMPARED
    again = keep or runs > 0 or compared
    settled = [_settled(truth, column, pos_label, again=again) for column in columns]
    counted = []
    for column, known in zip(columns, settled, strict=True):
        with explained([truth, column], pos_label):
            counted.append(cells(positive, BITS, *known, slices))
    shape = (len(predictions), max(1, runs))
    table = np.array(counted).reshape(*shape, 4, slices.number).transpose(2, 0, 3, 1)
    if by is not None:  # cells, models, groups, runs
        table = np.concatenate([table.sum(axis=2, keepdims=True), table], axis=2)
    samples = together = None
    if keep or runs:
        predicted = np.array([_mask(*known) for known in settled]).reshape(*shape, truth.length)
        samples = Samples(_mask(positive, BITS), predicted, rows_of(codes, len(groups)))
    if compared:
        together = Calls.of(_mask(positive, BITS), [_mask(*known) for known in settled])
    counts = counts_of(table if runs else table[..., 0])
    return CountTable(tuple(predictions), (None, *groups), counts, labels, together, samples)


def _read_models(y_true: Any, predictions: Mapping[str, Any], length: int) -> tuple[list[Column], int]:
    """Return the columns of all models, run by run, and how many runs each has; 0 without runs."""
    if not predictions:
        raise ValueError("y_pred holds no model; pass at least one column of predictions.")
    only = list(predictions) == [THE_MODEL]
    named = {"y_pred" if only else f"y_pred[{model!r}]": value for model, value in predictions.items()}
    values, runs = columns_of_runs(named, length)
    columns = [read(value, name) for name, value in values.items()]
    for column in columns:
        refuse_unequal(column.name, column.length, "y_true", length)
    for name, value in named.items():
        refuse_other_rows(y_true, value, name)
    return columns, runs


def _settled(truth: Column, column: Column, pos_label: Any, *, again: bool) -> tuple[Column, Pair]:
    """Return predictions and their labels; as truth values, found only once, where they are read again."""
    refuse_apart(truth, column)
    labels = settle_columns([truth, column], pos_label)
    if not again:
        return column, labels
    with explained([truth, column], pos_label):
        return masked(column, labels), BITS


def _mask(column: Column, pair: Pair) -> BoolArray:
    """Return in this process's memory which samples are called positive."""
    return (to_host(column) if isinstance(column, DeviceColumn) else column).mask(pair)
