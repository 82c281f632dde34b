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
COMBINED = {  # the score, as printed in percent, and the bar
    ("table 1", "mean"): ("349/504", 69, "711/36005"),
    ("table 1", "mean_of_defined"): ("349/504", None, "8/380"),
    ("table 1", "pooled"): ("7/12", 58, "30/1519"),
    ("table 1", "precision_recall"): ("24585/33512", 73, "30/1519"),
    ("table 1", "precision_recall_of_defined"): ("24585/33512", None, "8/380"),
    ("table 2", "mean"): ("2/3", 67, "2/95"),
    ("table 2", "mean_of_defined"): ("8/9", 89, "2/95"),
    ("table 2", "pooled"): ("10/13", 77, "2/95"),
    ("table 2", "precision_recall"): ("15/22", 68, "2/95"),
    ("table 2", "precision_recall_of_defined"): ("10/11", 91, "2/95"),
}


def counts(table: str) -> cb.Counts:
    negatives, positives, tp, fp = np.array(TABLES[table]).T
    return cb.Counts(tp=tp, fp=fp, fn=positives - tp, tn=negatives - fp)


def judged(table: str, aggregate: str, **options) -> cb.Verdict:
    return cb.evaluate_fold_counts(counts(table), "f1", aggregate=aggregate, **options)[0]


@pytest.mark.parametrize(("asked", "printed"), COMBINED.items())
def test_the_scores_are_the_papers_and_each_has_the_bar_of_the_same_combination(asked, printed):
    score, percent, bar = printed
    verdict = judged(*asked, intervals=False)
    assert verdict.score == pytest.approx(float(Fraction(score)), rel=1e-15)
    assert percent is None or round(100 * verdict.score) == percent
    assert verdict.baseline.value == pytest.approx(float(Fraction(bar)), rel=1e-14)
    assert verdict.baseline.certified


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


def test_the_fold_without_predictions_is_named():
    card = cb.evaluate_fold_counts(counts("table 2"), "f1", aggregate="mean_of_defined")
    assert [(one.fold, one.condition) for one in card.undefined_folds] == [(2, "k > 0")]
    assert "F1 in fold 2 (nothing predicted positive)" in str(card)
    assert "probability_of_empty_fold" in str(card)
    assert "gamed" in str(card)
