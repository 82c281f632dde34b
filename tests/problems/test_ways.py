"""A way of combining folds is one object: a toy that reads the first fold alone goes through everything.

Its score is that of the first fold, its bar the bar of that fold, and its law that of one draw there.
"""

import json
import pickle
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

import clearbar as cb
from clearbar.cli import main
from clearbar.problems._protocol import Tail
from clearbar.problems.combine import WAYS, Way
from clearbar.problems.scores import SCORE_WAYS, ScoreWay
from clearbar.problems.scores._folds import averaged_bar

pytestmark = pytest.mark.quick

Y = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1])
PREDICTED = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0])
FOLDS = np.repeat([1, 2], [10, 4])
FIRST = cb.Population(10, 4)


@dataclass(frozen=True)
class FirstFold(Way):
    """The first fold alone."""

    def score(self, measure, counts, undefined):  # noqa: ARG002 - what has no value stays without
        return np.asarray(measure(counts))[..., 0]

    def bar(self, folds):
        first = folds.bars(folds.undefined)[0]
        ends = first.best_possible, first.worst_value
        return folds.bar(self.words, first.value, *ends, first.attained_by, certified=first.certified)

    def chance(self, folds, draws, score):
        population = cb.Population(int(folds.total[0]), int(folds.positives[0]))
        tail = cb.Draw(population, int(draws[0])).distribution(folds.measure).tail(score)
        return Tail(tail, tail)

    def note(self, folds):
        return f"Of {folds} folds only the first is looked at."


FIRST_FOLD = FirstFold("first_fold", "in the first fold")


@pytest.fixture(autouse=True)
def _in_the_registry(monkeypatch):
    monkeypatch.setitem(WAYS, "first_fold", FIRST_FOLD)


@pytest.fixture
def card(_in_the_registry):
    return cb.evaluate_folds(Y, PREDICTED, FOLDS, ["f1", "mcc"], aggregate="first_fold")


def test_score_bar_and_law_are_those_of_the_object(card):
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


@dataclass(frozen=True)
class FirstFoldOfScores(ScoreWay):
    """The same toy for scores."""

    def parts(self, folds):
        return folds[:1]

    def bar(self, measure, total, positives):
        return averaged_bar(measure, total, positives, np.eye(len(total))[0], "Of the first fold.")

    def chance(self, measure, truth, scores, folds, score, seed=0):  # noqa: ARG002 - its own score
        tail = cb.evaluate_scores(truth[folds[0]], scores[folds[0]], measure)[0].p_value_blind
        return Tail(tail, tail)

    def notes(self, measures, names, total, positives):  # noqa: ARG002 - one sentence for all
        return [f"Of {len(names)} folds only the first is looked at."]


def test_a_way_for_scores_goes_through_everything_too(monkeypatch):
    monkeypatch.setitem(SCORE_WAYS, "first_fold", FirstFoldOfScores("first_fold"))
    scores = np.linspace(0, 1, 14) + 0.6 * Y
    card = cb.evaluate_scores(
        Y, scores, ["roc_auc", "average_precision"], folds=FOLDS, aggregate="first_fold"
    )
    alone = cb.evaluate_scores(Y[:10], scores[:10], ["roc_auc", "average_precision"])
    for row, first in zip(card, alone, strict=True):
        assert (row.score, row.baseline.value) == (first.score, first.baseline.value)
        assert row.p_value_blind == first.p_value_blind
        assert "p_value is not known where folds are combined in this way" in row.reason
    assert "only the first is looked at" in str(card)
    assert "only the first is looked at" in card._repr_html_()
    assert json.loads(card.to_json())["rows"][0]["score"] == alone[0].score
    with pytest.raises(ValueError, match="aggregate must be 'mean' or 'merged' or 'first_fold' for scores"):
        cb.evaluate_scores(Y, scores, "roc_auc", folds=FOLDS, aggregate="pooled")
