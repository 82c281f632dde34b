"""What measures of many classes read of confusion matrices: margins, diagonal, and how far off it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.classes import ConfusionMatrix

STEP = 1e-4
"""Part of a number by which it is moved to find a slope."""


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
        cells = Cells(matrix.rows, matrix.columns, len(matrix.labels))
        return cells.tables(matrix.values.astype(np.float64), matrix.true_counts)

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


@dataclass(frozen=True, eq=False)
class Cells:
    """The true class and the predicted class of samples, or of cells that stand for many, in any order."""

    truth: IntArray
    called: IntArray
    classes: int

    @cached_property
    def right(self) -> BoolArray:
        return np.asarray(self.truth == self.called)

    @cached_property
    def steps(self) -> FloatArray:
        """How many classes apart true and predicted ones are."""
        return np.asarray(np.abs(self.truth - self.called), dtype=np.float64)

    def tables(self, counts: FloatArray, sizes: Any, *, ordered: bool = True) -> Tables:
        """Return the tables of counts of shape (..., cells) whose class sizes are known.

        How far off predictions are is counted where classes are `ordered`; else it is nan.
        """
        predicted = sums_by_class(counts, self._by_call, self.called, self.classes)
        hits = sums_by_class(counts, self._hits, self.truth, self.classes)
        apart = squared = np.full(counts.shape[:-1], np.nan)
        if ordered:
            apart, squared = np.asarray(counts @ self.steps), np.asarray(counts @ self.steps**2)
        class_sizes = np.broadcast_to(np.asarray(sizes, dtype=np.float64), hits.shape)
        return Tables(class_sizes, predicted, hits, apart, squared)

    @cached_property
    def _by_call(self) -> IntArray:
        return np.argsort(self.called, kind="stable")

    @cached_property
    def _hits(self) -> IntArray:
        hits = np.flatnonzero(self.right)
        return np.asarray(hits[np.argsort(self.truth[hits], kind="stable")])

    def slopes(self, value: Callable[[Tables], FloatArray], tables: Tables, *, ordered: bool) -> FloatArray:
        """Return what one more sample in each cell adds to the value of tables, by central differences."""

        def rise(name: str, place: Any) -> FloatArray:
            sums = getattr(tables, name)
            step = np.zeros_like(sums)
            step[place] = STEP * sums[place]
            up, down = (value(tables._replace(**{name: moved})) for moved in (sums + step, sums - step))
            return np.asarray((up - down) / np.where(step[place] > 0, 2 * step[place], 1.0))

        slopes = np.zeros((*tables.hits.shape[:-1], len(self.truth)))
        for name, cells in (("predicted", np.ones(len(self.truth), dtype=bool)), ("hits", self.right)):
            for label in np.unique(self.called[cells]).tolist():
                slopes[..., cells & (self.called == label)] += rise(name, (..., label))[..., None]
        for name, power in (("apart", 1), ("squared", 2)) if ordered else ():
            slopes += rise(name, ...)[..., None] * self.steps**power
        return slopes


def sums_by_class(values: FloatArray, order: IntArray, labels: IntArray, classes: int) -> FloatArray:
    """Add up values of shape (..., samples) by class; `order` takes samples class by class."""
    ascending = labels[order]
    first = np.flatnonzero(np.diff(ascending, prepend=-1))
    # Classes are the slowest axis in memory: sums over few of them are several times faster so.
    sums = np.moveaxis(np.zeros((classes, *values.shape[:-1])), 0, -1)
    sums[..., ascending[first]] = np.add.reduceat(values[..., order], first, axis=-1)
    return sums


def counted(
    orders: IntArray, called: IntArray, sizes: IntArray, predicted: IntArray, *, ordered: bool = True
) -> Tables:
    """Count tables of true labels, of shape (tables, samples), against predictions sorted by class.

    Sizes and predicted counts have shape (classes,); or (folds, classes), and samples are sorted by fold.
    """
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
