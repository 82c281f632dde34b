"""A p-value that is the least its random draws can tell is a bound, and written so."""

import json
import math

import numpy as np
import pytest

import clearbar as cb
from clearbar.verdict import is_bound

CLUSTERS = np.repeat(np.arange(40), 3)
TRUTH = np.random.default_rng(1).integers(3, size=120)


@pytest.fixture(scope="module")
def card():
    called = np.where(np.random.default_rng(2).random(120) < 0.9, TRUTH, 0)
    return cb.evaluate_multiclass(TRUTH, called, "f1_macro", clusters=CLUSTERS)


def test_text_tables_and_data_say_at_most(card):
    (verdict,) = card
    assert verdict.p_sure == 2 / (verdict.p_draws + 1)
    assert verdict.p_is_bound
    assert "(p ≤ 0.00020)" in str(verdict)
    for text in (card.to_text(), card.to_markdown(), card._repr_html_()):
        assert "≤0.00020" in text
    assert "is at most 0.00020" in card.explain("f1_macro")
    (row,) = json.loads(card.to_json())["rows"]
    assert (row["p_corrected"], row["p_is_bound"]) == (verdict.p_sure, True)
    assert not cb.evaluate([0, 1] * 20, [0, 1] * 20, "accuracy")[0].p_is_bound


@pytest.mark.parametrize(
    ("p", "blind", "draws", "blind_draws", "bound"),
    [
        (2e-4, 1e-9, 9_999, 0, True),
        (1e-9, 1e-4, 0, 9_999, True),
        (4e-4, 1e-4, 9_999, 9_999, False),  # the blind one is a bound, and does not decide
        (2e-4, 3e-4, 9_999, 0, False),
        (2e-4, 3e-4, 0, 0, False),
        (math.nan, 1e-4, 0, 9_999, False),  # neither is the larger where one is not known
        (0.5, math.nan, 9_999, 0, False),
    ],
)
def test_the_larger_p_decides(p, blind, draws, blind_draws, bound):
    assert bool(is_bound(p, blind, draws, blind_draws)) is bound


def test_draws_grow_with_the_number_of_tries():
    truth = np.arange(60) % 3
    pairs = np.arange(60) // 6 * 3 + np.arange(60) % 3  # each of 30 clusters holds one class twice
    few, many = (
        cb.evaluate_multiclass(truth, truth, "f1_macro", clusters=pairs, tries=tries)[0] for tries in (1, 500)
    )
    assert few.p_draws == 9_999
    assert few.p_sure * 500 > 0.05 > many.p_corrected
    assert many.sure
    assert many.p_draws >= 20 * 500 / 0.05


@pytest.mark.slow
def test_draws_grow_with_the_number_of_models():
    rng = np.random.default_rng(0)
    truth = np.arange(150) % 25
    models = {name: np.where(rng.random(150) < 0.9, truth, 0) for name in ("one", "other")}
    coarse = cb.evaluate_multiclass(truth, models["one"], "mcc")[0]
    assert (coarse.p_method, coarse.p_draws) == ("bootstrap", 9_999)
    card = cb.evaluate_multiclass(truth, models, "mcc", confidence_level=0.9997)
    assert all(verdict.p_draws >= 20 * 2 / 0.0003 for verdict in card)
    assert all(verdict.sure for verdict in card)


def test_what_draws_cannot_tell_is_said():
    labels, odd, pairs = [0, 1, 2] * 20, np.arange(60) % 2, np.arange(60) // 2
    card = cb.evaluate(labels, labels, "f1_macro", by=odd, clusters=pairs, tries=2_000)
    verdict = card[1]
    assert not verdict.sure
    assert verdict.p_is_bound
    assert verdict.reason.endswith(
        f"not resolvable below {verdict.p_corrected:.2g} with so many random draws"
    )
