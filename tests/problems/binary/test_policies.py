"""What a bar does with outcomes that have no value: left out, the worst there is, or a number."""

import math

import numpy as np
import pytest
from tests.oracle.bars import fill
from tests.oracle.values import MEASURES, NAMES, extremes_of_tables, scores
from tests.strategies import archetypes_first

import clearbar as cb
from clearbar.catalogue import extreme_value


@pytest.mark.parametrize("name", archetypes_first(NAMES))
def test_the_worst_value_of_any_table_is_found_exactly(name):
    measure = MEASURES[name]
    for total in range(1, 8):
        for want, largest in zip(extremes_of_tables(name, total), (False, True), strict=True):
            got = extreme_value(measure, total, largest=largest)
            if want is None:
                assert math.isnan(got)
            else:
                assert abs(got - want) <= 4e-15 * max(abs(want), 1), (total, got, want)


def test_the_worst_value_is_found_too_where_not_every_table_is_tried():
    tp, fp, fn = (grid.ravel() for grid in np.meshgrid(*[np.arange(68)] * 3, indexing="ij"))
    tables = np.stack((tp, fp, fn, 67 - tp - fp - fn))
    tables = tables[:, tables[3] >= 0]
    for measure in cb.measures():
        values = measure(**dict(zip(("tp", "fp", "fn", "tn"), tables, strict=True)))
        for largest, want in ((True, np.nanmax(values)), (False, np.nanmin(values))):
            got = extreme_value(measure, 67, largest=largest)
            assert got == pytest.approx(want, rel=1e-14, abs=1e-15), (measure.name, largest)


def test_a_loss_is_rewarded_for_undefined_predictions_under_zero():
    """The trap that Stat. Neerl. 2.2.1 warns about: predict nothing, and no discovery is false."""
    population = cb.Population(10, 3)
    assert cb.baseline(population, "fdr").value == 0.7
    assert cb.baseline(population, "fdr", undefined="worst").value == 0.7
    assert cb.baseline(population, "fdr", undefined=0).value == 0


@pytest.mark.parametrize("name", ["diagnostic_odds_ratio", "sedi"])
def test_without_an_admissible_draw_the_reason_names_the_other_policies(name):
    bar = cb.baseline(cb.Population(10, 3), name)
    assert math.isnan(float(bar))
    assert "undefined='worst'" in bar.reason
    assert "undefined=0.0" in bar.reason
    with pytest.raises(ValueError, match="there is no optimal draw"):
        bar.draw()
    other = cb.baseline(cb.Population(10, 3), name, undefined="worst")
    assert math.isfinite(other.value)
    assert other.reason == ""


@pytest.mark.parametrize("policy", ["best", math.nan, True])
def test_there_are_no_other_policies(policy):
    with pytest.raises(ValueError, match=r"^undefined must be 'exclude', 'worst' or a finite number; found "):
        cb.baseline(cb.Population(10, 3), "f1", undefined=policy)


def test_where_neither_end_is_better_there_are_extremes_but_no_bar():
    bar = cb.baseline(cb.Population(10, 3), "frequency_bias")
    assert (bar.best, math.isnan(bar.value), math.isfinite(bar.max.value)) == (None, True, True)
    assert "no better end" in bar.reason


def test_a_worst_value_that_was_only_searched_for_is_no_warrant():
    """Least chi-squared of a prime number of samples: every table is tried up to 128, not beyond."""

    def bar(total, positives, name="chi2", policy="worst"):
        return cb.baseline(cb.Population(total, positives), name, undefined=policy)

    assert bar(113, 0).certified
    assert not bar(131, 0).certified
    assert bar(131, 40).max.certified  # draws with a value are better, however bad the worst value is
    assert not bar(131, 40).worst.certified
    assert bar(131, 0, "f1_macro").certified  # it is the bound, 0
    assert bar(131, 0, policy=0.0).certified
    odds = bar(150, 40, "diagnostic_odds_ratio")
    assert odds.max.certified  # its least value is the bound
    assert not odds.min.certified  # how large it can be was searched for, and counts in every mean


@pytest.mark.parametrize("name", ["chi2", "kappa", "information_score", "f1_gain"])
def test_arrays_have_the_same_warrants(name):
    total = np.repeat([120, 131, 150], 8)
    positives = np.tile([0, 1, 2, 30, 60, 118, 119, 120], 3)
    bars = cb.baseline(cb.Population(total, positives), name, undefined="worst")
    for side in ("max", "min"):
        ones = [getattr(cb.baseline(one, name, undefined="worst"), side) for one in bars.population]
        assert getattr(bars, side).certified.tolist() == [one.certified for one in ones], side


def oracle_worst(name, total, positives):
    """The worst expected score of any draw, outcomes without a value counted as in the bar."""
    greater = MEASURES[name].greater_is_better
    constant = fill(name, total, "worst", largest=greater)
    means = [scores(name, total, positives).mean(k, constant) for k in range(total + 1)]
    means = [mean for mean in means if mean is not None]
    return float((min if greater else max)(means)) if means else math.nan


@pytest.mark.parametrize(
    "name", archetypes_first([name for name in NAMES if MEASURES[name].greater_is_better is not None])
)
def test_the_worst_draw_counts_what_has_no_value_as_the_bar_does(name):
    sizes = [(total, positives) for total in (2, 4) for positives in range(total + 1)]
    want = [oracle_worst(name, *population) for population in sizes]
    one_by_one = [cb.baseline(cb.Population(*p), name, undefined="worst").worst_value for p in sizes]
    together = cb.baseline(cb.Population(*np.array(sizes).T), name, undefined="worst")
    for got in (one_by_one, together.worst_value, together[3:].worst.value):
        np.testing.assert_allclose(got, want[-len(got) :], rtol=1e-13, atol=1e-14)


def test_skill_is_minus_one_for_what_expects_least_under_the_bars_own_policy():
    """Kulczynski: predicting none has no value, which counts as 0, in the score as in its scale."""
    bar = cb.baseline(cb.Population(10, 3), "kulczynski2", undefined="worst")
    assert bar.min.value == pytest.approx(0.2, rel=1e-15)  # the paper's rule: what has no value counts as 1
    assert bar.worst_value == 0.0
    assert bar.worst.predicted_positives == (range(1),)
    assert cb.skill(0.0, bar) == bar.judge(0.0).skill == -1.0
    tables = cb.Counts(tp=[0, 2], fp=[0, 0], fn=[3, 2], tn=[7, 6])
    cards = [cb.evaluate_counts(tables, "kulczynski2", undefined="worst")]
    nothing = cb.evaluate_counts(tables[0], "kulczynski2", undefined="worst")[0]
    assert (nothing.score, nothing.worst_draw, nothing.skill) == (0.0, 0.0, -1.0)
    cards += [
        cb.evaluate_fold_counts(tables, "kulczynski2", undefined="worst", **options)
        for options in ({}, {"fold_aware": True}, {"aggregate": "mean"})
    ]
    assert all(verdict.worst_draw == 0.0 for card in cards for verdict in card)
    loss = cb.baseline(cb.Population(10, 3), "fdr", undefined="worst")
    assert loss.max.value == pytest.approx(0.7, rel=1e-15)
    assert loss.worst_value == 1.0
