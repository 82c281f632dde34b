"""Many tables, judged a few at a time: the same numbers, memory for the card alone, and one bar."""

import tracemalloc

import numpy as np
import pytest

import clearbar as cb
from clearbar.core.counts import counts_of
from clearbar.problems.binary import problem as module
from clearbar.problems.binary.problem import Labels
from clearbar.verdict import judge


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
