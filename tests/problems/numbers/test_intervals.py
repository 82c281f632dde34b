"""Intervals of errors: what is printed as `low` and `high` holds the true score as often as it says."""

import math

import numpy as np
import pytest
from scipy import stats

import clearbar as cb
from clearbar.catalogue import get_measure
from clearbar.inference import permutation, resamples, units
from clearbar.problems.numbers.problem import NumberUnits

SETS = 120

TRUTHS = {"mse": 1.0, "rmse": 1.0, "mae": math.sqrt(2 / math.pi)}

LEAST = int(stats.binom.ppf(1e-6, SETS, 0.93))
"""Fewer of these would show a coverage below 93 %; of the interval of score − bar some 60 % hold it."""


@pytest.mark.slow
@pytest.mark.parametrize("in_groups", [False, True])
def test_the_interval_of_an_error_holds_the_true_error(in_groups, monkeypatch):
    """Of a weak model, 0.2 x of targets 0.2 x + e; that of score − bar is narrower."""
    monkeypatch.setattr(units, "WORK", 1)  # then there are 999 resamples
    measures = [get_measure(name) for name in TRUTHS]
    held = np.zeros(len(TRUTHS))
    generator = np.random.default_rng(1)
    clusters = np.repeat(np.arange(60), 2) if in_groups else None
    for seed in range(SETS):
        x, e = generator.normal(size=(2, 120 if in_groups else 80))
        if in_groups:
            e = e[clusters]
        drawn = NumberUnits(0.2 * x + e, [0.2 * x], clusters=clusters, seed=seed)
        for at, test in enumerate(resamples.tests_of(drawn, measures)[0]):
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
        theirs = stats.bootstrap((loss,), np.mean, n_resamples=9_999, random_state=1).confidence_interval
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


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["mse", "mae", "pearson"])
def test_resamples_of_random_parts_say_what_resamples_of_all_say(measure, monkeypatch):
    """The bag of little bootstraps, of 3,000 samples; the tolerance is that of 1,999 resamples' ends."""
    generator = np.random.default_rng(6)
    x = generator.normal(size=3_000)
    y = x + generator.exponential(size=3_000)
    drawn, entry = NumberUnits(y, [0.8 * x + 1]), get_measure(measure)
    whole = resamples.tests_of(drawn, [entry])[0][0]
    monkeypatch.setattr(resamples, "MOST_WHOLE", 2_999)
    monkeypatch.setattr(resamples, "PART", 1_000)
    parts = resamples.tests_of(drawn, [entry])[0][0]
    assert len(parts.score.values) == resamples.FROM_PARTS
    for level in (0.5, 0.95):
        theirs = whole.interval(level, (-math.inf, math.inf))
        near = pytest.approx(theirs, abs=0.2 * (theirs[1] - theirs[0]))
        assert parts.interval(level, (-math.inf, math.inf)) == near
    assert parts.score.values.std() == pytest.approx(whole.score.values.std(), rel=0.12)
    if parts.distance is not None:
        assert parts.distance.values.std() == pytest.approx(whole.distance.values.std(), rel=0.12)


@pytest.mark.slow
def test_of_a_million_numbers_no_array_is_larger_than_a_block(monkeypatch):
    """Weights of resamples are those of a part of the samples, whatever the number of samples."""
    sizes = []
    generator = np.random.default_rng(0)
    x = generator.normal(size=1_000_000)
    real = NumberUnits.score

    def seen(self, measures, weights):
        sizes.append(weights.size)
        return real(self, measures, weights)

    monkeypatch.setattr(NumberUnits, "score", seen)
    resamples.tests_of(NumberUnits(x + generator.normal(size=len(x)), [x]), [get_measure("mse")])
    assert max(sizes) <= 2**24
    assert sum(sizes) < 50 * len(x), "fewer steps than 50 resamples of all samples"


def blind(drawn, measures):
    tail = permutation.blind(drawn, measures, np.zeros((drawn.models, len(measures))))
    return tail.upper, tail.draws


@pytest.mark.slow
def test_targets_moved_round_have_the_p_values_of_targets_in_random_order(monkeypatch):
    """Of sums of products by one transform, of others one by one; all shifts are permutations."""
    generator = np.random.default_rng(8)
    x = generator.normal(size=400)
    y = 0.09 * x + generator.normal(size=400)
    measures = [get_measure(name) for name in ("mse", "mae", "spearman", "kendall", "d2_absolute_error")]
    for column in (None, np.arange(400) % 3):
        drawn = NumberUnits(y, [x / 10], column)
        shuffled, _ = blind(drawn, measures)
        with monkeypatch.context() as patch:
            patch.setattr(permutation, "MOST_SHUFFLED", 100)
            shifted, draws = blind(drawn, measures)
            mixed, orders = permutation._orders(drawn, measures)
        assert mixed.shifted
        rows = np.concatenate(list(orders))
        assert (np.sort(rows, axis=1) == np.arange(400)).all()
        pairs = zip(mixed.y, mixed.predicted[0], strict=True)
        assert sorted(pairs) == sorted(zip(drawn.y, drawn.predicted[0], strict=True))
        for block in mixed.blocks:
            assert (np.sort(rows[:, block], axis=1) == block).all()
        # 400 shifts of one random arrangement: their share varies as that of 400 random orders.
        assert shifted == pytest.approx(shuffled, abs=5 * math.sqrt(0.06 * 0.94 / 400) + 2 / draws.min())
