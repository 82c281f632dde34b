"""A measure as a value: the catalogue's own, a user's own, and a new entry."""

import copy
import math
import pickle

import numpy as np
import pytest
from tests.catalogue.tables import MEMBERS

import clearbar as cb
from clearbar.catalogue import Measure, get_measure
from clearbar.catalogue._domain import NAMED
from clearbar.core.counts import Counts

pytestmark = pytest.mark.quick

# ruff: noqa: ARG005 - a function of the four cells takes all four

TABLE = {"tp": 14, "fp": 3, "fn": 4, "tn": 10}


def there_and_back(value):
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - our own


@pytest.mark.parametrize("measure", MEMBERS, ids=str)
def test_a_catalogue_measure_pickles_by_name_copies_and_compares_by_value(measure):
    assert len(pickle.dumps(measure)) < 300
    for other in (there_and_back(measure), copy.deepcopy(measure), copy.copy(measure)):
        assert other == measure
        assert hash(other) == hash(measure)
        assert other.function is measure.function
    assert [other for other in MEMBERS if other == measure] == [measure]


def test_a_measure_is_frozen():
    with pytest.raises(AttributeError):
        get_measure("f1").name = "f2"
    with pytest.raises(TypeError):
        get_measure("f2").parameters["beta"] = 3


def test_a_measure_takes_counts_or_cells_by_name():
    f1 = get_measure("f1")
    assert f1(Counts(**TABLE)) == f1(**TABLE) == 0.8
    assert f1(tp=[14, 0], fp=[3, 0], fn=[4, 0], tn=[10, 5]).tolist()[0] == 0.8
    assert math.isnan(f1(tp=0, fp=0, fn=0, tn=5))
    assert f1(tp=0.5, fp=0.25, fn=0.25, tn=1) == pytest.approx(2 / 3)
    with pytest.raises(TypeError, match=r"f1 takes Counts, or all of tp=, fp=, fn=, tn= by name"):
        f1(tp=1, fp=2)
    with pytest.raises(TypeError, match="takes Counts"):
        f1(Counts(**TABLE), tp=1)
    with pytest.raises(TypeError, match="takes Counts"):
        f1(14)


def test_x_over_0_and_0_over_0_are_both_nan_but_told_apart_in_raw_values():
    ratio = get_measure("positive_likelihood_ratio")
    assert math.isnan(ratio(tp=3, fp=0, fn=1, tn=2))
    assert ratio.values(3, 0, 1, 2) == math.inf
    assert np.isnan(ratio.values(0, 0, 1, 2))
    assert get_measure("precision_gain").values(0, 2, 1, 3) == -math.inf


def hits_minus_alarms(tp, fp, fn, tn):
    return tp - fp


def test_a_measure_of_one_s_own_pickles_with_its_function_and_compares_by_all_it_holds():
    own = Measure("own", hits_minus_alarms, greater_is_better=True, domain=NAMED["k > 0"])
    assert there_and_back(own) == own
    assert copy.deepcopy(own) == own
    assert own != Measure("own", hits_minus_alarms, greater_is_better=False, domain=NAMED["k > 0"])
    assert own != Measure("own", lambda tp, fp, fn, tn: tp, greater_is_better=True)
    assert own != get_measure("f1")
    assert own != "own"


def test_a_lambda_does_not_pickle_and_says_so():
    own = Measure("own", lambda tp, fp, fn, tn: tp, greater_is_better=True)
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(own)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda tp, fp, fn, tn: tp.sum(), r"'mine' must return one value per table.* shape \(1,\)"),
        (lambda tp, fp, fn: tp, "'mine' failed on arrays .* TypeError"),
        (lambda tp, fp, fn, tn: 1 / 0, "'mine' failed on arrays .* ZeroDivisionError.* must be vectorised"),
    ],
)
def test_a_function_that_does_not_fit_is_named(function, message):
    with pytest.raises(ValueError, match=message):
        Measure("mine", function, greater_is_better=True)(**TABLE)


def test_nan_of_one_s_own_function_means_undefined():
    own = Measure("mine", lambda tp, fp, fn, tn: np.where(tp > 0, tp / fp, np.nan), greater_is_better=True)
    assert np.isnan(own(tp=[0, 1, 1], fp=[1, 0, 2], fn=0, tn=0)).tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": ""}, "name must be a non-empty text; found ''"),
        ({"function": "tp"}, "function must be callable on arrays, .* found 'tp' for the measure 'mine'"),
        ({"bounds": (1, 0)}, r"bounds must be \(low, high\) with low < high"),
        ({"name": "red\x1b[31m"}, r"name must be one line of printable characters; found 'red\\x1b"),
        ({"affine": "no"}, "affine must be True, False or None"),
        ({"domain": "P > 0"}, "domain must be a Condition; found 'P > 0'"),
        ({"parameters": {"beta": "2"}}, "parameters must be a mapping of names to numbers"),
    ],
)
def test_a_measure_that_cannot_be_is_refused(arguments, message):
    given = {"name": "mine", "function": hits_minus_alarms, "greater_is_better": True} | arguments
    with pytest.raises(ValueError, match=message):
        Measure(given.pop("name"), given.pop("function"), **given)


@pytest.mark.parametrize(
    "function",
    [
        lambda tp, fp, fn, tn: np.ma.masked_where(tp + fp == 0, tp / (tp + fp + (tp + fp == 0))),
        lambda tp, fp, fn, tn: np.ma.masked if np.all(tp + fp == 0) else tp / (tp + fp),
    ],
    ids=["an array", "nothing but masked"],
)
def test_what_a_users_function_masks_has_no_value(function):
    masked = cb.Measure("masked", function, greater_is_better=True)
    assert math.isnan(masked(tp=0, fp=0, fn=1, tn=1))
    np.testing.assert_array_equal(masked(tp=[0, 1], fp=[0, 1], fn=1, tn=1), [math.nan, 0.5])
    assert cb.Draw(cb.Population(9, 3), 0).distribution(masked).undefined_mass == 1
    found, want = (cb.baseline(cb.Population(9, 3), measure).max for measure in (masked, "precision"))
    assert found.predicted_positives == want.predicted_positives
    assert found.value == pytest.approx(want.value, rel=1e-12)


def failing(tp, fp, fn, tn):
    raise ValueError("red\x1b[31m\nsecond line " + "z" * 10_000)


def test_a_users_exception_is_cleaned_and_cut():
    with pytest.raises(ValueError, match="It must be vectorised") as refused:
        Measure("mine", failing, greater_is_better=True)(tp=1, fp=1, fn=1, tn=1)
    assert r"ValueError: red\nsecond line zzz" in str(refused.value)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 500


def test_a_measure_with_a_lambda_can_be_copied():
    mine = Measure("mine", lambda tp, fp, fn, tn: tp, greater_is_better=True)
    for held in (
        mine,
        cb.baseline(cb.Population(9, 3), mine),
        cb.Draw(cb.Population(9, 3), 2).distribution(mine),
    ):
        assert copy.copy(held) == held == copy.deepcopy(held)
    assert copy.copy(get_measure("f1")) is get_measure("f1")


LONG = "x" * 10**6


@pytest.mark.parametrize(
    "door",
    [
        lambda: get_measure(LONG),
        lambda: get_measure("f1", **{LONG: 2}),
        lambda: cb.evaluate([0, 1], [0, 1], ["f1", LONG]),
        lambda: cb.evaluate([0, 1], [0, 1], "f1", undefined=LONG),
        lambda: Measure(LONG, failing, greater_is_better=True)(tp=1, fp=1, fn=1, tn=1),
        lambda: pickle.dumps(Measure(LONG, lambda tp, fp, fn, tn: tp, greater_is_better=True)),
    ],
)
def test_a_name_of_a_million_letters_is_cut(door):
    with pytest.raises((ValueError, pickle.PicklingError)) as refused:
        door()
    assert len(str(refused.value)) < 500
