"""Cross-validated labels of more than two classes: pooled, averaged, refitted, in groups."""

import math
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GroupKFold
from sklearn.tree import DecisionTreeClassifier

import clearbar as cb
from clearbar.sklearn import cross_evaluate

RNG = np.random.default_rng(4)
TRUTH = RNG.choice(["a", "b", "c"], 120, p=[0.5, 0.3, 0.2])
GOOD = np.where(RNG.random(120) < 0.7, TRUTH, RNG.permutation(TRUTH))
BLIND = RNG.permutation(TRUTH)
FOLDS = np.arange(120) % 4
MEASURES = ["accuracy", "f1_macro", "f1_weighted", "kappa_quadratic"]


@pytest.fixture(scope="module")
def cards():
    return {
        way: cb.evaluate_folds(TRUTH, {"good": GOOD, "blind": BLIND}, FOLDS, MEASURES, aggregate=way)
        for way in ("pooled", "mean")
    }


def in_fold(truth, predicted, fold):
    """Return scikit-learn's scores of one fold, by the classes of all."""
    y, p = truth[fold], predicted[fold]
    labels = ["a", "b", "c"]
    return [
        metrics.accuracy_score(y, p),
        metrics.f1_score(y, p, average="macro", labels=labels, zero_division=0),
        metrics.f1_score(y, p, average="weighted", labels=labels, zero_division=0),
        metrics.cohen_kappa_score(y, p, weights="quadratic", labels=labels),
    ]


def test_pooled_scores_are_those_of_all_samples(cards):
    card = cards["pooled"]
    whole = cb.evaluate(TRUTH, {"good": GOOD, "blind": BLIND}, MEASURES)
    for column in ("score", "bar", "skill", "p_value"):
        np.testing.assert_array_equal(card.columns[column], whole.columns[column])
    assert "one test set" in card[0].reason
    assert card.compare("good", "blind", "f1_macro") == whole.compare("good", "blind", "f1_macro")


def test_mean_scores_are_means_of_folds(cards):
    card = cards["mean"]
    expected = [[in_fold(TRUTH, own, fold == FOLDS) for fold in range(4)] for own in (GOOD, BLIND)]
    np.testing.assert_allclose(card.fold_scores, expected, rtol=1e-12)
    np.testing.assert_allclose(card.columns["score"][:, 0], np.mean(expected, axis=1), rtol=1e-12)
    bars = [
        [
            float(cb.baseline_multiclass(TRUTH[fold == FOLDS], measure, labels=["a", "b", "c"]).value)
            for fold in range(4)
        ]
        for measure in MEASURES
    ]
    np.testing.assert_allclose(card.columns["bar"][0, 0], np.mean(bars, axis=1), rtol=1e-12)
    assert all(v.sure for v in card if v.model == "good")
    assert not any(v.sure for v in card if v.model == "blind")


def test_nothing_blind_beats_the_mean_bar():
    """Of two folds of three samples all pairs of predictions are tried, and all orders of the labels."""
    truth, folds = np.array([0, 0, 1, 0, 1, 2]), np.repeat([0, 1], 3)
    labels = [0, 1, 2]
    card = cb.evaluate_folds(truth, truth, folds, "f1_macro", aggregate="mean")
    best = 0.0
    for fold in (0, 1):
        orders = [list(own) for own in permutations(truth[folds == fold])]
        counts = [(a, b, 3 - a - b) for a in range(4) for b in range(4 - a)]
        best += max(
            np.mean(
                [
                    metrics.f1_score(
                        own, np.repeat(labels, x), average="macro", labels=labels, zero_division=0
                    )
                    for own in orders
                ]
            )
            for x in counts
        )
    assert float(card[0].baseline.value) == pytest.approx(best / 2, rel=1e-12)


def test_blind_p_values_permute_within_folds():
    """Eight samples in two folds: all 4! x 4! orders are counted."""
    truth, predicted = np.array([0, 0, 1, 2, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 0, 1, 2, 2])
    folds = np.repeat([0, 1], 4)
    for way in ("pooled", "mean"):
        card = cb.evaluate_folds(truth, predicted, folds, "f1_macro", aggregate=way)
        reached = []
        for first in permutations(truth[:4]):
            for second in permutations(truth[4:]):
                own = np.array([*first, *second])
                parts = [slice(None)] if way == "pooled" else [slice(0, 4), slice(4, 8)]
                score = _macro_f1(own, predicted, parts)
                reached.append(score >= card[0].score - 1e-12)
        share = np.mean(reached)
        assert card[0].p_value_blind == pytest.approx(share, abs=5 * math.sqrt(share / 9_999))


def _macro_f1(truth, predicted, parts):
    values = []
    for part in parts:
        y, p = truth[part], predicted[part]
        hits, both = (
            [np.count_nonzero((y == k) & (p == k)) for k in range(3)],
            [np.count_nonzero(y == k) + np.count_nonzero(p == k) for k in range(3)],
        )
        values.append(np.mean([2 * h / max(n, 1) for h, n in zip(hits, both, strict=True)]))
    return np.mean(values)


def test_tables_of_folds_and_both_ways(cards):
    card = cards["pooled"]
    lines = card.fold_table("accuracy", "good").to_text().splitlines()
    assert lines[0].split() == ["fold", "samples", "right", "accuracy"]
    assert len(lines) == 5
    ways = card.all_ways()
    assert list(ways) == ["pooled", "mean"]
    np.testing.assert_allclose(ways["mean"].columns["score"], cards["mean"].columns["score"])
    assert card.fold_counts[0][0] == cb.ConfusionMatrix.from_labels(
        TRUTH[FOLDS == 0], GOOD[FOLDS == 0], labels=["a", "b", "c"]
    )
    for text in (str(card), str(ways), card.to_json(), repr(card), card.explain("f1_macro", "good")):
        assert text


def test_folds_from_matrices_and_tables(cards):
    matrices = {
        name: [
            cb.ConfusionMatrix.from_labels(TRUTH[k == FOLDS], own[k == FOLDS], labels=["a", "b", "c"])
            for k in range(4)
        ]
        for name, own in (("good", GOOD), ("blind", BLIND))
    }
    card = cb.evaluate_fold_counts(matrices, MEASURES, folds=range(4), aggregate="mean")
    assert card == cards["mean"]
    frame = pd.DataFrame({"y": TRUTH, "good": GOOD, "blind": BLIND, "fold": FOLDS})
    assert card == cb.evaluate_frame(
        frame, "y", ["good", "blind"], fold="fold", measures=MEASURES, aggregate="mean"
    )


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
        (
            {"aggregate": "precision_recall", "measures": "kappa_linear"},
            "'pooled' or 'mean' for more than two",
        ),
        ({"fold_aware": True}, "fold_aware=True is for two classes"),
        ({"pos_label": "a"}, "leave out pos_label and judge all classes"),
        ({"pos_label": "a", "measures": "kappa_linear"}, "pos_label='a' is for labels of two classes"),
        ({"undefined": 0.0}, "undefined is for two classes"),
        ({"measures": "f1"}, "name f1_micro, f1_macro or f1_weighted"),
    ],
)
def test_what_makes_no_sense_is_a_sentence(options, said):
    with pytest.raises(ValueError, match=said):
        cb.evaluate_folds(TRUTH, GOOD, FOLDS, **options)


def test_matrices_of_other_folds_are_refused():
    table = cb.ConfusionMatrix([[3, 1, 0], [0, 2, 1], [0, 0, 2]])
    other = cb.ConfusionMatrix([[3, 0, 0], [0, 3, 1], [0, 0, 2]])
    with pytest.raises(ValueError, match="list of a ConfusionMatrix for each"):
        cb.evaluate_fold_counts({"a": table})
    with pytest.raises(ValueError, match="class sizes of 'b' differ"):
        cb.evaluate_fold_counts({"a": [table, table], "b": [table, other]})
    with pytest.raises(ValueError, match="must hold ConfusionMatrix objects"):
        cb.evaluate_fold_counts([table, cb.Counts(tp=1, fp=1, fn=1, tn=1)])


X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]


def test_cross_evaluate_sees_more_than_two_classes():
    models = {"tree": DecisionTreeClassifier(max_depth=2, random_state=0), "dummy": DummyClassifier()}
    card = cross_evaluate(models, X, NAMES, measures=["accuracy", "f1_macro"])
    tree, _, dummy, _ = card
    assert tree.sure
    assert dummy.outcome == "ties"
    assert len(card.folds) == 5
    same = cross_evaluate(models, X, NAMES, measures=["accuracy", "f1_macro"], aggregate="mean")
    np.testing.assert_allclose(same.columns["score"][:, 0], card.fold_scores.mean(axis=1))
    refitted = cross_evaluate(models["tree"], X, NAMES, measures="f1_macro", permutations=19)
    assert refitted[0].p_value_blind == pytest.approx(1 / 20)


def test_cross_evaluate_takes_groups():
    clusters = RNG.permutation(np.arange(150) // 3)
    card = cross_evaluate(
        DecisionTreeClassifier(max_depth=2), X, NAMES, measures="f1_macro", clusters=clusters
    )
    assert "sides of a split" in card[0].reason
    from sklearn.model_selection import StratifiedGroupKFold

    for way in ("pooled", "mean"):
        card = cross_evaluate(
            DecisionTreeClassifier(max_depth=2, random_state=0),
            X,
            NAMES,
            measures=["f1_macro", "kappa_linear"],
            groups=clusters,
            cv=StratifiedGroupKFold(3),
            aggregate=way,
        )
        assert card[0].sure
        assert "permutations of whole groups" in card[0].reason


def test_cross_evaluate_refuses_what_needs_two_classes():
    with pytest.raises(ValueError, match="three labels"):
        cross_evaluate(DecisionTreeClassifier(), X, NAMES, measures="roc_auc")
    with pytest.raises(ValueError, match="only"):
        cross_evaluate(DecisionTreeClassifier(), X, ["a"] * 150, measures="kappa_linear")


ALL_RIGHT = np.repeat(["a", "b", "c"], [60, 40, 25])
SPLITS = np.array([(i, j, 40 - i - j) for i in range(41) for j in range(41 - i)]) / 40
UNSEEN = 1 - 0.025 ** (SPLITS / [60, 40, 25])
"""Shares of the classes that fail, of which no fold shows any with a probability of 0.025."""


@pytest.fixture(scope="module")
def all_right():
    names = ["accuracy", "balanced_accuracy", "f1_macro", "precision_macro", "zero_one_loss"]
    card = cb.evaluate_folds(ALL_RIGHT, ALL_RIGHT, np.arange(125) % 5, names, aggregate="mean")
    return {verdict.measure.name: verdict for verdict in card}


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
    lost = UNSEEN * sizes
    worst = []
    for step in (1, 2):
        predicted = sizes - lost + np.roll(lost, step, axis=1)
        hits = sizes - lost
        share = hits / predicted if name == "precision_macro" else 2 * hits / (sizes + predicted)
        worst.append(share.mean(axis=1).min())
    assert all_right[name].low == pytest.approx(min(worst), abs=0.006)


def test_folds_of_groups_that_are_all_right_tell_nothing():
    codes = np.searchsorted(["a", "b", "c"], ALL_RIGHT)
    card = cross_evaluate(
        DecisionTreeClassifier(random_state=0), codes[:, None], codes, cv=GroupKFold(5),
        groups=np.random.default_rng(0).permutation(125) // 5, measures="f1_macro", aggregate="mean",
    )  # fmt: skip
    assert card[0].score == 1
    assert np.isnan(card[0].p_value)
