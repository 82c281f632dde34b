"""All pairs of models: corrected p-values, and which models cannot be told apart."""

import itertools
import math

import numpy as np
import pytest

import clearbar as cb
from clearbar.scorecard._ranking import _runs


@pytest.fixture(scope="module")
def card():
    rng = np.random.default_rng(1)
    y_true = (rng.random(500) < 0.4).astype(int)
    rights = {"fair": 0.78, "best": 0.9, "poor": 0.55, "also fair": 0.77}
    models = {name: np.where(rng.random(500) < right, y_true, 1 - y_true) for name, right in rights.items()}
    models["silent"] = np.zeros(500, dtype=int)
    return cb.evaluate(y_true, models, ["mcc", "fnr"], intervals=False)


def test_pairs_have_the_p_values_of_comparisons_and_holms_correction(card):
    found = card.ranking("mcc")
    assert (found.models[0], found.models[3], found.left_out) == ("best", "poor", ("silent",))
    assert (np.diff(found.scores) <= 0).all()
    assert (np.diff(card.ranking("fnr").scores) >= 0).all(), "of a loss the least is best"
    pairs = list(itertools.combinations(range(4), 2))
    drawn = [card.compare(found.models[a], found.models[b], "mcc").p_value for a, b in pairs]
    raw = [found.p_values[pair] for pair in pairs]
    assert raw == pytest.approx(drawn, abs=0.02)
    assert min(raw) < min(drawn) == 1 / 10_000, "a normal p-value, where tables only show how few they are"
    largest = 0.0
    for step, at in enumerate(np.argsort(raw)):  # Holm, by hand
        largest = max(largest, min(1.0, raw[at] * (len(raw) - step)))
        assert found.p_corrected[pairs[at]] == pytest.approx(largest, rel=1e-9)
    assert (found.p_values == found.p_values.T).all()


def test_models_that_cannot_be_told_apart_share_a_letter(card):
    found = card.ranking("mcc")
    assert found.groups == ((1, 2),)
    assert found.letters == ("–", "a", "a", "–")
    assert found.best == ("best",)
    text = str(found)
    assert text.startswith("best is surely the best of 4 models in MCC (p corrected for 6 pairs).")
    assert "Same letter: no difference shown.\nWithout a score: silent." in text
    assert {*found.to_dict()["groups"][0]} == {"fair", "also fair"}


def test_two_models_that_are_alike_are_named_as_two():
    card = cb.evaluate([1, 0, 1, 0], {"a": [1, 0, 1, 1], "b": [1, 0, 0, 0]}, "f1")
    said = "No difference shown in F1 between the two models"
    assert card.ranking("f1").sentence == f"{said} (p corrected for 1 pair)."
    assert pytest.importorskip("clearbar.plots").RankingDisplay.from_scorecard(card).finding == said


def test_runs_are_the_longest_without_two_that_differ():
    rng = np.random.default_rng(0)
    pairs = list(itertools.combinations(range(7), 2))
    for _ in range(200):
        alike = rng.random((7, 7)) < 0.7
        alike |= alike.T
        wanted = [
            (a, b)
            for a, b in pairs
            if all(alike[i, j] for i, j in itertools.combinations(range(a, b + 1), 2))
        ]
        longest = [
            run for run in wanted if not any(o != run and o[0] <= run[0] and run[1] <= o[1] for o in wanted)
        ]
        assert list(_runs(alike)) == longest


def test_a_ranking_needs_two_models_with_a_score():
    card = cb.evaluate([1, 0, 1, 0], {"a": [1, 0, 1, 1], "b": [0, 0, 0, 0]}, ["mcc", "prevalence"])
    with pytest.raises(ValueError, match="a ranking needs two or more models with a score; found 1"):
        card.ranking("mcc")
    with pytest.raises(ValueError, match="no better end"):
        card.ranking("prevalence")


def test_the_picture_joins_models_that_cannot_be_told_apart(card):
    pytest.importorskip("matplotlib")
    display = cb.plots.RankingDisplay.from_scorecard(card, "mcc")
    assert len(display.points_) == 4
    assert len(display.groups_) == 1
    assert list(display.groups_[0].get_ydata()) == [0.78, 2.22]
    assert display.description.startswith("best is surely the best of 4 models")
    assert math.isclose(display.bar, 0.0)
    with pytest.raises(ValueError, match="card must be a Scorecard"):
        cb.plots.RankingDisplay.from_scorecard("card")
