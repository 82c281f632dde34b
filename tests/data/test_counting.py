"""Counts from labels of every kind, against a naive count and against scikit-learn."""

import pickle
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import array_api_strict as xs
import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix

from clearbar.core.counts import Counts, Population, counts_of
from clearbar.data.counting import (
    _workers,
    count,
    count_many,
    population_from_labels,
    predictions_as_mapping,
)
from clearbar.data.labels import BLOCK, Labels, read


def naive(y_true, y_pred, weights=None):
    cells = {(True, True): 0, (False, True): 0, (True, False): 0, (False, False): 0}
    for i, pair in enumerate(zip(y_true, y_pred, strict=True)):
        cells[bool(pair[0]), bool(pair[1])] += 1 if weights is None else int(weights[i])
    return counts_of(cells.values())


def chunked(make):
    """Cut a pyarrow array into uneven chunks, the first one empty."""

    def build(values):
        array = make(values)
        third = len(array) // 3
        return pa.chunked_array([array[:0], array[:third], array[third:]])

    return build


def two_polars_chunks(values):
    half = len(values) // 2
    return pl.Series(values[:half], dtype=pl.String).append(pl.Series(values[half:], dtype=pl.String))


def read_only(values):
    array = np.array(values)
    array.flags.writeable = False
    return array


NUMBERS = {
    **{np.dtype(code).name: (lambda v, code=code: np.array(v, dtype=code)) for code in "?bBhHiIqQefdg"},
    "big endian": lambda v: np.array(v, dtype=">i8"),
    "read-only": read_only,
    "strided": lambda v: np.repeat(np.array(v), 3)[::3],
    "strided bytes": lambda v: np.repeat(np.array(v, dtype=np.uint8), 2)[::2],
    "strided bool": lambda v: np.repeat(np.array(v, dtype=bool), 2)[::2],
    "reversed": lambda v: np.array(v[::-1])[::-1],
    "object": lambda v: np.array(v, dtype=object),
    "list": list,
    "list of bool": lambda v: list(map(bool, v)),
    "list of mixed numbers": lambda v: [float(x) if i % 2 else x for i, x in enumerate(v)],
    "tuple": tuple,
    "memoryview": lambda v: memoryview(bytes(v)),
    "masked": np.ma.array,
    "pandas int64": pd.Series,
    "pandas index": pd.Index,
    "pandas Int64": lambda v: pd.Series(v, dtype="Int64"),
    "pandas Int8 array": lambda v: pd.array(v, dtype="Int8"),
    "pandas boolean": lambda v: pd.Series(v, dtype=bool).astype("boolean"),
    "pandas Float64": lambda v: pd.Series(v, dtype="Float64"),
    "pandas arrow": lambda v: pd.Series(v, dtype="int32[pyarrow]"),
    "pandas arrow bool": lambda v: pd.Series(v, dtype=bool).astype("bool[pyarrow]"),
    "pandas category": lambda v: pd.Series(v, dtype="category"),
    "pandas sparse": lambda v: pd.Series(v, dtype="Sparse[int]"),
    "polars": lambda v: pl.Series(v, dtype=pl.Int16),
    "polars bool": lambda v: pl.Series(list(map(bool, v)), dtype=pl.Boolean),
    "polars float": lambda v: pl.Series(v, dtype=pl.Float32),
    "pyarrow": lambda v: pa.array(v, pa.int8()),
    "pyarrow bool": lambda v: pa.array(list(map(bool, v)), pa.bool_()),
    "pyarrow float": lambda v: pa.array(v, pa.float64()),
    "pyarrow chunked": chunked(lambda v: pa.array(v, pa.uint16())),
    "pyarrow chunked bool": chunked(lambda v: pa.array(list(map(bool, v)), pa.bool_())),
    "narwhals": lambda v: nw.from_native(pl.Series(v), series_only=True),
    "strict": xs.asarray,
    "strict bool": lambda v: xs.asarray(list(map(bool, v))),
    "strict uint8": lambda v: xs.asarray(v, dtype=xs.uint8),
    "strict float": lambda v: xs.asarray(v, dtype=xs.float32),
}
TEXT = {
    "U": np.array,
    "U, wider": lambda v: np.array(v, dtype="U20"),
    "StringDType": lambda v: np.array(v, dtype=np.dtypes.StringDType()),
    "object": lambda v: np.array(v, dtype=object),
    "list": list,
    "pandas str": pd.Series,
    "pandas string": lambda v: pd.Series(v, dtype="string[python]"),
    "pandas object": lambda v: pd.Series(v, dtype="object"),
    "pandas arrow": lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.string())),
    "pandas category": lambda v: pd.Series(v, dtype="category"),
    "pandas Categorical": lambda v: pd.Categorical(v, categories=["unused", "spam", "ham"]),
    "pandas CategoricalIndex": pd.CategoricalIndex,
    "polars": lambda v: pl.Series(v, dtype=pl.String),
    "polars chunks": two_polars_chunks,
    "polars Categorical": lambda v: pl.Series(v, dtype=pl.Categorical),
    "polars Enum": lambda v: pl.Series(v, dtype=pl.Enum(["ham", "unused", "spam"])),
    "pyarrow": lambda v: pa.array(v, pa.string()),
    "pyarrow large": lambda v: pa.array(v, pa.large_string()),
    "pyarrow view": lambda v: pa.array(v, pa.string_view()),
    "pyarrow chunked": chunked(lambda v: pa.array(v, pa.string())),
    "pyarrow dictionary": lambda v: pa.array(v, pa.string()).dictionary_encode(),
    "pyarrow dictionaries": chunked(lambda v: pa.array(v, pa.string()).dictionary_encode()),
    "pyarrow dictionary with doubles": lambda v: pa.DictionaryArray.from_arrays(
        [i % 2 + (0 if x == "ham" else 2) for i, x in enumerate(v)],
        ["ham", "ham", "spam", "spam"],
    ),
}


@pytest.mark.parametrize("kind", NUMBERS)
@settings(max_examples=30)
@given(
    pairs=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=30),
    pos_label=st.sampled_from([None, 0, 1, True, 1.0]),
    other=st.sampled_from(["list", "int64", "bool", "uint8"]),
)
def test_numbers_of_every_type(kind, pairs, pos_label, other):
    y_true, y_pred = map(list, zip(*pairs, strict=True))
    positive = 1 if pos_label is None else pos_label
    expected = naive([y == positive for y in y_true], [y == positive for y in y_pred])
    make = NUMBERS[kind]
    assert count(make(y_true), make(y_pred), pos_label=pos_label) == expected
    assert count(make(y_true), NUMBERS[other](y_pred), pos_label=pos_label) == expected
    assert count(NUMBERS[other](y_true), make(y_pred), pos_label=pos_label) == expected
    assert population_from_labels(make(y_true), pos_label=pos_label) == expected.population


@pytest.mark.parametrize("kind", TEXT)
@settings(max_examples=30)
@given(
    pairs=st.lists(
        st.tuples(st.sampled_from(["ham", "spam"]), st.sampled_from(["ham", "spam"])),
        min_size=1,
        max_size=30,
    ),
    other=st.sampled_from(["list", "U"]),
)
def test_text_of_every_type(kind, pairs, other):
    pairs = [*pairs, ("spam", "ham")]
    y_true, y_pred = map(list, zip(*pairs, strict=True))
    expected = naive([y == "spam" for y in y_true], [y == "spam" for y in y_pred])
    make = TEXT[kind]
    assert count(make(y_true), make(y_pred), pos_label="spam") == expected
    assert count(make(y_true), TEXT[other](y_pred), pos_label="spam") == expected
    assert count(TEXT[other](y_true), make(y_pred), pos_label="spam") == expected
    assert population_from_labels(make(y_true), pos_label="spam") == expected.population


@pytest.mark.parametrize(
    ("dtype", "labels"),
    [
        *(("bool", labels) for labels in [(0, 1), (1, 0)]),
        *(("uint8", labels) for labels in [(0, 1), (1, 0), (3, 255)]),
        *(
            (dtype, labels)
            for dtype in ["int8", "int64", "float32", "U4", "object"]
            for labels in [(0, 1), (1, 0), (-1, 1), (3, 7)]
        ),
    ],
)
def test_blocks_agree_with_scikit_learn(dtype, labels):
    rng = np.random.default_rng(3)
    y_true, y_pred = np.array(labels)[rng.integers(0, 2, (2, 300_001))].astype(dtype)
    positive = {"U": str, "O": int}.get(y_true.dtype.kind, y_true.dtype.type)(labels[1])
    tn, fp, fn, tp = confusion_matrix(y_true == positive, y_pred == positive, labels=[False, True]).ravel()
    assert count(y_true, y_pred, pos_label=positive) == Counts(tp=tp, fp=fp, fn=fn, tn=tn)


def test_bytes_and_large_numbers():
    assert count(np.array([b"a", b"b"]), [b"a", b"a"], pos_label=b"a").cells == (1, 1, 0, 0)
    for kind in (pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(1)):
        labels = pa.array([b"a", b"b"], kind)
        assert count(labels, [b"a", b"a"], pos_label=b"a").cells == (1, 1, 0, 0)
    assert count([2**70, 1], [1, 1], pos_label=2**70).cells == (0, 0, 1, 1)
    top = np.array([2**64 - 1, 0], dtype=np.uint64)
    assert count(top, top, pos_label=2**64 - 1).cells == (1, 0, 0, 1)
    assert count(np.array([1, 1], np.uint8), np.array([-1, 1])).cells == (1, 0, 1, 0)
    assert count(xs.asarray([1, 1], dtype=xs.uint8), xs.asarray([-1, 1])).cells == (1, 0, 1, 0)


def test_columns_of_a_database():
    relation = duckdb.sql("select i % 2 as y, i % 3 = 0 as p from range(12) t(i)")
    assert count(*relation.fetchnumpy().values()).cells == (2, 2, 4, 4)
    # Newer releases give a reader, older ones the table itself.
    table = relation.arrow()
    table = table.read_all() if hasattr(table, "read_all") else table
    assert count(table["y"], table["p"]).cells == (2, 2, 4, 4)


def test_series_of_a_subclass():
    class Mine(pd.Series):
        pass

    assert count(Mine([0, 1]), Mine([1, 1])).cells == (1, 1, 0, 0)


@pytest.mark.parametrize("device", ["CPU_DEVICE", "device1", "device2"])
def test_other_arrays_are_counted_on_their_own_device(device):
    device = xs.Device(device)
    y_true = xs.asarray([1, 0, 1, 0, 1], device=device)
    y_pred = xs.asarray([True, False, False, True, True], device=device)
    assert count(y_true, y_pred).cells == (2, 1, 1, 1)
    assert count([1, 0, 1, 0, 1], y_pred).cells == (2, 1, 1, 1)
    assert count(y_true, np.array([1, 0, 0, 1, 1])).cells == (2, 1, 1, 1)
    assert count(y_true, y_pred, sample_weight=[1, 2, 0, 4, 5]).cells == (6, 4, 0, 2)
    table = count_many(
        y_true,
        {"a": y_pred, "b": [0, 1, 1, 1, 1]},
        by=["y", "x", "x", "y", "z"],
    )
    expected = count_many(
        [1, 0, 1, 0, 1],
        {"a": [1, 0, 0, 1, 1], "b": [0, 1, 1, 1, 1]},
        by=["y", "x", "x", "y", "z"],
    )
    assert (table.groups, table.counts) == (expected.groups, expected.counts)
    sliced = count_many(y_true, {"a": y_pred}, by=xs.asarray([5, 3, 3, 5, 4], device=device))
    assert sliced.groups == (None, 3, 4, 5)
    assert sliced.counts.tp.tolist() == [[2, 0, 1, 1]]


def test_labels_never_leave_their_device(monkeypatch):
    """Only single numbers do: an array that came to NumPy would have been converted as one."""

    def refuse(self, *_, **__):
        raise AssertionError

    monkeypatch.setattr(type(xs.asarray([0])), "__array__", refuse)
    monkeypatch.setattr(type(xs.asarray([0])), "__dlpack__", refuse)
    monkeypatch.setattr(type(xs.asarray([0])), "__buffer__", refuse, raising=False)
    y = xs.asarray([0, 1, 1], device=xs.Device("device1"))
    assert count(y, y).cells == (2, 0, 0, 1)
    assert count_many(y, {"a": y}, by=[0, 0, 1]).counts.tp.tolist() == [[2, 1, 1]]


def test_two_devices():
    y = xs.asarray([0, 1])
    with pytest.raises(ValueError, match=r"y_true and y_pred must be in the same place; found .*"):
        count(y, xs.asarray([0, 1], device=xs.Device("device1")))


@given(
    rows=st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 5)), min_size=1, max_size=40),
    dtype=st.sampled_from(["i8", "u1", "f8", "f4", "O"]),
)
def test_weights_are_frequencies(rows, dtype):
    y_true, y_pred, weights = map(list, zip(*rows, strict=True))
    if sum(weights) == 0:
        weights[0] = 1
    repeated = count(np.repeat(y_true, weights), np.repeat(y_pred, weights))
    assert count(y_true, y_pred, sample_weight=np.array(weights, dtype=dtype)) == repeated
    assert repeated == naive(y_true, y_pred, weights)


@pytest.mark.parametrize(
    "weights", [pd.Series([2, 3]), pl.Series([2.0, 3.0]), pa.array([2, 3]), (2, 3), xs.asarray([2, 3])]
)
def test_weights_of_every_library(weights):
    assert count([0, 1], [1, 1], sample_weight=weights).cells == (3, 2, 0, 0)


def test_heavy_weights_are_exact():
    big = 2**51 + 1
    assert count([1, 0], [1, 1], sample_weight=[big, 2**50 + 1]).cells == (big, 2**50 + 1, 0, 0)
    assert count([1, 0], [1, 1], sample_weight=[True, False]).cells == (1, 0, 0, 0)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (
            [0.5, 1],
            (
                "sample_weight must hold whole numbers from 0 up, how often each sample occurs; found "
                "0.5 at position 0. Importance weights have no hypergeometric null, because a "
                "feature-blind classifier draws whole samples."
            ),
        ),
        ([1, -1], "found -1 at position 1. Importance weights have no hypergeometric null"),
        ([np.nan, 1], "found nan at position 0. Importance weights have no hypergeometric null"),
        ([1, None], "found nan at position 1."),
        ([np.inf, 1], "found inf at position 0."),
        ([0, 0], "sample_weight is 0 everywhere, so that there are no samples"),
        ([2**53, 1], "must not exceed 2**52"),
        ([1e300, 1e300], "sample_weight adds up to 2e+300 samples; it must not exceed 2**52"),
        (["a", "b"], "sample_weight must hold whole numbers, how often each sample occurs; found"),
        (pl.Series(["a", "b"]), "found text or categories."),
        (np.array([1j, 1]), "found complex128 values."),
        ([1], "sample_weight and y_true must have the same length; found 1 and 2 samples."),
        ([[1, 2]], "sample_weight must be one-dimensional, one value per sample; found shape"),
        (pl.Series([1, None]), "sample_weight has 1 missing value (at position 1). Drop those"),
        (1, "found the single value 1"),
    ],
    ids=str,
)
def test_weights_that_are_no_frequencies(weights, message):
    with pytest.raises(ValueError) as caught:
        count([0, 1], [1, 1], sample_weight=weights)
    assert message in str(caught.value)


def test_a_position_beyond_the_first_block():
    weights = np.ones(300_000)
    weights[299_999] = 0.5
    with pytest.raises(ValueError, match=r"found 0\.5 at position 299999"):
        count(weights > 0, weights > 0, sample_weight=weights)


BY = {
    "int": (np.array([7, 3, 7, 5]), (3, 5, 7), [1, 0, 1]),
    "wide int": (np.array([2**60, -3, 2**60, 0]), (-3, 0, 2**60), [1, 0, 1]),
    "int8": (np.array([100, -128, 100, 0], dtype=np.int8), (-128, 0, 100), [1, 0, 1]),
    "uint64": (np.array([2**63, 1, 2**63, 5], dtype=np.uint64), (1, 5, 2**63), [1, 0, 1]),
    "huge": (
        np.array([2**64 - 1, 2**64 - 3, 2**64 - 1, 2**64 - 2], dtype=np.uint64),
        (2**64 - 3, 2**64 - 2, 2**64 - 1),
        [1, 0, 1],
    ),
    "float": (np.array([0.5, 0.1, 0.5, 0.2]), (0.1, 0.2, 0.5), [1, 0, 1]),
    "bool": (np.array([True, False, True, False]), (False, True), [1, 1]),
    "list": (["c", "a", "c", "b"], ("a", "b", "c"), [1, 0, 1]),
    "U": (np.array(["c", "a", "c", "b"]), ("a", "b", "c"), [1, 0, 1]),
    "mixed": (["c", 1, "c", 2], (1, 2, "c"), [1, 0, 1]),
    "tuples": (pd.Series([("b", 1), ("a", 1), ("b", 1), ("a", 2)]), None, [1, 0, 1]),
    "dates": (np.array(["2021", "2020", "2021", "2020"], dtype="M8[Y]"), None, [1, 1]),
    "pandas str": (pd.Series(["c", "a", "c", "b"]), ("a", "b", "c"), [1, 0, 1]),
    "pandas dates": (pd.Series(pd.to_datetime(["2021", "2020", "2021", "2020"])), None, [1, 1]),
    "category": (pd.Series(["c", "a", "c", "b"], dtype="category"), ("a", "b", "c"), [1, 0, 1]),
    "ordered": (
        pd.Categorical(["hi", "lo", "hi", "mid"], ["lo", "mid", "none", "hi"], ordered=True),
        ("lo", "mid", "hi"),
        [1, 0, 1],
    ),
    "polars": (pl.Series(["c", "a", "c", "b"]), ("a", "b", "c"), [1, 0, 1]),
    "polars Categorical": (
        pl.Series(["c", "a", "c", "b"], dtype=pl.Categorical),
        ("a", "b", "c"),
        [1, 0, 1],
    ),
    "polars Enum": (
        pl.Series(["c", "a", "c", "b"], dtype=pl.Enum(["c", "x", "b", "a"])),
        ("c", "b", "a"),
        [1, 0, 1],
    ),
    "pyarrow": (pa.array(["c", "a", "c", "b"]), ("a", "b", "c"), [1, 0, 1]),
    "pyarrow dictionary": (
        chunked(lambda v: pa.array(v).dictionary_encode())(["c", "a", "c", "b"]),
        ("a", "b", "c"),
        [1, 0, 1],
    ),
    "pyarrow doubles": (
        pa.DictionaryArray.from_arrays([0, 2, 1, 3], ["c", "c", "a", "b"]),
        ("a", "b", "c"),
        [1, 0, 1],
    ),
}


@pytest.mark.parametrize("kind", BY)
def test_slices_of_every_type(kind):
    by, groups, _ = BY[kind]
    table = count_many([1, 1, 0, 0], {"model": [1, 0, 1, 0]}, by=by)
    assert groups is None or table.groups == (None, *groups)
    values = by.to_pylist() if hasattr(by, "to_pylist") else list(by)
    assert table.counts[0, 0] == Counts(tp=1, fp=1, fn=1, tn=1)
    for position, group in enumerate(table.groups[1:], 1):
        keep = [value == group for value in values]
        expected = naive(np.array([1, 1, 0, 0])[keep], np.array([1, 0, 1, 0])[keep])
        assert table.counts[0, position] == expected
        assert expected.total > 0


def test_many_slices_agree_with_a_group_by():
    rng = np.random.default_rng(5)
    n, groups = 200_000, 60_000  # more groups than a block has room for
    y_true, y_pred = rng.integers(0, 2, (2, n))
    by = rng.integers(0, groups, n)
    frame = pd.DataFrame({"by": by, "samples": 1, "tp": y_true & y_pred})
    expected = frame.groupby("by").sum()
    table = count_many(y_true, {"a": y_pred}, by=by)
    assert list(table.groups[1:]) == expected.index.tolist()
    assert table.counts.tp[0, 1:].tolist() == expected["tp"].tolist()
    assert table.counts.total[0, 1:].tolist() == expected["samples"].tolist()
    assert table.counts[0, 0] == count(y_true, y_pred)


@pytest.mark.parametrize(
    ("by", "message"),
    [
        (
            ["x", None, "y", None],
            (
                "by has 2 missing values (first at position 1). Drop those rows or give them a slice "
                "of their own, such as 'unknown'."
            ),
        ),
        ([1.0, 2.0, np.nan, 1.0], "by has 1 missing value (at position 2)."),
        (np.array(["2020", "NaT", "2021", "2021"], dtype="M8[D]"), "by has 1 missing value (at"),
        (pd.Categorical(["x", None, "y", "y"]), "by has 1 missing value (at position 1)."),
        (pl.Series(["x", None, "y", "y"]), "by has 1 missing value (at position 1)."),
        (["x"], "by and y_true must have the same length; found 1 and 4 samples."),
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
    assert table.pos_label == "b"
    assert table.counts[0, 1] == Counts(tp=0, fp=1, fn=0, tn=1)  # a slice without a positive


def test_models_and_runs_are_axes():
    y_true = [1, 1, 0]
    table = count_many(y_true, {"a": [1, 0, 0], "b": (True, True, True)})
    assert table.models == ("a", "b")
    assert table.groups == (None,)
    assert table.counts.shape == (2, 1)
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


def test_tables_are_values():
    table = count_many([1, 0], {"a": [1, 0]}, by=["x", "y"])
    assert pickle.loads(pickle.dumps(table)) == table  # noqa: S301
    assert table == count_many([True, False], {"a": [1, 0]}, by=["x", "y"])


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        ({"model": np.zeros((3, 4))}, "found shape (3, 4). Use y_pred.T for several runs."),
        (
            {"model": np.full((3, 2), 0.5)},
            "(3, 2). Of scores of each class pass the largest: labels[y_pred.argmax(axis=1)].",
        ),
        ({"model": np.zeros((3, 1))}, "found shape (3, 1). Use y_pred.ravel()."),
        (
            {"t": np.zeros((2, 4))},
            (
                "y_pred['t'] must have shape (samples,) or (runs, samples), and y_true has 3 samples; "
                "found shape (2, 4). Pass one row of predictions per run."
            ),
        ),
        (
            {"a": [0, 1, 1], "b": [[0, 1, 1], [1, 1, 0]]},
            "y_pred must hold the same number of runs for every model; found y_pred['a']: 1, y_pred['b']: 2",
        ),
        ({}, "y_pred holds no model; pass at least one column of predictions."),
        ({"a": [[0, 1, 1], [1, 1]]}, "y_pred['a'] could not be read: builtins.list raised"),
        ({"a": [0, 1, 7]}, "but y_pred['a'] holds 0: 1, 1: 1, 7: 1 samples"),
        ({"a": [0, 1, 1], "b": [0, None, 1]}, "y_pred['b'] has 1 missing value (at position 1)."),
        ({"model": np.array([[0, 1, 1], [0, 1, 9]])}, "but y_pred[1] holds 0: 1, 1: 1, 9: 1 samples"),
        ({"a": [0, 1]}, "y_true and y_pred['a'] must have the same length; found 3 and 2"),
        ({"a": [0.1, 0.2, 0.9]}, "y_pred['a'] holds numbers such as 0.1, 0.2 and 0.9 (three"),
    ],
    ids=str,
)
def test_predictions_that_are_refused(predictions, message):
    with pytest.raises(ValueError) as caught:
        count_many([0, 1, 1], predictions)
    assert message in str(caught.value)


def test_a_bad_truth_is_refused_before_anything_is_counted():
    with pytest.raises(ValueError, match="y_true holds three labels"):
        count_many([0, 1, 2], {"a": [0, 1, 1]})
    with pytest.raises(ValueError, match="y_true holds no samples"):
        count_many([], {"a": []})


FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "record batch": pa.record_batch,
    "narwhals": lambda d: nw.from_native(pl.DataFrame(d)),
    "dict": dict,
}


@pytest.mark.parametrize("kind", FRAMES)
def test_every_column_of_a_frame_is_a_model(kind):
    mapping = predictions_as_mapping(FRAMES[kind]({"tree": [0, 1], "knn": [1, 1]}))
    assert list(mapping) == ["tree", "knn"]
    assert count_many([0, 1], mapping).counts.fp.tolist() == [[0], [1]]


@pytest.mark.parametrize(
    ("y_pred", "name"),
    [
        ([0, 1], "model"),
        (np.array([0, 1]), "model"),
        (np.array([[0, 1], [1, 1]]), "model"),
        (pd.Series([0, 1]), "model"),
        (pd.Series([0, 1], name="tree"), "tree"),
        (pd.Series([0, 1], name=3), "model"),
        (pl.Series([0, 1]), "model"),
        (pl.Series("tree", [0, 1]), "tree"),
        (pa.array([0, 1]), "model"),
        (pa.chunked_array([[0, 1]]), "model"),
        (xs.asarray([0, 1]), "model"),
        (nw.from_native(pl.Series("tree", [0, 1]), series_only=True), "tree"),
    ],
    ids=str,
)
def test_a_single_model_has_its_columns_name(y_pred, name):
    assert list(predictions_as_mapping(y_pred)) == [name]
    assert count_many([0, 1], predictions_as_mapping(y_pred)).models == (name,)


def test_names_of_models_are_text_and_differ():
    assert list(predictions_as_mapping({0: [1], "a": [1]})) == ["0", "a"]
    with pytest.raises(ValueError, match="y_pred names more than one model '0'; give each its"):
        predictions_as_mapping({0: [1], "0": [1]})
    frame = pd.DataFrame([[0, 1]], columns=["a", "a"])
    with pytest.raises(ValueError, match="y_pred names more than one model 'a'"):
        predictions_as_mapping(frame)
    for empty in ({}, pd.DataFrame(), pl.DataFrame(), pa.table({})):
        with pytest.raises(ValueError, match="y_pred holds no model"):
            predictions_as_mapping(empty)
    with pytest.raises(ValueError, match=r"y_pred is a lazy frame; pass y_pred\.collect\(\)"):
        predictions_as_mapping(pl.LazyFrame({"a": [1]}))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8"])
def test_counting_ten_million_bytes_allocates_next_to_nothing(dtype):
    y_true = np.zeros(10**7, dtype=dtype)
    y_true[::3] = 1
    y_pred = y_true[::-1]
    tracemalloc.start()
    try:
        counts = count(y_true, y_pred)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert counts.total == 10**7
    assert peak < 2e6


def test_inputs_are_left_as_they_are():
    y_true, y_pred = np.array([0, 1, 1]), np.array([True, False, True])
    before = y_true.copy(), y_pred.copy()
    count(y_true, y_pred)
    count(y_pred, y_true, pos_label=False, sample_weight=[1, 2, 3])
    count_many(y_pred, {"a": y_pred, "b": y_true}, pos_label=0, by=y_true)
    assert np.array_equal(y_true, before[0])
    assert np.array_equal(y_pred, before[1])


def test_population():
    assert population_from_labels([1, 0, 1]) == Population(3, 2)
    assert population_from_labels(["a", "b"], pos_label="b") == Population(2, 1)


def test_many_threads_count_the_same():
    y_true, y_pred = np.random.default_rng(1).integers(0, 2, (2, 400_000))
    expected = count(y_true, y_pred)
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: count(y_true, y_pred), range(16))) == {expected}


@pytest.fixture
def busy(monkeypatch):
    """Let threads share work that one does in no time."""
    monkeypatch.setattr(_workers, "SAMPLES", BLOCK // 2)
    monkeypatch.setattr(_workers, "_processors", lambda: 3)


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("kind", [bool, np.uint8, np.int8, np.int64, np.float32, object])
def test_long_columns_are_counted_in_shares(kind):
    """The shares are of whole blocks, the last one shorter; none of their threads is left behind."""
    bits = np.random.default_rng(2).integers(0, 2, (2, 3 * BLOCK + 12_345)).astype(bool)
    y_true, y_pred = bits.astype(kind)
    tp, fp, fn = (int(cell.sum()) for cell in (bits[0] & bits[1], ~bits[0] & bits[1], bits[0] & ~bits[1]))
    before = threading.active_count()
    assert count(y_true, y_pred).cells == (tp, fp, fn, bits.shape[1] - tp - fp - fn)
    assert threading.active_count() == before


@pytest.mark.usefixtures("busy")
def test_the_share_that_refuses_a_label_is_heard():
    y_true = np.resize([0, 1], 3 * BLOCK).astype(np.uint8)
    y_pred = y_true.copy()
    y_pred[-2:] = 2
    with pytest.raises(ValueError, match="y_pred holds 0: 196,607, 1: 196,607, 2: 2 samples"):
        count(y_true, y_pred)


def test_threads_are_asked_for_only_where_they_pay(monkeypatch):
    monkeypatch.setattr(_workers, "_processors", lambda: 64)
    short = read(np.zeros(10**6, dtype=bool), "y_true")
    long = read(np.zeros(2**24, dtype=bool), "y_true")
    text = read(np.broadcast_to(np.array("a"), 2**24), "y_pred")
    assert _workers.spans((short, short), 100) == [(0, 10**6)]
    assert _workers.spans((long, text), 100) == [(0, 2**24)]
    shares = _workers.spans((long, long), BLOCK)
    assert len(shares) == _workers.MOST
    assert shares == [(i * 2**22, (i + 1) * 2**22) for i in range(4)]


def test_predictions_with_three_axes_are_told_what_shapes_there_are():
    with pytest.raises(ValueError, match=r"\(runs, samples\); found shape \(2, 2, 4\), with 3 axes"):
        count_many([0, 1, 1, 0], {"model": np.zeros((2, 2, 4), dtype=int)})
