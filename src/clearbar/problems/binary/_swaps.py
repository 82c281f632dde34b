"""How likely two models differ as much if each sample's answers may be swapped: exact, for ordered measures.

Among the positive samples that only one of the two calls positive, model a is right on X ~ Bin(n, 1/2); among
such negative ones on Y ~ Bin(m, 1/2). The difference of the scores rises in both, so that for each X a
least Y reaches it, and p = 2 sum P(X = x) P(Y >= least y). For accuracy this is McNemar's exact test.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.inference.binomial import at_least, log_pmf
from clearbar.problems.exchanged import REACH, TIE

Scored = Callable[[FloatArray, FloatArray], FloatArray]
"""Scores of TP and FP at the class sizes, losses as their negatives; nan where there is none."""

ALL_SURE, MOST_ROWS = 8.0, 200_000
"""Standard deviations of X within which it is summed at least: beyond lies 1e-15; and how many X else."""


class Discord(NamedTuple):
    """Pairs of models, one per row: samples that both call positive, only a does, and only b does."""

    both_tp: IntArray
    only_a_tp: IntArray
    only_b_tp: IntArray
    both_fp: IntArray
    only_a_fp: IntArray
    only_b_fp: IntArray


def swap_p_value(scored: Scored, pair: Discord) -> float:
    """Return the two-sided p-value of one pair; nan where a score has no value."""
    both_tp, a_tp, b_tp, both_fp, a_fp, b_fp = (float(column) for column in pair)
    n, m = a_tp + b_tp, a_fp + b_fp

    def scores(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Scores where a is right on x positive and y negative samples, and b on the others."""
        return scored(both_tp + x, both_fp + m - y), scored(both_tp + n - x, both_fp + y)

    one, other = (float(score) for score in scores(np.array(a_tp), np.array(b_fp)))
    seen = abs(one - other) - TIE * max(abs(one), abs(other))
    if math.isnan(seen):
        return math.nan
    if seen <= 0:
        return 1.0
    half = math.sqrt(n) / 2 * max(ALL_SURE, min(REACH, MOST_ROWS / math.sqrt(n + 1)))
    x = np.arange(max(0.0, math.floor(n / 2 - half)), min(n, math.ceil(n / 2 + half)) + 1)

    def reached(y: FloatArray) -> BoolArray:
        ahead = np.subtract(*scores(x, y))
        return np.where(np.isnan(ahead), 2 * y >= m, ahead >= seen)  # of the corners, that of the largest Y

    low, high = np.zeros(x.shape), np.full(x.shape, m + 1)  # m + 1 where none does
    while (low < high).any():
        middle = np.floor((low + high) / 2)
        is_reached = reached(np.minimum(middle, m)) | (low >= high)
        low, high = (
            np.where(is_reached, low, middle + 1),
            np.where(is_reached, np.minimum(middle, high), high),
        )
    weight = np.exp(log_pmf(x, np.array(n), np.array(0.5))) if n else np.ones(1)
    p_value = 2 * float((weight * at_least(low, np.array(m), np.array(0.5))).sum())
    if n + m < 1075:  # two swaps give one model all calls of its own: there may be no value, which counts
        for corner_x, corner_y in ((0.0, m), (n, 0.0)):
            counted = bool(((x == corner_x) & (low <= corner_y)).any())
            alone = float(np.subtract(*scores(np.array(corner_x), np.array(corner_y))))
            p_value += 2.0 ** -(n + m) * ((not abs(alone) < seen) - 2 * counted)
    return min(p_value, 1.0)
