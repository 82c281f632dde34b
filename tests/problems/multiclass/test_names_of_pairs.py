"""What classes are called decides nothing of a comparison or a ranking, but for rounding."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import clearbar as cb
from clearbar.problems.multiclass.names import places

MEASURES = ("f1_macro", "mcc")


def numbers(card, measure):
    first, second = card.models[:2]
    one = card.compare(first, second, measure)
    ranking = card.ranking(measure)
    return [one.p_value, one.low, one.high, *np.ravel(ranking.p_values), ranking.unresolved]


@pytest.mark.slow
@pytest.mark.parametrize("what", ["samples", "clusters", "runs", "many classes"])
def test_renamed_classes_have_the_same_numbers(what):
    rng = np.random.default_rng(3)
    classes = 14 if what == "many classes" else 3
    old = np.array([f"c{at:02d}" for at in range(classes)])
    new = old[rng.permutation(classes)]
    truth = np.concatenate([np.arange(classes).repeat(3), rng.integers(0, classes, 30)])
    size = (2, len(truth)) if what == "runs" else len(truth)
    models = {
        name: np.where(rng.random(size) < right, truth, rng.integers(0, classes, size))
        for name, right in (("x", 0.7), ("y", 0.55), ("z", 0.6))
    }
    more = {"clusters": np.arange(len(truth)) // 3} if what == "clusters" else {}
    cards = [
        cb.evaluate_multiclass(
            names[truth], {name: names[called] for name, called in models.items()}, MEASURES, **more
        )
        for names in (old, new)
    ]
    for measure in MEASURES[: 1 if classes > 4 else 2]:
        assert numbers(cards[0], measure) == pytest.approx(numbers(cards[1], measure), rel=1e-9)


def test_ordered_classes_keep_their_order():
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 4, 80)
    a, b = (np.clip(truth + rng.integers(-1, 2, 80), 0, 3) for _ in range(2))
    card = cb.evaluate_multiclass(truth, {"a": a, "b": b}, "kappa_quadratic")
    pair = card.compare("a", "b", "kappa_quadratic")
    assert pair.scores == pytest.approx(tuple(one.score for one in card))


def test_the_order_is_that_of_all_models_together():
    """Classes that neither model's table tells apart, but both answers of a sample do."""
    truth = np.array([0, 0, 1, 1, 2, 2, 0, 1])
    a = np.array([1, 2, 0, 2, 0, 1, 0, 1])
    b = np.array([1, 2, 2, 0, 0, 1, 0, 1])
    wanted = None
    for names in itertools.permutations(range(3)):
        sides = np.array(names)[np.stack([truth, a, b])]
        own, one, two = places(sides[0], sides[1:], np.ones(8, dtype=np.int64), 3)[sides]
        found = sorted(zip(own.tolist(), one.tolist(), two.tolist(), strict=True))
        wanted = wanted or found
        assert found == wanted
