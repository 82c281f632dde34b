"""p-values of verdicts and of bare scores: worked examples, tries that are paid for, and clearing scores."""

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.oracle.closeness import agrees
from tests.oracle.law import tail
from tests.oracle.p_values import tails
from tests.oracle.values import MEASURES, NAMES, scores
from tests.strategies import archetypes_first

import clearbar as cb
from clearbar.verdict import _bare, chance_limit

HEART = cb.Population(31, 18)
COUNTS = cb.Counts(tp=14, fp=3, fn=4, tn=10)


@pytest.mark.parametrize(
    ("name", "at_most", "at_the_bar"),
    [
        ("accuracy", 0.0047363415066660215, None),
        ("g_mean", 0.003547801650957204, None),
        ("f1", 0.02272, 0.6706185226009511),
        ("mcc", 0.004079, 0.004783023279624196),
    ],
)
def test_the_worked_example_of_the_theory(name, at_most, at_the_bar):
    """The bare score, labels in random order, and the true score at the bar."""
    score = cb.get_measure(name)(COUNTS)
    digits = 1e-14 if len(str(at_most)) > 10 else 5e-4
    assert cb.baseline(HEART, name).reach(score).upper == pytest.approx(at_most, rel=digits)
    assert cb.baseline(HEART, name).judge(score).p_value_blind == cb.baseline(HEART, name).reach(score).upper
    (verdict,) = cb.evaluate_counts(COUNTS, name)
    assert verdict.p_value_blind == pytest.approx(0.003547801650957204, rel=1e-14)
    if at_the_bar is not None:
        assert verdict.p_value == pytest.approx(at_the_bar, abs=2e-6)
        assert verdict.sure == (at_the_bar < 0.05)


ONE_TEST = (
    *("tp", "tn", "recall", "specificity", "precision", "npv", "accuracy", "balanced_accuracy", "f1", "f2"),
    *("informedness", "markedness", "mcc", "kappa", "fowlkes_mallows", "g_mean", "threat_score"),
    *("equitable_threat_score", "diagnostic_odds_ratio"),
    *("fn", "fp", "fnr", "fpr", "fdr", "false_omission_rate", "error_rate", "prevalence_threshold"),
)
"""Nineteen scores and eight losses that are monotone in TP."""


@pytest.mark.parametrize(
    ("counts", "want"),
    [
        (cb.Counts(tp=4, fp=2, fn=2, tn=12), Fraction(145, 3876)),
        pytest.param(cb.Counts(tp=5, fp=0, fn=0, tn=5), Fraction(1, 252), marks=pytest.mark.slow),
    ],
)
def test_measures_that_rise_in_tp_share_fishers_p_value(counts, want):
    """Section 5a: labels in random order do as well with one probability, Fisher's exact one-sided test."""
    population, k = counts.population, counts.predicted_positives
    assert tail(population.total, population.positives, k, counts.tp) == want
    for name in ONE_TEST:
        (verdict,) = cb.evaluate_counts(counts, name)
        if verdict.outcome == "undefined":  # the odds ratio has no bar, nor a value for perfect predictions
            assert math.isnan(verdict.p_value_blind)
            continue
        assert agrees(verdict.p_value_blind, want), name
        assert agrees(cb.Draw(population, k).distribution(name).tail(verdict.score), want), name


def test_without_a_better_end_there_is_no_p_value():
    with pytest.warns(cb.UndefinedMeasureWarning, match="not known to be ordered in TP and FP"):
        assert math.isnan(cb.p_value(0.8, HEART, "prevalence"))


def test_what_is_not_known_without_the_predictions_is_no_silent_nan():
    sizes = cb.ClassSizes({"a": 50, "b": 30, "c": 20})
    with pytest.warns(cb.UndefinedMeasureWarning, match="not known without the confusion matrix"):
        assert math.isnan(cb.p_value(0.7, sizes, "f1_macro"))
    assert cb.p_value(0.7, sizes, "accuracy") < 1e-4
    assert math.isnan(cb.baseline(HEART, "prevalence").clearing_score())


ORIENTED = [name for name in NAMES if MEASURES[name].greater_is_better is not None]


def least_by_brute_force(name, total, positives, alpha):
    """Return the worst attainable value whose exact universal p-value is below alpha; None if none is."""
    law = scores(name, total, positives)
    if not law.distinct:
        return None
    reach, whole = tails(law)
    sure = [value for value, p in zip(law.distinct, reach.max(axis=0) / whole, strict=True) if p < alpha]
    if not sure:
        return None
    return min(sure) if MEASURES[name].greater_is_better else max(sure)


@pytest.mark.parametrize("name", archetypes_first(ORIENTED))
def test_what_chance_can_reach_ends_at_the_least_bare_score_it_rarely_has(name, monkeypatch):
    """By both searches: among all scores listed, and between them where there are too many."""
    measure = MEASURES[name]
    listed = _bare.MOST_LISTED
    for total, positives, alpha in [(1, 1, 0.5), (6, 3, 0.5), (9, 2, 0.05), (12, 5, 0.05)]:
        want = least_by_brute_force(name, total, positives, alpha)
        for most in (listed, 0) if measure.better_with_tp and measure.worse_with_fp else (listed,):
            monkeypatch.setattr(_bare, "MOST_LISTED", most)
            got = chance_limit(cb.baseline(cb.Population(total, positives), name), alpha)
            if want is None:
                assert math.isnan(got), (total, positives, alpha, most)
            else:
                assert got == pytest.approx(float(want), rel=1e-13, abs=1e-13), (total, positives, most)


def scores_and_p_values(name, positives, negatives):
    """Score and p-value of every table, each judged by its counts."""
    tp, fp = (side.ravel() for side in np.meshgrid(np.arange(positives + 1), np.arange(negatives + 1)))
    card = cb.evaluate_counts(cb.Counts(tp=tp, fp=fp, fn=positives - tp, tn=negatives - fp), name)
    score, p_value = (card.columns[column][0, :, 0] for column in ("score", "p_value"))
    return score[~np.isnan(score)], p_value[~np.isnan(score)]


@pytest.mark.parametrize("name", ["f1", "precision", "balanced_accuracy", "error_rate", "specificity", "npv"])
@pytest.mark.parametrize(
    ("positives", "negatives"), [(5, 5), pytest.param(6, 10, marks=pytest.mark.slow), (1, 1), (3, 7)]
)
def test_p_of_a_bare_score_is_the_largest_of_all_tables_that_have_it(name, positives, negatives):
    """Also where rounding puts a table just beside the score, above the bar or below."""
    score, p_value = scores_and_p_values(name, positives, negatives)
    for value in score.tolist():
        largest = p_value[np.isclose(score, value, rtol=1e-12, atol=1e-15)].max()
        got = cb.p_value(value, cb.Population(positives + negatives, positives), name)
        assert got == pytest.approx(largest, abs=1e-9), value


@pytest.mark.parametrize(
    "name", ["f1", *(pytest.param(name, marks=pytest.mark.slow) for name in ("precision", "error_rate"))]
)
def test_p_of_a_printed_score_is_the_largest_of_all_tables_that_print_so(name):
    score, p_value = scores_and_p_values(name, 18, 13)
    bar = cb.baseline(HEART, name)
    for text in {f"{value:.2f}" for value in score[::7].tolist()}:
        prints = np.abs(score - float(text)) <= 0.005 + 1e-12
        verdict = bar.judge(text)
        if verdict.outcome != "undefined":  # too close to the bar to tell
            assert verdict.p_value == pytest.approx(p_value[prints].max(), abs=1e-9), text


def test_a_few_predictions_are_looked_at_among_very_many():
    """One right of two, of a million samples: precision 0.5, and nothing is known."""
    assert cb.p_value(0.5, cb.Population(10**6, 333_333), "precision") > 0.5


@pytest.mark.parametrize("name", ["f1", "error_rate"])
@pytest.mark.parametrize(("positives", "negatives"), [(8, 9)])
def test_a_clearing_score_is_sure_from_every_table_and_none_below_it_is(name, positives, negatives):
    """Against the p-values of all tables."""
    score, p_value = scores_and_p_values(name, positives, negatives)
    sign = -1 if cb.get_measure(name).greater_is_better is False else 1
    bar = cb.baseline(cb.Population(positives + negatives, positives), name)
    sure = [
        value
        for value in np.unique(sign * score)
        if value > sign * float(bar)
        and p_value[sign * score >= value - 1e-12].max() <= 0.05
        and bar.reach(float(sign * value)).upper <= 0.05
    ]
    assert sign * bar.clearing_score() == pytest.approx(min(sure), rel=1e-12)
    assert cb.p_value(sign * min(sure), bar.population, name) <= 0.05


def test_a_population_too_large_to_list_its_scores_says_so(monkeypatch):
    monkeypatch.setattr(_bare, "MOST_LISTED", 0)
    bar = cb.baseline(cb.Population(2000, 700), "mutual_information")
    with pytest.raises(ValueError, match=r"2,000 samples has too many attainable scores .*ask p_value"):
        bar.clearing_score()


def test_the_clearing_score_of_the_heart_data():
    bar = cb.baseline(HEART, "f1")
    score = bar.clearing_score()
    assert round(score, 4) == 0.8947
    assert bar.judge(score).sure
    assert math.isnan(cb.baseline(cb.Population(3, 1), "f1").clearing_score(0.05))
