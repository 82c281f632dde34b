"""The law of TP with 60 digits, where there are too many subsets to count."""

import functools
import math
from fractions import Fraction

import mpmath
from mpmath import mp, mpf
from tests.oracle.closeness import as_mpf
from tests.oracle.formulas import formula
from tests.oracle.law import table

mp.dps = 60

FULL = 1500
"""Reachable tables up to which a sum takes all of them."""


def log_factorial(n):
    return mpmath.loggamma(mpf(n) + 1)


@functools.lru_cache(maxsize=64)
def _constant(total, positives, draws):
    above = positives, total - positives, draws, total - draws
    return sum(map(log_factorial, above)) - log_factorial(total)


def log_pmf(tp, total, positives, draws):
    """Return log P(TP = tp)."""
    cells = table(total, positives, draws, tp)
    return _constant(total, positives, draws) - sum(map(log_factorial, cells))


def reachable(total, positives, draws):
    """Return the smallest and the largest TP."""
    return max(0, positives + draws - total), min(positives, draws)


def standard_deviation(total, positives, draws):
    """Return that of TP, as a float."""
    share, chosen = positives / total, draws / total
    return math.sqrt(share * (1 - share) * chosen * (1 - chosen) * total * total / max(total - 1, 1))


@functools.lru_cache(maxsize=64)
def nodes(total, positives, draws, *, strided=True):
    """Return TP and weights that add up to one.

    All reachable TP where they are few. Otherwise every h-th in a window of 26 standard deviations to
    either side, h being a sixth of one: for the law itself the error is below e^-700, and what is left out
    has less than e^-300 of the mass. Without strides every one in that window.
    """
    low, high = reachable(total, positives, draws)
    mode = (positives + 1) * (draws + 1) // (total + 2)
    sigma = math.sqrt(
        positives / total * (total - positives) * (draws / total) * (total - draws) / max(total - 1, 1)
    )
    stride = 1
    if high - low >= FULL:
        assert sigma > 12
        stride = max(int(sigma / 6), 1) if strided else 1
        low, high = max(low, mode - int(26 * sigma)), min(high, mode + int(26 * sigma))
        low += (mode - low) % stride
    tps = list(range(low, high + 1, stride))
    center = log_pmf(mode, total, positives, draws)
    weights = [mpmath.exp(log_pmf(tp, total, positives, draws) - center) for tp in tps]
    whole = mpmath.fsum(weights)
    return tps, [weight / whole for weight in weights]


def moments(name, total, positives, draws, *, strided=True):
    """Return mean and variance of a measure that always has a value; with strides it must have no kink."""
    tps, weights = nodes(total, positives, draws, strided=strided)
    values = [as_mpf(formula(name, *table(total, positives, draws, tp))) for tp in tps]
    mean = mpmath.fsum(w * v for w, v in zip(weights, values, strict=True))
    variance = mpmath.fsum(w * (v - mean) ** 2 for w, v in zip(weights, values, strict=True))
    return mean, variance


@functools.lru_cache(maxsize=256)
def few(total, positives, draws):
    """Return (tp, probability) as exact fractions, where few TP are reachable, at any size."""
    low, high = reachable(total, positives, draws)
    weights = [Fraction(1)]
    for tp in range(low, high):
        _, fp, fn, tn = table(total, positives, draws, tp)
        weights.append(weights[-1] * Fraction(fp * fn, (tp + 1) * (tn + 1)))
    whole = sum(weights)
    return [(low + i, weight / whole) for i, weight in enumerate(weights)]


def few_moments(name, total, positives, draws):
    """Return exact mean and variance given a value, and the exact probability of having none."""
    pairs = [
        (formula(name, *table(total, positives, draws, tp)), p) for tp, p in few(total, positives, draws)
    ]
    undefined = sum((p for value, p in pairs if value is None), start=Fraction(0))
    if undefined == 1:
        return None, None, undefined
    pairs = [(as_mpf(value), as_mpf(p)) for value, p in pairs if value is not None]
    whole = sum(p for _, p in pairs)
    mean = sum(value * p for value, p in pairs) / whole
    return mean, sum((value - mean) ** 2 * p for value, p in pairs) / whole, undefined


def log_tail(least, total, positives, draws):
    """Return log P(TP >= least), for a least TP above the mean: a sum of falling terms."""
    first = log_pmf(least, total, positives, draws)
    term = whole = mpf(1)
    tp, fp, fn, tn = table(total, positives, draws, least)
    while fp and fn and term > whole * mpf(10) ** -32:
        term *= mpf(fp * fn) / ((tp + 1) * (tn + 1))
        tp, fp, fn, tn = tp + 1, fp - 1, fn - 1, tn + 1
        whole += term
    return first + mpmath.log(whole)
