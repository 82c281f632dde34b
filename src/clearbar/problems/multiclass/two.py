"""Two classes: what measures of many ask of them is a question of two rates, with an exact answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearbar.catalogue import Measure, get_measure
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.counts import Counts, counts_of
from clearbar.inference.rate_intervals import intervals
from clearbar.inference.two_rates import methods, p_values
from clearbar.problems._protocol import Tail
from clearbar.problems.multiclass._measure import ClassMeasure


@dataclass(frozen=True, eq=False)
class Exactly:
    """The exact test of a measure of two classes."""

    measure: Measure
    counts: Counts

    @classmethod
    def of(cls, measure: ClassMeasure, matrix: ConfusionMatrix) -> Exactly | None:
        """Return the test of two classes; None where there are more, or the measure is none of two."""
        if not measure.of_two or len(matrix.labels) != 2 or not matrix.true_counts.all():
            return None
        # Which class is positive says no name but what they hold; the measures are the same either way.
        positive = min((0, 1), key=lambda at: (matrix.true_counts[at], matrix.predicted_counts[at]))
        cells = (int(np.asarray(cell)[positive]) for cell in matrix.one_vs_rest().cells)
        return cls(get_measure(measure.of_two, "binary"), counts_of(cells))

    def tail(self, bar: float) -> Tail:
        """Return the two-sided p-value."""
        p_value = float(p_values([self.measure], self.counts, [np.array(bar)])[0])
        return Tail(p_value, p_value, method=methods(self.counts).item())

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:  # noqa: ARG002
        """Return the scores that are not refuted."""
        ((low,), (high,)) = np.asarray(intervals([self.measure], self.counts, level)).tolist()
        return low, high
