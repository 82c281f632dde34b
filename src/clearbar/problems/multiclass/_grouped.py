"""Samples of many classes that belong together: whole groups are drawn anew, their labels trade places."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.problems._protocol import Bar, Tail
from clearbar.problems.bootstrap import Bootstrap, acceleration, at_least_as_good
from clearbar.problems.groups import Groups
from clearbar.problems.multiclass._measure import ClassMeasure
from clearbar.problems.multiclass._paired import paired_classes
from clearbar.problems.multiclass._problem import ClassLabels, OneVersusRest
from clearbar.problems.multiclass._tables import Tables
from clearbar.problems.multiclass.blind import counted
from clearbar.problems.multiclass.resampled import supposed
from clearbar.problems.paired import Paired, Unpaired


@dataclass(frozen=True, eq=False)
class Grouped:
    """Samples sorted by what they were called: true and predicted classes; their order, and their groups."""

    truth: IntArray
    called: IntArray
    order: IntArray  # where each sample stood
    groups: Groups  # of the samples as they stood: labels trade places in that order
    classes: int

    @classmethod
    def of(cls, truth: IntArray, called: IntArray, clusters: IntArray, classes: int) -> Grouped:
        """Sort samples by their predicted class."""
        order = np.argsort(called, kind="stable")
        return cls(truth[order], called[order], order, Groups.of(clusters, truth, called), classes)

    def weighted(self, weights: FloatArray) -> Tables:
        """Return the tables of samples with weights of shape (tables, samples)."""
        hits = np.where(self.truth == self.called, weights, 0.0)
        step = np.abs(self.truth - self.called).astype(np.float64)
        return Tables(
            self._of_truth(weights),
            self._sums(weights, self.called),
            self._sums(hits, self.called),
            weights @ step,
            weights @ step**2,
        )

    def _of_truth(self, weights: FloatArray) -> FloatArray:
        """Add up weights of shape (tables, samples) within true classes."""
        order = np.argsort(self.truth, kind="stable")
        return self._sums(weights[:, order], self.truth[order])

    def _sums(self, values: FloatArray, sorted_classes: IntArray) -> FloatArray:
        sums = np.zeros((len(values), self.classes))
        first = np.flatnonzero(np.diff(sorted_classes, prepend=-1))
        sums[:, sorted_classes[first]] = np.add.reduceat(values, first, axis=1)
        return sums

    def _at_their_sizes(self, parts: Iterator[IntArray]) -> Iterator[Tables]:
        """Yield tables of weighted groups, each class scaled back to its size; nan where one is gone."""
        sizes = np.bincount(self.truth, minlength=self.classes)
        for weights in parts:
            own = weights[:, self.groups.codes[self.order]].astype(np.float64)
            drawn = self._of_truth(own)
            with np.errstate(divide="ignore", invalid="ignore"):
                scale = np.where(drawn > 0, sizes / drawn, np.nan)
            yield self.weighted(own * scale[:, self.truth])

    def bootstraps(self, measures: Sequence[ClassMeasure], empty: float, seed: int) -> list[Bootstrap]:
        """Resample whole groups."""
        samples = len(self.truth)
        drawn = self._at_their_sizes(self.groups.weights(np.random.default_rng(seed), samples=samples))
        values = _evaluated(measures, drawn, empty)
        left = _evaluated(measures, self._at_their_sizes(self.groups.all_but_one(samples=samples)), empty)
        observed = self.weighted(np.ones((1, samples)))
        observed = Tables(*(part[0] for part in observed))
        alike = np.ones(len(self.groups), dtype=np.int64)
        return [
            Bootstrap(
                float(measure(observed, empty)),
                own,
                acceleration([(without, alike)]),
                len(self.groups),
                lambda measure=measure: supposed(measure, observed, empty),  # type: ignore[misc]
            )
            for measure, own, without in zip(measures, values, left, strict=True)
        ]

    def permuted(self, measures: Sequence[ClassMeasure], empty: float, seed: int) -> list[FloatArray]:
        """Evaluate measures where the labels of whole groups trade places."""
        sizes, called = (np.bincount(side, minlength=self.classes) for side in (self.truth, self.called))
        orders = self.groups.permuted(self.as_given, np.random.default_rng(seed))
        tables = (counted(own[:, self.order], self.called, sizes, called) for own in orders)
        return _evaluated(measures, tables, empty)

    @property
    def as_given(self) -> IntArray:
        """The true classes, of the samples as they stood."""
        truth = np.empty_like(self.truth)
        truth[self.order] = self.truth
        return truth


def _evaluated(measures: Sequence[ClassMeasure], parts: Iterator[Tables], empty: float) -> list[FloatArray]:
    values = [[measure(part, empty) for measure in measures] for part in parts]
    return [np.concatenate(column) for column in zip(*values, strict=True)]


@dataclass(frozen=True, eq=False)
class GroupedClasses(ClassLabels):
    """Confusion matrices, and beside them the samples: labels, predictions of each model, rows, clusters."""

    truth: IntArray = field(kw_only=True)
    own: tuple[IntArray, ...] = field(kw_only=True)
    rows: tuple[Any, ...] = field(kw_only=True)
    clusters: IntArray = field(kw_only=True)

    def part(self, models: Sequence[int], groups: Sequence[int]) -> Self:
        """Return some models in some groups, by their positions."""
        own, rows = tuple(self.own[at] for at in models), tuple(self.rows[at] for at in groups)
        return replace(super().part(models, groups), own=own, rows=rows)

    def paired(self, measure: ClassMeasure, a: int, b: int) -> Paired:
        """Return two models' labels, group by group."""
        groups = Groups.of(self.clusters)
        if groups.too_few:
            values = self.scores([measure])[[a, b], 0, 0].tolist()
            return Unpaired((values[0], values[1]), f"nothing is known of the difference: {groups.too_few}")
        answers = self.own[a], self.own[b]
        classes = len(self.matrices[0][0].labels)
        return paired_classes(measure, self.truth, answers, classes, self.zero_division, groups.codes)

    def _grouped(self, model: int, group: int) -> Grouped:
        rows = self.rows[group]
        classes = len(self.matrices[0][0].labels)
        return Grouped.of(self.truth[rows], self.own[model][rows], self.clusters[rows], classes)

    def at_the_bar(self, measures: Sequence[ClassMeasure], bars: Sequence[Bar], scores: FloatArray) -> Tail:
        """Return the two-sided test of a bootstrap of whole groups."""
        values, notes = np.full(scores.shape, math.nan), np.full(scores.shape, "", dtype=object)
        for model, group in self._cells("intervals"):
            grouped = self._grouped(model, group)
            judged = np.flatnonzero(~np.isnan(scores[model, group])).tolist()
            if grouped.groups.too_few:
                notes[model, group, judged] = f"p_value is not known: {grouped.groups.too_few}"
                continue
            drawn = grouped.bootstraps([measures[at] for at in judged], self.zero_division, self.seed)
            for at, bootstrap in zip(judged, drawn, strict=True):
                values[model, group, at] = bootstrap.p_value(float(np.asarray(bars[at].value)[group]))
                why = f"p_value is from resamples of {len(grouped.groups):,} groups, which is approximate"
                notes[model, group, at] = (
                    f"p_value is not known: {bootstrap.unknown}" if bootstrap.unknown else why
                )
        return Tail(values, values, notes)

    def intervals(self, measures: Sequence[ClassMeasure], level: float) -> list[tuple[float, float]]:
        """Return the scores that this test does not refute."""
        grouped = self._grouped(0, 0)
        if grouped.groups.too_few:
            return [(math.nan, math.nan)] * len(measures)
        drawn = grouped.bootstraps(measures, self.zero_division, self.seed)
        return [own.interval(level, measure.bounds) for own, measure in zip(drawn, measures, strict=True)]

    def per_class(self, group: int) -> OneVersusRest:  # noqa: ARG002
        """Refuse: counts of a class no longer say which samples belong together."""
        raise ValueError(
            "per_class would take samples of one group for independent; judge each class with "
            "evaluate(y_true == label, y_pred == label, clusters=...)."
        )

    def blind(self, measures: Sequence[ClassMeasure], scores: FloatArray) -> Tail:
        """Return how likely the labels of whole groups, traded among groups of their size, do as well."""
        tails, notes = np.full(scores.shape, math.nan), np.full(scores.shape, "", dtype=object)
        for model, group in self._cells("permutations"):
            grouped = self._grouped(model, group)
            groups = grouped.groups
            why = groups.too_few or groups.unmoved or groups.alike(grouped.as_given)
            if why:
                notes[model, group] = f"p_value_blind is not known: {why}"
                continue
            values = grouped.permuted(measures, self.zero_division, self.seed)
            for at, measure in enumerate(measures):
                score = float(scores[model, group, at])
                if not math.isnan(score):
                    up = bool(measure.greater_is_better)
                    tails[model, group, at] = at_least_as_good(values[at], score, greater_is_better=up)
                    notes[model, group, at] = "p_value_blind is from permutations of whole groups"
        return Tail(tails, tails, notes)
