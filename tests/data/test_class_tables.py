"""Tables of more than two classes: every engine counts as evaluate does on the same columns."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import confusion_matrix
from tests.data.engines import HERE

import clearbar as cb
from clearbar.data import tables

ENGINES = pytest.mark.parametrize("engine", list(HERE))
RNG = np.random.default_rng(5)
ROWS = 240
TRUTH = RNG.choice(["cat", "cow", "dog"], ROWS, p=[0.5, 0.3, 0.2])
COLUMNS = {
    "y": TRUTH.tolist(),
    "tree": np.where(RNG.random(ROWS) < 0.7, TRUTH, RNG.permutation(TRUTH)).tolist(),
    "coin": RNG.choice(["cat", "cow", "dog", "emu"], ROWS).tolist(),
    "digit": np.searchsorted(["cat", "cow", "dog"], TRUTH).tolist(),
    "called": RNG.integers(0, 3, ROWS).tolist(),
    "country": RNG.choice(["nl", "de"], ROWS).tolist(),
    "day": RNG.integers(1, 4, ROWS).tolist(),
    "times": RNG.integers(0, 4, ROWS).tolist(),
}
QUICK = {"measures": ["accuracy", "f1_macro"], "intervals": False}


def judged(columns, truth, models, by=None):
    """Judge the columns themselves."""
    slices = None if by is None else columns[by]
    named = {name: columns[name] for name in models}
    return cb.evaluate_multiclass(columns[truth], named, by=slices, **QUICK)


def compares_alike(card, arrays, a, b):
    told, known = (one.compare(a, b, "f1_macro") for one in (card, arrays))
    assert (told.p_value, told.score_difference) == (known.p_value, pytest.approx(known.score_difference))
    assert (told.only_a_right, told.only_b_right) == (known.only_a_right, known.only_b_right)
    assert (told.low, told.high) == pytest.approx((known.low, known.high))


def long_of(columns, models):
    """Return a long table of models, its rows in random order."""
    rows = len(columns["y"])
    parts = {
        "y": columns["y"] * len(models),
        "said": [label for name in models for label in columns[name]],
        "who": [name for name in models for _ in range(rows)],
        "country": columns["country"] * len(models),
    }
    order = np.random.default_rng(2).permutation(rows * len(models)).tolist()
    return {name: [values[at] for at in order] for name, values in parts.items()}


def refused(frame, *names, **options):
    with pytest.raises(ValueError) as caught:
        cb.evaluate_frame(frame, *names, **{**QUICK, **options})
    assert "\n" not in str(caught.value)
    return str(caught.value)


@ENGINES
def test_a_table_is_judged_as_its_columns_are(engine, monkeypatch):
    rows = []
    collected = tables.collected
    monkeypatch.setattr(tables, "collected", lambda *given: rows.append(len(out := collected(*given))) or out)
    table = HERE[engine](COLUMNS)
    card = cb.evaluate_frame(table, "y", ["tree", "coin"], **QUICK)
    arrays = judged(COLUMNS, "y", ["tree", "coin"])
    assert card == arrays
    compares_alike(card, arrays, "tree", "coin")
    sliced = cb.evaluate_frame(table, "y", ["tree", "coin"], by="country", kind="multiclass", **QUICK)
    with pytest.raises(ValueError, match="without slices or weights"):
        sliced.compare("tree", "coin", "accuracy")
    assert sliced == judged(COLUMNS, "y", ["tree", "coin"], "country")
    assert max(rows) <= 3 * 4 * 2 * 4, "a row per pair of labels and slice comes back"
    digits = cb.evaluate_frame(table, "digit", "called", by=["country", "day"], **QUICK)
    assert len(digits.groups) == 7
    matrix = digits.problem.matrices[0][0].to_array()
    assert (matrix == confusion_matrix(COLUMNS["digit"], COLUMNS["called"])).all()
    assert digits.groups[1] == ("de", 1)


@ENGINES
def test_a_long_table_and_weights(engine):
    columns = long_of(COLUMNS, ["tree", "coin"])
    card = cb.evaluate_frame(HERE[engine](columns), "y", "said", model="who", by="country", **QUICK)
    expected = judged(COLUMNS, "y", ["coin", "tree"], "country")
    assert card.models == ("coin", "tree")
    assert card == expected
    weighed = cb.evaluate_frame(HERE[engine](COLUMNS), "y", "tree", weight="times", by="country", **QUICK)
    repeated = {name: np.repeat(values, COLUMNS["times"]).tolist() for name, values in COLUMNS.items()}
    assert weighed == judged(repeated, "y", ["tree"], "country")


@ENGINES
def test_rows_that_lack_a_label_are_left_out_for_all_models(engine):
    gaps = {**COLUMNS, "tree": [None, *COLUMNS["tree"][1:]], "called": [*COLUMNS["called"][:-1], None]}
    table = HERE[engine](gaps)
    assert "tree" in refused(table, "y", ["tree", "coin"])
    assert "1 missing value" in refused(table, "y", ["tree", "coin"])
    card = cb.evaluate_frame(table, "y", ["tree", "coin"], nulls="drop", **QUICK)
    whole = {name: values[1:] for name, values in COLUMNS.items()}
    arrays = judged(whole, "y", ["tree", "coin"])
    assert replace(card, notes=()) == arrays
    compares_alike(card, arrays, "tree", "coin")
    assert card.notes == ("1 row with a missing value left out.",)
    numbers = cb.evaluate_frame(table, "digit", "called", nulls="drop", **QUICK)
    assert numbers.problem.matrices[0][0].total == ROWS - 1


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_files_are_read_as_what_they_hold(tmp_path, ending):
    frame = pl.DataFrame(COLUMNS).sort("digit")  # the first rows of CSV look like 0 and 1
    for part, rows in enumerate((frame[:100], frame[100:])):
        path = tmp_path / f"{part}.{ending}"
        {"csv": rows.write_csv, "jsonl": rows.write_ndjson, "parquet": rows.write_parquet}[ending](path)
    files = str(tmp_path / f"*.{ending}")
    columns = {name: frame[name].to_list() for name in frame.columns}
    assert cb.evaluate_frame(files, "y", ["tree", "coin"], by="country", **QUICK) == judged(
        columns, "y", ["tree", "coin"], "country"
    )
    digits = cb.evaluate_frame(files, "digit", "called", intervals=False)
    assert digits.problem.matrices[0][0].labels == (0, 1, 2)
    assert digits == cb.evaluate(columns["digit"], {"called": columns["called"]}, intervals=False)


def test_labels_in_csv_may_be_spelt_in_several_ways(tmp_path):
    (tmp_path / "a.csv").write_text("y,p,q\n1,1.0,1\n2,2,+2\n3,3,NA\n3,1,3\n2,2,2\n")
    card = cb.evaluate_frame(str(tmp_path / "a.csv"), "y", ["p", "q"], nulls="drop", **QUICK)
    labels = cb.evaluate_multiclass([1, 2, 3, 2], {"p": [1, 2, 1, 2], "q": [1, 2, 3, 2]}, **QUICK)
    assert replace(card, notes=()) == labels
    compares_alike(card, labels, "p", "q")
    assert "1 missing value" in refused(str(tmp_path / "a.csv"), "y", ["p", "q"])
    assert card.notes == ("1 row with a missing value left out.",)


def test_clusters_read_the_samples():
    group = (np.arange(ROWS) // 8).tolist()
    frame = pl.LazyFrame({**COLUMNS, "patient": group})
    card = cb.evaluate_frame(frame, "y", "tree", clusters="patient", by="country", measures="f1_macro")
    arrays = cb.evaluate_multiclass(
        COLUMNS["y"], {"tree": COLUMNS["tree"]}, "f1_macro", clusters=group, by=COLUMNS["country"]
    )
    assert card == arrays
    assert "groups" in card[0].reason


def test_small_slices_and_other_samples():
    frame = pd.DataFrame({**COLUMNS, "who": ["a"] * 235 + ["b"] * 5})
    card = cb.evaluate_frame(frame, "y", "tree", by="who", min_support=10, **QUICK)
    assert card.groups == (None, "a")
    assert card.notes == ("1 slice with fewer than 10 samples left out.",)
    assert "same samples; 'a' has" in refused(frame, "y", "tree", model="who")


def test_what_makes_no_sense_is_a_sentence():
    frame = pd.DataFrame({**COLUMNS, "score": RNG.random(ROWS)})
    assert "threshold=0.5 makes two classes" in refused(frame, "y", "score", threshold=0.5)
    assert "leave out pos_label and judge all" in refused(frame, "y", "tree", pos_label="cat", measures="mcc")
    assert "pos_label='cat' is for labels of two" in refused(
        frame, "y", "tree", pos_label="cat", kind="multiclass"
    )
    assert "evaluate_multiclass has zero_division" in refused(frame, "y", "tree", undefined=0.0)
    assert "which is not a label" in refused(frame, "digit", "score")
    assert "y_true holds text but y_pred holds numbers" in refused(frame, "y", "called")
    assert refused(frame, "y", "tree", kind="rows") == (
        "kind must be None, 'binary', 'multiclass' or 'regression'; found 'rows'."
    )
    assert "y_true holds three labels" in refused(frame, "y", "tree", kind="binary", measures="mcc")
    assert "name f1_micro, f1_macro or f1_weighted" in refused(frame, "y", "tree", measures="f1")


def test_the_command_line_sees_more_than_two_classes(tmp_path, capsys, monkeypatch):
    from clearbar.cli import main

    monkeypatch.chdir(tmp_path)
    pd.DataFrame(COLUMNS).to_csv("a.csv", index=False)
    words = ["a.csv", "--y-true", "y", "--y-pred", "tree", "coin"]

    def run(*more):
        code = main([*more[:1], *words, *more[1:]])
        return code, *capsys.readouterr()

    code, out, err = run("evaluate")
    assert (code, err) == (0, "")
    assert "240 samples of 4 classes" in out
    assert "macro F1" in out
    code, out, _ = run("evaluate", "--json", "--by", "country", "--measure", "f1_macro")
    rows = json.loads(out)["rows"]
    assert [row["group"] for row in rows] == [None, "de", "nl"] * 2
    code, out, _ = run("check")
    assert code == 1
    assert "tree  MCC" in out
    assert run("check", "--measure", "f1_macro", "--alpha", "none")[0] == 1
    assert run("evaluate", "--pos-label", "cat")[0] == 2
    code, _, err = run("check", "--by", "digit", "--measure", "accuracy")
    assert code == 2
    assert "are all of one class. Judge on samples of several classes." in err
