"""The best of many tries: bars against enumeration, corrected p-values, the joint law of all submissions."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import clearbar as cb
from clearbar.testing import assert_clears

SCALES = {"f1": math.lcm(*range(1, 17)), "error_rate": math.lcm(*range(1, 9))}
"""What makes every score of up to eight samples a whole number."""


def score(name, tp, k, total, positives):
    """The score times that number, of a loss its negative: more is better."""
    if name == "f1":
        return SCALES[name] * 2 * tp // (positives + k)
    return -SCALES[name] * (positives + k - 2 * tp) // total


def laws(name, total, positives, draws):
    """All scores that occur, ascending, and in how many orders a draw of each k stays at or below."""
    orders = math.lcm(*(math.comb(total, k) for k in draws))
    found = {}
    for k in draws:
        for tp in range(max(0, k - (total - positives)), min(k, positives) + 1):
            ways = math.comb(positives, tp) * math.comb(total - positives, k - tp)
            one = found.setdefault(score(name, tp, k, total, positives), dict.fromkeys(draws, 0))
            one[k] += ways * (orders // math.comb(total, k))
    values = sorted(found)
    below = np.cumsum([[found[value][k] for k in draws] for value in values], axis=0)
    return np.array(values), below, orders


@pytest.mark.parametrize("name", SCALES)
def test_bars_are_those_of_all_tries_of_up_to_eight_samples(name):
    """Every (k_1, ..., k_T): in whole numbers, the law of the best is the product of those of the tries.

    The bar is the best of equal k, and no more is promised: different k may do better.
    """
    better = 0
    least = 1 if name == "f1" else 0
    for total in range(2, 9):
        draws = list(range(least, total + 1))
        for positives, tries in itertools.product(range(1, total), (1, 2, 3)):
            values, below, orders = laws(name, total, positives, draws)
            together = 1
            for at in range(tries):
                together = together * below.reshape(
                    len(values), *[-1 if at == i else 1 for i in range(tries)]
                )
            steps = np.diff(together, axis=0, prepend=0)
            every = np.tensordot(values, steps, axes=1)  # below 2**63
            alike = every[(np.arange(len(draws)),) * tries]
            whole = SCALES[name] * orders**tries * (1 if name == "f1" else -1)
            bar = cb.baseline(cb.Population(total, positives), name, tries=tries)
            best, worst = (float(Fraction(int(end), whole)) for end in (alike.max(), alike.min()))
            assert (bar.value, float(bar.worst_value)) == pytest.approx((best, worst), rel=1e-13, abs=1e-15)
            wanted = [k for k, one in zip(draws, alike.tolist(), strict=True) if one == alike.max()]
            assert [k for part in bar.predicted_positives for k in part] == wanted
            better += int(every.max()) > int(alike.max())
    assert better
    assert "the best of 3 tries, all with the same k" in str(cb.baseline(cb.Population(8, 3), "f1", tries=3))


def test_two_hundred_tries_of_a_hundred_samples():
    population = cb.Population(100, 30)
    bar = cb.baseline(population, "f1", tries=200)
    assert bar.value == pytest.approx(0.5333, abs=5e-5)
    assert (bar.predicted_positives, bar.certified, bar.tries) == ((range(59, 60),), True, 200)
    assert cb.baseline(population, "f1", tries=1) == cb.baseline(population, "f1")
    assert float(cb.baseline(cb.Population(24, 12), "f1", tries=10**12)) == 1


def test_large_populations_are_searched_and_said_so():
    bar = cb.baseline(cb.Population(3_000, 900), "f1", tries=50)
    rng = np.random.default_rng(0)
    k = bar.draw().predicted_positives
    tp = rng.hypergeometric(900, 2_100, k, size=(4_000, 50)).max(axis=1)
    best = 2 * tp / (k + 900)
    assert abs(best.mean() - bar.value) < 4 * best.std() / math.sqrt(4_000)
    assert not bar.certified


@pytest.mark.parametrize(
    ("tries", "said"),
    [(1.5, "from 1 up; found"), (10**5000, "tries must be at most 1,000,000,000,000; f")],
    ids=["a half", "far too many"],
)
def test_tries_are_a_whole_number(tries, said):
    population = cb.Population(31, 18)
    bar = cb.baseline(population, "f1")
    for asked in (
        lambda: cb.baseline(population, "f1", tries=tries),
        lambda: bar.judge(0.9, tries=tries),
        lambda: bar.clearing_score(tries=tries),
        lambda: cb.p_value(0.9, population, "f1", tries=tries),
        lambda: cb.evaluate([1, 0], [1, 0], "f1", tries=tries),
        lambda: assert_clears([1, 0], [1, 0], tries=tries),
    ):
        with pytest.raises(ValueError, match=said):
            asked()
    with pytest.raises(ValueError, match="tries=3 is for labels and measures of two classes"):
        cb.baseline([0, 1, 2], "accuracy", tries=3)
    with pytest.raises(ValueError, match="one population"):
        cb.baseline(cb.Population(np.array([9, 8]), np.array([3, 3])), "f1", tries=3)


def test_what_decides_is_multiplied_by_the_tries():
    population = cb.Population(31, 18)
    bar = cb.baseline(population, "f1")
    alone, thrice = bar.judge(0.95), bar.judge(0.95, tries=3)
    assert thrice.p_corrected == pytest.approx(3 * alone.p_corrected)
    assert thrice.p_value == alone.p_value
    assert bar.judge(0.95, tries=10**9).p_corrected == 1.0
    assert cb.p_value(0.95, population, "f1", tries=3) == pytest.approx(3 * alone.p_value)
    needed = bar.clearing_score(tries=20)
    assert needed == bar.clearing_score(0.05 / 20) > bar.clearing_score()
    assert bar.judge(needed, tries=20).sure


def test_scorecards_are_corrected_for_tries_and_say_so():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    pred = {name: np.where(rng.random(200) < right, y, 1 - y) for name, right in (("a", 0.62), ("b", 0.9))}
    one, many = (cb.evaluate(y, pred, ["mcc", "f1"], tries=tries) for tries in (1, 20))
    assert (many.columns["p_value"] == one.columns["p_value"]).all()
    np.testing.assert_allclose(many.columns["p_sure"], np.minimum(20 * one.columns["p_sure"], 1.0))
    assert [one.clears("mcc", "a"), many.clears("mcc", "a"), many.clears("mcc", "b")] == [True, False, True]
    assert "the best of 20 tries" in many.notes[-1]
    assert many.call.endswith("tries=20)")
    assert_clears(y, pred["a"], "mcc")
    with pytest.raises(AssertionError, match="could be chance"):
        assert_clears(y, pred["a"], "mcc", tries=20)


def test_copies_of_one_model_count_once():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 100)
    pred = np.where(rng.random(100) < 0.63, y, 1 - y)
    copies = cb.evaluate(y, {f"m{at}": pred for at in range(14)}, "mcc", intervals=False).best_of()
    blind = cb.evaluate(y, pred, "mcc")[0].p_value_blind
    assert copies.p_value_blind == pytest.approx(blind, abs=4 * math.sqrt(blind / copies.permutations))
    others = {f"m{at}": rng.integers(0, 2, 100) for at in range(13)} | {"m": pred}
    assert cb.evaluate(y, others, "mcc", intervals=False).best_of().p_value_blind > 2 * blind


def test_where_there_is_no_best_it_is_said():
    counts, y = cb.Counts(tp=14, fp=3, fn=4, tn=10), [0, 0, 0, 1, 1, 1]
    three, groups, two = {"a": [0, 1, 2] * 4, "b": [0] * 12}, [*"aabbbccccdde"], {"a": y, "b": [1, 0] * 3}
    plain = {"measures": "accuracy", "intervals": False}
    for said, card in (
        ("needs to know on which samples", cb.evaluate_counts({"a": counts, "b": counts}, "f1")),
        ("is about several models; found one", cb.evaluate(y, y, "f1", intervals=False)),
        ("permutes the labels of one test set", cb.evaluate_folds(y, two, [1, 2] * 3, **plain)),
        ("of 5 groups only 2", cb.evaluate([0, 1, 2] * 4, three, clusters=groups, **plain)),
    ):
        with pytest.raises(ValueError, match=said):
            card.best_of()


LABELS, THREE, HALF = np.arange(24) % 2, np.arange(24) % 3, np.arange(24) // 12
TWICE = cb.Counts(tp=[6, 6], fp=[0, 0], fn=[0, 0], tn=[6, 6])
DOORS = {
    "labels": lambda **how: cb.evaluate(LABELS, LABELS, "mcc", **how),
    "counts": lambda **how: cb.evaluate_counts(cb.count(LABELS, LABELS), "mcc", **how),
    "scores": lambda **how: cb.evaluate_scores(LABELS, LABELS + np.arange(24) / 99, "roc_auc", **how),
    "classes": lambda **how: cb.evaluate_multiclass(THREE, THREE, "accuracy", **how),
    "sets": lambda **how: cb.evaluate_multilabel(*2 * [np.eye(3)[THREE]], "subset_accuracy", **how),
    "numbers": lambda **how: cb.evaluate_regression(THREE, THREE + 0.1, "mae", **how),
    "counts of folds": lambda **how: cb.evaluate_fold_counts(TWICE, "mcc", **how),
    "each class": lambda **how: cb.evaluate_multiclass(THREE, THREE, "f1_macro", **how).per_class("f1"),
    "folds": lambda **how: cb.evaluate_folds(LABELS, LABELS, HALF, "mcc", **how).all_ways()["pooled"],
    "folds of classes": lambda **how: cb.evaluate_folds(THREE, THREE, HALF, "accuracy", **how).all_ways()[
        "pooled"
    ],
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_whoever_judges_takes_tries_and_what_a_card_is_taken_apart_into_keeps_them(door):
    once, often = door(), door(tries=3)
    assert often.columns["p_sure"] == pytest.approx(3 * once.columns["p_sure"])
    assert often.tries == 3
    assert any("the best of 3 tries" in note for note in often.notes)
