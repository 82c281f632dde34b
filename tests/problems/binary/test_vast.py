"""No number of samples takes a card down: of outcomes that are too many to add up, some are looked at."""

import math

import pytest

import clearbar as cb
from clearbar.catalogue import default_catalogue


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
