"""Answers to the items of tasks as a problem: each task has its bar, and the whole is the mean over tasks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray
from clearbar.data.tasks import Task
from clearbar.inference.bootstrap_t import Units
from clearbar.problems._protocol import Tail
from clearbar.problems._tested import NotTested, Test, TestedProblem, not_permuted
from clearbar.problems.multiclass.interval import Certified
from clearbar.problems.paired import Paired, PairedInUnits, unpaired
from clearbar.problems.tasks.bars import TaskBar, bar_over, bars_of_tasks, chance_of_options, in_mean
from clearbar.problems.tasks.blind import Blind, can_trade, test_of_clusters, why_unknown
from clearbar.problems.tasks.interval import few_clusters, resampled
from clearbar.problems.tasks.measures import TaskMeasure
from clearbar.problems.tasks.paired import paired_tasks, units_of
from clearbar.problems.tasks.permuted import shares_by_chance

PARTIAL = "how surely is not known: some answers have partial credit"
CERTIFIED = "p_value holds for items of any difficulty (Hoeffding 1956)"


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
class Answered(PairedInUnits, TestedProblem):
    """What models answered to the items of tasks; the first group, None, is the mean over them."""

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    tasks: tuple[Task, ...]
    seed: int = field(default=0, kw_only=True)

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
        ((nothing, slope),) = _lines([measure], tasks)
        return np.asarray(nothing + shares_by_chance(tasks, self.seed) @ slope)

    def one(self, model: int, group: int) -> Answered:
        """Return the answers of one model in one group."""
        part = slice(model, model + 1)
        tasks = tuple(task.of_model(model) for task in self._in(group))
        return replace(self, models=self.models[part], groups=self.groups[group : group + 1], tasks=tasks)

    def tests(self, measures: Sequence[TaskMeasure], model: int, group: int) -> list[Test]:
        """Return tests that are certified for one task of independent items, else from a bootstrap."""
        tasks = self._in(group)
        lines = _lines(measures, tasks)
        if not all(task.right_or_wrong for task in tasks):
            return [NotTested(PARTIAL)] * len(measures)
        if len(tasks) == 1 and tasks[0].clusters is None:
            right = int(np.count_nonzero(tasks[0].right[model]))
            certified = Certified(right, len(tasks[0]), note=CERTIFIED)
            return [LineTest(certified, nothing, float(slope[0]), 1.0) for nothing, slope in lines]
        drawn = resampled(tasks, model, [slope for _, slope in lines], self.seed)
        return [
            LineTest(own, nothing, 1.0, float(slope.sum()))
            for (nothing, slope), own in zip(lines, drawn, strict=True)
        ]

    def chances(
        self, measures: Sequence[TaskMeasure], scores: FloatArray, model: int, group: int
    ) -> list[Tail]:
        """Return how likely answers that ignore the questions score as well."""
        tasks = self._in(group)
        lines = _lines(measures, tasks)
        if any(task.clusters is not None for task in tasks):
            unknown = next((why for task in tasks if (why := why_unknown(task, model))), "")
            if unknown:
                return [not_permuted(unknown)] * len(measures)
            if not all(map(can_trade, tasks)):
                return [test_of_clusters(tasks, model, slope) for _, slope in lines]
        blind = Blind(tasks, model, self.seed)
        known: dict[bytes, Tail] = {}
        tails = []
        for score, (_, slope) in zip(scores.tolist(), lines, strict=True):
            if math.isnan(score):
                tails.append(Tail(math.nan, math.nan))
                continue
            key = (slope / np.linalg.norm(slope)).round(12).tobytes()
            known[key] = known[key] if key in known else blind.tail(slope)
            tails.append(known[key])
        return tails

    def _compared(self) -> tuple[Task, ...]:
        """Return the tasks that models are compared on; partial credit is refused."""
        tasks = self._in(0)
        if not all(task.right_or_wrong for task in tasks):
            raise ValueError("models are compared by who is right where; these answers have partial credit.")
        return tasks

    def paired(self, measure: TaskMeasure, a: int, b: int) -> Paired:
        """Return two models with their answers to the same items."""
        tasks = self._compared()
        few = few_clusters(tasks)
        ((nothing, slope),) = _lines([measure], tasks)
        if few or np.isnan(slope).any():
            return unpaired(self, measure, (a, b), few or "a score has no value")
        return paired_tasks(tasks, a, b, nothing, slope, self.seed)

    def units_of(self, measure: TaskMeasure, models: Sequence[int]) -> Units | str:
        """Return the items of all tasks, or clusters of them, with the scores of some models."""
        tasks = self._compared()
        ((nothing, slope),) = _lines([measure], tasks)
        return few_clusters(tasks) or units_of(tasks, models, nothing, slope)

    def why_undefined(self, measure: TaskMeasure, missing: BoolArray) -> Any:
        """Say which task has no value."""
        reasons = np.atleast_1d(bar_over(measure, self.tasks, mean=self.whole_is_mean).reason)
        return [f"{measure.label} has no value: {reasons[group]}" for _, group in np.argwhere(missing)]


def _lines(measures: Sequence[TaskMeasure], tasks: Sequence[Task]) -> list[tuple[float, FloatArray]]:
    """Return each measure of the mean over tasks as a line in their shares: what none adds, and each."""
    shares = bars_of_tasks(tasks)
    lines = (measure.function(shares) for measure in measures)
    return [(float(nothing.mean()), slope / len(tasks)) for nothing, slope in lines]
