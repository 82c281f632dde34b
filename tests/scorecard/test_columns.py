"""A column is declared once, and then stands in every form of a scorecard."""

import csv
import dataclasses
import io
import json
import re

import numpy as np
import pytest

import clearbar as cb
from clearbar.formatting import Cell, signed
from clearbar.report import page
from clearbar.scorecard import _columns

pytestmark = pytest.mark.quick

GOOD, POOR = cb.Counts(tp=52, fp=4, fn=4, tn=51), cb.Counts(tp=32, fp=24, fn=24, tn=31)


@pytest.fixture
def margin(monkeypatch):
    """How far a score is from its bar, as a column of every scorecard."""
    column = _columns.Column(
        "margin",
        word="gap",
        write=lambda row: Cell(signed(row["score"] - row["bar"], 4)),
        shown=frozenset({_columns.ALONE, _columns.WORST, _columns.PAGE}),
        values=lambda card: card.columns["score"] - card.columns["bar"],
    )
    monkeypatch.setattr(_columns, "COLUMNS", (*_columns.COLUMNS, column))


@pytest.mark.usefixtures("margin")
def test_a_column_added_at_run_time_is_in_every_form():
    card = cb.evaluate_counts({"good": GOOD}, ["f1", "accuracy"])
    expected = [104 / 112 - 112 / 167, 103 / 111 - 56 / 111]
    written = [f"+{value:.4f}" for value in expected]
    for backend in ("pandas", "polars", "pyarrow"):
        column = card.to_frame(backend)["margin"]
        assert np.array(column.to_pylist() if backend == "pyarrow" else column) == pytest.approx(expected)
    assert [row["margin"] for row in json.loads(card.to_json())["rows"]] == pytest.approx(expected)
    rows = csv.DictReader(io.StringIO(card.to_csv()))
    assert [float(row["margin"]) for row in rows] == pytest.approx(expected)
    plain = card.to_text(), card.to_markdown(), card.to_latex()
    texts = (*plain, card._repr_html_(), page(card, pictures=False))
    for text in texts:
        assert "gap" in text
        assert all(value in text.replace("$+$", "+") for value in written)
    assert 'data-k="gap"' in texts[-1]


@pytest.mark.usefixtures("margin")
def test_a_column_added_at_run_time_can_be_asked_for_and_stands_in_rows():
    card = cb.evaluate_counts({"good": GOOD, "poor": POOR}, "f1", intervals=False)
    assert "gap" not in card.to_text()
    assert re.search(r"F1 +0\.671 +0\.929 +\+0\.2579 +0\.571 ✗ +−0\.0992\n", card.to_text(columns=["gap"]))
    with pytest.raises(ValueError, match=r"^columns must be among 'interval', 'skill', 'p'.*; found"):
        card.to_text(columns=["wide"])


def test_a_column_that_the_judge_brings_needs_its_declaration_alone(monkeypatch):
    card = cb.evaluate_counts({"good": GOOD}, "f1", intervals=False)
    monkeypatch.setattr(_columns, "COLUMNS", (*_columns.COLUMNS, _columns.Column("lucky", bool)))
    with pytest.raises(ValueError, match="columns lacks 'lucky'"):
        dataclasses.replace(card, columns=dict(card.columns))
    more = dataclasses.replace(card, columns={**card.columns, "lucky": np.full((1, 1, 1), True)})
    assert more.to_dict()["rows"][0]["lucky"] is True
    assert not more.columns["lucky"].flags.writeable


def test_a_column_that_says_nothing_is_not_on_the_page():
    """Perfect predictions score 1 on nearly every measure; where one differs the column is there."""
    card = cb.evaluate_counts({"good": GOOD}, ["f1", "mcc"], intervals=False)
    assert 'data-k="perfect"' not in page(card, pictures=False)
    losses = cb.evaluate_counts({"good": GOOD}, ["f1", "error_rate"], intervals=False)
    assert 'data-k="perfect"' in page(losses, pictures=False)
