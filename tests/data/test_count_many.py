"""Counts of several models, runs and slices at once."""

import array_api_strict as xs
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.data.engines import matrix

from clearbar.core.counts import MOST_COUNTED, Calls, Counts
from clearbar.data.counting import count, count_many, predictions_as_mapping
from clearbar.data.labels import Labels

pytestmark = pytest.mark.quick

LETTERS = ["c", "a", "c", "b"]
ABC = ("a", "b", "c")
BY = {
    "int8": (np.array([100, -128, 100, 0], dtype=np.int8), (-128, 0, 100)),
    "huge": (np.array([2**64 - 1, 1, 2**64 - 1, 2**64 - 2], dtype=np.uint64), (1, 2**64 - 2, 2**64 - 1)),
    "float": (np.array([0.5, 0.1, 0.5, 0.2]), (0.1, 0.2, 0.5)),
    "list": (LETTERS, ABC),
    "mixed": (["c", 1, "c", 2], (1, 2, "c")),
    "tuples": (pd.Series([("b", 1), ("a", 1), ("b", 1), ("a", 2)]), None),
    "dates": (np.array(["2021", "2020", "2021", "2020"], dtype="M8[Y]"), None),
    "category": (pd.Series(LETTERS, dtype="category"), ABC),
    "ordered": (pd.Categorical(LETTERS, ["b", "a", "none", "c"], ordered=True), ("b", "a", "c")),
    "polars Enum": (pl.Series(LETTERS, dtype=pl.Enum(["c", "x", "b", "a"])), ("c", "b", "a")),
    "pyarrow doubles": (pa.DictionaryArray.from_arrays([0, 2, 1, 3], ["c", "c", "a", "b"]), ABC),
}


@pytest.mark.parametrize("kind", BY)
def test_slices_of_every_type(kind):
    by, groups = BY[kind]
    table = count_many([1, 1, 0, 0], {"model": [1, 0, 1, 0]}, by=by)
    assert groups is None or table.groups == (None, *groups)
    values = by.to_pylist() if hasattr(by, "to_pylist") else list(by)
    assert table.counts[0, 0] == Counts(tp=1, fp=1, fn=1, tn=1)
    for position, group in enumerate(table.groups[1:], 1):
        keep = [value == group for value in values]
        expected = matrix(np.array([1, 1, 0, 0])[keep], np.array([1, 0, 1, 0])[keep])
        assert table.counts[0, position].cells == expected
        assert sum(expected) > 0


def test_many_slices_agree_with_a_group_by():
    rng = np.random.default_rng(5)
    n, groups = 200_000, 60_000  # more groups than a block has room for
    y_true, y_pred = rng.integers(0, 2, (2, n))
    by = rng.integers(0, groups, n)
    expected = pd.DataFrame({"by": by, "samples": 1, "tp": y_true & y_pred}).groupby("by").sum()
    table = count_many(y_true, {"a": y_pred}, by=by)
    assert list(table.groups[1:]) == expected.index.tolist()
    assert table.counts.tp[0, 1:].tolist() == expected["tp"].tolist()
    assert table.counts.total[0, 1:].tolist() == expected["samples"].tolist()
    assert table.counts[0, 0] == count(y_true, y_pred)


@pytest.mark.parametrize(
    ("by", "message"),
    [
        (["x", None, "y", None], "by has 2 missing values (first at position 1). Drop those rows"),
        (np.array(["2020", "NaT", "2021", "2021"], dtype="M8[D]"), "by has 1 missing value (at"),
        ("region", "by must hold one value per sample; found the single value 'region'."),
        (np.zeros((4, 2)), "by must be one-dimensional, one value per sample; found shape (4, 2)"),
        ([[], [], [], {}], "by could not be read: builtins.list raised TypeError."),
    ],
    ids=str,
)
def test_slices_that_are_refused(by, message):
    with pytest.raises(ValueError) as caught:
        count_many([1, 1, 0, 0], {"a": [1, 0, 1, 0]}, by=by)
    assert message in str(caught.value)


def test_the_positive_label_is_settled_once_on_all_labels():
    table = count_many(["a", "a", "b"], {"m": ["a", "b", "b"]}, pos_label="b", by=[0, 0, 1])
    assert table.labels == Labels("b", "a")
    assert table.counts[0, 1] == Counts(tp=0, fp=1, fn=0, tn=1)  # a slice without a positive


def test_models_and_runs_are_axes():
    y_true = [1, 1, 0]
    table = count_many(y_true, {"a": [1, 0, 0], "b": (True, True, True)})
    assert (table.models, table.groups, table.counts.shape) == (("a", "b"), (None,), (2, 1))
    assert table.counts[1, 0] == count(y_true, [1, 1, 1])
    runs = np.array([[1, 0, 0], [1, 1, 1]])
    table = count_many(y_true, {"a": runs, "b": runs.tolist()}, by=["x", "y", "y"])
    assert table.counts.shape == (2, 3, 2)
    assert table.counts[0, 0, 1] == count(y_true, [1, 1, 1])
    assert table.counts[1, 2, 0] == count([1, 0], [0, 0])
    strict = count_many(xs.asarray(y_true), {"a": xs.asarray(runs.tolist())})
    assert strict.counts[0, 0, 0] == count(y_true, [1, 0, 0])
    text = count_many(["n", "y"], {"m": [["n", "y"], ["y", "y"]]}, pos_label="y")
    assert text.counts.fp.tolist() == [[[0, 1]]]
    assert count_many([1, 0], {"a": [[1, 1]]}).counts.shape == (1, 1, 1)


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        ({"model": np.zeros((3, 4))}, "found shape (3, 4). Use y_pred.T for several runs."),
        ({"model": np.full((3, 2), 0.5)}, "Of scores of each class pass the largest: labels[y_pred.argmax("),
        ({"t": np.zeros((2, 4))}, "y_pred['t'] must have shape (samples,) or (runs, samples), and y_tr"),
        ({"a": [0, 1, 1], "b": [[0, 1, 1], [1, 1, 0]]}, "every model; found y_pred['a']: 1, y_pred['b']: 2."),
        ({}, "y_pred holds no model; pass at least one column of predictions."),
        ({"a": [[0, 1, 1], [1, 1]]}, "y_pred['a'] could not be read: builtins.list raised"),
        ({"a": [0, 1, 1], "b": [0, None, 1]}, "y_pred['b'] has 1 missing value (at position 1)."),
        ({"model": np.array([[0, 1, 1], [0, 1, 9]])}, "but y_pred[1] holds 0: 1, 1: 1, 9: 1 samples"),
    ],
    ids=str,
)
def test_predictions_that_are_refused(predictions, message):
    with pytest.raises(ValueError) as caught:
        count_many([0, 1, 1], predictions)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("y_pred", "names"),
    [
        (pd.DataFrame({"tree": [0, 1], "knn": [1, 1]}), ["tree", "knn"]),
        (pl.DataFrame({"tree": [0, 1], "knn": [1, 1]}), ["tree", "knn"]),
        (pa.table({"tree": [0, 1], "knn": [1, 1]}), ["tree", "knn"]),
        ({0: [0, 1], "a": [0, 1]}, ["0", "a"]),
        (np.array([[0, 1], [1, 1]]), ["model"]),
        (pd.Series([0, 1], name="tree"), ["tree"]),
        (pl.Series("tree", [0, 1]), ["tree"]),
        (pa.chunked_array([[0, 1]]), ["model"]),
        (nw.from_native(pl.Series("tree", [0, 1]), series_only=True), ["tree"]),
    ],
    ids=str,
)
def test_every_column_is_a_model_and_a_single_one_has_its_columns_name(y_pred, names):
    mapping = predictions_as_mapping(y_pred)
    assert list(mapping) == names
    fp = count_many([0, 1], mapping).counts.fp
    assert fp.tolist() in ([[0]], [[0], [1]], [[0], [0]], [[[0, 1]]])


def test_names_of_models_differ_and_there_is_at_least_one():
    twice = pd.DataFrame([[0, 1]], columns=["a", "a"])
    for y_pred, says in (
        ({0: [1], "0": [1]}, "y_pred names more than one model '0'; give each its"),
        (twice, "y_pred names more than one model 'a'"),
        (pa.table({}), "y_pred holds no model"),
        (pl.LazyFrame({"a": [1]}), r"y_pred is a lazy frame; pass y_pred\.collect\(\)"),
    ):
        with pytest.raises(ValueError, match=says):
            predictions_as_mapping(y_pred)


@pytest.mark.parametrize("models", [2, MOST_COUNTED, MOST_COUNTED + 1, 21])
def test_which_models_call_the_same_samples_positive_is_what_a_loop_finds(models):
    rng = np.random.default_rng(models)
    truth = rng.random(300) < 0.4
    called = rng.random((models, 300)) < 0.5
    found = Calls.of(truth, called)
    assert (found.positives.sum(), found.negatives.sum()) == (truth.sum(), (~truth).sum())
    for a in range(models):
        for b in range(models):
            both = called[a] & called[b]
            assert found.pairs.positives[a, b] == (both & truth).sum()
            assert found.pairs.negatives[a, b] == (both & ~truth).sum()
