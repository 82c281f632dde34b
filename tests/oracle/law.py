"""The law of TP, counted: in how many ways can k samples be chosen so that tp of them are positive?"""

import functools
import itertools
import math
from collections import Counter
from fractions import Fraction

LARGEST = 12
"""Samples up to which everything is compared with exact numbers."""


@functools.cache
def weights(total, positives, draws):
    """Return (tp, number of subsets) for every reachable TP."""
    low, high = max(0, positives + draws - total), min(positives, draws)
    return tuple(
        (tp, math.comb(positives, tp) * math.comb(total - positives, draws - tp))
        for tp in range(low, high + 1)
    )


def by_enumeration(total, positives, draws):
    """Go through all subsets of k samples, the first ``positives`` of which are the positive ones."""
    return Counter(
        sum(sample < positives for sample in chosen) for chosen in itertools.combinations(range(total), draws)
    )


def margins(largest=LARGEST, smallest=1):
    """Generate every (M, P, k)."""
    for total in range(smallest, largest + 1):
        for positives in range(total + 1):
            for draws in range(total + 1):
                yield total, positives, draws


def populations(largest=LARGEST, smallest=1):
    """Generate every (M, P)."""
    for total in range(smallest, largest + 1):
        for positives in range(total + 1):
            yield total, positives


def table(total, positives, draws, tp):
    """Return tp, fp, fn, tn."""
    return tp, draws - tp, positives - tp, total - positives - draws + tp


def tail(total, positives, draws, least):
    """Return P(TP >= least) as a Fraction."""
    reached = sum(weight for tp, weight in weights(total, positives, draws) if tp >= least)
    return Fraction(reached, math.comb(total, draws))
