"""``clearbar evaluate`` on files."""

import csv
import importlib.util
import json
import pickle
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import clearbar as cb
from clearbar.cli import _files
from clearbar.cli._parser import parse
from clearbar.evaluation.options import DEFAULT_MEASURES
from clearbar.formatting import Screen, width

PREDS = ("evaluate", "preds.csv", "--y-true", "y")
TREE = (*PREDS, "--y-pred", "tree")


def columns(path):
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return dict(zip(header, (list(column) for column in zip(*rows, strict=True)), strict=True))


def whole(values):
    return [int(value) for value in values]


def test_json_is_what_the_library_says_to_the_last_digit(folder, run):
    measures = ["f1", "mcc", "recall", "dor", "prevalence", "error_rate"]  # with all outcomes and reasons
    code, out, err = run(*TREE, "coin", "--by", "country", "--measure", *measures, "--json")
    assert (code, err) == (0, "")
    table = columns(folder / "preds.csv")
    models = {name: whole(table[name]) for name in ("tree", "coin")}
    expected = cb.evaluate(whole(table["y"]), models, measures, by=table["country"])
    assert json.loads(out, parse_constant=pytest.fail) == expected.to_dict()


@pytest.mark.parametrize("dataset", ["diabetes", "wisconsin"])
def test_evaluate_on_the_demo_agrees_with_the_library_to_the_last_digit(dataset, run):
    path = Path(cb.__file__).parent / "_demo" / f"{dataset}.csv"
    table = columns(path)
    models = ["naive_bayes", "decision_tree"]
    words = [word for name in models for word in ("--y-pred", name)]
    expected = cb.evaluate(np.array(whole(table["y_true"])), {name: whole(table[name]) for name in models})
    assert json.loads(run("evaluate", path, "--y-true", "y_true", *words, "--json")[1]) == expected.to_dict()
    footer = "--all shows interval, skill and p of each score."
    assert run("evaluate", path, "--y-true", "y_true", *words)[1] == f"{expected.to_text()}\n{footer}\n"
    sliced = cb.evaluate(
        whole(table["y_true"]), {models[0]: whole(table[models[0]])}, "f1", by=whole(table["split"])
    )
    words = ("--y-pred", models[0], "--measure", "f1", "--by", "split")
    assert run("evaluate", path, "--y-true", "y_true", *words)[1] == f"{sliced.to_text()}\n"


def test_parquet_gives_what_csv_gives(folder, run):
    pl.read_csv("preds.csv").write_parquet("preds.parquet")
    found = run("evaluate", "preds.parquet", *TREE[2:])
    assert found[0] == 0
    assert found == run(*TREE)


def test_several_files_are_one_table(folder, run):
    table = pl.read_csv("preds.csv")
    table[:50].write_csv("first.csv")
    table[50:].reverse().write_parquet("rest.parquet")
    assert run("evaluate", "first.csv", "rest.parquet", *TREE[2:]) == run(*TREE)


@pytest.mark.parametrize(
    "words",
    [
        ("preds.csv", "--y-true", "y", "--y-pred", "tree", "coin"),
        ("--y-true", "y", "preds.csv", "--y-pred", "tree", "--y-pred", "coin"),
        ("--y-true", "y", "--y-pred", "tree", "coin", "preds.csv"),
        ("--y-true=y", "--y-pred=tree", "--y-pred=coin", "preds.csv"),
        ("--y-pred", "tree", "coin", "preds.csv", "--y-true", "y"),
        ("preds.csv", "--y-true", "y", "--y-pred", "tree", "coin", "tree"),
    ],
)
def test_options_and_files_come_in_any_order(folder, run, words):
    assert run("evaluate", *words) == run(*TREE, "--y-pred", "coin")


def test_the_default_is_six_measures_with_both_p_values(folder, run):
    document = json.loads(run(*TREE, "--json")[1])
    assert document["measures"] == list(DEFAULT_MEASURES)
    assert len(document["measures"]) == 6
    assert all(row["p_value"] is not None and row["p_value_blind"] is not None for row in document["rows"])


def test_intervals_have_the_confidence_level_that_is_asked(folder, run):
    table = columns(folder / "preds.csv")
    for level in ("0.95", "0.8"):
        rows = json.loads(run(*TREE, "--measure", "f1", "--confidence-level", level, "--json")[1])["rows"]
        expected = cb.evaluate(whole(table["y"]), whole(table["tree"]), "f1", confidence_level=float(level))
        assert (rows[0]["low"], rows[0]["high"]) == (expected[0].low, expected[0].high)


def test_the_positive_label_is_named_as_it_is_written(folder, run):
    mail = ("evaluate", "mail.csv", "--y-true", "label", "--y-pred", "filter", "--measure", "f1", "--json")
    spam, ham = (json.loads(run(*mail, "--pos-label", label)[1])["rows"][0] for label in ("spam", "ham"))
    assert (spam["tp"], spam["fp"], spam["fn"], spam["tn"]) == (20, 5, 5, 30)
    assert (ham["tp"], ham["fp"], ham["fn"], ham["tn"]) == (30, 5, 5, 20)
    (folder / "t.csv").write_text("y,a\nTrue,1\nFalse,0\nTrue,0\n", encoding="utf-8")
    truth = (
        "evaluate",
        "t.csv",
        "--y-true",
        "y",
        "--y-pred",
        "a",
        "--measure",
        "f1",
        "--json",
        "--pos-label",
    )
    rows = [json.loads(run(*truth, label)[1])["rows"][0]["tp"] for label in ("1", "true", "0", "-0.0")]
    assert rows == [1, 1, 1, 1]
    (folder / "m.csv").write_text("y,a\n-1,1\n1,1\n", encoding="utf-8")
    assert run("evaluate", "m.csv", "--y-true", "y", "--y-pred", "a", "--pos-label", "-1")[0] == 0


def test_outcomes_without_a_value_follow_the_policy(folder, run):
    ratio = (*TREE, "--measure", "dor", "--json")
    assert json.loads(run(*ratio)[1])["rows"][0]["bar"] is None
    document = json.loads(run(*ratio, "--undefined", "0")[1])
    assert document["undefined"] == 0
    assert document["rows"][0]["bar"] > 0
    assert "--undefined worst or --undefined 0" in " ".join(run(*TREE, "--measure", "dor")[1].split())


def test_a_reason_is_worded_where_it_is_read(folder, run):
    """Python's words on the value, options on the command line; data have Python's."""
    reason = cb.baseline(cb.Population(30, 10), "dor").reason
    assert reason.startswith(reason.why)
    assert reason.endswith("; undefined='worst' or undefined=0.0 gives diagnostic odds ratio a bar")
    assert pickle.loads(pickle.dumps(reason)).why == reason.why  # noqa: S301 - our own
    sizes = ("--total", 30, "--positives", 10)
    for words in (("baseline", *sizes, "--measure", "dor"), ("explain", "dor", *sizes), ("explain", "dor")):
        shown = " ".join(run(*words)[1].split())
        assert "--undefined worst or --undefined 0 gives diagnostic odds ratio a bar" in shown
        assert "undefined=" not in shown
    (row,) = json.loads(run(*TREE, "--measure", "dor", "--json")[1])["rows"]
    assert row["reason"].endswith("undefined=0.0 gives diagnostic odds ratio a bar")


MANY = [f"fbeta(beta={beta / 4})" for beta in range(1, 26)]
"""More measures than a screen has room for."""


def test_a_screenful_unless_everything_is_asked_for(folder, run):
    many = (*TREE, "coin", "--by", "country", "--measure", "dor", *MANY)
    code, out, _ = run(*many)
    assert code == 0
    assert out.count("more with --all.\n") == 2
    every = "\n--all shows every row, with skill and p of each score; on all samples its interval too.\n"
    assert out.replace("its\ninterval", "its interval").endswith(every)
    assert "--json has the reasons" in out
    assert "card." not in out
    _, everything, _ = run(*many, "--all")
    assert "--all" not in everything
    assert len(everything.splitlines()) > 2 * len(out.splitlines())


def test_all_shows_what_stands_beside_each_score(folder, run):
    both = (*TREE, "coin", "--measure", "f1", "mcc")
    _, out, _ = run(*both)
    assert out.endswith("\n--all shows interval, skill and p of each score.\n")
    _, out, _ = run(*both, "--all")
    heading = next(line for line in out.splitlines() if "score" in line and "bar" in line and "skill" in line)
    assert heading.split()[-2:] == ["skill", "p"]
    assert "--all" not in out
    assert "--all" not in run(*TREE, "--measure", "f1")[1], "one model's are shown anyway"


@pytest.mark.parametrize("columns", [40, 60, 120])
def test_what_is_printed_fits_the_terminal(folder, columns):
    words = [*PREDS, "--y-pred", "tree", "coin", "--measure", "f1", "mcc", "accuracy", "recall"]
    screen = Screen(color=False, encoding="utf-8", width=columns)
    shown = _files.evaluate(parse(words), screen).text.splitlines()[:-1]
    assert max(map(width, shown)) <= columns
    default = _files.evaluate(parse(words), Screen(encoding="utf-8")).text.splitlines()
    assert max(map(width, default)) <= 80


COLUMNS = "preds.csv has: y, tree, coin, country and score."


def test_columns_that_are_not_named_are_listed_with_a_command_to_type(folder, refused, run):
    example = "For example clearbar evaluate preds.csv --y-true y --y-pred tree"
    assert refused("evaluate", "preds.csv") == (
        f"name the column of true labels with --y-true. {COLUMNS} {example}"
    )
    assert refused("evaluate", "preds.csv", "--y-pred", "tree") == (
        f"name the column of true labels with --y-true. {COLUMNS} {example}"
    )
    assert (
        refused(*PREDS)
        == "name the columns of predictions with --y-pred, or of scores with --y-score, one per model. "
        f"{COLUMNS} {example}"
    )
    assert run(*example.split()[3:])[0] == 0
    (folder / "late.csv").write_text("split,y,age,p,tree\n1,1,31,0.9,0\n2,0,64,0.2,1\n", encoding="utf-8")
    assert refused("evaluate", "late.csv").endswith("late.csv --y-true y --y-pred tree")
    assert refused("check", "late.csv", "--y-true", "label").endswith("late.csv --y-true y --y-pred tree")
    assert refused("check", "late.csv", "--y-score", "p").endswith("late.csv --y-true y --y-score p")
    (folder / "mail.csv").write_text("id,name,said,spam\n1,a,0.75,yes\n2,b,0.25,no\n", encoding="utf-8")
    assert refused("evaluate", "mail.csv", "--y-true", "spam").endswith("--y-true spam --y-score said")
    assert refused("check", "mail.csv", "--y-true", "spam", "--y-pred", "q").endswith("--y-score said?")
    pl.read_csv(folder / "late.csv").write_parquet(folder / "late.parquet")
    typed = refused("check", "late.parquet", "--y-true", "y")
    assert typed.endswith("late.parquet --y-true y --y-pred tree"), "1 and 0 as numbers"
    both = refused("compare", "preds.csv", "--y-true", "y")
    assert both.endswith("compare preds.csv --y-true y --y-pred tree coin")
    assert "For example" not in refused("compare", "mail.csv", "--y-true", "spam"), "two are compared"
    (folder / "text.csv").write_text("id,is,call\n1,yes,no\n2,no,yes\n", encoding="utf-8")
    assert refused("check", "text.csv", "--y-pred", "call").endswith("--y-true is --y-pred call")
    assert refused("check", "text.csv").endswith("text.csv has: id, is and call."), "no guess"
    (folder / "single.csv").write_text("odd name\n1\n", encoding="utf-8")
    assert refused("evaluate", "single.csv") == (
        "name the column of true labels with --y-true. single.csv has: odd name."
    )
    assert refused("evaluate", "nope.csv") == "there is no file nope.csv."
    nothing = "name a file to read: clearbar evaluate FILE --y-true COL --y-pred COL."
    assert refused("evaluate") == nothing
    assert refused("evaluate", "--y-true", "y", "--y-pred", "tree") == nothing


def test_columns_that_are_not_there_are_met_with_the_nearest(folder, refused):
    found = refused("evaluate", "preds.csv", "--y-true", "label", "--y-pred", "tree")
    assert (
        found
        == "no column 'label' in preds.csv. It has: y, tree, coin, country and score. Did you mean --y-true y?"  # noqa: E501
    )
    assert refused(*PREDS, "--y-pred", "tre").endswith("Did you mean --y-pred tree?")
    assert refused(*TREE, "--by", "county").endswith("Did you mean --by country?")
    assert refused(*PREDS, "--y-pred", "zzz").endswith("coin, country and score.")
    assert refused(*PREDS, "--y-pred", "scor").endswith("Did you mean --y-score score?"), "it holds scores"
    assert refused(*PREDS, "--y-score", "zzz").endswith("Did you mean --y-score score?"), "the only scores"
    (folder / "one.csv").write_text("id,gold,answer\n7,a,b\n8,b,a\n", encoding="utf-8")
    only = refused("evaluate", "one.csv", "--y-true", "gold", "--y-pred", "zzz")
    assert only.endswith("Did you mean --y-pred answer?"), "the only column of such labels"
    assert refused(*PREDS, "--y-pred", "y") == (
        "column 'y' is named by --y-true and by --y-pred: labels that judge themselves."
    )
    (folder / "long.csv").write_text("y,decision_tree,knn\n1,1,0\n0,1,0\n", encoding="utf-8")
    found = refused("evaluate", "long.csv", "--y-true", "y", "--y-pred", "tree")
    assert found.endswith("Did you mean --y-pred decision_tree?")
    (folder / "bare.csv").write_text("1,0,2.5\n0,0,3\n", encoding="utf-8")
    names = "The first line names the columns; if it is data, put a line of names before it."
    assert refused("evaluate", "bare.csv").endswith(f"bare.csv has: 1, 0 and 2.5. {names}")
    assert refused("evaluate", "bare.csv", "--y-true", "y", "--y-pred", "p").endswith(f"and 2.5. {names}")
    pl.DataFrame({"2023": [1.5], "2024": [2.5]}).write_parquet(folder / "years.parquet")
    assert "names the columns" not in refused("evaluate", "years.parquet"), "its columns have names"
    (folder / "years.csv").write_text("city,2023,2024\na,3,4\n", encoding="utf-8")
    assert "names the columns" not in refused("evaluate", "years.csv")
    (folder / "b.csv").write_text("y,knn\n1,1\n", encoding="utf-8")
    assert (
        refused("evaluate", "preds.csv", "b.csv", *TREE[2:])
        == "no column 'tree' in b.csv. It has: y and knn."
    )


def test_what_is_proposed_to_type_is_there_and_free(folder, refused, run):
    (folder / "a.csv").write_text("y,female,tree,p\n1,1,1,0.75\n0,0,0,0.25\n0,1,1,0.5\n", encoding="utf-8")
    base = ("evaluate", "a.csv", "--y-true", "y")
    for option in ("--by", "--fold", "--weight", "--clusters", "--model"):
        assert refused(*base, option, "female").endswith(" --y-true y --y-pred tree"), option
    assert refused("evaluate", "a.csv", "--y-pred", "forest").endswith(" --y-true y --y-pred female")
    cut = refused(*base, "--threshold", "0.5")
    assert cut.endswith("a.csv --y-true y --y-pred p --threshold 0.5")
    assert run("evaluate", "a.csv", *cut.split("a.csv")[-1].split())[0] == 0
    assert refused(*base, "--threshold", "0.5", "--y-pred", "q").endswith("Did you mean --y-pred p?")
    (folder / "twice.csv").write_text("y,y,tree\n1,1,1\n0,0,0\n", encoding="utf-8")
    assert refused("evaluate", "twice.csv", "--y-true", "y").endswith("has: y, y and tree.")
    (folder / "dash.csv").write_text("y,-tree\n1,1\n0,0\n0,1\n", encoding="utf-8")
    dash = refused("evaluate", "dash.csv")
    assert dash.endswith("--y-true y --y-pred=-tree")
    assert run("evaluate", *dash.split("evaluate ")[-1].split())[0] == 0
    assert refused("evaluate", "dash.csv", "--y-true", "y", "--y-pred", "t").endswith("--y-pred=-tree?")
    (folder / "three.csv").write_text("knn,tree,answer\n1,0,1\n0,1,0\n", encoding="utf-8")
    words = ("evaluate", "three.csv", "--y-pred", "knn")
    assert refused(*words, "--y-true", "lbl").endswith("knn, tree and answer."), "no guess among several"
    assert refused(*words).endswith("knn, tree and answer.")


def test_labels_that_cannot_be_judged_are_told_in_the_words_of_the_command_line(folder, refused):
    found = refused(*PREDS, "--y-pred", "score")
    assert found.startswith("column 'score' holds numbers such as 0.")
    assert found.endswith(
        "these look like scores; name their columns with --y-score, or if they are probabilities, add "
        "--threshold 0.5."
    )
    found = refused("evaluate", "preds.csv", "--y-true", "score", "--y-pred", "tree")
    assert found.endswith("Numbers are judged by a measure of them, such as --measure mae.")
    classes = ("evaluate", "preds.csv", "--y-true", "country", "--y-pred")
    assert refused(*classes, "tree").endswith("column 'tree' holds numbers; use one kind of labels.")
    (folder / "three.csv").write_text("y,x\na,a\nb,b\nc,a\n", encoding="utf-8")
    found = refused("evaluate", "three.csv", "--y-true", "y", "--y-pred", "x", "--pos-label", "a")
    assert found.startswith("column 'y' holds three labels ('a': ")
    assert found.endswith("one class against the rest first, or leave out --pos-label and judge all classes.")
    mail = ("evaluate", "mail.csv", "--y-true", "label", "--y-pred", "filter")
    assert refused(*mail).endswith("Pass --pos-label ham or --pos-label spam.")
    assert refused(*mail, "--pos-label", "eggs") == (
        "--pos-label: no label is 'eggs'; the labels are 'ham' and 'spam'."
    )
    (folder / "n.csv").write_text("model,y_true\n1,1\n0,0\n,1\n", encoding="utf-8")
    assert refused("evaluate", "n.csv", "--y-true", "y_true", "--y-pred", "model").startswith(
        "column 'model' has 1 missing value. Fill them in, or add --nulls drop "
    )
    assert refused("evaluate", "n.csv", "--y-true", "model", "--y-pred", "y_true").startswith(
        "column 'model' has 1 missing value. Fill them in, or add --nulls drop "
    )
    (folder / "g.csv").write_text("y,a,g\n1,1,\n0,0,x\n0,1,\n", encoding="utf-8")
    assert refused("evaluate", "g.csv", "--y-true", "y", "--y-pred", "a", "--by", "g").startswith(
        "column 'g' has 2 missing values. Fill them in, "
    )
    (folder / "k.csv").write_text("y,a\n1,yes\n0,no\n", encoding="utf-8")
    assert refused("evaluate", "k.csv", "--y-true", "y", "--y-pred", "a").startswith(
        "column 'y' holds 0: 1, 1: 1 samples but column 'a' holds 'no': 1"
    )


def test_columns_of_parquet_that_hold_no_labels(folder, refused):
    table = {"y": [1, 0], "list": [[1], [0]], "nan": [1.0, float("nan")], "day": ["2024-01-01", "2024-01-02"]}
    pl.DataFrame(table).with_columns(pl.col("day").str.to_date()).write_parquet("t.parquet")
    words = ("evaluate", "t.parquet", "--y-true", "y", "--y-pred")
    assert refused(*words, "list") == (
        "column 'list' holds List(Int64) values; it must hold single ones, one per row."
    )
    assert refused(*words, "nan").startswith("column 'nan' has 1 missing value. ")
    assert refused(*words, "day").endswith("text, bytes or truth values. Turn it into labels first.")


WORDS = (*PREDS, "--y-pred", "tree", "coin", "--by", "country", "--measure", "f1")


def test_a_page_is_written_beside_what_is_printed(folder, run):
    code, plain, _ = run(*WORDS)
    assert run(*WORDS, "--html", "page.html") == (code, f"{plain}\nThe report is in page.html.\n", "")
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert f"clearbar {' '.join(WORDS)} --html page.html" in page
    together = run(*WORDS, "--slices", "--html", "page2.html")[1]
    assert together.endswith("\n\nThe report is in page2.html.\n")
    assert [name for name in ("tree", "coin", "nl", "de", "fr") if f">{name}<" not in page] == []


def test_a_page_has_the_title_and_the_data_that_are_named(folder, run, refused):
    wishes = ("--title", "Churn <2026>", "--subtitle", "third quarter", "--data", "holdout", "--date", "June")
    assert run(*WORDS, "--html", "page.html", *wishes)[0] == 0
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "<title>Churn &lt;2026&gt;</title>" in page
    assert [word for word in ("third quarter", "· holdout · June") if word not in page] == []
    for option in ("--title", "--subtitle", "--data", "--date"):
        said = f"{option} is for the report; add --html PATH."
        assert refused("evaluate", "nope.csv", option, "x") == said
    assert refused(*WORDS, "--force") == "--force is for the report; add --html PATH."


def test_with_json_the_page_is_written_and_only_the_document_printed(folder, run):
    assert json.loads(run(*WORDS, "--json", "--html", "page.html")[1])["models"] == ["tree", "coin"]
    assert (folder / "page.html").exists()


def test_a_page_that_is_there_is_replaced_only_with_force(folder, run, refused):
    (folder / "page.html").write_text("mine")
    said = "page.html is there already; add --force to replace it, or another name."
    assert refused(*WORDS, "--html", "page.html") == said
    assert refused("evaluate", "nope.csv", "--html", "page.html") == said  # before anything is read
    assert (folder / "page.html").read_text() == "mine"
    assert run(*WORDS, "--html", "page.html", "--force")[0] == 0
    assert (folder / "page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("name", ["jinja2", "matplotlib"])
def test_without_what_a_page_needs_that_is_said_before_reading(name, folder, refused, monkeypatch):
    known = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda what: None if what == name else known(what))
    said = f"--html needs {name}, which is not installed: in a checkout, pip install '.[report]'"
    assert refused("evaluate", "nope.csv", "--html", "page.html") == said


EVIL = "\x1b[31mred\nline\u202e"


def test_hostile_names_are_shown_and_not_obeyed(folder, run, refused):
    (folder / "e.csv").write_text(f'y,"{EVIL}"\n1,1\n0,0\n1,0\n0,0\n', encoding="utf-8")
    words = ("e.csv", "--y-true", "y", "--y-pred", EVIL)
    for command in ("evaluate", "check"):
        code, out, err = run(command, *words)
        assert (code, err) == (int(command == "check"), "")
        assert "red\\nline\\u202e" in out
        assert not {"\x1b", "\u202e"} & set(out)
    assert json.loads(run("evaluate", *words, "--json")[1])["models"] == [EVIL]
    for words in (("e.csv",), ("e.csv", "--y-true", EVIL, "--y-pred", "x"), (EVIL,), ("--" + EVIL,)):
        assert not {"\x1b", "\u202e"} & set(refused("evaluate", *words))


def test_a_column_called_like_an_option(folder, run):
    (folder / "d.csv").write_text("-y,--a\n1,1\n0,0\n", encoding="utf-8")
    assert run("evaluate", "d.csv", "--y-true=-y", "--y-pred=--a")[0] == 0


def test_several_slices_probabilities_and_folds(folder, run):
    rng = np.random.default_rng(4)
    y, day, fold = rng.integers(0, 2, 300), rng.integers(1, 4, 300), rng.integers(0, 3, 300)
    proba, country = np.clip(y * 0.4 + rng.random(300) * 0.6, 0, 1), rng.choice(["nl", "de"], 300)
    table = pl.DataFrame({"y": y, "p": proba, "day": day, "country": country, "fold": fold})
    table[:150].write_csv("a.csv")
    table[150:].write_csv("b.csv")
    words = (
        "evaluate",
        "*.csv",
        "--y-true",
        "y",
        "--y-pred",
        "p",
        "--threshold",
        "0.5",
        "--measure",
        "f1",
        "mcc",
    )
    (folder / "preds.csv").unlink()
    (folder / "mail.csv").unlink()
    rows = json.loads(run(*words, "--by", "country", "day", "--json")[1])["rows"]
    for row in rows[2::2]:
        where, when = row["group"].split(", ")
        here = (country == where) & (day == int(when))
        expected = cb.count(y[here], (proba >= 0.5)[here])
        assert (row["tp"], row["fp"], row["fn"], row["tn"]) == expected.cells
    assert len(rows) == 2 * (1 + 6)
    folds = json.loads(run(*words, "--fold", "fold", "--aggregate", "mean", "--json")[1])
    expected = cb.evaluate_folds(y, proba >= 0.5, fold, ["f1", "mcc"], aggregate="mean")
    assert [row["score"] for row in folds["rows"]] == [verdict.score for verdict in expected]
    files = json.loads(run(*words, "--by-file", "--json")[1])["rows"]
    assert [row["group"] for row in files] == [None, None, "a.csv", "a.csv", "b.csv", "b.csv"]
    small = run(*words, "--by", "country", "day", "--min-support", "55")
    assert "with fewer than 55 samples left out." in small[1]


def test_long_tables_weights_and_missing_values(folder, run, refused):
    lines = ["who,y,p,times", "a,1,1,30", "a,0,0,20", "a,0,1,5", "b,1,1,30", "b,0,1,25", "b,,1,9"]
    (folder / "long.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = ("evaluate", "long.csv", "--y-true", "y", "--y-pred", "p", "--model", "who", "--weight", "times")
    assert refused(*words) == (
        "column 'y' has 1 missing value. Fill them in, or add --nulls drop to leave those rows out."
    )
    rows = json.loads(run(*words, "--nulls", "drop", "--measure", "mcc", "--json")[1])["rows"]
    assert [(row["model"], row["tp"], row["fp"], row["fn"], row["tn"]) for row in rows] == [
        ("a", 30, 5, 0, 20),
        ("b", 30, 25, 0, 0),
    ]
    assert "1 row with a missing value left out." in run(*words, "--nulls", "drop")[1]
    assert refused(*words, "--fold", "y", "--by", "p").startswith("fold and slices cannot be combined")
    assert refused(*words[:-2], "--weight", "tims").endswith("Did you mean --weight times?")
    assert refused(*words, "--min-support", "-1") == (
        "--min-support must be a whole number from 0 up; found '-1'."
    )


def test_a_pattern_that_no_file_has(folder, refused):
    assert (
        refused("evaluate", "*.parquet", "--y-true", "y", "--y-pred", "tree") == "no file matches *.parquet."
    )


def test_slices_are_judged_together(folder, run, refused):
    words = (*TREE, "--by", "country", "--measure", "mcc", "f1", "--slices")
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert out.startswith("3 slices on MCC: 3 clear surely.\n")
    assert "\n3 slices on F1: " in out
    assert refused(*TREE, "--slices") == "--slices judges slices together; name their columns with --by."
    rows = ["y,p,who", *(f"{row % 2},{row % 3 % 2},{row // 20}" for row in range(1000))]
    (folder / "many.csv").write_text("\n".join(rows), encoding="utf-8")
    many = ("evaluate", "many.csv", "--y-true", "y", "--y-pred", "p", "--by", "who", "--measure", "mcc")
    assert "30 more with --all." in run(*many, "--slices")[1]
    assert run(*many, "--slices", "--all")[1].count("\n") > 50


@pytest.mark.parametrize("aggregate", ["mean", "pooled"])
def test_a_way_of_combining_folds_needs_folds(folder, refused, aggregate):
    words = ["evaluate", "preds.csv", "--y-true", "y", "--y-pred", "tree", "--aggregate", aggregate]
    assert refused(*words) == ("--aggregate says how folds are combined: name their column with --fold.")


def test_a_file_with_a_comma_in_its_name_may_stand_behind_measures(run, refused, tmp_path):
    path = tmp_path / "runs, 24.csv"
    path.write_text("y,p\n" + "1,1\n0,0\n" * 20)
    code, out, err = run("evaluate", "--y-true", "y", "--y-pred", "p", "--measure", "f1", path)
    assert (code, err) == (0, "")
    assert "F1" in out
    found = refused("evaluate", path, "--y-true", "y", "--y-pred", "p", "--measure", "f1,mcc")
    assert found.startswith("--measure 'f1,mcc': separate names with spaces")
