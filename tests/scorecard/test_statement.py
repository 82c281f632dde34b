"""A scorecard as a paper, a tracker and a model card take it: every number is one of the scorecard."""

import functools
import math
import re

import numpy as np
import pytest

import clearbar as cb
from clearbar.scorecard._statement import GUIDELINES, NOT_KNOWN

Y = np.tile([1, 1, 0, 0, 0], 40)
MODELS = {"tree 7": np.roll(Y, 5) ^ (np.arange(200) % 9 == 0), "always": np.ones(200, int)}
SCORES = np.linspace(0, 1, 200) * 0.6 + 0.4 * Y
CARDS = {
    "two models": lambda: cb.evaluate(Y, MODELS, ["f1", "mcc", "accuracy", "recall"]),
    "scores": lambda: cb.evaluate_scores(Y, SCORES, ["roc_auc", "log_loss"]),
    "classes": lambda: cb.evaluate_multiclass(Y + (np.arange(200) % 3 == 0), Y, ["accuracy", "f1_macro"]),
    "numbers": lambda: cb.evaluate_regression(SCORES, SCORES + 0.1 * np.sin(np.arange(200)), ["mae", "r2"]),
    "folds": lambda: cb.evaluate_folds(Y, MODELS["tree 7"], np.arange(200) % 5, "f1"),
    "clusters": lambda: cb.evaluate(Y, MODELS["tree 7"], "mcc", clusters=np.arange(200) // 4),
    "no value": lambda: cb.evaluate([0, 0, 0], [0, 0, 1], ["recall", "accuracy"]),
    "slices": lambda: cb.evaluate(Y, MODELS["tree 7"], "f1", by=np.arange(200) % 2, tries=3),
}


@functools.cache
def card_of(name):
    return CARDS[name]()


def numbers_of(value):
    if isinstance(value, dict):
        return [number for item in value.values() for number in numbers_of(item)]
    if isinstance(value, (list, tuple)):
        return [number for item in value for number in numbers_of(item)]
    return [float(value)] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


@pytest.mark.parametrize("name", CARDS)
def test_every_number_of_a_statement_stands_in_the_dictionary(name):
    card = card_of(name)
    document, said = card.to_dict(), card.statement()
    known = numbers_of(document)
    text = f"{said.methods} {said.results}".replace(f"clearbar {document['clearbar']}", "").replace("−", "-")
    for words in (*card.models, *(measure.label for measure in card.measures), "one minus"):
        text = text.replace(words, "")
    found = re.findall(r"([<>] )?(-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?)", text)
    assert found
    for sign, digits in found:
        value = float(digits.replace(",", ""))
        places = len(digits.partition("e")[0].partition(".")[2]) - int(digits.partition("e")[2] or 0)
        if sign:
            assert any(number < value if sign == "< " else number > value for number in known), digits
        else:
            assert any(abs(number - value) <= 0.5001 * 10.0**-places for number in known), (digits, text)


@pytest.mark.parametrize("style", GUIDELINES)
def test_a_checklist_names_every_item_and_fills_in_what_predictions_tell(style):
    said = card_of("two models").statement(style)
    items = [item.partition(" ")[0] for item, _ in said.checklist]
    assert items == list(GUIDELINES[style].items)
    filled = {item.partition(" ")[0] for item, text in said.checklist if text != NOT_KNOWN}
    assert filled == {item for item, kind in GUIDELINES[style].answers.items() if kind != "clusters"}
    assert len(items) == {"plain": 0, "tripod+ai": 52, "claim": 44, "neurips": 16}[style]
    assert said.source in str(said)
    # Its texts are paragraphs: columns of one line each would leave the page.
    assert (r"\linewidth}@{}}" in said.to_latex()) == (style != "plain")
    assert ("| item" in said.to_markdown()) == (style != "plain")


def test_clusters_models_and_tries_are_said():
    assert "Clusters of samples are taken to be independent" in card_of("clusters").statement().methods
    assert (
        dict(card_of("clusters").statement("tripod+ai").checklist)["12d Heterogeneity across clusters"]
        != NOT_KNOWN
    )
    assert "all models together (Holm)" in card_of("two models").statement().methods
    assert "best of (Bonferroni)" in card_of("slices").statement().methods
    assert "is not judged" in card_of("no value").statement().results
    with pytest.raises(
        ValueError, match=r"style must be 'plain', 'tripod\+ai', 'claim' or 'neurips'; found 'x'"
    ):
        card_of("no value").statement("x")


@pytest.mark.parametrize("name", CARDS)
def test_a_flat_dictionary_has_the_numbers_of_the_rows_and_names_that_trackers_take(name):
    card = card_of(name)
    flat = card.to_flat_dict()
    assert all(re.fullmatch(r"[\w. /-]+", key) for key in flat)
    assert all(type(value) is float and math.isfinite(value) for value in flat.values())
    scores = [value for key, value in flat.items() if key.endswith("/score")]
    assert scores == [row["score"] for row in card.to_dict()["rows"] if row["score"] is not None]


def test_names_that_trackers_cannot_tell_apart_are_numbered():
    models = {"org/a": MODELS["tree 7"], "org:a": MODELS["always"], "org_a": Y}
    flat = cb.evaluate(Y, models, ["f1", "mcc"]).to_flat_dict()
    scores = [flat[f"{name}/f1/score"] for name in ("org_a", "org_a_2", "org_a_3")]
    assert scores == [cb.evaluate(Y, labels, "f1")[0].score for labels in models.values()]


def test_a_model_index_has_each_model_with_its_scores():
    card = card_of("two models")
    index = card.to_model_index(
        {"name": "Wards", "type": "org/wards", "split": "test"}, task="text-classification"
    )
    assert [entry["name"] for entry in index] == list(card.models)
    result = index[0]["results"][0]
    assert result["dataset"] == {"name": "Wards", "type": "org/wards", "split": "test"}
    assert [metric["value"] for metric in result["metrics"]] == [row.score for row in card][:4]
    assert result["metrics"][0]["args"]["bar"] == float(card[0].baseline.value)
    with pytest.raises(
        ValueError, match='dataset must be a name, or a mapping with "name" and "type"; found 3'
    ):
        card.to_model_index(3)
