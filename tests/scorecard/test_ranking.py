"""All pairs of models: corrected p-values, who cannot be told apart, and draws that grow with the models."""

import itertools
import math

import numpy as np
import pytest

import clearbar as cb
from clearbar.inference import differences
from clearbar.scorecard._ranking import _runs
from clearbar.verdict import holm


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


TRIES = 300
"""Times the least p-value of 9,999 resamples, 2e-4, that is 0.06."""

SAMPLES = 90
CLUSTERS = np.random.default_rng(4).permutation(SAMPLES) // 3


NUMBERS = np.random.default_rng(1).normal(size=SAMPLES)
SETS = np.random.default_rng(2).random((SAMPLES, 5)) < 0.4
THIRD = (np.arange(SAMPLES) % 3 == 0).astype(int)
RANKED = 0.8 * THIRD + 0.1 * np.random.default_rng(3).random(SAMPLES)

KINDS = {
    "numbers": (cb.evaluate_regression, "mae", NUMBERS, NUMBERS, None),
    "numbers in clusters": (cb.evaluate_regression, "mae", NUMBERS, NUMBERS, np.arange(SAMPLES) // 2),
    "label sets": (cb.evaluate_multilabel, "f1_macro", SETS, SETS, None),
    "label sets in clusters": (cb.evaluate_multilabel, "f1_samples", SETS, SETS, CLUSTERS),
    "average precision": (cb.evaluate_scores, "average_precision", THIRD, RANKED, None),
    "brier": (cb.evaluate_scores, "brier", THIRD, RANKED, None),
    "scores in clusters": (cb.evaluate_scores, "roc_auc", THIRD, RANKED, CLUSTERS),
    "two classes in clusters": (cb.evaluate, "f1", THIRD, THIRD, CLUSTERS),
    "runs": (cb.evaluate, "f1", THIRD, np.stack([THIRD] * 3), None),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_perfect_model_is_sure_however_many_were_tried(kind):
    judge, measure, truth, perfect, clusters = KINDS[kind]
    more = {} if clusters is None else {"clusters": clusters}
    (verdict,) = judge(truth, perfect, measure, tries=TRIES, **more)
    assert verdict.sure
    assert verdict.p_corrected <= 0.05
    for sides, draws in ((2, verdict.p_draws), (1, verdict.p_blind_draws)):
        assert not draws or TRIES * sides / (draws + 1) < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "label sets"])
def test_the_perfect_one_of_many_models_is_sure(kind):
    """With 12 models at this level the least p-value of 9,999 resamples, 12 times 2e-4, is 0.0024."""
    judge, measure, truth, perfect, clusters = KINDS[kind]
    rng, more = np.random.default_rng(2), {} if clusters is None else {"clusters": clusters}
    samples = 1 if kind == "runs" else 0
    blind = {f"blind {at}": rng.permutation(perfect, axis=samples) for at in range(11)}
    card = judge(truth, {"perfect": perfect} | blind, measure, confidence_level=0.998, **more)
    assert card[0].sure
    assert not any(verdict.sure for verdict in list(card)[1:])


@pytest.mark.slow
def test_models_whose_samples_allow_few_draws():
    """Of 9,000 samples there are 2,222 resamples: 60 times 2/2,223 is 0.054."""
    rng = np.random.default_rng(3)
    truth = rng.normal(size=9_000)
    card = cb.evaluate_regression(truth, {"perfect": truth, "blind": rng.permutation(truth)}, "mse", tries=30)
    assert card[0].sure
    assert card[0].p_draws > 20_000
    assert card[1].p_draws == 2_222
