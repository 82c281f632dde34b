"""p-values by adding up subsets, exactly."""

import math
from fractions import Fraction

from tests.oracle.values import scores


def reaching(law, k, index, *, greater, extra=False):
    """Return the number of subsets of k samples whose score is at least as good as a value.

    ``extra`` says whether an outcome without a value reaches it, which a policy may decide; without
    a policy only an infinite one on the better side does.
    """
    found, undefined = law.atoms(k)
    reached = sum(w for i, w in found.items() if (i >= index if greater else i <= index))
    if extra:
        return reached + undefined
    return reached + (law.infinite[k] if greater else 0)


def matched(law, k, index, *, greater):
    """Return P(at least as good) under one draw."""
    return Fraction(reaching(law, k, index, greater=greater), math.comb(law.total, k))


def universal(name, total, positives, index, *, greater):
    """Return the largest such probability over all draws."""
    law = scores(name, total, positives)
    return max(matched(law, k, index, greater=greater) for k in range(total + 1))
