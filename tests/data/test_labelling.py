"""Which labels are positive, and one sentence for everything that cannot be labels."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from clearbar.core.counts import Counts
from clearbar.data.counting import count, population_from_labels
from clearbar.data.labels import Labels, parse_label, positive_samples, read_labels

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("y_true", "pos_label", "expected"),
    [
        ([0, 1, 1], None, Labels(1, 0)),
        ([-1, 1], None, Labels(1, -1)),
        (np.array([True, False]), None, Labels(pos_label=True, neg_label=False)),
        ([1, 1], None, Labels(1, None)),
        ([0, 0], None, Labels(1, 0)),
        (["no", "yes"], np.str_("no"), Labels("no", "yes")),
        ([1, 2], 2.0, Labels(2, 1)),
        ([1, 2], np.array(1), Labels(1, 2)),
        (np.array([True, False]), 0, Labels(pos_label=False, neg_label=True)),
        (["yes", "yes"], "yes", Labels("yes", None)),
        ([1, 1], 0, Labels(0, 1)),
    ],
)
def test_one_is_positive_among_usual_labels_and_a_named_label_is_found_by_value(y_true, pos_label, expected):
    labels, _ = positive_samples(read_labels(y_true), pos_label)
    assert labels == expected
    assert type(labels.pos_label) is type(expected.pos_label)


def refusal(*labels, **options):
    function = count if len(labels) == 2 else population_from_labels
    with pytest.raises(ValueError) as caught:
        function(*labels, **options)
    return str(caught.value)


def test_more_than_two_labels_are_counted_in_the_message():
    assert refusal([0] * 40 + [1] * 50 + [2] * 21, [0] * 111) == (
        "y_true holds three labels (0: 40, 1: 50, 2: 21 samples); a binary measure needs two. Judge "
        "one class against the rest: pass y_true == 0 and y_pred == 0, or judge all classes by "
        "evaluate_multiclass."
    )
    assert "pass y_true == 'b' and" in refusal(list("abc"), list("abc"), pos_label="b")
    assert refusal(np.concatenate([np.arange(30), np.full(5, 7)])).startswith(
        "y_true holds 30 labels (7: 6, 0: 1, 1: 1, 2: 1, 3: 1, 4: 1, ... samples); a binary"
    )
    assert "y_true holds more than " in refusal(np.arange(300_000))


def test_a_third_label_is_found_wherever_it_is():
    y_true = np.zeros(400_001, dtype=np.int8)
    y_true[-1], y_true[5] = 2, 1
    assert "(0: 399,999, 1: 1, 2: 1 samples)" in refusal(y_true, np.zeros(400_001))
    assert "'c': 1 samples)" in refusal([*"ab" * 100_000, "c"], pos_label="a")


def test_unusual_labels_need_a_positive_one():
    assert refusal(["no", "yes", "no"]) == (
        "y_true holds labels beyond 0 and 1, -1 and 1 or False and True ('no': 2, 'yes': 1 "
        "samples), so that the positive one must be named. Pass pos_label='no' or pos_label='yes'."
    )
    assert "Pass pos_label=0 or pos_label=3." in refusal([0, 3])
    assert "Pass pos_label='no'." in refusal(["no"])
    assert "Pass pos_label='0' or pos_label='1'." in refusal(["0", "1"]), "what looks like a number is text"


@pytest.mark.parametrize(
    ("y_true", "pos_label", "found"),
    [
        ([0, 1], 2, "2"), ([0, 1], "1", "'1'"), (["0", "1"], 1, "1"), ([b"a", b"b"], "a", "'a'"),
        (["a", "b"], b"a", "b'a'"), ([0, 1], float("nan"), "nan"),
        (["no", "yes"], True, "True"),
    ],
)  # fmt: skip
def test_a_pos_label_that_cannot_be(y_true, pos_label, found):
    message = refusal(y_true, pos_label=pos_label)
    assert message.startswith(f"pos_label={found} does not occur in y_true, which holds {y_true[0]!r}: 1, ")
    assert message.endswith(f" samples. Pass pos_label={y_true[0]!r} or pos_label={y_true[1]!r}.")


def test_one_true_label_leaves_room_for_one_other():
    assert refusal(["a", "a"], ["a", "b"], pos_label="b") == (
        "pos_label='b' does not occur in y_true, which holds 'a': 2 samples. Pass pos_label='a'."
    )
    assert count([0, 0], [0, 1]).cells == (0, 1, 0, 1)
    assert count([False, False], [1, 0], pos_label=True).cells == (0, 1, 0, 1)
    assert count([-1, -1], [-1, 1]).cells == (0, 1, 0, 1)
    assert count([1, 1], [0, 1]).cells == count([1, 1], [-1, 1]).cells == (1, 0, 1, 0)
    assert count(["a", "a"], ["a", "b"], pos_label="a").cells == (1, 0, 1, 0)
    assert count(["a", "a"], ["b", "b"], pos_label="a").cells == (0, 0, 2, 0)


def test_labels_that_the_truth_does_not_have():
    assert refusal([0, 1], [-1, 1]) == (
        "y_true holds 0: 1, 1: 1 samples but y_pred holds -1: 1, 1: 1 samples; both must use the "
        "same two labels. Map -1 in y_pred to 0 or 1, or judge all classes by evaluate_multiclass."
    )
    assert "y_pred holds '0': 1, '1': 1 samples; both must" in refusal([0, 1], ["0", "1"])
    assert "Map 2 in y_pred to False or True." in refusal([True, False], [1, 2])
    assert "Map 'b' and 'c' in y_pred to 'a', or" in refusal(list("aaa"), list("abc"), pos_label="a")
    categories = pl.Series(["a", "b"], dtype=pl.Categorical)
    assert "Map 'c' in y_pred to 'a' or 'b', or" in refusal(categories, pl.Series(["a", "c"]), pos_label="a")


def test_scores_are_recognised():
    assert refusal([0, 1, 1], [0.25, 0.5, 0.75]) == (
        "y_pred holds numbers such as 0.25, 0.5 and 0.75 (three distinct): these look like "
        "scores; use evaluate_scores, or y_score >= threshold."
    )
    assert "(1,000 distinct): these look like scores" in refusal(np.arange(1000) % 2, np.arange(1000))
    assert "these look like scores" in refusal([0, 1], [0.0, np.inf])
    assert refusal([0.5, 1.0]) == (
        "y_true holds 0.5, which is not a label: labels are whole numbers, text or truth values. "
        "Numbers are judged by evaluate_regression, or by a measure such as 'mae'; for labels pass "
        "y_true >= threshold."
    )


MISSING = [
    [1.0, float("nan"), 0.0],
    np.array([1.0, np.nan, 0.0]),
    np.array([1, Decimal("nan"), 0], dtype=object),
    np.ma.array([1, 1, 0], mask=[False, True, False]),
    pd.Series([1, None, 0], dtype="Int64"),
    pd.array([1, None, 0], dtype="int64[pyarrow]"),
    pl.Series([1, None, 0]),
    pa.chunked_array([[True], [None, False]]),
]
MISSING_TEXT = [
    ["a", None, "b"],
    np.array(["a", pd.NaT, "b"], dtype=object),
    pd.Series(["a", None, "b"]),
    pd.Series(["a", None, "b"], dtype="category"),
    pl.Series(["a", None, "b"]),
    pa.DictionaryArray.from_arrays([0, 1, 2], ["a", None, "b"]),
]


@pytest.mark.parametrize(
    ("column", "other", "pos_label"),
    [(column, [1, 0, 0], None) for column in MISSING] + [(column, [*"abb"], "a") for column in MISSING_TEXT],
    ids=lambda value: type(value).__name__,
)
def test_a_missing_value_is_refused_with_its_position(column, other, pos_label):
    assert refusal(column, other, pos_label=pos_label) == (
        "y_true has 1 missing value (at position 1). Drop those rows or label them: a sample "
        "without a label has no place in the counts."
    )
    assert refusal(other, column, pos_label=pos_label) == (
        "y_pred has 1 missing value (at position 1). Drop those rows or predict them: a missing "
        "prediction has no place in the counts."
    )


def test_missing_values_are_counted_over_all_blocks():
    y_pred = np.zeros(300_000)
    y_pred[[17, 150_000, 299_999]] = np.nan
    assert "y_pred has 3 missing values (first at position 17)." in refusal(y_pred > 1, y_pred)
    assert "y_true has 3 missing values (first at position 0)." in refusal(pa.nulls(3))


@pytest.mark.parametrize(
    ("value", "finding", "remedy"),
    [
        ("abc", "found the single value 'abc'.", "Pass an array, a list, or a column"),
        ({"a": [1]}, "found a mapping with the keys 'a'.", "e.g. y_true['a']"),
        ({0, 1}, "found a set, which has no order.", "Pass a list in the samples' order."),
        ((i for i in [0]), "found an iterator, which can be read only once.", "list(y_true)"),
        (np.zeros((1, 3)), "found shape (1, 3).", "Use y_true.ravel()."),
        (np.zeros((3, 2)), "found shape (3, 2).", "Judge one label at a time: pass one column of it"),
        (pd.DataFrame({"a": [1]}), "found a pandas DataFrame with the column 'a'.", "y_true['a']"),
        (pl.LazyFrame({"a": [1]}), "found a polars LazyFrame.", "after collect()"),
        (object(), "builtins.object raised TypeError.", "Pass a NumPy array, a list, or a column"),
        (np.array([1j, 0]), "y_true holds complex128 values;", "with y_true == value."),
        (pd.to_datetime(["2020"]), "y_true holds datetime64 values;", "== value."),
        ([{}, []], "y_true holds dict values; labels are whole numbers, text, bytes or", ""),
        ([0, "a"], "y_true mixes numbers and text (0: 1, 'a': 1 samples)", "e.g. with str."),
        ([], "y_true holds no samples; at least one is needed to have a bar.", ""),
    ],
    ids=lambda value: str(value).partition(" at 0x")[0],
)
@pytest.mark.filterwarnings("error")
def test_what_cannot_be_labels_is_refused(value, finding, remedy):
    message = refusal(value)
    assert message.startswith("y_true ")
    assert finding in message
    assert remedy in message


def test_lengths_must_agree():
    assert refusal([0, 1, 1], [0, 1]) == (
        "y_true and y_pred must have the same length; found 3 and 2 samples."
    )
    runs = np.zeros((3, 2))
    assert "for several runs of one model use evaluate, with shape (runs, samples)." in refusal([0, 1], runs)


class Hostile:
    """Fails at whatever is asked of it."""

    __hash__ = None

    def __array__(self, *_, **__):
        raise RuntimeError

    def __eq__(self, other):
        raise KeyError

    def __repr__(self):
        raise OSError

    def __float__(self):
        raise MemoryError


class Agreeable:
    """Equals everything."""

    __hash__ = None

    def __eq__(self, other):
        return True


def test_hostile_objects_get_a_sentence():
    strange = np.empty(2, dtype=object)
    strange[0], strange[1] = 1, Hostile()
    for labels, says in (
        (Hostile(), "y_true could not be read: "),
        ([Hostile()], "y_true could not be read: builtins.list raised RuntimeError"),
        (strange, "y_true holds Hostile values"),
        ([1, 0, Agreeable()], "y_true holds Agreeable values"),
        ([Decimal("snan"), Decimal(0)], "y_true has 1 missing value"),
        ([10**400, 1], "100000000000000000000000000000000000...0: 1 samples"),
    ):
        assert says in refusal(labels)
    assert "pos_label=<Hostile> does not occur" in refusal([0, 1], pos_label=Hostile())


@pytest.mark.parametrize(
    ("text", "labels", "expected"),
    [
        ("1.0", [0, 1], 1),
        ("true", [False, True], True),
        ("1", [False, True], True),
        ("Yes", ["no", "yes", "Yes"], "Yes"),
        ("yes ", ["no", "yes"], "yes"),
        ("a", [b"a", b"b"], b"a"),
    ],
)
def test_a_typed_label_is_found(text, labels, expected):
    found = parse_label(text, labels)
    assert found == expected
    assert type(found) is type(expected)


def test_a_typed_label_that_does_not_exist():
    with pytest.raises(ValueError, match="no label is 'maybe'; the labels are 'no' and 'yes'"):
        parse_label("maybe", ["no", "yes"])
    with pytest.raises(ValueError, match=r"no label is 'Yes'; the labels .* 'yes'\. Did you mean 'yes'\?"):
        parse_label("Yes", ["no", "yes"])


@pytest.mark.parametrize("label", ["a\0", "\0", "a\0\0"])
@pytest.mark.parametrize(
    "column",
    [
        list,
        lambda labels: np.array(labels, dtype=object),
        lambda labels: np.array(labels, dtype=np.dtypes.StringDType()),
        lambda labels: [label.encode() for label in labels],
    ],
    ids=["list", "objects", "strings", "bytes"],
)
def test_zeros_at_the_end_of_a_text_are_part_of_it(column, label):
    truth, guess = column(["a", label, "a", label, label]), column(["a", label, label, label, "a"])
    assert count(truth, guess, pos_label=column(["a"])[0]) == Counts(tp=1, fp=1, fn=1, tn=2)
    assert count(truth, guess, pos_label=column([label])[0]) == Counts(tp=2, fp=1, fn=1, tn=1)
