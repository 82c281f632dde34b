"""Values and parameters whose squares are no numbers are refused in one sentence, and others are right."""

import numpy as np
import pytest

import clearbar as cb
from clearbar.catalogue import get_measure
from clearbar.inference.two_rates import intervals

pytestmark = pytest.mark.filterwarnings("error")

TABLE = cb.Counts(tp=4, fp=2, fn=1, tn=13)


def scaled(scale, greater=True):
    return cb.Measure(
        "own", lambda tp, fp, fn, tn: scale * (tp - 2 * fp) - fn + tn, greater_is_better=greater
    )


@pytest.mark.parametrize(("scale", "greater"), [(1e101, True), (1e154, False), (1e307, True)])
def test_own_values_beyond_any_use_are_refused_in_a_sentence(scale, greater):
    own = scaled(scale, greater)
    sentence = r"the function of the measure 'own' must return values from -1e\+100 to 1e\+100, .*; found"
    for asked in (
        lambda: cb.baseline(cb.Population(20, 5), own),
        lambda: cb.baseline(cb.Population(np.arange(20, 60), 5), own),
        lambda: cb.evaluate_counts(TABLE, [own]),
        lambda: cb.evaluate([1, 1, 0, 0, 0], [1, 0, 0, 1, 0], [own]),
    ):
        with pytest.raises(ValueError, match=sentence):
            asked()


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e50, 1e98])
def test_own_values_up_to_that_are_judged_without_a_warning(scale):
    card = cb.evaluate_counts(TABLE, [scaled(scale)])
    row = card[0]
    assert row.score == pytest.approx(scale * 0 - 1 + 13)
    assert 0 < row.p_value <= 1
    assert str(card)
    assert card.to_json()


def test_what_is_vast_between_whole_tables_is_no_value_of_a_table():
    odds = cb.Measure(
        "odds",
        lambda tp, fp, fn, tn: tp * tn / (fp * fn),
        greater_is_better=True,
        better_with_tp=True,
        worse_with_fp=True,
    )
    (low, same_low), (high, same_high) = intervals([odds, get_measure("diagnostic_odds_ratio")], TABLE)
    assert 0 < low == same_low < high == same_high


@pytest.mark.parametrize(("beta", "limit"), [(1e100, "recall"), (1e-100, "precision")])
def test_f_beta_goes_to_recall_and_to_precision(beta, limit):
    f, goal = get_measure("fbeta", beta=beta), get_measure(limit)
    assert f(TABLE) == goal(TABLE)
    assert f(tp=0, fp=0, fn=5, tn=3) == 0
    assert float(cb.baseline(cb.Population(20, 5), f).value) == {"recall": 1.0, "precision": 0.25}[limit]
    row = cb.evaluate_counts(TABLE, [f])[0]
    assert row.score == goal(TABLE)
