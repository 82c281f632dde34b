"""Samples that belong together in cross-validation: whole groups are resampled, permuted and shuffled."""

import itertools

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GroupKFold, KFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

import clearbar as cb
from clearbar.sklearn import cross_evaluate

Y = np.array([1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 1])
LABELS = np.array([1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 1, 0])
SCORES = np.array([0.9, 0.7, 0.2, 0.6, 0.3, 0.65, 0.8, 0.1, 0.4, 0.3, 0.75, 0.2])
PAIRS = np.repeat(np.arange(6), 2)
X = np.column_stack([LABELS, SCORES])
THIRDS = GroupKFold(3)
FOLD = np.empty(12, dtype=int)
for number, (_, test) in enumerate(THIRDS.split(X, Y, PAIRS)):
    FOLD[test] = number


class Told(ClassifierMixin, BaseEstimator):
    """Predicts what the features say, and learns nothing."""

    def fit(self, X, y):  # noqa: ARG002 - the signature of an estimator
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X):
        return X[:, 0].astype(int)

    def decision_function(self, X):
        return X[:, 1]


def every_order():
    """Yield the labels of all ways in which the six pairs trade places."""
    return (Y.reshape(6, 2)[list(order)].ravel() for order in itertools.permutations(range(6)))


def f1(y, said):
    return 2 * np.sum(y & said) / max(y.sum() + said.sum(), 1)


def auc(y, scores):
    above = scores[y == 1][:, None] - scores[y == 0]
    return np.mean((above > 0) + (above == 0) / 2)


def mean_f1(y):
    return np.mean([f1(y[fold == FOLD], LABELS[fold == FOLD]) for fold in range(3)])


def mean_auc(y):
    folds = [fold for fold in range(3) if 0 < y[fold == FOLD].sum() < 4]
    return np.mean([auc(y[fold == FOLD], SCORES[fold == FOLD]) for fold in folds])


@pytest.mark.parametrize(
    ("measure", "aggregate", "statistic"),
    [
        ("f1", "pooled", lambda y: f1(y, LABELS)),
        ("f1", "mean", mean_f1),
        ("roc_auc", "mean", mean_auc),
        ("roc_auc", "merged", lambda y: auc(y, SCORES)),
    ],
)
def test_p_value_blind_is_what_trying_every_order_of_the_groups_gives(measure, aggregate, statistic):
    card = cross_evaluate(Told(), X, Y, cv=THIRDS, groups=PAIRS, measures=measure, aggregate=aggregate)
    exact = np.mean([statistic(y) >= statistic(Y) - 1e-12 for y in every_order()])
    assert card[0].score == pytest.approx(statistic(Y))
    assert card[0].p_value_blind == pytest.approx(exact, rel=1e-12)
    assert card[0].p_blind_method == "exact"
    assert "Whole groups are taken for independent: 6 groups of 12 samples." in card.notes


def test_pooled_intervals_resample_groups_as_evaluate_does():
    measures = ["accuracy", "f1"]
    card = cross_evaluate(Told(), X, Y, cv=THIRDS, groups=PAIRS, measures=measures)
    order = np.argsort(FOLD, kind="stable")
    whole = cb.evaluate(Y[order], LABELS[order], measures, clusters=PAIRS[order])
    for row, other in zip(card, whole, strict=True):
        assert (row.low, row.high, row.p_value) == (other.low, other.high, other.p_value)
    alone = cross_evaluate(Told(), X, Y, cv=THIRDS, groups=PAIRS, clusters=False, measures=measures)
    plain = cb.evaluate(Y, LABELS, measures)
    assert [row.p_value for row in alone] == [row.p_value for row in plain]
    assert not any("Whole groups" in note for note in alone.notes)


@pytest.mark.parametrize("measure", ["f1", "roc_auc"])
def test_a_mean_over_folds_of_whole_groups_keeps_its_test_and_one_of_torn_groups_has_none(measure):
    options = {"measures": measure, "aggregate": "mean"}
    whole = cross_evaluate(Told(), X, Y, cv=THIRDS, groups=PAIRS, **options)
    alone = cross_evaluate(Told(), X, Y, cv=THIRDS, groups=PAIRS, clusters=False, **options)
    assert (whole[0].low, whole[0].high) == (alone[0].low, alone[0].high)
    assert not any("on both sides" in note for note in whole.notes)
    halves = KFold(4, shuffle=True, random_state=0)
    torn = cross_evaluate(Told(), X, Y, cv=halves, clusters=PAIRS, **options)
    assert any("In some splits a group has samples on both sides" in note for note in torn.notes)
    assert np.isnan([torn[0].p_value, torn[0].p_value_blind, torn[0].low, torn[0].high]).all()
    assert "p_value is not known where groups lie on both sides of a split" in torn[0].reason
    assert not torn[0].sure


def test_refits_shuffle_the_labels_of_whole_groups():
    generator = np.random.default_rng(4)
    groups = np.repeat(np.arange(20), 3)
    y = np.repeat(generator.permutation(np.repeat([0, 1], 10)), 3)
    x = np.repeat(generator.normal(size=(20, 2)), 3, axis=0) + 0.7 * y[:, None]
    folds = GroupKFold(4)
    options = {"cv": folds, "groups": groups, "permutations": 19, "random_state": 1}
    card = cross_evaluate(GaussianNB(), x, y, measures="accuracy", **options)
    seen = []

    class Watching(GaussianNB):
        def fit(self, X, y):
            seen.append(y)
            return super().fit(X, y)

    cross_evaluate(Watching(), x, y, measures="mcc", **options)
    assert all(len(set(labels[at : at + 3])) == 1 for labels in seen for at in range(0, len(labels), 3))
    score = accuracy_score(y, cross_val_predict(GaussianNB(), x, y, cv=folds, groups=groups))
    assert card[0].score == pytest.approx(score)
    assert (20 * card[0].p_value_blind) == pytest.approx(round(20 * card[0].p_value_blind))
    assert any("whole groups traded places" in note for note in card.notes)


def test_groups_that_cannot_trade_places_leave_p_value_blind_unknown():
    sizes = np.repeat(np.arange(4), [2, 3, 1, 6])  # four of different sizes, those of the splitter
    for tries in (0, 19):
        card = cross_evaluate(Told(), X, Y, cv=GroupKFold(2), groups=sizes, measures="f1", permutations=tries)
        assert np.isnan(card[0].p_value_blind)
        assert "p_value_blind is not known: it takes at least 5 groups, and there are 4" in card[0].reason
    uneven = np.repeat(np.arange(5), [1, 2, 3, 2, 4])
    card = cross_evaluate(Told(), X, Y, cv=GroupKFold(2), groups=uneven, measures="f1", permutations=19)
    assert "of 5 groups only 2 share their size with another" in card[0].reason
