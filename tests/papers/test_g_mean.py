"""What the papers show of G2, the geometric mean of recall and specificity."""

import functools

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tests.oracle.closeness import agrees
from tests.oracle.law import weights

import clearbar as cb

pytestmark = pytest.mark.slow


def test_with_9_of_10_positive_three_predictions_are_best():
    """The papers' example: one prediction gives 3/10, two give 4 sqrt(2) / 15, theta* is 0.3."""
    population = cb.Population(10, 9)
    one, two, four = (cb.Draw(population, k).distribution("g_mean").mean() for k in (1, 2, 4))
    assert agrees(one, mpf("0.3"))
    assert agrees(two, 4 * mpf(2) ** 0.5 / 15)
    assert agrees(four, mpf("0.4"))
    best = cb.baseline(population, "g_mean").max
    assert best.predicted_positives == (range(3, 4),)
    assert best.theta_star == ((0.3, 0.3),)
    assert best.value == pytest.approx(0.404145188432738, rel=1e-14)


def test_figure_1_of_statistica_neerlandica():
    """P = 5, N = 45: the expectation peaks at 0.4877 for theta* = 0.54, and is concave on the way."""
    bar = cb.baseline(cb.Population(50, 5), "g_mean")
    assert round(bar.value, 4) == 0.4877
    assert bar.max.theta_star == ((0.54, 0.54),)
    assert bar.min.theta_star == ((0.0, 0.0), (1.0, 1.0))
    theta, expectation = bar.curve()
    assert len(theta) == 51
    assert expectation[27] == pytest.approx(0.487697066301765, rel=1e-14)
    assert expectation[0] == expectation[50] == 0
    rises = expectation[1:] - expectation[:-1]
    assert (rises[1:] < rises[:-1]).all()


@functools.cache
def expectations(total, positives):
    """Return the expectation for every k, from roots of 60 digits."""
    scale = mpf(positives * (total - positives)) ** 0.5
    found = []
    for k in range(total + 1):
        law = weights(total, positives, k)
        sums = sum(weight * mpmath.sqrt(tp * (total - positives - k + tp)) for tp, weight in law)
        found.append(sums / scale / mpmath.binomial(total, k))
    return found


@pytest.mark.parametrize("positives", range(1, 50))
def test_figure_2_of_the_journal(positives):
    """M = 50: for every P the optimal k, its expectation, and the whole curve."""
    exact = expectations(50, positives)
    best = cb.baseline(cb.Population(50, positives), "g_mean").max
    draws = [k for k in range(51) if abs(exact[k] - max(exact)) < mpf(10) ** -40]
    assert [k for part in best.predicted_positives for k in part] == draws
    assert agrees(best.value, max(exact))
    _, curve = cb.baseline(cb.Population(50, positives), "g_mean").curve()
    assert all(agrees(float(got), want, floor=1e-40) for got, want in zip(curve, exact, strict=True))


def test_figure_2_in_words():
    """The rarer class gets the extra predictions, and the bar comes near one half from below.

    The optimal share falls from 0.66 at P = 1 to 0.34 at P = 49, mirrored about P = 25, where it is 0.5;
    the expectation rises from 0.389 to 0.5, which it reaches at P = 25 alone.
    """
    best = {p: cb.baseline(cb.Population(50, p), "g_mean").max for p in range(1, 50)}
    share = {p: optimum.theta_star[0][0] for p, optimum in best.items()}
    assert share[1] == 0.66
    assert share[25] == 0.5
    assert share[49] == 0.34
    for p in range(1, 25):
        assert share[p] >= 0.5
        assert best[p].predicted_positives[0].start == 50 - best[50 - p].predicted_positives[0].start
        assert best[p].value == pytest.approx(best[50 - p].value, rel=1e-15)
        assert share[p] >= share[p + 1]
        assert best[p].value < best[p + 1].value
    assert best[25].value == 0.5
    assert round(best[1].value, 3) == 0.389


@pytest.mark.parametrize("total", [*range(2, 40), 100, 251, 400])
def test_the_journals_conjecture_holds(total):
    """theta* is at least 1/2 if P < N."""
    positives = np.arange(1, (total + 1) // 2)
    bars = cb.baseline(cb.Population(np.full(positives.shape, total), positives), "g_mean")
    assert (2 * bars.max.predicted_positives >= total).all()


@pytest.mark.parametrize("total", [2, 3, 4, 5, 30, 1000, 10**6 + 1, 10**9, 10**12])
def test_with_one_positive_two_thirds_are_predicted_positive(total):
    """E = (k/M) sqrt((M - k)/(M - 1)) peaks next to k = 2M/3."""
    best = cb.baseline(cb.Population(total, 1), "g_mean").max
    (draws,) = best.predicted_positives
    k = draws.start
    near = {2 * total // 3, -(-2 * total // 3)}
    values = {j: mpf(j) / total * mpmath.sqrt(mpf(total - j) / (total - 1)) for j in near}
    top = max(values, key=values.get)
    assert k == top if total < 10**9 else abs(k - top) < 1e-7 * total  # where all expect the same in floats
    assert agrees(best.value, values[top])


@pytest.mark.parametrize(("total", "positives"), [(200, 60), (500, 150), (1000, 300)])
def test_the_expectation_is_about_a_half_less_what_the_imbalance_costs(total, positives):
    """1/2 - (N - P)^2 / (16 P N (M - 1)), near the optimum."""
    negatives = total - positives
    about = 0.5 - (negatives - positives) ** 2 / (16 * positives * negatives * (total - 1))
    assert cb.baseline(cb.Population(total, positives), "g_mean").value == pytest.approx(about, abs=1e-5)
