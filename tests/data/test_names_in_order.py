"""Names that are attached by position must have an order: a set's is another in every process."""

import numpy as np
import pandas as pd
import pytest

import clearbar as cb

pytestmark = pytest.mark.quick

Y = np.tile([0, 1, 2], 8)
SETS = [{"a"}, {"a", "b"}, {"c"}, {"b"}]
FRAME = pd.DataFrame({"y": [0, 1] * 9, "p": [0, 1] * 9, "g": [1] * 9 + [2] * 9, "h": [1, 2] * 9})
TWO = cb.Counts(tp=[1, 2], fp=[1, 2], fn=[2, 3], tn=[4, 5])


NUMBERS, LETTERS = [0, 1, 2], ["a", "b", "c"]


def of_a_matrix(labels):
    return cb.ConfusionMatrix(np.eye(3, dtype=int), labels=labels)


def of_sets(labels):
    return cb.evaluate_multilabel(SETS, SETS, labels=labels, intervals=False)


CALLS = [
    (lambda labels: cb.evaluate_multiclass(Y, np.eye(3)[Y], "top_2_accuracy", labels=labels), NUMBERS),
    (lambda labels: cb.evaluate_multiclass(Y, Y, labels=labels, intervals=False), NUMBERS),
    (lambda labels: cb.baseline_multiclass(Y, "accuracy", labels=labels), NUMBERS),
    (lambda labels: cb.baseline_multiclass(cb.ClassSizes({0: 1, 1: 3}), "accuracy", labels=labels), NUMBERS),
    (of_a_matrix, LETTERS),
    (lambda labels: cb.ConfusionMatrix(pd.crosstab(Y, Y), labels=labels), NUMBERS),
    (lambda labels: cb.Counts.from_matrix([[1, 2], [3, 4]], labels=labels, pos_label=1), [0, 1]),
    (of_sets, LETTERS),
    (lambda labels: cb.baseline_multilabel(np.eye(3, dtype=int), "f1_micro", labels=labels), LETTERS),
    (lambda groups: cb.evaluate_counts(TWO, "f1", groups=groups), ["a", "b"]),
    (lambda by: cb.evaluate_frame(FRAME, "y", "p", measures="f1", by=by, intervals=False), ["g", "h"]),
]


@pytest.mark.parametrize(("call", "names"), CALLS)
@pytest.mark.parametrize("kind", [set, frozenset])
def test_a_set_is_refused(call, names, kind):
    with pytest.raises(ValueError, match=rf"(labels|groups|by) is a {kind.__name__}, which has no order; "):
        call(kind(names))


@pytest.mark.parametrize(("call", "names"), CALLS)
@pytest.mark.parametrize("kind", [tuple, np.array, pd.Index, lambda them: dict.fromkeys(them).keys()])
def test_what_has_an_order_is_taken(call, names, kind):
    call(kind(names))


@pytest.mark.parametrize("names", ["abc", 3, np.array([[0], [1], [2]])])
def test_what_is_no_list_of_names_is_refused(names):
    with pytest.raises(ValueError, match=r"^labels must be a list of names; found "):
        of_a_matrix(names)


@pytest.mark.parametrize("gap", [None, float("nan"), pd.NA])
def test_what_is_missing_is_no_label_of_a_set(gap):
    lacking = [{"a"}, {"a", gap}, {"c"}, {"b"}]
    for call in (
        lambda: cb.evaluate_multilabel(lacking, SETS),
        lambda: cb.evaluate(lacking, SETS),
        lambda: cb.baseline_multilabel(lacking, "f1_micro"),
    ):
        with pytest.raises(ValueError, match=r"^Y_true holds a missing value .* at position 1: "):
            call()
    with pytest.raises(ValueError, match=r"^Y_pred\['m'\] holds a missing value .* at position 1: "):
        cb.evaluate_multilabel(SETS, {"m": lacking})
    for labels in (["a", "b", "c", gap], []):
        with pytest.raises(ValueError, match=r"^labels must name every label; found "):
            of_sets(labels)
    assert len(cb.evaluate_multilabel([*SETS, set()], [*SETS, {"a"}], intervals=False)) == 5, "none at all"
