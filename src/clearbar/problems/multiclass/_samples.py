"""Samples of many classes and what each run calls them: drawn anew and permuted, all runs together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.problems._tested import NotTested, Resampled, Test
from clearbar.problems.bootstrap import CELLS, Bootstrap, acceleration, portions
from clearbar.problems.groups import Groups
from clearbar.problems.multiclass._measure import ClassMeasure
from clearbar.problems.multiclass._tables import Cells, Tables, sums_of
from clearbar.problems.multiclass.blind import counted
from clearbar.problems.multiclass.resampled import (
    MOST_WORK,
    ClassBootstrap,
    few_samples,
    never_varying,
    supposed,
)

MOST_LEFT_OUT = 30_000_000
"""Groups times cells beyond which resamples are not corrected for skewness: that falls as groups are more."""


@dataclass(frozen=True, eq=False)
class Singles(Groups):
    """Samples, sorted by class, that are groups of their own: of each class all but one are drawn anew."""

    truth: IntArray

    def weights(
        self, generator: np.random.Generator, *, samples: int = 0, finest: float = 1.0
    ) -> Iterator[IntArray]:
        """Yield how often each sample is drawn, of shape (resamples, samples), in portions."""
        number, sizes = len(self.truth), np.bincount(self.truth)[self.truth]
        first = np.searchsorted(self.truth, self.truth)
        drawn = np.arange(number) > first  # all but one of each class
        for rows in portions(number, samples=samples, finest=finest):
            places = generator.random((rows, int(drawn.sum()))) * sizes[drawn] + first[drawn]
            flat = places.astype(np.int64) + number * np.arange(rows)[:, None]
            yield np.bincount(flat.ravel(), minlength=rows * number).reshape(rows, number)

    def stuck(self, labels: Any) -> str:  # noqa: ARG002
        """Say that samples hardly repeat; labels of one class only are no less in random order."""
        return self.unmoved


@dataclass(frozen=True, eq=False)
class Run:
    """Samples sorted by the cell of the confusion matrix that one run puts them in, and where each stood."""

    truth: IntArray
    called: IntArray
    order: IntArray
    classes: int

    @classmethod
    def of(cls, truth: IntArray, called: IntArray, classes: int) -> Run:
        """Sort samples by their true class, then by their predicted one."""
        order = np.lexsort((called, truth))
        return cls(truth[order], called[order], order, classes)

    @cached_property
    def _first(self) -> IntArray:
        """The first sample of each cell."""
        return np.flatnonzero(np.diff(self.truth * self.classes + self.called, prepend=-1))

    @cached_property
    def _cells(self) -> Cells:
        return Cells(self.truth[self._first], self.called[self._first], self.classes)

    @cached_property
    def sizes(self) -> IntArray:
        """Samples of each class."""
        return np.bincount(self.truth, minlength=self.classes)

    def __len__(self) -> int:
        """Return how many cells occur."""
        return len(self._first)

    def counted(self, weights: IntArray | FloatArray) -> FloatArray:
        """Return how often cells were drawn, of samples that were drawn so often: (tables, cells)."""
        return np.add.reduceat(weights[:, self.order], self._first, axis=1).astype(np.float64)

    def tables(self, counts: FloatArray, *, ordered: bool = True) -> Tables:
        """Return the tables of such counts, each class scaled back to its size; nan where a class is gone."""
        cells = self._cells
        drawn = sums_of(counts, cells.rows, self.classes)
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.where(drawn > 0, self.sizes / drawn, np.nan)
        return cells.tables(counts * scale[:, cells.rows], self.sizes, ordered=ordered)

    def weighted(self, weights: FloatArray, sizes: FloatArray) -> Tables:
        """Return the tables of samples, as they stood, whose weights add up to the sizes of their classes."""
        return self._cells.tables(self.counted(weights), sizes)

    def without_each(self, codes: IntArray) -> Iterator[FloatArray]:
        """Yield the counts of cells without each group, in portions; codes are of samples as they stood."""
        cells, number = len(self._first), int(codes.max()) + 1
        cell = np.repeat(np.arange(cells), np.diff(self._first, append=len(self.order)))
        own = codes[self.order]
        by_group = np.argsort(own, kind="stable")
        key = own[by_group] * cells + cell[by_group]
        whole, portion = np.bincount(cell, minlength=cells), max(1, CELLS // cells)
        ends = np.searchsorted(own[by_group], np.arange(0, number + portion, portion))
        for at, (start, end) in enumerate(pairwise(ends.tolist())):
            first = at * portion
            rows = min(portion, number - first)
            gone = np.bincount(key[start:end] - first * cells, minlength=rows * cells).reshape(rows, cells)
            yield np.asarray(whole - gone, dtype=np.float64)

    def permuted(self, orders: IntArray, *, ordered: bool) -> Tables:
        """Return the tables of true classes of shape (tables, samples), of samples as they stood."""
        order, called = self._by_call
        return counted(
            orders[:, order], called, self.sizes, np.bincount(called, minlength=self.classes), ordered=ordered
        )

    @cached_property
    def _by_call(self) -> tuple[IntArray, IntArray]:
        again = np.argsort(self.called, kind="stable")
        return self.order[again], self.called[again]


@dataclass(frozen=True, eq=False)
class Sampled:
    """True classes of samples, and their predicted ones, of shape (runs, samples)."""

    truth: IntArray
    called: IntArray
    groups: Groups
    classes: int

    @classmethod
    def of(cls, truth: IntArray, called: IntArray, clusters: IntArray | None, classes: int) -> Sampled:
        """Take whole groups for independent; samples where there are no groups."""
        if clusters is None:
            order = np.lexsort([*called, truth])  # so that a seed draws the same in whatever order they came
            truth, called = truth[order], called[:, order]
            return cls(truth, called, Singles(np.arange(len(truth)), truth), classes)
        return cls(truth, called, Groups.of(clusters, truth, called), classes)

    @property
    def words(self) -> str:
        """What is drawn anew."""
        units = "samples" if isinstance(self.groups, Singles) else f"{len(self.groups):,} groups"
        return f"{units} and runs" if len(self.called) > 1 else units

    @cached_property
    def sizes(self) -> IntArray:
        """Samples of each class."""
        return np.bincount(self.truth, minlength=self.classes)

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """The predictions of each run."""
        return tuple(Run.of(self.truth, called, self.classes) for called in self.called)

    @cached_property
    def observed(self) -> tuple[Tables, ...]:
        """The table of each run."""
        whole = np.ones((1, len(self.truth)), dtype=np.int64)
        return tuple(Tables(*(part[0] for part in run.tables(run.counted(whole)))) for run in self.runs)

    @property
    def undrawn(self) -> str:
        """Why nothing can be drawn anew; empty if it can."""
        return few_samples(self.sizes) if isinstance(self.groups, Singles) else self.groups.too_few

    def scores(self, measures: Sequence[ClassMeasure], empty: float) -> FloatArray:
        """Return the score of each run: (measures, runs)."""
        return np.array([[float(m(table, empty)) for table in self.observed] for m in measures])

    def _evaluated(
        self, measures: Sequence[ClassMeasure], parts: Iterable[list[FloatArray]], empty: float
    ) -> FloatArray:
        """Evaluate counts of cells, an array of them for each run: (measures, tables, runs)."""
        values, ordered = [], _any_ordered(measures)
        for counts in parts:
            tables = [run.tables(own, ordered=ordered) for run, own in zip(self.runs, counts, strict=True)]
            values.append([[measure(table, empty) for table in tables] for measure in measures])
        return np.moveaxis(np.concatenate(values, axis=2), 1, 2)

    def _of_run(
        self, run: Run, measures: Sequence[ClassMeasure], parts: Iterable[FloatArray], empty: float
    ) -> list[FloatArray]:
        """Return in portions what measures make of the counts of cells of one run: (measures, tables)."""
        ordered = _any_ordered(measures)
        tables = (run.tables(part, ordered=ordered) for part in parts)
        return [np.array([measure(table, empty) for measure in measures]) for table in tables]

    def _left_out(self, measures: Sequence[ClassMeasure], empty: float) -> list[float]:
        """Return the acceleration of each measure: mean scores without one unit."""
        samples = len(self.truth)
        if not isinstance(self.groups, Singles):
            if len(self.groups) * sum(map(len, self.runs)) > MOST_LEFT_OUT:
                return [0.0] * len(measures)
            alone = [
                np.concatenate(
                    self._of_run(run, measures, run.without_each(self.groups.codes), empty), axis=1
                )
                for run in self.runs
            ]
            values = np.mean(alone, axis=0)
            return [acceleration([(own, np.ones_like(self.groups.sizes))]) for own in values]
        both = np.vstack([self.truth, self.called])
        _, first, counts = np.unique(both, axis=1, return_index=True, return_counts=True)
        if len(first) * samples * len(self.called) > MOST_WORK:
            return [0.0] * len(measures)
        gone = (first[:, None] != np.arange(samples)).astype(np.int64)
        values = self._evaluated(measures, [[run.counted(gone) for run in self.runs]], empty).mean(axis=2)
        ends = np.flatnonzero(np.diff(self.truth[first])) + 1  # they are in the order of their classes
        strata = np.split(counts, ends)
        return [acceleration(zip(np.split(own, ends), strata, strict=True)) for own in values]

    def bootstraps(
        self, measures: Sequence[ClassMeasure], empty: float, seed: int, finest: float = 1.0
    ) -> list[ClassBootstrap]:
        """Draw units anew, and runs where there are several."""
        if not measures:
            return []
        generator, runs = np.random.default_rng(seed), len(self.runs)
        weights = self.groups.weights(generator, samples=len(self.truth), finest=finest)
        of_samples = (own[:, self.groups.codes] for own in weights)
        drawn = ([run.counted(own) for run in self.runs] for own in of_samples)
        values = self._evaluated(measures, drawn, empty)
        often = generator.multinomial(runs, np.full(runs, 1 / runs), size=values.shape[1]) / runs
        # A run that is not drawn counts nothing, also one without a value.
        means = np.where(often > 0, often * values, 0.0).sum(axis=2)
        scores = self.scores(measures, empty).mean(axis=1)
        return [
            self._with_unseen(
                Bootstrap(
                    float(score), own, skewed, len(self.groups), partial(self._supposed, measure, empty)
                ),
                measure,
                empty,
            )
            for measure, score, own, skewed in zip(
                measures, scores, means, self._left_out(measures, empty), strict=True
            )
        ]

    def tests(
        self, measures: Sequence[ClassMeasure], empty: float, seed: int, finest: float = 1.0
    ) -> list[Test]:
        """Return what these resamples tell of each measure."""
        if self.undrawn:
            return [NotTested(f"p_value is not known: {self.undrawn}")] * len(measures)
        note = f"p_value is from resamples of {self.words}, which is approximate"
        return [Resampled(drawn, note) for drawn in self.bootstraps(measures, empty, seed, finest)]

    def _with_unseen(self, drawn: Bootstrap, measure: ClassMeasure, empty: float) -> ClassBootstrap:
        """Add what classes may lose or gain that never vary in any run; groups are not known to be so."""
        if not isinstance(self.groups, Singles) or drawn.unknown:
            return ClassBootstrap.of(drawn, np.zeros(0), np.zeros(0), self.undrawn or drawn.unknown)
        changes = np.mean([never_varying(measure, table, empty) for table in self.observed], axis=0)
        return ClassBootstrap.of(drawn, changes, self.sizes.astype(np.float64))

    def _supposed(self, measure: ClassMeasure, empty: float) -> tuple[FloatArray, FloatArray]:
        ends = np.array([supposed(measure, table, empty) for table in self.observed]).mean(axis=0)
        return ends[0], ends[1]

    def permuted(
        self,
        measures: Sequence[ClassMeasure],
        empty: float,
        seed: int,
        *,
        every: bool = False,
        finest: float = 1.0,
    ) -> FloatArray:
        """Evaluate labels that trade places, the same for all runs: mean scores (measures, permutations).

        With `every`, all others than those that are there, where these can be counted out.
        """
        ordered = _any_ordered(measures)
        values, trade = [], self.groups.rearranged if every else self.groups.permuted
        for orders in trade(self.truth, np.random.default_rng(seed), samples=self.called.size, finest=finest):
            tables = [run.permuted(orders, ordered=ordered) for run in self.runs]
            values.append([[measure(table, empty) for table in tables] for measure in measures])
        return np.asarray(np.concatenate(values, axis=2).mean(axis=1))


def _any_ordered(measures: Sequence[ClassMeasure]) -> bool:
    return any(measure.ordered for measure in measures)
