"""A draw: exactly k of M, from a share or a number, and every subset equally likely."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import large_populations

import clearbar as cb

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("total", "theta", "k"),
    [
        *((5, 0.5, 3), (5, 0.3, 2), (5, 0.1, 1), (3, 0.5, 2), (10, 0.25, 3), (10, 0.05, 1), (10, 0.0, 0)),
        *((10, 1.0, 10), (4, 0.125, 1), (4, 0.124, 0), (1, 0.5, 1), (1, 0.49, 0), (7, 1 / 14, 1)),
    ],
)
def test_halves_are_rounded_up_as_in_the_papers(total, theta, k):
    draw = cb.Draw.from_theta(cb.Population(total, 1), theta)
    assert draw.predicted_positives == k
    assert draw.theta == k / total


@given(large_populations(2**52), st.floats(0, 1))
def test_a_share_becomes_the_number_that_double_arithmetic_gives(population, theta):
    x = population.total * theta
    floor = math.floor(x)
    want = min(floor + (x - floor >= 0.5), population.total)
    assert cb.Draw.from_theta(population, theta).predicted_positives == want


@pytest.mark.parametrize("theta", [-0.1, math.nan, math.inf, "0.5", None, [0.5, 0.5]])
def test_a_share_outside_of_0_to_1_is_refused(theta):
    with pytest.raises(ValueError, match=r"^theta must be a share from 0 to 1; found "):
        cb.Draw.from_theta(cb.Population(10, 3), theta)


@pytest.mark.parametrize(
    ("population", "k", "said"),
    [
        (cb.Population(10, 3), 11, r"^predicted_positives must be one whole number from 0 to 10; found "),
        (cb.Population(10, 3), [1, 2], r"^predicted_positives must be one whole number from 0 to 10; found "),
        *((cb.Population(10, 3), k, "^predicted_positives must ") for k in (-1, 2.5, math.nan, "3", True)),
        ((10, 3), 3, "population must be a Population; found tuple"),
        (cb.Population([10, 20], [3, 4]), 3, r"must be one Population; found an array of shape \(2,\)"),
    ],
)
def test_what_is_no_draw_is_refused(population, k, said):
    with pytest.raises(ValueError, match=said):
        cb.Draw(population, k)


@pytest.mark.parametrize(("total", "k"), [(5, 2), (6, 3), (4, 3), (5, 1)])
def test_every_subset_is_equally_likely(total, k):
    """Chi-square over all subsets; the bound is six standard deviations above its mean."""
    draw = cb.Draw(cb.Population(total, 1), k)
    rng = np.random.default_rng(20240101)
    times = 200 * math.comb(total, k)
    seen = Counter(tuple(np.flatnonzero(draw.predict(rng))) for _ in range(times))
    assert set(seen) == set(itertools.combinations(range(total), k))
    chi2 = sum((count - 200) ** 2 / 200 for count in seen.values())
    freedom = len(seen) - 1
    assert chi2 < freedom + 6 * math.sqrt(2 * freedom)


def test_the_same_seed_gives_the_same_predictions():
    draw = cb.Draw(cb.Population(100, 30), 44)
    np.testing.assert_array_equal(draw.predict(7), draw.predict(7))
    assert (draw.predict(7) != draw.predict(8)).any()
    with pytest.raises(ValueError, match="random_state must be a seed, a numpy Generator or None; found 'x'"):
        draw.predict("x")
