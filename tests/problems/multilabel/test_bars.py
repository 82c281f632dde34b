"""Bars of sets of labels against every way to call the samples, every order of the rows, in fractions."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest
from sklearn import metrics

import clearbar as cb
from clearbar.core.label_sets import LabelSets
from clearbar.problems.multilabel import optima

CATALOGUE = {measure.name: measure for measure in cb.measures("multilabel")}
EMPTY = (0.0, 1.0, math.nan)
CASES = [
    (name, empty)
    for name, measure in CATALOGUE.items()
    for empty in EMPTY
    if empty == 0 or "_" in name.removesuffix("_loss").removesuffix("_accuracy").removesuffix("_one")
]


def divided(top, bottom):
    """Divide whole numbers that leave no rest."""
    assert not (top % bottom).any()
    return top // bottom


FORMULAS = {
    "precision": lambda _, called, both: (both, called),
    "recall": lambda true, _, both: (both, true),
    "f1": lambda true, called, both: (2 * both, true + called),
    "f2": lambda true, called, both: (5 * both, 4 * true + called),
    "jaccard": lambda true, called, both: (both, true + called - both),
}


def shares(formula, sets, empty, whole):
    """So many parts of a whole, and where there is no value."""
    top, bottom = formula(*sets)
    values = divided(top * whole, np.maximum(bottom, 1))
    nothing = bottom == 0
    return np.where(nothing, 0 if math.isnan(empty) else int(empty) * whole, values), nothing & math.isnan(
        empty
    )


def mean(values, lost, weights):
    """The mean over what has a value, by weights; the plain one where none has any."""
    weights = np.where(lost, 0, weights)
    weights = np.where(weights.any(axis=1, keepdims=True), weights, ~lost)
    total = weights.sum(axis=1)
    return divided((values * weights).sum(axis=1), np.maximum(total, 1)), total == 0


def exactly(name, true, called, labels, empty, whole):
    """A measure of sets as bits, of shape (cases, samples), in parts of a whole; where it has no value."""
    known = np.zeros(len(true), dtype=bool)
    samples = true.shape[1]
    if name in {"subset_accuracy", "zero_one_loss"}:
        wrong = (true != called).sum(axis=1)
        return divided((samples - wrong if name == "subset_accuracy" else wrong) * whole, samples), known
    if name == "hamming_loss":
        return divided(
            np.bitwise_count(true ^ called).sum(axis=1, dtype=np.int64) * whole, samples * labels
        ), known
    name, _, way = name.partition("_")
    sides = true, called, true & called
    if way == "samples":
        sets = [np.bitwise_count(side).astype(np.int64) for side in sides]
        return mean(*shares(FORMULAS[name], sets, empty, whole), 1)
    sets = [(side[:, :, None] >> np.arange(labels) & 1).sum(axis=1) for side in sides]
    if way == "micro":
        return shares(FORMULAS[name], [side.sum(axis=1) for side in sets], empty, whole)
    return mean(*shares(FORMULAS[name], sets, empty, whole), sets[0] if way == "weighted" else 1)


def sets_of(bits, labels):
    rows, columns = np.nonzero([[one >> at & 1 for at in range(labels)] for one in bits])
    return LabelSets.of(tuple(range(labels)), rows, columns, len(bits))


SIZES = [(1, 1), (3, 1), (1, 2), (2, 2), (3, 2), (4, 2)]
WHOLE = {True: math.lcm(*range(1, 41)), False: math.lcm(*range(1, 21)) * 840}
"""What all values are whole parts of, for micro averages and for others."""


class Ways:
    """All multisets of rows of one size, and every order of the true ones beside the predicted ones."""

    def __init__(self, samples, labels):
        self.labels = labels
        self.rows = list(combinations_with_replacement(range(2**labels), samples))
        orders, known, places = list(permutations(range(samples))), {}, []
        for truth in self.rows:
            for called in self.rows:
                for order in orders:
                    pairs = tuple(sorted(zip(truth, [called[at] for at in order], strict=True)))
                    places.append(known.setdefault(pairs, len(known)))
        self.orders, self.places = len(orders), np.array(places)
        self.true, self.called = np.moveaxis(np.array(list(known)), 2, 0)

    def means(self, name, empty):
        """What a measure expects, for true rows and predicted rows; nan where an order has no value."""
        whole = WHOLE[name.endswith("micro")]
        values, lost = exactly(name, self.true, self.called, self.labels, empty, whole)
        first = np.arange(0, len(self.places), self.orders)
        sums = np.add.reduceat(values[self.places], first)
        missing = np.logical_or.reduceat(lost[self.places], first)
        return np.where(missing, np.nan, sums / (whole * self.orders)).reshape(len(self.rows), -1)


@pytest.fixture(scope="module")
def every_way():
    return [Ways(*size) for size in SIZES]


@pytest.mark.parametrize(("name", "empty"), CASES)
def test_no_multiset_of_rows_expects_more(every_way, name, empty):
    measure = CATALOGUE[name]
    best, least = (max, min) if measure.greater_is_better else (min, max)
    for ways in every_way:
        for truth, own in zip(ways.rows, ways.means(name, empty), strict=True):
            values = own[~np.isnan(own)]
            bar = measure.optimum(sets_of(truth, ways.labels), empty)
            if math.isnan(bar.value):
                assert not len(values), truth
                continue
            assert bar.worst == pytest.approx(least(values), abs=1e-14), truth
            recipe = own[ways.rows.index(followed(bar, len(truth)))]
            assert bar.value == pytest.approx(recipe, abs=1e-14), truth
            if bar.certified:
                assert bar.value == pytest.approx(best(values), abs=1e-14), truth
            else:
                assert name in {"jaccard_samples", "jaccard_micro"}, truth
                assert bar.value <= best(values) + 1e-14, truth


def followed(bar, samples):
    """The rows that a recipe predicts."""
    called = sum(1 << at for at in np.flatnonzero(bar.called).tolist())
    label, times = bar.for_some or (0, 0)
    return (called,) * (samples - times) + (called | 1 << label,) * times


# The numbers of an independent derivation, exact as fractions.
@pytest.mark.parametrize(("name", "value"), [("f1_micro", Fraction(36, 43)), ("f1_macro", Fraction(61, 133))])
def test_bars_of_a_hundred_samples(name, value):
    table = np.arange(100)[:, None] < [90, 20, 5]
    bar = cb.baseline_multilabel(table, name)
    assert bar.value == pytest.approx(float(value), rel=1e-15)
    assert bar.predicted_labels == ((0,) if name == "f1_micro" else (0, 1, 2))


def test_micro_jaccard_of_some_samples_beats_a_constant():
    bar = cb.baseline_multilabel([{1}, {0, 1}, set()], "jaccard_micro")
    assert bar.value == pytest.approx(31 / 60, rel=1e-14)  # a constant answer: 1/2
    assert str(bar) == (
        "micro Jaccard bar 0.517: predict label 1 for every sample and label 0 for 1 of 3 at random "
        "(the bar was searched, not certified)"
    )


@pytest.mark.parametrize("seed", range(6))
def test_the_search_of_a_median_finds_what_trying_all_finds(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    table = rng.random((30 if seed < 4 else 3_000, 7)) < rng.uniform(0.1, 0.7, 7)
    whole = cb.baseline_multilabel(table, "jaccard_samples")
    assert whole.certified
    called = np.tile([label in whole.predicted_labels for label in range(7)], (len(table), 1))
    value = metrics.jaccard_score(table, called, average="samples", zero_division=0.0)
    assert whole.value == pytest.approx(value, rel=1e-12)
    monkeypatch.setattr(optima, "MOST_SETS", 1)
    assert cb.baseline_multilabel(table, "jaccard_samples").value == pytest.approx(whole.value, rel=1e-14)


def test_a_median_is_certified_where_a_bound_proves_it():
    table = np.zeros((50, 20), dtype=int)
    table[:40, 3] = 1
    table[40:, 4:6] = 1
    bar = cb.baseline_multilabel(table, "jaccard_samples")
    assert (bar.value, bar.predicted_labels, bar.certified) == (0.8, (3,), True)
