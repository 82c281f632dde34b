"""Tasks with classes of their own, by any measure of many classes; the whole is the mean over tasks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.reasons import OfMeasure, Reason
from clearbar.inference import Tail
from clearbar.inference.bootstrap import Resampled, Test, Unseen
from clearbar.inference.permutation import group_tail, shuffled_clusters
from clearbar.inference.units import Units, portions
from clearbar.problems._protocol import Problem
from clearbar.problems.bars import CombinedOptimum
from clearbar.problems.multiclass import ClassLabels, ClassMeasure
from clearbar.problems.tasks.bars import TaskBar, TaskSizes

CLAIM = "The best that a mean over tasks expects is the mean of the best that its tasks expect."


class MeanUnits(Units):
    """The units of all tasks, one task behind the other: a score is the mean of the tasks' scores."""

    def __init__(self, tasks: Sequence[Units], seed: int) -> None:
        self.tasks, self.seed, self.models = tasks, seed, tasks[0].models
        self.samples = sum(task.samples for task in tasks)
        self.clustered = any(task.clusters is not None for task in tasks)
        self.one_less = not self.clustered
        self.multiplicity = np.concatenate([task.multiplicity for task in tasks])
        self.label_noun = "order of whole clusters of items" if self.clustered else "labels of each task"

    @property
    def strata(self) -> IntArray:
        """The classes of each task, or the task alone."""
        strata, first = [], 0
        for task in self.tasks:
            of_task = np.zeros(len(task.multiplicity), int) if task.strata is None else task.strata
            strata.append(of_task + first)
            first += int(of_task.max()) + 1
        return np.concatenate(strata)

    @property
    def held(self) -> FloatArray:
        held = [task.held for task in self.tasks]
        most = max(map(len, held))
        return np.concatenate([np.pad(facts, ((0, most - len(facts)), (0, 0))) for facts in held], axis=1)

    @property
    def words(self) -> str:
        return "whole clusters of items" if self.clustered else "the items of each task"

    def not_resampled(self, measure: ClassMeasure) -> Reason | None:
        return next(filter(None, (task.not_resampled(measure) for task in self.tasks)), None)

    def _mean(
        self, score: Callable[[Units, Any], FloatArray], columns: FloatArray | IntArray, sizes: Sequence[int]
    ) -> FloatArray:
        parts = np.split(columns, np.cumsum(sizes)[:-1], axis=1)
        return np.asarray(sum(map(score, self.tasks, parts)) / len(self.tasks))

    def score(self, measures: Sequence[ClassMeasure], weights: FloatArray) -> FloatArray:
        sizes = [len(task.multiplicity) for task in self.tasks]
        return self._mean(lambda task, rows: task.score(measures, rows), weights, sizes)

    def failing(self, measure: ClassMeasure, model: int) -> tuple[FloatArray, FloatArray]:
        worst, best = np.mean([task.failing(measure, model) for task in self.tasks], axis=0)
        return worst, best

    def refined(self, test: Resampled, measure: ClassMeasure, model: int) -> Test:
        """Add what classes of all tasks may lose or gain that never vary."""
        tests = [task.refined(test, measure, model) for task in self.tasks]
        unseen = [task.score.unseen for task in tests if task.score.unseen]
        if not unseen:
            return test
        lost, gained, sizes = map(np.concatenate, zip(*unseen, strict=True))
        count = len(self.tasks)
        return replace(test, score=replace(test.score, unseen=Unseen(lost / count, gained / count, sizes)))

    # -- labels in random order -------------------------------------------------------------------------
    @property
    def not_permutable(self) -> Reason | None:
        return next(filter(None, (task.not_permutable for task in self.tasks)), None)

    @property
    def labels(self) -> IntArray:
        return np.concatenate([task.labels for task in self.tasks])

    @property
    def blocks(self) -> list[IntArray]:
        return np.split(np.arange(self.samples), np.cumsum([task.samples for task in self.tasks])[:-1])

    @property
    def every_order(self) -> bool:
        return not self.clustered and super().every_order

    def drawn_orders(self, generator: np.random.Generator) -> Iterator[IntArray] | None:
        """Yield orders in which whole clusters trade places within their task."""
        if self.clustered:
            rows = portions(self.samples, finest=self.finest)
            return (np.concatenate(self._orders(number, generator), axis=1) for number in rows)
        return None

    def _orders(self, rows: int, generator: np.random.Generator) -> list[IntArray]:
        return [
            block[0] + shuffled_clusters(task.clusters, rows, generator)
            if task.clusters is not None
            else generator.permuted(np.tile(block, (rows, 1)), axis=1)
            for block, task in zip(self.blocks, self.tasks, strict=True)
        ]

    def shuffled(self, measures: Sequence[ClassMeasure], orders: IntArray) -> FloatArray:
        sizes = [task.samples for task in self.tasks]
        starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
        return self._mean(lambda task, rows: task.shuffled(measures, rows), orders - starts, sizes)


@dataclass(frozen=True, eq=False)
class TaskClasses(Problem):
    """A problem of many classes for each task, all with the same models; the first group is their mean."""

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    tasks: tuple[ClassLabels, ...]
    seed: int = field(default=0, kw_only=True)

    group_words = "task", "tasks"
    whole_is_mean = True
    models_together = False
    one_test_set = False

    @classmethod
    def of(cls, tasks: tuple[ClassLabels, ...]) -> TaskClasses:
        """Return the mean over tasks, then each task."""
        return cls(tasks[0].models, (None, *(task.groups[0] for task in tasks)), tasks)

    def seeded(self, seed: int) -> TaskClasses:
        return replace(self, seed=seed, tasks=tuple(task.seeded(seed) for task in self.tasks))

    def bars(self, measures: Sequence[ClassMeasure]) -> tuple[TaskBar, ...]:
        by_task = [task.bars(measures) for task in self.tasks]
        return tuple(_with_mean(self.groups[1:], bars) for bars in zip(*by_task, strict=True))

    def scores(self, measures: Sequence[ClassMeasure]) -> FloatArray:
        of_tasks = np.concatenate([task.scores(measures) for task in self.tasks], axis=1)
        return np.concatenate([of_tasks.mean(axis=1, keepdims=True), of_tasks], axis=1)

    def one(self, model: int, group: int) -> Problem:
        if group:
            return self.tasks[group - 1].one(model, 0)
        tasks = tuple(task.one(model, 0) for task in self.tasks)
        return replace(self, models=self.models[model : model + 1], tasks=tasks)

    def units(self, group: int, models: Sequence[int] | None = None, *, joint: bool = False) -> Units:
        if joint:
            raise ValueError(
                "compare draws single items anew by accuracy; by other measures it draws whole tasks: "
                "compare(a, b, measure, over='slices')."
            )
        if group:
            return self.tasks[group - 1].units(0, models)
        return MeanUnits([task.units(0, models) for task in self.tasks], self.seed)

    def exact_tests(self, measures: Sequence[ClassMeasure], model: int, group: int) -> Sequence[Test | None]:
        if group:
            return self.tasks[group - 1].exact_tests(measures, model, 0)
        return super().exact_tests(measures, model, 0)

    def exact_chances(
        self, measures: Sequence[ClassMeasure], scores: FloatArray, model: int, group: int
    ) -> Sequence[Tail | None]:
        if group:
            return self.tasks[group - 1].exact_chances(measures, scores, model, 0)
        tasks = [task.units(0, [model]) for task in self.tasks]
        if any(task.clusters is not None and task.clusters.sizes_differ for task in tasks):
            return [_test_of_clusters(tasks, measure) for measure in measures]
        return [None] * len(measures)

    def why_undefined(self, measure: ClassMeasure, missing: BoolArray) -> Any:
        reasons = []
        for model, group in np.argwhere(missing).tolist():
            task = group or 1 + next(place for place, task in enumerate(self.tasks)
                                     if np.isnan(task.scores([measure])[model]).any())  # fmt: skip
            lost = (np.arange(len(self.models)) == model)[:, None]
            (why,) = self.tasks[task - 1].why_undefined(measure, lost)
            reasons.append(why if group else OfMeasure(f"{why} in task {self.groups[task]!r}"))
        return reasons

    def per_class(self, group: int) -> Problem | None:
        return self.tasks[group - 1].per_class(0) if group else None


def _with_mean(names: Sequence[Any], bars: Sequence[Any]) -> TaskBar:
    """Return the bars of tasks behind their mean."""
    optima = [
        CombinedOptimum(
            task.value,
            task.worst_value,
            task.best_possible,
            task.attained_by,
            task.certified,
            reason=task.reason,
        )
        for task in (bar[0] for bar in bars)
    ]
    totals = [int(bar.population.total[0]) for bar in bars]
    largest = [int(bar.population.counts[0].max()) for bar in bars]
    sizes = TaskSizes.of(names, totals, largest, "largest class")
    return TaskBar.of_mean(bars[0].measure, sizes, optima, CLAIM)


def _test_of_clusters(tasks: Sequence[Units], measure: ClassMeasure) -> Tail:
    """Return the t-test of what clusters add to the agreement; tasks count alike."""
    if any(task.clusters is None for task in tasks):
        why = Reason("clusters_in_some_tasks")
        return Tail(math.nan, math.nan, Reason.of("p_value_blind_unknown", why=why))
    held: list[tuple[Any, Any]] = [(task.clusters, task) for task in tasks]
    added = [clusters.sums(task.agreement(measure, 0)) / task.samples for clusters, task in held]
    sizes = [clusters.sizes / task.samples for clusters, task in held]
    return group_tail(np.concatenate(added), np.concatenate(sizes))
