"""evaluate_multilabel as its users call it: tables, frames, sets, slices, clusters, bad input."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn import metrics

import clearbar as cb

RNG = np.random.default_rng(4)
LABELS = ("a", "b", "c")
TRUTH = (RNG.random((150, 3)) < [0.6, 0.3, 0.15]).astype(int)
GOOD = np.where(RNG.random(TRUTH.shape) < 0.85, TRUTH, 1 - TRUTH)
BLIND = RNG.permutation(TRUTH)
MODELS = {"good": GOOD, "blind": BLIND}


@pytest.fixture(scope="module")
def card():
    return cb.evaluate(TRUTH, MODELS)


def sets_of(table):
    return [set(np.flatnonzero(row).tolist()) for row in table]


def test_evaluate_sees_sets_of_labels(card):
    assert [measure.name for measure in card.measures] == [
        "subset_accuracy", "hamming_loss", "f1_micro", "f1_macro", "f1_samples",
    ]  # fmt: skip
    scores = {verdict.measure.name: verdict.score for verdict in card if verdict.model == "good"}
    own = metrics.f1_score(TRUTH, GOOD, average="samples", zero_division=0)
    assert scores["f1_samples"] == pytest.approx(own)
    assert scores["hamming_loss"] == pytest.approx(metrics.hamming_loss(TRUTH, GOOD))
    own = metrics.jaccard_score(TRUTH, GOOD, average="samples", zero_division=0)
    assert cb.score(TRUTH, GOOD, "jaccard_samples") == pytest.approx(own)
    assert all(verdict.sure == (verdict.model == "good") for verdict in card)
    assert cb.baseline(TRUTH, "f1_micro") == cb.baseline_multilabel(TRUTH, "f1_micro")
    for verdict in card:
        assert verdict.low <= verdict.score <= verdict.high
        assert (verdict.low <= verdict.baseline.value <= verdict.high) == (verdict.p_value > 0.05)


def test_the_answer_that_attains_the_bar_is_exactly_at_it():
    for name in ("f1_micro", "f1_macro", "f1_samples", "hamming_loss", "subset_accuracy", "jaccard_samples"):
        bar = cb.baseline_multilabel(TRUTH, name)
        constant = np.tile([label in bar.predicted_labels for label in range(3)], (150, 1))
        verdict = cb.evaluate_multilabel(TRUTH, constant, name)[0]
        assert (verdict.outcome, verdict.p_value, verdict.p_value_blind) == ("ties", 1, 1)


SAME = {
    "csr": sparse.csr_matrix,
    "sets": sets_of,
    "series of sets": lambda table: pd.Series(sets_of(table)),
    "pandas": lambda table: pd.DataFrame(table, columns=LABELS),
    "polars": lambda table: pl.DataFrame(table.astype(bool), schema=list(LABELS)),
    "pyarrow": lambda table: pa.table({label: table[:, at] for at, label in enumerate(LABELS)}),
}


@pytest.mark.parametrize("make", SAME.values(), ids=SAME)
def test_tables_frames_sparse_matrices_and_sets_are_the_same(make):
    own, expected = (
        cb.evaluate(truth, good, intervals=False)
        for truth, good in ((make(TRUTH), make(GOOD)), (TRUTH, GOOD))
    )
    for name in ("score", "bar"):
        np.testing.assert_array_equal(own.columns[name], expected.columns[name])


def test_columns_of_frames_are_matched_by_name():
    truth, turned = pd.DataFrame(TRUTH, columns=LABELS), pd.DataFrame(GOOD, columns=LABELS)[["c", "a", "b"]]
    card = cb.evaluate(truth, turned, "f1_macro", intervals=False)
    assert card[0].score == pytest.approx(metrics.f1_score(TRUTH, GOOD, average="macro"))
    assert card.per_label("f1").groups == LABELS


@pytest.mark.parametrize(
    "more",
    [{}, pytest.param({"clusters": np.arange(150) // 5}, marks=pytest.mark.slow)],
    ids=["samples", "clusters"],
)
def test_each_label_on_its_own(more):
    each = cb.evaluate_multilabel(TRUTH, MODELS, **more).per_label(["f1", "mcc"])
    assert each.groups == (0, 1, 2)
    assert "each label on its own" in str(each)
    for at in range(3):
        called = {name: model[:, at] for name, model in MODELS.items()}
        own = cb.evaluate(TRUTH[:, at], called, ["f1", "mcc"], **more)
        for name in ("score", "p_value", "p_value_blind", "p_sure"):
            np.testing.assert_allclose(each.columns[name][:, at], own.columns[name][:, 0], rtol=1e-12)
        assert each[2 * at].low == own[0].low


ROWS = "Y_true must have a row per sample and a column per label, or hold sets; found shape ("
BAD = [
    (lambda: cb.evaluate_multilabel(TRUTH, {"m": GOOD[:9]}),
     "Y_true and Y_pred['m'] must have the same samples and labels; found shapes (150, 3) and (9, 3)."),
    (lambda: cb.evaluate_multilabel(sparse.csr_matrix(TRUTH * 2), GOOD),
     "Y_true must hold 0 and 1; found 2."),
    (lambda: cb.evaluate_multilabel(TRUTH, np.ma.masked_array(GOOD, GOOD == 1)),
     "Y_pred must hold 0 and 1; found masked values."),
    (lambda: cb.evaluate_multilabel(TRUTH[:, :1], GOOD[:, :1]),
     "Y_true must have two labels or more; found 1. Judge a single label with evaluate(y_true, y_pred)."),
    (lambda: cb.evaluate_multilabel(TRUTH, GOOD, labels=["a", "b", "a"]),
     "labels must name each label once; found 'a' twice."),
    (lambda: cb.evaluate([["a"], ["b", "c"]], [["a"], ["b"]]),
     "Y_true holds rows of different lengths; give a set of labels for each sample, such as {'a', 'b'}"),
    (lambda: cb.evaluate([0, 1, 1], [0, 1, 1], "f1_samples"), f"{ROWS}3,)."),
    (lambda: cb.evaluate_multilabel(pd.DataFrame(TRUTH[:, :2]), pd.DataFrame(GOOD[:, :2], columns=[0, 7])),
     "Y_pred must have a column for each label and no other; those that differ are 7 and 1."),
    (lambda: cb.evaluate_multilabel(TRUTH[:2, :2], pl.DataFrame({"a": [0, None], "b": [1, 0]})),
     "Y_pred['a'] has 1 missing value (at position 1). Drop those rows or predict them"),
    (lambda: cb.evaluate(TRUTH, GOOD, pos_label=1), "pos_label=1 is not for sets of labels; leave it out."),
    (lambda: cb.evaluate_folds(TRUTH, GOOD, np.arange(len(TRUTH)) % 3),
     "evaluate_folds is for one label of each sample; evaluate_multilabel(Y_true, Y_pred, by=folds) judges"),
    (lambda: cb.evaluate_frame(pd.DataFrame(TRUTH), ["a", "b"], "c"),
     "y_true must be the name of a column; found ['a', 'b']. Of sets of labels pass frames of the columns"),
    (lambda: cb.evaluate_frame(pd.DataFrame(TRUTH), "a", "b", kind="multilabel"),
     "kind must be None, 'binary', 'multiclass' or 'regression'; found 'multilabel': pass frames of the"),
    (lambda: cb.evaluate_multilabel(TRUTH, GOOD, intervals=False).per_class(),
     "per_class is for labels of more than two classes; this scorecard has none."),
]  # fmt: skip


@pytest.mark.parametrize(("call", "says"), BAD)
def test_bad_input_gets_one_sentence(call, says):
    with pytest.raises(ValueError, match=r"^[^\n]+$") as error:
        call()
    assert str(error.value).startswith(says)


@pytest.mark.slow
def test_thousands_of_labels_need_no_dense_table():
    truth = sparse.random(2_000, 20_000, 2e-4, "csr", rng=np.random.default_rng(0))
    truth.data[:] = 1
    card = cb.evaluate_multilabel(truth, truth, intervals=False)
    assert [verdict.score for verdict in card][:3] == [1, 0, 1]
