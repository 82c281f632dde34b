"""The check and the metrics on real reports of skore."""

import numpy as np
import pytest
from integrations.page import printed
from sklearn.datasets import make_classification, make_regression
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, RepeatedStratifiedKFold
from skore import Check, CrossValidationReport, compare, evaluate

import clearbar as cb
from clearbar.integrations.skore import ClearsBar
from clearbar.sklearn import baseline_scorer, skill_scorer

X, Y = make_classification(240, weights=[0.7], random_state=0)
BLIND = DummyClassifier(strategy="uniform", random_state=0)


def found(report, *arguments, **options):
    report.checks.add([ClearsBar(*arguments, **options)])
    ours = report.checks.summarize(fast_mode=True).frame().set_index("code").loc["CLEARBAR"]
    said = ours["explanation"]
    return ours["section"], said if isinstance(said, (str, dict)) else None


def test_it_is_a_check():
    assert isinstance(ClearsBar(), Check)


def test_a_model_that_clears_passes_and_one_that_does_not_is_told():
    assert found(evaluate(LogisticRegression(), X, Y, splitter=0.4), "f1") == ("passed", None)
    report = evaluate(BLIND, X, Y, splitter=0.4)
    card = cb.evaluate(report.y_test, report.get_predictions(data_source="test"), "f1")
    section, said = found(report, "f1")
    assert section == "issue"
    assert said.startswith(f"F1 {card[0].score:.3f} is below the bar {card[0].baseline.value:.3f}"[:12])
    assert said.endswith(".")


def test_unsure_is_an_issue_and_says_what_it_needs():
    section, said = found(
        evaluate(LogisticRegression(), X[:40], Y[:40], splitter=0.5), "accuracy", alpha=1e-6
    )
    assert section == "issue"
    assert "could be chance" in said or "is below" in said


def test_folds_are_pooled():
    report = evaluate(LogisticRegression(), X, Y, splitter=5)
    assert isinstance(report, CrossValidationReport)
    assert found(report) == ("passed", None)
    blind = evaluate(BLIND, X, Y, splitter=KFold(4))
    assert found(blind)[0] == "issue"


def test_tests_that_overlap_are_not_judged():
    report = evaluate(BLIND, X, Y, splitter=RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0))
    section, said = found(report)
    assert section == "not_applicable"
    assert "cross_evaluate judges such splits" in said


def test_text_labels_many_classes_and_numbers():
    texts = np.where(Y == 1, "spam", "ham")
    assert (
        found(evaluate(LogisticRegression(), X, texts, splitter=0.4, pos_label="spam"), "f1")[0] == "passed"
    )
    assert found(evaluate(LogisticRegression(), X, texts, splitter=0.4), "f1")[0] == "passed"
    many, three = make_classification(240, n_classes=3, n_informative=5, random_state=0)
    assert found(evaluate(LogisticRegression(), many, three, splitter=0.4), "f1_macro")[0] == "passed"
    features, numbers = make_regression(120, noise=1, random_state=0)
    assert found(evaluate(LinearRegression(), features, numbers, splitter=0.4))[0] == "passed"
    assert found(evaluate(DummyRegressor(), features, numbers, splitter=0.4))[0] == "issue"
    section, said = found(evaluate(DummyRegressor(), features, numbers, splitter=3))
    assert (section, said) == (
        "not_applicable",
        "folds are judged for labels; of numbers judge one test set.",
    )


def test_each_part_of_a_comparison():
    reports = {
        "good": evaluate(LogisticRegression(), X, Y, splitter=0.4),
        "blind": evaluate(BLIND, X, Y, splitter=0.4),
    }
    for report in reports.values():
        report.checks.add([ClearsBar("f1")])
    ours = compare(reports).checks.summarize(fast_mode=True).frame().set_index("code").loc["CLEARBAR"]
    assert ours["section"] == "issue"
    assert list(ours["explanation"]) == ["blind"]


@pytest.mark.parametrize("measure", ["f1", "mcc", "log_loss"])
def test_metrics(measure):
    report = evaluate(LogisticRegression(), X, Y, splitter=0.4, pos_label=1)
    report.metrics.add(skill_scorer(measure), name="skill")
    report.metrics.add(baseline_scorer(measure), name="bar")
    probabilities = report.get_predictions(data_source="test", response_method="predict_proba")
    said = report.get_predictions(data_source="test") if measure != "log_loss" else np.asarray(probabilities)
    verdict = cb.evaluate(np.asarray(report.y_test), said, measure)[0]
    sign = -1 if measure == "log_loss" else 1
    assert report.metrics.get("skill") == pytest.approx(verdict.skill)
    assert report.metrics.get("bar") == pytest.approx(sign * float(verdict.baseline.value))
    names = set(report.metrics.summarize().frame().index.get_level_values(0))
    assert {"Skill", "Bar"} <= names or {"skill", "bar"} <= names


def test_the_example_of_the_page():
    out, shown = printed("skore")
    assert out == shown
