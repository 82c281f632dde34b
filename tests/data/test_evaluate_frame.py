"""Tables of every library are counted alike, and as a loop over their rows would."""

import itertools
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.data.engines import HERE, QUICK, matrix, predictions

import clearbar as cb

ENGINES = pytest.mark.parametrize("engine", list(HERE))
COLUMNS = predictions()


def cells(card, model=0):
    """Return each group's confusion matrix."""
    return {
        group: tuple(int(np.asarray(cell)[model, at]) for cell in card.counts.cells)
        for at, group in enumerate(card.groups)
    }


def by_hand(columns, model, *, by=(), keep=None, weight=None):
    """Return the confusion matrix of the whole and of each slice, row by row."""
    rows = [at for at in range(len(columns["y"])) if keep is None or keep(at)]
    slices = {None: rows}
    for at in rows:
        key = tuple(columns[name][at] for name in by)
        if by:
            slices.setdefault(key[0] if len(by) == 1 else key, []).append(at)
    return {
        group: matrix(
            [columns["y"][at] for at in members],
            [columns[model][at] for at in members],
            None if weight is None else [weight[at] for at in members],
        )
        for group, members in slices.items()
    }


def refused(frame, *names, **options):
    with pytest.raises(ValueError) as caught:
        cb.evaluate_frame(frame, *names, **QUICK, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


@ENGINES
def test_a_wide_table_is_counted_as_its_columns_are(engine):
    card = cb.evaluate_frame(HERE[engine](COLUMNS), "y", ["tree", "coin"], **QUICK)
    arrays = cb.evaluate(COLUMNS["y"], {name: COLUMNS[name] for name in ("tree", "coin")}, **QUICK)
    assert card == arrays
    assert cells(card, 0) == by_hand(COLUMNS, "tree")
    assert cells(card, 1) == by_hand(COLUMNS, "coin")


@ENGINES
@pytest.mark.parametrize("by", [["country"], ["day"], ["day", "country"]], ids=["text", "number", "both"])
def test_slices_are_the_distinct_values_of_columns(engine, by):
    card = cb.evaluate_frame(HERE[engine](COLUMNS), "y", ["tree", "coin"], by=by, **QUICK)
    for at, model in enumerate(("tree", "coin")):
        assert cells(card, at) == by_hand(COLUMNS, model, by=by)
    assert list(card.groups[1:]) == sorted(card.groups[1:])
    assert card.explain("mcc", group=card.groups[1])


def test_a_slice_of_several_columns_prints_its_values():
    card = cb.evaluate_frame(pd.DataFrame(COLUMNS), "y", "tree", by=["country", "day"], measures="mcc")
    assert str(card.groups[1]) == "be, 1"
    assert "be, 1" in str(card)
    assert card.to_dict()["rows"][1]["group"] == "be, 1"
    assert card.to_frame("polars")["group"][1] == "be, 1"
    assert card.clears("mcc", group=("nl", 1)) in {True, False}
    assert pickle.loads(pickle.dumps(card)) == card  # noqa: S301 - our own


@ENGINES
def test_a_long_table_names_its_models_in_a_column(engine):
    long = {
        "truth": COLUMNS["y"] * 2,
        "pred": COLUMNS["tree"] + COLUMNS["coin"],
        "who": ["tree"] * 400 + ["coin"] * 400,
        "country": COLUMNS["country"] * 2,
    }
    order = np.random.default_rng(1).permutation(800).tolist()
    shuffled = {name: [values[at] for at in order] for name, values in long.items()}
    card = cb.evaluate_frame(HERE[engine](shuffled), "truth", "pred", model="who", by="country", **QUICK)
    assert card.models == ("coin", "tree")
    assert cells(card, 0) == by_hand(COLUMNS, "coin", by=["country"])
    assert cells(card, 1) == by_hand(COLUMNS, "tree", by=["country"])


@ENGINES
def test_probabilities_are_positive_from_the_threshold_on(engine):
    columns = {**COLUMNS, "proba": [0.5, 0.25, 0.75, *COLUMNS["proba"][3:]]}
    reached = {**columns, "hit": [p >= 0.5 for p in columns["proba"]]}
    card = cb.evaluate_frame(HERE[engine](columns), "y", "proba", threshold=0.5, by="day", **QUICK)
    assert cells(card) == by_hand(reached, "hit", by=["day"])
    whole = cb.evaluate_frame(HERE[engine](columns), "y", "tree", threshold=1, **QUICK)
    assert cells(whole) == by_hand(columns, "tree")


@ENGINES
def test_probabilities_may_be_about_labels_of_any_kind(engine):
    columns = {**COLUMNS, "y": ["spam" if y else "ham" for y in COLUMNS["y"]]}
    card = cb.evaluate_frame(
        HERE[engine](columns), "y", "proba", threshold=0.5, pos_label="spam", **QUICK, by="day"
    )
    hits = {**COLUMNS, "hit": [p >= 0.5 for p in COLUMNS["proba"]]}
    assert cells(card) == by_hand(hits, "hit", by=["day"])


@ENGINES
def test_weights_say_how_often_a_row_occurs(engine):
    weight = np.random.default_rng(2).integers(0, 5, 400).tolist()
    weight[5] = 3_000_000_000
    table = HERE[engine]({**COLUMNS, "times": weight})
    card = cb.evaluate_frame(table, "y", ["tree", "coin"], weight="times", by="country", **QUICK)
    assert cells(card, 1) == by_hand(COLUMNS, "coin", by=["country"], weight=weight)
    floats = HERE[engine]({**COLUMNS, "times": [float(w) for w in weight]})
    assert cells(cb.evaluate_frame(floats, "y", "tree", weight="times", **QUICK)) == by_hand(
        COLUMNS, "tree", weight=weight
    )


@ENGINES
@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        ((0, 1), None),
        ((1, 0), 0),
        ((-1, 1), None),
        ((False, True), None),
        ((True, False), False),
        ((0.0, 1.0), None),
        (("ham", "spam"), "spam"),
        (("0", "1"), "1"),
        ((3, 7), 7),
    ],
    ids=str,
)
@pytest.mark.parametrize("by", [None, "day"])
def test_labels_of_any_kind(engine, labels, pos_label, by):
    columns = {
        **COLUMNS,
        **{name: [labels[label] for label in COLUMNS[name]] for name in ("y", "tree", "coin")},
    }
    card = cb.evaluate_frame(
        HERE[engine](columns), "y", ["tree", "coin"], by=by, pos_label=pos_label, **QUICK
    )
    assert cells(card, 0) == by_hand(COLUMNS, "tree", by=[by] if by else ())
    assert cells(card, 1) == by_hand(COLUMNS, "coin", by=[by] if by else ())


def test_categories():
    text = {name: [["no", "yes"][label] for label in COLUMNS[name]] for name in ("y", "tree")}
    tables = {
        "pandas": pd.DataFrame(text).astype("category"),
        "polars": pl.DataFrame(text, schema={"y": pl.Categorical, "tree": pl.Categorical}),
        "polars enum": pl.DataFrame(text, schema={"y": pl.Enum(["no", "yes"]), "tree": pl.String}).lazy(),
        "pyarrow": pa.table({name: pa.array(column).dictionary_encode() for name, column in text.items()}),
        "whole numbers": pd.DataFrame({name: COLUMNS[name] for name in text}).astype("category"),
    }
    for name, table in tables.items():
        positive = 1 if name == "whole numbers" else "yes"
        card = cb.evaluate_frame(table, "y", "tree", pos_label=positive, **QUICK)
        assert cells(card) == by_hand(COLUMNS, "tree"), name


MISSING = {
    **COLUMNS,
    "y": [None, *COLUMNS["y"][1:]],
    "tree": [1, None, None, *COLUMNS["tree"][3:]],
    "country": [*COLUMNS["country"][:-1], None],
}


@ENGINES
def test_missing_values_are_refused_with_their_number_and_column(engine):
    table = HERE[engine](MISSING)
    truth = refused(table, "y", "coin")
    assert truth == (
        "y_true (column 'y') has 1 missing value. Fill them in, or pass nulls='drop' to leave those rows out."
    )
    assert refused(table, "coin", ["tree", "y"]).startswith(
        "y_pred['tree'] (column 'tree') has 2 missing values"
    )
    assert refused(table, "coin", "tree", by="day").startswith("y_pred (column 'tree') has 2 missing values")
    assert refused(table, "coin", "day", by="country", threshold=2).startswith(
        "by (column 'country') has 1 missing value"
    )


@ENGINES
@pytest.mark.parametrize("by", [[], ["country"], ["country", "day"]], ids=len)
def test_rows_with_missing_values_are_left_out_and_counted(engine, by):
    table = HERE[engine](MISSING)
    card = cb.evaluate_frame(table, "y", ["tree", "coin"], by=by or None, **QUICK, nulls="drop")
    gone = {0, 1, 2} | ({399} if by else set())
    for at, model in enumerate(("tree", "coin")):
        assert cells(card, at) == by_hand(MISSING, model, by=by, keep=lambda row: row not in gone)
    assert card.notes == (f"{len(gone)} rows with a missing value left out.",)
    assert card.notes[0] in str(card)


@ENGINES
def test_nan_is_a_missing_value(engine):
    columns = {**COLUMNS, "proba": [float("nan"), float("nan"), *COLUMNS["proba"][2:]]}
    table = HERE[engine](columns)
    assert "has 2 missing values" in refused(table, "y", "proba", threshold=0.5)
    card = cb.evaluate_frame(table, "y", "proba", threshold=0.5, nulls="drop", **QUICK)
    hits = {**columns, "hit": [p >= 0.5 for p in columns["proba"]]}
    assert cells(card) == by_hand(hits, "hit", keep=lambda row: row > 1)
    assert card.notes == ("2 rows with a missing value left out.",)


@ENGINES
def test_missing_text_and_truth_values_are_left_out(engine):
    for labels, positive in ((("ham", "spam"), "spam"), ((False, True), True)):
        columns = {name: [labels[label] for label in COLUMNS[name]] for name in ("y", "tree")}
        columns["tree"][7] = None
        card = cb.evaluate_frame(
            HERE[engine](columns), "y", "tree", pos_label=positive, nulls="drop", **QUICK
        )
        assert cells(card) == by_hand(COLUMNS, "tree", keep=lambda row: row != 7)


HOSTILE = [
    'a"b',
    "a.b",
    "a`b",
    "^.*$",
    "'; DROP TABLE x; --",
    "<script>alert(1)</script>",
    "*",
    "n",
    "t",
    "p0",
    "a b",
    "é\n",
    "index",
]


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
def test_labels_that_are_not_two_are_refused_in_the_words_for_arrays(engine):
    three = {**COLUMNS, "y": [2, 2, *COLUMNS["y"][2:]]}
    message = refused(HERE[engine](three), "y", "tree", pos_label=2)
    with pytest.raises(ValueError) as arrays:
        cb.evaluate(three["y"], three["tree"], pos_label=2)
    assert message == str(arrays.value)
    foreign = {**COLUMNS, "tree": ["yes", "no"] * 200}
    assert "y_pred holds 'no': 200, 'yes': 200 samples" in refused(HERE[engine](foreign), "y", "tree")
    assert "these look like scores" in refused(HERE[engine](COLUMNS), "y", "proba")
    assert "so that the positive one must be named" in refused(
        HERE[engine]({"y": ["yes", "no"], "p": ["no", "no"]}), "y", "p"
    )
    assert "pos_label='maybe' does not occur" in refused(
        HERE[engine]({"y": ["yes", "no"], "p": ["no", "no"]}), "y", "p", pos_label="maybe"
    )


@ENGINES
def test_a_column_that_is_not_there_is_named_and_the_nearest_comes_first(engine):
    table = HERE[engine](COLUMNS)
    assert refused(table, "y", "three") == (
        "no column 'three' in the frame. It has: tree, y, coin, proba, country and day."
    )
    assert refused(table, "y", "tree", by="contry").startswith(
        "no column 'contry' in the frame. It has: country,"
    )


@ENGINES
def test_weights_that_are_none_are_refused(engine):
    table = HERE[engine]({**COLUMNS, "half": [0.5] * 3 + [1.0] * 397, "minus": [-2] + [1] * 399})
    assert "found 0.5 and 2 more. Importance weights have no" in refused(table, "y", "tree", weight="half")
    assert "found -2." in refused(table, "y", "tree", weight="minus", by="day")
    zero = HERE[engine]({**COLUMNS, "zero": [0] * 400})
    assert refused(zero, "y", "tree", weight="zero").startswith("weight is 0 everywhere")


@ENGINES
def test_models_of_a_long_table_must_share_their_samples(engine):
    long = {"y": [1, 0, 1, 1, 0], "p": [1, 0, 0, 1, 1], "who": list("aabbb"), "day": [1, 2, 1, 2, 3]}
    message = refused(HERE[engine](long), "y", "p", model="who")
    assert "'a' has 2 samples and 'b' has 3" in message
    assert "'a' has none in 3, where 'b' has some" in refused(
        HERE[engine](long), "y", "p", model="who", by="day"
    )


@ENGINES
def test_a_table_without_rows_is_refused(engine):
    empty = HERE[engine](COLUMNS)
    empty = (
        empty.limit(0) if engine == "duckdb" else empty.slice(0, 0) if engine == "pyarrow" else empty.head(0)
    )
    assert refused(empty, "y", "tree").startswith("y_true holds no samples")
    assert refused(empty, "y", "tree", by="day").startswith("y_true holds no samples")


def test_slices_of_missing_values_alone():
    frame = pd.DataFrame({**COLUMNS, "nothing": [None] * 400})
    assert "by (column 'nothing') has 400 missing values" in refused(frame, "y", "tree", by="nothing")
    assert "every row lacks a value" in refused(frame, "y", "tree", by="nothing", nulls="drop")


def test_mixed_slices_are_put_in_an_order():
    frame = pd.DataFrame({"y": [1, 0, 1, 0], "p": [1, 0, 0, 1], "by": [1, "a", 2, "b"]})
    assert cb.evaluate_frame(frame, "y", "p", by="by", **QUICK).groups == (None, 1, 2, "a", "b")


def test_small_slices_can_be_left_out():
    card = cb.evaluate_frame(pd.DataFrame(COLUMNS), "y", "tree", by="country", **QUICK, min_support=50)
    found = {group: sum(four) for group, four in by_hand(COLUMNS, "tree", by=["country"]).items()}
    assert set(card.groups) == {group for group, total in found.items() if total >= 50}
    left = sum(total < 50 for total in found.values())
    assert card.notes == (f"{left} slice{'s' if left > 1 else ''} with fewer than 50 samples left out.",)
    assert cells(card)[None] == by_hand(COLUMNS, "tree")[None]


@pytest.mark.parametrize(
    ("names", "options", "says"),
    [
        (("y",), {}, "y_pred must name the columns"),
        (("y", []), {}, "y_pred must name at least one column"),
        ((3, "tree"), {}, "y_true must be the name of a column; found 3."),
        (("y", ["tree", "tree"]), {}, "y_pred names the column 'tree' more than once"),
        (("y", "y"), {}, "labels that judge themselves"),
        (("y", ["tree", "coin"]), {"model": "country"}, "y_pred must name one column where model='country'"),
        (("y", "tree"), {"by": [1]}, "by must be the name of a column"),
        (("y", "tree"), {"weight": [1, 2]}, "weight must be the name of a column"),
        (("y", "tree"), {"threshold": "half"}, "threshold must be a number; found 'half'"),
        (("y", "country"), {"threshold": 0.5}, "threshold needs numbers; y_pred (column 'country') holds"),
        (("y", "tree"), {"weight": "country"}, "weight (column 'country') must hold whole numbers"),
        (("y", "tree"), {"nulls": "ignore"}, "nulls must be 'raise' or 'drop'"),
        (("y", "tree"), {"kind": "scores"}, "found 'scores': name the columns with y_score"),
        (
            ("y", "tree"),
            {"kind": "other"},
            "kind must be None, 'binary', 'multiclass' or 'regression'; found 'other'",
        ),
        (("y", "tree"), {"min_support": -1}, "min_support must be a whole number"),
        (("y", "tree"), {"by_file": True}, "by_file needs files"),
        (("y", "tree"), {"aggregate": "mean"}, "aggregate='mean' is about folds, and no column of folds"),
        (("y", "tree"), {"fold_aware": True}, "fold_aware=True is about folds, and no column of folds"),
        (("y", "tree"), {"fold_aware": "False"}, "fold_aware must be True or False; found 'False'"),
        (("y", "tree"), {"fold": "day", "fold_aware": "no"}, "fold_aware must be True or False; found 'no'"),
    ],
)
def test_what_cannot_be_meant_is_refused(names, options, says):
    assert says in refused(pd.DataFrame(COLUMNS), *names, **options)


@pytest.mark.parametrize("engine", ["polars", "pyarrow"])
def test_lists_are_no_labels(engine):
    table = HERE[engine]({"y": [[1], [0]], "p": [1, 0]})
    assert "y_true (column 'y') holds" in refused(table, "y", "p")


def test_what_is_no_table_is_refused():
    assert "found list" in refused([[1, 0], [0, 1]], "y", "p")
    assert "found int" in refused(3, "y", "p")
    twice = pd.DataFrame([[1, 1, 0]], columns=["y", "y", "p"])
    assert "'y'" in refused(twice, "y", "p")


def test_an_engine_that_dies_says_so():
    import duckdb

    connection = duckdb.connect()
    broken = connection.sql("select 1 as y, cast(x as int) as p from (values ('1'), ('no')) v(x)")
    assert refused(broken, "y", "p").startswith("DuckDB stopped while")
    lazy = pl.LazyFrame({"y": ["1", "no"], "p": [1, 0]}).with_columns(pl.col("y").cast(pl.Int8))
    assert refused(lazy, "y", "p").startswith("polars stopped while counting the table: conversion")
