"""Targets of many samples are moved round: as good as putting each order together and scoring it."""

from __future__ import annotations

import numpy as np

from clearbar.problems.numbers import _pairs, blind, measures
from clearbar.problems.numbers._pairs import Pairs

FORMULAS = {
    measures.mae: lambda y, f: np.abs(y - f).mean(axis=-1),
    measures.mape: lambda y, f: (np.abs(y - f) / y).mean(axis=-1),
    measures.medae: lambda y, f: np.median(np.abs(y - f), axis=-1),
}


def test_blind_p_values_of_targets_that_are_moved_round(monkeypatch):
    monkeypatch.setattr(_pairs, "MOST_SHUFFLED", 100)
    monkeypatch.setattr(blind, "AT_ONCE", 32)  # losses are added up piece by piece
    rng = np.random.default_rng(0)
    y = rng.uniform(1, 9, 150)
    pairs = Pairs.of(y, [y + rng.normal(scale=scale, size=150) for scale in (5, 8)])
    assert pairs.shifted
    found, drawn = blind.p_values(list(FORMULAS), pairs, 0)
    moved, predicted, orders = pairs.permuted(np.random.default_rng(0), len(y))
    rounds = np.array([np.roll(moved, -int(order[0])) for part in orders for order in part])
    assert drawn == len(rounds)
    for model, f in enumerate(predicted):
        for at, formula in enumerate(FORMULAS.values()):
            as_good = np.count_nonzero(formula(rounds, f) <= formula(moved, f) + 1e-12)
            assert found[model, at] == (as_good + 1) / (drawn + 1)
    assert np.ptp(found) > 0
