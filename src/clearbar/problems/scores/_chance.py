"""How likely scores that ignore the features do at least as well as a model: p_value_blind.

Matched: the model's own scores, labels dealt out at random; over all arrangements of the labels where these
are few, else over random ones. Universal: the largest probability over every feature-blind way of scoring,
whatever its ties, for a bare score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.reasons import Reason
from clearbar.inference.units import number_of_draws
from clearbar.problems._protocol import Tail

if TYPE_CHECKING:
    from clearbar.problems.scores._measure import ScoreMeasure
    from clearbar.problems.scores._ranking import Ranking

TOLERANCE = 1e-12
"""Values this close, relative to their size, are the same."""

MOST = 50_000
"""Arrangements up to which all of them are looked at."""

FEWEST_SHUFFLES = 999
"""However many samples there are, no fewer random arrangements are tried."""

WORK = 20_000_000
"""Samples or groups looked at, over all arrangements."""

FEW_GROUPS = 64
"""Groups up to which the positives of each are drawn instead of every sample's label."""

CELLS = 4_000_000
"""Numbers held at once while that is done."""

SEED = 20_100_317
"""Random arrangements are the same in every run."""

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


def estimated(draws: int) -> Reason:
    """Say that a p-value is a share of random rankings."""
    return Reason.of("random_rankings", draws=draws, error=0.5 / math.sqrt(draws))


def log_arrangements(total: Any, positives: Any) -> float:
    """Return the logarithm of the number of ways to choose the positive samples."""
    return math.lgamma(total + 1) - math.lgamma(positives + 1) - math.lgamma(total - positives + 1)


def number_of_arrangements(sizes: IntArray, positives: int) -> float:
    """Return how many arrangements differ in how many positives each group has.

    Infinity where there are certainly more than are ever looked at.
    """
    total = int(sizes.sum())
    fewer = min(positives, total - positives)
    if len(sizes) == total:
        return math.exp(min(log_arrangements(total, positives), 700.0))
    if fewer and len(sizes) > MOST:
        return math.inf
    half = int(sizes[::2].sum())  # of two groups made of all there are no more arrangements than of all
    if min(half, fewer) - max(fewer - (total - half), 0) >= MOST:
        return math.inf
    ways = np.zeros(fewer + 1)
    ways[0] = 1.0
    for size in sizes.tolist():
        sums = np.cumsum(ways)
        sums[size + 1 :] -= sums[: -size - 1].copy()
        ways = np.minimum(sums, 1e12)
    return float(ways[fewer])


def can_list(sizes: IntArray, positives: int, most: int = MOST) -> bool:
    """Whether all arrangements are looked at: they are not many, and neither are their groups."""
    number = number_of_arrangements(sizes, positives)
    return number <= most + 0.5 and number * len(sizes) <= WORK


def all_arrangements(sizes: IntArray, positives: int) -> tuple[IntArray, FloatArray]:
    """Return every arrangement of positive samples over groups, and its probability."""
    after = np.cumsum(sizes[::-1])[::-1] - sizes
    left, logs = np.array([positives], dtype=np.int64), np.zeros(1)
    steps = []
    for size, later in zip(sizes.tolist(), after.tolist(), strict=True):
        low, high = np.maximum(left - later, 0), np.minimum(left, size)
        times = high - low + 1
        row = np.repeat(np.arange(len(left)), times)
        here = np.arange(len(row)) - np.repeat(np.cumsum(times) - times, times) + low[row]
        ways = np.array([log_arrangements(size, b) for b in range(min(size, positives) + 1)])
        steps.append((row, here))
        left, logs = left[row] - here, logs[row] + ways[here]
    rows = np.empty((len(left), len(sizes)), dtype=np.int64)
    at = np.arange(len(left))
    for group in range(len(sizes) - 1, -1, -1):  # each arrangement from its end to its beginning
        row, here = steps[group]
        rows[:, group], at = here[at], row[at]
    return rows, np.exp(logs - log_arrangements(int(sizes.sum()), positives))


def portions(samples: int, finest: float = 1.0) -> Iterator[int]:
    """Yield how many random arrangements of so many samples are tried at once, until enough are."""
    number = number_of_draws(samples, fewest=FEWEST_SHUFFLES, finest=finest)
    portion = min(max(1, CELLS // samples), number)
    parts = [min(portion, number - first) for first in range(0, number, portion)]
    yield from tracked(parts, number, int, "random rankings")


def orders(values: Any, generator: np.random.Generator, finest: float = 1.0) -> Iterator[Any]:
    """Yield values in random order, of shape (arrangements, samples), in portions."""
    for rows in portions(len(values), finest):
        yield generator.permuted(np.tile(values, (rows, 1)), axis=1)


def shuffles(
    sizes: IntArray, positives: int, which: int = 0, seed: int = 0, finest: float = 1.0
) -> Iterator[IntArray]:
    """Return random arrangements, the same in every run, in portions."""
    total = int(sizes.sum())
    generator: Any = np.random.default_rng((SEED + seed, which))
    if len(sizes) <= FEW_GROUPS and total < 1_000_000_000:
        number = number_of_draws(len(sizes), finest=finest)
        yield generator.multivariate_hypergeometric(sizes, positives, size=number, method="marginals")
        return
    starts = np.cumsum(sizes) - sizes
    truth = (np.arange(total) < positives).astype(np.int8)
    for labels in orders(truth, generator, finest):
        part = labels.astype(np.int64)
        yield part if len(sizes) == total else np.add.reduceat(part, starts, axis=1)
