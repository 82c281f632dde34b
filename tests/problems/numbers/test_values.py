"""Scores are those of scikit-learn and SciPy, weighted ones those of samples that are repeated."""

import numpy as np
import pytest
import scipy.special
import scipy.stats
import sklearn.metrics as theirs

from clearbar.catalogue import get_measure, measures

pytestmark = pytest.mark.quick

THEIRS = {
    "mse": theirs.mean_squared_error,
    "rmse": theirs.root_mean_squared_error,
    "mae": theirs.mean_absolute_error,
    "medae": theirs.median_absolute_error,
    "mape": theirs.mean_absolute_percentage_error,
    "msle": theirs.mean_squared_log_error,
    "rmsle": theirs.root_mean_squared_log_error,
    "r2": theirs.r2_score,
    "explained_variance": theirs.explained_variance_score,
    "mean_poisson_deviance": theirs.mean_poisson_deviance,
    "mean_gamma_deviance": theirs.mean_gamma_deviance,
    "max_error": theirs.max_error,
    "d2_absolute_error": theirs.d2_absolute_error_score,
    "pearson": lambda y, f: scipy.stats.pearsonr(y, f).statistic,
    "spearman": lambda y, f: scipy.stats.spearmanr(y, f).statistic,
    "kendall": lambda y, f: scipy.stats.kendalltau(y, f).statistic,
    "mean_pinball_loss(alpha=0.9)": lambda y, f: theirs.mean_pinball_loss(y, f, alpha=0.9),
    "mean_pinball_loss": theirs.mean_pinball_loss,
    "mean_tweedie_deviance(power=1.5)": lambda y, f: theirs.mean_tweedie_deviance(y, f, power=1.5),
    "mean_tweedie_deviance(power=3)": lambda y, f: theirs.mean_tweedie_deviance(y, f, power=3),
    "mean_tweedie_deviance": theirs.mean_tweedie_deviance,
    "d2_tweedie(power=1.5)": lambda y, f: theirs.d2_tweedie_score(y, f, power=1.5),
    "d2_pinball": theirs.d2_pinball_score,
    "wape": lambda y, f: np.abs(y - f).sum() / np.abs(y).sum(),
    "huber_loss(delta=0.7)": lambda y, f: scipy.special.huber(0.7, y - f).mean(),
    "huber_loss": lambda y, f: scipy.special.huber(1.0, y - f).mean(),
    "mase(scale=1)": theirs.mean_absolute_error,
    "mase(scale=2.5)": lambda y, f: theirs.mean_absolute_error(y, f) / 2.5,
}


def ccc(y, f):
    """Lin's formula, written once more."""
    between = 2 * np.cov(y, f, bias=True)[0, 1]
    return between / (np.var(y) + np.var(f) + (np.mean(y) - np.mean(f)) ** 2)


RNG = np.random.default_rng(1)
CASES = {
    "many": (RNG.gamma(2.0, size=201), RNG.gamma(2.0, size=201)),
    "tied": (RNG.integers(1, 5, 60).astype(float), RNG.integers(1, 4, 60).astype(float)),
    "two": (np.array([1.0, 4.0]), np.array([2.0, 3.0])),
    "far": (1e8 + RNG.integers(0, 9, 40), 1e8 + RNG.integers(0, 9, 40)),
    "tiny": (1e-9 * RNG.gamma(2.0, size=30), 1e-9 * RNG.gamma(2.0, size=30)),
}


@pytest.mark.parametrize("name", THEIRS)
def test_scores_are_those_of_others(name):
    for case, (y, f) in CASES.items():
        found = float(get_measure(name, "regression")(y, f))
        assert found == pytest.approx(THEIRS[name](y, f), rel=1e-9, abs=1e-300), case


def test_concordance_is_lin_s():
    for case, (y, f) in CASES.items():
        assert float(get_measure("ccc")(y, f)) == pytest.approx(ccc(y, f), rel=1e-7), case


def test_every_measure_is_compared_with_someone_else_s():
    compared = {get_measure(name, "regression").name for name in THEIRS} | {"ccc"}
    others = {"d2_pinball(alpha=0.9)"}  # scikit-learn's quantile is another one: below
    assert {measure.name for measure in measures("regression")} <= compared | others


def test_a_share_of_a_pinball_loss_takes_the_quantile_that_loses_least():
    y, f = CASES["many"]
    loss = theirs.mean_pinball_loss(y, f, alpha=0.9)
    least = min(theirs.mean_pinball_loss(y, np.full(len(y), c), alpha=0.9) for c in y)
    own = float(get_measure("d2_pinball", alpha=0.9)(y, f))
    assert own == pytest.approx(1 - loss / least)
    assert own <= theirs.d2_pinball_score(y, f, alpha=0.9) + 1e-12


@pytest.mark.parametrize("measure", measures("regression"), ids=str)
@pytest.mark.parametrize("case", ["tied", "many"])
def test_a_weight_is_how_often_a_sample_occurs(measure, case):
    y, f = (side[:41] for side in CASES[case])
    order = np.argsort(y, kind="stable")
    y, f = y[order], f[order]
    weights = np.random.default_rng(3).integers(0, 3, (7, len(y)))
    found = measure(y, f, weights.astype(float))
    best = measure.best(y, weights.astype(float))
    for row, value, bar in zip(weights, found, best, strict=True):
        again = np.repeat(y, row), np.repeat(f, row)
        assert value == pytest.approx(float(measure(*again)), rel=1e-9)
        assert bar == pytest.approx(float(measure.best(again[0], np.ones(len(again[0])))), rel=1e-9)


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall"])
def test_constant_predictions_have_no_correlation(name):
    assert np.isnan(get_measure(name)(np.arange(5.0), np.full(5, 0.1)))


def test_losses_of_counts_may_have_zeros():
    y, f = np.array([0.0, 3.0, 0.0]), np.array([0.5, 2.0, 1.0])
    for name in ("mean_poisson_deviance", "mean_tweedie_deviance(power=1.5)", "d2_tweedie(power=1.5)"):
        assert float(get_measure(name)(y, f)) == pytest.approx(THEIRS[name](y, f))
