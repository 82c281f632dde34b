"""Two classes through the door for many: the exact test of two rates."""

import numpy as np
import pytest
from tests.problems.rates.slow import SlowTest

import clearbar as cb

OF_TWO = {one.name: one.of_two for one in cb.measures("multiclass") if one.of_two}
TABLES = [[[24, 6], [4, 8]], [[9, 0], [3, 5]], [[5, 11], [2, 12]]]


def labels(cells):
    return np.repeat(np.indices((2, 2)).reshape(2, -1), np.ravel(cells), axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("cells", TABLES)
def test_both_doors_say_the_same(cells):
    many = cb.evaluate_multiclass(*labels(cells), list(OF_TWO))
    two = {one.measure.name: one for one in cb.evaluate(*labels(cells), sorted(set(OF_TWO.values())))}
    assert {"accuracy", "kappa", "mcc", "balanced_accuracy", "g_mean", "f1_macro"} <= set(OF_TWO)
    for own in many:
        other = two[OF_TWO[own.measure.name]]
        names = ("score", "p_value", "low", "high", "p_value_blind")
        # The bars of both doors may be rounded apart, by their last bit.
        assert [getattr(own, name) for name in names] == pytest.approx(
            [getattr(other, name) for name in names], rel=1e-9
        ), own.measure
        assert {own.p_method, own.interval_method, own.p_blind_method} == {"exact"}
        assert own.sure == other.sure


def f1_macro(tp, fp, fn, tn):
    return tp / (2 * tp + fp + fn) + tn / (2 * tn + fp + fn)


@pytest.mark.parametrize("cells", TABLES[1:])
def test_macro_f1_agrees_with_every_outcome_at_every_rate(cells):
    (verdict,) = cb.evaluate_multiclass(*labels(cells), ["f1_macro"])
    (_, fp), (fn, tp) = cells
    slow = SlowTest(
        cb.Measure("macro F1", f1_macro, greater_is_better=True),
        tp + fn,
        sum(cells[0]),
        float(verdict.baseline.value),
    )
    p = min(1.0, 2 * min(float(side[0]) for side in slow.p(np.array([tp]), np.array([fp]))))
    assert verdict.p_value == pytest.approx(p, abs=4e-6)
