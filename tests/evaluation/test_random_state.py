"""What is drawn at random follows `random_state`: the same seed, the same card."""

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
CLASSES = np.arange(60) % 3
CALLED = np.where(RNG.random(60) < 0.5, CLASSES, (CLASSES + 1) % 3)
FRAME = pd.DataFrame({"y": TRUTH, "x": GUESS, "id": IDS})
TABLE = cb.count(TRUTH, GUESS)

DOORS = {
    "groups": lambda seed: cb.evaluate(TRUTH, GUESS, "f1", clusters=IDS, random_state=seed),
    "runs": lambda seed: cb.evaluate(TRUTH, np.stack([GUESS, TRUTH, GUESS]), "f1", random_state=seed),
    "scores": lambda seed: cb.evaluate(TRUTH, SCORES, "average_precision", random_state=seed),
    "scores of groups": lambda seed: cb.evaluate_scores(
        TRUTH, SCORES, "average_precision", clusters=IDS, random_state=seed
    ),
    "mean over folds": lambda seed: cb.evaluate_scores(
        TRUTH, NOISE, "average_precision", folds=np.arange(60) % 2, random_state=seed
    ),
    "merged folds": lambda seed: cb.evaluate_scores(
        TRUTH, NOISE, "roc_auc", folds=np.arange(60) % 2, aggregate="merged", random_state=seed
    ),
    "gains": lambda seed: cb.evaluate_scores(np.arange(60) % 4, SCORES, "ndcg", random_state=seed),
    "table": lambda seed: cb.evaluate_frame(FRAME, "y", "x", clusters="id", measures="f1", random_state=seed),
    "classes": lambda seed: cb.evaluate_multiclass(CLASSES, CALLED, "f1_macro", random_state=seed),
    "classes of groups": lambda seed: cb.evaluate(
        CLASSES, CALLED, "f1_macro", clusters=IDS, random_state=seed
    ),
}

UNDRAWN = {
    "counts": lambda seed: cb.evaluate_counts(TABLE, "optimized_precision", random_state=seed),
    "folds": lambda seed: cb.evaluate_folds(
        TRUTH, GUESS, np.arange(60) % 2, "optimized_precision", random_state=seed
    ),
    "counts of folds": lambda seed: cb.evaluate_fold_counts(
        cb.Counts(tp=[9, 8], fp=[2, 3], fn=[3, 4], tn=[16, 15]), "optimized_precision", random_state=seed
    ),
}


def numbers(card):
    row = card[0]
    return [row.p_value, row.p_value_blind, row.low, row.high]


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_a_seed_decides_what_is_drawn(door):
    default, again = numbers(door(0)), numbers(door(0))
    np.testing.assert_array_equal(default, again)
    other = numbers(door(np.int64(7)))
    assert not np.array_equal(default, other, equal_nan=True)
    np.testing.assert_allclose(default, other, rtol=0.5, atol=0.1)


def test_generators_and_none_are_taken_as_scikit_learn_takes_them():
    door = DOORS["groups"]
    np.testing.assert_array_equal(*(numbers(door(np.random.default_rng(3))) for _ in range(2)))
    np.testing.assert_array_equal(*(numbers(door(np.random.RandomState(3))) for _ in range(2)))
    assert numbers(door(None)) != numbers(door(None))
    once = np.random.default_rng(3)
    assert numbers(door(once)) != numbers(door(once)), "a generator moves on"
    np.testing.assert_array_equal(numbers(door(0)), numbers(cb.evaluate(TRUTH, GUESS, "f1", clusters=IDS)))


@pytest.mark.parametrize("door", UNDRAWN.values(), ids=UNDRAWN)
def test_counts_take_a_seed_and_draw_nothing(door):
    """Whether a measure rises with TP or not, its test adds up probabilities."""
    np.testing.assert_array_equal(numbers(door(0)), numbers(door(7)))


def test_classes_against_the_rest_keep_the_seed():
    cards = [
        cb.evaluate_multiclass(
            CLASSES, CALLED, "f1_macro", clusters=np.arange(60) // 3, random_state=seed
        ).per_class("f1")
        for seed in (0, 0, 1)
    ]
    first, same, other = (card.columns["p_value"].ravel() for card in cards)
    np.testing.assert_array_equal(first, same)
    assert not np.array_equal(first, other)


def test_a_gate_takes_a_seed():
    said = []
    for seed in (0, 0, 1):
        with pytest.raises(AssertionError) as failed:
            assert_clears(TRUTH, GUESS, "f1", clusters=IDS, alpha=1e-9, random_state=seed)
        said.append(str(failed.value))
    assert said[0] == said[1]
    table = {"frame": FRAME, "clusters": "id", "alpha": 1e-9}
    with pytest.raises(AssertionError) as failed:
        assert_clears("y", "x", "f1", random_state=0, **table)
    assert str(failed.value).split(":")[1] == said[0].split(":")[1]


@pytest.mark.parametrize(
    "seed", ["a", -1, 1.5, True, np.True_, object()], ids=lambda seed: type(seed).__name__
)
def test_what_is_no_seed_is_refused_in_a_sentence(seed):
    for door in (DOORS["groups"], DOORS["scores"], UNDRAWN["counts"], UNDRAWN["folds"], DOORS["classes"]):
        with pytest.raises(
            ValueError, match=r"^random_state must be a seed, a numpy Generator or None; found"
        ):
            door(seed)


COMPARED = {
    "labels": lambda seed: cb.evaluate(
        TRUTH, {"a": GUESS, "b": SCORES > 0}, "f1", intervals=False, random_state=seed
    ),
    "groups": lambda seed: cb.evaluate(
        TRUTH,
        {"a": GUESS, "b": SCORES > 0},
        "f1",
        clusters=np.arange(60) // 2,
        intervals=False,
        random_state=seed,
    ),
    "classes": lambda seed: cb.evaluate(
        CLASSES, {"a": CALLED, "b": CLASSES[::-1]}, "f1_macro", intervals=False, random_state=seed
    ),
    "sets": lambda seed: cb.evaluate(
        np.eye(3)[CLASSES],
        {"a": np.eye(3)[CALLED], "b": np.eye(3)[CLASSES[::-1]]},
        "f1_macro",
        intervals=False,
        random_state=seed,
    ),
    "scores": lambda seed: cb.evaluate(
        TRUTH, {"a": SCORES, "b": NOISE}, "average_precision", intervals=False, random_state=seed
    ),
    "numbers": lambda seed: cb.evaluate(
        SCORES, {"a": NOISE, "b": SCORES + NOISE}, "medae", intervals=False, random_state=seed
    ),
    "first classes": lambda seed: cb.evaluate_multiclass(
        CLASSES, {"a": RNG_SCORES[0], "b": RNG_SCORES[1]}, "top_2_accuracy", random_state=seed
    ),
}
RNG_SCORES = RNG.random((2, 60, 3))


@pytest.mark.parametrize("door", COMPARED.values(), ids=COMPARED)
def test_the_seed_of_a_card_decides_what_is_drawn_to_compare_its_models(door):
    def drawn(seed):
        card = door(seed)
        one = card.compare("a", "b", card.measures[0], margin=0.1)
        best = card.best_of()
        return [one.low, one.high, one.p_equivalent, best.expected, best.reach, best.p_value_blind]

    default, again, other = drawn(0), drawn(0), drawn(7)
    assert default == again
    assert default != other
    np.testing.assert_allclose(default, other, atol=0.1)


def test_first_classes_in_random_order_follow_the_seed():
    p_values = [COMPARED["first classes"](seed).columns["p_value_blind"][0, 0, 0] for seed in (0, 0, 7)]
    assert p_values[0] == p_values[1] != p_values[2]


def test_matrices_of_many_classes_are_judged_with_the_seed():
    matrix = cb.ConfusionMatrix.from_labels(CLASSES, CALLED)
    lows = [cb.evaluate_counts(matrix, "f1_macro", random_state=seed)[0].low for seed in (0, 7)]
    assert lows[0] != lows[1]
