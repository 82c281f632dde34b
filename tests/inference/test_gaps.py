"""Gaps between groups: their null by enumeration, fairlearn's numbers, and pairs of independent groups."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import clearbar as cb
from clearbar.inference import holm
from clearbar.inference.gaps import GroupPairs, GroupTables, gap

pytestmark = pytest.mark.quick

# P1, N1, P2, N2, TP, FP, and the expected gap of recall and of F1: by another program, from all allocations.
REFERENCE = [
    ((2, 3, 3, 2, 3, 2), 0.4, 0.33364285714285713),
    ((1, 1, 1, 1, 1, 1), 1.0, 0.8333333333333334),
    ((10, 10, 3, 7, 9, 5), 0.23496503496503496, 0.2015792073933512),
    ((8, 2, 2, 8, 5, 5), 0.2777777777777778, 0.35209166690648175),
    ((1, 9, 9, 1, 5, 5), 0.5555555555555556, 0.48717948717948717),
    ((3, 3, 3, 3, 6, 0), 0.0, 0.0),
    ((15, 25, 15, 25, 22, 11), 0.12450663557110334, 0.09775365949721236),
    ((2, 18, 10, 10, 9, 7), 0.32727272727272727, 0.3798815090250371),
]


def score(name, sizes):
    values = cb.get_measure(name).values
    P, N = np.array(sizes).T

    def scored(tp, fp):
        with np.errstate(all="ignore"):
            return values(tp, fp, P - tp, N - fp)

    return scored


@pytest.mark.parametrize(("sizes", "recall", "f1"), REFERENCE)
def test_the_bar_is_the_reference(sizes, recall, f1):
    P1, N1, P2, N2, TP, FP = sizes
    a, b = max(0, TP - P2), max(0, FP - N2)
    tables = GroupTables(np.array([(P1, P2), (N1, N2), (a, TP - a), (b, FP - b)]))
    groups = ((P1, N1), (P2, N2))
    found = tables.chances([([score(name, groups)], False) for name in ("recall", "f1")])
    assert [chance.expected for chance in found] == pytest.approx([recall, f1], abs=1e-15)
    assert {chance.method for chance in found} == {"exact"}


def every_order(sizes, called):
    """Return TP and FP of the groups for every order of group labels within each class."""
    sides = []
    for side in (0, 1):
        owners = [group for group, size in enumerate(sizes) for _ in range(size[side])]
        chosen = itertools.combinations(owners, sum(counts[side] for counts in called))
        sides.append([[picked.count(group) for group in range(len(sizes))] for picked in chosen])
    return itertools.product(*sides)


EXACT = {
    "recall": lambda tp, _, P, __: Fraction(tp, P),
    "precision": lambda tp, fp, *_: Fraction(tp, tp + fp) if tp + fp else None,
    "f1": lambda tp, fp, P, _: Fraction(2 * tp, tp + fp + P),
    "predicted_positive_rate": lambda tp, fp, P, N: Fraction(tp + fp, P + N),
}


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize(
    ("sizes", "called"),
    [
        (((3, 4), (2, 5)), ((2, 1), (1, 3))),
        (((4, 2), (3, 3)), ((4, 0), (1, 1))),
        (((2, 2), (2, 2), (1, 2)), ((2, 1), (1, 1), (1, 0))),
    ],
)
def test_bar_and_p_are_those_of_all_orders(name, sizes, called):
    def gap_of(tables):
        values = [EXACT[name](*table, *size) for table, size in zip(tables, sizes, strict=True)]
        return None if None in values else max(values) - min(values)

    observed = gap_of(called)
    gaps = [gap_of(zip(*order, strict=True)) for order in every_order(sizes, called)]
    valued = [one for one in gaps if one is not None]
    tables = GroupTables(np.concatenate((np.array(sizes).T, np.array(called).T)))
    (found,) = tables.chances([([score(name, sizes)], False)])
    bar, p = sum(valued) / len(valued), Fraction(sum(one >= observed for one in valued), len(valued))
    assert found.observed == pytest.approx(float(observed), abs=1e-15)
    drawn = 0.0 if len(sizes) == 2 else 4 / math.sqrt(9_999)
    assert found.method == ("exact" if len(sizes) == 2 else "permutation")
    assert found.expected == pytest.approx(float(bar), abs=1e-14 + 0.5 * drawn)
    assert found.p_value == pytest.approx(float(p), abs=1e-14 + 0.5 * drawn)
    assert bool(found.note) == (len(sizes) > 2 or len(valued) < len(gaps))


# fairlearn 0.15.0, of labels with these counts in each group; None where it says nan, of 0 divided by 0.
FAIRLEARN = [
    (
        {"tp": [5, 2], "fp": [0, 0], "fn": [1, 4], "tn": [6, 7]},
        (0.26282051282051283, 0.36923076923076925, 0.5, 0.39999999999999997, 0.5, 0.39999999999999997),
        (0.22435897435897434, 0.0, None),
    ),
    (
        {"tp": [12, 9, 3, 20], "fp": [0, 7, 1, 4], "fn": [2, 9, 6, 1], "tn": [30, 11, 2, 8]},
        (0.4545454545454546, 0.37499999999999994, 0.6190476190476191, 0.35, 0.6190476190476191, 0.0),
        (0.5378787878787878, 0.3888888888888889, 0.0),
    ),
]
NAMES = [
    f"{name}_{ending}"
    for name in ("demographic_parity", "equal_opportunity", "equalized_odds")
    for ending in ("difference", "ratio")
]
OTHERS = "zero_one_loss_difference", "false_positive_rate_difference", "false_positive_rate_ratio"


@pytest.mark.parametrize(
    ("counts", "named", "others"), [pytest.param(*FAIRLEARN[0], marks=pytest.mark.slow), *FAIRLEARN[1:]]
)
def test_gaps_are_fairlearns(counts, named, others):
    card = cb.evaluate_counts(cb.Counts(**counts), "mcc", groups=list("abcd"[: len(counts["tp"])]))
    for name, value in zip((*NAMES, *OTHERS), (*named, *others), strict=True):
        assert card.gaps(name).observed == pytest.approx(1.0 if value is None else value, abs=1e-14), name


COUNTS = cb.Counts(tp=[30, 18, 25], fp=[6, 5, 8], fn=[5, 17, 9], tn=[40, 41, 38])
CARD = cb.evaluate_counts(COUNTS, ["recall", "f1"], groups=["young", "old", "between"])


def test_pairs_of_recall_have_the_standard_error_of_agresti_and_caffo():
    """One success and one failure more in each group; The American Statistician 54, 2000."""
    pairs = CARD.problem.between_groups(cb.get_measure("recall"), 0)
    for first, second in itertools.combinations(range(3), 2):
        test, variance = pairs.equal_scores(first, second), Fraction(0)
        for group in (first, second):
            share = Fraction(int(COUNTS.tp[group]) + 1, int(COUNTS.positives[group]) + 2)
            variance += share * (1 - share) / (int(COUNTS.positives[group]) + 2)
        tp, P = np.asarray(COUNTS.tp), np.asarray(COUNTS.positives)
        difference = tp[first] / P[first] - tp[second] / P[second]
        assert test.z() == pytest.approx(difference / math.sqrt(variance), rel=1e-7)


def test_many_pairs_have_the_errors_that_each_has_alone():
    scores, variances, fourth = CARD.problem.between_groups(cb.get_measure("f1"), 0)._moments
    for first, second in itertools.combinations(range(3), 2):
        test = CARD.problem.between_groups(cb.get_measure("f1"), 0).equal_scores(first, second)
        both = variances[first] + variances[second]
        assert test.z() == pytest.approx((scores[first] - scores[second]) / math.sqrt(both), rel=1e-9)
        assert test.carried_by == pytest.approx(both**2 / (fourth[first] + fourth[second]), rel=1e-9)


def test_p_is_corrected_and_says_what_the_interval_says():
    gaps = CARD.gaps("recall")
    assert gaps.p_corrected.tolist() == pytest.approx(holm(gaps.pairs.p_values).tolist())
    assert gaps.different.tolist() == [True, False, False]
    frame = gaps.to_frame()
    assert frame.loc[frame.different, ["group_a", "group_b"]].to_numpy().tolist() == [["young", "old"]]
    assert (frame.difference > 0).all()
    assert gaps.to_dict()["pairs"][0]["p_corrected"] == pytest.approx(gaps.p_corrected[0])
    assert "young − old" in str(gaps)
    assert "clearbar-gaps" in gaps._repr_html_()


def test_equalized_odds_take_the_measure_that_differs_more_and_correct_for_both():
    gaps = CARD.gaps("Equalized odds difference")
    assert gaps.measures[gaps.widest].name == "recall"
    assert gaps.observed == pytest.approx(CARD.gaps("recall").observed)
    assert len(gaps.p_corrected) == 6
    assert set(gaps.to_frame().measure) == {"recall", "fpr"}


def test_groups_without_a_value_are_left_out_and_permutations_without_one_are_said():
    counts = cb.Counts(tp=[3, 2, 0, 0], fp=[1, 1, 0, 1], fn=[2, 3, 5, 0], tn=[4, 4, 5, 5])
    card = cb.evaluate_counts(counts, "precision", groups=list("abcd"))
    gaps = card.gaps()
    assert (gaps.groups, gaps.left_out) == (("a", "b", "d"), ("c",))
    assert "without" in gaps.note
    assert "Without a value: c." in str(gaps)
    few = cb.Counts(tp=[1] + [0] * 29, fp=[0] + [1] * 29, fn=[1] * 30, tn=[8] * 30)
    sparse = cb.evaluate_counts(few, "precision", groups=list(range(30))).gaps()
    assert math.isnan(sparse.p_value)
    assert sparse.method == "unknown"
    assert sparse.note in str(sparse).replace("\n", " ")


def test_a_gap_is_that_of_the_worst_measure():
    scores = [np.array([[0.2, 0.5, 0.4]]), np.array([[0.0, 0.1, 0.1]])]
    assert gap(scores, ratio=False).tolist() == pytest.approx([0.3])
    assert gap(scores, ratio=True).tolist() == [0.0]


Y = np.array([1, 0] * 20)


@pytest.mark.parametrize(
    ("card", "options", "message"),
    [
        (lambda: cb.evaluate(Y, Y, "f1"), {}, "this scorecard has none; pass by="),
        (lambda: CARD, {"measure": "mcc_ratio"}, "MCC may be negative, so that it has no mcc_ratio"),
        (
            lambda: CARD,
            {"measure": "roc_auc"},
            "measure must be of labels of two classes for a gap; found ROC AUC",
        ),
        (lambda: CARD, {"measure": "sensitivty_difference"}, "unknown measure"),
        (lambda: CARD, {"model": "tree"}, "no row has model 'tree'"),
        (lambda: cb.evaluate(Y, {"a": Y, "b": 1 - Y}, "f1", by=Y), {}, "model must be named"),
        (lambda: cb.evaluate(Y, Y, "f1", by=Y), {"measure": "recall"}, "two groups with a value of recall"),
        (
            lambda: cb.evaluate(Y, Y, "f1", by=np.arange(40) % 2, clusters=np.arange(40) // 4),
            {},
            "gaps between groups are of labels of two classes",
        ),
        (
            lambda: cb.evaluate(Y, Y + 0.5, "roc_auc", by=np.arange(40) % 3),
            {"measure": "f1"},
            "gaps between groups are of labels of two classes",
        ),
    ],
)
def test_what_has_no_gap_says_why(card, options, message):
    with pytest.raises(ValueError, match=message) as caught:
        card().gaps(**options)
    assert "\n" not in str(caught.value)


def test_intervals_of_two_groups_of_three_hold_a_true_difference_near_1():
    """Where all of one group and none of the other are found, a difference of 1 is no certainty."""
    sizes, rates, held = np.array([[3, 3], [3, 3]]), (0.98, 0.02), 0.0
    for found in ((3, 0), (2, 0), (3, 1)):  # 0.99 of all outcomes
        tables = GroupTables(np.concatenate((sizes, [[n, 1] for n in found]), axis=1).T)
        pairs = GroupPairs(tables, lambda rows: score("recall", sizes[rows]), (0.0, 1.0))
        apart = pairs.told_apart(0.05, 0.95)
        likely = [math.comb(3, n) * a**n * (1 - a) ** (3 - n) for n, a in zip(found, rates, strict=True)]
        held += math.prod(likely) * (apart.low[0] <= 0.96 <= apart.high[0])
    assert held >= 0.95
