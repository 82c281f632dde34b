"""Bars over folds against every draw in every fold of small designs."""

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.oracle.folds import AGGREGATES, DESIGNS, designs_up_to, expectations, pooled_extremes
from tests.oracle.formulas import NAMES
from tests.oracle.values import extremes_of_tables

import clearbar as cb
from clearbar.problems.folds import Folds, chosen_way
from clearbar.problems.folds.allocation import best_allocation

PAIRS = ("f1", "f2", "precision", "recall", "fdr", "fowlkes_mallows", "threat_score", "sokal_sneath1")
OTHERS = ("accuracy", "mcc", "g_mean", "npv", "markedness", "fnr", "optimized_precision")


def bar_of(name, design, aggregate, *, aware=True, undefined="exclude"):
    total, positives = np.array(design).T
    if aggregate == "pooled" and not aware:
        return cb.baseline(cb.Population(int(total.sum()), int(positives.sum())), name, undefined=undefined)
    names = tuple(range(1, len(design) + 1))
    folds = Folds(cb.get_measure(name), total, positives, undefined, names)
    return chosen_way(aggregate, aware).bar(folds)[0]


CASES = [
    (name, aggregate)
    for name in (*PAIRS, *OTHERS)
    for aggregate in AGGREGATES
    if name in PAIRS or not aggregate.startswith("precision")
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "aggregate"), CASES)
def test_no_draw_in_the_folds_expects_more_and_one_expects_it(name, aggregate):
    """Others of the designs for each way, so that every three ways try all."""
    losing = cb.get_measure(name).greater_is_better is False
    for design in DESIGNS[CASES.index((name, aggregate)) % 3 :: 3]:
        bar, expected = bar_of(name, design, aggregate), expectations(name, design, aggregate)
        assert bar.certified or name == "sokal_sneath1"  # what is proved or tried in full
        if not expected:
            assert math.isnan(bar.value), design
            assert bar.reason
            continue
        ends = min(expected.values()), max(expected.values())
        best, worst = ends if losing else ends[::-1]
        reached = [best] if bar.certified else expected.values()
        assert any(value == pytest.approx(bar.value, rel=1e-12, abs=1e-14) for value in reached), design
        if not math.isnan(bar.worst_value):
            assert bar.worst_value == pytest.approx(worst, rel=1e-12, abs=1e-14), design
        assert bar.attained_by


EVERY_DESIGN = tuple(designs_up_to(7))
ORIENTED = [name for name in NAMES if cb.get_measure(name).greater_is_better is not None]


def sides_of(name, design, undefined):
    """The smallest and the largest expected score that are known to be so; nan where there is none."""
    margins = np.array(design).T
    measure = cb.get_measure(name)
    found = [best_allocation(measure, *margins, undefined, largest=side) for side in (False, True)]
    assert all(one.certified for one in found)
    return [one.value for one in found]


def apart(found, expected):
    if expected is None:
        return not all(math.isnan(value) for value in found)
    return not np.allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("name", ORIENTED)
def test_every_allocation_of_small_designs_was_considered(name):
    """Others for each measure, so that together they are all; one value for what has none."""
    losing = cb.get_measure(name).greater_is_better is False
    for design in EVERY_DESIGN[ORIENTED.index(name) % 60 :: 60]:
        worst = extremes_of_tables(name, sum(size for size, _ in design))[1 if losing else 0]
        for policy, fill in (("exclude", None), ("worst", worst), (0.25, 0.25)):
            wrong = apart(sides_of(name, design, policy), pooled_extremes(name, design, fill))
            assert not wrong, (policy, design)


def test_a_fold_with_the_only_predictions_has_a_bar_where_a_draw_from_all_has_none():
    """All of fold 1 and nothing elsewhere has TP 1 and FP 1 every time, whatever the total could do."""
    counts = cb.Counts(tp=[1, 0], fp=[1, 0], fn=[0, 0], tn=[0, 3])
    bar = cb.evaluate_fold_counts(counts, "information_score", fold_aware=True).bar(0)
    assert bar.value == pytest.approx(math.log2(5 / 2), rel=1e-14)
    assert bar.recipe == "predict all 2 positive in fold 1, none elsewhere"
    assert bar.certified
    assert bar.attained_by.certain


@pytest.mark.parametrize("name", ["diagnostic_odds_ratio", "log_odds_ratio", "sedi"])
def test_a_search_looks_among_whole_folds_too(name):
    """However many they are: with a fold of both classes for every cell no outcome lacks a value."""
    design = ((90, 30), (80, 40), (70, 20), (60, 10))
    bar = bar_of(name, design, "pooled")
    assert math.isfinite(bar.value)
    assert not bar.certified
    assert math.isnan(bar_of(name, design, "pooled", aware=False).value)


def test_equal_folds_change_places_and_all_is_tried():
    """One allocation stands for all that differ by the order of equal folds: 56 of 1,024 here."""
    design = ((3, 1),) * 5
    for name in ("g_mean", "precision_gain", "p4"):
        assert not apart(sides_of(name, design, "exclude"), pooled_extremes(name, design))
    every_sample_a_fold = ((1, 1),) * 30 + ((1, 0),) * 40
    bar = bar_of("threat_score", every_sample_a_fold, "pooled")
    assert bar.certified
    assert bar.value == 1.0


def sizes_of(total, folds):
    small, larger = divmod(total, folds)
    return [small + 1] * larger + [small] * (folds - larger)


def counted(total, positives, sizes):
    """One minus the share of deals that give each fold a positive: a product of polynomials."""
    ways = np.array([1], dtype=object)
    for size in sizes:
        own = [0] + [math.comb(size, one) for one in range(1, size + 1)]
        ways = np.convolve(ways, np.array(own, dtype=object))
    each = ways[positives] if positives < len(ways) else 0
    return 1 - Fraction(int(each), math.comb(total, positives))


@pytest.mark.parametrize(
    ("total", "positives", "folds"),
    [(20, 5, 3), (103, 47, 10), (1000, 20, 10), (200, 100, 10), (12, 4, 4), (9, 9, 3)],
)
def test_it_is_exact(total, positives, folds):
    exact = counted(total, positives, sizes_of(total, folds))
    for given in (folds, sizes_of(total, folds)):
        found = cb.probability_of_empty_fold(cb.Population(total, positives), given)
        assert found == pytest.approx(float(exact), rel=1e-11, abs=0)


def test_fewer_positives_than_folds_leave_one_empty():
    chances = cb.probability_of_empty_fold(cb.Population([100] * 3, [9, 0, 100]), 10)
    assert chances.tolist() == [1.0, 1.0, 0.0]
    assert isinstance(cb.probability_of_empty_fold([1] * 12 + [0] * 38, 5), float)


@pytest.mark.parametrize(("total", "positives", "repeats"), [(1000, 60, 7), (10_000, 600, 5)])
def test_repeats_multiply_the_chances(total, positives, repeats):
    once, often = (
        cb.probability_of_empty_fold(cb.Population(total, positives), 10, times) for times in (1, repeats)
    )
    assert often == pytest.approx(-math.expm1(repeats * math.log1p(-once)), rel=1e-9)


@pytest.mark.parametrize(
    ("folds", "repeats", "said"),
    [
        (1, 1, "folds must be at least 2"),
        (101, 1, "at most the 100 samples; found 101"),
        ([60, 30], 1, "add up to 100 samples"),
        (10, 0, "repeats must be one whole number from 1 up; found 0"),
        (2.5, 1, "folds must hold whole numbers"),
    ],
)
def test_what_cannot_be_is_refused(folds, repeats, said):
    with pytest.raises(ValueError, match=said):
        cb.probability_of_empty_fold(cb.Population(100, 10), folds, repeats)
