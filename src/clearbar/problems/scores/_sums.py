"""The null distribution of a sum of weights over the positive samples.

ROC AUC sums midranks, log loss log-odds, the Brier score probabilities, NDCG discounts, precision@k the
share of a sample in the first k: for all of them the labels, dealt out at random, choose P weights of M
without replacement.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.reasons import Reason
from clearbar.null import hypergeometric as hg
from clearbar.problems._protocol import Tail
from clearbar.problems.binary import universal_p_value
from clearbar.problems.scores._chance import (
    MOST,
    Chance,
    all_arrangements,
    by_arrangements,
    can_list,
    log_arrangements,
    majorant,
)

if TYPE_CHECKING:
    from clearbar.problems.scores._measure import ScoreMeasure
    from clearbar.problems.scores._ranking import Ranking

MOST_GROUPS = 20_000
"""Distinct weights beyond which neighbours are merged: their cumulants hardly change."""

FEW_WEIGHTS, MOST_SUMS = 8, 1_000_000
"""Distinct weights up to which so many arrangements are all looked at: few weights make coarse sums."""

MANY_WEIGHTS = 20
"""Distinct weights from which on the saddlepoint was within 1 % of what is known exactly."""

MOST_STEPS = 100_000_000
"""Additions up to which the distribution of U without ties is computed exactly."""

MOST_TIED_STEPS = 1_000_000_000
"""Likewise with ties."""

MOST_SAMPLES = 100_000
"""Samples up to which rankings with two distinct scores are all tried."""


def sum_tail(
    weights: FloatArray, sizes: IntArray, positives: int, observed: float, span: float = 0.0
) -> Tail:
    """Return the probability that the sum reaches what was observed, exactly where that is cheap."""
    if len(weights) <= MOST_GROUPS:  # beyond that, equal ones make no difference
        weights, back = np.unique(weights, return_inverse=True)
        sizes = np.bincount(back, sizes, minlength=len(weights)).astype(np.int64)
    total, tolerance = int(sizes.sum()), 1e-12 * float(np.abs(weights).max()) * max(positives, 1)
    if len(weights) == 1:
        return Tail.exactly(1.0)
    if len(weights) == 2:
        low, high = float(weights[0]), float(weights[1])
        least = math.ceil((observed - tolerance - positives * low) / (high - low))
        return Tail.exactly(float(hg.tail_ge(least, total, int(sizes[1]), positives)))
    if min(positives, total - positives) <= 2:
        return Tail.exactly(_few_chosen(weights, sizes, positives, observed - tolerance))
    if can_list(sizes, positives, MOST_SUMS if len(sizes) <= FEW_WEIGHTS else MOST):
        arrangements, probabilities = all_arrangements(sizes, positives)
        return Tail.exactly(float(probabilities[arrangements @ weights >= observed - tolerance].sum()))
    best, log_probability = perfect_probability(weights, sizes, positives)
    if observed >= best - tolerance:
        return Tail.exactly(math.exp(log_probability))
    tail = saddlepoint_tail(weights, sizes, positives, observed, span)
    accuracy = 1 if len(weights) >= MANY_WEIGHTS else 10
    return Tail(tail, tail, Reason.of("saddlepoint", percent=accuracy), "estimated")


def _few_chosen(weights: FloatArray, sizes: IntArray, positives: int, wanted: float) -> float:
    """Return the probability where at most two are chosen, or left out: pair by pair."""
    total = int(sizes.sum())
    chosen = min(positives, total - positives)
    if not chosen:
        return 1.0
    if chosen < positives:  # the others, light enough
        weights, wanted = -weights, wanted - float((weights * sizes).sum())
    order = np.argsort(weights)
    weights, sizes = weights[order], sizes[order]
    heavier = np.append(np.cumsum(sizes[::-1])[::-1], 0)  # how many weigh at least as much
    if chosen == 1:
        return float(heavier[np.searchsorted(weights, wanted)]) / total
    pairs = float((sizes * heavier[np.searchsorted(weights, wanted - weights)]).sum())
    with_itself = float(sizes[2 * weights >= wanted].sum())
    return (pairs - with_itself) / (total * (total - 1.0))


def perfect_probability(weights: FloatArray, sizes: IntArray, positives: int) -> tuple[float, float]:
    """Return the largest sum, and the logarithm of the probability of attaining it."""
    order = np.argsort(-weights, kind="stable")
    weights, sizes = weights[order], sizes[order]
    last = weights[int(np.searchsorted(np.cumsum(sizes), positives))]  # the lightest that is chosen
    above, equal = weights > last, weights == last
    size, taken = int(sizes[equal].sum()), positives - int(sizes[above].sum())
    largest = float((weights * sizes)[above].sum()) + taken * float(last)
    return largest, log_arrangements(size, taken) - log_arrangements(int(np.sum(sizes)), positives)


class _Tilt(NamedTuple):
    """Coins with log-odds s + t times a weight that expect as many positives and as large a sum."""

    s: float
    t: float
    value: float
    """The least of sum log(1 + exp(s + t w)) - s P - t target."""
    determinant: float
    """That of the Hessian there."""
    off: float
    """How far expectations are from what is wanted, in standard deviations."""


def _tilted(units: FloatArray, sizes: IntArray, positives: int, target: float) -> _Tilt:
    """Minimise by Newton's steps, halved until the convex function falls."""
    from scipy.special import expit

    wanted = np.array([float(positives), target])
    features = np.stack([np.ones_like(units), units])
    share = positives / int(sizes.sum())
    place = np.array([math.log(share / (1 - share)), 0.0])

    def value(place: FloatArray) -> float:
        return float(sizes @ np.logaddexp(0.0, place @ features) - place @ wanted)

    least = value(place)
    for _ in range(60):
        chance = expit(place @ features)
        gap = wanted - features @ (sizes * chance)
        hessian = (features * (sizes * chance * (1 - chance))) @ features.T
        determinant = float(hessian[0, 0] * hessian[1, 1] - hessian[0, 1] ** 2)
        off = float(np.abs(gap / np.sqrt(np.maximum(np.diag(hessian), 1e-300))).max())
        if off < 1e-10 or not determinant > 0:
            break
        (a, b), (_, d) = hessian
        step = np.array([d * gap[0] - b * gap[1], a * gap[1] - b * gap[0]]) / determinant
        step *= min(1.0, 100 / max(float(np.abs(step).max()), 1e-300))  # no leap to where values cancel
        while not value(place + step) <= least + 1e-12 * abs(least) and np.abs(step).max() > 1e-9:
            step /= 2
        place = place + step
        least = value(place)
    return _Tilt(float(place[0]), float(place[1]), least, determinant, off)


def saddlepoint_tail(
    weights: FloatArray, sizes: IntArray, positives: int, observed: float, span: float = 0.0
) -> float:
    """Return about the probability that the sum reaches what was observed.

    The weights' indicators are independent coins, given that P of them fall on heads: the double saddlepoint
    of Skovgaard, with the second continuity correction where sums lie on a lattice (of that span).

    Skovgaard, J. Appl. Prob. 24, 1987; Robinson, J. R. Statist. Soc. B 44, 1982; Butler, Saddlepoint
    Approximations with Applications, 2007, section 4.2.
    """
    if len(weights) > MOST_GROUPS:
        weights, sizes = _merged(weights, sizes)
    total = int(sizes.sum())
    mean = float((weights * sizes).sum()) / total
    spread = math.sqrt(float(((weights - mean) ** 2 * sizes).sum()) / total)
    if not spread:
        return 1.0
    share = positives / total
    units, target = (weights - mean) / spread, (observed - span / 2 - positives * mean) / spread
    z = target / math.sqrt(positives * (1 - share) * total / (total - 1))
    if abs(z) < 1e-4:  # 0 / 0 at the mean
        return 0.5 * math.erfc(z / math.sqrt(2))
    tilt = _tilted(units, sizes, positives, target)
    if tilt.off > 1e-6 or not tilt.determinant > 0:
        return 0.5 * math.erfc(z / math.sqrt(2))
    untilted = total * math.log1p(share / (1 - share)) - math.log(share / (1 - share)) * positives
    r = math.copysign(math.sqrt(max(2 * (untilted - tilt.value), 0.0)), tilt.t)
    step = 2 / (span / spread) * math.sinh(span / spread * tilt.t / 2) if span else tilt.t
    return _lugannani_rice(r, step * math.sqrt(tilt.determinant / (total * share * (1 - share))))


def _lugannani_rice(r: float, u: float) -> float:
    """Return the tail; far out by Mills' ratio, since 1 / r nearly cancels the normal tail."""
    from scipy.special import erfcx

    density = math.exp(-r * r / 2) / math.sqrt(2 * math.pi)
    if r > 5:
        mills = math.sqrt(math.pi / 2) * float(erfcx(r / math.sqrt(2)))
        return max(density * (1 / u - (1 / r - mills)), 0.0)
    tail = 0.5 * math.erfc(r / math.sqrt(2))
    return min(max(tail + density * (1 / u - 1 / r), 0.0), 1.0)


def chernoff_bound(weights: FloatArray, positives: int, observed: float) -> float:
    """Return an upper bound of the probability that the sum reaches what was observed.

    It holds for the weights given and for every way to average some of them, so for every pattern of
    ties of a measure whose ties are averaged.

    The minimum over z and t of exp(-t w) z**-P prod(1 + z exp(t c)) / C(M, P) (Chernoff, Annals of
    Mathematical Statistics 23(4), 1952).
    """
    total = len(weights)
    mean, spread = float(weights.mean()), float(weights.std())
    if not spread or not 0 < positives < total:
        return 1.0
    target = (observed - positives * mean) / spread
    if target <= 0:
        return 1.0
    tilt = _tilted((weights - mean) / spread, np.ones(total, dtype=np.int64), positives, target)
    if tilt.t < 0:
        return 1.0
    return math.exp(min(0.0, tilt.value - log_arrangements(total, positives)))


def _merged(weights: FloatArray, sizes: IntArray) -> tuple[FloatArray, IntArray]:
    """Return neighbouring weights merged into their means."""
    order = np.argsort(weights, kind="stable")
    starts = np.linspace(0, len(weights), MOST_GROUPS + 1).astype(np.int64)[:-1]
    merged = np.add.reduceat(sizes[order], starts)
    return np.add.reduceat((weights * sizes)[order], starts) / merged, merged


def is_small(total: int, positives: int) -> bool:
    """Whether the distribution of U without ties is computed exactly."""
    return min(positives, total - positives) * positives * (total - positives) <= MOST_STEPS


@functools.lru_cache(maxsize=16)
def untied_pairs(total: int, positives: int) -> FloatArray:
    """Return P(U = u) for u = 0 ... P N without ties, of U pairs in the right order: ROC AUC is U / (P N).

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


def tied_pairs(sizes: IntArray, positives: int) -> FloatArray:
    """Return P(2 U = u) for u = 0 ... 2 P N, where samples share ranks.

    Groups of samples with equal scores are added one by one, the lowest first: a group of g samples, of which
    b are positive, adds b (2 n + g - b) to 2 U when n negatives are below it.
    """
    total = int(sizes.sum())
    width = 2 * positives * (total - positives) + 1
    chances = np.zeros((positives + 1, width))
    chances[0, 0] = 1.0
    below = 0
    for size in sizes[::-1].tolist():
        following = np.zeros_like(chances)
        for among in range(min(size, positives) + 1):
            ways = float(math.comb(size, among))
            for before in range(max(0, below - (total - positives)), min(below, positives - among) + 1):
                negatives = below - before
                if negatives + size - among > total - positives:
                    continue
                shift = among * (2 * negatives + size - among)
                following[before + among, shift:] += ways * chances[before, : width - shift]
        chances = following
        below += size
    return np.asarray(chances[positives] / float(math.comb(total, positives)))


def pairs_bound(total: int, positives: int, excess: float) -> float:
    """Bound the chance that so many more pairs than on average are in the right order, whatever the ties.

    Markov's inequality for exp(t U), whose mean without ties is the Gaussian binomial coefficient at q =
    exp(t) over the binomial one, a product of hyperbolic sines; with ties it is smaller (Jensen). It holds
    at any t, so that the best one need not be found exactly.
    """
    from scipy.optimize import minimize_scalar

    if excess <= 0:
        return 1.0
    fewer, more = sorted((positives, total - positives))
    i = np.arange(1.0, fewer + 1)

    def exponent(t: float) -> float:
        return float((_log_sinhc(t * (more + i) / 2) - _log_sinhc(t * i / 2)).sum()) - t * excess

    first = (
        12 * excess / (positives * (total - positives) * (total + 1))
    )  # the best one of a normal distribution
    best = minimize_scalar(
        lambda log_t: exponent(math.exp(log_t)),
        bounds=(math.log(first / 4), math.log(1e3 * first)),
        method="bounded",
    )
    return math.exp(min(0.0, float(best.fun)))


def _log_sinhc(x: FloatArray) -> FloatArray:
    """Return log(sinh(x) / x) for x > 0."""
    small = x < 1e-3
    safe = np.where(small, 1.0, x)
    exact = safe + np.log1p(-np.exp(-2 * safe)) - math.log(2) - np.log(safe)
    return np.where(small, x * x / 6, exact)


def _any_auc(total: int, positives: int, score: float) -> Tail:
    pairs = positives * (total - positives)
    wanted = score * pairs
    upper, lower = pairs_bound(total, positives, wanted * (1 - 1e-14) - pairs / 2), 0.0
    if is_small(total, positives):
        untied = untied_pairs(total, positives)
        upper = min(upper, majorant(np.arange(pairs + 1.0), untied, wanted * (1 - 1e-14)))
        lower = float(untied[math.ceil(wanted - 1e-9 * max(1.0, wanted)) :].sum())
    if total <= MOST_SAMPLES:  # two groups of ties are labels, and their ROC AUC is the balanced accuracy
        two_groups = universal_p_value(get_measure("balanced_accuracy", "binary"), total, positives, score)
        lower = max(lower, float(two_groups.lower))
    return Tail.between(lower, max(upper, lower))


def _own_auc(measure: ScoreMeasure, ranking: Ranking, score: float) -> Tail:
    total, positives, sizes = ranking.total, ranking.hits, ranking.sizes
    pairs, untied = positives * (total - positives), len(sizes) == total
    if untied and is_small(total, positives):
        return Tail.exactly(float(untied_pairs(total, positives)[round(score * pairs) :].sum()))
    if can_list(sizes, positives):
        return by_arrangements(measure, ranking, score)
    tied_steps = float(np.minimum(sizes, positives).sum()) * (positives + 1) * (2.0 * positives * total + 1)
    if not untied and tied_steps <= MOST_TIED_STEPS:
        return Tail.exactly(float(tied_pairs(sizes, positives)[round(2 * score * pairs) :].sum()))
    observed = score * pairs + positives * (positives + 1) / 2
    doubled = np.rint(2 * ranking.midranks).astype(np.int64)
    # Sums of midranks are a half apart, unless tie groups have sizes in common.
    span = float(np.gcd.reduce(np.diff(doubled))) / 2 if len(doubled) > 1 else 1.0
    return sum_tail(ranking.midranks, sizes, positives, observed, span)


PAIRS = Chance(_any_auc, _own_auc)
"""How likely scores that ignore the features have a ROC AUC as large."""
