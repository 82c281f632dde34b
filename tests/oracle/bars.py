"""The bar of every measure on every small population, by trying every draw in exact numbers."""

from fractions import Fraction

from tests.oracle.closeness import as_mpf
from tests.oracle.values import extremes_of_tables, is_rational, same, scores

REQUIRES = {
    # the papers' Table 2, as corrected in theory.md 6; elsewhere every outcome must have a value
    "f1": lambda total, positives, k: positives > 0 and k > 0,
    "f2": lambda total, positives, k: positives > 0 and k > 0,
    "threat_score": lambda total, positives, k: positives > 0,
}


def admissible(name, total, positives):
    """Return the draws that a bar may use under "exclude"."""
    law = scores(name, total, positives)
    allowed = REQUIRES.get(name, lambda *_: True)
    return [k for k in range(total + 1) if allowed(total, positives, k) and not law.atoms(k)[1]]


def fill(name, total, policy, *, largest):
    """Return the value that the policy gives to outcomes without one; None if it gives none."""
    if policy == "exclude":
        return None
    if policy == "worst":
        return extremes_of_tables(name, total)[0 if largest else 1]
    return Fraction(policy)


def optimum(name, total, positives, policy, *, largest):
    """Return the extreme expectation and all draws that attain it; (None, []) where there is none."""
    law = scores(name, total, positives)
    value = fill(name, total, policy, largest=largest)
    if policy == "exclude":
        draws = admissible(name, total, positives)
    else:
        draws = list(range(total + 1))
    means = {k: law.moments(k, value)[0] for k in draws}
    means = {k: mean for k, mean in means.items() if mean is not None}
    if not means:
        return None, []
    best = (max if largest else min)(means.values())
    scale = law.scale if value is None else max(law.scale, abs(value if is_rational(name) else as_mpf(value)))
    return best, [k for k, mean in means.items() if same(mean, best, scale)]


def as_set(ranges):
    """Return what ranges hold, having checked that they are maximal, disjoint and ascending."""
    for left, right in zip(ranges, ranges[1:], strict=False):
        assert left.stop < right.start
    assert all(len(part) and part.step == 1 for part in ranges)
    return [k for part in ranges for k in part]
