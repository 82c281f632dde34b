"""What is drawn anew and permuted where samples are known one by one: samples, or whole groups of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.inference.orders import few_orders, orders_together
from clearbar.inference.permutation import agreement
from clearbar.problems.bootstrap import portions
from clearbar.problems.groups import Groups


class Rates(NamedTuple):
    """Rates of true and false positives, of shape (resamples, runs)."""

    true: FloatArray
    false: FloatArray

    def worse(self, shares: FloatArray) -> Rates:
        """Return the rates of one resample if these shares of units were all wrong."""
        shares = shares[:, None]
        return Rates(self.true * (1 - shares), self.false + shares * (1 - self.false))

    def better(self, shares: FloatArray) -> Rates:
        """Return them if these shares were all right."""
        shares = shares[:, None]
        return Rates(self.true + shares * (1 - self.true), self.false * (1 - shares))


class Kinds(NamedTuple):
    """What a unit of each kind adds to true and false positives, of shape (kinds, runs), and to both classes.

    `number` says how many units are of each kind, `stratum` which of them are drawn anew together.
    """

    tp: FloatArray
    fp: FloatArray
    positives: FloatArray
    negatives: FloatArray
    number: IntArray
    stratum: IntArray


@dataclass(frozen=True, eq=False)
class Samples:
    """Independent samples: those that all runs predict alike differ in nothing, so that counts tell all."""

    truth: BoolArray
    predicted: BoolArray

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.truth)

    words = "samples and runs"
    unknown = ""
    stuck = ""

    @cached_property
    def every_order(self) -> bool:
        """Whether labels have so few orders that each can be looked at."""
        return few_orders([self.truth.astype(np.int64)], self.predicted.size)

    @cached_property
    def patterns(self) -> tuple[FloatArray, IntArray, IntArray]:
        """Distinct columns of predictions, and how many positive and negative samples have each."""
        packed = np.ascontiguousarray(np.packbits(self.predicted, axis=0).T)
        keys = packed.view(f"S{packed.shape[1]}").ravel()
        _, first, codes = np.unique(keys, return_index=True, return_inverse=True)
        both = np.bincount(codes, minlength=len(first))
        positives = np.bincount(codes[self.truth], minlength=len(first))
        return self.predicted[:, first].T.astype(np.float64), positives, both - positives

    @property
    def kinds(self) -> Kinds:
        """Positive and negative samples of each pattern."""
        patterns, *classes = self.patterns
        none, of_class = np.zeros_like(patterns), np.repeat([0, 1], len(patterns))
        tp, fp = np.concatenate((patterns, none)), np.concatenate((none, patterns))
        return Kinds(tp, fp, 1.0 - of_class, 1.0 * of_class, np.concatenate(classes), of_class)

    def resampled(self, generator: np.random.Generator, finest: float = 1.0) -> Iterator[Rates]:
        """Draw the samples of each class anew."""
        patterns, *classes = self.patterns
        for rows in portions(len(patterns), finest=finest):
            drawn = (
                generator.multinomial(counts.sum(), counts / max(counts.sum(), 1), size=rows)
                for counts in classes
            )
            yield Rates(*(rate(one @ patterns, one.sum(axis=1)) for one in drawn))

    def left_out(self) -> Iterator[tuple[Rates, IntArray]]:
        """Yield for each class the rates without one sample of each kind, and how many of it there are."""
        patterns, *classes = self.patterns
        whole = [rate(counts @ patterns, counts.sum())[None] for counts in classes]
        for at, counts in enumerate(classes):
            kinds = counts > 0
            less = rate(counts @ patterns - patterns[kinds], np.full(kinds.sum(), counts.sum() - 1))
            rates = [np.repeat(rate, len(less), axis=0) for rate in whole]
            rates[at] = less
            yield Rates(*rates), counts[kinds]

    def permuted(self, generator: np.random.Generator, finest: float = 1.0) -> Iterator[FloatArray]:
        """Yield the true positives of labels in random order; of all other orders where `every_order`."""
        if self.every_order:
            for (order,) in orders_together([self.truth.astype(np.int64)], len(self.truth)):
                yield self.truth[order].astype(np.float64) @ self.predicted.T
            return
        patterns, positives, negatives = self.patterns
        both, number = positives + negatives, int(positives.sum())
        for rows in portions(len(patterns), finest=finest):
            yield generator.multivariate_hypergeometric(both, number, size=rows) @ patterns


@dataclass(frozen=True, eq=False)
class GroupedSamples:
    """Samples of which whole groups are independent draws."""

    truth: BoolArray
    predicted: BoolArray
    groups: Groups

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.groups)

    @property
    def words(self) -> str:
        """What is drawn."""
        runs = " and runs" if len(self.predicted) > 1 else ""
        return f"{len(self):,} groups{runs}"

    @property
    def unknown(self) -> str:
        """Why nothing is known."""
        return self.groups.too_few

    @cached_property
    def stuck(self) -> str:
        """Why groups cannot be permuted."""
        return self.groups.stuck(self.truth)

    @property
    def agreement(self) -> FloatArray:
        """What each sample adds to the agreement of labels and predictions, on average over runs."""
        return agreement(self.truth.astype(np.int64), self.predicted.astype(np.int64), 2)

    @cached_property
    def sums(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """True positives per run, positives, false positives per run and negatives of each group."""
        truth, other, sums = self.truth, ~self.truth, self.groups.sums
        return sums(self.predicted & truth), sums(truth), sums(self.predicted & other), sums(other)

    @property
    def kinds(self) -> Kinds:
        """Each group is one of its own."""
        tp, positives, fp, negatives = self.sums
        one_each = np.ones(len(tp), dtype=np.int64)
        return Kinds(tp, fp, positives, negatives, one_each, np.zeros_like(one_each))

    def resampled(self, generator: np.random.Generator, finest: float = 1.0) -> Iterator[Rates]:
        """Draw whole groups anew."""
        tp, positives, fp, negatives = self.sums
        for weights in self.groups.weights(generator, finest=finest):
            yield Rates(
                rate(weights @ tp, weights @ positives, empty=not positives.any()),
                rate(weights @ fp, weights @ negatives, empty=not negatives.any()),
            )

    def left_out(self) -> Iterator[tuple[Rates, IntArray]]:
        """Yield the rates without each group."""
        tp, positives, fp, negatives = (one.sum(axis=0) - one for one in self.sums)
        rates = Rates(
            rate(tp, positives, empty=not self.truth.any()),
            rate(fp, negatives, empty=bool(self.truth.all())),
        )
        yield rates, np.ones(len(self), dtype=np.int64)

    @cached_property
    def every_order(self) -> bool:
        """Whether groups can trade places in so few ways that each can be looked at."""
        return self.groups.counts_out(self.truth)

    def permuted(self, generator: np.random.Generator, finest: float = 1.0) -> Iterator[FloatArray]:
        """Yield the true positives where the labels of whole groups trade places: all where `every_order`."""
        # Single precision holds every whole number up to 2**24, and multiplies twice as fast.
        precision = np.float32 if len(self.truth) < 2**24 else np.float64
        predicted = self.predicted.T.astype(precision)
        for labels in self.groups.rearranged(self.truth.astype(precision), generator, finest=finest):
            yield (labels @ predicted).astype(np.float64)


def rate(hits: FloatArray, size: Any, *, empty: bool = True) -> FloatArray:
    """Divide; nan where a class is missing that there is, 0 where there is none at all."""
    size = np.asarray(size, dtype=np.float64)[..., None]
    return np.where(size > 0, hits / np.maximum(size, 1.0), 0.0 if empty else np.nan)


Units: TypeAlias = Samples | GroupedSamples


def own_rates(units: Units) -> Rates:
    """Return the rates that were seen, as one resample."""
    classes = units.truth, ~units.truth
    return Rates(*(rate((units.predicted & one).sum(axis=1), one.sum())[None] for one in classes))
