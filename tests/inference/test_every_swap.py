"""Exchangeable models of every kind: p is the share of all swaps of their answers that differ as much.

Samples are swapped alone, with their group, or as whole slices; of rankings the ranks are swapped.
"""

import itertools

import numpy as np
import pytest

import clearbar as cb

RNG = np.random.default_rng(5)
TRUTH = np.array([1, 1, 1, 0, 0, 0, 0, 1])
A, B = np.array([1, 1, 0, 0, 0, 1, 0, 1]), np.array([1, 0, 0, 1, 0, 0, 1, 1])
CLASSES = np.array([0, 1, 2, 0, 1, 2, 0, 1])
OF_CLASSES = np.array([0, 1, 1, 0, 2, 2, 0, 1]), np.array([0, 0, 2, 1, 1, 2, 2, 1])
SETS = RNG.random((7, 3)) < 0.5
OF_SETS = tuple(np.where(RNG.random(SETS.shape) < share, SETS, ~SETS) for share in (0.9, 0.6))
RANKS = tuple(RNG.permutation(8) + 1.0 for _ in range(2))
NUMBERS = np.arange(1.0, 9.0) + RNG.random(8)
SHARES = tuple(ranks / 9 for ranks in RANKS)
RUNS = tuple(np.stack([own, np.roll(own, 1)]) for own in (A, B))
THRICE = np.repeat(np.arange(8), 3)


KINDS = {
    "labels": (cb.evaluate, TRUTH, (A, B), ["f1", "mcc", "fnr", "accuracy"], {"undefined": 0.0}),
    "runs": (cb.evaluate, TRUTH, RUNS, ["f1", "accuracy"], {"undefined": 0.0}),
    "classes": (cb.evaluate_multiclass, CLASSES, OF_CLASSES, ["f1_macro", "accuracy", "kappa"], {}),
    "sets": (cb.evaluate_multilabel, SETS, OF_SETS, ["f1_samples", "f1_macro", "hamming_loss"], {}),
    "scores": (cb.evaluate_scores, TRUTH, SHARES, ["brier_score", "average_precision", "log_loss"], {}),
    "numbers": (cb.evaluate_regression, NUMBERS, RANKS,
                ["mae", "rmse", "r2", "medae", "msle", "spearman", "kendall", "pearson"], {}),
}  # fmt: skip


def thrice(kind):
    """Three copies of every sample, which belong together."""
    judge, truth, models, measures, options = KINDS[kind]
    models = tuple(np.repeat(own, 3, axis=-1 if own.ndim < 2 or len(own) < 3 else 0) for own in models)
    return (
        judge,
        np.repeat(truth, 3, axis=0),
        models,
        measures,
        options | {"clusters": THRICE[: 3 * len(truth)]},
    )


CASES = KINDS | {f"{kind} in groups": thrice(kind) for kind in ("labels", "runs", "sets")}
FAST = ("labels", "scores", "labels in groups")


@pytest.mark.parametrize(
    ("judge", "truth", "models", "measures", "options"),
    [
        pytest.param(*case, id=name, marks=[pytest.mark.slow] * (name not in FAST))
        for name, case in CASES.items()
    ],
)
def test_p_is_the_share_of_all_swaps(judge, truth, models, measures, options):
    units = options.get("clusters", np.arange(len(truth)))
    card = judge(truth, dict(zip("ab", models, strict=True)), measures, intervals=False, **options)
    pairs = {}
    for at, swap in enumerate(itertools.product([False, True], repeat=units[-1] + 1)):
        moved = np.array(swap)[units]
        moved = moved[:, None] if np.shape(truth) == np.shape(models[0]) != (len(truth),) else moved
        pairs |= {f"a{at}": np.where(moved, *models[::-1]), f"b{at}": np.where(moved, *models)}
    options = {name: option for name, option in options.items() if name == "undefined"}
    scores = judge(truth, pairs, measures, intervals=False, **options).columns["score"][:, 0]
    away = np.abs(scores[::2] - scores[1::2])
    for measure, values in zip(card.measures, away.T, strict=True):
        found = card.compare("a", "b", measure, null="exchangeable")
        assert abs(found.score_difference) == pytest.approx(values[0])
        assert found.p_value == pytest.approx(np.mean(values >= values[0] - 1e-12), rel=1e-12), measure
        assert found.method == "exact"


def test_tasks_are_swapped_whole():
    card = cb.evaluate(np.tile(TRUTH, 6), {"a": RNG.integers(0, 2, 48), "b": RNG.integers(0, 2, 48)}, "f1",
                       by=np.arange(48) // 8, intervals=False)  # fmt: skip
    scores = card.columns["score"][:, 1:, 0]
    found, difference = (
        card.compare("a", "b", "f1", over="slices", null="exchangeable"),
        scores[0] - scores[1],
    )
    signs = np.array(list(itertools.product([-1, 1], repeat=6)))
    wanted = np.mean(np.abs(signs @ difference) >= abs(difference.sum()) - 1e-12)
    assert found.p_value == pytest.approx(wanted, rel=1e-12)
    assert found.score_difference == pytest.approx(difference.mean())
