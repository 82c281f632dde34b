"""The corrected resampled t-test against SciPy's t distribution, and by hand."""

import math

import numpy as np
import pytest

from clearbar.problems.folds.problem import Mean


def test_a_p_value_of_four_folds_is_that_of_a_computation_by_hand():
    # mean 0.7, squared deviations 0.01, 0.01, 0, 0, so s^2 = 0.02/3; the variance of the mean is
    # (1/4 + 1/3) s^2 = 0.14/36, its root 0.0623610; (0.7 - 0.5) / 0.0623610 = 3.2071349. With three degrees
    # of freedom P(|T| >= t) = 1 - (2/pi) (x / (1 + x^2) + atan(x)), x = t / sqrt(3).
    scores = np.array([0.6, 0.8, 0.7, 0.7])
    assert Mean.of(scores) == pytest.approx((0.7, math.sqrt(0.14 / 36), 3))
    x = 0.2 / math.sqrt(0.14 / 36) / math.sqrt(3)
    by_hand = 1 - 2 / math.pi * (x / (1 + x * x) + math.atan(x))
    tail = Mean.of(scores).tail(0.5)
    assert tail.upper == tail.lower == pytest.approx(by_hand, rel=1e-12)
    assert by_hand == pytest.approx(0.04906, abs=1e-5)
    assert "Nadeau and Bengio 2003" in str(tail.note)


def test_folds_without_a_value_are_left_out():
    assert Mean.of(np.array([0.1, math.nan, 0.4])) == Mean.of(np.array([0.1, 0.4]))
    tail = Mean.of(np.array([0.1, math.nan]))._replace(value=0.1).tail(0.1)
    assert math.isnan(tail.upper)
    assert "fewer than two have a value" in str(tail.note)


def test_folds_that_differ_by_rounding_alone_have_no_spread():
    scores = np.array([0.1 + 0.2, 0.3, 0.3])
    assert Mean.of(scores) == Mean(pytest.approx(0.3), 0.0, 2)
    assert Mean.of(scores).tail(0.3).upper == 1.0
    assert math.isnan(Mean.of(scores).tail(0.2).upper)
    assert np.isnan(Mean.of(scores).interval(0.95, (0.0, 1.0))).all()
