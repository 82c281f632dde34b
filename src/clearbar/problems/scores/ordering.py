"""Measures of the order of all samples: ROC AUC and average precision."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.core._typing import FloatArray
from clearbar.core.reasons import Reason
from clearbar.inference.units import Tail, number_of_draws
from clearbar.problems.binary import universal_p_value
from clearbar.problems.scores._blind import SEED, TOLERANCE, all_values, majorant, share
from clearbar.problems.scores._blind import shuffles as random_labels
from clearbar.problems.scores._measure import Ranking, at_random, both_needed, entry, positives_needed

EULER = 0.57721566490153286061

MOST_SAMPLES = 100_000
"""Samples up to which the p-value of a bare score is asked of random rankings, or of labels."""

MOST_STEPS = 100_000_000
"""Additions up to which the distribution of U without ties is computed exactly."""

RANK_BY_RANK = 400
"""Ranks at the top that are gone through one by one."""

SHARE = 1 / 16
"""How much of the samples up to a rank a block may take. The spread within a block adds less than 0.04 % to
the variance of average precision, and is left out."""

FEWEST = 2_499
"""However many samples there are, no fewer random rankings are tried."""


# -- ROC AUC is U / (P N), of U pairs in the right order ---------------------------------------------------
@functools.lru_cache(maxsize=16)
def untied_pairs(total: int, positives: int) -> FloatArray:
    """Return P(U = u) for u = 0 ... P N without ties.

    The number of arrangements with U = u is the coefficient of q**u in the Gaussian binomial coefficient, the
    product over i of (1 - q**(N + i)) / (1 - q**i). It is symmetric, so that only the lower half is computed,
    where nothing but small terms are subtracted.

    Mann and Whitney, Annals of Mathematical Statistics 18(1), 1947; Loeffler, Wissenschaftliche Zeitschrift
    der Universitaet Halle 32, 1983.
    """
    fewer, more = sorted((positives, total - positives))
    size = fewer * more
    half = np.zeros(size // 2 + 1)
    half[0] = 1.0
    for i in range(1, fewer + 1):
        step = half.copy()
        if more + i < len(half):
            step[more + i :] -= half[: len(half) - more - i]
        padded = np.zeros(-(-len(step) // i) * i)  # sums over every i-th value before each
        padded[: len(step)] = step
        half = padded.reshape(-1, i).cumsum(axis=0).reshape(-1)[: len(step)] * (i / (more + i))
    distribution = np.concatenate([half, half[: size - size // 2][::-1]])
    distribution.flags.writeable = False
    return distribution


def pairs_bound(total: int, positives: int, excess: float) -> float:
    """Bound the chance that so many more pairs than on average are in the right order, whatever the ties.

    Markov's inequality for exp(t U), whose mean without ties is the Gaussian binomial coefficient at q =
    exp(t) over the binomial one, a product of hyperbolic sines; with ties it is smaller (Jensen). It holds
    at any t, so that the best one need not be found exactly.
    """
    if excess <= 0:
        return 1.0
    fewer, more = sorted((positives, total - positives))
    i = np.arange(1.0, fewer + 1)

    def log_sinhc(x: FloatArray) -> FloatArray:  # log(sinh(x) / x)
        return np.where(x < 1e-3, x * x / 6, x + np.log1p(-np.exp(-2 * x)) - np.log(2 * x))

    normal = 12 * excess / (fewer * more * (total + 1.0))  # the best t of a normal distribution
    exponents = (
        float((log_sinhc(t * (more + i) / 2) - log_sinhc(t * i / 2)).sum()) - t * excess
        for t in normal * np.geomspace(0.25, 1e3, 200)
    )
    return math.exp(min(0.0, *exponents))


def _any_auc(total: int, positives: int, score: float) -> Tail:
    pairs = positives * (total - positives)
    wanted = score * pairs
    upper, lower = pairs_bound(total, positives, wanted * (1 - 1e-14) - pairs / 2), 0.0
    if min(positives, total - positives) * pairs <= MOST_STEPS:
        untied = untied_pairs(total, positives)
        upper = min(upper, majorant(np.arange(pairs + 1.0), untied, wanted * (1 - 1e-14)))
        lower = float(untied[math.ceil(wanted - 1e-9 * max(1.0, wanted)) :].sum())
    if total <= MOST_SAMPLES:  # two groups of ties are labels, and their ROC AUC is the balanced accuracy
        two_groups = universal_p_value(get_measure("balanced_accuracy", "binary"), total, positives, score)
        lower = max(lower, float(two_groups.lower))
    return Tail.between(lower, max(upper, lower))


def _own_auc(ranking: Ranking, score: float) -> Tail | None:
    """Return the tail of Mann and Whitney's test without ties, if its distribution is computed exactly."""
    total, positives = ranking.total, ranking.hits
    pairs = positives * (total - positives)
    if len(ranking.sizes) < total or min(positives, total - positives) * pairs > MOST_STEPS:
        return None
    return Tail.exactly(float(untied_pairs(total, positives)[round(score * pairs) :].sum()))


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
    weights=lambda ranking: ranking.midranks,
    blind_tail=_own_auc,
    any_tail=_any_auc,
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


# -- average precision -------------------------------------------------------------------------------------
def harmonic(n: int) -> float:
    """Return 1 + 1/2 + ... + 1/n."""
    if n < 10_000:
        return math.fsum(1 / i for i in range(1, n + 1))
    return math.log(n) + EULER + 1 / (2 * n) - 1 / (12 * n**2) + 1 / (120 * n**4)


def random_average_precision(total: int, positives: int) -> float:
    """Return the expected average precision of a random ranking without ties.

    (P - 1) / (M - 1) + (M - P) H_M / (M (M - 1)), above the prevalence P / M.
    """
    if total == positives:
        return 1.0
    return (positives - 1) / (total - 1) + (total - positives) * harmonic(total) / (total * (total - 1.0))


def random_precisions(ranking: Ranking) -> FloatArray:
    """Return the average precision of random arrangements of the labels, from the last samples up.

    Far down groups of equal scores are dealt with several at once: with S positives up to the end of a block
    of n samples and b within it, these expect a sum of precisions of b / n (S first - (b - 1) second).
    """
    sizes, ends = ranking.sizes, ranking.ends
    number = number_of_draws(ranking.total, fewest=FEWEST, finest=ranking.finest)
    generator = np.random.default_rng(SEED + ranking.seed)
    left, values, group = np.full(number, float(ranking.hits)), np.zeros(number), len(sizes)
    while group:
        end, begin = int(ends[group - 1]), group - 1
        if end > RANK_BY_RANK:
            least = max(end - int(end * SHARE), RANK_BY_RANK)
            begin = min(int(np.searchsorted(ends, least)) + 1, begin)
        upto, within = ends[begin:group], sizes[begin:group]
        size, precision = int(within.sum()), within / upto
        second = float((precision * (end - upto)).sum()) / max(size - 1, 1)
        if size == 1:
            hits = (generator.random(number, dtype=np.float32) < left / end).astype(np.float64)
        else:
            good = left.astype(np.int64)
            hits = generator.hypergeometric(good, end - good, size).astype(np.float64)
        values += hits / size * (left * float(precision.sum()) - (hits - 1) * second)
        left -= hits
        group = begin
    return values / ranking.hits


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
    untied, wanted = np.ones(total, dtype=np.int64), score * (1 - 1e-12)
    ranking = Ranking(np.arange(total, 0.0, -1.0), untied, (untied.cumsum() <= positives).astype(np.int64))
    best = all_values(_with_best_ties, ranking)
    plain = all_values(average_precision.value, ranking)
    if best and plain:
        upper, lower = (float(chances[values >= wanted].sum()) for values, chances in (best, plain))
        return Tail.between(lower, upper)
    drawn = [_with_best_ties(ranking.with_positives(labels)) for labels in random_labels(untied, positives)]
    values = np.concatenate(drawn)
    return share(int(np.count_nonzero(values >= wanted)), len(values))._replace(lower=math.nan)


def _own_average_precision(ranking: Ranking, score: float) -> Tail | None:
    listed = all_values(average_precision.value, ranking)
    if listed is not None:
        return Tail.exactly(float(listed[1][listed[0] >= score - TOLERANCE].sum()))
    values = random_precisions(ranking)
    return share(int(np.count_nonzero(values >= score - TOLERANCE)), len(values))


@entry(
    question="How precise are the predictions on average, each time another positive sample is found?",
    label="average precision",
    aliases=("average_precision_score", "ap", "avgprec", "map", "mean_average_precision"),
    expected=random_average_precision,
    worst=lambda total, positives: positives / total,
    recipe=lambda total, _positives: at_random(total),
    needs=positives_needed,
    blind_tail=_own_average_precision,
    any_tail=_any_average_precision,
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
