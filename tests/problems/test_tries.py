"""The best of many tries: bars against enumeration, corrected p-values, the joint law of all submissions."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import clearbar as cb
from clearbar.testing import assert_clears


def f1(tp, fp, fn, _tn):
    return Fraction(2 * tp, 2 * tp + fp + fn)


def error(tp, fp, fn, tn):
    return Fraction(fp + fn, tp + fp + fn + tn)


def law(total, positives, k, formula):
    """Values of a draw of k and their probabilities."""
    found = {}
    for tp in range(max(0, k - (total - positives)), min(k, positives) + 1):
        ways = Fraction(math.comb(positives, tp) * math.comb(total - positives, k - tp), math.comb(total, k))
        score = formula(tp, k - tp, positives - tp, total - positives - k + tp)
        found[score] = found.get(score, 0) + ways
    return found


def best_of(laws, choose):
    """The expected best of independent draws, in exact fractions."""
    return sum(
        choose(score for score, _ in outcome) * math.prod(weight for _, weight in outcome)
        for outcome in itertools.product(*(one.items() for one in laws))
    )


@pytest.mark.parametrize(
    ("name", "formula", "choose", "least"), [("f1", f1, max, 1), ("error_rate", error, min, 0)]
)
def test_bars_are_those_of_every_k_to_the_power_of_tries(name, formula, choose, least):
    for total, positives, tries in ((3, 1, 3), (5, 2, 2), (8, 3, 3), (8, 5, 2)):
        expected = {
            k: best_of([law(total, positives, k, formula)] * tries, choose) for k in range(least, total + 1)
        }
        bar = cb.baseline(cb.Population(total, positives), name, tries=tries)
        assert bar.value == pytest.approx(float(choose(expected.values())), rel=1e-14)
        wanted = [k for k, one in expected.items() if one == choose(expected.values())]
        assert [k for part in bar.predicted_positives for k in part] == wanted
        other = min if choose is max else max
        assert float(bar.worst_value) == pytest.approx(float(other(expected.values())), rel=1e-14)
        assert bar.expectation(wanted[0] / total) == pytest.approx(bar.value)


def test_tries_of_different_sizes_may_do_better_and_the_bar_says_that_all_have_the_same():
    """Over all (k_1, ..., k_T): the words promise no more than they hold."""
    better = 0
    for total, positives, tries in itertools.product((4, 6), (1, 2), (2, 3)):
        laws = {k: law(total, positives, k, f1) for k in range(1, total + 1)}
        bar = cb.baseline(cb.Population(total, positives), "f1", tries=tries)
        every = [
            best_of([laws[k] for k in ks], max) for ks in itertools.combinations_with_replacement(laws, tries)
        ]
        assert max(every) >= Fraction(bar.value) - Fraction(1, 10**12)
        better += max(every) > Fraction(bar.value) + Fraction(1, 10**12)
    assert better
    assert "the best of 3 tries, all with the same k" in str(bar)


def test_two_hundred_tries_of_a_hundred_samples():
    bar = cb.baseline(cb.Population(100, 30), "f1", tries=200)
    assert bar.value == pytest.approx(0.5333, abs=5e-5)
    assert bar.predicted_positives == (range(59, 60),)
    assert bar.certified
    assert bar.tries == 200
    assert cb.baseline(cb.Population(100, 30), "f1").value == pytest.approx(0.4615, abs=5e-5)
    assert cb.baseline(cb.Population(100, 30), "f1", tries=1) == cb.baseline(cb.Population(100, 30), "f1")


def test_large_populations_are_searched_and_said_so():
    bar = cb.baseline(cb.Population(3_000, 900), "f1", tries=50)
    rng = np.random.default_rng(0)
    k = bar.draw().predicted_positives
    tp = rng.hypergeometric(900, 2_100, k, size=(4_000, 50)).max(axis=1)
    best = 2 * tp / (k + 900)
    assert abs(best.mean() - bar.value) < 4 * best.std() / math.sqrt(4_000)
    assert not bar.certified


@pytest.mark.parametrize("tries", [0, -1, 1.5, True, "2", None])
def test_tries_are_a_whole_number(tries):
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
        with pytest.raises(ValueError, match="tries must be a whole number from 1 up; found"):
            asked()


def test_bars_of_other_kinds_take_no_tries():
    with pytest.raises(ValueError, match="tries=3 is for labels and measures of two classes"):
        cb.baseline([0, 1, 2], "accuracy", tries=3)
    with pytest.raises(ValueError, match="one population"):
        cb.baseline(cb.Population(np.array([9, 8]), np.array([3, 3])), "f1", tries=3)


def test_what_decides_is_multiplied_by_the_tries():
    population = cb.Population(31, 18)
    bar = cb.baseline(population, "f1")
    alone = bar.judge(0.95)
    assert bar.judge(0.95, tries=3).p_corrected == pytest.approx(3 * alone.p_corrected)
    assert (bar.judge(0.95, tries=3).p_value, bar.judge(0.95, tries=10**9).p_corrected) == (
        alone.p_value,
        1.0,
    )
    assert cb.p_value(0.95, population, "f1", tries=3) == pytest.approx(3 * alone.p_value)
    needed = bar.clearing_score(tries=20)
    assert needed > bar.clearing_score()
    assert bar.judge(needed, tries=20).sure
    assert needed == bar.clearing_score(0.05 / 20)


def test_scorecards_are_corrected_for_tries_and_say_so():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    pred = {
        name: np.where(rng.random(200) < right, y, 1 - y) for name, right in {"a": 0.62, "b": 0.9}.items()
    }
    one, many = (cb.evaluate(y, pred, ["mcc", "f1"], tries=tries) for tries in (1, 20))
    assert (many.columns["p_value"] == one.columns["p_value"]).all()
    np.testing.assert_allclose(many.columns["p_sure"], np.minimum(20 * one.columns["p_sure"], 1.0))
    assert one.clears("mcc", "a")
    assert not many.clears("mcc", "a")
    assert many.clears("mcc", "b")
    assert "the best of 20 tries" in many.notes[-1]
    assert many.call.endswith("tries=20)")
    sliced = cb.evaluate(y, pred["b"], "mcc", by=np.arange(200) % 2, tries=20)
    assert sliced.columns["p_sure"] == pytest.approx(
        np.minimum(20 * cb.evaluate(y, pred["b"], "mcc", by=np.arange(200) % 2).columns["p_sure"], 1.0)
    )
    assert_clears(y, pred["a"], "mcc")
    with pytest.raises(AssertionError, match="could be chance"):
        assert_clears(y, pred["a"], "mcc", tries=20)


def test_the_joint_law_of_all_submissions_is_that_of_every_order_of_the_labels():
    y = np.array([1, 1, 1, 0, 0, 0, 0, 1])
    rng = np.random.default_rng(1)
    models = {f"m{at}": rng.integers(0, 2, 8) for at in range(4)} | {
        "half": np.array([1, 1, 0, 0, 0, 0, 0, 1])
    }
    card = cb.evaluate(y, models, ["f1", "error_rate"], intervals=False)
    for at, (name, choose) in enumerate((("f1", np.max), ("error_rate", np.min))):
        found = card.best_of(name)
        best = []
        for chosen in itertools.combinations(range(8), 4):
            labels = np.isin(np.arange(8), chosen)
            tp = np.array([(labels & (pred == 1)).sum() for pred in models.values()])
            k = np.array([pred.sum() for pred in models.values()])
            best.append(choose(2 * tp / (k + 4) if name == "f1" else (k + 4 - 2 * tp) / 8))
        seen = choose(card.columns["score"][:, 0, at])
        share = np.mean(np.array(best) >= seen - 1e-12 if name == "f1" else np.array(best) <= seen + 1e-12)
        assert found.score == seen
        assert found.model == "half"
        assert abs(found.p_value_blind - share) < 4 * math.sqrt(share * (1 - share) / found.permutations)
        assert abs(found.expected - np.mean(best)) < 4 * np.std(best) / math.sqrt(found.permutations)
        assert f"half is the best of 5 models with {found.measure.label}" in str(found)


def test_copies_of_one_model_count_once():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 100)
    pred = np.where(rng.random(100) < 0.63, y, 1 - y)
    copies = cb.evaluate(y, {f"m{at}": pred for at in range(14)}, "mcc", intervals=False).best_of()
    blind = cb.evaluate(y, pred, "mcc")[0].p_value_blind
    assert copies.p_value_blind == pytest.approx(blind, abs=4 * math.sqrt(blind / copies.permutations))
    others = {f"m{at}": rng.integers(0, 2, 100) for at in range(13)} | {"m": pred}
    assert cb.evaluate(y, others, "mcc", intervals=False).best_of().p_value_blind > 2 * blind


def test_scores_and_whole_groups_have_a_best_too():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 60)
    scores = {"a": y + rng.normal(0, 2, 60), "b": rng.normal(0, 1, 60)}
    found = cb.evaluate_scores(y, scores, "roc_auc", intervals=False).best_of()
    assert found.expected > 0.5
    groups = np.arange(60) // 2
    labels = {"a": (scores["a"] > 0.5).astype(int), "b": (scores["b"] > 0).astype(int)}
    assert 0 < cb.evaluate(y, labels, "f1", clusters=groups, intervals=False).best_of().p_value_blind <= 1
    assert 0 < cb.evaluate_scores(y, scores, clusters=groups, intervals=False).best_of().p_value_blind <= 1


def test_where_there_is_no_best_it_is_said():
    counts = cb.Counts(tp=14, fp=3, fn=4, tn=10)
    with pytest.raises(ValueError, match="best_of needs to know on which samples the models differ"):
        cb.evaluate_counts({"a": counts, "b": counts}, "f1").best_of()
    with pytest.raises(ValueError, match="best_of is about several models; found one"):
        cb.evaluate([0, 1, 1], [0, 1, 0], "f1", intervals=False).best_of()
    with pytest.raises(ValueError, match="best_of permutes labels of two classes"):
        cb.evaluate([0, 1, 2], {"a": [0, 1, 2], "b": [0, 0, 0]}, intervals=False).best_of("accuracy")
