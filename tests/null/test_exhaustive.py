"""Every measure at every draw from up to 6 samples, and from some of 9 and 12, against exact numbers."""

import itertools
import math

import numpy as np
import pytest
from tests.oracle.closeness import agrees
from tests.oracle.law import LARGEST, by_enumeration, margins, populations, weights
from tests.oracle.p_values import tails
from tests.oracle.values import NAMES, scores
from tests.strategies import archetypes_first

import clearbar as cb


@pytest.mark.parametrize("total", range(1, LARGEST + 1))
def test_the_law_of_tp_is_what_going_through_all_subsets_gives(total):
    for positives in range(total + 1):
        for draws in range(total + 1):
            assert dict(weights(total, positives, draws)) == by_enumeration(total, positives, draws)


@pytest.mark.slow
def test_the_law_of_the_number_of_true_positives_is_counted_exactly():
    """The measure ``tp`` is TP itself, so its atoms are the law that all other measures map."""
    for total, positives, draws in margins():
        values, probabilities = cb.Draw(cb.Population(total, positives), draws).distribution("tp").atoms()
        law = weights(total, positives, draws)
        assert values.tolist() == [tp for tp, _ in law]
        assert probabilities.tolist() == [weight / math.comb(total, draws) for _, weight in law]


@pytest.mark.parametrize("name", archetypes_first(NAMES))
def test_atoms_moments_and_probabilities_equal_exact_numbers(name):
    wrong = []
    for total, positives in (*populations(6), (9, 2), (LARGEST, 5)):
        law = scores(name, total, positives)
        population = cb.Population(total, positives)
        reach = tails(law) if total in {6, LARGEST} else None
        for k in range(total + 1):
            null = cb.Draw(population, k).distribution(name)
            found = [*_moments(name, law, k, null), *_atoms(law, k, null)]
            if not found and reach is not None:
                found += _verbs(law, k, null, *reach)
            wrong += [(total, positives, k, *what) for what in found]
    assert not wrong, (len(wrong), wrong[:5])


def _moments(name, law, k, null):
    """Generate what differs."""
    mean, variance = law.mean(k), law.variance(k)
    floor = 1e-15 * law.scale
    if not agrees(null.mean(), mean, floor=floor):
        yield "mean", null.mean(), mean
    if not agrees(null.var(), variance, floor=1e-15 * floor * law.scale):
        yield "var", null.var(), variance


def _atoms(law, k, null):
    """Generate what differs; a probability is a ratio of whole numbers, rounded once."""
    subsets = math.comb(law.total, k)
    found, undefined = law.atoms(k)
    values, probabilities = null.atoms()
    exact = [law.distinct[i] for i in found]
    if len(values) != len(exact):
        yield "atoms", values, exact
    elif any(abs(v - want) > 1e-14 * law.scale for v, want in zip(values.tolist(), exact, strict=True)):
        yield "values", values, exact
    if probabilities.tolist() != [weight / subsets for weight in found.values()]:
        yield "probabilities", probabilities, found
    if null.undefined_mass != undefined / subsets:
        yield "undefined_mass", null.undefined_mass, undefined / subsets


def _verbs(law, k, null, reach, whole):
    """Generate what differs, at every atom."""
    values, probabilities = null.atoms()
    subsets = math.comb(law.total, k)
    found, _ = law.atoms(k)
    sums = [0, *itertools.accumulate(found.values())]
    wanted = {
        "pmf": probabilities,
        "cdf": np.array([part / subsets for part in sums[1:]]),
        "sf": np.array([(sums[-1] - part) / subsets for part in sums[1:]]),
        "tail": reach[k, list(found)] / whole,
    }
    for verb, want in wanted.items():
        got = getattr(null, verb)(values)
        if np.any(np.abs(got - want) > 2 * np.spacing(want)):
            yield verb, got, want
