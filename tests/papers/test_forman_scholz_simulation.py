"""The simulation of Forman and Scholz (2010), section 4.2, against exact sums and an earlier run of it."""

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest

import clearbar as cb
from clearbar.core.counts import counts_of

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "examples" / "papers" / "forman_scholz.py"
REPEATS = 30_000

# Relative bias in %, and its Monte Carlo error there; 200,000 repeats of another implementation.
# The columns: mean, pooled, precision_recall, mean_of_defined, precision_recall_of_defined.
COLUMNS = ("mean", "pooled", "precision_recall", "mean_of_defined", "precision_recall_of_defined")
STRATIFIED = {
    1: (-6.34, -0.148, -5.06, 12.02, 13.55),
    2: (-1.79, -0.063, 1.30, 0.90, 4.07),
    5: (-0.41, -0.023, 1.26, -0.40, 1.27),
    10: (-0.16, -0.0116, 0.66, -0.16, 0.66),
    25: (-0.057, -0.0054, 0.26, -0.057, 0.26),
}
RANDOM = {
    1: (-36.36, -0.18, -35.06, 9.14, 11.37),
    2: (-14.71, -0.08, -12.19, 2.01, 5.01),
    5: (-2.67, -0.04, -0.53, -1.88, 0.27),
    10: (-1.03, -0.00, -0.01, -1.02, -0.01),
    25: (-0.38, -0.01, -0.01, -0.38, -0.01),
}
ROUNDED = 0.005
CASES = [(True, percent) for percent in STRATIFIED] + [(False, percent) for percent in RANDOM]


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("forman_scholz", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=["recorded", "fresh"])
def estimates(script, request):
    """What the recorded million repeats gave, or fewer of them anew."""

    def of(stratified, percent):
        if request.param == "recorded":
            return script.read()[stratified, percent]
        return script.simulate(script.Setting(10 * percent, stratified=stratified), REPEATS, seed=percent)

    return of


@pytest.mark.parametrize(("stratified", "percent"), CASES)
def test_biases_agree_within_four_monte_carlo_errors(estimates, stratified, percent):
    known = (STRATIFIED if stratified else RANDOM)[percent]
    found = estimates(stratified, percent)
    for name, bias in zip(COLUMNS, known, strict=True):
        estimate = found[name]
        theirs = estimate.deviation / math.sqrt(200_000)
        allowed = 4 * math.hypot(100 * estimate.error, 100 * theirs) + ROUNDED
        assert abs(100 * estimate.bias - bias) <= allowed, name


def binomial(n, p):
    k = np.arange(n + 1)
    logs = [math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) for i in k.tolist()]
    return np.exp(np.array(logs) + k * math.log(p) + (n - k) * math.log1p(-p))


def expected_f1(positives, negatives, hit, alarm):
    """E of 2 TP / (P + TP + FP) for independent binomial TP and FP, summed."""
    tp, fp = np.arange(positives + 1)[:, None], np.arange(negatives + 1)
    mass = binomial(positives, hit)[:, None] * binomial(negatives, alarm)
    return float((mass * 2 * tp / (positives + tp + fp)).sum())


@pytest.mark.parametrize("percent", [1, 2, 5, 10, 25])
def test_biases_agree_with_exact_sums(script, estimates, percent):
    found = estimates(True, percent)
    alarm = script.Setting(10 * percent).false_positive_rate
    pooled = expected_f1(10 * percent, 1000 - 10 * percent, 0.8, alarm) / 0.8 - 1
    mean = expected_f1(percent, 100 - percent, 0.8, alarm) / 0.8 - 1
    assert abs(found["pooled"].bias - pooled) <= 4 * found["pooled"].error
    assert abs(found["mean"].bias - mean) <= 4 * found["mean"].error


def test_what_is_written_is_read(script, tmp_path):
    found = {(False, 3): script.simulate(script.Setting(30, stratified=False), 50)}
    script.write(found, tmp_path / "estimates.csv")
    assert script.read(tmp_path / "estimates.csv") == found
    for row in (row for ways in script.read().values() for row in ways.values()):
        assert row.error == pytest.approx(row.deviation / math.sqrt(1e6 * row.defined), rel=1e-9)


@pytest.mark.parametrize("stratified", [True, False])
def test_its_ways_of_combining_are_the_librarys(script, stratified):
    random = np.random.default_rng(5)
    setting = script.Setting(15, cases=203, stratified=stratified)
    positives, tp, fp = script.outcomes(setting, 40, random)
    assert (positives.sum(axis=1) == 15).all()
    sizes = np.array([21] * 3 + [20] * 7)
    ways = script.estimates(positives, tp, fp)
    for row in range(0, 40, 8):
        cells = tp[row], fp[row], positives[row] - tp[row], sizes - positives[row] - fp[row]
        for name, values in ways.items():
            card = cb.evaluate_fold_counts(counts_of(cells), "f1", aggregate=name, intervals=False)
            assert values[row] == pytest.approx(card[0].score, rel=1e-12)


def test_where_no_fold_has_a_value_the_repeat_is_left_out(script):
    found = script.simulate(script.Setting(1, cases=20, stratified=True), 2_000)
    assert found["mean_of_defined"].defined == pytest.approx(0.8, abs=0.08)
    assert found["mean"].defined == 1.0
