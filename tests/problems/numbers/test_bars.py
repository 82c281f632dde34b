"""Bars are the best expectation over all predictions in all orders, by brute force."""

import pickle
from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest

import clearbar as cb
from clearbar.catalogue import get_measure, measures

# From the theory that the library is built on: y = 1, 2, 3, 5, 9.
REFERENCE = {
    "mse": 8.0,
    "rmse": 2.8284271247461903,
    "mae": 2.2,
    "mape": 0.5422222222222222,
    "mean_pinball_loss(alpha=0.9)": 0.5,
    "mean_gamma_deviance": 0.5332199386404313,
    "r2": 0.0,
    "max_error": 4.0,
    "medae": 1.0,
    "wape": 11 / 20,
    "huber_loss": 1.8,
    "mase(scale=2)": 1.1,
}


@pytest.mark.parametrize(("name", "expected"), REFERENCE.items())
def test_bars_are_those_of_the_theory(name, expected):
    assert cb.baseline([9, 1, 3, 2, 5], name).value == pytest.approx(expected, rel=1e-15)


def shuffled(name, y, grid, size):
    """Return the mean over all orders of the targets of the value of each multiset of predictions."""
    measure = get_measure(name)
    orders = np.unique(np.array(list(permutations(y)), float), axis=0)
    for f in combinations_with_replacement(grid, size):
        if name == "r2":
            values = 1 - ((orders - f) ** 2).mean(axis=1) / np.var(y)
        elif name == "pearson":
            centred = np.array(f) - np.mean(f)
            scale = np.sqrt((centred**2).sum() * ((np.array(y) - np.mean(y)) ** 2).sum())
            values = (orders @ centred) / scale if scale else np.array([np.nan])
        elif name == "explained_variance":
            values = 1 - (orders - f).var(axis=1) / np.var(y)
        else:
            values = np.array([float(measure(order, np.array(f, float))) for order in orders])
        yield f, values


@pytest.mark.parametrize("y", [(1, 2, 3, 5), (2, 2, 3, 7)])
@pytest.mark.parametrize(
    "name", ["mse", "mae", "mape", "rmse", "max_error", "medae", "rmsle", "wape", "huber"]
)
def test_no_multiset_of_predictions_expects_less(name, y):
    constant = cb.baseline(y, name).constants[0]
    grid = sorted({1.0, 2.0, 3.0, 4.5, 6.0, 9.0, constant})
    best = min(values.mean() for _, values in shuffled(name, y, grid, len(y)))
    assert cb.baseline(y, name).value == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("name", ["r2", "explained_variance", "pearson"])
def test_shares_and_correlations_expect_0_at_best(name):
    y = (1, 2, 3, 5, 9)
    means = np.array([values.mean() for _, values in shuffled(name, y, (1, 2, 4, 5, 9), 5)])
    assert np.nanmax(means) == pytest.approx(0, abs=1e-12)
    assert cb.baseline(y, name).value == 0


@pytest.mark.parametrize("size", [2, 3, 7, 8, 20])
def test_the_best_constant_of_the_median_distance_is_found(size):
    y = np.random.default_rng(size).normal(size=size)
    middles = (y[:, None] + y) / 2
    best = min(np.median(np.abs(y - c)) for c in middles.ravel())
    bar = cb.baseline(y, "medae")
    assert bar.value == pytest.approx(best, rel=1e-12)
    assert np.median(np.abs(y - bar.constants[0])) == pytest.approx(best, rel=1e-12)
    assert not bar.certified
    assert "not proved" in str(bar)


@pytest.mark.parametrize("measure", [m for m in measures("regression") if m.constant], ids=str)
def test_no_constant_does_better(measure):
    y = np.sort(np.random.default_rng(5).gamma(2.0, size=23))
    bar = cb.baseline(y, measure)
    grid = np.linspace(y[0], y[-1], 400)
    sign = 1 if measure.greater_is_better else -1
    values = np.array([float(measure(y, np.full(len(y), c))) for c in [*grid, bar.constants[0]]])
    if measure.name == "pearson":
        assert np.isnan(values).all()
    else:
        assert sign * bar.value >= np.max(sign * values) - 1e-12
        assert values[-1] == pytest.approx(bar.value, abs=1e-12)
        assert sign * bar.worst_value <= np.min(sign * values) + 1e-12


@pytest.mark.parametrize("name", ["mse", "mae", "r2", "mape", "rmse", "max_error", "mean_poisson_deviance"])
def test_a_column_may_have_a_constant_for_each_of_its_values(name):
    generator = np.random.default_rng(2)
    y, column = generator.gamma(2.0, size=30), generator.integers(0, 4, 30)
    measure = get_measure(name)
    bar = cb.baseline_regression(y, name, given=column)
    predicted = np.empty(30)
    for value, constant in enumerate(bar.constants):
        here = column == value
        predicted[here] = constant
        if name != "max_error":
            single = get_measure("mse") if name in {"r2", "rmse"} else measure
            assert constant == pytest.approx(cb.baseline(y[here], single).constants[0])
    assert bar.value == pytest.approx(float(measure(y, predicted)))
    better = bar.value > cb.baseline(y, name).value
    assert better == measure.greater_is_better
    assert "its group" in bar.recipe


def test_of_predictions_that_see_a_column_the_correlation_is_at_most_that_of_its_means():
    """All orders within the two groups; the best of many predictions."""
    y = np.array([1.0, 2.0, 4.0, 3.0, 8.0])
    column = np.array([0, 0, 0, 1, 1])
    orders = np.array([[*a, *b] for a in permutations(y[:3]) for b in permutations(y[3:])])
    f = np.random.default_rng(0).normal(size=(5_000, 5))
    f = np.concatenate([f, [[0, 0, 0, 1, 1]]])
    f = f - f.mean(axis=1, keepdims=True)
    expected = (orders - y.mean()) @ f.T / np.sqrt((f**2).sum(axis=1) * ((y - y.mean()) ** 2).sum())
    bar = cb.baseline_regression(y, "pearson", given=column)
    assert bar.value == pytest.approx(expected.mean(axis=0).max())


@pytest.mark.parametrize("name", ["r2", "pearson", "d2_absolute_error", "kendall"])
def test_targets_that_are_all_the_same_have_no_bar_for_shares(name):
    bar = cb.baseline([2.0, 2.0, 2.0], name)
    assert np.isnan(bar.value)
    assert "all targets are the same" in bar.reason


def test_targets_too_far_apart_for_floating_point_have_no_bar():
    card = cb.evaluate([1e200, 2e200, 3.0, 4.0, 5.5, 6.0], [1.0, 2, 3, 4, 5, 6], ["mse", "mae"])
    assert card[0].outcome == "undefined"
    assert np.isfinite(card[1].score)
    assert "too far apart for floating point" in card.bar(0).reason


def test_bars_compare_pickle_judge_and_say_what_to_do():
    bar = cb.baseline([1, 2, 3, 5, 9], "neg_mean_absolute_error")
    assert bar == cb.baseline_regression([9, 5, 3, 2, 1], "MAE")
    assert pickle.loads(pickle.dumps(bar)) == bar  # noqa: S301
    assert repr(bar) == str(bar) == "MAE bar 2.200: predict 3, the median, for every sample"
    verdict = bar.judge(1.1)
    assert (verdict.outcome, verdict.skill, verdict.sure) == ("clears", pytest.approx(0.5), False)
    assert "without the predictions" in verdict.reason
    own = cb.baseline_regression([1.0, 2.0, 4.0], "mse", given=["a", "b", "c"])
    assert (own.value, own.judge(0.0).outcome) == (0, "unbeatable")
