"""Groups and classes: the distinct values of a column, and confusion matrices of many classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from clearbar.core._typing import IntArray
from clearbar.core.classes import ClassSizes, ConfusionMatrix
from clearbar.core.errors import in_given_order, listed, shown
from clearbar.data.arrays import (
    Factor,
    blocks,
    factorise,
    plain,
    read,
    refuse_empty,
    refuse_other_rows,
)
from clearbar.data.labels import kind_of, refuse_fractions, refuse_no_labels, tally_of

_MOST_CELLS = 2**20  # cells up to which all are counted, whether they occur or not
_HANDFUL = 5  # values of a column that no number of samples is too small for


def too_fine(values: int, samples: int) -> bool:
    """Return whether the values of a column have fewer than ten samples each on average, and are no handful.

    The means of k groups at random take (k - 1)/(n - 1) of the variance of n samples: here more than a tenth.
    """
    return values > _HANDFUL and 10 * values > samples


def seen_column(given: Any, y_true: Any, length: int) -> Factor:
    """Number the values of a column that a bar may see; one that tells nearly each sample is refused."""
    factor = factorise(given, length, "given")
    refuse_other_rows(y_true, given, "given")
    number = len(factor.values)
    fractions = any(isinstance(name, float) and not name.is_integer() for name in factor.values)
    if too_fine(number, length) or (fractions and 2 * number > length):
        kind, share = ("numbers" if fractions else "values"), (number - 1) / (length - 1)
        raise ValueError(
            f"given holds {number:,} different {kind} for {length:,} samples, so that its bar is high by "
            f"chance alone: as many groups at random take {100 * share:.1f} % of a variance; "
            "give ten samples or more for each value: merge rare ones, or put numbers into bins, such as "
            "numpy.digitize(given, numpy.quantile(given, [0.25, 0.5, 0.75]))."
        )
    return factor


def read_classes(
    y_true: Any, predictions: Mapping[str, Any], labels: Iterable[Any] | None, *, as_numbers: bool = True
) -> tuple[tuple[Any, ...], IntArray, dict[str, IntArray]]:
    """Return the classes, and the positions among them of the samples, true and predicted, by argument.

    Text that is numbers stands in their order, "2" before "10", unless `as_numbers` is False.
    """
    length = read(y_true, "y_true").length
    refuse_empty("y_true", length)
    columns = [("y_true", factorise(y_true, length, "y_true"))]
    for name, value in predictions.items():
        columns.append((name, factorise(value, length, name)))
        refuse_other_rows(y_true, value, name)
    classes, codes = resolve_classes(columns, labels, as_numbers=as_numbers)
    return classes, codes[0], dict(zip(predictions, codes[1:], strict=True))


def resolve_classes(
    columns: Sequence[tuple[str, Factor]], labels: Iterable[Any] | None, *, as_numbers: bool = True
) -> tuple[tuple[Any, ...], list[IntArray]]:
    """Return the classes, and the positions among them of each column, by its argument; the truth first."""
    values = [tuple(map(plain, factor.values)) for _, factor in columns]
    first_name, kind = columns[0][0], kind_of(values[0][0])
    for (name, factor), distinct in zip(columns, values, strict=True):
        tally = tally_of(factor)
        refuse_no_labels(name, tally)
        refuse_fractions(name, tally)
        if kind_of(distinct[0]) != kind:
            raise ValueError(
                f"{first_name} holds {kind} but {name} holds {kind_of(distinct[0])}; use one kind of labels."
            )
    if labels is None:
        classes = _all_labels(values, as_numbers=as_numbers)
    else:
        classes = tuple(map(plain, in_given_order("labels", labels)))
    place = {label: position for position, label in enumerate(classes)}
    if len(place) != len(classes) or not classes:
        raise ValueError(f"labels must name each class once; found {shown(classes)}.")
    codes = []
    for (name, factor), distinct in zip(columns, values, strict=True):
        lacking = [shown(label) for label in distinct if label not in place]
        if lacking:
            raise ValueError(
                f"labels lacks {listed(lacking, most=6)}, which {name} holds; name every class that occurs."
            )
        codes.append(np.array([place[label] for label in distinct], dtype=np.int64)[factor.codes])
    return classes, codes


def _all_labels(columns: Sequence[tuple[Any, ...]], *, as_numbers: bool) -> tuple[Any, ...]:
    """Return all labels: in a categorical type's own order where it has them all, else sorted."""
    distinct = {label for labels in columns for label in labels}
    alphabetical = sorted(distinct)
    if distinct == set(columns[0]) and list(columns[0]) != alphabetical:
        return columns[0]
    if as_numbers and isinstance(alphabetical[0], str):
        try:  # text by the numbers that it is, if all of it is: in the alphabet "10" stands before "2"
            numbers = list(map(float, alphabetical))
        except ValueError:
            return tuple(alphabetical)
        if np.isfinite(numbers).all():
            return tuple(label for _, label in sorted(zip(numbers, alphabetical, strict=True)))
    return tuple(alphabetical)


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
    if groups is not None:
        key += groups * classes**2
    room = max(number, 1) * classes**2
    # Sums of `samples` are floats, exact up to 2**53; there are at most 2**52 samples.
    if room <= _MOST_CELLS:
        counts = np.bincount(key, samples, minlength=room)
        cells = np.flatnonzero(counts)
        counts = counts[cells]
    else:
        cells, places = np.unique(key, return_inverse=True)
        counts = np.bincount(places.reshape(-1), samples)
    counts = counts.astype(np.int64, copy=False)
    of_group, cell = np.divmod(cells, classes**2)
    ends = np.searchsorted(of_group, np.arange(number + 1)) if groups is not None else np.zeros(0, np.int64)
    parts = [slice(None), *(slice(start, stop) for start, stop in pairwise(ends))]
    return tuple(ConfusionMatrix.of(labels, *np.divmod(cell[part], classes), counts[part]) for part in parts)


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
    counted = None if labels is not None else _matrix_of_whole_numbers(y_true, y_pred)
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
    if width**2 > min(_MOST_CELLS, max(4 * size, 2**14)) or low < -(2**62) or high >= 2**62:
        return None
    cells = np.zeros(width**2, dtype=np.int64)
    for rows in blocks(size):
        truth, predicted = (array[rows].astype(np.int64, copy=False) for array in columns)
        cells += np.bincount((truth - low) * width + (predicted - low), minlength=width**2)
    matrix = cells.reshape(width, width)
    present = np.flatnonzero(matrix.any(axis=0) | matrix.any(axis=1))
    return ConfusionMatrix(matrix[np.ix_(present, present)], labels=tuple((present + low).tolist()))
