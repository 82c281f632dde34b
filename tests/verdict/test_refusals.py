"""What these rooms refuse, in words: the rule, what was found, and what to do."""

# ruff: noqa: ARG005 - a formula takes the whole table

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import clearbar as cb

pytestmark = pytest.mark.quick

ONES = {"tp": 1, "fp": 1, "fn": 1, "tn": 1}
WHOLE = {
    **{name: lambda x, name=name: cb.Counts(**(ONES | {name: x})) for name in ONES},
    "total": lambda x: cb.Population(x, 0),
    "positives": lambda x: cb.Population(10, x),
}
MASKED = np.ma.array([3, 4], mask=[False, True])
NOT_WHOLE = [-1, 2.5, math.nan, -math.inf, "3", None, True, 2**53 + 1, [1.5], 1j, np.ma.masked, MASKED]


@pytest.mark.parametrize(("name", "door"), WHOLE.items())
def test_counts_and_class_sizes_must_be_whole_numbers(name, door):
    for value in NOT_WHOLE:
        with pytest.raises(ValueError, match=rf"^{name} must hold whole numbers from 0 .*; found "):
            door(value)


@pytest.mark.parametrize("value", [3.0, np.uint64(3), np.float32(3), np.ma.array(3)])
def test_whole_numbers_of_any_type_are_taken(value):
    assert cb.Population(value, value) == cb.Population(3, 3)
    assert cb.Counts(tp=value, fp=0, fn=value, tn=0) == cb.Counts(tp=3, fp=0, fn=3, tn=0)


def test_no_more_positives_than_samples():
    message = r"^positives must not exceed total; found positives=11 with total=10\.$"
    for total, positives in ((10, 11), ([20, 10, 5], [11, 11, 11])):
        with pytest.raises(ValueError, match=message):
            cb.Population(total, positives)


def test_a_population_has_samples():
    with pytest.raises(ValueError, match=r"^total must be at least 1: a population without samples has"):
        cb.Population(0, 0)


def test_counts_beyond_what_floats_can_tell_apart_are_refused():
    with pytest.raises(ValueError, match=r"must not exceed 2\*\*5[0-9] samples"):
        cb.Counts(tp=2**52, fp=2**52, fn=2**52, tn=2**52)


@pytest.mark.parametrize("what", [lambda x: x[0], len])
def test_one_is_not_several(what):
    for value in (cb.Population(10, 3), cb.Counts(tp=1, fp=2, fn=3, tn=4)):
        with pytest.raises(TypeError, match="not an array of them"):
            what(value)


def test_a_user_measure_undefined_everywhere_has_a_reason():
    measure = cb.Measure("never", lambda tp, fp, fn, tn: tp * np.nan, greater_is_better=True)
    bar = cb.baseline(cb.Population(10, 3), measure)
    assert math.isnan(bar.value)
    assert "never" in bar.reason
    verdict = bar.judge(0.5)
    assert verdict.outcome == "undefined"
    assert verdict.reason == bar.reason


def test_one_of_anything_is_true():
    """`if bar:` asks whether there is one, not how many."""
    population = cb.Population(10, 3)
    assert population
    assert cb.Counts(tp=0, fp=0, fn=0, tn=0)
    assert cb.baseline(population, "f1")


NO_NUMBER = ["high", b"1", None, True, np.True_, np.array("0.7"), np.ma.masked, 1j, lambda: 0.5]
SIZES = cb.Population(20, 6)
BAR = cb.baseline(SIZES, "f1")
NULL = cb.Draw(SIZES, 6).distribution("f1")


@pytest.mark.parametrize(
    ("name", "door"),
    [
        ("score", BAR.judge),
        ("score", lambda x: cb.p_value(x, SIZES, "f1")),
        ("score", cb.baseline(SIZES, "roc_auc").judge),
        ("confidence", NULL.interval),
        ("alpha", BAR.clearing_score),
        ("theta", lambda x: cb.Draw.from_theta(SIZES, x)),
        ("undefined", lambda x: cb.baseline(SIZES, "f1", undefined=x)),
        ("beta", lambda x: cb.get_measure("fbeta", beta=x)),
    ],
)
def test_one_number_is_asked_for_at_one_door(name, door):
    for value in (*NO_NUMBER, [0.5]):
        with pytest.raises(ValueError, match=rf"^{name} must be .*; found "):
            door(value)


@pytest.mark.parametrize(
    ("name", "door"),
    [
        ("score", lambda x: cb.skill(x, BAR)),
        *(("x", getattr(NULL, verb)) for verb in ("pmf", "logpmf", "cdf", "sf", "logsf", "tail", "logtail")),
        ("q", NULL.ppf),
        ("theta", BAR.expectation),
        ("tp", lambda x: cb.get_measure("f1")(tp=[None] if x is None else x, fp=1, fn=1, tn=1)),
    ],
)
def test_arrays_of_numbers_are_asked_for_at_the_same_door(name, door):
    for value in (*NO_NUMBER, [0.5, None], [0.5, "a"], ["1"], MASKED):
        with pytest.raises(ValueError, match=rf"^{name} must be .*; found ") as refused:
            door(value)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("value", [Fraction(1, 2), Decimal("0.5"), np.float32(0.5), np.array(0.5)], ids=repr)
def test_numbers_of_any_type_are_numbers(value):
    assert cb.skill(value, BAR) == cb.skill(0.5, BAR)
    assert NULL.tail(value) == NULL.tail(0.5)
    assert BAR.judge(value) == BAR.judge(0.5)
