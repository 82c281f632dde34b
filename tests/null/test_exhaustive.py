"""Every measure at every draw from up to 12 samples, against exact numbers."""

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.oracle.closeness import agrees
from tests.oracle.law import LARGEST, by_enumeration, margins, populations, weights
from tests.oracle.p_values import matched
from tests.oracle.values import MEASURES, NAMES, scores

import clearbar as cb

LOGARITHMIC = {"eds", "seds", "edi", "sedi", "log_odds_ratio", "discriminant_power", "information_score"}
"""Their values are rounded before they are averaged: digits are lost where the mean is near zero."""


@pytest.mark.parametrize("total", range(1, LARGEST + 1))
def test_the_law_of_tp_is_what_going_through_all_subsets_gives(total):
    for positives in range(total + 1):
        for draws in range(total + 1):
            assert dict(weights(total, positives, draws)) == by_enumeration(total, positives, draws)


def test_the_law_of_the_number_of_true_positives_is_counted_exactly():
    """The measure ``tp`` is TP itself, so its atoms are the law that all other measures map."""
    for total, positives, draws in margins():
        values, probabilities = cb.Draw(cb.Population(total, positives), draws).distribution("tp").atoms()
        law = weights(total, positives, draws)
        assert values.tolist() == [tp for tp, _ in law]
        assert probabilities.tolist() == [weight / math.comb(total, draws) for _, weight in law]


@pytest.mark.parametrize("name", NAMES)
def test_atoms_moments_and_tails_equal_exact_numbers(name):
    wrong = []
    for total, positives in populations():
        law = scores(name, total, positives)
        population = cb.Population(total, positives)
        for k in range(total + 1):
            null = cb.Draw(population, k).distribution(name)
            wrong += [(total, positives, k, *what) for what in _differences(name, law, k, null)]
    assert not wrong, wrong[:5]


def _differences(name, law, k, null):
    subsets = math.comb(law.total, k)
    found, undefined = law.atoms(k)
    if null.undefined_mass != undefined / subsets:
        yield "undefined_mass", null.undefined_mass, undefined / subsets
    mean, variance = law.moments(k)
    floor = max(1e-40, 1e-14 * variance**0.5 if name in LOGARITHMIC and variance else 0)
    if not agrees(null.mean(), mean, floor=floor):
        yield "mean", null.mean(), mean
    if not agrees(null.var(), variance, floor=(1e-16 * law.scale) ** 2):
        yield "var", null.var(), variance
    values, probabilities = null.atoms()
    if len(values) != len(found):
        yield "atoms", values, [law.distinct[i] for i in found]
        return
    exact = [law.distinct[i] for i in found]
    if any(abs(v - want) > 1e-14 * law.scale for v, want in zip(values.tolist(), exact, strict=True)):
        yield "values", values, exact
    if probabilities.tolist() != [weight / subsets for weight in found.values()]:
        yield "probabilities", probabilities, found
    if not len(values):
        return
    if not np.array_equal(null.pmf(values), probabilities):
        yield "pmf", null.pmf(values), probabilities
    below = np.cumsum([0, *found.values()])
    if null.cdf(values).tolist() != [int(part) / subsets for part in below[1:]]:
        yield "cdf", null.cdf(values), below
    if null.sf(values).tolist() != [int(below[-1] - part) / subsets for part in below[1:]]:
        yield "sf", null.sf(values), below
    greater = MEASURES[name].greater_is_better is not False
    tails = [matched(law, k, i, greater=greater) for i in found]
    if not all(agrees(t, Fraction(want)) for t, want in zip(null.tail(values).tolist(), tails, strict=True)):
        yield "tail", null.tail(values), tails
