"""Every public value is frozen, pickles, copies and compares by value, and may be used by many threads."""

import copy
import dataclasses
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import clearbar as cb

pytestmark = pytest.mark.quick

POPULATION = cb.Population(31, 18)
MANY = cb.Population([31, 20, 7], [18, 6, 0])
COUNTS = cb.Counts(tp=14, fp=3, fn=4, tn=10)
VALUES = {
    "population": lambda: cb.Population(31, 18),
    "populations": lambda: cb.Population([31, 20, 7], [18, 6, 0]),
    "counts": lambda: cb.Counts(tp=14, fp=3, fn=4, tn=10),
    "many counts": lambda: cb.Counts(tp=[1, 2], fp=[3, 4], fn=5, tn=6),
    "measure": lambda: cb.get_measure("g_mean"),
    "member": lambda: cb.get_measure("fbeta", beta=0.5),
    "family": lambda: cb.get_measure("tversky", alpha=0.3, beta=0.7),
    "draw": lambda: cb.Draw(POPULATION, 17),
    "distribution": lambda: cb.Draw(POPULATION, 17).distribution("mcc"),
    "bar": lambda: cb.baseline(POPULATION, "f1"),
    "worst bar": lambda: cb.baseline(POPULATION, "log_odds_ratio", undefined="worst"),
    "no bar": lambda: cb.baseline(POPULATION, "log_odds_ratio"),
    "bars": lambda: cb.baseline(MANY, "f1", undefined=0.5),
    "optimum": lambda: dataclasses.replace(cb.baseline(POPULATION, "f1").max),
    "optima": lambda: cb.baseline(MANY, "f1").min,
    "class sizes": lambda: cb.ClassSizes({"a": 3, "b": 4}),
    "matrix": lambda: cb.ConfusionMatrix([[3, 1], [0, 2]]),
    "bar of classes": lambda: cb.baseline([*"aabbc"], "mcc"),
    "measure of classes": lambda: cb.get_measure("f1_macro", "multiclass"),
    "judged": lambda: cb.baseline(POPULATION, "f1").judge(0.72),
    "verdict": lambda: cb.evaluate_counts(COUNTS, "f1")[0],
    "scorecard": lambda: cb.evaluate_counts({"a": COUNTS, "b": COUNTS}, ["f1", "mcc"]),
}
"""One of each, made afresh at every call."""


each = pytest.mark.parametrize("make", VALUES.values(), ids=VALUES)


@each
def test_it_compares_by_value_pickles_and_copies(make):
    one, other = make(), make()
    assert one is not other or hasattr(one, "greater_is_better"), "measures are kept"
    assert one == other
    assert hash(one) == hash(other)
    assert one != "something else"
    assert not one == 7  # noqa: SIM201 - both operators are asked
    assert copy.copy(one) == one == copy.deepcopy(one)
    for protocol in (2, pickle.HIGHEST_PROTOCOL):
        assert pickle.loads(pickle.dumps(one, protocol)) == one  # noqa: S301 - our own bytes


def test_different_values_differ():
    for a, b in [
        ("population", "populations"),
        ("measure", "member"),
        ("bar", "worst bar"),
        ("worst bar", "no bar"),
        ("judged", "verdict"),
        ("counts", "many counts"),
    ]:
        assert VALUES[a]() != VALUES[b]()
    assert cb.Draw(POPULATION, 16) != VALUES["draw"]()
    assert cb.get_measure("fbeta", beta=0.5) != cb.get_measure("fbeta", beta=0.25)
    assert cb.Population(31, 17) != POPULATION
    card = VALUES["scorecard"]()
    assert card != dataclasses.replace(card, columns={**card.columns, "skill": card.columns["skill"] + 1})


@each
def test_it_is_frozen_and_its_arrays_are_read_only(make):
    value = make()
    fields = [field.name for field in dataclasses.fields(value)]
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError)):
        setattr(value, fields[0], 1)
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError)):
        delattr(value, fields[0])
    for held in (getattr(value, name) for name in fields):
        if isinstance(held, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                held[...] = 0


def test_computing_does_not_change_what_a_distribution_is():
    null = VALUES["distribution"]()
    before = hash(null), pickle.dumps(null)
    null.mean(), null.pmf(0.0), null.ppf(0.5)
    assert (hash(null), pickle.dumps(null)) == before
    assert null == VALUES["distribution"]()


def test_what_was_given_cannot_change_a_value_afterwards():
    total, positives = np.array([10, 20]), np.array([3, 4])
    population = cb.Population(total, positives)
    total[:] = 0
    assert population.total.tolist() == [10, 20]


def test_nothing_writes_to_the_columns_of_a_card():
    columns = VALUES["scorecard"]().columns
    assert len(columns) > 10
    assert not any(column.flags.writeable for column in columns.values())


def test_many_threads_share_the_same_objects():
    null = cb.Draw(cb.Population(5000, 1800), 1700).distribution("g_mean")
    bars = cb.baseline(cb.Population(np.arange(20, 60), np.arange(40)), "g_mean")
    fresh = cb.Draw(cb.Population(5000, 1800), 1700).distribution("g_mean")
    points = fresh.ppf(np.linspace(0.01, 0.99, 64))
    want = [fresh.cdf(point) for point in points]
    with ThreadPoolExecutor(8) as pool:
        got = [*pool.map(null.cdf, points)]
        skills = [*pool.map(lambda i: cb.skill(0.7, bars[i % 40]), range(80))]
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(skills[:40], skills[40:])
