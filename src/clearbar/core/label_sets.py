"""Which labels each sample has, of several at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray

MOST_DENSE = 2**24  # samples times labels up to which a dense table is made where that is faster


@dataclass(frozen=True, eq=False)
class LabelSets:
    """The set of labels of each sample: a ``csr_array`` of truth values with a column per label."""

    labels: tuple[Any, ...]
    matrix: Any

    def __post_init__(self) -> None:
        self.matrix.sort_indices()

    @classmethod
    def of(cls, labels: tuple[Any, ...], rows: IntArray, columns: IntArray, samples: int) -> Self:
        """Make sets of pairs of a sample and a label, each pair once."""
        from scipy.sparse import csr_array

        ones = np.ones(len(rows), dtype=bool)
        return cls(labels, csr_array((ones, (rows, columns)), shape=(samples, len(labels))))

    def __len__(self) -> int:
        """Return the number of samples, M."""
        return int(self.matrix.shape[0])

    @cached_property
    def starts(self) -> IntArray:
        """The labels of sample i are ``columns[starts[i]:starts[i + 1]]``, ascending."""
        return np.asarray(self.matrix.indptr, dtype=np.int64)

    @cached_property
    def columns(self) -> IntArray:
        """The label of each pair."""
        return np.asarray(self.matrix.indices, dtype=np.int64)

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
        small = len(self) * len(self.labels) <= MOST_DENSE
        return np.asarray(self.matrix.toarray(), dtype=bool) if small else None

    def take(self, rows: Any) -> LabelSets:
        """Return the sets of some samples, by their positions or as a slice."""
        if isinstance(rows, slice) and rows == slice(None):
            return self
        return LabelSets(self.labels, self.matrix[rows])

    def has(self, rows: IntArray, columns: IntArray) -> BoolArray:
        """Return whether each of these samples has each of these labels; shapes broadcast."""
        rows, columns = np.broadcast_arrays(rows, columns)
        if self.dense is not None:
            return np.asarray(self.dense[rows, columns])
        present = self.matrix[np.ravel(rows).copy(), np.ravel(columns).copy()]  # SciPy asks for writable ones
        return np.asarray(present, dtype=bool).reshape(rows.shape)

    def both(self, other: LabelSets) -> LabelSets:
        """Return the labels that each sample has here and there."""
        return LabelSets(self.labels, self.matrix.multiply(other.matrix).tocsr())

    def within(self, labels: BoolArray) -> IntArray:
        """Return how many of these labels each sample has."""
        return np.asarray(self.per_sample(labels[self.columns]))

    def per_sample(self, values: Any) -> Any:
        """Add up values of pairs, of shape (..., pairs), within samples."""
        kind = np.float64 if values.dtype.kind == "f" else np.int64
        sums = np.zeros((*values.shape[:-1], len(self)), dtype=kind)
        labelled = np.flatnonzero(self.sizes)
        if len(labelled):  # `reduceat` takes an empty range for its first element
            sums[..., labelled] = np.add.reduceat(values, self.starts[labelled], axis=-1, dtype=kind)
        return sums

    def per_label(self, values: Any) -> FloatArray:
        """Add up values of pairs, of shape (..., pairs), within labels."""
        pairs = np.asarray(values, dtype=np.float64)
        leading = pairs.shape[:-1]
        sums = pairs.reshape(math.prod(leading), pairs.shape[-1]) @ self._label_of_pair
        return np.asarray(sums).reshape(*leading, len(self.labels))

    @cached_property
    def _label_of_pair(self) -> Any:
        """A sparse matrix that has a 1 at each pair's label."""
        from scipy.sparse import csr_array

        pairs = len(self.columns)
        ones = np.ones(pairs)
        return csr_array((ones, self.columns, np.arange(pairs + 1)), shape=(pairs, len(self.labels)))

    @cached_property
    def by_size(self) -> tuple[IntArray, FloatArray]:
        """The sizes that sets have, and how often each label is in those of each size."""
        sizes, of_sample = np.unique(self.sizes, return_inverse=True)
        labels = len(self.labels)
        pairs = of_sample.reshape(-1)[self.rows] * labels + self.columns
        cells = np.bincount(pairs, minlength=len(sizes) * labels).reshape(len(sizes), labels)
        return sizes, cells.astype(np.float64)

    @property
    def kinds(self) -> tuple[IntArray, IntArray]:
        """The first sample that has each distinct set, and how many samples have it."""
        return np.unique(self.kind, return_index=True)[1], np.bincount(self.kind)

    @cached_property
    def kind(self) -> IntArray:
        """Which of the distinct sets each sample has."""
        # Sets are told apart by the sum of random keys of their labels, modulo 2**64: of a million different
        # ones two share a sum with a probability of 3e-8.
        keys = np.random.default_rng(0).integers(2**64, size=len(self.labels), dtype=np.uint64)
        sums = self.matrix.astype(np.uint64) @ keys
        return np.asarray(np.unique(sums, return_inverse=True)[1].reshape(-1), dtype=np.int64)
