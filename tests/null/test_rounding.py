"""Which outcomes are one: not neighbours of a huge population, but ties that rounding has parted."""

import math
from fractions import Fraction

import numpy as np
import pytest

import clearbar as cb


def test_neighbouring_tp_of_the_largest_populations_are_atoms_of_their_own():
    """Two negatives among 2**51: an ulp of these TP is a quarter of a sample."""
    draw = cb.Draw(cb.Population(2**51, 2**51 - 2), 2**50)
    null = draw.distribution("tp")
    tp = 2**50 - np.array([2, 1, 0])
    k, rest = 2**50, 2**51 - 2**50
    pairs = math.comb(2**51, 2)
    law = [math.comb(k, 2) / pairs, k * rest / pairs, math.comb(rest, 2) / pairs]
    values, probabilities = null.atoms()
    assert values.tolist() == tp.tolist()
    np.testing.assert_allclose(probabilities, law, rtol=1e-12)
    np.testing.assert_allclose(null.pmf(tp), law, rtol=1e-12)
    np.testing.assert_allclose(null.tail(tp), np.cumsum(law[::-1])[::-1], rtol=1e-12)
    np.testing.assert_allclose(null.cdf(tp), np.cumsum(law), rtol=1e-12)
    np.testing.assert_allclose(null.sf(tp), 1 - np.cumsum(law), atol=1e-12)


def weighted(tp, fp, fn, tn):
    return (tp - 0.3 * fp) / (1 + fn)


def difference(tp, fp, fn, tn):
    return tp / (tp + fn + 1) - 0.7 * fp / (fp + tn + 1)


def squares(tp, fp, fn, tn):
    return (tp + 0.1 * tn - 0.3 * fp) ** 2 - (0.1 * fn) ** 2


EXACT = {
    weighted: lambda tp, fp, fn, tn: (tp - Fraction(3, 10) * fp) / Fraction(1 + fn),  # noqa: ARG005
    difference: lambda tp, fp, fn, tn: (
        Fraction(tp, tp + fn + 1) - Fraction(7, 10) * Fraction(fp, fp + tn + 1)
    ),
    squares: lambda tp, fp, fn, tn: (
        (tp + Fraction(tn, 10) - Fraction(3, 10) * fp) ** 2 - Fraction(fn, 10) ** 2
    ),
}


@pytest.mark.parametrize("total", [2, 7])
@pytest.mark.parametrize("greater_is_better", [True, False])
@pytest.mark.parametrize("function", [weighted, difference, squares])
def test_ties_of_a_users_function_that_cancel_are_ties(function, greater_is_better, total):
    """The p-values of every table, against the function in exact fractions."""
    measure = cb.Measure("mine", function, greater_is_better=greater_is_better)
    for positives in range(total + 1):
        tables = [
            (tp, k - tp, positives - tp, total - positives - k + tp)
            for k in range(total + 1)
            for tp in range(max(0, k - total + positives), min(k, positives) + 1)
        ]
        value = {table: EXACT[function](*table) for table in tables}
        ways = {
            t: Fraction(
                math.comb(positives, t[0]) * math.comb(total - positives, t[1]), math.comb(total, t[0] + t[1])
            )
            for t in tables
        }
        population = cb.Population(total, positives)
        bar = cb.baseline(population, measure)
        nulls = [cb.Draw(population, k).distribution(measure) for k in range(total + 1)]
        for table in tables:
            tails = [Fraction(0)] * (total + 1)
            for other in tables:
                as_good = value[other] >= value[table] if greater_is_better else value[other] <= value[table]
                tails[other[0] + other[1]] += ways[other] * as_good
            score = float(measure.values(*table))
            k = table[0] + table[1]
            assert nulls[k].tail(score) == pytest.approx(float(tails[k]), rel=1e-12)
            assert bar.reach(score).upper == pytest.approx(float(max(tails)), rel=1e-12)


def test_what_a_function_really_tells_apart_is_no_tie():
    """Where nothing cancels, steps may be as small as they like."""
    measure = cb.Measure("fine", lambda tp, fp, fn, tn: 1e-17 * tp, greater_is_better=True)  # noqa: ARG005
    values, _ = cb.Draw(cb.Population(20, 10), 10).distribution(measure).atoms()
    assert len(values) == 11
