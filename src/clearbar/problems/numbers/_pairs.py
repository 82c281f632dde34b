"""Targets and predictions of one group of samples, sorted by a column and by target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.inference.groups import products
from clearbar.inference.permutation import few_orders, orders_together
from clearbar.problems._protocol import Tail
from clearbar.problems.bootstrap import portions
from clearbar.problems.groups import Groups

MOST_SHUFFLED = 20_000
"""Samples that are put in random order for each permutation; of more, see `Pairs.permuted`."""


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

    def by_group(self, values: Any) -> Any:
        """Return for each sample the value of its group of the column."""
        return np.repeat(values, np.diff(self.starts, append=len(self.y)), axis=-1)

    @property
    def shifted(self) -> bool:
        """Whether orders of the targets only move all of them round."""
        return self.together is None and len(self.y) > MOST_SHUFFLED and len(self.starts) == 1

    @cached_property
    def every_order(self) -> bool:
        """Whether targets have so few orders that each can be looked at."""
        if self.together is not None:
            return self.together.counts_out(self.y)
        return few_orders(self._by_column, len(self.y))

    @property
    def _by_column(self) -> list[FloatArray]:
        return np.split(self.y, self.starts[1:])

    def permuted(
        self, generator: np.random.Generator, cost: int, finest: float = 1.0
    ) -> tuple[FloatArray, FloatArray, Iterator[IntArray]]:
        """Return targets, predictions and random orders of the targets, (orders, samples), in portions.

        All orders but the one that is there where `every_order`; more random ones where the least p-value
        that must be told apart, the `finest`, asks for more. Targets stay within their group of the column,
        or whole clusters trade places. `cost` is how many steps one order takes. Many samples are put in
        random order once; targets are then moved round, by as many places for all samples of a group. Such
        shifts are a group of permutations, so that the test is as exact as that of all orders, and memory is
        read from one end to the other.
        """
        number = len(self.y)
        if self.together is not None:
            orders = self.together.rearranged(
                np.arange(number), generator, samples=cost, kinds=self.y, finest=finest
            )
            return self.y, self.predicted, orders
        if self.every_order:
            return self.y, self.predicted, self._every_order()
        if len(self.y) <= MOST_SHUFFLED:
            return self.y, self.predicted, self._shuffled(generator, cost, finest)
        order = self._within_groups(generator.random((1, number)))[0]
        return self.y[order], self.predicted[:, order], self._shifted(generator, cost, finest)

    def _every_order(self) -> Iterator[IntArray]:
        for orders in orders_together(self._by_column, len(self.y)):
            yield np.concatenate(
                [first + own for first, own in zip(self.starts, orders, strict=True)], axis=1
            )

    def _within_groups(self, keys: FloatArray) -> IntArray:
        """Return the orders of keys from 0 to 1 within each group of the column."""
        return np.argsort(self.by_group(np.arange(len(self.starts), dtype=np.float64)) + keys, axis=1)

    def _shuffled(self, generator: np.random.Generator, cost: int, finest: float) -> Iterator[IntArray]:
        samples = np.arange(len(self.y))
        for rows in portions(len(samples), samples=cost, finest=finest):
            if len(self.starts) == 1:
                yield generator.permuted(np.broadcast_to(samples, (rows, len(samples))), axis=1)
            else:
                yield self._within_groups(generator.random((rows, len(samples))))

    def _shifted(self, generator: np.random.Generator, cost: int, finest: float) -> Iterator[IntArray]:
        number = len(self.y)
        sizes = np.diff(self.starts, append=number)
        if len(sizes) == 1:
            twice = np.arange(2 * number) % number
            draws = sum(portions(number, samples=cost, finest=finest))
            for first in generator.integers(number, size=draws).tolist():
                yield twice[None, first : first + number]  # a view: nothing is copied
            return
        starts, ends = self.by_group(self.starts), self.by_group(self.starts + sizes)
        for rows in portions(number, samples=cost, finest=finest):
            moved = np.arange(number) + self.by_group(generator.integers(sizes, size=(rows, len(sizes))))
            yield np.where(moved < ends, moved, moved - ends + starts)
