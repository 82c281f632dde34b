"""The t-test of group contributions: references, forms for every kind, and what it is called."""

import numpy as np
import pytest

import clearbar as cb
from clearbar.inference.permutation import agreement, effective_groups, group_test, products
from clearbar.inference.units import Groups

REFERENCE = [
    (
        [0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 1],
        [0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 1, 0],
        [0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 4],
        [7 / 12, 1, 5 / 6, 1, -5 / 12],
        (2.261067454876779, 4.235294117647059, 0.051182300345323804),
    ),
    (
        [1] * 8 + [0] * 8,
        [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1],
        [0, 0, 0, 0, 1, 1, 2, 3, 4, 4, 4, 5, 5, 6, 6, 7],
        [2, 1, -0.5, -0.5, 1.5, 1, 0, -0.5],
        (1.4142135623730951, 6.4, 0.10613978451619996),
    ),
    (
        [0, 1] * 8,
        [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1],
        [0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 4, 4, 5, 5, 5, 5],
        [-1, -1, -2, -1, -1, 2],
        (-1.1952286093343938, 5.333333333333333, 0.8533588492223574),
    ),
]


@pytest.mark.parametrize(("y", "p", "groups", "contributions", "test"), REFERENCE)
def test_references(y, p, groups, contributions, test):
    y, p, own = np.array(y), np.array(p), Groups(np.array(groups))
    found = own.sums(agreement(y, p[None], 2))
    np.testing.assert_allclose(found, contributions, atol=1e-12)
    np.testing.assert_allclose(own.sums(2 * products(y, p)), contributions, atol=1e-12)
    assert group_test(found, own.sizes) == pytest.approx(test, rel=1e-10)


def test_contributions_without_spread_have_the_sign_test():
    assert group_test(np.full(6, 0.5), np.full(6, 3)).p_value == 2**-6
    nearly = np.full(6, 0.5) + 1e-3 * np.arange(6)
    assert group_test(nearly, np.full(6, 3)).p_value == 2**-6, "a little spread makes nothing surer"
    assert group_test(np.full(6, -0.5), np.full(6, 3)).p_value == 1
    assert group_test(np.zeros(6), np.full(6, 3)).p_value == 1
    assert effective_groups([1, 1, 1, 3]) == pytest.approx(3)


SIZES = np.arange(2, 14)
IDS = np.repeat(np.arange(12), SIZES)
RNG = np.random.default_rng(4)
Y = RNG.random(len(IDS)) < np.repeat(RNG.beta(1.5, 1.5, 12), SIZES)
SEEN = np.where(RNG.random(len(IDS)) < 0.75, Y, ~Y)
BLIND = RNG.random(len(IDS)) < np.repeat(RNG.beta(1.5, 1.5, 12), SIZES)
CLASSES = np.where(Y, RNG.integers(1, 3, len(IDS)), 0)
CALLED = np.where(RNG.random(len(IDS)) < 0.7, CLASSES, RNG.integers(0, 3, len(IDS)))
PROBABILITIES = np.eye(3)[CALLED] + RNG.random((len(IDS), 3)) / 5
TARGETS = RNG.normal(size=len(IDS))


def sets(codes, other):
    return [{int(code), "x"} if seen else {int(code)} for code, seen in zip(codes, other, strict=True)]


KINDS = {
    "two classes": lambda **o: cb.evaluate(Y, SEEN, ["mcc", "f1"], **o),
    "runs": lambda **o: cb.evaluate(Y, np.stack([SEEN, Y ^ BLIND]), "mcc", **o),
    "many classes": lambda **o: cb.evaluate_multiclass(CLASSES, CALLED, ["accuracy", "f1_macro"], **o),
    "each class": lambda **o: cb.evaluate_multiclass(CLASSES, CALLED, **o).per_class("f1"),
    "first classes": lambda **o: cb.evaluate_multiclass(
        CLASSES, PROBABILITIES / PROBABILITIES.sum(axis=1, keepdims=True), "top_2_accuracy", **o
    ),
    "scores": lambda **o: cb.evaluate_scores(Y, SEEN + RNG.random(len(IDS)), "roc_auc", **o),
    "numbers": lambda **o: cb.evaluate_regression(TARGETS, TARGETS + RNG.normal(size=len(IDS)), "mae", **o),
    "label sets": lambda **o: cb.evaluate_multilabel(sets(CLASSES, Y), sets(CALLED, SEEN), "f1_micro", **o),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_tests_clusters_of_unequal_size_and_permutes_those_of_equal_size(kind):
    for row in KINDS[kind](clusters=IDS):
        assert row.p_blind_method == "t"
        assert 0 < row.p_value_blind <= 1
        assert "t-test of what 12 groups of unequal sizes add" in row.reason
        assert row.p_sure == pytest.approx(max(row.p_value, row.p_value_blind))
    rows = KINDS[kind](clusters=np.arange(len(IDS)) // 3)
    assert {row.p_blind_method for row in rows} == {"permutation"}


def test_two_classes_have_the_reference_p():
    own = Groups.of(IDS)
    expected = group_test(own.sums(products(Y, SEEN)), own.sizes).p_value
    for card in (
        cb.evaluate(Y, SEEN, "mcc", clusters=IDS),
        cb.evaluate_multiclass(Y * 1, SEEN * 1, "f1_macro", clusters=IDS),
    ):
        assert card[0].p_value_blind == pytest.approx(expected)


def test_folds_of_groups_have_it_as_well():
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold

    from clearbar.sklearn import cross_evaluate

    X = np.column_stack([SEEN + np.random.default_rng(0).normal(size=len(IDS)), BLIND])
    for y, measure in ((Y * 1, "mcc"), (CLASSES, "f1_macro"), (Y * 1, "roc_auc")):
        row = cross_evaluate(LogisticRegression(), X, y, cv=GroupKFold(3), groups=IDS, measures=measure)[0]
        assert row.p_blind_method == "t"
        assert 0 < row.p_value_blind <= 1
