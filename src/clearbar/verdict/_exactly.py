"""Where a sample weighs no more than a few ulp: a score against its bar in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.distributions.null import FINE, ULPS
from clearbar.problems._protocol import Bar, Problem
from clearbar.verdict._skill import CLEARS, FAILS, TIES, UNBEATABLE, Standing

NEAR = 16
"""Distance from the bar, in ulp, from which floating point does not tell the sides apart."""

NOTHING = Fraction(1, 10**40)
"""Share of a score below which sixty digits of roots are equal."""


def settled(problem: Problem, bars: Bar, score: FloatArray, standing: Standing) -> Standing:
    """Return how scores stand, where they are near the bar of very many samples exactly."""
    value = np.broadcast_to(np.asarray(bars.value, dtype=np.float64), score.shape)
    many = np.broadcast_to(np.asarray(bars.population.total) >= FINE / ULPS, score.shape)
    if not many.any():
        return standing
    near = many & (np.abs(score - value) <= NEAR * np.spacing(np.maximum(np.abs(score), np.abs(value))))
    for model, group in zip(*np.nonzero(near), strict=True):
        exact = problem.exact(bars.measure, bars[group], int(model), int(group))
        if exact is not None:
            row = model, group
            sign = 1 if bars.measure.greater_is_better else -1
            standing.skill[row], standing.outcome[row] = _exactly(*exact, sign, float(standing.skill[row]))
    return standing


def _exactly(own: Fraction, mean: Fraction, best: Fraction, sign: int, skill: float) -> tuple[float, int]:
    """Return the skill and the outcome of one score."""
    gap, room = sign * (own - mean), sign * (best - mean)
    nothing = NOTHING * max(abs(own), abs(best))
    if abs(gap) <= nothing:
        return 0.0, UNBEATABLE if abs(room) <= nothing else TIES
    if gap > 0:
        return float(gap / room), CLEARS
    return min(skill, 0.0), UNBEATABLE if abs(room) <= nothing else FAILS
