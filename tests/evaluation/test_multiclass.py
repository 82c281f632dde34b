"""evaluate_multiclass as its users call it: text labels, tables, slices, clusters, bad input."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import metrics

import clearbar as cb

RNG = np.random.default_rng(11)
TRUTH = np.repeat(["cat", "cow", "dog"], [60, 25, 40])
GOOD = np.where(RNG.random(125) < 0.7, TRUTH, RNG.permutation(TRUTH))
BLIND = RNG.permutation(TRUTH)


@pytest.fixture(scope="module")
def card():
    return cb.evaluate(TRUTH, {"good": GOOD, "blind": BLIND})


def test_evaluate_sees_more_than_two_labels(card):
    assert [measure.name for measure in card.measures] == [
        "accuracy", "balanced_accuracy", "f1_macro", "f1_weighted", "mcc",
    ]  # fmt: skip
    good = {v.measure.name: v for v in card if v.model == "good"}
    assert good["f1_macro"].score == pytest.approx(metrics.f1_score(TRUTH, GOOD, average="macro"))
    assert good["mcc"].score == pytest.approx(metrics.matthews_corrcoef(TRUTH, GOOD))
    assert all(v.sure for v in good.values())
    assert good["accuracy"].baseline.value == 60 / 125
    assert good["f1_macro"].baseline.value == pytest.approx(1 / 3)
    for v in card:
        assert v.low <= v.score <= v.high
        assert (v.low > v.baseline.value) == (v.p_value <= 0.05 and v.score > v.baseline.value)


def test_frames_lists_and_matrices_are_the_same(card):
    models = {"good": GOOD, "blind": BLIND}
    for truth, predictions in (
        (pd.Series(TRUTH), pd.DataFrame(models)),
        (pl.Series(TRUTH), pl.DataFrame(models)),
        (pd.Series(TRUTH, dtype="category"), {"good": GOOD.tolist(), "blind": BLIND.tolist()}),
    ):
        own = cb.evaluate(truth, predictions, intervals=False)
        np.testing.assert_array_equal(own.columns["score"], card.columns["score"])
    labels, dense = ["cat", "cow", "dog"], metrics.confusion_matrix(TRUTH, GOOD)
    whole = cb.ConfusionMatrix.from_labels(TRUTH, GOOD)
    assert (whole.to_array() == dense).all()
    for matrix in (
        cb.ConfusionMatrix(dense.tolist(), labels=labels),
        cb.ConfusionMatrix(sparse.csr_matrix(dense), labels=labels),
        cb.ConfusionMatrix(pd.crosstab(TRUTH, GOOD)),
        cb.ConfusionMatrix.from_labels(TRUTH[:50], GOOD[:50], labels=labels)
        + cb.ConfusionMatrix.from_labels(TRUTH[50:], GOOD[50:], labels=labels),
    ):
        assert matrix == whole
    own = cb.evaluate_multiclass(whole, intervals=False)
    np.testing.assert_array_equal(own.columns["score"][0], card.columns["score"][0])
    one_sided = pd.crosstab(np.repeat(["a", "c"], 6), np.array(["a"] * 4 + ["b"] * 2 + ["c"] * 5 + ["b"]))
    assert cb.ConfusionMatrix(one_sided).labels == ("a", "b", "c")


def test_a_class_that_is_only_predicted_takes_part_as_in_scikit_learn():
    truth, predicted = ["a", "a", "b", "b"], ["a", "c", "b", "b"]
    card = cb.evaluate_multiclass(truth, predicted, ["f1_macro", "balanced_accuracy"])
    assert card[0].score == pytest.approx(metrics.f1_score(truth, predicted, average="macro"))
    assert float(card[0].baseline.value) == pytest.approx(1 / 3)
    assert card[1].score == pytest.approx(3 / 4)


@pytest.mark.parametrize(("zero", "bar"), [(0.0, 1 / 3), (1.0, 2.6 / 3), (math.nan, 0.6)])
def test_zero_division_moves_score_and_bar(zero, bar):
    truth, predicted = ["a"] * 6 + ["b"] * 3 + ["c"], ["a"] * 10
    verdict = cb.evaluate_multiclass(truth, predicted, "precision_macro", zero_division=zero)[0]
    own = metrics.precision_score(truth, predicted, average="macro", zero_division=zero)
    assert verdict.score == pytest.approx(own)
    assert verdict.baseline.value == pytest.approx(bar)


def test_the_front_door_gives_the_bar():
    bar = cb.baseline(TRUTH, "f1_weighted")
    assert bar == cb.baseline_multiclass(TRUTH, "f1_weighted")
    assert bar == cb.baseline(cb.ClassSizes({"cat": 60, "cow": 25, "dog": 40}), "f1_weighted")
    assert sum(bar.predicted_counts.values()) == 125
    assert bar.judge(0.9).outcome == "clears"
    assert math.isnan(bar.judge(0.9).p_value)
    matrix = cb.ConfusionMatrix([[55, 5, 0], [15, 10, 0], [20, 10, 10]])
    (own,) = cb.evaluate_multiclass(matrix, None, "accuracy")
    assert cb.baseline(TRUTH, "accuracy").judge(0.6).p_value == pytest.approx(own.p_value)


LABELS = ["a", "b", "c", "a"]

SQUARE = cb.ConfusionMatrix([[1, 0], [0, 1]])
REFUSED = [
    (lambda: cb.evaluate(TRUTH, GOOD, "precision"), "measure 'precision' is an average over many classes"),
    (lambda: cb.evaluate(TRUTH, GOOD, pos_label="cat"), "leave out pos_label and judge all classes"),
    (lambda: cb.evaluate_multiclass(TRUTH, GOOD, labels=["cat", "dog"]), "labels lacks 'cow', which y_true"),
    (lambda: cb.evaluate_multiclass(TRUTH, np.arange(125)), "y_true holds text but y_pred holds numbers"),
    (lambda: cb.evaluate_multiclass(TRUTH, GOOD, zero_division="warn"), "zero_division must be"),
    (lambda: cb.evaluate(TRUTH, GOOD, undefined="worst"), "undefined='worst' is not for more than two"),
    (lambda: cb.ConfusionMatrix(pd.crosstab(TRUTH, GOOD, margins=True)), "leave margins=True out"),
    (lambda: cb.ConfusionMatrix([[0, 0], [0, 0]]), "matrix must hold 1 to"),
    (lambda: cb.ClassSizes([3, 4]), "sizes must map labels"),
    (lambda: cb.evaluate_multiclass(SQUARE, labels=[0, 1]), "a ConfusionMatrix has its own"),
    (lambda: cb.evaluate_multiclass(SQUARE, GOOD), "leave y_pred out"),
    (lambda: cb.evaluate_multiclass(TRUTH, {"a": np.stack([GOOD, BLIND]), "b": GOOD}),
     "same number of runs for every model"),
    (lambda: cb.evaluate(TRUTH, GOOD, ["f1_micro", "roc_auc"]), "judge each kind in a call of its own"),
    (lambda: cb.evaluate_multiclass(LABELS), "y_pred is missing: pass predicted labels"),
    (lambda: cb.baseline(LABELS, "f1_macro").clearing_score(), "clearing_score is for two classes"),
    (lambda: cb.evaluate_multiclass(LABELS, np.full((4, 3), 0.3), "mcc"), r"argmax.*by 'log_loss'"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "said"), REFUSED)
def test_bad_input_gets_one_sentence(call, said):
    with pytest.raises(ValueError, match=said) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_many_classes_and_samples_are_counted_without_a_dense_matrix():
    rng = np.random.default_rng(0)
    truth = rng.integers(100_000, size=300_000)
    card = cb.evaluate_multiclass(truth, np.roll(truth, 1), ["accuracy", "f1_macro"], intervals=False)
    assert card[1].score == pytest.approx(metrics.f1_score(truth, np.roll(truth, 1), average="macro"))


@pytest.mark.parametrize(
    "what", [*(pytest.param(one, marks=pytest.mark.slow) for one in ("runs", "groups")), "both"]
)
def test_each_class_of_runs_and_of_samples_that_belong_together(what):
    clusters = None if what == "runs" else np.arange(125) // 5
    runs = np.stack([GOOD, np.where(RNG.random(125) < 0.9, GOOD, BLIND)])
    models = {"good": GOOD, "blind": BLIND} if what == "groups" else {"good": runs, "other": runs[:, ::-1]}
    each = cb.evaluate(TRUTH, models, clusters=clusters).per_class(["f1", "mcc"])
    assert each.groups == ("cat", "cow", "dog")
    for at, label in enumerate(each.groups):
        called = {name: model == label for name, model in models.items()}
        own = cb.evaluate(label == TRUTH, called, ["f1", "mcc"], clusters=clusters)
        for name in ("score", "p_value", "p_value_blind", "p_sure"):
            np.testing.assert_array_equal(each.columns[name][:, at], own.columns[name][:, 0], err_msg=name)
        assert each[2 * at + 1].low == own[1].low


def test_one_class_alone_clears_nothing():
    for predicted in (["a"] * 5, ["a", "b", "a", "a", "a"]):
        card = cb.evaluate_multiclass(["a"] * 5, predicted)
        assert {verdict.outcome for verdict in card} <= {"unbeatable", "undefined"}
    bar = cb.baseline_multiclass(["a", "b"], "f1_macro", labels=list("abcdef"))
    assert float(bar.value) == pytest.approx(1 / 6)  # more classes than samples


def test_classes_that_no_run_ever_misses_may_be_missed_unseen():
    """Accuracy of perfect runs: no rates are refuted that show no failure with a probability of 0.025."""
    verdict = cb.evaluate(TRUTH, np.stack([TRUTH, TRUTH]), "accuracy")[0]
    assert verdict.low == pytest.approx(0.025 ** (1 / 125))
