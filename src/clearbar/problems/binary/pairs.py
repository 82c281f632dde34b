"""Two models' labels of the same samples: equal true scores, and answers that may be exchanged.

The exchange test of an ordered measure is exact. Among the n positive samples that only one of the two calls
positive, model a is right on X ~ Bin(n, 1/2); among the m such negative ones on Y ~ Bin(m, 1/2). The
difference of the scores rises in both, so that for each X a least Y reaches it, and
p = 2 sum P(X = x) P(Y >= least y). For accuracy this is McNemar's exact test.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from clearbar.catalogue import Measure, scoring
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.counts import Counts, PairCalls
from clearbar.core.reasons import Reason
from clearbar.inference.binomial import at_least, log_pmf
from clearbar.inference.equal_scores import EqualScores, screened_p_values
from clearbar.inference.exchange import DEVIATIONS, TIE, Exchangeable, PairPValues, exchange
from clearbar.inference.level_curves import is_ordered
from clearbar.inference.multinomials import Cells
from clearbar.null import least_true
from clearbar.problems.binary.units import LabelUnits

# Standard deviations of X within which it is summed at least: beyond lies 1e-15; and how many X else.
FEWEST_DEVIATIONS, MOST_ROWS = 8.0, 200_000

MOST_CORNER = 1075  # discordant samples above which one exchange of all has a probability of 0 as a float


class Discord(NamedTuple):
    """Pairs of models, one per row: samples that both call positive, only a does, and only b does."""

    both_tp: IntArray
    only_a_tp: IntArray
    only_b_tp: IntArray
    both_fp: IntArray
    only_a_fp: IntArray
    only_b_fp: IntArray

    @classmethod
    def of(cls, counts: Counts, calls: PairCalls, a: Any, b: Any) -> Discord:
        tp, fp = (np.asarray(cell, dtype=np.int64)[:, 0] for cell in (counts.tp, counts.fp))
        both_tp, both_fp = calls.positives[a, b], calls.negatives[a, b]
        return cls(both_tp, tp[a] - both_tp, tp[b] - both_tp, both_fp, fp[a] - both_fp, fp[b] - both_fp)


_TRUTH = np.repeat([True, False], 4)
# The cells of both classes: both models say "positive", only a does, only b does, neither does.
_CALLED = np.tile([[True, True, False, False], [True, False, True, False]], 2)


def cells_of(measure: Measure, sizes: tuple[int, int], undefined: Undefined) -> Cells:
    """Return the cells, each raised by half a sample where shares are estimated, a class so by two."""
    scored = scoring(measure, *sizes, undefined)
    classes = np.stack((_TRUTH, ~_TRUTH), axis=1).astype(np.float64)
    first, second = (called[:, None] * classes for called in _CALLED)
    stratum, class_sizes = np.repeat([0, 1], 4), np.array(sizes, dtype=np.float64)
    raised = np.full(8, 0.5)
    return Cells(stratum, class_sizes, first, second, raised, lambda both: scored(both[..., 0], both[..., 1]))


class Pairs:
    """Pairs of models, by one measure, at the class sizes."""

    def __init__(
        self, measure: Measure, discord: Discord, sizes: tuple[int, int], undefined: Undefined, seed: int
    ) -> None:
        self.measure, self.discord, self.undefined, self.seed = measure, discord, undefined, seed
        self.scored = scoring(measure, *sizes, undefined)
        self.cells = cells_of(measure, sizes, undefined)
        columns = [np.asarray(column, dtype=np.int64) for column in discord]
        neither = (size - sum(three) for size, three in zip(sizes, (columns[:3], columns[3:]), strict=True))
        self.counts = np.stack([*columns[:3], next(neither), *columns[3:], next(neither)], axis=-1)

    def paired(self) -> EqualScores:
        """Return the one pair that there is."""
        _, a_tp, b_tp, _, a_fp, b_fp = (int(column) for column in self.discord)
        return EqualScores(
            self.cells, self.counts, self.measure.bounds, self.seed,
            exchangeable=self.exchange, alone=(a_tp + b_fp, b_tp + a_fp),
        )  # fmt: skip

    def p_values(self, alpha: float) -> PairPValues:
        """Return p of equal scores of all pairs, drawn where a normal p-value is too rough to decide."""
        difference, error = self.cells.difference(self.counts.astype(np.float64))
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(difference == 0, 0.0, difference / error)

        def drawn(pair: int) -> float:
            return EqualScores(
                self.cells, self.counts[pair], self.measure.bounds, self.seed
            ).weighed_p_value()

        return screened_p_values(z, self.cells.carried_by(self.counts), alpha, drawn)

    def exchange(self) -> Exchangeable:
        """Return the exchange test of the one pair: in closed form where the measure is ordered."""
        # And where it lacks a value only if a model calls all samples alike.
        measure = self.measure
        if not (measure.in_catalogue and measure.domain.on_margins and is_ordered(measure)):
            units = LabelUnits(_TRUTH, _CALLED[:, None], self.undefined, times=self.counts, seed=self.seed)
            return exchange(units, measure)
        sign = -1.0 if measure.greater_is_better is False else 1.0
        p_value = exchange_p_value(lambda tp, fp: sign * self.scored(tp, fp), self.discord)
        return (p_value, "unknown", Reason("no_score")) if math.isnan(p_value) else (p_value, "exact", "")


def exchange_p_value(scored: Callable[[FloatArray, FloatArray], FloatArray], pair: Discord) -> float:
    """Return the two-sided p-value of one pair; nan where a score has no value."""
    # `scored` takes TP and FP, rises in TP and falls in FP, and is nan where there is no score.
    both_tp, a_tp, b_tp, both_fp, a_fp, b_fp = (float(column) for column in pair)
    n, m = a_tp + b_tp, a_fp + b_fp

    def difference(x: Any, y: Any) -> FloatArray:
        """Return a's score less b's where a is right on x positive and y negative samples, b on others."""
        return np.subtract(scored(both_tp + x, both_fp + m - y), scored(both_tp + n - x, both_fp + y))

    scores = scored(np.array([both_tp + a_tp, both_tp + b_tp]), np.array([both_fp + a_fp, both_fp + b_fp]))
    observed = abs(scores[0] - scores[1]) - TIE * np.abs(scores).max()
    if math.isnan(observed):
        return math.nan
    if observed <= 0:
        return 1.0
    half = math.sqrt(n) / 2 * max(FEWEST_DEVIATIONS, min(DEVIATIONS, MOST_ROWS / math.sqrt(n + 1)))
    x = np.arange(max(0.0, math.floor(n / 2 - half)), min(n, math.ceil(n / 2 + half)) + 1)

    def reached(y: IntArray, rows: IntArray) -> BoolArray:
        ahead = difference(x[rows], y)
        return np.where(np.isnan(ahead), 2 * y >= m, ahead >= observed)  # of the corners, the largest Y's

    # m + 1 where none reaches it
    low = least_true(reached, np.zeros(len(x), np.int64), np.full(len(x), int(m)))
    weight = np.exp(log_pmf(x, np.array(n), np.array(0.5))) if n else np.ones(1)
    p_value = 2 * float((weight * at_least(low.astype(float), np.array(m), np.array(0.5))).sum())
    if n + m < MOST_CORNER:  # two exchanges give one model all calls: there may be no value, which counts
        for corner_x, corner_y in ((0.0, m), (n, 0.0)):
            counted = bool(((x == corner_x) & (low <= corner_y)).any())
            alone = float(difference(np.array(corner_x), np.array(corner_y)))
            p_value += 2.0 ** -(n + m) * ((not abs(alone) < observed) - 2 * counted)
    return min(p_value, 1.0)
