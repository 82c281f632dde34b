"""P-values of best thresholds and KS: every path counted in whole numbers, closed forms, SciPy's tests."""

from __future__ import annotations

import functools
import io
import math
from contextlib import redirect_stderr
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import clearbar as cb
from clearbar.core import _progress
from clearbar.problems.scores import (
    Ranking,
    _courses,
    _crossing,
    best_threshold,
    get_score_measure,
    threshold,
)
from clearbar.problems.scores._chance import of_any, of_own


def share_that_reaches(total, positives, reaches, stops):
    """Count the paths that reach a region at a stop, one sample after the other, in whole numbers."""
    never, found = {0: 1}, 0
    for passed in range(total + 1):
        if passed in stops:
            for tp in [tp for tp in never if reaches(tp, passed - tp)]:
                left = total - passed
                found += never.pop(tp) * math.comb(left, positives - tp)
        after = {}
        for tp, ways in never.items():
            if tp < positives:
                after[tp + 1] = after.get(tp + 1, 0) + ways
            if passed - tp < total - positives:
                after[tp] = after.get(tp, 0) + ways
        never = after
    return Fraction(found, math.comb(total, positives))


def gap(total, positives):
    negatives = total - positives
    return lambda tp, fp: Fraction(tp, positives) - Fraction(fp, negatives)


def f1(_total, positives):
    return lambda tp, fp: Fraction(2 * tp, positives + tp + fp)


def mcc_squared(total, positives):
    """The square, with its sign, which is in the same order."""
    negatives = total - positives

    def value(tp, fp):
        rows = positives * negatives * (tp + fp) * (total - tp - fp)
        above = tp * negatives - fp * positives
        return Fraction(above * abs(above), rows) if rows else Fraction(-2)

    return value


def kappa(total, positives):
    negatives = total - positives

    def value(tp, fp):
        called = tp + fp
        below = positives * (total - called) + called * negatives
        return Fraction(2 * (tp * negatives - fp * positives), below) if below else Fraction(-2)

    return value


BY_HAND = {
    "ks_one_sided": gap,
    "ks": lambda *sizes: lambda tp, fp: abs(gap(*sizes)(tp, fp)),
    "max_f1": f1,
    "max_mcc": mcc_squared,
    "max_kappa": kappa,
}


@pytest.mark.parametrize(("steps", "sparse"), [(1, 99), (2, 99), (8, 99), (64, 99), (8, 0)])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("name", BY_HAND)
def test_the_share_of_paths_that_reach_a_value_is_counted_in_whole_numbers(
    monkeypatch, name, ties, steps, sparse
):
    """However many steps are taken at once, and wherever ties leave no threshold."""
    monkeypatch.setattr(_courses, "STEPS", (steps, 1))
    monkeypatch.setattr(_courses, "PRODUCTS", math.inf)
    monkeypatch.setattr(_crossing, "SPARSE", sparse)
    rng = np.random.default_rng(steps + len(name))
    measure = get_score_measure(name)
    for total, positives in ((9, 4), (50, 31), (130, 65), (150, 12)):
        truth = rng.permutation(np.arange(total) < positives)
        scores = rng.normal(size=total) + 0.6 * truth
        ranking = Ranking.of(truth, scores.round(1) if ties else scores)
        value = BY_HAND[name](total, positives)
        stops = {0, *ranking.ends.tolist()}
        tops = ranking.found.tolist()
        score = max(value(tp, end - tp) for tp, end in zip([0, *tops], sorted(stops), strict=True))
        found = of_own(measure, ranking, float(measure.value(ranking)))
        expected = share_that_reaches(total, positives, lambda tp, fp: value(tp, fp) >= score, stops)  # noqa: B023
        assert found.upper == pytest.approx(float(expected), rel=1e-12)
        assert found.note == ""


@functools.cache
def reflected(size, height):
    """C(2n, n - h) / C(2n, n): paths with as many steps up as down that reach a height (André)."""
    steps = np.arange(1, height + 1)
    return float(np.prod((size - height + steps) / (size + steps)))


@pytest.mark.parametrize("height", [3, 60, 190, 700, 2500])
def test_ks_of_a_hundred_thousand_samples_has_its_closed_form(height):
    size = 50_000
    one_sided, two_sided = (
        of_any(get_score_measure(name), 2 * size, size, height / size) for name in ("ks_one_sided", "ks")
    )
    assert one_sided.upper == pytest.approx(reflected(size, height), rel=1e-12)
    turns = range(1, min(size // height, 400) + 1)
    series = 2 * sum((-1) ** (turn + 1) * reflected(size, turn * height) for turn in turns)
    assert two_sided.upper == pytest.approx(series, rel=1e-12)
    assert one_sided.note == two_sided.note == ""


@pytest.mark.parametrize(("total", "positives"), [(100_000, 40_000), (100_000, 300), (30_000, 29_000)])
@pytest.mark.parametrize("height", [20, 250])
def test_the_best_accuracy_of_many_samples_has_its_closed_form(total, positives, height):
    value = (max(positives, total - positives) + height) / total
    fewer = min(positives, total - positives)
    ways = [math.lgamma(k + 1) + math.lgamma(total - k + 1) for k in (fewer, fewer - height)]
    found = of_any(get_score_measure("max_accuracy"), total, positives, value)
    assert found.upper == pytest.approx(math.exp(ways[0] - ways[1]), rel=1e-8)


def test_of_a_million_samples_no_path_is_left_out_that_may_cross():
    total, positives = 1_000_000, 300_000
    times = np.arange(total + 1)
    lowest = _crossing._lowest(total, positives, times, times * 3 // 10 + 500)
    early = np.arange(1, 3000, 37)
    assert stats.hypergeom.cdf(lowest[early] - 1, total, positives, early).max() < 1e-15
    assert (lowest > times * 3 / 10 - 9 * np.sqrt(times * 0.21) - 3).all()


@pytest.mark.parametrize("name", ["ks", "ks_one_sided"])
@pytest.mark.parametrize(("positives", "negatives"), [(300, 500), (64, 1000), (90, 70)])
def test_ks_of_unequal_classes_is_scipy_s(name, positives, negatives):
    rng = np.random.default_rng(positives)
    truth = np.arange(positives + negatives) < positives
    scores = rng.normal(size=truth.size) + 0.1 * truth
    side = {"ks": "two-sided", "ks_one_sided": "less"}[name]
    expected = stats.ks_2samp(scores[truth], scores[~truth], alternative=side, method="exact").pvalue
    measure = get_score_measure(name)
    ranking = Ranking.of(truth, scores)
    found = of_own(measure, ranking, float(measure.value(ranking)))
    assert found.upper == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", ["max_optimized_precision", "max_iba"])
def test_what_does_not_rise_towards_the_best_rankings_goes_point_by_point(monkeypatch, name):
    measure = get_score_measure(name)
    expected = of_any(measure, 60, 25, 0.6)
    monkeypatch.setattr(threshold, "crossing", lambda *_: pytest.fail("it has no edge"))
    assert of_any(measure, 60, 25, 0.61).upper <= expected.upper


def test_a_user_s_measure_has_edges_where_it_says_so():
    def hits(tp, fp, _fn, _tn):
        return tp - fp / 2

    plain = best_threshold(cb.Measure("plain_hits", hits, greater_is_better=True))
    told = best_threshold(
        cb.Measure("told_hits", hits, greater_is_better=True, better_with_tp=True, worse_with_fp=True)
    )
    for score in (1.0, 4.5, 9.0):
        found = [of_any(measure, 300, 60, score).upper for measure in (plain, told)]
        assert found[0] == pytest.approx(found[1], rel=1e-12)


def test_a_value_that_every_ranking_has_is_certain_and_one_beyond_all_impossible():
    for name in ("ks", "ks_one_sided", "max_f1", "max_accuracy"):
        measure = get_score_measure(name)
        certain = {"max_f1": 2 * 400 / 1400, "max_accuracy": 0.6}.get(name, 0.0)
        assert of_any(measure, 1000, 400, certain).upper == 1.0
        assert of_any(measure, 1000, 400, 1.0).upper < 1e-280
        assert of_any(measure, 1000, 400, 1.01).upper == 0.0


class Terminal(io.StringIO):
    """A screen that keeps what was written on it."""

    def isatty(self):
        return True


@pytest.mark.parametrize("name", ["max_f1", "max_iba"])
def test_long_work_shows_how_far_it_has_come(monkeypatch, name):
    monkeypatch.setattr(_progress, "DELAY", -1.0)
    screen = Terminal()
    with redirect_stderr(screen):
        of_any(get_score_measure(name), 800, 321, 0.701)
    assert "samples" in screen.getvalue()
