"""How well all models of a leaderboard do together, with the right answers of each task in random order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.data.tasks import Task
from clearbar.problems.bootstrap import CELLS, portions
from clearbar.problems.groups import Groups

SEED = 20_261_126


def shares_by_chance(tasks: Sequence[Task], seed: int) -> FloatArray:
    """Return shares of right items of shape (permutations, models, tasks), one order for all models.

    Models that answer alike are right alike: the best of them is hardly better than one.
    """
    generator = np.random.default_rng(SEED + seed)
    models = len(tasks[0].right)
    number = sum(portions(models * sum(map(len, tasks))))
    drawn = [
        np.concatenate([_shares(task, gold) for gold in _orders(task, number, generator)]) for task in tasks
    ]
    return np.stack(drawn, axis=-1)


def _shares(task: Task, gold: IntArray) -> FloatArray:
    """Return how many answers of each model meet right answers of shape (permutations, items)."""
    own = [(gold == answers).mean(axis=1) for answers in np.asarray(task.answers)]
    return np.stack(own, axis=1)


def _orders(task: Task, number: int, generator: np.random.Generator) -> Iterator[IntArray]:
    """Yield right answers in random order, in portions; of options called by texts any of each item's."""
    if task.answers is None or (task.kind != "unlettered" and not task.known.all()):
        raise ValueError(
            f"best_of puts right answers in random order, and {_lacking(task)}; judge the others "
            f"without it, in logs by kind={{{task.name!r}: 'none'}}, which takes it out of the mean."
        )
    step = max(1, CELLS // len(task))
    for first in range(0, number, step):
        rows = min(step, number - first)
        if task.clusters is not None:
            yield _of_clusters(task, rows, generator)
        elif task.kind == "unlettered":
            yield generator.integers(np.asarray(task.options), size=(rows, len(task)))
        else:
            yield _of_items(task, rows, generator)


def _lacking(task: Task) -> str:
    """Say what is not known of a task."""
    if task.gold is None and task.kind != "unlettered":
        return f"the right answers to all items of task {task.name!r} are not known"
    return f"not all answers to task {task.name!r} are known"


def _of_items(task: Task, rows: int, generator: np.random.Generator) -> IntArray:
    """Permute right answers among items with as many options, where positions are answered."""
    gold = np.asarray(task.gold)
    orders = np.repeat(gold[None], rows, axis=0)
    strata = np.asarray(task.options) if task.kind == "lettered" else np.zeros(len(gold), dtype=np.int64)
    for value in np.unique(strata):
        here = strata == value
        orders[:, here] = generator.permuted(orders[:, here], axis=1)
    return orders


def _of_clusters(task: Task, rows: int, generator: np.random.Generator) -> IntArray:
    """Permute whole clusters of right answers; an unlettered one has the same option right throughout."""
    groups = Groups.of(np.asarray(task.clusters))
    if task.kind == "unlettered":
        drawn = generator.random((rows, len(groups)))[:, groups.codes]
        return np.asarray((drawn * np.asarray(task.options)).astype(np.int64))
    options = np.asarray(task.options)
    mixed = task.kind == "lettered" and (options != options[0]).any()
    why = "items have different numbers of options" if mixed else groups.stuck(np.asarray(task.gold))
    if why:
        raise ValueError(f"right answers of task {task.name!r} cannot be put in random order: {why}.")
    orders: list[IntArray] = []
    while sum(map(len, orders)) < rows:
        orders += groups.permuted(np.asarray(task.gold), generator)
    return np.concatenate(orders)[:rows]
