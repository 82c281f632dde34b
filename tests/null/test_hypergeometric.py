"""Probabilities, tails and quantiles of TP against fractions, 50 digits and values worked out elsewhere."""

import json
import math
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle import wide

from clearbar.null import hypergeometric as hg
from clearbar.null.expectation import coin_weights

REFERENCE = json.loads((Path(__file__).parent / "reference.json").read_text(encoding="utf-8"))
MANY = settings(max_examples=60, deadline=None, derandomize=True)


def arrays(rows):
    """Columns of a list of rows."""
    return tuple(np.array(rows, dtype=np.int64).T)


def corners(total):
    """Margins that have broken other implementations: next to nothing, next to everything, halves."""
    root = math.isqrt(total)
    positives = {1, 2, 5, root, total // 50, total // 3, total // 2, total - 5, total - 2, total - 1}
    draws = {1, 2, 3, 10, root, total // 10, total // 2, 2 * total // 3, total - 3, total - 1}
    return sorted((total, p, k) for p in positives for k in draws)


@pytest.mark.parametrize(
    "row", REFERENCE["pmf"] + REFERENCE["tails"], ids=lambda row: f"{row['M']:g}-{row['x']}"
)
def test_probabilities_and_tails_are_those_of_the_reference(row):
    x, *margin = (row[name] for name in ("x", "M", "P", "k"))
    if "pmf" in row:
        assert float(hg.pmf(x, *margin)) == pytest.approx(float(row["pmf"]), rel=1e-11, abs=0)
        assert float(hg.log_pmf(x, *margin)) == pytest.approx(float(row["log_pmf"]), rel=1e-12, abs=1e-12)
        return
    assert float(hg.tail_ge(x, *margin)) == pytest.approx(float(row["sf"]), rel=1e-6, abs=0)
    assert float(hg.log_tail_ge(x, *margin)) == pytest.approx(float(row["log_sf"]), rel=1e-6, abs=0)
    assert float(hg.tail_le(x - 1, *margin)) == pytest.approx(1 - float(row["sf"]), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("total", [100, 10**6, 10**9, 10**12, 10**15])
def test_probabilities_at_the_corners_have_the_logarithms_of_60_digits(total):
    rows = []
    for margin in corners(total):
        low, high = map(int, hg.support(*margin))
        mean, sigma = margin[1] * margin[2] // max(margin[0], 1), math.sqrt(float(hg.tp_variance(*margin)))
        near = {min(max(mean + round(z * sigma), low), high) for z in (-37, -3, 0, 0.5, 2, 30)}
        rows += [(x, *margin) for x in {low, high} | near]
    for row, found in zip(rows, hg.log_pmf(*arrays(rows)), strict=True):
        truth = wide.log_pmf(*row)
        assert abs(float(found) - truth) < 1e-11 * max(1, abs(truth))


@st.composite
def margins(draw, largest=10**12):
    total = draw(st.one_of(st.integers(0, 80), st.integers(0, 5000), st.integers(0, largest)))
    return total, draw(st.integers(0, total)), draw(st.integers(0, total))


@MANY
@given(margins(), st.integers(-3, 3), st.floats(0.0, 1.0))
def test_laws_of_probabilities(margin, off, q):
    total, positives, draws = margin
    centre = int(hg.mode(*margin))
    x = centre + off
    above, below = float(hg.tail_ge(x, *margin)), float(hg.tail_le(x - 1, *margin))
    assert above + below == pytest.approx(1, rel=1e-12)
    assert above - float(hg.tail_ge(x + 1, *margin)) == pytest.approx(float(hg.pmf(x, *margin)), abs=1e-9)
    swapped = hg.pmf(positives - x, total, positives, total - draws)  # of those predicted negative
    assert float(hg.pmf(x, *margin)) == pytest.approx(float(swapped), rel=1e-9, abs=1e-300)
    around = hg.pmf(centre + np.arange(-2, 3), *margin)
    assert around.argmax() == 2 or around.max() == pytest.approx(around[2], rel=1e-9)
    least = int(hg.quantile(q, *margin))
    assert hg.tail_le(least, *margin) >= q * (1 - 1e-12)
    assert least == int(hg.support(*margin)[0]) or hg.tail_le(least - 1, *margin) < q


@pytest.mark.parametrize(("flips", "chance"), [(20, 0.3), (1000, 0.001), (10**9, 0.5)])
def test_coins_are_binomial(flips, chance):
    heads, found = coin_weights(flips, chance, 2**14)
    assert found.sum() == pytest.approx(1)
    assert np.dot(heads, found) == pytest.approx(flips * chance, rel=1e-12)
    with mpmath.workdps(40):
        for x in (0, int(flips * chance), int(flips * chance) + 3):
            want = mpmath.log(mpmath.binomial(flips, x)) + x * mpmath.log(chance)
            want += (flips - x) * mpmath.log1p(-mpmath.mpf(chance))
            assert float(hg.log_heads(x, flips, chance)[0]) == pytest.approx(float(want), rel=1e-9, abs=1e-9)
