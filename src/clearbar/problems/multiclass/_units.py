"""Models' labels of many classes on units that are drawn anew: samples with all runs, or whole groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.inference.bootstrap_t import MOST_SUMS, Units, gradient
from clearbar.problems.exchanged import Exchanged, mcnemar
from clearbar.problems.multiclass._measure import ClassMeasure
from clearbar.problems.multiclass._paired import Kinds
from clearbar.problems.multiclass._samples import Run
from clearbar.problems.multiclass._tables import Tables, sums_of
from clearbar.problems.multiclass.resampled import supposed
from clearbar.problems.paired import PairedUnits, right_alone


@dataclass(frozen=True, eq=False)
class Answers:
    """True classes, and for each sample its unit: itself, drawn within its class, or a whole group.

    Whatever is drawn, each class counts as much as it has samples. A sample may stand for several, so many
    `times`.
    """

    truth: IntArray
    units: IntArray
    classes: int
    times: IntArray

    @classmethod
    def of(cls, truth: IntArray, classes: int, units: IntArray | None = None, times: Any = None) -> Answers:
        """Take samples for units, and each once, unless told otherwise."""
        at, once = np.arange(len(truth)), np.ones(len(truth), dtype=np.int64)
        codes = np.asarray(truth, dtype=np.int64)  # small unsigned ones have no differences below 0
        return cls(codes, at if units is None else units, classes, once if times is None else times)

    @property
    def number(self) -> IntArray:
        """How often each unit occurs."""
        groups = int(self.units.max()) + 1
        return self.times if groups == len(self.truth) else np.ones(groups, dtype=np.int64)

    @cached_property
    def sizes(self) -> FloatArray:
        """Samples of each class."""
        return np.bincount(self.truth, self.times, minlength=self.classes).astype(np.float64)

    @cached_property
    def strata(self) -> IntArray:
        """What is drawn together."""
        number = int(self.units.max()) + 1
        if number < len(self.truth):
            return np.zeros(number, dtype=np.int64)
        strata = np.empty(number, dtype=np.int64)
        strata[self.units] = self.truth
        return strata

    def scaled(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the weights of samples that give each class its size, and by what they were multiplied."""
        drawn = _added_up(weights, self.truth, self.classes)
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.where(drawn > 0, self.sizes / drawn, np.nan)[:, self.truth]
        return weights * scale, scale


@dataclass(frozen=True, eq=False)
class OfTables:
    """The mean score of a model's runs, whose labels have shape (runs, samples)."""

    measure: ClassMeasure
    answers: Answers
    called: IntArray
    empty: float

    @property
    def cost(self) -> float:
        """So many steps for each run."""
        return 40.0 * len(self.called)

    @cached_property
    def _runs(self) -> tuple[Run, ...]:
        return tuple(Run.of(self.answers.truth, run, self.answers.classes) for run in self.called)

    def at(self, weights: FloatArray) -> FloatArray:
        """Return the score under each row of weights; nan where a class is gone."""
        whole, _ = self.answers.scaled(weights[:, self.answers.units])
        scores = [self.measure(run.weighted(whole, self.answers.sizes), self.empty) for run in self._runs]
        return np.asarray(np.mean(scores, axis=0))

    def slopes(self, weights: FloatArray) -> FloatArray:
        """Return its slopes at the tables of each row; of many classes those of the sample for all."""
        return self._own if 2 * self.answers.classes + 2 > MOST_SUMS else self._slopes(weights)

    @cached_property
    def _own(self) -> FloatArray:
        return self._slopes(self.answers.number[None].astype(np.float64))

    def _slopes(self, weights: FloatArray) -> FloatArray:
        per_sample = weights[:, self.answers.units]
        whole, scale = self.answers.scaled(per_sample)
        added = np.zeros(whole.shape)
        for run, called in zip(self._runs, self.called, strict=True):
            added += self._added(run.weighted(whole, self.answers.sizes), called) / len(self.called)
        # A sample that is drawn more often leaves less of its class to the others.
        with np.errstate(divide="ignore", invalid="ignore"):
            sums = _added_up(whole * added, self.answers.truth, self.answers.classes)
            means = sums / self.answers.sizes
        added = (added - means[:, self.answers.truth]) * scale
        number = weights.shape[1]
        if number == len(self.answers.units):
            return np.asarray(added[:, np.argsort(self.answers.units)])
        return _added_up(added, self.answers.units, number)

    def _added(self, tables: Tables, called: IntArray) -> FloatArray:
        """Return by how much the score of these tables rises with each sample."""
        classes, truth = self.answers.classes, self.answers.truth
        sizes = np.broadcast_to(self.answers.sizes, tables.predicted.shape)

        def function(sums: FloatArray) -> FloatArray:
            predicted, hits = sums[:, :classes], sums[:, classes:-2]
            return self.measure(Tables(sizes, predicted, hits, sums[:, -2], sums[:, -1]), self.empty)

        sums = np.column_stack([tables.predicted, tables.hits, tables.apart, tables.squared])
        rises = gradient(function, sums)
        apart = np.abs(truth - called).astype(np.float64)
        added = rises[:, called] + np.where(apart == 0, rises[:, classes + truth], 0.0)
        return np.asarray(added + rises[:, -2:-1] * apart + rises[:, -1:] * apart**2)


def _added_up(values: FloatArray, places: IntArray, number: int) -> FloatArray:
    """Add up values of shape (rows, samples) by the class or unit of each sample."""
    order = np.argsort(places, kind="stable")
    return sums_of(values[:, order], places[order], number)


def single_samples(
    truth: IntArray, models: Sequence[IntArray], classes: int, times: IntArray | None
) -> tuple[Answers, list[IntArray]]:
    """Return samples that are units, and what models call them; those that are alike are counted."""
    rows = np.stack([truth, *models]).astype(np.int64)
    kinds, at = np.unique(rows, axis=1, return_inverse=True)
    number = np.bincount(at.reshape(-1), times, kinds.shape[1]).astype(np.int64)
    return Answers.of(kinds[0], classes, times=number), list(kinds[1:])


def units_of(measure: ClassMeasure, answers: Answers, models: Sequence[IntArray], empty: float) -> Units:
    """Return the units with the scores of models, of shape (samples,) or (runs, samples)."""
    scores = [OfTables(measure, answers, np.atleast_2d(called).astype(np.int64), empty) for called in models]
    return Units(answers.number, answers.strata, tuple(scores))


def paired_answers(
    measure: ClassMeasure, answers: Answers, models: tuple[IntArray, IntArray], empty: float, seed: int
) -> PairedUnits:
    """Return two models' labels of the same units."""
    truth, units, (a, b) = answers.truth, answers.units, models
    number = int(units.max()) + 1
    both = zip(np.atleast_2d(a), np.atleast_2d(b), strict=True)
    runs = [Kinds(truth, one, other, answers.sizes, units) for one, other in both]

    def scores_of(first: FloatArray, second: FloatArray) -> FloatArray:
        return np.asarray(sum(measure(kinds.tables(first, second), empty) for kinds in runs) / len(runs))

    def worse() -> tuple[FloatArray, FloatArray]:
        worst, whole = 0 if measure.greater_is_better else 1, answers.times[None].astype(np.float64)
        ends = []
        for called in models:
            own_runs = (Run.of(truth, run, answers.classes) for run in np.atleast_2d(called))
            drawn = (run.weighted(whole, answers.sizes) for run in own_runs)
            tables = [Tables(*(part[0] for part in own)) for own in drawn]
            ends.append(np.mean([supposed(measure, table, empty)[worst] for table in tables], axis=0))
        return ends[0], ends[1]

    single = a.ndim == 1 and number == len(truth)
    alone = right_alone(a == truth, b == truth, answers.times) if single else None
    law: Callable[[], float] | None = partial(mcnemar, *alone) if alone and measure.counts_right else None
    differ = np.bincount(units, np.atleast_2d(a != b).any(axis=0), number) > 0
    exchanged = Exchanged(
        answers.number,
        0 * answers.number,
        differ,
        scores_of,
        law=law,
        samples=truth.size * len(runs),
        seed=seed,
    )
    drawn = units_of(measure, answers, models, empty)
    return PairedUnits(drawn, exchanged, worse, measure.bounds, seed, alone=alone)
