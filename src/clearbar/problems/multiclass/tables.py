"""What measures of many classes read of confusion matrices: margins, diagonal, and how far off it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.classes import ConfusionMatrix

STEP = 1e-4  # part of a sum by which it is moved to find a slope: rounding then breaks no tie of two tables
MOST_DENSE = 2**22  # numbers that cells add to tables up to which zeros among them are stored


class Tables(NamedTuple):
    """Confusion matrices, one or arrays of them; classes are the last axis, K of them."""

    sizes: FloatArray  # samples of each class
    predicted: FloatArray  # samples called each class
    hits: FloatArray  # samples of each class that were called so
    apart: FloatArray  # sum over samples of |true - predicted class|, by their positions
    squared: FloatArray  # sum of the squares of these differences

    @classmethod
    def of(cls, matrix: ConfusionMatrix) -> Tables:
        """Read one matrix."""
        margins = (matrix.true_counts, matrix.predicted_counts, matrix.hits)
        steps = np.abs(matrix.rows - matrix.columns)
        apart = (np.asarray(matrix.values @ steps**power, dtype=np.float64) for power in (1, 2))
        return cls(*(margin.astype(np.float64) for margin in margins), *apart)

    @classmethod
    def of_sums(cls, sums: FloatArray, sizes: Any) -> Tables:
        """Read sums of what cells add (`terms`), of shape (..., 2K + 2), for known class sizes."""
        classes = (sums.shape[-1] - 2) // 2
        predicted, hits, (apart, squared) = (
            sums[..., :classes],
            sums[..., classes:-2],
            np.moveaxis(sums[..., -2:], -1, 0),
        )
        return cls(
            np.broadcast_to(np.asarray(sizes, np.float64), hits.shape), predicted, hits, apart, squared
        )

    @classmethod
    def stacked(cls, matrices: Sequence[ConfusionMatrix]) -> Tables:
        """Read several matrices, an axis of them before that of classes."""
        return cls(*(np.stack(parts) for parts in zip(*map(cls.of, matrices), strict=True)))

    @classmethod
    def perfect(cls, sizes: IntArray) -> Tables:
        """Return the matrix of predictions that are all right."""
        numbers = np.asarray(sizes, dtype=np.float64)
        nothing = np.zeros(numbers.shape[:-1])
        return cls(numbers, numbers, numbers, nothing, nothing)

    @property
    def pooled(self) -> Tables:
        """The sum over the axis before that of classes."""
        sizes, predicted, hits = (margin.sum(axis=-2) for margin in self[:3])
        return Tables(sizes, predicted, hits, self.apart.sum(axis=-1), self.squared.sum(axis=-1))

    def with_classes(self, order: IntArray) -> Tables:
        """Return the tables with their classes in another order, for measures that do not take it."""
        sizes, predicted, hits = (margin[..., order] for margin in self[:3])
        return Tables(sizes, predicted, hits, self.apart, self.squared)

    @property
    def total(self) -> FloatArray:
        return np.asarray(self.sizes.sum(axis=-1))

    @property
    def right(self) -> FloatArray:
        return np.asarray(self.hits.sum(axis=-1))


def terms(truth: IntArray, called: IntArray, classes: int) -> Any:
    """Return what a sample in each cell adds to a table: (cells, 2K + 2), sparse where it would be large."""
    # How often each class is called, how often rightly, and how far off it is, in classes and squared.
    cells, width = np.arange(len(truth)), 2 * classes + 2
    right, steps = np.flatnonzero(truth == called), np.abs(truth - called)
    off = np.flatnonzero(steps)
    rows = np.concatenate([cells, right, off, off])
    columns = np.concatenate([called, classes + truth[right], np.full(2 * len(off), 2 * classes)])
    columns[len(columns) - len(off) :] += 1
    added = np.concatenate([np.ones(len(cells) + len(right)), steps[off], steps[off] ** 2])
    if len(cells) * width > MOST_DENSE:
        from scipy.sparse import csr_array

        return csr_array((added, (rows, columns)), shape=(len(cells), width))
    dense = np.zeros((len(cells), width))
    dense[rows, columns] = added
    return dense


def relative_gradient(value: Callable[[FloatArray], FloatArray], sums: FloatArray) -> FloatArray:
    """Return by how much a value of sums, (rows, sums), rises with each, by central differences."""
    slopes = np.empty(sums.shape)
    for column in range(sums.shape[1]):
        step = np.zeros(sums.shape)
        step[:, column] = STEP * sums[:, column]
        rise = value(sums + step) - value(sums - step)
        slopes[:, column] = rise / np.where(step[:, column] > 0, 2 * step[:, column], 1.0)
    return slopes


def counted(
    orders: IntArray, called: IntArray, sizes: IntArray, predicted: IntArray, *, ordered: bool = True
) -> Tables:
    """Count tables of true labels, of shape (tables, samples), against predictions sorted by class."""
    # Sizes and predicted counts have shape (classes,); or (folds, classes), and samples are sorted by fold.
    shape, numbers = (len(orders), *predicted.shape), predicted.ravel()
    present = np.flatnonzero(numbers)
    starts = (np.cumsum(numbers) - numbers)[present]
    hits = np.zeros((len(orders), len(numbers)))
    hits[:, present] = np.add.reduceat(orders == called, starts, axis=1, dtype=np.int64)
    apart = squared = np.full(shape[:-1], np.nan)
    if ordered:
        in_folds = np.atleast_1d(predicted.sum(axis=-1))
        step = np.abs(orders - called)
        apart, squared = (
            np.add.reduceat(far, np.cumsum(in_folds) - in_folds, axis=1, dtype=np.float64).reshape(shape[:-1])
            for far in (step, step * step)
        )
    true, named = (np.broadcast_to(margin.astype(np.float64), shape) for margin in (sizes, predicted))
    return Tables(true, named, hits.reshape(shape), apart, squared)
