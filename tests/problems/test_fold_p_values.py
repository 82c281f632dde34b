"""p-values over folds against every outcome of every draw, counted."""

import functools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom
from tests.oracle.folds import AGGREGATES, DESIGNS, draws_of, law, tail

import clearbar as cb
from clearbar.core.counts import counts_of
from clearbar.problems.folds import WAYS, FoldLabels, sums

PAIRS = ("f1", "fdr", "fowlkes_mallows")
MEASURES = (*PAIRS, "mcc", "accuracy")
CASES = [
    (name, aggregate)
    for name in MEASURES
    for aggregate in AGGREGATES
    if name in PAIRS or not aggregate.startswith("precision")
]
SMALL = (DESIGNS[1], DESIGNS[3], DESIGNS[5])


def names(design):
    return "+".join(f"{p}of{m}" for m, p in design)


def chance(name, design, aggregate, draws, score):
    (total, positives), predicted = np.array(design).T, np.array(draws)
    tp = np.maximum(0, predicted - (total - positives))
    cells = tp, predicted - tp, positives - tp, total - positives - predicted + tp
    problem = FoldLabels(("m",), tuple(range(len(total))), WAYS[aggregate], counts_of(cells)[None], "exclude")
    return problem.chances([cb.get_measure(name)], np.array([score]), 0)[0]


def scores_of(name, design, draws, aggregate):
    return sorted({float(value) for value, _ in law(name, design, draws, aggregate) if value is not None})


@pytest.mark.parametrize("design", SMALL, ids=names)
@pytest.mark.parametrize(("name", "aggregate"), CASES)
def test_matched_is_the_tail_at_the_models_own_numbers(name, aggregate, design):
    greater = cb.get_measure(name).greater_is_better
    for draws in list(draws_of(design))[::3]:
        for score in scores_of(name, design, draws, aggregate):
            exact = tail(name, design, draws, aggregate, score, greater=greater)
            found = chance(name, design, aggregate, draws, score)
            assert found.upper == found.lower == pytest.approx(exact, rel=1e-11)


@pytest.mark.parametrize(
    ("name", "way"), [("f1", "mean"), ("mcc", "mean"), ("fdr", "mean_of_defined"), ("f1", "precision_recall")]
)
def test_of_many_outcomes_some_are_drawn(name, way, monkeypatch):
    design = ((30, 10), (25, 8), (20, 9))
    for score in (0.3, 0.45, 0.6):
        exact = chance(name, design, way, (9, 8, 7), score).upper
        with monkeypatch.context() as patched:
            patched.setattr(sums, "MOST_OUTCOMES", 1)
            drawn = chance(name, design, way, (9, 8, 7), score)
        assert (drawn.method, drawn.draws) == ("permutation", 9_999)
        assert abs(drawn.upper - exact) <= 4 * math.sqrt(exact / 9_999) + 1e-4


@functools.lru_cache(maxsize=64)
def ways(design, draws):
    """Return how many choices have each pooled TP, and the number of all choices."""
    found, whole = [1], 1
    for (total, positives), k in zip(design, draws, strict=True):
        hits = range(min(positives, k) + 1)
        own = [math.comb(positives, tp) * math.comb(total - positives, k - tp) for tp in hits]
        found = np.convolve(np.array(found, dtype=object), np.array(own, dtype=object)).tolist()
        whole *= math.comb(total, k)
    return found, whole


def counted(least, design, draws):
    found, whole = ways(tuple(design), tuple(draws))
    return Fraction(sum(found[least:]), whole)


def tail_of_sum(least, total, positives, draws):
    probabilities, first = sums.distribution_of_sum(total, positives, draws)
    return float(probabilities[max(least - first, 0) :].sum())


@pytest.mark.parametrize("least", [1, 170, 1030])
def test_the_pooled_tail_keeps_its_digits_far_out(least):
    design, draws = [(2000, 300)] * 4, [250, 300, 200, 280]
    exact = float(counted(least, design, draws))
    assert tail_of_sum(least, *np.array(design).T, draws) == pytest.approx(exact, rel=1e-11, abs=0)


def test_tails_of_all_small_sums():
    rng = np.random.default_rng(7)
    for _ in range(15):
        total = rng.integers(1, 30, rng.integers(2, 6))
        positives, draws = rng.integers(0, total + 1), rng.integers(0, total + 1)
        design = list(zip(total.tolist(), positives.tolist(), strict=True))
        for least in range(int(positives.sum()) + 2):
            exact = counted(least, design, draws.tolist())
            found = tail_of_sum(least, total, positives, draws)
            assert found == pytest.approx(float(exact), rel=1e-12, abs=1e-300)


@pytest.mark.parametrize(("folds", "least"), [(5_000, 2_400), (5_000, 2_600), (20_000, 10_100)])
def test_thousands_of_tiny_folds_are_a_binomial(folds, least):
    each = np.ones(folds, dtype=int)
    found = tail_of_sum(least, 2 * each, each, each)
    assert found == pytest.approx(binom.sf(least - 1, folds, 0.5), rel=1e-6, abs=1e-12)


def test_folds_of_one_class_each_leave_nothing_to_permute_and_say_so():
    y_true = np.arange(60) % 2
    card = cb.evaluate_folds(y_true, y_true, np.arange(60), "mcc")
    assert np.isnan(card[0].p_value_blind)
    assert "no fold holds both classes" in card[0].reason
    assert not card[0].sure
    assert "how surely is not known" in card.headline()
