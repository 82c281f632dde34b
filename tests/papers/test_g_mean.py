"""What the papers show of G2, the geometric mean of recall and specificity."""

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
    assert (np.diff(bar.curve()[1], 2) < 0).all()


@pytest.mark.parametrize("positives", range(1, 50))
def test_figure_2_of_the_journal(positives):
    """M = 50: for every P the optimal k, its expectation, and the whole curve, from roots of 60 digits."""
    scale = mpf(positives * (50 - positives)) ** 0.5
    exact = []
    for k in range(51):
        roots = (
            weight * mpmath.sqrt(tp * (50 - positives - k + tp)) for tp, weight in weights(50, positives, k)
        )
        exact.append(sum(roots) / scale / mpmath.binomial(50, k))
    bar = cb.baseline(cb.Population(50, positives), "g_mean")
    draws = [k for k in range(51) if abs(exact[k] - max(exact)) < mpf(10) ** -40]
    assert [k for part in bar.max.predicted_positives for k in part] == draws
    assert all(agrees(float(got), want, floor=1e-40) for got, want in zip(bar.curve()[1], exact, strict=True))


@pytest.mark.parametrize("total", [*range(2, 40), 100, 251, 400])
def test_the_journals_conjecture_holds(total):
    """theta* is at least 1/2 if P < N."""
    positives = np.arange(1, (total + 1) // 2)
    bars = cb.baseline(cb.Population(np.full(positives.shape, total), positives), "g_mean")
    assert (2 * bars.max.predicted_positives >= total).all()


def scaled(positives, negatives, k):
    """Return the expectation at k, times the number of draws and the root of P N."""
    tps = range(max(0, k - negatives), min(k, positives) + 1)
    return sum(
        mpmath.binomial(positives, tp)
        * mpmath.binomial(negatives, k - tp)
        * mpmath.sqrt(tp * (negatives - k + tp))
        for tp in tps
    )


@pytest.mark.parametrize("positives", [1, 2, 3, 5, 12])
@pytest.mark.parametrize("more", [*range(1, 8), 20, 41])
def test_each_step_of_the_conjectures_proof(positives, more):
    """The proof of docs/open_questions.md, for N = P + `more`: the sum over mirrored draws, and its bound."""
    n, odd = positives + more, more % 2
    e = (more + 1) // 2 if odd else more // 2 + 1
    k, root = positives + e, mpmath.sqrt
    if odd:
        increment = scaled(positives, n, k) - scaled(positives, n, k - 1)
        extra, ways = 1, n + 1
    else:
        increment = scaled(positives, n, k) - scaled(positives, n, k - 2)
        extra, ways = 2, (n + 1) * (n + 2)
    total = weight = squares = mpf(0)
    for x in range(positives + 1):
        term = mpf(0)
        for u, v in ((x + e, positives - x + e), (positives - x + e, x + e)):
            mine, theirs = (root(u * (u - 1)), v) if odd else ((u - 1) * root(u * (u - 2)), v * (v - 1))
            term += root(u * (u - e)) * (mine - theirs)
        each = mpmath.binomial(positives, x) * mpmath.binomial(n + extra, x + e)
        total += each * term
        weight += each
        squares += each * (2 * x - positives) ** 2
    assert agrees(total / (2 * ways), increment, relative=1e-40)
    widest = root(positives * (positives + 2 * e))
    assert agrees(squares / weight, widest**2 / (2 * k - 1), relative=1e-40)
    if odd:
        bound = widest / (2 * (2 * k - 1)) - root(mpf(positives) / (positives + 2 * e - 2)) / 4
    else:
        bound = widest * (e - 1) / (2 * (2 * k - 1)) - mpf(1) / (4 * e)
    assert 0 < bound <= total / weight


@pytest.mark.parametrize("total", [2, 3, 4, 5, 30, 1000, 10**6 + 1, 10**9, 10**12])
def test_with_one_positive_two_thirds_are_predicted_positive(total):
    """E = (k/M) sqrt((M - k)/(M - 1)) peaks next to k = 2M/3."""
    best = cb.baseline(cb.Population(total, 1), "g_mean").max
    (draws,) = best.predicted_positives
    near = {2 * total // 3, -(-2 * total // 3)}
    values = {
        k: mpf(k) / total * mpmath.sqrt(mpf(total - k) / (total - 1)) for k in {draws[0], draws[-1]} | near
    }
    top = max(near, key=values.get)
    assert agrees(best.value, values[top], relative=1e-13 if total <= 10**6 + 1 else 1e-11)
    if total <= 10**6 + 1:
        assert draws == range(top, top + 1)
    else:  # one range that is within 1e-12 of the best
        assert min(values[draws[0]], values[draws[-1]]) > values[top] * (1 - mpf(10) ** -12)
