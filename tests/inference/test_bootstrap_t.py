"""The symmetric bootstrap-t: scores and slopes of every kind, p-values by hand, and its size."""

from __future__ import annotations

import math

import numpy as np
import pytest

import clearbar as cb


def probabilities(rng):
    y = np.arange(24) % 2
    return (
        y,
        {name: np.clip(rng.normal(0.4 + 0.2 * y, 0.15), 0.01, 0.99) for name in "ab"},
        cb.evaluate_scores,
    )


def classes(rng):
    y = np.arange(60) % 15
    return (
        y,
        {name: np.where(rng.random(60) < 0.4, rng.permutation(y), y) for name in "ab"},
        (cb.evaluate_multiclass),
    )


KINDS = [
    *((classes, name) for name in ("f1_macro", "accuracy", "mcc", "kappa_quadratic")),
    *((probabilities, name) for name in ("average_precision", "brier_score", "log_loss", "max_f1")),
]


def units_of(card, name):
    return card.problem.units_of(card.measures[0], [0, 1])


@pytest.mark.parametrize(("kind", "name"), KINDS, ids=lambda side: getattr(side, "__name__", side))
def test_a_score_under_weights_is_that_of_samples_that_occur_so_often(kind, name):
    rng = np.random.default_rng(1)
    y, models, evaluate = kind(rng)
    card = evaluate(y, models, name, intervals=False)
    units = units_of(card, name)
    if kind is classes:  # each class counts as much as it has samples, whatever is drawn
        wanted = [float(cb.score(y, f, card.measures[0])) for f in models.values()]
        assert units.values == pytest.approx(wanted, rel=1e-12)
        return
    weights = np.ones(len(y), dtype=int)
    weights[:4] = [2, 0, 0, 2]  # of either class as many as there were
    own = weights.astype(float)
    drawn = np.repeat(np.arange(len(y)), weights)
    again = evaluate(y[drawn], {m: f[drawn] for m, f in models.items()}, name, intervals=False)
    found = [float(score.at(own[None])[0]) for score in units.scores]
    assert found == pytest.approx(again.columns["score"][:, 0, 0].tolist(), rel=1e-9)


@pytest.mark.parametrize(
    ("kind", "name"),
    [own for own in KINDS if own[0] is not probabilities],
    ids=lambda side: getattr(side, "__name__", side),
)
def test_slopes_are_those_of_the_score(kind, name):
    """Within a stratum they count but for a shift."""
    rng = np.random.default_rng(2)
    y, models, evaluate = kind(rng)
    units = units_of(evaluate(y, models, name, intervals=False), name)
    whole = units.number[None].astype(float)
    for score in units.scores:
        wanted = np.empty(len(units.number))
        step = 1e-4
        for at in range(len(wanted)):
            more, less = whole.copy(), whole.copy()
            more[0, at] += step
            less[0, at] -= step
            wanted[at] = (score.at(more) - score.at(less))[0] / (2 * step)
        found = score.slopes(whole)[0]
        for stratum in np.unique(units.strata):
            own = units.strata == stratum
            off = (found - wanted)[own]
            assert off == pytest.approx(
                np.full(own.sum(), off[0]), abs=20 * step**2 * np.abs(wanted).max() + 1e-9
            )


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
