"""Rankings of many models: what resamples cannot resolve is said, and what they can is found."""

import numpy as np
import pytest

import clearbar as cb
from clearbar.inference import differences
from clearbar.verdict import holm


def flipped(rng, truth):
    return np.where(rng.random(truth.shape) < 0.3, 1 - truth, truth)


def swapped(rng, truth):
    return np.where(rng.random(len(truth)) < 0.6, truth, rng.permutation(truth))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("measure", "truth", "others", "model"),
    [
        ("mae", np.linspace(-2, 2, 150), 33, lambda rng, truth: truth + rng.normal(size=150)),
        ("f1_micro", (np.arange(750) % 7 < 3).astype(int).reshape(150, 5), 33, flipped),
        ("f1_macro", np.arange(150) % 3, 33, swapped),
        ("f1_macro", np.arange(150) % 14, 14, swapped),
    ],
    ids=["numbers", "sets", "three classes", "more classes"],
)
def test_a_perfect_model_among_many_is_the_best(measure, truth, others, model):
    """The least of 9,999 swaps, 1e-4, times 561 pairs was above 0.05, so that nobody was best."""
    rng = np.random.default_rng(1)
    models = {f"m{at}": model(rng, truth) for at in range(others)} | {"perfect": truth}
    found = cb.evaluate(truth, models, measure, intervals=False).ranking()
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


def test_pairs_of_a_ranking_have_the_p_values_of_comparisons_and_twins_are_alike():
    rng = np.random.default_rng(3)
    y = rng.normal(size=80)
    widths = dict(zip("abcd", (1, 1.2, 1.4, 1.5), strict=True))
    models = {name: y + width * rng.normal(size=80) for name, width in widths.items()}
    card = cb.evaluate(y, models | {"twin": models["d"]}, "mae", intervals=False)
    found = card.ranking()
    for at, other in ((0, 1), (0, 2), (1, 3), (2, 3)):
        alone = card.compare(found.models[at], found.models[other], "mae").p_value
        assert found.p_values[at, other] == pytest.approx(alone, rel=0.25, abs=0.002)
    upper = np.triu_indices(5, 1)
    assert found.p_corrected[upper] == pytest.approx(holm(found.p_values[upper]))
    twins = [found.models.index(name) for name in ("d", "twin")]
    assert found.p_values[tuple(twins)] == 1


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
