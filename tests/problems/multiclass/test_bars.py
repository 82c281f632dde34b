"""Bars of many classes against every way to call the samples, every order of the labels."""

import math
from itertools import permutations

import numpy as np
import pytest

import clearbar as cb
from clearbar.problems.multiclass._tables import Tables

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


def orders(sizes):
    """All orders of the true labels, each once."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return np.array(sorted(set(permutations(labels.tolist()))))


def tables_of(truth, predicted, classes):
    """The tables of many orders of the labels against one prediction."""
    rows = len(truth)
    sizes = np.stack([(truth == j).sum(axis=1) for j in range(classes)], axis=1).astype(float)
    called = np.tile(np.bincount(predicted, minlength=classes).astype(float), (rows, 1))
    hits = np.stack([((truth == j) & (predicted == j)).sum(axis=1) for j in range(classes)], axis=1)
    step = np.abs(truth - predicted)
    return Tables(sizes, called, hits.astype(float), step.sum(axis=1) + 0.0, (step**2).sum(axis=1) + 0.0)


CASES = [
    *(sizes for total in range(1, 6) for parts in (1, 2, 3) for sizes in partitions(total, parts)),
    (4, 3), (6, 1), (5, 3), (4, 2, 1), (3, 3, 1), (4, 2, 2), (2, 2, 2, 1), (3, 1, 1, 0), (5, 0, 0, 0),
]  # fmt: skip
EMPTY = (0.0, 1.0, math.nan)


@pytest.fixture(scope="module")
def expected():
    """For all class sizes: every x, and the expected value of every measure at each, by zero_division."""
    known = {}
    for sizes in CASES:
        truth, classes = orders(sizes), len(sizes)
        ways = list(compositions(sum(sizes), classes))
        parts = [tables_of(truth, np.repeat(np.arange(classes), x), classes) for x in ways]
        tables = Tables(*map(np.stack, zip(*parts, strict=True)))
        known[sizes] = (
            ways,
            {
                (name, str(empty)): np.mean(measure(tables, empty), axis=1)
                for name, measure in CATALOGUE.items()
                for empty in EMPTY
            },
        )
    return known


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
