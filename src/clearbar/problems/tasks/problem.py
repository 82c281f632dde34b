"""Answers to the items of tasks as a problem: each task has its bar, and the whole is the mean over tasks.

The items of each task are drawn apart. One less is drawn than there are where one model is tested, so that
the variance is that of the task (Rao and Wu, J. Amer. Statist. Assoc. 83, 1988).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.reasons import OfMeasure, Reason
from clearbar.data.tasks import Task
from clearbar.inference import Tail
from clearbar.inference.bootstrap import NotTested, Resampled, Test
from clearbar.inference.bounded import BoundedMean, BoundedMeans
from clearbar.inference.exchange import right_alone
from clearbar.inference.units import FEWEST, SHARES, Groups, Units
from clearbar.problems._protocol import Problem
from clearbar.problems.multiclass.exact import Certified
from clearbar.problems.tasks.bars import (
    TaskBar,
    TaskMeasure,
    bar_over,
    bars_of_tasks,
    in_mean,
)
from clearbar.problems.tasks.blind import blind_tail, shares_by_chance

MOST_BOUNDED = 12  # tasks with partial credit up to which their mean is not resampled

# A score as a line in the shares of right items of tasks: what none adds, and all items of each.
Line = tuple[float, FloatArray]


@dataclass(frozen=True, eq=False)
class LessSure:
    """Two tests of the same score, of which the one that tells less counts."""

    first: Test
    second: Test

    def tail(self, bar: float) -> Tail:
        tails: tuple[Tail, Tail] = (self.first.tail(bar), self.second.tail(bar))
        return max(tails, key=lambda tail: tail.upper)

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        ends = (test.interval(level, bounds) for test in (self.first, self.second))
        lows, highs = zip(*ends, strict=True)
        return min(lows), max(highs)


class ItemUnits(Units):
    """Items, or clusters of them, on which all these models do alike are of one kind; strata are tasks."""

    def __init__(
        self,
        tasks: Sequence[Task],
        models: Sequence[int],
        line: Callable[[TaskMeasure], Line],
        *,
        seed: int,
        joint: bool,
    ) -> None:
        self.tasks, self.line, self.seed, self.joint = tasks, cache(line), seed, joint
        self.one_less, self.fewest, self.models = not joint, 1, len(models)
        self.right = [[task.right[model] for task in tasks] for model in models]
        self.clustered = any(task.clusters is not None for task in tasks)
        rows = np.concatenate([_rows(task, number, models) for number, task in enumerate(tasks)])
        kinds, self.multiplicity = _distinct(rows)  # sorted by task
        self._task, self._items = kinds[:, 0].astype(np.int64), kinds[:, 1]
        self._right = kinds[:, 2:].T
        self._starts = np.flatnonzero(np.diff(self._task, prepend=-1))
        self._sizes = np.array([len(task) for task in tasks], dtype=np.float64)
        self.samples = len(kinds)

    @property
    def strata(self) -> IntArray:
        return self._task

    @property
    def words(self) -> str:
        return "whole clusters of items" if self.clustered else "the items of each task"

    def not_resampled(self, measure: TaskMeasure) -> Reason | None:
        return few_clusters(self.tasks) or (
            Reason("no_score") if np.isnan(self.line(measure)[1]).any() else None
        )

    def score(self, measures: Sequence[TaskMeasure], weights: FloatArray) -> FloatArray:
        shares = self._shares(weights, self._right)
        lines = [self.line(measure) for measure in measures]
        return np.array([nothing + shares @ slope for nothing, slope in lines])

    def _shares(self, weights: FloatArray, right: FloatArray) -> FloatArray:
        """Return the shares of right items, (models, resamples, tasks)."""
        items = np.add.reduceat(weights * self._items, self._starts, axis=1)
        return np.array([np.add.reduceat(weights * hits, self._starts, axis=1) for hits in right]) / items

    def failing(self, measure: TaskMeasure, model: int) -> tuple[FloatArray, FloatArray]:
        nothing, slope = self.line(measure)
        added = float(slope @ [right.mean() for right in self.right[model]])
        return nothing + (1 - SHARES) * added, nothing + added + SHARES * (float(slope.sum()) - added)

    def refined(self, test: Resampled, measure: TaskMeasure, model: int) -> Test:
        """Return the test of tasks of which some never vary: unseen items may be all wrong, or all right."""
        # Clusters that are right nearly equally often hardly vary, however few there are. So nothing is surer
        # than that none was seen of those that are all wrong, or all right.
        drawn, (_, slope) = test.score, self.line(measure)
        shares = np.array([right.mean() for right in self.right[model]])
        share = self._right[model] / self._items
        high, low = (end.reduceat(share, self._starts) for end in (np.maximum, np.minimum))
        sizes = np.add.reduceat(self.multiplicity, self._starts).astype(np.float64)
        alike = np.where(high - low <= 1e-12, slope, 0.0)
        refined = replace(test, score=drawn.with_unseen(alike * shares, alike * (1 - shares), sizes))
        if not self.clustered:
            return refined
        grouped = slope * [task.clusters is not None for task in self.tasks]
        constant = replace(drawn, values=np.full_like(drawn.values, drawn.score))
        unseen = constant.with_unseen(grouped * shares, grouped * (1 - shares), sizes)
        return LessSure(replace(test, score=unseen, note=Reason("unseen_clusters")), refined)

    # -- two models -------------------------------------------------------------------------------------
    def bounded_difference(self, measure: TaskMeasure, first: int, second: int) -> BoundedMeans | None:
        """Take items of all tasks together, each as large as it counts in the score."""
        if self.right_or_wrong:
            return None
        slope = self.line(measure)[1]
        each, total = (slope / self._sizes)[self._task], float(slope.sum())
        sums = each * (self._right[first] - self._right[second] + self._items) / 2
        units = (np.repeat(values, self.multiplicity) for values in (sums, each * self._items))
        return BoundedMeans(-total, [2 * total], [BoundedMean.of(*units)])

    def linear(self, measure: TaskMeasure) -> bool:
        return self.joint and not self.clustered

    def pair_cost(self, measure: TaskMeasure) -> float:
        return 1.0 if not self.clustered else 5.0 * len(self.tasks)

    def slopes(self, measure: TaskMeasure, weights: FloatArray) -> FloatArray:
        _, slope = self.line(measure)
        if self.linear(measure):
            return np.asarray(((slope / self._sizes)[self._task] * self._right)[:, None])
        shares = self._shares(weights, self._right)[..., self._task]
        items = np.add.reduceat(weights * self._items, self._starts, axis=1)
        return np.asarray((slope / items)[:, self._task] * (self._right[:, None] - shares * self._items))

    def mixed(self, measure: TaskMeasure, first: FloatArray, second: FloatArray) -> FloatArray:
        nothing, slope = self.line(measure)
        right = first * self._right[0] + second * self._right[1]
        items = np.add.reduceat((first + second) * self._items, self._starts, axis=1)
        return np.asarray(nothing + (np.add.reduceat(right, self._starts, axis=1) / items) @ slope)

    def differ(self) -> BoolArray:
        return np.asarray(self._right[0] != self._right[1])

    def steps(self, measure: TaskMeasure) -> FloatArray:
        per_item = (self.line(measure)[1] / self._sizes)[self._task]
        return np.asarray(per_item * (self._right[0] - self._right[1]))

    @property
    def right_or_wrong(self) -> bool:
        return all(task.right_or_wrong for task in self.tasks)

    def only_one_right(self) -> tuple[int, int] | None:
        return right_alone(*map(np.concatenate, self.right)) if self.right_or_wrong else None

    def counts_right(self, measure: TaskMeasure) -> bool:
        return len(self.tasks) == 1 and not self.clustered and self.right_or_wrong

    def span(self, measure: TaskMeasure) -> float:
        return float(np.abs(self.line(measure)[1]).sum())


def _bounded(line: Line, tasks: Sequence[Task], model: int) -> Test | None:
    """Return the test of scores between 0 and 1; None where there is no line."""
    nothing, slopes = line
    if np.isnan(slopes).any():
        return None
    rows = [_rows(task, 0, [model]) for task in tasks]
    return BoundedMeans(nothing, slopes.tolist(), [BoundedMean.of(of[:, 2], of[:, 1]) for of in rows])


def few_clusters(tasks: Sequence[Task]) -> Reason | None:
    """Say which task has too few clusters to draw anew."""
    for task in tasks:
        if task.clusters is not None and len(np.unique(task.clusters)) < FEWEST:
            return Reason.of("too_few_clusters", task=task.name, least=FEWEST)
    return None


def _rows(task: Task, number: int, models: Sequence[int]) -> Any:
    """Return a row per unit: its task, its items, and how many of them each model has right."""
    right = np.stack([task.right[model].astype(np.float64) for model in models])
    sizes = np.ones(len(task), dtype=np.int64)
    if task.clusters is not None:
        groups = Groups.of(task.clusters)
        right, sizes = groups.sums(right).T, groups.sizes
    return np.column_stack([np.full(len(sizes), number), sizes, right.T])


def _content(task: Task, models: Sequence[int]) -> tuple[int, bytes, bytes]:
    """Return what orders tasks whatever they are called and whichever comes first: a seed draws the same."""
    kinds, times = _distinct(_rows(task, 0, models))
    return len(task), kinds.tobytes(), times.tobytes()


@dataclass(frozen=True, eq=False)
class LineTest:
    """The test of a score that is `nothing` and so many times another one, which is at most `most`."""

    other: Test
    nothing: float
    times: float
    most: float

    def tail(self, bar: float) -> Tail:
        return self.other.tail((bar - self.nothing) / self.times)

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        low, high = self.other.interval(level, (0.0, self.most))
        return self.nothing + self.times * low, self.nothing + self.times * high


@dataclass(frozen=True, eq=False)
class Answered(Problem):
    """What models answered to the items of tasks; the first group, None, is the mean over them."""

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    tasks: tuple[Task, ...]
    seed: int = field(default=0, kw_only=True)
    kept_tests: dict[Any, Test] = field(default_factory=dict, repr=False, kw_only=True)

    intervals_without_bar = True
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
        bars = (bar_over(measure, self.tasks, mean=self.whole_is_mean) for measure in measures)
        return tuple(bar[: len(self.groups)] for bar in bars)

    def scores(self, measures: Sequence[TaskMeasure]) -> FloatArray:
        shares = np.array([task.right.mean(axis=1) for task in self.tasks])
        lines = [measure.function(bars_of_tasks(self.tasks)) for measure in measures]
        of_tasks = np.stack([(n[:, None] + slope[:, None] * shares).T for n, slope in lines], axis=-1)
        if not self.whole_is_mean:
            return of_tasks
        mean = of_tasks[:, in_mean(self.tasks)].mean(axis=1, keepdims=True)
        return np.concatenate([mean, of_tasks], axis=1)[:, : len(self.groups)]

    def random_guesses(self) -> FloatArray:
        guesses = (None if task.kind == "none" else task.random_guess for task in self.tasks)
        of_tasks = np.array([math.nan if guess is None else float(guess) for guess in guesses])
        mean = of_tasks[in_mean(self.tasks)].mean()
        return np.insert(of_tasks, 0, mean) if self.whole_is_mean else of_tasks

    def standard_errors(self) -> FloatArray:
        of_tasks = np.array([_standard_error(task) for task in self.tasks]).T
        if not self.whole_is_mean:
            return of_tasks
        in_the_mean = of_tasks[:, in_mean(self.tasks)]
        of_mean = np.sqrt((in_the_mean**2).sum(axis=1)) / in_the_mean.shape[1]
        return np.insert(of_tasks, 0, of_mean, axis=1)

    def permuted(self, measure: TaskMeasure) -> FloatArray:
        tasks = self._in(0)
        nothing, slope = _line(measure, tasks)
        return np.asarray(nothing + shares_by_chance(tasks, self.seed) @ slope)

    def one(self, model: int, group: int) -> Answered:
        tasks = tuple(task.of_model(model) for task in self._in(group))
        return replace(
            self, models=self.models[model : model + 1], groups=self.groups[group : group + 1], tasks=tasks
        )

    def units(self, group: int, models: Sequence[int] | None = None, *, joint: bool = False) -> ItemUnits:
        places = list(range(len(self.models)) if models is None else models)
        tasks = sorted(self._in(group), key=partial(_content, models=places))
        return ItemUnits(tasks, places, partial(_line, tasks=tasks), seed=self.seed, joint=joint)

    def exact_tests(self, measures: Sequence[TaskMeasure], model: int, group: int) -> list[Test | None]:
        """Return tests that are certified for one task of independent items."""
        tasks = self._in(group)
        few = few_clusters(tasks)
        if few is not None:
            return [NotTested(Reason.of("p_value_unknown", why=few))] * len(measures)
        if not all(task.right_or_wrong for task in tasks) and len(tasks) <= MOST_BOUNDED:
            return [_bounded(_line(measure, tasks), tasks, model) for measure in measures]
        if len(tasks) > 1 or tasks[0].clusters is not None or not tasks[0].right_or_wrong:
            return [None] * len(measures)
        right = int(np.count_nonzero(tasks[0].right[model]))
        certified = Certified(right, len(tasks[0]), units="items")
        lines = [_line(measure, tasks) for measure in measures]
        return [LineTest(certified, nothing, float(slope[0]), 1.0) for nothing, slope in lines]

    def exact_chances(
        self, measures: Sequence[TaskMeasure], scores: FloatArray, model: int, group: int
    ) -> list[Tail]:
        """Return how likely answers that ignore the questions score as well: all that is drawn is, too."""
        tasks = self._in(group)
        if all(task.chance is not None for task in tasks):
            tests = self.exact_tests(measures, model, group)
            bounded = [test for test in tests if isinstance(test, BoundedMeans)]
            if len(bounded) == len(tests):
                return [test.above(test.line(bars_of_tasks(tasks))) for test in bounded]
        tails = blind_tail(tasks, model, [_line(measure, tasks)[1] for measure in measures], self.seed)
        unscored = Tail(math.nan, math.nan)
        return [unscored if math.isnan(score) else tail for score, tail in zip(scores, tails, strict=True)]

    def why_undefined(self, measure: TaskMeasure, missing: BoolArray) -> Any:
        reasons = np.atleast_1d(bar_over(measure, self.tasks, mean=self.whole_is_mean).reason)
        return [
            OfMeasure(f"{measure.label} has no value: {reasons[group]}") for _, group in np.argwhere(missing)
        ]


def _standard_error(task: Task) -> FloatArray:
    """Return each model's standard error of its mean over items; of clusters Liang and Zeger's (1986)."""
    if task.clusters is None:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(task.right.std(axis=1) / np.sqrt(np.float64(len(task) - 1)))
    number = int(task.clusters.max()) + 1
    off = task.right - task.right.mean(axis=1, keepdims=True)
    sums = np.stack([np.bincount(task.clusters, weights=of_model, minlength=number) for of_model in off])
    variance = (sums**2).sum(axis=1) / len(task) ** 2 * (number / (number - 1) if number > 1 else math.nan)
    return np.asarray(np.sqrt(variance))


def _distinct(rows: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the different rows in order, and how often each stands there, as `numpy.unique` does slowly."""
    rows = rows[np.lexsort(rows.T[::-1])]
    starts = np.flatnonzero(np.append(True, (rows[1:] != rows[:-1]).any(axis=1)))
    return rows[starts], np.diff(starts, append=len(rows))


def _line(measure: TaskMeasure, tasks: Sequence[Task]) -> Line:
    """Return a measure of the mean over tasks as a line in their shares: what none adds, and each."""
    nothing, slope = measure.function(bars_of_tasks(tasks))
    return float(nothing.mean()), slope / len(tasks)
