"""Every way to sum a tail against another one; the parts they are made of against other libraries."""

import mpmath
import numpy as np
import pytest
from scipy import stats
from tests.problems.rates.slow import largest_y, p_of, table

from clearbar import Population, baseline, get_measure
from clearbar.core.counts import counts_of
from clearbar.inference import two_rates
from clearbar.inference.binomial import clopper_pearson, deviance, log_pmf, smooth_cdf
from clearbar.inference.level_curves import level_curves, true_score
from clearbar.inference.two_rates import BETA, BOX_TAIL, Tables, boundary, cells_of, make_tests

MEASURES = ("accuracy", "f1", "mcc", "g_mean", "fowlkes_mallows")


def _table(P, N, a, b, z=2.0):
    tp = round(P * a + 0.7 * z * np.sqrt(P * a * (1 - a)))
    fp = round(N * b - 0.7 * z * np.sqrt(N * b * (1 - b)))
    return table(tp, fp, P - tp, N - fp)


def _bar(measure, P, N, a, b):
    return float(measure(tp=P * a, fp=N * b, fn=P * (1 - a), tn=N * (1 - b)))


def _p(name, P, N, a, b):
    measure = get_measure(name)
    return float(p_of(measure, _table(P, N, a, b), _bar(measure, P, N, a, b)))


@pytest.mark.parametrize("name", MEASURES)
def test_every_few_rows_do_for_all_of_them(name, monkeypatch):
    for sizes in ((60_000, 60_000), (30_000, 500_000)):
        few = _p(name, *sizes, 0.6, 0.35)
        with monkeypatch.context() as all_rows:
            all_rows.setattr(two_rates, "_FEW_ROWS", np.inf)
            assert abs(few / _p(name, *sizes, 0.6, 0.35) - 1) < 5e-3


@pytest.mark.parametrize("name", MEASURES)
def test_the_normal_tail_does_where_both_classes_are_huge(name, monkeypatch):
    for sizes in ((5 * 10**9, 7 * 10**9), (5 * 10**11, 4 * 10**11)):
        normal = _p(name, *sizes, 0.6, 0.35)
        with monkeypatch.context() as summed:
            summed.setattr(two_rates, "_SMOOTH", np.inf)
            by_rows = _p(name, *sizes, 0.6, 0.35)
        assert 0 < abs(normal / by_rows - 1) < 5e-4


def test_a_rare_class_is_summed_over_in_full():
    """At 30 against a thousand million, with a bar of a = b, the binomials and SciPy's agree."""
    P, N = 30, 10**9
    tp, fp = 16, 320_000_000
    p = p_of(get_measure("mcc"), table(tp, fp, P - tp, N - fp), 0.0)
    # FP/N is known to 7e-5 at most, a relative change of that tail of up to 5e-3.
    expected = stats.binom.sf(tp - 1, P, fp / N) + BETA
    assert abs(float(p) / 2 / expected - 1) < 5e-3


@pytest.mark.parametrize(
    "name", ["accuracy", "f1", "mcc", "recall", "g_mean", "f1_macro", "p4", "overlap", "seds"]
)
@pytest.mark.parametrize("checked", [True, False])
def test_boundaries_are_found_as_by_looking_at_every_outcome(name, checked, monkeypatch):
    """Sides, corners, kinks and ties are among them; with and without the check of every row."""
    if not checked:
        monkeypatch.setattr(two_rates, "_EXACT_ROWS", 0)
    measure, source = get_measure(name), np.random.default_rng(4)
    number = 60 if name in {"accuracy", "f1", "mcc"} else 6
    P, N = source.integers(1, 25, (2, number)).astype(np.float64)
    own = baseline(Population((P + N).astype(int), P.astype(int)), name).value
    bars = true_score(measure, P, N, *source.random((2, number)))
    bars = np.where((np.arange(number) % 2 > 0) & (own < measure.bounds[1]), own, bars)
    x, y = (source.binomial(n.astype(int), source.random(number)).astype(np.float64) for n in (P, N))
    defined = np.isfinite(bars)
    tables = Tables.of(cells_of(counts_of(np.stack((x, y, P - x, N - y))[:, defined].astype(int))))
    none = np.zeros(defined.sum(), dtype=int)
    tests = make_tests([measure], none, tables, bars[defined], np.full(none.size, np.inf))
    tests = tests[np.flatnonzero(np.isfinite(tests.t) & (tests.t != 0))]
    counts, level = np.minimum(np.arange(25.0), tests.P[:, None]), tests.t - 1e-9
    np.testing.assert_array_equal(boundary(tests, level, counts), largest_y(tests, level, counts))


@pytest.mark.parametrize(
    "name", ["f1", "accuracy", "precision", "g_mean", "mcc", "markedness", "gwet_ac1", "overlap", "seds"]
)
def test_points_of_a_curve_have_the_bar_as_true_score(name):
    measure = get_measure(name)
    P, N = np.array([4.0, 60.0, 1e6]), np.array([9.0, 40.0, 1e9])
    bar = true_score(measure, P, N, np.array([0.7, 0.6, 0.8]), np.array([0.2, 0.35, 1e-4]))
    curves = level_curves([measure], np.zeros(3, dtype=int), P, N, bar)
    at = curves.points(np.broadcast_to(np.linspace(0.01, 0.99, 33), (3, 33)))
    score = true_score(measure, P[:, None], N[:, None], at.a, at.b)
    scale = np.maximum(np.abs(bar[:, None]), 1e-3)
    np.testing.assert_allclose(score / scale, bar[:, None] / scale * np.ones(33), atol=2e-7)


def test_deviances_do_not_cancel():
    mpmath.mp.dps = 50
    for count, mean in ((5e11 + 3e5, 5e11), (10.0, 9.5), (0.0, 3.0), (7.0, 1e-3), (1e12, 1e12 - 1)):
        exact = mpmath.mpf(count) * mpmath.log(mpmath.mpf(count) / mean) if count else mpmath.mpf(0)
        exact -= mpmath.mpf(count) - mpmath.mpf(mean)
        found = deviance(np.array(count), np.array(mean))
        assert abs(float(found - exact)) <= 4e-16 * (abs(count - mean) + float(exact)), (count, mean)


def test_binomial_probabilities_are_those_of_scipy():
    for n, rate in ((5, 0.3), (400, 0.02), (10_000, 0.5)):
        x = np.arange(n + 1.0)
        expected = stats.binom.logpmf(x, n, rate)
        found = log_pmf(x, np.float64(n), np.float64(rate))
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


def test_smooth_tails_are_binomial_ones():
    for n, rate in ((2_000, 0.5), (10**5, 0.02), (10**6, 0.97), (10**9, 1e-6)):
        sd = np.sqrt(n * rate * (1 - rate))
        count = np.floor(n * rate + np.linspace(-6, 6, 301) * sd)
        below = smooth_cdf(count, np.float64(n), np.float64(rate))
        np.testing.assert_allclose(below, stats.binom.cdf(count, n, rate), atol=0.01 / sd**3 + 1e-12)


def test_the_box_is_clopper_and_pearsons():
    tail = (1 - np.sqrt(1 - BETA)) / 2
    for n in (1.0, 7.0, 300.0, 20_000.0, 1e7):
        x = np.unique(np.floor(n * np.array((0, 1e-6, 1e-3, 0.02, 0.3, 0.5, 0.99, 1))))
        low, high = clopper_pearson(x, np.full(x.shape, n), BOX_TAIL)
        with np.errstate(invalid="ignore"):
            expected = np.where(x > 0, stats.beta.ppf(tail, x, n - x + 1), 0.0)
            above = np.where(x < n, stats.beta.isf(tail, x + 1, n - x), 1.0)
        sd = np.sqrt((x + 1) * (n - x + 1) / (n + 2)) / n
        assert np.max(np.abs(low - expected) / sd) < 1e-6
        assert np.max(np.abs(high - above) / sd) < 1e-6


@pytest.mark.parametrize(
    "cells",
    [
        (1, 0, 0, 0),
        (0, 1, 1, 0),
        (5, 0, 0, 5),
        (10**12, 1, 1, 10**12),
        (3, 0, 0, 10**12),
        (0, 7, 3, 10**12),
        (0, 0, 50, 50),
        (1, 10**9, 0, 10**9),
    ],
)
def test_extreme_tables_have_a_p_and_no_warning(cells):
    counts = table(*cells)
    P, N = counts.positives, counts.negatives
    for name in ("accuracy", "f1", "mcc", "precision", *(("kulczynski2", "overlap") if N < 100 else ())):
        measure = get_measure(name)
        if np.isfinite(measure(counts)):
            p = float(p_of(measure, counts, _bar(measure, P, N, 0.6, 0.3)))
            assert 0 < p <= 1, (name, cells, p)
