"""Cards of many slices are the cards of each; and no card writes to what another reads."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import measures, policies

import clearbar as cb
from clearbar.core.counts import counts_of

cells = st.tuples(*[st.integers(0, 9)] * 4).filter(any)


def near(one, other):
    return one == other or (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=1e-11)


@settings(max_examples=8)
@given(
    st.lists(cells, min_size=1, max_size=8),
    st.lists(measures(), min_size=1, max_size=3, unique=True),
    policies,
)
def test_a_card_of_slices_is_the_cards_of_each(tables, chosen, policy):
    columns = [np.array(column) for column in zip(*tables, strict=True)]
    card = cb.evaluate_counts(counts_of(columns), chosen, undefined=policy)
    for at, table in enumerate(tables):
        alone = cb.evaluate_counts(counts_of(table), chosen, undefined=policy)
        for measure in range(len(chosen)):
            for name in ("score", "best_possible", "p_value", "p_value_blind"):
                got, want = (float(c.columns[name][0, i, measure]) for c, i in ((card, at), (alone, 0)))
                assert near(got, want), (name, table, chosen[measure])
            got, want = (float(c.columns["skill"][0, i, measure]) for c, i in ((card, at), (alone, 0)))
            assert near(got, want) or abs(got - want) < 1e-11


def test_nothing_writes_to_a_card():
    card = cb.evaluate_counts(cb.Counts(tp=14, fp=3, fn=4, tn=10), ["f1", "mcc"])
    assert len(card.columns) > 10
    for column in card.columns.values():
        with pytest.raises(ValueError, match="read-only"):
            column[0, 0, 0] = column[0, 0, 1]
