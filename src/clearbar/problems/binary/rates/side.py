"""One side of the test in one form: class sizes, counts and curve turned so that "above" is all there is.

The classes may be exchanged and both rates replaced by their complements. Each turns "above the curve"
into "below", so that four maps serve both sides, with the class to sum over first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray
from clearbar.problems.binary.rates.curve import Curves

_COARSE = 1e9


@dataclass(frozen=True)
class Side:
    """Is (x of P, y of N) too far below and right of the curve? One question per row."""

    curves: Curves
    P: FloatArray
    N: FloatArray
    x: FloatArray
    y: FloatArray
    low_a: FloatArray
    high_a: FloatArray
    low_b: FloatArray
    high_b: FloatArray
    t: FloatArray
    holes: BoolArray
    """Which corner outcomes have no value: (0, 0), (P, N), (0, N), (P, 0)."""

    def __getitem__(self, rows: Any) -> Side:
        """Select questions by their numbers."""
        return Side(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def filled(self) -> Side:
        """Let corners without a value count as what they lie next to, so that the tail has no hole.

        Without them its probability would be largest off the curve, and the worst case would be missed.
        """
        return self._with(holes=np.zeros_like(self.holes))

    def swapped(self, rows: BoolArray) -> Side:
        """Exchange the classes: what was above is below."""
        pairs = (("P", "N"), ("x", "y"), ("low_a", "low_b"), ("high_a", "high_b"))
        changed = {}
        for one, other in pairs:
            first, second = getattr(self, one), getattr(self, other)
            changed[one], changed[other] = np.where(rows, second, first), np.where(rows, first, second)
        holes = np.where(rows[:, None], self.holes[:, [0, 1, 3, 2]], self.holes)
        return self._with(
            curves=self.curves.swapped(rows), t=np.where(rows, -self.t, self.t), holes=holes, **changed
        )

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
        holes = np.where(rows[:, None], self.holes[:, [1, 0, 3, 2]], self.holes)
        return self._with(curves=self.curves.flipped(rows), holes=holes, **changed)

    def above(self, *, below: BoolArray | bool = False) -> Side:
        """The question "above", or "below" turned into one, with the class first whose count varies less."""
        other = self._second_is_narrower()
        return self.swapped(other).flipped(other ^ below)

    def _second_is_narrower(self) -> BoolArray:
        """Whether FP varies less than TP at the rate of the box that is nearest to 1/2.

        Of very many samples the rarer class goes first: complements of rates are too coarse there.
        """
        rates = (np.clip(0.5, *box) for box in ((self.low_a, self.high_a), (self.low_b, self.high_b)))
        of_x, of_y = (size * rate * (1.0 - rate) for size, rate in zip((self.P, self.N), rates, strict=True))
        return np.where(self.P + self.N <= _COARSE, of_x > of_y, self.P > self.N)

    def _with(self, **changed: Any) -> Side:
        return Side(**{name: changed.get(name, getattr(self, name)) for name in self.__dataclass_fields__})
