"""Measures of the whole ranking: ROC AUC and average precision."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.reasons import Reason
from clearbar.inference.units import number_of_draws
from clearbar.problems._protocol import Tail
from clearbar.problems.scores._chance import (
    SEED,
    Chance,
    all_values,
    by_arrangements,
    can_list,
    estimated,
    share_of,
)
from clearbar.problems.scores._measure import (
    ScoreMeasure,
    at_random,
    both_needed,
    entry,
    positives_needed,
)
from clearbar.problems.scores._ranking import Ranking
from clearbar.problems.scores._sums import PAIRS

_EULER = 0.57721566490153286061

MOST_SAMPLES = 100_000
"""Samples up to which the p-value of a bare average precision is asked of random rankings."""


RANK_BY_RANK = 400
"""Ranks at the top that are gone through one by one."""

SHARE = 1 / 16
"""How much of the samples up to a rank a block may take. The spread within a block adds less than 0.04 % to
the variance of average precision, and is left out."""

FEWEST = 2_499
"""However many samples there are, no fewer random rankings are tried."""


def harmonic(n: int) -> float:
    """Return 1 + 1/2 + ... + 1/n."""
    if n < 10_000:
        return math.fsum(1 / i for i in range(1, n + 1))
    return math.log(n) + _EULER + 1 / (2 * n) - 1 / (12 * n**2) + 1 / (120 * n**4)


@entry(
    question="How likely is a positive sample scored above a negative one?",
    label="ROC AUC",
    aliases=(
        "roc_auc_score",
        "auc",
        "auroc",
        "area under the roc curve",
        "auc_roc",
        "c_statistic",
        "concordance",
    ),
    expected=lambda _total, _positives: 0.5,
    needs=both_needed,
    certain=True,
    mean_over="pairs",
    interval_of="",
    chance=PAIRS,
    claim="Any score that ignores its input has an expected ROC AUC of 1/2, whatever its ties "
    "(Mann and Whitney 1947).",
    formula=r"\frac{\#\{s_+ > s_-\} + \frac12 \#\{s_+ = s_-\}}{PN}",
    caution="It does not depend on the prevalence: among few positives a high value can go with a low "
    "precision.",
    source="Hanley and McNeil, Radiology 143, 1982; Mann and Whitney, Ann. Math. Statist. 18, 1947",
)
def roc_auc(ranking: Ranking) -> Any:
    negatives = ranking.negatives.astype(np.float64)
    below = negatives.sum(axis=-1, keepdims=True) - np.cumsum(negatives, axis=-1)
    pairs = (ranking.positives * (below + negatives / 2)).sum(axis=-1)
    return pairs / (float(ranking.hits) * (ranking.total - ranking.hits))


def random_average_precision(total: int, positives: int) -> float:
    """Return the expected average precision of a random ranking without ties.

    (P - 1) / (M - 1) + (M - P) H_M / (M (M - 1)), above the prevalence P / M.
    """
    if total == positives:
        return 1.0
    return (positives - 1) / (total - 1) + (total - positives) * harmonic(total) / (total * (total - 1.0))


def tied_average_precision(ranking: Ranking) -> float:
    """Return the expected average precision of given scores whose labels are dealt out at random.

    q + (1 - q) / M times the sum of g / S over groups of g tied samples with S scored at least as high, where
    q = (P - 1) / (M - 1).
    """
    total = ranking.total
    if total == 1:
        return 1.0
    repeat = (ranking.hits - 1) / (total - 1)
    return repeat + (1 - repeat) / total * float((ranking.sizes / ranking.ends).sum())


class Block(NamedTuple):
    """Samples that are dealt with together: up to the last, and how many.

    With S positives up to its end and b within it, the expected sum of precisions over those within it is
    b / size (S first - (b - 1) second).
    """

    end: int
    size: int
    first: float
    second: float


def random_precisions(
    sizes: IntArray, positives: int, seed: int = 0, finest: float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Return the average precision of random arrangements, and that with the best ties."""
    # They are the same in every run. With the best ties a positive sample counts with the best precision at
    # its rank or below; within a block that is the middle between the best before and after, the latter with
    # the maximum of a Brownian bridge.
    total = int(sizes.sum())
    number = number_of_draws(total, fewest=FEWEST, finest=finest)
    generator = np.random.default_rng(SEED + seed)
    left = np.full(number, float(positives))
    values, credit, best = np.zeros((3, number))  # the best precision so far, from below
    for end, size, first, second in _blocks(sizes):
        precision = left / end
        np.maximum(best, precision, out=best)
        if size == 1:
            hit = generator.random(number, dtype=np.float32) < precision
            values += hit * precision
            credit += hit * best
            left -= hit
            continue
        if end <= RANK_BY_RANK:
            hits = np.zeros(number)
            for rank in range(end, end - size, -1):
                hits += generator.random(number, dtype=np.float32) < (left - hits) / rank
        else:
            within = left.astype(np.int64)
            hits = generator.hypergeometric(within, end - within, size).astype(np.float64)
        if end > size and second:
            share, above = hits / size, (left - hits) / (end - size)
            spread = -0.5 * size * share * (1 - share) * np.log1p(-generator.random(number))
            bridge = np.sqrt(((precision - above) / 2) ** 2 + spread / (end * (end - size)))
            below = best
            best = np.maximum(below, (precision + above) / 2 + bridge)
            credit -= hits * (best - below) / 2
        values += hits / size * (left * first - (hits - 1) * second)
        credit += hits * best
        left -= hits
    return values / positives, credit / positives


@functools.lru_cache(maxsize=8)
def untied_precisions(
    total: int, positives: int, seed: int = 0, finest: float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Return the same for rankings without ties."""
    return random_precisions(np.ones(total, dtype=np.int64), positives, seed, finest)


def _blocks(sizes: IntArray) -> Iterator[Block]:
    """Yield groups of tied samples from the last up, those far down several at once."""
    ends = np.cumsum(sizes)
    group = len(sizes)
    while group:
        end = int(ends[group - 1])
        least = max(end - int(end * SHARE), RANK_BY_RANK)
        begin = min(int(np.searchsorted(ends, least)) + 1, group - 1) if end > RANK_BY_RANK else group - 1
        upto, within = ends[begin:group], sizes[begin:group]
        size = int(within.sum())
        precision = within / upto
        second = float((precision * (end - upto)).sum()) / max(size - 1, 1)
        yield Block(end, size, float(precision.sum()), second)
        group = begin


def _with_best_ties(ranking: Ranking) -> FloatArray:
    """Return the mean over the positive samples of the best precision at their rank or below."""
    precision = ranking.found / ranking.ends
    best = np.maximum.accumulate(precision[..., ::-1], axis=-1)[..., ::-1]
    return np.asarray((ranking.positives * best).sum(axis=-1) / ranking.hits)


def _any_average_precision(total: int, positives: int, score: float) -> Tail:
    """Return a bound over every pattern of ties.

    A tied sample counts with the precision at the end of its group, a rank that is not above its own in
    any ranking that breaks the ties. Such rankings, broken at random, are random rankings.
    """
    if score <= positives / total * (1 + 1e-12):
        return Tail.exactly(1.0)  # a constant score has the prevalence every time
    if total > MOST_SAMPLES:
        return Tail(math.nan, math.nan, Reason.of("too_many_samples", most=MOST_SAMPLES))
    untied = np.ones(total, dtype=np.int64)
    wanted = score * (1 - 1e-12)
    if can_list(untied, positives):
        ranking = Ranking(
            np.arange(total, 0.0, -1.0), untied, (untied.cumsum() <= positives).astype(np.int64)
        )
        best, probabilities = all_values(_with_best_ties, ranking)
        values, _ = all_values(average_precision.value, ranking)
        upper, lower = (float(probabilities[part >= wanted].sum()) for part in (best, values))
        return Tail.between(lower, upper)
    _, best = untied_precisions(total, positives)
    share = (int(np.count_nonzero(best >= wanted)) + 1) / (len(best) + 1)
    return Tail(share, math.nan, estimated(len(best)), "permutation", len(best))


def _own_average_precision(measure: ScoreMeasure, ranking: Ranking, score: float) -> Tail:
    if can_list(ranking.sizes, ranking.hits):
        return by_arrangements(measure, ranking, score)
    tied = len(ranking.sizes) < ranking.total
    drawn = ranking.hits, ranking.seed, ranking.finest
    values, _ = random_precisions(ranking.sizes, *drawn) if tied else untied_precisions(ranking.total, *drawn)
    return share_of(measure, score, [values])


@entry(
    question="How precise are the predictions on average, each time another positive sample is found?",
    label="average precision",
    aliases=("average_precision_score", "ap", "avgprec", "map", "mean_average_precision"),
    expected=random_average_precision,
    worst=lambda total, positives: positives / total,
    recipe=lambda total, _positives: at_random(total),
    needs=positives_needed,
    chance=Chance(_any_average_precision, _own_average_precision),
    claim="Breaking ties never lowers the expectation, so that a random ranking without ties does best, "
    "better than the prevalence.",
    formula=r"\sum_n (R_n - R_{n-1}) P_n",
    caution="A constant score has the prevalence; a random ranking expects more, so the prevalence is not "
    "the bar.",
    source="Zhu, University of Waterloo Working Paper 2004-09; the convention for ties is scikit-learn's",
)
def average_precision(ranking: Ranking) -> Any:
    precision = ranking.found / np.maximum(ranking.ends, 1)  # a resample may lack the highest scores
    return (ranking.positives * precision).sum(axis=-1) / ranking.hits
