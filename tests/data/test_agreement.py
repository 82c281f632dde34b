"""How often one model alone is right."""

from __future__ import annotations

import numpy as np

from clearbar.data.counting import count_many


def test_discordant_samples_are_those_a_loop_finds() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    models = {name: rng.integers(0, 2, 400) for name in "abc"}
    found = count_many(truth, models).agreements
    assert found is not None
    assert len(found) == 6
    for a, b in found:
        right_a, right_b = models[a] == truth, models[b] == truth
        assert found[a, b] == (int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum()))


def test_text_labels_and_a_named_positive_one() -> None:
    truth = ["spam", "ham", "ham", "spam"]
    models = {"a": ["spam", "ham", "spam", "spam"], "b": ["ham", "ham", "ham", "spam"]}
    found = count_many(truth, models, pos_label="spam").agreements
    assert found == {("a", "b"): (1, 1), ("b", "a"): (1, 1)}


def test_nothing_is_paired_for_one_model_or_weighted_samples() -> None:
    assert count_many([1, 0], {"a": [1, 1]}).agreements is None
    assert count_many([1, 0], {"a": [1, 1], "b": [0, 0]}, sample_weight=[2, 1]).agreements is None
