"""Logs that the real lm-evaluation-harness writes, beside its own table."""

import json
import os
import re
import subprocess
import sys

import pytest
from integrations.page import blocks
from lm_eval.utils import make_table

import clearbar as cb
from clearbar.cli import main

CHOICES = """
task: letters
dataset_path: json
dataset_kwargs: {data_files: {test: %(folder)s/letters.jsonl}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{question}}"
doc_to_choice: "{{choices}}"
doc_to_target: answer
metric_list: [{metric: acc}, {metric: acc_norm}]
"""
OPEN = """
task: words
dataset_path: json
dataset_kwargs: {data_files: {test: %(folder)s/words.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: answer
generation_kwargs: {until: ["\\n"]}
metric_list: [{metric: exact_match}]
"""
ITEMS = [
    {"question": f"Question {n}?", "choices": list("wxyz"[: 2 + n % 3]), "answer": n % 2} for n in range(30)
]
WORDS = [{"question": f"Question {n}?", "answer": "lol" if n % 3 else "other"} for n in range(30)]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Two runs of its dummy model, which guesses options and says one word."""
    folder = tmp_path_factory.mktemp("harness")
    for name, rows, task in (("letters", ITEMS, CHOICES), ("words", WORDS, OPEN)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (folder / f"{name}.yaml").write_text(task % {"folder": folder})
    environment = {**os.environ, "HF_DATASETS_CACHE": str(folder / "cache"), "HF_HUB_OFFLINE": "1"}
    for model in ("org/one", "org/two"):
        words = [
            "run",
            "--model",
            "dummy",
            "--model_args",
            f"pretrained={model}",
            "--tasks",
            "letters",
            "words",
        ]
        words += ["--include_path", str(folder), "--output_path", str(folder / "results"), "--log_samples"]
        subprocess.run([sys.executable, "-m", "lm_eval", *words], env=environment, check=True, cwd=folder)
    return folder / "results"


def totals(results):
    found = {}
    for path in results.rglob("results_*.json"):
        found[path.parent.name] = json.loads(path.read_text())
    return found


def test_scores_are_those_of_the_harness(results):
    card = cb.evaluate_logs(str(results))
    assert set(card.models) == set(totals(results))
    for verdict in card:
        if verdict.group is not None and verdict.measure.name == "accuracy":
            own = totals(results)[verdict.model]["results"][verdict.group]
            assert verdict.score == pytest.approx(own.get("acc,none", own.get("exact_match,none")))
    bars = {str(group): float(card.bar(0, at).value) for at, group in enumerate(card.groups) if at}
    guess = sum(1 / len(item["choices"]) for item in ITEMS) / 30
    assert bars == {"letters": pytest.approx(max(0.5, guess)), "words": pytest.approx(20 / 30)}


def test_the_table_has_the_values_and_errors_of_the_harness(results, capsys):
    assert main(["leaderboard", str(results), "--tasks"]) == 0
    lines = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in capsys.readouterr().out.splitlines()[2:]
    ]
    for at, line in enumerate(lines[:4]):
        task = line[0] or lines[at - 1][0]
        own = [
            row
            for row in make_table(totals(results)[line[1].replace("\\_", "_")]).splitlines()
            if f"|{task}" in row.replace(" ", "")
        ]
        numbers = re.findall(r"\d\.\d{4}", own[0])
        assert numbers[0] == line[5]
        assert numbers[1:2] in ([line[7]], [])
    assert lines[4][0] == "all"


def test_metrics_are_chosen(results):
    normed = cb.evaluate_logs(str(results), metric=["acc_norm", "exact_match"])
    for verdict in normed:
        if verdict.group == "letters" and verdict.measure.name == "accuracy":
            assert verdict.score == pytest.approx(
                totals(results)[verdict.model]["results"]["letters"]["acc_norm,none"]
            )


def test_the_recipe_of_the_page_puts_the_bar_into_the_table_of_the_harness(tmp_path):
    written = blocks("lm-evaluation-harness")
    (recipe,) = (text for kind, text in written if kind == "py")
    (task,) = (text for kind, text in written if kind == "yaml")
    rows = [
        {"question": f"Question {n}?", "choices": ["yes", "no", "maybe"], "answer": (0, 2, 2, 1, 2)[n % 5]}
        for n in range(50)
    ]
    (tmp_path / "rooms.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "recipe.py").write_text(recipe)
    (tmp_path / "rooms.yaml").write_text(task)
    environment = {**os.environ, "HF_DATASETS_CACHE": str(tmp_path / "cache"), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-m", "lm_eval", "run", "--model", "dummy", "--tasks", "rooms"]
    run = subprocess.run(
        [*command, "--include_path", "."], env=environment, check=True, cwd=tmp_path,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    table = [line for line in run.stdout.splitlines() if line.startswith("|")]
    shown = [text for kind, text in written if kind == "text"][-1]
    assert table == shown.splitlines()
