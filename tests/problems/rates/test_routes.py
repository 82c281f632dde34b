"""Every way to sum a tail against another one; the parts they are made of against other libraries."""

import mpmath
import numpy as np
import pytest
from scipy import stats
from tests.problems.rates.slow import p_of, table

import clearbar as cb
from clearbar import get_measure
from clearbar.core.counts import counts_of
from clearbar.inference import rate_tests
from clearbar.inference.binomial import deviance, smooth_cdf
from clearbar.inference.rate_tests import BETA
from clearbar.inference.two_rates import intervals, p_values
from clearbar.problems.binary import baseline

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
@pytest.mark.parametrize(
    ("sizes", "limit", "within"),
    [
        ((60_000, 60_000), "FEW_ROWS", 5e-3),
        ((30_000, 500_000), "FEW_ROWS", 5e-3),
        ((5 * 10**9, 7 * 10**9), "_SMOOTH", 5e-4),
        ((5 * 10**11, 4 * 10**11), "_SMOOTH", 5e-4),
    ],
)
def test_every_few_rows_and_the_normal_tail_do_for_all_rows(name, sizes, limit, within, monkeypatch):
    quick = _p(name, *sizes, 0.6, 0.35)
    monkeypatch.setattr(rate_tests, limit, np.inf)
    assert quick == pytest.approx(_p(name, *sizes, 0.6, 0.35), rel=within)


def test_a_rare_class_is_summed_over_in_full():
    """At 30 against a thousand million, with a bar of a = b, the binomials and SciPy's agree."""
    P, N = 30, 10**9
    tp, fp = 16, 320_000_000
    p = p_of(get_measure("mcc"), table(tp, fp, P - tp, N - fp), 0.0)
    # FP/N is known to 7e-5 at most, a relative change of that tail of up to 5e-3.
    expected = stats.binom.sf(tp - 1, P, fp / N) + BETA
    assert abs(float(p) / 2 / expected - 1) < 5e-3


def test_deviances_do_not_cancel():
    mpmath.mp.dps = 50
    for count, mean in ((5e11 + 3e5, 5e11), (10.0, 9.5), (0.0, 3.0), (7.0, 1e-3), (1e12, 1e12 - 1)):
        exact = mpmath.mpf(count) * mpmath.log(mpmath.mpf(count) / mean) if count else mpmath.mpf(0)
        exact -= mpmath.mpf(count) - mpmath.mpf(mean)
        found = deviance(np.array(count), np.array(mean))
        assert abs(float(found - exact)) <= 4e-16 * (abs(count - mean) + float(exact)), (count, mean)


def test_smooth_tails_are_binomial_ones():
    for n, rate in ((2_000, 0.5), (10**5, 0.02), (10**6, 0.97), (10**9, 1e-6)):
        sd = np.sqrt(n * rate * (1 - rate))
        count = np.floor(n * rate + np.linspace(-6, 6, 301) * sd)
        below = smooth_cdf(count, np.float64(n), np.float64(rate))
        np.testing.assert_allclose(below, stats.binom.cdf(count, n, rate), atol=0.01 / sd**3 + 1e-12)


@pytest.mark.parametrize(
    "cells",
    [
        (1, 0, 0, 0),
        (0, 1, 1, 0),
        (5, 0, 0, 5),
        (10**12, 1, 1, 10**12),
        (0, 7, 3, 10**12),
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


DEFAULT = ("accuracy", "balanced_accuracy", "precision", "recall", "f1", "mcc")
MORE = ("kappa", "threat_score", "fnr", "npv")
CURVED = ("g_mean", "p4", "jaccard_macro", "roc_distance", "fowlkes_mallows", "markedness")


def tables(number, least, most, seed):
    rng = np.random.default_rng(seed)
    P, N = np.exp(rng.uniform(least, most, (2, number))).astype(int)
    tp, fp = rng.binomial(P, rng.uniform(0.3, 0.95, number)), rng.binomial(N, rng.uniform(0.02, 0.5, number))
    return np.stack((tp, fp, P - tp, N - fp))


@pytest.mark.slow
@pytest.mark.parametrize(("number", "least", "most"), [(3, 1, 5), (2, 5, 8), (2, 8, 13)])
def test_of_measures_and_tables_alone_and_together(number, least, most):
    cells = tables(number, least, most, 7)
    counts = counts_of(cells)
    measures = [get_measure(name) for name in (*DEFAULT, *MORE, *CURVED)]
    sizes = [cb.Population(int(cells[:, j].sum()), int(cells[::2, j].sum())) for j in range(number)]
    bars = np.array([[float(baseline(size, measure).value) for size in sizes] for measure in measures])
    p, (low, high) = p_values(measures, counts, list(bars)), intervals(measures, counts)
    turned = slice(None, None, -1)
    backwards = p_values(measures[turned], counts[turned], list(bars[turned, turned]))
    np.testing.assert_array_equal(backwards[turned, turned], p)
    for i, measure in enumerate(measures):
        for j in range(number):
            alone = p_values([measure], counts[j], [bars[i, j]])[0]
            ends = [end[0] for end in intervals([measure], counts[j])]
            together = p[i, j], low[i, j], high[i, j]
            np.testing.assert_allclose([alone, *ends], together, 1e-12, 0, err_msg=str(measure))
