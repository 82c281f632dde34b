"""Cross-validation whose counts add up to those that scikit-learn's own tools give."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from scipy import sparse, stats
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import DBSCAN
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    brier_score_loss,
    confusion_matrix,
    f1_score,
    log_loss,
    matthews_corrcoef,
    roc_auc_score,
)
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

import clearbar as cb
from clearbar.sklearn import DutchDrawClassifier, cross_evaluate

X, Y = make_classification(240, weights=[0.75], flip_y=0.2, random_state=2)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
FOLDS = StratifiedKFold(4)
ALL_POSITIVE = 2 * Y.sum() / (Y.sum() + len(Y))


def pooled(model, x, y, cv, **options):
    """The counts of all test sets together, as scikit-learn predicts and counts them."""
    (tn, fp), (fn, tp) = confusion_matrix(y, cross_val_predict(model, x, y, cv=cv, **options))
    return cb.Counts(tp=tp, fp=fp, fn=fn, tn=tn)


def test_pooled_counts_scores_and_bars():
    model = LogisticRegression(max_iter=1000)
    card = cross_evaluate(model, X, Y, measures=["f1", "mcc"])  # five stratified folds by default
    with pytest.raises(NotFittedError):
        check_is_fitted(model)
    predicted = cross_val_predict(model, X, Y, cv=StratifiedKFold(5))
    assert card[0].counts == pooled(model, X, Y, StratifiedKFold(5))
    assert card[0].score == pytest.approx(f1_score(Y, predicted), rel=1e-14)
    assert card[1].score == pytest.approx(matthews_corrcoef(Y, predicted), rel=1e-12)
    assert card[0].baseline.value == pytest.approx(ALL_POSITIVE, rel=1e-14)
    assert card[1].baseline.value == 0


WEIGHT = np.where(Y == 1, 5.0, 0.5)


@pytest.mark.parametrize(
    ("model", "x", "folds", "options"),
    [
        (TREE, X, GroupKFold(3), {"groups": np.arange(240) // 20}),
        (SVC(kernel="precomputed"), X @ X.T, FOLDS, {}),
        (TREE, X, FOLDS, {"params": {"sample_weight": WEIGHT}}),
    ],
    ids=["groups stay together", "a kernel is split on both sides", "weights reach fit and only fit"],
)
def test_counts_are_those_of_cross_val_predict(model, x, folds, options):
    with parallel_config(backend="threading"):
        card = cross_evaluate(model, x, Y, cv=folds, measures="f1", n_jobs=2, **options)
    assert card[0].counts == pooled(model, x, Y, folds, **options)
    again = card.all_ways()["pooled"][0]
    assert (again.p_value, again.p_value_blind) == (card[0].p_value, card[0].p_value_blind)


def test_weights_are_routed():
    with config_context(enable_metadata_routing=True):
        model = DecisionTreeClassifier(max_depth=3, random_state=0).set_fit_request(sample_weight=True)
        card = cross_evaluate(model, X, Y, cv=FOLDS, measures="f1", params={"sample_weight": WEIGHT})
    assert card[0].counts == pooled(TREE, X, Y, FOLDS, params={"sample_weight": WEIGHT})


def test_the_mean_over_folds_has_a_bar_of_its_own():
    folds = KFold(5)
    card = cross_evaluate(TREE, X, Y, cv=folds, measures="f1", aggregate="mean")
    scores = cross_val_score(TREE, X, Y, cv=folds, scoring="f1")
    assert card[0].score == pytest.approx(scores.mean(), rel=1e-14)
    sizes = [(Y[test].sum(), len(test)) for _, test in folds.split(X)]
    assert card[0].baseline.value == pytest.approx(np.mean([2 * p / (p + m) for p, m in sizes]), rel=1e-14)


@pytest.mark.parametrize("frame", [pd.DataFrame(X), pl.DataFrame(X), sparse.csr_matrix(X)], ids=type)
def test_any_frame_and_text_labels(frame):
    y = pd.Series(np.where(Y == 1, "yes", "no"), index=np.arange(240) * 7)
    card = cross_evaluate(TREE, frame, y, cv=FOLDS, measures="f1", pos_label="yes")
    assert card[0].counts == pooled(TREE, X, Y, FOLDS)


class Never(ClassifierMixin, BaseEstimator):
    """Must not be fitted: what is wrong is to be found before."""

    def fit(self, X, y):  # noqa: ARG002 - the signature of an estimator
        raise AssertionError

    def predict(self, X):  # noqa: ARG002 - the signature of an estimator
        raise AssertionError


class Says(ClassifierMixin, BaseEstimator):
    """Predicts a column, or so many columns."""

    def __init__(self, columns=1):
        self.columns = columns

    def fit(self, X, y):  # noqa: ARG002 - the signature of an estimator
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.ones((len(X), self.columns), dtype=int)


ONE = [(np.arange(120), np.arange(120, 240))]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"estimator": StandardScaler()}, "estimator must be a classifier with fit and predict; StandardSc"),
        ({"estimator": {"a": DBSCAN()}}, "estimator['a'] must be a classifier with fit and predict; DBSCAN"),
        ({"estimator": Never}, "must be an instance; found the class Never: pass Never()"),
        ({"y": np.arange(240) % 3, "measures": "roc_auc"}, "y holds three labels"),
        ({"cv": ONE}, "cv gives 1 split, and cross-validation has two or more"),
        ({"cv": [*ONE, (np.flatnonzero(Y), np.arange(120))]}, "cv: the training set of split 2 holds 1 only"),
        ({"y": np.ones(240, dtype=int)}, "y must hold samples of two classes; found 240 samples, all pos"),
        ({"params": [1]}, "params must map names of parameters of fit to values; found [1]."),
        ({"permutations": 18}, "permutations must be 0 or a whole number from 19 up, since fewer cannot"),
        ({"permutations": 99, "intervals": False}, "permutations find p_value_blind, which intervals=False"),
        ({"measures": ["roc_auc", "f1"]}, "measures mixes measures of scores (roc_auc) and of labels (f1)"),
        ({"measures": "log_loss"}, "estimator must have predict_proba to be judged by log loss; Never has"),
        ({"measures": "roc_auc", "aggregate": "pooled"}, "aggregate must be 'mean' or 'merged' for scores"),
        (
            {"estimator": {"odd": Says(2)}, "cv": FOLDS},
            "estimator['odd'] must predict one label for each row; found predictions of shape (60, 2) for 60",
        ),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_fitted(change, message):
    given = {"estimator": Never(), "X": X, "y": Y, "measures": "f1", **change}
    with pytest.raises((ValueError, TypeError)) as caught:
        cross_evaluate(given.pop("estimator"), given.pop("X"), given.pop("y"), **given)
    assert message in str(caught.value)


def test_a_column_of_predictions_is_one_label_for_each_row_and_an_error_of_a_model_is_the_users_to_see():
    card = cross_evaluate(Says(), X, Y, cv=FOLDS, measures="f1")
    assert card[0].score == pytest.approx(ALL_POSITIVE)
    with warnings.catch_warnings(action="error"), pytest.raises(AssertionError):
        cross_evaluate(Never(), X, Y, measures="f1")


def test_several_models_are_judged_on_the_same_shuffled_folds():
    models = {"tree": TREE, "blind": DutchDrawClassifier("f1"), "same tree": TREE}
    folds = KFold(4, shuffle=True)  # without a seed: another split each time it is asked
    card = cross_evaluate(models, X, Y, cv=folds, measures=["f1", "accuracy"])
    assert card.models == ("tree", "blind", "same tree")
    f1 = {verdict.model: verdict for verdict in card if verdict.measure.name == "f1"}
    assert f1["tree"].counts == f1["same tree"].counts
    assert f1["blind"].score == pytest.approx(ALL_POSITIVE)
    assert f1["blind"].outcome == "ties"


def test_samples_that_are_never_tested_are_left_out_and_named():
    card = cross_evaluate(TREE, X, Y, cv=TimeSeriesSplit(3), measures="f1")
    assert card[0].counts.total == 180
    assert "60 of 240 samples" in str(card)


def test_scores_are_averaged_over_folds_as_cross_val_score_does():
    models = {"logistic": LogisticRegression(solver="liblinear"), "tree": TREE}
    card = cross_evaluate(models, X, Y, cv=FOLDS, measures=["roc_auc", "neg_log_loss", "average_precision"])
    for verdict in card:
        name = {"log_loss": "neg_log_loss"}.get(verdict.measure.name, verdict.measure.name)
        scores = cross_val_score(models[verdict.model], X, Y, cv=FOLDS, scoring=name)
        sign = -1 if name.startswith("neg_") else 1
        assert verdict.score == pytest.approx(sign * scores.mean(), rel=1e-12)
    assert card[0].baseline.value == 0.5


def test_merged_losses_of_many_classes_are_those_of_all_samples():
    y = np.array(["ant", "bee", "cow"])[(X[:, 0] > 0.3).astype(int) + (X[:, 1] > 0)]
    card = cross_evaluate(TREE, X, y, cv=FOLDS, measures=["log_loss", "brier_score"], aggregate="merged")
    shares = cross_val_predict(TREE, X, y, cv=FOLDS, method="predict_proba")
    happened = (y[:, None] == np.unique(y)).astype(float)
    assert card[0].score == pytest.approx(log_loss(y, shares), rel=1e-12)
    assert card[1].score == pytest.approx(((shares - happened) ** 2).sum(axis=1).mean(), rel=1e-12)
    best = np.empty_like(shares)  # of what knows the folds alone: the shares of the classes in each
    for _, test in FOLDS.split(X, y):
        best[test] = happened[test].mean(axis=0)
    assert card[0].baseline.value == pytest.approx(log_loss(y, best), rel=1e-12)
    assert card[1].baseline.value == pytest.approx(((best - happened) ** 2).sum(axis=1).mean(), rel=1e-12)
    assert np.isnan(card[0].p_value)
    assert card[0].p_value_blind < 0.01
    for measure, aggregate, said in (
        ("roc_auc_ovr", "merged", "the bar of one-vs-rest AUC is not known where samples"),
        ("log_loss", "pooled", "aggregate must be 'mean' or 'merged' for probabilities of classes"),
    ):
        with pytest.raises(ValueError, match=said):
            cross_evaluate(TREE, X, y, cv=FOLDS, measures=measure, aggregate=aggregate)


def test_scores_without_probabilities_are_decision_functions_of_the_positive_class():
    y = np.where(Y == 1, "a", "b")  # the positive label is the first of the two
    card = cross_evaluate(LinearSVC(), X, y, cv=FOLDS, measures="roc_auc", pos_label="a")
    scores = cross_val_predict(LinearSVC(), X, Y, cv=FOLDS, method="decision_function")
    expected = np.mean([roc_auc_score(Y[test], scores[test]) for _, test in FOLDS.split(X, Y)])
    assert card[0].score == pytest.approx(expected, rel=1e-12)
    forest = cross_evaluate(TREE, X, y, cv=FOLDS, measures="brier_score", pos_label="a")
    assert forest[0].score == pytest.approx(
        -cross_val_score(TREE, X, Y, cv=FOLDS, scoring="neg_brier_score").mean()
    )


def test_repeated_splits_pool_the_counts_of_all_tests():
    folds = RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0)
    card = cross_evaluate(TREE, X, Y, cv=folds, measures="f1")
    said = [(Y[test], TREE.fit(X[train], Y[train]).predict(X[test])) for train, test in folds.split(X, Y)]
    (tn, fp), (fn, tp) = sum(confusion_matrix(*sides) for sides in said)
    assert card[0].counts == cb.Counts(tp=tp, fp=fp, fn=fn, tn=tn)
    assert card[0].baseline.value == pytest.approx(ALL_POSITIVE, rel=1e-14)
    assert "Some of the 240 samples are tested more than once; all 720 tests count." in card.notes
    assert np.isnan(card[0].p_value_blind)
    assert "p_value_blind is not known where samples are tested more than once" in card[0].reason
    assert card.all_ways()["pooled"][0].p_value == card[0].p_value


@pytest.mark.parametrize("measure", [pytest.param("roc_auc", marks=pytest.mark.slow), "brier_score"])
def test_without_refits_samples_trade_their_labels_and_keep_them_in_all_their_tests(measure):
    rng = np.random.default_rng(8)
    y, x = np.repeat([1, 0], [14, 26]), rng.normal(size=(40, 2))
    x[:14] += 0.4
    folds = list(RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0).split(x, y))
    said = [
        LogisticRegression().fit(x[train], y[train]).predict_proba(x[test])[:, 1] for train, test in folds
    ]
    card = cross_evaluate(LogisticRegression(), x, y, cv=folds, measures=measure)
    score, sign = (roc_auc_score, 1) if measure == "roc_auc" else (brier_score_loss, -1)

    def mean(labels):
        return sign * np.mean([score(labels[test], p) for (_, test), p in zip(folds, said, strict=True)])

    orders = (rng.permutation(y) for _ in range(300))
    p = np.mean([mean(order) >= mean(y) for order in orders])
    assert card[0].score == pytest.approx(sign * mean(y))
    assert card[0].p_value_blind == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 300) + 0.002)
    asked = [note for note in card.notes if "blind p-values" in note]
    assert len(asked) == 1
    assert "take the predictions as given" in asked[0]
    refitted = cross_evaluate(LogisticRegression(), x, y, cv=folds, measures=measure, permutations=19)
    asked = [note for note in refitted.notes if "blind p-values" in note]
    assert len(asked) == 1
    assert "come from refits" in asked[0]


@pytest.mark.parametrize(
    ("measure", "aggregate"), [("f1", "mean"), ("roc_auc", "mean"), ("accuracy", "pooled")]
)
def test_the_interval_of_repeated_splits_is_that_of_nadeau_and_bengio(measure, aggregate):
    """With the share that is tested; of tests of one size the pooled accuracy is the mean."""
    splits = ShuffleSplit(8, test_size=0.25, random_state=1)
    (row,) = cross_evaluate(TREE, X, Y, cv=splits, measures=measure, aggregate=aggregate)
    scores = cross_val_score(TREE, X, Y, cv=splits, scoring=measure)
    error = np.sqrt((1 / 8 + 60 / 180) * scores.var(ddof=1))
    assert row.score == pytest.approx(scores.mean(), rel=1e-12)
    assert (row.low, row.high) == pytest.approx(stats.t(7, scores.mean(), error).interval(0.95), rel=1e-9)
    distance = abs(scores.mean() - row.baseline.value) / error
    assert row.p_value == pytest.approx(2 * stats.t(7).sf(distance), rel=1e-9)


def test_a_card_says_what_fold_p_values_do_not_cover_and_who_made_it():
    card = cross_evaluate({"tree": TREE}, X, Y, cv=4, measures="mcc")
    assert sum("a learner that saw the labels of the other folds" in note for note in card.notes) == 1
    assert card.call == "clearbar.sklearn.cross_evaluate({'tree': ...}, X, y, cv=4, measures='mcc')"
    assert not any("permutations" in note for note in cross_evaluate(TREE, X, Y, intervals=False).notes)


@pytest.mark.parametrize("measure", ["f1", "roc_auc"])
def test_the_classes_keep_their_names(measure):
    X, y = make_classification(60, random_state=0)
    names = np.array(["benign", "malignant"])[y]
    card = cross_evaluate(LogisticRegression(), X, names, measures=measure, cv=3, pos_label="malignant")
    assert str(card).startswith(f"60 samples, {y.sum()} malignant ")
