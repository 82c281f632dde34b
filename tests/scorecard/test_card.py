"""A scorecard as a value: rows, filters, the worst, comparisons."""

import copy
import dataclasses
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

import clearbar as cb

pytestmark = pytest.mark.quick


def test_rows_come_in_the_order_model_group_measure(sliced):
    rows = list(sliced)
    assert len(rows) == len(sliced) == 3 * 4 * 2
    assert [(v.model, v.group, v.measure.name) for v in rows[:9]] == [
        *(("tree", group, name) for group in (None, "north", "south", "west") for name in ("f1", "mcc")),
        ("knn", None, "f1"),
    ]  # fmt: skip
    assert [v.score for v in rows] == sliced.columns["score"].reshape(-1).tolist()


def test_a_row_holds_the_numbers_of_its_place(card):
    verdict = card[0]
    assert verdict.counts == cb.Counts(tp=35, fp=10, fn=21, tn=45)
    assert verdict.score == pytest.approx(70 / 101)
    assert verdict.baseline == cb.baseline(cb.Population(111, 56), "f1")
    assert verdict.outcome == "clears"
    assert card[-1].model == "forest"
    assert [v.measure.name for v in card[:2]] == ["f1", "threat_score"]
    assert card[np.int64(1)] == card[1]


def test_a_card_is_indexed_by_the_numbers_of_its_rows(card):
    for index in (18, -19):
        with pytest.raises(IndexError, match="this scorecard has 18 rows"):
            card[index]
    with pytest.raises(TypeError, match=r"indexed by the number of a row, or a range of them; found 'f1'"):
        card["f1"]


def test_a_scorecard_cannot_be_changed(card):
    with pytest.raises(dataclasses.FrozenInstanceError):
        card.models = ()
    with pytest.raises(ValueError, match="read-only"):
        card.columns["score"][0] = 1
    with pytest.raises(TypeError):
        card.columns["score"] = None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: {"models": ("tree", "knn")}, r"columns\['score'\] must have shape \(2, 1, 6\)"),
        (lambda _: {"models": ("tree", "tree", "knn")}, "different names"),
        (lambda c: {"counts": c.counts[:1]}, r"counts must have shape \(3, 1\)"),
        (lambda c: {"baselines": c.baselines[:1]}, r"one per measure \(6\)"),
        (lambda c: {"columns": {"score": c.columns["score"]}}, "columns lacks 'bar'"),
        (
            lambda _: {"counts": cb.Counts(tp=[[35], [34], [32]], fp=10, fn=[[21], [22], [25]], tn=45)},
            "class sizes differ",
        ),
    ],
)
def test_parts_that_do_not_fit_are_refused(card, change, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(card, **change(card))


def test_failing_are_the_rows_that_fail(card):
    assert [(v.model, v.measure.name) for v in card.failing] == [("forest", "f1"), ("forest", "threat_score")]
    assert pickle.loads(pickle.dumps(card.failing)) == card.failing == tuple(card.failing)  # noqa: S301
    assert card.failing[:1] == (card.failing[0],)
    assert repr(card.failing).splitlines() == [str(verdict) for verdict in card.failing]
    many = cb.evaluate_counts(cb.Counts(tp=[1] * 30, fp=[5] * 30, fn=[9] * 30, tn=[5] * 30), "mcc").failing
    assert (len(many), len(repr(many).splitlines())) == (30, 11)


def test_the_worst_rows_come_first_and_the_whole_is_no_slice(sliced):
    for name in ("f1", "mcc"):
        every = sorted(v.skill for v in sliced if v.group is not None and v.measure.name == name)
        assert [v.skill for v in sliced.worst(5, measure=name)] == every[:5]
    assert sliced.worst(1000) == sliced.worst(1000, measure="f1")
    assert len(sliced.worst(1000)) == 9
    assert sliced.worst(0) == ()


def test_the_worst_leave_out_small_slices_and_rows_that_cannot_be_judged():
    counts = cb.Counts(tp=[10, 0, 2], fp=[5, 3, 9], fn=[5, 0, 8], tn=[10, 4, 1])
    card = cb.evaluate_counts(counts, "mcc", groups=["a", "empty", "c"])
    assert [v.group for v in card.worst(3)] == ["c", "a"]
    assert [v.group for v in card.worst(3, min_support=21)] == ["a"]
    nothing_else = cb.evaluate_counts(counts[1:2], "mcc", groups=["empty"])
    assert math.isnan(nothing_else.worst(3)[0].skill)
    for refused in ({"n": -1}, {"n": 1, "min_support": -1}):
        with pytest.raises(ValueError, match=f"{list(refused)[-1]} must be a whole number from 0 up"):
            card.worst(**refused)


def test_rows_with_a_bar_that_cannot_be_beaten_have_a_reason_and_are_no_worst():
    counts = cb.Counts(tp=[10, 8], fp=[0, 2], fn=[0, 2], tn=[0, 8])
    card = cb.evaluate_counts(counts, ["recall", "f1"], groups=["a", "b"])
    assert [v.outcome for v in card] == ["unbeatable", "unbeatable", "unbeatable", "clears"]
    said = "the bar already is the best possible score, so nothing can clear it"
    assert {v.reason for v in card[:3]} == {said} == {card.to_dict()["rows"][0]["reason"]}
    assert [(v.group, v.measure.name) for v in card.worst(4)] == [("b", "f1")]


def test_clears_asks_every_row_that_matches(card, sliced):
    assert card.clears("f1", "tree", alpha=None)
    assert not card.clears("f1", "tree")  # p = 0.71, and more for one model of three
    assert not card.clears("F-score", alpha=None)  # forest fails
    assert card.clears("Matthews corrcoef", alpha=None)
    assert not card.clears("Matthews corrcoef")  # forest is not sure
    assert card.clears("Matthews corrcoef", "tree")
    assert not card.clears("recall", "tree", alpha=None)  # cannot be beaten, so nothing clears it
    assert sliced.clears("mcc", group="north") == all(
        v.sure for v in sliced if v.group == "north" and v.measure.name == "mcc"
    )
    mine = cb.Measure("hits minus alarms", lambda tp, fp, *_: tp - fp, greater_is_better=True)
    own = cb.evaluate_counts(cb.Counts(tp=14, fp=3, fn=4, tn=10), mine)
    assert own.clears("hits minus alarms") == own.clears(mine) == own[0].sure


def test_a_card_with_nothing_to_judge_clears_nothing_and_only_intervals_false_refuses_to_say():
    nothing = cb.evaluate_counts(cb.Counts(tp=0, fp=0, fn=5, tn=6), "mcc")
    assert np.isnan(nothing.columns["p_value"]).all()
    assert not nothing.clears()
    hurried = cb.evaluate_counts(cb.Counts(tp=5, fp=0, fn=0, tn=6), "mcc", intervals=False)
    assert hurried.clears(alpha=None)
    with pytest.raises(ValueError, match="intervals=False left out how surely"):
        hurried.clears()
    assert nothing.has_p_values
    assert not pickle.loads(pickle.dumps(hurried)).has_p_values  # noqa: S301 - our own


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"model": "fores"}, "'fores'. This scorecard has: tree, knn and forest. Did you mean forest"),
        ({"measure": "kappa"}, "no row has measure 'kappa'. This scorecard has: f1 and mcc."),
        ({"measure": "no such thing"}, "unknown measure"),
        ({"group": "east"}, "no row has group 'east'. This scorecard has: north, south and west."),
    ],
)
def test_a_filter_that_matches_nothing_lists_what_there_is(card, sliced, asked, message):
    with pytest.raises(ValueError, match=message):
        sliced.clears(**asked)
    if "group" in asked:
        with pytest.raises(ValueError, match=r"this scorecard has none. Pass by="):
            card.clears(**asked)


def test_without_counts_a_scorecard_reads_its_class_sizes_off_its_bars(card):
    card = dataclasses.replace(card, problem=None)  # whose intervals take a moment
    scores = dataclasses.replace(card, counts=None)
    assert scores.population == card.population
    assert scores[0].counts is None
    assert str(scores) == str(card)
    row = scores.to_dict()["rows"][0]
    assert row["total"] == 111
    assert "tp" not in row
    assert pickle.loads(pickle.dumps(scores)) == copy.deepcopy(scores) == scores != card  # noqa: S301


def test_notes_stand_below_the_tables_in_every_form_and_do_no_harm(card):
    card = dataclasses.replace(card, problem=None)
    noted = dataclasses.replace(card, notes=("Two folds <b>had</b> no positive & were left out.",))
    assert str(noted) == f"{card}\n\n{noted.notes[0]}"
    assert "Two folds &lt;b&gt;had&lt;/b&gt; no positive &amp; were left out." in noted._repr_html_()
    assert "<b>" not in noted.to_markdown()
    assert r"positive \& were" in noted.to_latex()
    assert noted.to_dict()["notes"] == list(noted.notes)
    assert pickle.loads(pickle.dumps(noted)) == noted != card  # noqa: S301 - our own


TWO = cb.Counts(tp=[3, 4], fp=[1, 2], fn=[1, 1], tn=[5, 5])


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["a", "a"], "two are 'a'"),
        ([2.0, Fraction(2)], r"2\.0 and Fraction\(2, 1\) compare equal"),
        ([math.nan, math.nan], "two are nan"),
        ([["a"], ["a"]], r"two are \['a'\]"),
    ],
)
def test_names_that_cannot_be_told_apart_are_refused_when_the_card_is_made(names, found):
    with pytest.raises(ValueError, match=f"^groups must have different names; {found}"):
        cb.evaluate_counts(TWO, "f1", groups=names)
    with pytest.raises(ValueError, match=f"^folds must have different names; {found}"):
        cb.evaluate_fold_counts(TWO, "f1", folds=names)
    card = cb.evaluate_counts({"a": TWO, "b": TWO}, "f1")
    with pytest.raises(ValueError, match=f"^models must have different names; {found}"):
        dataclasses.replace(card, models=tuple(names))


def test_names_that_differ_are_kept_whatever_they_look_like():
    for names in ([1, "1"], [["a"], ["b"]], [math.nan, float("nan")], [np.array(1), "b"]):
        assert len(cb.evaluate_counts(TWO, "f1", groups=names).groups) == 2
