"""What coin flips expect, against enumeration in exact fractions and SciPy."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

import clearbar as cb
from clearbar.null import coin_score
from clearbar.null.nodes import coin_weights

CHANCES = (Fraction(0), Fraction(1, 8), Fraction(1, 2), Fraction(3, 4), Fraction(1))


def by_flips(measure, positives, total, chance):
    """The mean over all 2**M outcomes of M flips, each with its own probability."""
    labels = [1] * positives + [0] * (total - positives)
    valued = []
    for flips in itertools.product((0, 1), repeat=total):
        weight = chance ** sum(flips) * (1 - chance) ** (total - sum(flips))
        if not weight:
            continue
        tp = sum(a & b for a, b in zip(labels, flips, strict=True))
        cells = tp, sum(flips) - tp, positives - tp, total - positives - sum(flips) + tp
        value = measure(**dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True)))
        if not math.isnan(value):
            valued.append((weight, Fraction(value)))
    mass = sum(weight for weight, _ in valued)
    return float(sum(weight * value for weight, value in valued) / mass) if mass else math.nan


@pytest.mark.slow
@pytest.mark.parametrize("measure", cb.measures(), ids=lambda measure: measure.name)
def test_every_measure_has_the_mean_of_all_flips(measure):
    for total, positives in ((1, 1), (3, 0), (5, 2), (4, 4)):
        for chance in CHANCES:
            score = coin_score(measure, total, positives, float(chance))
            mean = by_flips(measure, positives, total, chance)
            assert score.mean == pytest.approx(mean, rel=1e-12, abs=1e-12, nan_ok=True)


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
    negatives = total - positives
    accuracy = (chance * positives + (1 - chance) * negatives) / total
    measure = cb.get_measure("accuracy")
    assert coin_score(measure, total, positives, chance).mean == pytest.approx(accuracy, rel=1e-13)
    # E[TP/(TP + FN + FP)] by the delta method: TP and FP are independent binomials
    tp, fp = chance * positives, chance * negatives
    ratio = tp / (positives + fp)
    second = tp * fp * (1 - chance) / (positives + fp) ** 3
    measure = cb.get_measure("threat_score")
    assert coin_score(measure, total, positives, chance).mean == pytest.approx(ratio + second, rel=1e-12)


@pytest.mark.parametrize("chance", [-0.1, math.nan, "half", True])
def test_what_is_no_probability_is_refused(chance):
    with pytest.raises(ValueError, match=r"^chance must be a probability from 0 to 1; found"):
        cb.dummies(cb.Population(20, 6), "f1").coin(chance)
