"""Measures that look at all classes together: the law of the diagonal, exact in whole numbers.

The numbers right in each class have the joint factorial moments
E[prod_j binom(C_jj, s_j)] = prod_j binom(n_j, s_j) binom(x_j, s_j) s_j! * (M - S)! / M!,  S = sum_j s_j.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise

import numpy as np

from clearbar.core._typing import IntArray

MOST_EXHAUSTIVE = 3_000
"""Ways to share out the predictions up to which all are tried."""

LARGEST_EXACT = 60
"""Samples up to which the law of the number right is summed; beyond, its first moments suffice."""

MOST_CLIMBED = 6
"""Classes up to which a search climbs a unit at a time."""

ORDER = 8
"""Moments of the number right that a smooth function takes: the next is below 1e-12 above 60 samples."""

MOST_CANDIDATES = 30
ROUNDS = 100

Polynomial = list[int]
Counts = tuple[int, ...]


def times(left: Polynomial, right: Polynomial, most: int) -> Polynomial:
    product = [0] * min(len(left) + len(right) - 1, most + 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right[: len(product) - i]):
            product[i + j] += a * b
    return product


def rooks(sizes: Iterable[int], counts: Iterable[int], most: int) -> Polynomial:
    """Return R_s for s up to `most`: E[binom(T, s)] is R_s (M - s)! / M!, for the number right T."""
    product: Polynomial = [1]
    for (n, x), classes in Counter(zip(sizes, counts, strict=True)).items():
        of_class = [math.comb(n, s) * math.comb(x, s) * math.factorial(s) for s in range(min(n, x, most) + 1)]
        product = times(product, _power(of_class, classes, most), most)
    return product


def _power(factor: Polynomial, exponent: int, most: int) -> Polynomial:
    """Multiply a polynomial with itself, by squaring: many classes are alike."""
    product: Polynomial = [1]
    while exponent and len(factor) > 1:
        if exponent % 2:
            product = times(product, factor, most)
        factor, exponent = times(factor, factor, most), exponent // 2
    return product


def law_of_right(sizes: Counts, counts: Counts) -> list[Fraction]:
    """Return the probabilities that 0, 1, ... samples are right."""
    total = sum(sizes)
    moments = rooks(sizes, counts, total)
    scaled = [r * math.factorial(total - s) for s, r in enumerate(moments)]
    orders = math.factorial(total)
    return [
        Fraction(sum((-1) ** (s - t) * math.comb(s, t) * scaled[s] for s in range(t, len(scaled))), orders)
        for t in range(len(scaled))
    ]


def _central_moments(sizes: Counts, counts: Counts) -> tuple[Fraction, list[Fraction]]:
    """Return the mean number right, and E[(T - mean)^r] for r up to `ORDER`."""
    total, falling = sum(sizes), Fraction(1)
    factorial = []
    for s, r in enumerate(rooks(sizes, counts, ORDER)):
        factorial.append(r * math.factorial(s) * falling)
        falling /= max(total - s, 1)
    factorial += [Fraction(0)] * (ORDER + 1 - len(factorial))
    raw = [sum((_stirling(r, s) * factorial[s] for s in range(r + 1)), Fraction(0)) for r in range(ORDER + 1)]
    mean = raw[1]
    return mean, [
        sum((math.comb(r, i) * raw[i] * (-mean) ** (r - i) for i in range(r + 1)), Fraction(0))
        for r in range(ORDER + 1)
    ]


@cache
def _stirling(n: int, k: int) -> int:
    """Return how many ways there are to part n things into k groups."""
    if n == k:
        return 1
    return 0 if k == 0 or k > n else k * _stirling(n - 1, k) + _stirling(n - 1, k - 1)


def expected_micro_jaccard(sizes: Counts, counts: Counts) -> float:
    """Return E[T / (2M - T)]."""
    total = sum(sizes)
    if total <= LARGEST_EXACT:
        law = law_of_right(sizes, counts)
        return float(sum(p * Fraction(t, 2 * total - t) for t, p in enumerate(law)))
    mean, central = _central_moments(sizes, counts)
    room = 2 * total - mean
    series = sum((central[r] / room**r for r in range(ORDER + 1)), Fraction(0))
    return float(2 * total / room * series - 1)


def best_micro_jaccard(sizes: IntArray) -> tuple[float, IntArray, bool]:
    """Return the largest expectation that was found, an x that has it, and whether all x were tried."""
    order = np.argsort(-sizes, kind="stable")
    ranked = tuple(int(n) for n in sizes[order] if n > 0)
    value, x, certified = searched(ranked, expected_micro_jaccard, list(_shares_of_largest(ranked)))
    counts = np.zeros_like(sizes)
    counts[order[: len(x)]] = x
    return value, counts, certified


def _shares_of_largest(ranked: Counts) -> Iterator[Counts]:
    """Yield predictions of the largest classes only, as many of each as its share among them."""
    total = sum(ranked)
    for last in range(1, min(len(ranked), MOST_CANDIDATES) + 1):
        within = sum(ranked[:last])
        ends = [round(total * sum(ranked[:i]) / within) for i in range(last + 1)]
        yield tuple(b - a for a, b in pairwise(ends)) + (0,) * (len(ranked) - last)
    yield ranked


def searched(
    sizes: Counts, expected: Callable[[Counts, Counts], float], starts: list[Counts]
) -> tuple[float, Counts, bool]:
    """Try all x where they are few; else climb from the best start, a unit at a time."""
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
                yield tuple(n + (at == taker) - (at == giver) for at, n in enumerate(x))
