"""How likely scores that ignore the features do at least as well as a model.

Universal: the largest probability over every feature-blind way of scoring, whatever its ties, for a bare
score. Matched: that of the model's own scores, dealt out at random.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray
from clearbar.problems._protocol import Tail
from clearbar.problems.scores._arrangements import CELLS, all_arrangements, can_list, shuffles

if TYPE_CHECKING:
    from clearbar.problems.scores._measure import ScoreMeasure
    from clearbar.problems.scores._ranking import Ranking

TOLERANCE = 1e-12
"""Values this close, relative to their size, are the same."""


NOTHING = Tail(math.nan, math.nan)

Universal = Callable[[int, int, float], Tail]
Matched = Callable[["ScoreMeasure", "Ranking", float], Tail]


class Chance(NamedTuple):
    """How p-values of a measure are found; by default no universal one, and matched ones by arrangements."""

    universal: Universal | None = None
    matched: Matched | None = None


def of_any(measure: ScoreMeasure, total: int, positives: int, score: float) -> Tail:
    """Return the largest probability over every feature-blind way of scoring."""
    if measure.certain:
        bar = measure.expected(total, positives)
        ahead = score - bar if measure.greater_is_better else bar - score
        if ahead <= TOLERANCE * abs(bar):
            return Tail.exactly(1.0)  # whoever follows the recipe has the bar every time
    universal = measure.chance.universal
    return NOTHING if universal is None else universal(total, positives, score)


def of_own(measure: ScoreMeasure, ranking: Ranking, score: float) -> Tail:
    """Return the probability of the model's own scores, dealt out at random."""
    return (measure.chance.matched or by_arrangements)(measure, ranking, score)


def reached(measure: ScoreMeasure, values: FloatArray, score: float) -> BoolArray:
    """Return which values are at least as good as a score, up to rounding."""
    sign = 1.0 if measure.greater_is_better else -1.0
    return np.asarray(sign * (values - score) >= -TOLERANCE * max(1.0, abs(score)))


def by_arrangements(measure: ScoreMeasure, ranking: Ranking, score: float) -> Tail:
    """Look at all arrangements of the labels, or at random ones.

    From random arrangements the share that does as well, the model's own counted among them: a valid p-value,
    with its standard error in the note (Phipson and Smyth 2010).
    """
    if can_list(ranking.sizes, ranking.hits):
        values, probabilities = all_values(measure.value, ranking)
        return Tail.exactly(float(probabilities[reached(measure, values, score)].sum()))
    dealt = shuffles(ranking.sizes, ranking.hits, seed=ranking.seed, finest=ranking.finest)
    return share_of(measure, score, (measure.value(ranking.with_positives(part)) for part in dealt))


def share_of(measure: ScoreMeasure, score: float, values: Iterable[FloatArray]) -> Tail:
    """Return the share of random arrangements that reach a score, the model's own counted among them."""
    drawn = np.concatenate(list(values))
    share = (int(np.count_nonzero(reached(measure, drawn, score))) + 1) / (len(drawn) + 1)
    return Tail.permuted(share, len(drawn), estimated(len(drawn)))


def all_values(value: Callable[[Ranking], FloatArray], ranking: Ranking) -> tuple[FloatArray, FloatArray]:
    """Evaluate every arrangement of the labels."""
    arrangements, probabilities = all_arrangements(ranking.sizes, ranking.hits)
    portion = max(1, CELLS // len(ranking.sizes))
    parts = [
        value(ranking.with_positives(arrangements[start : start + portion]))
        for start in range(0, len(arrangements), portion)
    ]
    return np.concatenate(parts), probabilities


def majorant(values: FloatArray, probabilities: FloatArray, score: float) -> float:
    """Return the largest probability with which a coarser ranking reaches a score.

    A ranking with ties has the mean score of the rankings that break them at random. So its score is a
    conditional expectation of the untied one, and P(tied >= s) is at most the share of the untied law, best
    first, whose mean is s (Hardy and Littlewood's maximal function).

    Hardy and Littlewood, Acta Mathematica 54, 1930; Kertz and Roesler, Israel J. Math. 69, 1990.
    """
    values, probabilities = values[::-1], probabilities[::-1]
    excess = np.cumsum(probabilities * (values - score))
    above = np.flatnonzero(excess < -1e-14 * np.cumsum(probabilities * np.abs(values - score)))
    if not len(above):
        return 1.0
    at = int(above[0])
    share = float(probabilities[:at].sum())
    rest = float(excess[at - 1]) if at else 0.0
    gap = score - float(values[at])
    return min(1.0, share + max(rest, 0.0) / gap)


def over_ties(values: FloatArray, law: FloatArray, score: float) -> Tail:
    """Return how likely rankings with any ties reach a score, given the law without ties, ascending."""
    untied = float(law[values >= score * (1 - 1e-12)].sum())
    return Tail.between(untied, max(untied, majorant(values, law, score * (1 - 1e-14))))


def estimated(tried: int) -> str:
    """Say that a p-value is a share of random rankings, in the same words for every model."""
    error = 0.5 / math.sqrt(tried)
    return f"p_value_blind is from {tried:,} random rankings, with a standard error of at most {error:.1g}"
