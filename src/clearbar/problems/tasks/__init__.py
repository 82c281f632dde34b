"""Tasks, each with items and a bar of its own, and the mean over them."""

from __future__ import annotations

from clearbar.problems.tasks.bars import (
    ACCURACY,
    AT_RANDOM,
    FEW_ITEMS,
    MEAN_SCORE,
    RESCALED,
    TaskBar,
    TaskMeasure,
    bar_over,
    best_of,
)
from clearbar.problems.tasks.classes import TaskClasses
from clearbar.problems.tasks.problem import Answered
from clearbar.problems.tasks.rate import PASS_RATE, PassRate

__all__ = [
    "ACCURACY",
    "AT_RANDOM",
    "FEW_ITEMS",
    "MEAN_SCORE",
    "PASS_RATE",
    "RESCALED",
    "Answered",
    "PassRate",
    "TaskBar",
    "TaskClasses",
    "TaskMeasure",
    "bar_over",
    "best_of",
]
