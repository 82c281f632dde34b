"""The law in fractions and in 50 digits, for the tests to compare with."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from math import comb

import mpmath
import numpy as np


def populations(largest: int, smallest: int = 0) -> Iterator[tuple[int, int, int]]:
    """All margins with a total from `smallest` to `largest`."""
    for total in range(smallest, largest + 1):
        for positives in range(total + 1):
            for draws in range(total + 1):
                yield total, positives, draws


def law(total: int, positives: int, draws: int) -> dict[int, Fraction]:
    """Probability of every number of true positives in the support."""
    whole = comb(total, draws)
    low, high = max(0, draws - total + positives), min(positives, draws)
    return {
        x: Fraction(comb(positives, x) * comb(total - positives, draws - x), whole)
        for x in range(low, high + 1)
    }


def ulps(value: float, exact: Fraction) -> float:
    """Error in units in the last place of the exact value."""
    if exact == 0:
        return 0.0 if value == 0 else math.inf
    return float(abs(Fraction(float(value)) - exact) / Fraction(math.ulp(float(exact))))


def log_pmf(x: int, total: int, positives: int, draws: int) -> mpmath.mpf:
    """Logarithm of the probability in 50 digits."""
    with mpmath.workdps(50):

        def log_comb(n: int, r: int) -> mpmath.mpf:
            return mpmath.loggamma(n + 1) - mpmath.loggamma(r + 1) - mpmath.loggamma(n - r + 1)

        return log_comb(positives, x) + log_comb(total - positives, draws - x) - log_comb(total, draws)


def log_tail(x: int, margin: tuple[int, int, int], *, above: bool) -> mpmath.mpf:
    """Logarithm of P(TP >= x) or P(TP <= x) in some 30 digits, summing ratios away from x."""
    total, positives, draws = margin
    with mpmath.workdps(50):
        term = whole = mpmath.mpf(1)
        tp, fn, fp, tn = x, positives - x, draws - x, total - positives - draws + x
        while term > whole * mpmath.mpf(10) ** -32:
            if above:
                term *= mpmath.mpf(fn * fp) / ((tp + 1) * (tn + 1))
                tp, fn, fp, tn = tp + 1, fn - 1, fp - 1, tn + 1
            else:
                term *= mpmath.mpf(tp * tn) / ((fn + 1) * (fp + 1))
                tp, fn, fp, tn = tp - 1, fn + 1, fp + 1, tn - 1
            whole += term
        return log_pmf(x, *margin) + mpmath.log(whole)


def corners(totals: tuple[int, ...]) -> list[tuple[int, int, int]]:
    """Margins that have broken other implementations: next to nothing, next to everything, halves."""
    out = set()
    for total in totals:
        root = math.isqrt(total)
        positives = {1, 2, 5, root, total // 50, total // 3, total // 2, total - 5, total - 2, total - 1}
        draws = {1, 2, 3, 10, root, total // 10, total // 2, 2 * total // 3, total - 3, total - 1}
        out |= {(total, p, k) for p in positives for k in draws}
    return sorted(out)


def points(margin: tuple[int, int, int], *, deviations: tuple[float, ...]) -> list[int]:
    """Both ends of the support, and points so many standard deviations from the mean."""
    total, positives, draws = margin
    low, high = max(0, draws - total + positives), min(positives, draws)
    negatives, rest = total - positives, total - draws
    sigma = math.sqrt(draws * positives / total * negatives / total * rest / max(total - 1, 1))
    mean = draws * positives // total
    return sorted({low, high} | {min(max(mean + round(z * sigma), low), high) for z in deviations})


def arrays(rows: list[tuple[int, ...]]) -> tuple[np.ndarray, ...]:
    """Columns of a list of rows."""
    return tuple(np.array(rows, dtype=np.int64).T)
