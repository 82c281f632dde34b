"""From labels of many classes to confusion matrices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from clearbar.core._typing import IntArray
from clearbar.core.classes import ClassSizes, ConfusionMatrix
from clearbar.core.errors import ArgumentError, in_given_order, listed, shown
from clearbar.data.counting._groups import Factor, factorise
from clearbar.data.labels import is_whole, kind_of, plain, read, refuse_empty, refuse_other_rows

BLOCK = 2**18
"""Samples that are counted at once, so that what is made on the way stays in cache."""

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
    known, codes = settle_classes(list(columns.items()), labels, as_numbers=as_numbers)
    return known, codes[0], dict(zip(predictions, codes[1:], strict=True))


def settle_classes(
    columns: Sequence[tuple[str, Factor]], labels: Iterable[Any] | None, *, as_numbers: bool = True
) -> tuple[tuple[Any, ...], list[IntArray]]:
    """Return the classes, and the positions among them of each column, by its argument; the truth first."""
    names = [name for name, _ in columns]
    values = [tuple(map(plain, factor.values)) for _, factor in columns]
    kind = kind_of(values[0][0])
    for name, own in zip(names, values, strict=True):
        refuse_no_labels(name, own)
        if kind_of(own[0]) != kind:
            raise ValueError(
                f"{names[0]} holds {kind} but {name} holds {kind_of(own[0])}; use one kind of labels."
            )
    if labels is None:
        classes = _union(values, as_numbers=as_numbers)
    else:
        classes = tuple(map(plain, in_given_order("labels", labels)))
    place = {label: at for at, label in enumerate(classes)}
    if len(place) != len(classes) or not classes:
        raise ValueError(f"labels must name each class once; found {shown(classes)}.")
    for name, own in zip(names, values, strict=True):
        lacking = [shown(label) for label in own if label not in place]
        if lacking:
            raise ValueError(
                f"labels lacks {listed(lacking, most=6)}, which {name} holds; name every class that occurs."
            )
    return classes, [
        np.array([place[label] for label in own], dtype=np.int64)[factor.codes]
        for own, (_, factor) in zip(values, columns, strict=True)
    ]


def _union(columns: Sequence[tuple[Any, ...]], *, as_numbers: bool) -> tuple[Any, ...]:
    """Return all labels: in a categorical type's own order where it has them all, else sorted."""
    distinct = {label for labels in columns for label in labels}
    alphabetical = sorted(distinct)
    if distinct == set(columns[0]) and list(columns[0]) != alphabetical:
        return columns[0]
    return tuple(_by_number(alphabetical) if as_numbers else alphabetical)


def _by_number(labels: list[Any]) -> list[Any]:
    """Sort text by the numbers that it is, if all of it is: in the alphabet "10" stands before "2"."""
    if not all(isinstance(label, str) for label in labels):
        return labels
    try:
        numbers = [float(label) for label in labels]
    except ValueError:
        return labels
    return (
        [label for _, label in sorted(zip(numbers, labels, strict=True))]
        if np.isfinite(numbers).all()
        else labels
    )


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


def _whole_numbers(
    y_true: Any, y_pred: Any, labels: Iterable[Any] | None
) -> tuple[tuple[Any, ...], IntArray] | None:
    """Return classes and cells of labels that are whole numbers of a small range; None of any others."""
    arrays = [
        column for column in (y_true, y_pred) if isinstance(column, np.ndarray) and column.dtype.kind in "iu"
    ]
    if len(arrays) < 2 or labels is not None or {array.shape for array in arrays} != {(y_true.size,)}:
        return None
    if not y_true.size:
        return None
    low, high = min(int(array.min()) for array in arrays), max(int(array.max()) for array in arrays)
    width = high - low + 1
    if width * width > min(MOST_CELLS, max(4 * y_true.size, 2**14)) or low < -(2**62) or high >= 2**62:
        return None
    cells = np.zeros(width * width, dtype=np.int64)
    for start in range(0, y_true.size, BLOCK):
        truth, predicted = (array[start : start + BLOCK].astype(np.int64, copy=False) for array in arrays)
        key = (truth - low) * width
        key += predicted
        key -= low
        cells += np.bincount(key, minlength=width * width)
    dense = cells.reshape(width, width)
    present = np.flatnonzero(dense.any(axis=0) | dense.any(axis=1))
    return tuple((present + low).tolist()), dense[np.ix_(present, present)]


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
    if groups is None:
        cells, values = _cells(truth * classes + predicted, classes**2, samples)
        return (ConfusionMatrix.of(labels, *np.divmod(cells, classes), values),)
    key = (groups * classes + truth) * classes + predicted
    cells, values = _cells(key, number * classes**2, samples)
    of_group, cell = np.divmod(cells, classes**2)
    ends = np.searchsorted(of_group, np.arange(number + 1))
    parts = [slice(a, b) for a, b in pairwise(ends)]
    return tuple(
        ConfusionMatrix.of(labels, *np.divmod(cell[part], classes), values[part])
        for part in (slice(None), *parts)
    )


def _cells(key: IntArray, room: int, samples: IntArray | None) -> tuple[IntArray, IntArray]:
    """Return the cells that occur, and how many samples are in each."""
    if samples is None and room <= MOST_CELLS:
        counts = np.bincount(key, minlength=room)
        cells = np.flatnonzero(counts)
        return cells, counts[cells]
    if samples is None:
        cells, counts = np.unique(key, return_counts=True)
        return cells, counts
    cells, places = np.unique(key, return_inverse=True)
    counts = np.zeros(len(cells), dtype=np.int64)
    np.add.at(counts, places.reshape(-1), samples)
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
    known, truth, _ = read_classes(y_true, {}, labels)
    return ClassSizes.of(known, np.bincount(truth, minlength=len(known)))


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
    counted = _whole_numbers(y_true, y_pred, labels)
    if counted is not None:
        return ConfusionMatrix(counted[1], labels=counted[0])
    known, truth, codes = read_classes(y_true, {"y_pred": y_pred}, labels)
    return confusion_matrices(known, truth, codes["y_pred"], None, 0)[0]
