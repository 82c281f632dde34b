"""Runs of one model of many classes: judged by their mean score, on samples that they share."""

import itertools

import numpy as np
import pytest
from sklearn import metrics

import clearbar as cb

TRUTH = np.repeat(["a", "b", "c"], [40, 30, 20])


def test_labels_are_permuted_for_all_runs_together():
    truth = np.array(list("aaabbc"))
    runs = np.array([list("aabbbc"), list("abacbc")])
    orders = sorted(set(itertools.permutations(truth.tolist())))
    means = np.array(
        [np.mean([metrics.f1_score(order, run, average="macro") for run in runs]) for order in orders]
    )
    row = cb.evaluate(truth, runs, "f1_macro")[0]
    exact = np.mean(means >= row.score - 1e-12)
    assert row.p_value_blind == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 9_999) ** 0.5)
    assert "fewer than 5 samples" in row.reason
    assert "that of accuracy is known" not in row.reason  # runs have no exact test


def test_classes_that_no_run_ever_misses_may_be_missed_unseen():
    """Accuracy of perfect runs: no rates are refuted that show no failure with a probability of 0.025."""
    verdict = cb.evaluate(TRUTH, np.stack([TRUTH, TRUTH]), "accuracy")[0]
    assert verdict.low == pytest.approx(0.025 ** (1 / 90))


def test_runs_of_two_models_are_compared_sample_by_sample():
    truth = np.array(list("aaabbb"))
    a, b = (np.array([list(run) for run in pair]) for pair in (("aaabbb", "aaabba"), ("aabbaa", "abbaba")))
    differences = []
    for swap in itertools.product((False, True), repeat=6):
        one, two = np.where(swap, b, a), np.where(swap, a, b)
        differences.append((one == truth).mean() - (two == truth).mean())
    card = cb.evaluate_multiclass(truth, {"a": a, "b": b}, "accuracy")
    found = card.compare("a", "b", "accuracy", null="exchangeable")
    assert found.score_difference == pytest.approx(differences[0])
    exact = np.mean(np.abs(differences) >= abs(found.score_difference) - 1e-12)
    assert found.p_value == pytest.approx(exact)
