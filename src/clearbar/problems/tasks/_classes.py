"""Tasks with classes of their own, by any measure of many classes; the whole is the mean over tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray
from clearbar.problems._protocol import Problem, Tail
from clearbar.problems._tested import Resampled, Test, TestedProblem, not_permuted, tails_of_permuted
from clearbar.problems.bootstrap import Bootstrap
from clearbar.problems.groups import test_of_groups
from clearbar.problems.multiclass import ClassLabels, ClassMeasure, SampledClasses
from clearbar.problems.multiclass.blind import PERMUTED
from clearbar.problems.multiclass.resampled import BOOTSTRAPPED, ClassBootstrap
from clearbar.problems.paired import Paired
from clearbar.problems.tasks.bars import TaskBar, TaskSizes

SEED = 20_261_124

GROUPED = "p_value is from resamples of whole clusters of items, which is approximate"

CLAIM = "The best that a mean over tasks expects is the mean of the best that its tasks expect."


@dataclass(frozen=True, eq=False)
class TaskClasses(TestedProblem):
    """A problem of many classes for each task, all with the same models; the first group is their mean."""

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    tasks: tuple[ClassLabels, ...]
    seed: int = field(default=0, kw_only=True)

    group_words = "task", "tasks"
    whole_is_mean = True

    @classmethod
    def of(cls, tasks: tuple[ClassLabels, ...]) -> TaskClasses:
        """Return the mean over tasks, then each task."""
        return cls(tasks[0].models, (None, *(task.groups[0] for task in tasks)), tasks)

    def seeded(self, seed: int) -> TaskClasses:
        """Return the same with another seed, for the tasks as well."""
        return replace(self, seed=seed, tasks=tuple(task.seeded(seed) for task in self.tasks))

    def bars(self, measures: Sequence[ClassMeasure]) -> tuple[TaskBar, ...]:
        """Return for each measure the bars: of the mean, and of the tasks."""
        own = [task.bars(measures) for task in self.tasks]
        return tuple(_with_mean(self.groups[1:], [bars[at] for bars in own]) for at in range(len(measures)))

    def scores(self, measures: Sequence[ClassMeasure]) -> FloatArray:
        """Return the scores; nan where there is no value."""
        own = np.concatenate([task.scores(measures) for task in self.tasks], axis=1)
        return np.concatenate([own.mean(axis=1, keepdims=True), own], axis=1)

    def one(self, model: int, group: int) -> Problem:
        """Return the answers of one model in all tasks, or in one."""
        if group:
            return self.tasks[group - 1].one(model, 0)
        part = slice(model, model + 1)
        return replace(self, models=self.models[part], tasks=tuple(task.one(model, 0) for task in self.tasks))

    def tests(self, measures: Sequence[ClassMeasure], model: int, group: int) -> Sequence[Test]:
        """Return the tests of a task, or of the mean over tasks from the same resamples."""
        if group:
            return self.tasks[group - 1].tests(measures, model, 0)
        return [Resampled(drawn, self._words[0]) for drawn in self._resampled(measures, model)]

    def _resampled(self, measures: Sequence[ClassMeasure], model: int) -> list[ClassBootstrap]:
        own = [task.resampled(measures, model) for task in self.tasks]
        return [_mean_of([drawn[at] for drawn in own], self.seed) for at in range(len(measures))]

    def chances(
        self, measures: Sequence[ClassMeasure], scores: FloatArray, model: int, group: int
    ) -> Sequence[Tail]:
        """Return how likely labels in random order, in each task apart, score as well."""
        if group:
            return self.tasks[group - 1].chances(measures, scores, model, 0)
        if any(isinstance(task, SampledClasses) and task.clusters_in(0).sizes_differ for task in self.tasks):
            return [self._test_of_clusters(model)] * len(measures)
        stuck = next((why for task in self.tasks if (why := task.stuck(model))), "")
        if stuck:
            return [not_permuted(stuck)] * len(measures)
        return tails_of_permuted(measures, self._shuffled(measures, model), scores, self._words[1])

    def _test_of_clusters(self, model: int) -> Tail:
        """Return the t-test of what clusters, or single items, add to the agreement; tasks count alike."""
        sampled = [task for task in self.tasks if isinstance(task, SampledClasses)]
        if len(sampled) < len(self.tasks):
            return not_permuted("clusters of unequal sizes are tested where all tasks have clusters")
        added, sizes = zip(*(task.contributions(model) for task in sampled), strict=True)
        return test_of_groups(np.concatenate(added), np.concatenate(sizes))

    def _shuffled(self, measures: Sequence[ClassMeasure], model: int) -> FloatArray:
        """Return means over tasks of measures of labels in random order: (measures, permutations)."""
        drawn = [task.shuffled(measures, model).T for task in self.tasks]
        return np.asarray(_apart(drawn, self.seed).mean(axis=0).T)

    @property
    def _words(self) -> tuple[str, str]:
        """How p-values of the mean were found."""
        if any(isinstance(task, SampledClasses) for task in self.tasks):
            return GROUPED, "p_value_blind is from permutations of whole clusters of items"
        return BOOTSTRAPPED, PERMUTED

    def paired(self, measure: ClassMeasure, a: int, b: int) -> Paired:  # noqa: ARG002
        """Refuse: by measures of many classes only whole tasks are compared."""
        raise ValueError(
            "compare draws single items anew by accuracy; by other measures it draws whole tasks: "
            "compare(a, b, measure, over='slices')."
        )

    def why_undefined(self, measure: ClassMeasure, missing: BoolArray) -> Any:
        """Say what a task without a value lacks."""
        reasons = []
        for model, group in np.argwhere(missing).tolist():
            at = group or 1 + next(i for i, task in enumerate(self.tasks)
                                   if np.isnan(task.scores([measure])[model]).any())  # fmt: skip
            lost = np.zeros((len(self.models), 1), dtype=bool)
            lost[model] = True
            (why,) = self.tasks[at - 1].why_undefined(measure, lost)
            reasons.append(why if group else f"{why} in task {self.groups[at]!r}")
        return reasons

    def per_class(self, group: int) -> Problem | None:
        """Return each class of a task against the rest."""
        return self.tasks[group - 1].per_class(0) if group else None


def _with_mean(names: Sequence[Any], bars: Sequence[Any]) -> TaskBar:
    """Return the bars of tasks behind their mean."""
    totals = [int(bar.population.total[0]) for bar in bars]
    largest = [int(bar.population.counts[0].max()) for bar in bars]
    value, perfect, worst = (
        np.array([float(np.asarray(getattr(bar, name))[0]) for bar in bars])
        for name in ("value", "best_possible", "worst_value")
    )
    sizes = TaskSizes.of(names, totals, largest, "largest class")
    tasks = TaskBar(
        bars[0].measure,
        sizes[1:],
        value,
        worst,
        np.array([str(bar.reason[0]) for bar in bars], dtype=object),
        tuple(bar[0].attained_by for bar in bars),
        perfect,
        np.array([bool(bar.certified[0]) for bar in bars]),
        CLAIM,
    )
    return tasks.with_mean(sizes)


def _apart(drawn: Sequence[FloatArray], seed: int) -> FloatArray:
    """Return as many draws of each task, in orders that have nothing to do with each other."""
    generator = np.random.default_rng(SEED + seed)
    number = min(map(len, drawn))
    return np.stack([own[generator.permutation(len(own))[:number]] for own in drawn])


def _mean_of(tasks: Sequence[ClassBootstrap], seed: int) -> ClassBootstrap:
    """Return the resamples of a mean over tasks: variances and skewnesses of independent tasks add up."""
    count, drawn = len(tasks), [task.drawn for task in tasks]
    unknown = next((task.unknown for task in tasks if task.unknown), "")
    known = [own.values[~np.isnan(own.values)] for own in drawn]
    spreads = np.array([float(values.std()) if len(values) else 0.0 for values in known])
    whole = float((spreads**2).sum()) ** 1.5
    skewed = float(np.array([own.acceleration for own in drawn]) @ spreads**3) / whole if whole else 0.0
    values = _apart([own.values for own in drawn], seed).mean(axis=0)
    score = float(np.mean([own.score for own in drawn]))
    mean = Bootstrap(score, values, skewed, sum(own.units for own in drawn), drawn[0].supposed)
    lost, gained = (
        np.concatenate([getattr(own, name) for own in tasks]) / count for name in ("lost", "gained")
    )
    sizes = np.concatenate([task.sizes for task in tasks])
    return ClassBootstrap(mean, lost, gained, sizes, unknown or mean.unknown)
