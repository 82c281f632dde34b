"""Many classes whose samples are known one by one: runs that share them, and groups that belong together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.counts import counts_of
from clearbar.inference.bootstrap_t import Units
from clearbar.inference.permutation import agreement
from clearbar.problems._protocol import Tail
from clearbar.problems._tested import Test, not_permuted, tails_of_permuted
from clearbar.problems.binary import SampledEach
from clearbar.problems.groups import Groups, in_random_order
from clearbar.problems.multiclass._canonical import by_order, canonical
from clearbar.problems.multiclass._measure import ClassMeasure
from clearbar.problems.multiclass._problem import ClassLabels, OneVersusRest
from clearbar.problems.multiclass._samples import Sampled
from clearbar.problems.multiclass._units import Answers, paired_answers, units_of
from clearbar.problems.multiclass.blind import permuted_scores
from clearbar.problems.multiclass.resampled import ClassBootstrap
from clearbar.problems.paired import Paired, unpaired


@dataclass(frozen=True, eq=False)
class SampledVersusRest(SampledEach, OneVersusRest):
    """The same of runs that share samples, or of samples that belong together, as codes of classes."""

    @classmethod
    def of(
        cls,
        models: tuple[str, ...],
        labels: Sequence[Any],
        truth: IntArray,
        predicted: IntArray,
        clusters: IntArray | None,
        seed: int,
    ) -> SampledVersusRest:
        """Count every class against the rest in every run; `predicted` has shape (models, runs, samples)."""
        runs = predicted.reshape(-1, len(truth))
        hits, called = (
            np.stack([np.bincount(codes, minlength=len(labels)) for codes in selected]).reshape(
                *predicted.shape[:2], -1
            )
            for selected in ([run[run == truth] for run in runs], runs)
        )
        positives = np.bincount(truth, minlength=len(labels))
        cells = hits, called - hits, positives - hits, len(truth) - positives - called + hits
        counts = counts_of(cell.swapaxes(1, 2) for cell in cells)
        if clusters is not None and predicted.shape[1] == 1:
            counts = counts[..., 0]
        return cls(
            models, tuple(labels), counts, truth=truth, predicted=predicted,
            rows=(slice(None),) * len(labels), clusters=clusters, seed=seed,
            codes=np.arange(len(labels)),
        )  # fmt: skip

    def positive(self, models: slice, group: int) -> tuple[BoolArray, BoolArray]:
        """Return which samples are of one class, and which of them runs of models call so."""
        label = self.codes[group]
        return self.truth == label, self.predicted[models] == label


@dataclass(frozen=True, eq=False)
class SampledClasses(ClassLabels):
    """Confusion matrices, and beside them the samples: labels, rows of each group, and what models call them.

    Predictions of a model have shape (samples,); or (runs, samples), and its matrices are of its first run.
    With `clusters`, the group of each sample, whole groups are independent; else samples are.
    """

    truth: IntArray = field(kw_only=True)
    predicted: tuple[IntArray, ...] = field(kw_only=True)
    rows: tuple[Any, ...] = field(kw_only=True)
    clusters: IntArray | None = field(kw_only=True)

    @property
    def has_runs(self) -> bool:
        """Whether models were run several times."""
        return self.predicted[0].ndim == 2

    @property
    def runs(self) -> int:
        """How many runs each model has."""
        return len(self.predicted[0]) if self.has_runs else 1

    def part(self, models: Sequence[int], groups: Sequence[int]) -> Self:
        """Return some models in some groups, by their positions."""
        return replace(super().part(models, groups), rows=tuple(self.rows[at] for at in groups))

    @cached_property
    def _sampled(self) -> tuple[tuple[Sampled, ...], ...]:
        """Per model the samples of each group."""
        return tuple(
            tuple(self._samples(model, group, ordered=True) for group in range(len(self.groups)))
            for model in range(len(self.models))
        )

    @cached_property
    def _unordered(self) -> tuple[tuple[Sampled, ...], ...]:
        """The same with classes in an order that their names have no part in."""
        return tuple(
            tuple(self._samples(model, group, ordered=False) for group in range(len(self.groups)))
            for model in range(len(self.models))
        )

    def _samples(self, model: int, group: int, *, ordered: bool) -> Sampled:
        rows, classes = self.rows[group], len(self.matrices[0][0].labels)
        truth, called = self.truth[rows], np.atleast_2d(self.predicted[model])[:, rows]
        clusters = None if self.clusters is None else self.clusters[rows]
        if not ordered:
            whole = np.tile(truth, len(called))
            counted = ConfusionMatrix.of(range(classes), whole, called.ravel(), np.ones_like(whole))
            place = np.argsort(canonical(counted))
            truth, called = place[truth], place[called]
        return Sampled.of(truth, called, clusters, classes)

    def scores(self, measures: Sequence[ClassMeasure]) -> FloatArray:
        """Return the scores, with a last axis of runs if there are several; nan where there is no value."""
        if not self.has_runs:
            return super().scores(measures)
        return np.array(
            [[own.scores(measures, self.zero_division) for own in groups] for groups in self._sampled]
        )

    def _in_answers(
        self, measure: ClassMeasure, models: Sequence[int]
    ) -> tuple[Answers, list[IntArray]] | str:
        """Return true classes, units, and what some models call samples; or why no units are drawn anew."""
        truth, called = self._labels(measure, models)
        classes = len(self.matrices[0][0].labels)
        if self.clusters is None:
            return Answers.of(truth, classes), called
        groups = Groups.of(self.clusters)
        return groups.too_few or (Answers.of(truth, classes, groups.codes), called)

    def paired(self, measure: ClassMeasure, a: int, b: int) -> Paired:
        """Return two models' labels, sample by sample with all their runs, or group by group."""
        found = self._in_answers(measure, (a, b))
        if isinstance(found, str):
            return unpaired(self, measure, (a, b), found)
        answers, (one, two) = found
        return paired_answers(measure, answers, (one, two), self.zero_division, self.seed)

    def units_of(self, measure: ClassMeasure, models: Sequence[int]) -> Units | str:
        """Return samples with all runs, or whole groups, with the scores of some models."""
        found = self._in_answers(measure, models)
        return found if isinstance(found, str) else units_of(measure, *found, self.zero_division)

    def permuted(self, measure: ClassMeasure) -> FloatArray:
        """Return the scores of all models, means over their runs, with labels in random order."""
        runs = [run for predicted in self.predicted for run in np.atleast_2d(predicted)]
        sizes = self.matrices[0][0].true_counts
        values = permuted_scores(measure, runs, sizes, self.zero_division, self._orders())
        return np.asarray(values.reshape(len(values), len(self.models), self.runs).mean(axis=2))

    def _orders(self) -> Iterator[IntArray]:
        """Yield labels in random order, or those of whole groups that traded places."""
        cost = len(self.truth) * len(self.predicted)
        return in_random_order(self.truth, self.seed, self.clusters, samples=cost)

    def tests(self, measures: Sequence[ClassMeasure], model: int, group: int) -> list[Test]:
        """Return the tests of a bootstrap of samples and runs, or of whole groups."""

        def drawn(places: list[int], *, ordered: bool) -> list[Test]:
            own = (self._sampled if ordered else self._unordered)[model][group]
            return own.tests([measures[at] for at in places], self.zero_division, self.seed, self.finest)

        return by_order(measures, drawn)

    def resampled(self, measures: Sequence[ClassMeasure], model: int) -> Sequence[ClassBootstrap]:
        """Return the resamples of one model in the first group, all of them drawn together."""

        def drawn(places: list[int], *, ordered: bool) -> list[ClassBootstrap]:
            own = (self._sampled if ordered else self._unordered)[model][0]
            return own.bootstraps([measures[at] for at in places], self.zero_division, self.seed)

        return by_order(measures, drawn)

    def shuffled(self, measures: Sequence[ClassMeasure], model: int) -> FloatArray:
        """Return the mean scores of one model with labels in random order: (measures, permutations)."""
        return self._shuffled_in(measures, model, 0, every=False)

    def _shuffled_in(
        self, measures: Sequence[ClassMeasure], model: int, group: int, *, every: bool
    ) -> FloatArray:
        def values(places: list[int], *, ordered: bool) -> FloatArray:
            own = (self._sampled if ordered else self._unordered)[model][group]
            named = [measures[at] for at in places]
            return own.permuted(named, self.zero_division, self.seed, every=every, finest=self.finest)

        return np.array(by_order(measures, values))

    def contributions(self, model: int) -> tuple[FloatArray, FloatArray]:
        """Return what whole groups of the first group add to its mean agreement, and their shares of it."""
        own, total = self._sampled[model][0], len(self._sampled[model][0].truth)
        added = own.groups.sums(agreement(own.truth, own.called, own.classes))
        return added / total, own.groups.sizes / total

    def stuck(self, model: int) -> str:
        """Say why labels cannot be put in random order; empty where they can."""
        own = self._sampled[model][0]
        return own.groups.stuck(own.truth)

    def clusters_in(self, group: int) -> Groups:
        """Return the groups, or the samples, that trade places in one group."""
        return self._sampled[0][group].groups

    def per_class(self, group: int) -> SampledVersusRest:
        """Return the problem of each class against the rest in one group, with the samples it needs."""
        rows = self.rows[group]
        clusters = None if self.clusters is None else self.clusters[rows]
        called = np.stack([np.atleast_2d(predicted)[:, rows] for predicted in self.predicted])
        return SampledVersusRest.of(
            self.models, self.matrices[0][0].labels, self.truth[rows], called, clusters, self.seed
        )

    def chances(
        self, measures: Sequence[ClassMeasure], scores: FloatArray, model: int, group: int
    ) -> list[Tail]:
        """Return how likely labels in random order, or of whole groups that trade them, do as well."""
        own = self._sampled[model][group]
        if self.clusters is not None and own.groups.sizes_differ:
            return [own.groups.test(agreement(own.truth, own.called, own.classes))] * len(measures)
        why = own.groups.stuck(own.truth)
        if why:
            return [not_permuted(why)] * len(measures)
        words = "the labels" if self.clusters is None else "whole groups"
        values = self._shuffled_in(measures, model, group, every=True)
        note = f"p_value_blind is from permutations of {words}"
        return tails_of_permuted(measures, values, scores, note, every=own.groups.counts_out(own.truth))

    def why_undefined(self, measure: ClassMeasure, missing: BoolArray) -> Any:
        """Say what a matrix without a value lacks."""
        if not self.has_runs:
            return super().why_undefined(measure, missing)
        return [f"{measure.label} has no value in some of the runs"] * int(missing.sum())
