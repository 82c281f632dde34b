"""What the best and the worst blind predictions of sets of labels expect."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, IntArray
from clearbar.core.label_sets import LabelSets

Search = Callable[[LabelSets, float], "Optimum"]


class Optimum(NamedTuple):
    """The largest and smallest expected score of blind predictions; the bar is one of them.

    `chosen` says which labels are called for every sample, None where there is no bar; `sometimes` is one
    more, and for how many samples it is called at random. `certified` says that nothing blind is better.
    """

    value: float
    worst: float
    chosen: BoolArray | None
    sometimes: tuple[int, int] | None = None
    certified: bool = True
    reason: str = ""


NO_BAR = Optimum(math.nan, math.nan, None, reason="no label occurs")


def only(truth: LabelSets, places: IntArray | list[int]) -> BoolArray:
    """Return which labels are chosen, by their positions."""
    chosen = np.zeros(len(truth.labels), dtype=bool)
    chosen[places] = True
    return chosen
