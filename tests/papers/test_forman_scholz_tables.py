"""Tables 1 and 2 of Forman and Scholz (2010), their scores and bars, as exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest

import clearbar as cb

pytestmark = pytest.mark.slow

TABLES = {  # negatives, positives, TP, FP of each fold
    "table 1": ((373, 3, 3, 0), (372, 4, 4, 1), (372, 4, 4, 13), (372, 4, 3, 5)),
    "table 2": ((372, 4, 2, 0), (372, 4, 0, 0), (372, 4, 4, 0), (372, 4, 4, 0)),
}
SCORES = {
    ("table 1", "mean"): Fraction(349, 504),
    ("table 1", "mean_of_defined"): Fraction(349, 504),
    ("table 1", "pooled"): Fraction(7, 12),
    ("table 1", "precision_recall"): Fraction(24585, 33512),
    ("table 1", "precision_recall_of_defined"): Fraction(24585, 33512),
    ("table 2", "mean"): Fraction(2, 3),
    ("table 2", "mean_of_defined"): Fraction(8, 9),
    ("table 2", "pooled"): Fraction(10, 13),
    ("table 2", "precision_recall"): Fraction(15, 22),
    ("table 2", "precision_recall_of_defined"): Fraction(10, 11),
}
PERCENT = {  # as printed
    ("table 1", "mean"): 69,
    ("table 1", "pooled"): 58,
    ("table 1", "precision_recall"): 73,
    ("table 2", "mean"): 67,
    ("table 2", "pooled"): 77,
    ("table 2", "precision_recall"): 68,
    ("table 2", "mean_of_defined"): 89,
    ("table 2", "precision_recall_of_defined"): 91,
}
BARS = {
    ("table 1", "pooled"): Fraction(30, 1519),
    ("table 1", "mean"): Fraction(711, 36005),
    ("table 1", "precision_recall"): Fraction(30, 1519),
    ("table 1", "mean_of_defined"): Fraction(8, 380),
    ("table 1", "precision_recall_of_defined"): Fraction(8, 380),
    ("table 2", "pooled"): Fraction(2, 95),
    ("table 2", "mean"): Fraction(2, 95),
    ("table 2", "precision_recall"): Fraction(2, 95),
    ("table 2", "mean_of_defined"): Fraction(2, 95),
    ("table 2", "precision_recall_of_defined"): Fraction(2, 95),
}


def counts(table: str) -> cb.Counts:
    negatives, positives, tp, fp = np.array(TABLES[table]).T
    return cb.Counts(tp=tp, fp=fp, fn=positives - tp, tn=negatives - fp)


def judged(table: str, aggregate: str, **options) -> cb.Verdict:
    return cb.evaluate_fold_counts(counts(table), "f1", aggregate=aggregate, **options)[0]


@pytest.mark.parametrize(("table", "aggregate"), SCORES)
def test_the_scores_are_the_papers(table, aggregate):
    score = judged(table, aggregate, intervals=False).score
    assert score == pytest.approx(float(SCORES[table, aggregate]), rel=1e-15)
    if (table, aggregate) in PERCENT:
        assert round(100 * score) == PERCENT[table, aggregate]


@pytest.mark.parametrize(("table", "aggregate"), BARS)
def test_each_score_has_the_bar_of_the_same_combination(table, aggregate):
    bar = judged(table, aggregate, intervals=False).baseline
    assert bar.value == pytest.approx(float(BARS[table, aggregate]), rel=1e-14)
    assert bar.certified


def test_predictions_that_know_the_folds_drop_the_one_with_fewest_positives():
    bar = judged("table 1", "pooled", fold_aware=True, intervals=False).baseline
    assert bar.value == pytest.approx(8 / 381, rel=1e-14)
    assert bar.recipe == "predict all 1,128 positive in folds 2, 3 and 4, none elsewhere"


@pytest.mark.parametrize("table", TABLES)
def test_the_pooled_p_value_is_the_exact_conditional_one(table):
    folds = TABLES[table]
    ways, whole = np.array([1], dtype=object), 1
    for negatives, positives, tp, fp in folds:
        draws = tp + fp
        hits = range(min(positives, draws) + 1)
        own = [math.comb(positives, one) * math.comb(negatives, draws - one) for one in hits]
        ways = np.convolve(ways, np.array(own, dtype=object))
        whole *= math.comb(negatives + positives, draws)
    exact = Fraction(sum(ways[sum(fold[2] for fold in folds) :]), whole)
    assert judged(table, "pooled").p_value_blind == pytest.approx(float(exact), rel=1e-12)
    assert f"{float(exact):.1e}" == {"table 1": "3.9e-25", "table 2": "1.3e-22"}[table]


def test_the_draw_with_the_models_own_numbers_expects_little():
    folds = TABLES["table 1"]
    k = [tp + fp for _, _, tp, fp in folds]
    expected = sum(Fraction(p * own, n + p) for (n, p, _, _), own in zip(folds, k, strict=True))
    own = 2 * expected / (sum(fold[1] for fold in folds) + sum(k))
    assert own == Fraction(43, 3008)
    assert float(own) < judged("table 1", "pooled", intervals=False).baseline.value


def test_the_fold_without_predictions_is_named():
    card = cb.evaluate_fold_counts(counts("table 2"), "f1", aggregate="mean_of_defined")
    assert [(one.fold, one.condition) for one in card.undefined_folds] == [(2, "k > 0")]
    assert "F1 in fold 2 (nothing predicted positive)" in str(card)
    assert "probability_of_empty_fold" in str(card)
    assert "gamed" in str(card)
