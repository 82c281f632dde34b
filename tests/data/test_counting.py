"""Counts from labels of every kind, against a naive count and against scikit-learn."""

import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import array_api_strict as xs
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix
from tests.data.engines import matrix

from clearbar.core.counts import Counts, counts_of
from clearbar.data.counting import count, count_many, population_from_labels


def naive(y_true, y_pred, weights=None):
    return counts_of(matrix(y_true, y_pred, weights))


def chunked(make):
    """Cut a pyarrow array into uneven chunks, the first one empty."""

    def build(values):
        array = make(values)
        third = len(array) // 3
        return pa.chunked_array([array[:0], array[:third], array[third:]])

    return build


def read_only(values):
    array = np.array(values)
    array.flags.writeable = False
    return array


def bools(values):
    return list(map(bool, values))


NUMBERS = {
    **{np.dtype(code).name: (lambda v, code=code: np.array(v, dtype=code)) for code in "?bBhHiIqQefdg"},
    "big endian": lambda v: np.array(v, dtype=">i8"),
    "read-only": read_only,
    "strided": lambda v: np.repeat(np.array(v), 3)[::3],
    "object": lambda v: np.array(v, dtype=object),
    "list": list,
    "list of bool": bools,
    "list of mixed numbers": lambda v: [float(x) if i % 2 else x for i, x in enumerate(v)],
    "memoryview": lambda v: memoryview(bytes(v)),
    "masked": np.ma.array,
    "pandas int64": pd.Series,
    "pandas Int64": lambda v: pd.Series(v, dtype="Int64"),
    "pandas boolean": lambda v: pd.Series(v, dtype=bool).astype("boolean"),
    "pandas arrow": lambda v: pd.Series(v, dtype="int32[pyarrow]"),
    "pandas category": lambda v: pd.Series(v, dtype="category"),
    "pandas sparse": lambda v: pd.Series(v, dtype="Sparse[int]"),
    "pandas subclass": type("Mine", (pd.Series,), {}),
    "polars": lambda v: pl.Series(v, dtype=pl.Int16),
    "polars bool": lambda v: pl.Series(bools(v), dtype=pl.Boolean),
    "pyarrow": lambda v: pa.array(v, pa.int8()),
    "pyarrow bool": lambda v: pa.array(bools(v), pa.bool_()),
    "pyarrow chunked": chunked(lambda v: pa.array(v, pa.uint16())),
    "narwhals": lambda v: nw.from_native(pl.Series(v), series_only=True),
    "strict": xs.asarray,
    "strict bool": lambda v: xs.asarray(bools(v)),
    "strict uint8": lambda v: xs.asarray(v, dtype=xs.uint8),
}
TEXT = {
    "U": np.array,
    "StringDType": lambda v: np.array(v, dtype=np.dtypes.StringDType()),
    "object": lambda v: np.array(v, dtype=object),
    "list": list,
    "pandas str": pd.Series,
    "pandas string": lambda v: pd.Series(v, dtype="string[python]"),
    "pandas arrow": lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.string())),
    "pandas category": lambda v: pd.Series(v, dtype="category"),
    "polars": lambda v: pl.Series(v, dtype=pl.String),
    "polars Categorical": lambda v: pl.Series(v, dtype=pl.Categorical),
    "polars Enum": lambda v: pl.Series(v, dtype=pl.Enum(["ham", "unused", "spam"])),
    "pyarrow": lambda v: pa.array(v, pa.string()),
    "pyarrow view": lambda v: pa.array(v, pa.string_view()),
    "pyarrow chunked": chunked(lambda v: pa.array(v, pa.string())),
    "pyarrow dictionaries": chunked(lambda v: pa.array(v, pa.string()).dictionary_encode()),
    "pyarrow dictionary with doubles": lambda v: pa.DictionaryArray.from_arrays(
        [i % 2 + (0 if x == "ham" else 2) for i, x in enumerate(v)], ["ham", "ham", "spam", "spam"]
    ),
}
PAIRS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=30)


def check_kind(make, other, y_true, y_pred, expected, pos_label):
    """Either column may be of the kind, or both."""
    for truth, predicted in ((make, make), (make, other), (other, make)):
        assert count(truth(y_true), predicted(y_pred), pos_label=pos_label) == expected
    assert population_from_labels(make(y_true), pos_label=pos_label) == expected.population


@pytest.mark.parametrize("kind", NUMBERS)
@settings(max_examples=8)
@given(
    pairs=PAIRS,
    pos_label=st.sampled_from([None, 0, 1, True, 1.0]),
    other=st.sampled_from(["list", "int64", "bool", "uint8"]),
)
def test_numbers_of_every_type(kind, pairs, pos_label, other):
    y_true, y_pred = map(list, zip(*pairs, strict=True))
    positive = 1 if pos_label is None else pos_label
    expected = naive([y == positive for y in y_true], [y == positive for y in y_pred])
    check_kind(NUMBERS[kind], NUMBERS[other], y_true, y_pred, expected, pos_label)


@pytest.mark.parametrize("kind", TEXT)
@settings(max_examples=8)
@given(pairs=PAIRS, other=st.sampled_from(["list", "U"]))
def test_text_of_every_type(kind, pairs, other):
    y_true, y_pred = zip(*pairs, (1, 0), strict=True)
    y_true, y_pred, expected = [*y_true], [*y_pred], naive(y_true, y_pred)
    spelt = [[("ham", "spam")[label] for label in labels] for labels in (y_true, y_pred)]
    check_kind(TEXT[kind], TEXT[other], *spelt, expected, "spam")


@pytest.mark.parametrize(
    ("dtype", "labels"),
    [("bool", (0, 1)), ("bool", (1, 0)), ("uint8", (0, 1)), ("uint8", (1, 0)), ("uint8", (3, 255)),
     ("int8", (-1, 1)), ("int64", (3, 7)), ("float32", (-1, 1)), ("U4", (0, 1)), ("object", (1, 0))],
)  # fmt: skip
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


Y, P = [1, 0, 1, 0, 1], [1, 0, 0, 1, 1]


@pytest.mark.parametrize("device", ["CPU_DEVICE", "device1", "device2"])
def test_arrays_on_any_device_are_counted(device):
    device = xs.Device(device)
    y_true = xs.asarray(Y, device=device)
    y_pred = xs.asarray(bools(P), device=device)
    assert count(y_true, y_pred).cells == (2, 1, 1, 1)
    assert count(Y, y_pred).cells == count(y_true, np.array(P)).cells == (2, 1, 1, 1)
    assert count(y_true, y_pred, sample_weight=[1, 2, 0, 4, 5]).cells == (6, 4, 0, 2)
    by = ["y", "x", "x", "y", "z"]
    table = count_many(y_true, {"a": y_pred, "b": [0, 1, 1, 1, 1]}, by=by)
    expected = count_many(Y, {"a": P, "b": [0, 1, 1, 1, 1]}, by=by)
    assert (table.groups, table.counts) == (expected.groups, expected.counts)
    sliced = count_many(y_true, {"a": y_pred}, by=xs.asarray([5, 3, 3, 5, 4], device=device))
    assert sliced.groups == (None, 3, 4, 5)
    assert sliced.counts.tp.tolist() == [[2, 0, 1, 1]]


class OnDevice:
    """Stands for an array that NumPy cannot reach by itself."""

    shape = (5,)

    def __init__(self, values):
        self.values = np.array(values)

    def __dlpack__(self, **_):
        raise BufferError

    def __array__(self, *_, **__):
        raise TypeError


class Cupy(OnDevice):
    __cuda_array_interface__ = ()

    def get(self):
        return self.values


class Tensor(OnDevice):
    dtype = "torch.int64"

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.values


@pytest.mark.parametrize("kind", [Cupy, Tensor])
def test_arrays_that_only_their_own_library_copies_are_asked_for_a_copy(kind):
    assert count(kind(Y), kind(P)).cells == count(Y, kind(P)).cells == (2, 1, 1, 1)
    with pytest.raises(ValueError, match="y_pred could not be read: "):
        count(Y, OnDevice(P))


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
    ("weights", "expected"),
    [
        (pl.Series([2.0, 3.0]), (3, 2, 0, 0)),
        (xs.asarray([2, 3]), (3, 2, 0, 0)),
        ((2**50 + 1, 2**51 + 1), (2**51 + 1, 2**50 + 1, 0, 0)),
        ([True, False], (0, 1, 0, 0)),
    ],
)
def test_weights_of_every_library_are_exact(weights, expected):
    assert count([0, 1], [1, 1], sample_weight=weights).cells == expected


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([0.5, 1], "found 0.5 at position 0. Importance weights have no hypergeometric null, because a fea"),
        ([1, -1], "whole numbers from 0 up, how often each sample occurs; found -1 at position 1."),
        ([0, 0], "sample_weight is 0 everywhere, so that there are no samples"),
        ([2**53, 1], "must not exceed 2**52"),
        (np.array([1j, 1]), "found complex128 values."),
        ([1], "sample_weight and y_true must have the same length; found 1 and 2 samples."),
    ],
    ids=str,
)  # fmt: skip
def test_weights_that_are_no_frequencies(weights, message):
    with pytest.raises(ValueError) as caught:
        count([0, 1], [1, 1], sample_weight=weights)
    assert message in str(caught.value)


def test_a_position_beyond_the_first_block():
    weights = np.ones(300_000)
    weights[299_999] = 0.5
    with pytest.raises(ValueError, match=r"found 0\.5 at position 299999"):
        count(weights > 0, weights > 0, sample_weight=weights)


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
    count(y_true, y_pred)
    count(y_pred, y_true, pos_label=False, sample_weight=[1, 2, 3])
    count_many(y_pred, {"a": y_pred, "b": y_true}, pos_label=0, by=y_true)
    assert (y_true.tolist(), y_pred.tolist()) == ([0, 1, 1], [True, False, True])


def test_many_threads_count_the_same():
    y_true, y_pred = np.random.default_rng(1).integers(0, 2, (2, 400_000))
    expected = count(y_true, y_pred)
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: count(y_true, y_pred), range(16))) == {expected}


def test_whole_numbers_of_128_bits_are_refused_in_a_sentence():
    wide = pl.Series("p", Y, dtype=pl.Int128)
    for call in (lambda: count(wide, Y), lambda: count_many(Y, {"a": wide})):
        with pytest.raises(ValueError, match="could not be read"):
            call()


def test_weights_are_added_up_where_whole_numbers_are_wide():
    found = count(xs.asarray(Y), xs.asarray(Y), sample_weight=np.full(5, 2**40))
    assert found.cells == (3 * 2**40, 0, 0, 2 * 2**40)
