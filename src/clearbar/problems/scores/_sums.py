"""The null law of a sum of weights over the positive samples.

ROC AUC sums ranks, log loss log-odds, Brier probabilities, precision@k the share of a sample in the
first k: for all of them the labels, dealt out at random, choose P weights of M without replacement.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.null import hypergeometric as hg
from clearbar.problems._protocol import Tail
from clearbar.problems.scores._arrangements import MOST, all_arrangements, can_list, log_arrangements

MOST_GROUPS = 20_000
"""Distinct weights beyond which neighbours are merged: their cumulants hardly change."""

FEW_WEIGHTS, MOST_SUMS = 8, 1_000_000
"""Distinct weights up to which so many arrangements are all looked at: few weights make coarse sums."""

MANY_WEIGHTS = 20
"""Distinct weights from which on the saddlepoint was within 1 % of the exact law wherever that was known."""

APPROXIMATE = "p_value_blind is a saddlepoint approximation, good to {} %"

_ROUNDS = 60


def sum_tail(
    weights: FloatArray, sizes: IntArray, positives: int, observed: float, span: float = 0.0
) -> Tail:
    """Return the probability that the sum reaches what was observed, exactly where that is cheap."""
    if len(weights) <= MOST_GROUPS:  # beyond that, equal ones make no difference
        weights, back = np.unique(weights, return_inverse=True)
        sizes = np.bincount(back, sizes, minlength=len(weights)).astype(np.int64)
    total, slack = int(sizes.sum()), 1e-12 * float(np.abs(weights).max()) * max(positives, 1)
    if len(weights) == 1:
        return Tail.exactly(1.0)
    if len(weights) == 2:
        low, high = float(weights[0]), float(weights[1])
        least = math.ceil((observed - slack - positives * low) / (high - low))
        return Tail.exactly(float(hg.tail_ge(least, total, int(sizes[1]), positives)))
    if min(positives, total - positives) <= 2:
        return Tail.exactly(_few_chosen(weights, sizes, positives, observed - slack))
    if can_list(sizes, positives, MOST_SUMS if len(sizes) <= FEW_WEIGHTS else MOST):
        arrangements, probabilities = all_arrangements(sizes, positives)
        return Tail.exactly(float(probabilities[arrangements @ weights >= observed - slack].sum()))
    best, log_probability = perfect_probability(weights, sizes, positives)
    if observed >= best - slack:
        return Tail.exactly(math.exp(log_probability))
    tail = saddlepoint_tail(weights, sizes, positives, observed, span)
    note = APPROXIMATE.format(1 if len(weights) >= MANY_WEIGHTS else 10)
    return Tail(tail, tail, note, "estimated")


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
    at = int(np.searchsorted(np.cumsum(sizes), positives))
    last = weights[at]  # the lightest that is chosen, and some of its equals are not
    surely, equals = weights > last, weights == last
    size, taken = int(sizes[equals].sum()), positives - int(sizes[surely].sum())
    largest = float((weights * sizes)[surely].sum()) + taken * float(last)
    return largest, log_arrangements(size, taken) - log_arrangements(int(np.sum(sizes)), positives)


def saddlepoint_tail(
    weights: FloatArray, sizes: IntArray, positives: int, observed: float, span: float = 0.0
) -> float:
    """Return about the probability that the sum reaches what was observed.

    The weights' indicators are independent coins, given that P of them fall on heads: the double saddlepoint
    of Skovgaard, with the second continuity correction where sums lie on a lattice.

    Skovgaard, J. Appl. Prob. 24, 1987; Robinson, J. R. Statist. Soc. B 44, 1982; Butler, Saddlepoint
    Approximations with Applications, 2007, section 4.2.
    """
    weights, sizes = _merged(weights, sizes)
    total = int(sizes.sum())
    mean = float((weights * sizes).sum()) / total
    spread = math.sqrt(float(((weights - mean) ** 2 * sizes).sum()) / total)
    if not spread:
        return 1.0
    share = positives / total
    units = (weights - mean) / spread
    target = (observed - span / 2 - positives * mean) / spread
    sd = math.sqrt(positives * (1 - share) * total / (total - 1))
    if abs(target) < 1e-4 * sd:
        return 0.5 * math.erfc(target / sd / math.sqrt(2))
    *_, tilt = _tilts(units, sizes, positives, target)
    if tilt.off > 1e-6 or not tilt.determinant > 0:
        return 0.5 * math.erfc(target / sd / math.sqrt(2))
    s, t = tilt.place.tolist()
    start = math.log(share / (1 - share))
    exponent = (
        float((sizes * np.logaddexp(0.0, start)).sum()) - start * positives
        - float((sizes * np.logaddexp(0.0, s + t * units)).sum()) + s * positives + t * target
    )  # fmt: skip
    r = math.copysign(math.sqrt(max(2 * exponent, 0.0)), t)
    step = t if not span else 2 / (span / spread) * math.sinh(span / spread * t / 2)
    u = step * math.sqrt(tilt.determinant / (total * share * (1 - share)))
    return _lugannani_rice(r, u)


def _lugannani_rice(r: float, u: float) -> float:
    density = math.exp(-r * r / 2) / math.sqrt(2 * math.pi)
    if r > 5:  # the leading term of the normal tail is cancelled, so it is left out
        mills = _mills_excess(r)
        return max(density * (1 / u - mills), 0.0)
    tail = 0.5 * math.erfc(r / math.sqrt(2))
    return min(max(tail + density * (1 / u - 1 / r), 0.0), 1.0)


def _mills_excess(r: float) -> float:
    """Return 1 / r less Mills' ratio, by its continued fraction."""
    fraction = r
    for k in range(40, 0, -1):
        fraction = r + k / fraction
    return 1 / r - 1 / fraction


def _tilts(units: FloatArray, sizes: IntArray, positives: int, target: float) -> Iterator[Tilt]:
    """Yield ever better tilts towards as many positives, and as large a sum, as were observed."""
    share = positives / int(sizes.sum())
    wanted = np.array([float(positives), target])
    tilt = Tilt.at(units, sizes, np.array([math.log(share / (1 - share)), 0.0]), wanted)
    for _ in range(_ROUNDS):
        yield tilt
        if tilt.off < 1e-10 or not tilt.determinant > 0:
            return
        (a, b), (_, d) = tilt.jacobian
        step = np.array([d * tilt.gap[0] - b * tilt.gap[1], a * tilt.gap[1] - b * tilt.gap[0]])
        step /= tilt.determinant
        length, enough = 1.0, tilt.value + 1e-12 * abs(tilt.value)
        while True:
            new = Tilt.at(units, sizes, tilt.place + length * step, wanted)
            if new.value <= enough or length <= 1e-9:
                break
            length /= 2
        tilt = new
    yield tilt


class Tilt(NamedTuple):
    """A point (s, t) at which indicators of the weights are coins with log-odds s + t times the weight."""

    place: FloatArray
    gap: FloatArray
    """By how much fewer positives, and how much smaller a sum, is expected than is wanted."""
    jacobian: FloatArray
    value: float
    """The convex function that has this slope, up to sign."""

    @classmethod
    def at(cls, units: FloatArray, sizes: IntArray, place: FloatArray, wanted: FloatArray) -> Tilt:
        """Evaluate all of it."""
        tilt = place[0] + place[1] * units
        with np.errstate(over="ignore"):
            chance = 1 / (1 + np.exp(-tilt))
        mean, variance = sizes * chance, sizes * chance * (1 - chance)
        gap = wanted - np.array([mean.sum(), (mean * units).sum()])
        cross = (variance * units).sum()
        jacobian = np.array([[variance.sum(), cross], [cross, (variance * units**2).sum()]])
        value = float((sizes * np.logaddexp(0.0, tilt)).sum() - place @ wanted)
        return cls(place, gap, jacobian, value)

    @property
    def determinant(self) -> float:
        """Of the Jacobian."""
        (a, b), (_, d) = self.jacobian
        return float(a * d - b**2)

    @property
    def off(self) -> float:
        """The larger gap, in standard deviations."""
        scale = np.sqrt(np.maximum(np.diag(self.jacobian), 1e-300))
        return float(np.abs(self.gap / scale).max())


def chernoff_bound(weights: FloatArray, positives: int, observed: float) -> float:
    """Return an upper bound of the probability that the sum reaches what was observed.

    It holds for the weights given and for every way to average some of them, so for every pattern of
    ties of a measure whose ties are averaged.

    The minimum over z and t of exp(-t w) z**-P prod(1 + z exp(t c)) / C(M, P) (Chernoff, Annals of
    Mathematical Statistics 23(4), 1952).
    """
    total = len(weights)
    sizes = np.ones(total, dtype=np.int64)
    mean, spread = float(weights.mean()), float(weights.std())
    if not spread or not 0 < positives < total:
        return 1.0
    units, target = (weights - mean) / spread, (observed - positives * mean) / spread
    if target <= 0:
        return 1.0
    best = min(tilt.value for tilt in _tilts(units, sizes, positives, target) if tilt.place[1] >= 0)
    return min(1.0, math.exp(min(0.0, best - log_arrangements(total, positives))))


def _merged(weights: FloatArray, sizes: IntArray) -> tuple[FloatArray, IntArray]:
    """Return neighbouring weights merged into their means where there are very many."""
    if len(weights) <= MOST_GROUPS:
        return weights, sizes
    order = np.argsort(weights, kind="stable")
    starts = np.linspace(0, len(weights), MOST_GROUPS + 1).astype(np.int64)[:-1]
    merged = np.add.reduceat(sizes[order], starts)
    return np.add.reduceat((weights * sizes)[order], starts) / merged, merged
