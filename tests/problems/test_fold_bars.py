"""Bars over folds against every draw in every fold of small designs."""

import math

import numpy as np
import pytest
from tests.oracle.folds import AGGREGATES, DESIGNS, draws_of, expectations, law

import clearbar as cb
from clearbar.problems.aggregate import one_bar

PAIRS = (
    "f1",
    "f2",
    "precision",
    "recall",
    "fdr",
    "fowlkes_mallows",
    "threat_score",
    "kulczynski2",
    "sokal_sneath1",
)
OTHERS = ("accuracy", "mcc", "g_mean", "kappa", "npv", "markedness", "fnr", "balanced_accuracy")


def names(design):
    return "+".join(f"{p}of{m}" for m, p in design)


def bar_of(name, design, aggregate, *, aware=True, undefined="exclude"):
    total, positives = np.array(design).T
    folds = tuple(range(1, len(design) + 1))
    return one_bar(
        cb.get_measure(name), total, positives, aggregate, undefined, fold_aware=aware, names=folds
    )


CASES = [
    (name, aggregate)
    for name in (*PAIRS, *OTHERS)
    for aggregate in AGGREGATES
    if name in PAIRS or not aggregate.startswith("precision")
]


@pytest.mark.parametrize("design", DESIGNS, ids=names)
@pytest.mark.parametrize(("name", "aggregate"), CASES)
def test_no_draw_in_the_folds_expects_more_and_one_expects_it(name, aggregate, design):
    bar = bar_of(name, design, aggregate)
    expected = expectations(name, design, aggregate)
    if not expected:
        assert math.isnan(bar.value)
        assert bar.reason
        return
    losing = cb.get_measure(name).greater_is_better is False
    best = min(expected.values()) if losing else max(expected.values())
    worst = max(expected.values()) if losing else min(expected.values())
    if bar.certified:
        assert bar.value == pytest.approx(best, rel=1e-12, abs=1e-14)
    else:
        assert any(value == pytest.approx(bar.value, rel=1e-12, abs=1e-14) for value in expected.values())
    if not math.isnan(bar.worst_value):
        assert bar.worst_value == pytest.approx(worst, rel=1e-12, abs=1e-14)
    assert bar.recipe


@pytest.mark.parametrize("design", DESIGNS, ids=names)
@pytest.mark.parametrize(("name", "aggregate"), CASES)
def test_what_is_proved_or_tried_in_full_is_certified(name, aggregate, design):
    assert bar_of(name, design, aggregate).certified or name == "sokal_sneath1"


@pytest.mark.parametrize("design", DESIGNS, ids=names)
@pytest.mark.parametrize("name", ["f1", "f2", "accuracy", "g_mean", "threat_score", "mcc"])
def test_predictions_that_know_the_folds_expect_no_less_than_those_that_do_not(name, design):
    total, positives = np.array(design).sum(axis=0)
    blind = bar_of(name, design, "pooled", aware=False)
    assert blind.value == pytest.approx(cb.baseline(cb.Population(total, positives), name).value, nan_ok=True)
    if not math.isnan(blind.value):
        assert bar_of(name, design, "pooled").value >= blind.value - 1e-12


def test_filling_the_richest_fold_first_is_proved_for_affine_measures_alone():
    """The threat score is convex in TP at a fixed number of predictions: it gains from spread."""
    expected = expectations("threat_score", ((2, 1), (5, 2)), "pooled")
    assert expected[1, 1] > expected[2, 0] == pytest.approx(1 / 4)


@pytest.mark.parametrize("name", ["g_mean", "threat_score", "p4"])
def test_a_search_finds_nearly_what_trying_all_does(name, monkeypatch):
    from clearbar.problems.aggregate import _allocation

    design = ((12, 3), (9, 5), (10, 2))
    every = bar_of(name, design, "pooled")
    monkeypatch.setattr(_allocation, "EVERY_ALLOCATION", 0)
    searched = bar_of(name, design, "pooled")
    assert every.certified
    assert not searched.certified
    assert every.value * 0.98 <= searched.value <= every.value * (1 + 1e-12)


@pytest.mark.parametrize("undefined", [0.0, "worst"])
@pytest.mark.parametrize("design", [DESIGNS[1], DESIGNS[3], DESIGNS[5]], ids=names)
@pytest.mark.parametrize("name", ["precision", "recall", "mcc", "fowlkes_mallows"])
def test_the_mean_with_another_policy_is_the_mean_of_the_folds_bars(name, design, undefined):
    bars = [cb.baseline(cb.Population(*fold), name, undefined=undefined).value for fold in design]
    assert bar_of(name, design, "mean", undefined=undefined).value == pytest.approx(
        np.mean(bars), rel=1e-13, nan_ok=True
    )


@pytest.mark.parametrize("undefined", [0.5, 1.0])
@pytest.mark.parametrize("design", [DESIGNS[1], DESIGNS[3], DESIGNS[6]], ids=names)
@pytest.mark.parametrize("name", ["f1", "f2", "precision", "accuracy", "mcc", "npv"])
def test_a_number_stands_for_what_has_no_value_and_for_nothing_else(name, design, undefined):
    """An F score of no prediction at all is 0 where there are positive samples, whatever the number."""
    expected = [
        sum(float(mass) * (undefined if value is None else float(value)) for value, mass in outcomes)
        for outcomes in (law(name, design, draws, "pooled") for draws in draws_of(design))
    ]
    bar = bar_of(name, design, "pooled", undefined=undefined)
    assert bar.value == pytest.approx(max(expected), rel=1e-12)
    assert bar.worst_value <= bar.value
