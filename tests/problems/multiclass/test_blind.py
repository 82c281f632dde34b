"""p-values of predictions that know nothing, against every order of the labels."""

from itertools import permutations

import numpy as np
import pytest

import clearbar as cb
from clearbar.problems.multiclass import blind
from clearbar.problems.multiclass._joint import law_of_right
from clearbar.problems.multiclass._tables import Tables

TRUTH, PREDICTED = np.array([0, 0, 0, 1, 1, 2, 2]), np.array([0, 0, 1, 1, 2, 2, 2])
ORDERS = np.array(sorted(set(permutations(TRUTH.tolist()))))


def all_tables():
    sizes, called = np.bincount(TRUTH), np.bincount(PREDICTED)
    return blind.counted(ORDERS, PREDICTED, sizes, called)


@pytest.mark.parametrize("name", ["accuracy", "mcc", "kappa", "gwet_ac1", "zero_one_loss", "jaccard_micro"])
def test_measures_of_the_number_right_are_exact(name):
    measure = cb.get_measure(name, "multiclass")
    own = Tables.of(cb.ConfusionMatrix.from_labels(TRUTH, PREDICTED))
    score = float(measure(own))
    values = measure(all_tables())
    sign = 1 if measure.greater_is_better else -1
    share = np.mean(sign * values >= sign * score - 1e-12)
    (tail,) = blind.tails([measure], own, 0.0, np.array([score]))
    assert tail.upper == tail.lower == pytest.approx(share, rel=1e-12)


def test_the_law_of_the_number_right_is_that_of_all_orders():
    law = law_of_right((3, 2, 2), (2, 2, 3))
    counted = np.bincount((ORDERS == PREDICTED).sum(axis=1), minlength=len(law)) / len(ORDERS)
    np.testing.assert_allclose([float(p) for p in law], counted, rtol=1e-14)


@pytest.mark.parametrize("name", ["f1_macro", "balanced_accuracy", "kappa_quadratic", "jaccard_macro"])
def test_of_few_tables_each_is_looked_at(name):
    measure = cb.get_measure(name, "multiclass")
    own = Tables.of(cb.ConfusionMatrix.from_labels(TRUTH, PREDICTED))
    score = float(measure(own))
    share = np.mean(measure(all_tables()) >= score - 1e-12)
    (tail,) = blind.tails([measure], own, 0.0, np.array([score]))
    assert tail.upper == tail.lower == pytest.approx(share, rel=1e-12)
    assert tail.method == "exact"


@pytest.mark.parametrize("name", ["f1_macro", "balanced_accuracy", "kappa_quadratic", "jaccard_macro"])
def test_permutations_estimate_the_share_of_orders(name, monkeypatch):
    monkeypatch.setattr(blind, "tables_of", lambda *_: None)
    measure = cb.get_measure(name, "multiclass")
    own = Tables.of(cb.ConfusionMatrix.from_labels(TRUTH, PREDICTED))
    score = float(measure(own))
    share = np.mean(measure(all_tables()) >= score - 1e-12)
    (tail,) = blind.tails([measure], own, 0.0, np.array([score]))
    assert tail.note == blind.PERMUTED
    fewest = blind.ENOUGH / share  # as many are drawn where the answer is clear
    assert abs(tail.upper - share) < 4 * np.sqrt(share / fewest)


def test_the_proved_bound_is_above_the_share_of_orders():
    own = Tables.of(cb.ConfusionMatrix.from_labels(TRUTH, TRUTH))
    values = blind.counted(ORDERS, TRUTH, np.bincount(TRUTH), np.bincount(TRUTH))
    for measure in cb.measures("multiclass"):
        if measure.weights is not None:
            sign = 1 if measure.greater_is_better else -1
            share = np.mean(sign * measure(values) >= sign * float(measure(own)) - 1e-12)
            assert blind._proved(measure, own) >= share


def test_where_permutations_are_too_few_the_proved_bound_is_given():
    truth = np.repeat(np.arange(4), 500)
    own = Tables.of(cb.ConfusionMatrix.from_labels(truth, truth))
    measure = cb.get_measure("f1_macro", "multiclass")
    (tail,) = blind.tails([measure], own, 0.0, np.array([1.0]))
    assert tail.lower == 0 < tail.upper < 1e-100
    assert "upper bound" in tail.note


def test_two_classes_are_fishers_exact_test():
    truth, predicted = np.repeat([0, 1], [300, 200]), np.repeat([0, 1, 0, 1], [200, 100, 90, 110])
    card = cb.evaluate_multiclass(truth, predicted, ["accuracy", "mcc"], intervals=True)
    binary = cb.evaluate(truth, predicted, "mcc")[0].p_value_blind
    assert card[0].p_value_blind == card[1].p_value_blind == pytest.approx(binary, rel=1e-12)
