"""Every measure of sets of labels against scikit-learn, on random and degenerate tables."""

import math
import warnings

import numpy as np
import pytest
from sklearn import metrics

import clearbar as cb
from clearbar.core.label_sets import LabelSets
from clearbar.problems.multilabel.units import Compared

pytestmark = pytest.mark.quick

WAYS = ("micro", "macro", "weighted", "samples")
AVERAGED = {"precision": metrics.precision_score, "recall": metrics.recall_score, "f1": metrics.f1_score,
            "jaccard": metrics.jaccard_score}  # fmt: skip


def averaged(function, way):
    return lambda t, p, zero: function(t, p, average=way, zero_division=zero)


ORACLES = {
    "subset_accuracy": lambda t, p, _: metrics.accuracy_score(t, p),
    "zero_one_loss": lambda t, p, _: metrics.zero_one_loss(t, p),
    "hamming_loss": lambda t, p, _: metrics.hamming_loss(t, p),
    **{f"{name}_{way}": averaged(function, way) for name, function in AVERAGED.items() for way in WAYS},
    **{
        f"f2_{way}": lambda t, p, zero, way=way: metrics.fbeta_score(
            t, p, beta=2, average=way, zero_division=zero
        )
        for way in WAYS
    },
}


def tables():
    rng = np.random.default_rng(5)
    for samples, labels in ((1, 2), (60, 12)):
        for density in (0.1, 0.6):
            truth = rng.random((samples, labels)) < density
            yield (
                truth,
                np.where(rng.random((samples, labels)) < 0.7, truth, rng.random((samples, labels)) < density),
            )
    nothing, every = np.zeros((4, 3), dtype=bool), np.ones((4, 3), dtype=bool)
    some = np.array([[1, 0, 0], [0, 0, 0], [1, 1, 0], [0, 0, 0]], dtype=bool)
    yield from (
        (a, b)
        for a, b in ((nothing, every), (nothing, nothing), (some, nothing), (some, some), (every, some))
    )


CASES = [(truth.astype(int), predicted.astype(int)) for truth, predicted in tables()]


def compared(truth, predicted):
    labels = tuple(range(truth.shape[1]))
    return Compared(*(LabelSets.of(labels, *np.nonzero(side), len(side)) for side in (truth, predicted)))


def test_all_measures_are_held_against_scikit_learn():
    assert {measure.name for measure in cb.measures("multilabel")} == set(ORACLES)


@pytest.mark.parametrize(
    ("name", "zero"),
    [
        (name, zero)
        for name in ORACLES
        for zero in (0.0, 1.0, math.nan)
        if not (name.startswith("jaccard") and math.isnan(zero))  # scikit-learn's takes no nan
    ],
)
def test_scikit_learn_agrees(name, zero):
    measure = cb.get_measure(name, "multilabel")
    for truth, predicted in CASES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = ORACLES[name](truth, predicted, zero)
        value = compared(truth, predicted).score(measure, zero)
        assert value == pytest.approx(expected, abs=1e-14, nan_ok=True), (truth, predicted)


MACRO = cb.get_measure("f1_macro", "multilabel")


def test_large_tables_take_the_same_values_without_a_dense_one(monkeypatch):
    dense = [[compared(*case).score(measure, 0.0) for measure in cb.measures("multilabel")] for case in CASES]
    weights = [np.random.default_rng(1).integers(4, size=(3, len(case[0]))) for case in CASES]
    drawn = [own @ compared(*case).terms(MACRO, 0.0) for case, own in zip(CASES, weights, strict=True)]
    monkeypatch.setattr("clearbar.problems.multilabel.units.MOST_DENSE", 0)
    monkeypatch.setattr("clearbar.core.label_sets.MOST_DENSE", 0)
    sparse = [
        [compared(*case).score(measure, 0.0) for measure in cb.measures("multilabel")] for case in CASES
    ]
    np.testing.assert_array_equal(sparse, dense)
    for case, own, expected in zip(CASES, weights, drawn, strict=True):
        np.testing.assert_array_equal(own @ compared(*case).terms(MACRO, 0.0), expected)
        np.testing.assert_array_equal(expected[:, : case[0].shape[1]], own @ case[0])


def test_families_carry_beta():
    assert cb.get_measure("f0.5_macro", "multilabel") == cb.get_measure("fbeta_macro", "multilabel", beta=0.5)
    assert cb.get_measure("accuracy", "multilabel").name == "subset_accuracy"
