"""What must hold for every population, whatever its size."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clearbar.null.hypergeometric import (
    log_pmf,
    log_tail_ge,
    log_tail_le,
    mode,
    pmf,
    quantile,
    support,
    tail_ge,
    tail_le,
    window,
)

MANY = settings(max_examples=60, deadline=None, derandomize=True)


@st.composite
def margins(draw, largest=10**13):
    total = draw(st.one_of(st.integers(0, 80), st.integers(0, 5000), st.integers(0, largest)))
    return total, draw(st.integers(0, total)), draw(st.integers(0, total))


@st.composite
def tables(draw):
    """A population with a number of true positives, in its support or somewhat outside."""
    margin = draw(margins())
    low, high = window(*margin)
    return draw(st.integers(int(low) - 2, int(high) + 2)), margin


@MANY
@given(margins(largest=10**6))
def test_probabilities_add_up_to_one(margin):
    low, high = window(*margin)
    assert pmf(np.arange(low, high + 1), *margin).sum() == pytest.approx(1, rel=1e-13)


@MANY
@given(tables())
def test_tails_are_complementary(table):
    x, margin = table
    above, below = float(tail_ge(x, *margin)), float(tail_le(x - 1, *margin))
    assert above + below == pytest.approx(1, rel=4e-16)
    assert 0 <= above <= 1
    assert 0 <= below <= 1


@MANY
@given(tables())
def test_tails_fall(table):
    x, margin = table
    points = np.arange(x - 3, x + 4)
    upper, lower = log_tail_ge(points, *margin), log_tail_le(points, *margin)
    slack = 1e-12 * np.abs(np.where(np.isfinite(upper[:-1]), upper[:-1], 0))
    assert np.all(upper[1:] <= upper[:-1] + slack)
    assert np.all(lower[1:] >= lower[:-1] - 1e-12 * np.abs(np.where(np.isfinite(lower[1:]), lower[1:], 0)))


@MANY
@given(tables())
def test_a_step_of_the_tail_is_a_probability(table):
    x, margin = table
    step = tail_ge(x, *margin) - tail_ge(x + 1, *margin)
    assert float(step) == pytest.approx(float(pmf(x, *margin)), rel=1e-10, abs=4e-16)


@MANY
@given(tables())
def test_symmetries(table):
    x, (total, positives, draws) = table
    mirrored = [
        (x, total, draws, positives),
        (draws - x, total, total - positives, draws),
        (positives - x, total, positives, total - draws),
    ]
    for function, near_nothing in ((pmf, 1e-300), (log_pmf, 1e-14)):
        value = float(function(x, total, positives, draws))
        for other in mirrored:
            assert float(function(*other)) == pytest.approx(value, rel=2e-12, abs=near_nothing)
    upper = float(log_tail_ge(x, total, positives, draws))
    assert float(log_tail_ge(*mirrored[0])) == pytest.approx(upper, rel=2e-12)
    assert float(log_tail_le(*mirrored[1])) == pytest.approx(upper, rel=2e-12)
    assert float(log_tail_le(*mirrored[2])) == pytest.approx(upper, rel=2e-12)


@MANY
@given(margins())
def test_mode_is_the_summit(margin):
    top = int(mode(*margin))
    low, high = support(*margin)
    assert low <= top <= high
    here = log_pmf(top, *margin)
    assert np.all(log_pmf([top - 1, top + 1], *margin) <= here + 1e-13)


@MANY
@given(margins(), st.one_of(st.floats(0, 1), st.floats(0, 1e-12), st.floats(-300, 0).map(lambda e: 10.0**e)))
def test_quantile_is_the_smallest_that_suffices(margin, q):
    low, high = support(*margin)
    x = int(quantile(q, *margin))
    assert low <= x <= high
    assert float(tail_le(x, *margin)) >= q
    assert x == low or float(tail_le(x - 1, *margin)) < q or q == 1
    x = int(quantile(q, *margin, upper=True))
    assert low <= x <= high
    assert float(tail_ge(x + 1, *margin)) <= q
    assert x == low or float(tail_ge(x, *margin)) > q or q == 0


@MANY
@given(margins())
def test_ends_of_the_quantile(margin):
    low, high = (int(end) for end in support(*margin))
    assert quantile([0.0, 1.0], *margin).tolist() == [low, high]
    assert quantile([0.0, 1.0], *margin, upper=True).tolist() == [high, low]


@MANY
@given(st.integers(0, 10**13), st.data())
def test_certainty_is_exactly_one(total, data):
    other = data.draw(st.integers(0, total))
    for margin in ((total, 0, other), (total, total, other), (total, other, 0), (total, other, total)):
        only = int(support(*margin)[0])
        assert [float(f(only, *margin)) for f in (pmf, tail_ge, tail_le)] == [1.0, 1.0, 1.0]
        assert [float(f(only, *margin)) for f in (log_pmf, log_tail_ge, log_tail_le)] == [0.0, 0.0, 0.0]


@MANY
@given(margins())
def test_outside_the_support(margin):
    low, high = support(*margin)
    far = 2**63 - 1
    below, above = [-far - 1, -1, int(low) - 1], [int(high) + 1, margin[0] + 1, far]
    assert pmf([*below, *above], *margin).tolist() == [0.0] * 6
    assert log_pmf([*below, *above], *margin).tolist() == [-np.inf] * 6
    assert tail_ge([*below, int(low)], *margin).tolist() == [1.0] * 4
    assert tail_le([*above, int(high)], *margin).tolist() == [1.0] * 4
    assert tail_ge(above, *margin).tolist() == tail_le(below, *margin).tolist() == [0.0] * 3
    assert log_tail_ge(above, *margin).tolist() == log_tail_le(below, *margin).tolist() == [-np.inf] * 3
