"""What is drawn at random follows `random_state`: the same seed, the same card."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

import clearbar as cb
from clearbar.testing import assert_clears

RNG = np.random.default_rng(5)
TRUTH = (np.arange(60) % 5 < 2).astype(int)
GUESS = np.where(RNG.random(60) < 0.75, TRUTH, 1 - TRUTH)
SCORES = RNG.normal(size=60) + TRUTH
NOISE = RNG.normal(size=60)
IDS = np.arange(60) // 3
HALVES = np.arange(60) % 2
CLASSES = np.arange(60) % 3
CALLED = np.where(RNG.random(60) < 0.5, CLASSES, (CLASSES + 1) % 3)
FRAME = pd.DataFrame({"y": TRUTH, "x": GUESS, "id": IDS})
SETS, GIVEN, OTHER = (np.eye(3)[own] for own in (CLASSES, CALLED, CLASSES[::-1]))
FIRST = dict(zip("ab", RNG.random((2, 60, 3)), strict=True))

DOORS = {
    "groups": partial(cb.evaluate, TRUTH, GUESS, "f1", clusters=IDS),
    "runs": partial(cb.evaluate, TRUTH, np.stack([GUESS, TRUTH, GUESS]), "f1"),
    "scores": partial(cb.evaluate, TRUTH, SCORES, "average_precision"),
    "mean over folds": partial(cb.evaluate_scores, TRUTH, NOISE, "average_precision", folds=HALVES),
    "gains": partial(cb.evaluate_scores, np.arange(60) % 4, SCORES, "ndcg"),
    "classes": partial(cb.evaluate_multiclass, CLASSES, CALLED, "f1_macro"),
    "classes of groups": partial(cb.evaluate, CLASSES, CALLED, "f1_macro", clusters=IDS),
    "label sets": partial(cb.evaluate_multilabel, SETS, GIVEN, "f1_macro"),
    "first classes": partial(cb.evaluate_multiclass, CLASSES, FIRST, "top_2_accuracy"),
}

UNDRAWN = {
    "counts": partial(cb.evaluate_counts, cb.count(TRUTH, GUESS), "optimized_precision"),
    "folds": partial(cb.evaluate_folds, TRUTH, GUESS, HALVES, "optimized_precision"),
}


def numbers(card):
    row = card[0]
    return [row.p_value, row.p_value_blind, row.low, row.high]


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_a_seed_decides_what_is_drawn(door):
    default, again = numbers(door(random_state=0)), numbers(door(random_state=0))
    np.testing.assert_array_equal(default, again)
    other = numbers(door(random_state=np.int64(7)))
    assert not np.array_equal(default, other, equal_nan=True)
    np.testing.assert_allclose(default, other, rtol=0.5, atol=0.1)


def test_generators_and_none_are_taken_as_scikit_learn_takes_them():
    door = DOORS["groups"]
    for make in (np.random.default_rng, np.random.RandomState):
        assert numbers(door(random_state=make(3))) == numbers(door(random_state=make(3)))
    once = np.random.default_rng(3)
    assert numbers(door(random_state=once)) != numbers(door(random_state=once)), "a generator moves on"
    assert numbers(door(random_state=None)) != numbers(door(random_state=None))
    assert numbers(door(random_state=0)) == numbers(door())


def test_a_gate_takes_a_seed():
    said = []
    table = {"frame": FRAME, "clusters": "id"}
    for seed, data in ((0, (TRUTH, GUESS)), (0, (TRUTH, GUESS)), (0, ("y", "x"))):
        more = {"clusters": IDS} if data[0] is TRUTH else table
        with pytest.raises(AssertionError) as failed:
            assert_clears(*data, "f1", alpha=1e-9, random_state=seed, **more)
        said.append(str(failed.value).split(":")[1])
    assert said[0] == said[1] == said[2]


@pytest.mark.parametrize("seed", ["a", -1, 1.5, True], ids=str)
def test_what_is_no_seed_is_refused_in_a_sentence(seed):
    for door in (DOORS["groups"], DOORS["scores"], *UNDRAWN.values(), DOORS["classes"]):
        with pytest.raises(
            ValueError, match=r"^random_state must be a seed, a numpy Generator or None; found"
        ):
            door(random_state=seed)


COMPARED = {
    "labels": partial(cb.evaluate, TRUTH, {"a": GUESS, "b": SCORES > 0}, "f1"),
    "classes": partial(cb.evaluate, CLASSES, {"a": CALLED, "b": CLASSES[::-1]}, "f1_macro"),
    "sets": partial(cb.evaluate, SETS, {"a": GIVEN, "b": OTHER}, "f1_macro"),
    "numbers": partial(cb.evaluate, SCORES, {"a": NOISE, "b": SCORES + NOISE}, "medae"),
    "first classes": DOORS["first classes"],
}


@pytest.mark.parametrize(
    "door",
    [
        pytest.param(door, id=name, marks=[pytest.mark.slow] * (name != "labels"))
        for name, door in COMPARED.items()
    ],
)
def test_the_seed_of_a_card_decides_what_is_drawn_to_compare_its_models(door):
    def drawn(seed):
        card = door(random_state=seed, intervals=False)
        one, best = card.compare("a", "b", card.measures[0], margin=0.1), card.best_of()
        return [one.low, one.high, one.p_equivalent, best.expected, best.reach, best.p_value_blind]

    default, again, other = drawn(0), drawn(0), drawn(7)
    assert default == again != other
    np.testing.assert_allclose(default, other, atol=0.1)
