"""Bars and cards of many populations, and of very large ones, are what a loop gives, in little memory."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import measures, members, policies, populations

import clearbar as cb
from clearbar.catalogue import default_catalogue
from clearbar.core.counts import counts_of
from clearbar.problems.binary import problem as module
from clearbar.problems.binary.problem import Labels
from clearbar.verdict import judge


def differing(bars):
    """Every element that is not the bar of its own population."""
    wrong = []
    for i in range(len(bars)):
        population = bars.population[i]
        one = cb.baseline(population, bars.measure, undefined=bars.undefined)
        for got, want in ((bars.max, one.max), (bars.min, one.min)):
            value, k = float(got.value[i]), int(got.predicted_positives[i])
            near = value == pytest.approx(want.value, rel=1e-9, abs=1e-12, nan_ok=True)
            smallest = want.predicted_positives[0].start if want.predicted_positives else -1
            level = k == smallest or _level(one, k, want)
            if not (near and level) or got.certified[i] != want.certified:
                wrong.append((population.total, population.positives, value, want.value, k, smallest))
    return wrong


def _level(one, k, side):
    """Tell whether a draw ties but for the last digits of a sum; next to a peak of many samples all do."""
    if k < 0 or (one.population.total > 2**20 and not one.measure.affine):
        return k >= 0
    return abs(one.expectation(k / one.population.total) - side.value) <= 4e-15 * max(abs(side.value), 1.0)


LARGE = cb.Population(
    [10**3, 10**6, 10**9, 10**12, 10**12, 10**12, 999, 12345, 10**9, 10**9 + 1] * 2,
    [
        *(1, 2, 5, 5 * 10**11, 10**12 - 1, 10**12, 333, 12000, 0, 5 * 10**8),
        *(999, 10**5, 10**9 - 3, 7, 10**11, 3 * 10**11, 500, 6172, 10**9, 123456),
    ],
)


@pytest.mark.slow
@pytest.mark.parametrize("measure", [m for m in cb.measures() if m.shape is not None], ids=str)
def test_arrays_of_large_populations_are_a_loop(measure):
    for policy in ("exclude", 0.0):
        wrong = differing(cb.baseline(LARGE, measure, undefined=policy))
        assert not wrong, (policy, len(wrong), wrong[:5])


@settings(max_examples=25)
@given(st.lists(populations(), min_size=1, max_size=30), st.one_of(measures(), members()), policies)
def test_any_array_is_a_loop(fleet, measure, policy):
    population = cb.Population([one.total for one in fleet], [one.positives for one in fleet])
    wrong = differing(cb.baseline(population, measure, undefined=policy))
    assert not wrong, (len(wrong), wrong[:5])


def test_arrays_have_the_shape_and_types_that_are_promised():
    shape = (4, 5)
    bars = cb.baseline(cb.Population(np.full(shape, 100), np.arange(20).reshape(shape)), "f1")
    assert bars.value.shape == bars.max.value.shape == bars.best_possible.shape == bars.reason.shape == shape
    assert bars.max.predicted_positives.dtype == np.int64
    assert bars.reason[0, 0].startswith("there are no positives; undefined=")
    assert (bars.reason.ravel()[1:] == "").all()
    assert bars.max.predicted_positives[0, 0] == -1
    assert math.isnan(bars.value[0, 0])
    assert bars[2, 3] == cb.baseline(cb.Population(100, 13), "f1")
    assert [float(bar) for bar in bars[1]] == bars.value[1].tolist()


@pytest.mark.parametrize("ask", [cb.Baseline.draw, cb.Baseline.curve, lambda bars: bars.judge(0.5)])
def test_what_needs_one_population_says_so(ask):
    bars = cb.baseline(cb.Population([10, 20], [3, 4]), "f1")
    with pytest.raises(ValueError, match=r"needs the baseline of one population; .* \(2,\)\. Index it first"):
        ask(bars)
    with pytest.raises(ValueError, match="keeps only the smallest optimal k of each; index the baseline"):
        bars.max.theta  # noqa: B018


def table(total):
    positives, negatives = total // 3, total - total // 3
    tp, fp = positives * 3 // 5, negatives * 3 // 10
    return cb.Counts(tp=tp, fp=fp, fn=positives - tp, tn=negatives - fp)


@pytest.mark.slow
@pytest.mark.parametrize("total", [4 * 10**12, 10**15])
def test_all_measures_stand_on_the_card_of_very_many_samples(total):
    card = cb.evaluate_counts(table(total), "all")
    assert [row.measure for row in card] == list(default_catalogue())
    assert str(card)
    for row in card:
        assert not math.isnan(float(row.baseline.value)) or row.reason
        assert row.baseline.certified or "searched" in row.reason


@pytest.mark.slow
@pytest.mark.parametrize("total", [4 * 10**12, 10**15])
def test_bars_with_a_kink_are_what_a_normal_law_of_tp_gives(total):
    """With half of them predicted positive: E|TP - mean| is sd sqrt(2/pi), and the kink is at the mean."""
    population = cb.Population(total, total // 3)
    off = math.sqrt(total / 18) * math.sqrt(2 / math.pi)
    by_labels = cb.baseline(population, "gk_lambda_pred")
    assert float(by_labels.value) == pytest.approx(4 * off / total, rel=1e-4)
    rates = off * (3 / total - 1.5 / total)
    balanced = cb.baseline(population, "optimized_precision")
    assert 0.95 * rates < 0.5 - float(balanced.value) <= rates  # a little fewer are a little better
    assert not by_labels.certified
    assert not balanced.certified


def test_cards_are_the_same_however_they_are_cut(monkeypatch):
    """Several models and slices, with slices that cannot be judged, a few at a time and all at once."""
    rng = np.random.default_rng(3)
    total = rng.integers(1, 25, 9)
    positives = rng.integers(0, total + 1)
    predicted = rng.integers(0, total + 1, (3, 9))
    tp = rng.integers(np.maximum(0, predicted + positives - total), np.minimum(positives, predicted) + 1)
    counts = cb.Counts(tp=tp, fp=predicted - tp, fn=positives - tp, tn=total - positives - predicted + tp)
    problem = Labels(("a", "b", "c"), tuple(range(9)), counts)
    chosen = cb.measures()[::14]
    whole_bars, whole = judge(problem, chosen)
    monkeypatch.setattr(module, "TOGETHER", 12)  # four slices of three models
    bars, parts = judge(problem, chosen)
    assert bars == whole_bars
    assert parts.keys() == whole.keys()
    for name in whole:
        if name in {"p_value", "p_sure", "p_corrected"}:  # sums in another order
            np.testing.assert_allclose(parts[name], whole[name], rtol=1e-13, err_msg=name)
        else:
            np.testing.assert_array_equal(parts[name], whole[name], err_msg=name)


@pytest.mark.parametrize("truth", [0, 1])
def test_runs_of_one_sample_that_differ_refute_nothing(truth):
    """How samples differ is unknown, so that its p is 1 and its interval is the whole range."""
    verdict = cb.evaluate([truth], np.array([[0], [1]]), "accuracy")[0]
    assert (verdict.score, verdict.p_value) == (0.5, 1.0)
    assert (verdict.low, verdict.high) == (0.0, 1.0)


@pytest.mark.slow
def test_memory_grows_with_the_card_alone(monkeypatch):
    """192 more slices, judged 32 at a time, take less than twice what they hold while their card is made."""
    monkeypatch.setattr(module, "TOGETHER", 32)
    rng = np.random.default_rng(4)
    counts = counts_of(np.tile(rng.integers(1, 30, (4, 32)), 8))
    cb.evaluate_counts(counts[:32], "mcc")
    memory = []
    for slices in (64, 256):
        tracemalloc.start()
        try:
            card = cb.evaluate_counts(counts[:slices], "mcc")
            memory.append(tracemalloc.get_traced_memory())
        finally:
            tracemalloc.stop()
        assert len(card) == slices
        del card
    held, peak = np.subtract(memory[1], memory[0])
    assert held > 0
    assert peak < 2 * held
