"""Skill, outcomes in their order of precedence, and bare scores."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle.law import table
from tests.strategies import measures, policies, populations

import clearbar as cb
from clearbar.core.counts import counts_of
from clearbar.verdict import outcomes
from clearbar.verdict._skill import standing

ORIENTED = st.sampled_from([m for m in cb.measures() if m.greater_is_better is not None])


def skill_by_the_book(measure, score, bar, best, worst):
    """Return the papers' rescaled score with its degenerate cases, in plain steps."""
    if any(math.isnan(x) for x in (score, bar, best)):
        return math.nan
    bound = measure.bounds[0] if measure.greater_is_better else measure.bounds[1]
    if not measure.greater_is_better:
        score, bar, best, worst, bound = -score, -bar, -best, -worst, -bound
    way = abs(best - bar) if math.isfinite(best - bar) else 0.0
    if abs(score - bar) <= max(1e-12 * way, 4 * math.ulp(abs(score))):
        return 0.0
    if score > bar:
        return (score - bar) / (best - bar) if best > bar else math.nan
    if bar - worst > 1e-12 * max(abs(bar), abs(worst), abs(best - worst)):
        return max((score - bar) / (bar - worst), -1.0)
    if not math.isfinite(bound) or not bar > bound:
        return math.nan
    return max((score - bar) / (bar - bound), -1.0)


@st.composite
def judged_tables(draw):
    """A measure, a policy, a population, and the score of one of its tables."""
    population, measure = draw(populations(25)), draw(ORIENTED)
    total, positives = population.total, population.positives
    k = draw(st.integers(0, total))
    tp = draw(st.integers(max(0, k + positives - total), min(k, positives)))
    return measure, draw(policies), population, counts_of(table(total, positives, k, tp))


@settings(max_examples=300)
@given(judged_tables())
def test_skill_is_the_papers_rescaled_score(case):
    measure, policy, population, counts = case
    bar = cb.baseline(population, measure, undefined=policy)
    score = measure(counts)
    worst = bar.worst.value
    want = skill_by_the_book(measure, score, bar.value, bar.best_possible, worst)
    assert cb.skill(score, bar) == pytest.approx(want, rel=1e-9, abs=1e-9, nan_ok=True)


@settings(max_examples=200)
@given(judged_tables())
def test_every_verdict_is_consistent(case):
    measure, policy, population, counts = case
    (verdict,) = cb.evaluate_counts(counts, measure, undefined=policy)
    sign = 1 if measure.greater_is_better else -1
    assert verdict.baseline == cb.baseline(population, measure, undefined=policy)
    assert verdict.counts == counts
    explained = verdict.outcome in {"undefined", "unbeatable"} or math.isnan(verdict.skill)
    approximate = "traced on a grid" in verdict.reason
    assert bool(verdict.reason) == explained or math.isnan(verdict.p_value) or approximate
    if verdict.outcome == "undefined":
        assert math.isnan(verdict.score) or math.isnan(float(verdict.baseline))
        return
    assert 0 <= verdict.p_value_blind <= 1
    assert not verdict.p_value > 1
    assert not verdict.p_value < 2e-6  # twice what the confidence box leaves out
    assert verdict.sure == (verdict.clears and verdict.p_sure <= 0.05)
    gap = sign * (verdict.score - float(verdict.baseline))
    assert (verdict.outcome == "clears") == verdict.clears
    assert {"clears": gap > 0, "fails": gap < 0}.get(verdict.outcome, True)
    if verdict.outcome == "clears":
        assert not verdict.skill <= 0
    if verdict.outcome == "fails":
        assert not verdict.skill >= 0
    if verdict.outcome == "ties":
        assert verdict.skill == 0 or math.isnan(verdict.skill)
    if verdict.outcome == "unbeatable":
        assert verdict.best_possible == pytest.approx(float(verdict.baseline), rel=1e-12, abs=1e-12)


def test_the_papers_examples_of_skill():
    bar = cb.baseline(cb.Population(100, 30), "f1")
    assert cb.skill(0.8, bar) == pytest.approx(0.6285714285714287, rel=1e-14)
    assert cb.skill(1.0, bar) == 1
    assert cb.skill(bar.value, bar) == 0
    assert cb.skill(0.0, bar) == -1  # F1 of 0 lies beyond the worst admissible draw
    assert cb.skill(bar.min.value, bar) == -1
    accuracy = cb.get_measure("accuracy")
    assert standing(accuracy, 0.5, 0.7, 1.0, 0.3).skill == pytest.approx(-0.5, rel=1e-14)
    fpr = cb.get_measure("fpr")
    assert standing(fpr, 0.1, 0.3, 0.0, 0.7).skill == pytest.approx(2 / 3, rel=1e-14)
    assert standing(fpr, 0.5, 0.3, 0.0, 0.7).skill == pytest.approx(-0.5, rel=1e-14)
    assert standing(fpr, 0.9, 0.3, 0.0, 0.7).skill == -1


@pytest.mark.parametrize(
    "name", ["precision", "npv", "informedness", "markedness", "mcc", "kappa", "balanced_accuracy"]
)
def test_where_all_draws_are_equal_skill_below_the_bar_is_scaled_by_the_bound(name):
    """The papers' first branch would put a score at the bar at -1, and jump to 0 just above."""
    bar = cb.baseline(cb.Population(20, 6), name)
    low = bar.measure.bounds[0]
    assert bar.max.value == bar.min.value
    assert cb.skill(bar.value, bar) == 0
    assert cb.skill(low, bar) == -1
    assert cb.skill((bar.value + low) / 2, bar) == pytest.approx(-0.5, rel=1e-14)
    assert cb.skill((bar.value + 1) / 2, bar) == pytest.approx(0.5, rel=1e-14)


def test_skill_where_nothing_can_beat_the_bar_is_not_positive():
    bar = cb.baseline(cb.Population(20, 6), "recall")
    assert cb.skill(1.0, bar) == 0
    assert cb.skill(0.5, bar) == -0.5
    everything = cb.baseline(cb.Population(20, 20), "precision")
    assert cb.skill(1.0, everything) == 0


def test_skill_has_no_value_where_a_number_is_missing():
    assert math.isnan(cb.skill(math.nan, cb.baseline(cb.Population(20, 6), "f1")))
    assert math.isnan(cb.skill(0.5, cb.baseline(cb.Population(20, 0), "f1")))
    assert math.isnan(cb.skill(0.5, cb.baseline(cb.Population(20, 6), "prevalence")))
    assert math.isnan(cb.skill(3.0, cb.baseline(cb.Population(20, 6), "positive_likelihood_ratio")))


@given(st.floats(-1, 1), st.sampled_from(["mcc", "kappa", "informedness", "markedness"]))
def test_skill_of_an_equitable_score_is_itself(score, name):
    assert cb.skill(score, cb.baseline(cb.Population(50, 13), name)) == pytest.approx(score, abs=1e-12)


def test_skill_of_arrays_is_elementwise():
    bar = cb.baseline(cb.Population(100, 30), "f1")
    scores = np.array([0.8, 1.0, 0.0, math.nan])
    np.testing.assert_array_equal(cb.skill(scores, bar), [cb.skill(float(s), bar) for s in scores])
    bars = cb.baseline(cb.Population([100, 303], [30, 139]), "f1")
    np.testing.assert_allclose(cb.skill([0.8, 0.7], bars), [cb.skill(0.8, bars[0]), cb.skill(0.7, bars[1])])


@pytest.mark.parametrize("score", [math.inf, -math.inf, math.nan])
def test_what_is_no_number_has_no_skill(score):
    assert math.isnan(cb.skill(score, cb.baseline(cb.Population(100, 30), "f1")))


def test_skill_needs_a_baseline():
    with pytest.raises(
        ValueError, match=r"^baseline must be what cb\.baseline\(\.\.\.\) returns; found float"
    ):
        cb.skill(0.8, 0.5)


def outcome(name, score, bar, best, worst):
    return str(outcomes(cb.get_measure(name), score, bar, best, worst))


def test_undefined_comes_before_everything():
    assert outcome("f1", math.nan, 1.0, 1.0, 0.0) == "undefined"
    assert outcome("f1", 0.5, math.nan, 0.5, 0.0) == "undefined"
    assert outcome("prevalence", 0.5, 0.5, 0.5, 0.5) == "undefined"


def test_unbeatable_comes_before_ties_and_fails():
    assert outcome("recall", 1.0, 1.0, 1.0, 0.0) == "unbeatable"
    assert outcome("recall", 0.3, 1.0, 1.0, 0.0) == "unbeatable"
    assert outcome("fp", 7.0, 0.0, 0.0, 20.0) == "unbeatable"


def test_ties_come_before_clears_and_fails():
    assert outcome("f1", 0.5, 0.5, 1.0, 0.0) == "ties"
    assert outcome("f1", 0.5 + 4e-13, 0.5, 1.0, 0.0) == "ties"
    assert outcome("f1", 0.5 - 4e-13, 0.5, 1.0, 0.0) == "ties"
    assert outcome("f1", 0.5 + 2e-12, 0.5, 1.0, 0.0) == "clears"
    assert outcome("f1", 0.5 - 2e-12, 0.5, 1.0, 0.0) == "fails"
    assert outcome("mcc", 1e-13, 0.0, 1.0, 0.0) == "ties"
    assert outcome("mcc", 1e-13, 0.0, 1.0, math.nan) == "ties"  # the way up counts, not the way down
    assert outcome("diagnostic_odds_ratio", 1e-13, 0.0, math.nan, 0.0) == "clears"  # no way up
    assert outcome("f1", 1 - 2e-9 + 4e-16, 1 - 2e-9, 1.0, 0.0) == "ties"  # 4 ulp where that is more
    assert outcome("f1", 1 - 2e-9 + 4e-15, 1 - 2e-9, 1.0, 0.0) == "clears"


@pytest.mark.parametrize(
    ("name", "counts", "bar"),
    [
        ("accuracy", {"tp": 1, "fp": 0, "fn": 0, "tn": 10**12 - 1}, Fraction(10**12 - 1, 10**12)),
        ("error_rate", {"tp": 1, "fp": 0, "fn": 0, "tn": 10**13 - 1}, Fraction(1, 10**13)),
        ("f1", {"tp": 10**15 - 1, "fp": 0, "fn": 0, "tn": 1}, Fraction(2 * (10**15 - 1), 2 * 10**15 - 1)),
        ("accuracy", {"tp": 1, "fp": 0, "fn": 0, "tn": 2**52 - 1}, Fraction(2**52 - 1, 2**52)),
    ],
)
def test_one_sample_of_very_many_is_no_rounding(name, counts, bar):
    (verdict,) = cb.evaluate_counts(cb.Counts(**counts), name)
    total = sum(counts.values())
    assert float(verdict.baseline) == pytest.approx(float(bar), rel=1e-15)
    assert (verdict.outcome, verdict.skill) == ("clears", 1)
    # the one draw that gets all right has as many predicted positives: one in M does
    assert verdict.p_value_blind == pytest.approx(1 / total, rel=1e-12)
    assert verdict.baseline.reach(verdict.score).upper == pytest.approx(1 / total, rel=1e-12)
    assert verdict.baseline.judge(verdict.score).outcome == "clears"
    assert cb.skill(verdict.score, verdict.baseline) == pytest.approx(1, rel=1e-12)


def test_a_loss_clears_by_being_smaller():
    assert outcome("error_rate", 0.1, 0.3, 0.0, 0.7) == "clears"
    assert outcome("error_rate", 0.5, 0.3, 0.0, 0.7) == "fails"


def test_a_published_number_is_judged_from_class_sizes():
    verdict = cb.baseline(cb.Population(31, 18), "f1").judge(0.72)
    assert verdict.outcome == "fails"
    assert not verdict.clears
    assert verdict.score == 0.72
    assert float(verdict.baseline) == 36 / 49
    assert verdict.counts is None
    assert verdict.group is None
    assert verdict.best_possible == 1
    assert verdict.worst_draw == pytest.approx(36 / (31 * 19), rel=1e-15)
    assert -1 < verdict.skill < 0
    assert verdict.p_value_blind == verdict.baseline.reach(0.72).upper
    assert "0.72" in str(verdict)
    assert "0.735" in str(verdict)


def test_the_papers_heart_disease_example_fails_and_a_better_score_clears():
    bar = cb.baseline(cb.Population(31, 18), "f1")
    assert round(bar.value, 3) == 0.735
    assert bar.judge(0.70).outcome == "fails"
    assert bar.judge(36 / 49).outcome == "ties"
    assert bar.judge(0.80).outcome == "clears"


def test_a_judged_number_with_nothing_to_be_judged_by():
    verdict = cb.baseline(cb.Population(10, 0), "f1").judge(0.5)
    assert verdict.outcome == "undefined"
    assert "undefined='worst'" in verdict.reason
    assert cb.baseline(cb.Population(10, 3), "recall").judge(0.5).outcome == "unbeatable"
    neither = cb.baseline(cb.Population(10, 3), "prevalence").judge(0.5)
    assert neither.outcome == "undefined"
    assert math.isnan(neither.p_value_blind)
    assert not neither.sure
    assert "no better end" in neither.reason


@pytest.mark.parametrize("score", [b"0.72", None, math.nan, math.inf, [0.5]])
def test_a_score_must_be_a_finite_number(score):
    bar = cb.baseline(cb.Population(31, 18), "f1")
    with pytest.raises(ValueError, match=r"^score must be a finite number; found "):
        bar.judge(score)
    with pytest.raises(ValueError, match=r"^score must be a finite number; found "):
        cb.p_value(score, cb.Population(31, 18), "f1")


@settings(max_examples=100)
@given(populations(40), measures(lambda m: m.greater_is_better is not None), policies)
def test_best_possible_is_the_score_of_perfect_predictions(population, measure, policy):
    """Whatever the policy: where the formula has no value for perfect predictions there is no skill."""
    bar = cb.baseline(population, measure, undefined=policy)
    perfect = measure(tp=population.positives, fp=0, fn=0, tn=population.negatives)
    assert bar.best_possible == pytest.approx(perfect, nan_ok=True)
