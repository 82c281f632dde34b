"""Tasks with classes of their own, by any measure of many classes; the whole is the mean over tasks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray
from clearbar.core.reasons import Reason
from clearbar.inference import permutation, resamples
from clearbar.inference.bootstrap import Bootstrap, NotTested, Test, Unseen
from clearbar.inference.exchange import Paired
from clearbar.inference.orders import MOST_ORDERS
from clearbar.inference.units import RESAMPLES, Tail, Units
from clearbar.problems._protocol import Problem
from clearbar.problems.multiclass import ClassLabels, ClassMeasure
from clearbar.problems.tasks.bars import TaskBar, TaskSizes

SEED = 20_261_124

CLAIM = "The best that a mean over tasks expects is the mean of the best that its tasks expect."


@dataclass(frozen=True, eq=False)
class TaskClasses(Problem):
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
        return replace(self, seed=seed, tasks=tuple(task.seeded(seed) for task in self.tasks))

    def bars(self, measures: Sequence[ClassMeasure]) -> tuple[TaskBar, ...]:
        own = [task.bars(measures) for task in self.tasks]
        return tuple(_with_mean(self.groups[1:], [bars[at] for bars in own]) for at in range(len(measures)))

    def scores(self, measures: Sequence[ClassMeasure]) -> FloatArray:
        own = np.concatenate([task.scores(measures) for task in self.tasks], axis=1)
        return np.concatenate([own.mean(axis=1, keepdims=True), own], axis=1)

    def one(self, model: int, group: int) -> Problem:
        if group:
            return self.tasks[group - 1].one(model, 0)
        part = slice(model, model + 1)
        return replace(self, models=self.models[part], tasks=tuple(task.one(model, 0) for task in self.tasks))

    def exact_tests(self, measures: Sequence[ClassMeasure], model: int, group: int) -> list[Test | None]:
        """Return the tests of a task, or of the mean over tasks from resamples of each."""
        if group:
            return list(self.tasks[group - 1].tests_of(measures, [model], 0)[0])
        by_task = [resamples.tests_of(task.units(0, [model]), measures)[0] for task in self.tasks]
        return [_mean_of([tests[place] for tests in by_task], self.seed) for place in range(len(measures))]

    def exact_chances(
        self, measures: Sequence[ClassMeasure], scores: FloatArray, model: int, group: int
    ) -> list[Tail | None]:
        """Return how likely labels in random order, in each task apart, score as well."""
        if group:
            task = self.tasks[group - 1].one(model, 0)
            tail = task.blind(measures, scores[None, None])
            return [Tail(*(side[0, 0, place] for side in tail)) for place in range(len(measures))]
        units = [task.units(0, [model]) for task in self.tasks]
        if any(own.clusters is not None and own.clusters.sizes_differ for own in units):
            return [_test_of_clusters(units, measure) for measure in measures]
        why = next((own.not_permutable for own in units if own.not_permutable), None)
        if why is not None:
            return [Tail(math.nan, math.nan, Reason.of("p_value_blind_unknown", why=why))] * len(measures)
        what = "the labels" if units[0].clusters is None else "whole clusters of items"
        observed = np.stack([task.scores(measures)[model, 0] for task in self.tasks])
        return [
            self._permuted(units, *of_measure, what) for of_measure in zip(measures, observed.T, strict=True)
        ]

    def _permuted(
        self, units: Sequence[Units], measure: ClassMeasure, observed: FloatArray, what: str
    ) -> Tail:
        """Return how likely the mean over tasks is as good as that of the scores observed."""
        if np.isnan(observed).any():
            return Tail(math.nan, math.nan)
        drawn = [permutation.scores(of_task, measure)[:, 0] for of_task in units]
        for place, of_task in enumerate(units):
            if of_task.every_order:  # all but the observed one, which comes last
                drawn[place] = np.append(drawn[place], observed[place])
        exact = all(of_task.every_order for of_task in units) and math.prod(map(len, drawn)) <= MOST_ORDERS
        if exact:
            values = np.add.reduce(np.meshgrid(*drawn, indexing="ij")).ravel()[:-1] / len(units)
        else:
            values = self._sampled(drawn, [of_task.every_order for of_task in units]).mean(axis=0)
        share = permutation.at_least_as_good(
            values, float(observed.mean()), greater_is_better=measure.greater_is_better is not False
        )
        if exact:
            return Tail.exactly(share)
        return Tail.permuted(share, len(values), Reason.of("permutations", draws=len(values), what=what))

    def _sampled(self, drawn: Sequence[FloatArray], every_order: Sequence[bool]) -> FloatArray:
        """Return an order of each task for each permutation, drawn anew where all its orders are known."""
        generator = np.random.default_rng(SEED + self.seed)
        number = min((len(values) for values, every in zip(drawn, every_order, strict=True) if not every),
                     default=RESAMPLES)  # fmt: skip
        return np.stack([generator.choice(values, number, replace=every)
                         for values, every in zip(drawn, every_order, strict=True)])  # fmt: skip

    def paired(self, measure: ClassMeasure, a: int, b: int) -> Paired:  # noqa: ARG002
        """Refuse: by measures of many classes only whole tasks are compared."""
        raise ValueError(
            "compare draws single items anew by accuracy; by other measures it draws whole tasks: "
            "compare(a, b, measure, over='slices')."
        )

    def why_undefined(self, measure: ClassMeasure, missing: BoolArray) -> Any:
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


def _test_of_clusters(units: Sequence[Units], measure: ClassMeasure) -> Tail:
    """Return the t-test of what clusters add to the agreement; tasks count alike."""
    if any(own.clusters is None for own in units):
        return Tail(
            math.nan, math.nan, Reason.of("p_value_blind_unknown", why=Reason("clusters_in_some_tasks"))
        )
    clusters: list[Any] = [own.clusters for own in units]
    added = [
        held.sums(own.agreement(measure, 0)) / own.samples for held, own in zip(clusters, units, strict=True)
    ]
    sizes = [held.sizes / own.samples for held, own in zip(clusters, units, strict=True)]
    return permutation.group_tail(np.concatenate(added), np.concatenate(sizes))


def _mean_of(tests: Sequence[Any], seed: int) -> Test:
    """Return the resamples of a mean over tasks: variances and skewnesses of independent tasks add up."""
    unknown = next((test for test in tests if isinstance(test, NotTested)), None)
    if unknown is not None:
        return unknown
    drawn: list[Bootstrap] = [test.score for test in tests]
    known = [one.values[~np.isnan(one.values)] for one in drawn]
    spreads = np.array([float(values.std()) if len(values) else 0.0 for values in known])
    whole = float((spreads**2).sum()) ** 1.5
    skewed = float(np.array([one.acceleration for one in drawn]) @ spreads**3) / whole if whole else 0.0
    values = _apart([one.values for one in drawn], seed).mean(axis=0)
    score, size = float(np.mean([one.score for one in drawn])), sum(one.units for one in drawn)
    unseen = [one.unseen for one in drawn if one.unseen]
    together = None
    if unseen:
        lost, gained, sizes = map(np.concatenate, zip(*unseen, strict=True))
        together = Unseen(lost / len(tests), gained / len(tests), sizes)
    of_mean: Test = replace(
        tests[0], score=Bootstrap(score, values, skewed, size, drawn[0].failing, together)
    )
    return of_mean
