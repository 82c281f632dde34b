"""Names in a set stand in another order in every process, and so would rows: a set is refused."""

import re

import numpy as np
import pandas as pd
import pytest

import clearbar as cb

pytestmark = pytest.mark.quick

Y, P = np.array([0, 1] * 9), np.array([0, 1, 1] * 6)
SETS = [{1}, {2}] * 6
FRAME = pd.DataFrame({"y": Y, "p": P})
COUNTS = cb.Counts(tp=8, fp=2, fn=1, tn=9)

ASKED = {
    "evaluate": lambda names: cb.evaluate(Y, P, names),
    "numbers": lambda names: cb.evaluate(Y * 1.5, P * 2.0, names),
    "evaluate_counts": lambda names: cb.evaluate_counts(COUNTS, names),
    "evaluate_scores": lambda names: cb.evaluate_scores(Y, P, names),
    "evaluate_regression": lambda names: cb.evaluate_regression(Y, P, names),
    "evaluate_multiclass": lambda names: cb.evaluate_multiclass(Y, P, names),
    "evaluate_multilabel": lambda names: cb.evaluate_multilabel(SETS, SETS, names),
    "evaluate_folds": lambda names: cb.evaluate_folds(Y, P, np.arange(18) % 3, names),
    "evaluate_frame": lambda names: cb.evaluate_frame(FRAME, "y", "p", measures=names),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_measures_in_a_set_are_refused(ask):
    for names in ({"mae", "rmse"}, frozenset({"f1", "mcc"})):
        kind = type(names).__name__
        with pytest.raises(ValueError, match=rf"^measures is a {kind}, which has no order; pass a list"):
            ask(names)


def test_paths_and_scores_of_logs_in_a_set_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"^paths is a set, which has no order"):
        cb.evaluate_logs({"a.jsonl", "b.jsonl"})
    with pytest.raises(ValueError, match=r"^paths is a set, which has no order"):
        cb.evaluate_frame({"a.csv", "b.csv"}, "y", "p")
    with pytest.raises(ValueError, match=r"^metric is a set, which has no order"):
        cb.evaluate_logs([tmp_path], metric={"acc", "acc_norm"})


def test_what_is_no_text_is_no_option():
    card = cb.evaluate(Y, {"a": P, "b": Y}, dict.fromkeys(["mcc", "f1"]))
    assert [measure.name for measure in card.measures] == ["mcc", "f1"], "keys of a dictionary have an order"
    for wrong in (pd.NA, ["least"], None, 1):
        with pytest.raises(ValueError, match=r"^null must be 'equal' "):
            card.compare("a", "b", "f1", null=wrong)
        with pytest.raises(ValueError, match=r"^draw must be 'least' or 'prevalence'; found "):
            cb.dutch_scaler(0.5, cb.Population(30, 9), "f1", draw=wrong)


def test_a_measure_of_two_classes_says_how_others_are_judged_by_it():
    for said, judge, *data in (
        ("evaluate(y_true == label, y_pred == label, 'lift')", cb.evaluate, np.arange(18) % 3, P),
        ("evaluate(Y_true[:, i], Y_pred[:, i], 'lift')", cb.evaluate_multilabel, SETS, SETS),
        ("evaluate(y_true >= threshold, y_pred >= threshold, 'lift')", cb.evaluate_regression, Y, P),
    ):
        with pytest.raises(ValueError, match=re.escape(said)):
            judge(*data, "lift")
