"""Confusion matrices of other libraries, read in their own order of cells."""

import copy
import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import confusion_matrix, multilabel_confusion_matrix

import clearbar as cb

Y_TRUE = np.array([1, 1, 1, 0, 0, 0, 0, 1, 0, 0])
Y_PRED = np.array([1, 1, 0, 0, 1, 0, 0, 1, 1, 0])
COUNTS = cb.count(Y_TRUE, Y_PRED)
MATRIX = confusion_matrix(Y_TRUE, Y_PRED)
WORDS = np.array(["ham", "spam"])
TABLE = pd.crosstab(WORDS[Y_TRUE], WORDS[Y_PRED])
SPAM = {"pos_label": "spam"}


def test_cells_in_a_row_are_refused_since_scikit_learn_orders_them_otherwise():
    message = r"^Counts takes its cells by name, .* ravel\(\) gives tn, fp, fn, tp\. Counts\.from_matrix"
    with pytest.raises(TypeError, match=message):
        cb.Counts(*MATRIX.ravel())
    with pytest.raises(TypeError, match=message):
        cb.Counts(MATRIX)
    assert list(inspect.signature(cb.Counts).parameters) == ["tp", "fp", "fn", "tn"]
    for twin in (copy.copy(COUNTS), copy.deepcopy(COUNTS), pickle.loads(pickle.dumps(COUNTS))):  # noqa: S301
        assert twin == COUNTS


@pytest.mark.parametrize(
    ("matrix", "options"),
    [
        (MATRIX, {}),
        (confusion_matrix(Y_TRUE, Y_PRED, labels=[1, 0]), {"labels": [1, 0]}),
        (confusion_matrix(WORDS[Y_TRUE], WORDS[Y_PRED]), {"labels": ["ham", "spam"], **SPAM}),
        (confusion_matrix(2 * Y_TRUE - 1, 2 * Y_PRED - 1), {"labels": [-1, 1]}),
        (TABLE, SPAM),
        (TABLE.loc[["spam", "ham"]], SPAM),
        (TABLE, {"labels": ["spam", "ham"], **SPAM}),
        (pd.crosstab(pd.Categorical(WORDS[Y_TRUE]), pd.Categorical(WORDS[Y_PRED])), SPAM),
    ],
)
def test_a_matrix_and_a_crosstab_give_the_counts_of_their_labels(matrix, options):
    assert cb.Counts.from_matrix(matrix, **options) == COUNTS
    other = cb.Counts.from_matrix(MATRIX, labels=[0, 1], pos_label=0)
    assert other == cb.count(Y_TRUE, Y_PRED, pos_label=0)


def test_many_matrices_are_read_at_once():
    classes = np.array([0, 1, 2, 2, 1, 0, 2]), np.array([0, 2, 2, 1, 1, 0, 2])
    found = cb.Counts.from_matrix(multilabel_confusion_matrix(*classes))
    assert found.shape == (3,)
    for label in range(3):
        assert found[label] == cb.count(*(labels == label for labels in classes))


@pytest.mark.parametrize("said", [0, 1])
def test_a_label_that_was_never_predicted_has_a_column_of_zeros(said):
    always = np.full(10, said)
    assert cb.Counts.from_matrix(pd.crosstab(Y_TRUE, always)) == cb.count(Y_TRUE, always)
    words = pd.crosstab(WORDS[Y_TRUE], WORDS[always])
    assert cb.Counts.from_matrix(words, pos_label="spam") == cb.count(Y_TRUE, always)
    assert cb.Counts.from_matrix(pd.crosstab(always, always)) == cb.count(always, always)


SMALL = [[1, 2], [3, 4]]


class OnDevice:
    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")


@pytest.mark.parametrize(
    ("matrix", "options", "message"),
    [
        (np.eye(3, dtype=int), {}, r"^matrix must be 2 × 2, .*found shape \(3, 3\)\. For one class against"),
        ([[10, 3], [4]], {}, r"^matrix must be .* rows of equal length; found \[\[10, 3\], \[4\]\]\.$"),
        ([10, 3, 4, 14], {}, r"found shape \(4,\)\. Four cells have names: Counts\(tp=\.\.\., fp="),
        (confusion_matrix(Y_TRUE, Y_PRED, normalize="true"), {}, r"^matrix must hold .*found 0\."),
        (np.ma.array(SMALL, mask=[[0, 1], [0, 0]]), {}, "found masked values"),
        (OnDevice(), {}, "^matrix could not be read: OnDevice raised TypeError. Pass numbers, a list or"),
        (SMALL, {"labels": ["a", "b"]}, "so that the positive one must be named"),
        (SMALL, {"labels": "ab"}, "^labels must be a list of names; found 'ab'"),
        (SMALL, {"pos_label": "spam"}, "^pos_label='spam' needs labels"),
        (pd.crosstab(WORDS[Y_TRUE], WORDS[Y_PRED], margins=True), SPAM,
         "^matrix must have the same two labels as rows and columns; found .*'All'.*Leave out margins"),
        (TABLE, {"labels": ["a", "b"], "pos_label": "a"},
         r"^labels must be those of the matrix, 'ham' and 'spam'; found 'a' and 'b'"),
        (pd.DataFrame(SMALL, index=["true 0", "true 1"], columns=["pred 0", "pred 1"]), {},
         r"the same two labels .*found 'true 0' and 'true 1' and .*matrix\.to_numpy\(\)"),
    ],
)  # fmt: skip
def test_what_is_no_matrix_of_two_labels_is_refused_in_a_sentence(matrix, options, message):
    with pytest.raises(ValueError, match=message) as refused:
        cb.Counts.from_matrix(matrix, **options)
    assert "\n" not in str(refused.value)


DOORS = {
    "evaluate_counts": lambda matrix: cb.evaluate_counts(matrix, "f1"),
    "a measure": cb.get_measure("f1"),
    "a plot of thresholds": lambda matrix: cb.plots.ThresholdDisplay.from_counts(matrix, "f1"),
}


@pytest.mark.parametrize("door", DOORS)
def test_a_matrix_where_counts_belong_is_named_with_its_reader(door):
    reads = r"; Counts\.from_matrix\(matrix\) reads scikit-learn's confusion_matrix\.$"
    for given, says in (
        (MATRIX, f"^counts is a NumPy array{reads}"),
        (MATRIX.tolist(), f"^counts is a list{reads}"),
        (TABLE, r"^counts is a DataFrame; .* reads pandas\.crosstab\.$"),
        ([COUNTS, COUNTS], r"^counts is a list of Counts; pass one, or name the models"),
    ):
        with pytest.raises(ValueError, match=says):
            DOORS[door](given)
    if door.startswith("evaluate"):
        with pytest.raises(ValueError, match=r"^counts\['tree'\] is a NumPy array; Counts\.from_matrix"):
            DOORS[door]({"tree": MATRIX})
