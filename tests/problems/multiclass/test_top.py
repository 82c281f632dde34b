"""Top-k accuracy: scikit-learn's value, the bar by trying all, permutations counted one by one."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import top_k_accuracy_score

import clearbar as cb

RNG = np.random.default_rng(9)
TRUTH = RNG.choice(list("abcd"), 150, p=[0.4, 0.3, 0.2, 0.1])
SCORES = RNG.random((150, 4)).round(1)  # with ties
SCORES[np.arange(150), np.searchsorted(list("abcd"), TRUTH)] += 0.3
NAMES = ["top_1_accuracy", "top_2_accuracy", "top_3_accuracy"]


def test_scores_are_those_of_scikit_learn():
    card = cb.evaluate(TRUTH, {"model": SCORES, "blind": RNG.random((150, 4))}, NAMES)
    for k in (1, 2, 3):
        own = card[k - 1]
        assert own.score == pytest.approx(top_k_accuracy_score(TRUTH, SCORES, k=k), abs=1e-15)
        assert own.low < own.score < own.high
        assert own.sure or k == 3
    assert not any(verdict.sure for verdict in card if verdict.model == "blind")
    assert card[1].measure == cb.get_measure("top_k_accuracy(k=2)", "multiclass")


def test_nothing_blind_beats_the_largest_classes():
    """Of four samples of three classes all ways to name two classes each are averaged over all orders."""
    truth = [0, 0, 1, 2]
    sets = list(combinations(range(3), 2))
    best = max(
        np.mean([np.mean([y in s for y, s in zip(order, own, strict=True)]) for order in permutations(truth)])
        for own in product(sets, repeat=4)
    )
    bar = cb.baseline(cb.ClassSizes({0: 2, 1: 1, 2: 1}), "top_2_accuracy")
    assert float(bar.value) == pytest.approx(best)
    assert str(bar) == "top-2 accuracy bar 0.750: name 0 and 1 for all 4 samples"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((TRUTH, TRUTH, "top_2_accuracy"), "must be a matrix of scores"),
        ((TRUTH, SCORES, ["top_2_accuracy", "f1_macro"]), "judge them in separate"),
        ((TRUTH, SCORES, "top_4_accuracy"), "k must be less than the number of"),
        ((TRUTH, SCORES[:, :3], "top_2_accuracy"), r"of 4 classes .* \(150, 3\)"),
        ((TRUTH, SCORES * np.nan, "top_2_accuracy"), "missing values"),
        ((TRUTH, SCORES, "top_k_accuracy"), "top_k_accuracy needs k"),
    ],
)
def test_what_cannot_be_judged_is_a_sentence(given, said):
    with pytest.raises(ValueError, match=said):
        cb.evaluate_multiclass(*given)


def test_two_models_are_compared_where_only_one_names_the_class():
    rng = np.random.default_rng(2)
    truth = rng.integers(4, size=80)
    both = {name: (truth[:, None] == np.arange(4)) * skill + rng.random((80, 4))
            for name, skill in (("a", 0.5), ("b", 0.1))}  # fmt: skip
    found = cb.evaluate(truth, both, "top_2_accuracy").compare("a", "b", "top_2_accuracy")
    right = [(np.argsort(-own, axis=1)[:, :2] == truth[:, None]).any(axis=1) for own in both.values()]
    alone = [int(np.sum(one & ~other)) for one, other in (right, right[::-1])]
    assert [found.only_a_right, found.only_b_right] == alone
    assert found.p_mcnemar == pytest.approx(binomtest(alone[0], sum(alone)).pvalue)
    assert found.better == "a"
