"""Scorers that know the bar, in scikit-learn's searches and validations."""

from __future__ import annotations

import math
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.datasets import load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - makes the next import work
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer, get_scorer_names, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import clearbar as cb
from clearbar.sklearn import NotScorableError, baseline_scorer, skill_scorer

X, Y = make_classification(300, weights=[0.75], flip_y=0.2, random_state=1)
MODEL = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X[:150], Y[:150])
TEST = X[150:], Y[150:]

LABELS = """accuracy balanced_accuracy f1 f1_macro f1_weighted jaccard jaccard_macro matthews_corrcoef
neg_negative_likelihood_ratio positive_likelihood_ratio precision recall"""
CLASSES = """f1_micro jaccard_micro jaccard_weighted precision_macro precision_micro precision_weighted
recall_macro recall_micro recall_weighted"""
SCORES = "roc_auc average_precision neg_log_loss neg_brier_score d2_log_loss_score d2_brier_score"
NUMBERS = """d2_absolute_error_score explained_variance neg_max_error neg_mean_absolute_error
neg_mean_absolute_percentage_error neg_mean_gamma_deviance neg_mean_poisson_deviance neg_mean_squared_error
neg_mean_squared_log_error neg_median_absolute_error neg_root_mean_squared_error
neg_root_mean_squared_log_error r2"""
SETS = "f1_samples jaccard_samples precision_samples recall_samples"
KIND = {
    name: kind
    for kind, names in (
        ("labels", LABELS), ("classes", CLASSES), ("scores", SCORES), ("numbers", NUMBERS), ("sets", SETS)
    )
    for name in names.split()
}  # fmt: skip
"""What those of scikit-learn's scorers judge that the catalogue has too."""


def twice_as_bad(tp, fp, fn, tn):
    return (fp + 2 * fn) / (tp + fp + fn + tn)


COST = cb.Measure("cost", twice_as_bad, greater_is_better=False)


@pytest.fixture(scope="module")
def judged():
    """A model and its test set, for what it predicts."""
    sets = np.column_stack([X[:, 0] > 0, X[:, 1] > 0, X[:, 0] + X[:, 1] > 0]).astype(int)
    far, y = np.abs(X[:, :1]), 1 + np.abs(X[:, 0]) + X[:, 1] ** 2
    return {
        **dict.fromkeys(("labels", "classes", "scores"), (MODEL, *TEST)),
        "sets": (DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, sets), X, sets),
        "numbers": (LinearRegression().fit(far, y), far, y),
    }


@pytest.mark.parametrize("name", KIND)
def test_scorers_of_scikit_learn_are_known_by_their_names(judged, name):
    model, x, y = judged[KIND[name]]
    theirs = get_scorer(name)(model, x, y)
    if KIND[name] in {"scores", "numbers"}:
        bar, skill = baseline_scorer(name)(model, x, y), skill_scorer(name)(model, x, y)
        best = 0.0 if name.startswith("neg_") else 1.0
        if theirs > bar:
            assert skill == pytest.approx((theirs - bar) / (best - bar), rel=1e-9)
        else:  # below it is scaled by the worst that a blind model expects
            assert -1 <= skill <= 0
        return
    options = {"undefined": 0.0} if KIND[name] == "labels" else {}
    evaluate = {"classes": cb.evaluate_multiclass, "sets": cb.evaluate_multilabel}
    own = evaluate.get(KIND[name], cb.evaluate)(y, model.predict(x), name, intervals=False, **options)[0]
    assert own.score == pytest.approx(-theirs if name.startswith("neg_") else theirs, rel=1e-12)
    if math.isnan(own.skill):  # perfect predictions have an infinite ratio
        with pytest.warns(cb.UndefinedMeasureWarning, match="last; choose a measure that has a value here"):
            assert math.isnan(skill_scorer(name, **options)(model, x, y))
        return
    assert skill_scorer(name, **options)(model, x, y) == pytest.approx(own.skill, rel=1e-12)
    sign = -1 if name.startswith("neg_") else 1
    assert baseline_scorer(name, **options)(model, x, y) == pytest.approx(sign * own.baseline.value)


def test_scorers_of_what_the_catalogue_does_not_judge_are_refused_by_name():
    others = set(get_scorer_names()) - set(KIND)
    assert {"adjusted_rand_score", "top_k_accuracy"} <= others
    for name in others:
        with pytest.raises(ValueError, match=f"^the scorer '{name}' is none of the catalogue's measures of"):
            skill_scorer(name)


@pytest.mark.parametrize("name", ["accuracy", "matthews_corrcoef", "jaccard_weighted"])
def test_three_classes_are_scored_by_the_measure_of_that_name(name):
    X, y = load_iris(return_X_y=True)
    model = GaussianNB().fit(X[::2, :1], y[::2])
    test = X[1::2, :1], y[1::2]
    own = cb.evaluate(test[1], model.predict(test[0]), name, intervals=False)[0]
    assert own.score == pytest.approx(get_scorer(name)(model, *test), rel=1e-12)
    assert skill_scorer(name)(model, *test) == own.skill
    assert baseline_scorer(name)(model, *test) == own.baseline.value


@pytest.mark.parametrize("measure", ["f1", "accuracy", "error_rate", "mcc", COST], ids=str)
def test_skill_is_the_rescaled_score_and_higher_is_better(measure):
    predicted = MODEL.predict(TEST[0])
    bar = cb.baseline(TEST[1], measure)
    expected = cb.skill(cb.score(TEST[1], predicted, measure), bar)
    assert skill_scorer(measure)(MODEL, *TEST) == pytest.approx(expected, rel=1e-14)
    perfect = DecisionTreeClassifier(random_state=0).fit(*TEST)
    assert skill_scorer(measure)(perfect, *TEST) == pytest.approx(1.0)
    sign = -1 if cb.get_measure(measure).greater_is_better is False else 1
    assert baseline_scorer(measure)(MODEL, *TEST) == pytest.approx(sign * bar.value, rel=1e-14)


def test_a_search_refits_the_model_with_the_most_skill():
    scoring = {"skill": skill_scorer("f1"), "f1": "f1", "bar": baseline_scorer("f1")}
    grid = {"max_depth": [1, 3, 8]}
    tree = DecisionTreeClassifier(random_state=0)
    search = GridSearchCV(tree, grid, scoring=scoring, refit="skill", cv=4).fit(X, Y)
    found = search.cv_results_
    bars = found["split0_test_bar"]
    np.testing.assert_allclose(
        found["split0_test_skill"],
        np.where(found["split0_test_f1"] > bars, (found["split0_test_f1"] - bars) / (1 - bars), np.nan),
    )
    assert search.best_index_ == np.argmax(found["mean_test_skill"])
    assert search.score(X, Y) == skill_scorer("f1")(search.best_estimator_, X, Y)
    halving = HalvingGridSearchCV(tree, grid, scoring=skill_scorer("f1"), random_state=0).fit(X, Y)
    assert halving.best_score_ > 0


def test_cross_validation_with_train_scores_in_other_processes():
    scoring = {"skill": skill_scorer("mcc"), "bar": baseline_scorer("error_rate")}
    found = cross_validate(MODEL, X, Y, scoring=scoring, cv=3, return_train_score=True, n_jobs=2)
    assert (found["train_skill"] > found["test_skill"]).all()
    assert (found["test_bar"] < 0).all()


def test_text_labels_need_a_name_and_a_fold_may_lack_them():
    y = pd.Series(np.where(Y == 1, "yes", "no"))
    frame = pd.DataFrame(X)
    model = LogisticRegression(max_iter=1000)
    with pytest.raises(NotScorableError, match="Pass pos_label='no' or pos_label='yes'"):
        skill_scorer("f1")(model.fit(frame, y), frame, y)
    scorer = skill_scorer("f1", pos_label="yes")
    assert np.isfinite(cross_val_score(model, frame, y, scoring=scorer)).all()
    lacking = y == "no"
    always = DummyClassifier(strategy="constant", constant="yes").fit(frame, y)
    with pytest.warns(
        cb.UndefinedMeasureWarning,
        match="is nan here: .* A search ranks nan last; these samples are of one class, which",
    ):
        assert math.isnan(scorer(always, frame[lacking], y[lacking]))
    assert baseline_scorer("accuracy", pos_label="yes")(always, frame[lacking], y[lacking]) == 1.0


@pytest.mark.parametrize("labels", [("no", "yes"), (3, 7)], ids=str)
def test_a_fold_in_which_the_named_label_is_neither_true_nor_predicted(labels):
    y = np.array([labels[0]] * 5)
    never = DummyClassifier(strategy="constant", constant=labels[0]).fit(np.zeros((6, 1)), [*y, labels[1]])
    fold = np.zeros((5, 1)), y
    assert baseline_scorer("accuracy", pos_label=labels[1])(never, *fold) == 1.0
    for measure in ("f1", "mcc"):
        with pytest.warns(cb.UndefinedMeasureWarning, match="these samples are of one class, which strat"):
            assert math.isnan(skill_scorer(measure, pos_label=labels[1], undefined=0.0)(never, *fold))
    with pytest.raises(ValueError, match=r"pos_label=\['maybe'\] does not occur in y_true"):
        skill_scorer("f1", pos_label=["maybe"])(never, *fold)


def test_a_score_without_a_value_is_nan_with_a_remedy_that_helps_in_a_warning():
    never = DummyClassifier(strategy="constant", constant=0).fit(X, Y)
    for make, data in ((skill_scorer, (X, Y)), (baseline_scorer, (X[Y == 0], Y[Y == 0]))):
        with pytest.warns(cb.UndefinedMeasureWarning, match=r"^\w+\('mcc'\) is nan here: ") as caught:
            assert math.isnan(make("mcc")(never, *data))
        assert str(caught[0].message).count("undefined=0.0") == 1
        assert make("mcc", undefined=0.0)(never, *data) == 0.0
    with pytest.warns(
        cb.UndefinedMeasureWarning, match=r"^baseline_scorer\('diagnostic_odds_ratio.* at every number"
    ):
        assert math.isnan(baseline_scorer("odds ratio")(never, X, Y))


def test_whole_weights_count_samples_and_others_are_refused():
    weight = np.arange(150) % 3
    scorer = skill_scorer("f1")
    repeated = np.repeat(TEST[0], weight, axis=0), np.repeat(TEST[1], weight)
    assert scorer(MODEL, *TEST, sample_weight=weight) == scorer(MODEL, *repeated)
    with pytest.raises(ValueError, match=r"sample_weight must hold whole numbers from 0 up.* found 0.5"):
        scorer(MODEL, *TEST, sample_weight=np.full(150, 0.5))


def test_weights_are_routed():
    weight = np.where(Y == 1, 3, 1)
    folds = StratifiedKFold(3)
    with config_context(enable_metadata_routing=True):
        model = DecisionTreeClassifier(max_depth=3, random_state=0).set_fit_request(sample_weight=False)
        scorer = baseline_scorer("f1").set_score_request(sample_weight=True)
        found = cross_validate(model, X, Y, scoring=scorer, cv=folds, params={"sample_weight": weight})
    expected = [cb.baseline(np.repeat(Y[test], weight[test]), "f1").value for _, test in folds.split(X, Y)]
    np.testing.assert_allclose(found["test_score"], expected, rtol=1e-14)


def test_they_say_what_they_are_and_pickle():
    scorer = skill_scorer("F-score", pos_label="yes", undefined=0.0)
    assert "skill_scorer('f1', pos_label='yes', undefined=0.0)" in repr(scorer)
    assert "baseline_scorer('mcc')" in repr(baseline_scorer("mcc"))
    for made in (skill_scorer("f1"), skill_scorer("roc_auc"), baseline_scorer(COST)):
        again = pickle.loads(pickle.dumps(made))  # noqa: S301 - our own bytes
        assert again(MODEL, *TEST) == made(MODEL, *TEST)


@pytest.mark.parametrize("make", [skill_scorer, baseline_scorer])
@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("nonsense", "unknown measure 'nonsense'"),
        ("frequency_bias", "frequency bias has no better end"),
        (get_scorer("f1"), "measure must be a name or a Measure"),
    ],
    ids=str,
)
def test_what_cannot_score_is_refused_when_the_scorer_is_made(make, measure, message):
    with pytest.raises(ValueError, match=message):
        make(measure)


def test_the_column_of_the_named_label_is_read_and_decision_functions_do_where_there_are_no_probabilities():
    y = np.where(Y == 1, "a", "b")  # the positive label is the first of the two
    fold = X[150:], y[150:]
    model = LogisticRegression(max_iter=1000).fit(X[:150], y[:150])
    expected = 2 * roc_auc_score(TEST[1], model.predict_proba(TEST[0])[:, 0]) - 1
    assert skill_scorer("roc_auc", pos_label="a")(model, *fold) == pytest.approx(expected, rel=1e-12)
    margin = LinearSVC().fit(X[:150], y[:150])
    expected = 2 * roc_auc_score(TEST[1], -margin.decision_function(TEST[0])) - 1
    assert skill_scorer("auc", pos_label="a")(margin, *fold) == pytest.approx(expected, rel=1e-12)
    with pytest.raises(AttributeError, match="predict_proba"):
        skill_scorer("log_loss", pos_label="a")(margin, *fold)


def test_a_fold_of_one_class_has_no_auc_and_says_so():
    with pytest.warns(cb.UndefinedMeasureWarning, match=r"^skill_scorer\('roc_auc', pos_label=1\) is nan"):
        assert math.isnan(skill_scorer("roc_auc", pos_label=1)(MODEL, X[Y == 0], Y[Y == 0]))


def test_scorers_of_scores_take_neither_a_policy_nor_weights():
    with pytest.raises(ValueError, match="undefined is for measures of labels; leave it out for roc_auc"):
        skill_scorer("roc_auc", undefined=0.0)
    with pytest.raises(ValueError, match="takes no sample_weight; repeat the samples instead"):
        skill_scorer("roc_auc")(MODEL, *TEST, sample_weight=np.ones(150, dtype=int))


@pytest.mark.parametrize("name", ["roc_auc", "f1"])
def test_scorers_go_through_repeated_splits(name):
    splits = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    scores, skills, bars = (
        cross_val_score(tree, X, Y, cv=splits, scoring=scoring)
        for scoring in (name, skill_scorer(name), baseline_scorer(name))
    )
    shares = [Y[test].mean() for _, test in splits.split(X, Y)]
    np.testing.assert_allclose(bars, [0.5 if name == "roc_auc" else 2 * p / (1 + p) for p in shares])
    assert (scores > bars).all()
    np.testing.assert_allclose(skills, (scores - bars) / (1 - bars), rtol=1e-12)


def test_a_search_over_three_classes_ends_with_one_sentence():
    many, scorer, tree = np.arange(300) % 3, skill_scorer("roc_auc"), DecisionTreeClassifier()
    grid = {"max_depth": [1, 2]}
    for call in (
        lambda: GridSearchCV(tree, grid, scoring=scorer, cv=3).fit(X, many),
        lambda: GridSearchCV(tree, grid, scoring={"skill": scorer}, refit="skill", cv=3).fit(X, many),
        lambda: cross_val_score(tree, X, many, scoring=scorer),
    ):
        with pytest.raises(
            NotScorableError, match=r"^skill_scorer\('\w+'\): y_true holds three labels .*one "
        ):
            call()


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_such_a_search_ends_in_other_processes_too(backend):
    many, scorer, tree = np.arange(300) % 3, skill_scorer("neg_log_loss"), DecisionTreeClassifier()
    with (
        joblib.parallel_config(backend, n_jobs=2),
        pytest.raises(NotScorableError, match=r"^skill_scorer\('log_loss'\): y_true holds three labels"),
    ):
        GridSearchCV(tree, {"max_depth": [1, 2]}, scoring=scorer, cv=3).fit(X, many)


@pytest.mark.parametrize(
    ("scorer", "labels", "says"),
    [
        (skill_scorer("f1"), np.array(["no", "yes"])[Y], r"must be named\. Pass pos_label='no' or"),
        (skill_scorer("roc_auc"), np.array(["no", "yes"])[Y], r"must be named\. Pass pos_label='no'"),
        (skill_scorer("f1", pos_label=1), np.arange(300) % 3, r"three labels .*leave out pos_label"),
        (skill_scorer("f1"), np.arange(300) % 3, "name f1_micro, f1_macro or f1_weighted"),
        (baseline_scorer("lift"), np.arange(300) % 3, r"one class at a time: evaluate\(y_true == label, "),
    ],
)
def test_true_labels_that_are_not_judged_end_a_search(scorer, labels, says):
    with pytest.raises(NotScorableError, match=says):
        cross_val_score(DecisionTreeClassifier(), X, labels, scoring=scorer)


class Lost(DecisionTreeClassifier):
    """A candidate that has diverged."""

    def predict(self, rows):
        return np.full(len(rows), np.nan)


def test_predictions_that_are_not_judged_end_no_search():
    with pytest.warns(UserWarning, match="Scoring failed"):
        scores = cross_val_score(Lost(), X, Y, scoring=skill_scorer("f1"))
    assert np.isnan(scores).all()
