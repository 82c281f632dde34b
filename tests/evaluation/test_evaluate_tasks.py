"""Scores of items from 0 to 1: from arrays, frames and files, alone, compared, in tasks and in clusters."""

import itertools
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import clearbar as cb
from clearbar.cli import main

RNG = np.random.default_rng(3)
N = 40
HARD = RNG.normal(0, 0.2, N)
SCORES = {
    name: np.clip(np.round(4 * (mean + HARD + RNG.normal(0, 0.15, N))) / 4, 0, 1)
    for name, mean in {"large": 0.7, "small": 0.55}.items()
}
TASKS = np.repeat(["law", "medicine"], N // 2)


def numbers(card):
    return [(v.model, v.group, v.score, v.low, v.high, v.p_value) for v in card]


def same(first, second):
    for one, other in zip(numbers(first), numbers(second), strict=True):
        assert one[:2] == other[:2]
        assert one[2:] == pytest.approx(other[2:], nan_ok=True)


def test_printed_scores_have_intervals_and_one_reason():
    card = cb.evaluate_tasks(SCORES)
    text = str(card)
    assert text.startswith(f"{N} samples, 2 models.\nMean score: large ")
    for verdict in card:
        assert f"{verdict.low:.3f} – {verdict.high:.3f}" in text
        assert verdict.low < verdict.score < verdict.high
        assert verdict.outcome == "undefined"
    assert text.count("no bar") == 2  # the headline, and why
    assert "multiple choice" not in text
    assert str(card[0]).startswith("large: mean score ")
    alone = str(cb.evaluate_tasks(SCORES["large"], by=TASKS))
    assert alone.count("– 0.") >= 3  # the mean and both tasks have intervals
    assert "can be judged" not in alone
    for text in (card.to_markdown(), card.to_latex(), card._repr_html_()):
        assert "multiple choice" not in text


def test_all_right_or_wrong_is_a_pass_rate():
    passed = [1] * 83 + [0] * 17
    tasks, rate = cb.evaluate_tasks(passed, chance="25 %")[0], cb.rate(83, 100, "25%")[0]
    assert (tasks.low, tasks.high) == pytest.approx((rate.low, rate.high), abs=1e-9)
    assert tasks.p_value_blind == pytest.approx(rate.p_value_blind, rel=1e-9)
    assert float(tasks.baseline.value) == 0.25


def test_chance_is_the_bar():
    card = cb.evaluate_tasks(SCORES, by=TASKS, chance={"law": 0.25, "medicine": 0.35})
    assert float(card[0].baseline.value) == pytest.approx(0.3)
    assert card.clears(model="large")
    assert not cb.evaluate_tasks(SCORES["small"], chance=float(SCORES["small"].mean()) - 0.01).clears()
    for verdict in card:
        assert verdict.p_value_blind <= verdict.p_value


def test_pairs_are_compared_as_every_exchange_of_scores_says():
    one, other = SCORES["large"][:11], SCORES["small"][:11]
    apart = one - other
    flips = np.array(list(itertools.product([-1, 1], repeat=11)))
    exact = np.mean(np.abs(flips @ apart) >= abs(apart.sum()) - 1e-9)
    card = cb.evaluate_tasks({"a": one, "b": other})
    found = card.compare("a", "b", "mean_score", null="exchangeable")
    assert found.p_value == pytest.approx(exact, rel=1e-9)
    assert found.score_difference == pytest.approx(apart.mean())
    # Of few items a difference that none has shown counts, which a t-test leaves out; of many it is rare.
    for times, most, wider in ((1, 1, 2), (25, 1e-9, 1.2)):
        scores = {name: np.tile(values, times) for name, values in SCORES.items()}
        whole = cb.evaluate_tasks(scores).compare("large", "small", "mean_score")
        student = stats.ttest_1samp(scores["large"] - scores["small"], 0)
        assert student.pvalue <= whole.p_value <= most
        low, high = student.confidence_interval(0.95)
        assert high - low <= whole.high - whole.low <= wider * (high - low)


def test_clusters_count_as_one():
    patients = np.arange(N) // 4
    repeated = {name: np.repeat(scores[::4], 4) for name, scores in SCORES.items()}
    alone = {name: scores[::4] for name, scores in SCORES.items()}
    grouped, single = cb.evaluate_tasks(repeated, clusters=patients), cb.evaluate_tasks(alone)
    same(grouped, single)
    of_groups, of_single = (card.compare("large", "small", "mean_score") for card in (grouped, single))
    assert of_groups.p_value == pytest.approx(of_single.p_value, abs=0.01)
    assert "whole clusters" in str(grouped)


def test_frames_and_files_say_the_same(tmp_path, capsys):
    wide = {**SCORES, "task": TASKS}
    parts = ({"model": name, "task": TASKS, "item": np.arange(N), "score": s} for name, s in SCORES.items())
    long = pd.concat([pd.DataFrame(part) for part in parts])
    expected = cb.evaluate_tasks(SCORES, by=TASKS)
    columns = {"y_score": list(SCORES), "by": "task"}
    same(cb.evaluate_frame(pl.DataFrame(wide), **columns), expected)
    same(cb.evaluate_frame(pd.DataFrame(wide), **columns), expected)
    shuffled = long.sample(frac=1, random_state=1)
    of_rows = {"y_score": "score", "model": "model", "by": "task", "item": "item"}
    in_rows = cb.evaluate_frame(shuffled, **of_rows)
    by_name = {(v.model, v.group): v.score for v in expected}
    assert {(v.model, v.group): pytest.approx(v.score) for v in in_rows} == by_name
    path = tmp_path / "graded.parquet"
    long.to_parquet(path)
    same(cb.evaluate_frame(str(path), **of_rows), expected)
    typed = ["leaderboard", str(path), "--y-score", "score", "--model", "model", "--item", "item"]
    assert main([*typed, "--by", "task", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [row["model"] for row in document["leaderboard"]["rows"]] == ["large", "small", "bar"]
    assert main([*typed, "--chance", "25%"]) == 0
    assert "Both models clear the mean score bar" in capsys.readouterr().out
    assert main([*typed, "--y-true", "task"]) == 2
    assert "--y-true and --y-score cannot be combined" in capsys.readouterr().err


def test_missing_scores_are_refused_or_left_out_for_all_models():
    frame = pd.DataFrame({**SCORES, "task": TASKS})
    frame.loc[3, "small"] = np.nan
    with pytest.raises(ValueError, match="1 missing value"):
        cb.evaluate_frame(frame, y_score=list(SCORES))
    card = cb.evaluate_frame(frame, y_score=list(SCORES), nulls="drop")
    same(card, cb.evaluate_tasks({name: np.delete(scores, 3) for name, scores in SCORES.items()}))
    assert "1 row with a missing value left out" in str(card)


@pytest.mark.parametrize(
    ("scores", "options", "said"),
    [
        ([0, 0.5, 4], {}, "scores must hold scores from 0 .wrong. to 1 .right.; found 4 at position 2"),
        ({"a": [0, 1], "b": [0, 1, 1]}, {}, "3"),
        ([0, np.nan], {}, "nan"),
        (["a", "b"], {}, "must hold numbers"),
        ([], {}, "scores"),
        ([0, 1], {"by": ["x"]}, "by"),
        ([0, 1] * 5, {"clusters": [0, 1] * 5}, "at least 5 groups"),
        ([0, 1], {"chance": "250 %"}, "chance must be a share from 0 to 1"),
        ([0, 1], {"chance": {"law": 0.2}}, "no tasks are told apart; pass one share"),
        ([[0, 1], [1, 1]], {}, "scores"),
    ],
)
def test_what_is_no_score_is_refused_in_a_sentence(scores, options, said):
    with pytest.raises(ValueError, match=said):
        cb.evaluate_tasks(scores, **options)


def test_a_frame_without_true_labels_takes_scores_alone():
    frame = pd.DataFrame({**SCORES, "task": TASKS})
    for options, said in {
        ("weight", "task"): "scores of items take no weight",
        ("threshold", 0.5): "scores of items take no threshold",
        ("measures", "f1"): "scores of items take no measures",
        ("kind", "binary"): "scores of items take no kind",
    }.items():
        with pytest.raises(ValueError, match=said):
            cb.evaluate_frame(frame, y_score="large", **dict([options]))
    with pytest.raises(ValueError, match="y_true must be the name of a column"):
        cb.evaluate_frame(frame, y_pred="large")
    with pytest.raises(ValueError, match="chance is for scores of items"):
        cb.evaluate_frame(frame, "task", "task", chance=0.2)
