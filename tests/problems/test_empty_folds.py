"""The probability of a fold without positives, against counting every way to deal them out."""

import math
from fractions import Fraction

import numpy as np
import pytest

import clearbar as cb


def sizes_of(total, folds):
    small, larger = divmod(total, folds)
    return [small + 1] * larger + [small] * (folds - larger)


def counted(total, positives, sizes):
    """One minus the share of deals that give each fold a positive: a product of polynomials."""
    ways = np.array([1], dtype=object)
    for size in sizes:
        own = [0] + [math.comb(size, one) for one in range(1, size + 1)]
        ways = np.convolve(ways, np.array(own, dtype=object))
    each = ways[positives] if positives < len(ways) else 0
    return 1 - Fraction(int(each), math.comb(total, positives))


@pytest.mark.parametrize(
    ("total", "positives", "folds"),
    [(20, 5, 3), (103, 47, 10), (1000, 20, 10), (200, 100, 10), (12, 4, 4), (9, 9, 3)],
)
def test_it_is_exact(total, positives, folds):
    exact = counted(total, positives, sizes_of(total, folds))
    for given in (folds, sizes_of(total, folds)):
        found = cb.probability_of_empty_fold(cb.Population(total, positives), given)
        assert found == pytest.approx(float(exact), rel=1e-11, abs=0)


def test_fewer_positives_than_folds_leave_one_empty():
    chances = cb.probability_of_empty_fold(cb.Population([100] * 3, [9, 0, 100]), 10)
    assert chances.tolist() == [1.0, 1.0, 0.0]
    assert isinstance(cb.probability_of_empty_fold([1] * 12 + [0] * 38, 5), float)


@pytest.mark.parametrize(("total", "positives", "repeats"), [(1000, 60, 7), (10_000, 600, 5)])
def test_repeats_multiply_the_chances(total, positives, repeats):
    once, often = (
        cb.probability_of_empty_fold(cb.Population(total, positives), 10, times) for times in (1, repeats)
    )
    assert often == pytest.approx(-math.expm1(repeats * math.log1p(-once)), rel=1e-9)


@pytest.mark.parametrize(
    ("folds", "repeats", "said"),
    [
        (1, 1, "folds must be at least 2"),
        (101, 1, "at most the 100 samples; found 101"),
        ([60, 30], 1, "add up to 100 samples"),
        (10, 0, "repeats must be one whole number from 1 up; found 0"),
        (2.5, 1, "folds must hold whole numbers"),
    ],
)
def test_what_cannot_be_is_refused(folds, repeats, said):
    with pytest.raises(ValueError, match=said):
        cb.probability_of_empty_fold(cb.Population(100, 10), folds, repeats)
