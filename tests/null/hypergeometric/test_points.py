"""A tail at one point goes another way than tails at many: both say the same, to the same digits."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from clearbar.null import hypergeometric as hg

ASK = (hg.tail_ge, hg.tail_le, hg.log_tail_ge, hg.log_tail_le)


@st.composite
def points(draw):
    total = draw(st.one_of(st.integers(65, 5000), st.integers(65, 2**52)))
    few = st.integers(0, 40)
    margin = st.one_of(st.integers(0, total), few, few.map(lambda n: total - n))
    positives, draws = draw(margin), draw(margin)
    deviation = float(hg.tp_variance(total, positives, draws)) ** 0.5
    near = draw(st.floats(-20, 20)) * deviation + draw(st.integers(-2, 2))
    return total, positives, draws, draws * positives // total + round(near)


@settings(max_examples=100)
@given(points())
def test_one_point_and_many_agree(case):
    total, positives, draws, x = case
    for tail in ASK:
        one = float(tail(x, total, positives, draws))
        many = tail(np.array([x, x]), total, positives, draws)
        # where the probability underflows, so do its last digits
        np.testing.assert_allclose([one, one], many, rtol=2e-13, atol=1e-300)


@settings(max_examples=50)
@given(st.integers(65, 400), st.data())
def test_one_point_is_the_ratio_of_whole_numbers(total, data):
    positives, draws = (data.draw(st.integers(0, total)) for _ in range(2))
    x = data.draw(st.integers(-2, total + 2))
    support = range(max(0, draws + positives - total), min(positives, draws) + 1)
    ways = {tp: math.comb(positives, tp) * math.comb(total - positives, draws - tp) for tp in support}
    above = sum(way for tp, way in ways.items() if tp >= x)
    whole = math.comb(total, draws)
    np.testing.assert_allclose(hg.tail_ge(x, total, positives, draws), above / whole, rtol=1e-13)
    np.testing.assert_allclose(
        hg.tail_le(x - 1, total, positives, draws), (whole - above) / whole, rtol=1e-13
    )
    if above:
        rest = whole - above
        exact = math.log1p(-rest / whole) if rest < above else math.log(above) - math.log(whole)
        np.testing.assert_allclose(hg.log_tail_ge(x, total, positives, draws), exact, rtol=1e-12)


def test_one_point_keeps_the_shape_it_is_asked_in():
    assert hg.tail_ge(40, 100, 50, 60).shape == ()
    assert hg.tail_ge([40], 100, 50, 60).shape == (1,)
    assert hg.tail_ge(np.array([[40]]), [100], 50, 60).shape == (1, 1)
