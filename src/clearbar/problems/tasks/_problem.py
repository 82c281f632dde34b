"""Answers to the items of tasks as a problem: each task has its bar, and the whole is the mean over tasks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray
from clearbar.core.reasons import Reason
from clearbar.data.tasks import Task
from clearbar.inference.bootstrap import NotTested, Test
from clearbar.problems._protocol import Problem, Tail
from clearbar.problems.multiclass.interval import Certified
from clearbar.problems.tasks._units import ItemUnits, Line, few_clusters
from clearbar.problems.tasks.bars import TaskBar, bar_over, bars_of_tasks, chance_of_options, in_mean
from clearbar.problems.tasks.blind import blind_tail, shares_by_chance
from clearbar.problems.tasks.measures import TaskMeasure


@dataclass(frozen=True, eq=False)
class LineTest:
    """The test of a score that is `nothing` and so many times another one, which is at most `most`."""

    other: Test
    nothing: float
    times: float
    most: float

    def tail(self, bar: float) -> Tail:
        """Return the two-sided p-value."""
        return self.other.tail((bar - self.nothing) / self.times)

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:  # noqa: ARG002
        """Return the scores that are not refuted."""
        low, high = self.other.interval(level, (0.0, self.most))
        return self.nothing + self.times * low, self.nothing + self.times * high


@dataclass(frozen=True, eq=False)
class Answered(Problem):
    """What models answered to the items of tasks; the first group, None, is the mean over them."""

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    tasks: tuple[Task, ...]
    seed: int = field(default=0, kw_only=True)
    known: dict[Any, Test] = field(default_factory=dict, repr=False, kw_only=True)

    models_together = False  # kinds of items are those on which one model does alike
    group_words = "task", "tasks"

    @classmethod
    def of(cls, models: tuple[str, ...], tasks: tuple[Task, ...]) -> Answered:
        """Return the mean over tasks, then each task; one without a name is all there is."""
        return cls(models, (None, *(task.name for task in tasks if task.name)), tasks)

    @property
    def whole_is_mean(self) -> bool:
        """The first group is the mean over tasks, unless this is one task alone."""
        return self.groups[0] is None

    def _in(self, group: int) -> tuple[Task, ...]:
        """Return the tasks of a group: of the whole, those that have a bar."""
        if self.whole_is_mean and group == 0:
            return tuple(itertools.compress(self.tasks, in_mean(self.tasks)))
        return (self.tasks[group - self.whole_is_mean],)

    def bars(self, measures: Sequence[TaskMeasure]) -> tuple[TaskBar, ...]:
        """Return for each measure the bars: of the mean, and of the tasks."""
        bars = (bar_over(measure, self.tasks, mean=self.whole_is_mean) for measure in measures)
        return tuple(bar[: len(self.groups)] for bar in bars)

    def scores(self, measures: Sequence[TaskMeasure]) -> FloatArray:
        """Return the scores; nan where there is no value."""
        shares = np.array([[own.mean() for own in task.right] for task in self.tasks])
        lines = [measure.function(bars_of_tasks(self.tasks)) for measure in measures]
        of_tasks = np.stack([(n[:, None] + slope[:, None] * shares).T for n, slope in lines], axis=-1)
        if not self.whole_is_mean:
            return of_tasks
        mean = of_tasks[:, in_mean(self.tasks)].mean(axis=1, keepdims=True)
        return np.concatenate([mean, of_tasks], axis=1)[:, : len(self.groups)]

    def random_guesses(self) -> FloatArray:
        """Return what one option of each item at random expects, in each group; nan where there are none."""
        guesses = (None if task.kind == "none" else chance_of_options(task) for task in self.tasks)
        own = np.array([math.nan if guess is None else float(guess) for guess in guesses])
        return np.insert(own, 0, own[in_mean(self.tasks)].mean()) if self.whole_is_mean else own

    def spreads(self) -> FloatArray:
        """Return standard deviations of what items give, by model and group; nan for the mean."""
        own = np.array([task.right.std(axis=1) for task in self.tasks]).T
        return np.insert(own, 0, math.nan, axis=1) if self.whole_is_mean else own

    def permuted(self, measure: TaskMeasure) -> FloatArray:
        """Return the scores of all models on the whole with right answers in random order."""
        tasks = self._in(0)
        nothing, slope = _line(measure, tasks)
        return np.asarray(nothing + shares_by_chance(tasks, self.seed) @ slope)

    def one(self, model: int, group: int) -> Answered:
        """Return the answers of one model in one group."""
        part = slice(model, model + 1)
        tasks = tuple(task.of_model(model) for task in self._in(group))
        return replace(self, models=self.models[part], groups=self.groups[group : group + 1], tasks=tasks)

    def units(self, group: int, models: Sequence[int] | None = None, *, joint: bool = False) -> ItemUnits:
        tasks = self._in(group)
        if joint and not all(task.right_or_wrong for task in tasks):
            raise ValueError("models are compared by who is right where; these answers have partial credit.")
        chosen = range(len(self.models)) if models is None else models
        line = partial(_line, tasks=tasks)
        return ItemUnits(tasks, list(chosen), line, seed=self.seed, joint=joint)

    def exact_tests(self, measures: Sequence[TaskMeasure], model: int, group: int) -> list[Test | None]:
        """Return tests that are certified for one task of independent items."""
        tasks = self._in(group)
        few = few_clusters(tasks)
        if not all(task.right_or_wrong for task in tasks):
            return [NotTested(Reason("partial_credit"))] * len(measures)
        if few is not None:
            return [NotTested(Reason.of("p_value_unknown", why=few))] * len(measures)
        if len(tasks) > 1 or tasks[0].clusters is not None:
            return [None] * len(measures)
        right = int(np.count_nonzero(tasks[0].right[model]))
        certified = Certified(right, len(tasks[0]), note=Reason.of("hoeffding", units="items"))
        lines = [_line(measure, tasks) for measure in measures]
        return [LineTest(certified, nothing, float(slope[0]), 1.0) for nothing, slope in lines]

    def exact_chances(
        self, measures: Sequence[TaskMeasure], scores: FloatArray, model: int, group: int
    ) -> list[Tail]:
        """Return how likely answers that ignore the questions score as well: all that is drawn is, too."""
        tasks = self._in(group)
        tails = blind_tail(tasks, model, [_line(measure, tasks)[1] for measure in measures], self.seed)
        unscored = Tail(math.nan, math.nan)
        return [unscored if math.isnan(own) else tail for own, tail in zip(scores, tails, strict=True)]

    def why_undefined(self, measure: TaskMeasure, missing: BoolArray) -> Any:
        """Say which task has no value."""
        reasons = np.atleast_1d(bar_over(measure, self.tasks, mean=self.whole_is_mean).reason)
        return [f"{measure.label} has no value: {reasons[group]}" for _, group in np.argwhere(missing)]


def _line(measure: TaskMeasure, tasks: Sequence[Task]) -> Line:
    """Return a measure of the mean over tasks as a line in their shares: what none adds, and each."""
    nothing, slope = measure.function(bars_of_tasks(tasks))
    return float(nothing.mean()), slope / len(tasks)
