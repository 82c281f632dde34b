"""Names that are attached by position must have an order: a set's is another in every process."""

import re

import numpy as np
import pandas as pd
import pytest

import clearbar as cb

pytestmark = pytest.mark.quick

Y = np.tile([0, 1, 2], 8)
TWO, P = np.array([0, 1] * 9), np.array([0, 1, 1] * 6)
SETS = [{"a"}, {"a", "b"}, {"c"}, {"b"}]
FRAME = pd.DataFrame({"y": TWO, "p": P, "g": [1] * 9 + [2] * 9, "h": TWO})
COUNTS = cb.Counts(tp=[1, 2], fp=[1, 2], fn=[2, 3], tn=[4, 5])
NUMBERS, LETTERS = [0, 1, 2], ["a", "b", "c"]


def of_a_matrix(labels):
    return cb.ConfusionMatrix(np.eye(3, dtype=int), labels=labels)


def of_sets(labels):
    return cb.evaluate_multilabel(SETS, SETS, labels=labels, intervals=False)


CALLS = [
    (lambda labels: cb.evaluate_multiclass(Y, np.eye(3)[Y], "top_2_accuracy", labels=labels), NUMBERS),
    (lambda labels: cb.baseline_multiclass(Y, "accuracy", labels=labels), NUMBERS),
    (of_a_matrix, LETTERS),
    (lambda labels: cb.Counts.from_matrix([[1, 2], [3, 4]], labels=labels, pos_label=1), [0, 1]),
    (of_sets, LETTERS),
    (lambda groups: cb.evaluate_counts(COUNTS, "f1", groups=groups), ["a", "b"]),
    (lambda by: cb.evaluate_frame(FRAME, "y", "p", measures="f1", by=by, intervals=False), ["g", "h"]),
]
OF_MEASURES = [
    (lambda names: cb.evaluate(TWO, P, names), ["f1", "mcc"]),
    (lambda names: cb.evaluate_scores(TWO, P, names), ["roc_auc"]),
    (lambda names: cb.evaluate_regression(TWO, P, names), ["mae"]),
    (lambda names: cb.evaluate_multiclass(TWO, P, names), ["mcc"]),
    (lambda names: cb.evaluate_folds(TWO, P, TWO, names), ["f1"]),
    (lambda names: cb.evaluate_frame(FRAME, "y", "p", measures=names), ["f1"]),
]


@pytest.mark.parametrize(("call", "names"), [*CALLS, *OF_MEASURES])
@pytest.mark.parametrize("kind", [set, frozenset])
def test_a_set_is_refused(call, names, kind):
    said = rf"(labels|groups|by|measures) is a {kind.__name__}, which has no order; "
    with pytest.raises(ValueError, match=said):
        call(kind(names))


@pytest.mark.parametrize(("call", "names"), CALLS)
@pytest.mark.parametrize("kind", [tuple, np.array, pd.Index, lambda them: dict.fromkeys(them).keys()])
def test_what_has_an_order_is_taken(call, names, kind):
    call(kind(names))


def test_paths_and_scores_of_logs_in_a_set_are_refused(tmp_path):
    for call, name in (
        (lambda: cb.evaluate_logs({"a.jsonl", "b.jsonl"}), "paths"),
        (lambda: cb.evaluate_frame({"a.csv", "b.csv"}, "y", "p"), "paths"),
        (lambda: cb.evaluate_logs([tmp_path], metric={"acc", "acc_norm"}), "metric"),
    ):
        with pytest.raises(ValueError, match=rf"^{name} is a set, which has no order"):
            call()


def test_what_is_no_text_is_no_option():
    card = cb.evaluate(TWO, {"a": P, "b": TWO}, "f1")
    for wrong in (pd.NA, ["least"]):
        with pytest.raises(ValueError, match=r"^null must be 'equal' "):
            card.compare("a", "b", "f1", null=wrong)
        with pytest.raises(ValueError, match=r"^draw must be 'least' or 'prevalence'; found "):
            cb.dutch_scaler(0.5, cb.Population(30, 9), "f1", draw=wrong)


def test_a_measure_of_two_classes_says_how_others_are_judged_by_it():
    for said, judge, *data in (
        ("evaluate(y_true == label, y_pred == label, 'lift')", cb.evaluate, np.arange(18) % 3, P),
        ("evaluate(Y_true[:, i], Y_pred[:, i], 'lift')", cb.evaluate_multilabel, SETS, SETS),
        ("evaluate(y_true >= threshold, y_pred >= threshold, 'lift')", cb.evaluate_regression, TWO, P),
    ):
        with pytest.raises(ValueError, match=re.escape(said)):
            judge(*data, "lift")


@pytest.mark.parametrize("names", ["abc", 3])
def test_what_is_no_list_of_names_is_refused(names):
    with pytest.raises(ValueError, match=r"^labels must be a list of names; found "):
        of_a_matrix(names)


@pytest.mark.parametrize("gap", [None, float("nan"), pd.NA])
def test_what_is_missing_is_no_label_of_a_set(gap):
    lacking = [{"a"}, {"a", gap}, {"c"}, {"b"}]
    for name, data in (("Y_true", (lacking, SETS)), (r"Y_pred\['m'\]", (SETS, {"m": lacking}))):
        with pytest.raises(ValueError, match=rf"^{name} holds a missing value .* at position 1: "):
            cb.evaluate_multilabel(*data)
    for labels in (["a", "b", "c", gap], []):
        with pytest.raises(ValueError, match=r"^labels must name every label; found "):
            of_sets(labels)
    assert len(cb.evaluate_multilabel([*SETS, set()], [*SETS, {"a"}], intervals=False)) == 5, "none at all"
