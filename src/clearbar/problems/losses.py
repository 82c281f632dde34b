"""The mean loss of probabilities, or what one model loses more than another: its test knows the largest.

The mean of few losses looks too small where large losses are rare, and resamples hold no loss that was not
seen. But the largest possible loss is known: a number for Brier score and RPS, and for log loss that of the
least probability given to a class. So the test is one of means of bounded values (`inference.bounded`). What
one model loses more than another is such a value, too: it lies between the negative of the largest loss and
the largest loss, and of log loss between the ends that these probabilities could have.
From each loss, what the model itself expects to lose on samples of that class is subtracted, after these
expectations were centred at the class sizes: score and bar stay as they are, and the losses vary less.
Small classes share one expected loss: that of a single sample would be its own loss.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.reasons import Reason
from clearbar.inference.bounded import BoundedMean, BoundedMeans
from clearbar.inference.units import Groups

SMALL = 5  # samples: classes of fewer have one expected loss together


@dataclass(frozen=True, eq=False)
class Losses:
    """What each sample would lose in each class, and what it is expected to lose in each; both less others.

    A sample loses at least the first of `bounds`, and at most the second; None where these losses tell.
    """

    table: FloatArray
    expected: FloatArray
    bounds: tuple[float | None, float | None]

    @classmethod
    def of(cls, table: FloatArray, probabilities: FloatArray, truth: IntArray, most: float | None) -> Losses:
        """Take losses, none below 0, of the shape of the probabilities that one model gives."""
        sizes = np.bincount(truth, minlength=table.shape[1])
        given, lost = probabilities.sum(axis=0), np.einsum("ij,ij->j", probabilities, table)
        small = (sizes > 0) & (sizes < SMALL)
        given[small], lost[small] = given[small].sum(), lost[small].sum()
        expected = lost / np.where(given > 0, given, 1.0)
        return cls(table, expected - sizes @ expected / len(truth), (0.0, most))

    def __sub__(self, other: Losses) -> Losses:
        most = self.bounds[1]
        bounds = (None if most is None else -most), most
        return Losses(self.table - other.table, self.expected - other.expected, bounds)

    def test(
        self,
        truth: IntArray,
        clusters: IntArray | None,
        scale: tuple[float, float] = (0.0, 1.0),
    ) -> BoundedMeans | None:
        """Return the test of the mean, or of a line in it; None where clusters are too few.

        The score is `scale[0]` and `scale[1]` times the mean. None, too, where no sample could lose more than
        another.
        """
        present = np.bincount(truth, minlength=self.table.shape[1]) > 0
        # Of a single class all that its samples could lose was seen; other classes say how bold a model is.
        possible = self.table[:, present] if present.sum() > 1 else self.table
        expected = self.expected[present]
        least, most = self.bounds
        least = float(possible.min()) if least is None else least
        most = float(possible.max()) if most is None else most
        low, high = least - float(expected.max()), most - float(expected.min())
        if not low < high:
            return None
        lost = self.table[np.arange(len(truth)), truth] - self.expected[truth]
        sums, counts = (lost - low) / (high - low), np.ones(len(truth))
        if clusters is not None:
            groups = Groups.of(clusters)
            if groups.too_few:
                return None
            sums, counts = groups.sums(sums), groups.sizes.astype(np.float64)
        nothing, times = scale
        if times < 0:
            sums, low, high = counts - sums, high, low
        means = [BoundedMean.of(sums, counts)]
        return BoundedMeans(nothing + times * low, [times * (high - low)], means, self._note(least, most))

    def _note(self, least: float, most: float) -> Reason:
        known = "_known" if self.bounds[1] is not None else ""
        if self.bounds[0] == 0:
            return Reason.of(f"bounded_losses{known}", most=most)
        return Reason.of(f"bounded_differences{known}", most=max(most, -least))
