"""Comparisons where resamples tell little: no warning, a reason where nothing is known, no p of 1 for all."""

import math

import numpy as np
import pytest

import clearbar as cb

RNG = np.random.default_rng(0)
SETS = [set(np.flatnonzero(RNG.random(4) < 0.4).tolist()) | {0} for _ in range(40)]


@pytest.mark.parametrize("measure", ["f1_micro", "f1_macro"])
def test_all_right_against_nothing_right_is_told_apart(measure):
    """Rounding was taken for spread (interval 1 to 1), or no failures reached 0 (p = 1)."""
    card = cb.evaluate_multilabel(SETS, {"a": SETS, "b": [set() for _ in SETS]}, measure)
    found = card.compare("a", "b", measure)
    assert found.better == "a"
    assert found.low < 0.99
    assert "supposed" in found.note


def test_an_error_that_is_never_there_has_slopes_without_a_warning():
    y = RNG.normal(size=30)
    card = cb.evaluate_regression(y, {"a": y, "b": y + 1}, "rmse")
    found = card.compare("a", "b", "rmse")  # warnings are errors here
    assert "supposed" in found.note
    assert card.ranking().p_values[0, 1] == found.p_value < 0.2


def test_a_model_without_a_score_has_none_in_a_comparison():
    """Rounding made it a number: 1.000000003 apart in Pearson's r."""
    y = RNG.normal(size=30)
    found = cb.evaluate_regression(y, {"a": y + 0.1, "b": 0 * y}, "pearson").compare("a", "b", "pearson")
    assert math.isnan(found.scores[1])
    assert found.conclusion == "undefined"
    assert found.test == ""
    assert str(found).endswith("a score has no value")


def test_slices_that_all_differ_by_the_same_do_not_tell_how_sure_it_is():
    y = np.array([1, 0] * 20)
    card = cb.evaluate(y, {"a": y, "b": 1 - y}, "f1", by=np.arange(40) // 8)
    found = card.compare("a", "b", "f1", over="slices")
    assert math.isnan(found.p_value)
    assert found.better is None
    assert "the difference is the same in every unit" in str(found)


@pytest.mark.parametrize("what", ["many classes", "clusters", "runs"])
def test_a_model_that_predicts_one_class_is_compared(what):
    rng = np.random.default_rng(1)
    classes = 13 if what == "many classes" else 3
    y = np.arange(24 * classes) % classes
    shape = (2, len(y)) if what == "runs" else len(y)
    good = np.where(rng.random(shape) < 0.8, y, rng.integers(0, classes, shape))
    more = {"clusters": np.arange(len(y)) // 4} if what == "clusters" else {}
    card = cb.evaluate_multiclass(y, {"good": good, "one": 0 * good}, ["f1_macro", "mcc"], **more)
    assert card.compare("good", "one", "f1_macro").better == "good"
    assert card.compare("good", "one", "mcc").conclusion == "undefined"
