"""The same items asked several times: items are independent, not the trials."""

import numpy as np
import pytest

from clearbar.data.answers import Answer
from clearbar.evaluation.answers import judged_answers
from clearbar.evaluation.options import InferenceOptions

GOLD = (0, 1, 0, 1, 0)


def trials(options, right, *, items=5, epochs=3, text=False, differ=0):
    """Every item asked `epochs` times, of which the first `right` are answered rightly."""
    rows = []
    for item in range(items):
        gold = GOLD[item % 5]
        for epoch in range(epochs):
            hit = epoch < (right[item] if isinstance(right, list) else right)
            said = gold if hit else 1 - gold + epoch * differ
            answer = (f"{item}, {gold}", f"{item}, {said}") if text else (gold, said)
            rows.append(Answer("m", "task", (item, epoch), *answer, options, hit, item))
    return judged_answers(rows, InferenceOptions(0.95, True, 0))[0]


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("options", [2, 4])
def test_failures_are_supposed_between_items(options, text):
    """Five items, each right in two of three trials: others, unseen, may be all wrong or all right."""
    row = trials(options, 2, text=text)
    unseen = 1 - 0.025 ** (1 / 5)
    assert row.score == pytest.approx(2 / 3)
    assert row.low == pytest.approx(2 / 3 * (1 - unseen), abs=1e-9)
    assert row.high == pytest.approx(2 / 3 + unseen / 3, abs=1e-9)
    bar = float(row.baseline.value)
    assert row.p_value == pytest.approx(min(1.0, 2 * (bar / (2 / 3)) ** 5), rel=1e-6)
    assert row.p_method == "estimated"


def test_items_that_are_always_right_are_as_single_ones():
    """Asking again tells nothing more of items that are right each time."""
    once, often = trials(4, 1, epochs=1), trials(4, 3)
    assert often.low == pytest.approx(0.025 ** (1 / 5), abs=1e-9)
    assert once.low == pytest.approx(often.low, abs=0.01)


@pytest.mark.slow
def test_blind_trials_are_rarely_sure():
    """Each item is answered alike in all trials, by a guess among four options that ignores it."""
    rng = np.random.default_rng(0)
    sure = 0
    for _ in range(60):
        right = (3 * (rng.random(8) < 0.25)).tolist()
        sure += trials(4, right, items=8, text=True).sure
    assert sure <= 6  # 3 expected at most, and three standard errors


@pytest.mark.parametrize("options", [2, 4])
def test_a_little_spread_makes_nothing_surer(options):
    """Five items right in five, five, five, five and four of six trials are five items all the same."""
    row = trials(options, [5, 5, 5, 5, 4], epochs=6)
    unseen, bar = 1 - 0.025 ** (1 / 5), float(row.baseline.value)
    assert row.score == pytest.approx(0.8)
    assert row.low <= 0.8 * (1 - unseen) + 1e-9
    assert row.high >= 0.8 + 0.2 * unseen - 1e-9
    assert row.p_value >= min(1.0, 2 * (bar / 0.8) ** 5) * (1 - 1e-6)
    assert not row.sure, "the bar is 0.6, and half the items may be all wrong"
    always = trials(options, 6, epochs=6)
    assert row.low < always.low


@pytest.mark.slow
def test_intervals_allow_for_items_that_were_not_seen():
    """Seven items in ten are nearly always right, the others never: often none of these is among five."""
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(60):
        knows = rng.random(5) < 0.7
        row = trials(2, np.where(knows, rng.binomial(6, 0.95, 5), 0).tolist(), epochs=6, text=True)
        held += row.low <= 0.7 * 0.95 <= row.high
    assert held >= 57


def test_three_different_answers_of_four_are_often_right_once():
    """A blind model that names three of four options has one right in all of five items in 24 %."""
    row = trials(4, 1, text=True, differ=1)
    assert row.p_value_blind == pytest.approx(0.75**5)
    assert "5 groups add" in row.reason
    assert "unequal" not in row.reason
