"""Measures of the order of all samples: ROC AUC and average precision."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.problems.scores._blind import log_arrangements
from clearbar.problems.scores._measure import (
    Distribution,
    Ranking,
    at_random,
    both_needed,
    entry,
    positives_needed,
)

EULER = 0.57721566490153286061

MOST_STEPS = 100_000_000
"""Additions up to which the distribution of U is computed exactly."""

RAREST, RARE, MANY_SCORES = 5, 15, 20
"""Samples of the rarer class for an approximation, and for a good one; distinct scores for a good one."""

MOST_GROUPS = 20_000
"""Distinct scores beyond which neighbours are merged where the distribution of U is approximated."""


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


def tied_pairs(weights: IntArray, sizes: IntArray, positives: int) -> FloatArray:
    """Return P(sum = s) for s = 0, 1, ... where P of the samples are chosen, whose weights are whole numbers.

    One group after the other: `ways[b, s]` in which b samples of the groups so far have the sum s.
    """
    ways = np.zeros((positives + 1, positives * int(weights.max()) + 1))
    ways[0, 0] = 1.0
    for weight, size in zip(weights.tolist(), sizes.tolist(), strict=True):
        more = ways.copy()
        for taken in range(1, min(size, positives) + 1):
            rest = ways[: positives + 1 - taken, : ways.shape[1] - taken * weight]
            more[taken:, taken * weight :] += float(math.comb(size, taken)) * rest
        ways = more
    return np.asarray(ways[positives] / float(math.comb(int(sizes.sum()), positives)))


def pairs_distribution(ranking: Ranking) -> Distribution | None:
    """Return the distribution of Mann and Whitney's U over the pairs; None where it takes long."""
    total, positives = ranking.total, ranking.hits
    pairs = positives * (total - positives)
    if not ranking.tied:
        if min(positives, total - positives) * pairs > MOST_STEPS:
            return None
        return np.arange(pairs + 1) / pairs, untied_pairs(total, positives)
    # The sum of the doubled midranks of the positive samples is 2 U + P (P + 1).
    doubled = np.rint(2 * (ranking.midranks - ranking.midranks.min())).astype(np.int64)
    steps = np.minimum(ranking.sizes, positives).sum() * (positives + 1.0)
    if steps * (positives * doubled[0] + 1.0) > 4 * MOST_STEPS:
        return None
    chances = tied_pairs(doubled, ranking.sizes, positives)
    least = positives * (2 * ranking.midranks.min() - positives - 1)
    return (np.arange(len(chances)) + least) / (2 * pairs), chances


def pairs_tail(ranking: Ranking, auc: float) -> tuple[float, int] | None:
    """Return about P(AUC >= auc), labels in random order, and to how many percent; None of rare classes.

    Labels are independent coins, given that P of them fall on heads. The double saddlepoint tilts these coins
    until P heads and the observed sum of ranks are what they expect; ranks lie on a lattice, which takes the
    second continuity correction.

    Skovgaard, J. Appl. Prob. 24, 1987; Butler, Saddlepoint Approximations with Applications, 2007, section
    4.2; Robinson, J. R. Statist. Soc. B 44, 1982.
    """
    from scipy.special import erfcx

    total, positives = ranking.total, ranking.hits
    rare = min(positives, total - positives)
    if rare < RAREST:
        return None
    percent = 1 if rare >= RARE and len(ranking.sizes) >= MANY_SCORES else 10
    if auc == 1:  # one arrangement alone
        return math.exp(-log_arrangements(total, positives)), percent
    doubled = 2 * ranking.midranks
    span = float(np.gcd.reduce(np.diff(doubled).astype(np.int64)))
    if len(doubled) > MOST_GROUPS:  # their cumulants hardly change
        ranking = ranking.merged(np.linspace(0, len(doubled), MOST_GROUPS + 1).astype(np.int64)[:-1])
        doubled = 2 * ranking.midranks
    sizes, share, ranks = ranking.sizes, positives / total, doubled - (total + 1)
    spread = math.sqrt(float((sizes * ranks**2).sum()) / total)
    target = ((2 * auc - 1) * positives * (total - positives) - span / 2) / spread
    z = target / math.sqrt(positives * (1 - share) * total / (total - 1))
    t, value, determinant = _tilted(ranks / spread, sizes, positives, target)
    if not determinant > 0:  # next to the ends, where coins are all but sure
        return pairs_bound(total, positives, auc), percent
    if abs(z) < 3e-3:  # 0 / 0 at the mean
        return 0.5 * math.erfc(z / math.sqrt(2)), percent
    untilted = -total * math.log1p(-share) - positives * math.log(share / (1 - share))
    r = math.copysign(math.sqrt(max(2 * (untilted - value), 0.0)), t)
    step = 2 * spread / span * math.sinh(span / spread * t / 2)
    u = step * math.sqrt(determinant / (total * share * (1 - share)))
    density = math.exp(-r * r / 2) / math.sqrt(2 * math.pi)
    if r > 5:  # 1 / r nearly cancels the normal tail, of which Mills' ratio is known
        mills = math.sqrt(math.pi / 2) * float(erfcx(r / math.sqrt(2)))
        return max(density * (1 / u - (1 / r - mills)), 0.0), percent
    return min(max(0.5 * math.erfc(r / math.sqrt(2)) + density * (1 / u - 1 / r), 0.0), 1.0), percent


def _tilted(ranks: FloatArray, sizes: IntArray, positives: int, target: float) -> tuple[float, float, float]:
    """Return t, the least of sum log(1 + exp(s + t rank)) - s P - t target, and its Hessian's determinant.

    Coins with log-odds s + t rank then expect P heads and the target sum. By Newton's steps, halved until the
    convex function falls.
    """
    from scipy.special import expit

    def value(s: float, t: float) -> float:
        heads = (sizes * np.logaddexp(0.0, s + t * ranks)).sum()
        return float(heads) - s * positives - t * target

    share, off = positives / int(sizes.sum()), math.inf
    s, t = math.log(share / (1 - share)), 0.0
    least = value(s, t)
    for _ in range(60):
        chances = expit(s + t * ranks)
        variances = sizes * chances * (1 - chances)
        heads_off = positives - float((sizes * chances).sum())
        ranks_off = target - float((sizes * chances * ranks).sum())
        of_heads, mixed = float(variances.sum()), float((variances * ranks).sum())
        mean = mixed / max(of_heads, 1e-300)
        of_ranks = float((variances * (ranks - mean) ** 2).sum())  # given the number of heads
        determinant = of_heads * of_ranks
        if not determinant > 0:
            break
        off = max(abs(heads_off) / math.sqrt(of_heads), abs(ranks_off) / math.sqrt(of_ranks))
        if off < 1e-10:
            break
        step_t = (ranks_off - mean * heads_off) / of_ranks
        step_s = heads_off / of_heads - mean * step_t
        longest = max(abs(step_s), abs(step_t))
        length = min(1.0, 100 / longest)  # no leap to where values cancel
        while not value(s + length * step_s, t + length * step_t) <= least + 1e-12 * abs(least):
            if length * longest <= 1e-9:
                break
            length /= 2
        s, t = s + length * step_s, t + length * step_t
        least = value(s, t)
    return t, least, determinant if off <= 1e-6 else math.nan


def pairs_bound(total: int, positives: int, auc: float) -> float:
    """Return an upper bound of the chance of a ROC AUC, whatever the ties.

    Markov's inequality for exp(t U), whose mean without ties is the Gaussian binomial coefficient at q =
    exp(t) over the binomial one, a product of hyperbolic sines; with ties it is smaller (Jensen). It holds
    at any t, so that the best one need not be found exactly.
    """
    excess = (auc - 0.5) * positives * (total - positives)
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
    averages_ties=True,
    distribution=pairs_distribution,
    estimate=pairs_tail,
    bound=pairs_bound,
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


def with_best_ties(ranking: Ranking) -> FloatArray:
    """Return the mean over the positive samples of the best precision at their rank or below.

    A tied sample counts with the precision at the end of its group, a rank that is not above its own in any
    ranking that breaks the ties.
    """
    precision = ranking.found / ranking.ends
    best = np.maximum.accumulate(precision[..., ::-1], axis=-1)[..., ::-1]
    return np.asarray((ranking.positives * best).sum(axis=-1) / ranking.hits)


@entry(
    question="How precise are the predictions on average, each time another positive sample is found?",
    label="average precision",
    aliases=("average_precision_score", "ap", "avgprec", "map", "mean_average_precision"),
    expected=random_average_precision,
    worst=lambda total, positives: positives / total,
    recipe=lambda total, _positives: at_random(total),
    needs=positives_needed,
    with_best_ties=with_best_ties,
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
