"""The symmetric bootstrap-t: scores and slopes of every kind, p-values by hand, and its size."""

import itertools
import math

import numpy as np
import pytest

import clearbar as cb
from clearbar.inference.differences import BootstrapT, Differences, Means
from clearbar.inference.units import strata_of

FIRST, SECOND = np.array([0]), np.array([1])


def numbers(rng):
    y = rng.gamma(3.0, size=24) + 1
    models = {name: y * np.exp(rng.normal(size=24) / 4) for name in "ab"}
    return y, models, cb.evaluate_regression


def sets(rng):
    y = (rng.random((24, 4)) < 0.5).astype(int)
    return y, {name: np.where(rng.random((24, 4)) < 0.3, 1 - y, y) for name in "ab"}, cb.evaluate_multilabel


def probabilities(rng):
    y = np.arange(24) % 2
    models = {name: np.clip(rng.normal(0.4 + 0.2 * y, 0.15), 0.01, 0.99) for name in "ab"}
    return y, models, cb.evaluate_scores


KINDS = [
    *(
        (numbers, name)
        for name in ("mae", "rmse", "r2", "pearson", "spearman", "kendall", "d2_absolute_error")
    ),
    *((sets, name) for name in ("f1_micro", "f1_samples", "f1_macro", "hamming_loss", "subset_accuracy")),
]
OF_SCORES = [(probabilities, name) for name in ("average_precision", "brier_score", "log_loss", "max_f1")]


CLUSTERS = pytest.mark.parametrize(
    "more", [{}, {"clusters": np.arange(24) // 2}], ids=["samples", "clusters"]
)


def named(side):
    return getattr(side, "__name__", side)


@CLUSTERS
@pytest.mark.parametrize(("kind", "name"), [*KINDS, *OF_SCORES], ids=named)
def test_a_score_under_weights_is_that_of_units_that_occur_so_often(kind, name, more):
    y, models, evaluate = kind(np.random.default_rng(1))
    card = evaluate(y, models, name, intervals=False, **more)
    units = card.problem.units(0, [0, 1], joint=True)
    weights = np.ones((1, len(units)))
    weights[0, :4] = [2, 0, 0, 2]
    codes = np.arange(24) if units.clusters is None else units.clusters.codes
    drawn = np.repeat(np.arange(24), weights[0, codes].astype(int))
    if kind is numbers:  # in the order of the units
        y, models = units.y, dict(zip("ab", units.predicted, strict=True))
    if kind is probabilities:
        y, models = units.truth, dict(zip("ab", units.scores, strict=True))
    if kind is sets:
        y = units.truth.dense.astype(int)
        models = {
            m: of_model.called.dense.astype(int) for m, of_model in zip("ab", units.compared, strict=True)
        }
    again = evaluate(y[drawn], {m: f[drawn] for m, f in models.items()}, name, intervals=False)
    found = units.score(card.measures, weights)[0, :, 0]
    assert found.tolist() == pytest.approx(again.columns["score"][:, 0, 0].tolist(), rel=1e-9)


@CLUSTERS
@pytest.mark.parametrize(("kind", "name"), KINDS, ids=named)
def test_slopes_are_those_of_the_score(kind, name, more):
    """But for a shift that all units share."""
    y, models, evaluate = kind(np.random.default_rng(2))
    card = evaluate(y, models, name, intervals=False, **more)
    units, measure = card.problem.units(0, [0, 1], joint=True), card.measures[0]
    step = 1e-2 if kind is sets else 1e-4  # sets add up in single precision
    whole, wanted = by_steps(units, measure, step)
    off = units.slopes(measure, whole[None])[:, 0] - wanted
    assert np.ptp(off, axis=1).max() <= 40 * step**2 * np.abs(wanted).max() + 1e-9


def by_steps(units, measure, step):
    """Return how often each unit occurs, and slopes by a little more and a little less of each."""
    whole = units.multiplicity.astype(float)
    more, fewer = (whole + sign * step * np.eye(len(whole)) for sign in (1, -1))
    return whole, (units.score([measure], more)[0] - units.score([measure], fewer)[0]) / (2 * step)


@pytest.mark.parametrize("name", ["f1_macro", "accuracy", "mcc", "kappa_quadratic"])
def test_slopes_of_many_classes_are_those_of_the_score(name):
    """Within a stratum they count but for a shift."""
    rng, y = np.random.default_rng(2), np.arange(60) % 15
    models = {model: np.where(rng.random(60) < 0.4, rng.permutation(y), y) for model in "ab"}
    card = cb.evaluate_multiclass(y, models, name, intervals=False)
    units, measure = card.problem.units(0, [0, 1], joint=True), card.measures[0]
    whole, wanted = by_steps(units, measure, 1e-4)
    found = units.slopes(measure, whole[None])[:, 0]
    for kinds in strata_of(units):
        off = (found - wanted)[:, kinds]
        assert np.ptp(off, axis=1) == pytest.approx(np.zeros(2), abs=1e-5 * np.abs(wanted).max() + 1e-9)


def test_the_p_value_is_the_share_of_larger_studentised_differences():
    rng = np.random.default_rng(3)
    y = rng.normal(size=20)
    a, b = y + rng.lognormal(size=20), y + rng.normal(size=20)
    found = cb.evaluate_regression(y, {"a": a, "b": b}, "mae", intervals=False).compare("a", "b", "mae")
    apart = np.abs(y - a) - np.abs(y - b)
    t = abs(apart.mean()) / (apart.std(ddof=1) / math.sqrt(20))
    drawn = np.random.default_rng(4).choice(apart, (20_000, 20))
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
    found = BootstrapT.of(Differences(Means(np.array([a, b]), 1.0), None), 40_000, 1).p_value(0.0)
    assert found == pytest.approx(reached / 27, abs=0.01)


def test_strata_are_drawn_apart():
    """Two strata, of which one never varies: its difference is no part of the spread."""

    class Apart(Means):
        strata = np.repeat([0, 1], [4, 5])

    apart = np.array([1.0, 1.0, 1.0, 1.0, 0.5, -0.2, 0.1, 0.9, 0.3])
    differences = Differences(Apart(np.array([apart, 0 * apart]), 1.0), None)
    (error,) = differences.observed(FIRST, SECOND)[1]
    assert error == pytest.approx(apart[4:].std(ddof=1) * math.sqrt(5) / 9)
    parts = differences.studentised(FIRST, SECOND, 4_000, np.random.default_rng(0))
    own = np.random.default_rng(1).choice(apart[4:], (20_000, 5))
    own = own[own.std(axis=1) > 0]
    wanted = np.abs(own.mean(axis=1) - apart[4:].mean()) / (own.std(axis=1, ddof=1) / math.sqrt(5))
    assert np.median(np.abs(np.concatenate(list(parts)))) == pytest.approx(np.median(wanted), rel=0.05)


@pytest.mark.parametrize(
    ("kind", "name"),
    [(numbers, "mae"), (numbers, "rmse"), (sets, "f1_micro"), (probabilities, "average_precision")],
    ids=named,
)
def test_the_order_of_rows_changes_nothing(kind, name):
    rng = np.random.default_rng(5)
    y, models, evaluate = kind(rng)
    order = rng.permutation(len(y))
    one = evaluate(y, models, name, intervals=False).compare("a", "b", name)
    turned = {model: f[order] for model, f in models.items()}
    other = evaluate(y[order], turned, name, intervals=False).compare("a", "b", name)
    assert other.p_value == pytest.approx(one.p_value, abs=1e-3)
    assert other.low == pytest.approx(one.low, rel=1e-6)


@pytest.mark.slow
def test_equal_means_of_unlike_errors_are_rarely_told_apart():
    """Lognormal errors against normal ones of the same mean, 30 samples: exchanges called 14 % different."""
    rng, tables = np.random.default_rng(6), 600
    called = 0
    for seed in range(tables):
        skewed = rng.lognormal(-0.5, 1, 30)
        normal = np.abs(rng.normal(0, math.sqrt(math.pi / 2), 30))
        differences = Differences(Means(np.array([skewed, normal]), 1.0), None)
        called += BootstrapT.of(differences, 399, seed).p_value(0.0) <= 0.05
    assert called / tables < 0.095


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
    assert "no two resamples differ, so failures are supposed that were not seen" in str(found.note)
    assert found.p_value >= 2 / 10_000


def test_a_lone_unit_of_a_class_tells_nothing():
    models = {"a": [3, 2, 1, 1, 0, 0], "b": [1, 2, 3, 0, 0, 1]}
    card = cb.evaluate_scores([1, 0, 0, 0, 0, 0], models, "average_precision", intervals=False)
    lone = card.compare("a", "b", "average_precision")
    assert math.isnan(lone.p_value)
    assert (lone.method, lone.test, lone.better) == ("unknown", "", None)
    assert "a single unit" in str(lone)
