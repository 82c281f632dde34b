"""What happened with many classes: how large each is, and how often each was called what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from clearbar.core import Later
from clearbar.core._typing import IntArray
from clearbar.core._value import LARGEST_TOTAL, Value, whole_numbers
from clearbar.core.counts import Counts, counts_of
from clearbar.core.errors import in_given_order, listed, shown, visible


def _frozen(array: IntArray) -> IntArray:
    array = np.array(array)
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False, init=False)
class ClassSizes(Value):
    """The number of samples of each class.

    Parameters
    ----------
    sizes : mapping of label to int
        The number of samples of each class, 0 for a class that could have occurred.

    Raises
    ------
    ValueError
        If there is no class, no sample, or a size is not a whole number.

    Examples
    --------
    >>> import clearbar as cb
    >>> sizes = cb.ClassSizes({"cat": 40, "dog": 60})
    >>> sizes.total, len(sizes), sizes["dog"]
    (100, 2, 60)
    """

    labels: tuple[Any, ...]
    counts: IntArray

    from_labels = Later("clearbar.data.classes", "class_sizes_from_labels", static=True)
    _repr_html_ = Later("clearbar.notebook", "class_sizes_html")

    def __init__(self, sizes: Mapping[Any, int]) -> None:
        if not isinstance(sizes, Mapping):
            raise ValueError(
                f"sizes must map labels to numbers, as in {{'a': 40, 'b': 60}}; found {shown(sizes)}."
            )
        _set(self, tuple(sizes), whole_numbers("sizes", list(sizes.values())))

    @classmethod
    def of(cls, labels: Iterable[Any], counts: Any) -> Self:
        """Make sizes of labels and as many numbers."""
        made = object.__new__(cls)
        _set(made, tuple(labels), whole_numbers("sizes", counts))
        return made

    def with_labels(self, labels: Iterable[Any]) -> Self:
        """Return the sizes in the order of these labels, 0 for one that does not occur."""
        names = in_given_order("labels", labels)
        given = set(names)
        lacking = [label for label in self.labels if label not in given]
        if lacking:
            raise ValueError(
                f"labels lacks {listed(map(shown, lacking), most=6)}; name every class that occurs."
            )
        sizes = dict(zip(self.labels, self.counts.tolist(), strict=True))
        return type(self).of(names, [sizes.get(label, 0) for label in names])

    @property
    def total(self) -> int:
        """The number of samples, M."""
        return int(self.counts.sum())

    def __len__(self) -> int:
        """Return the number of classes, K."""
        return len(self.labels)

    def __getitem__(self, label: Any) -> int:
        """Return how many samples a class has."""
        if label not in self.labels:
            raise KeyError(f"no class {shown(label)}; there are {listed(map(shown, self.labels), most=6)}")
        return int(self.counts[self.labels.index(label)])

    def __reduce__(self) -> Any:
        """Pickle by labels and counts."""
        return type(self).of, (self.labels, self.counts)

    def __repr__(self) -> str:
        """Show the first classes."""
        pairs = zip(self.labels, self.counts.tolist(), strict=True)
        return f"ClassSizes({listed((f'{visible(label)}: {count:,}' for label, count in pairs), most=6)})"


def _set(value: ClassSizes, labels: tuple[Any, ...], counts: IntArray) -> None:
    if not labels or counts.shape != (len(labels),):
        raise ValueError("sizes must name at least one class; found none.")
    if len(set(labels)) != len(labels):
        raise ValueError(f"sizes must name each class once; found {listed(map(shown, labels), most=6)}.")
    if not 0 < int(counts.sum()) <= LARGEST_TOTAL:
        raise ValueError(f"sizes must add up to 1 to 2**52 samples; found {int(counts.sum()):,}.")
    object.__setattr__(value, "labels", labels)
    object.__setattr__(value, "counts", _frozen(counts))


@dataclass(frozen=True, eq=False, init=False)
class ConfusionMatrix(Value):
    """The number of samples of each class that were called each class; only cells that occur are stored.

    Parameters
    ----------
    matrix : array_like of shape (K, K), sparse matrix, or data frame
        Rows are true classes and columns predicted ones, as `sklearn.metrics.confusion_matrix` and
        `pandas.crosstab` have them.
    labels : sequence, optional
        The classes in the order of the rows; 0, 1, ... by default, or a data frame's own.

    Raises
    ------
    ValueError
        If the matrix is not square, holds something else than whole numbers, has no sample, or labels are
        not as many and distinct.

    Examples
    --------
    >>> import clearbar as cb
    >>> table = cb.ConfusionMatrix([[5, 1, 0], [2, 3, 0], [0, 1, 4]], labels=["a", "b", "c"])
    >>> table.total, table.correct, table.sizes["b"]
    (16, 12, 5)
    """

    labels: tuple[Any, ...]
    rows: IntArray
    columns: IntArray
    values: IntArray

    _repr_html_ = Later("clearbar.notebook", "confusion_matrix_html")
    from_labels = Later("clearbar.data.classes", "confusion_matrix_from_labels", static=True)

    def __init__(self, matrix: Any, labels: Iterable[Any] | None = None) -> None:
        if hasattr(matrix, "columns") and hasattr(matrix, "index"):
            matrix, labels = _crosstab(matrix, labels)
        if hasattr(matrix, "tocoo"):
            sparse = matrix.tocoo()
            shape, cells = sparse.shape, (sparse.row, sparse.col, whole_numbers("matrix", sparse.data))
        else:
            dense = whole_numbers("matrix", matrix)
            shape = dense.shape
            occupied = np.nonzero(dense) if dense.ndim else ()
            cells = (*occupied, dense[occupied])  # type: ignore[assignment]
        if len(shape) != 2 or shape[0] != shape[1] or shape[0] < 1:
            raise ValueError(
                f"matrix must be square, rows true and columns predicted classes; found shape {shape}."
            )
        names = tuple(range(shape[0])) if labels is None else in_given_order("labels", labels)
        if len(names) != shape[0] or len(set(names)) != len(names):
            doubles = listed(map(shown, names), most=6)
            raise ValueError(f"labels must name each of the {shape[0]:,} rows once; found {doubles}.")
        _fill(self, names, *cells)

    @classmethod
    def of(cls, labels: Iterable[Any], rows: Any, columns: Any, values: Any) -> Self:
        """Make a matrix of cells by their positions among the labels; equal positions add up."""
        made = object.__new__(cls)
        _fill(made, tuple(labels), np.asarray(rows), np.asarray(columns), np.asarray(values, dtype=np.int64))
        return made

    @property
    def total(self) -> int:
        """The number of samples, M."""
        return int(self.values.sum())

    @property
    def correct(self) -> int:
        """The number of samples that were called what they are."""
        return int(self.hits.sum())

    @cached_property
    def true_counts(self) -> IntArray:
        """The number of samples of each class."""
        return self._summed(self.rows, self.values)

    @cached_property
    def predicted_counts(self) -> IntArray:
        """How many samples were called each class."""
        return self._summed(self.columns, self.values)

    @cached_property
    def hits(self) -> IntArray:
        """How many samples of each class were called that class."""
        return self._summed(self.rows, np.where(self.rows == self.columns, self.values, 0))

    def _summed(self, classes: IntArray, values: IntArray) -> IntArray:
        sums = np.zeros(len(self.labels), dtype=np.int64)
        np.add.at(sums, classes, values)
        return sums

    @property
    def sizes(self) -> ClassSizes:
        """The sizes of the classes."""
        return ClassSizes.of(self.labels, self.true_counts)

    def one_vs_rest(self) -> Counts:
        """Return the counts of each class against all others, arrays of shape (K,)."""
        tp, fp, fn = self.hits, self.predicted_counts - self.hits, self.true_counts - self.hits
        return counts_of((tp, fp, fn, self.total - tp - fp - fn))

    def to_array(self) -> IntArray:
        """Return the dense matrix of shape (K, K)."""
        dense = np.zeros((len(self.labels),) * 2, dtype=np.int64)
        dense[self.rows, self.columns] = self.values
        return dense

    def __add__(self, other: object) -> Self:
        """Pool the samples of two matrices of the same classes."""
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        if other.labels != self.labels:
            raise ValueError("matrices can be added where both have the same labels in the same order.")
        both = zip(
            (self.rows, self.columns, self.values), (other.rows, other.columns, other.values), strict=True
        )
        return type(self).of(self.labels, *(np.concatenate(pair) for pair in both))

    def __radd__(self, other: object) -> Self:
        """Let `sum` start from 0."""
        return self if other == 0 else NotImplemented

    def __reduce__(self) -> Any:
        """Pickle by labels and cells."""
        return type(self).of, (self.labels, self.rows, self.columns, self.values)

    def __repr__(self) -> str:
        """Say how many classes and samples there are."""
        return (
            f"ConfusionMatrix({len(self.labels):,} classes, {self.correct:,} of {self.total:,} samples right)"
        )


def _fill(value: ConfusionMatrix, labels: tuple[Any, ...], rows: Any, columns: Any, values: Any) -> None:
    """Store cells in the order of rows and columns, equal ones added up, without those that are 0."""
    key = np.asarray(rows, dtype=np.int64) * len(labels) + np.asarray(columns, dtype=np.int64)
    kept, inverse = np.unique(key, return_inverse=True)
    sums = np.zeros(len(kept), dtype=np.int64)
    np.add.at(sums, inverse.reshape(-1), values)
    kept, sums = kept[sums > 0], sums[sums > 0]
    if not 0 < int(sums.sum()) <= LARGEST_TOTAL:
        raise ValueError(f"matrix must hold 1 to 2**52 samples; found {int(sums.sum()):,}.")
    object.__setattr__(value, "labels", labels)
    for name, array in zip(("rows", "columns", "values"), (*np.divmod(kept, len(labels)), sums), strict=True):
        object.__setattr__(value, name, _frozen(array))


def _crosstab(frame: Any, labels: Iterable[Any] | None) -> tuple[IntArray, tuple[Any, ...]]:
    """Return a data frame's cells by its own labels, 0 for a label that only one side has."""
    rows, columns = list(frame.index), list(frame.columns)
    names = _in_order(rows, columns) if labels is None else in_given_order("labels", labels)
    if set(rows) - set(names) or set(columns) - set(names):
        strange = [label for label in (*rows, *columns) if label not in names]
        raise ValueError(
            f"labels must name every row and column; {listed(map(shown, strange), most=6)} is missing."
        )
    dense = np.zeros((len(names),) * 2, dtype=np.int64)
    place = {name: position for position, name in enumerate(names)}
    positions = np.ix_([place[row] for row in rows], [place[column] for column in columns])
    cells = whole_numbers("matrix", frame.to_numpy())
    _refuse_margins(cells)
    dense[positions] = cells
    return dense, names


def _in_order(rows: list[Any], columns: list[Any]) -> tuple[Any, ...]:
    """Return all labels: in the order of the side that has them all, else sorted."""
    for all_labels, labels in ((rows, columns), (columns, rows)):
        if set(labels) <= set(all_labels):
            return tuple(all_labels)
    try:
        return tuple(sorted({*rows, *columns}))
    except TypeError:  # labels of several types
        return tuple(dict.fromkeys([*rows, *columns]))


def _refuse_margins(cells: IntArray) -> None:
    if min(cells.shape) < 3:
        return
    inner = cells[:-1, :-1]
    if (cells[-1, :-1] == inner.sum(axis=0)).all() and (cells[:-1, -1] == inner.sum(axis=1)).all():
        raise ValueError("matrix has its sums as a last row and column; leave margins=True out.")
