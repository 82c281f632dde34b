"""Planning of differences: other programs' special cases, the test itself, and all rates of one score."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.planning import Case, drawn
from scipy import stats

import clearbar as cb
from clearbar.inference.equal_scores import EqualScores
from clearbar.verdict import _planning
from clearbar.verdict._difference import DifferenceTrial, HypotheticalRates
from clearbar.verdict._plan import checked_plan
from clearbar.verdict._power import Trial, of_clusters, simulated_power, without_clusters

MODEL = {"sensitivity": 0.9, "specificity": 0.9}


def rates(sensitivity, specificity, **more):
    return {"sensitivity": sensitivity, "specificity": specificity, **more}


# statsmodels 0.14, power_proportions_2indep: two independent shares, normal.
@pytest.mark.parametrize(
    ("first", "second", "size", "power"),
    [
        (0.8, 0.6, 100, 0.8757320362475391),
        (0.9, 0.8, 150, 0.680835494982275),
        (0.5, 0.35, 200, 0.861470522956074),
    ],
)
def test_recall_of_two_groups_has_the_power_of_two_shares(first, second, size, power):
    population = cb.Population(2 * size, size)
    other = rates(second, 0.9, population=population)
    found = cb.power(population, "recall", **rates(first, 0.9), versus=other)
    assert found == pytest.approx(power, abs=0.03)
    assert found.standard_error == pytest.approx(math.sqrt(found * (1 - found) / 9_999), rel=0.01)


# statsmodels 0.14, TTestPower of the differences of right and wrong: n for 0.8, and the power of 300.
@pytest.mark.parametrize(
    ("first", "second", "agreement", "samples", "power"),
    [(0.85, 0.80, 0.85, 465.007, 0.6132350346332723), (0.7, 0.6, 0.8, 151.06, 0.9772953038207516)],
)
def test_accuracy_of_two_models_has_the_power_of_paired_differences(first, second, agreement, samples, power):
    facts = {**rates(first, first), "versus": rates(second, second), "agreement": agreement}
    assert cb.samples_needed("accuracy", prevalence=0.5, **facts) == pytest.approx(samples, rel=0.04)
    assert cb.power(cb.Population(300, 150), "accuracy", **facts) == pytest.approx(power, abs=0.02)


@pytest.mark.parametrize(("difference", "samples"), [(0.06, 546), (0.03, 2181)])
def test_it_is_lmms_evals_number_for_standard_deviations_of_a_half(difference, samples):
    """Its power_analysis with std 0.5 and correlation 0.5; the rates here are those of such answers."""
    a, b = 0.5 + difference / 2, 0.5 - difference / 2
    both = a * b + 0.5 * math.sqrt(a * (1 - a) * b * (1 - b))
    facts = {**rates(a, a), "versus": rates(b, b), "agreement": 1 - a - b + 2 * both}
    assert cb.samples_needed("accuracy", prevalence=0.5, **facts) == pytest.approx(samples, rel=0.03)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("measure", "sizes", "supposed"),
    [
        ("f1", ((20, 60),), HypotheticalRates((0.85, 0.1), (0.65, 0.2), (0.6, 0.05))),
        ("mcc", ((30, 30), (40, 20)), HypotheticalRates((0.9, 0.2), (0.7, 0.3), None)),
    ],
)
def test_it_is_how_often_the_test_itself_tells_them_apart(measure, sizes, supposed):
    trial = DifferenceTrial(cb.get_measure(measure), sizes, supposed, 0.05)
    tables = trial.cells.drawn(trial.shares, 300, np.random.default_rng(7))
    shown = 0
    for table in tables:
        pair = EqualScores(trial.cells, table, trial.measure.bounds)
        shown += pair.p_value <= 0.05 and pair.z() * trial.difference > 0
    power = trial.power(0)
    assert power == pytest.approx(shown / 300, abs=0.02 + 3.5 * math.sqrt(power * (1 - power) / 300))


@pytest.mark.slow
def test_without_agreement_both_extremes_are_said():
    population, other = cb.Population(200, 80), rates(0.7, 0.8)
    least, most = cb.power(population, "mcc", **MODEL, versus=other)
    assert least < cb.power(population, "mcc", **MODEL, versus=other, agreement=0.7) < most
    apart = [0.6, 0.7], [0.8, 0.9]  # on positives and negatives: the least and the most that rates allow
    ends = [cb.power(population, "mcc", **MODEL, versus=other, agreement=tuple(pair)) for pair in apart]
    assert (least, most) == tuple(ends)
    needed = cb.samples_needed("mcc", prevalence=0.4, **MODEL, versus=other)
    assert needed.low < cb.samples_needed("mcc", prevalence=0.4, **MODEL, versus=other, agreement=0.75)
    assert needed.low < needed.high


@pytest.mark.slow
def test_the_range_of_a_score_holds_all_rates_that_have_it():
    """Balanced accuracy 0.8: sensitivity and specificity add up to 1.6."""
    low, high = cb.power(cb.Population(20, 8), "balanced_accuracy", score=0.8)
    every = [
        Trial(cb.get_measure("balanced_accuracy"), 8, 12, a, 1.6 - a, 0.05).power(0)
        for a in np.linspace(0.6, 1.0, 21)
    ]
    assert low == pytest.approx(min(every), abs=0.01)
    assert high == pytest.approx(max(every), abs=0.01)
    needed = cb.samples_needed("balanced_accuracy", prevalence=0.5, score=0.9)
    for a in (0.82, 0.9, 0.98):
        one = cb.samples_needed("balanced_accuracy", prevalence=0.5, **rates(a, 1.8 - a))
        assert needed.low - 1 <= one <= needed.high + 1


@pytest.mark.parametrize("clusters", [5, 6, 12, 40])
@pytest.mark.parametrize("alone", [0.3, 0.8, 0.99])
def test_power_in_clusters_is_that_of_student_s_test(clusters, alone):
    """Means of clusters are drawn, normal, as far from 0 as gives independent samples this power."""
    expected = stats.norm.ppf(alone) - stats.norm.ppf(0.025)
    means = np.random.default_rng(clusters).normal(expected / math.sqrt(clusters), 1, (20_000, clusters))
    shown = (stats.ttest_1samp(means, 0.0, axis=1).statistic > stats.t.ppf(0.975, clusters - 1)).mean()
    planned = of_clusters(alone, clusters - 1, 0.05)
    assert planned == pytest.approx(shown, abs=0.015)
    assert without_clusters(planned, clusters - 1, 0.05) == pytest.approx(alone, abs=1e-6)
    assert of_clusters(alone, math.inf, 0.05) == alone


@pytest.mark.slow
def test_clusters_count_by_the_design_effect_and_cost_power_where_they_are_few():
    clustered = cb.power(cb.Population(60, 30), "mcc", **rates(0.8, 0.7), cluster_size=3, icc=0.5)
    alone = cb.power(cb.Population(30, 15), "mcc", **rates(0.8, 0.7))
    assert clustered == pytest.approx(of_clusters(alone, 19, 0.05))
    assert clustered < alone
    needed = cb.samples_needed("mcc", prevalence=0.5, **rates(0.8, 0.9), cluster_size=5, icc=0.2)
    options = {**rates(0.8, 0.9), "cluster_size": 5, "icc": 0.2}
    assert needed % 5 == 0
    assert cb.power(cb.Population(needed, needed // 2), "mcc", **options) >= 0.8
    assert cb.power(cb.Population(needed - 10, needed // 2 - 5), "mcc", **options) < 0.8
    assert cb.samples_needed("mcc", prevalence=0.5, **rates(1.0, 1.0), cluster_size=50, icc=0.9) >= 250


def plan_of(cluster_size, icc):
    facts = {"score": None, "versus": None, "agreement": None, "group": "population", "alpha": 0.05}
    options = {"cluster_size": cluster_size, "icc": icc, "undefined": "exclude", "random_state": 0}
    return checked_plan("mcc", rates=rates(0.9, 0.9), **facts, **options)


@pytest.mark.parametrize("cluster_size", [2, 5, 7, 10, 33])
def test_degrees_of_freedom_are_one_below_the_number_of_clusters(cluster_size):
    for icc in (0.0, 0.1, 0.3, 0.77, 1.0):
        plan = plan_of(cluster_size, icc)
        independent = replace(plan, effect=1.0)
        for clusters in range(5, 60):
            total = clusters * cluster_size
            for positives in (round(0.3 * total), total // 2):
                population = cb.Population(total, positives)
                assert plan.alone(population, (0.9, 0.1)).degrees == clusters - 1
            most = cb.Population(
                max(math.floor(clusters * plan.told + 1e-9), 2), 1
            )  # of as many clusters, at most
            assert independent.degrees(most) <= clusters - 1


def test_exactly_five_clusters_of_odd_classes_have_four_degrees_of_freedom():
    found = cb.power(cb.Population(75, 35), "mcc", **rates(0.95, 0.95), cluster_size=15, icc=0.1)
    alone = cb.power(cb.Population(31, 14), "mcc", **rates(0.95, 0.95))  # 75 and 35 over 2.4
    assert 0 < found == pytest.approx(of_clusters(alone, 4, 0.05))


def test_a_whole_number_of_clusters_is_not_rounded_up(monkeypatch):
    assert 25 * (1 + 4 * 0.3) / 5 > 11  # 11.000000000000002
    monkeypatch.setattr(_planning, "numbers_tried", lambda *_: iter([25]))
    assert cb.samples_needed("mcc", prevalence=0.3, **rates(0.8, 0.9), cluster_size=5, icc=0.3) == 55


@pytest.mark.slow
def test_what_is_planned_has_the_power_that_is_wanted():
    """15 independent samples, 5 of them positive: 4.5 of 45 in clusters are not rounded down."""
    options = {**MODEL, "cluster_size": 10, "icc": 1.0}
    assert cb.samples_needed("mcc", prevalence=0.3, **options) == 150
    assert cb.power(cb.Population(150, 45), "mcc", **options) >= 0.8


@pytest.mark.parametrize("versus", [None, rates(0.6, 0.6)])
def test_what_is_planned_in_clusters_is_not_refused(versus):
    options = {**MODEL, "versus": versus, "cluster_size": 40, "icc": 0.1}
    if versus is not None:
        options["agreement"] = 0.6
    needed = cb.samples_needed("mcc", prevalence=0.3, **options, power=0.01)
    assert needed == 200
    assert cb.power(cb.Population(needed, 60), "mcc", **options) >= 0.01


def test_the_standard_error_in_clusters_is_the_spread_of_simulations():
    drawn = np.random.default_rng(0).binomial(2_000, 0.97, 500)
    found = [simulated_power(int(shown), 2_000, 4, 0.05) for shown in drawn]
    reported = np.mean([power.standard_error for power in found])
    assert reported == pytest.approx(np.std(found), rel=0.1)


@pytest.mark.parametrize(("rate", "samples"), [(0.55, 5_000), (0.6, 1_500)])
def test_power_that_all_simulated_test_sets_show_follows_the_expected_z(rate, samples):
    """Balanced accuracy of equal classes: its standard error is √(r(1 - r) / M)."""
    population, options = cb.Population(samples, samples // 2), {"cluster_size": samples / 5, "icc": 0.0}
    for alpha in (0.05, 0.01):
        found = cb.power(population, "balanced_accuracy", **rates(rate, rate), **options, alpha=alpha)
        z = (rate - 0.5) / math.sqrt(rate * (1 - rate) / samples)
        assert found == pytest.approx(1 - stats.nct.cdf(stats.t.ppf(1 - alpha / 2, 4), 4, z), abs=1e-3)
        assert found.standard_error == 0


@pytest.mark.slow
def test_power_in_few_clusters_is_how_often_test_sets_are_sure():
    case, trials = Case(8, 5, 0.3), 150
    (sensitivity, specificity), rng, sure = case.supposed(), np.random.default_rng(3), 0
    for _ in range(trials):
        truth, called, cluster = drawn(rng, case)
        sure += cb.evaluate(truth, called, "mcc", clusters=cluster)[0].sure
    supposed = rates(sensitivity, specificity)
    planned = cb.power(cb.Population(40, 20), "mcc", **supposed, cluster_size=5, icc=0.3)
    assert sure / trials == pytest.approx(planned, abs=0.12)
    assert cb.power(cb.Population(18, 9), "mcc", **supposed) > planned + 0.1


@pytest.mark.parametrize("other", [None, pytest.param(cb.Population(400, 160), marks=pytest.mark.slow)])
def test_the_least_difference_is_shown_with_the_power_that_is_wanted(other):
    population = cb.Population(400, 160)
    options = {} if other is not None else {"agreement": 0.85}
    least = cb.least_difference(population, "balanced_accuracy", **MODEL, population=other, **options)
    worse = rates(0.9 - least, 0.9 - least, **({} if other is None else {"population": other}))
    power = cb.power(population, "balanced_accuracy", **MODEL, versus=worse, **options)
    assert power == pytest.approx(0.8, abs=0.01)
    fewer = cb.least_difference(cb.Population(100, 40), "balanced_accuracy", **MODEL, **options)
    assert (fewer if other is None else fewer.high) > least


def test_unequal_groups_may_be_planned():
    more = cb.power(
        cb.Population(100, 50), "recall", **MODEL, versus=rates(0.7, 0.9, population=[1, 0] * 100)
    )
    fewer = cb.power(
        cb.Population(100, 50), "recall", **MODEL, versus=rates(0.7, 0.9, population=[1, 0] * 30)
    )
    assert fewer < more


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"versus": {"sensitivity": 0.5}}, "versus must be a dict of 'sensitivity' and 'specificity'"),
        ({"versus": rates(0.5, 2)}, "specificity must be a share from 0 to 1; found 2"),
        ({"versus": MODEL}, "versus supposes the same true MCC"),
        ({"versus": rates(0.5, 0.5), "agreement": 0.9}, "agreement on positives can only lie between"),
        ({"versus": rates(0.5, 0.5), "agreement": (1, 1, 1)}, "agreement must be a share, or one of"),
        ({"agreement": 0.9}, "agreement is that of two models on the same samples"),
        ({"score": 0.8}, "score stands for the rates of all models that have it: leave both rates out"),
        ({"specificity": None}, "specificity must be given: both rates of the model, or its score alone"),
        ({"versus": rates(0.5, 0.5), "alpha": 1e-4}, "alpha must be at least 0.001 for a difference"),
        ({"cluster_size": 0}, "cluster_size must be a number from 1 up; found 0"),
        ({"icc": 2}, "icc must be a correlation from 0 to 1; found 2"),
        ({"icc": 0.2}, "icc is that of samples in one cluster: give cluster_size as well"),
        ({"cluster_size": 5, "alpha": 0.001}, "alpha must be at least 0.01 in clusters; found 0.001"),
        (
            {"versus": rates(0.5, 0.5, prevalence=0.3), "cluster_size": 200},
            "cluster_size must be 1 for a difference of two groups: gaps of groups in clusters are not",
        ),
        ({"versus": rates(0.5, 0.5, prevalence=0)}, "must lie between 0 and 1, without either; found 0"),
    ],
)  # fmt: skip
def test_bad_input_is_said_in_a_sentence(given, message):
    with pytest.raises(ValueError, match=message) as caught:
        cb.samples_needed("mcc", **{"prevalence": 0.3, **MODEL, **given})
    assert "\n" not in str(caught.value)


def test_fewer_than_five_clusters_are_refused():
    for ask in (cb.power, cb.least_difference):
        with pytest.raises(ValueError, match="cluster_size leaves 4 clusters of 40 samples; without 5 there"):
            ask(cb.Population(40, 20), "mcc", **MODEL, cluster_size=10)


@pytest.mark.parametrize(
    ("score", "message"),
    [
        (0.2, "is not above the F1 bar"),
        (1.2, "no model has a true F1 of 1.2"),
        ("high", "score must be a number; found 'high'"),
    ],
)
def test_a_score_that_cannot_be_is_said(score, message):
    for ask in (
        lambda: cb.samples_needed("f1", prevalence=0.3, score=score),
        lambda: cb.power(cb.Population(100, 30), "f1", score=score),
    ):
        with pytest.raises(ValueError, match=message):
            ask()


def test_power_in_few_clusters_goes_on_rising_where_nearly_all_outcomes_are_sure():
    """Five clusters: 18 to 100 standard errors above the bar; what is enumerated is 1 but for rounding."""
    population, planned = cb.Population(400, 200), []
    for rate in (0.9, 0.97, 0.995):
        found = cb.power(
            population, "balanced_accuracy", sensitivity=rate, specificity=rate, cluster_size=80, alpha=0.01
        )
        z = (rate - 0.5) / math.sqrt(rate * (1 - rate) / 400)
        assert found == pytest.approx(1 - stats.nct.cdf(stats.t.ppf(0.995, 4), 4, z), abs=1e-4)
        planned.append(found)
    assert planned == sorted(planned)
