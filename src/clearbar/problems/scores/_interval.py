"""Is the model's true score above the bar? The tests of measures of scores, and their intervals.

The samples are taken for independent draws within each class, so that the class sizes, and with them the bar,
stay as they are.
"""

from __future__ import annotations

import math
from weakref import WeakKeyDictionary

from clearbar.problems._tested import NotTested, Test
from clearbar.problems.scores._delong import delong
from clearbar.problems.scores._graded import GradedRanking, graded_test
from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores._ranking import Ranking
from clearbar.problems.scores._resampled import resampled

_KNOWN: WeakKeyDictionary[Ranking, dict[ScoreMeasure, Test]] = WeakKeyDictionary()
"""What is known of a ranking while it lives: an interval and a p-value need the same resamples."""


def test_of(measure: ScoreMeasure, ranking: Ranking) -> Test:
    """Return the test of a true score, which draws what it draws with the seed of the ranking."""
    known = _KNOWN.setdefault(ranking, {})
    if measure not in known:
        known[measure] = _test_of(measure, ranking)
    return known[measure]


def _test_of(measure: ScoreMeasure, ranking: Ranking) -> Test:
    if math.isnan(float(measure.value(ranking))):
        return NotTested(measure.needs(ranking.total, ranking.hits) or "the score has no value")
    if isinstance(ranking, GradedRanking):
        return graded_test(measure, ranking)
    return delong(ranking) if measure.mean_over == "pairs" else resampled(measure, ranking)
