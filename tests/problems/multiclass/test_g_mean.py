"""The bar of the G-mean where there are too many samples or classes to try every way to call them."""

import math

import numpy as np
import pytest

import clearbar as cb
from clearbar.problems.multiclass import joint as g_mean

SHARED_OUT = [
    ((50, 30, 20), (30, 33, 37)),
    ((90, 7, 3), (20, 35, 45)),
    ((98, 1, 1), (20, 40, 40)),
    ((80, 10, 5, 5), (20, 25, 27, 28)),
    ((10,) * 10, (10,) * 10),
    ((60, 60), (80, 40)),
]


@pytest.mark.parametrize(("sizes", "called"), SHARED_OUT)
def test_the_expansion_is_within_a_hundred_thousandth_of_what_is_exact(sizes, called):
    about = math.exp(g_mean.expanded(np.array(sizes), np.array(called))[0])
    assert about == pytest.approx(g_mean.expected_g_mean(sizes, called), abs=1e-5)


def test_the_expectation_is_that_of_labels_in_random_order():
    sizes, rng = np.array([240, 45, 15]), np.random.default_rng(3)
    bar = cb.baseline_multiclass(cb.ClassSizes(dict(enumerate(sizes.tolist()))), "g_mean")
    called = np.repeat(np.arange(3), list(bar.predicted_counts.values()))
    truth = rng.permuted(np.tile(np.repeat(np.arange(3), sizes), (20_000, 1)), axis=1)
    recalls = np.stack([((truth == j) & (called == j)).sum(axis=1) / sizes[j] for j in range(3)])
    drawn = recalls.prod(axis=0) ** (1 / 3)
    assert float(bar.value) == pytest.approx(drawn.mean(), abs=4 * drawn.std() / math.sqrt(len(drawn)))


@pytest.mark.parametrize("sizes", [(20, 11, 9), (40, 5, 5)])
def test_the_balanced_numbers_lose_little_to_the_best(sizes):
    total = sum(sizes)
    best = max(
        g_mean.expected_g_mean(sizes, (first, second, total - first - second))
        for first in range(1, total, 2)
        for second in range(1, total - first, 2)
    )
    found = g_mean.balanced(np.array(sizes))[1]
    assert g_mean.expected_g_mean(sizes, tuple(found.tolist())) >= best * (1 - 1e-3)


@pytest.mark.parametrize("sizes", [(600, 300, 100), (10**6,) * 7, (3,) * 40])
def test_there_is_a_bar_that_says_it_is_not_certified_and_is_at_most_one_by_the_classes(sizes):
    bar = cb.baseline_multiclass(cb.ClassSizes(dict(enumerate(sizes))), "g_mean")
    assert 0 < float(bar.value) <= 1 / len(sizes)
    assert not bar.certified
    assert "searched, not certified" in str(bar)
    assert sum(bar.predicted_counts.values()) == sum(sizes)
    assert "No better one was found" in bar.claim
