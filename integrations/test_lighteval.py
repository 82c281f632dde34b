"""Details that the real lighteval saves, beside its own scores."""

import json
import os
import subprocess
import sys

import polars as pl
import pytest

import clearbar as cb
from clearbar.cli import main

TASKS = """
from lighteval.metrics.metrics import Metrics
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc


def lettered(line, task_name=""):
    offered = [f" {letter}" for letter in "ABCDE"[: len(line["choices"])]]
    shown = "".join(f"{letter}. {text}\\n" for letter, text in zip(offered, line["choices"]))
    query = f"{line['question']}\\n{shown}Answer:"
    return Doc(task_name=task_name, query=query, choices=offered, gold_index=line["answer"])


def by_text(line, task_name=""):
    query, options = line["question"], line["choices"]
    return Doc(task_name=task_name, query=query, choices=options, gold_index=line["answer"])


def opened(line, task_name=""):
    return Doc(task_name=task_name, query=line["question"], choices=[line["said"]], gold_index=0)


TASKS_TABLE = [
    LightevalTaskConfig(
        name=name, prompt_function=function, hf_repo=FOLDER, hf_subset="default", metrics=[metric],
        evaluation_splits=["validation"], few_shots_split=None, generation_size=5, stop_sequence=["\\n"],
    )
    for name, function, metric in (
        ("letters", lettered, Metrics.loglikelihood_acc),
        ("texts", by_text, Metrics.loglikelihood_acc),
        ("words", opened, Metrics.exact_match),
    )
]
"""
RUN = """
from lighteval.logging.evaluation_tracker import EvaluationTracker
from lighteval.models.dummy.dummy_model import DummyModelConfig
from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters
from lighteval.tasks.registry import Registry

# Some of its own tasks download data as soon as they are listed.
Registry._load_from_files = staticmethod(lambda files, module_prefix: {})
Registry._load_from_subdirs = staticmethod(lambda subdirs: {})
for name, seed in (("org/one", 1), ("org/two", 2)):
    pipeline = Pipeline(
        tasks="letters|0,texts|0,words|0",
        pipeline_parameters=PipelineParameters(
            launcher_type=ParallelismManager.NONE, custom_tasks_directory="tasks.py"
        ),
        evaluation_tracker=EvaluationTracker(output_dir="results", save_details=True),
        model_config=DummyModelConfig(model_name=name, seed=seed, cache_dir="cache"),
    )
    pipeline.evaluate()
    pipeline.save_and_push_results()
"""
ITEMS = [
    {
        "question": f"Which is {n}?",
        "choices": [f"{text}{n}" for text in "wxyz"[: 2 + n % 3]],
        "answer": n % 2,
        "said": "random baseline" if n % 3 else "other",
    }
    for n in range(30)
]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Two runs of its dummy model, which guesses options and always says the same."""
    folder = tmp_path_factory.mktemp("lighteval")
    data = folder / "data"
    data.mkdir()
    (data / "validation.jsonl").write_text("".join(json.dumps(item) + "\n" for item in ITEMS))
    (folder / "tasks.py").write_text(f"FOLDER = {str(data)!r}\n{TASKS}")
    (folder / "run.py").write_text(RUN)
    environment = {**os.environ, "HF_HOME": str(folder / "cache"), "HF_HUB_OFFLINE": "1"}
    subprocess.run([sys.executable, "run.py"], env=environment, check=True, cwd=folder)
    return folder / "results"


def totals(results):
    """The scores that lighteval itself writes, by model and task."""
    found = {}
    for path in results.rglob("results_*.json"):
        written = json.loads(path.read_text())
        model = written["config_general"]["model_config"]["model_name"]
        found[model] = {task.partition("|")[0]: scores for task, scores in written["results"].items()}
    return found


def test_scores_are_those_of_the_tool_and_bars_those_of_the_data(results):
    card = cb.evaluate_logs(results)
    own = totals(results)
    assert set(card.models) == set(own) == {"org/one", "org/two"}
    judged = [one for one in card if one.group is not None and one.measure.name == "accuracy"]
    assert {one.group for one in judged} == {"letters", "texts", "words"}
    for verdict in judged:
        scores = own[verdict.model][verdict.group]
        assert verdict.score == pytest.approx(scores.get("acc", scores.get("em")))
    guess = sum(1 / len(item["choices"]) for item in ITEMS) / 30
    bars = {str(group): float(card.bar(0, place).value) for place, group in enumerate(card.groups) if place}
    assert bars == {
        "letters": pytest.approx(
            0.5
        ),  # A of items with 2 and 4 options, B of those with 3, or as often right
        "texts": pytest.approx(guess),
        "words": pytest.approx(20 / 30),
    }


def test_answers_are_the_likeliest_options(results):
    card = cb.evaluate_logs(results)
    tasks = {task.name: task for task in card.problem.tasks}
    assert {name: task.kind for name, task in tasks.items()} == {
        "letters": "lettered",
        "texts": "unlettered",
        "words": "free",
    }
    assert tasks["letters"].known.all()
    for place, model in enumerate(card.models):
        (path,) = (results / "details" / model).rglob("details_letters*.parquet")
        saved = pl.read_parquet(path)["model_response"].struct.field("logprobs").to_list()
        likeliest = [max(range(len(row)), key=row.__getitem__) for row in saved]
        assert tasks["letters"].answers[place].tolist() == likeliest


def test_the_command_line_reads_the_folder(results, capsys):
    assert main(["leaderboard", str(results)]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("org/one", "org/two", "letters", "texts", "words"))
    assert main(["tasks", str(results / "details" / "org" / "one")]) == 0
    assert "words" in capsys.readouterr().out
