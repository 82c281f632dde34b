"""p_value_blind: how likely scores that ignore the features do at least as well as a model.

Of a model's own scores the labels are dealt out at random. Where there are few ways to do so, or the measure
has a distribution that is quickly computed, such as that of Mann and Whitney, the p-value is exact; of many
samples ROC AUC has a saddlepoint approximation; otherwise `ScoreUnits` permutes labels.

Of a bare score nothing is known: there it is the largest probability over every feature-blind way of scoring,
whatever its ties, or an upper bound of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.reasons import Reason
from clearbar.inference import Tail
from clearbar.inference.orders import tables_of
from clearbar.inference.units import number_of_draws
from clearbar.problems.scores._measure import Distribution, Ranking, ScoreMeasure

TOLERANCE = 1e-12
"""Values this close, relative to their size, are the same."""

MOST_SAMPLES = 100_000
"""Samples up to which a bare score is compared with random rankings."""

MOST_GROUPS = 3_000
"""Distinct scores beyond which there is no look at how many arrangements there are: as many at least."""

SEED = 20_100_317
"""Random arrangements are the same in every run."""

AT_ONCE = 4_000_000
"""Labels that are dealt at once."""

BY_SCORE, MOST_BY_SCORE = 20, 10**9
"""Samples for each score from which it is drawn how many of them are positive; NumPy draws from fewer."""

NOTHING = Tail(math.nan, math.nan)


def exact_chance(measure: ScoreMeasure, ranking: Ranking, score: float) -> Tail | None:
    """Return the probability of the model's own scores, labels in random order; None if that is long."""
    listed = distribution_of(measure, measure.value, ranking)
    if listed is None:
        about = measure.estimate(ranking, score) if measure.estimate else None
        return about and Tail(about[0], about[0], Reason.of("saddlepoint", percent=about[1]), "estimated")
    values, probabilities = listed
    return Tail.exactly(float(probabilities[reached(measure, values, score)].sum()))


def distribution_of(
    measure: ScoreMeasure, value: Callable[[Ranking], FloatArray], ranking: Ranking
) -> Distribution | None:
    """Return the values over all arrangements of the labels, and their probabilities."""
    if len(ranking.sizes) == 1:
        return np.atleast_1d(value(ranking)), np.ones(1)
    declared = measure.distribution(ranking) if measure.distribution else None
    return all_values(value, ranking) if declared is None else declared


def reached(measure: ScoreMeasure, values: FloatArray, score: float) -> BoolArray:
    """Return which values are at least as good as a score, up to rounding."""
    sign = 1.0 if measure.greater_is_better else -1.0
    return np.asarray(sign * (values - score) >= -TOLERANCE * max(1.0, abs(score)))


def all_values(value: Callable[[Ranking], FloatArray], ranking: Ranking) -> Distribution | None:
    """Evaluate every arrangement of the labels; None if there are many."""
    if len(ranking.sizes) > MOST_GROUPS:
        return None
    tables = tables_of(np.array([ranking.hits, ranking.total - ranking.hits]), ranking.sizes)
    return None if tables is None else (value(ranking.with_positives(tables[0][:, 0])), tables[1])


def log_arrangements(total: float, positives: float) -> float:
    """Return the logarithm of the number of ways to choose the positive samples."""
    return math.lgamma(total + 1) - math.lgamma(positives + 1) - math.lgamma(total - positives + 1)


# -- labels in random order --------------------------------------------------------------------------------
def random_labels(total: int, positives: int, rows: int, generator: np.random.Generator) -> IntArray:
    """Return rows of labels, bytes, of which so many are positive: each arrangement as likely as the other.

    Independent labels are positive with nearly the wanted probability; given how many are, each subset is as
    likely. Then random ones of those that are too many change, or of the others. It takes a third of the time
    of shuffling.
    """
    if 2 * positives > total:
        return 1 - random_labels(total, total - positives, rows, generator)
    words = generator.integers(0, 2**64, size=-(-rows * total // 8), dtype=np.uint64)
    labels = words.view(np.uint8)[: rows * total].reshape(rows, total) < 256 * positives // total
    flat, missing = labels.reshape(-1), positives - np.count_nonzero(labels, axis=1)
    while missing.any():
        row = np.repeat(np.arange(rows), np.abs(missing))
        places = np.sort(row * total + generator.integers(0, total, size=len(row)))
        places = places[np.diff(places, prepend=-1) > 0]  # each once
        places = places[flat[places] == (missing < 0)[places // total]]
        flat[places] ^= True
        missing -= np.sign(missing) * np.bincount(places // total, minlength=rows)
    return labels.view(np.uint8)


def arrangements(ranking: Ranking, number: int, generator: np.random.Generator) -> Iterator[IntArray]:
    """Yield how many positive samples have each score in random arrangements, (rows, scores) at a time."""
    starts, rows = ranking.ends - ranking.sizes, max(1, AT_ONCE // ranking.total)
    if BY_SCORE * len(starts) < ranking.total < MOST_BY_SCORE:
        rows = max(1, AT_ONCE // len(starts))
        for first in range(0, number, rows):
            yield generator.multivariate_hypergeometric(
                ranking.sizes, ranking.hits, size=min(rows, number - first), method="marginals"
            )
        return
    kind = np.uint8 if ranking.sizes.max() < 256 else np.int64  # bytes add up ten times as fast
    for first in range(0, number, rows):
        labels = random_labels(ranking.total, ranking.hits, min(rows, number - first), generator)
        tied = len(starts) < ranking.total
        yield (np.add.reduceat(labels, starts, axis=1, dtype=kind) if tied else labels).astype(np.int64)


# -- whatever the ties -------------------------------------------------------------------------------------
def of_any(measure: ScoreMeasure, total: int, positives: int, score: float) -> Tail:
    """Return the largest probability over every feature-blind way of scoring.

    No ties do better than the best way to break them, so that random rankings without ties tell: by a value
    that is not below that with any ties, or by `majorant` of a measure whose ties are averaged.
    """
    if measure.certain:
        bar = measure.expected(total, positives)
        ahead = score - bar if measure.greater_is_better else bar - score
        if ahead <= TOLERANCE * abs(bar):
            return Tail.exactly(1.0)  # whoever follows the recipe has the bar every time
    value = measure.value if measure.averages_ties else measure.with_best_ties
    listed, few = None, total <= MOST_SAMPLES
    if value is not None and few:
        untied = Ranking.untied(total, positives)
        listed = distribution_of(measure, value, untied)
    if listed is None and measure.bound is not None:
        return Tail.between(0.0, measure.bound(total, positives, score))
    if value is None:
        return NOTHING
    if not few:
        return NOTHING._replace(note=Reason.of("too_many_samples", most=MOST_SAMPLES))
    if listed is not None:
        values, chances = listed
        upper = float(chances[reached(measure, values, score)].sum())
        lower = upper if value in (measure.value, measure.function) else 0.0  # which no ties need attain
        if measure.averages_ties:
            upper = max(lower, majorant(values, chances, score))
        return Tail.between(lower, upper)
    draws = number_of_draws(total)
    drawn = arrangements(untied, draws, np.random.default_rng(SEED))
    values = np.concatenate([value(untied.with_positives(positives)) for positives in drawn])
    # The observed one counts among them (Phipson and Smyth, Statist. Appl. Genet. Molec. Biol. 9, 2010).
    values, chances = np.append(values, score), np.full(draws + 1, 1 / (draws + 1))
    share = float(chances[reached(measure, values, score)].sum())
    if measure.averages_ties:
        share = max(share, majorant(values, chances, score))
    return Tail.permuted(
        share, draws, Reason.of("random_rankings", draws=draws, error=0.5 / math.sqrt(draws))
    )


def majorant(values: FloatArray, probabilities: FloatArray, score: float) -> float:
    """Return the largest probability with which a coarser ranking reaches a score.

    A ranking with ties has the mean score of the rankings that break them at random. So its score is a
    conditional expectation of the untied one, and P(tied >= s) is at most the share of the untied
    distribution, best first, whose mean is s (Hardy and Littlewood's maximal function).

    Hardy and Littlewood, Acta Mathematica 54, 1930; Kertz and Roesler, Israel J. Math. 69, 1990.
    """
    order, score = np.argsort(-values, kind="stable"), score * (1 - 1e-14)
    values, probabilities = values[order], probabilities[order]
    excess = np.cumsum(probabilities * (values - score))
    above = np.flatnonzero(excess < -1e-14 * np.cumsum(probabilities * np.abs(values - score)))
    if not len(above):
        return 1.0
    first = int(above[0])
    rest = float(excess[first - 1]) if first else 0.0
    return min(1.0, float(probabilities[:first].sum()) + max(rest, 0.0) / (score - float(values[first])))
