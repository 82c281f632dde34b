"""Runs that HELM 0.5.16 wrote itself: its tutorial's even numbers, answered by its ``simple/model1``.

helm-run --run-entries simple_mcqa:model=simple/model1 simple_classification:model=simple/model1
         --suite s --max-eval-instances 40
"""

import gzip
import json
import pathlib

import pytest
from tests.harness import in_rows

import clearbar as cb
from clearbar.data.logs import read_logs

pytestmark = pytest.mark.quick
RUNS = pathlib.Path(__file__).parent / "logs" / "helm"
STATE, STATS = "scenario_state.json", "per_instance_stats.json"


def document(run, name):
    return json.loads(gzip.decompress((RUNS / run / f"{name}.gz").read_bytes()))


def unpacked(folder, run, said=None, scored=None, model="simple/model1"):
    """Write a run where HELM writes it, with other answers and scores if they are given."""
    state, stats = document(run, STATE), document(run, STATS)
    place = folder / f"{run}:model={model.replace('/', '_')}"
    place.mkdir(parents=True)
    state["adapter_spec"]["model"] = model
    by_id = {scores["instance_id"]: scores for scores in stats}
    for index, request in enumerate(state["request_states"]):
        scores = by_id[request["instance"]["id"]]
        if said is not None:
            request["result"]["completions"][0]["text"] = f" {said(request['instance'], index)}\n"
        for stat in scores["stats"]:
            if scored is not None and stat["name"]["name"] == "exact_match":
                stat["mean"] = float(scored(request["instance"], index))
    (place / STATE).write_text(json.dumps(state), encoding="utf-8")
    (place / STATS).write_text(json.dumps(stats), encoding="utf-8")
    return place / STATE


def is_even(instance):
    return instance["references"][0]["tags"] == ["correct"]


def test_a_run_as_it_was_written(tmp_path):
    unpacked(tmp_path, "simple_mcqa")
    unpacked(tmp_path, "simple_classification")
    card = cb.evaluate_logs(tmp_path)
    assert card.models == ("simple/model1",)
    assert sorted(card.groups[1:]) == ["simple_classification", "simple_mcqa"]
    assert {task.name: task.kind for task in card.problem.tasks} == {
        "simple_classification": "free",
        "simple_mcqa": "lettered",
    }
    odd = sum(
        not is_even(request["instance"]) for request in document("simple_mcqa", STATE)["request_states"]
    )
    facts = {of.task: of for of in cb.baseline_tasks(tmp_path).facts}
    assert facts["simple_mcqa"].bar == max(odd, 40 - odd) / 40
    assert (facts["simple_mcqa"].items, facts["simple_mcqa"].options) == (40, (2, 2))


def test_letters_that_models_say_are_answers_and_exact_match_says_who_is_right(tmp_path):
    unpacked(tmp_path, "simple_mcqa", lambda *_: "B", lambda one, _: not is_even(one), "always")
    unpacked(tmp_path, "simple_mcqa", lambda one, _: "BA"[is_even(one)], lambda *_: 1, "knows")
    card = cb.evaluate_logs(tmp_path)
    scores = {verdict.model: verdict for verdict in card if verdict.measure.name == "accuracy"}
    assert float(scores["always"].score) == float(scores["always"].baseline.value) == 0.55
    assert (scores["knows"].outcome, float(scores["knows"].score)) == ("clears", 1.0)
    assert scores["always"].outcome != "clears"
    assert card.problem.tasks[0].known.all()


def test_generated_answers_and_partial_credit(tmp_path):
    path = unpacked(tmp_path, "simple_classification", lambda *_: "Even", lambda one, _: is_even(one))
    rows = in_rows(read_logs(path).answers)
    assert {row.gold for row in rows} == {"Even", "Odd"}
    assert {row.answer for row in rows} == {"Even"}
    (task,) = cb.evaluate_logs(path).problem.tasks
    assert (task.kind, float(task.best.right)) == ("free", sum(row.gold == "Odd" for row in rows))
    path = unpacked(tmp_path / "half", "simple_classification", scored=lambda *_: 0.5)
    (task,) = cb.evaluate_logs(path).problem.tasks
    assert (task.kind, task.why) == ("none", "exact_match gives partial credit")


def test_what_is_lacking_or_wrong_is_a_sentence(tmp_path):
    path = unpacked(tmp_path, "simple_mcqa")
    with pytest.raises(ValueError, match=f"name {STATE} beside it"):
        cb.evaluate_logs(path.with_name(STATS))
    with pytest.raises(ValueError, match="nope"):
        cb.evaluate_logs(path, metric="nope")
    state = json.loads(path.read_text("utf-8"))
    for tags in state["request_states"][3]["instance"]["references"]:
        tags["tags"] = ["correct"]
    path.write_text(json.dumps(state), encoding="utf-8")
    with pytest.raises(ValueError, match="has 2 right options among 2"):
        cb.evaluate_logs(path)
    state["adapter_spec"]["method"] = "language_modeling"
    path.write_text(json.dumps(state), encoding="utf-8")
    with pytest.raises(ValueError, match="has answers by the method 'language_modeling'"):
        cb.evaluate_logs(path)
    path.with_name(STATS).unlink()
    with pytest.raises(ValueError, match="there is no file"):
        cb.evaluate_logs(path)
