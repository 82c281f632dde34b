"""Predictions of many classes as a problem: every answer is a function of confusion matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self, cast

import numpy as np

from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.counts import counts_of
from clearbar.inference.bootstrap import Test
from clearbar.inference.differences import PairPValues
from clearbar.inference.equal_scores import PairedCells, screened_p_values
from clearbar.inference.exchange import Paired, exchange
from clearbar.inference.units import Tail
from clearbar.problems._protocol import Problem
from clearbar.problems.binary import NOT_KNOWN, Labels
from clearbar.problems.multiclass._canonical import by_order, canonical, in_order, unnamed
from clearbar.problems.multiclass._cells import MOST_COMPARED, paired_classes
from clearbar.problems.multiclass._exact import Certified, OfTwo, exact_chances
from clearbar.problems.multiclass._measure import ClassMeasure
from clearbar.problems.multiclass._tables import Tables
from clearbar.problems.multiclass._units import ClassUnits
from clearbar.problems.multiclass.bars import ClassBaseline, Sizes, class_bar
from clearbar.problems.multiclass.estimated import MOST_CLASSES, estimates


@dataclass(frozen=True, eq=False)
class ClassLabels(Problem):
    """A confusion matrix of each model in each group, all of the same labels; the samples, where known.

    Predictions of a model have shape (samples,); or (runs, samples), and its matrices are of its first run.
    With `clusters`, the cluster of each sample, whole clusters are independent; else samples are.
    """

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    matrices: tuple[tuple[ConfusionMatrix, ...], ...]
    zero_division: float = 0.0
    truth: IntArray | None = field(default=None, kw_only=True)
    predicted: tuple[IntArray, ...] = field(default=(), kw_only=True)
    rows: tuple[Any, ...] = field(default=(slice(None),), kw_only=True)  # the samples of each group
    times: IntArray | None = field(default=None, kw_only=True)  # how often each of them occurs; once if None
    clusters: IntArray | None = field(default=None, kw_only=True)
    seed: int = field(default=0, kw_only=True)
    finest: float = field(default=1.0, kw_only=True)
    known: dict[Any, Test] = field(default_factory=dict, kw_only=True, repr=False)

    models_together = False  # each puts samples into cells of its own

    @property
    def has_runs(self) -> bool:
        return bool(self.predicted) and self.predicted[0].ndim == 2

    @property
    def runs(self) -> int:
        return len(self.predicted[0]) if self.has_runs else 1

    @property
    def single(self) -> bool:
        """Whether samples are independent and each model has one answer to each."""
        return self.clusters is None and not self.has_runs

    @cached_property
    def sizes(self) -> Sizes:
        """The class sizes of each group; all models have the same."""
        counts = np.stack([matrix.true_counts for matrix in self.matrices[0]])
        return Sizes(self.matrices[0][0].labels, counts)

    def bars(self, measures: Sequence[ClassMeasure]) -> tuple[ClassBaseline, ...]:
        return tuple(class_bar(measure, self.sizes, self.zero_division) for measure in measures)

    def scores(self, measures: Sequence[ClassMeasure]) -> FloatArray:
        if self.has_runs:
            shape = len(self.models), len(self.groups)
            values = [self._observed(measures, model, group) for model, group in np.ndindex(shape)]
            return np.array(values).reshape(*shape, len(measures), self.runs)
        tables = [[Tables.of(matrix) for matrix in model] for model in self.matrices]
        return np.array(
            [[[float(m(table, self.zero_division)) for m in measures] for table in model] for model in tables]
        )

    def _observed(self, measures: Sequence[ClassMeasure], model: int, group: int) -> list[list[float]]:
        tables = self.units(group, [model]).observed(0)
        return [[float(measure(table, self.zero_division)) for table in tables] for measure in measures]

    def one(self, model: int, group: int) -> ClassLabels:
        return self.part([model], [group])

    def part(self, models: Sequence[int], groups: Sequence[int]) -> Self:
        """Return some models in some groups, by their positions."""
        of_groups = len(self.rows) == len(self.groups)
        return replace(
            self,
            models=tuple(self.models[model] for model in models),
            groups=tuple(self.groups[group] for group in groups),
            matrices=tuple(tuple(self.matrices[model][group] for group in groups) for model in models),
            predicted=tuple(self.predicted[model] for model in models) if self.predicted else (),
            rows=tuple(self.rows[group] for group in groups) if of_groups else self.rows,
        )

    # -- inference --------------------------------------------------------------------------------------
    def units(self, group: int, models: Sequence[int] | None = None, *, joint: bool = False) -> ClassUnits:
        chosen = list(range(len(self.models)) if models is None else models)
        facts: dict[str, Any] = {"seed": self.seed, "finest": self.finest, "joint": joint}
        classes, empty = len(self.matrices[0][0].labels), self.zero_division
        if self.single and not joint and len(chosen) == 1:
            matrix = self.matrices[chosen[0]][group]
            called = [matrix.columns[None]]
            return ClassUnits(matrix.rows, called, classes, empty, times=matrix.values, **facts)
        if self.truth is None:
            raise ValueError(NOT_KNOWN)
        rows = self.rows[group]
        called = [np.atleast_2d(self.predicted[model])[:, rows] for model in chosen]
        clusters, times = (None if side is None else side[rows] for side in (self.clusters, self.times))
        return ClassUnits(self.truth[rows], called, classes, empty, clusters=clusters, times=times, **facts)

    def exact_tests(self, measures: Sequence[ClassMeasure], model: int, group: int) -> list[Test | None]:
        """Return exact tests of two classes, certified ones of shares that are right, estimates of few."""
        if not self.single:
            return [None] * len(measures)
        matrix = self.matrices[model][group]
        tests: list[Test | None] = [OfTwo.of(measure, matrix) for measure in measures]
        for place, measure in enumerate(measures):
            if tests[place] is None and measure.counts_right:
                tests[place] = Certified(matrix.correct, matrix.total, loss=not measure.greater_is_better)
        left = [place for place, test in enumerate(tests) if test is None]
        if np.count_nonzero(matrix.true_counts + matrix.predicted_counts) <= MOST_CLASSES:
            named = [measures[place] for place in left]

            def fitted(places: list[int], *, ordered: bool) -> Sequence[Test]:
                observed = matrix if ordered else in_order(matrix, canonical(matrix))
                return estimates([named[place] for place in places], observed, self.zero_division, self.seed)

            for place, test in zip(left, by_order(named, fitted), strict=True):
                tests[place] = test
        return tests

    def exact_chances(
        self, measures: Sequence[ClassMeasure], scores: FloatArray, model: int, group: int
    ) -> list[Tail | None]:
        if not self.single:
            return [None] * len(measures)
        return exact_chances(measures, Tables.of(self.matrices[model][group]), self.zero_division, scores)

    def _cells(self, measure: ClassMeasure, a: int, b: int) -> PairedCells | None:
        """Return two models' answers counted by class; None of many classes, clusters or runs."""
        classes = len(self.matrices[0][0].labels)
        if classes > MOST_COMPARED or self.truth is None or not self.single:
            return None
        times = np.ones(len(self.truth), dtype=np.int64) if self.times is None else self.times
        truth, called = self.truth, [self.predicted[model] for model in (a, b)]
        if not measure.ordered:
            truth, called = unnamed(truth, called, classes, self.times)
        return paired_classes(
            measure,
            truth,
            (called[0], called[1]),
            times,
            classes,
            self.zero_division,
            self.seed,
            lambda: exchange(self.units(0, [a, b], joint=True), measure),
        )

    def paired(self, measure: ClassMeasure, a: int, b: int) -> Paired:
        return self._cells(measure, a, b) or super().paired(measure, a, b)

    def pair_p_values(self, measure: ClassMeasure, a: IntArray, b: IntArray, *, alpha: float) -> PairPValues:
        if self._cells(measure, int(a[0]), int(b[0])) is None:
            return super().pair_p_values(measure, a, b, alpha=alpha)

        def pair(place: int) -> PairedCells:
            return cast("PairedCells", self._cells(measure, int(a[place]), int(b[place])))

        pairs = map(pair, tracked(list(range(len(a))), len(a), lambda _: 1, "pairs"))
        z, carried = np.array([(two.z(), two.carried_by) for two in pairs]).T
        screened = screened_p_values(z, carried, alpha, lambda place: pair(place).weighed_p_value())
        return PairPValues(screened.p_values, left=screened.left)

    # -- views ------------------------------------------------------------------------------------------
    def matrix(self, model: int, group: int) -> ConfusionMatrix:
        return self.matrices[model][group]

    def per_class(self, group: int) -> Labels:
        """Return the problem of each class against the rest in one group: the classes are its groups."""
        if self.single:
            counts = [model[group].one_vs_rest() for model in self.matrices]
            cells = zip(*(one.cells for one in counts), strict=True)
            together = counts_of(np.stack(cell) for cell in cells)
            return OneVersusRest(self.models, self.sizes.labels, together, seed=self.seed)
        assert self.truth is not None  # noqa: S101 - clusters and runs are of samples
        rows = self.rows[group]
        clusters = None if self.clusters is None else self.clusters[rows]
        called = np.stack([np.atleast_2d(predicted)[:, rows] for predicted in self.predicted])
        return SampledVersusRest.of(
            self.models, self.matrices[0][0].labels, self.truth[rows], called, clusters, self.seed
        )

    def why_undefined(self, measure: ClassMeasure, missing: BoolArray) -> Any:
        """Say what a matrix without a value lacks."""
        if self.has_runs:
            return [f"{measure.label} has no value in some of the runs"] * int(missing.sum())
        matrices = (self.matrices[model][group] for model, group in np.argwhere(missing).tolist())
        return [f"{measure.label} has no value here: {_lacking(matrix)}" for matrix in matrices]


def _lacking(matrix: ConfusionMatrix) -> str:
    if np.count_nonzero(matrix.true_counts) == 1:
        return "only one class occurs"
    if np.count_nonzero(matrix.predicted_counts) == 1:
        return "it predicts one class only"
    return "no class has a value"


@dataclass(frozen=True)
class OneVersusRest(Labels):
    """Each class against the rest: the groups are the classes, all of the same samples."""

    group_words = "class", "classes"
    overlapping = "each class against the rest"


@dataclass(frozen=True, eq=False)
class SampledVersusRest(OneVersusRest):
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
            rows=tuple(range(len(labels))), clusters=clusters, seed=seed,
        )  # fmt: skip

    def samples(self, models: Sequence[int], group: int) -> tuple[BoolArray, BoolArray, IntArray | None]:
        """Return which samples are of one class, which of them runs of models call so, and clusters."""
        label = self.rows[group]
        return self.truth == label, self.predicted[list(models)] == label, self.clusters
