"""evaluate_multiclass as its users call it: text labels, tables, slices, clusters, bad input."""

import math
import pickle

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
    scores = {v.measure.name: v.score for v in card if v.model == "good"}
    assert scores["f1_macro"] == pytest.approx(metrics.f1_score(TRUTH, GOOD, average="macro"))
    assert scores["mcc"] == pytest.approx(metrics.matthews_corrcoef(TRUTH, GOOD))
    assert all(v.sure for v in card if v.model == "good")
    bars = {v.measure.name: float(v.baseline.value) for v in card}
    assert bars["accuracy"] == 60 / 125
    assert bars["f1_macro"] == pytest.approx(1 / 3)


def test_intervals_hold_the_score(card):
    for verdict in card:
        assert verdict.low <= verdict.score <= verdict.high
        assert (verdict.low > float(verdict.baseline.value)) == (
            verdict.p_value <= 0.05 and verdict.score > float(verdict.baseline.value)
        )


def test_frames_lists_and_matrices_are_the_same(card):
    frames = (
        (pd.Series(TRUTH), pd.DataFrame({"good": GOOD, "blind": BLIND})),
        (pl.Series(TRUTH), pl.DataFrame({"good": GOOD, "blind": BLIND})),
        (pd.Series(TRUTH, dtype="category"), {"good": GOOD.tolist(), "blind": BLIND.tolist()}),
    )
    for truth, predictions in frames:
        assert [v.score for v in cb.evaluate(truth, predictions, intervals=False)] == [v.score for v in card]
    labels = ["cat", "cow", "dog"]
    dense = metrics.confusion_matrix(TRUTH, GOOD)
    for matrix in (
        cb.ConfusionMatrix(dense, labels=labels),
        cb.ConfusionMatrix(dense.tolist(), labels=labels),
        cb.ConfusionMatrix(sparse.csr_matrix(dense), labels=labels),
        cb.ConfusionMatrix(pd.crosstab(TRUTH, GOOD)),
        cb.ConfusionMatrix.from_labels(TRUTH, GOOD),
    ):
        assert matrix == cb.ConfusionMatrix.from_labels(TRUTH, GOOD)
        own = cb.evaluate_multiclass(matrix, intervals=False)
        assert [v.score for v in own] == [v.score for v in card if v.model == "good"]


def test_slices_are_counted_apart():
    by = np.where(np.arange(125) % 2, "odd", "even")
    card = cb.evaluate_multiclass(TRUTH, GOOD, "f1_macro", by=by)
    assert card.groups == (None, "even", "odd")
    for group in ("even", "odd"):
        here = by == group
        alone = cb.evaluate_multiclass(TRUTH[here], GOOD[here], "f1_macro")[0]
        (own,) = (v for v in card if v.group == group)
        assert (own.score, own.p_value, own.p_value_blind) == (
            alone.score,
            alone.p_value,
            alone.p_value_blind,
        )


def test_clusters_widen_intervals():
    each = np.arange(25)
    truth = RNG.choice(["a", "b", "c"], 25)
    right = RNG.random(25) < 0.7
    predicted = np.where(right, truth, "a")
    clusters = np.repeat(each, 8)
    labels, calls = np.repeat(truth, 8), np.repeat(predicted, 8)
    alone = cb.evaluate(labels, calls, "f1_macro")[0]
    together = cb.evaluate(labels, calls, "f1_macro", clusters=clusters)[0]
    assert together.high - together.low > 2 * (alone.high - alone.low)
    assert together.p_value >= alone.p_value - 1e-12  # both may be as small as resamples can tell
    assert "groups" in together.reason


def test_a_class_that_is_only_predicted_takes_part_as_in_scikit_learn():
    truth, predicted = ["a", "a", "b", "b"], ["a", "c", "b", "b"]
    card = cb.evaluate_multiclass(truth, predicted, ["f1_macro", "balanced_accuracy"])
    assert card[0].score == pytest.approx(metrics.f1_score(truth, predicted, average="macro"))
    assert float(card[0].baseline.value) == pytest.approx(1 / 3)
    assert card[1].score == pytest.approx(3 / 4)


@pytest.mark.parametrize("zero", [0.0, 1.0, math.nan])
def test_zero_division_moves_score_and_bar(zero):
    truth, predicted = ["a"] * 6 + ["b"] * 3 + ["c"], ["a"] * 10
    card = cb.evaluate_multiclass(truth, predicted, "precision_macro", zero_division=zero)
    own = metrics.precision_score(truth, predicted, average="macro", zero_division=zero)
    assert card[0].score == pytest.approx(own)
    expected = {"0.0": 1 / 3, "1.0": 2.6 / 3, "nan": 0.6}[str(zero)]
    assert float(card[0].baseline.value) == pytest.approx(expected)


def test_the_front_door_gives_the_bar():
    bar = cb.baseline(TRUTH, "f1_weighted")
    assert bar == cb.baseline_multiclass(TRUTH, "f1_weighted")
    assert bar == cb.baseline(cb.ClassSizes({"cat": 60, "cow": 25, "dog": 40}), "f1_weighted")
    assert sum(bar.predicted_counts.values()) == 125
    assert bar.judge(0.9).outcome == "clears"
    assert math.isnan(bar.judge(0.9).p_value)
    accuracy = cb.baseline(TRUTH, "accuracy")
    assert accuracy.judge(0.6).p_value == pytest.approx(
        cb.evaluate_multiclass(cb.ConfusionMatrix([[55, 5, 0], [15, 10, 0], [20, 10, 10]]), None, "accuracy")[
            0
        ].p_value
    )


def test_values_pickle_and_compare(card):
    for value in (
        cb.ClassSizes({"a": 3, "b": 4}),
        cb.ConfusionMatrix([[3, 1], [0, 2]]),
        cb.baseline(TRUTH, "mcc"),
        card,
        *cb.measures("multiclass"),
    ):
        assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301 - what was just written


def test_matrices_add_up():
    whole = cb.ConfusionMatrix.from_labels(TRUTH, GOOD)
    labels = whole.labels
    parts = [
        cb.ConfusionMatrix.from_labels(TRUTH[part], GOOD[part], labels=labels)
        for part in (slice(0, 50), slice(50, None))
    ]
    assert sum(parts) == whole
    assert (whole.to_array() == metrics.confusion_matrix(TRUTH, GOOD)).all()


LABELS = ["a", "b", "c", "a"]

REFUSED = [
    (lambda: cb.evaluate(TRUTH, GOOD, "precision"), "measure 'precision' is an average over many classes"),
    (lambda: cb.evaluate(TRUTH, GOOD, pos_label="cat"), "leave out pos_label and judge all classes"),
    (lambda: cb.evaluate_multiclass(TRUTH, GOOD, labels=["cat", "dog"]),
     "labels lacks 'cow', which y_true holds"),
    (lambda: cb.evaluate_multiclass(TRUTH, GOOD[:-1]), "same length"),
    (lambda: cb.evaluate_multiclass(TRUTH, np.arange(125)), "y_true holds text but y_pred holds numbers"),
    (lambda: cb.evaluate_multiclass(TRUTH, GOOD, zero_division="warn"), "zero_division must be"),
    (lambda: cb.evaluate_multiclass([], []), "no samples"),
    (lambda: cb.evaluate(TRUTH, GOOD, undefined="worst"),
     "undefined='worst' is not for more than two classes; leave"),
    (lambda: cb.ConfusionMatrix([[1, 2, 3], [4, 5, 6]]), "matrix must be square"),
    (lambda: cb.ConfusionMatrix([[0.5, 1], [1, 1]]), "whole numbers"),
    (lambda: cb.ConfusionMatrix([[1, 0], [0, 1]], labels=["a", "a"]), "labels must name each"),
    (lambda: cb.ClassSizes([3, 4]), "sizes must map labels"),
    (lambda: cb.evaluate_multiclass(cb.ConfusionMatrix([[1, 0], [0, 1]]), labels=[0, 1]),
     "a ConfusionMatrix has its own"),
    (lambda: cb.ConfusionMatrix(pd.crosstab(TRUTH, GOOD, margins=True)), "leave margins=True out"),
    (lambda: cb.evaluate(TRUTH, np.stack([GOOD, BLIND]).T), "Use y_pred.T for several runs"),
    (lambda: cb.evaluate_multiclass(TRUTH, {"a": np.stack([GOOD, BLIND]), "b": GOOD}),
     "same number of runs for every model"),
    (lambda: cb.evaluate_multiclass(cb.ConfusionMatrix([[1, 0], [0, 1]]), GOOD), "leave y_pred out"),
    (lambda: cb.evaluate(TRUTH, GOOD, clusters=np.arange(125) % 3), "at least 5 groups"),
    (lambda: cb.evaluate(TRUTH, GOOD, ["f1_micro", "roc_auc"]), "judge each kind in a call of its own"),
    (lambda: cb.evaluate_multiclass(LABELS), "y_pred is missing: pass predicted labels"),
    (lambda: cb.baseline(LABELS, "f1_macro").clearing_score(), "clearing_score is for two classes"),
    (lambda: cb.evaluate_multiclass(["a", None, "b", "c"], LABELS), "1 missing value"),
    (lambda: cb.evaluate_multiclass(["a", 1, "c", "b"], LABELS), "mixes numbers and text"),
    (lambda: cb.evaluate_multiclass(LABELS, {}), "y_pred holds no model"),
    (lambda: cb.evaluate_multiclass(LABELS, np.full((4, 3), 0.3)), r"argmax.*or judge them by 'top_2_acc"),
    (lambda: cb.evaluate(LABELS, np.full((4, 3), 0.3)), r"pass the largest: labels\[y_pred.argmax"),
    (lambda: cb.evaluate_multiclass(LABELS, LABELS, "roc_auc"), "judges scores, not more than two"),
    (lambda: cb.evaluate_multiclass(LABELS, LABELS, "f1_makro"), "Did you mean 'f1_macro'"),
    (lambda: cb.ConfusionMatrix([[0, 0], [0, 0]]), "matrix must hold 1 to"),
    (lambda: cb.evaluate_counts({"a": cb.ConfusionMatrix([[1, 0], [0, 1]]), "b": 3}), "'b' is 3"),
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


def test_crosstabs_of_labels_that_only_one_side_has_are_in_order():
    truth, predicted = np.repeat(["a", "c"], 6), np.array(["a"] * 4 + ["b"] * 2 + ["c"] * 5 + ["b"])
    assert cb.ConfusionMatrix(pd.crosstab(truth, predicted)).labels == ("a", "b", "c")


def test_perfect_predictions_score_one():
    rng = np.random.default_rng(1)
    for _ in range(50):
        sizes = rng.integers(1, 40, rng.integers(2, 6))
        truth = np.repeat(np.arange(len(sizes)), sizes)
        card = cb.evaluate_multiclass(truth, truth, ["mcc", "kappa"], intervals=False)
        assert [verdict.score for verdict in card] == [1, 1]


def test_a_share_that_is_right_or_wrong_has_the_same_p():
    truth, predicted = np.repeat([0, 1, 2], [33, 9, 7]), np.zeros(49, dtype=int)
    predicted[33] = 1
    card = cb.evaluate_multiclass(truth, predicted, ["accuracy", "zero_one_loss"])
    assert card[0].p_value == pytest.approx(card[1].p_value)


@pytest.mark.parametrize("what", ["runs", "groups", "both"])
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
    assert {v.group: v.low for v in each if v.model == "good" and v.measure.name == "mcc"} == {
        label: cb.evaluate(label == TRUTH, models["good"] == label, "mcc", clusters=clusters)[0].low
        for label in each.groups
    }


def test_each_class_of_one_run_is_that_of_labels():
    one, alone = (cb.evaluate(TRUTH, model, "accuracy").per_class("f1") for model in (GOOD[None], GOOD))
    np.testing.assert_array_equal(one.columns["p_value"], alone.columns["p_value"])


def test_one_class_alone_clears_nothing():
    for predicted in (["a"] * 5, ["a", "b", "a", "a", "a"]):
        card = cb.evaluate_multiclass(["a"] * 5, predicted)
        assert {verdict.outcome for verdict in card} <= {"unbeatable", "undefined"}
    bar = cb.baseline_multiclass(["a", "b"], "f1_macro", labels=list("abcdef"))
    assert float(bar.value) == pytest.approx(1 / 6)  # more classes than samples
