"""Which labels each sample has, of several at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray

MOST_DENSE = 2**24
"""Samples times labels up to which a dense table is made where that is faster."""


@dataclass(frozen=True, eq=False)
class LabelSets:
    """The set of labels of each sample, as positions in `labels`; only labels that are there are stored.

    Those of sample i are ``columns[starts[i]:starts[i + 1]]``, ascending.
    """

    labels: tuple[Any, ...]
    starts: IntArray
    columns: IntArray

    @classmethod
    def of(cls, labels: tuple[Any, ...], rows: IntArray, columns: IntArray, samples: int) -> Self:
        """Make sets of pairs of a sample and a label, each pair once and in ascending order."""
        starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=samples))))
        return cls(labels, starts, columns)

    def __len__(self) -> int:
        """Return the number of samples, M."""
        return len(self.starts) - 1

    @cached_property
    def sizes(self) -> IntArray:
        """How many labels each sample has."""
        return np.diff(self.starts)

    @cached_property
    def rows(self) -> IntArray:
        """The sample of each pair."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @cached_property
    def counts(self) -> IntArray:
        """How many samples have each label."""
        return np.bincount(self.columns, minlength=len(self.labels))

    @cached_property
    def dense(self) -> BoolArray | None:
        """The table of samples and labels; None where it would be large."""
        if len(self) * len(self.labels) > MOST_DENSE:
            return None
        table = np.zeros((len(self), len(self.labels)), dtype=bool)
        table[self.rows, self.columns] = True
        return table

    def take(self, rows: Any) -> LabelSets:
        """Return the sets of some samples, by their positions or as a slice."""
        if isinstance(rows, slice) and rows == slice(None):
            return self
        at = np.arange(len(self))[rows]
        sizes = self.sizes[at]
        starts = np.concatenate(([0], np.cumsum(sizes)))
        pairs = np.repeat(self.starts[at] - starts[:-1], sizes) + np.arange(starts[-1])
        return LabelSets(self.labels, starts, self.columns[pairs])

    def has(self, rows: IntArray, columns: IntArray) -> BoolArray:
        """Return whether each of these samples has each of these labels; shapes broadcast."""
        if self.dense is not None:
            return np.asarray(self.dense.reshape(-1)[rows * len(self.labels) + columns])
        if not len(self.columns):
            return np.zeros(np.broadcast_shapes(rows.shape, columns.shape), dtype=bool)
        low, high = self.starts[rows], self.starts[rows + 1]
        for _ in range(int(self.sizes.max()).bit_length()):  # bisect within each sample
            middle = (low + high) // 2
            beyond = (middle < high) & (self.columns[np.minimum(middle, len(self.columns) - 1)] < columns)
            low, high = np.where(beyond, middle + 1, low), np.where(beyond, high, middle)
        inside = low < self.starts[rows + 1]
        return np.asarray(inside & (self.columns[np.minimum(low, len(self.columns) - 1)] == columns))

    def both(self, other: LabelSets) -> LabelSets:
        """Return the labels that each sample has here and there."""
        shared = other.has(self.rows, self.columns)
        return LabelSets.of(self.labels, self.rows[shared], self.columns[shared], len(self))

    def within(self, chosen: BoolArray) -> IntArray:
        """Return how many of the labels chosen each sample has."""
        return np.asarray(self.per_sample(chosen[self.columns]))

    def per_sample(self, values: Any) -> Any:
        """Add up values of pairs, of shape (..., pairs), within samples."""
        kind = np.float64 if values.dtype.kind == "f" else np.int64
        sums = np.zeros((*values.shape[:-1], len(self)), dtype=kind)
        filled = np.flatnonzero(self.sizes)
        if len(filled):
            sums[..., filled] = np.add.reduceat(values, self.starts[filled], axis=-1, dtype=kind)
        return sums

    def per_label(self, values: Any) -> FloatArray:
        """Add up values of pairs, of shape (..., pairs), within labels."""
        sums = np.zeros((*np.shape(values)[:-1], len(self.labels)))
        filled = np.flatnonzero(self.counts)
        if len(filled):
            first = (np.cumsum(self.counts) - self.counts)[filled]
            sums[..., filled] = np.add.reduceat(values[..., self._by_label], first, axis=-1, dtype=np.float64)
        return sums

    def weighted(self, weights: Any) -> FloatArray:
        """Return how often each label occurs if samples count so often, weights of shape (..., samples)."""
        if self._numbers is not None:
            return np.asarray(weights.astype(self._numbers.dtype) @ self._numbers, dtype=np.float64)
        return self.per_label(weights[..., self.rows])

    @cached_property
    def _numbers(self) -> Any:
        """The dense table as numbers that add up exactly as long as they stay below the samples."""
        return (
            None if self.dense is None else self.dense.astype(np.float32 if len(self) < 2**24 else np.float64)
        )

    @cached_property
    def _by_label(self) -> IntArray:
        return np.argsort(self.columns, kind="stable")

    @cached_property
    def by_size(self) -> tuple[IntArray, FloatArray]:
        """The sizes that sets have, and how often each label is in those of each size."""
        sizes, at = np.unique(self.sizes, return_inverse=True)
        labels = len(self.labels)
        pairs = at.reshape(-1)[self.rows] * labels + self.columns
        cells = np.bincount(pairs, minlength=len(sizes) * labels).reshape(len(sizes), labels)
        return sizes, cells.astype(np.float64)

    @property
    def kinds(self) -> tuple[IntArray, IntArray]:
        """The first sample that has each distinct set, and how many samples have it."""
        return np.unique(self.kind, return_index=True)[1], np.bincount(self.kind)

    @cached_property
    def kind(self) -> IntArray:
        """Which of the distinct sets each sample has."""
        seed = 0
        while True:
            keys = np.random.default_rng(seed).integers(2**64, size=len(self.labels), dtype=np.uint64)
            sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(keys[self.columns], dtype=np.uint64)))
            of_sample = sums[self.starts[1:]] - sums[self.starts[:-1]]  # modulo 2**64
            _, first, kind = np.unique(of_sample, return_index=True, return_inverse=True)
            alike = self.take(first[kind.reshape(-1)])
            if np.array_equal(alike.starts, self.starts) and np.array_equal(alike.columns, self.columns):
                return np.asarray(kind.reshape(-1))
            seed += 1  # two different sets had the same key
