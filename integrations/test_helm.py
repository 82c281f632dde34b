"""Runs that the real HELM writes, beside its own scores."""

import json
import subprocess
import sys

import pytest

import clearbar as cb
from clearbar.cli import main

RUNS = (
    "simple_mcqa",
    "simple_classification",
)  # its tutorial: which of two words says whether a number is even
MODEL = "simple/model1"  # it says again what comes last in the prompt


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Two runs of the model that HELM has for its own tests."""
    folder = tmp_path_factory.mktemp("helm")
    command = [sys.executable, "-m", "helm.benchmark.run", "--suite", "one", "--max-eval-instances", "40"]
    entries = [f"{run}:model={MODEL}" for run in RUNS]
    subprocess.run([*command, "--run-entries", *entries], check=True, cwd=folder)
    return folder / "benchmark_output" / "runs" / "one"


def totals(results):
    """The scores that HELM itself writes, of instances as they are."""
    found = {}
    for path in results.glob("*/stats.json"):
        for stat in json.loads(path.read_text()):
            name = stat["name"]
            if name["name"] == "exact_match" and name["split"] == "test" and "perturbation" not in name:
                found[path.parent.name.partition(":")[0]] = stat["mean"]
    return found


def right_answers(results, run):
    """The right answers in the order of the instances, by their text."""
    (path,) = results.glob(f"{run}*/scenario_state.json")
    requests = json.loads(path.read_text())["request_states"]
    return [
        (at, reference["output"]["text"])
        for request in requests
        for at, reference in enumerate(request["instance"]["references"])
        if "correct" in reference["tags"]
    ]


def test_scores_are_those_of_the_tool_and_bars_those_of_the_data(results):
    card = cb.evaluate_logs(results)
    own = totals(results)
    assert card.models == (MODEL,)
    judged = {one.group: one for one in card if one.group is not None and one.measure.name == "accuracy"}
    assert set(judged) == set(own) == set(RUNS)
    for run, verdict in judged.items():
        assert verdict.score == pytest.approx(own[run])
    places = [place for place, _ in right_answers(results, "simple_mcqa")]
    most = max(places.count(place) for place in set(places))
    assert float(judged["simple_mcqa"].baseline.value) == pytest.approx(most / len(places))
    kinds = {task.name: task.kind for task in card.problem.tasks}
    assert kinds == {"simple_mcqa": "lettered", "simple_classification": "free"}


def test_the_command_line_reads_the_folder(results, capsys):
    assert main(["leaderboard", str(results)]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in (MODEL, *RUNS))
    assert main(["tasks", str(results)]) == 0
    printed = capsys.readouterr().out
    assert all(run in printed for run in RUNS)
    places = [place for place, _ in right_answers(results, "simple_mcqa")]
    share = max(places.count(place) for place in set(places)) / len(places)
    assert f"{share:.3f}" in printed
