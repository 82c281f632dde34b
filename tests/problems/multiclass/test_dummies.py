"""Dummies of many classes: every way in which they can call six samples, weighed by its probability."""

import math
from itertools import product

import numpy as np
import pytest

import clearbar as cb
from clearbar.problems.multiclass import Tables

SIZES = cb.ClassSizes({"a": 3, "b": 2, "c": 1})
TRUTH = np.repeat([0, 1, 2], [3, 2, 1])
CALLED = np.array(list(product(range(3), repeat=6)))
SHARES = {"stratified": np.array([3, 2, 1]) / 6, "uniform": np.full(3, 1 / 3)}
UNKNOWN = {"jaccard_micro", "f1_of_averages", "gwet_ac1"}
MEASURES = [one for one in cb.measures("multiclass") if not one.named_classes]


def every_table():
    rows = np.arange(3)
    step = np.abs(CALLED - TRUTH)
    called = (CALLED[:, :, None] == rows).sum(axis=1).astype(float)
    hits = ((CALLED == TRUTH)[:, :, None] & (TRUTH[:, None] == rows)).sum(axis=1).astype(float)
    sizes = np.broadcast_to([3.0, 2.0, 1.0], hits.shape)
    return Tables(sizes, called, hits, step.sum(axis=1) + 0.0, (step**2).sum(axis=1) + 0.0)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_expectations_are_those_of_all_ways_to_call_samples(measure):
    values = measure(every_table(), 0.0)
    known = ~np.isnan(values)
    found = cb.dummies(SIZES, measure)
    for strategy, shares in SHARES.items():
        weights = shares[CALLED].prod(axis=1)[known]
        if measure.name in UNKNOWN:
            assert found[strategy].reason == "what it expects has no closed form"
            continue
        assert found[strategy].expected == pytest.approx(
            weights @ values[known] / weights.sum(), rel=1e-12, abs=1e-14
        )
    for at, label in enumerate("abc"):
        own = float(values[(at == CALLED).all(axis=1)][0])
        assert found[f"constant ({label})"].expected == pytest.approx(own, nan_ok=True)
    better = [row.expected for row in found if not math.isnan(row.expected)]
    sign = 1 if measure.greater_is_better else -1
    bar = sign * float(found.bar)
    assert all(sign * value <= bar + 1e-12 for value in better)


LABELS = ["a", "a", "b", "c"]


def test_dummies_of_labels_are_named_as_scikit_learn_names_them():
    found = cb.dummies(LABELS, "f1_macro")
    assert "DummyClassifier" in str(found)
    assert found.to_dict()["strategy"][-1] == "constant (c)"


@pytest.mark.parametrize(
    ("measure", "options", "said"),
    [
        ("f1", {}, "name f1_micro, f1_macro or f1_weighted"),
        ("accuracy", {"prevalence": 0.5}, "prevalence is for two classes"),
        ("kappa_linear", {"pos_label": "a"}, "pos_label and undefined are for two"),
        ("top_2_accuracy", {}, "judges a score of each class"),
    ],
)
def test_what_is_not_for_many_classes_is_refused(measure, options, said):
    with pytest.raises(ValueError, match=said):
        cb.dummies(LABELS, measure, **options)
