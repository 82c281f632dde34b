"""Tables of more than two classes: every engine counts as evaluate does on the same columns."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import confusion_matrix
from tests.data.engines import ENGINES, HERE, refused

import clearbar as cb
from clearbar.data import tables

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


def judged(columns, models, by=None, truth="y"):
    """Judge the columns themselves."""
    slices = None if by is None else columns[by]
    named = {name: columns[name] for name in models}
    return cb.evaluate_multiclass(columns[truth], named, by=slices, **QUICK)


def compares_alike(card, arrays, a, b):
    told, known = (one.compare(a, b, "f1_macro") for one in (card, arrays))
    for name in ("p_value", "score_difference", "only_a_right", "only_b_right", "low", "high"):
        assert getattr(told, name) == pytest.approx(getattr(known, name)), name


@ENGINES
def test_a_table_is_judged_as_its_columns_are(engine, monkeypatch):
    rows = []
    collected = tables.collected
    monkeypatch.setattr(tables, "collected", lambda *given: rows.append(len(out := collected(*given))) or out)
    table = HERE[engine](COLUMNS)
    card = cb.evaluate_frame(table, "y", ["tree", "coin"], **QUICK)
    arrays = judged(COLUMNS, ["tree", "coin"])
    assert card == arrays
    if engine == "polars":
        compares_alike(card, arrays, "tree", "coin")
    sliced = cb.evaluate_frame(table, "y", ["tree", "coin"], by="country", kind="multiclass", **QUICK)
    with pytest.raises(ValueError, match="without slices or weights"):
        sliced.compare("tree", "coin", "accuracy")
    assert sliced == judged(COLUMNS, ["tree", "coin"], "country")
    assert max(rows) <= 3 * 4 * 2 * 4, "a row per pair of labels and slice comes back"
    digits = cb.evaluate_frame(table, "digit", "called", by=["country", "day"], **QUICK)
    matrix = digits.problem.matrices[0][0].to_array()
    assert (matrix == confusion_matrix(COLUMNS["digit"], COLUMNS["called"])).all()
    assert (len(digits.groups), digits.groups[1]) == (7, ("de", 1))


@ENGINES
def test_a_long_table_and_weights(engine):
    long = pd.DataFrame(COLUMNS).melt(["y", "country"], ["tree", "coin"], "who", "said")
    columns = long.sample(frac=1, random_state=2).to_dict("list")
    card = cb.evaluate_frame(HERE[engine](columns), "y", "said", model="who", by="country", **QUICK)
    assert card.models == ("coin", "tree")
    assert card == judged(COLUMNS, ["coin", "tree"], "country")
    weighed = cb.evaluate_frame(HERE[engine](COLUMNS), "y", "tree", weight="times", by="country", **QUICK)
    repeated = {name: np.repeat(values, COLUMNS["times"]).tolist() for name, values in COLUMNS.items()}
    assert weighed == judged(repeated, ["tree"], "country")


@ENGINES
def test_rows_that_lack_a_label_are_left_out_for_all_models(engine):
    gaps = {**COLUMNS, "tree": [None, *COLUMNS["tree"][1:]], "called": [*COLUMNS["called"][:-1], None]}
    table = HERE[engine](gaps)
    assert "(column 'tree') has 1 missing value" in refused(table, "y", ["tree", "coin"], **QUICK)
    card = cb.evaluate_frame(table, "y", ["tree", "coin"], nulls="drop", **QUICK)
    arrays = judged({name: values[1:] for name, values in COLUMNS.items()}, ["tree", "coin"])
    assert replace(card, notes=()) == arrays
    if engine == "polars":
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
    files, columns = str(tmp_path / f"*.{ending}"), frame.to_dict(as_series=False)
    card = cb.evaluate_frame(files, "y", ["tree", "coin"], by="country", **QUICK)
    assert card == judged(columns, ["tree", "coin"], "country")
    digits = cb.evaluate_frame(files, "digit", "called", **QUICK)
    assert digits.problem.matrices[0][0].labels == (0, 1, 2)
    assert digits == judged(columns, ["called"], truth="digit")


@pytest.mark.slow
def test_labels_in_csv_may_be_spelt_in_several_ways(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("y,p,q\n1,1.0,1\n2,2,+2\n3,3,NA\n3,1,3\n2,2,2\n")
    card = cb.evaluate_frame(path, "y", ["p", "q"], nulls="drop", **QUICK)
    labels = cb.evaluate_multiclass([1, 2, 3, 2], {"p": [1, 2, 1, 2], "q": [1, 2, 3, 2]}, **QUICK)
    assert replace(card, notes=()) == labels
    compares_alike(card, labels, "p", "q")
    assert "1 missing value" in refused(path, "y", ["p", "q"], **QUICK)


@pytest.mark.parametrize(
    ("names", "options", "says"),
    [
        (("y", "score"), {"threshold": 0.5}, "threshold=0.5 makes two classes"),
        (("y", "tree"), {"pos_label": "cat", "measures": "mcc"}, "leave out pos_label and judge all"),
        (("y", "called"), {}, "y_true holds text but y_pred holds numbers"),
        (("y", "tree"), {"kind": "binary", "measures": "mcc"}, "y_true holds three labels"),
        (("y", "tree"), {"measures": "f1"}, "name f1_micro, f1_macro or f1_weighted"),
    ],
)
def test_what_makes_no_sense_is_a_sentence(names, options, says):
    frame = pd.DataFrame({**COLUMNS, "score": np.linspace(0, 1, ROWS)})
    assert says in refused(frame, *names, **{**QUICK, **options})
