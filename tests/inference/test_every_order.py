"""p_value_blind of every kind is the share of all orders of the labels that score as well: each is looked at.

Samples move alone or with their group, anywhere or within a column or a fold; so do the runs of a model.
"""

import itertools

import numpy as np
import pytest

import clearbar as cb
from clearbar.problems.multilabel.units import SetUnits

RNG = np.random.default_rng(4)
PAIRS, MIXED = np.repeat([3, 1, 7, 2, 9], 2), np.array([0, 0, 1, 1, 2, 2, 3, 4, 5, 6])
TRUTH, GUESS = np.array([1, 0, 1, 1, 0, 0, 0, 1, 0, 0]), np.array([1, 0, 1, 0, 0, 1, 0, 1, 0, 0])
SCORES = np.array([9, 2, 8, 8, 1, 7, 3, 6, 3, 4]) / 10
CLASSES, CALLED = np.array([0, 0, 1, 1, 2, 2, 0, 1, 1, 0]), np.array([0, 0, 1, 2, 2, 2, 1, 1, 0, 0])
FIRST = RNG.random((10, 3)) + 0.3 * np.eye(3)[CLASSES]
SETS = RNG.random((10, 3)) < 0.5
GIVEN = np.where(RNG.random(SETS.shape) < 0.8, SETS, ~SETS)
NUMBERS = np.array([1.0, 2.0, 2.5, 4.0, 7.0, 9.0, 3.0, 5.5, 6.0, 8.0])
FORECASTS = np.array([1.5, 1.0, 3.0, 3.5, 9.0, 6.0, 2.0, 6.5, 4.0, 7.5])
RUNS = np.stack([GUESS, GUESS[::-1], TRUTH])
HALVES, FOLDS = np.repeat(["a", "b"], 5), np.repeat([0, 1], 4)
EVERY = {
    "classes": [one.name for one in cb.measures("multiclass") if not one.named_classes],
    "sets": [one.name for one in cb.measures("multilabel")],
    "numbers": [one.name for one in cb.measures("regression")],
}


def orders(samples, together=None, within=None):
    """Every order in which groups of one size trade places, within the values of a column."""
    together = np.arange(samples) if together is None else together
    blocks = [np.flatnonzero(together == name) for name in dict.fromkeys(together.tolist())]
    kinds = [(len(block), None if within is None else within[block[0]]) for block in blocks]
    alike = [[at for at, kind in enumerate(kinds) if kind == one] for one in dict.fromkeys(kinds)]
    for moved in itertools.product(*map(itertools.permutations, alike)):
        order = np.arange(samples)
        for place, block in zip(itertools.chain(*alike), itertools.chain(*moved), strict=True):
            order[blocks[place]] = blocks[block]
        yield order


def folds(truth, predicted, measures, **options):
    return cb.evaluate_folds(truth, predicted, FOLDS, measures, aggregate="mean", **options)


def score_folds(truth, predicted, measures, **options):
    return cb.evaluate_scores(truth, predicted, measures, folds=FOLDS, **options)


LABELS, RANKS = ["f1", "mcc", "error_rate"], ["roc_auc", "average_precision", "brier_score", "mrr"]
PAIRED = {"clusters": PAIRS}
CASES = {
    "labels": (cb.evaluate, TRUTH[:6], GUESS[:6], LABELS, {}),
    "pairs": (cb.evaluate, TRUTH, GUESS, LABELS, PAIRED),
    "groups of two sizes": (cb.evaluate, TRUTH, GUESS, LABELS, {"clusters": MIXED}),
    "a column": (cb.evaluate, TRUTH[:8], GUESS[:8], LABELS, {"given": HALVES[1:9]}),
    "runs": (cb.evaluate, TRUTH[:6], RUNS[:, :6], LABELS, {}),
    "runs of pairs": (cb.evaluate, TRUTH, RUNS, ["f1"], PAIRED),
    "scores of pairs": (cb.evaluate_scores, TRUTH, SCORES, RANKS, PAIRED),
    "scores in folds": (score_folds, TRUTH[:8], SCORES[:8], RANKS, {}),
    "classes": (cb.evaluate_multiclass, CLASSES[:6], CALLED[:6], EVERY["classes"], {}),
    "classes of pairs": (cb.evaluate_multiclass, CLASSES, CALLED, ["accuracy", "f1_macro"], PAIRED),
    "runs of classes": (cb.evaluate_multiclass, CLASSES[:6], np.stack([CALLED[:6], CLASSES[1:7]]),
                        ["f1_macro"], {}),
    "classes in folds": (folds, CLASSES[:8], CALLED[:8], ["f1_macro", "kappa"], {}),
    "first classes": (cb.evaluate_multiclass, CLASSES[:6], FIRST[:6], ["top_2_accuracy"], {}),
    "first classes of pairs": (cb.evaluate_multiclass, CLASSES, FIRST, ["top_2_accuracy"], PAIRED),
    "sets": (cb.evaluate_multilabel, SETS[:6], GIVEN[:6], EVERY["sets"], {}),
    "sets of groups": (cb.evaluate_multilabel, SETS, GIVEN, EVERY["sets"], {"clusters": MIXED}),
    "numbers": (cb.evaluate_regression, NUMBERS[:6], FORECASTS[:6], EVERY["numbers"], {}),
    "numbers of pairs": (cb.evaluate_regression, NUMBERS, FORECASTS, ["mae", "r2", "kendall"], PAIRED),
    "numbers in a column": (cb.evaluate_regression, NUMBERS[:8], FORECASTS[:8], ["mse", "mae"],
                            {"given": HALVES[1:9]}),
}  # fmt: skip


FAST = ("labels", "pairs", "a column", "scores in folds", "first classes")
"""A kind or a way to move each that takes less than a second."""


@pytest.mark.parametrize(
    ("judge", "truth", "predicted", "measures", "options"),
    [
        pytest.param(*case, id=name, marks=[pytest.mark.slow] * (name not in FAST))
        for name, case in CASES.items()
    ],
)
def test_p_value_blind_is_the_share_of_all_orders(judge, truth, predicted, measures, options):
    card = judge(truth, predicted, measures, **options)
    axis = 1 if len(predicted) < len(truth) else 0
    within = FOLDS if judge in {folds, score_folds} else options.get("given")
    moved = orders(len(truth), options.get("clusters"), within)
    turned = {str(at): np.take(predicted, order, axis) for at, order in enumerate(moved)}
    scores = judge(truth, turned, measures, intervals=False).columns["score"][:, 0]
    for row, values in zip(card, scores.T, strict=True):
        sign = 1 if row.measure.greater_is_better else -1
        share = np.mean(~(sign * values < sign * row.score - 1e-9 * max(1, abs(row.score))))
        assert row.p_blind_method == "exact"
        assert row.p_value_blind == pytest.approx(share, rel=1e-12), row.measure


def test_random_orders_estimate_the_share(monkeypatch):
    exact, found, again, other = (
        sets_in_random_order(monkeypatch, *how) for how in ((True, 0), (False, 0), (False, 0), (False, 1))
    )
    spread = np.sqrt(exact * (1 - exact) / 9_999) + 1e-4
    loose = np.sqrt(exact * (1 - exact) / (50 / exact))  # those that stop early
    assert (np.abs(found - exact) < 4 * np.maximum(spread, loose)).all()
    np.testing.assert_array_equal(found, again)
    assert (found != other).any()


def sets_in_random_order(monkeypatch, every_order, seed):
    monkeypatch.setattr(SetUnits, "every_order", every_order)
    card = cb.evaluate_multilabel(SETS[:6], GIVEN[:6], EVERY["sets"], random_state=seed)
    return card.columns["p_value_blind"][0, 0]


def test_few_targets_within_a_column_are_put_in_every_order():
    sites = np.repeat(["a", "b"], 10)
    y = np.repeat([0.0, 4.0], 10)
    y[[1, 5, 12, 18]] = 2.0, 3.0, 7.0, 6.0
    f = y + np.tile([0.5, -0.5, 1.0, 0.0, 0.2], 4)
    f[[5, 12]] = 0.0, 5.0
    (verdict,) = cb.evaluate_regression(y, f, "mse", given=sites)
    own = []
    for half in (slice(0, 10), slice(10, 20)):
        distinct = {tuple(order) for order in map(tuple, _orders_of(y[half]))}
        own.append(np.array([((np.array(order) - f[half]) ** 2).sum() for order in distinct]))
    sums = own[0][:, None] + own[1]
    exact = np.count_nonzero(sums <= ((y - f) ** 2).sum() + 1e-9) / sums.size
    assert verdict.p_value_blind == pytest.approx(exact, rel=1e-12)
    assert verdict.p_blind_method == "exact"


def _orders_of(targets):
    """Every distinct order of targets that are all alike but for two."""
    common = np.median(targets)
    first, second = (value for value in targets if value != common)
    for one, other in itertools.product(range(len(targets)), repeat=2):
        if one != other:
            order = np.full(len(targets), common)
            order[one], order[other] = first, second
            yield order


@pytest.mark.parametrize(
    "name", ["labels", *(pytest.param(name, marks=pytest.mark.slow) for name in ("first classes", "numbers"))]
)
def test_the_best_of_two_models_is_held_against_all_orders(name):
    judge, truth, predicted, measures, _ = CASES[name]
    other = predicted[::-1]
    card = judge(truth, {"a": predicted, "b": other}, measures, intervals=False)
    moved = list(orders(len(truth)))
    turned = {
        f"{model}{at}": own[order]
        for model, own in (("a", predicted), ("b", other))
        for at, order in enumerate(moved)
    }
    scores = judge(truth, turned, measures, intervals=False).columns["score"][:, 0]
    for measure, values in zip(card.measures, scores.T, strict=True):
        best = (np.fmax if measure.greater_is_better else np.fmin)(*values.reshape(2, -1))
        seen, found = best[0], card.best_of(measure.name)
        share = np.mean(~(best < seen - 1e-9) if measure.greater_is_better else ~(best > seen + 1e-9))
        number = found.permutations
        assert found.score == seen
        assert abs(found.p_value_blind - share) < 4 * np.sqrt(share * (1 - share) / number) + 1 / number
        assert abs(found.expected - best.mean()) < 4 * best.std() / np.sqrt(number) + 1e-12
        assert f"is the best of 2 models with {measure.label}" in str(found)
