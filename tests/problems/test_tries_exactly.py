"""Which k are best of many tries, in exact fractions: rounding must not add one that is not."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from tests.catalogue.tables import admissible, cells, support

import clearbar as cb
from clearbar.catalogue import get_measure
from clearbar.problems.binary._tries import best_of_tries

TRIES = (2, 3, 5, 9, 17, 28, 40)

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
                    assert found == [k for k, mean in exact.items() if mean == end], (total, positives, tries)
                    assert side.value == pytest.approx(float(end), rel=1e-12, abs=1e-15)


def test_one_missed_positive_in_seventeen_tries_is_no_tie():
    bar = cb.baseline(cb.Population(9, 1), "fnr", tries=17)
    assert bar.predicted_positives == (range(9, 10),)
    assert str(bar.value) == "0.0"


@pytest.mark.slow
@pytest.mark.parametrize("tries", [1_000, 10**9, 10**12])
def test_nor_is_one_whose_probability_is_below_all_floats(tries):
    assert cb.baseline(cb.Population(9, 1), "fnr", tries=tries).predicted_positives == (range(9, 10),)
    assert cb.baseline(cb.Population(1_500, 700), "recall", tries=tries).predicted_positives == (
        range(1_500, 1_501),
    )


def test_what_is_missing_of_the_best_score_has_all_its_digits():
    found = best_of_tries(get_measure("recall"), 9, 1, np.array([7, 8, 9]), 17)
    assert found.log_missing[:2] == pytest.approx(17 * np.log([2 / 9, 1 / 9]), rel=1e-14)
    assert found.log_missing[2] == -np.inf
