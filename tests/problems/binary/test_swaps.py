"""The exact test of two models: all ways to swap their answers, McNemar's test, and its size."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import clearbar as cb
from clearbar.catalogue import scoring
from clearbar.inference.exchange import mcnemar
from clearbar.problems.binary.pairs import Discord, exchange_p_value

pytestmark = pytest.mark.quick

FORMULAS = {
    "f1": lambda tp, fp, fn, _: Fraction(2 * tp, 2 * tp + fp + fn),
    "accuracy": lambda tp, fp, fn, tn: Fraction(tp + tn, tp + fp + fn + tn),
    "precision": lambda tp, fp, *_: Fraction(tp, tp + fp),
    "fnr": lambda tp, _fp, fn, _tn: Fraction(fn, tp + fn),
    "informedness": lambda tp, fp, fn, tn: Fraction(tp, tp + fn) - Fraction(fp, fp + tn),
}


def p_values(name, positives, negatives, columns):
    measure = cb.get_measure(name)
    scored, sign = scoring(measure, positives, negatives, "exclude"), 1 if measure.greater_is_better else -1
    pairs = (Discord(*pair) for pair in np.transpose(columns))
    return np.array([exchange_p_value(lambda tp, fp: sign * scored(tp, fp), pair) for pair in pairs])


def value(name, positives, negatives, tp, fp):
    try:
        return FORMULAS[name](tp, fp, positives - tp, negatives - fp)
    except ZeroDivisionError:
        return None


def swapped(name, positives, negatives, shared):
    """Every difference that swaps lead to, and its probability, in exact fractions."""
    both_tp, n, both_fp, m = shared
    law = {}
    for x, y in itertools.product(range(n + 1), range(m + 1)):
        a = value(name, positives, negatives, both_tp + x, both_fp + m - y)
        b = value(name, positives, negatives, both_tp + n - x, both_fp + y)
        difference = None if a is None or b is None else a - b
        law[x, y] = difference, Fraction(math.comb(n, x) * math.comb(m, y), 2 ** (n + m))
    return law


def classes(size):
    return [(both, n) for both in range(size + 1) for n in range(size - both + 1)]


@pytest.mark.parametrize("name", FORMULAS)
def test_every_pair_of_up_to_five_samples_has_the_p_value_of_all_swaps(name):
    for total in (3, 5):
        for positives in range(1, total):
            negatives = total - positives
            tables, wanted = [], []
            for one, other in itertools.product(classes(positives), classes(negatives)):
                law = swapped(name, positives, negatives, (*one, *other))
                for (x, y), (seen, _) in law.items():
                    tables.append((one[0], x, one[1] - x, other[0], other[1] - y, y))
                    reached = [
                        p for d, p in law.values() if d is None or (seen is not None and abs(d) >= abs(seen))
                    ]
                    wanted.append(math.nan if seen is None else float(sum(reached)))
            found = p_values(name, positives, negatives, np.array(tables).T)
            np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_of_accuracy_it_is_mcnemars_exact_test_and_beyond_small_samples_too():
    pairs = np.array([(6e5, 9_000, 8_500, 1e4, 700, 640), (6e5, 60_000, 31_000, 0, 5, 0)], dtype=int)
    found = p_values("accuracy", 700_000, 300_000, pairs.T)
    assert found[0] == pytest.approx(mcnemar(9_000 + 640, 8_500 + 700), rel=1e-9)
    assert found[1] == pytest.approx(mcnemar(60_000, 31_005), rel=1e-9)


@pytest.mark.parametrize("name", ["mcc", "precision"])
def test_of_models_that_are_alike_at_most_one_in_twenty_is_refuted(name):
    """The test conditions on the discordant samples, so that its size is at most the level."""
    generator, number = np.random.default_rng(0), 500
    positives, negatives = ([0.65, 0.1, 0.1, 0.15], 80), ([0.1, 0.1, 0.1, 0.7], 120)
    columns = [generator.multinomial(n, cells, size=number).T[:3] for cells, n in (positives, negatives)]
    found = p_values(name, 80, 120, np.concatenate(columns))
    for level in (0.05, 0.2):
        assert (found <= level).mean() <= level + 3 * math.sqrt(level / number)
    assert (found <= 0.2).mean() > 0.1
