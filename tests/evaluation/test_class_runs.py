"""Runs of one model of many classes: judged by their mean score, on samples that they share."""

import itertools

import numpy as np
import pytest

import clearbar as cb

metrics = pytest.importorskip("sklearn.metrics")

RNG = np.random.default_rng(5)
TRUTH = np.repeat(["a", "b", "c"], [40, 30, 20])
RUNS = np.stack([np.where(RNG.random(90) < 0.5, TRUTH, RNG.permutation(TRUTH)) for _ in range(3)])


def macro_f1(truth, predicted):
    return metrics.f1_score(truth, predicted, average="macro")


def test_the_score_is_the_mean_over_runs_and_its_spread_is_told():
    verdict = cb.evaluate(TRUTH, RUNS, "f1_macro")[0]
    own = [macro_f1(TRUTH, run) for run in RUNS]
    assert verdict.score == pytest.approx(np.mean(own))
    assert (verdict.runs, verdict.share_clearing) == (3, 1)
    assert verdict.score_sd == pytest.approx(np.std(own, ddof=1))
    assert verdict.low < verdict.score < verdict.high
    assert "samples and runs" in verdict.reason


def test_labels_are_permuted_for_all_runs_together():
    truth = np.array(list("aaabbc"))
    runs = np.array([list("aabbbc"), list("abacbc")])
    orders = sorted(set(itertools.permutations(truth.tolist())))
    means = np.array([np.mean([macro_f1(order, run) for run in runs]) for order in orders])
    row = cb.evaluate(truth, runs, "f1_macro")[0]
    exact = np.mean(means >= row.score - 1e-12)
    assert row.p_value_blind == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 9_999) ** 0.5)
    assert "fewer than 5 samples" in row.reason
    assert "that of accuracy is known" not in row.reason  # runs have no exact test


def test_two_equal_runs_are_as_sure_as_one_in_any_order_of_the_samples():
    """Resamples of samples alone: what one run's bootstrap of each class says, but for its randomness."""
    names, order = ["balanced_accuracy", "f1_macro", "kappa_quadratic"], RNG.permutation(90)
    one = cb.evaluate(TRUTH, RUNS[0], names)
    both = cb.evaluate(TRUTH, np.stack([RUNS[0], RUNS[0]]), names)
    turned = cb.evaluate(TRUTH[order], np.stack([RUNS[0], RUNS[0]])[:, order], names)
    for single, double, again in zip(one, both, turned, strict=True):
        assert double.score == pytest.approx(single.score)
        assert (double.low, double.high) == pytest.approx((single.low, single.high), abs=0.02)
        assert (double.low, double.high) == (again.low, again.high)
        assert double.p_value_blind == pytest.approx(single.p_value_blind, abs=1e-3)


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


def test_whole_groups_are_drawn_with_all_their_runs():
    card = cb.evaluate(TRUTH, RUNS, "f1_macro", by=np.arange(90) % 2, clusters=np.arange(90) // 3)
    assert [verdict.runs for verdict in card] == [3, 3, 3]
    assert "30 groups and runs" in card[0].reason
    assert card[0].score == pytest.approx(np.mean([macro_f1(TRUTH, run) for run in RUNS]))
    runs = np.stack([RUNS[0], np.full(90, "a")])  # MCC of a run that calls all samples one class
    verdict = cb.evaluate(TRUTH, runs, "mcc", clusters=np.arange(90) // 3)[0]
    assert (verdict.outcome, verdict.reason) == ("undefined", "MCC has no value in some of the runs")


def test_a_list_of_arrays_does_not_say_whether_they_are_models_or_runs():
    for judge in (cb.evaluate, cb.evaluate_multiclass):
        with pytest.raises(ValueError, match="name the models in a dict, or stack runs of one model"):
            judge(TRUTH, list(RUNS), "accuracy")
