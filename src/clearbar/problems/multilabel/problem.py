"""Sets of labels as a problem: samples with their true labels, and what each model calls them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import counts_of
from clearbar.core.label_sets import LabelSets
from clearbar.core.reasons import NoValue
from clearbar.inference.bootstrap import Test
from clearbar.problems._protocol import Problem
from clearbar.problems.binary import Labels
from clearbar.problems.multiclass.exact import Certified
from clearbar.problems.multilabel.bars import LabelBaseline, label_bar
from clearbar.problems.multilabel.measures import LabelMeasure
from clearbar.problems.multilabel.units import Compared, SetUnits


@dataclass(frozen=True, eq=False)
class LabelledSamples(Problem):
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
    kept_tests: dict[Any, Test] = field(default_factory=dict, repr=False)

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

    def bars(self, measures: Sequence[LabelMeasure]) -> tuple[LabelBaseline, ...]:
        return tuple(self._bar(measure) for measure in measures)

    @cached_property
    def _bar(self) -> Callable[[LabelMeasure], LabelBaseline]:
        """The bar of a measure; some are found by a long search, and tests ask for them again."""
        return cache(lambda measure: label_bar(measure, self._truths, self.zero_division))

    def scores(self, measures: Sequence[LabelMeasure]) -> FloatArray:
        """Return the scores; nan where there is no value."""
        return np.array([
            [[group[model].score(m, self.zero_division) for m in measures] for group in self._compared]
            for model in range(len(self.models))
        ])  # fmt: skip

    def units(self, group: int, models: Sequence[int] | None = None, *, joint: bool = False) -> SetUnits:
        compared = self._compared[group]

        def constant(measure: LabelMeasure) -> BoolArray:
            called = self._bar(measure).optima[group].called
            return np.zeros(len(self.truth.labels), dtype=bool) if called is None else called

        return SetUnits(
            [compared[model] for model in (range(len(self.models)) if models is None else models)],
            constant,
            self.zero_division,
            None if self.clusters is None else self.clusters[self.rows[group]],
            seed=self.seed,
            finest=self.finest,
            joint=joint,
        )

    def exact_tests(self, measures: Sequence[LabelMeasure], model: int, group: int) -> list[Test | None]:
        """Return the certified tests of the share that is right."""
        if self.clusters is not None:
            return [None] * len(measures)
        right = self._compared[group][model].right
        hits, total = int(np.count_nonzero(right)), len(right)
        return [Certified(hits, total, not m.greater_is_better) if m.counts_right else None for m in measures]

    def per_label(self, group: int) -> EachLabel:
        """Return the problem of each label on its own in one group: the labels are its groups."""
        compared, labels = self._compared[group], self.truth.labels
        cells = np.array([model.by_label for model in compared], dtype=np.int64)
        (true, called, both), total = cells.swapaxes(0, 1), len(self._truths[group])
        counts = counts_of((both, called - both, true - both, total - true - called + both))
        if self.clusters is None:
            return EachLabel(self.models, labels, counts, seed=self.seed)
        return SampledEachLabel(
            self.models, labels, counts, seed=self.seed,
            truth=self._truths[group], predicted=tuple(model.called for model in compared),
            rows=tuple(range(len(labels))), clusters=self.clusters[self.rows[group]],
        )  # fmt: skip

    def why_undefined(self, measure: LabelMeasure, missing: BoolArray) -> Any:
        """Say what a model without a value lacks."""
        reasons = []
        for model, group in zip(*np.nonzero(missing), strict=True):
            compared = self._compared[group][model]
            lacking = "it calls no label" if compared.truth.counts.any() else "no label occurs"
            reasons.append(NoValue(measure.label, (lacking,)))
        return reasons


@dataclass(frozen=True)
class EachLabel(Labels):
    """Each label on its own: the groups are the labels, all of the same samples."""

    group_words = "label", "labels"
    overlapping = "each label on its own"


@dataclass(frozen=True, eq=False)
class SampledEachLabel(EachLabel):
    """The same of samples that belong together: true sets of labels, and those that each model calls."""

    def samples(self, models: Sequence[int], group: int) -> tuple[BoolArray, BoolArray, IntArray | None]:
        """Return which samples have one label, which of them models call so, and clusters."""
        samples = np.arange(len(self.truth))
        label = np.full_like(samples, self.rows[group])
        called = [self.predicted[model].has(samples, label)[None] for model in models]
        return self.truth.has(samples, label), np.stack(called), self.clusters
