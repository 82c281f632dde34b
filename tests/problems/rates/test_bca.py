"""The bootstrap of counts, for measures without an order in TP and FP."""

import numpy as np
import pytest
from scipy import stats
from tests.problems.rates.slow import table

import clearbar as cb
from clearbar import get_measure
from clearbar.problems.binary.rates import resampled


def share_right(tp, fp, fn, tn):
    return (tp + tn) / (tp + fp + fn + tn)


def test_the_bootstrap_has_the_interval_of_scipy():
    counts = table(35, 10, 15, 60)
    measure = get_measure("accuracy")
    low, high = resampled(measure, counts).interval(0.95, measure.bounds)
    right = np.repeat([1.0, 0.0], [95, 25])
    other = stats.bootstrap((right,), np.mean, n_resamples=9999, method="BCa", rng=np.random.default_rng(1))
    expected = other.confidence_interval
    np.testing.assert_allclose((low, high), (expected.low, expected.high), atol=0.012)


@pytest.mark.parametrize("name", ["optimized_precision", "chi2", "accuracy"])
def test_p_of_the_bootstrap_inverts_its_interval(name):
    measure = get_measure(name)
    drawn = resampled(measure, table(70, 30, 30, 70))
    for level in (0.8, 0.95):
        ends = drawn.interval(level, measure.bounds)
        width = ends[1] - ends[0]
        for end, out in ((ends[0], -1), (ends[1], 1)):
            assert drawn.p_value(end + out * 0.05 * width) < 1 - level + 0.01
            assert drawn.p_value(end - out * 0.05 * width) > 1 - level - 0.01


def test_the_bootstrap_of_an_undefined_score_has_no_answer():
    assert resampled(get_measure("precision"), table(0, 0, 4, 4)) is None


@pytest.mark.parametrize("sizes", [(10, 20), (6, 8)])
@pytest.mark.parametrize(
    ("measure", "bars"),
    [
        (cb.Measure("share_right", share_right, greater_is_better=True), (0.5, 0.67, 0.9)),
        (get_measure("iba"), (0.1, 0.3, 0.5)),
        (get_measure("chi2"), (1.0, 2.0, 8.0)),
        (get_measure("mutual_information"), (0.05, 0.3)),
    ],
)
def test_where_a_rate_is_0_or_1_few_models_at_the_bar_are_surely_above_it(sizes, measure, bars):
    """Every table with a rate of 0 or 1, and the worst true rates at which the score is the bar or less."""
    P, N = sizes
    tables = [(x, y) for x in range(P + 1) for y in range(N + 1) if x in {0, P} or y in {0, N}]
    drawn = [resampled(measure, table(x, y, P - x, N - y)) for x, y in tables]
    scores = [float(measure(tp=x, fp=y, fn=P - x, tn=N - y)) for x, y in tables]
    a, b = (side.ravel() for side in np.meshgrid(*[np.linspace(0, 1, 201)] * 2))
    true = measure.values(P * a, N * b, P * (1 - a), N * (1 - b))
    for bar in bars:
        p = np.array([one.p_value(bar) if one is not None and score > bar else 1.0
                      for one, score in zip(drawn, scores, strict=True)])  # fmt: skip
        null = np.isnan(true) | (true <= bar)
        law = np.array([stats.binom.pmf(x, P, a[null]) * stats.binom.pmf(y, N, b[null]) for x, y in tables])
        for alpha in (0.05, 0.1):
            worst = law[p <= alpha].sum(axis=0).max()
            assert worst <= alpha, (bar, alpha, worst)
    assert (p[np.array(scores) > bars[-1]] > 0).all()


def test_a_policys_value_has_no_p_and_says_so():
    counts = table([0, 0], [0, 5], [4, 4], [9, 4])
    for measure in ("precision", "chi2"):
        card = cb.evaluate_counts(counts, measure, undefined="worst")
        for row in card:
            assert np.isfinite(row.score)
            assert np.isfinite(row.p_value) or "p_value is not known" in row.reason or row.outcome != "clears"
    row = cb.evaluate_counts(counts[0], "precision", undefined="worst")[0]
    assert np.isnan(row.p_value)
    assert "p_value is not known where the formula has no value" in row.reason
