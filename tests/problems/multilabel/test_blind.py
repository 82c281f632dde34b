"""p-values of rows of labels in random order, against every order."""

from itertools import permutations

import numpy as np
import pytest

import clearbar as cb
from clearbar.core.label_sets import LabelSets
from clearbar.inference import permutation
from clearbar.problems.multilabel.units import Compared, SetUnits

TRUTH = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 1], [0, 0, 0]])
CALLED = np.array([[1, 1, 0], [1, 0, 1], [0, 0, 1], [0, 1, 0], [0, 1, 0]])
OTHER = CALLED[[1, 0, 2, 4, 3]]
MEASURES = cb.measures("multilabel")


def sets(table):
    return LabelSets.of((0, 1, 2), *np.nonzero(table), len(table))


def shares(orders, empty=0.0, models=(CALLED, OTHER)):
    """Which share of orders scores at least as well; an order without a score does."""
    found = []
    for called in models:
        own = Compared(sets(TRUTH), sets(called))
        score = np.array([own.score(measure, empty) for measure in MEASURES])
        turned = [Compared(sets(TRUTH), sets(called[list(order)])) for order in orders]
        values = np.array([[one.score(measure, empty) for measure in MEASURES] for one in turned])
        sign = np.array([1 if measure.greater_is_better else -1 for measure in MEASURES])
        found.append(np.mean(~(sign * values < sign * score - 1e-12), axis=0))
    return np.array(found)


@pytest.fixture(scope="module")
def exact():
    return shares(list(permutations(range(5))))


def permuted(clusters=None, seed=0):
    models = [Compared(sets(TRUTH), sets(called)) for called in (CALLED, OTHER)]
    drawn = SetUnits(models, None, 0.0, clusters, seed=seed, finest=1.0, joint=False)
    return permutation._by_permutation(drawn, MEASURES, np.ones((2, len(MEASURES)), dtype=bool))[0]


def test_of_few_orders_each_is_looked_at(exact):
    np.testing.assert_allclose(permuted(), exact, rtol=1e-12)
    np.testing.assert_array_equal(permuted(), permuted(seed=1))


def test_equal_sets_are_told_apart_by_no_order():
    """Of six rows three are alike: 120 different orders, each as likely as any other."""
    truth = np.array([[1, 1], [1, 0], [1, 0], [1, 0], [0, 1], [0, 0]])
    called = np.array([[1, 1], [1, 0], [1, 1], [0, 1], [1, 0], [0, 0]])
    orders = np.array(list(permutations(range(6))))
    overlap = (truth * called[orders]).sum(axis=(1, 2))
    score = (truth * called).sum()
    (verdict,) = cb.evaluate_multilabel(truth, called, "f1_micro")  # at fixed sums it rises with the overlap
    assert verdict.p_value_blind == pytest.approx(np.mean(overlap >= score), rel=1e-12)
    assert verdict.p_blind_method == "exact"


def test_of_many_orders_permutations_estimate_the_share(exact, monkeypatch):
    monkeypatch.setattr(SetUnits, "every_order", False)
    found = permuted()
    spread = np.sqrt(exact * (1 - exact) / 9_999) + 1e-4
    loose = np.sqrt(exact * (1 - exact) / (50 / exact))  # those that stop early
    assert (np.abs(found - exact) < 4 * np.maximum(spread, loose)).all()
    np.testing.assert_array_equal(found, permuted())
    assert (found != permuted(seed=1)).any()


def test_whole_groups_trade_places():
    orders = [(0, 1, 2, 3, 4), (2, 3, 0, 1, 4)]  # the third has no other of its size
    np.testing.assert_allclose(permuted(np.array([0, 0, 1, 1, 2])), shares(orders), rtol=1e-12)
