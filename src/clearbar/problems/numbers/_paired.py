"""Two models' numbers on the same samples: the difference of their scores, over samples or whole clusters.

Where answers are exchanged and only the order of predictions counts, their ranks are: two models need no
common scale.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.inference.bootstrap_t import AsSeen, Line, OfSums, Score, Units, tilted
from clearbar.problems.bootstrap import SHARES
from clearbar.problems.exchanged import Exchanged
from clearbar.problems.numbers._measure import WHOLE, NumberMeasure
from clearbar.problems.numbers._pairs import Pairs
from clearbar.problems.numbers._ranks import ranks
from clearbar.problems.numbers.resampled import NO_LARGEST
from clearbar.problems.paired import Paired, PairedUnits, Unpaired

MOST_TILTED = 1_500
"""Units up to which each is given a little more weight in turn, to see how a score follows it."""


def units_of(measure: NumberMeasure, pairs: Pairs) -> Units | str:
    """Return the samples, or whole clusters, with the scores of all models; or why none are drawn anew."""
    groups = pairs.together
    why = NO_LARGEST if not measure.resampled else groups.too_few if groups is not None else ""
    if why:
        return why
    codes = np.arange(len(pairs.y)) if groups is None else groups.codes
    number = int(codes.max()) + 1
    order = np.argsort(pairs.y, kind="stable")  # as constants need them, whatever column they were sorted by
    scores = [_score(measure, pairs.y[order], f[order], codes[order], number) for f in pairs.predicted]
    return Units.single(scores, np.zeros(number, dtype=np.int64))


def _score(measure: NumberMeasure, y: FloatArray, f: FloatArray, codes: IntArray, number: int) -> Score:
    if measure.loss is not None and measure.of_mean:
        with np.errstate(all="ignore"):
            loss = np.asarray(measure.loss(y, f), dtype=np.float64)
        if np.isfinite(loss).all():
            return _of_loss(measure, y, f, loss, codes, number)

    def value(weights: FloatArray) -> FloatArray:
        return measure(y, f, weights[:, codes])

    smooth = measure.of_mean and number <= MOST_TILTED
    return AsSeen(
        value, tilted(value, number) if smooth else None, np.bincount(codes, f, number).astype(np.float64)
    )


def _of_loss(
    measure: NumberMeasure, y: FloatArray, f: FloatArray, loss: FloatArray, codes: IntArray, number: int
) -> Score:
    if measure.spread:
        return ShareGone(measure, y, f, loss, codes, number)
    if len(codes) == number and not measure.root:
        return Line(loss / number)
    both = np.bincount(codes, loss, number), np.bincount(codes, minlength=number)
    sums = np.stack(both, axis=1).astype(np.float64)

    def of_means(sums: FloatArray) -> FloatArray:
        mean = sums[:, 0] / sums[:, 1]
        with np.errstate(invalid="ignore"):  # a little less than no loss, where slopes are found
            return np.sqrt(mean) if measure.root else mean

    return OfSums(sums, of_means)


@dataclass(frozen=True, eq=False)
class ShareGone:
    """The share of the best constant's loss that is gone, L being the model's: 1 − L / A.

    At its best a constant may be moved and A stays the same to first order, so that A rises with a weight by
    the loss of that constant on the unit.
    """

    measure: NumberMeasure
    y: FloatArray
    f: FloatArray
    loss: FloatArray
    codes: IntArray
    number: int
    cost: float = 30.0

    def at(self, weights: FloatArray) -> FloatArray:
        """Return the score under each row of weights."""
        return self.measure(self.y, self.f, weights[:, self.codes])

    def slopes(self, weights: FloatArray) -> FloatArray:
        """Return by how much it rises with the weight of each unit."""
        assert self.measure.constant is not None and self.measure.loss is not None  # noqa: S101, PT018
        per_sample = weights[:, self.codes]
        best = self.measure.loss(self.y, self.measure.constant(self.y, per_sample, WHOLE))
        whole = (per_sample * best).sum(axis=1, keepdims=True)
        left = (per_sample @ self.loss)[:, None] / whole
        slopes = (left * best - self.loss) / whole
        if len(self.codes) == self.number:
            return np.asarray(slopes)
        sums = np.zeros((len(weights), self.number))
        np.add.at(sums.T, self.codes, slopes.T)
        return sums


def paired_numbers(measure: NumberMeasure, pairs: Pairs, seed: int = 0) -> Paired:
    """Return the two models of these pairs: sample by sample, or in whole clusters."""
    units = units_of(measure, pairs)
    if isinstance(units, str):
        scores = tuple(float(measure(pairs.y, f)) for f in pairs.predicted)
        return Unpaired((scores[0], scores[1]), f"nothing is known of the difference: {units}")
    both = _Both(measure, pairs)
    number, samples = len(units), 0 if pairs.together is None else len(pairs.y)
    ones = np.ones(number, dtype=np.int64)
    unlike = pairs.predicted[0] != pairs.predicted[1]
    differ = np.bincount(both.units, unlike, number) > 0
    steps: FloatArray | None = None
    if measure.loss is not None and measure.of_mean:
        # The difference rises with that of the mean losses, whose sum stays.
        ahead, behind = (measure.loss(pairs.y, f) for f in pairs.predicted)
        steps = np.bincount(both.units, ahead - behind, number).astype(np.float64)
        if not np.isfinite(steps).all():
            steps = None
    exchanged = Exchanged(ones, 0 * ones, differ, both.scores_of, steps=steps, samples=samples, seed=seed)
    return PairedUnits(units, exchanged, both.worse, measure.bounds, seed)


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
