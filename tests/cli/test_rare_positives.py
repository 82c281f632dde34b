"""A gate on F1 with 10 % positives: what never looks at a feature does not pass, whatever its luck elsewhere.

Comparing with one seeded stratified draw (F1 about 0.1) or with the most frequent class (F1 = 0) lets
both of these models through.
"""

import numpy as np
import pytest

import clearbar as cb
from clearbar.testing import assert_clears

pytestmark = pytest.mark.quick

M, P = 10_000, 1_000
BAR = 2 * P / (P + M)
Y_TRUE = np.repeat([1, 0], [P, M - P])
COINS = {f"coin{seed}": np.random.default_rng(seed).integers(0, 2, M) for seed in range(8)}
MODELS = {"always": np.ones(M, dtype=int), **COINS}


def test_the_bar_is_that_of_predicting_everything_positive():
    assert cb.baseline(Y_TRUE, "f1").value == pytest.approx(BAR, rel=1e-15)
    assert round(BAR, 4) == 0.1818


def test_the_gates_that_ship_would_let_them_pass():
    stratified = np.random.default_rng(0).random(M) < P / M
    dummies = cb.score(Y_TRUE, stratified.astype(int), "f1"), cb.score(Y_TRUE, np.zeros(M, dtype=int), "f1")
    assert max(dummies) < 0.13
    for prediction in MODELS.values():
        assert cb.score(Y_TRUE, prediction, "f1") > max(dummies)


@pytest.mark.parametrize("model", MODELS)
def test_none_clears(model):
    with pytest.raises(AssertionError, match=r"0\.182"):
        assert_clears(Y_TRUE, MODELS[model], "f1")
    assert not cb.evaluate(Y_TRUE, MODELS[model], "f1", intervals=False).clears(alpha=None)


def test_the_command_exits_with_1(run, tmp_path):
    names = list(MODELS)
    table = np.stack([Y_TRUE, *MODELS.values()], axis=1)
    path = tmp_path / "rare.csv"
    np.savetxt(path, table, fmt="%d", delimiter=",", header=",".join(["y", *names]), comments="")
    for model in ("always", "coin0"):
        code, out, err = run("check", path, "--y-true", "y", "--y-pred", model, "--measure", "f1")
        assert (code, err) == (1, "")
        assert out.startswith("✗ ")
        assert "0.1818" in out or "0.182" in out
    code, out, _ = run("check", path, "--y-true", "y", "--y-pred", *names, "--measure", "f1")
    assert code == 1
    assert f"{len(names)} of {len(names)} models fail" in out


def test_nor_do_they_over_folds():
    fold = np.arange(M) % 10
    for aggregate in ("pooled", "mean", "precision_recall"):
        card = cb.evaluate_folds(Y_TRUE, MODELS, fold, "f1", aggregate=aggregate, intervals=False)
        assert card.baselines[0].value[0] == pytest.approx(BAR, rel=1e-12)
        assert [verdict.outcome for verdict in card] == ["ties", *["fails"] * len(COINS)]


def test_a_model_that_looks_does_pass():
    rng = np.random.default_rng(3)
    looks = np.where(rng.random(M) < 0.3, 1 - Y_TRUE, Y_TRUE)
    assert_clears(Y_TRUE, looks, "f1", alpha=0.01)
