"""The law of coin flips against enumeration in exact fractions, SciPy and simulation."""

from __future__ import annotations

import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

import clearbar as cb
from clearbar.distributions.coins import Coin
from clearbar.distributions.hypergeometric import coin_weights

CHANCES = (Fraction(0), Fraction(1, 8), Fraction(1, 2), Fraction(3, 4), Fraction(1))


def by_flips(measure, positives, total, chance):
    """Mean, variance and undefined mass over all 2**M outcomes of M flips, each with its own probability."""
    labels = [1] * positives + [0] * (total - positives)
    found, lost = [], Fraction(0)
    for flips in itertools.product((0, 1), repeat=total):
        weight = chance ** sum(flips) * (1 - chance) ** (total - sum(flips))
        if not weight:
            continue
        tp = sum(a & b for a, b in zip(labels, flips, strict=True))
        cells = tp, sum(flips) - tp, positives - tp, total - positives - sum(flips) + tp
        value = measure(**dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True)))
        if math.isnan(value):
            lost += weight
        else:
            found.append((weight, Fraction(value)))
    mass = sum(weight for weight, _ in found)
    if not mass:
        return math.nan, math.nan, float(lost)
    mean = sum(weight * value for weight, value in found) / mass
    variance = sum(weight * (value - mean) ** 2 for weight, value in found) / mass
    return float(mean), float(variance), float(lost)


@pytest.mark.parametrize("measure", cb.measures(), ids=lambda measure: measure.name)
def test_every_measure_has_the_moments_of_all_flips(measure):
    for total, positives in ((1, 1), (3, 0), (5, 2), (4, 4)):
        for chance in CHANCES:
            law = Coin(cb.Population(total, positives), float(chance)).distribution(measure)
            mean, variance, lost = by_flips(measure, positives, total, chance)
            assert law.mean() == pytest.approx(mean, rel=1e-12, abs=1e-12, nan_ok=True)
            assert law.var() == pytest.approx(variance, rel=1e-10, abs=1e-12, nan_ok=True)
            assert law.undefined_mass == pytest.approx(lost, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(
    ("total", "chance"), [(1, 0.3), (7, 1e-9), (60, 1 - 1e-12), (999, 0.02), (10**6, 0.5)]
)
def test_weights_are_binomial(total, chance):
    heads, weights = coin_weights(total, chance, 2**20)
    expected = binom.pmf(heads, total, chance)
    # SciPy's tail values carry errors of their own at the largest size
    np.testing.assert_allclose(weights, expected, rtol=1e-9, atol=1e-25)
    assert math.fsum(weights) == pytest.approx(1.0, abs=1e-14)


def test_a_coarser_grid_of_a_huge_coin_has_the_same_mean_and_variance():
    total, chance = 10**10, 0.3
    heads, weights = coin_weights(total, chance, 2**10)
    assert len(heads) <= 2**10
    moved = heads - total * chance
    assert np.dot(weights, moved) == pytest.approx(0.0, abs=1e-4)
    assert np.dot(weights, moved**2) == pytest.approx(total * chance * (1 - chance), rel=1e-12)


def test_large_coins_agree_with_closed_forms():
    total, positives, chance = 10**8, 3 * 10**7, 0.25
    coin = Coin(cb.Population(total, positives), chance)
    negatives = total - positives
    accuracy = (chance * positives + (1 - chance) * negatives) / total
    assert coin.distribution("accuracy").mean() == pytest.approx(accuracy, rel=1e-13)
    # E[TP/(TP + FN + FP)] by the delta method: TP and FP are independent binomials
    tp, fp = chance * positives, chance * negatives
    ratio = tp / (positives + fp)
    second = tp * fp * (1 - chance) / (positives + fp) ** 3
    assert coin.distribution("threat_score").mean() == pytest.approx(ratio + second, rel=1e-12)


def test_tail_and_rvs_agree_with_enumeration():
    coin = Coin(cb.Population(9, 4), 0.375)
    measure, law = cb.get_measure("f1"), coin.distribution("f1")
    cells = np.array([(tp, fp) for tp in range(5) for fp in range(6)])
    weights = binom.pmf(cells[:, 0], 4, 0.375) * binom.pmf(cells[:, 1], 5, 0.375)
    values = measure.values(cells[:, 0], cells[:, 1], 4 - cells[:, 0], 5 - cells[:, 1])
    scores = np.array([0.0, 0.25, 0.5, 2 / 3, 1.0])
    expected = [weights[values >= score - 1e-12].sum() for score in scores]
    np.testing.assert_allclose(law.tail(scores), expected, rtol=1e-12)
    assert law.tail(0.5) == pytest.approx(expected[2], rel=1e-12)
    drawn = law.rvs(100_000, random_state=1)
    assert abs(drawn.mean() - law.mean()) < 4 * law.std() / math.sqrt(100_000)
    assert isinstance(law.rvs(random_state=1), float)


@pytest.mark.parametrize(("total", "positives"), [(10**5, 30_000), (10**7, 100_000)])
def test_tails_of_large_coins_are_those_of_two_binomials(total, positives):
    """TP and FP are independent: P(F1 >= x) adds up P(TP) P(FP <= 2 TP / x - P - TP)."""
    law = Coin(cb.Population(total, positives), 0.5).distribution("f1")
    tp = np.arange(positives // 2 - 10_000, positives // 2 + 10_000)
    for score in (law.mean(), law.mean() + 2 * law.std()):
        most = np.floor(2 * tp / score - positives - tp)
        exact = np.dot(binom.pmf(tp, positives, 0.5), binom.cdf(most, total - positives, 0.5))
        assert law.tail(score) == pytest.approx(exact, rel=1e-7)


@pytest.mark.parametrize("fill", ["a", math.inf, None, True])
def test_what_cannot_fill_is_refused(fill):
    with pytest.raises(ValueError, match=r"^fill must be a finite number, or nan for no value; found"):
        Coin(cb.Population(3, 1), 0.5).distribution("precision", fill=fill)


def test_predictions_are_independent_flips():
    coin = Coin(cb.Population(4000, 100), 0.2)
    flips = np.stack([coin.predict(seed) for seed in range(50)])
    assert flips.shape == (50, 4000)
    sd = math.sqrt(4000 * 0.2 * 0.8)
    assert abs(flips.sum(axis=1) - 800).max() < 4.5 * sd
    assert flips.sum(axis=1).std() == pytest.approx(sd, rel=0.3)


def test_a_fill_stands_for_outcomes_without_a_value():
    coin = Coin(cb.Population(5, 2), 0.25)
    none = 0.75**5
    law = coin.distribution("precision", fill=1.0)
    assert law.mean() == pytest.approx(0.4 * (1 - none) + none, rel=1e-14)
    assert law.undefined_mass == 0.0


def test_coins_compare_and_pickle_by_value():
    law = Coin(cb.Population(20, 6), 0.3).distribution("f1")
    assert pickle.loads(pickle.dumps(law)) == law  # noqa: S301 - our own
    assert law != Coin(cb.Population(20, 6), 0.4).distribution("f1")


@pytest.mark.parametrize("chance", [-0.1, 1.1, math.nan, "half", True, None])
def test_what_is_no_probability_is_refused(chance):
    with pytest.raises(ValueError, match=r"^chance must be a probability from 0 to 1; found"):
        Coin(cb.Population(3, 1), chance)
