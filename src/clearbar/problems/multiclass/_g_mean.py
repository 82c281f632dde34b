"""The bar of the G-mean of many classes: what it expects is exact for few samples, within 1e-5 for more."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import pairwise

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray, IntArray
from clearbar.null import expectations
from clearbar.problems.multiclass._joint import MOST_CLIMBED, Counts, Polynomial, searched, times
from clearbar.problems.multiclass._optimum import Optimum

LARGEST_EXACT = 100
"""Samples up to which the expectation is summed in whole numbers."""

ROUNDS = 30
"""Steps of the search for the best numbers of many samples or classes; a few suffice."""


def g_mean_bar(sizes: IntArray, _empty: float) -> Optimum:
    """No closed form: searched; it never exceeds 1/K, and 0 is what one class for all expects."""
    here = np.flatnonzero(sizes)
    value, own, certified = best_g_mean(sizes[here])
    counts = np.zeros_like(sizes)
    counts[here] = own
    return Optimum(value, 0.0 if len(sizes) > 1 else 1.0, counts, "counts", certified)


def best_g_mean(sizes: IntArray) -> tuple[float, IntArray, bool]:
    """Return the largest expected G-mean that was found, an x that has it, and whether all x were tried."""
    own = tuple(int(n) for n in sizes)
    if len(own) == 1:
        return 1.0, np.array(own), True
    value, start = _balanced(sizes)
    if sum(own) > LARGEST_EXACT:
        return value, start, False
    numbers = tuple(int(x) for x in start)
    if len(own) > MOST_CLIMBED:
        return expected_g_mean(own, numbers), start, False
    value, x, certified = searched(own, expected_g_mean, [numbers])
    return value, np.array(x), certified


def _balanced(sizes: IntArray) -> tuple[float, IntArray]:
    """Return about the best x, and what it expects: each class gets units as its root follows them."""
    counts = _parted(np.ones(len(sizes)), int(sizes.sum()))
    best = -math.inf, counts
    for _ in range(ROUNDS):
        value, gains = _expanded(sizes, counts)
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


def _expanded(sizes: IntArray, counts: IntArray) -> tuple[float, FloatArray]:
    """Return about log E[prod_j r_j], r_j = (C_jj / n_j)^(1/K), and by how much each r_j follows its C_jj.

    The product of their means is exact but for pairs of classes that go together: E[C_ii C_jj] is
    n_i n_j x_i x_j / (M (M - 1)), and r_j is taken for its regression on C_jj. What is left is of three
    classes, or of curvature: less than 1e-5 at a hundred samples, and falling as their square.
    """
    total, degree = float(sizes.sum()), len(sizes)
    pairs, at = np.unique(np.stack([sizes, counts]), axis=1, return_inverse=True)
    n, x = pairs.astype(np.float64)
    totals = np.full(len(n), sizes.sum(), dtype=np.int64)
    root, recall_times_root = (expectations(one, totals, *pairs) for one in _roots(degree))
    mean = n * x / total
    spread = mean * (1 - n / total) * (1 - x / total) * total / (total - 1)
    follows = ((recall_times_root * n - root * mean) / spread * mean / root)[at.reshape(-1)]
    together = (follows.sum() ** 2 - (follows**2).sum()) / 2 / (total - 1)
    return float(np.log(root)[at.reshape(-1)].sum() + together), follows


def _roots(degree: int) -> tuple[Measure, Measure]:
    """Return the root of recall, and recall times it."""

    def root(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:  # noqa: ARG001
        return (tp / (tp + fn)) ** (1 / degree)

    def recall_times_root(tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray) -> FloatArray:
        return root(tp, fp, fn, tn) * tp / (tp + fn)

    smooth = partial(Measure, greater_is_better=True, affine=False, smooth=True, bounds=(0.0, 1.0))
    return smooth("root_of_recall", root), smooth("recall_times_root", recall_times_root)


def expected_g_mean(sizes: Counts, counts: Counts) -> float:
    """Return E[prod_j (C_jj / n_j)^(1/K)], from differences of the root and the joint factorial moments."""
    if 0 in counts:
        return 0.0
    total, classes = sum(sizes), len(sizes)
    bits = 3 * total + 100  # differences lose a bit each, the moments as many as there are samples
    product: Polynomial = [1]
    for n, x in zip(sizes, counts, strict=True):
        steps = [_root(h, classes, bits) for h in range(min(n, x) + 1)]
        of_class = []
        for s in range(len(steps)):
            of_class.append(steps[0] * math.comb(n, s) * math.comb(x, s) * math.factorial(s))
            steps = [b - a for a, b in pairwise(steps)]
        product = times(product, of_class, total)
    top = sum(r * math.factorial(total - s) for s, r in enumerate(product))
    scaled = Fraction(top, math.factorial(total) << (bits * classes))
    return float(scaled) / float(math.prod(n ** (1 / classes) for n in sizes))


def _root(value: int, degree: int, bits: int) -> int:
    """Return the root of a whole number times 2^bits, rounded down."""
    if value == 0:
        return 0
    target = value << (bits * degree)
    root = 1 << -(-target.bit_length() // degree)
    while True:  # Newton's steps from above
        lower = ((degree - 1) * root + target // root ** (degree - 1)) // degree
        if lower >= root:
            return root
        root = lower
