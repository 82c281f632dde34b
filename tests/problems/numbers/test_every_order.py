"""Targets of few samples are put in every order that there is, so that p_value_blind is no estimate."""

from itertools import permutations, product

import numpy as np
import pytest

import clearbar as cb

Y = np.array([1.0, 2.0, 2.0, 5.0, 7.0, 9.0, 4.0])
F = np.array([1.2, 2.6, 3.0, 4.0, 8.0, 7.0, 4.0])


def mae(y, f):
    return -np.abs(y - f).mean(axis=-1)


def share(value, orders, y, f):
    values = np.concatenate([value(y[part], f) for part in np.array_split(orders, 50)])
    return np.count_nonzero(values >= value(y, f) - 1e-9) / len(orders)


def test_few_targets_within_a_column_are_put_in_every_order():
    sites = np.repeat(["a", "b"], 10)
    y = np.repeat([0.0, 4.0], 10)
    y[[1, 5, 12, 18]] = 2.0, 3.0, 7.0, 6.0
    f = y + np.tile([0.5, -0.5, 1.0, 0.0, 0.2], 4)
    f[[5, 12]] = 0.0, 5.0
    (verdict,) = cb.evaluate_regression(y, f, "mse", given=sites)
    own = []
    for half in (slice(0, 10), slice(10, 20)):
        distinct = {tuple(order) for order in map(tuple, _orders_of(y[half]))}
        own.append(np.array([((np.array(order) - f[half]) ** 2).sum() for order in distinct]))
    sums = own[0][:, None] + own[1]
    exact = np.count_nonzero(sums <= ((y - f) ** 2).sum() + 1e-9) / sums.size
    assert verdict.p_value_blind == pytest.approx(exact, rel=1e-12)
    assert verdict.p_blind_method == "exact"


def _orders_of(targets):
    """Every distinct order of targets that are all alike but for two."""
    common = np.median(targets)
    first, second = (value for value in targets if value != common)
    for one, other in product(range(len(targets)), repeat=2):
        if one != other:
            order = np.full(len(targets), common)
            order[one], order[other] = first, second
            yield order


def test_whole_clusters_trade_places_in_every_way():
    ids = np.repeat(np.arange(6), 2)
    y = np.array([0, 1, 2, 3, 2, 3, 5, 7, 1, 9, 4, 6], dtype=float)
    f = y + np.tile([1.0, -2.0, 0.5, 3.0], 3)
    (verdict,) = cb.evaluate_regression(y, f, "mae", clusters=ids)
    orders = [np.concatenate([[2 * at, 2 * at + 1] for at in order]) for order in permutations(range(6))]
    assert verdict.p_value_blind == pytest.approx(share(mae, np.array(orders), y, f), rel=1e-12)
    assert verdict.p_blind_method == "exact"


def test_best_of_several_models_looks_at_every_order_too():
    models = {"one": F, "other": F[::-1]}
    found = cb.evaluate_regression(Y, models, "mae").best_of("mae")
    values = [np.maximum(mae(Y[list(o)], F), mae(Y[list(o)], F[::-1])) for o in permutations(range(7))]
    exact = np.mean(np.array(values) >= mae(Y, F) - 1e-9)
    assert found.p_value_blind == pytest.approx(exact, rel=1e-12)
