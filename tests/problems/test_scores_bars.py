"""Bars of scores: closed forms against every arrangement of the labels over every pattern of ties."""

import functools
import math
from fractions import Fraction

import numpy as np
import pytest
from tests.oracle import scores as hand

import clearbar as cb
from clearbar.problems.scores import _lattice as lattice
from clearbar.problems.scores import best_threshold, get_score_measure, score_measures

SIZES = [(total, positives) for total in range(2, 7) for positives in range(1, total)]
ids = [f"M{total}P{positives}" for total, positives in SIZES]


def expectation(value, scores, positives):
    return hand.mean(value(labels, scores) for labels in hand.arrangements(len(scores), positives))


def bar(measure, total, positives):
    return cb.baseline_scores(cb.Population(total, positives), measure)


@pytest.mark.parametrize(("total", "positives"), [*SIZES, (5, 5), (1, 1)], ids=[*ids, "M5P5", "M1P1"])
def test_average_precision_of_every_pattern_of_ties_and_its_extremes(total, positives):
    found = {}
    for scores in hand.tie_patterns(total):
        exact = expectation(hand.average_precision, scores, positives)
        found[tuple(scores)] = exact
    one = bar("average_precision", total, positives)
    assert one.value == pytest.approx(float(max(found.values())), rel=1e-14)
    assert one.worst_value == pytest.approx(float(min(found.values())), rel=1e-14)
    assert found[tuple(range(total, 0, -1))] == max(found.values())  # no ties
    assert found[(total,) * total] == min(found.values()) == Fraction(positives, total)


BEST = {"max_f1": hand.f1, "max_accuracy": hand.accuracy, "max_mcc": hand.mcc, "max_lift": hand.lift}
BEST |= {"ks": hand.two_sided, "ks_one_sided": hand.gap}
SAME = [name for name in hand.BY_NAME if name not in BEST and name != "average_precision"]


@pytest.mark.parametrize("name", SAME)
def test_with_ties_broken_at_random_every_score_expects_the_same(name):
    for total, positives in ((3, 1), (4, 2), (5, 3), (6, 2), *([(4, 4)] if name != "roc_auc" else [])):
        one = bar(name, total, positives)
        found = {expectation(hand.BY_NAME[name], scores, positives) for scores in hand.tie_patterns(total)}
        assert max(found) - min(found) < 1e-15  # rounded logarithms apart
        assert one.value == one.worst_value == pytest.approx(float(max(found)), rel=1e-14)
    assert "it needs at least" in bar("precision@6", 5, 2).reason


@pytest.mark.parametrize(("total", "positives"), [(2, 1), (5, 3), (6, 1)])
def test_constants_are_best_for_losses(total, positives):
    """No multiset of probabilities, shuffled, beats the prevalence; on a grid that holds it."""
    share = positives / total
    grid = np.append(np.linspace(0.0, 1.0, 21), share)
    truth = np.arange(total) < positives
    for name in ("log_loss", "brier_score"):
        one, measure = bar(name, total, positives), get_score_measure(name)
        constants = [float(measure(truth, np.full(total, p))) for p in grid]
        assert one.value == pytest.approx(min(constants), rel=1e-12)
        assert one.worst_value == pytest.approx(max(constants), rel=1e-12)
        rng = np.random.default_rng(total)
        for _ in range(20):
            scores = rng.choice(grid, total)
            shuffled = [measure(labels, scores) for labels in hand.arrangements(total, positives)]
            assert np.mean(shuffled) >= one.value * (1 - 1e-12)
    assert bar("brier", total, positives).value == pytest.approx(
        float(Fraction(positives * (total - positives), total**2)), rel=1e-15
    )


# (measure, M, P, value): theory verified by exhaustive enumeration elsewhere.
REFERENCE = [
    ("average_precision", 10, 3, Fraction(14581, 32400)),
    ("average_precision", 5, 5, Fraction(1)),
    ("average_precision", 100, 10, 0.13807),
    ("average_precision", 1000, 100, 0.10584),
    ("mrr", 10, 3, Fraction(3601, 6720)),
    ("recall@4", 10, 3, Fraction(2, 5)),
    ("brier", 10, 3, Fraction(21, 100)),
    ("max_f1", 10, 3, 0.576),
    ("ks_one_sided", 10, 3, 0.345),
    ("ks", 10, 3, 0.517),
    ("hit@4", 10, 3, 1 - Fraction(35, 210)),
    ("r_precision", 10, 3, Fraction(3, 10)),
    ("log_loss", 10, 3, -(0.3 * math.log(0.3) + 0.7 * math.log(0.7))),
]


@pytest.mark.parametrize(("name", "total", "positives", "value"), REFERENCE, ids=str)
def test_reference_values(name, total, positives, value):
    rounded = {0.13807: 1e-5, 0.10584: 1e-5, 0.576: 5e-4, 0.345: 5e-4, 0.517: 5e-4}.get(value, 1e-15)
    assert bar(name, total, positives).value == pytest.approx(float(value), abs=rounded, rel=1e-14)


@pytest.mark.parametrize("name", ["f1", "gap"])
def test_of_large_lattices_a_bracket_holds_the_bar_and_of_larger_ones_random_rankings_tell(monkeypatch, name):
    def f1(tp, fp):
        return 2 * tp / (tp + fp + 40)

    def gap(tp, fp):
        return abs(60 * tp - 40 * fp) / 2_400

    best, rising = {"f1": (f1, 1), "gap": (gap, 2)}[name]
    exact = lattice.expected_best(best, 100, 40)
    assert exact.error == 0
    monkeypatch.setattr(lattice, "MOST_POINTS", 0)
    bracket = lattice.expected_best(best, 100, 40, rising)
    assert 0 < bracket.error < 5e-4
    assert abs(bracket.value - exact.value) <= bracket.error
    monkeypatch.setattr(lattice, "MOST_BRACKETED", 0)
    monkeypatch.setattr(lattice, "MOST_SAMPLES", 1_000_000)
    for order in (0, rising):  # of what rises fewer blocks are enough
        drawn = lattice.expected_best(best, 100, 40, order)
        assert 0 < drawn.error < 2e-3
        assert abs(drawn.value - exact.value) <= 1.5 * drawn.error


def test_what_is_known_of_a_bar_that_is_not_exact_is_said():
    one = bar("max_f1", 1_000, 300)
    assert one.error > 0
    assert "(± " in str(one)
    assert one.value - one.error > 600 / 1300  # the best labels


@pytest.mark.parametrize("measure", score_measures(), ids=str)
def test_worst_bar_and_best_are_in_order_and_the_best_is_that_of_perfect_scores(measure):
    for total, positives in ((20, 7), (12, 11), (12, 3), (30, 1)):
        one, truth = bar(measure, total, positives), np.arange(total) % total < positives
        sign = 1 if measure.greater_is_better else -1
        low, high = measure.bounds
        assert sign * one.worst_value <= sign * one.value + 1e-15 or math.isnan(one.worst_value)
        assert sign * one.value <= sign * one.best_possible + 1e-15
        assert low <= one.value <= high + 1e-15
        assert measure(truth, truth.astype(float)) == pytest.approx(one.best_possible, rel=1e-14, abs=1e-15)
        assert one.recipe
        assert one.claim
    assert measure.question.endswith("?")
    assert measure.source


@pytest.mark.parametrize(("total", "positives"), [*SIZES, (1, 0), (1, 1), (3, 0)])
@pytest.mark.parametrize("name", BEST)
def test_best_thresholds_of_random_rankings(name, total, positives):
    if name.startswith("ks") and positives in {0, total}:
        return
    found = {}
    for scores in hand.tie_patterns(total):
        values = [hand.best(BEST[name], labels, scores) for labels in hand.arrangements(total, positives)]
        if None not in values:
            found[tuple(scores)] = values
    one = bar(name, total, positives)
    if not found:
        assert math.isnan(one.value)
        assert one.reason
        return
    means = [float(hand.mean(values)) for values in found.values()]
    assert one.value == pytest.approx(max(means), rel=1e-13, abs=1e-15)
    assert one.worst_value == pytest.approx(min(means), rel=1e-13, abs=1e-15)
    assert one.best_possible == pytest.approx(float(max(map(max, found.values()))), abs=1e-15)
    assert one.error == 0


def test_a_measure_that_has_no_value_for_a_perfect_ranking_has_no_bar_at_its_best_threshold():
    assert "at no threshold of some rankings" in bar("max_dor", 20, 5).reason
    with pytest.raises(ValueError, match="greater is better; fpr is none"):
        bar("max_fpr", 20, 5)


def test_arrays_of_populations_and_indexing():
    bars = cb.baseline_scores(cb.Population([10, 20, 5], [3, 0, 5]), "roc_auc")
    np.testing.assert_array_equal(bars.value, [0.5, np.nan, np.nan])
    assert "no sample is positive" in bars.reason[1]
    assert "no sample is negative" in bars.reason[2]
    assert bars[0] == cb.baseline_scores(cb.Population(10, 3), "roc_auc")
    assert str(bars[1]).startswith("ROC AUC has no bar: no sample is positive")
    with pytest.raises(ValueError, match="Index it first"):
        float(bars)


def test_a_user_s_measure_at_its_best_threshold():
    cost = cb.Measure("gain", lambda tp, fp, fn, tn: 5 * tp - fp, greater_is_better=True)  # noqa: ARG005
    made = best_threshold(cost)
    value = functools.partial(hand.best, lambda tp, fp, fn, tn: Fraction(5 * tp - fp))  # noqa: ARG005
    found = expectation(value, [5, 4, 3, 2, 1], 2)
    assert bar(made, 5, 2).value == pytest.approx(float(found), rel=1e-14)
    with pytest.raises(ValueError, match="greater is better"):
        best_threshold("fpr")
