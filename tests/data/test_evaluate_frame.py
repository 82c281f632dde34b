"""Tables of every library are counted alike, and as a loop over their rows would."""

import itertools
import pickle

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.data.engines import ENGINES, HERE, QUICK, by_hand, cells, predictions, refused

import clearbar as cb

COLUMNS = predictions()
FRAME = pd.DataFrame(COLUMNS)


@ENGINES
@pytest.mark.parametrize("by", [[], ["country"], ["day", "country"]], ids=["whole", "text", "both"])
def test_a_wide_table_is_counted_as_its_columns_are_and_slices_are_distinct_values(engine, by):
    card = cb.evaluate_frame(HERE[engine](COLUMNS), "y", ["tree", "coin"], by=by or None, **QUICK)
    for at, model in enumerate(("tree", "coin")):
        assert cells(card, at) == by_hand(COLUMNS, model, by=by)
    assert list(card.groups[1:]) == sorted(card.groups[1:])
    if not by:
        arrays = {name: COLUMNS[name] for name in ("tree", "coin")}
        assert card == cb.evaluate(COLUMNS["y"], arrays, **QUICK)


def test_a_slice_of_several_columns_prints_its_values():
    card = cb.evaluate_frame(FRAME, "y", "tree", by=["country", "day"], measures="mcc")
    assert str(card.groups[1]) == "be, 1"
    assert "be, 1" in str(card)
    assert card.to_dict()["rows"][1]["group"] == card.to_frame("polars")["group"][1] == "be, 1"
    assert card.clears("mcc", group=("nl", 1)) in {True, False}
    assert pickle.loads(pickle.dumps(card)) == card  # noqa: S301 - our own


@ENGINES
def test_probabilities_are_positive_from_the_threshold_on_and_labels_of_any_kind(engine):
    columns = {**COLUMNS, "proba": [0.5, 0.25, 0.75, *COLUMNS["proba"][3:]]}
    reached = {**columns, "hit": [p >= 0.5 for p in columns["proba"]]}
    text = {**columns, "y": ["spam" if y else "ham" for y in columns["y"]]}
    for table, options in ((columns, {}), (text, {"pos_label": "spam"})):
        card = cb.evaluate_frame(
            HERE[engine](table), "y", "proba", threshold=0.5, by="day", **QUICK, **options
        )
        assert cells(card) == by_hand(reached, "hit", by=["day"])


@ENGINES
def test_weights_say_how_often_a_row_occurs(engine):
    weight = np.random.default_rng(2).integers(0, 5, 400).tolist()
    weight[5] = 3_000_000_000
    table = HERE[engine]({**COLUMNS, "times": weight, "floats": [float(times) for times in weight]})
    for name in ("times", "floats"):
        card = cb.evaluate_frame(table, "y", ["tree", "coin"], weight=name, by="country", **QUICK)
        assert cells(card, 1) == by_hand(COLUMNS, "coin", by=["country"], weight=weight)


@ENGINES
@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [((1, 0), 0), ((-1, 1), None), ((True, False), False), ((0.0, 1.0), None), (("0", "1"), "1"),
     ((3, 7), 7)],
    ids=str,
)  # fmt: skip
def test_labels_of_any_kind(engine, labels, pos_label):
    columns = {**COLUMNS, **{name: [labels[label] for label in COLUMNS[name]] for name in ("y", "tree")}}
    for by in (None, "day"):
        card = cb.evaluate_frame(HERE[engine](columns), "y", "tree", by=by, pos_label=pos_label, **QUICK)
        assert cells(card) == by_hand(COLUMNS, "tree", by=[by] if by else ())


def test_categories():
    text = {name: [["no", "yes"][label] for label in COLUMNS[name]] for name in ("y", "tree")}
    for table in (
        pd.DataFrame(text).astype("category"),
        pl.DataFrame(text, schema={"y": pl.Categorical, "tree": pl.Categorical}),
        pl.DataFrame(text, schema={"y": pl.Enum(["no", "yes"]), "tree": pl.String}).lazy(),
        pa.table({name: pa.array(column).dictionary_encode() for name, column in text.items()}),
    ):
        assert cells(cb.evaluate_frame(table, "y", "tree", pos_label="yes", **QUICK)) == by_hand(
            COLUMNS, "tree"
        )
    numbers = FRAME[["y", "tree"]].astype("category")
    assert cells(cb.evaluate_frame(numbers, "y", "tree", **QUICK)) == by_hand(COLUMNS, "tree")


MISSING = {
    **COLUMNS,
    "y": [None, *COLUMNS["y"][1:]],
    "tree": [1, None, None, *COLUMNS["tree"][3:]],
    "country": [*COLUMNS["country"][:-1], None],
}


@ENGINES
def test_missing_values_are_refused_with_their_number_and_column(engine):
    table = HERE[engine](MISSING)
    assert refused(table, "y", "coin") == (
        "y_true (column 'y') has 1 missing value. Fill them in, or pass nulls='drop' to leave those rows out."
    )
    for names, options, says in (
        (("coin", ["tree", "y"]), {}, "y_pred['tree'] (column 'tree') has 2 missing values"),
        (("coin", "tree"), {"by": "day"}, "y_pred (column 'tree') has 2 missing values"),
        (("coin", "day"), {"by": "country", "threshold": 2}, "by (column 'country') has 1 missing value"),
    ):
        assert refused(table, *names, **options).startswith(says)


@ENGINES
@pytest.mark.parametrize("by", [[], ["country", "day"]], ids=len)
def test_rows_with_missing_values_are_left_out_and_counted(engine, by):
    card = cb.evaluate_frame(
        HERE[engine](MISSING), "y", ["tree", "coin"], by=by or None, **QUICK, nulls="drop"
    )
    gone = {0, 1, 2} | ({399} if by else set())
    for at, model in enumerate(("tree", "coin")):
        assert cells(card, at) == by_hand(MISSING, model, by=by, keep=lambda row: row not in gone)
    assert card.notes == (f"{len(gone)} rows with a missing value left out.",)
    assert card.notes[0] in str(card)


@ENGINES
def test_nan_text_and_truth_values_may_be_missing(engine):
    nan = float("nan")
    columns = {**COLUMNS, "proba": [nan, nan, *COLUMNS["proba"][2:]]}
    table = HERE[engine](columns)
    assert "has 2 missing values" in refused(table, "y", "proba", threshold=0.5)
    card = cb.evaluate_frame(table, "y", "proba", threshold=0.5, nulls="drop", **QUICK)
    hits = {**columns, "hit": [p >= 0.5 for p in columns["proba"]]}
    assert cells(card) == by_hand(hits, "hit", keep=lambda row: row > 1)
    for labels, positive in ((("ham", "spam"), "spam"), ((False, True), True)):
        columns = {name: [labels[label] for label in COLUMNS[name]] for name in ("y", "tree")}
        columns["tree"][7] = None
        table = HERE[engine](columns)
        card = cb.evaluate_frame(table, "y", "tree", pos_label=positive, nulls="drop", **QUICK)
        assert cells(card) == by_hand(COLUMNS, "tree", keep=lambda row: row != 7)


HOSTILE = ['a"b', "a.b", "a`b", "^.*$", "'; DROP TABLE x; --", "<script>alert(1)</script>", "*", "n", "t",
           "p0", "a b", "é\n", "index"]  # fmt: skip


@ENGINES
def test_names_and_labels_are_data(engine):
    names = dict(zip(HOSTILE, itertools.cycle(("y", "tree", "coin", "country")), strict=False))
    table = HERE[engine]({hostile: COLUMNS[plain] for hostile, plain in names.items()})
    for truth, model, by in zip(HOSTILE[::4], HOSTILE[1::4], HOSTILE[3::4], strict=False):
        card = cb.evaluate_frame(table, truth, model, by=by, **QUICK)
        assert cells(card) == by_hand(COLUMNS, "tree", by=["country"])
        assert "<script>" not in card._repr_html_()
    labels = ("<b>'\"; --</b>", "x' OR '1'='1")
    columns = {name: [labels[label] for label in COLUMNS[name]] for name in ("y", "tree")}
    columns["slice"] = [labels[day % 2] for day in COLUMNS["day"]]
    card = cb.evaluate_frame(HERE[engine](columns), "y", "tree", by="slice", pos_label=labels[1], **QUICK)
    assert cells(card)[None] == by_hand(COLUMNS, "tree")[None]
    assert set(card.groups) == {None, *labels}
    assert "<b>" not in card._repr_html_()


@ENGINES
def test_what_is_wrong_with_a_table_is_told_alike_by_every_engine(engine):
    """Labels in the words for arrays; a column that is not there with the nearest first."""
    make = HERE[engine]
    three = {**COLUMNS, "y": [2, 2, *COLUMNS["y"][2:]]}
    with pytest.raises(ValueError) as arrays:
        cb.evaluate(three["y"], three["tree"], pos_label=2)
    assert refused(make(three), "y", "tree", pos_label=2) == str(arrays.value)
    foreign = make({**COLUMNS, "tree": ["yes", "no"] * 200})
    assert "y_pred holds 'no': 200, 'yes': 200 samples" in refused(foreign, "y", "tree")
    odd = {"half": [0.5] * 3 + [1.0] * 397, "minus": [-2] + [1] * 399, "zero": [0] * 400}
    table = make({**COLUMNS, **odd})
    assert "these look like scores; name their columns with y_score, or if" in refused(table, "y", "proba")
    text = make({"y": ["yes", "no"], "p": ["no", "no"]})
    assert "so that the positive one must be named" in refused(text, "y", "p")
    assert "pos_label='maybe' does not occur" in refused(text, "y", "p", pos_label="maybe")
    assert refused(make(COLUMNS), "y", "three") == (
        "no column 'three' in the frame. It has: tree, y, coin, proba, country and day."
    )
    assert "found 0.5 and 2 more. Importance weights have no" in refused(table, "y", "tree", weight="half")
    assert "found -2." in refused(table, "y", "tree", weight="minus", by="day")
    assert refused(table, "y", "tree", weight="zero").startswith("weight is 0 everywhere")
    long = make({"y": [1, 0, 1, 1, 0], "p": [1, 0, 0, 1, 1], "who": list("aabbb"), "day": [1, 2, 1, 2, 3]})
    assert "'a' has 2 samples and 'b' has 3" in refused(long, "y", "p", model="who")
    assert "'a' has none in 3, where 'b' has some" in refused(long, "y", "p", model="who", by="day")
    table = make(COLUMNS)
    empty = table.limit(0) if engine == "duckdb" else table[:0] if engine == "pyarrow" else table.head(0)
    assert refused(empty, "y", "tree", by="day").startswith("y_true holds no samples")


def test_slices_may_be_missing_mixed_or_small():
    frame = FRAME.assign(nothing=None)
    assert "by (column 'nothing') has 400 missing values" in refused(frame, "y", "tree", by="nothing")
    assert "every row lacks a value" in refused(frame, "y", "tree", by="nothing", nulls="drop")
    mixed = pd.DataFrame({"y": [1, 0, 1, 0], "p": [1, 0, 0, 1], "by": [1, "a", 2, "b"]})
    assert cb.evaluate_frame(mixed, "y", "p", by="by", **QUICK).groups == (None, 1, 2, "a", "b")
    card = cb.evaluate_frame(FRAME, "y", "tree", by="country", **QUICK, min_support=50)
    found = by_hand(COLUMNS, "tree", by=["country"])
    assert cells(card) == {group: four for group, four in found.items() if sum(four) >= 50}
    assert card.notes == ("1 slice with fewer than 50 samples left out.",)


@pytest.mark.parametrize(
    ("names", "options", "says"),
    [
        (("y", []), {}, "y_pred must name at least one column"),
        (("y", ["tree", "tree"]), {}, "y_pred names the column 'tree' more than once"),
        (("y", "y"), {}, "labels that judge themselves"),
        (("y", ["tree", "coin"]), {"model": "country"}, "y_pred must name one column where model='country'"),
        (("y", "country"), {"threshold": 0.5}, "threshold needs numbers; y_pred (column 'country') holds"),
        (("y", "tree"), {"nulls": "ignore"}, "nulls must be 'raise' or 'drop'"),
        (("y", "tree"), {"kind": "scores"}, "found 'scores': name the columns with y_score"),
        (("y", "tree"), {"min_support": -1}, "min_support must be a whole number"),
        (("y", "tree"), {"by_file": True}, "by_file needs files"),
        (("y", "tree"), {"aggregate": "mean"}, "aggregate='mean' is about folds, and no column of folds"),
        (("y", "tree"), {"fold_aware": "False"}, "fold_aware must be True or False; found 'False'"),
        (("y", "tree"), {"by_file": "no"}, "by_file must be True or False; found 'no'"),
    ],
)
def test_what_cannot_be_meant_is_refused(names, options, says):
    with pytest.raises(ValueError) as caught:
        cb.evaluate_frame(FRAME, *names, **QUICK, **options)
    assert says in str(caught.value)


def test_what_is_no_table_or_holds_no_labels_is_refused():
    assert "found list" in refused([[1, 0], [0, 1]], "y", "p")
    assert "found int" in refused(3, "y", "p")
    assert "'y'" in refused(pd.DataFrame([[1, 1, 0]], columns=["y", "y", "p"]), "y", "p")
    for make in (pl.DataFrame, pa.table):
        assert "y_true (column 'y') holds" in refused(make({"y": [[1], [0]], "p": [1, 0]}), "y", "p")


def test_an_engine_that_dies_says_so():
    connection = duckdb.connect()
    broken = connection.sql("select 1 as y, cast(x as int) as p from (values ('1'), ('no')) v(x)")
    assert refused(broken, "y", "p").startswith("DuckDB stopped while")
    lazy = pl.LazyFrame({"y": ["1", "no"], "p": [1, 0]}).with_columns(pl.col("y").cast(pl.Int8))
    assert refused(lazy, "y", "p").startswith("polars stopped while counting the table: conversion")
