"""The symmetric bootstrap-t: scores and slopes of every kind, p-values by hand, and its size."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import clearbar as cb
from clearbar.inference.bootstrap_t import BootstrapT, Line, Units


def numbers(rng):
    y = rng.gamma(3.0, size=24) + 1
    models = {name: y * np.exp(rng.normal(size=24) / 4) for name in "ab"}
    return y, models, cb.evaluate_regression


def probabilities(rng):
    y = np.arange(24) % 2
    return (
        y,
        {name: np.clip(rng.normal(0.4 + 0.2 * y, 0.15), 0.01, 0.99) for name in "ab"},
        cb.evaluate_scores,
    )


def sets(rng):
    y = (rng.random((24, 4)) < 0.5).astype(int)
    return y, {name: np.where(rng.random((24, 4)) < 0.3, 1 - y, y) for name in "ab"}, cb.evaluate_multilabel


def classes(rng):
    y = np.arange(60) % 15
    return (
        y,
        {name: np.where(rng.random(60) < 0.4, rng.permutation(y), y) for name in "ab"},
        (cb.evaluate_multiclass),
    )


KINDS = [
    *(
        (numbers, name)
        for name in ("mae", "rmse", "r2", "pearson", "spearman", "kendall", "d2_absolute_error")
    ),
    *((sets, name) for name in ("f1_micro", "f1_samples", "f1_macro", "hamming_loss", "subset_accuracy")),
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
    order = np.argsort(y, kind="stable") if kind is numbers else np.arange(len(y))
    if kind is classes:  # each class counts as much as it has samples, whatever is drawn
        wanted = [float(cb.score(y, f, card.measures[0])) for f in models.values()]
        assert units.values == pytest.approx(wanted, rel=1e-12)
        return
    weights = np.ones(len(y), dtype=int)
    weights[:4] = [2, 0, 0, 2]  # of either class as many as there were
    own = weights[order].astype(float)
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
        step = 1e-2 if kind is sets else 1e-4  # sets add up in single precision
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


def test_the_p_value_is_the_share_of_larger_studentised_differences():
    rng = np.random.default_rng(3)
    y = rng.normal(size=20)
    a, b = y + rng.lognormal(size=20), y + rng.normal(size=20)
    found = cb.evaluate_regression(y, {"a": a, "b": b}, "mae", intervals=False).compare("a", "b", "mae")
    apart = np.abs(y - a) - np.abs(y - b)
    t = abs(apart.mean()) / (apart.std(ddof=1) / math.sqrt(20))
    larger, draws = 0, 20_000
    drawn = np.random.default_rng(4).choice(apart, (draws, 20))
    spread = drawn.std(axis=1, ddof=1) / math.sqrt(20)
    sizes = np.abs(drawn.mean(axis=1) - apart.mean()) / spread
    larger = float((sizes >= t).mean())
    assert found.p_value == pytest.approx(larger, abs=4 * math.sqrt(larger / 9_999))
    width = np.quantile(sizes, 0.95) * apart.std(ddof=1) / math.sqrt(20)
    assert found.high - found.low == pytest.approx(2 * width, rel=0.06)
    assert (found.low + found.high) / 2 == pytest.approx(apart.mean())
    assert (found.test, found.method, found.null) == ("bootstrap_t", "bootstrap", "equal")
    assert math.isnan(found.p_mcnemar)


def test_few_units_are_drawn_in_every_way():
    """Three units have 27 resamples: their shares are known."""
    a, b = np.array([0.9, 0.7, 0.2]), np.array([0.4, 0.1, 0.3])
    apart = a - b
    t = abs(apart.mean()) / (apart.std(ddof=1) / math.sqrt(3))
    reached = 0
    for drawn in itertools.product(apart, repeat=3):
        spread = np.std(drawn, ddof=1) / math.sqrt(3)
        off = abs(np.mean(drawn) - apart.mean())
        reached += bool(spread < 1e-12 or off / spread >= t * (1 - 1e-9))
    units = Units.single([Line(a / 3), Line(b / 3)], np.zeros(3, dtype=int))
    found = BootstrapT.of(units, 40_000, 1).p_value(0.0)
    assert found == pytest.approx(reached / 27, abs=0.01)


def test_strata_are_drawn_apart():
    """Two strata, of which one never varies: its difference is no part of the spread."""
    apart = np.array([1.0, 1.0, 1.0, 1.0, 0.5, -0.2, 0.1, 0.9, 0.3])
    strata = np.repeat([0, 1], [4, 5])
    units = Units.single([Line(apart / 9), Line(0 * apart)], strata)
    (error,) = units.seen(np.array([0]), np.array([1])).errors
    assert error == pytest.approx(apart[4:].std(ddof=1) * math.sqrt(5) / 9)
    drawn = np.concatenate(list(units.drawn(np.array([0]), np.array([1]), 4_000, np.random.default_rng(0))))
    own = np.random.default_rng(1).choice(apart[4:], (20_000, 5))
    own = own[own.std(axis=1) > 0]
    wanted = np.abs(own.mean(axis=1) - apart[4:].mean()) / (own.std(axis=1, ddof=1) / math.sqrt(5))
    assert np.median(drawn) == pytest.approx(np.median(wanted), rel=0.05)


@pytest.mark.parametrize("name", ["mae", "rmse", "average_precision", "f1_micro"])
def test_the_order_of_rows_changes_nothing(name):
    rng = np.random.default_rng(5)
    kind = {"average_precision": probabilities, "f1_micro": sets}.get(name, numbers)
    y, models, evaluate = kind(rng)
    order = rng.permutation(len(y))
    one = evaluate(y, models, name, intervals=False).compare("a", "b", name)
    turned = {model: f[order] for model, f in models.items()}
    other = evaluate(y[order], turned, name, intervals=False).compare("a", "b", name)
    assert other.p_value == pytest.approx(one.p_value, abs=1e-3)
    assert other.low == pytest.approx(one.low, rel=1e-6)


def test_equal_means_of_unlike_errors_are_rarely_told_apart():
    """Lognormal errors against normal ones of the same mean, 30 samples: exchanges called 14 % different."""
    rng, tables = np.random.default_rng(6), 1_200
    called = 0
    for seed in range(tables):
        skewed = rng.lognormal(-0.5, 1, 30)
        normal = np.abs(rng.normal(0, math.sqrt(math.pi / 2), 30))
        units = Units.single([Line(skewed / 30), Line(normal / 30)], np.zeros(30, dtype=int))
        called += BootstrapT.of(units, 399, seed).p_value(0.0) <= 0.05
    assert called / tables < 0.085


def test_whole_clusters_are_drawn():
    """Copies of every sample, kept together, have the p-value of the samples alone."""
    rng = np.random.default_rng(7)
    y, a, b = rng.normal(size=(3, 25))
    copies = [np.repeat(column, 4) for column in (y, a, b, np.arange(25))]
    models = {"a": copies[1], "b": copies[2]}
    for name in ("mae", "rmse", "r2"):
        one = cb.evaluate_regression(y, {"a": a, "b": b}, name, intervals=False).compare("a", "b", name)
        many = cb.evaluate_regression(copies[0], models, name, clusters=copies[3], intervals=False)
        other = many.compare("a", "b", name)
        assert other.p_value == pytest.approx(one.p_value, abs=0.02)
        assert other.low == pytest.approx(one.low, abs=0.05)


def test_what_never_varies_is_said_with_care():
    """One model is right by the same distance everywhere: no resample differs, and failures are supposed."""
    y = np.arange(12.0)
    card = cb.evaluate_regression(y, {"a": y + 1, "b": y - 2}, "mae", intervals=False)
    found = card.compare("a", "b", "mae")
    assert found.note == "no two resamples differ, so failures are supposed that were not seen"
    assert found.p_value >= 2 / 10_000
    alone = cb.evaluate_scores([1, 0, 0, 0, 0, 0], {"a": [3, 2, 1, 1, 0, 0], "b": [1, 2, 3, 0, 0, 1]},
                               "average_precision", intervals=False)  # fmt: skip
    lone = alone.compare("a", "b", "average_precision")
    assert math.isnan(lone.p_value)
    assert (lone.method, lone.test, lone.better) == ("unknown", "", None)
    assert "a single unit" in str(lone)
