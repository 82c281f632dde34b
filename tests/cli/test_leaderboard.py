"""``clearbar leaderboard``: logs of two harnesses and tables of answers, as text, JSON, CSV and a page."""

import csv
import io
import json
import math
import random
import re

import pandas as pd
import pytest
from tests.harness import choice_sample, inspect_sample, open_sample, write_log, write_samples

import clearbar as cb
from clearbar.formatting import escape_markdown


def answers(rng, golds, skill, options=4):
    """Samples of questions with options that a model of such a skill answers."""
    return [
        choice_sample(at, options, gold, gold if rng.random() < skill else rng.randrange(options))
        for at, gold in enumerate(golds)
    ]


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """Two models, two tasks: one with options, one with generated answers (a worked solution, as gsm8k's)."""
    folder = tmp_path_factory.mktemp("results")
    rng = random.Random(1)  # noqa: S311 - not for secrets
    golds = [rng.randrange(4) for _ in range(90)]
    for model, skill in (("large", 0.8), ("small", 0.3)):
        said = [str(at % 7) if rng.random() < skill else "0" for at in range(60)]
        gsm = [
            open_sample(
                at, f"Count {at}.\n#### {at % 7}", said[at], exact_match=float(said[at] == str(at % 7))
            )
            for at in range(60)
        ]
        write_samples(folder, model, "arc", answers(rng, golds, skill))
        write_samples(folder, model, "gsm8k", gsm)
    return folder


@pytest.fixture
def here(logs, monkeypatch):
    monkeypatch.chdir(logs)
    return "*/samples_*.jsonl"


def table_of(text):
    return list(csv.reader(io.StringIO(text)))


def test_the_best_comes_first_and_the_bar_has_a_row(run, here):
    code, out, err = run("leaderboard", here)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    (head,) = (at for at, line in enumerate(lines) if line.endswith("gsm8k"))
    assert [line.split()[0] for line in lines[head + 1 : head + 5]] == ["large", "small", "bar", "random"]
    assert "mean over 2 tasks" in out
    found = table_of(run("leaderboard", here, "--csv")[1])
    assert found[0] == ["model", "accuracy", "accuracy_rescaled", "low", "high", "arc", "gsm8k"]
    assert [row[0] for row in found[1:]] == ["large", "small", "bar", "random guess"]
    assert found[3][3:5] == ["", ""]
    assert "| bar | " in run("leaderboard", here, "--markdown")[1]


def test_many_tasks_have_a_line_each(logs):
    board = cb.evaluate_logs(str(logs / "*" / "samples_*.jsonl")).leaderboard()
    whole, tasks = board.to_text(width=55).split("\n\n")[1:3]
    assert [line.split()[0] for line in whole.splitlines()[2:]] == ["large", "small", "bar", "random"]
    assert tasks.splitlines()[0].split() == ["bar", "random", "guess", "large", "small"]
    assert [line.split()[0] for line in tasks.splitlines()[1:3]] == ["arc", "gsm8k"]


def test_json_has_the_numbers_of_the_library(run, here):
    document = json.loads(run("leaderboard", here, "--json")[1])
    card = cb.evaluate_logs(here)
    rows = {row["model"]: row for row in document["leaderboard"]["rows"]}
    for verdict in card:
        row = rows[verdict.model]
        own = row[verdict.measure.name] if verdict.group is None else row["slices"][verdict.group]
        if verdict.group is None or verdict.measure.name == "accuracy":
            assert own == verdict.score
    # Zero is right in 9 of 60 items and always said: no other answer is known to be right as often.
    assert rows["bar"]["slices"] == {"arc": float(card.bar(0, 1).value), "gsm8k": 9 / 60}
    assert not card.bar(0, 2).certified
    assert len(document["rows"]) == len(card)
    low, high = rows["large"]["intervals"]["arc"]
    assert 0 < low < rows["large"]["slices"]["arc"] < high < 1
    assert rows["bar"]["intervals"]["arc"] == [None, None]


def test_the_page_has_the_leaderboard(run, here, tmp_path):
    path = tmp_path / "page.html"
    code, out, _ = run("leaderboard", here, "--html", path, "--title", "Small models", "--date", "June")
    assert (code, out.rstrip().endswith(f"The report is in {path}.")) == (0, True)
    page = path.read_text(encoding="utf-8")
    told = ("<title>Small models</title>", "June", "Leaderboard", "gsm8k")
    assert [part for part in told if part not in page] == []


def test_a_folder_is_read_with_all_that_is_in_it(run, tmp_path):
    """Logs of both harnesses, totals beside them; Inspect's options are called by their letters."""
    for model, right in (("org__large", 25), ("org__small", 12)):
        arc = [choice_sample(n, 4, n % 4, n % 4 if n < right else (n + 1) % 4) for n in range(30)]
        geo = [inspect_sample(n, "A", "AB"[n >= right], "CI"[n >= right], ["x", "y"]) for n in range(30)]
        write_samples(tmp_path, model, "arc", arc)
        write_log(tmp_path, model, "geo", geo)
        (tmp_path / model / "results_2026.json").write_text('{"results": {}, "configs": {}}')
    code, out, err = run("leaderboard", tmp_path, "--csv")
    assert (code, err) == (0, "")
    table = table_of(out)
    assert sorted(table[0][-2:]) == ["arc", "geo"]
    assert [row[0] for row in table[1:]] == ["org__large", "bar", "random guess", "org__small"]
    named = run("leaderboard", f"{tmp_path}/*/samples_*", f"{tmp_path}/*.json", "--csv")[1]
    assert [sorted(row) for row in table_of(named)] == [sorted(row) for row in table]
    card = cb.evaluate_logs(str(tmp_path))
    assert str(card.bar(0, card.groups.index("geo"))) == 'accuracy bar 1: answer "A" to every item'


def test_a_folder_without_logs_and_one_with_archives(refused, tmp_path):
    assert refused("leaderboard", tmp_path).endswith(
        "is a folder without logs: samples_*.jsonl of lm-evaluation-harness (written with --log_samples), or "
        "Inspect's."
    )
    (tmp_path / "one.eval").write_bytes(b"PK\x03\x04")
    assert refused("leaderboard", tmp_path).endswith("one.eval is a damaged or truncated archive.")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--metric nope", "--metric 'nope' is in none of the logs, which have 'acc' and 'exact_match'."),
        ("--metric acc_nrom acc", "--metric 'acc_nrom' is in none of the logs"),
        ("--filter strict", "--filter 'strict' is in none of the logs, which have 'none'."),
        ("--json --csv", "--json and --csv cannot be combined; leave out one of them."),
        ("--tasks --csv", "--csv and --tasks cannot be combined; leave out one of them."),
        ("--kind gsm8k", "--kind takes TASK=KIND, such as gsm8k=free; found 'gsm8k'."),
        ("--kind gsm8k=open", "is 'open'; it can be lettered, classes, unlettered, free or none."),
        ("--kind gsm=free", "which is not there; found 'arc' and 'gsm8k'"),
        ("--tries 0", "tries must be"),
        ("--by c", "--by is a column of a table; name also those of --y-true and --y-pred."),
        ("--y-true a", "a table of answers needs --y-pred and --by: the columns of right answers, answers"),
        *((f"--y-true a --y-pred b --by c {option}",
           f"{option.split()[0]} is for logs; leave it out for a table.")
          for option in ("--kind t=free", "--allow-partial", "--tries 2", "--metric acc")),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_options(refused, here, words, said):
    assert said in refused("leaderboard", here, *words.split())


def test_what_logs_leave_open_is_asked_for(run, refused, tmp_path):
    (tmp_path / "table.csv").write_text("y,tree\n1,0\n")
    table = refused("leaderboard", tmp_path / "table.csv")
    assert "neither samples of lm-evaluation-harness" in table
    twice = write_samples(tmp_path, "m", "t", [open_sample(0, "42", "42", x) for x in ("strict", "flexible")])
    assert refused("leaderboard", twice).endswith("'strict' and 'flexible'; name one with --filter.")
    assert run("leaderboard", twice, "--filter", "strict")[0] == 0
    scored = write_samples(tmp_path, "m", "u", [open_sample(0, "a", "b", f1=0.4, bleu=0.1)])
    assert refused("leaderboard", scored).endswith("name one with --metric.")
    assert "bleu: it grades" not in run("leaderboard", scored, "--metric", "f1")[1]
    assert "by 'f1' and 'bleu', not 'f2', of" in refused("leaderboard", scored, "--metric", "f2")
    one = write_samples(tmp_path, "m", "v", [choice_sample(0, 4, 1, 1), choice_sample(1, 4, 1, 1)])
    other = write_samples(tmp_path, "n", "v", [choice_sample(0, 4, 1, 1)])
    assert refused("leaderboard", one, other).endswith("add --nulls drop to leave those rows out.")
    assert run("leaderboard", one, other, "--nulls", "drop")[0] == 0
    log = write_log(tmp_path, "m", "t", [inspect_sample(0, "A", "A", "C"), inspect_sample(1, "A", "A", "C")])
    assert refused("leaderboard", log, "--metric", "choice").endswith("which have 'match'.")
    assert refused("leaderboard", log, "--filter", "none").endswith("which name none.")


def test_targets_outside_the_options_are_refused(tmp_path, refused):
    path = write_samples(tmp_path, "m", "t", [choice_sample(0, 3, 1, 1, target="-1")])
    assert refused("leaderboard", path).endswith("has the target '-1', outside its 3 options (0 to 2).")
    log = write_log(tmp_path, "m", "t", [inspect_sample(7, "D", "A", "I", ["Paris", "Rome", "Bern"])])
    none = "has the target 'D', which is none of its 3 options (A to C), nor the text of one."
    assert refused("leaderboard", log).endswith(none)


def test_neighbours_that_cannot_be_told_apart_share_a_letter(run, tmp_path):
    rng = random.Random(3)  # noqa: S311 - not for secrets
    golds = [rng.randrange(4) for _ in range(80)]
    for model, skill in (("best", 0.9), ("close", 0.45), ("closer", 0.45)):
        samples = answers(rng, golds, skill)
        write_samples(tmp_path, model, "arc", samples)
        write_samples(tmp_path, model, "brc", samples[:40])
    code, out, _ = run("leaderboard", tmp_path / "*" / "*.jsonl")
    assert code == 0
    letters = {line.split()[0]: line.split()[5] for line in out.splitlines()[3:6]}
    assert (letters["best"], letters["close"]) == ("–", "a")
    said = "Models that share a letter cannot be told apart on the same items (p corrected for 3 pairs)."
    assert said in " ".join(out.split())
    card = cb.evaluate_logs(str(tmp_path / "*" / "*.jsonl"))
    (alike,) = card.leaderboard().to_dict()["alike"]
    assert card.compare(*alike, "accuracy").p_value > 0.05


def test_names_are_escaped_and_written_in_full(tmp_path):
    name = "a_model*with|strange_marks_and_a_name_that_is_longer_than_a_line"
    for model in (name, "=cmd"):
        for task in ("arc", "brc"):
            write_samples(tmp_path, model, task, [choice_sample(at, 4, at % 4, at % 3) for at in range(24)])
    board = cb.evaluate_logs(str(tmp_path / "*" / "*.jsonl")).leaderboard()
    assert f"| {escape_markdown(name)} |" in board.to_markdown()
    assert max(map(len, board.to_text(width=80).splitlines())) <= 80
    assert "'=cmd" in board.to_csv()
    assert "Models that share" in board._repr_html_()


@pytest.mark.parametrize("width", [50, 80, 120])
def test_names_that_differ_in_a_number_show_the_whole_number(width):
    models = ("meta-llama__Llama-3.1-70B-Instruct", "meta-llama__Llama-3.1-8B-Instruct")
    frame = pd.DataFrame({
        "task": ["arc_challenge", "hellaswag", "mmlu_pro"] * 20,
        "gold": ["A", "B"] * 30, models[0]: ["A", "B"] * 30, models[1]: ["A", "B"] * 21 + ["B", "A"] * 9,
        "options": [2] * 60,
    })  # fmt: skip
    card = cb.evaluate_frame(frame, "gold", list(models), by="task", options="options")
    text = card.leaderboard().to_text(width=width)
    assert max(map(len, text.splitlines())) <= width
    assert not re.search(r"…\.?\d*0B|….1-", text)
    assert re.search(r"(?<!\d)70B", text)
    assert re.search(r"(?<!\d)8B", text)


def test_kinds_and_tries_are_named_in_options(run, here):
    def rows(*words):
        found = json.loads(run("leaderboard", here, *words, "--json")[1])["rows"]
        return {(row["model"], row["group"], row["measure"]): row for row in found}

    once, nine = rows(), rows("--kind", "gsm8k=none", "--tries", "9")
    assert nine["large", "gsm8k", "accuracy"]["outcome"] == "undefined"
    assert nine["large", None, "accuracy"]["score"] == nine["large", "arc", "accuracy"]["score"]
    one = "small", "arc", "accuracy"
    assert nine[one]["p_sure"] == pytest.approx(min(9 * once[one]["p_sure"], 1))


NAMES = ("model", "task", "item", "gold", "answer", "n_options", "passage")
COLUMNS = ("--y-true", "gold", "--y-pred", "answer", "--model", "model", "--by", "task")


@pytest.fixture
def answered(tmp_path):
    """Two models' answers to thirty items of three tasks, the last an open one: a file and a frame."""
    rng, rows = random.Random(3), []  # noqa: S311 - not for secrets
    for task, options in (("two", 2), ("four", 4), ("open", None)):
        for item in range(30):
            gold = rng.choice("ABCD"[: options or 4])
            for model, share in (("large", 0.9), ("small", 0.3)):
                answer = gold if rng.random() < share else rng.choice("ABCD"[: options or 4])
                rows.append((model, task, item, gold, answer, options, item // 2))
    frame = pd.DataFrame(rows, columns=NAMES).astype({"n_options": "Int64"})
    frame.to_csv(tmp_path / "answers.csv", index=False)
    return tmp_path / "answers.csv", frame


def test_a_table_of_answers_gives_what_python_gives(run, refused, answered):
    path, frame = answered
    extra = ("--item", "item", "--options", "n_options", "--clusters", "passage")
    code, out, err = run("leaderboard", path, *COLUMNS, *extra, "--json")
    assert (code, err) == (0, "")
    card = cb.evaluate_frame(
        frame, "gold", "answer", model="model", by="task", item="item", options="n_options",
        clusters="passage", kind="multiclass",
    )  # fmt: skip
    document = json.loads(out)
    assert document["leaderboard"] == json.loads(card.leaderboard().to_json())
    assert [row["score"] for row in document["rows"]] == [verdict.score for verdict in card]
    assert "gold_" in refused("leaderboard", path, "--y-true", "gold_", *COLUMNS[2:])


def test_a_column_per_model(run, tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("task,gold,a,b\n" + "t,x,x,y\nt,y,y,y\nt,x,x,x\n" * 8 + "u,1,1,2\nu,2,1,2\n" * 8)
    out = run("leaderboard", path, "--y-true", "gold", "--y-pred", "a", "b", "--by", "task", "--csv")[1]
    scores = {row["model"]: (float(row["t"]), float(row["u"])) for row in csv.DictReader(io.StringIO(out))}
    assert scores["a"] == (1, 0.5)
    assert scores["bar"] == pytest.approx((2 / 3, 0.5))
    assert scores["b"][0] == pytest.approx(2 / 3)


def test_the_table_of_tasks_has_bar_and_rescaled(run, answered):
    path, frame = answered
    out = run("leaderboard", path, *COLUMNS, "--options", "n_options", "--tasks")[1]
    head, _, *lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in out.splitlines()]
    assert " ".join(head) == "Tasks Model Samples Metric  Value  Stderr Bar Guess Rescaled"
    tasks = ["two", "", "four", "", "open", "", "all", ""]
    assert [line[:2] for line in lines] == [
        list(row) for row in zip(tasks, ["large", "small"] * 4, strict=True)
    ]
    own = frame[(frame.model == "large") & (frame.task == "open")]
    score, bar = (own.gold == own.answer).mean(), own.gold.value_counts().max() / 30
    assert lines[4][2:5] == ["30", "accuracy", "↑"]
    told = [float(lines[4][at]) for at in (5, 7, 8, 10)]
    error = math.sqrt(score * (1 - score) / 29)
    assert told == pytest.approx([score, error, bar, (score - bar) / (1 - bar)], abs=5e-5)
    means = [sum(float(lines[at][column]) for at in (0, 2, 4)) / 3 for column in (5, 8, 10)]
    assert [float(lines[6][column]) for column in (5, 8, 10)] == pytest.approx(means, abs=2e-4)
    assert lines[6][7] == "N/A"
