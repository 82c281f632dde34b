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


@settings(max_examples=150)
@given(judged_tables())
def test_skill_is_the_papers_rescaled_score(case):
    measure, policy, population, counts = case
    bar = cb.baseline(population, measure, undefined=policy)
    score = measure(counts)
    worst = bar.worst.value
    want = skill_by_the_book(measure, score, bar.value, bar.best_possible, worst)
    assert cb.skill(score, bar) == pytest.approx(want, rel=1e-9, abs=1e-9, nan_ok=True)


@settings(max_examples=60)
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
    scores = np.array([0.8, 1.0, bar.value, 0.0, bar.min.value, math.nan, math.inf])
    # an F1 of 0 lies beyond the worst admissible draw
    want = [0.6285714285714287, 1, 0, -1, -1, math.nan, math.nan]
    assert cb.skill(scores, bar) == pytest.approx(want, rel=1e-14, nan_ok=True)
    bars = cb.baseline(cb.Population([100, 303], [30, 139]), "f1")
    assert cb.skill([0.8, 0.7], bars).tolist() == [cb.skill(0.8, bars[0]), cb.skill(0.7, bars[1])]
    accuracy, fpr = cb.get_measure("accuracy"), cb.get_measure("fpr")
    assert standing(accuracy, 0.5, 0.7, 1.0, 0.3).skill == pytest.approx(-0.5, rel=1e-14)
    for score, skill in ((0.1, 2 / 3), (0.5, -0.5), (0.9, -1)):
        assert standing(fpr, score, 0.3, 0.0, 0.7).skill == pytest.approx(skill, rel=1e-14)


@pytest.mark.parametrize(
    "name", ["precision", "npv", "informedness", "markedness", "mcc", "kappa", "balanced_accuracy"]
)
def test_where_all_draws_are_equal_skill_below_the_bar_is_scaled_by_the_bound(name):
    """The papers' first branch would put a score at the bar at -1, and jump to 0 just above."""
    bar = cb.baseline(cb.Population(20, 6), name)
    low = bar.measure.bounds[0]
    assert bar.max.value == bar.min.value
    scores = np.array([bar.value, low, (bar.value + low) / 2, (bar.value + 1) / 2])
    assert cb.skill(scores, bar) == pytest.approx([0, -1, -0.5, 0.5], rel=1e-14)


def test_skill_is_not_positive_where_nothing_can_beat_the_bar_and_nan_where_a_number_is_missing():
    assert cb.skill(np.array([1.0, 0.5]), cb.baseline(cb.Population(20, 6), "recall")).tolist() == [0, -0.5]
    assert cb.skill(1.0, cb.baseline(cb.Population(20, 20), "precision")) == 0
    for score, positives, name in (
        (0.5, 0, "f1"),
        (0.5, 6, "prevalence"),
        (3, 6, "positive_likelihood_ratio"),
    ):
        assert math.isnan(cb.skill(score, cb.baseline(cb.Population(20, positives), name)))


def test_skill_needs_a_baseline():
    with pytest.raises(ValueError, match=r"^baseline must be what cb\.baseline\(.*\) returns; found float"):
        cb.skill(0.8, 0.5)


NAN = math.nan


@pytest.mark.parametrize(
    ("name", "score", "bar", "best", "worst", "outcome"),
    [
        ("f1", NAN, 1.0, 1.0, 0.0, "undefined"),  # before everything
        ("f1", 0.5, NAN, 0.5, 0.0, "undefined"),
        ("prevalence", 0.5, 0.5, 0.5, 0.5, "undefined"),
        ("recall", 1.0, 1.0, 1.0, 0.0, "unbeatable"),  # before ties and fails
        ("recall", 0.3, 1.0, 1.0, 0.0, "unbeatable"),
        ("fp", 7.0, 0.0, 0.0, 20.0, "unbeatable"),
        ("f1", 0.5, 0.5, 1.0, 0.0, "ties"),  # before clears and fails
        ("f1", 0.5 + 4e-13, 0.5, 1.0, 0.0, "ties"),
        ("f1", 0.5 - 4e-13, 0.5, 1.0, 0.0, "ties"),
        ("f1", 0.5 + 2e-12, 0.5, 1.0, 0.0, "clears"),
        ("f1", 0.5 - 2e-12, 0.5, 1.0, 0.0, "fails"),
        ("mcc", 1e-13, 0.0, 1.0, NAN, "ties"),  # the way up counts, not the way down
        ("diagnostic_odds_ratio", 1e-13, 0.0, NAN, 0.0, "clears"),  # no way up
        ("f1", 1 - 2e-9 + 4e-16, 1 - 2e-9, 1.0, 0.0, "ties"),  # 4 ulp where that is more
        ("f1", 1 - 2e-9 + 4e-15, 1 - 2e-9, 1.0, 0.0, "clears"),
        ("error_rate", 0.1, 0.3, 0.0, 0.7, "clears"),  # a loss clears by being smaller
        ("error_rate", 0.5, 0.3, 0.0, 0.7, "fails"),
    ],
)
def test_outcomes_come_in_their_order(name, score, bar, best, worst, outcome):
    assert outcomes(cb.get_measure(name), score, bar, best, worst) == outcome


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


def test_a_published_number_is_judged_from_class_sizes():
    verdict = cb.baseline(cb.Population(31, 18), "f1").judge(0.72)
    assert verdict.outcome == "fails"
    assert float(verdict.baseline) == 36 / 49
    assert (verdict.counts, verdict.group, verdict.best_possible) == (None, None, 1)
    assert verdict.worst_draw == pytest.approx(36 / (31 * 19), rel=1e-15)
    assert -1 < verdict.skill < 0
    assert verdict.p_value_blind == verdict.baseline.reach(0.72).upper
    assert "0.72" in str(verdict)
    assert verdict.baseline.judge(36 / 49).outcome == "ties"
    assert verdict.baseline.judge(0.80).outcome == "clears"


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


@settings(max_examples=100)
@given(populations(40), measures(lambda m: m.greater_is_better is not None), policies)
def test_best_possible_is_the_score_of_perfect_predictions(population, measure, policy):
    """Whatever the policy: where the formula has no value for perfect predictions there is no skill."""
    bar = cb.baseline(population, measure, undefined=policy)
    perfect = measure(tp=population.positives, fp=0, fn=0, tn=population.negatives)
    assert bar.best_possible == pytest.approx(perfect, nan_ok=True)
