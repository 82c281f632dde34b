"""What tasks are judged by: the share of items that is right, and how far it is from the bar to perfect."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from clearbar.catalogue import Entry
from clearbar.core._typing import FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class TaskMeasure(Entry):
    """A score of a task that is a line in the share of its items that is right, so that means are as well.

    Parameters
    ----------
    function : callable
        ``function(bars)``: the scores if nothing is right, and what all items add; nan where there are none.
    """

    kind: ClassVar[str] = "tasks"


def _share(bars: FloatArray) -> tuple[FloatArray, FloatArray]:
    return np.zeros(len(bars)), np.ones(len(bars))


def _rescaled(bars: FloatArray) -> tuple[FloatArray, FloatArray]:
    room = np.where(bars < 1, 1 - bars, math.nan)
    return -bars / room, 1 / room


ACCURACY = TaskMeasure(
    "accuracy",
    _share,
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
