"""``assert_clears``: what a test suite says of arrays and of tables."""

import inspect

import numpy as np
import pandas as pd
import polars as pl
import pytest

from clearbar import evaluate_frame
from clearbar.testing import assert_clears

rng = np.random.default_rng(5)
Y = rng.random(300) < 0.5
FRAME = pd.DataFrame(
    {
        "y": Y.astype(int),
        "tree": np.where(rng.random(300) < 0.9, Y, ~Y).astype(int),
        "not": (~Y).astype(int),
        "day": rng.integers(1, 4, 300),
    }
)


def failure(*arguments, **options):
    with pytest.raises(AssertionError) as caught:
        assert_clears(*arguments, **options)
    return str(caught.value)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pl.LazyFrame])
def test_columns_of_a_table(library):
    table = library(FRAME.to_dict("list"))
    assert_clears("y", "tree", frame=table)
    assert_clears("y", "tree", "f1", frame=table, by="day", alpha=0.01)
    message = failure("y", ["tree", "not"], frame=table, by="day")
    assert len(message.splitlines()) == 5
    assert message.splitlines()[2].startswith("not in 1: MCC −1 is below the bar 0")


def test_files(tmp_path):
    FRAME.to_csv(tmp_path / "p.csv", index=False)
    assert_clears("y", "tree", frame=tmp_path / "p.csv", alpha=0.01)
    assert failure("y", "not", frame=str(tmp_path / "*.csv")).startswith("not: MCC −1 is below the bar 0")


def test_many_failing_slices_are_counted():
    table = FRAME.assign(row=range(300)).loc[lambda frame: frame.index < 300]
    message = failure("y", "not", "accuracy", frame=table.assign(row=table.row // 3), by="row")
    assert message.splitlines()[-1].startswith("... and ")
    assert len(message.splitlines()) == 52


def test_unsure_verdicts_name_what_is_needed():
    message = failure([1, 0, 1, 0], [1, 0, 1, 1])
    assert message == "model: MCC 0.577 is above the bar 0, but it could be chance (p = 0.63; needs p ≤ 0.05)"
    assert_clears([1, 0, 1, 0], [1, 0, 1, 1], alpha=None)


def test_several_models_must_be_sure_together():
    """Labels in random order get all seven right with probability 1 / 35; Holm doubles it for two models."""
    y = [1] * 4 + [0] * 3
    assert_clears(y, {"one": y})
    assert failure(y, {"one": y, "two": y}).count("it could be chance (p = 0.057; needs p ≤ 0.05)") == 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"measures": "f1"}, "measures is not an option of assert_clears; it judges by one: pass measure=."),
        ({"p_values": "both"}, "p_values is not an option of assert_clears; pass alpha=None"),
        ({"byy": "day"}, "assert_clears has no option byy. Did you mean by?"),
    ],
)
def test_options_that_are_none(options, says):
    with pytest.raises(ValueError) as caught:
        assert_clears("y", "tree", frame=FRAME, **options)
    assert str(caught.value).startswith(says)


def test_every_option_of_tables_is_passed_on():
    known = set(inspect.signature(evaluate_frame).parameters)
    own = set(inspect.signature(assert_clears).parameters)
    for name in known - own - {"measures", "intervals", "confidence_level"}:
        with pytest.raises(ValueError, match=r"^(?!assert_clears has no option)"):
            assert_clears("no such column", "tree", frame=FRAME, **{name: None})


def test_samples_that_belong_together_with_arrays_and_with_tables():
    rng = np.random.default_rng(5)
    patient = np.repeat(np.arange(30), 6)
    y = np.repeat(rng.random(30) < 0.5, 6)
    said = np.repeat(rng.random(30) < 0.6, 6) == y
    assert_clears(y, said)
    with pytest.raises(AssertionError, match="could be chance"):
        assert_clears(y, said, clusters=patient)
    frame = pd.DataFrame({"y": y, "said": said, "patient": patient})
    with pytest.raises(AssertionError) as of_table:
        assert_clears("y", "said", frame=frame, clusters="patient")
    assert failure(y, said, clusters=patient) == str(of_table.value).replace("said: ", "model: ")
    with pytest.raises(ValueError, match="clusters names a column of a table; pass the table as frame="):
        assert_clears(y, said, clusters="patient")
    with pytest.raises(ValueError, match="clusters must hold at least 5 groups"):
        assert_clears(y, said, clusters=patient % 4)
