"""Predictions of many classes as a problem: every answer is a function of confusion matrices."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self, cast

import numpy as np

from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.counts import counts_of
from clearbar.core.reasons import NoValue, OfMeasure
from clearbar.inference import Tail, multinomials
from clearbar.inference.bootstrap import Test
from clearbar.inference.equal_scores import EqualScores, screened_p_values
from clearbar.inference.exchange import Paired, PairPValues, exchange, right_alone
from clearbar.inference.units import order_of_runs
from clearbar.problems._protocol import Problem
from clearbar.problems.binary import Labels, counts_alone
from clearbar.problems.binary.problem import in_order
from clearbar.problems.multiclass.bars import ClassBaseline, Sizes, class_bar
from clearbar.problems.multiclass.exact import MOST_CLASSES, Certified, OfTwo, estimates, exact_chances
from clearbar.problems.multiclass.measures import ClassMeasure
from clearbar.problems.multiclass.names import places
from clearbar.problems.multiclass.tables import Tables, terms
from clearbar.problems.multiclass.units import ClassUnits

# Classes up to which both answers of every sample are counted; of more, there are too many cells.
MOST_COMPARED = 12


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
    kept_tests: dict[Any, Test] = field(default_factory=dict, kw_only=True, repr=False)

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
        shape = len(self.models), len(self.groups)
        values = [
            [[float(measure(table, self.zero_division)) for table in runs] for measure in measures]
            for runs in itertools.starmap(self._tables, np.ndindex(shape))
        ]
        by_run = np.array(values).reshape(*shape, len(measures), self.runs)
        return by_run if self.has_runs else by_run[..., 0]

    def _tables(self, model: int, group: int) -> list[Tables]:
        """Return the table of each run."""
        if self.has_runs:
            return self.units(group, [model]).observed(0)
        return [Tables.of(self.matrices[model][group])]

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
        named = list(range(len(self.models)) if models is None else models)
        facts: dict[str, Any] = {"seed": self.seed, "finest": self.finest, "joint": joint}
        classes, empty = len(self.matrices[0][0].labels), self.zero_division
        if self.single and not joint and len(named) == 1:
            matrix = self.matrices[named[0]][group]
            called = [matrix.columns[None]]
            return ClassUnits(matrix.rows, called, classes, empty, times=matrix.values, **facts)
        if self.truth is None:
            raise counts_alone("compare")
        rows = self.rows[group]
        truth, called = self.truth[rows], [np.atleast_2d(self.predicted[model])[:, rows] for model in named]
        right = np.array([(of_model == truth).sum(axis=1) for of_model in called])
        runs = order_of_runs(right, truth, called)  # whichever comes first
        called = [of_model[runs] for of_model in called]
        clusters, times = (None if codes is None else codes[rows] for codes in (self.clusters, self.times))
        return ClassUnits(truth, called, classes, empty, clusters=clusters, times=times, **facts)

    def exact_tests(self, measures: Sequence[ClassMeasure], model: int, group: int) -> list[Test | None]:
        """Return exact tests of two classes, certified ones of shares that are right, estimates of few."""
        if not self.single:
            return [None] * len(measures)
        matrix = self.matrices[model][group]
        tests: list[Test | None] = [
            OfTwo.of(measure, matrix) or Certified.of(measure, matrix) for measure in measures
        ]
        left = [measure for measure, test in zip(measures, tests, strict=True) if test is None]
        if left and np.count_nonzero(matrix.true_counts + matrix.predicted_counts) <= MOST_CLASSES:
            fitted = iter(estimates(left, matrix, self.zero_division, self.seed))
            return [test or next(fitted) for test in tests]
        return tests

    def exact_chances(
        self, measures: Sequence[ClassMeasure], scores: FloatArray, model: int, group: int
    ) -> list[Tail | None]:
        if not self.single:
            return [None] * len(measures)
        return exact_chances(measures, Tables.of(self.matrices[model][group]), self.zero_division, scores)

    def _cells(self, measure: ClassMeasure, a: int, b: int) -> EqualScores | None:
        """Return two models' answers counted by class; None of many classes, clusters or runs."""
        classes = len(self.matrices[0][0].labels)
        if classes > MOST_COMPARED or self.truth is None or not self.single:
            return None
        times = np.ones(len(self.truth), dtype=np.int64) if self.times is None else self.times
        rows = np.stack([self.truth, self.predicted[a], self.predicted[b]]).astype(np.int64)
        if not measure.ordered:
            rows = places(rows[0], rows[1:], times, classes)[rows]
        sizes = np.bincount(rows[0], times, minlength=classes).astype(np.float64)
        cells, counts = class_cells(measure, rows[0], (rows[1], rows[2]), times, sizes, self.zero_division)
        return EqualScores(
            cells,
            counts,
            measure.bounds,
            self.seed,
            exchangeable=lambda: exchange(self.units(0, [a, b], joint=True), measure),
            alone=right_alone(rows[1] == rows[0], rows[2] == rows[0], times),
        )

    def paired(self, measure: ClassMeasure, a: int, b: int) -> Paired:
        return self._cells(measure, a, b) or super().paired(measure, a, b)

    def pair_p_values(self, measure: ClassMeasure, a: IntArray, b: IntArray, *, alpha: float) -> PairPValues:
        if self._cells(measure, int(a[0]), int(b[0])) is None:
            return super().pair_p_values(measure, a, b, alpha=alpha)

        def pair(place: int) -> EqualScores:
            return cast("EqualScores", self._cells(measure, int(a[place]), int(b[place])))

        pairs = map(pair, tracked(list(range(len(a))), len(a), lambda _: 1, "pairs"))
        z, carried = np.array([(two.z(), two.carried_by) for two in pairs]).T
        return screened_p_values(z, carried, alpha, lambda place: pair(place).weighed_p_value())

    # -- views ------------------------------------------------------------------------------------------
    def matrix(self, model: int, group: int) -> ConfusionMatrix:
        return self.matrices[model][group]

    def per_class(self, group: int) -> Labels:
        """Return the problem of each class against the rest in one group: the classes are its groups."""
        labels = self.sizes.labels
        tables = [[table[:3] for table in self._tables(model, group)] for model in range(len(self.models))]
        positives, predicted, hits = np.moveaxis(np.array(tables, dtype=np.int64), (2, 3), (0, 2))
        rest = int(self.sizes.total[group]) - positives - predicted + hits
        cells = hits, predicted - hits, positives - hits, rest  # of each model, class and run
        counts = counts_of(cell if self.has_runs else cell[..., 0] for cell in cells)
        if self.single:
            return OneVersusRest(self.models, labels, counts, seed=self.seed)
        rows = self.rows[group]
        called = np.stack([np.atleast_2d(predicted)[:, rows] for predicted in self.predicted])
        clusters = None if self.clusters is None else self.clusters[rows]
        return SampledVersusRest(
            self.models, labels, counts,
            truth=cast("IntArray", self.truth)[rows], predicted=called, rows=tuple(range(len(labels))),
            clusters=clusters, seed=self.seed,
        )  # fmt: skip

    def why_undefined(self, measure: ClassMeasure, missing: BoolArray) -> Any:
        """Say what a matrix without a value lacks."""
        if self.has_runs:
            return [OfMeasure(f"{measure.label} has no value in some of the runs")] * int(missing.sum())
        matrices = (self.matrices[model][group] for model, group in np.argwhere(missing).tolist())
        return [NoValue(measure.label, (_lacking(matrix),)) for matrix in matrices]


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

    def samples(self, models: Sequence[int], group: int) -> tuple[BoolArray, BoolArray, IntArray | None]:
        """Return which samples are of one class, which of them runs of models call so, and clusters."""
        label = self.rows[group]
        truth, called = self.truth == label, self.predicted[list(models)] == label
        return truth, in_order(truth, called), self.clusters


def class_cells(
    measure: ClassMeasure,
    truth: IntArray,
    answers: tuple[IntArray, IntArray],
    times: IntArray,
    sizes: FloatArray,
    empty: float,
) -> tuple[multinomials.Cells, IntArray]:
    """Return the cells that occur, of a true class and both answers, and their counts."""
    # A class is raised by two samples, as with two classes: half a sample for both right, only a right, only
    # b right and both wrong, shared by the cells of each kind that occur. Of a kind of which none does, those
    # of one wrong answer stand for all.
    classes = len(sizes)
    shape = (classes,) * 3
    counted = np.bincount(np.ravel_multi_index((truth, *answers), shape), times, classes**3).reshape(shape)
    occurs = counted > 0
    true, first, second = np.ogrid[:classes, :classes, :classes]
    kind = 2 * (first == true) + (second == true)
    for row, wanted in itertools.product(np.flatnonzero(sizes > 0).tolist(), range(4)):
        if not (occurs[row] & (kind[row] == wanted)).any():
            alike = (first == second)[0] if wanted in {0, 3} else np.ones((classes, classes), dtype=bool)
            occurs[row] |= (kind[row] == wanted) & alike
    truth, a, b = np.nonzero(occurs)
    group = 4 * truth + kind[occurs]
    present, stratum = np.unique(truth, return_inverse=True)

    def value_of(sums: FloatArray) -> FloatArray:
        return measure(Tables.of_sums(sums, sizes), empty)

    raised = 0.5 / np.bincount(group)[group]
    cells = multinomials.Cells(
        stratum, sizes[present], terms(truth, a, classes), terms(truth, b, classes), raised, value_of
    )
    return cells, counted[occurs].astype(np.int64)
