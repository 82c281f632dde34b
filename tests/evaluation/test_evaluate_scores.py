"""The pipeline from scores to a scorecard, and its refusals."""

from __future__ import annotations

import json
import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score

import clearbar as cb


def data(size=200):
    rng = np.random.default_rng(size)
    truth = (rng.random(size) < 0.3).astype(int)
    good = 1 / (1 + np.exp(-(rng.normal(size=size) + 1.5 * truth - 1.2)))
    return truth, {"good": good, "idle": rng.random(size)}


def test_the_default_measures_of_probabilities_and_of_other_scores():
    truth, models = data()
    card = cb.evaluate_scores(truth, models)
    assert [m.name for m in card.measures] == ["roc_auc", "average_precision", "log_loss", "brier_score"]
    good = models["good"]
    functions = roc_auc_score, average_precision_score, log_loss, brier_score_loss
    for verdict, function in zip(card, functions, strict=False):
        assert verdict.score == pytest.approx(function(truth, good), rel=1e-12)
        assert verdict.outcome == "clears"
    margins = cb.evaluate_scores(truth, {name: 5 * (one - 0.5) for name, one in models.items()})
    assert [m.name for m in margins.measures] == ["roc_auc", "average_precision"]


def test_one_array_frames_and_mappings_are_the_same():
    truth, models = data()
    single = cb.evaluate_scores(truth, models["good"], "roc_auc")
    assert single.models == ("model",)
    cards = [
        cb.evaluate_scores(truth, make(models), "roc_auc") for make in (dict, pd.DataFrame, pl.DataFrame)
    ]
    assert cards[0].columns["score"].tolist() == cards[1].columns["score"].tolist()
    assert cards[1].columns["score"].tolist() == cards[2].columns["score"].tolist()
    assert cb.evaluate_scores(truth, pd.Series(models["good"], name="forest")).models == ("forest",)


def test_slices_have_their_own_bars():
    truth, models = data()
    region = np.where(np.arange(len(truth)) < 70, "north", "south")
    card = cb.evaluate_scores(truth, models, ["roc_auc", "average_precision", "brier"], by=region)
    assert card.groups == (None, "north", "south")
    north = region == "north"
    expected = cb.evaluate_scores(truth[north], {n: s[north] for n, s in models.items()}, "average_precision")
    assert card.columns["score"][0, 1, 1] == pytest.approx(expected[0].score, rel=1e-14)
    assert card.bar(1, 1).value == expected.bar(0).value
    assert card.bar(1, 1).value != card.bar(1, 2).value


def test_a_slice_of_one_class_is_undefined_and_says_why():
    card = cb.evaluate_scores(
        [0, 0, 1, 0, 1], [0.1, 0.2, 0.9, 0.3, 0.8], "roc_auc", by=["a", "a", "b", "b", "b"]
    )
    rows = {verdict.group: verdict for verdict in card}
    assert rows["a"].outcome == "undefined"
    assert rows["a"].reason == "ROC AUC has no value here: no sample is positive, and it needs both classes"
    assert rows["b"].outcome == "clears"


def test_a_scorecard_of_scores_reads_like_any_other():
    truth, models = data()
    card = cb.evaluate_scores(truth, models, ["roc_auc", "ap", "log_loss", "max_f1"])
    text = " ".join(str(card).split())
    assert "200 samples" in text
    assert "good clears all 4 bars" in text
    assert "The bar of log loss takes the best constant on these test labels" in text
    assert "could be chance" in text
    assert "the threshold is chosen on these test labels" in text
    frame = card.to_frame()
    assert frame.shape[0] == 8
    assert {"model", "measure", "score", "bar", "p_value_blind", "reason"} <= set(frame.columns)
    rows = json.loads(card.to_json())["rows"]
    assert 0 < rows[1]["p_value_blind"] < 0.05
    assert "average precision" in card.explain("ap")
    assert "on average" in card.explain("average_precision", "good")
    assert card.clears("ROC AUC", "good")
    assert not card.clears("log loss", "idle")
    assert pickle.loads(pickle.dumps(card)) == card  # noqa: S301
    for written in (card.to_markdown(), card.to_latex(), card._repr_html_()):
        assert "ROC AUC" in written


def test_both_optima_of_a_constant_are_named():
    truth, models = data()
    card = cb.evaluate_scores(truth, models["good"], ["log_loss", "brier", "roc_auc"], train_prevalence=0.5)
    text = " ".join(str(card).split())
    assert "take the best constant on these test labels" in text
    assert "The best constant on the training labels, 0.5, has a log loss of 0.693 here" in text
    assert "has a Brier score of 0.25 here" in text
    bar = cb.baseline_scores(truth, "log_loss", y_train=[1, 0, 0, 0])
    share = truth.mean()
    assert bar.train_prevalence == 0.25
    assert bar.train_value == pytest.approx(-share * math.log(0.25) - (1 - share) * math.log(0.75))
    assert bar.train_value >= bar.value
    assert "the constant 0.25 from training has" in str(bar)
    assert cb.baseline_scores(truth, "roc_auc", train_prevalence=0.25).train_value is None


def test_the_front_door_takes_names_of_measures_of_scores():
    truth, models = data()
    assert cb.baseline(truth, "roc_auc").value == 0.5
    assert cb.baseline(cb.Population(100, 10), "Average Precision").value == pytest.approx(0.13807, abs=1e-5)
    card = cb.evaluate(truth, models, "average_precision")
    same = cb.evaluate_scores(truth, models, "average_precision")
    for name, column in card.columns.items():
        np.testing.assert_array_equal(column, same.columns[name])
    assert cb.evaluate(truth, models["good"], ["roc_auc", "neg_log_loss"])[1].measure.label == "log loss"


def test_scores_given_for_a_measure_of_labels_are_refused_with_what_to_do():
    truth, models = data()
    with pytest.raises(ValueError, match="use evaluate_scores, or y_score >= threshold"):
        cb.evaluate(truth, models["good"], "f1")
    with pytest.raises(
        ValueError, match=r"mixes measures of labels \(f1\) and of scores \(roc_auc\); judge each kind in"
    ):
        cb.evaluate(truth, models["good"], ["f1", "roc_auc"])
    with pytest.raises(ValueError, match=r"judges labels, not scores; .* or max_f1"):
        cb.evaluate_scores(truth, models["good"], "f1")
    with pytest.raises(ValueError, match="undefined="):
        cb.baseline(truth, "roc_auc", undefined=0.0)


def test_bare_numbers_are_judged_from_class_sizes():
    bar = cb.baseline(cb.Population(200, 60), "roc_auc")
    verdict = bar.judge(0.7)
    assert verdict.outcome == "clears"
    assert math.isnan(verdict.p_value)
    assert verdict.p_value_blind < 1e-4
    assert "p_value_blind is an upper bound; the largest found is" in verdict.reason
    assert bar.judge(0.4).outcome == "fails"
    assert bar.reach(0.5).upper == 1.0
    with pytest.raises(ValueError, match="must lie between 0 and 1 for ROC AUC; found 72"):
        bar.judge(72)
    with pytest.raises(ValueError, match="score must be a number"):
        bar.judge("high")


T = [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("truth", "scores", "measures", "message"),
    [
        (T, [0.1, np.nan, 0.3, 0.4], None, r"y_score has a score that is nan .*position 1"),
        (T, [0.1, np.inf, 0.3, 0.4], None, r"y_score has a score that is nan or infinite"),
        (
            T,
            [0.1, 1.2, 0.3, 0.4],
            "log_loss",
            r"from 0 to 1, which log loss needs; found 1.2 at",
        ),
        (T, [0.1, -0.2, 0.3, 0.4], ["brier", "d2_brier"], r"Brier score and D² Brier score need; found -0.2"),
        (T, {"a": [0, 1, 0, 1], "b": [0, 2, 0, 1]}, "brier", r"y_score\['b'\] must hold probabilities"),
        (T, [0.1, 0.2, 0.3], None, r"same length; found 4 and 3 samples"),
        (T, np.ones((4, 2)), None, r"look like predict_proba: pass y_score\[:, 1\]"),
        (T, ["a", "b", "c", "d"], None, r"y_score"),
        (T, {}, None, r"y_score holds no model"),
        (T, [0.1, 0.2, 0.3, 0.4], [], r"measures is empty"),
        (T, [0.1, 0.2, 0.3, 0.4], 3, r"measures must be a name"),
        (T, [0.1, 0.2, 0.3, 0.4], "pr_auc", r"Use average_precision"),
        ([0, 1, 2, 0], [0.1, 0.2, 0.3, 0.4], None, r"three labels"),
        (["a", "b", "b", "a"], [0.1, 0.2, 0.3, 0.4], None, r"Pass pos_label='a' or pos_label='b'"),
    ],
    ids=str,
)
def test_bad_input_is_one_clear_sentence(truth, scores, measures, message):
    with pytest.raises(ValueError, match=message):
        cb.evaluate_scores(truth, scores, measures)


def test_one_class_and_constant_scores_are_explained_never_silently_nan():
    card = cb.evaluate_scores(
        [0, 0, 0], [0.1, 0.2, 0.3], ["roc_auc", "average_precision", "log_loss", "max_mcc"]
    )
    for verdict in card:
        assert verdict.outcome in {"undefined", "unbeatable"}
        assert verdict.reason
    constant = cb.evaluate_scores(
        [0, 1, 0, 1, 1], [0.5] * 5, ["roc_auc", "ap", "brier", "max_f1", "max_mcc", "mrr"]
    )
    outcomes = {verdict.measure.name: verdict.outcome for verdict in constant}
    assert outcomes["roc_auc"] == outcomes["mrr"] == "ties"
    assert outcomes["average_precision"] == outcomes["max_f1"] == "fails"
    assert outcomes["max_mcc"] == "undefined"
    reasons = {verdict.measure.name: verdict.reason for verdict in constant}
    assert reasons["max_mcc"] == "best MCC has no value for these scores"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"train_prevalence": 1.5}, r"share from 0 to 1; found 1.5"),
        ({"train_prevalence": "half"}, r"share from 0 to 1"),
        ({"train_prevalence": 0.5, "y_train": [0, 1]}, r"pass one of them"),
        ({"intervals": "some"}, r"intervals must be True or False"),
        ({"confidence_level": 95}, r"confidence_level must be a number above 0"),
    ],
    ids=str,
)
def test_options_that_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        cb.evaluate_scores(T, [0.1, 0.2, 0.3, 0.4], "brier", **options)


def test_labels_of_any_kind():
    card = cb.evaluate_scores(
        ["spam", "ham", "spam", "ham"], [0.9, 0.2, 0.6, 0.7], "roc_auc", pos_label="spam"
    )
    assert card[0].score == 0.75


def test_score_skill_and_p_value_take_measures_of_scores():
    truth, models = data()
    good = models["good"]
    assert cb.score(truth, good, "roc_auc") == pytest.approx(roc_auc_score(truth, good), rel=1e-14)
    with pytest.warns(cb.UndefinedMeasureWarning, match="ROC AUC has no value here: no sample is positive"):
        assert math.isnan(cb.score([0, 0], [0.1, 0.2], "roc_auc"))
    bar = cb.baseline(truth, "roc_auc")
    assert cb.skill(0.8, bar) == pytest.approx(0.6)
    # Without the scores nothing is known of their spread; what is, is how likely random scores do as well.
    with pytest.warns(cb.UndefinedMeasureWarning, match="not known without the scores"):
        assert math.isnan(cb.p_value(0.7, truth, "roc_auc"))
    assert bar.judge(0.7).p_value_blind == bar.reach(0.7).upper < 0.5
    for name in ("roc_auc", "average_precision", "log_loss", "ap@5"):
        cb.testing.assert_clears(truth, good, name, alpha=0.05)
    with pytest.raises(AssertionError, match=r"is below the bar 0\.500"):
        cb.testing.assert_clears(truth, 1 - good, "roc_auc")


def test_what_measures_of_scores_cannot_do_is_said():
    truth, models = data()
    with pytest.raises(ValueError, match=r"undefined=0\.0 is not for scores; leave it out\."):
        cb.evaluate(truth, models, "roc_auc", undefined=0.0)
    with pytest.raises(ValueError, match="judges scores, not two columns of labels"):
        cb.dummies(truth, "roc_auc")
    with pytest.raises(ValueError, match="Did you mean 'roc_auc'"):
        cb.baseline(truth, "roc_auk")
