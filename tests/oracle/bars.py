"""The bar of every measure on every small population, by trying every draw in exact numbers."""

import itertools
from fractions import Fraction

from tests.oracle.closeness import as_mpf
from tests.oracle.values import extremes_of_tables, is_rational, same, scores

# the papers' Table 2, with kappa and threat score corrected; elsewhere every outcome must have a value
NEEDS_POSITIVES = {"f1", "f2", "threat_score"}
NEEDS_PREDICTED = {"f1", "f2"}


def admissible(name, total, positives):
    """Return the draws that a bar may use under "exclude"."""
    law = scores(name, total, positives)
    if name in NEEDS_POSITIVES and not positives:
        return []
    first = 1 if name in NEEDS_PREDICTED else 0
    return [k for k in range(first, total + 1) if not law.atoms(k)[1]]


def fill(name, total, policy, *, largest):
    """Return the value that the policy gives to outcomes without one; None if it gives none."""
    if policy == "exclude":
        return None
    value = extremes_of_tables(name, total)[0 if largest else 1] if policy == "worst" else Fraction(policy)
    return value if value is None or is_rational(name) else as_mpf(value)


def optimum(name, total, positives, policy, *, largest):
    """Return the extreme expectation and all draws that attain it; (None, []) where there is none."""
    law = scores(name, total, positives)
    value = fill(name, total, policy, largest=largest)
    draws = admissible(name, total, positives) if policy == "exclude" else range(total + 1)
    means = {k: law.mean(k, value) for k in draws}
    means = {k: mean for k, mean in means.items() if mean is not None}
    if not means:
        return None, []
    best = (max if largest else min)(means.values())
    scale = law.scale if value is None else max(law.scale, abs(value))
    return best, [k for k, mean in means.items() if same(mean, best, scale)]


def as_set(ranges):
    """Return what ranges hold, having checked that they are maximal, disjoint and ascending."""
    for left, right in itertools.pairwise(ranges):
        assert left.stop < right.start
    assert all(len(part) and part.step == 1 for part in ranges)
    return [k for part in ranges for k in part]
