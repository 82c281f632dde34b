"""Counts at thresholds, and what scores may look like."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_curve
from tests.data.engines import matrix

from clearbar.data.scores import counts_at_thresholds, read_scores, read_truth

pytestmark = pytest.mark.quick

NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5])


@st.composite
def samples(draw):
    pairs = draw(st.lists(st.tuples(st.booleans(), NUMBERS), min_size=1, max_size=12))
    return np.array([label for label, _ in pairs]), np.array([score for _, score in pairs])


@given(samples())
def test_every_distinct_score_is_a_threshold_and_counts_are_those_of_each(both):
    truth, scores = both
    thresholds, counts = counts_at_thresholds(truth, scores)
    assert thresholds.tolist() == [np.inf, *sorted(set((scores + 0.0).tolist()), reverse=True)]
    for at, threshold in enumerate(thresholds):
        assert counts[at].cells == matrix(truth, scores >= threshold)


@pytest.mark.parametrize("kind", ["uniform", "rounded", "float32"])
def test_against_scikit_learn(kind):
    rng = np.random.default_rng(6)
    truth, scores = rng.random(400) < 0.3, rng.random(400)
    scores = {"uniform": scores, "rounded": scores.round(1), "float32": scores.astype(np.float32)}[kind]
    thresholds, counts = counts_at_thresholds(truth, scores)
    fpr, tpr, expected = roc_curve(truth, scores, drop_intermediate=False)
    np.testing.assert_array_equal(thresholds, expected)
    np.testing.assert_array_equal(counts.tp / counts.positives, tpr)
    np.testing.assert_array_equal(counts.fp / counts.negatives, fpr)


@pytest.mark.parametrize(
    "scores",
    [[0.1, 0.9, 0.5], (0, 1, 2), np.array([0.1, 0.2, 0.3], "f4"), pd.Series([0.1, 0.2, None]).fillna(0.3),
     pl.Series([0.1, 0.2, 0.3]), pl.Series([0.1, 0.2, 0.3]).to_arrow(), [True, False, True],
     np.array([0.1, 0.2, 0.3], dtype=object)],
    ids=["list", "tuple", "float32", "pandas", "polars", "pyarrow", "bool", "object"],
)  # fmt: skip
def test_scores_of_any_library(scores):
    found = read_scores(scores, "y_score", 3)
    assert found.dtype == (np.float32 if getattr(scores, "dtype", None) == np.float32 else np.float64)
    assert found.tolist() == [float(score) for score in np.asarray(scores).tolist()]


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([0.1, np.nan, 0.3], r"a score that is nan or infinite \(first at position 1: nan\). Drop"),
        ([0.1, np.inf, -np.inf], r"2 scores that are nan or infinite \(first at position 1: inf\). Drop tho"),
        ([[0.1, 0.9]] * 3, r"look like predict_proba: pass y_score\[:, 1\]"),
        (np.zeros((3, 4)), r"of many classes judge one at a time"),
        (np.zeros((2, 3)), r"For several models pass a mapping with an array each"),
        (np.array([1, 2**60, 3]), r"beyond 2\*\*53, which floating point cannot tell apart"),
        (np.array([1j, 2, 3]), r"y_score must hold numbers"),
    ],
    ids=str,
)
def test_scores_that_are_refused_in_one_sentence(scores, message):
    with pytest.raises(ValueError, match=message):
        counts_at_thresholds([0, 1, 1], scores)


def test_truth_of_other_labels():
    assert read_truth(["spam", "ham"], "spam").tolist() == [True, False]
    with pytest.raises(ValueError, match="three labels"):
        read_truth([0, 1, 2])
    with pytest.raises(ValueError, match="no samples"):
        read_truth([])
