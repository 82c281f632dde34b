"""Labels whose samples are known one by one: runs that share them, and groups that belong together.

The true score is that of the true rates at these class sizes, as for single runs of independent samples, so
that resamples change rates and leave class sizes, and with them the bar, as they are.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.inference.bootstrap_t import Units as Drawn
from clearbar.problems._protocol import Bar, Problem, Tail
from clearbar.problems._tested import (
    NotTested,
    Resampled,
    Test,
    TestedProblem,
    not_permuted,
    tails_of_permuted,
)
from clearbar.problems.binary._labels import Labels
from clearbar.problems.binary._paired import paired_samples, units_of
from clearbar.problems.binary._policy import scoring
from clearbar.problems.binary._units import GroupedSamples, Rates, Samples, Units, own_rates
from clearbar.problems.bootstrap import SHARES, Bootstrap, acceleration
from clearbar.problems.groups import Groups
from clearbar.problems.paired import Paired, PairedInUnits, unpaired


@dataclass(frozen=True, eq=False)
class SampledLabels(PairedInUnits, TestedProblem, Labels):
    """Counts, and beside them the samples: predictions of shape (models, runs, samples), rows of each group.

    With `clusters`, the group of each sample, whole groups are independent; else samples are. Where groups
    are classes, or labels, of the same samples, these are held in other forms, and `positive` reads them.
    """

    truth: Any = dataclasses.field(kw_only=True)
    predicted: Any = dataclasses.field(kw_only=True)
    rows: tuple[Any, ...] = dataclasses.field(default=(slice(None),), kw_only=True)
    clusters: IntArray | None = dataclasses.field(default=None, kw_only=True)
    finest: float = dataclasses.field(default=1.0, kw_only=True)

    def pieces(self, measures: int) -> Iterator[tuple[slice, SampledLabels]]:  # noqa: ARG002 - all at once
        """Yield all groups together."""
        yield slice(None), self

    def one(self, model: int, group: int) -> Self:
        """Return the samples of one model in one group."""
        models, groups = slice(model, model + 1), slice(group, group + 1)
        return dataclasses.replace(
            self,
            models=self.models[models],
            groups=self.groups[groups],
            counts=self.counts[models, groups],
            predicted=self.predicted[models],
            rows=self.rows[groups],
        )

    def positive(self, models: slice, group: int) -> tuple[BoolArray, BoolArray]:
        """Return which samples of one group are positive, and which of them runs of models call so."""
        rows = self.rows[group]
        return self.truth[rows], self.predicted[models, :, rows]

    def _units(self, model: int, group: int) -> Units:
        truth, (predicted, *_) = self.positive(slice(model, model + 1), group)
        if self.clusters is None:
            return Samples(truth, predicted)
        return GroupedSamples(truth, predicted, Groups.of(self.clusters[self.rows[group]], truth, predicted))

    def paired(self, measure: Measure, a: int, b: int) -> Paired:
        """Return two models' labels: of samples with all their runs, or of whole groups."""
        units, others = (self._units(model, 0) for model in (a, b))
        if units.unknown:
            return unpaired(self, measure, (a, b), units.unknown)
        value_of = functools.partial(self._of, measure)
        return paired_samples(value_of, units, others, measure.bounds, self.seed)

    def units_of(self, measure: Measure, models: Sequence[int]) -> Drawn | str:
        """Return samples with all runs, or whole groups, with the scores of some models."""
        units = [self._units(model, 0) for model in models]
        return units[0].unknown or units_of(functools.partial(self._of, measure), units)

    def permuted(self, measure: Measure) -> FloatArray:
        """Return the mean scores of all models with labels in random order, or those of whole groups."""
        units = self._units(0, 0)
        if units.stuck:
            raise ValueError(f"labels cannot be put in random order: {units.stuck}.")
        predicted = self.positive(slice(None), 0)[1]
        units = dataclasses.replace(units, predicted=predicted.reshape(-1, len(units.truth)))
        values = self._values(measure, *_permuted_cells(units, self.seed))
        return np.asarray(values.reshape(len(values), *predicted.shape[:2]).mean(axis=2))

    @property
    def _is_single(self) -> bool:
        """Whether this is a single run of independent samples, which has an exact test."""
        return self.clusters is None and self.predicted.shape[1] == 1

    @property
    def _single(self) -> Labels:
        return Labels(self.models, self.groups, self.counts[..., 0], self.undefined)

    def at_the_bar(self, measures: Sequence[Measure], bars: Sequence[Bar], scores: FloatArray) -> Tail:
        """Return the exact test of a single run; else that of resamples."""
        problem: Any = self._single if self._is_single else super()
        tail: Tail = problem.at_the_bar(measures, bars, scores)
        return tail

    def tests(self, measures: Sequence[Measure], model: int, group: int) -> list[Test]:
        """Return the tests of a bootstrap of samples and runs, or of whole groups."""
        units = self._units(model, group)
        if units.unknown:
            return [NotTested(f"p_value is not known: {units.unknown}")] * len(measures)
        resamples = f"bootstrap resamples of {units.words}, which is approximate"
        return [
            Resampled(drawn, f"p_value is from {len(drawn.values):,} {resamples}")
            for drawn in self._bootstraps(measures, units)
        ]

    def within_interval(
        self, measures: Sequence[Measure], bars: Sequence[Bar], p_sure: FloatArray, level: float
    ) -> FloatArray:
        """Return those of exact tests, where nothing is resampled."""
        if self._is_single:
            return self._single.within_interval(measures, bars, p_sure, level)
        return Problem.within_interval(self, measures, bars, p_sure, level)  # not that of `Labels`

    def interval(self, measure: Measure, level: float) -> tuple[float, float]:
        """Return the scores that the bootstrap does not refute."""
        return self.intervals([measure], level)[0]

    def intervals(self, measures: Sequence[Measure], level: float) -> list[tuple[float, float]]:
        """Return those of several measures from the same resamples."""
        problem: Any = self._single if self._is_single else super()
        ends: list[tuple[float, float]] = problem.intervals(measures, level)
        return ends

    def _bootstraps(self, measures: Sequence[Measure], units: Units) -> list[Bootstrap]:
        """Resample once for all measures."""
        generator = np.random.default_rng(self.seed)
        parts = list(units.resampled(generator, self.finest))
        rates = Rates(*(np.concatenate([part[at] for part in parts]) for at in range(2)))
        runs = units.predicted.shape[0]
        weights = generator.multinomial(runs, np.full(runs, 1 / runs), size=len(rates.true)) / runs
        kept = [(rates, counts) for rates, counts in units.left_out()]
        own = own_rates(units)
        bootstraps = []
        for measure in measures:
            score = float(self._of(measure, own, units).mean())
            bootstraps.append(
                Bootstrap(
                    score,
                    # A run that is not drawn counts nothing, also one without a value.
                    np.where(weights > 0, weights * self._of(measure, rates, units), 0.0).sum(axis=1),
                    acceleration(
                        (self._of(measure, one, units).mean(axis=1), counts) for one, counts in kept
                    ),
                    len(units),
                    functools.partial(self._supposed, measure, own, units),
                )
            )
        return bootstraps

    def _supposed(self, measure: Measure, own: Rates, units: Units) -> tuple[FloatArray, FloatArray]:
        supposed = own.worse(SHARES), own.better(SHARES)
        lows, highs = (self._of(measure, rates, units).mean(axis=1) for rates in supposed)
        return (highs, lows) if measure.greater_is_better is False else (lows, highs)

    def _of(self, measure: Measure, rates: Rates, units: Units) -> FloatArray:
        """Evaluate rates at the class sizes, which need no whole numbers of samples."""
        positives = int(units.truth.sum())
        negatives = len(units.truth) - positives
        # Rounding must not leave 1e-17 of a sample where there is none.
        tp, fp = rates.true * positives, rates.false * negatives
        return self._values(measure, tp, fp, positives, negatives)

    def _values(self, measure: Measure, tp: FloatArray, fp: FloatArray, p: int, n: int) -> FloatArray:
        values = scoring(measure, p, n, self.undefined)(tp, fp)
        return np.where(np.isnan(tp) | np.isnan(fp), np.nan, values)

    def blind(self, measures: Sequence[Measure], scores: FloatArray) -> Tail:
        """Return how well labels in random order do, all runs together, or labels of whole groups."""
        if self._is_single:
            return self._single.blind(measures, scores[..., 0])
        return super().blind(measures, scores)

    def chances(self, measures: Sequence[Measure], scores: FloatArray, model: int, group: int) -> list[Tail]:
        """Return the shares of permutations of labels, or of whole groups, that score as well."""
        units = self._units(model, group)
        if isinstance(units, GroupedSamples) and units.groups.sizes_differ:
            return [units.groups.test(units.agreement)] * len(measures)
        if units.stuck:
            return [not_permuted(units.stuck)] * len(measures)
        cells = _permuted_cells(units, self.seed, self.finest)
        moved = "the labels" if self.clusters is None else f"the labels of {len(units):,} groups"
        note = f"p_value_blind is from {len(cells[0]):,} permutations of {moved}"
        values = (self._values(measure, *cells).mean(axis=1) for measure in measures)
        return tails_of_permuted(measures, values, scores, note, every=units.every_order)


def _permuted_cells(units: Units, seed: int, finest: float = 1.0) -> tuple[FloatArray, FloatArray, int, int]:
    """Return TP and FP of labels in random order, of shape (permutations, runs), and the class sizes."""
    tp = np.concatenate(list(units.permuted(np.random.default_rng(seed), finest)))
    positives = int(units.truth.sum())
    return tp, units.predicted.sum(axis=1) - tp, positives, len(units.truth) - positives


@dataclass(frozen=True, eq=False)
class SampledEach(SampledLabels):
    """Classes, or labels, as groups of the same samples; `positive` tells which samples have a code."""

    codes: IntArray = dataclasses.field(kw_only=True)

    def one(self, model: int, group: int) -> Self:
        """Return the samples of one model and one code."""
        return dataclasses.replace(super().one(model, group), codes=self.codes[group : group + 1])
