"""Which hypothesis is tested, and what is said of it: better, different, or nothing."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math

import numpy as np
import pytest

import clearbar as cb
from clearbar.cli import main


def nested(rng, rates, false_rates):
    """Return labels of 100 + 100 samples, and models with nested thresholds."""
    y, places = np.arange(200) < 100, rng.random(200)
    pairs = zip(rates, false_rates, strict=True)
    return y, {f"m{at}": np.where(y, places < tp, places < fp) for at, (tp, fp) in enumerate(pairs)}


def test_nested_models_of_equal_precision_are_rarely_told_apart():
    """Exchanges found a false pair among four such models in 35 % of rankings, aimed at 5 %."""
    rng, rates = np.random.default_rng(1), np.array([0.3, 0.5, 0.7, 0.9])
    tables, told = 60, 0
    for _ in range(tables):
        y, models = nested(rng, rates, rates * 0.05 / 0.95)
        found = cb.evaluate(y, models, "precision", intervals=False).ranking()
        told += len(found.models) == 4 and bool((found.p_corrected[np.triu_indices(4, 1)] <= 0.05).any())
    assert told / tables <= 0.13


@pytest.mark.slow
def test_equal_precision_is_not_called_better_and_the_models_are_still_seen_to_differ():
    rng, called, different = np.random.default_rng(2), 0, 0
    for _ in range(15):
        y, models = nested(rng, (0.6, 0.9), (0.6 / 19, 0.9 / 19))
        card = cb.evaluate(y, models, "precision", intervals=False)
        called += card.compare("m0", "m1", "precision").better is not None
        different += card.compare("m0", "m1", "precision", null="exchangeable").conclusion == "different"
    assert called <= 3
    assert different > called


@pytest.fixture(scope="module")
def card():
    rng = np.random.default_rng(3)
    y = np.arange(120) % 2
    models = {
        name: np.where(rng.random(120) < right, y, 1 - y) for name, right in {"a": 0.9, "b": 0.6}.items()
    }
    return cb.evaluate(y, models, ["f1", "accuracy"], intervals=False)


def test_better_is_said_only_where_p_and_interval_agree(card):
    found = card.compare("a", "b", "f1")
    assert (found.conclusion, found.better) == ("better", "a")
    for low, high in ((-0.01, 0.3), (0.0, 0.3), (math.nan, math.nan)):
        unsure = dataclasses.replace(found, low=low, high=high)
        assert (unsure.conclusion, unsure.better) == ("undecided", None)
        assert "cannot be told apart" in str(unsure)
    assert str(dataclasses.replace(found, low=-0.01, high=0.3)).endswith(
        "the interval −0.010 to 0.300 holds 0"
    )
    assert dataclasses.replace(found, p_value=0.06).better is None


def test_of_exchangeable_models_never_the_better_one_is_named(card):
    found = card.compare("a", "b", "f1", null="exchangeable")
    assert (found.null, found.test, found.method) == ("exchangeable", "exchange", "exact")
    assert (found.conclusion, found.better) == ("different", None)
    assert str(found).startswith("a and b differ in something, seen by F1 (p ")
    assert "better" not in str(found).replace("scores better", "")
    alike = dataclasses.replace(found, p_value=0.4)
    assert str(alike) == "no difference between a and b was found, looked for by F1 (p = 0.40)"
    with pytest.raises(ValueError, match="margin is a question about scores"):
        card.compare("a", "b", "f1", null="exchangeable", margin=0.1)
    with pytest.raises(
        ValueError, match=r"null must be 'equal' \(scores\) or 'exchangeable' \(models\); found"
    ):
        card.compare("a", "b", "f1", null="swaps")


def test_mcnemars_p_stands_beside_comparisons_of_labels(card):
    found = card.compare("a", "b", "accuracy")
    one, other = found.only_a_right, found.only_b_right
    n, least = one + other, min(one, other)
    wanted = min(1.0, 2 * sum(math.comb(n, k) for k in range(least + 1)) / 2**n)
    assert found.p_mcnemar == pytest.approx(wanted, rel=1e-12)
    exchanged = card.compare("a", "b", "accuracy", null="exchangeable").p_value
    assert found.p_mcnemar == pytest.approx(exchanged, rel=1e-12)
    assert found.test == "equal_scores"


def test_every_kind_says_what_it_did():
    rng = np.random.default_rng(4)
    y = np.arange(90) % 2
    noisy = {name: y + rng.normal(0, width, 90) for name, width in zip("ab", (1, 2), strict=True)}
    labels = {name: (f > 0.5).astype(int) for name, f in noisy.items()}
    folds = cb.evaluate_folds(y, labels, np.arange(90) % 5, "f1", aggregate="mean")
    found = {
        "roc_auc": cb.evaluate_scores(y, noisy, "roc_auc", intervals=False),
        "average_precision": cb.evaluate_scores(y, noisy, "average_precision", intervals=False),
        "mse": cb.evaluate_regression(y, noisy, "mse", intervals=False),
        "accuracy": cb.evaluate(y, labels, "accuracy", clusters=np.arange(90) // 3, intervals=False),
        "f1": folds,
    }
    said = {
        name: (own.compare("a", "b", name).test, own.compare("a", "b", name).method)
        for name, own in found.items()
    }
    assert said == {
        "roc_auc": ("delong", "delong"),
        "average_precision": ("bootstrap_t", "bootstrap"),
        "mse": ("bootstrap_t", "bootstrap"),
        "accuracy": ("bootstrap_t", "bootstrap"),
        "f1": ("resampled_t", "t"),
    }
    blank = folds.compare("a", "b", "f1", null="exchangeable")
    assert (blank.method, blank.test) == ("unknown", "")
    assert "means over folds do not tell which answers could be exchanged" in str(blank)


def test_the_command_line_prints_the_hypothesis(tmp_path, capsys):
    rng = np.random.default_rng(5)
    y = np.arange(60) % 2
    rows = zip(
        y, np.where(rng.random(60) < 0.9, y, 1 - y), np.where(rng.random(60) < 0.5, y, 1 - y), strict=True
    )
    text = "\n".join(itertools.chain(["y,a,b"], (",".join(map(str, row)) for row in rows)))
    (tmp_path / "p.csv").write_text(text, "utf-8")
    command = ["compare", str(tmp_path / "p.csv"), "--y-true", "y", "--y-pred", "a", "b", "--measure", "f1"]
    assert main([*command, "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert (told["null"], told["test"], told["method"], told["conclusion"]) == (
        *("equal", "equal_scores", "estimated", "better"),
    )
    assert main([*command, "--null", "exchangeable"]) == 0
    assert "a and b differ in something, seen by F1" in " ".join(capsys.readouterr().out.split())
    command.insert(command.index("--measure"), "y")
    assert main([*command, "--null", "exchangeable"]) == 2
    assert "--null is for two models; found 3." in capsys.readouterr().err
