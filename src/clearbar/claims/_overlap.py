"""By how many standard errors two printed scores differ, over all tables and all overlaps of the models.

The variance of the difference is linear in the number of samples of a class that both models call positive,
so that its ends lie at the ends of these numbers: nested calls, and calls as disjoint as they can be. The
statistic is the one by which models are compared (`clearbar.inference.equal_scores`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clearbar.catalogue import Measure
from clearbar.claims._rows import TableRanges
from clearbar.core._typing import FloatArray
from clearbar.inference.multinomials import STEP
from clearbar.null import laid_out

MOST_PAIRS = 2**22  # pairs of tables that are looked at
AT_ONCE = 2**15
RAISED = 1.0  # what is added to TP and to FP, and half of it to the samples that both models call positive


class Side(NamedTuple):
    """The tables of one model in one class, or all that follows from them."""

    called: FloatArray  # samples called positive
    rate: FloatArray  # raised
    slope: FloatArray  # of the score in that rate
    size: int

    @property
    def alone(self) -> FloatArray:
        return np.asarray(self.slope**2 * self.rate * (1 - self.rate) / (self.size + 2 * RAISED))


class Model(NamedTuple):
    """The possible tables of one model: scores, what positive and what negative samples add to variances."""

    scores: FloatArray
    sides: tuple[Side, Side]


def possible_model(measure: Measure, rows: TableRanges, most: int) -> Model:
    """Score the tables of one model; of too many the ends of each row, and some between."""
    tables = _thinned(rows, most)
    tp, fp = tables.tp.astype(np.float64), tables.low.astype(np.float64)
    sizes = int(tables.positives[0]), int(tables.negatives[0])

    def score(tp: FloatArray, fp: FloatArray) -> FloatArray:
        return measure.values(tp, fp, sizes[0] - tp, sizes[1] - fp)

    rates = [(called + RAISED) / (size + 2 * RAISED) for called, size in zip((tp, fp), sizes, strict=True)]
    raised = [rate * size for rate, size in zip(rates, sizes, strict=True)]
    sides = []
    for side, (called, size) in enumerate(zip((tp, fp), sizes, strict=True)):
        step = STEP * np.minimum(raised[side], size - raised[side])
        ends = [
            [cell + sign * step * (place == side) for place, cell in enumerate(raised)] for sign in (1, -1)
        ]
        rise = score(*ends[0]) - score(*ends[1])
        slope = np.divide(rise * size, 2 * step, out=np.zeros_like(rise), where=step > 0)
        sides.append(Side(called, rates[side], slope, size))
    return Model(score(tp, fp), (sides[0], sides[1]))


def _thinned(rows: TableRanges, most: int) -> TableRanges:
    number = int(rows.sizes.sum())
    if number <= most:
        return rows.listed(number)
    each = np.minimum(rows.sizes, max(2, most // len(rows.tp)))
    of_row, offset, _ = laid_out(each)
    share = offset / np.maximum(each[of_row] - 1, 1)
    fp = rows.low[of_row] + np.rint(share * (rows.high - rows.low)[of_row]).astype(np.int64)
    return rows.of(of_row)._replace(low=fp, high=fp)


def differences(better: Model, worse: Model, sign: float) -> tuple[float, float]:
    """Return the least and the largest difference in standard errors, over all tables and overlaps."""
    least, most = np.inf, -np.inf
    step = max(1, AT_ONCE // len(worse.scores))
    for start in range(0, len(better.scores), step):
        rows = slice(start, start + step)
        difference = sign * (better.scores[rows, None] - worse.scores)
        low, high = (np.zeros(difference.shape) for _ in range(2))
        for side, other in zip(better.sides, worse.sides, strict=True):
            least_added, most_added = _variances(side, rows, other)
            low, high = low + least_added, high + most_added
        with np.errstate(divide="ignore", invalid="ignore"):
            sizes = np.stack([difference / np.sqrt(np.maximum(variance, 0)) for variance in (low, high)])
        sizes = np.where(difference == 0, 0.0, sizes)
        least, most = min(least, float(sizes.min())), max(most, float(sizes.max()))
    return least, most


def _variances(one: Side, rows: slice, other: Side) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest variance that one class adds."""
    size, both = one.size, one.called[rows, None] + other.called
    apart = one.alone[rows, None] + other.alone
    slopes = one.slope[rows, None] * other.slope
    independent = (one.slope * one.rate)[rows, None] * (other.slope * other.rate)
    ends = []
    for shared in (np.minimum(one.called[rows, None], other.called), np.maximum(both - size, 0.0)):
        together = (shared + RAISED / 2) / (size + 2 * RAISED)
        ends.append(apart - 2 * (slopes * together - independent) / (size + 2 * RAISED))
    return np.minimum(*ends), np.maximum(*ends)
