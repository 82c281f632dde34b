"""Two models' numbers on the same samples: their predictions are exchanged, sample by sample.

Where only the order of predictions counts, their ranks are: two models need no common scale.
"""

from __future__ import annotations

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.problems.bootstrap import SHARES
from clearbar.problems.numbers._measure import NumberMeasure
from clearbar.problems.numbers._pairs import Pairs
from clearbar.problems.numbers._ranks import ranks
from clearbar.problems.numbers.resampled import NO_LARGEST
from clearbar.problems.paired import Paired, Swaps, Unpaired


def paired_numbers(measure: NumberMeasure, pairs: Pairs, seed: int = 0) -> Paired:
    """Return the two models of these pairs: sample by sample, or in whole clusters."""
    scores = tuple(float(measure(pairs.y, f)) for f in pairs.predicted)
    groups = pairs.together
    why = NO_LARGEST if not measure.resampled else groups.too_few if groups is not None else ""
    if why:
        return Unpaired((scores[0], scores[1]), f"nothing is known of the difference: {why}")
    both = _Both(measure, pairs)
    number = len(pairs.y) if groups is None else len(groups)
    ones = np.ones(number, dtype=np.int64)
    unlike = pairs.predicted[0] != pairs.predicted[1]
    differ = np.bincount(both.units, unlike, number) > 0
    samples = 0 if groups is None else len(pairs.y)
    steps: FloatArray | None = None
    if measure.loss is not None and measure.of_mean:
        # The difference rises with that of the mean losses, whose sum stays.
        ahead, behind = (measure.loss(pairs.y, f) for f in pairs.predicted)
        steps = np.bincount(both.units, ahead - behind, number).astype(np.float64)
        if not np.isfinite(steps).all():
            steps = None
    return Swaps(
        ones, 0 * ones, differ, both.scores_of, 0 * ones, both.worse, steps=steps, samples=samples, seed=seed
    )


class _Both:
    """The predictions of both models on one scale, sorted by target, and the unit of each."""

    def __init__(self, measure: NumberMeasure, pairs: Pairs) -> None:
        number = len(pairs.y)
        predicted = np.array([ranks(f) for f in pairs.predicted]) if measure.ranked else pairs.predicted
        self.measure = measure
        self.units = np.arange(number) if pairs.together is None else pairs.together.codes
        self.y = np.concatenate([pairs.y, pairs.y])
        self.f = predicted.ravel()
        low, high = float(pairs.y.min()), float(pairs.y.max())
        wrong = np.where(pairs.y - low > high - pairs.y, low, high)
        self.wrong = ranks(wrong) if measure.ranked else wrong

    def scores_of(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Return the scores of models made of so many answers of either on each unit."""
        weights = np.concatenate([first[:, self.units], second[:, self.units]], axis=1)
        return self.measure(self.y, self.f, weights)

    def worse(self) -> tuple[FloatArray, FloatArray]:
        """Return the scores of either model if shares of its answers were as wrong as can be."""
        number = len(self.units)
        share = np.repeat(np.stack([1 - SHARES, SHARES], axis=1), number, axis=1)
        ends = (
            self.measure(self.y, np.concatenate([f, self.wrong]), share)
            for f in (self.f[:number], self.f[number:])
        )
        a, b = ends
        return a, b
