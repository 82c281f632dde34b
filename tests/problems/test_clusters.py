"""Samples that belong together, and runs that share them: whole groups are permuted and resampled."""

import math

import numpy as np
import pandas as pd
import pytest

import clearbar as cb
from clearbar.inference.bootstrap import Bootstrap

IDS = np.array([3, 3, 1, 1, 7, 7, 2, 2, 9, 9])
TRUTH = np.array([1, 0, 1, 1, 0, 0, 0, 1, 0, 0])
GUESS = np.array([1, 0, 1, 0, 0, 1, 0, 1, 0, 0])


def f1(truth, guess):
    tp = np.sum(truth * guess)
    return 2 * tp / (truth.sum() + guess.sum())


@pytest.mark.slow
def test_intervals_hold_the_truth_where_groups_are_dependent():
    rng = np.random.default_rng(8)
    ids, held, trials = np.repeat(np.arange(12), 5), 0, 50
    for _ in range(trials):
        truth = rng.random(60) < 0.5
        right = rng.random(60) < np.repeat(rng.beta(2.1, 0.9, 12), 5)
        row = cb.evaluate(truth, truth == right, "balanced_accuracy", clusters=ids)[0]
        held += row.low <= 0.7 <= row.high
    assert held / trials >= 0.86  # 0.95 less three standard errors


@pytest.mark.slow
def test_blind_groups_are_rarely_a_sure_clear():
    rng = np.random.default_rng(9)
    ids, sure = np.repeat(np.arange(30), 6), {True: 0, False: 0}
    for _ in range(40):
        truth, guess = (np.repeat(rng.random(30) < 0.5, 6) for _ in range(2))
        for clusters in (True, False):
            sure[clusters] += cb.evaluate(truth, guess, "mcc", clusters=ids if clusters else None)[0].sure
    assert sure[True] <= 5 < sure[False]


def test_where_nothing_varies_failures_are_supposed_that_were_not_seen():
    row = cb.evaluate(TRUTH, TRUTH, "accuracy", clusters=IDS)[0]
    # Five groups that are all right: the share that is wrong could be 1 - 0.025**(1/5).
    assert row.low == pytest.approx(0.025 ** (1 / 5), abs=0.02)
    assert row.high == 1.0
    assert row.p_value == pytest.approx(2 * 0.6**5, rel=0.1)  # the bar is 0.6


def test_few_groups_widen_intervals_as_students_t_does():
    values = np.random.default_rng(0).normal(size=9_999)
    few, many = (Bootstrap(0.0, values, 0.0, units, tuple).interval(0.95, (-99, 99)) for units in (8, 10**6))
    assert many[1] == pytest.approx(1.96, abs=0.1)
    assert few[1] == pytest.approx(2.3646 * math.sqrt(8 / 7), abs=0.2)


def test_groups_that_cannot_tell_say_why():
    for ask in (cb.evaluate, cb.evaluate_scores):
        row = ask(np.tile([1, 0], 5), np.tile([1, 0], 5), clusters=np.repeat(np.arange(5), 2))[0]
        assert math.isnan(row.p_value_blind)
        assert "p_value_blind is not known: groups of the same size all have the same labels" in row.reason
        assert not row.sure
    row = next(row for row in cb.evaluate(TRUTH, GUESS, "f1", by=IDS < 3, clusters=IDS) if row.group is True)
    assert np.isnan([row.p_value, row.p_value_blind]).all()
    assert "it takes at least 5 groups, and there are 2" in row.reason
    assert not row.sure


def test_the_order_of_the_groups_does_not_matter():
    """The rows of each group stay in their order."""
    mixed = IDS[np.random.default_rng(1).permutation(len(IDS))]
    order = np.empty(len(IDS), dtype=int)
    for one in np.unique(IDS):
        order[mixed == one] = np.flatnonzero(one == IDS)
    assert (order != np.arange(len(IDS))).any()
    classes = TRUTH + 2 * (np.arange(len(IDS)) % 7 == 0)
    called = np.where(np.arange(len(IDS)) % 4 == 0, 0, classes)
    y_score = np.linspace(0, 1, len(IDS)).round(1) + 0.3 * TRUTH
    for y, x, measures in (
        (TRUTH, GUESS, ["f1", "mcc"]),
        (TRUTH, np.stack([GUESS, TRUTH]), ["f1", "mcc"]),
        (TRUTH, y_score, ["roc_auc", "average_precision"]),
        (classes, called, ["accuracy", "f1_macro"]),
    ):
        cards = [
            cb.evaluate(y[at], x[..., at], measures, clusters=names[at])
            for at, names in ((slice(None), IDS), (order, IDS), (order, -IDS))
        ]
        rows = [[[row.p_value, row.p_value_blind, row.low, row.high] for row in card] for card in cards]
        np.testing.assert_allclose(rows[1], rows[0], rtol=1e-9)
        np.testing.assert_allclose(rows[2], rows[0], rtol=1e-9)


def test_rows_without_a_group_are_refused_or_left_out():
    frame = pd.DataFrame({"y": TRUTH, "a": GUESS, "who": [None, *IDS[1:]]})
    with pytest.raises(ValueError, match=r"clusters \(column 'who'\) has 1 missing value\."):
        cb.evaluate_frame(frame, "y", "a", clusters="who")
    card = cb.evaluate_frame(frame, "y", "a", clusters="who", nulls="drop")
    assert card.notes[-1] == "1 row with a missing value left out."
    assert int(card[0].counts.total) == 9


@pytest.mark.parametrize(
    ("ask", "given", "options", "words"),
    [
        (cb.evaluate, GUESS, {"clusters": IDS[:9]}, "9"),
        (cb.evaluate, GUESS, {"clusters": [1] * 10}, "clusters must hold at least 5 groups, .* only 1 group"),
        (cb.evaluate_scores, GUESS, {"clusters": [None, *IDS[1:]]}, "clusters .*missing"),
        (cb.evaluate, GUESS, {"clusters": pd.Series(IDS, index=range(1, 11))}, "clusters has another index"),
        (cb.evaluate_scores, GUESS / 2, {"folds": IDS, "clusters": IDS}, "clusters and folds cannot be"),
        (cb.evaluate_scores, GUESS / 2, {"measures": "ndcg", "clusters": IDS}, "graded labels take none"),
    ],
)
def test_what_are_no_groups_and_what_does_not_go_with_them_is_refused(ask, given, options, words):
    truth = pd.Series(TRUTH * 2.5 if options.get("measures") else TRUTH)
    with pytest.raises(ValueError, match=words):
        ask(truth, given, **options)


@pytest.mark.parametrize("other", ["model", "fold", "weight"])
def test_columns_that_do_not_go_with_groups_are_refused(other):
    frame = pd.DataFrame({"y": TRUTH, "a": GUESS, "who": IDS, "b": 1})
    with pytest.raises(ValueError, match=f"clusters and {other} cannot be combined"):
        cb.evaluate_frame(frame, "y", "a", clusters="who", **{other: "b"})


def in_any_order(judge, *columns):
    """Rows of a card, of the same samples in three orders."""
    orders = (np.arange(60), np.arange(60)[::-1], np.random.default_rng(3).permutation(60))
    return [
        [(row.low, row.high, row.p_value) for row in judge(*(c[order] for c in columns))] for order in orders
    ]


@pytest.mark.parametrize("kind", ["labels", "classes", "scores", "numbers", "sets"])
def test_the_order_of_rows_changes_no_interval_of_groups(kind):
    rng = np.random.default_rng(0)
    truth, ids = rng.integers(0, 3 if kind == "classes" else 2, 60), np.repeat(np.arange(15), 4)
    called = np.where(rng.random(60) < 0.7, truth, rng.permutation(truth))
    columns, measures = {
        "labels": ((truth, called), ["f1", "mcc"]),
        "classes": ((truth, called), ["accuracy", "f1_macro"]),
        "scores": ((truth, truth + rng.normal(size=60).round(1)), ["roc_auc", "average_precision"]),
        "numbers": ((truth + rng.normal(size=60), called), ["mse", "r2"]),
        "sets": ((rng.integers(0, 2, (60, 3)), rng.integers(0, 2, (60, 3))), ["f1_macro", "hamming_loss"]),
    }[kind]
    first, *others = in_any_order(lambda y, f, c: cb.evaluate(y, f, measures, clusters=c), *columns, ids)
    for other in others:
        np.testing.assert_allclose(other, first, rtol=1e-9)


def test_the_order_of_rows_changes_no_blind_p_of_sets_of_labels():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, (60, 3))
    called = np.where(rng.random((60, 3)) < 0.6, truth, 1 - truth)
    orders = (np.arange(60), np.arange(60)[::-1], rng.permutation(60))
    cards = [cb.evaluate(truth[order], called[order], ["f1_macro", "subset_accuracy"]) for order in orders]
    first, *others = [[row.p_value_blind for row in card] for card in cards]
    assert max(first) > 1e-3
    assert others == [first, first]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(15), 4)])
def test_the_order_of_runs_changes_nothing(classes, clusters):
    rng = np.random.default_rng(4)
    truth = rng.integers(0, classes, 60)
    runs = np.stack([np.where(rng.random(60) < right, truth, 0) for right in (0.5, 0.6, 0.7, 0.8)])
    cards = [cb.evaluate(truth, {"a": each}, "mcc", clusters=clusters) for each in (runs, runs[[2, 0, 3, 1]])]
    first, other = [
        (row.score, row.low, row.high, row.p_value, row.p_value_blind) for card in cards for row in card
    ]
    assert other == pytest.approx(first, rel=1e-9)


@pytest.mark.parametrize("classes", [2, 3])
def test_nor_does_that_of_runs_with_as_many_right_answers_of_each_class(classes):
    rng = np.random.default_rng(5)
    truth = np.repeat(np.arange(classes), 20)
    runs = np.tile(truth, (3, 1))
    for run in runs:
        for label in range(classes):
            wrong = rng.choice(np.flatnonzero(truth == label), 5, replace=False)
            run[wrong] = (label + 1) % classes
    cards = [cb.evaluate(truth, {"a": runs[order]}, "mcc") for order in ([0, 1, 2], [2, 0, 1], [1, 0, 2])]
    first, *others = [(row.score, row.low, row.high, row.p_value) for card in cards for row in card]
    for other in others:
        assert other == pytest.approx(first, rel=1e-9)
