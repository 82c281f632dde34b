"""Which models call the same samples positive."""

from __future__ import annotations

import numpy as np
import pytest

from clearbar.core.calls import MOST_COUNTED, Calls
from clearbar.data.counting import count_many

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("models", [2, 3, MOST_COUNTED, MOST_COUNTED + 1, 21])
def test_calls_are_those_that_a_loop_finds(models) -> None:
    rng = np.random.default_rng(models)
    truth = rng.random(300) < 0.4
    called = rng.random((models, 300)) < 0.5
    found = Calls.of(truth, called)
    assert (found.positives.sum(), found.negatives.sum()) == (truth.sum(), (~truth).sum())
    for a in range(models):
        for b in range(models):
            both = called[a] & called[b]
            assert found.pairs.positives[a, b] == (both & truth).sum()
            assert found.pairs.negatives[a, b] == (both & ~truth).sum()


def test_patterns_that_do_not_occur_are_not_held() -> None:
    truth = np.array([True, True, False, False])
    found = Calls.of(truth, [truth, ~truth])
    assert found.bits().tolist() == [[1, 0], [0, 1]]
    assert (found.positives.tolist(), found.negatives.tolist()) == ([2, 0], [0, 2])


def test_text_labels_and_a_named_positive_one() -> None:
    truth = ["spam", "ham", "ham", "spam"]
    models = {"a": ["spam", "ham", "spam", "spam"], "b": ["ham", "ham", "ham", "spam"]}
    found = count_many(truth, models, pos_label="spam").calls
    assert found is not None
    assert found.pairs.positives.tolist() == [[2, 1], [1, 1]]
    assert found.pairs.negatives.tolist() == [[1, 0], [0, 0]]


def test_nothing_is_paired_for_one_model() -> None:
    assert count_many([1, 0], {"a": [1, 1]}).calls is None
