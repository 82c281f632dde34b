"""Answers of models kept sample by sample: a base, and the first few classes that scores name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.reasons import NoValue
from clearbar.inference.bootstrap import Test
from clearbar.inference.differences import Means, PairedUnits
from clearbar.inference.exchange import Paired, right_alone
from clearbar.inference.units import ENOUGH, SHARES, Groups, Units
from clearbar.problems._protocol import Problem
from clearbar.problems.multiclass.bars import ClassBaseline, Sizes, class_bar
from clearbar.problems.multiclass.exact import Certified
from clearbar.problems.multiclass.measures import ClassMeasure


@dataclass(frozen=True, eq=False)
class ClassSamples(Problem):
    """The true class of each sample, and for each model an array of a row per sample."""

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    labels: tuple[Any, ...]
    truth: IntArray
    answers: tuple[Any, ...]
    rows: tuple[Any, ...] = (slice(None),)
    clusters: IntArray | None = None
    seed: int = field(default=0, kw_only=True)
    finest: float = field(default=1.0, kw_only=True)
    kept_tests: dict[Any, Test] = field(default_factory=dict, kw_only=True, repr=False)

    by_model = ("models", "answers")
    by_group = ("groups", "rows")
    models_together: ClassVar[bool] = False

    @cached_property
    def sizes(self) -> Sizes:
        """The class sizes of each group."""
        counts = [np.bincount(self.truth[rows], minlength=len(self.labels)) for rows in self.rows]
        return Sizes(self.labels, np.stack(counts))

    def bars(self, measures: Sequence[Any]) -> tuple[ClassBaseline, ...]:
        return tuple(class_bar(measure, self.sizes, 0.0) for measure in measures)

    def of_group(self, group: int, models: Sequence[int] | None) -> tuple[IntArray, list[Any], Any]:
        """Return the classes of the samples of a group, the answers of some models, and their clusters."""
        rows, model_indices = self.rows[group], range(len(self.models)) if models is None else models
        clusters = None if self.clusters is None else self.clusters[rows]
        return self.truth[rows], [self.answers[model][rows] for model in model_indices], clusters


@dataclass(frozen=True, eq=False)
class TopClasses(ClassSamples):
    """The true class of each sample, and the first classes that each model names for it, best first."""

    def scores(self, measures: Sequence[ClassMeasure]) -> FloatArray:
        groups = [self.units(group).right(measures).mean(axis=2) for group in range(len(self.groups))]
        return np.stack(groups, axis=1).transpose(2, 1, 0)

    def units(
        self,
        group: int,
        models: Sequence[int] | None = None,
        *,
        joint: bool = False,
    ) -> TopUnits:
        truth, named, clusters = self.of_group(group, models)
        facts: dict[str, Any] = {"seed": self.seed, "finest": self.finest}
        return TopUnits(truth, np.stack(named), len(self.labels), clusters, **facts)

    def exact_tests(self, measures: Sequence[ClassMeasure], model: int, group: int) -> list[Test | None]:
        """Return the certified tests of the share that is right."""
        if self.clusters is not None:
            return [None] * len(measures)
        right = self.units(group, [model]).right(measures)[:, 0]
        return [Certified(int(hits.sum()), len(hits)) for hits in right]

    def paired(self, measure: ClassMeasure, a: int, b: int) -> Paired:
        if self.clusters is not None:
            return super().paired(measure, a, b)
        right = self.units(0, [a, b]).right([measure])[0]
        return PairedUnits(Means(right, 1.0, self.seed, alone=right_alone(*right), counted=True), measure)

    def why_undefined(self, measure: ClassMeasure, missing: BoolArray) -> Any:
        return [NoValue(measure.label)] * int(missing.sum())


class TopUnits(Units):
    """Samples, or whole clusters, with the classes that models name: (models, samples, classes named)."""

    enough = ENOUGH
    fewest = 1

    def __init__(
        self,
        truth: IntArray,
        named: IntArray,
        classes: int,
        clusters: IntArray | None,
        *,
        seed: int = 0,
        finest: float = 1.0,
    ) -> None:
        self.truth, self.named, self.classes, self.seed, self.finest = truth, named, classes, seed, finest
        self.models, self.samples = len(named), len(truth)
        if clusters is not None:
            self.clusters = Groups.of(clusters, truth, *named.swapaxes(1, 2).reshape(-1, len(truth)))

    @property
    def held(self) -> FloatArray:
        if self.clusters is not None:
            return super().held
        return np.concatenate([self.truth[None], *self.named.swapaxes(1, 2)]).astype(np.float64)

    def right(self, measures: Sequence[ClassMeasure], truth: IntArray | None = None) -> BoolArray:
        """Return which samples are right, (measures, models, ..., samples), for each row of true labels."""
        labels = (self.truth if truth is None else truth)[..., None]
        named = [self.named[:, :, : measure.named_classes] for measure in measures]
        return np.array([[(labels == first).any(axis=-1) for first in by_model] for by_model in named])

    def score(self, measures: Sequence[ClassMeasure], weights: FloatArray) -> FloatArray:
        of_samples = self.per_sample(weights)
        return np.asarray(self.right(measures) @ of_samples.T / of_samples.sum(axis=1))

    def failing(self, measure: ClassMeasure, model: int) -> tuple[FloatArray, FloatArray]:
        score = float(self.right([measure])[0, model].mean())
        return score * (1 - SHARES), score * (1 - SHARES) + SHARES

    @property
    def labels(self) -> IntArray:
        return self.truth

    def order_cost(self, measures: Sequence[ClassMeasure]) -> int:
        return self.named.size

    def shuffled(self, measures: Sequence[ClassMeasure], orders: IntArray) -> FloatArray:
        return np.asarray(self.right(measures, self.truth[orders]).mean(axis=-1))

    def agreement(self, measure: ClassMeasure, model: int) -> FloatArray:
        """Return what each sample adds to how often its class is named, beyond what shares explain."""
        named = self.named[model, :, : measure.named_classes]
        of_truth = np.bincount(self.truth, minlength=self.classes) / self.samples
        of_named = np.bincount(named.ravel(), minlength=self.classes) / self.samples
        hit, expected = (named == self.truth[:, None]).any(axis=1), of_truth[named].sum(axis=1)
        return np.asarray(hit - of_named[self.truth] - expected + of_truth @ of_named)

    # -- two models -------------------------------------------------------------------------------------
    def mixed(self, measure: ClassMeasure, first: FloatArray, second: FloatArray) -> FloatArray:
        right_a, right_b = self.right([measure])[0].astype(np.float64)
        a, b = self.per_sample(first), self.per_sample(second)
        return np.asarray((a @ right_a + b @ right_b) / (a + b).sum(axis=1))

    def differ(self) -> BoolArray:
        unlike = (self.named[0] != self.named[1]).any(axis=1)
        return np.asarray(self.added_up(unlike.astype(np.float64)) > 0)
