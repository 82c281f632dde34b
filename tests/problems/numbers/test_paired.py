"""Two models' numbers: every way to exchange their predictions, and what compare says."""

from itertools import product

import numpy as np
import pytest

import clearbar as cb
from clearbar.catalogue import get_measure
from clearbar.inference import differences
from clearbar.problems.numbers.formulas import ranks
from clearbar.problems.numbers.problem import NumberUnits

RNG = np.random.default_rng(5)
Y = RNG.gamma(2.0, size=8)
A, B = Y + RNG.normal(size=8) / 9, Y + RNG.normal(size=8)


@pytest.mark.parametrize("name", ["mae", "rmse", "r2", "medae", "spearman", "kendall", "pearson"])
def test_the_p_value_is_the_share_of_all_exchanges_with_as_large_a_difference(name):
    measure = get_measure(name)
    a, b = (ranks(A), ranks(B)) if measure.ranked else (A, B)

    def difference(swapped):
        swap = np.array(swapped, dtype=bool)
        return float(measure(Y, np.where(swap, b, a)) - measure(Y, np.where(swap, a, b)))

    own = abs(difference([0] * 8))
    share = np.mean([abs(difference(one)) >= own - 1e-12 for one in product([0, 1], repeat=8)])
    paired = differences.paired(NumberUnits(Y, [A, B], joint=True), measure)
    assert paired.exchangeable() == (pytest.approx(share), "exact", "")
    assert paired.scores == pytest.approx((float(measure(Y, A)), float(measure(Y, B))))
    low, high = paired.interval(0.95)
    assert low <= paired.scores[0] - paired.scores[1] <= high


def test_compare_says_which_model_is_better():
    y = RNG.normal(size=80)
    models = {"near": y + RNG.normal(size=80) / 5, "far": y + RNG.normal(size=80), "same": np.zeros(80)}
    models["same"] = models["near"].copy()
    card = cb.evaluate(y, models, ["mae", "max_error"], intervals=False)
    assert str(card.compare("near", "far", "mae")).startswith("near is better than far by")
    assert card.compare("near", "same", "mae").p_value == 1
    assert "no larger error" in str(card.compare("near", "far", "max_error").note)
    whole = cb.evaluate(y, models, "mae", clusters=np.arange(80) // 4, intervals=False)
    assert whole.compare("near", "far", "mae").p_value < 0.01
