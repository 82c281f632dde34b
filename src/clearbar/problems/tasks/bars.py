"""What tasks are judged by, and the bar of a task: what answers expect that ignore the questions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from clearbar.catalogue import Entry
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.errors import listed
from clearbar.data.tasks import Task
from clearbar.formatting import plural
from clearbar.problems.bars import NOTHING_TO_DO, CombinedBar, CombinedOptimum, GroupSizes, Recipe


@dataclass(frozen=True, eq=False, repr=False)
class TaskMeasure(Entry):
    """A score of a task that is a line in the share of its items that is right, so that means are as well."""

    # function(bars): the scores if nothing is right, and what all items add; nan where there are none.
    kind: ClassVar[str] = "tasks"


def share_right(bars: FloatArray) -> tuple[FloatArray, FloatArray]:
    return np.zeros(len(bars)), np.ones(len(bars))


def _rescaled(bars: FloatArray) -> tuple[FloatArray, FloatArray]:
    room = np.where(bars < 1, 1 - bars, math.nan)
    return -bars / room, 1 / room


ACCURACY = TaskMeasure(
    "accuracy",
    share_right,
    label="accuracy",
    aliases=("acc", "exact_match"),
    formula=r"\frac{T}{M}",
    question="What share of a task's items is right?",
)

RESCALED = TaskMeasure(
    "accuracy_rescaled",
    _rescaled,
    label="rescaled accuracy",
    aliases=("rescaled",),
    bounds=(-math.inf, 1.0),
    formula=r"\frac{T/M - \mathrm{bar}}{1 - \mathrm{bar}}",
    question="How far is a task's accuracy on the way from its bar (0) to perfect (1)?",
    caution="Below the bar it is negative: it is not cut off at 0.",
)

MEAN_SCORE = TaskMeasure(
    "mean_score",
    share_right,
    label="mean score",
    formula=r"\frac{1}{M} \sum_i s_i",
    question="How much of a task's items does a model get on average?",
)


CLAIM = (
    "Answers that ignore the questions know at most how many options an item has: of lettered options the "
    "position that is right most often among items with as many is best, of classes the one that is right "
    "most often, and options whose texts and order nobody sees are each right with the same chance."
)

BY_CHANCE = Recipe("answer", "by chance")
AT_RANDOM = Recipe("choose", "one option of each item at random")
EACH_TASK = Recipe("answer", "each task as well as one can", "without reading the questions")

# Items with as many options, of fewer of which the best position is noticeably lucky.
# With right positions at random it is right in 0.369 of 20 items of 4 options, and in 0.151 of 100 of 10.
FEW_ITEMS = 100

MOST_LABELS = 3  # numbers of options whose best positions a recipe names one by one


def best_of(task: Task) -> tuple[Fraction | None, Recipe]:
    """Return what the best answers expect that ignore the questions, and what they are."""
    if task.chance is not None:
        return Fraction(task.chance), BY_CHANCE
    if task.kind == "unlettered":
        return task.random_guess, AT_RANDOM
    if task.best is None:
        return None, NOTHING_TO_DO
    share, labels = task.best.right / len(task), task.best.labels
    if task.kind == "lettered" and share == task.random_guess:
        return share, AT_RANDOM
    return share, _recipe(labels)


def _recipe(labels: Sequence[tuple[int, str]]) -> Recipe:
    """Return what to answer to items, by how many options they have."""
    if len({label for _, label in labels}) == 1:
        label = labels[0][1]
        what = f'"{label}" to every item' if label else "anything to every item"
        return Recipe("answer", what, certain=True, always=label)
    if len(labels) > MOST_LABELS:
        return Recipe("answer", "the commonest position of each number of options", certain=True)
    each = listed(f'"{label}" to items of {plural(number, "option")}' for number, label in labels)
    return Recipe("answer", each, certain=True)


@dataclass(frozen=True, eq=False)
class TaskSizes(GroupSizes):
    """Items of each task in each group, of shape (groups, tasks) or (tasks,); and which part is told of."""

    names: tuple[str, ...]
    counts: IntArray
    part: Any
    word: str = "multiple choice"

    parts = "of {} tasks"
    arrays = ("counts", "part")

    @classmethod
    def of(
        cls, names: Sequence[str], totals: Any, part: Any, word: str = "multiple choice", *, whole: Any = True
    ) -> TaskSizes:
        """Return all tasks together that are part of the whole, then each."""
        counts, parts = np.asarray(totals, dtype=np.int64), np.asarray(part, dtype=np.int64)
        counts_of_groups = np.stack([np.where(whole, counts, 0), *np.diag(counts)])
        return cls(tuple(names), counts_of_groups, np.insert(parts, 0, np.where(whole, parts, 0).sum()), word)

    @property
    def total(self) -> Any:
        """Items of each group."""
        return self.counts.sum(axis=-1)

    @property
    def leading(self) -> tuple[str, Any]:
        """What readers are told the share of, by what it is called; nothing, where all items or none are."""
        some = np.any(self.part) and np.any(self.part != self.total)
        return self.word if some else "", self.part

    @property
    def classes(self) -> tuple[str, ...] | None:
        """What parts samples for readers: the tasks, where all make the whole; None where nothing does."""
        counts = np.atleast_2d(self.counts)
        left_out = len(counts) == len(self.names) + 1 and not counts[0].all()
        if len(self.names) > 1 and not left_out:
            return self.names
        return () if np.any(self.part) else None


@dataclass(frozen=True, eq=False, repr=False)
class TaskBar(CombinedBar):
    """What the best answers expect that ignore the questions: of tasks, and of the mean over them.

    Attributes
    ----------
    measure : TaskMeasure or ClassMeasure
        The measure.
    population : TaskSizes
        Items of each group.
    optima : tuple of CombinedOptimum
        What is best in each group.
    claim : str
        The sentence that says why nothing does better.
    """

    measure: Entry
    population: TaskSizes
    claim: str = CLAIM

    uncertain = "the bar is a bound from below: another fixed answer may score more"
    needed = "the answers"

    @classmethod
    def of_mean(
        cls, measure: Entry, sizes: TaskSizes, optima: Sequence[CombinedOptimum], claim: str = CLAIM
    ) -> TaskBar:
        """Return the bars of tasks behind their mean; tasks that are not in it have no samples there."""
        counted = list(itertools.compress(optima, sizes.counts[0] > 0))
        value, worst, best_possible = np.array([optimum[:3] for optimum in counted]).mean(axis=0).tolist()
        certified = all(optimum.certified for optimum in counted)
        recipe = EACH_TASK if len(optima) > 1 else optima[0].recipe
        reason = next((optimum.reason for optimum in counted if optimum.reason), "")
        mean = CombinedOptimum(value, worst, best_possible, recipe, certified, reason=reason)
        return cls(measure, sizes, (mean, *optima), claim)


def bars_of_tasks(tasks: Sequence[Task]) -> FloatArray:
    """Return the bar of the share that is right in each task; nan where there is none."""
    bars = (best_of(task)[0] for task in tasks)
    return np.array([np.nan if bar is None else float(bar) for bar in bars])


def in_mean(tasks: Sequence[Task]) -> BoolArray:
    """Return which tasks make the mean: those that have a bar, or all where none has."""
    with_bar = ~np.isnan(bars_of_tasks(tasks))
    return with_bar if with_bar.any() else ~with_bar


def bar_over(measure: TaskMeasure, tasks: Sequence[Task], *, mean: bool) -> TaskBar:
    """Return the bars of tasks, the mean over them first if it is asked for."""
    shares = bars_of_tasks(tasks)
    nothing, all_right = measure.function(shares)
    values = nothing + all_right * shares
    values[np.abs(values) < 1e-15] = 0.0  # the rescaled bar
    named = len({task.why for task in tasks}) > 1 or not np.isnan(shares).all()
    optima = [
        CombinedOptimum(
            value,
            worst,
            1.0,
            best_of(task)[1],
            task.certified,
            reason=_why_none(task, share, value, named=named),
        )
        for task, share, value, worst in zip(
            tasks, shares.tolist(), values.tolist(), nothing.tolist(), strict=True
        )
    ]
    totals = [len(task) for task in tasks]
    with_options = [0 if task.options is None else len(task) for task in tasks]
    sizes = TaskSizes.of([task.name for task in tasks], totals, with_options, whole=in_mean(tasks))
    return TaskBar.of_mean(measure, sizes, optima) if mean else TaskBar(measure, sizes[1:], tuple(optima))


def _why_none(task: Task, share: float, value: float, *, named: bool) -> str:
    if np.isnan(share):
        return f"task {task.name!r} has no bar: {task.why}" if named else task.why
    return f"the bar of task {task.name!r} already is perfect" if np.isnan(value) else ""
