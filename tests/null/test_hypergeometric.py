"""Probabilities, tails and quantiles against fractions, 50 digits, SciPy and values worked out elsewhere."""

import json
import math
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.null import exact

from clearbar.null import hypergeometric as hg
from clearbar.null import least_true
from clearbar.null.nodes import coin_weights, node_chunks, node_counts

REFERENCE = json.loads((Path(__file__).parent / "reference.json").read_text(encoding="utf-8"))
SMALL = [*exact.populations(9), (30, 7, 12), (64, 32, 31), (70, 1, 69), (90, 45, 45)]
LARGE = (100, 10**4, 10**6, 10**9, 10**12, 10**15)
MANY = settings(max_examples=60, deadline=None, derandomize=True)


def margin_id(row):
    return "-".join(str(row[name]) for name in ("M", "P", "k"))


@pytest.mark.parametrize("row", REFERENCE["pmf"], ids=margin_id)
def test_pmf_reference(row):
    margin = row["x"], row["M"], row["P"], row["k"]
    assert float(hg.pmf(*margin)) == pytest.approx(float(row["pmf"]), rel=1e-11, abs=0)
    assert float(hg.log_pmf(*margin)) == pytest.approx(float(row["log_pmf"]), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("row", REFERENCE["tails"], ids=margin_id)
def test_tail_reference(row):
    margin = row["M"], row["P"], row["k"]
    assert float(hg.tail_ge(row["x"], *margin)) == pytest.approx(float(row["sf"]), rel=1e-6, abs=0)
    assert float(hg.log_tail_ge(row["x"], *margin)) == pytest.approx(float(row["log_sf"]), rel=1e-6, abs=0)
    below = float(hg.tail_le(row["x"] - 1, *margin))
    assert below == pytest.approx(1 - float(row["sf"]), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("row", REFERENCE["quantiles"], ids=margin_id)
def test_quantile_reference(row):
    assert int(hg.quantile(row["q"], row["M"], row["P"], row["k"])) == row["TP_quantile"]


def test_small_populations_are_counted_out():
    rows, truth = [], []
    for margin in SMALL:
        law = exact.law(*margin)
        rows += [(x, *margin) for x in law]
        sums = np.cumsum([float(weight) for weight in law.values()])
        back = np.cumsum([float(weight) for weight in reversed(law.values())])[::-1]
        truth += list(zip(map(float, law.values()), sums, back, strict=True))
    columns = exact.arrays(rows)
    for function, column in ((hg.pmf, 0), (hg.tail_le, 1), (hg.tail_ge, 2)):
        np.testing.assert_allclose(function(*columns), np.array(truth)[:, column], rtol=1e-12)


@pytest.mark.parametrize("total", LARGE)
def test_pmf_at_the_corners(total):
    rows = [
        (x, *margin)
        for margin in exact.corners((total,))
        for x in exact.points(margin, deviations=(-37, -3, 0, 0.5, 2, 30))
    ]
    logs = hg.log_pmf(*exact.arrays(rows))
    for row, found in zip(rows, logs, strict=True):
        truth = exact.log_pmf(*row)
        assert abs(float(found) - truth) < 1e-11 * max(1, abs(truth))


@pytest.mark.parametrize("margin", [(1000, 300, 500), (5000, 20, 4000), (10**4, 10, 5000), (300, 299, 7)])
def test_tails_are_those_of_scipy(margin):
    total, positives, draws = margin
    low, high = map(int, hg.window(*margin))
    x = np.arange(low, high + 1)
    theirs = stats.hypergeom(total, positives, draws)
    np.testing.assert_allclose(hg.tail_ge(x, *margin), theirs.sf(x - 1), rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(hg.tail_le(x, *margin), theirs.cdf(x), rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize(
    "margin", [(10**10, 10**9, 10**8), (10**6, 3 * 10**5, 5 * 10**5), (10**12, 10**8, 3 * 10**10)]
)
@pytest.mark.parametrize("deviation", [0, 0.01, 0.5, 5, 30])
def test_wide_tails_are_sums_of_probabilities(margin, deviation):
    mean, sigma = float(hg.tp_mean(*margin)), math.sqrt(float(hg.tp_variance(*margin)))
    x = int(mean + deviation * sigma)
    want = math.fsum(hg.pmf(np.arange(x, x + int(12 * sigma)), *margin))
    assert float(hg.tail_ge(x, *margin)) == pytest.approx(want, rel=1e-8, abs=0)


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


@pytest.mark.parametrize("total", [10**9, 10**15, 2**52])
def test_integers_stay_exact(total):
    rng = np.random.default_rng(7)
    p, k = rng.integers(0, total, 300, endpoint=True), rng.integers(0, total, 300, endpoint=True)
    low, high = hg.support(total, p, k)
    first, last = hg.window(total, p, k)
    assert np.all((low <= first) & (first <= last) & (last <= high))
    rows = zip(p.tolist(), k.tolist(), strict=True)
    assert hg.mode(total, p, k).tolist() == [(b + 1) * (a + 1) // (total + 2) for a, b in rows]


def test_arrays_are_loops_in_their_shape():
    rng = np.random.default_rng(1)
    total = rng.integers(1, 10**6, (3, 50))
    positives, draws = rng.integers(0, total), rng.integers(0, total)
    x = hg.mode(total, positives, draws) + rng.integers(-20, 20, total.shape)
    for function in (hg.pmf, hg.log_pmf, hg.tail_ge, hg.tail_le, hg.log_tail_ge, hg.log_tail_le):
        together = function(x, total, positives, draws)
        assert together.shape == total.shape
        alone = [
            function(*map(int, row))
            for row in zip(x.flat, total.flat, positives.flat, draws.flat, strict=True)
        ]
        np.testing.assert_allclose(together.ravel(), alone, rtol=1e-10)
    assert hg.quantile([[0.1], [0.9]], 1000, [3, 300, 500], 200).shape == (2, 3)
    narrow = [np.array([value], dtype=np.uint8) for value in (200, 250, 240, 210)]
    assert hg.pmf(*narrow) == hg.pmf(200, 250, 240, 210)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((1, 10, 11, 2), "positives"),
        ((1, 10, 3, -1), "draws"),
        ((1, -1, 0, 0), "positives"),
        ((1, 2**52 + 1, 0, 0), "total"),
    ],
)
def test_impossible_margins(args, words):
    with pytest.raises(ValueError, match=words):
        hg.pmf(*args)


def test_only_integers_and_probabilities():
    with pytest.raises(TypeError, match="x must hold integers"):
        hg.pmf(1.0, 10, 3, 2)
    with pytest.raises(ValueError, match="probability"):
        hg.quantile(1.1, 10, 3, 2)


MIXED = exact.arrays(
    [row for row in exact.corners((70, 1000, 10**5, 10**7)) if min(row[1], row[2]) > 0]
    + [(64, 64, 3), (1, 1, 1), (0, 0, 0), (10**12, 4, 10**11), (10**12, 10**5, 10**9)]
)


@pytest.mark.parametrize("strided", [False, True])
def test_nodes_are_consecutive_bounded_and_weigh_one(strided):
    counts, place = node_counts(*MIXED, strided=strided), 0
    for block, nodes in node_chunks(*MIXED, strided=strided, max_nodes=500):
        assert block.start == place
        place = block.stop
        assert nodes.x.size <= 500 or block.stop - block.start == 1
        assert np.array_equal(np.diff(nodes.start), counts[block])
        np.testing.assert_allclose(nodes.sums(nodes.weight), 1, rtol=1e-13)
        ratio = nodes.weight / hg.pmf(nodes.x, *(column[block][nodes.draw] for column in MIXED))
        stride = np.round(ratio)  # of each prediction
        np.testing.assert_allclose(ratio[nodes.weight > 1e-15], stride[nodes.weight > 1e-15], rtol=1e-10)
    assert place == counts.size


def test_windows_that_are_too_wide_are_refused():
    one = (np.array([size]) for size in (2**50, 2**49, 2**49))
    with pytest.raises(ValueError, match="too wide to be summed"):
        node_chunks(*one, strided=False)


@pytest.mark.parametrize(("flips", "chance"), [(20, 0.3), (1000, 0.001), (10**9, 0.5)])
def test_coins_are_binomial(flips, chance):
    heads, weights = coin_weights(flips, chance, 2**14)
    assert weights.sum() == pytest.approx(1)
    assert np.dot(heads, weights) == pytest.approx(flips * chance, rel=1e-12)
    with mpmath.workdps(40):
        for x in (0, int(flips * chance), int(flips * chance) + 3):
            want = mpmath.log(mpmath.binomial(flips, x)) + x * mpmath.log(chance)
            want += (flips - x) * mpmath.log1p(-mpmath.mpf(chance))
            assert float(hg.log_heads(x, flips, chance)[0]) == pytest.approx(float(want), rel=1e-9, abs=1e-9)


@MANY
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(-5, 60)), min_size=1))
def test_the_least_true_integer_is_found_from_any_hint(rows):
    low, width, edge = exact.arrays(rows)
    for hint in (np.full_like(low, -1), edge, low + width // 2):
        found = least_true(lambda x, of: x >= edge[of], low, low + width, hint)
        assert found.tolist() == np.clip(edge, low, low + width + 1).tolist()
