"""What a measure of many classes reads of a confusion matrix: margins, diagonal, and how far off it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.classes import ConfusionMatrix


class Tables(NamedTuple):
    """Confusion matrices, one or arrays of them; classes are the last axis, K of them."""

    sizes: FloatArray  # samples of each class
    predicted: FloatArray  # samples called each class
    hits: FloatArray  # samples of each class that were called so
    apart: FloatArray  # the positions of true and predicted class differ by so much, added up
    squared: FloatArray  # the squares of these differences, added up

    @classmethod
    def of(cls, matrix: ConfusionMatrix) -> Tables:
        """Read one matrix."""
        steps = np.abs(matrix.rows - matrix.columns).astype(np.float64)
        return cls(
            matrix.true_counts.astype(np.float64),
            matrix.predicted_counts.astype(np.float64),
            matrix.hits.astype(np.float64),
            np.asarray(steps @ matrix.values),
            np.asarray(steps**2 @ matrix.values),
        )

    @classmethod
    def stacked(cls, matrices: Sequence[ConfusionMatrix]) -> Tables:
        """Read several matrices, an axis of them before that of classes."""
        return cls(*(np.stack(parts) for parts in zip(*map(cls.of, matrices), strict=True)))

    @property
    def pooled(self) -> Tables:
        """The sum over the axis before that of classes."""
        sizes, predicted, hits = (side.sum(axis=-2) for side in self[:3])
        return Tables(sizes, predicted, hits, self.apart.sum(axis=-1), self.squared.sum(axis=-1))

    @classmethod
    def perfect(cls, sizes: IntArray) -> Tables:
        """Return the matrix of predictions that are all right."""
        numbers = np.asarray(sizes, dtype=np.float64)
        nothing = np.zeros(numbers.shape[:-1])
        return cls(numbers, numbers, numbers, nothing, nothing)

    @property
    def total(self) -> FloatArray:
        """The number of samples, M."""
        return np.asarray(self.sizes.sum(axis=-1))

    @property
    def right(self) -> FloatArray:
        """How many samples were called what they are."""
        return np.asarray(self.hits.sum(axis=-1))

    @property
    def by_chance(self) -> FloatArray:
        """How many would be right on average if labels were in random order."""
        return np.asarray((self.sizes * self.predicted).sum(axis=-1) / self.total)

    @property
    def apart_by_chance(self) -> FloatArray:
        """What `apart` would be on average if labels were in random order."""
        total = self.total[..., None]
        true, called = (np.cumsum(side, axis=-1)[..., :-1] for side in (self.sizes, self.predicted))
        return np.asarray((true * (total - called) + called * (total - true)).sum(axis=-1) / self.total)

    @property
    def squared_by_chance(self) -> FloatArray:
        """What `squared` would be on average if labels were in random order."""
        at = np.arange(self.sizes.shape[-1])
        first = (self.sizes @ at) * (self.predicted @ at) / self.total
        return np.asarray(self.sizes @ at**2 + self.predicted @ at**2 - 2 * first)


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a confusion matrix that can occur, in the order of their rows."""

    rows: IntArray
    columns: IntArray
    classes: int

    def tables(self, counts: FloatArray, sizes: IntArray | FloatArray, *, ordered: bool = True) -> Tables:
        """Return what measures read of counts of shape (tables, cells), where the class sizes are these.

        How far off they are is counted where classes are `ordered`; else it is nan.
        """
        hits = np.zeros((len(counts), self.classes))
        hits[:, self.rows[self._right]] = counts[:, self._right]
        apart = squared = np.full(len(counts), np.nan)
        if ordered:
            step = np.abs(self.rows - self.columns).astype(np.float64)
            apart, squared = counts @ step, counts @ step**2
        return Tables(
            np.broadcast_to(np.asarray(sizes, dtype=np.float64), hits.shape),
            sums_of(counts[:, self._by_column], self.columns[self._by_column], self.classes),
            hits,
            apart,
            squared,
        )

    @cached_property
    def _right(self) -> IntArray:
        return np.flatnonzero(self.rows == self.columns)

    @cached_property
    def _by_column(self) -> IntArray:
        return np.argsort(self.columns, kind="stable")


def sums_of(values: FloatArray, places: IntArray, number: int) -> FloatArray:
    """Add up values of shape (rows, samples) by the class of each sample, which ascend: (rows, classes)."""
    sums = np.zeros((len(values), number))
    first = np.flatnonzero(np.diff(places, prepend=-1))
    sums[:, places[first]] = np.add.reduceat(values, first, axis=1)
    return sums
