"""Weights that are missing, too large or decimal; models of which nothing is left."""

import time
from decimal import Decimal

import polars as pl
import pytest
from tests.data.engines import ENGINES, HERE, QUICK, matrix, refused

import clearbar as cb

Y = [1, 0, 1, 0, 1, 0, 1, 0]
TREE = [1, 0, 1, 0, 0, 1, 1, 0]
TABLE = {"y": Y, "tree": TREE}


def cells(card):
    return tuple(cell.item() for cell in card.counts.cells)


@ENGINES
def test_a_weight_that_is_missing_is_a_missing_value(engine):
    """It is refused with its number, or its row is left out and counted, like any other."""
    table = HERE[engine]({**TABLE, "times": [None, 3, 2, 1, 1, 4, 1, 1]})
    assert refused(table, weight="times").startswith("weight (column 'times') has 1 missing value.")
    card = cb.evaluate_frame(table, "y", "tree", weight="times", nulls="drop", **QUICK)
    assert cells(card) == matrix(Y[1:], TREE[1:], [3, 2, 1, 1, 4, 1, 1])
    assert card.notes == ("1 row with a missing value left out.",)


@ENGINES
def test_weights_that_add_up_to_more_than_64_bits_are_refused(engine):
    """2048 rows of 2**52 are 2**63: as whole numbers they would wrap around, to a number that looks right."""
    table = {"y": [1, 0] * 2049, "tree": [1, 0] * 2049, "times": [2**52] * 4098}
    assert refused(HERE[engine](table), weight="times").startswith("weight adds up to 1.85e+19 samples")
    one = HERE[engine]({**TABLE, "times": [2**53, *[1] * 7]})
    assert "a row that occurs 9007199254740992 times" in refused(one, weight="times").replace(".0 ", " ")


@pytest.mark.parametrize("engine", ["polars", "polars lazy", "pyarrow", "duckdb", "file"])
def test_decimals_are_numbers(engine, tmp_path):
    decimals = {name: [Decimal(value) for value in column] for name, column in TABLE.items()}
    for times, found in ((Decimal(3), None), (Decimal("2.5"), "found 2.5 and 7 more")):
        columns = {**decimals, "times": [times] * 8}
        if engine == "file":
            table = tmp_path / "p.parquet"
            pl.DataFrame(columns).write_parquet(table)
        else:
            table = HERE[engine](columns)
        if found is not None:
            assert found in refused(table, weight="times")
            continue
        for options in ({}, {"nulls": "drop"}):
            card = cb.evaluate_frame(table, "y", "tree", weight="times", **QUICK, **options)
            assert cells(card) == matrix(Y, TREE, [3] * 8)


@ENGINES
@pytest.mark.parametrize("labels", [(1, 0), ("yes", "no")], ids=["numbers", "text"])
def test_no_model_vanishes_because_all_its_rows_are_left_out(engine, labels):
    yes, no = labels
    table = {
        "y": [yes, no] * 4,
        "tree": [yes, no, no, yes, None, None, None, None],
        "name": ["a"] * 4 + ["b"] * 4,
    }
    message = refused(HERE[engine](table), model="name", nulls="drop", pos_label=yes)
    assert "'b'" in message
    assert "lacks a value" in message
    nameless = HERE[engine]({**table, "name": ["a"] * 4 + [None] * 4})
    card = cb.evaluate_frame(nameless, "y", "tree", model="name", nulls="drop", pos_label=yes, **QUICK)
    assert card.models == ("a",)
    assert card.notes[-1] == "4 rows with a missing value left out."


@ENGINES
def test_where_every_row_is_left_out_that_is_said(engine):
    for labels, options in ((["a", "b"], {"pos_label": "a"}), ([1, 0], {"by": "z"})):
        table = HERE[engine]({"y": labels, "tree": [None, None], "z": [1.0, 2.0]})
        assert refused(table, nulls="drop", **options).startswith("every row lacks a value")


def test_many_models_and_many_lone_slices_take_no_quadratic_time():
    """Twice the rows take twice the time, more or less; each pair of names takes four times."""

    def seconds(rows):
        models = pl.DataFrame({"m": [0, 0, 1, 1] * rows, "y": [1, 0] * 2 * rows, "tree": [1, 0] * 2 * rows})
        models = models.with_columns(g=pl.int_range(pl.len()) - pl.col("m") * 2 + pl.col("m"))
        start = time.process_time()
        assert "the same samples" in refused(models, model="m", by="g")
        return time.process_time() - start

    seconds(100)
    assert min(seconds(16_000) for _ in range(2)) < 3
