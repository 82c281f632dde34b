"""Scorers that know the bar, in scikit-learn's searches and validations."""

import math
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - makes the next import work
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer, get_scorer_names, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
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
    of_classes = {name for name in get_scorer_names() if name.startswith("roc_auc_ov")}
    others = set(get_scorer_names()) - set(KIND) - of_classes
    assert all(skill_scorer(name) for name in of_classes)
    assert {"adjusted_rand_score", "top_k_accuracy"} <= others
    for name in others:
        with pytest.raises(ValueError, match=f"^the scorer '{name}' is none of the catalogue's measures of"):
            skill_scorer(name)


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


def test_scorers_of_scores_take_neither_a_policy_nor_weights():
    with pytest.raises(ValueError, match="undefined is for measures of labels; leave it out for roc_auc"):
        skill_scorer("roc_auc", undefined=0.0)
    with pytest.raises(ValueError, match="takes no sample_weight; repeat the samples instead"):
        skill_scorer("roc_auc")(MODEL, *TEST, sample_weight=np.ones(150, dtype=int))


@pytest.mark.slow
def test_such_a_search_ends_in_other_processes_too():
    many, scorer, tree = np.arange(300) % 3, skill_scorer("roc_auc"), DecisionTreeClassifier()
    with (
        joblib.parallel_config("loky", n_jobs=2),
        pytest.raises(NotScorableError, match=r"^skill_scorer\('roc_auc'\): y_true holds three labels"),
    ):
        GridSearchCV(tree, {"max_depth": [1, 2]}, scoring=scorer, cv=3).fit(X, many)


@pytest.mark.parametrize(
    ("scorer", "labels", "says"),
    [
        (skill_scorer("f1"), np.array(["no", "yes"])[Y], r"must be named\. Pass pos_label='no' or"),
        (skill_scorer("f1", pos_label=1), np.arange(300) % 3, r"three labels .*leave out pos_label"),
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
