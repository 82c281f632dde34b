"""Two models' labels of many classes: what each sample's two answers add to a confusion matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.problems.multiclass._tables import Tables


@dataclass(frozen=True, eq=False)
class Kinds:
    """What kinds of samples there are: the true class, and both answers; `units` says whose each is."""

    truth: IntArray
    first: IntArray
    second: IntArray
    sizes: FloatArray  # samples of each class
    units: IntArray  # the unit that a kind is part of

    def tables(self, first: FloatArray, second: FloatArray) -> Tables:
        """Return the matrices of models that give so many units either answer, each class at its own size."""
        one, two = first[:, self.units], second[:, self.units]
        drawn = self._sums(self.truth, one + two)
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.where(drawn > 0, self.sizes / drawn, np.where(self.sizes > 0, np.nan, 0.0))
        one, two = one * scale[:, self.truth], two * scale[:, self.truth]
        apart = [np.abs(self.truth - side).astype(np.float64) for side in (self.first, self.second)]
        return Tables(
            np.broadcast_to(self.sizes, drawn.shape),
            self._sums(self.first, one) + self._sums(self.second, two),
            self._sums(self.truth, one * (apart[0] == 0) + two * (apart[1] == 0)),
            one @ apart[0] + two @ apart[1],
            one @ apart[0] ** 2 + two @ apart[1] ** 2,
        )

    def _sums(self, classes: IntArray, values: FloatArray) -> FloatArray:
        rows, number = len(values), len(self.sizes)
        flat = classes + number * np.arange(rows)[:, None]
        sums = np.bincount(flat.ravel(), values.ravel(), rows * number).astype(np.float64)
        return sums.reshape(rows, number)
