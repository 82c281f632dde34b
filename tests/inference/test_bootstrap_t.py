"""Standard errors of differences: scores under weights, and how they follow the weight of each unit."""

import math

import numpy as np
import pytest

import clearbar as cb
from clearbar.inference.units import strata_of


def classes(rng):
    y = np.arange(60) % 15
    return (
        y,
        {name: np.where(rng.random(60) < 0.4, rng.permutation(y), y) for name in "ab"},
        cb.evaluate_multiclass,
    )


def probabilities(rng):
    y = (np.arange(60) % 3 == 0).astype(int)
    return y, {name: np.clip(0.3 * y + 0.6 * rng.random(60), 0.01, 0.99) for name in "ab"}, cb.evaluate_scores


@pytest.mark.parametrize("name", ["f1_macro", "accuracy", "mcc", "kappa_quadratic"])
def test_slopes_are_those_of_the_score(name):
    """Within a stratum they count but for a shift."""
    y, models, evaluate = classes(np.random.default_rng(2))
    card = evaluate(y, models, name, intervals=False)
    units, measure, step = card.problem.units(0, [0, 1], joint=True), card.measures[0], 1e-4
    whole = units.multiplicity.astype(float)
    moves = step * np.eye(len(whole))
    wanted = (units.score([measure], whole + moves)[0] - units.score([measure], whole - moves)[0]) / (
        2 * step
    )
    found = units.slopes(measure, whole[None])[:, 0]
    for kinds in strata_of(units):
        off = (found - wanted)[:, kinds]
        assert np.ptp(off, axis=1) == pytest.approx(np.zeros(2), abs=1e-5 * np.abs(wanted).max() + 1e-9)


@pytest.mark.parametrize("name", ["average_precision"])
def test_the_order_of_rows_changes_nothing(name):
    rng = np.random.default_rng(5)
    y, models, evaluate = probabilities(rng)
    order = rng.permutation(len(y))
    one = evaluate(y, models, name, intervals=False).compare("a", "b", name)
    turned = {model: f[order] for model, f in models.items()}
    other = evaluate(y[order], turned, name, intervals=False).compare("a", "b", name)
    assert other.p_value == pytest.approx(one.p_value, abs=1e-3)
    assert other.low == pytest.approx(one.low, rel=1e-6)


def test_a_lone_unit_of_a_class_tells_nothing():
    alone = cb.evaluate_scores([1, 0, 0, 0, 0, 0], {"a": [3, 2, 1, 1, 0, 0], "b": [1, 2, 3, 0, 0, 1]},
                               "average_precision", intervals=False)  # fmt: skip
    lone = alone.compare("a", "b", "average_precision")
    assert math.isnan(lone.p_value)
    assert (lone.method, lone.test, lone.better) == ("unknown", "", None)
    assert "a single unit" in str(lone)
