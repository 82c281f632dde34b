"""Large populations against 50 digits, and against values worked out elsewhere in high precision."""

import json
import math
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from tests.null.hypergeometric import exact

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
    tp_mean,
    tp_variance,
    window,
)

REFERENCE = json.loads((Path(__file__).parent / "reference.json").read_text(encoding="utf-8"))
TOTALS = (100, 10**4, 10**6, 10**9, 10**12, 10**15)
CORNERS = exact.corners(TOTALS)
FLOOR = -690.0  # below, probabilities are compared by their logarithms


def margin_id(row):
    return "-".join(str(row[name]) for name in ("M", "P", "k"))


@pytest.mark.parametrize("row", REFERENCE["pmf"], ids=margin_id)
def test_pmf_reference(row):
    margin = row["x"], row["M"], row["P"], row["k"]
    assert float(pmf(*margin)) == pytest.approx(float(row["pmf"]), rel=1e-12, abs=0)
    assert float(log_pmf(*margin)) == pytest.approx(float(row["log_pmf"]), rel=1e-13, abs=1e-14)


@pytest.mark.parametrize("row", REFERENCE["tails"], ids=margin_id)
def test_tail_reference(row):
    margin = row["M"], row["P"], row["k"]
    assert float(tail_ge(row["x"], *margin)) == pytest.approx(float(row["sf"]), rel=1e-12, abs=0)
    assert float(log_tail_ge(row["x"], *margin)) == pytest.approx(float(row["log_sf"]), rel=1e-13, abs=0)
    assert float(tail_le(row["x"] - 1, *margin)) == pytest.approx(1 - float(row["sf"]), rel=1e-12, abs=0)


@pytest.mark.parametrize("row", REFERENCE["quantiles"], ids=margin_id)
def test_quantile_reference(row):
    assert int(quantile(row["q"], row["M"], row["P"], row["k"])) == row["TP_quantile"]


@pytest.mark.parametrize("total", TOTALS)
def test_pmf_at_the_corners(total):
    rows = [
        (x, *margin)
        for margin in CORNERS
        if margin[0] == total
        for x in exact.points(margin, deviations=(-37, -12, -3, -1, 0, 0.5, 2, 8, 30))
    ]
    columns = exact.arrays(rows)
    for row, value, log_value in zip(rows, pmf(*columns), log_pmf(*columns), strict=True):
        truth = exact.log_pmf(*row)
        if truth > FLOOR:
            assert abs(mpmath.mpf(float(value)) / mpmath.exp(truth) - 1) < 1e-12
            assert abs(float(log_value) - truth) < 1e-12
        else:
            assert abs(float(log_value) / truth - 1) < 1e-12


def affordable(x, margin, *, above):
    """Whether a sum term by term, in 50 digits, is over after some hundred of them."""
    mean, sigma = float(tp_mean(*margin)), math.sqrt(float(tp_variance(*margin)))
    outward = x - mean if above else mean - x
    terms = 30 + min(12 * sigma, 75 * sigma**2 / max(outward, 1)) - min(outward, 0)
    return terms < 600


@pytest.mark.parametrize("above", [True, False])
@pytest.mark.parametrize("total", TOTALS)
def test_tails_at_the_corners(total, above):
    rows = [
        (x, *margin)
        for margin in CORNERS
        if margin[0] == total
        for x in exact.points(margin, deviations=(-25, -9, -1, 0, 1, 12, 20))
        if affordable(x, margin, above=above)
    ]
    columns = exact.arrays(rows)
    tail, log_tail = (tail_ge, log_tail_ge) if above else (tail_le, log_tail_le)
    for (x, *margin), value, log_value in zip(rows, tail(*columns), log_tail(*columns), strict=True):
        truth = exact.log_tail(x, tuple(margin), above=above)
        if truth > FLOOR:
            assert abs(mpmath.mpf(float(value)) / mpmath.exp(truth) - 1) < 1e-12
        if abs(truth) > 1e-18:  # the truth itself is known to some 1e-32
            assert abs(float(log_value) / truth - 1) < 1e-12


@pytest.mark.parametrize(
    "margin",
    [
        (10**10, 10**9, 10**8),
        (10**12, 10**8, 3 * 10**10),
        (10**6, 3 * 10**5, 5 * 10**5),
        (10**15, 10**9, 10**13),
    ],
)
@pytest.mark.parametrize("deviation", [-8, -3, -1, -0.01, 0, 0.01, 0.5, 2, 5, 12, 30])
def test_wide_tails_are_sums_of_probabilities(margin, deviation):
    mean, sigma = float(tp_mean(*margin)), math.sqrt(float(tp_variance(*margin)))
    x, reach = int(mean + deviation * sigma), int(12 * sigma)
    if deviation >= 0:
        assert float(tail_ge(x, *margin)) == pytest.approx(
            math.fsum(pmf(np.arange(x, x + reach), *margin)), rel=1e-12, abs=0
        )
    else:
        assert float(tail_le(x, *margin)) == pytest.approx(
            math.fsum(pmf(np.arange(x - reach, x + 1), *margin)), rel=1e-12, abs=0
        )


def test_one_positive_at_a_large_total():
    total = 10**12
    assert pmf([0, 1], total, 1, 1).tolist() == pytest.approx([1 - 1e-12, 1e-12], rel=1e-14, abs=0)
    assert float(log_tail_ge(1, total, 1, total - 1)) == pytest.approx(-1e-12, rel=1e-11, abs=0)
    assert float(log_tail_le(0, total, 1, 1)) == pytest.approx(-1e-12, rel=1e-11, abs=0)
    assert tail_ge([0, 1, 2], total, 1, total - 1).tolist() == pytest.approx(
        [1.0, 1 - 1e-12, 0.0], rel=1e-16, abs=0
    )


@pytest.mark.parametrize("total", [10**9, 10**12, 10**15, 2**52])
def test_integers_stay_exact(total):
    rng = np.random.default_rng(7)
    p, k = rng.integers(0, total, 300, endpoint=True), rng.integers(0, total, 300, endpoint=True)
    rows = [(int(a), int(b)) for a, b in zip(p, k, strict=True)] + [(total, total), (0, total), (total, 1)]
    p, k = exact.arrays(rows)
    low, high = support(total, p, k)
    first, last = window(total, p, k)
    assert np.all((low <= first) & (first <= last) & (last <= high))
    assert mode(total, p, k).tolist() == [(b + 1) * (a + 1) // (total + 2) for a, b in rows]
    for i, (a, b) in enumerate(rows):
        assert exact.ulps(tp_mean(total, p, k)[i], Fraction(a * b, total)) <= 2
        variance = Fraction(a * b * (total - a) * (total - b), total * total * (total - 1))
        assert exact.ulps(tp_variance(total, p, k)[i], variance) <= 2


@pytest.mark.parametrize(
    "margin", [(10**12, 3 * 10**11, 5 * 10**11), (10**9, 5, 10**8), (10**15, 10**7, 10**14)]
)
def test_window_leaves_out_next_to_nothing(margin):
    low, high = window(*margin)
    ends = support(*margin)
    outside = (0 if low == ends[0] else tail_le(low - 1, *margin)) + tail_ge(high + 1, *margin)
    assert outside < 2e-18
