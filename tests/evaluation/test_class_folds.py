"""Cross-validated labels of more than two classes: pooled, averaged, refitted, in groups."""

import math
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

import clearbar as cb
from clearbar.sklearn import cross_evaluate

RNG = np.random.default_rng(4)
TRUTH = RNG.choice(["a", "b", "c"], 120, p=[0.5, 0.3, 0.2])
GOOD = np.where(RNG.random(120) < 0.7, TRUTH, RNG.permutation(TRUTH))
BLIND = RNG.permutation(TRUTH)
FOLDS = np.arange(120) % 4


CLASSES = ["a", "b", "c"]


def in_classes(function, **more):
    """A score of scikit-learn by the classes of all folds, whichever a fold holds."""
    return lambda y, p: function(y, p, labels=CLASSES, **more)


MEASURES = {
    "accuracy": metrics.accuracy_score,
    "f1_macro": in_classes(metrics.f1_score, average="macro", zero_division=0),
    "f1_weighted": in_classes(metrics.f1_score, average="weighted", zero_division=0),
    "kappa_quadratic": in_classes(metrics.cohen_kappa_score, weights="quadratic"),
}
NAMES = list(MEASURES)


@pytest.fixture(scope="module")
def cards():
    return {
        way: cb.evaluate_folds(TRUTH, {"good": GOOD, "blind": BLIND}, FOLDS, NAMES, aggregate=way)
        for way in ("pooled", "mean")
    }


def test_mean_scores_are_means_of_folds(cards):
    card, folds = cards["mean"], [fold == FOLDS for fold in range(4)]
    expected = [
        [[score(TRUTH[fold], own[fold]) for score in MEASURES.values()] for fold in folds]
        for own in (GOOD, BLIND)
    ]
    np.testing.assert_allclose(card.fold_scores, expected, rtol=1e-12)
    np.testing.assert_allclose(card.columns["score"][:, 0], np.mean(expected, axis=1), rtol=1e-12)
    bars = [
        [cb.baseline_multiclass(TRUTH[fold], name, labels=CLASSES).value for fold in folds] for name in NAMES
    ]
    np.testing.assert_allclose(card.columns["bar"][0, 0], np.mean(bars, axis=1), rtol=1e-12)
    assert all(v.sure == (v.model == "good") for v in card)


def test_nothing_blind_beats_the_mean_bar():
    """Of two folds of three samples all pairs of predictions are tried, and all orders of the labels."""
    truth, folds = np.array([0, 0, 1, 0, 1, 2]), np.repeat([0, 1], 3)
    card = cb.evaluate_folds(truth, truth, folds, "f1_macro", aggregate="mean")
    counts = [(a, b, 3 - a - b) for a in range(4) for b in range(4 - a)]
    best = [
        max(
            np.mean([macro_f1(np.array(own), np.repeat([0, 1, 2], x)) for own in permutations(part)])
            for x in counts
        )
        for part in (truth[:3], truth[3:])
    ]
    assert card[0].baseline.value == pytest.approx(np.mean(best), rel=1e-12)


def macro_f1(truth, predicted):
    return np.mean(
        [
            2 * np.sum((truth == k) & (predicted == k)) / max(1, np.sum(truth == k) + np.sum(predicted == k))
            for k in range(3)
        ]
    )


def test_folds_from_matrices_and_tables(cards):
    matrices = {
        name: [
            cb.ConfusionMatrix.from_labels(TRUTH[k == FOLDS], own[k == FOLDS], labels=CLASSES)
            for k in range(4)
        ]
        for name, own in (("good", GOOD), ("blind", BLIND))
    }
    assert cards["pooled"].fold_counts[0][0] == matrices["good"][0]
    card = cb.evaluate_fold_counts(matrices, NAMES, folds=range(4), aggregate="mean")
    frame = pd.DataFrame({"y": TRUTH, "good": GOOD, "blind": BLIND, "fold": FOLDS})
    table = cb.evaluate_frame(frame, "y", ["good", "blind"], fold="fold", measures=NAMES, aggregate="mean")
    assert card == cards["mean"] == table


def test_a_fold_without_a_value_leaves_no_mean():
    truth = np.array(["a", "a", "b", "c", "b", "a"])
    card = cb.evaluate_folds(truth, truth, [0, 0, 1, 1, 1, 1], ["mcc", "f1_macro"], aggregate="mean")
    assert math.isnan(card[0].score)
    assert "MCC has no value in fold 0" in card[0].reason
    assert card[0].baseline.reason == "MCC has no bar in fold 0: only one class occurs"
    assert card.undefined_folds[0].fold == 0
    assert card[1].outcome == "clears"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"aggregate": "precision_recall", "measures": "kappa_linear"}, "'pooled' or 'mean' for more"),
        ({"fold_aware": True}, "fold_aware=True is for two classes"),
        ({"pos_label": "a"}, "leave out pos_label and judge all classes"),
        ({"undefined": 0.0}, "undefined is for two classes"),
        ({"measures": "f1"}, "name f1_micro, f1_macro or f1_weighted"),
    ],
)
def test_what_makes_no_sense_is_a_sentence(options, said):
    with pytest.raises(ValueError, match=said):
        cb.evaluate_folds(TRUTH, GOOD, FOLDS, **options)


X, Y = load_iris(return_X_y=True)
SPECIES = np.array(["setosa", "versicolor", "virginica"])[Y]


TREE = DecisionTreeClassifier(max_depth=2, random_state=0)


def test_cross_evaluate_sees_more_than_two_classes():
    models = {"tree": TREE, "dummy": DummyClassifier()}
    card = cross_evaluate(models, X, SPECIES, measures=["accuracy", "f1_macro"])
    tree, _, dummy, _ = card
    assert tree.sure
    assert dummy.outcome == "ties"
    assert len(card.folds) == 5
    same = cross_evaluate(models, X, SPECIES, measures=["accuracy", "f1_macro"], aggregate="mean")
    np.testing.assert_allclose(same.columns["score"][:, 0], card.fold_scores.mean(axis=1))
    refitted = cross_evaluate(TREE, X, SPECIES, measures="f1_macro", permutations=19)
    assert refitted[0].p_value_blind == pytest.approx(1 / 20)


ALL_RIGHT = np.repeat(["a", "b", "c"], [60, 40, 25])
SPLITS = np.array([(i, j, 40 - i - j) for i in range(41) for j in range(41 - i)]) / 40
UNSEEN = 1 - 0.025 ** (SPLITS / [60, 40, 25])
"""Shares of the classes that fail, of which no fold shows any with a probability of 0.025."""


@pytest.fixture(scope="module")
def all_right():
    names = ["accuracy", "balanced_accuracy", "f1_macro", "precision_macro", "zero_one_loss"]
    card = cb.evaluate_folds(ALL_RIGHT, ALL_RIGHT, np.arange(125) % 5, names, aggregate="mean")
    return dict(zip(names, card, strict=True))


def test_folds_that_are_all_right_suppose_failures_that_were_not_seen(all_right):
    assert all_right["accuracy"].low == pytest.approx(0.025 ** (1 / 125), abs=1e-9)
    assert all_right["zero_one_loss"].high == pytest.approx(1 - 0.025 ** (1 / 125), abs=1e-9)
    assert all_right["balanced_accuracy"].low == pytest.approx(1 - UNSEEN.mean(axis=1).max(), abs=1e-5)
    for verdict in all_right.values():
        assert verdict.sure
        assert verdict.p_value == pytest.approx(2e-4, abs=1e-4)
        assert "failures that were not seen" in verdict.reason


@pytest.mark.parametrize("name", ["f1_macro", "precision_macro"])
def test_failures_unseen_are_called_whatever_class_that_harms_most(all_right, name):
    """Against all splits of what is unseen, each class called the next one or the one after it."""
    sizes = np.array([60.0, 40.0, 25.0])
    lost, worst = UNSEEN * sizes, []
    for step in (1, 2):
        hits = sizes - lost
        predicted = hits + np.roll(lost, step, axis=1)
        share = hits / predicted if name == "precision_macro" else 2 * hits / (sizes + predicted)
        worst.append(share.mean(axis=1).min())
    assert all_right[name].low == pytest.approx(min(worst), abs=0.006)
