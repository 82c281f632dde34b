"""The protocol of a problem, by a toy: guess the order in which three cards lie.

A model gives an order of the cards for each deal and scores the share of cards in their places. Whoever
knows nothing has one card of three in its place on average, and at least as many as a model with the
probability that is counted over all deals.
"""

import json
import math
from dataclasses import dataclass
from itertools import permutations, product
from typing import NamedTuple

import numpy as np
import pytest

import clearbar as cb
from clearbar.core.counts import Population
from clearbar.inference import Tail
from clearbar.problems._protocol import Problem
from clearbar.problems.bars import Recipe
from clearbar.scorecard import Scorecard
from clearbar.verdict import judge

pytestmark = pytest.mark.quick


class Places(NamedTuple):
    """The measure: what share of the cards is where the model says."""

    name: str = "places"
    label: str = "cards in place"
    aliases: tuple[str, ...] = ()
    greater_is_better: bool = True
    bounds: tuple[float, float] = (0.0, 1.0)
    question: str = "What share of the cards lie where the model says?"
    caution: str = ""


PLACES = Places()
ANY_ORDER = Recipe("say", "any order")
FIXED = [sum(map(int.__eq__, order, range(3))) for order in permutations(range(3))]


@dataclass(frozen=True)
class OneThird:
    """The bar: any order has one card of three in its place on average."""

    population: Population
    measure: Places = PLACES
    value: float = 1 / 3
    best_possible: float = 1.0
    worst_value: float = 1 / 3
    certified: bool = True
    reason: str = ""
    rounding: float = 0.0
    attained_by: Recipe = ANY_ORDER
    claim: str = "Of all six orders, each card is in its place in two."

    def __getitem__(self, index):
        return OneThird(self.population[index])


@dataclass(frozen=True)
class Cards(Problem):
    """How the cards lay in each deal, and the orders each model said."""

    models: tuple[str, ...]
    deals: tuple[tuple[int, ...], ...]
    said: tuple[tuple[tuple[int, ...], ...], ...]
    groups: tuple[object, ...] = (None,)

    by_model = ("models", "said")

    def bars(self, measures):
        size = np.array([len(self.deals)])
        return tuple(OneThird(Population(size, 0 * size)) for _ in measures)

    def scores(self, measures):
        in_place = [np.mean(np.array(orders) == np.array(self.deals)) for orders in self.said]
        return np.tile(np.reshape(in_place, (-1, 1, 1)), len(measures))

    def blind(self, _measures, scores):
        hits = np.array([sum(deal) for deal in product(FIXED, repeat=len(self.deals))])
        share = [np.mean(hits >= 3 * len(self.deals) * score - 1e-9) for score in scores.ravel()]
        tails = np.reshape(share, scores.shape)
        return Tail(tails, tails, np.full(scores.shape, ""))

    def at_the_bar(self, _measures, _bars, scores):
        unknown = np.full(scores.shape, math.nan)
        return Tail(unknown, unknown, np.full(scores.shape, "nobody has worked out p_value for cards"))

    def intervals(self, measures, _level):
        return [(math.nan, math.nan)] * len(measures)


DEALS = ((0, 1, 2), (2, 1, 0), (1, 2, 0), (0, 2, 1))
SAID = {
    "seer": DEALS,
    "half": (DEALS[0], DEALS[1], (2, 0, 1), (2, 1, 0)),
    "stuck": ((0, 1, 2),) * 4,
    "never": tuple(tuple((card + 1) % 3 for card in deal) for deal in DEALS),
}


@pytest.fixture(scope="module")
def card():
    problem = Cards(tuple(SAID), DEALS, tuple(SAID.values()))
    bars, columns = judge(problem, [PLACES])
    return Scorecard(
        problem.models, problem.groups, (PLACES,), None, bars, columns, "exclude", problem=problem
    )


def test_scores_are_held_against_the_bar_and_p_values_are_counted_over_all_deals(card):
    assert [verdict.score for verdict in card] == pytest.approx([1, 1 / 2, 5 / 12, 0])
    assert [verdict.outcome for verdict in card] == ["clears", "clears", "clears", "fails"]
    assert [verdict.skill for verdict in card][:3] == pytest.approx([1, 1 / 4, 1 / 8])
    # Three cards in place in 1 of 6 orders, one in 3, none in 2. Four deals of three: 1/6^4.
    assert card[0].p_value_blind == pytest.approx(1 / 6**4)
    # At least 6 of 12: two deals or more all right, or one all right and the other three one each.
    two_or_more = sum(math.comb(4, n) * 5 ** (4 - n) for n in (2, 3, 4))
    assert card[1].p_value_blind == pytest.approx((two_or_more + 4 * 3**3) / 6**4)
    assert card[3].p_value_blind == 1
    assert not any(verdict.sure for verdict in card), "a sure clear needs both p-values"


def test_the_scorecard_is_text_a_page_a_frame_a_document_and_a_picture(card):
    text = " ".join(str(card).split())
    assert "seer, half and stuck are not settled; never does not clear (cards in place, bar 0.333)" in text
    assert card.headline(model="never").startswith("never misses the cards in place bar: say any order and")
    assert "Of all six orders" in card.explain("places")
    assert "cards in place" in card._repr_html_()
    assert list(card.to_frame()["outcome"]) == ["clears", "clears", "clears", "fails"]
    assert [row["measure"] for row in json.loads(card.to_json())["rows"]] == ["places"] * 4
    pytest.importorskip("matplotlib")
    display = cb.plots.ScorecardDisplay.from_scorecard(card)
    assert "Cards in place: bar 0.333; seer 1" in display.description


def test_a_kind_without_units_says_so():
    class Blank(Problem):
        models, groups = ("seer",), (None,)

    with pytest.raises(NotImplementedError):
        Blank().intervals([None], 0.95)
    with pytest.raises(ValueError, match="compare is not possible for this kind"):
        Blank().paired(PLACES, 0, 0)
