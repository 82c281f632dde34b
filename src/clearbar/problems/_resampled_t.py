"""The corrected resampled t-test of a mean over folds (Nadeau and Bengio 2003).

Folds share training samples, so their scores are correlated: the variance of the mean is taken as
(1/J + test/train) s². Where nothing else is known, cross-validation in J folds trains on J - 1 parts
for each tested.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.inference.student_t import quantile, student_tail
from clearbar.problems._protocol import Tail

RESAMPLED_T = "p_value is the corrected resampled t-test (Nadeau and Bengio 2003), which is approximate"
NO_SPREAD = (
    "p_value is not known where all folds score the same though some sample failed, or fewer than two have a "
    "value"
)


class Mean(NamedTuple):
    """A mean over folds, its standard error, which is nan of fewer than two, and its degrees of freedom."""

    value: float
    error: float
    freedom: int

    def p_value(self, bar: float) -> float:
        """Return how surprising the mean is; nan where all folds score the same, unless that is the bar."""
        distance = abs(self.value - bar)
        if self.error > 0:
            return student_tail(distance / self.error, self.freedom)
        return 1.0 if self.error == 0 and distance <= 1e-12 else math.nan

    def tail(self, bar: float) -> Tail:
        """Return how surprising the mean of the folds' scores is if its expectation is the bar."""
        p_value = self.p_value(bar)
        return Tail(p_value, p_value, NO_SPREAD if math.isnan(p_value) else RESAMPLED_T, "t")

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the confidence interval of the expectation, within the bounds of the measure."""
        if not self.error > 0:
            return math.nan, math.nan
        width = quantile(level, self.freedom) * self.error
        return max(self.value - width, bounds[0]), min(self.value + width, bounds[1])


def mean_of_folds(scores: FloatArray, ratio: float | None = None) -> Mean:
    """Return the mean of the folds' scores that have a value; `ratio` is tested over trained samples."""
    scores = scores[~np.isnan(scores)]
    count = len(scores)
    if count < 2:
        return Mean(math.nan, math.nan, 0)
    shared = 1 / (count - 1) if ratio is None else ratio
    mean, spread = float(scores.mean()), float(scores.std(ddof=1))
    spread = spread if spread > 1e-12 * max(1.0, abs(mean)) else 0.0  # but for rounding they are all the same
    return Mean(mean, math.sqrt(1 / count + shared) * spread, count - 1)
