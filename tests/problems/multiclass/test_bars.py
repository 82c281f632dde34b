"""Bars of many classes against every way to call the samples, every order of the labels."""

import math

import numpy as np
import pytest

import clearbar as cb
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
