"""P-values from refits to shuffled labels: right for every learner, splitter and way of combining."""

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score
from sklearn.model_selection import KFold, LeaveOneOut, ShuffleSplit, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from clearbar.sklearn import _refits as refits
from clearbar.sklearn import cross_evaluate

GENERATOR = np.random.default_rng(5)
Y = (GENERATOR.random(60) < 0.4).astype(int)
X = GENERATOR.normal(size=(60, 2)) + 0.9 * Y[:, None]
NOISE = GENERATOR.normal(size=(60, 2))
STUMP = DecisionTreeClassifier(max_depth=1, random_state=0)


class Minority(ClassifierMixin, BaseEstimator):
    """Answers with the rarer label of the training set, whatever the features."""

    def fit(self, X, y):  # noqa: ARG002 - the signature of an estimator
        self.classes_, sizes = np.unique(y, return_counts=True)
        self.rarer_ = self.classes_[np.argmin(sizes)]
        return self

    def predict(self, X):
        return np.full(len(X), self.rarer_)


def test_p_is_the_share_of_shuffles_that_do_as_well_the_data_themselves_counted_in():
    folds = KFold(3)
    options = {"measures": "accuracy", "permutations": 29, "random_state": 3}
    (row,) = cross_evaluate(GaussianNB(), X, Y, cv=folds, **options)
    order = refits.orders(60, 3)

    def score(y):
        return accuracy_score(y, cross_val_predict(GaussianNB(), X, y, cv=folds))

    as_good = sum(score(Y[order(at)]) >= score(Y) for at in range(29))
    assert as_good < refits.stops_at(29, 0.05)
    assert row.p_value_blind == pytest.approx((as_good + 1) / 30, rel=1e-15)
    assert row.reason.count("p_value_blind") == 0


def test_all_models_and_measures_are_judged_by_the_same_shuffles_whoever_is_judged_with_them():
    models = {"bayes": GaussianNB(), "stump": STUMP, "noise": DummyClassifier(strategy="prior")}
    options = {"cv": StratifiedKFold(2), "permutations": 19}
    card = cross_evaluate(models, X, Y, measures=["accuracy", "mcc", "error_rate"], **options)
    together = {(row.model, row.measure.name): row.p_value_blind for row in card}
    for name, model in models.items():
        alone = cross_evaluate(model, X, Y, measures="accuracy", **options)[0].p_value_blind
        assert together[name, "accuracy"] == together[name, "error_rate"] == alone
    assert np.isnan(together["noise", "mcc"])


@pytest.mark.slow
def test_neither_processes_nor_threads_change_a_result_and_another_seed_does():
    options = {"cv": ShuffleSplit(2, random_state=0), "measures": ["f1", "mcc"], "permutations": 25}
    models = {"signal": GaussianNB(), "stump": STUMP}
    for features in (X, NOISE):
        alone = cross_evaluate(models, features, Y, **options)
        with parallel_config(backend="threading"):
            assert cross_evaluate(models, features, Y, n_jobs=3, **options) == alone
    assert cross_evaluate(models, NOISE, Y, n_jobs=2, **options) == alone
    other = cross_evaluate(models, NOISE, Y, random_state=1, **options)
    assert [row.p_value_blind for row in other] != [row.p_value_blind for row in alone]


def test_stopping_early_decides_as_all_shuffles_would():
    generator = np.random.default_rng(0)
    for total in (19, 99, 199, 999):
        for alpha in (0.01, 0.05, 0.1):
            stop = refits.stops_at(total, alpha)
            chances = generator.random(60) ** 3
            reached = generator.random((total, 60)) < chances
            full = (reached.sum(axis=0) + 1) / (total + 1)
            found = refits.p_values(reached, total, stop)
            np.testing.assert_array_equal(found <= alpha, full <= alpha)
            kept = reached.sum(axis=0) < stop
            np.testing.assert_array_equal(found[kept], full[kept])


@pytest.mark.parametrize("chance", [0.03, 0.2, 0.7])
def test_sequential_p_values_are_valid_whatever_the_level(chance):
    """P(p <= u) <= u where the data are one more shuffle: uniform ranks, by enumeration of many."""
    generator = np.random.default_rng(2)
    values = generator.random((100, 20_000))
    found = refits.p_values(values[1:] >= values[0], 99, 10)
    assert np.mean(found <= chance) <= chance + 3 * np.sqrt(chance * (1 - chance) / 20_000)


@pytest.mark.parametrize("positives", [3, 6, 9])
def test_the_leave_one_out_trickster_is_never_better_than_its_refits(positives):
    """What it scores depends on the class sizes alone, which no shuffle changes: p is always 1."""
    y = np.random.default_rng(positives).permutation(np.repeat([0, 1], [12 - positives, positives]))
    card = cross_evaluate(
        Minority(), np.zeros((12, 1)), y, cv=LeaveOneOut(), measures=["accuracy", "f1"], permutations=19
    )
    assert [row.p_value_blind for row in card] == [1.0, 1.0]
    as_given = cross_evaluate(Minority(), np.zeros((12, 1)), y, cv=LeaveOneOut(), measures="accuracy")
    assert (as_given[0].score == 1.0) == (positives == 6)
    assert any("a learner that saw the labels of the other folds" in note for note in as_given.notes)


def test_a_shuffle_whose_training_set_holds_one_class_counts_as_good():
    y = np.zeros(20, dtype=int)
    y[[0, 10]] = 1
    x = 3.0 * y[:, None]
    halves = [(np.arange(10), np.arange(10, 20)), (np.arange(10, 20), np.arange(10))]
    row = cross_evaluate(KNeighborsClassifier(1), x, y, cv=halves, measures="accuracy", permutations=19)[0]
    order = refits.orders(20, 0)
    lost = [y[order(at)][:10].sum() != 1 for at in range(19)]
    stopped = np.flatnonzero(np.cumsum(lost) == 10)
    assert row.score == 1.0
    assert row.p_value_blind >= (10 / (stopped[0] + 1) if stopped.size else (sum(lost) + 1) / 20)
