"""Details that lighteval 0.13.0 saved itself: three invented tasks of 24 items, answered by its dummy model.

Its ``Pipeline`` wrote them with ``EvaluationTracker(save_details=True)`` and ``DummyModelConfig()``: `rooms`
scores the likelihoods of letters, `colours` those of the options' texts, `open` generates.
"""

import collections
import pathlib
import shutil

import numpy as np
import polars as pl
import pytest
from tests.harness import in_rows

import clearbar as cb
from clearbar.data.logs import read_logs

SAVED = pathlib.Path(__file__).parent / "logs" / "lighteval"
DATE = "2026-11-23T17-47-52.534112"


def details(folder, *tasks, model="dummy", change=None):
    """Put details where lighteval saves them, with other values if they are given."""
    place = folder / "details" / model / DATE
    place.mkdir(parents=True)
    for task in tasks:
        path = place / f"details_{task}|0_{DATE}.parquet"
        if change is None:
            shutil.copy(SAVED / f"{task}.parquet", path)
        else:
            rows = pl.read_parquet(SAVED / f"{task}.parquet").rows(named=True)
            pl.DataFrame([change(row) for row in rows], infer_schema_length=None).write_parquet(path)
    return folder


def test_details_as_they_were_saved(tmp_path):
    card = cb.evaluate_logs(details(tmp_path, "rooms", "colours", "open", model="org/dummy"))
    assert card.models == ("org/dummy",)
    tasks = {task.name: task for task in card.problem.tasks}
    assert {name: task.kind for name, task in tasks.items()} == {
        "rooms": "lettered",
        "colours": "unlettered",
        "open": "free",
    }
    for name in ("rooms", "colours"):
        rows = pl.read_parquet(SAVED / f"{name}.parquet").rows(named=True)
        likeliest = [int(np.argmax(row["model_response"]["logprobs"])) for row in rows]
        golds = [row["doc"]["gold_index"] for row in rows]
        assert np.mean(np.equal(likeliest, golds)) == tasks[name].right.mean()
    assert tasks["rooms"].known.all()
    rows = in_rows(read_logs(tmp_path).answers)
    best = collections.Counter(golds := [row.gold for row in rows if row.task == "rooms"])
    assert float(tasks["rooms"].best.right) == max(best.values())
    assert cb.baseline_tasks(tmp_path)["rooms"].value == max(best.values()) / len(golds)


def test_generated_answers_several_accepted_ones_and_partial_credit(tmp_path):
    def answered(row):
        doc = {**row["doc"], "choices": ["red", "crimson"], "gold_index": [0, 1]}
        response = {**row["model_response"], "text_post_processed": [" red\n"]}
        return {**row, "doc": doc, "model_response": response, "metric": {"em": 1}}

    rows = in_rows(read_logs(details(tmp_path / "a", "open", change=answered)).answers)
    assert {(row.gold, row.answer, row.right) for row in rows} == {(("red", "crimson"), "red", 1.0)}
    half = details(tmp_path / "b", "open", change=lambda row: {**row, "metric": {"em": 0.5}})
    (task,) = cb.evaluate_logs(half).problem.tasks
    assert (task.kind, task.why) == ("none", "em gives partial credit")


def test_what_is_wrong_is_a_sentence(tmp_path):
    def two_right(row):
        return {**row, "doc": {**row["doc"], "gold_index": [0, 1]}}

    def outside(row):
        return {**row, "doc": {**row["doc"], "gold_index": 7}}

    for name, change, words in (
        ("a", two_right, "has 2 right options"),
        ("b", outside, r"has the right options \[7\] of 4"),
        ("c", lambda row: {"doc": row["doc"], "metric": row["metric"]}, "lacks 'model_response'"),
    ):
        with pytest.raises(ValueError, match=words):
            cb.evaluate_logs(details(tmp_path / name, "rooms", change=change))


def test_items_belong_together_by_a_field_of_what_is_specific_to_a_task(tmp_path):
    def of_passage(row):
        return {**row, "doc": {**row["doc"], "specific": {"passage": int(row["doc"]["id"]) // 3}}}

    folder = details(tmp_path, "rooms", change=of_passage)
    (task,) = cb.evaluate_logs(folder, clusters="passage").problem.tasks
    assert sorted(collections.Counter(task.clusters.tolist()).values()) == [3] * 8
