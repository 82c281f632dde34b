"""One side of the test in one form: class sizes, counts and curve turned so that "above" is all there is.

The classes may be exchanged and both rates replaced by their complements. Each turns "above the curve"
into "below", so that four maps serve both sides, with the class to sum over first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Counts
from clearbar.problems.binary.rates.box import limits
from clearbar.problems.binary.rates.curve import Curves
from clearbar.problems.binary.rates.fit import curves_of, true_score
from clearbar.problems.binary.rates.signed_root import signed_root

_COARSE = 1e9


@dataclass(frozen=True)
class Boxes:
    """Tables, x of P and y of N, and the confidence boxes of their rates, one per row."""

    P: FloatArray
    N: FloatArray
    x: FloatArray
    y: FloatArray
    low_a: FloatArray
    high_a: FloatArray
    low_b: FloatArray
    high_b: FloatArray

    @staticmethod
    def of(cells: FloatArray) -> Boxes:
        """Boxes of tables given as rows tp, fp, fn, tn."""
        tp, fp, fn, tn = cells
        return Boxes(tp + fn, fp + tn, tp, fp, *limits(tp, tp + fn), *limits(fp, fp + tn))

    def __getitem__(self, rows: Any) -> Self:
        """Select tables by their numbers."""
        return type(self)(**{name: column[rows] for name, column in vars(self).items()})

    def second_is_narrower(self) -> BoolArray:
        """Whether FP varies less than TP at the rate of the box that is nearest to 1/2.

        Of very many samples the rarer class goes first: complements of rates are too coarse there.
        """
        rates = (np.clip(0.5, *box) for box in ((self.low_a, self.high_a), (self.low_b, self.high_b)))
        of_x, of_y = (size * rate * (1.0 - rate) for size, rate in zip((self.P, self.N), rates, strict=True))
        return np.where(self.P + self.N <= _COARSE, of_x > of_y, self.P > self.N)


@dataclass(frozen=True)
class Side(Boxes):
    """Is (x of P, y of N) too far below and right of the curve? One question per row."""

    curves: Curves
    t: FloatArray

    def swapped(self, rows: BoolArray) -> Side:
        """Exchange the classes: what was above is below."""
        pairs = (("P", "N"), ("x", "y"), ("low_a", "low_b"), ("high_a", "high_b"))
        changed = {}
        for one, other in pairs:
            first, second = getattr(self, one), getattr(self, other)
            changed[one], changed[other] = np.where(rows, second, first), np.where(rows, first, second)
        t = np.where(rows, -self.t, self.t)
        return replace(self, curves=self.curves.swapped(rows), t=t, **changed)

    def flipped(self, rows: BoolArray) -> Side:
        """Count the errors of each class instead: what was above is below."""
        changed = {
            "x": self.P - self.x,
            "y": self.N - self.y,
            "low_a": 1.0 - self.high_a,
            "high_a": 1.0 - self.low_a,
            "low_b": 1.0 - self.high_b,
            "high_b": 1.0 - self.low_b,
            "t": -self.t,
        }
        changed = {name: np.where(rows, new, getattr(self, name)) for name, new in changed.items()}
        return replace(self, curves=self.curves.flipped(rows), **changed)

    def above(self, *, below: BoolArray) -> Side:
        """The question "above", or "below" turned into one, with the class first whose count varies less."""
        other = self.second_is_narrower()
        return self.swapped(other).flipped(other ^ below)


def cells_of(counts: Counts) -> FloatArray:
    """Tables as rows tp, fp, fn, tn."""
    return np.stack([np.asarray(cell, dtype=np.float64).reshape(-1) for cell in counts.cells])


def questions(
    measures: Sequence[Measure], number: IntArray, boxes: Boxes, bars: FloatArray, scores: FloatArray
) -> Side:
    """Are true scores above their bars? `number` is each row's measure; bars of losses are negatives.

    Corners without a value count as what they lie next to: were they left out of a tail, its probability
    would be largest off the curve, and the worst case would be missed.
    """
    groups = [np.flatnonzero(number == n) for n in np.unique(number)]
    curves, tied = [], np.zeros(number.size, dtype=bool)
    for rows in groups:
        sizes = measures[number[rows[0]]], boxes.P[rows], boxes.N[rows]
        curves.append(_curves_of(*sizes, bars[rows]))
        tied[rows] = _tied(*sizes, bars[rows], scores[rows])
    curve = Curves.joined(curves)[np.argsort(np.concatenate(groups), kind="stable")]
    t = signed_root(curve, boxes.P, boxes.N, boxes.x[:, None], boxes.y[:, None])[:, 0]
    return Side(**vars(boxes), curves=curve, t=np.where(tied, 0.0, t))


def _curves_of(measure: Measure, P: FloatArray, N: FloatArray, bars: FloatArray) -> Curves:
    """One curve per row; equal ones, of slices with the same class sizes, are found once."""
    different, row = np.unique(np.stack((P, N, bars)), axis=1, return_inverse=True)
    if different.shape[1] == bars.size:
        return curves_of(measure, P, N, bars)
    return curves_of(measure, *different)[row.reshape(-1)]


def _tied(measure: Measure, P: FloatArray, N: FloatArray, bar: FloatArray, score: FloatArray) -> BoolArray:
    """Whether a score equals its bar but for rounding."""
    best = true_score(measure, P, N, np.ones_like(P), np.zeros_like(P))
    room = np.where(np.isfinite(best), np.abs(best - bar), 0.0)
    return np.asarray(np.abs(score - bar) <= np.maximum(1e-12 * room, 4 * np.spacing(np.abs(score))))
