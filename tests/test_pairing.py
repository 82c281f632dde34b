"""Predictions belong to samples: lists of models, and pandas columns in another order."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clearbar as cb

pytestmark = pytest.mark.quick

RNG = np.random.default_rng(3)
Y = RNG.integers(0, 2, 40)
A, B = np.where(RNG.random((2, 40)) < 0.9, Y, 1 - Y)
ROWS = RNG.permutation(40) + 100
TRUTH = pd.Series(Y, index=ROWS)
FOLDS = np.arange(40) % 4


@pytest.mark.parametrize("kind", [list, tuple])
@pytest.mark.parametrize(
    "column", [list, np.asarray, pd.Series, pl.Series, pa.array, lambda x: pa.chunked_array([x])]
)
def test_a_list_of_models_is_not_taken_for_runs_of_one(kind, column):
    message = (
        rf"^y_pred is a {kind.__name__} of two arrays; name the models in a dict, or stack runs of one "
        r"model with numpy\.stack\.$"
    )
    several = kind([column(A), column(B)])
    for door in (
        lambda: cb.evaluate(Y, several, "f1"),
        lambda: cb.evaluate_folds(Y, several, FOLDS, "f1"),
        lambda: cb.testing.assert_clears(Y, several),
    ):
        with pytest.raises(ValueError, match=message):
            door()
    with pytest.raises(ValueError, match=r"^y_score .* (mapping|dict)"):
        cb.evaluate_scores(Y, several, "roc_auc")
    with pytest.raises(ValueError, match=r"^y_pred is a .* of one array; pass the array itself\.$"):
        cb.evaluate(Y, kind([column(A)]), "f1")


def test_runs_are_stacked_and_models_named():
    assert cb.evaluate(Y, np.stack([A, B]), "f1").counts.shape == (1, 1, 2)
    assert cb.evaluate(Y, {"a": A, "b": B}, "f1").models == ("a", "b")
    with pytest.raises(ValueError, match=r"^y_pred must have shape .*Use y_pred\.ravel\(\)"):
        cb.evaluate(Y, [[label] for label in Y.tolist()], "f1")


DOORS = {
    "evaluate": lambda y, p: cb.evaluate(y, p, "f1"),
    "evaluate by": lambda y, p: cb.evaluate(y, A, "f1", by=p),
    "evaluate_folds": lambda y, p: cb.evaluate_folds(y, p, FOLDS, "f1"),
    "folds": lambda y, p: cb.evaluate_folds(y, A, p, "f1"),
    "evaluate_scores": lambda y, p: cb.evaluate_scores(y, p, "roc_auc"),
    "gains": lambda y, p: cb.evaluate_scores(y + 1, p, "ndcg"),
    "count": cb.count,
    "sample_weight": lambda y, p: cb.count(y, A, sample_weight=p),
    "score of scores": lambda y, p: cb.score(y, p, "roc_auc"),
    "assert_clears": cb.testing.assert_clears,
    "plot": lambda y, p: cb.plots.ExpectationDisplay.from_predictions(y, p, "f1"),
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_pandas_rows_in_another_order_are_refused_with_both_remedies(door):
    shuffled = pd.Series(A, index=ROWS).sample(frac=1, random_state=0)
    both = r"^(\S+) is indexed in another order than y_true: \d+ and \d+ at position \d+\. "
    both += r"To pair rows by index, pass \1\.loc\[y_true\.index\]; .* stand, pass \1\.to_numpy\(\)\.$"
    with pytest.raises(ValueError, match=both):
        door(TRUTH, shuffled)
    other = r" has another index than y_true: .*give both the same index.*\.to_numpy\(\)\.$"
    with pytest.raises(ValueError, match=other):
        door(TRUTH, pd.Series(A))


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_rows_with_the_same_index_are_paired(door):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        door(TRUTH, pd.Series(A, index=ROWS))


def test_the_remedies_do_what_they_say():
    shuffled = pd.Series(A, index=ROWS).sample(frac=1, random_state=0)
    assert cb.count(TRUTH, shuffled.loc[TRUTH.index]) == cb.count(Y, A)
    assert cb.count(TRUTH, shuffled.to_numpy()) == cb.count(Y, shuffled.to_numpy())


@pytest.mark.parametrize(
    "prediction", [A, A.tolist(), pl.Series(A), pa.array(A)], ids=lambda x: type(x).__name__
)
def test_what_has_no_index_is_paired_as_it_stands(prediction):
    assert cb.count(TRUTH, prediction) == cb.count(Y, A)
    assert cb.count(pl.Series(Y), pd.Series(A, index=ROWS)) == cb.count(Y, A)


def test_indexes_of_any_kind_are_compared():
    dates = pd.date_range("2024-01-01", periods=40, tz="Europe/Amsterdam")
    pairs = pd.MultiIndex.from_arrays([ROWS, dates])
    for index in (dates, pairs, pd.CategoricalIndex(ROWS), ROWS.astype(str)):
        truth, prediction = pd.Series(Y, index=index), pd.Series(A, index=index)
        assert cb.count(truth, prediction) == cb.count(Y, A)
        with pytest.raises(ValueError, match=r"^y_pred is indexed in another order"):
            cb.count(truth, prediction[::-1])
