"""Scores whose expectation depends on the number of samples are never surely below their bar."""

from __future__ import annotations

import json

import numpy as np
import pytest

import clearbar as cb
from clearbar.inference import units as engine
from clearbar.problems.scores import get_score_measure

DEPENDENT = ["ks", "ks_one_sided", "average_precision", "max_f1", "max_accuracy", "max_mcc", "max_kappa",
             "max_balanced_accuracy", "ndcg", "mrr", "hit@3", "ap@10", "ndcg@10"]  # fmt: skip
TWO_SIDED = ["roc_auc", "log_loss", "brier_score", "d2_log_loss", "d2_brier_score", "precision@10",
             "recall@10", "r_precision"]  # fmt: skip

SETS = 60


@pytest.fixture(scope="module")
def blind():
    """Blind scores of 10 positive and 20 negative samples, a model for each test set."""
    generator = np.random.default_rng(4)
    truth = np.arange(30) < 10
    return truth, {str(at): generator.normal(size=30) for at in range(SETS)}


@pytest.mark.slow
def test_blind_rankings_are_never_surely_below(blind, monkeypatch):
    """KS of 10 + 20 was, in 44 % of test sets: its bar is what 30 samples expect, 0 what endless ones do."""
    monkeypatch.setattr(engine, "WORK", 1)  # then there are 999 resamples
    truth, models = blind
    card = cb.evaluate_scores(truth, models, ["ks", "average_precision", "max_f1", "mrr"])
    below = [verdict for verdict in card if verdict.outcome == "fails"]
    assert len(below) > SETS
    assert all(verdict.p_value == 1 for verdict in below)
    assert not any(verdict.sure for verdict in card)
    first = next(verdict for verdict in below if verdict.measure.name == "ks")
    assert "as far off" not in card.explain("ks", first.model)


@pytest.mark.slow
def test_slices_of_blind_rankings_are_not_surely_below_and_no_text_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(engine, "WORK", 1)
    generator = np.random.default_rng(4)
    slices = np.repeat(np.arange(12), 30)
    truth = np.tile(np.arange(30) < 10, 12)
    card = cb.evaluate_scores(truth, generator.normal(size=360), ["ks", "max_accuracy"], by=slices)
    for measure in ("ks", "max_accuracy"):
        found = card.slices(measure)
        assert "below, could be chance" in found.counts
        assert "surely below" not in found.counts
        assert "surely" not in str(found)
    card.to_html(tmp_path / "card.html")
    texts = [str(card), card.to_json(), (tmp_path / "card.html").read_text("utf-8"), card.explain("ks")]
    assert not any("surely below" in text for text in texts)


def test_above_its_bar_a_score_has_twice_the_one_sided_p_as_before(blind):
    truth, models = blind
    scores = 3 * truth + models["0"]
    verdict = cb.evaluate_scores(truth, scores, "ks")[0]
    assert verdict.outcome == "clears"
    assert verdict.p_value < 0.05
    assert verdict.sure


def test_what_the_interval_is_of_stands_beside_it(blind):
    truth, models = blind
    card = cb.evaluate_scores(truth, models["1"], ["ks", "mrr", "roc_auc"])
    ks, mrr, auc = card
    assert "the interval is of what endless samples would give" in ks.reason
    assert "p_value tests the better side alone" in ks.reason
    assert "the interval is of what other samples of this number would give" in mrr.reason
    assert "interval" not in auc.reason
    text = " ".join(str(card).split())
    assert "the interval is of what endless samples would give" in text
    assert "endless samples" in card.explain("ks")
    assert "endless samples" in json.dumps(json.loads(card.to_json()))


@pytest.mark.slow
def test_whole_groups_are_no_surer(blind):
    truth, models = blind
    groups = np.arange(30) // 2
    card = cb.evaluate_scores(truth, models, ["ks"], clusters=groups)
    below = [verdict for verdict in card if verdict.outcome == "fails"]
    assert below
    assert all(verdict.p_value == 1 for verdict in below)


@pytest.mark.parametrize("name", DEPENDENT)
def test_measures_say_that_their_expectation_depends_on_the_number_of_samples(name):
    assert get_score_measure(name).interval_of


@pytest.mark.parametrize("name", TWO_SIDED)
def test_measures_say_that_it_does_not(name):
    """A blind score then expects the same at any size, brute force: the bar at twice the samples."""
    measure = get_score_measure(name)
    assert not measure.interval_of
    if not name.startswith("recall"):  # of twice the samples the first ten are half of the share
        assert measure.expected(60, 20) == pytest.approx(measure.expected(30, 10), rel=1e-9)


def test_the_expectation_of_the_others_does_depend_on_it():
    for name in DEPENDENT[:-1]:  # NDCG of the first ten has the share of positives where there are as many
        measure = get_score_measure(name)
        assert abs(measure.expected(240, 80) - measure.expected(30, 10)) > 1e-3, name


def test_nobody_said_so_of_a_measure_of_one_s_own():
    own = cb.ScoreMeasure("own", lambda r: r.positives[..., 0] / r.sizes[0], expected=lambda m, p: p / m)
    assert own.interval_of
