"""A way of combining folds is one object: a toy that reads the first fold alone goes through everything.

Its score is that of the first fold, its bar the bar of that fold, and p_value_blind that of a draw there.
"""

import json
import pickle

import numpy as np
import pandas as pd
import pytest

import clearbar as cb
from clearbar.cli import main
from clearbar.problems.folds import WAYS, Way
from clearbar.problems.folds.bars import mean_bar

pytestmark = pytest.mark.quick

Y = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1])
PREDICTED = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0])
FOLDS = np.repeat([1, 2], [10, 4])
FIRST = cb.Population(10, 4)
ONLY = "Of {folds} folds only the first is looked at."


def first_alone(total):
    return np.eye(len(total))[0]


FIRST_FOLD = Way(
    "first_fold",
    "in the first fold",
    {"binary": ONLY, "multiclass": ONLY, "scores": ONLY},
    mean_bar,
    weights=first_alone,
)


@pytest.fixture(autouse=True)
def _in_the_registry(monkeypatch):
    monkeypatch.setitem(WAYS, "first_fold", FIRST_FOLD)


@pytest.fixture
def card(_in_the_registry):
    return cb.evaluate_folds(Y, PREDICTED, FOLDS, ["f1", "mcc"], aggregate="first_fold")


def test_score_bar_and_p_value_are_those_of_the_object(card):
    f1, mcc = card
    assert f1.score == pytest.approx(8 / 9)
    assert mcc.score == pytest.approx((4 * 5 - 1 * 0) / (5 * 4 * 6 * 5) ** 0.5)
    assert f1.baseline.value == pytest.approx(cb.baseline(FIRST, "f1").value)
    assert f1.outcome == mcc.outcome == "clears"
    assert f1.p_value_blind == pytest.approx(6 / 252)  # all four positives among five of ten
    assert np.isnan(f1.p_value)
    assert "p_value is not known where folds are combined in this way" in f1.reason


def test_it_stands_beside_the_other_ways_and_every_door_knows_it(card, tmp_path, capsys):
    assert "Of 2 folds only the first is looked at." in str(card)
    assert pickle.loads(pickle.dumps(card)) == card  # noqa: S301 - our own
    assert card.all_ways()["first_fold"] == card
    pd.DataFrame({"y": Y, "m": PREDICTED, "fold": FOLDS}).to_csv(tmp_path / "folds.csv", index=False)
    options = ["--y-true", "y", "--y-pred", "m", "--fold", "fold", "--measure", "f1", "--json"]
    assert main(["evaluate", str(tmp_path / "folds.csv"), *options, "--aggregate", "first_fold"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["score"] == pytest.approx(card[0].score)
    with pytest.raises(ValueError, match=r"one of 'pooled', .*, 'first_fold'; found 'median'"):
        cb.evaluate_folds(Y, PREDICTED, FOLDS, "f1", aggregate="median")


def test_the_same_object_combines_scores_and_many_classes():
    scores, names = np.linspace(0, 1, 14) + 0.6 * Y, ["roc_auc", "average_precision"]
    card = cb.evaluate_scores(Y, scores, names, folds=FOLDS, aggregate="first_fold")
    for row, first in zip(card, cb.evaluate_scores(Y[:10], scores[:10], names), strict=True):
        assert (row.score, row.baseline.value) == pytest.approx((first.score, first.baseline.value))
        assert row.p_value_blind == pytest.approx(first.p_value_blind, abs=0.02)  # drawn
    y, predicted = Y + (np.arange(14) % 3 == 0), PREDICTED + (np.arange(14) % 3 == 0)
    row = cb.evaluate_folds(y, predicted, FOLDS, "f1_macro", aggregate="first_fold")[0]
    first = cb.evaluate_multiclass(y[:10], predicted[:10], "f1_macro")[0]
    assert (row.score, row.baseline.value) == pytest.approx((first.score, first.baseline.value))
