"""``clearbar evaluate`` on files."""

import csv
import json
import pickle
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import clearbar as cb

PREDS = ("evaluate", "preds.csv", "--y-true", "y")
TREE = (*PREDS, "--y-pred", "tree")
WORDS = (*TREE, "coin", "--by", "country", "--measure", "f1")


def columns(path):
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    found = zip(header, zip(*rows, strict=True), strict=True)
    return {name: [int(v) if v.isdigit() else v for v in column] for name, column in found}


@pytest.fixture
def rows_of(run):
    """Run what succeeds with ``--json``; return the rows of the document."""

    def rows_of(*words):
        code, out, err = run(*words, "--json")
        assert (code, err) == (0, "")
        return json.loads(out, parse_constant=pytest.fail)["rows"]

    return rows_of


def test_json_is_what_the_library_says_to_the_last_digit(folder, run):
    measures = ["f1", "mcc", "recall", "dor", "prevalence", "error_rate"]  # with all outcomes and reasons
    code, out, err = run(*TREE, "coin", "--by", "country", "--measure", *measures, "--json")
    assert (code, err) == (0, "")
    table = columns(folder / "preds.csv")
    models = {name: table[name] for name in ("tree", "coin")}
    expected = cb.evaluate(table["y"], models, measures, by=table["country"])
    assert json.loads(out, parse_constant=pytest.fail) == expected.to_dict()


@pytest.mark.parametrize("dataset", ["diabetes", "wisconsin"])
def test_what_is_printed_is_what_the_library_prints(dataset, run):
    path = Path(cb.__file__).parent / "_demo" / f"{dataset}.csv"
    table, models = columns(path), ["naive_bayes", "decision_tree"]
    words = ("evaluate", path, "--y-true", "y_true", "--y-pred")
    expected = cb.evaluate(table["y_true"], {name: table[name] for name in models})
    footer = "--all shows interval, skill and p of each score."
    assert run(*words, *models)[1] == f"{expected.to_text()}\n{footer}\n"
    sliced = cb.evaluate(table["y_true"], {models[0]: table[models[0]]}, "f1", by=table["split"])
    assert run(*words, models[0], "--measure", "f1", "--by", "split")[1] == f"{sliced.to_text()}\n"


def test_parquet_gives_what_csv_gives_and_several_files_are_one_table(folder, run):
    table, expected = pl.read_csv("preds.csv"), run(*TREE)
    table.write_parquet("preds.parquet")
    table[:50].write_csv("first.csv")
    table[50:].reverse().write_parquet("rest.parquet")
    assert expected[0] == 0
    assert run("evaluate", "preds.parquet", *TREE[2:]) == expected
    assert run("evaluate", "first.csv", "rest.parquet", *TREE[2:]) == expected


@pytest.mark.parametrize(
    "words",
    [
        "--y-true y preds.csv --y-pred tree --y-pred coin",
        "--y-pred tree coin preds.csv --y-true y",
        "preds.csv --y-true y --y-pred tree coin tree",
    ],
)
def test_options_and_files_come_in_any_order(folder, run, words):
    assert run("evaluate", *words.split()) == run(*TREE, "coin")


def test_the_positive_label_is_named_as_it_is_written(folder, rows_of):
    mail = ("evaluate", "mail.csv", "--y-true", "label", "--y-pred", "filter", "--measure", "f1")
    for label, cells in (("spam", (20, 5, 5, 30)), ("ham", (30, 5, 5, 20))):
        (row,) = rows_of(*mail, "--pos-label", label)
        assert (row["tp"], row["fp"], row["fn"], row["tn"]) == cells
    (folder / "t.csv").write_text("y,a\nTrue,1\nFalse,0\nTrue,0\n", encoding="utf-8")
    (folder / "m.csv").write_text("y,a\n-1,1\n1,1\n", encoding="utf-8")
    judged = ("--y-true", "y", "--y-pred", "a", "--measure", "f1", "--pos-label")
    assert [rows_of("evaluate", "t.csv", *judged, label)[0]["tp"] for label in ("true", "-0.0")] == [1, 1]
    assert rows_of("evaluate", "m.csv", *judged, "-1")[0]["tp"] == 0


def test_a_reason_is_worded_where_it_is_read(folder, run, rows_of):
    """Python's words on the value, options on the command line; data have Python's."""
    reason = cb.baseline(cb.Population(30, 10), "dor").reason
    assert reason.startswith(reason.why)
    assert reason.endswith("; undefined='worst' or undefined=0.0 gives diagnostic odds ratio a bar")
    assert pickle.loads(pickle.dumps(reason)).why == reason.why  # noqa: S301 - our own
    sizes = ("--total", 30, "--positives", 10)
    asked = (("baseline", *sizes, "--measure", "dor"), ("explain", "dor"), (*TREE, "--measure", "dor"))
    for words in asked:
        shown = " ".join(run(*words)[1].split())
        assert "--undefined worst or --undefined 0 gives diagnostic odds ratio a bar" in shown
        assert "undefined=" not in shown
    assert rows_of(*asked[-1])[0]["reason"].endswith("undefined=0.0 gives diagnostic odds ratio a bar")


FILES = {
    "late.csv": "split,y,age,p,tree\n1,1,31,0.9,0\n2,0,64,0.2,1\n",
    "said.csv": "id,name,said,spam\n1,a,0.75,yes\n2,b,0.25,no\n",
    "text.csv": "id,is,call\n1,yes,no\n2,no,yes\n",
    "one.csv": "id,gold,answer\n7,a,b\n8,b,a\n",
    "bare.csv": "1,0,2.5\n0,0,3\n",
    "b.csv": "y,knn\n1,1\n",
    "a.csv": "y,female,tree,p\n1,1,1,0.75\n0,0,0,0.25\n0,1,1,0.5\n",
    "dash.csv": "y,-tree\n1,1\n0,0\n0,1\n",
    "holes.csv": "y,a,g\n1,1,\n0,,x\n0,1,\n",
    "kinds.csv": "y,a\n1,yes\n0,no\n",
    "years.csv": "city,2023,2024\na,3,4\n",
}


@pytest.fixture
def files(folder):
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


TRUTH = "name the column of true labels with --y-true."
HAS = "preds.csv has: y, tree, coin, country and score."
BARE = "and 2.5. The first line names the columns; if it is data, put a line of names before it."


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("evaluate preds.csv", f"{TRUTH} {HAS} For example clearbar {' '.join(TREE)}"),
        (" ".join(PREDS), f"one per model. {HAS} For example clearbar {' '.join(TREE)}"),
        ("evaluate late.csv", "late.csv --y-true y --y-pred tree"),
        ("check said.csv --y-true spam --y-pred q", "--y-score said?"),
        ("compare preds.csv --y-true y", "compare preds.csv --y-true y --y-pred tree coin"),
        ("check text.csv --y-pred call", "--y-true is --y-pred call"),
        ("evaluate nope.csv", "there is no file nope.csv. Did you mean one.csv?"),
        ("evaluate --y-true y --y-pred tree",
         "name a file to read: clearbar evaluate FILE --y-true COL --y-pred COL."),
        ("evaluate a.csv --y-true y --by female", " --y-true y --y-pred tree"),
        ("evaluate a.csv --y-true y --threshold 0.5", "a.csv --y-true y --y-pred p --threshold 0.5"),
        ("evaluate dash.csv", "--y-true y --y-pred=-tree"),
        (f"{' '.join(TREE)} --by county", "Did you mean --by country?"),
        (f"{' '.join(PREDS)} --y-pred scor", "Did you mean --y-score score?"),
        (f"{' '.join(PREDS)} --y-pred y",
         "column 'y' is named by --y-true and by --y-pred: labels that judge themselves."),
        ("evaluate bare.csv --y-true y --y-pred p", BARE),
        ("evaluate years.csv", f"{TRUTH} years.csv has: city, 2023 and 2024."),
        ("evaluate preds.csv b.csv --y-true y --y-pred tree",
         "no column 'tree' in b.csv. It has: y and knn."),
    ],
)  # fmt: skip
def test_columns_that_are_not_named_or_not_there_are_met_with_what_to_type(files, refused, run, words, said):
    found = refused(*words.split())
    assert found.endswith(said)
    if "For example clearbar" in found:
        code, _, err = run(*found.partition("For example clearbar ")[2].split())
        assert code < 2 or "--pos-label" in err, "it is a command"


def test_labels_that_cannot_be_judged_are_told_in_the_words_of_the_command_line(files, refused):
    rows = {
        ("preds.csv", "y", "score"): "these look like scores; name their columns with --y-score, or if they "
        "are probabilities, add --threshold 0.5.",
        ("preds.csv", "score", "tree"): "Numbers are judged by a measure of them, such as --measure mae.",
        ("mail.csv", "label", "filter"): "Pass --pos-label ham or --pos-label spam.",
        ("mail.csv", "label", "filter", "--pos-label", "eggs"): "--pos-label: no label is 'eggs'; ",
        ("holes.csv", "y", "a"): "column 'a' has 1 missing value. Fill them in, or add --nulls drop ",
        ("holes.csv", "y", "y", "--by", "g"): "labels that judge themselves",
        ("kinds.csv", "y", "a"): "column 'y' holds 0: 1, 1: 1 samples but column 'a' holds 'no': 1",
    }
    for (file, truth, predicted, *more), said in rows.items():
        assert said in refused("evaluate", file, "--y-true", truth, "--y-pred", predicted, *more)


@pytest.mark.slow
def test_a_page_is_written_beside_what_is_printed(folder, run):
    code, plain, _ = run(*WORDS)
    wishes = ("--title", "Churn <2026>", "--subtitle", "third quarter", "--data", "holdout", "--date", "June")
    out = f"{plain}\nThe report is in page.html.\n"
    assert run(*WORDS, "--html", "page.html", *wishes) == (code, out, "")
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert f"clearbar {' '.join(WORDS)} --html page.html" in page
    assert [name for name in ("tree", "coin", "nl", "de", "fr") if f">{name}<" not in page] == []
    assert "<title>Churn &lt;2026&gt;</title>" in page
    assert [word for word in ("third quarter", "· holdout · June") if word not in page] == []
    small = (*PREDS, "--y-pred", "coin", "--measure", "accuracy")
    assert json.loads(run(*small, "--json", "--html", "2.html")[1])["models"] == ["coin"]
    assert (folder / "2.html").exists()
    sliced = run(*small, "--by", "country", "--slices", "--html", "3.html")[1]
    assert sliced.endswith("\n\nThe report is in 3.html.\n")


def test_a_page_that_is_there_is_replaced_only_with_force(folder, run, refused):
    (folder / "page.html").write_text("mine")
    said = "page.html is there already; add --force to replace it, or another name."
    assert refused("evaluate", "nope.csv", "--html", "page.html") == said  # before anything is read
    assert (folder / "page.html").read_text() == "mine"
    assert run(*TREE, "--measure", "f1", "--html", "page.html", "--force")[0] == 0
    assert (folder / "page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


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


def test_columns_and_files_may_be_called_like_options_and_lists(folder, run, refused):
    (folder / "d.csv").write_text("-y,--a\n1,1\n0,0\n", encoding="utf-8")
    assert run("evaluate", "d.csv", "--y-true=-y", "--y-pred=--a")[0] == 0
    (folder / "runs, 24.csv").write_text("y,p\n" + "1,1\n0,0\n" * 20)
    words = ("evaluate", "--y-true", "y", "--y-pred", "p", "--measure", "f1", "runs, 24.csv")
    assert run(*words)[0] == 0
    found = refused("evaluate", "runs, 24.csv", *words[1:5], "--measure", "f1,mcc")
    assert found.startswith("--measure 'f1,mcc': separate names with spaces")


def test_several_slices_probabilities_and_folds(tmp_path, monkeypatch, run, rows_of):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    y, day, fold = rng.integers(0, 2, 300), rng.integers(1, 4, 300), rng.integers(0, 3, 300)
    proba, country = np.clip(y * 0.4 + rng.random(300) * 0.6, 0, 1), rng.choice(["nl", "de"], 300)
    table = pl.DataFrame({"y": y, "p": proba, "day": day, "country": country, "fold": fold})
    table[:150].write_csv("a.csv")
    table[150:].write_csv("b.csv")
    words = ("evaluate", "*.csv", "--y-true=y", "--y-pred=p", "--threshold=0.5", "--measure", "f1", "mcc")
    for more, options in (
        (("--by", "country", "day"), {"by": ["country", "day"]}),
        (("--fold", "fold", "--aggregate", "mean"), {"fold": "fold", "aggregate": "mean"}),
        (("--by-file",), {"by_file": True}),
    ):
        card = cb.evaluate_frame("*.csv", "y", "p", threshold=0.5, measures=["f1", "mcc"], **options)
        assert rows_of(*words, *more) == card.to_dict()["rows"]
    small = run(*words, "--by", "country", "day", "--min-support", "55")[1]
    assert "with fewer than 55 samples left out." in small


def test_long_tables_weights_and_missing_values(folder, run, refused, rows_of):
    lines = ["who,y,p,times", "a,1,1,30", "a,0,0,20", "a,0,1,5", "b,1,1,30", "b,0,1,25", "b,,1,9"]
    (folder / "long.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = ("evaluate", "long.csv", "--y-true=y", "--y-pred=p", "--model=who", "--weight=times")
    missing = "column 'y' has 1 missing value. Fill them in, or add --nulls drop to leave those rows out."
    assert refused(*words) == missing
    rows = rows_of(*words, "--nulls", "drop", "--measure", "mcc")
    found = [(row["model"], row["tp"], row["fp"], row["fn"], row["tn"]) for row in rows]
    assert found == [("a", 30, 5, 0, 20), ("b", 30, 25, 0, 0)]
    assert "1 row with a missing value left out." in run(*words, "--nulls", "drop")[1]
    assert refused(*words, "--fold", "y", "--by", "p").startswith("fold and slices cannot be combined")
    support = "--min-support must be a whole number from 0 up; found '-1'."
    assert refused(*words, "--min-support", "-1") == support


def test_slices_are_judged_together(folder, run, refused):
    words = (*TREE, "--by", "country", "--measure", "mcc", "f1", "--slices")
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert out.startswith("3 slices on MCC: 3 clear surely.\n")
    assert "\n3 slices on F1: " in out
    found = json.loads(run(*words, "--json")[1])["slices"]
    assert [row["measure"] for row in found] == ["mcc"] * 3 + ["f1"] * 3
    for row in found:
        sure = row["score"] > row["bar"] and row["p_adjusted"] <= 0.05
        assert row["group"] in {"nl", "de", "fr"}
        assert (row["standing"] == "clears surely") == sure
    assert refused(*TREE, "--slices") == "--slices judges slices together; name their columns with --by."
    combined = "--aggregate says how folds are combined: name their column with --fold."
    assert refused(*TREE, "--aggregate", "mean") == combined
