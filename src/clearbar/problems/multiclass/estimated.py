"""The true score of a confusion matrix of few classes: each row is a multinomial of its class size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.reasons import Reason
from clearbar.inference.rows import Estimated, Function, Rows
from clearbar.inference.units import Tail
from clearbar.problems.multiclass._measure import ClassMeasure
from clearbar.problems.multiclass._tables import Tables

MOST_CLASSES = 20
"""Classes up to which rates are fitted; beyond, the samples of each class are drawn anew."""

STEP = 1e-4
"""Part of a number by which it is moved to find a slope."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Where a table of the classes that occur, and those that are predicted, has its cells."""

    sizes: FloatArray  # of all classes
    rows: IntArray
    columns: IntArray

    @cached_property
    def steps(self) -> FloatArray:
        """How many classes apart true and predicted ones are."""
        return np.asarray(np.abs(self.rows[:, None] - self.columns), dtype=np.float64)

    def tables(self, counts: FloatArray) -> Tables:
        """Return what measures read of tables of shape (..., rows, columns)."""
        # Classes are the slowest axis in memory: sums over few of them are faster so.
        empty = np.zeros((2, len(self.sizes), *counts.shape[:-2]))
        predicted, hits = (np.moveaxis(side, 0, -1) for side in empty)
        predicted[..., self.columns] = counts.sum(axis=-2)
        hits[..., self.rows] = counts[..., np.arange(len(self.rows)), self._own]
        sums = ((counts * step).sum(axis=(-2, -1)) for step in (self.steps, self.steps**2))
        return Tables(np.broadcast_to(self.sizes, hits.shape), predicted, hits, *sums)

    @cached_property
    def _own(self) -> IntArray:
        return np.searchsorted(self.columns, self.rows)

    def value(self, measure: ClassMeasure, empty: float, counts: FloatArray) -> FloatArray:
        """Return the scores of tables."""
        return measure(self.tables(counts), empty)

    def slope(self, measure: ClassMeasure, empty: float, counts: FloatArray) -> FloatArray:
        """Return what one more sample in a cell adds to the score, by central differences."""
        tables = self.tables(counts)

        def by(name: str, at: int | None) -> FloatArray:
            up, down = np.array(getattr(tables, name)), np.array(getattr(tables, name))
            where = ... if at is None else (..., at)
            step = STEP * up[where]
            up[where] += step
            down[where] -= step
            rise = measure(tables._replace(**{name: up}), empty) - measure(
                tables._replace(**{name: down}), empty
            )
            return np.asarray(rise / np.where(step > 0, 2 * step, 1.0))

        slopes = np.zeros_like(counts)
        for at, column in enumerate(self.columns.tolist()):
            slopes[..., :, at] += by("predicted", column)[..., None]
        for at, row in enumerate(self.rows.tolist()):
            slopes[..., at, self._own[at]] += by("hits", row)
        for name, power in (("apart", 1), ("squared", 2)) if measure.ordered else ():
            slopes += by(name, None)[..., None, None] * self.steps**power
        return slopes


@dataclass(frozen=True, eq=False)
class OfRates:
    """What is known of the true score of a matrix of few classes.

    `at_zero` is the same of a measure that is 0 at the same rates: that is one question, and has one answer.
    """

    tables: Estimated
    at_zero: Estimated | None = None

    def tail(self, bar: float) -> Tail:
        """Return the two-sided p-value of H0: the true score is the bar."""
        unknown = (self.at_zero or self.tables).unknown
        if unknown:
            return Tail(math.nan, math.nan, Reason.of("p_value_unknown", why=unknown))
        test = self.tables if self.at_zero is None or bar != 0 else self.at_zero
        p_value = test.p_value(bar)
        # Tables are weighed, so that their number is no floor.
        return Tail(p_value, p_value, Reason("likeliest_rates"), "estimated")

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the true scores that are not refuted: 0 is among them where its p-value says so."""
        if (self.at_zero or self.tables).unknown:
            return math.nan, math.nan
        low, high = self.tables.interval(level, bounds)
        if self.at_zero is not None and self.at_zero.p_value(0.0) > 1 - level:
            return min(low, 0.0), max(high, 0.0)
        return low, high


def estimates(
    measures: Sequence[ClassMeasure], matrix: ConfusionMatrix, empty: float, seed: int
) -> list[OfRates]:
    """Return what tables drawn near one matrix tell of several measures."""
    sizes = matrix.true_counts
    cells = Cells(
        sizes.astype(np.float64), np.flatnonzero(sizes), np.flatnonzero(sizes + matrix.predicted_counts)
    )
    counts = matrix.to_array()[np.ix_(cells.rows, cells.columns)].astype(np.float64)
    rows = Rows(counts, seed)

    @cache
    def estimated(measure: ClassMeasure) -> Estimated:
        value, slope = (partial(of, measure, empty) for of in (cells.value, cells.slope))
        return Estimated(rows, Function(value, slope))

    zero = {name: get_measure(name, "multiclass") for measure in measures if (name := measure.at_zero)}
    return [
        OfRates(estimated(measure), estimated(zero[measure.at_zero]) if measure.at_zero else None)
        for measure in measures
    ]
