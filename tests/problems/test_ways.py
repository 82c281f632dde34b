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


def test_it_is_told_in_text_html_json_and_frames(card, tmp_path):
    assert "Of 2 folds only the first is looked at." in str(card)
    assert "does better on average, in the first fold" in card.explain("f1")
    card.to_html(tmp_path / "card.html")
    for page in ((tmp_path / "card.html").read_text("utf-8"), card._repr_html_()):
        assert "0.889" in page
        assert "only the first is looked at" in page
    assert json.loads(card.to_json())["rows"][0]["score"] == pytest.approx(8 / 9)
    assert card.to_frame()["bar"][0] == pytest.approx(4 / 7)
    assert pickle.loads(pickle.dumps(card)) == card  # noqa: S301 - our own


def test_it_stands_beside_the_other_ways_and_every_door_knows_it(card, tmp_path, capsys):
    assert card.all_ways()["first_fold"] == card
    assert "first_fold" in str(cb.evaluate_folds(Y, PREDICTED, FOLDS, "f1").all_ways())
    table = pd.DataFrame({"y": Y, "m": PREDICTED, "fold": FOLDS})
    framed = cb.evaluate_frame(table, "y", "m", fold="fold", measures=["f1", "mcc"], aggregate="first_fold")
    assert [row.score for row in framed] == [row.score for row in card]
    table.to_csv(tmp_path / "folds.csv", index=False)
    options = ["--y-true", "y", "--y-pred", "m", "--fold", "fold", "--aggregate", "first_fold", "--json"]
    assert main(["evaluate", str(tmp_path / "folds.csv"), *options]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert rows[0]["score"] == pytest.approx(
        cb.evaluate_folds(Y, PREDICTED, FOLDS, aggregate="first_fold")[0].score
    )


def test_a_name_that_is_none_lists_the_ways():
    with pytest.raises(ValueError, match=r"one of 'pooled', .*, 'first_fold'; found 'median'"):
        cb.evaluate_folds(Y, PREDICTED, FOLDS, "f1", aggregate="median")


def test_the_same_object_combines_scores():
    scores, names = np.linspace(0, 1, 14) + 0.6 * Y, ["roc_auc", "average_precision"]
    card = cb.evaluate_scores(Y, scores, names, folds=FOLDS, aggregate="first_fold")
    alone = cb.evaluate_scores(Y[:10], scores[:10], names)
    for row, first in zip(card, alone, strict=True):
        assert (row.score, row.baseline.value) == pytest.approx((first.score, first.baseline.value))
        assert row.p_value_blind == pytest.approx(first.p_value_blind)
        assert "p_value is not known where folds are combined in this way" in row.reason
    assert "only the first is looked at" in str(card)
    assert "only the first is looked at" in card._repr_html_()
    assert json.loads(card.to_json())["rows"][0]["score"] == pytest.approx(alone[0].score)
    with pytest.raises(ValueError, match="aggregate must be 'mean' or 'merged' or 'first_fold' for scores"):
        cb.evaluate_scores(Y, scores, "roc_auc", folds=FOLDS, aggregate="pooled")


def test_the_same_object_combines_many_classes():
    y, predicted = Y + (np.arange(14) % 3 == 0), PREDICTED + (np.arange(14) % 3 == 0)
    card = cb.evaluate_folds(y, predicted, FOLDS, "f1_macro", aggregate="first_fold")
    alone = cb.evaluate_multiclass(y[:10], predicted[:10], "f1_macro")
    assert (card[0].score, card[0].baseline.value) == pytest.approx((alone[0].score, alone[0].baseline.value))
    assert "only the first is looked at" in str(card)
