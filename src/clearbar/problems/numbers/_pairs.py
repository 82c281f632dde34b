"""Targets and predictions of one group of samples, sorted by a column and by target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.inference.groups import products
from clearbar.problems._protocol import Tail
from clearbar.problems.bootstrap import portions
from clearbar.problems.groups import Groups


@dataclass(frozen=True, eq=False)
class Pairs:
    """Targets, predictions of shape (models, samples), where groups of the column start, and clusters.

    Targets rise within each group of the column; without a column there is one group.
    """

    y: FloatArray
    predicted: FloatArray
    starts: IntArray
    given: bool = False
    together: Groups | None = None

    @classmethod
    def of(
        cls,
        y: FloatArray,
        predicted: Sequence[FloatArray],
        column: IntArray | None = None,
        clusters: IntArray | None = None,
    ) -> Pairs:
        """Sort samples."""
        order = np.argsort(y, kind="stable") if column is None else np.lexsort((y, column))
        starts = np.zeros(1, np.int64)
        if column is not None:
            starts = np.flatnonzero(np.diff(column[order], prepend=-1))
        sorted_predictions = np.array([values[order] for values in predicted]).reshape(len(predicted), len(y))
        together = None if clusters is None else Groups.of(clusters[order])
        return cls(y[order], sorted_predictions, starts, column is not None, together)

    @property
    def stuck(self) -> str:
        """Why whole clusters cannot trade places; empty where they can, or where there are none."""
        return "" if self.together is None else self.together.too_few or self.together.unmoved

    def tests_of(self, clusters: Groups) -> Iterator[Tail]:
        """Yield each model's t-test of clusters whose sizes hardly repeat, within groups of the column."""
        columns = np.split(np.arange(len(self.y)), self.starts[1:])
        for f in self.predicted:
            added = np.concatenate([products(self.y[rows], f[rows]) for rows in columns])
            yield clusters.test(added)

    def by_group(self, values: FloatArray) -> FloatArray:
        """Return for each sample the value of its group of the column."""
        return np.repeat(values, np.diff(self.starts, append=len(self.y)), axis=-1)

    def orders(self, generator: np.random.Generator, cost: int) -> Iterator[IntArray]:
        """Yield random orders of the targets, of shape (orders, samples), in portions.

        Targets stay within their group of the column, or whole clusters trade places. `cost` is how many
        steps one order takes.
        """
        samples = np.arange(len(self.y))
        if self.together is not None:
            yield from self.together.permuted(samples, generator)
            return
        for rows in portions(len(samples), samples=cost):
            if len(self.starts) == 1:
                yield generator.permuted(np.broadcast_to(samples, (rows, len(samples))), axis=1)
            else:
                place = self.by_group(np.arange(len(self.starts), dtype=np.float64))
                yield np.argsort(place + generator.random((rows, len(samples))), axis=1)
