"""What the best of many tries expects, and at which k it is largest, in exact fractions."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from tests.catalogue.tables import admissible, cells, support

import clearbar as cb
from clearbar.catalogue import get_measure

TRIES = (2, 5, 17, 40)

SOME = ("fnr", "recall", "specificity", "accuracy", "f1", "precision", "kappa", "threat_score", "chi2")


def laws(measure, total, positives):
    """Per admissible k the scores, ascending, and in how many orders the score is at most that."""
    for k in admissible(measure, total, positives):
        ways = {}
        for tp in support(total, positives, k):
            value = Fraction(measure.exactly(*map(Fraction, cells(total, positives, k, tp))))
            ways[value] = ways.get(value, 0) + comb(positives, tp) * comb(total - positives, k - tp)
        yield k, ways, comb(total, k)


def exact_best(ways, orders, tries, *, least):
    mean, below = Fraction(0), 0
    for value in sorted(ways, reverse=least):
        mean += value * ((below + ways[value]) ** tries - below**tries)
        below += ways[value]
    return mean / orders**tries


@pytest.mark.slow
@pytest.mark.parametrize("name", SOME)
def test_the_set_of_best_k_is_exact_up_to_ten_samples(name):
    measure = get_measure(name)
    for total in range(1, 11):
        for positives in range(total + 1):
            by_k = list(laws(measure, total, positives))
            for tries in TRIES if by_k else ():
                exact = {
                    k: exact_best(ways, orders, tries, least=measure.greater_is_better is False)
                    for k, ways, orders in by_k
                }
                bar = cb.baseline(cb.Population(total, positives), measure, tries=tries)
                for side, end in ((bar.max, max(exact.values())), (bar.min, min(exact.values()))):
                    found = [k for part in side.predicted_positives for k in part]
                    assert {k for k, mean in exact.items() if mean == end} <= set(found)
                    assert all(abs(exact[k] - end) <= 1e-14 for k in found), (total, positives, tries)
                    assert side.value == pytest.approx(float(end), rel=1e-12, abs=1e-15)
