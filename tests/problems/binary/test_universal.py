"""The largest chance over all draws of a score as good: against a scan over every draw, and its bracket."""

import functools
import itertools
import math

import numpy as np
import pytest
from tests.oracle.law import weights

import clearbar as cb
from clearbar.problems.binary import _bare, universal_p_value


@functools.cache
def survival(total, positives):
    """Return P(TP >= t) for every k and t, from whole numbers, rounded once."""
    found = np.zeros((total + 1, positives + 2))
    for k in range(total + 1):
        whole, above = math.comb(total, k), 0
        for tp, weight in reversed(weights(total, positives, k)):
            above += weight
            found[k, tp] = above / whole
        found[k, : weights(total, positives, k)[0][0]] = 1
    return found


def scanned(measure, total, positives, score):
    """Return the largest probability over every k of a score as good, looking at every table."""
    best, chances = 0.0, survival(total, positives)
    for k in range(total + 1):
        tp = np.arange(max(0, k + positives - total), min(k, positives) + 1)
        values = measure(tp=tp, fp=k - tp, fn=positives - tp, tn=total - positives - k + tp)
        slack = 4 * np.spacing(abs(score))
        good = values >= score - slack if measure.greater_is_better else values <= score + slack
        upper = good.any() and good[good.argmax() :].all()  # then the tail itself keeps all digits
        pmf = chances[k, tp] - chances[k, tp + 1]
        best = max(best, chances[k, tp[good].min()] if upper else pmf[good].sum())
    return best


SCANNED = [
    "f1",
    "mcc",
    "error_rate",
    "prevalence_threshold",
    "p4",
    "mutual_information",
    "optimized_precision",
]
"""Affine, a loss, curved, without a value at some draws, not ordered, kinked."""


@pytest.mark.slow
@pytest.mark.parametrize("name", SCANNED)
def test_the_universal_p_value_is_the_scan_over_every_draw(name):
    measure = cb.get_measure(name)
    rng = np.random.default_rng(sum(map(ord, name)))
    for total, positives in [(60, 11), (97, 60), (200, 100), (200, 7)]:
        for _ in range(3):
            tp, fp = int(rng.integers(positives + 1)), int(rng.integers(total - positives + 1))
            score = measure(tp=tp, fp=fp, fn=positives - tp, tn=total - positives - fp)
            if math.isnan(score):
                continue
            got = universal_p_value(measure, total, positives, score)
            assert got.upper == got.lower
            assert got.upper == pytest.approx(scanned(measure, total, positives, score), rel=1e-12)


@pytest.mark.parametrize("name", ["f1", "mcc", "g_mean", "fnr"])
def test_the_bracket_holds_the_scanned_value(name, monkeypatch):
    """Where both can run: the bracket is narrow and the value found by trying everything lies in it."""
    measure, rng = cb.get_measure(name), np.random.default_rng(3)
    cases = []
    for (total, positives), share in itertools.product(
        [(400, 150), (2000, 900), (3000, 40)], (0.5, 0.6, 0.8)
    ):
        tp = int(positives * share)
        fp = int((total - positives) * (1 - share) * rng.uniform(0.8, 1))
        score = measure(tp=tp, fp=fp, fn=positives - tp, tn=total - positives - fp)
        cases.append((total, positives, score, universal_p_value(measure, total, positives, score)))
    monkeypatch.setattr(_bare, "MOST_CANDIDATES", 20)
    for *case, exact in cases:
        found = universal_p_value(measure, *case)
        assert exact.upper == exact.lower
        assert found.lower <= exact.upper * (1 + 1e-12)
        assert found.upper >= exact.upper * (1 - 1e-12)


def test_an_uncertified_p_value_says_what_was_found(monkeypatch):
    monkeypatch.setattr(_bare, "MOST_CANDIDATES", 20)
    verdict = cb.baseline(cb.Population(4000, 1500), "f1").judge(0.56)
    tail = verdict.baseline.reach(0.56)
    assert 0 < tail.lower < verdict.p_value_blind == tail.upper < 1
    assert verdict.reason == f"p_value_blind is an upper bound; the largest found is {tail.lower:.3g}"
