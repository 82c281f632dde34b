"""Answers to the items of tasks as a problem: each task has its bar, and the whole is the mean over tasks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray
from clearbar.data.answers import Task
from clearbar.problems._protocol import Bar, Problem, Tail
from clearbar.problems.multiclass.interval import certified_interval, certified_p_value
from clearbar.problems.paired import Paired, Unpaired
from clearbar.problems.tasks.bars import TaskBar, bar_over, bars_of_tasks
from clearbar.problems.tasks.blind import Blind, why_stuck
from clearbar.problems.tasks.interval import BOOTSTRAPPED, GROUPED, bootstraps, few_clusters
from clearbar.problems.tasks.measures import TaskMeasure
from clearbar.problems.tasks.paired import paired_tasks

CERTIFIED = "p_value holds for items of any difficulty (Hoeffding 1956)"


@dataclass(frozen=True, eq=False)
class Answered(Problem):
    """What models answered to the items of tasks; the first group, None, is the mean over them."""

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    tasks: tuple[Task, ...]
    seed: int = field(default=0, kw_only=True)

    @classmethod
    def of(cls, models: tuple[str, ...], tasks: tuple[Task, ...]) -> Answered:
        """Return the mean over tasks, then each task; one without a name is all there is."""
        return cls(models, (None, *(task.name for task in tasks if task.name)), tasks)

    @property
    def group_words(self) -> tuple[str, str]:
        """Its groups are tasks."""
        return "task", "tasks"

    @property
    def whole_is_mean(self) -> bool:
        """The first group is the mean over tasks, unless this is one task alone."""
        return self.groups[0] is None

    def _in(self, group: int) -> tuple[Task, ...]:
        """Return the tasks of a group."""
        return self.tasks if self.whole_is_mean and group == 0 else (self.tasks[group - self.whole_is_mean],)

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
        return np.concatenate([of_tasks.mean(axis=1, keepdims=True), of_tasks], axis=1)[:, : len(self.groups)]

    def one(self, model: int, group: int) -> Answered:
        """Return the answers of one model in one group."""
        part = slice(model, model + 1)
        tasks = tuple(
            replace(
                task,
                right=task.right[part],
                known=task.known[part],
                answers=None if task.answers is None else task.answers[part],
            )
            for task in self._in(group)
        )
        return replace(self, models=self.models[part], groups=self.groups[group : group + 1], tasks=tasks)

    def _cells(self, what: str) -> Any:
        cells = [(m, g) for m in range(len(self.models)) for g in range(len(self.groups))]
        work = sum(map(len, self.tasks))
        return tracked(cells, work * len(cells), lambda _: work, what)

    def at_the_bar(self, measures: Sequence[TaskMeasure], bars: Sequence[Bar], scores: FloatArray) -> Tail:
        """Return the two-sided test: certified for one task of independent items, else from a bootstrap."""
        values, notes = np.full(scores.shape, math.nan), np.full(scores.shape, "", dtype=object)
        for model, group in self._cells("intervals"):
            tasks = self._in(group)
            lines = _lines(measures, tasks)
            here = [at for at in range(len(measures)) if not math.isnan(_bar(bars[at], group))]
            if _alone(tasks):
                task, share = tasks[0], bars_of_tasks(tasks)[0]
                if here:
                    hits = int(np.count_nonzero(task.right[model]))
                    values[model, group, here] = certified_p_value(hits, len(task), share)
                    notes[model, group, here] = CERTIFIED
                continue
            note = BOOTSTRAPPED if all(task.clusters is None for task in tasks) else GROUPED
            drawn = bootstraps(tasks, model, [lines[at][1] for at in here], self.seed)
            for at, bootstrap in zip(here, drawn, strict=True):
                values[model, group, at] = bootstrap.p_value(_bar(bars[at], group) - lines[at][0])
                unknown = f"p_value is not known: {bootstrap.unknown}"
                notes[model, group, at] = unknown if bootstrap.unknown else note
        return Tail(values, values, notes)

    def interval(self, measure: TaskMeasure, level: float) -> tuple[float, float]:
        """Return the scores that the test does not refute, of one model in one group."""
        return self.intervals([measure], level)[0]

    def intervals(self, measures: Sequence[TaskMeasure], level: float) -> list[tuple[float, float]]:
        """Return the intervals of several measures, from the same resamples."""
        lines = _lines(measures, self.tasks)
        if _alone(self.tasks):
            task = self.tasks[0]
            ends = certified_interval(int(np.count_nonzero(task.right[0])), len(task), level)
            return [(nothing + slope[0] * ends[0], nothing + slope[0] * ends[1]) for nothing, slope in lines]
        drawn = bootstraps(self.tasks, 0, [slope for _, slope in lines], self.seed)
        limits = []
        for (nothing, slope), own in zip(lines, drawn, strict=True):
            low, high = own.interval(level, (0.0, float(slope.sum())))
            limits.append((nothing + low, nothing + high))
        return limits

    def blind(self, measures: Sequence[TaskMeasure], scores: FloatArray) -> Tail:
        """Return how likely answers that ignore the questions score as well."""
        upper, lower = np.full(scores.shape, math.nan), np.full(scores.shape, math.nan)
        notes = np.full(scores.shape, "", dtype=object)
        for model, group in self._cells("permutations"):
            tasks = self._in(group)
            stuck = _stuck(tasks, model)
            if stuck:
                notes[model, group] = f"p_value_blind is not known: {stuck}"
                continue
            blind = Blind(tasks, model, self.seed)
            known: dict[bytes, Tail] = {}
            for at, (_, slope) in enumerate(_lines(measures, tasks)):
                if math.isnan(scores[model, group, at]):
                    continue
                key = (slope / np.linalg.norm(slope)).round(12).tobytes()
                known[key] = known[key] if key in known else blind.tail(slope)
                upper[model, group, at], lower[model, group, at], notes[model, group, at] = known[key]
        return Tail(upper, lower, notes)

    def paired(self, measure: TaskMeasure, a: int, b: int) -> Paired:
        """Return two models with their answers to the same items."""
        few = few_clusters(self.tasks)
        ((nothing, slope),) = _lines([measure], self.tasks)
        if few or np.isnan(slope).any():
            scores = self.scores([measure])[[a, b], 0, 0]
            why = few or "a score has no value"
            return Unpaired(
                (float(scores[0]), float(scores[1])), f"nothing is known of the difference: {why}"
            )
        return paired_tasks(self.tasks, a, b, nothing, slope, self.seed)

    def cannot_permute(self) -> BoolArray:
        """Return where items belong together whose right answers cannot trade places."""
        groups = [self._in(at) for at in range(len(self.groups))]
        return np.array([[bool(_stuck(own, model)) for own in groups] for model in range(len(self.models))])

    def why_undefined(self, measure: TaskMeasure, missing: BoolArray) -> Any:
        """Say which task has no value."""
        reasons = np.atleast_1d(bar_over(measure, self.tasks, mean=self.whole_is_mean).reason)
        return [f"{measure.label} has no value: {reasons[group]}" for _, group in np.argwhere(missing)]


def _stuck(tasks: Sequence[Task], model: int) -> str:
    """Say why right answers of clusters cannot trade places; empty where they can, or without clusters."""
    if all(task.clusters is None for task in tasks):
        return ""
    return next((why for task in tasks if (why := why_stuck(task, model))), "")


def _alone(tasks: Sequence[Task]) -> bool:
    """Whether this is one task of independent items."""
    return len(tasks) == 1 and tasks[0].clusters is None


def _lines(measures: Sequence[TaskMeasure], tasks: Sequence[Task]) -> list[tuple[float, FloatArray]]:
    """Return each measure of the mean over tasks as a line in their shares: what none adds, and each."""
    shares = bars_of_tasks(tasks)
    lines = (measure.function(shares) for measure in measures)
    return [(float(nothing.mean()), slope / len(tasks)) for nothing, slope in lines]


def _bar(bar: Bar, group: int) -> float:
    return float(np.asarray(bar.value)[group])
