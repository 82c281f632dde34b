"""Sets of labels as a problem: samples with their true labels, and what each model calls them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import counts_of
from clearbar.core.label_sets import LabelSets
from clearbar.inference.bootstrap_t import Units
from clearbar.problems._protocol import Tail
from clearbar.problems._tested import Test, TestedProblem
from clearbar.problems.binary import Labels, SampledEach
from clearbar.problems.bootstrap import portions
from clearbar.problems.groups import Groups, in_random_order
from clearbar.problems.multilabel._compared import Compared
from clearbar.problems.multilabel._paired import paired_sets, units_of
from clearbar.problems.multilabel._resampled import tests_of
from clearbar.problems.multilabel.bars import LabelBaseline, label_bar
from clearbar.problems.multilabel.blind import agreement, by_permutation, permuted_scores, proved
from clearbar.problems.multilabel.measures import LabelMeasure
from clearbar.problems.paired import Paired, PairedInUnits, unpaired


@dataclass(frozen=True, eq=False)
class LabelledSamples(PairedInUnits, TestedProblem):
    """The true sets of labels of all samples, those that each model calls, and the samples of each group."""

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    truth: LabelSets
    called: tuple[LabelSets, ...]
    rows: tuple[Any, ...] = (slice(None),)
    zero_division: float = 0.0
    clusters: IntArray | None = None
    seed: int = 0
    finest: float = 1.0

    by_model = ("models", "called")
    by_group = ("groups", "rows")

    @cached_property
    def _truths(self) -> tuple[LabelSets, ...]:
        return tuple(self.truth.take(rows) for rows in self.rows)

    @cached_property
    def _compared(self) -> tuple[tuple[Compared, ...], ...]:
        """Per group the models beside the true labels."""
        return tuple(
            tuple(Compared(truth, called.take(rows)) for called in self.called)
            for truth, rows in zip(self._truths, self.rows, strict=True)
        )

    def _units(self, group: int) -> Groups:
        """Return what is drawn anew and permuted in a group: samples, or those that belong together."""
        return self.clusters_in(group) or Groups(np.arange(len(self._truths[group])))

    def bars(self, measures: Sequence[LabelMeasure]) -> tuple[LabelBaseline, ...]:
        """Return for each measure the bars of the groups."""
        for measure in measures:
            if measure not in self._known_bars:
                self._known_bars[measure] = label_bar(measure, self._truths, self.zero_division)
        return tuple(self._known_bars[measure] for measure in measures)

    @cached_property
    def _known_bars(self) -> dict[LabelMeasure, LabelBaseline]:
        return {}  # some are found by a long search, and tests ask for them again

    def scores(self, measures: Sequence[LabelMeasure]) -> FloatArray:
        """Return the scores; nan where there is no value."""
        return np.array(
            [
                [[group[at].score(m, self.zero_division) for m in measures] for group in self._compared]
                for at in range(len(self.models))
            ]
        )

    def paired(self, measure: LabelMeasure, a: int, b: int) -> Paired:
        """Return two models' sets of labels, sample by sample, or in whole groups of samples."""
        one, other = self._compared[0][a], self._compared[0][b]
        groups = self.clusters_in(0)
        if groups is not None and groups.too_few:
            return unpaired(self, measure, (a, b), groups.too_few)
        return paired_sets(measure, one, other, self.zero_division, self.clusters, self.seed)

    def units_of(self, measure: LabelMeasure, models: Sequence[int]) -> Units | str:
        """Return the samples, or whole groups of them, with the scores of some models."""
        groups = self.clusters_in(0)
        if groups is not None and groups.too_few:
            return groups.too_few
        compared = [self._compared[0][model] for model in models]
        return units_of(measure, compared, self.zero_division, self.clusters)

    def permuted(self, measure: LabelMeasure) -> FloatArray:
        """Return the scores of all models with the rows of labels in random order."""
        cost = len(self.truth.columns) * len(self.models)
        orders = in_random_order(np.arange(len(self.truth)), self.seed, self.clusters, samples=cost)
        return permuted_scores(measure, self._compared[0], self.zero_division, orders)

    def tests(self, measures: Sequence[LabelMeasure], model: int, group: int) -> list[Test]:
        """Return tests that are certified for the share that is right, else from a bootstrap."""
        with_optima = [(bar.measure, bar.optima[group]) for bar in self.bars(measures)]
        compared, units = self._compared[group][model], self._units(group)
        return tests_of(with_optima, compared, units, self.zero_division, self.seed, self.finest)

    def blind(self, measures: Sequence[LabelMeasure], scores: FloatArray) -> Tail:
        """Return how likely the rows of labels in random order score as well."""
        tails = [self._blind(measures, group, scores[:, group]) for group in range(len(self.groups))]
        shape = len(self.models), len(measures)
        parts = (tail.over(shape) for tail in tails)
        return Tail(*(np.stack(part, axis=1) for part in zip(*parts, strict=True)))

    def _blind(self, measures: Sequence[LabelMeasure], group: int, scores: FloatArray) -> Tail:
        """Return it for one group: from permutations, or a proved bound where these are too few to tell."""
        models, units = self._compared[group], self._units(group)
        if self.clusters is None:
            moved = "whole rows of labels"
            bounds = np.array([[proved(m, one, self.zero_division) for m in measures] for one in models])
        else:
            if units.sizes_differ:
                tails = [units.test(agreement(one)).over((len(measures),)) for one in models]
                return Tail(*(np.stack(part) for part in zip(*tails, strict=True)))
            why = units.too_few
            if why:
                return Tail.unknown(scores.shape, f"p_value_blind is not known: {why}")
            moved, bounds = f"{len(units):,} groups", np.ones(scores.shape)
        most = sum(portions(len(units), samples=len(models[0].truth.columns), finest=self.finest))
        every = units.counts_out(models[0].truth.kind)
        small = (bounds < 1 / (most + 1)) & (not every)
        left = np.where(small, math.nan, scores)
        shares, drawn = by_permutation(
            measures, models, units, self.zero_division, left, self.seed, self.finest
        )
        proof = ", or below a bound (Chatterjee 2007)" if self.clusters is None else ""
        words = f"p_value_blind is from up to {most:,} permutations of {moved}{proof}"
        upper, lower = (
            np.where(np.isnan(scores), math.nan, np.where(small, side, shares)) for side in (bounds, 0.0)
        )
        if every:  # all orders were looked at
            words, lower, drawn = "", upper, np.zeros_like(drawn)
        method = np.where(small | every, "exact", "permutation").astype(object)
        return Tail(upper, lower, words, method, drawn)

    def per_label(self, group: int) -> EachLabel:
        """Return the problem of each label on its own in one group: the labels are its groups."""
        compared, labels = self._compared[group], self.truth.labels
        counts = counts_of(
            np.stack(cells) for cells in zip(*(own.counts.cells for own in compared), strict=True)
        )
        if self.clusters is None:
            return EachLabel(self.models, labels, counts, seed=self.seed)
        return SampledEachLabel(
            self.models, labels, counts, seed=self.seed,
            truth=self._truths[group], predicted=tuple(own.called for own in compared),
            rows=(slice(None),) * len(labels), clusters=self.clusters[self.rows[group]],
            codes=np.arange(len(labels)),
        )  # fmt: skip

    def why_undefined(self, measure: LabelMeasure, missing: BoolArray) -> Any:
        """Say what a model without a value lacks."""
        reasons = []
        for model, group in zip(*np.nonzero(missing), strict=True):
            compared = self._compared[group][model]
            lacking = "it calls no label" if compared.truth.counts.any() else "no label occurs"
            reasons.append(f"{measure.label} has no value here: {lacking}")
        return reasons


@dataclass(frozen=True)
class EachLabel(Labels):
    """Each label on its own: the groups are the labels, all of the same samples."""

    group_words = "label", "labels"
    overlapping = "each label on its own"


@dataclass(frozen=True, eq=False)
class SampledEachLabel(SampledEach, EachLabel):
    """The same of samples that belong together: true sets of labels, and those that each model calls."""

    def positive(self, models: slice, group: int) -> tuple[BoolArray, BoolArray]:
        """Return which samples have one label, and which of them models call so."""
        samples = np.arange(len(self.truth))
        label = np.full_like(samples, self.codes[group])
        called = [model.has(samples, label)[None] for model in self.predicted[models]]
        return self.truth.has(samples, label), np.stack(called)
