"""The feature-blind classifier as scikit-learn sees it, and as the theory says it must draw."""

import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.fixes import parse_version

import clearbar as cb
import clearbar.compat
import clearbar.sklearn
from clearbar.sklearn import DutchDrawClassifier

RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 3))
Y = np.array([1] * 18 + [0] * 42)

# Where some rows are labelled positive, no constant probability has an argmax that agrees; nor has a
# prevalence of 0.3 where all are. The default, and whatever labels all rows alike, passes every check.
AGREES = {"check_classifiers_train": "predict_proba is the prevalence, whatever predict must do"}
if parse_version(sklearn.__version__) < parse_version("1.7"):
    # it makes labels binary by the first sample, which differs between the two fits that it compares
    FIRST_SAMPLE = {f"check_sample_weight_equivalence_on_{kind}_data": "1.6" for kind in ("dense", "sparse")}
else:
    FIRST_SAMPLE = {}
CONFIGURATIONS = {
    "default": (DutchDrawClassifier(), {}),
    "a share": (DutchDrawClassifier("accuracy", prevalence=0.3, undefined=0.0, random_state=3), {}),
    "nothing known": (DutchDrawClassifier("mcc", prevalence=None), {}),
    "some rows": (DutchDrawClassifier("g_mean"), AGREES),
    "many classes": (DutchDrawClassifier("f1_macro"), AGREES),
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_all_checks_of_scikit_learn_pass(name):
    classifier, expected = CONFIGURATIONS[name]
    expected = {**expected, **FIRST_SAMPLE}
    results = check_estimator(classifier, on_skip=None, on_fail=None, expected_failed_checks=expected)
    assert len(results) > 40
    found = {(result["status"], result["check_name"]) for result in results if result["status"] != "passed"}
    # the first because of the tag, the second where the environment has no array API
    skipped = {("skipped", check) for check in ("check_pipeline_consistency", "check_array_api_input")}
    assert found - skipped == {("xfail", check) for check in expected}


@pytest.mark.parametrize("measure", ["f1", "accuracy", "g_mean", "mcc", "threat_score", "error_rate"])
def test_it_labels_exactly_the_optimal_number_of_rows(measure):
    classifier = DutchDrawClassifier(measure).fit(X, Y)
    for rows in (2, 3, 5, 11, 60, 400):
        positives = math.floor(rows * 18 / 60 + 0.5)
        bar = cb.baseline(cb.Population(rows, positives), measure)
        if math.isnan(bar.value):
            continue
        predicted = classifier.predict(np.zeros((rows, 3)))
        assert predicted.sum() == bar.draw().predicted_positives == classifier.predicted_positives(rows)


def test_an_int_as_seed_repeats_and_a_generator_goes_on():
    fixed = DutchDrawClassifier("g_mean", random_state=4).fit(X, Y)
    assert (fixed.predict(X) == fixed.predict(X)).all()
    going = DutchDrawClassifier("g_mean", random_state=np.random.default_rng(4)).fit(X, Y)
    assert (going.predict(X) != going.predict(X)).any()


@pytest.mark.parametrize(
    ("labels", "options", "positive", "prevalence"),
    [
        (("no", "yes"), {}, "yes", 0.3),
        ((False, True), {}, True, 0.3),
        (("good", "bad"), {"pos_label": "good"}, "good", 0.7),
    ],
)
def test_of_any_two_labels_the_second_in_order_or_the_named_one_is_positive(
    labels, options, positive, prevalence
):
    classifier = DutchDrawClassifier(**options).fit(X, np.array(labels)[Y])
    assert (classifier.pos_label_, classifier.prevalence_) == (positive, prevalence)
    assert set(classifier.predict(X).tolist()) == {positive}
    shares = [prevalence if label == positive else 1 - prevalence for label in classifier.classes_]
    np.testing.assert_allclose(classifier.predict_proba(X), [shares] * 60)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": ["x", None] * 30, "b": [math.nan] * 60}),
        pl.DataFrame({"a": ["x", None] * 30, "b": [1.5] * 60}),
        sparse.csr_array(np.eye(60)),
        np.full((60, 2), np.nan),
        [["text", 1]] * 60,
    ],
    ids=type,
)
def test_features_are_never_looked_at(frame):
    classifier = DutchDrawClassifier().fit(frame, Y)
    assert classifier.predict(frame).sum() == 60
    if isinstance(frame, pd.DataFrame):  # of other frames 1.6 does not read the names
        assert list(classifier.feature_names_in_) == ["a", "b"]


@pytest.mark.slow
def test_without_a_prevalence_it_draws_what_is_optimal_whatever_the_sizes_are():
    assert hasattr(DutchDrawClassifier().fit(X, Y), "predict_proba")
    served = 0
    for measure in cb.measures():
        try:
            classifier = DutchDrawClassifier(measure, prevalence=None).fit(X, Y)
        except ValueError:
            continue
        served += 1
        assert not hasattr(classifier, "predict_proba")
        for rows in (2, 5):
            k = int(classifier.predict(np.zeros((rows, 3))).sum())
            for positives in range(1, rows):
                best = cb.baseline(cb.Population(rows, positives), measure).best
                assert not best.predicted_positives or any(k in part for part in best.predicted_positives)
    assert served > 20


def test_it_takes_part_in_what_scikit_learn_is_made_of():
    blind = DutchDrawClassifier("g_mean", random_state=0)
    piped = make_pipeline(StandardScaler(), blind).set_output(transform="pandas").fit(X, Y)
    assert piped.predict(X).sum() == piped[-1].predicted_positives(60)
    scores = cross_val_score(DutchDrawClassifier(), X, Y, scoring="f1", cv=3)
    np.testing.assert_allclose(scores, cb.baseline(cb.Population(20, 6), "f1").value)
    search = GridSearchCV(blind, {"measure": ["f1", "accuracy"]}, scoring="f1", cv=3).fit(X, Y)
    assert search.best_params_ == {"measure": "f1"}
    voters = [("model", LogisticRegression()), ("blind", DutchDrawClassifier("accuracy"))]
    for voting in ("hard", "soft"):
        assert VotingClassifier(voters, voting=voting).fit(X, Y).predict(X).shape == (60,)


def test_it_clones_and_pickles():
    classifier = DutchDrawClassifier(cb.get_measure("f2"), prevalence=0.2, random_state=1).fit(X, Y)
    assert clone(classifier).get_params() == classifier.get_params()
    again = pickle.loads(pickle.dumps(classifier))  # noqa: S301 - our own bytes
    assert (again.predict(X) == classifier.predict(X)).all()
    assert repr(DutchDrawClassifier("mcc")) == "DutchDrawClassifier(measure='mcc')"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "roc_auc"}, "judges scores, not two columns of labels"),
        ({"measure": "odds_ratio", "prevalence": None}, "diagnostic_odds_ratio has no bar"),
        ({"measure": "accuracy", "prevalence": None}, "prevalence=None is not enough for accuracy"),
        ({"prevalence": 1}, "prevalence must be 'train', a share between 0 and 1, or None; found 1"),
        ({"pos_label": [1]}, "pos_label=[1] is not among the classes of y, which are 0 and 1"),
        ({"y": np.arange(60) % 3}, "y holds 3 classes (0, 1 and 2). For one class against the rest"),
        ({"y": np.ones(60, dtype=int)}, "y holds one class (1) and two are needed"),
        ({"y": np.array(["a", 1] * 30, dtype=object)}, "y must hold labels of one kind; found int and str."),
        ({"y": np.linspace(0, 1, 60)}, "Unknown label type"),
        ({"weight": Y}, "sample_weight leaves one class of y"),
    ],
)
def test_what_cannot_be_is_refused_when_it_is_fitted(options, message):
    y, weight = options.pop("y", Y), options.pop("weight", None)
    with pytest.raises(ValueError) as caught:
        DutchDrawClassifier(**options).fit(X, y, sample_weight=weight)
    assert message in str(caught.value)


LETTERS = np.repeat(["a", "b", "c"], [6, 4, 2])


@pytest.mark.parametrize(
    ("measure", "counts"),
    [
        ("accuracy", {"a": 24, "b": 0, "c": 0}),
        ("f1_macro", {"a": 12, "b": 8, "c": 4}),
        ("precision_macro", {"a": 22, "b": 1, "c": 1}),
    ],
)
def test_more_than_two_classes_are_called_as_often_as_is_best(measure, counts):
    blind = DutchDrawClassifier(measure, random_state=1).fit(np.zeros((12, 1)), LETTERS)
    assert blind.predicted_counts(24) == counts
    bar = cb.baseline_multiclass(cb.ClassSizes({"a": 12, "b": 8, "c": 4}), measure)
    assert counts == bar.predicted_counts
    said = blind.predict(np.zeros((24, 1)))
    assert {label: int((said == label).sum()) for label in "abc"} == counts
    np.testing.assert_allclose(blind.predict_proba(np.zeros((2, 1))), [[1 / 2, 1 / 3, 1 / 6]] * 2)
    with pytest.raises(ValueError, match="no class is the positive one"):
        blind.predicted_positives(24)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"prevalence": {"a": 1.0}}, "map each class to its share"),
        ({"prevalence": {"a": 0.5, "b": 0.6, "c": 0.5}}, "shares from 0 up that add up to 1"),
        ({"pos_label": "a"}, "neither pos_label, undefined nor a single prevalence"),
        ({"prevalence": 0.5}, "neither pos_label, undefined nor a single prevalence"),
    ],
)
def test_what_is_of_two_classes_or_leaves_a_class_out_is_refused(options, said):
    with pytest.raises(ValueError, match=said):
        DutchDrawClassifier("f1_macro", **options).fit(np.zeros((len(LETTERS), 1)), LETTERS)
