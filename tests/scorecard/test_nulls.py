"""Which hypothesis is tested, and what is said of it: better, different, or nothing."""

import dataclasses
import json
import math

import numpy as np
import pytest
import scipy.stats

import clearbar as cb
from clearbar.cli import main


@pytest.mark.slow
def test_equal_precision_is_not_called_better_and_the_models_are_still_seen_to_differ():
    """One model's positive calls lie within the other's."""
    rng, called, different = np.random.default_rng(2), 0, 0
    y = np.arange(200) < 100
    for _ in range(15):
        place = rng.random(200)
        models = {name: place < np.where(y, rate, rate / 19) for name, rate in {"a": 0.6, "b": 0.9}.items()}
        card = cb.evaluate(y, models, "precision", intervals=False)
        called += card.compare("a", "b", "precision").better is not None
        different += card.compare("a", "b", "precision", null="exchangeable").conclusion == "different"
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
    for low in (-0.01, 0.0, math.nan):
        unsure = dataclasses.replace(found, low=low, high=0.3 + 0 * low)
        assert (unsure.conclusion, unsure.better) == ("undecided", None)
        assert "no difference between" in str(unsure)
    assert str(dataclasses.replace(found, low=-0.01)).count("the interval holds 0: −0.010 to ") == 1
    assert dataclasses.replace(found, p_value=0.06).better is None


def test_of_exchangeable_models_never_the_better_one_is_named(card):
    found = card.compare("a", "b", "f1", null="exchangeable")
    assert (found.null, found.test, found.method) == ("exchangeable", "exchange", "exact")
    assert (found.conclusion, found.better) == ("different", None)
    assert str(found).startswith("a and b differ in something, seen by F1 (p ")
    alike = dataclasses.replace(found, p_value=0.4)
    assert str(alike) == "no difference between a and b was found, looked for by F1 (p = 0.40)"
    with pytest.raises(ValueError, match="margin is a question about scores"):
        card.compare("a", "b", "f1", null="exchangeable", margin=0.1)
    with pytest.raises(ValueError, match=r"^null must be 'equal' \(scores\) or 'exchangeable' \(models\)"):
        card.compare("a", "b", "f1", null="swaps")


def test_mcnemars_p_stands_beside_comparisons_of_labels(card):
    found = card.compare("a", "b", "accuracy")
    test = scipy.stats.binomtest(found.only_a_right, found.only_a_right + found.only_b_right)
    exchanged = card.compare("a", "b", "accuracy", null="exchangeable").p_value
    assert found.p_mcnemar == pytest.approx(test.pvalue, rel=1e-12)
    assert found.p_mcnemar == pytest.approx(exchanged, rel=1e-12)


def test_every_kind_says_what_it_did():
    rng = np.random.default_rng(4)
    y = np.arange(90) % 2
    noisy = {name: y + rng.normal(0, width, 90) for name, width in zip("ab", (1, 2), strict=True)}
    labels = {name: (f > 0.5).astype(int) for name, f in noisy.items()}
    folds = cb.evaluate_folds(y, labels, np.arange(90) % 5, "f1", aggregate="mean")
    for card, said in (
        (cb.evaluate_scores(y, noisy, "roc_auc", intervals=False), ("delong", "delong")),
        (cb.evaluate_scores(y, noisy, "ks", intervals=False), ("bootstrap_t", "bootstrap")),
        (cb.evaluate_regression(y, noisy, "mse", intervals=False), ("bootstrap_t", "bootstrap")),
        (cb.evaluate(y, labels, "f1", clusters=np.arange(90) // 3), ("bootstrap_t", "bootstrap")),
        (folds, ("resampled_t", "t")),
    ):
        found = card.compare("a", "b", card.measures[0])
        assert (found.test, found.method) == said
    blank = folds.compare("a", "b", "f1", null="exchangeable")
    assert (blank.method, blank.test) == ("unknown", "")
    assert "means over folds do not tell which answers could be exchanged" in str(blank)


def test_the_command_line_prints_the_hypothesis(tmp_path, capsys):
    rows = [(at % 2, at % 2 if at % 9 else 1 - at % 2, at // 2 % 2) for at in range(60)]
    (tmp_path / "p.csv").write_text("y,a,b\n" + "\n".join(f"{y},{a},{b}" for y, a, b in rows), "utf-8")
    command = ["compare", str(tmp_path / "p.csv"), "--y-true=y", "--measure=f1", "--y-pred", "a", "b"]
    assert main([*command, "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert (told["null"], told["test"], told["conclusion"]) == ("equal", "equal_scores", "better")
    assert main([*command, "--null=exchangeable"]) == 0
    assert "a and b differ in something, seen by F1" in " ".join(capsys.readouterr().out.split())
    assert main([*command, "y", "--null=exchangeable"]) == 2
    assert "--null is for two models; found 3." in capsys.readouterr().err
