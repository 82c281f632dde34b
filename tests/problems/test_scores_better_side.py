"""Scores whose expectation depends on the number of samples are never surely below their bar."""

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
@pytest.mark.parametrize("clusters", [None, np.arange(30) // 2])
def test_blind_rankings_are_never_surely_below(blind, clusters, monkeypatch):
    """KS of 10 + 20 was, in 44 % of test sets: its bar is what 30 samples expect, 0 what endless ones do."""
    monkeypatch.setattr(engine, "WORK", 1)  # then there are 999 resamples
    truth, models = blind
    names = ["ks"] if clusters is not None else ["ks", "average_precision", "max_f1", "mrr"]
    card = cb.evaluate_scores(truth, models, names, clusters=clusters)
    below = [verdict for verdict in card if verdict.outcome == "fails"]
    assert len(below) > SETS / 4
    assert all(verdict.p_value == 1 for verdict in below)
    assert clusters is not None or not any(verdict.sure for verdict in card)
    above = cb.evaluate_scores(truth, 3 * truth + models["0"], "ks")[0]
    assert above.outcome == "clears"
    assert above.sure


@pytest.mark.slow
def test_slices_of_blind_rankings_are_not_surely_below_and_no_text_says_so(monkeypatch):
    monkeypatch.setattr(engine, "WORK", 1)
    generator, truth = np.random.default_rng(4), np.tile(np.arange(30) < 10, 12)
    card = cb.evaluate_scores(truth, generator.normal(size=360), "ks", by=np.repeat(np.arange(12), 30))
    found = card.slices("ks")
    assert "below, could be chance" in found.counts
    assert "surely below" not in found.counts
    texts = [str(found), str(card), card.to_json(), card.explain("ks"), card._repr_html_()]
    assert not any("surely below" in text for text in texts)


def test_what_the_interval_is_of_stands_beside_it(blind):
    truth, models = blind
    card = cb.evaluate_scores(truth, models["1"], ["ks", "mrr", "roc_auc"])
    endless, ks, mrr, auc = "the interval is of what endless samples would give", *card
    assert endless in ks.reason
    assert "p_value tests the better side alone" in ks.reason
    assert "the interval is of what other samples of this number would give" in mrr.reason
    assert "interval" not in auc.reason
    assert "endless samples" in card.explain("ks")
    assert endless in card.to_json()


@pytest.mark.parametrize("name", [*DEPENDENT, *TWO_SIDED])
def test_measures_say_whether_their_expectation_depends_on_the_number_of_samples(name):
    """Brute force: the bar at more samples of the same share."""
    measure = get_score_measure(name)
    small, large = measure.expected(30, 10), measure.expected(240, 80)
    assert bool(measure.interval_of) == (name in DEPENDENT)
    if name in DEPENDENT:  # NDCG of the first ten has the share of positives where there are as many
        assert abs(large - small) > 1e-3 or name == "ndcg@10"
    elif not name.startswith("recall"):  # of more samples the first ten are a smaller share
        assert large == pytest.approx(small, rel=1e-9)
