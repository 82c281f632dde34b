"""``clearbar leaderboard``: logs of two harnesses as text, Markdown, JSON, comma-separated values, a page."""

import csv
import io
import json
import random

import pytest
from tests.harness import choice_sample, inspect_sample, open_sample, write_log, write_samples

import clearbar as cb
from clearbar.formatting import escape_markdown


def worked(number, said):
    """A question whose target is a worked solution, as gsm8k's is; its answer is one of 0 to 6."""
    right = said == str(number % 7)
    return open_sample(number, f"Count {number}.\n#### {number % 7}", said, exact_match=float(right))


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """Two models, two tasks: one with four or five options, one with generated answers."""
    folder = tmp_path_factory.mktemp("results")
    rng = random.Random(1)  # noqa: S311 - not for secrets
    items = [(options := rng.choice((4, 5)), rng.randrange(options)) for _ in range(90)]
    for model, skill in (("large", 0.8), ("small", 0.3)):
        arc = [
            choice_sample(at, options, gold, gold if rng.random() < skill else rng.randrange(options))
            for at, (options, gold) in enumerate(items)
        ]
        gsm = [worked(at, str(at % 7) if rng.random() < skill else "0") for at in range(60)]
        write_samples(folder, model, "arc", arc)
        write_samples(folder, model, "gsm8k", gsm)
    return folder


@pytest.fixture
def here(logs, monkeypatch):
    monkeypatch.chdir(logs)
    return "*/samples_*.jsonl"


def test_the_best_comes_first_and_the_bar_has_a_row(run, here):
    code, out, err = run("leaderboard", here)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert [line.split()[0] for line in lines[3:6]] == ["large", "small", "bar"]
    assert lines[6].startswith("random guess")
    assert lines[2].split() == "accuracy 95 % interval rescaled accuracy arc gsm8k".split()  # noqa: SIM905
    assert "mean over 2 tasks" in out


def test_many_tasks_have_a_line_each(logs):
    board = cb.evaluate_logs(str(logs / "*" / "samples_*.jsonl")).leaderboard()
    whole, tasks = board.to_text(width=55).split("\n\n")[1:3]
    assert [line.split()[0] for line in whole.splitlines()[2:]] == ["large", "small", "bar", "random"]
    assert tasks.splitlines()[0].split() == ["bar", "random", "guess", "large", "small"]
    assert [line.split()[0] for line in tasks.splitlines()[1:3]] == ["arc", "gsm8k"]
    narrow = board.to_text(width=24)
    assert "gsm8k" in narrow


def test_json_has_the_numbers_of_the_library(run, here):
    document = json.loads(run("leaderboard", here, "--json")[1])
    card = cb.evaluate_logs(here)
    rows = {row["model"]: row for row in document["leaderboard"]["rows"]}
    assert list(rows) == ["large", "small", "bar", "random guess"]
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


def test_csv_and_markdown(run, here):
    table = list(csv.reader(io.StringIO(run("leaderboard", here, "--csv")[1])))
    assert table[0] == ["model", "accuracy", "accuracy_rescaled", "low", "high", "arc", "gsm8k"]
    assert [row[0] for row in table[1:]] == ["large", "small", "bar", "random guess"]
    assert table[3][3:5] == ["", ""]
    out = run("leaderboard", here, "--markdown")[1]
    assert "| bar | " in out
    assert out.startswith("**")


def test_the_page_has_the_leaderboard(run, here, tmp_path):
    pytest.importorskip("jinja2")
    path = tmp_path / "page.html"
    code, out, _ = run("leaderboard", here, "--html", path, "--title", "Small models", "--date", "June")
    assert code == 0
    assert out.rstrip().endswith(f"The report is in {path}.")
    page = path.read_text(encoding="utf-8")
    assert "<title>Small models</title>" in page
    assert "June" in page
    assert "Leaderboard" in page
    assert "gsm8k" in page


def test_logs_of_inspect_and_of_the_other_harness_make_one_table(run, logs, tmp_path):
    for model in ("large", "small"):
        samples = [
            inspect_sample(n, "B" if n % 3 else "A", "B", "C" if n % 3 else "I", ["x", "y"])
            for n in range(30)
        ]
        write_log(tmp_path, model, "geo", samples)
    code, out, err = run("leaderboard", f"{logs}/*/samples_*", tmp_path / "*.json", "--csv")
    assert (code, err) == (0, "")
    table = list(csv.reader(io.StringIO(out)))
    assert table[0][-3:] == ["arc", "gsm8k", "geo"]
    assert table[3][-1] == str(20 / 30)


def test_a_name_that_no_task_has_is_refused_with_those_there_are(run, refused, here, tmp_path):
    assert refused("leaderboard", here, "--metric", "nope") == (
        "--metric 'nope' is in none of the logs, which have 'acc' and 'exact_match'."
    )
    assert "--metric 'acc_nrom' is in" in refused("leaderboard", here, "--metric", "acc_nrom", "acc")
    assert refused("leaderboard", here, "--filter", "strict") == (
        "--filter 'strict' is in none of the logs, which have 'none'."
    )
    assert run("leaderboard", here, "--metric", "acc")[0] == 0, "gsm8k has only another"
    log = write_log(tmp_path, "m", "t", [inspect_sample(0, "A", "A", "C"), inspect_sample(1, "A", "A", "C")])
    assert refused("leaderboard", log, "--metric", "choice").endswith("which have 'match'.")
    assert refused("leaderboard", log, "--filter", "none").endswith("which name none.")
    with pytest.raises(ValueError, match="metric 'nope' is in none of the logs, which have 'match'"):
        cb.evaluate_logs(log, metric="nope")


def test_what_is_wrong_is_said_in_options(run, refused, here, tmp_path):
    assert refused("leaderboard") == "name the logs to read: clearbar leaderboard FILE ..."
    assert refused("leaderboard", here, "--json", "--csv") == (
        "--json and --csv cannot be combined; leave out one of them."
    )
    table = tmp_path / "table.csv"
    table.write_text("y,tree\n1,0\n")
    assert "neither samples of lm-evaluation-harness" in refused("leaderboard", table)
    samples = [open_sample(0, "42", "42", name) for name in ("strict", "flexible")]
    path = write_samples(tmp_path, "m", "t", samples)
    assert refused("leaderboard", path).endswith("'strict' and 'flexible'; name one with --filter.")
    assert run("leaderboard", path, "--filter", "strict")[0] == 0
    scored = write_samples(tmp_path, "m", "u", [open_sample(0, "a", "b", f1=0.4, bleu=0.1)])
    assert refused("leaderboard", scored).endswith("name one with --metric.")
    assert "bleu: it grades" not in run("leaderboard", scored, "--metric", "f1")[1]
    assert "by 'f1' and 'bleu', not 'f2', of" in refused("leaderboard", scored, "--metric", "f2")
    one = write_samples(tmp_path, "m", "v", [choice_sample(0, 4, 1, 1), choice_sample(1, 4, 1, 1)])
    other = write_samples(tmp_path, "n", "v", [choice_sample(0, 4, 1, 1)])
    assert refused("leaderboard", one, other).endswith("add --nulls drop to leave those rows out.")
    assert run("leaderboard", one, other, "--nulls", "drop")[0] == 0


def test_neighbours_that_cannot_be_told_apart_share_a_letter(run, tmp_path):
    rng = random.Random(3)  # noqa: S311 - not for secrets
    golds = [rng.randrange(4) for _ in range(80)]
    for model, skill in (("best", 0.9), ("close", 0.45), ("closer", 0.45)):
        samples = [
            choice_sample(at, 4, gold, gold if rng.random() < skill else rng.randrange(4))
            for at, gold in enumerate(golds)
        ]
        write_samples(tmp_path, model, "arc", samples)
        write_samples(tmp_path, model, "brc", samples[:40])
    code, out, _ = run("leaderboard", tmp_path / "*" / "*.jsonl")
    assert code == 0
    letters = {line.split()[0]: line.split()[5] for line in out.splitlines()[3:6]}
    assert (letters["best"], letters["close"]) == ("–", "a")
    said = "Models that share a letter cannot be told apart on the same items (p corrected for 3 pairs)."
    assert said in " ".join(out.split())
    card = cb.evaluate_logs(str(tmp_path / "*" / "*.jsonl"))
    document = card.leaderboard().to_dict()
    assert len(document["alike"]) == 1
    pair = card.compare(*document["alike"][0], "accuracy")
    assert pair.p_value > 0.05


def test_names_are_escaped_and_written_in_full(tmp_path):
    name = "a_model*with|strange_marks_and_a_name_that_is_longer_than_a_line"
    for model in (name, "=cmd"):
        write_samples(tmp_path, model, "arc", [choice_sample(at, 4, at % 4, at % 3) for at in range(24)])
        write_samples(tmp_path, model, "brc", [choice_sample(at, 4, at % 4, at % 3) for at in range(24)])
    board = cb.evaluate_logs(str(tmp_path / "*" / "*.jsonl")).leaderboard()
    page, text = board.to_markdown(), board.to_text(width=80)
    assert f"| {escape_markdown(name)} |" in page
    assert max(map(len, text.splitlines())) <= 80
    assert "'=cmd" in board.to_csv()
    assert "Models that share" in board._repr_html_()


def test_kinds_and_tries_are_named_in_options(run, refused, here):
    card = json.loads(run("leaderboard", here, "--kind", "gsm8k=none", "--tries", "9", "--json")[1])
    rows = {(row["model"], row["group"], row["measure"]): row for row in card["rows"]}
    assert rows["large", "gsm8k", "accuracy"]["outcome"] == "undefined"
    assert rows["large", None, "accuracy"]["score"] == rows["large", "arc", "accuracy"]["score"]
    once = json.loads(run("leaderboard", here, "--json")[1])

    def p_of(found):
        rows = (row for row in found["rows"] if (row["group"], row["model"]) == ("arc", "small"))
        return next(rows)["p_sure"]

    p_once, p = p_of(once), p_of(card)
    assert p == pytest.approx(min(9 * p_once, 1))
    assert refused("leaderboard", here, "--kind", "gsm8k") == (
        "--kind takes TASK=KIND, such as gsm8k=free; found 'gsm8k'."
    )
    assert refused("leaderboard", here, "--kind", "gsm8k=open").startswith(
        "the kind of task 'gsm8k' is 'open'; it can be lettered, classes, unlettered, free or none."
    )
    assert "which is not there; found 'arc' and 'gsm8k'" in refused("leaderboard", here, "--kind", "gsm=free")
    assert refused("leaderboard", here, "--tries", "0").startswith("tries must be")
    table = ("--y-true", "a", "--y-pred", "b", "--by", "c")
    for option in (["--kind", "t=free"], ["--allow-partial"], ["--tries", "2"]):
        assert (
            refused("leaderboard", here, *table, *option)
            == f"{option[0]} is for logs; leave it out for a table."
        )
