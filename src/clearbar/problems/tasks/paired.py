"""Two models on the same items: exchange their answers item by item, or cluster by cluster, within tasks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.data.answers import Task
from clearbar.problems.bootstrap import SHARES
from clearbar.problems.exchanged import mcnemar
from clearbar.problems.groups import Groups
from clearbar.problems.paired import Swaps, right_alone


def paired_tasks(
    tasks: Sequence[Task], a: int, b: int, nothing: float, slope: FloatArray, seed: int
) -> Swaps:
    """Return two models whose scores are lines in their shares of right items."""
    units = [_units(task, at, a, b) for at, task in enumerate(tasks)]
    rows = np.concatenate(units)  # task, right items of the better answer, of the other one, items, whose
    kinds, of_unit = np.unique(rows[:, :4], axis=0, return_inverse=True)
    first = rows[:, 4] == 1
    of_unit = of_unit.reshape(-1)
    straight, crossed = (np.bincount(of_unit[side], minlength=len(kinds)) for side in (first, ~first))
    task, better, other, items = kinds.T
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
    return Swaps(
        straight,
        crossed,
        better != other,
        scores_of,
        task,
        worse,
        alone=alone,
        law=(lambda: mcnemar(*alone)) if single else None,
        steps=(slope / whole)[task] * (better - other),
        seed=seed,
    )


def _units(task: Task, number: int, a: int, b: int) -> FloatArray:
    """Return a row per unit: its task, the larger and the smaller number right, items, whose the larger."""
    one, two = (task.right[model].astype(np.int64) for model in (a, b))
    sizes = np.ones(len(task), dtype=np.int64)
    if task.clusters is not None:
        groups = Groups.of(task.clusters)
        one, two, sizes = groups.sums(one).astype(np.int64), groups.sums(two).astype(np.int64), groups.sizes
    return np.stack(
        [np.full(len(one), number), np.maximum(one, two), np.minimum(one, two), sizes, one >= two], axis=1
    )
