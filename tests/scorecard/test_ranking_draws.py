"""Rankings of many models: what resamples cannot resolve is said, and what they can is found."""

from __future__ import annotations

import numpy as np
import pytest

import clearbar as cb
from clearbar.inference import differences
from clearbar.verdict import holm


def of_numbers(rng):
    y = rng.normal(size=150)
    return y, lambda: y + rng.normal(size=150), "mae"


def of_sets(rng):
    y = (rng.random((150, 5)) < 0.4).astype(int)
    return y, lambda: np.where(rng.random((150, 5)) < 0.3, 1 - y, y), "f1_micro"


def of_classes(rng):
    y = rng.integers(0, 3, 150)
    return y, lambda: np.where(rng.random(150) < 0.6, y, rng.integers(0, 3, 150)), "f1_macro"


def of_more_classes(rng):
    y = np.arange(150) % 14
    return y, lambda: np.where(rng.random(150) < 0.6, y, rng.integers(0, 14, 150)), "f1_macro"


@pytest.mark.slow
@pytest.mark.parametrize("kind", [of_numbers, of_sets, of_classes, of_more_classes])
def test_a_perfect_model_among_many_is_the_best(kind):
    """The least of 9,999 swaps, 1e-4, times 561 pairs was above 0.05, so that nobody was best."""
    y, model, name = kind(np.random.default_rng(1))
    others = 14 if kind is of_more_classes else 33
    models = {f"m{at}": model() for at in range(others)} | {"perfect": y}
    found = cb.evaluate(y, models, name, intervals=False).ranking()
    assert found.best == ("perfect",)
    assert found.p_corrected[0, 1] < 0.01
    assert not found.unresolved


def test_where_resamples_cannot_decide_the_ranking_says_so(monkeypatch):
    monkeypatch.setattr(differences, "MOST_DRAWS", 200)
    monkeypatch.setattr(differences, "portions", lambda _: [200])
    rng = np.random.default_rng(2)
    y = rng.normal(size=60)
    models = {f"m{at}": y + rng.normal(size=60) for at in range(8)} | {"good": y + rng.normal(size=60) / 2.2}
    found = cb.evaluate(y, models, "mae", intervals=False).ranking()
    assert found.least_p == 1 / 201
    assert found.unresolved
    assert "not resolvable: p below 0.0050 takes more resamples than were drawn." in str(found)
    assert found.to_dict()["unresolved"] == found.unresolved


def test_pairs_of_a_ranking_have_the_p_values_of_comparisons():
    rng = np.random.default_rng(3)
    y = rng.normal(size=80)
    models = {
        name: y + width * rng.normal(size=80) for name, width in zip("abcd", (1, 1.2, 1.4, 1.5), strict=True)
    }
    card = cb.evaluate(y, models, "mae", intervals=False)
    found = card.ranking()
    for at, other in ((0, 1), (0, 2), (1, 3), (2, 3)):
        alone = card.compare(found.models[at], found.models[other], "mae").p_value
        assert found.p_values[at, other] == pytest.approx(alone, rel=0.25, abs=0.002)
    upper = np.triu_indices(4, 1)
    assert found.p_corrected[upper] == pytest.approx(holm(found.p_values[upper]))


def test_models_that_are_the_same_are_alike_in_a_ranking():
    rng = np.random.default_rng(4)
    y = rng.normal(size=50)
    one = y + rng.normal(size=50)
    found = cb.evaluate(y, {"a": one, "b": one.copy(), "c": 3 * one}, "mae", intervals=False).ranking()
    assert found.p_values[0, 1] == 1
    assert found.groups == ((0, 1),)


@pytest.mark.parametrize("name", ["average_precision", "medae"])
def test_other_scores_are_ranked_by_shared_resamples(name):
    rng = np.random.default_rng(5)
    y = np.arange(120) % 2
    models = {f"m{at}": y + (0.5 + at / 4) * rng.normal(size=120) for at in range(6)}
    evaluate = cb.evaluate_scores if name == "average_precision" else cb.evaluate_regression
    card = evaluate(y, models, name, intervals=False)
    found = card.ranking()
    alone = card.compare(found.models[0], found.models[-1], name)
    assert alone.better == found.models[0]
    assert found.p_corrected[0, -1] < 0.05 < found.p_corrected[-2, -1]
