"""Samples that belong together: whole groups are drawn anew, and trade places with others of their size."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.inference.orders import few_orders, orders_together
from clearbar.inference.permutation import group_test
from clearbar.problems._protocol import Tail
from clearbar.problems.bootstrap import CELLS, portions

FEWEST = 5
"""Groups without which nothing is said."""

FEWEST_ARRANGEMENTS = 20
"""Ways to permute groups below which no p-value could be 0.05."""


@dataclass(frozen=True, eq=False)
class Groups:
    """The group of each sample, numbered from 0 without gaps."""

    codes: IntArray

    @classmethod
    def of(cls, codes: IntArray, *held: FloatArray | IntArray | BoolArray) -> Groups:
        """Number groups by what their samples hold, whatever they are called and whichever comes first.

        ``held`` have samples as their last axis. A seed then draws the same whatever the order of the groups;
        that of the samples within one is kept, since labels of groups trade places sample by sample.
        """
        _, first, numbers = np.unique(codes, return_index=True, return_inverse=True)
        groups = cls(np.argsort(np.argsort(first))[numbers.reshape(-1)])
        return cls(groups._ranks(np.vstack([np.zeros(len(codes)), *held]))[groups.codes])

    def _ranks(self, held: FloatArray) -> IntArray:
        """Return the place of each group by size, then by what its samples hold, one after the other."""
        kinds = np.unique(held, axis=1, return_inverse=True)[1].reshape(-1)
        order = np.argsort(self.codes, kind="stable")
        starts = np.cumsum(self.sizes) - self.sizes
        ranked = [np.zeros(0, dtype=np.int64)]
        for size in np.unique(self.sizes):
            alike = np.flatnonzero(self.sizes == size)
            samples = kinds[order[starts[alike][:, None] + np.arange(size)]]
            ranked.append(alike[np.lexsort(samples.T[::-1])])
        return np.argsort(np.concatenate(ranked))

    @cached_property
    def sizes(self) -> IntArray:
        """Samples of each group."""
        return np.bincount(self.codes)

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.sizes)

    @property
    def too_few(self) -> str:
        """Say that there are too few groups; empty if there are enough."""
        return "" if len(self) >= FEWEST else f"it takes at least {FEWEST} groups, and there are {len(self)}"

    def weights(
        self, generator: np.random.Generator, *, samples: int = 0, finest: float = 1.0
    ) -> Iterator[IntArray]:
        """Yield how often each group is drawn, of shape (resamples, groups), in portions."""
        number = len(self)
        for rows in portions(number, samples=samples, finest=finest):
            drawn = generator.integers(number, size=(rows, number)) + number * np.arange(rows)[:, None]
            yield np.bincount(drawn.ravel(), minlength=rows * number).reshape(rows, number)

    def all_but_one(self, *, samples: int) -> Iterator[IntArray]:
        """Yield weights that leave out each group once, in portions."""
        number, portion = len(self), max(1, CELLS // samples)
        for first in range(0, number, portion):
            gone = np.arange(first, min(first + portion, number))
            yield (gone[:, None] != np.arange(number)).astype(np.int64)

    @cached_property
    def blocks(self) -> tuple[IntArray, ...]:
        """The samples of the groups of each size that more than one has, of shape (groups, size)."""
        order = np.argsort(self.codes, kind="stable")
        starts = np.cumsum(self.sizes) - self.sizes
        common, counts = np.unique(self.sizes, return_counts=True)
        return tuple(
            order[starts[self.sizes == size][:, None] + np.arange(size)] for size in common[counts > 1]
        )

    def alike(self, labels: BoolArray | IntArray) -> str:
        """Say that permuting groups changes no label; empty if it does."""
        if any((labels[block] != labels[block[0]]).any() for block in self.blocks):
            return ""
        return "groups of the same size all have the same labels"

    @cached_property
    def unmoved(self) -> str:
        """Say that sizes hardly repeat; empty if whole groups can be permuted.

        Groups that stay in place take power, not validity: with most of them in place nothing is tested.
        """
        moved = sum(block.size for block in self.blocks)
        arrangements = sum(math.lgamma(len(block) + 1) for block in self.blocks)
        if 2 * moved >= len(self.codes) and arrangements >= math.log(FEWEST_ARRANGEMENTS) - 1e-9:
            return ""
        together = sum(len(block) for block in self.blocks)
        return f"of {len(self):,} groups only {together:,} share their size with another"

    @property
    def sizes_differ(self) -> bool:
        """Whether there are enough groups, but so many sizes that few could trade places."""
        return bool(self.unmoved) and not self.too_few

    def test(self, per_sample: FloatArray) -> Tail:
        """Return the t-test of the groups' contributions, sums of what their samples add to the agreement."""
        return test_of_groups(self.sums(per_sample), self.sizes)

    def stuck(self, labels: BoolArray | IntArray) -> str:
        """Say why labels of whole groups cannot trade places; empty if they can."""
        return self.too_few or self.unmoved or self.alike(labels)

    def permuted(
        self, labels: Any, generator: np.random.Generator, *, samples: int = 0, finest: float = 1.0
    ) -> Iterator[Any]:
        """Yield labels whose whole groups trade places, of shape (permutations, samples), in portions."""
        for rows in portions(len(labels), samples=samples, finest=finest):
            permuted_labels = np.repeat(labels[None], rows, axis=0)
            for block in self.blocks:
                places = generator.permuted(np.repeat(np.arange(len(block))[None], rows, axis=0), axis=1)
                permuted_labels[:, block.ravel()] = labels[block][places].reshape(rows, -1)
            yield permuted_labels

    def rearranged(
        self,
        labels: Any,
        generator: np.random.Generator,
        *,
        samples: int = 0,
        kinds: Any = None,
        finest: float = 1.0,
    ) -> Iterator[Any]:
        """Yield the same; but where `counts_out` says so, all different ones than the one that is there.

        Then (b + 1)/(B + 1) is exact. `kinds` says which samples are alike, where labels do not.
        """
        alike = labels if kinds is None else kinds
        if not self.counts_out(alike):
            yield from self.permuted(labels, generator, samples=samples, finest=finest)
            return
        for orders in orders_together(self._kinds(alike), len(self.codes)):
            whole = np.repeat(np.arange(len(self.codes))[None], len(orders[0]), axis=0)
            for block, places in zip(self.blocks, orders, strict=True):
                whole[:, block.ravel()] = block[places].reshape(len(places), -1)
            yield labels[whole]

    def counts_out(self, labels: Any) -> bool:
        """Whether groups of the same size can trade places in so few ways that each can be looked at."""
        return few_orders(self._kinds(labels), len(self.codes))

    def _kinds(self, labels: Any) -> list[IntArray]:
        """Return for each block which of its groups have the same labels."""
        return [np.unique(labels[block], axis=0, return_inverse=True)[1].reshape(-1) for block in self.blocks]

    def order(self, generator: np.random.Generator) -> IntArray:
        """Return an order of the samples in which groups have traded places with others of their size."""
        order = np.arange(len(self.codes))
        for block in self.blocks:
            order[block.ravel()] = block[generator.permutation(len(block))].ravel()
        return order

    def sums(self, values: FloatArray | BoolArray) -> FloatArray:
        """Add up values of shape (..., samples) within groups: (groups, ...)."""
        order = np.argsort(self.codes, kind="stable")
        starts = np.cumsum(self.sizes) - self.sizes
        return np.moveaxis(np.add.reduceat(values[..., order], starts, axis=-1, dtype=np.float64), -1, 0)


def test_of_groups(contributions: FloatArray, sizes: FloatArray | IntArray) -> Tail:
    """Return the t-test of contributions of groups that cannot trade places, most of them for their sizes."""
    found = group_test(contributions, sizes)
    unequal = " of unequal sizes" if np.ptp(sizes) > 1e-9 * np.max(sizes) else ""
    note = f"p_value_blind is the t-test of what {len(sizes):,} groups{unequal} add to the agreement"
    as_many = f"they tell as much as {found.effective_groups:.1f} of equal size"
    few = f", which is few: {as_many}" if found.effective_groups < FEWEST - 1e-9 else ""
    return Tail(found.p_value, found.p_value, f"{note}{few}, which is approximate", "t")


def in_random_order(
    labels: Any, seed: int, clusters: IntArray | None = None, *, samples: int = 0
) -> Iterator[Any]:
    """Yield labels in random order, or of whole clusters that trade places, in portions.

    Their shape is (permutations, samples); all others than the one that is there, where these are few. Where
    clusters cannot trade places, an error says why.
    """
    groups = Groups(np.arange(len(labels))) if clusters is None else Groups.of(clusters)
    why = "" if clusters is None else groups.stuck(labels)
    if why:
        raise ValueError(f"labels cannot be put in random order: {why}.")
    generator = np.random.default_rng(seed)
    if clusters is not None or groups.counts_out(labels):
        yield from groups.rearranged(labels, generator, samples=samples)
        return
    for rows in portions(len(labels), samples=samples):
        yield generator.permuted(np.broadcast_to(labels, (rows, len(labels))), axis=1)
