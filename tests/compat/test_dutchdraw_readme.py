"""The older README's examples print what it prints, and the page's new calls give what the old ones did."""

import random
from pathlib import Path

import numpy as np
import pytest

import clearbar as cb
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


PAGE = (Path(__file__).parents[2] / "docs" / "migrating_from_dutchdraw.md").read_text(encoding="utf-8")
Y, P = [1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0, 0]
KNOWN = {"cb": cb, "bbl": bbl, "y": Y, "p": P, "s": 0.5, "sorted": sorted, "float": float}
LAW = 'cb.Draw.from_theta(cb.Population.from_labels(y), 0.3).distribution("G2")'

PAIRS = [
    ('measure_score(y, p, "MK")', 'cb.score(y, p, "MK")'),
    ('measure_score(y, p, "FBETA", beta=2)', 'cb.score(y, p, "f2")'),
    ('optimized_baseline_statistics(y, "ACC")["Max Expected Value"]', 'cb.baseline(y, "ACC").max.value'),
    ('optimized_baseline_statistics(y, "ACC")["Max Expected Value"]', 'float(cb.baseline(y, "ACC"))'),
    ('baseline_functions(y, "G2")["Expectation Function"](0.3)', 'cb.baseline(y, "G2").expectation(0.3)'),
]


def run(code):
    return eval(code, KNOWN)  # noqa: S307 - the page's own code


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_pairs(old, new):
    assert f"`{old}`" in PAGE
    assert new in PAGE
    assert run(f"bbl.{old}") == pytest.approx(run(new), rel=1e-14)


def test_the_law():
    assert f"law = {LAW}" in PAGE
    law = run(LAW)
    functions = bbl.baseline_functions(Y, "G2")
    assert functions["Variance Function"](0.3) == law.var()
    assert functions["Distribution"](functions["Domain"](0.3)[1], 0.3) == law.pmf(law.atoms()[0][1])
    assert functions["Domain"](0.3) == law.atoms()[0].tolist()
    assert bbl.baseline_functions_given_theta(0.3, Y, "G2") == {"Mean": law.mean(), "Variance": law.var()}


def test_optimal_shares_and_predictions():
    draws = cb.baseline(Y, "MCC").max.predicted_positives
    shares = bbl.optimized_baseline_statistics(Y, "MCC")["Argmax Expected Value"]
    assert shares == [k / 8 for part in draws for k in part]
    new = 'cb.baseline(y, "ACC").draw().predict(random_state=0)'
    assert new in PAGE
    assert bbl.classifier(Y, "max", "ACC") == run(new).tolist()
    new = cb.baseline(Y, "G2").draw().predict(random_state=0)
    assert bbl.classifier(Y, "max", "G2", random_state=0) == new.tolist()
