"""Intervals of a row of verdicts, found when one is first read, a few together: they share the work."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from clearbar.problems._protocol import Judged, Problem

TOGETHER = 12


@dataclass(frozen=True, eq=False)
class Intervals:
    """Those of the measures, by their number, of one model in one group; nan where None stands for one."""

    problem: Problem
    measures: Sequence[Judged | None]
    level: float
    known: dict[int, tuple[float, float]] = field(default_factory=dict)

    def __getitem__(self, number: int) -> tuple[float, float]:
        """Return `low` and `high` of a measure."""
        if number not in self.known:
            first = number - number % TOGETHER
            block = dict(enumerate(self.measures[first : first + TOGETHER], first))
            self.known.update(dict.fromkeys(block, (math.nan, math.nan)))
            judged = {at: measure for at, measure in block.items() if measure is not None}
            ends = self.problem.intervals([*judged.values()], self.level) if judged else []
            self.known.update(zip(judged, ends, strict=True))
        return self.known[number]
