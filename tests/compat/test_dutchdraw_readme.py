"""The README's examples print what the README prints."""

import random

import numpy as np
import pytest

from clearbar import Draw, Population
from clearbar.compat import dutchdraw as bbl


@pytest.fixture(scope="module")
def made():
    rng = random.Random(123)  # noqa: S311 - what random.seed(123) gives
    y_pred = rng.choices((0, 1), k=10000, weights=(0.9, 0.1))
    y_true = rng.choices((0, 1), k=10000, weights=(0.9, 0.1))
    return y_true, y_pred


def test_scores_and_baselines_are_printed_as_the_readme_prints_them(made):
    """All as printed, the minimum of F1 too, which the older releases answer as 0.0002 at 0.0001."""
    y_true, y_pred = made
    assert f"{bbl.measure_score(y_true, y_pred, measure='MK'):06.4f}" == "0.0061"
    assert f"{bbl.measure_score(y_true, y_pred, measure='FBETA', beta=2):06.4f}" == "0.1053"
    found = bbl.baseline_functions_given_theta(theta=0.5, y_true=y_true, measure="FBETA", beta=2)
    assert [f"{value:06.4f}" for value in (found["Mean"], found["Variance"])] == ["0.2829", "0.0001"]
    best = bbl.optimized_baseline_statistics(y_true, measure="FBETA", beta=1)
    flat = [float(np.squeeze(value)) for value in best.values()]
    assert [f"{value:06.4f}" for value in flat] == ["0.1874", "1.0000", "0.0000", "0.0000"]
    # Where the README is wrong: its text says F2 and its code passes beta=1.
    best = bbl.optimized_baseline_statistics(y_true, measure="FBETA", beta=2)
    assert f"{best['Max Expected Value']:06.4f}" == "0.3657"


def test_functions_of_g2(made):
    """Where the README is wrong: its variance plot shows E[G2^2], about 1/4; the variance is tiny."""
    baseline = bbl.baseline_functions(y_true=made[0], measure="G2")
    assert set(baseline) == {
        *("Distribution", "Domain", "Fast Expectation Function", "Variance Function", "Expectation Function")
    }
    thetas = np.arange(0, 1 + 0.01, 0.05)
    expected = [baseline["Expectation Function"](theta) for theta in thetas]
    variance = [baseline["Variance Function"](theta) for theta in thetas]
    assert expected[0] == expected[-1] == 0
    assert max(expected) == pytest.approx(0.5, abs=1e-3)
    law = Draw.from_theta(Population(10000, sum(made[0])), 0.5).distribution("g_mean")
    assert variance[10] == law.var() < 1e-4
    assert max(variance) < 2e-3
    pmf_values = [baseline["Distribution"](y, 0.5) for y in baseline["Domain"](0.5)]
    assert len(pmf_values) == sum(made[0]) + 1
    assert sum(pmf_values) == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("key", bbl.measure_dictionary)
def test_all_names_of_a_measure_give_one_score(key, made):
    y_true, y_pred = ([*labels[:50], 1, 0] for labels in made)
    spelt = [form for name in bbl.measure_dictionary[key] for form in (name, name.lower(), name.title())]
    scores = {bbl.measure_score(y_true, y_pred, name) for name in spelt}
    assert scores == {bbl.measure_score(y_true, y_pred, key)}
