"""Measures that look at all classes together: the joint distribution of the diagonal.

The numbers right in each class have the joint factorial moments
E[prod_j binom(C_jj, s_j)] = prod_j binom(n_j, s_j) binom(x_j, s_j) s_j! * (M - S)! / M!,  S = sum_j s_j.
So a function that is a product over classes, or one of their sum, needs one polynomial of a class each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray, IntArray
from clearbar.null import expectations
from clearbar.problems.multiclass.optima import ClassOptimum, how_many_each

MOST_EXHAUSTIVE = 3_000  # ways to share out the predictions up to which all are tried

# Classes up to which a search climbs a unit at a time, starts that it has, and its steps.
MOST_CLIMBED, MOST_CANDIDATES, ROUNDS = 6, 30, 100

TERMS = 60  # terms of a series each of which is at most half of the one before
LARGEST_EXACT = 100  # samples up to which the G-mean's expectation is summed

Counts = tuple[int, ...]


def _product(factors: Sequence[Sequence[Any]], most: int) -> list[Any]:
    """Multiply polynomials, up to a power."""
    product: list[Any] = [1]
    for factor in factors:
        longer = [product[0] * 0] * min(len(product) + len(factor) - 1, most + 1)
        for i, a in enumerate(product):
            for j, b in enumerate(factor[: len(longer) - i]):
                longer[i + j] += a * b
        product = longer
    return product


@lru_cache(maxsize=4_096)
def _rooks(n: int, x: int) -> tuple[int, ...]:
    # The ways to place s rooks on a board of n by x that do not attack each other: to choose s samples of a
    # class, s of the predictions of it, and to match them. Riordan, Combinatorial Analysis, 1958, chapter 7.
    return tuple(math.comb(n, s) * math.comb(x, s) * math.factorial(s) for s in range(min(n, x) + 1))


def law_of_right(sizes: Counts, counts: Counts) -> list[Fraction]:
    """Return the probabilities that 0, 1, ... samples are right, by inclusion and exclusion."""
    total = sum(sizes)
    moments = _product([_rooks(n, x) for n, x in zip(sizes, counts, strict=True)], total)
    scaled = [r * math.factorial(total - s) for s, r in enumerate(moments)]
    # P(T = t) = sum_s (-1)^(s - t) binom(s, t) E[binom(T, s)]: terms alternate, hence whole numbers.
    orders = math.factorial(total)
    return [
        Fraction(sum((-1) ** (s - t) * math.comb(s, t) * scaled[s] for s in range(t, len(scaled))), orders)
        for t in range(len(scaled))
    ]


# -- searches ----------------------------------------------------------------------------------------------


def _searched(
    sizes: Counts, expected: Callable[[Counts, Counts], float], starts: list[Counts]
) -> tuple[float, Counts, bool]:
    """Try all x where they are few; else climb from the best start, a unit at a time."""
    # Returns the largest expectation that was found, its x, and whether all were tried.
    total, classes = sum(sizes), len(sizes)
    if math.comb(total + classes - 1, classes - 1) <= MOST_EXHAUSTIVE:
        value, x = max((expected(sizes, x), x) for x in _compositions(total, classes))
        return value, x, True
    value, x = max((expected(sizes, x), x) for x in starts)
    for _ in range(ROUNDS if classes <= MOST_CLIMBED else 0):
        better, moved = max((expected(sizes, y), y) for y in _neighbours(x))
        if better <= value:
            break
        value, x = better, moved
    return value, x, False


def _compositions(total: int, parts: int) -> Iterator[Counts]:
    for bars in combinations(range(total + parts - 1), parts - 1):
        edges = (-1, *bars, total + parts - 1)
        yield tuple(b - a - 1 for a, b in pairwise(edges))


def _neighbours(x: Counts) -> Iterator[Counts]:
    for giver, number in enumerate(x):
        for taker in range(len(x)):
            if giver != taker and number:
                yield tuple(n + (i == taker) - (i == giver) for i, n in enumerate(x))


# -- micro Jaccard -----------------------------------------------------------------------------------------


def expected_micro_jaccard(sizes: Counts, counts: Counts) -> float:
    """Return E[T / (2M - T)], T samples of M being right."""
    # 1/(2M - T) = sum_s binom(T, s) s! / (2M (2M - 1) ... (2M - s)), Newton's series, whose terms are all
    # positive. With E[binom(T, s)] from the polynomials nothing cancels; each term is about T/2M of the last.
    total = sum(sizes)
    order = np.arange(1.0, min(total, TERMS) + 1)
    product = np.ones(1)
    for n, x in zip(sizes, counts, strict=True):  # coefficients over M^(2s), which are at most 1/s!
        ratios = np.maximum(n - order + 1, 0) * np.maximum(x - order + 1, 0) / (order * float(total) ** 2)
        product = np.convolve(product, np.concatenate(([1.0], np.cumprod(ratios))))[: len(order) + 1]
    weights = np.cumprod(order * float(total) ** 2 / ((2 * total - order) * (total - order + 1)))
    return float(weights @ product[1:])


def micro_jaccard_bar(sizes: IntArray, _empty: float) -> ClassOptimum:
    """Searched: one class for all, unless classes are nearly tied."""
    order = np.argsort(-sizes, kind="stable")
    ranked = tuple(int(n) for n in sizes[order] if n > 0)
    value, x, certified = _searched(ranked, expected_micro_jaccard, list(_shares_of_largest(ranked)))
    counts = np.zeros_like(sizes)
    counts[order[: len(x)]] = x
    total, least = int(sizes.sum()), int(sizes.min())
    return ClassOptimum(value, least / (2 * total - least), counts, how_many_each(counts, sizes), certified)


def _shares_of_largest(ranked: Counts) -> Iterator[Counts]:
    """Yield predictions of the largest classes only, as many of each as its share among them."""
    total = sum(ranked)
    for last in range(1, min(len(ranked), MOST_CANDIDATES) + 1):
        within = sum(ranked[:last])
        ends = [round(total * sum(ranked[:i]) / within) for i in range(last + 1)]
        yield tuple(b - a for a, b in pairwise(ends)) + (0,) * (len(ranked) - last)
    yield ranked


# -- G-mean ------------------------------------------------------------------------------------------------


def g_mean_bar(sizes: IntArray, _empty: float) -> ClassOptimum:
    """Searched: exact for few samples, within 1e-5 for more; at most 1/K, and one class for all expects 0."""
    here = np.flatnonzero(sizes)
    counts, ranked = np.zeros_like(sizes), tuple(int(n) for n in sizes[here])
    if len(ranked) == 1:
        counts[here] = sizes[here]
        return ClassOptimum(1.0, 0.0 if len(sizes) > 1 else 1.0, counts, "counts")
    value, x = balanced(sizes[here])
    best, certified = tuple(x.tolist()), False
    if sum(ranked) <= LARGEST_EXACT:
        value = expected_g_mean(ranked, best)
        if len(ranked) <= MOST_CLIMBED:
            value, best, certified = _searched(ranked, expected_g_mean, [best])
    counts[here] = best
    return ClassOptimum(value, 0.0, counts, "counts", certified)


def expected_g_mean(sizes: Counts, counts: Counts) -> float:
    """Return E[prod_j (C_jj / n_j)^(1/K)], from differences of the root and the joint factorial moments."""
    if 0 in counts:
        return 0.0
    total, degree = sum(sizes), len(sizes)
    with localcontext() as context:
        context.prec = total + 40  # each difference loses a bit, and the moments some two
        product = _product([_roots(n, x, degree, total) for n, x in zip(sizes, counts, strict=True)], total)
        mean = sum(r * math.factorial(total - s) for s, r in enumerate(product)) / math.factorial(total)
    return float(mean) / float(math.prod(n ** (1 / degree) for n in sizes))


@lru_cache(maxsize=4_096)
def _roots(n: int, x: int, degree: int, total: int) -> list[Decimal]:
    """Return the differences of h^(1/degree) at 0, times what the moments of a class are over (M - S)!/M!."""
    with localcontext() as context:
        context.prec = total + 40
        steps = [Decimal(h) ** (1 / Decimal(degree)) for h in range(min(n, x) + 1)]
        differences = []
        for moment in _rooks(n, x):
            differences.append(steps[0] * moment)
            steps = [b - a for a, b in pairwise(steps)]
    return differences


def balanced(sizes: IntArray) -> tuple[float, IntArray]:
    """Return about the best x, and what it expects: each class gets units as its root follows them."""
    counts = _parted(np.ones(len(sizes)), int(sizes.sum()))
    best = -math.inf, counts
    for _ in range(30):
        value, gains = expanded(sizes, counts)
        if value <= best[0]:
            break
        best = value, counts
        counts = _parted(gains, int(sizes.sum()))
    return min(math.exp(best[0]), 1 / len(sizes)), best[1]


def _parted(shares: FloatArray, total: int) -> IntArray:
    """Give each class one unit, and of the rest as many as its share says, to the nearest whole number."""
    exact = shares / shares.sum() * (total - len(shares))
    counts = np.floor(exact).astype(np.int64)
    left = total - len(shares) - int(counts.sum())
    counts[np.argsort(counts - exact, kind="stable")[:left]] += 1
    return np.asarray(counts + 1)


def expanded(sizes: IntArray, counts: IntArray) -> tuple[float, FloatArray]:
    """Return about log E[prod_j r_j], r_j = (C_jj / n_j)^(1/K), and by how much each r_j follows its C_jj."""
    # The product of their means is exact but for pairs of classes that go together: E[C_ii C_jj] is
    # n_i n_j x_i x_j / (M (M - 1)), and r_j is taken for its regression on C_jj. What is left is of three
    # classes, or of curvature: less than 1e-5 at a hundred samples, and falling as their square.
    total, degree = float(sizes.sum()), len(sizes)

    def power(times: int, tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
        return (tp / (tp + fn)) ** (times + 1 / degree)

    smooth = partial(Measure, greater_is_better=True, affine=False, smooth=True, bounds=(0.0, 1.0))
    powers = smooth("root_of_recall", partial(power, 0)), smooth("recall_times_root", partial(power, 1))
    pairs, place = np.unique(np.stack([sizes, counts]), axis=1, return_inverse=True)
    n, x = pairs.astype(np.float64)
    totals = np.full(len(n), sizes.sum(), dtype=np.int64)
    root, recall_times_root = (expectations(measure, totals, *pairs) for measure in powers)
    mean = n * x / total
    spread = mean * (1 - n / total) * (1 - x / total) * total / (total - 1)
    follows = ((recall_times_root * n - root * mean) / spread * mean / root)[place.reshape(-1)]
    together = (follows.sum() ** 2 - (follows**2).sum()) / 2 / (total - 1)
    return float(np.log(root)[place.reshape(-1)].sum() + together), follows
