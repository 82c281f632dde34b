"""The calls that the page of migration sets beside each other give the same."""

from pathlib import Path

import pytest

import clearbar as cb
from clearbar.compat import dutchdraw as bbl

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
