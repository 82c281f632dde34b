"""Every measure of many classes against scikit-learn, on random and degenerate labels."""

import math
import warnings

import numpy as np
import pytest
from sklearn import metrics

import clearbar as cb
from clearbar.problems.multiclass.tables import Tables

pytestmark = pytest.mark.quick

AVERAGED = {"precision": metrics.precision_score, "recall": metrics.recall_score, "f1": metrics.f1_score,
            "jaccard": metrics.jaccard_score}  # fmt: skip


def with_zero(function, **more):
    return lambda t, p, labels, zero: function(t, p, labels=labels, zero_division=zero, **more)


def plain(function, **more):
    return lambda t, p, _labels, _zero: function(t, p, **more)


def recall_of(t, p, label):
    return np.mean(p[t == label] == label)


ORACLES = {
    "accuracy": plain(metrics.accuracy_score),
    "balanced_accuracy": plain(metrics.balanced_accuracy_score),
    "adjusted_balanced_accuracy": plain(metrics.balanced_accuracy_score, adjusted=True),
    "mcc": plain(metrics.matthews_corrcoef),
    "kappa": plain(metrics.cohen_kappa_score),
    "kappa_linear": lambda t, p, labels, _: metrics.cohen_kappa_score(t, p, labels=labels, weights="linear"),
    "kappa_quadratic": lambda t, p, labels, _: metrics.cohen_kappa_score(
        t, p, labels=labels, weights="quadratic"
    ),
    "zero_one_loss": plain(metrics.zero_one_loss),
    "hamming_loss": plain(metrics.hamming_loss),
    "g_mean": lambda t, p, _labels, _: math.prod(recall_of(t, p, one) for one in set(t))
    ** (1 / len(set(t))),
    "f1_of_averages": lambda t, p, labels, zero: _harmonic(
        *(AVERAGED[name](t, p, labels=labels, average="macro", zero_division=zero)
          for name in ("precision", "recall"))
    ),
    "fowlkes_mallows_macro": lambda t, p, labels, zero: np.mean([
        ((t == one) & (p == one)).sum() / math.sqrt((t == one).sum() * (p == one).sum())
        if (t == one).any() and (p == one).any() else zero for one in labels
    ]),
    "specificity_macro": lambda t, p, labels, zero: np.mean([
        metrics.recall_score(t != one, p != one, zero_division=zero) for one in labels
    ]),
    **{
        f"{name}_{way}": with_zero(function, average=way)
        for name, function in AVERAGED.items()
        for way in ("macro", "weighted")
    },
    **{
        f"{name}_micro": with_zero(function, average="micro") for name, function in AVERAGED.items()
    },
}  # fmt: skip


def _harmonic(precision, recall):
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def labels_and_predictions():
    rng = np.random.default_rng(3)
    for classes in (2, 3, 5):
        for samples in (7, 60):
            truth = rng.integers(classes, size=samples)
            yield truth, np.where(rng.random(samples) < 0.5, truth, rng.integers(classes, size=samples))
    yield np.array([0, 0, 1, 1, 2]), np.array([0, 0, 0, 0, 0])  # one class predicted
    yield np.array([0, 0, 1, 1]), np.array([0, 2, 1, 1])  # a class that does not occur is predicted
    yield np.array([0, 1, 2, 2]), np.array([1, 2, 0, 0])  # nothing is right


CASES = list(labels_and_predictions())


@pytest.mark.parametrize("zero", [0.0, 1.0])
@pytest.mark.parametrize("name", ORACLES)
def test_scikit_learn_agrees(name, zero):
    measure = cb.get_measure(name, "multiclass")
    for truth, predicted in CASES:
        labels = np.union1d(truth, predicted)
        table = Tables.of(cb.ConfusionMatrix.from_labels(truth, predicted))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = float(ORACLES[name](truth, predicted, labels, zero))
        value = float(measure(table, zero))
        if math.isnan(value):  # scikit-learn has 0 where a correlation has no value
            assert name == "mcc"
            assert expected == 0
        else:
            assert value == pytest.approx(expected, abs=1e-13), (truth, predicted)


def test_all_measures_are_held_against_something():
    others = {"gwet_ac1", "fbeta_micro", "fbeta_macro", "fbeta_weighted"}
    assert {m.name for m in cb.measures("multiclass")} - set(ORACLES) - others == {
        "top_2_accuracy",
        *(f"f2_{way}" for way in ("micro", "macro", "weighted")),
    }


@pytest.mark.parametrize("way", ["micro", "macro", "weighted"])
@pytest.mark.parametrize("beta", [0.5, 2])
def test_fbeta_is_scikit_learns(beta, way):
    measure = cb.get_measure(f"fbeta_{way}", "multiclass", beta=beta)
    assert measure == cb.get_measure(f"f{beta:g}_{way}", "multiclass")
    for truth, predicted in CASES:
        table = Tables.of(cb.ConfusionMatrix.from_labels(truth, predicted))
        expected = metrics.fbeta_score(truth, predicted, beta=beta, average=way, zero_division=0.0)
        assert float(measure(table)) == pytest.approx(expected, abs=1e-13)


def test_ac1_of_gwets_formula():
    # Gwet 2008, section 3: 30 subjects, pi = (0.5 * (12 + 15) / 30, ...).
    matrix = cb.ConfusionMatrix([[10, 1, 1], [3, 6, 1], [2, 1, 5]])
    shares = [(12 + 15) / 60, (10 + 8) / 60, (8 + 7) / 60]
    by_chance = sum(share * (1 - share) for share in shares) / 2
    expected = (21 / 30 - by_chance) / (1 - by_chance)
    assert float(cb.get_measure("ac1", "multiclass")(Tables.of(matrix))) == pytest.approx(expected)
