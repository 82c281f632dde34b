"""Closed form, full sum and strided sum are three routes to one number."""

import numpy as np
import pytest
from tests.oracle import wide

import clearbar as cb


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


@pytest.mark.parametrize("deviations", [3, 30])
def test_two_sided_tails_of_wide_draws_are_two_tails(deviations):
    """Equally far above and below the mean the score is the same: both sides count, all digits kept."""
    total, positives, k = 10**8, 3 * 10**7, 5 * 10**7
    mean, away = 15_000_000, deviations * 2291
    above = wide.log_tail(mean + away, total, positives, k)
    below = wide.log_tail(k - mean + away, total, total - positives, k)
    want = above + np.log(1 + np.exp(float(below - above)))
    null = cb.Draw(cb.Population(total, positives), k).distribution("chi2")
    tp = mean + away
    score = null.measure(tp=tp, fp=k - tp, fn=positives - tp, tn=total - positives - k + tp)
    assert null.logtail(score) == pytest.approx(float(want), rel=1e-6)
    assert null.tail(score) == pytest.approx(np.exp(float(want)), rel=1e-6, abs=1e-12)
