"""Closed form, full sum and strided sum are three routes to one number."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle import wide
from tests.strategies import draws, measures

import clearbar as cb
from clearbar.null import moments


@settings(max_examples=60)
@given(st.lists(draws(), min_size=1, max_size=25), measures())
def test_moments_of_arrays_are_those_of_each_draw(several, measure):
    margins = np.array(
        [(d.population.total, d.population.positives, d.predicted_positives) for d in several]
    ).T
    arrays = moments(measure, *margins)
    for i in range(len(several)):
        one = moments(measure, *margins[:, i])
        assert arrays.mean[i] == pytest.approx(float(one.mean), rel=1e-13, abs=1e-15, nan_ok=True)
        assert arrays.variance[i] == pytest.approx(float(one.variance), rel=1e-6, abs=1e-20, nan_ok=True)
        assert arrays.undefined[i] == pytest.approx(float(one.undefined), rel=1e-13, abs=1e-300)


@pytest.mark.parametrize(
    "name", ["precision_gain", "eds", "log_odds_ratio", "edi", "sedi", "information_score", "recall_gain"]
)
def test_a_wide_draw_whose_most_likely_outcome_has_no_value(name):
    """P = k = 2^21 of 1e13: TP = 0 has 64% of the mass, and these need TP > 0."""
    null = cb.Draw(cb.Population(10**13, 2**21), 2**21).distribution(name)
    mass = np.exp(-(2.0**42) / 1e13)
    assert null.undefined_mass == pytest.approx(mass, rel=1e-6)
    x = null.ppf(0.5)
    assert null.cdf(x) + null.sf(x) == pytest.approx(1 - mass, rel=1e-6)
    one = cb.Draw(cb.Population(10**13, 2**21), 2**21).distribution("tp")
    assert null.pmf(x) == pytest.approx(one.pmf(1), rel=1e-9)


@pytest.mark.parametrize("name", ["precision", "g_mean", "mcc"])
def test_a_users_measure_is_the_catalogues_at_a_hundred_million(name):
    """Nothing is declared, so all of the window is summed; the answers are the same."""
    known = cb.get_measure(name)
    mine = cb.Measure("mine", known.values, greater_is_better=True)
    draw = cb.Draw(cb.Population(10**8, 3 * 10**7), 5 * 10**7)
    one, other = draw.distribution(known), draw.distribution(mine)
    sd = one.std()
    assert other.mean() == pytest.approx(one.mean(), rel=1e-9, abs=1e-12 * sd)
    assert other.var() == pytest.approx(one.var(), rel=1e-6)
    points = one.mean() + sd * np.array([-4.0, -1.0, 0.0, 2.0])
    np.testing.assert_allclose(other.cdf(points), one.cdf(points), rtol=1e-9)
    np.testing.assert_allclose(other.sf(points), one.sf(points), rtol=1e-9)


@pytest.mark.parametrize("name", ["chi2"])
@pytest.mark.parametrize("deviations", [3, 30])
def test_two_sided_tails_of_wide_draws_are_two_tails(name, deviations):
    """Equally far above and below the mean the score is the same: both sides count, all digits kept."""
    total, positives, k = 10**8, 3 * 10**7, 5 * 10**7
    mean, away = 15_000_000, deviations * 2291
    above = wide.log_tail(mean + away, total, positives, k)
    below = wide.log_tail(k - mean + away, total, total - positives, k)
    want = above + np.log(1 + np.exp(float(below - above)))
    null = cb.Draw(cb.Population(total, positives), k).distribution(name)
    tp = mean + away
    score = null.measure(tp=tp, fp=k - tp, fn=positives - tp, tn=total - positives - k + tp)
    assert null.logtail(score) == pytest.approx(float(want), rel=1e-6)
    assert null.tail(score) == pytest.approx(np.exp(float(want)), rel=1e-6, abs=1e-12)
