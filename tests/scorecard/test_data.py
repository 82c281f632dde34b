"""A scorecard for other programs: frames, JSON, comma-separated values, rich."""

import copy
import csv
import dataclasses
import datetime as dt
import io
import json
import pickle
import re
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clearbar as cb

COLUMNS = [
    "model", "group", "measure", "tp", "fp", "fn", "tn", "total", "positives", "predicted_positives",
    "score", "low", "high",
    "bar", "best_possible", "worst_draw", "skill", "p_value", "p_value_blind",
    "p_sure", "p_corrected", "sure", "outcome", "reason",
    "p_method", "interval_method", "p_blind_method", "p_draws", "p_blind_draws", "p_is_bound",
]  # fmt: skip


@pytest.mark.parametrize(
    ("backend", "kind", "listed"),
    [
        ("pandas", pd.DataFrame, lambda frame: frame.to_dict("records")),
        ("polars", pl.DataFrame, pl.DataFrame.to_dicts),
        ("pyarrow", pa.Table, lambda table: table.to_pylist()),
    ],
)
def test_a_frame_has_a_row_per_verdict(sliced, backend, kind, listed):
    frame = sliced.to_frame(backend)
    assert isinstance(frame, kind)
    rows = listed(frame)
    assert list(rows[0]) == COLUMNS
    for row, verdict in zip(rows, sliced, strict=True):
        assert (row["measure"], row["bar"]) == (verdict.measure.name, float(verdict.baseline))
        assert (row["tp"], row["fp"], row["fn"], row["tn"]) == verdict.counts.cells
        assert row["total"] == row["tp"] + row["fp"] + row["fn"] + row["tn"]
        assert row["positives"] == row["tp"] + row["fn"]
        assert row["predicted_positives"] == row["tp"] + row["fp"]
        for name in ("model", "group", "score", "skill", "p_value", "p_value_blind", "p_corrected", "sure",
                     "outcome", "reason"):  # fmt: skip
            assert row[name] == getattr(verdict, name)


def test_runs_add_columns_and_average_the_cells(runs):
    frame = runs.to_frame()
    assert list(frame.columns) == [*COLUMNS, "runs", "score_sd", "share_clearing"]
    assert frame["tp"][0] == pytest.approx((35 + 36 + 32) / 3)
    assert frame["total"].dtype == np.int64
    assert frame["runs"].tolist() == [3, 3]


@pytest.mark.parametrize(
    ("groups", "polars_kind"),
    [
        (["a", "b"], pl.String),
        ([np.int64(3), np.int64(4)], pl.Int64),
        ([0.5, 1.5], pl.Float64),
        ([True, False], pl.Boolean),
        ([1, "b"], pl.String),
        ([("x", 1), ("y", 2)], pl.String),
        ([dt.date(2024, 1, 1), dt.date(2024, 1, 2)], pl.String),
        (["lone\udc80", "b"], pl.String),
    ],
)
def test_slices_of_any_kind_reach_every_frame(groups, polars_kind):
    counts = cb.Counts(tp=[24, 14, 10], fp=[5, 3, 2], fn=[5, 4, 1], tn=[20, 10, 10])
    card = cb.evaluate_counts(counts, "f1", groups=[None, *groups])
    assert card.to_frame("polars")["group"].dtype == polars_kind
    assert card.to_frame("polars")["group"].null_count() == 1
    assert card.to_frame("pyarrow")["group"].null_count == 1
    assert card.to_frame("pandas")["group"].tolist() == [None, *groups]
    assert json.loads(card.to_json())["rows"][0]["group"] is None


def test_a_library_that_is_missing_or_unknown_is_named(card, monkeypatch):
    with pytest.raises(ValueError, match="backend must be 'pandas', 'polars' or 'pyarrow'; found 'excel'"):
        card.to_frame("excel")
    monkeypatch.setitem(sys.modules, "polars", None)
    why = "needs polars, which is not installed: pip install polars, or pass backend='pandas'$"
    with pytest.raises(ImportError, match=why):
        card.to_frame("polars")


def _refuse(constant):
    raise AssertionError(constant)


def test_json_is_one_strict_document(sliced):
    document = json.loads(sliced.to_json(), parse_constant=_refuse)
    assert document["clearbar"] == cb.__version__
    assert document["undefined"] == "exclude"
    assert document["models"] == ["tree", "knn", "forest"]
    assert document["measures"] == ["f1", "mcc"]
    assert [list(row) for row in document["rows"]] == [COLUMNS] * len(sliced)
    assert document == sliced.to_dict()
    assert [row["score"] for row in document["rows"]] == [verdict.score for verdict in sliced]
    names = ["<script>", "שלום", "lone\udc80", "tab\t", "x" * 10_000]
    odd = cb.evaluate_counts(dict.fromkeys(names, cb.Counts(tp=14, fp=3, fn=4, tn=10)), "f1", intervals=False)
    assert odd.to_json().isascii()
    assert json.loads(odd.to_json())["models"] == names


def test_what_json_has_no_number_for_is_null_with_a_reason(card):
    none = cb.Counts(tp=0, fp=0, fn=5, tn=6)
    undefined = cb.evaluate_counts(none, ["mcc", "diagnostic_odds_ratio"], intervals=False)
    for row in json.loads(undefined.to_json(), parse_constant=_refuse)["rows"]:
        assert row["score"] is None
        assert "no value here" in row["reason"]
    ends = {"best_possible": np.full((3, 1, 6), np.inf), "worst_draw": np.full((3, 1, 6), -np.inf)}
    infinite = dataclasses.replace(card, columns={**card.columns, **ends})
    row = json.loads(infinite.to_json(), parse_constant=_refuse)["rows"][0]
    assert row["best_possible"] is row["worst_draw"] is None
    assert row["reason"] == "best_possible is infinite; worst_draw is minus infinite"


HOSTILE = {
    '=HYPERLINK("http://x.org","y")': '\'=HYPERLINK("http://x.org","y")',
    "+1+1": "'+1+1",
    "-2+3": "'-2+3",
    "@SUM(A1)": "'@SUM(A1)",
    " =1+1": "' =1+1",
    "\t=1+1": "\\t=1+1",
    "a\r\n=1": "a\\r\\n=1",
    "＝1+1": "'＝1+1",
    "-1": "-1",
    "red\x1b[31m": "red",
    'a,"b"': 'a,"b"',
    "שלום": "שלום",
}


def test_a_spreadsheet_takes_no_name_for_a_formula():
    counts = cb.Counts(tp=[14, 3], fp=[3, 1], fn=[4, 2], tn=[10, 9])
    for name, written in HOSTILE.items():
        text = cb.evaluate_counts({name: counts}, "f1", groups=[name, "plain"], intervals=False).to_csv()
        header, *rows = csv.reader(io.StringIO(text))
        assert header[:3] == ["model", "group", "measure"]
        assert [row[:2] for row in rows] == [[written, written], [written, "plain"]]


def test_comma_separated_values_hold_what_the_frame_holds(sliced, tmp_path):
    frame = sliced.to_frame()
    rows = list(csv.DictReader(io.StringIO(sliced.to_csv())))
    assert list(rows[0]) == list(frame.columns)
    for name in ("score", "bar", "skill", "p_value_blind"):
        found = np.array([float(row[name] or "nan") for row in rows])
        np.testing.assert_array_equal(found, frame[name].to_numpy())
    assert sliced.to_csv(tmp_path / "rows.csv") is None
    assert (tmp_path / "rows.csv").read_text(encoding="utf-8") == sliced.to_csv()
    with pytest.raises(FileExistsError):
        sliced.to_csv(tmp_path / "rows.csv")


@pytest.mark.parametrize("color", [None, "truecolor"])
def test_rich_prints_the_text_and_obeys_no_name(color):
    rich = pytest.importorskip("rich.console")
    counts = cb.Counts(tp=3, fp=3, fn=15, tn=10)
    card = cb.evaluate_counts({"[red]x[/red]": counts}, ["f1", "mcc"], intervals=False)
    file = io.StringIO()
    console = rich.Console(file=file, width=200, color_system=color, force_terminal=color is not None)
    console.print(card)
    assert ("\x1b[" in file.getvalue()) == (color is not None)
    shown = re.sub(r"\x1b\[[\d;]*m", "", file.getvalue())
    assert [line.rstrip() for line in shown.splitlines()] == card.to_text(width=200).splitlines()
    assert "[red]x[/red]" in shown


def test_how_surely_is_neither_yes_nor_no_where_nobody_asked():
    card = cb.evaluate_counts(cb.Counts(tp=140, fp=3, fn=4, tn=100), ["f1", "mcc"], intervals=False)
    with pytest.raises(
        ValueError, match=r"^intervals=False left out how surely; `clears` tells of the score"
    ):
        _ = card[0].sure
    assert card[0].clears
    for row in card.to_dict()["rows"]:
        assert (row["outcome"], row["sure"], row["p_corrected"]) == ("clears", None, None)
    asked = cb.evaluate_counts(cb.Counts(tp=140, fp=3, fn=4, tn=100), ["f1", "mcc"])
    assert list(card.to_frame().columns) == list(asked.to_frame().columns)
    assert card.to_frame("polars")["sure"].to_list() == [None, None]
    assert card.to_frame()["p_corrected"].dtype == asked.to_frame()["p_corrected"].dtype
    assert card.to_flat_dict().keys() == {
        f"model/{measure}/{name}" for measure in ("f1", "mcc") for name in ("score", "bar", "skill")
    }
    (entry,) = card.to_model_index("wards")
    assert entry["results"][0]["metrics"][0]["args"]["sure"] is None
    assert card.statement().results.count("is better than its bar; how surely was not asked") == 2
    for again in (pickle.loads(pickle.dumps(card[0])), copy.deepcopy(card[0])):  # noqa: S301
        assert again == card[0]


@pytest.mark.parametrize(("slices", "has_them"), [(19, True), (20, False)])
def test_slices_of_a_card_of_up_to_40_rows_have_their_intervals_in_documents(slices, has_them):
    counts = cb.Counts(**{cell: np.full(slices, 9 - at) for at, cell in enumerate(("tp", "fp", "fn", "tn"))})
    whole, parts = (cb.Counts(tp=5, fp=3, fn=3, tn=4), counts)
    cells = {name: np.append(getattr(whole, name), getattr(parts, name)) for name in ("tp", "fp", "fn", "tn")}
    card = cb.evaluate_counts(cb.Counts(**cells), ["recall", "f1"], groups=[None, *range(slices)])
    rows = card.to_dict()["rows"]
    assert (rows[0]["low"], rows[0]["high"]) == (card[0].low, card[0].high)
    for row, verdict in zip(rows[2:], card[2:], strict=True):
        assert (row["low"], row["high"]) == ((verdict.low, verdict.high) if has_them else (None, None))
    flat = card.to_flat_dict()
    assert ("model/3/f1/low" in flat) is has_them
    assert card.to_frame()["high"].notna().sum() == (len(card) if has_them else 2)
