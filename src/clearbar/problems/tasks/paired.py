"""Two models on the same items of tasks: the difference of their scores, over items or clusters of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.data.tasks import Task
from clearbar.inference.bootstrap_t import Line, Score, Units
from clearbar.problems.bootstrap import SHARES
from clearbar.problems.exchanged import Exchanged, mcnemar
from clearbar.problems.groups import Groups
from clearbar.problems.paired import PairedUnits, right_alone


@dataclass(frozen=True, eq=False)
class OfShares:
    """A score that is a line in the shares of right items of tasks, of which whole clusters are drawn."""

    right: FloatArray
    items: FloatArray
    task: IntArray
    nothing: float
    slope: FloatArray

    @property
    def cost(self) -> float:
        """A few steps for each task."""
        return 5.0 * len(self.slope)

    def at(self, weights: FloatArray) -> FloatArray:
        """Return the score under each row of weights."""
        right, items = self._sums(weights)
        return np.asarray(self.nothing + (right / items) @ self.slope)

    def slopes(self, weights: FloatArray) -> FloatArray:
        """Return by how much it rises with the weight of each cluster."""
        right, items = self._sums(weights)
        off = self.right - (right / items)[:, self.task] * self.items
        return np.asarray((self.slope / items)[:, self.task] * off)

    def _sums(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        in_task = self.task[:, None] == np.arange(len(self.slope))
        return weights @ (self.right[:, None] * in_task), weights @ (self.items[:, None] * in_task)


def units_of(tasks: Sequence[Task], models: Sequence[int], nothing: float, slope: FloatArray) -> Units:
    """Return the items of tasks, or clusters of them, with scores that are lines in the shares of right ones.

    Items on which all these models do alike are of one kind.
    """
    rows = np.concatenate([_of_task(task, at, models) for at, task in enumerate(tasks)])
    kinds, number = np.unique(rows, axis=0, return_counts=True)
    task, items, right = kinds[:, 0], kinds[:, 1].astype(np.float64), kinds[:, 2:].T.astype(np.float64)
    whole = np.array([len(own) for own in tasks])
    clustered = any(own.clusters is not None for own in tasks)
    scores: list[Score]
    if clustered:
        scores = [OfShares(own, items, task, nothing, slope) for own in right]
    else:
        scores = [Line((slope / whole)[task] * own, nothing) for own in right]
    return Units(number, task, tuple(scores))


def _of_task(task: Task, number: int, models: Sequence[int]) -> IntArray:
    """Return a row per unit: its task, its items, and how many of them each model has right."""
    right = np.stack([task.right[model].astype(np.int64) for model in models])
    sizes = np.ones(len(task), dtype=np.int64)
    if task.clusters is not None:
        groups = Groups.of(task.clusters)
        right, sizes = groups.sums(right).T.astype(np.int64), groups.sizes
    return np.column_stack([np.full(len(sizes), number), sizes, right.T])


def paired_tasks(
    tasks: Sequence[Task], a: int, b: int, nothing: float, slope: FloatArray, seed: int
) -> PairedUnits:
    """Return two models whose scores are lines in their shares of right items."""
    rows = np.concatenate([_of_task(task, at, (a, b)) for at, task in enumerate(tasks)])
    first = rows[:, 2] >= rows[:, 3]
    rows[:, 2:] = np.sort(rows[:, 2:])[:, ::-1]  # the better answer, then the other one
    kinds, of_unit = np.unique(rows, axis=0, return_inverse=True)
    of_unit = of_unit.reshape(-1)
    straight, crossed = (np.bincount(of_unit[side], minlength=len(kinds)) for side in (first, ~first))
    task, items, better, other = kinds.T
    in_task = (task[:, None] == np.arange(len(tasks))).astype(np.float64)

    def scores_of(one: FloatArray, two: FloatArray) -> FloatArray:
        right = (one * better + two * other) @ in_task
        return np.asarray(nothing + (right / ((one + two) * items @ in_task)) @ slope)

    def worse() -> tuple[FloatArray, FloatArray]:
        shares = [np.array([own.right[model].mean() for own in tasks]) for model in (a, b)]
        first, second = (nothing + (1 - SHARES) * float(own @ slope) for own in shares)
        return first, second

    alone = right_alone(*(np.concatenate([own.right[model] for own in tasks]) for model in (a, b)))
    single = len(tasks) == 1 and tasks[0].clusters is None
    whole = np.array([len(own) for own in tasks])
    exchanged = Exchanged(
        straight,
        crossed,
        better != other,
        scores_of,
        law=(lambda: mcnemar(*alone)) if single else None,
        steps=(slope / whole)[task] * (better - other),
        seed=seed,
    )
    units = units_of(tasks, (a, b), nothing, slope)
    reach = (0.0, float(np.abs(slope).sum()))
    return PairedUnits(units, exchanged, worse, reach, seed, alone=alone)
