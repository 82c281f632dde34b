"""Moments, probabilities and quantiles at up to 1e12 samples, against 30 digits and more."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from mpmath import mpf
from tests.oracle import wide
from tests.oracle.formulas import MEASURES, NAMES
from tests.oracle.law import table

import clearbar as cb
from clearbar.null import moments

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "core_values.json").read_text("utf-8"))


def corners():
    """Generate populations and draws where few TP are reachable but every cell count is huge or tiny."""
    for total in (10**7, 10**12):
        for size in (1, 4):
            for positives in (size, total - size):
                for k in (1, total // 10, total // 2 + 1, total - 2, total - 1):
                    yield total, positives, k
        for k in (0, 1, 2, total - 5, total - 1, total):
            yield total, total // 2, k
            yield total, total // 3, k
    for positives in (80, 10**12 - 80):
        yield 10**12, positives, 5 * 10**11
        yield 10**12, positives, 3 * 10**10


CORNERS = tuple(corners())


def distribution(row, measure):
    return cb.Draw(cb.Population(row["M"], row["P"]), row["k"]).distribution(measure)


def variance_tolerance(measure):
    return 1e-9 if measure.affine else 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_moments_at_hard_corners_keep_the_promise(name):
    """One by one, and as arrays, which takes another route."""
    measure = MEASURES[name]
    margins = np.array(CORNERS).T
    arrays = moments(measure, *margins)
    wrong = []
    for i, (total, positives, k) in enumerate(CORNERS):
        mean, variance, undefined = wide.few_moments(name, total, positives, k)
        null = cb.Draw(cb.Population(total, positives), k).distribution(name)
        if not math.isclose(null.undefined_mass, undefined, rel_tol=1e-9, abs_tol=1e-17):
            wrong.append((total, positives, k, "undefined", null.undefined_mass, float(undefined)))
        if not math.isclose(arrays.undefined[i], undefined, rel_tol=1e-9, abs_tol=1e-12):  # a window's rest
            wrong.append((total, positives, k, "undefined, array", arrays.undefined[i], float(undefined)))
        for route, got_mean, got_variance in (
            ("one", null.mean(), null.var()),
            ("array", arrays.mean[i], arrays.variance[i]),
        ):
            found = _differences(measure, mean, variance, got_mean, got_variance)
            wrong += [(total, positives, k, route, *what) for what in found]
    assert not wrong, (len(wrong), wrong[:5])


def _differences(measure, mean, variance, got_mean, got_variance):
    if mean is None:
        if not (math.isnan(got_mean) and math.isnan(got_variance)):
            yield "nan", got_mean, got_variance
        return
    sd = variance**0.5
    if not abs(got_mean - mean) <= 1e-9 * max(abs(mean), sd) + 1e-12:
        yield "mean", got_mean, float(mean), float(abs(got_mean - mean))
    if (
        not abs(got_variance - variance)
        <= variance_tolerance(measure) * variance + (1e-12 * mean) ** 2 + mpf(10) ** -30
    ):
        yield "var", got_variance, float(variance), float(abs(got_variance - variance))


HALVES = [(10**6, 500_000, 500_000), (10**12, 10**11, 7 * 10**11)]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if MEASURES[name].smooth or MEASURES[name].affine])
def test_moments_of_wide_distributions_keep_the_promise(name):
    measure = MEASURES[name]
    for margins in HALVES:
        mean, variance = wide.moments(name, *margins)
        null = cb.Draw(cb.Population(*margins[:2]), margins[2]).distribution(name)
        assert not [*_differences(measure, mean, variance, null.mean(), null.var())], margins
        found = moments(measure, *margins)
        assert not [*_differences(measure, mean, variance, float(found.mean), float(found.variance))], margins


@pytest.mark.parametrize(
    "name", [name for name in NAMES if not (MEASURES[name].smooth or MEASURES[name].affine)]
)
def test_moments_of_measures_with_a_kink_are_summed_in_full(name):
    for margins in [(10**4, 5000, 5000), (10**4, 3000, 4000)]:
        mean, variance = wide.moments(name, *margins, strided=False)
        null = cb.Draw(cb.Population(*margins[:2]), margins[2]).distribution(name)
        assert not [*_differences(MEASURES[name], mean, variance, null.mean(), null.var())], margins


@pytest.mark.parametrize("name", sorted({row["measure"] for row in REFERENCE["moments"]}))
def test_moments_equal_the_reference(name):
    for row in (row for row in REFERENCE["moments"] if row["measure"] == name):
        null = distribution(row, name)
        mean, variance = (None if row["mean"] is None else mpf(row[side]) for side in ("mean", "var"))
        assert not [*_differences(null.measure, mean, variance, null.mean(), null.var())], row
        assert null.undefined_mass == 1 or mean is not None, row


MONOTONE = ("f1", "mcc", "fnr", "prevalence_threshold")


def of_rows(name, column):
    """The rows of a reference; those of many samples are slow."""
    return [
        pytest.param(row, id=f"{row['M']:g}-{row[column]}", marks=[pytest.mark.slow] * (row["M"] > 10**7))
        for row in REFERENCE[name]
    ]


@pytest.mark.parametrize("row", of_rows("tails", "x"))
def test_pmf_and_tails_equal_the_reference(row):
    """One law of TP serves all measures that are monotone in it."""
    name = MONOTONE[REFERENCE["tails"].index(row) % len(MONOTONE)]
    null = distribution(row, name)
    tp, fp, fn, tn = table(row["M"], row["P"], row["k"], row["x"])
    score = null.measure(tp=tp, fp=fp, fn=fn, tn=tn)
    assert null.logtail(score) == pytest.approx(float(mpf(row["log_tail"])), rel=1e-6)
    assert null.logpmf(score) == pytest.approx(float(mpf(row["log_pmf"])), rel=1e-6)
    assert null.logpmf([score * (1 + 1e-13), 2.0]).tolist() == [-math.inf, -math.inf]  # between two tables
    assert null.tail(score) == pytest.approx(float(mpf(row["tail"])), rel=1e-6)
    assert null.pmf(score) == pytest.approx(float(mpf(row["pmf"])), rel=1e-6, abs=1e-17)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["g_mean", "error_rate"])
def test_tails_go_on_far_below_the_smallest_float(name):
    """At 300 standard deviations the probability is about e^-45000."""
    margins, least = (10**12, 5 * 10**11, 4 * 10**11), 2 * 10**11 + 300 * 245_000
    null = cb.Draw(cb.Population(*margins[:2]), margins[2]).distribution(name)
    score = float(null.measure.values(*table(*margins, least)))
    assert null.logtail(score) == pytest.approx(float(wide.log_tail(least, *margins)), rel=1e-6)
    assert null.tail(score) == 0


@pytest.mark.parametrize("name", ["f1", "g_mean", "fnr", "mcc"])
def test_tails_at_hard_corners_equal_exact_fractions(name):
    wrong = []
    for total, positives, k in CORNERS:
        law = wide.few(total, positives, k)
        null = cb.Draw(cb.Population(total, positives), k).distribution(name)
        tail = Fraction(0)
        for tp, probability in reversed(law):
            tail += probability
            cells = table(total, positives, k, tp)
            score = null.measure(**dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True)))
            if math.isnan(score) or (name == "f1" and k * positives == 0):
                continue
            for got, want in ((null.tail(score), tail), (null.pmf(score), probability)):
                if not math.isclose(got, want, rel_tol=1e-9):
                    wrong.append((total, positives, k, tp, got, float(want)))
    assert not wrong, (len(wrong), wrong[:5])


@pytest.mark.parametrize("row", of_rows("quantiles", "q"))
def test_quantiles_equal_the_reference(row):
    tp, q = row["tp"], float(row["q"])
    null = distribution(row, "tp")
    assert null.ppf(q) == tp
    assert null.cdf(tp) == pytest.approx(float(mpf(row["cdf"])), rel=1e-6)
    assert null.cdf(tp - 0.5) == pytest.approx(float(mpf(row["cdf_below"])), rel=1e-6)
    below = float(mpf(row["cdf_below"]))
    if 0 < below < 1 - 1e-3:  # far enough from where the two meet, the falling measure mirrors it
        missed = distribution(row, "fn")
        assert missed.ppf(1 - q) == row["P"] - tp


@pytest.mark.parametrize(
    "name", ["precision_gain", "eds", "log_odds_ratio", "edi", "sedi", "information_score", "recall_gain"]
)
def test_a_wide_draw_whose_most_likely_outcome_has_no_value(name):
    """P = k = 2^21 of 1e13: TP = 0 has 64% of the mass, and these need TP > 0."""
    null = cb.Draw(cb.Population(10**13, 2**21), 2**21).distribution(name)
    mass = np.exp(-(2.0**42) / 1e13)
    assert null.undefined_mass == pytest.approx(mass, rel=1e-6)
    x = null.ppf(0.5)
    assert null.cdf(x) + null.sf(x) == pytest.approx(1 - mass, rel=1e-6)
    one = cb.Draw(cb.Population(10**13, 2**21), 2**21).distribution("tp")
    assert null.pmf(x) == pytest.approx(one.pmf(1), rel=1e-9)


@pytest.mark.parametrize("deviations", [3, 30])
def test_two_sided_tails_of_wide_draws_are_two_tails(deviations):
    """Equally far above and below the mean the score is the same: both sides count, all digits kept."""
    total, positives, k = 10**8, 3 * 10**7, 5 * 10**7
    mean, away = 15_000_000, deviations * 2291
    above = wide.log_tail(mean + away, total, positives, k)
    below = wide.log_tail(k - mean + away, total, total - positives, k)
    want = above + np.log(1 + np.exp(float(below - above)))
    null = cb.Draw(cb.Population(total, positives), k).distribution("chi2")
    tp = mean + away
    score = null.measure(tp=tp, fp=k - tp, fn=positives - tp, tn=total - positives - k + tp)
    assert null.logtail(score) == pytest.approx(float(want), rel=1e-6)
    assert null.tail(score) == pytest.approx(np.exp(float(want)), rel=1e-6, abs=1e-12)
