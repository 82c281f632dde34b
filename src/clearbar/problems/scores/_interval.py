"""Is the model's true score above the bar? Intervals and p-values of measures of scores.

The samples are taken for independent draws within each class, so that the class sizes, and with them the bar,
stay as they are.
"""

from __future__ import annotations

import math
from weakref import WeakKeyDictionary

from clearbar.problems.scores._delong import DeLong, PairBound, delong
from clearbar.problems.scores._graded import GradedBootstrap, GradedRanking
from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores._ranking import Ranking
from clearbar.problems.scores._resampled import Resampled, resampled

Evidence = DeLong | PairBound | Resampled | GradedBootstrap

_FOUND: WeakKeyDictionary[Ranking, dict[tuple[ScoreMeasure, int], Evidence]] = WeakKeyDictionary()
"""What is known of a ranking while it lives: an interval and a p-value need the same resamples."""


def interval(
    measure: ScoreMeasure, ranking: Ranking, level: float = 0.95, *, seed: int = 0
) -> tuple[float, float, str]:
    """Return the true scores that a ranking does not refute, and how they were found; nan where none is."""
    why = _unknown(measure, ranking)
    if why:
        return math.nan, math.nan, why
    evidence = _evidence(measure, ranking, seed)
    return *evidence.interval(level), evidence.note


def p_value(
    measure: ScoreMeasure, ranking: Ranking, score: float, bar: float, *, seed: int = 0
) -> tuple[float, str]:
    """Return how surprising a score is if the true one is the bar, two-sided; nan where it has none."""
    if math.isnan(score) or math.isnan(bar):
        return math.nan, f"{'the score' if math.isnan(score) else 'the bar'} has no value"
    why = _unknown(measure, ranking)
    if why:
        return math.nan, why
    evidence = _evidence(measure, ranking, seed)
    return evidence.p_value(bar), evidence.note


def _unknown(measure: ScoreMeasure, ranking: Ranking) -> str:
    if math.isnan(float(measure.value(ranking))):
        return measure.needs(ranking.total, ranking.hits) or "the score has no value"
    return ""


def _evidence(measure: ScoreMeasure, ranking: Ranking, seed: int) -> Evidence:
    known = _FOUND.setdefault(ranking, {})
    if (measure, seed) not in known:
        known[measure, seed] = _computed(measure, ranking, seed)
    return known[measure, seed]


def _computed(measure: ScoreMeasure, ranking: Ranking, seed: int) -> Evidence:
    if isinstance(ranking, GradedRanking):
        return GradedBootstrap.of(measure, ranking, seed)
    return delong(ranking) if measure.mean_over == "pairs" else resampled(measure, ranking, seed)
