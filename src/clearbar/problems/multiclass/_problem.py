"""Predictions of many classes as a problem: every answer is a function of confusion matrices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self, cast

import numpy as np

from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.counts import counts_of
from clearbar.inference.bootstrap_t import Units
from clearbar.inference.equal_scores import screened_p_values
from clearbar.problems._protocol import PairPValues, Tail
from clearbar.problems._tested import Resampled, Test, TestedProblem
from clearbar.problems.binary import NOT_KNOWN, Labels
from clearbar.problems.groups import in_random_order
from clearbar.problems.multiclass._canonical import by_order, canonical, in_order, unnamed
from clearbar.problems.multiclass._cells import MOST_COMPARED, paired_classes
from clearbar.problems.multiclass._measure import ClassMeasure
from clearbar.problems.multiclass._tables import Tables
from clearbar.problems.multiclass._units import Answers, paired_answers, single_samples, units_of
from clearbar.problems.multiclass.bars import ClassBaseline, Sizes, class_bar
from clearbar.problems.multiclass.blind import permuted, permuted_scores, tails
from clearbar.problems.multiclass.estimated import ESTIMATED, MOST_CLASSES, estimates
from clearbar.problems.multiclass.interval import Certified
from clearbar.problems.multiclass.resampled import BOOTSTRAPPED, ClassBootstrap, bootstraps
from clearbar.problems.multiclass.two import Exactly
from clearbar.problems.paired import Paired, PairedInUnits, PairedUnits
from clearbar.problems.paired_cells import PairedCells


@dataclass(frozen=True)
class OneVersusRest(Labels):
    """Each class against the rest: the groups are the classes, all of the same samples."""

    group_words = "class", "classes"
    overlapping = "each class against the rest"


@dataclass(frozen=True, eq=False)
class ClassLabels(PairedInUnits, TestedProblem):
    """A confusion matrix of each model in each group, all with the same labels."""

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    matrices: tuple[tuple[ConfusionMatrix, ...], ...]
    zero_division: float = 0.0
    truth: IntArray | None = field(default=None, kw_only=True)  # the samples, where they are known
    predicted: tuple[IntArray, ...] = field(default=(), kw_only=True)
    times: IntArray | None = field(default=None, kw_only=True)  # how often each of them occurs; once if None
    seed: int = field(default=0, kw_only=True)
    finest: float = field(default=1.0, kw_only=True)  # the least p-value that must be told from larger ones

    @cached_property
    def sizes(self) -> Sizes:
        """The class sizes of each group; all models have the same."""
        counts = np.stack([matrix.true_counts for matrix in self.matrices[0]])
        return Sizes(self.matrices[0][0].labels, counts)

    def bars(self, measures: Sequence[ClassMeasure]) -> tuple[ClassBaseline, ...]:
        """Return for each measure the bars of the groups."""
        return tuple(class_bar(measure, self.sizes, self.zero_division) for measure in measures)

    def scores(self, measures: Sequence[ClassMeasure]) -> FloatArray:
        """Return the scores; nan where there is no value."""
        tables = [[Tables.of(matrix) for matrix in model] for model in self.matrices]
        return np.array(
            [[[float(m(table, self.zero_division)) for m in measures] for table in model] for model in tables]
        )

    def one(self, model: int, group: int) -> ClassLabels:
        """Return the matrix of one model in one group."""
        return self.part([model], [group])

    def part(self, models: Sequence[int], groups: Sequence[int]) -> Self:
        """Return some models in some groups, by their positions."""
        return replace(
            self,
            models=tuple(self.models[at] for at in models),
            groups=tuple(self.groups[at] for at in groups),
            matrices=tuple(tuple(self.matrices[at][group] for group in groups) for at in models),
            predicted=tuple(self.predicted[at] for at in models) if self.predicted else (),
        )

    def paired(self, measure: ClassMeasure, a: int, b: int) -> Paired:
        """Return two models' labels, sample by sample."""
        classes = len(self.matrices[0][0].labels)
        if classes > MOST_COMPARED or self.truth is None:
            return self._in_units(measure, a, b)
        times = np.ones(len(self.truth), dtype=np.int64) if self.times is None else self.times
        truth, (one, two) = self._labels(measure, (a, b))
        return paired_classes(
            measure,
            truth,
            (one, two),
            times,
            classes,
            self.zero_division,
            self.seed,
            lambda: self._in_units(measure, a, b).exchanged,
        )

    def _in_units(self, measure: ClassMeasure, a: int, b: int) -> PairedUnits:
        answers, (one, two) = self._single_samples(measure, (a, b))
        return paired_answers(measure, answers, (one, two), self.zero_division, self.seed)

    def _single_samples(self, measure: ClassMeasure, models: Sequence[int]) -> tuple[Answers, list[IntArray]]:
        if self.truth is None:
            raise ValueError(NOT_KNOWN)
        return single_samples(*self._labels(measure, models), len(self.matrices[0][0].labels), self.times)

    def _labels(self, measure: ClassMeasure, models: Sequence[int]) -> tuple[IntArray, list[IntArray]]:
        """Return the samples and what some models call them, by an order of classes that no name decides."""
        assert self.truth is not None  # noqa: S101 - callers have asked
        called = [self.predicted[model] for model in models]
        if measure.ordered:
            return self.truth, called
        return unnamed(self.truth, called, len(self.matrices[0][0].labels), self.times)

    def units_of(self, measure: ClassMeasure, models: Sequence[int]) -> Units | str:
        """Return the samples with the scores of some models."""
        answers, called = self._single_samples(measure, models)
        return units_of(measure, answers, called, self.zero_division)

    def pair_p_values(self, measure: ClassMeasure, a: IntArray, b: IntArray, *, alpha: float) -> PairPValues:
        """Return p-values of many pairs together."""
        if not isinstance(self.paired(measure, int(a[0]), int(b[0])), PairedCells):
            return super().pair_p_values(measure, a, b, alpha=alpha)

        def pair(at: int) -> PairedCells:
            return cast("PairedCells", self.paired(measure, int(a[at]), int(b[at])))

        pairs = map(pair, tracked(list(range(len(a))), len(a), lambda _: 1, "pairs"))
        z, carried = np.array([(own.z(), own.carried_by) for own in pairs]).T
        screened = screened_p_values(z, carried, alpha, lambda at: pair(at).weighed_p_value())
        return PairPValues(screened.p_values, left=screened.left)

    def permuted(self, measure: ClassMeasure) -> FloatArray:
        """Return the scores of all models with labels in random order."""
        if self.truth is None:
            raise ValueError(NOT_KNOWN.replace("compare", "best_of"))
        sizes = self.matrices[0][0].true_counts
        predicted = [self._repeated(labels) for labels in self.predicted]
        return permuted_scores(measure, predicted, sizes, self.zero_division, self._orders())

    def _repeated(self, labels: Any) -> IntArray:
        """Return labels of single samples."""
        one = np.asarray(labels, dtype=np.int64)
        return one if self.times is None else np.repeat(one, self.times)

    def _orders(self) -> Iterator[IntArray]:
        """Yield labels in random order, of shape (permutations, samples)."""
        truth = self._repeated(self.truth)
        return in_random_order(truth, self.seed, samples=len(truth) * len(self.predicted))

    def tests(self, measures: Sequence[ClassMeasure], model: int, group: int) -> list[Test]:
        """Return tests: exact for two classes, certified for the share that is right, else estimated."""
        matrix = self.matrices[model][group]
        found: list[Test | None] = [Exactly.of(measure, matrix) for measure in measures]
        for at, measure in enumerate(measures):
            if found[at] is None and measure.counts_right:
                found[at] = Certified(matrix.correct, matrix.total, loss=not measure.greater_is_better)
        left = [at for at, test in enumerate(found) if test is None]
        fitted = self._estimated([measures[at] for at in left], matrix)
        for at, test in zip(left, fitted, strict=True):
            found[at] = test
        return [test for test in found if test is not None]

    def _estimated(self, measures: Sequence[ClassMeasure], matrix: ConfusionMatrix) -> list[Test]:
        """Return tests from rates that are fitted; where there are many classes from a bootstrap of each."""
        if np.count_nonzero(matrix.true_counts + matrix.predicted_counts) > MOST_CLASSES:
            return [Resampled(drawn, BOOTSTRAPPED) for drawn in self._drawn(measures, matrix)]

        def fitted(places: list[int], *, ordered: bool) -> list[Test]:
            own = matrix if ordered else in_order(matrix, canonical(matrix))
            drawn = estimates([measures[at] for at in places], own, self.zero_division, self.seed)
            return [Resampled(one, ESTIMATED) for one in drawn]

        return by_order(measures, fitted)

    def _drawn(self, measures: Sequence[ClassMeasure], matrix: ConfusionMatrix) -> list[ClassBootstrap]:
        def drawn(places: list[int], *, ordered: bool) -> Sequence[ClassBootstrap]:
            own = matrix if ordered else in_order(matrix, canonical(matrix))
            return bootstraps(
                [measures[at] for at in places], own, self.zero_division, self.seed, self.finest
            )

        return by_order(measures, drawn)

    def resampled(self, measures: Sequence[ClassMeasure], model: int) -> Sequence[ClassBootstrap]:
        """Return the resamples of one model in the first group, all of them drawn together."""
        return self._drawn(measures, self.matrices[model][0])

    def chances(
        self, measures: Sequence[ClassMeasure], scores: FloatArray, model: int, group: int
    ) -> list[Tail]:
        """Return how likely labels in random order score as well, as often as each class was predicted."""
        matrix = self.matrices[model][group]

        def permuted_tails(places: list[int], *, ordered: bool) -> list[Tail]:
            own = matrix if ordered else in_order(matrix, canonical(matrix))
            named = [measures[at] for at in places]
            return tails(named, Tables.of(own), self.zero_division, scores[places], self.seed, self.finest)

        return by_order(measures, permuted_tails)

    def shuffled(self, measures: Sequence[ClassMeasure], model: int) -> FloatArray:
        """Return the scores of one model with labels in random order: (measures, permutations)."""
        parts = permuted(Tables.of(self.matrices[model][0]), self.seed)
        values = [[measure(part, self.zero_division) for measure in measures] for part in parts]
        return np.concatenate(values, axis=1)

    def stuck(self, model: int) -> str:  # noqa: ARG002 - samples on their own always can
        """Say why labels cannot be put in random order; empty where they can."""
        return ""

    def matrix(self, model: int, group: int) -> ConfusionMatrix:
        """Return the matrix of one model in one group."""
        return self.matrices[model][group]

    def per_class(self, group: int) -> OneVersusRest:
        """Return the problem of each class against the rest in one group: the classes are its groups."""
        counts = [model[group].one_vs_rest() for model in self.matrices]
        cells = zip(*(one.cells for one in counts), strict=True)
        counted = counts_of(np.stack(cell) for cell in cells)
        return OneVersusRest(self.models, self.sizes.labels, counted, seed=self.seed)

    def why_undefined(self, measure: ClassMeasure, missing: BoolArray) -> Any:
        """Say what a matrix without a value lacks."""
        matrices = (self.matrices[model][group] for model, group in np.argwhere(missing).tolist())
        return [f"{measure.label} has no value here: {_lacking(matrix)}" for matrix in matrices]


def _lacking(matrix: ConfusionMatrix) -> str:
    if np.count_nonzero(matrix.true_counts) == 1:
        return "only one class occurs"
    if np.count_nonzero(matrix.predicted_counts) == 1:
        return "it predicts one class only"
    return "no class has a value"
