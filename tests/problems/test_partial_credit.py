"""Partial credit: intervals without a bar, comparisons, clusters, and the bar that `chance=` names."""

import json

import numpy as np
import pytest

import clearbar as cb
from clearbar.cli import main

RNG = np.random.default_rng(0)
HARD = 0.15 * RNG.normal(size=80)
MODELS = {
    name: np.clip(np.round(4 * (mean + HARD + 0.1 * RNG.normal(size=80))) / 4, 0, 1)
    for name, mean in {"good": 0.6, "poor": 0.3}.items()
}


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    for name, scores in MODELS.items():
        (folder / name).mkdir()
        lines = [
            {"doc_id": item, "doc": {}, "target": "x", "filtered_resps": ["a"], "filter": "none",
             "metrics": ["rubric"], "rubric": float(score), "arguments": {}}
            for item, score in enumerate(scores)
        ]  # fmt: skip
        path = folder / name / "samples_essays_2026-11-01T10-20-30.000000.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return folder


def test_scores_have_intervals_and_are_compared_where_there_is_no_bar(logs):
    card = cb.evaluate_logs(logs)
    for row in card:
        assert row.outcome == "undefined"
        if row.measure.name == "accuracy":
            scores = MODELS[row.model]
            error = scores.std(ddof=1) / np.sqrt(80)
            assert row.score == pytest.approx(scores.mean())
            ends = scores.mean() - 1.96 * error, scores.mean() + 1.96 * error
            assert (row.low, row.high) == pytest.approx(ends, abs=0.7 * error)
            assert row.interval_method == "estimated"
    first = card.to_dict()["rows"][0]
    assert (first["interval_method"], first["p_method"]) == ("estimated", "")
    found = card.compare("good", "poor", "accuracy")
    apart = MODELS["good"] - MODELS["poor"]
    assert found.better == "good"
    assert found.score_difference == pytest.approx(apart.mean())
    width = 2 * 1.96 * apart.std(ddof=1) / np.sqrt(80)
    assert width < found.high - found.low < 2 * width  # items that are 1 apart may not have been seen


def test_chance_gives_a_bar(logs, capsys):
    card = cb.evaluate_logs(logs, chance=0.25)
    good, poor = (row for row in card if row.measure.name == "accuracy" and row.group is None)
    assert float(good.baseline.value) == 0.25
    assert good.sure
    assert poor.sure
    # The gaps between 80 uniform numbers, taken for the probabilities of what was scored and of a 0.
    gaps = RNG.exponential(size=(20_000, 81))
    means = (gaps[:, 1:] @ MODELS["poor"]) / gaps.sum(axis=1)
    assert poor.p_value_blind == pytest.approx((means <= 0.25).mean(), abs=0.004)
    assert good.p_value_blind < 1e-9
    assert not next(iter(cb.evaluate_logs(logs, chance=0.29).to_dict()["rows"][4:]))["sure"]
    named = cb.evaluate_logs(logs, chance={"essays": 0.55})
    assert next(row.outcome for row in named if row.measure.name == "accuracy") == "clears"
    assert main(["leaderboard", str(logs), "--chance", "essays=0.25", "--csv"]) == 0
    assert "0.25" in capsys.readouterr().out
    for chance, said in {
        2: "chance must be a share from 0 to 1",
        "x": "chance must be a share",
    }.items():
        with pytest.raises(ValueError, match=said):
            cb.evaluate_logs(logs, chance=chance)
    with pytest.raises(ValueError, match="chance names the task 'x', which is not there; found 'essays'"):
        cb.evaluate_logs(logs, chance={"x": 0.2})
    assert main(["leaderboard", str(logs), "--chance", "x"]) == 2
    assert "--chance takes a share, or TASK=SHARE; found 'x'." in capsys.readouterr().err
