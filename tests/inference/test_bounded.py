"""Gaffke's bound: against fractions, the binomial, and a thousand million gaps between uniform numbers."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import beta

from clearbar.inference.bounded import BoundedMean, BoundedMeans, negative_sum

RNG = np.random.default_rng(20)


def of(scores, sizes=None):
    scores = np.asarray(scores, dtype=np.float64)
    sizes = np.ones(len(scores)) if sizes is None else np.asarray(sizes, dtype=np.float64)
    return BoundedMean(scores, sizes, np.ones(len(scores)))


@pytest.mark.parametrize("number", [2, 3, 5, 8])
def test_sums_of_exponentials_are_those_of_partial_fractions(number):
    for _ in range(20):
        values = [Fraction(int(v), 100) for v in RNG.choice(np.r_[-100:0, 1:101], number, replace=False)]
        positive = [v for v in values if v > 0]
        above = sum(math.prod(v / (v - w) for w in values if w != v) for v in positive)
        found = negative_sum(np.array(list(map(float, values))), np.ones(number))
        assert found == pytest.approx(float(1 - above), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(("right", "total"), [(0, 7), (1, 7), (6, 7), (7, 7), (83, 100), (1, 1)])
def test_right_or_wrong_is_clopper_and_pearson(right, total):
    mean = of([1.0] * right + [0.0] * (total - right))
    low, high = BoundedMeans(0.0, [1.0], [mean]).interval(0.95, (0.0, 1.0))
    assert low == pytest.approx(beta.ppf(0.025, right, total - right + 1) if right else 0.0, abs=1e-8)
    assert high == pytest.approx(
        beta.ppf(0.975, right + 1, total - right) if right < total else 1.0, abs=1e-8
    )
    rate = Fraction(1, 3)
    tail = sum(
        math.comb(total, k) * rate**k * (1 - rate) ** (total - k) for k in range(max(right, 1), total + 1)
    )
    if right:
        assert mean.p_value(1 / 3) == pytest.approx(float(tail), rel=1e-10)


def test_kinds_that_occur_often_are_units_of_their_own():
    scores = RNG.integers(0, 5, 40) / 4
    kinds, often = np.unique(scores, return_counts=True)
    counted = BoundedMean(kinds, np.ones(len(kinds)), often.astype(float))
    for bar in (0.2, 0.5, 0.9):
        assert counted.p_value(bar) == pytest.approx(of(scores).p_value(bar), rel=1e-10)
    # Tiny tails are right to their own digits: of n equal scores s the mean is at most t as (t/s)^n.
    assert of([0.8] * 60).p_value(0.01) == pytest.approx((0.01 / 0.8) ** 60, rel=1e-8)


def test_gaps_between_uniform_numbers_give_the_same():
    scores = RNG.beta(0.5, 0.4, 12)
    gaps = RNG.exponential(size=(400_000, 13))
    means = (gaps[:, 1:] @ scores) / gaps.sum(axis=1)
    for bar in (0.2, 0.4, 0.6):
        share = float((means <= bar).mean())
        assert of(scores).p_value(bar) == pytest.approx(share, abs=4 * math.sqrt(share / 400_000) + 1e-5)


def test_interval_and_p_value_agree_and_mirror():
    scores = RNG.beta(2, 1, 25)
    test, mirrored = (BoundedMeans(0.0, [1.0], [of(values)]) for values in (scores, 1 - scores))
    low, high = test.interval(0.9, (0.0, 1.0))
    assert test.tail(low).upper == pytest.approx(0.1, rel=1e-5)
    assert test.tail(high).upper == pytest.approx(0.1, rel=1e-5)
    assert mirrored.interval(0.9, (0.0, 1.0)) == pytest.approx((1 - high, 1 - low), abs=1e-8)
    assert test.tail(float(scores.mean())).upper == 1.0
    two = BoundedMeans(0.0, [0.5, 0.5], [of(scores), of(RNG.beta(1, 2, 40))])
    low, high = two.interval(0.9, (0.0, 1.0))
    assert two.tail(low).upper == pytest.approx(0.1, rel=1e-4)
    assert two.tail(high).upper == pytest.approx(0.1, rel=1e-4)


def test_clusters_of_one_size_are_scores_of_their_means():
    scores = RNG.beta(1, 1, (9, 4))
    clusters, means = of(scores.sum(axis=1), [4] * 9), of(scores.mean(axis=1))
    for bar in (0.2, 0.45, 0.7):
        assert clusters.p_value(bar) == pytest.approx(means.p_value(bar), rel=1e-10)


def test_of_very_many_kinds_a_large_cluster_keeps_its_size():
    """Neighbours that share a mean are of one size: limits are those of all units but for rounding."""
    single = RNG.random(1_999)
    of_sizes = RNG.integers(1, 60, 1_500).astype(float)
    for sums, sizes in (
        (np.append(single, 1_000 * single.mean()), np.append(np.ones(1_999), 1_000.0)),
        (of_sizes * RNG.beta(0.5, 0.5, 1_500), of_sizes),
    ):
        merged, units = BoundedMean.of(sums, sizes), of(sums, sizes)
        assert len(merged.sums) < len(units.sums)
        assert merged.sizes.max() == sizes.max()
        assert merged.sizes @ merged.often == pytest.approx(sizes.sum(), rel=1e-12)
        limits = [BoundedMeans(0.0, [1.0], [mean]).interval(0.95, (0.0, 1.0)) for mean in (merged, units)]
        assert limits[0] == pytest.approx(limits[1], abs=1e-5)
