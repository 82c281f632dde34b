"""A pass rate beside a known chance level, held against SciPy and exact sums; class sizes by prevalence."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binomtest

import clearbar as cb

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("bar", [0.0, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("total", [1, 7, 100])
def test_interval_and_p_values_are_binomial(total, bar):
    share = Fraction(bar)
    law = [math.comb(total, k) * share**k * (1 - share) ** (total - k) for k in range(total + 1)]
    for passed in {0, 1, total // 2, total}:
        verdict = cb.rate(passed, total, bar)[0]
        low, high = binomtest(passed, total).proportion_ci(method="exact")
        assert (verdict.low, verdict.high) == pytest.approx((low, high), abs=1e-12)
        upper, lower = sum(law[passed:]), sum(law[: passed + 1])
        assert verdict.p_value == pytest.approx(float(min(1, 2 * min(upper, lower))), rel=1e-10)
        assert verdict.p_value_blind == pytest.approx(float(upper), rel=1e-10)
        assert (verdict.score, verdict.baseline.value) == (passed / total, bar)


def test_a_rate_is_a_card_like_any_other_and_says_what_is_wrong():
    card = cb.rate(83, 100, bar=0.25)
    assert str(card).startswith(
        "100 samples, 83 passed (83.0 %).\nClears the pass rate bar (0.830, bar 0.250"
    )
    assert card.clears("pass_rate")
    assert card.to_frame().shape[0] == 1
    assert cb.rate(5, 10, 1.0)[0].outcome == "unbeatable"
    assert not cb.rate(8, 12, 0.25, tries=50).clears()
    for wrong, said in {
        (8, 5, 0.5): "successes must not exceed total; found 8 of 5",
        (1.5, 5, 0.5): "successes must be a whole number",
        (1, 5, 25): "bar must be a share from 0 to 1",
    }.items():
        with pytest.raises(ValueError, match=said):
            cb.rate(*wrong)


def test_a_printed_prevalence_is_the_nearest_number_of_positives():
    for printed in (0.459, "45.9 %", " 45.9% ", "0.459"):
        population = cb.Population(303, prevalence=printed)
        assert population == cb.Population(303, 139)
        assert repr(population).endswith(f"139, nearest to a prevalence of {str(printed).strip()})")
    assert cb.Population([10, 25], prevalence=[0.26, 0.5]).positives.tolist() == [3, 13]
    assert float(cb.baseline(cb.Population(1000, prevalence=np.float32(0.5)), "accuracy")) == 0.5
    for wrong, said in {
        (): "positives is missing: give either",
        (1, 0.2): "positives and prevalence say the same",
        (None, 45.9): "prevalence must be a share from 0 to 1",
        (None, "145 %"): "prevalence must be a share from 0 to 1",
        (None, math.nan): "prevalence must be a share from 0 to 1",
    }.items():
        positives, prevalence = wrong or (None, None)
        with pytest.raises(ValueError, match=said):
            cb.Population(5, positives, prevalence=prevalence)


def test_shares_may_be_per_cent():
    assert cb.rate(83, 100, "25 %").to_dict()["rows"] == cb.rate(83, 100, 0.25).to_dict()["rows"]
    for text in ("25 %", "25%", "0.25", "25\u202f%"):
        assert float(cb.rate(83, 100, text)[0].baseline.value) == 0.25
    rates = {"sensitivity": "95 %", "specificity": "90%"}
    of_text = cb.samples_needed("mcc", prevalence="50 %", **rates)
    assert of_text == cb.samples_needed("mcc", prevalence=0.5, sensitivity=0.95, specificity=0.9)
    for wrong in ("25 per cent", "250 %", "", None, [0.2]):
        with pytest.raises(ValueError, match="bar must be"):
            cb.rate(83, 100, wrong)
