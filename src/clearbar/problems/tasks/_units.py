"""Items of tasks, or whole clusters of them, where a score is a line in the shares that are right.

The items of each task are drawn apart. One less is drawn than there are where one model is tested, so that
the variance is that of the task (Rao and Wu, J. Amer. Statist. Assoc. 83, 1988).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.reasons import Reason
from clearbar.data.tasks import Task
from clearbar.inference.bootstrap import Bootstrap, Resampled, Test, WithUnseen
from clearbar.inference.exchange import right_alone
from clearbar.inference.units import FEWEST, SHARES, Groups, Tail, Units
from clearbar.problems.tasks.measures import TaskMeasure

Line = tuple[float, FloatArray]
"""A score as a line in the shares of right items of tasks: what none adds, and all items of each."""


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
        self.tasks, self.line, self.seed, self.joint = tasks, line, seed, joint
        self.one_less, self.fewest, self.models = not joint, 1, len(models)
        self.right = [[task.right[model] for task in tasks] for model in models]
        self.clustered = any(task.clusters is not None for task in tasks)
        rows = np.concatenate([_rows(task, at, models) for at, task in enumerate(tasks)])
        kinds, self.multiplicity = np.unique(rows, axis=0, return_counts=True)  # sorted by task
        self._task, self._items = kinds[:, 0], kinds[:, 1].astype(np.float64)
        self._right = kinds[:, 2:].T.astype(np.float64)
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
        return np.array([np.add.reduceat(weights * own, self._starts, axis=1) for own in right]) / items

    def failing(self, measure: TaskMeasure, model: int) -> tuple[FloatArray, FloatArray]:
        nothing, slope = self.line(measure)
        own = float(slope @ [right.mean() for right in self.right[model]])
        return nothing + (1 - SHARES) * own, nothing + own + SHARES * (float(slope.sum()) - own)

    def refined(self, test: Resampled, measure: TaskMeasure, model: int) -> Test:
        """Return the test of tasks of which some never vary: unseen items may be all wrong, or all right.

        Clusters that are right nearly equally often hardly vary, however few there are. So nothing is surer
        than that none was seen of those that are all wrong, or all right.
        """
        drawn = test.score
        assert isinstance(drawn, Bootstrap)  # noqa: S101 - it is refined once
        _, slope = self.line(measure)
        shares = np.array([right.mean() for right in self.right[model]])
        share = self._right[model] / self._items
        high, low = (side.reduceat(share, self._starts) for side in (np.maximum, np.minimum))
        sizes = np.add.reduceat(self.multiplicity, self._starts).astype(np.float64)
        alike = np.where(high - low <= 1e-12, slope, 0.0)
        refined = replace(test, score=WithUnseen(drawn, alike * shares, alike * (1 - shares), sizes))
        if not self.clustered:
            return refined
        grouped = slope * [task.clusters is not None for task in self.tasks]
        constant = replace(drawn, values=np.full_like(drawn.values, drawn.score))
        unseen = WithUnseen(constant, grouped * shares, grouped * (1 - shares), sizes)
        return LessSure(replace(test, score=unseen, note=Reason("unseen_clusters")), refined)

    # -- two models -------------------------------------------------------------------------------------
    def linear(self, measure: TaskMeasure) -> bool:  # noqa: ARG002 - all are lines
        return self.joint and not self.clustered

    def pair_cost(self, measure: TaskMeasure) -> float:  # noqa: ARG002
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

    def only_one_right(self) -> tuple[int, int]:
        return right_alone(*(np.concatenate(own) for own in self.right))

    def counts_right(self, measure: TaskMeasure) -> bool:  # noqa: ARG002
        return len(self.tasks) == 1 and not self.clustered

    def span(self, measure: TaskMeasure) -> float:
        return float(np.abs(self.line(measure)[1]).sum())


def few_clusters(tasks: Sequence[Task]) -> Reason | None:
    """Say which task has too few clusters to draw anew."""
    for task in tasks:
        if task.clusters is not None and len(np.unique(task.clusters)) < FEWEST:
            return Reason.of("too_few_clusters", task=task.name, least=FEWEST)
    return None


def _rows(task: Task, number: int, models: Sequence[int]) -> Any:
    """Return a row per unit: its task, its items, and how many of them each model has right."""
    right = np.stack([task.right[model].astype(np.int64) for model in models])
    sizes = np.ones(len(task), dtype=np.int64)
    if task.clusters is not None:
        groups = Groups.of(task.clusters)
        right, sizes = groups.sums(right).T.astype(np.int64), groups.sizes
    return np.column_stack([np.full(len(sizes), number), sizes, right.T])
