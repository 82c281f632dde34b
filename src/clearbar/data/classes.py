"""From labels of many classes to confusion matrices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from clearbar.core._typing import IntArray
from clearbar.core.classes import ClassSizes, ConfusionMatrix
from clearbar.core.errors import ArgumentError, in_given_order, listed, shown
from clearbar.data.columns import blocks, read, refuse_other_rows
from clearbar.data.groups import Factor, factorise
from clearbar.data.labels import is_whole, kind_of, plain
from clearbar.data.predictions import columns_of_runs
from clearbar.data.refusals import refuse_empty

MOST_CELLS = 2**20
"""Cells up to which all are counted, whether they occur or not."""


def read_classes(
    y_true: Any,
    predictions: Mapping[str, Any],
    labels: Iterable[Any] | None,
    *,
    as_numbers: bool = True,
) -> tuple[tuple[Any, ...], IntArray, dict[str, IntArray]]:
    """Return the classes, and the positions among them of the samples, true and predicted, by argument.

    Text that is numbers stands in their order, "2" before "10", unless `as_numbers` is False.
    """
    length = read(y_true, "y_true").length
    refuse_empty("y_true", length)
    columns = {"y_true": factorise(y_true, length, "y_true")}
    for name, value in predictions.items():
        columns[name] = factorise(value, length, name)
        refuse_other_rows(y_true, value, name)
    classes, codes = resolve_classes(list(columns.items()), labels, as_numbers=as_numbers)
    return classes, codes[0], dict(zip(predictions, codes[1:], strict=True))


def read_model_runs(y_true: Any, named: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """Return the columns of all runs of n true labels by their arguments, and how many each model has."""
    return columns_of_runs(named, read(y_true, "y_true").length)


def resolve_classes(
    columns: Sequence[tuple[str, Factor]], labels: Iterable[Any] | None, *, as_numbers: bool = True
) -> tuple[tuple[Any, ...], list[IntArray]]:
    """Return the classes, and the positions among them of each column, by its argument; the truth first."""
    names = [name for name, _ in columns]
    values = [tuple(map(plain, factor.values)) for _, factor in columns]
    kind = kind_of(values[0][0])
    for name, distinct in zip(names, values, strict=True):
        refuse_no_labels(name, distinct)
        if kind_of(distinct[0]) != kind:
            raise ValueError(
                f"{names[0]} holds {kind} but {name} holds {kind_of(distinct[0])}; use one kind of labels."
            )
    if labels is None:
        classes = _all_labels(values, as_numbers=as_numbers)
    else:
        classes = tuple(map(plain, in_given_order("labels", labels)))
    place = {label: position for position, label in enumerate(classes)}
    if len(place) != len(classes) or not classes:
        raise ValueError(f"labels must name each class once; found {shown(classes)}.")
    for name, distinct in zip(names, values, strict=True):
        lacking = [shown(label) for label in distinct if label not in place]
        if lacking:
            raise ValueError(
                f"labels lacks {listed(lacking, most=6)}, which {name} holds; name every class that occurs."
            )
    return classes, [
        np.array([place[label] for label in distinct], dtype=np.int64)[factor.codes]
        for distinct, (_, factor) in zip(values, columns, strict=True)
    ]


def _all_labels(columns: Sequence[tuple[Any, ...]], *, as_numbers: bool) -> tuple[Any, ...]:
    """Return all labels: in a categorical type's own order where it has them all, else sorted."""
    distinct = {label for labels in columns for label in labels}
    alphabetical = sorted(distinct)
    if distinct == set(columns[0]) and list(columns[0]) != alphabetical:
        return columns[0]
    if as_numbers and all(isinstance(label, str) for label in alphabetical):
        try:  # text by the numbers that it is, if all of it is: in the alphabet "10" stands before "2"
            numbers = list(map(float, alphabetical))
        except ValueError:
            return tuple(alphabetical)
        if np.isfinite(numbers).all():
            return tuple(label for _, label in sorted(zip(numbers, alphabetical, strict=True)))
    return tuple(alphabetical)


def refuse_no_labels(name: str, labels: Sequence[Any]) -> None:
    """Raise if values are no labels, or of several kinds."""
    kinds = {kind_of(label) for label in labels}
    if None in kinds:
        strange = next(label for label in labels if kind_of(label) is None)
        raise ValueError(f"{name} holds {type(strange).__name__} values; labels are whole numbers or text.")
    if len(kinds) > 1:
        raise ValueError(f"{name} mixes {listed(sorted(map(str, kinds)))}; turn all labels into one kind.")
    fractions = [label for label in labels if kind_of(label) == "numbers" and not is_whole(label)]
    if fractions:
        raise ArgumentError(
            name,
            f" holds {fractions[0]}, which is not a label: labels are whole numbers or text. ",
            "Numbers are judged by evaluate_regression.",
            "numbers",
        )


def confusion_matrices(
    labels: tuple[Any, ...],
    truth: IntArray,
    predicted: IntArray,
    groups: IntArray | None,
    number: int,
    samples: IntArray | None = None,
) -> tuple[ConfusionMatrix, ...]:
    """Count all samples together, then each group; with `samples`, a pair of labels stands for that many."""
    classes = len(labels)
    key = truth * classes + predicted
    if groups is None:
        cells, counts = _counted(key, classes**2, samples)
        return (ConfusionMatrix.of(labels, *np.divmod(cells, classes), counts),)
    cells, counts = _counted(groups * classes**2 + key, number * classes**2, samples)
    of_group, cell = np.divmod(cells, classes**2)
    ends = np.searchsorted(of_group, np.arange(number + 1))
    return tuple(
        ConfusionMatrix.of(labels, *np.divmod(cell[rows], classes), counts[rows])
        for rows in (slice(None), *(slice(start, stop) for start, stop in pairwise(ends)))
    )


def _counted(key: IntArray, room: int, samples: IntArray | None) -> tuple[IntArray, IntArray]:
    """Return the cells that occur, and how many samples are in each."""
    if samples is None and room <= MOST_CELLS:
        counts = np.bincount(key, minlength=room)
        cells = np.flatnonzero(counts)
        return cells, counts[cells]
    if samples is None:
        return np.unique(key, return_counts=True)
    cells, places = np.unique(key, return_inverse=True)
    counts = np.zeros(len(cells), dtype=np.int64)
    np.add.at(counts, places.reshape(-1), samples)  # `bincount` would add up in floats
    return cells, counts


def class_sizes_from_labels(y_true: Any, *, labels: Iterable[Any] | None = None) -> ClassSizes:
    """Count the samples of each class.

    Parameters
    ----------
    y_true : array_like of shape (M,)
        True labels.
    labels : sequence, optional
        The classes, those that do not occur included; by default those that occur, sorted; text that
        is numbers by these.

    Returns
    -------
    ClassSizes

    Raises
    ------
    ValueError
        If there is no label, one is missing, or `labels` lacks one of them.

    Examples
    --------
    >>> import clearbar as cb
    >>> cb.ClassSizes.from_labels(["cat", "dog", "cat"])
    ClassSizes(cat: 2 and dog: 1)
    """
    classes, truth, _ = read_classes(y_true, {}, labels)
    return ClassSizes.of(classes, np.bincount(truth, minlength=len(classes)))


def confusion_matrix_from_labels(
    y_true: Any, y_pred: Any, *, labels: Iterable[Any] | None = None
) -> ConfusionMatrix:
    """Count how often samples of each class were called each class.

    Parameters
    ----------
    y_true, y_pred : array_like of shape (M,)
        True and predicted labels.
    labels : sequence, optional
        The classes; by default those that occur in either, sorted; text that is numbers by these (in
        scikit-learn "10" stands before "2").

    Returns
    -------
    ConfusionMatrix

    Raises
    ------
    ValueError
        If lengths differ, a label is missing, or `labels` lacks one.

    Examples
    --------
    >>> import clearbar as cb
    >>> cb.ConfusionMatrix.from_labels(["a", "b", "c", "c"], ["a", "b", "c", "a"])
    ConfusionMatrix(3 classes, 3 of 4 samples right)
    """
    if labels is None:
        counted = _matrix_of_whole_numbers(y_true, y_pred)
        if counted is not None:
            return counted
    classes, truth, codes = read_classes(y_true, {"y_pred": y_pred}, labels)
    return confusion_matrices(classes, truth, codes["y_pred"], None, 0)[0]


def _matrix_of_whole_numbers(*columns: Any) -> ConfusionMatrix | None:
    """Count labels that are whole numbers of a small range, without looking for them; None of any others."""
    if not all(isinstance(column, np.ndarray) and column.dtype.kind in "iu" for column in columns):
        return None
    size = columns[0].size
    if not size or {array.shape for array in columns} != {(size,)}:
        return None
    low, high = min(int(array.min()) for array in columns), max(int(array.max()) for array in columns)
    width = high - low + 1
    if width**2 > min(MOST_CELLS, max(4 * size, 2**14)) or low < -(2**62) or high >= 2**62:
        return None
    cells = np.zeros(width**2, dtype=np.int64)
    for rows in blocks(size):
        truth, predicted = (array[rows].astype(np.int64, copy=False) for array in columns)
        cells += np.bincount((truth - low) * width + (predicted - low), minlength=width**2)
    matrix = cells.reshape(width, width)
    present = np.flatnonzero(matrix.any(axis=0) | matrix.any(axis=1))
    return ConfusionMatrix(matrix[np.ix_(present, present)], labels=tuple((present + low).tolist()))
