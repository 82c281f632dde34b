"""Bars of many classes against every way to call the samples, every order of the labels."""

import math

import numpy as np
import pytest

import clearbar as cb
from clearbar.problems.multiclass import joint as g_mean
from clearbar.problems.multiclass.tables import Tables

CATALOGUE = {one.name: one for one in cb.measures("multiclass") if not one.named_classes}


def partitions(total, parts, largest=None):
    largest = total if largest is None else largest
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(min(total, largest), -1 if parts else 0, -1):
        for rest in partitions(total - first, parts - 1, first):
            yield (first, *rest)


def compositions(total, parts):
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)


def matrices(sizes):
    """All confusion matrices of these class sizes, and in how many orders of the labels each comes about."""
    rows = [np.array(list(compositions(size, len(sizes)))) for size in sizes]
    places = np.indices([len(row) for row in rows]).reshape(len(sizes), -1)
    found = np.stack([row[at] for row, at in zip(rows, places, strict=True)], axis=1)
    factorial = np.array([math.factorial(n) for n in range(MOST + 1)])
    return found, factorial[found.sum(axis=1)].prod(axis=1) // factorial[found].prod(axis=(1, 2))


def tables_of(cells):
    """What measures read of confusion matrices of shape (tables, classes, classes)."""
    step = np.abs(np.subtract.outer(*[np.arange(cells.shape[1])] * 2))
    margins = cells.sum(axis=2), cells.sum(axis=1), np.einsum("tii->ti", cells)
    far = (cells * step).sum(axis=(1, 2)), (cells * step**2).sum(axis=(1, 2))
    return Tables(*(np.asarray(part, dtype=float) for part in (*margins, *far)))


MOST = 6
CASES = [sizes for total in range(1, MOST + 1) for parts in range(1, 5) for sizes in partitions(total, parts)]
EMPTY = (0.0, 1.0, math.nan)


@pytest.fixture(scope="module")
def expected():
    """For all class sizes: every x, and the expected value of every measure at each, by zero_division."""
    known = {}
    for sizes in CASES:
        cells, orders = matrices(sizes)
        ways, place = np.unique(cells.sum(axis=1), axis=0, return_inverse=True)
        place, tables = place.reshape(-1), tables_of(cells)
        shares = orders / np.bincount(place, orders)[place]
        means = {
            (name, str(empty)): np.bincount(place, shares * measure(tables, empty))
            for name, measure in CATALOGUE.items()
            for empty in EMPTY
        }
        known[sizes] = list(map(tuple, ways.tolist())), means
    return known


@pytest.mark.slow
@pytest.mark.parametrize("empty", EMPTY)
@pytest.mark.parametrize("name", CATALOGUE)
def test_no_way_to_call_samples_expects_more(expected, name, empty):
    measure = CATALOGUE[name]
    sign = 1 if measure.greater_is_better else -1
    for sizes, (ways, means) in expected.items():
        own = means[name, str(empty)]
        values = sign * own[~np.isnan(own)]
        bar = measure.optimum(np.array(sizes), empty)
        if math.isnan(bar.value):
            assert bar.reason
            assert not len(values) or name == "f1_of_averages"
        elif bar.certified:
            assert bar.value == pytest.approx(sign * values.max(), abs=1e-13), sizes
            assert own[ways.index(tuple(bar.counts.tolist()))] == pytest.approx(bar.value, abs=1e-13), sizes
            assert bar.worst == pytest.approx(sign * values.min(), abs=1e-13), sizes
        else:
            assert sign * bar.value <= values.max() + 1e-13, sizes


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
