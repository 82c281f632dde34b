"""Tasks, each with items and a bar of its own, and the mean over them."""

from __future__ import annotations

from clearbar.problems.tasks._classes import TaskClasses
from clearbar.problems.tasks._problem import Answered
from clearbar.problems.tasks.bars import AT_RANDOM, TaskBar, best_of
from clearbar.problems.tasks.measures import ACCURACY, RESCALED, TaskMeasure

__all__ = [
    "ACCURACY",
    "AT_RANDOM",
    "RESCALED",
    "Answered",
    "TaskBar",
    "TaskClasses",
    "TaskMeasure",
    "best_of",
]
