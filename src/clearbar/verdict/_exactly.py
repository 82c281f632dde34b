"""Where a sample weighs no more than a few ulp: a score against its bar in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from clearbar._typing import FloatArray
from clearbar.baseline import Baseline
from clearbar.counts import Counts
from clearbar.measures import Measure, NotExact
from clearbar.null import FINE, ULPS, exact_mean
from clearbar.verdict._skill import CLEARS, FAILS, TIES, UNBEATABLE, Standing

NEAR = 16
"""Distance from the bar, in ulp, from which floating point does not tell the sides apart."""

NOTHING = Fraction(1, 10**40)
"""Share of a score below which sixty digits of roots are equal."""


def settled(counts: Counts, score: FloatArray, bars: Baseline, standing: Standing) -> Standing:
    """Return how scores of counts stand, where they are near the bar of very many samples exactly."""
    value = np.broadcast_to(np.asarray(bars.value, dtype=np.float64), score.shape)
    many = np.broadcast_to(np.asarray(bars.population.total) > FINE / ULPS, score.shape)
    if not many.any():
        return standing
    near = many & (np.abs(score - value) <= NEAR * np.spacing(np.maximum(np.abs(score), np.abs(value))))
    for row in zip(*np.nonzero(near), strict=True):
        found = _exactly(bars.measure, counts[row], bars[row[1]], float(standing.skill[row]))
        if found is not None:
            standing.skill[row], standing.outcome[row] = found
    return standing


def _exactly(measure: Measure, counts: Counts, bar: Baseline, skill: float) -> tuple[float, int] | None:
    """Return the skill and the outcome of one score; None where they cannot be had exactly."""
    population = bar.population
    total, positives = int(population.total), int(population.positives)
    tables = counts.cells, (positives, 0, 0, total - positives)
    try:
        own, best = (Fraction(measure.exactly(*map(Fraction, map(int, cells)))) for cells in tables)
        mean = exact_mean(measure, total, positives, bar.draw().predicted_positives)
    except (NotExact, ZeroDivisionError):
        return None
    if mean is None:
        return None
    sign = 1 if measure.greater_is_better else -1
    gap, room = sign * (own - Fraction(mean)), sign * (best - Fraction(mean))
    nothing = NOTHING * max(abs(own), abs(best))
    if abs(gap) <= nothing:
        return 0.0, UNBEATABLE if abs(room) <= nothing else TIES
    if gap > 0:
        return float(gap / room), CLEARS
    return min(skill, 0.0), UNBEATABLE if abs(room) <= nothing else FAILS
