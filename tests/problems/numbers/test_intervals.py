"""Intervals of errors: what is printed as `low` and `high` holds the true score as often as it says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import clearbar as cb
from clearbar.catalogue import get_measure
from clearbar.problems import bootstrap
from clearbar.problems.numbers import _pairs, resampled
from clearbar.problems.numbers._pairs import Pairs
from clearbar.problems.numbers.blind import RANK_BINS, _BinnedRanks, p_values

SETS = 120

TRUTHS = {"mse": 1.0, "rmse": 1.0, "mae": math.sqrt(2 / math.pi)}

LEAST = int(stats.binom.ppf(1e-6, SETS, 0.93))
"""Fewer of these would show a coverage below 93 %; of the interval of score − bar some 60 % hold it."""


@pytest.mark.parametrize("in_groups", [False, True])
def test_the_interval_of_an_error_holds_the_true_error(in_groups, monkeypatch):
    """Of a weak model, 0.2 x of targets 0.2 x + e; that of score − bar is narrower."""
    monkeypatch.setattr(bootstrap, "WORK", 1)  # then there are 999 resamples
    measures = [get_measure(name) for name in TRUTHS]
    held = np.zeros(len(TRUTHS))
    generator = np.random.default_rng(1)
    clusters = np.repeat(np.arange(60), 2) if in_groups else None
    for seed in range(SETS):
        x, e = generator.normal(size=(2, 120 if in_groups else 80))
        if in_groups:
            e = e[clusters]
        pairs = Pairs.of(0.2 * x + e, [0.2 * x], clusters=clusters)
        for at, test in enumerate(resampled.tests_of(measures, pairs, seed)[0]):
            low, high = test.interval(0.95, (0, math.inf))
            held[at] += low <= TRUTHS[measures[at].name] <= high
    assert (held >= LEAST).all()


def test_low_and_high_of_a_card_are_those_of_scipy_s_bootstrap_of_the_score():
    generator = np.random.default_rng(3)
    x = generator.normal(size=400)
    y = x + generator.normal(size=400)
    card = cb.evaluate_regression(y, 0.8 * x, ["mse", "rmse", "mae"])
    losses = {"mse": (y - 0.8 * x) ** 2, "mae": np.abs(y - 0.8 * x)}
    for verdict in card:
        loss = losses[verdict.measure.name.removeprefix("r")]
        theirs = stats.bootstrap((loss,), np.mean, n_resamples=9_999, rng=1).confidence_interval
        ends = np.sqrt(theirs) if verdict.measure.name == "rmse" else np.array(theirs)
        assert (verdict.low, verdict.high) == pytest.approx(tuple(ends), abs=0.06 * (ends[1] - ends[0]))


def test_p_asks_of_the_distance_to_the_bar_and_may_disagree_with_the_interval():
    """Both errors rise and fall together, so that a small distance is surer than either."""
    generator = np.random.default_rng(5)
    x, e = generator.normal(size=(2, 150))
    verdict = cb.evaluate_regression(0.4 * x + e, 0.4 * x, "mse")[0]
    assert verdict.low < verdict.baseline.value < verdict.high
    assert verdict.p_value < 0.01
    assert verdict.sure
    assert str(verdict).startswith("model: MSE")
    assert "could be chance" not in str(verdict)


def test_perfect_predictions_suppose_errors_that_were_not_seen():
    y = np.random.default_rng(2).normal(size=8)
    few, many = (cb.evaluate_regression(own, own, "mse")[0] for own in (y, np.tile(y, 10)))
    assert few.low == many.low == 0
    assert 0 < many.high < few.high
    assert few.p_value > many.p_value


@pytest.mark.parametrize("measure", ["mse", "mae", "pearson"])
def test_resamples_of_random_parts_say_what_resamples_of_all_say(measure, monkeypatch):
    """The bag of little bootstraps, of 3,000 samples; the tolerance is that of 1,999 resamples' ends."""
    generator = np.random.default_rng(6)
    x = generator.normal(size=3_000)
    y = x + generator.exponential(size=3_000)
    pairs, entry = Pairs.of(y, [0.8 * x + 1]), get_measure(measure)
    whole = resampled.tests_of([entry], pairs, 0)[0][0]
    monkeypatch.setattr(resampled, "MOST_WHOLE", 2_999)
    monkeypatch.setattr(resampled, "PART", 1_000)
    parts = resampled.tests_of([entry], pairs, 0)[0][0]
    assert len(parts.score.values) == resampled.FROM_PARTS
    for level in (0.5, 0.95):
        theirs = whole.interval(level, (-math.inf, math.inf))
        near = pytest.approx(theirs, abs=0.2 * (theirs[1] - theirs[0]))
        assert parts.interval(level, (-math.inf, math.inf)) == near
    assert parts.score.values.std() == pytest.approx(whole.score.values.std(), rel=0.12)
    assert parts.distance.values.std() == pytest.approx(whole.distance.values.std(), rel=0.12)


def test_of_a_million_numbers_no_array_is_larger_than_a_block(monkeypatch):
    """Weights of resamples are those of a part of the samples, whatever the number of samples."""
    sizes = []
    generator = np.random.default_rng(0)
    x = generator.normal(size=1_000_000)
    real = resampled._Column.values

    def seen(self, weights):
        sizes.append(weights.size)
        return real(self, weights)

    monkeypatch.setattr(resampled._Column, "values", seen)
    resampled.tests_of([get_measure("mse")], Pairs.of(x + generator.normal(size=len(x)), [x]), 0)
    assert max(sizes) <= 2**24
    assert sum(sizes) < 50 * len(x), "fewer steps than 50 resamples of all samples"


def test_targets_moved_round_have_the_p_values_of_targets_in_random_order(monkeypatch):
    """Of sums of products by one transform, of others one by one; all shifts are permutations."""
    generator = np.random.default_rng(8)
    x = generator.normal(size=400)
    y = 0.09 * x + generator.normal(size=400)
    measures = [get_measure(name) for name in ("mse", "mae", "spearman", "kendall", "d2_absolute_error")]
    column = np.arange(400) % 3
    for pairs in (Pairs.of(y, [x / 10]), Pairs.of(y, [x / 10], column)):
        shuffled, _ = p_values(measures, pairs, 0)
        with monkeypatch.context() as patch:
            patch.setattr(_pairs, "MOST_SHUFFLED", 100)
            assert pairs.shifted is (not pairs.given)
            shifted, drawn = p_values(measures, pairs, 0)
            own, predicted, orders = pairs.permuted(np.random.default_rng(1), 400 * 400)
        rows = np.concatenate(list(orders))
        assert (np.sort(rows, axis=1) == np.arange(400)).all()
        assert sorted(zip(own, predicted[0], strict=True)) == sorted(zip(pairs.y, x_of(pairs), strict=True))
        if pairs.given:
            first = own[rows]
            for start, end in zip(pairs.starts, [*pairs.starts[1:], 400], strict=True):
                assert (np.sort(first[:, start:end], axis=1) == np.sort(own[start:end])).all()
        # 400 shifts of one random arrangement: their share varies as that of 400 random orders.
        assert shifted == pytest.approx(shuffled, abs=5 * math.sqrt(0.06 * 0.94 / 400) + 2 / drawn)


def x_of(pairs):
    return pairs.predicted[0]


def test_binned_ranks_count_the_pairs_of_kendall_s_tau():
    """SciPy's tau-b of the bins is that sum over the root of the untied pairs of either."""
    generator = np.random.default_rng(1)
    y = generator.normal(size=5_000)
    f = (y + generator.normal(size=5_000)).round(1)
    binned = _BinnedRanks(y, f[None])
    assert binned.y.max() < RANK_BINS
    untied = [(5_000**2 - (np.bincount(own) ** 2).sum()) / 2 for own in (binned.y, binned.predicted[0])]
    theirs = stats.kendalltau(binned.y, binned.predicted[0]).statistic
    assert binned.observed[0] * 5_000**2 / math.sqrt(untied[0] * untied[1]) == pytest.approx(
        theirs, rel=1e-12
    )
    assert theirs == pytest.approx(stats.kendalltau(y, f).statistic, abs=0.003)


def test_kendall_s_tau_of_many_samples_has_the_p_value_of_its_normal_limit():
    generator = np.random.default_rng(4)
    x = generator.normal(size=21_000)
    y = 0.008 * x + generator.normal(size=21_000)
    tails, drawn = p_values([get_measure("kendall")], Pairs.of(y, [x]), 0)
    theirs = stats.kendalltau(x, y, alternative="greater").pvalue
    assert 0.05 < theirs < 0.5
    assert tails[0, 0] == pytest.approx(theirs, abs=5 * math.sqrt(theirs / drawn))
