"""The pipeline from scores to a scorecard, and its refusals."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score

import clearbar as cb

RNG = np.random.default_rng(200)
TRUTH = (RNG.random(200) < 0.3).astype(int)
GOOD = 1 / (1 + np.exp(-(RNG.normal(size=200) + 1.5 * TRUTH - 1.2)))
MODELS = {"good": GOOD, "idle": RNG.random(200)}


def test_the_default_measures_of_probabilities_and_of_other_scores():
    card = cb.evaluate_scores(TRUTH, MODELS)
    assert [m.name for m in card.measures] == ["roc_auc", "average_precision", "log_loss", "brier_score"]
    functions = roc_auc_score, average_precision_score, log_loss, brier_score_loss
    for verdict, function in zip(card, functions, strict=False):
        assert verdict.score == pytest.approx(function(TRUTH, GOOD), rel=1e-12)
        assert verdict.outcome == "clears"
    margins = cb.evaluate_scores(TRUTH, {name: 5 * (one - 0.5) for name, one in MODELS.items()})
    assert [m.name for m in margins.measures] == ["roc_auc", "average_precision"]


def test_one_array_frames_and_mappings_are_the_same():
    assert cb.evaluate_scores(TRUTH, GOOD, "roc_auc").models == ("model",)
    assert cb.evaluate_scores(TRUTH, pd.Series(GOOD, name="forest")).models == ("forest",)
    one = cb.evaluate_scores(TRUTH, MODELS, "roc_auc")
    assert all(
        one == cb.evaluate_scores(TRUTH, frame(MODELS), "roc_auc") for frame in (pd.DataFrame, pl.DataFrame)
    )
    words = cb.evaluate_scores(np.where(TRUTH, "spam", "ham"), MODELS, "roc_auc", pos_label="spam")
    np.testing.assert_array_equal(one.columns["score"], words.columns["score"])


def test_both_optima_of_a_constant_are_named():
    card = cb.evaluate_scores(TRUTH, GOOD, ["log_loss", "brier", "roc_auc"], train_prevalence=0.5)
    text = " ".join(str(card).split())
    assert "The best constant on the training labels, 0.5, has a log loss of 0.693 here" in text
    assert "has a Brier score of 0.25 here" in text
    bar = cb.baseline_scores(TRUTH, "log_loss", y_train=[1, 0, 0, 0])
    share = TRUTH.mean()
    assert bar.train_prevalence == 0.25
    assert bar.train_value == pytest.approx(-share * math.log(0.25) - (1 - share) * math.log(0.75))
    assert bar.train_value >= bar.value
    assert "the constant 0.25 from training has" in str(bar)
    assert cb.baseline_scores(TRUTH, "roc_auc", train_prevalence=0.25).train_value is None


def test_the_front_door_takes_names_of_measures_of_scores():
    assert cb.baseline(TRUTH, "roc_auc").value == 0.5
    assert cb.baseline(cb.Population(100, 10), "Average Precision").value == pytest.approx(0.13807, abs=1e-5)
    same = cb.evaluate_scores(TRUTH, MODELS, "average_precision")
    assert cb.evaluate(TRUTH, MODELS, "average_precision") == same
    assert cb.evaluate(TRUTH, GOOD, ["roc_auc", "neg_log_loss"])[1].measure.label == "log loss"


REFUSED = [
    (lambda: four([0.1, 1.2, 0.3, 0.4], "log_loss"), r"from 0 to 1, which log loss needs; found 1.2 at"),
    (lambda: four([0.1, -0.2, 0.3, 0.4], ["brier", "d2_brier"]), r"Brier score and D² Brier score need"),
    (lambda: four({"a": [0, 1, 0, 1], "b": [0, 2, 0, 1]}, "brier"), r"'b'\] must hold probabilities"),
    (lambda: four(FOUR, []), r"measures is empty"),
    (lambda: four(FOUR, "f1"), r"judges labels, not scores; .* or max_f1"),
    (lambda: four(FOUR, "brier", train_prevalence=1.5), r"share from 0 to 1; found 1.5"),
    (lambda: four(FOUR, "brier", train_prevalence=0.5, y_train=[0, 1]), r"pass one of them"),
    (lambda: cb.evaluate(TRUTH, GOOD, "f1"), r"use evaluate_scores, or y_score >= threshold"),
    (lambda: cb.evaluate(TRUTH, GOOD, ["f1", "roc_auc"]), r"labels \(f1\) and of scores \(roc_auc\)"),
    (lambda: cb.evaluate(TRUTH, GOOD, "roc_auc", undefined=0.0), r"undefined=0\.0 is not for scores; leave"),
    (lambda: cb.dummies(TRUTH, "roc_auc"), r"judges scores, not two columns of labels"),
    (lambda: cb.baseline(TRUTH, "roc_auc").judge(72), r"must lie between 0 and 1 for ROC AUC; found 72"),
]
FOUR = [0.1, 0.2, 0.3, 0.4]


def four(scores, measures=None, **options):
    return cb.evaluate_scores([0, 1, 1, 0], scores, measures, **options)


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_bad_input_is_one_clear_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_one_class_and_constant_scores_are_explained_never_silently_nan():
    names = ["roc_auc", "average_precision", "log_loss", "max_mcc"]
    for verdict in cb.evaluate_scores([0, 0, 0], [0.1, 0.2, 0.3], names):
        assert verdict.outcome in {"undefined", "unbeatable"}
        assert verdict.reason
    names = ["roc_auc", "mrr", "average_precision", "max_f1", "max_mcc"]
    constant = cb.evaluate_scores([0, 1, 0, 1, 1], [0.5] * 5, names)
    assert [verdict.outcome for verdict in constant] == ["ties", "ties", "fails", "fails", "undefined"]
    assert constant[4].reason == "best MCC has no value for these scores"


def test_score_skill_and_p_value_take_measures_of_scores():
    assert cb.score(TRUTH, GOOD, "roc_auc") == pytest.approx(roc_auc_score(TRUTH, GOOD), rel=1e-14)
    with pytest.warns(cb.UndefinedMeasureWarning, match="ROC AUC has no value here: no sample is positive"):
        assert math.isnan(cb.score([0, 0], [0.1, 0.2], "roc_auc"))
    bar = cb.baseline(TRUTH, "roc_auc")
    assert cb.skill(0.8, bar) == pytest.approx(0.6)
    # Without the scores nothing is known of their spread; what is, is how likely random scores do as well.
    with pytest.warns(cb.UndefinedMeasureWarning, match="not known without the scores"):
        assert math.isnan(cb.p_value(0.7, TRUTH, "roc_auc"))
    assert bar.judge(0.7).p_value_blind == bar.reach(0.7).upper < 0.5
    for name in ("roc_auc", "average_precision", "log_loss", "ap@5"):
        cb.testing.assert_clears(TRUTH, GOOD, name, alpha=0.05)
    with pytest.raises(AssertionError, match=r"is below the bar 0\.500"):
        cb.testing.assert_clears(TRUTH, 1 - GOOD, "roc_auc")
