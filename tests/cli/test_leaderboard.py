"""``clearbar leaderboard``: logs of two harnesses and tables of answers, as text, JSON, CSV and a page."""

import csv
import io
import json
import random

import pandas as pd
import pytest
from tests.harness import choice_sample, inspect_sample, open_sample, write_log, write_samples

import clearbar as cb
from clearbar.cli import main
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
        solved = [(f"Count {at}.\n#### {at % 7}", str(at % 7)) for at in range(60)]
        gsm = [
            open_sample(at, text, said[at], exact_match=float(said[at] == gold))
            for at, (text, gold) in enumerate(solved)
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


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--metric acc_nrom acc", "--metric 'acc_nrom' is in none of the logs"),
        ("--clusters passge", "--clusters 'passge' is in none of the logs, which have 'question'."),
        ("--filter strict", "--filter 'strict' is in none of the logs, which have 'none'."),
        ("--json --csv", "--json and --csv cannot be combined; leave out one of them."),
        ("--kind gsm8k=open", "is 'open'; it can be lettered, classes, unlettered, free or none."),
        ("--kind gsm=free", "which is not there; found 'arc' and 'gsm8k'"),
        ("--by c", "--by is a column of a table; name also those of --y-true and --y-pred."),
        *((f"--y-true a --y-pred b --by c {option}",
           f"{option.split()[0]} is for logs; leave it out for a table.")
          for option in ("--kind t=free", "--allow-partial", "--metric acc")),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_options(refused, here, words, said):
    assert said in refused("leaderboard", here, *words.split())


def test_a_table_too_long_for_a_comment_says_so_on_standard_error(run, here, monkeypatch):
    assert run("leaderboard", here, "--tasks")[2] == ""
    monkeypatch.setattr("clearbar.cli._output.COMMENT", 300)
    for option, shorter in (
        ("--tasks", "--markdown has one line per task"),
        ("--markdown", "read fewer files"),
    ):
        code, out, err = run("leaderboard", here, option)
        assert code == 0
        said = (
            f"clearbar: this table has {len(out) - 1:,} characters; a comment on GitHub holds 300: {shorter}"
        )
        assert err.startswith(said)
    assert run("leaderboard", here, "--csv")[2] == ""


def test_a_table_of_answers_is_corrected_for_tries_as_logs_are(run, tmp_path):
    rows = [("m", "t", at % 4, at % 4 if at % 3 else 0, 4) for at in range(40)]
    (tmp_path / "t.csv").write_text(
        "model,task,gold,said,n\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows)
    )
    table = f"{tmp_path}/t.csv --y-true gold --y-pred said --model model --by task --options n --json"
    once, many = (
        json.loads(run("leaderboard", *table.split(), *more)[1]) for more in ((), ("--tries", "10"))
    )
    assert "best of 10 tries" in many["notes"][-1]
    assert many["rows"][0]["p_corrected"] == min(1, 10 * once["rows"][0]["p_corrected"]) > 0


def test_what_logs_leave_open_is_asked_for(run, refused, tmp_path):
    (tmp_path / "table.csv").write_text("y,tree\n1,0\n")
    table = refused("leaderboard", tmp_path / "table.csv")
    assert "neither samples of lm-evaluation-harness" in table
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


def test_names_are_escaped_and_written_in_full(tmp_path):
    name = "a_model*with|strange_marks_and_a_name_that_is_longer_than_a_line"
    for model in (name, "=cmd"):
        for task in ("arc", "brc"):
            write_samples(tmp_path, model, task, [choice_sample(at, 4, at % 4, at % 3) for at in range(24)])
    board = cb.evaluate_logs(str(tmp_path / "*" / "*.jsonl")).leaderboard()
    assert f"| {escape_markdown(name)} |" in board.to_markdown().replace("<wbr>", "")
    assert max(map(len, board.to_text(width=80).splitlines())) <= 80
    assert "'=cmd" in board.to_csv()
    assert "Same letter: no difference shown" in board._repr_html_()


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


def test_many_tasks_stand_below_each_other_in_markdown(tmp_path, capsys):
    for task in range(9):
        for model in ("a", "b"):
            samples = [open_sample(at, "7", "7" if (at + task) % 3 else model) for at in range(12)]
            write_samples(tmp_path, model, f"task_{task}", samples)
    assert main(["leaderboard", str(tmp_path), "--markdown"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert max(line.count("|") for line in lines) <= 7
    assert sum(line.startswith("| task") for line in lines) == 9
    assert next(line for line in lines if "bar" in line and " a " in line).count("|") == 5
