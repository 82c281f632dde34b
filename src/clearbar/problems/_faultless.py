"""Folds without a single failure: how surely the mean of their scores is above a bar.

Their scores do not vary, so that a t-test has nothing to go by. But a class that fails at some rate rarely
shows no failure among many samples: none of P positives and N negatives does with a probability of exp(-x) if
the shares that fail are 1 - exp(-t x / P) and 1 - exp(-(1 - t) x / N), for any t from 0 to 1. The worst mean
that is expected so is the end of an interval, and where it is the bar, p is exp(-x). The same rates are
supposed in all folds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.inference.binomial import log_pmf
from clearbar.problems._protocol import Tail

FAULTLESS = "p_value supposes failures that were not seen, at the same rates in all folds"

MOST_FAILURES = 24
"""Failures of a class in a fold up to which its score is looked up; more of them are very rare."""

SPLITS, LOOKS = 17, 3
"""Ways in which the unlikelihood is split between the classes, looked at so often, ever more closely."""

SMALLEST = 1e-6
"""No one-sided p is below this, as in the exact test of one test set."""

HALVINGS = 40


@dataclass(frozen=True, eq=False)
class Faultless:
    """Class sizes of folds, and what each adds to the mean with i positives and j negatives that failed.

    `sizes` have shape (folds, 2); `values` (parts, folds, i, j), where several parts are averaged over folds
    before they are `joined` to a score; nan is as bad as `worst`. Folds weigh as `weights` say.
    """

    score: float
    sizes: IntArray
    weights: FloatArray
    values: FloatArray
    worst: float
    joined: Callable[[FloatArray], FloatArray]
    greater_is_better: bool
    seen_once: float = 1.0  # share of the tests that are of different samples

    def tail(self, bar: float) -> Tail:
        """Return how surprising the score is if the true one is the bar."""
        p_value = self.p_value(bar)
        return Tail(p_value, p_value, FAULTLESS, "estimated")

    def p_value(self, bar: float) -> float:
        """Return how surprising the score is if the true one is the bar, two-sided."""
        if abs(bar - self.score) <= 1e-12 * max(1.0, abs(bar)):
            return 1.0
        sign = 1.0 if self.greater_is_better else -1.0
        least, most = 0.0, -math.log(SMALLEST)
        for _ in range(HALVINGS):
            middle = (least + most) / 2
            refuted = sign * self.end(middle) > sign * bar
            least, most = (middle, most) if refuted else (least, middle)
        return min(1.0, 2 * math.exp(-least))

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the scores that are not refuted; nothing is better than no failure."""
        end = min(max(self.end(-math.log((1 - level) / 2)), bounds[0]), bounds[1])
        return (end, self.score) if self.greater_is_better else (self.score, end)

    def end(self, x: float) -> float:
        """Return the worst expected score of rates that show no failure with a probability of exp(-x)."""
        splits, scores = np.linspace(0.0, 1.0, SPLITS), np.empty(0)
        for _ in range(LOOKS):
            scores = self._expected(x, splits)
            worst = int(np.argmin(scores) if self.greater_is_better else np.argmax(scores))
            splits = np.linspace(splits[max(worst - 1, 0)], splits[min(worst + 1, SPLITS - 1)], SPLITS)
        return float(scores.min() if self.greater_is_better else scores.max())

    def _expected(self, x: float, splits: FloatArray) -> FloatArray:
        tested = np.maximum(self.weights @ self.sizes * self.seen_once, 1e-300)
        failing = -np.expm1(-x * np.stack([splits, 1 - splits]) / tested[:, None])
        most = self.values.shape[-1]
        chances = [_chances(size, rates, most) for size, rates in zip(self.sizes.T, failing, strict=True)]
        gains = np.nan_to_num(self.values - self.worst)
        sums = np.einsum("fti,ftj,pfij,f->pt", *chances, gains, self.weights, optimize=True)
        return self.joined(self.worst + sums / self.weights.sum())


def _chances(sizes: IntArray, rates: FloatArray, most: int) -> FloatArray:
    """Return the probability of each number of failures, of shape (folds, rates, failures)."""
    number, size = np.arange(most, dtype=np.float64), sizes[:, None, None].astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        chances = np.exp(log_pmf(np.minimum(number, size), size, rates[:, None]))
    return np.asarray(np.where(number <= size, chances, 0.0))
