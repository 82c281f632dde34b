"""Is the model's true score above the bar? The tests of measures of scores, and their intervals.

The samples are taken for independent draws within each class, so that the class sizes, and with them the bar,
stay as they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from clearbar.problems._protocol import Tail
from clearbar.problems._tested import NotTested, Test
from clearbar.problems.scores._delong import delong
from clearbar.problems.scores._graded import GradedRanking, graded_test
from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores._ranking import Ranking
from clearbar.problems.scores._resampled import resampled

_KNOWN: WeakKeyDictionary[Ranking, dict[ScoreMeasure, Test]] = WeakKeyDictionary()
"""What is known of a ranking while it lives: an interval and a p-value need the same resamples."""


@dataclass(frozen=True, eq=False)
class BetterSide:
    """The test of a score whose expectation depends on the number of samples: worse bars alone are refuted.

    The bar is what as few samples expect, resamples tell of endless ones, which expect less. A blind score
    would seem to lie below its bar, which it attains; above it, the difference makes p larger.
    """

    both_sides: Test
    score: float
    greater_is_better: bool
    interval_of: str

    def tail(self, bar: float) -> Tail:
        """Return twice the one-sided p-value; 1 where the score is not better than the bar."""
        tail = self.both_sides.tail(bar)
        if math.isnan(tail.upper):
            return tail
        one_sided = f"the interval is of {self.interval_of}, and p_value tests the better side alone"
        tail = tail._replace(note=f"{tail.note}; {one_sided}")
        better = self.score > bar if self.greater_is_better else self.score < bar
        return tail if better else tail._replace(upper=1.0, lower=1.0)

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the scores that are not refuted on either side."""
        return self.both_sides.interval(level, bounds)


def of_better_side(measure: ScoreMeasure, score: float, test: Test) -> Test:
    """Return a test as it is, or of the better side alone where the measure needs that."""
    if not measure.interval_of or isinstance(test, NotTested):
        return test
    return BetterSide(test, score, measure.greater_is_better, measure.interval_of)


def test_of(measure: ScoreMeasure, ranking: Ranking) -> Test:
    """Return the test of a true score, which draws what it draws with the seed of the ranking."""
    known = _KNOWN.setdefault(ranking, {})
    if measure not in known:
        known[measure] = _test_of(measure, ranking)
    return known[measure]


def _test_of(measure: ScoreMeasure, ranking: Ranking) -> Test:
    score = float(measure.value(ranking))
    if math.isnan(score):
        return NotTested(measure.needs(ranking.total, ranking.hits) or "the score has no value")
    if measure.mean_over == "pairs":
        return delong(ranking)
    test = (
        graded_test(measure, ranking) if isinstance(ranking, GradedRanking) else resampled(measure, ranking)
    )
    return of_better_side(measure, score, test)
