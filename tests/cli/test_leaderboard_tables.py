"""``clearbar leaderboard`` of a folder of logs and of a table of answers, and its table of tasks."""

import csv
import io
import json
import math
import random
import re

import pytest
from tests.harness import choice_sample, inspect_sample, open_sample, write_log, write_samples

import clearbar as cb


@pytest.fixture(scope="module")
def rows():
    """Two models' answers to thirty items of three tasks, the last an open one."""
    rng = random.Random(3)  # noqa: S311 - not for secrets
    found = []
    for task, options in (("two", 2), ("four", 4), ("open", None)):
        for item in range(30):
            gold = rng.choice("ABCD"[: options or 4])
            for model, share in (("large", 0.9), ("small", 0.3)):
                answer = gold if rng.random() < share else rng.choice("ABCD"[: options or 4])
                found.append((model, task, item, gold, answer, options, item // 2))
    return found


NAMES = ("model", "task", "item", "gold", "answer", "n_options", "passage")
COLUMNS = ("--y-true", "gold", "--y-pred", "answer", "--model", "model", "--by", "task")


@pytest.fixture
def table(rows, tmp_path):
    path = tmp_path / "answers.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(NAMES)
        writer.writerows(rows)
    return path


@pytest.fixture
def folder(tmp_path):
    """Logs of both harnesses as they lie there, totals beside them."""
    for model, right in (("large", 25), ("small", 12)):
        arc = [choice_sample(n, 4, n % 4, n % 4 if n < right else (n + 1) % 4) for n in range(30)]
        write_samples(tmp_path / "results", f"org__{model}", "arc", arc)
        (tmp_path / "results" / f"org__{model}" / "results_2026.json").write_text(
            '{"results": {}, "configs": {}}'
        )
        log = [
            inspect_sample(n, "A", "A" if n < right else "B", "C" if n < right else "I", ["x", "y"])
            for n in range(30)
        ]
        write_log(tmp_path / "results", f"org__{model}", "geo", log)
    return tmp_path / "results"


def test_a_folder_is_read_with_all_that_is_in_it(run, folder):
    code, out, err = run("leaderboard", folder, "--csv")
    assert (code, err) == (0, "")
    table = list(csv.reader(io.StringIO(out)))
    assert sorted(table[0][-2:]) == ["arc", "geo"]
    assert [row[0] for row in table[1:]] == ["org__large", "bar", "random guess", "org__small"]
    named = run("leaderboard", f"{folder}/*/samples_*", f"{folder}/*.json", "--csv")[1]
    assert [sorted(row.split(",")) for row in named.splitlines()] == [sorted(row) for row in table]


def test_options_of_inspect_are_called_by_their_letters(run, folder):
    card = cb.evaluate_logs(str(folder))
    assert str(card.bar(0, card.groups.index("geo"))) == 'accuracy bar 1: answer "A" to every item'


def test_a_folder_without_logs_and_one_with_archives(refused, tmp_path):
    assert refused("leaderboard", tmp_path).endswith(
        "is a folder without logs: samples_*.jsonl of lm-evaluation-harness (written with --log_samples), or "
        "Inspect's."
    )
    (tmp_path / "one.eval").write_bytes(b"PK\x03\x04")
    assert refused("leaderboard", tmp_path).endswith("one.eval is a damaged or truncated archive.")


def test_a_table_of_answers_gives_what_python_gives(run, table, rows):
    import pandas as pd

    extra = ("--item", "item", "--options", "n_options", "--clusters", "passage")
    code, out, err = run("leaderboard", table, *COLUMNS, *extra, "--json")
    assert (code, err) == (0, "")
    frame = pd.DataFrame(rows, columns=NAMES).astype({"n_options": "Int64"})
    card = cb.evaluate_frame(
        frame, "gold", "answer", model="model", by="task", item="item", options="n_options",
        clusters="passage", kind="multiclass",
    )  # fmt: skip
    document = json.loads(out)
    assert document["leaderboard"] == json.loads(card.leaderboard().to_json())
    assert [row["score"] for row in document["rows"]] == [verdict.score for verdict in card]


def test_a_column_per_model(run, tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("task,gold,a,b\n" + "t,x,x,y\nt,y,y,y\nt,x,x,x\n" * 8 + "u,1,1,2\nu,2,1,2\n" * 8)
    code, out, _ = run("leaderboard", path, "--y-true", "gold", "--y-pred", "a", "b", "--by", "task", "--csv")
    assert code == 0
    scores = {row["model"]: row for row in csv.DictReader(io.StringIO(out))}
    assert float(scores["a"]["t"]) == 1
    assert float(scores["b"]["t"]) == pytest.approx(2 / 3)
    assert float(scores["bar"]["t"]) == pytest.approx(2 / 3)
    assert float(scores["bar"]["u"]) == 0.5


@pytest.mark.parametrize("width", [50, 80, 120])
def test_names_that_differ_in_a_number_show_the_whole_number(width):
    import pandas as pd

    models = ("meta-llama__Llama-3.1-70B-Instruct", "meta-llama__Llama-3.1-8B-Instruct")
    answers = {"task": [], "gold": [], **{name: [] for name in models}}
    for task in ("arc_challenge", "hellaswag", "mmlu_pro"):
        answers["task"] += [task] * 20
        answers["gold"] += ["A", "B"] * 10
        answers[models[0]] += ["A", "B"] * 10
        answers[models[1]] += ["A", "B"] * 7 + ["B", "A"] * 3
    answers["options"] = [2] * 60
    frame = pd.DataFrame(answers)
    card = cb.evaluate_frame(frame, "gold", list(models), by="task", options="options")
    text = card.leaderboard().to_text(width=width)
    assert max(map(len, text.splitlines())) <= width
    assert not re.search(r"…\.?\d*0B|….1-", text)
    assert re.search(r"(?<!\d)70B", text)
    assert re.search(r"(?<!\d)8B", text)


def test_the_table_of_tasks_has_bar_and_rescaled(run, table, rows):
    out = run("leaderboard", table, *COLUMNS, "--options", "n_options", "--tasks")[1]
    head, _, *lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in out.splitlines()]
    assert head == [
        "Tasks",
        "Model",
        "Samples",
        "Metric",
        "",
        "Value",
        "",
        "Stderr",
        "Bar",
        "Guess",
        "Rescaled",
    ]
    assert [(line[0], line[1]) for line in lines] == [
        ("two", "large"), ("", "small"), ("four", "large"), ("", "small"),
        ("open", "large"), ("", "small"), ("all", "large"), ("", "small"),
    ]  # fmt: skip
    gold = [row for row in rows if row[0] == "large" and row[1] == "open"]
    score = sum(row[3] == row[4] for row in gold) / 30
    bar = max(sum(row[3] == letter for row in gold) for letter in "ABCD") / 30
    assert lines[4][2:5] == ["30", "accuracy", "↑"]
    told = [float(lines[4][at]) for at in (5, 7, 8, 10)]
    error = math.sqrt(score * (1 - score) / 29)
    assert told == pytest.approx([score, error, bar, (score - bar) / (1 - bar)], abs=5e-5)
    means = [sum(float(lines[at][column]) for at in (0, 2, 4)) / 3 for column in (5, 8, 10)]
    assert [float(lines[6][column]) for column in (5, 8, 10)] == pytest.approx(means, abs=2e-4)
    assert lines[6][7] == "N/A"


def test_what_is_wrong_with_a_table(refused, table, folder):
    assert refused("leaderboard", table, "--y-true", "gold") == (
        "a table of answers needs --y-pred and --by: the columns of right answers, answers and tasks."
    )
    assert refused("leaderboard", folder, "--tasks", "--csv") == (
        "--csv and --tasks cannot be combined; leave out one of them."
    )
    assert refused("leaderboard", folder, "--by", "task") == (
        "--by is a column of a table; name also those of --y-true and --y-pred."
    )
    assert (
        refused("leaderboard", table, *COLUMNS, "--metric", "acc")
        == "--metric is for logs; leave it out for a table."
    )
    assert "gold_" in refused("leaderboard", table, "--y-true", "gold_", *COLUMNS[2:])


def test_targets_outside_the_options_are_refused(tmp_path, refused):
    path = write_samples(tmp_path, "m", "t", [choice_sample(0, 3, 1, 1, target="3")])
    assert refused("leaderboard", path).endswith("has the target '3', outside its 3 options (0 to 2).")
    path = write_samples(tmp_path, "m", "t", [choice_sample(0, 3, 1, 1, target="-1")])
    assert refused("leaderboard", path).endswith("has the target '-1', outside its 3 options (0 to 2).")
    for target in ("D", "Madrid"):
        log = write_log(tmp_path, "m", "t", [inspect_sample(7, target, "A", "I", ["Paris", "Rome", "Bern"])])
        assert refused("leaderboard", log).endswith(
            f"has the target '{target}', which is none of its 3 options (A to C), nor the text of one."
        )
    numbers = open_sample(0, "42", "42")
    assert numbers["target"] == "42", "an open question has no options to lie outside of"
