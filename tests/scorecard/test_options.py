"""What may be asked of a scorecard: levels, numbers of rows, encodings, names that there are."""

import itertools
import json
import math
import sys
import types

import numpy as np
import pandas as pd
import pytest

import clearbar as cb

pytestmark = pytest.mark.quick

CARD = cb.evaluate_counts(cb.Counts(tp=[35, 30], fp=[10, 12], fn=[21, 20], tn=[45, 40]), ["f1", "mcc"])
WRITTEN = [CARD.to_text, CARD.to_markdown, CARD.to_latex]


@pytest.mark.parametrize(
    "write",
    [
        *WRITTEN,
        CARD.headline,
        CARD.slices,
        lambda alpha: cb.plots.ScorecardDisplay.from_scorecard(CARD, alpha=alpha),
        lambda alpha: cb.plots.SlicesDisplay.from_scorecard(CARD, "f1", alpha=alpha),
    ],
)
def test_a_level_is_a_probability_wherever_it_is_taken(write):
    for alpha in (math.nan, 0, 2, "0.05", True):
        with pytest.raises(
            ValueError, match=r"^alpha must be a probability greater than 0 and at most 1; found "
        ):
            write(alpha=alpha)


@pytest.mark.parametrize("write", [*WRITTEN, CARD.slices().to_text, CARD.slices().table])
def test_rows_to_show_are_a_whole_number_or_all(write):
    for most in (0, 1.5, "3", True):
        with pytest.raises(
            ValueError, match=r"^most must be a whole number from 1 up, or None for all; found "
        ):
            write(most=most)
    write(most=1)
    write(most=None)


@pytest.mark.parametrize("write", [CARD.to_text, CARD.slices().to_text])
def test_a_width_is_a_whole_number_of_columns(write):
    for width in (0, -5, 40.5, "80", True):
        with pytest.raises(
            ValueError, match=r"^width must be a whole number from 1 up, or None for 80; found "
        ):
            write(width=width)
    assert write(width=None) == write(width=80)


@pytest.mark.parametrize(
    ("take", "name"),
    [
        (CARD.to_text, "color"),
        (CARD.slices().to_text, "color"),
        (lambda overwrite: CARD.to_csv("never.csv", overwrite=overwrite), "overwrite"),
        (lambda overwrite: CARD.to_html("never.html", overwrite=overwrite), "overwrite"),
        (lambda pictures: CARD.to_html("never.html", pictures=pictures), "pictures"),
        (lambda legend: cb.plots.ScorecardDisplay.from_scorecard(CARD).plot(legend=legend), "legend"),
        (lambda compact: cb.plots.ScorecardDisplay.from_scorecard(CARD, compact=compact), "compact"),
    ],
)
def test_a_flag_is_true_or_false_and_nothing_is_written_or_drawn_otherwise(take, name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for flag in ("no", 1, None):
        with pytest.raises(ValueError, match=f"^{name} must be True or False; found {flag!r}\\.$"):
            take(**{name: flag})
    assert not list(tmp_path.iterdir())


def test_an_encoding_is_one_that_python_knows():
    for write, encoding in itertools.product((CARD.to_text, CARD.slices().to_text), ("zz", 3, "base64")):
        with pytest.raises(ValueError, match=r"^encoding must be one that Python knows, .*; found "):
            write(encoding=encoding)


def test_a_stream_of_an_encoding_that_python_does_not_know_gets_plain_letters(monkeypatch):
    monkeypatch.setattr(sys, "stdout", types.SimpleNamespace(encoding="zz"))
    assert str(CARD).isascii()
    assert str(CARD.slices()).isascii()


SLICED = cb.evaluate([0, 1] * 10, {"a": [0, 1] * 10, "b": [1, 0] * 10}, ["f1", "mcc"], by=[0] * 10 + [1] * 10)


@pytest.mark.parametrize("odd", [pd.NA, np.nan, np.array([1, 2]), {}, b"a"])
def test_what_is_no_name_is_refused_with_those_there_are(odd):
    for call, kind in (
        (lambda: SLICED.compare(odd, "b", "f1"), "model"),
        (lambda: SLICED.compare("a", "b", odd), "measure"),
        (lambda: SLICED.explain("f1", model=odd), "model"),
        (lambda: SLICED.clears("f1", group=odd), "group"),
        (lambda: SLICED.ranking(odd), "measure"),
    ):
        with pytest.raises(ValueError, match=f"^no row has {kind} .* This scorecard has: "):
            call()


def test_no_measure_is_refused():
    classes = cb.evaluate_multiclass([0, 1, 2] * 8, [0, 1, 2] * 8, intervals=False)
    labels = cb.evaluate_multilabel([{"a"}, {"b"}], [{"a"}, {"b"}], intervals=False)
    said = r"^measures is empty; name at least one, or leave it out for the common ones\.$"
    for each, none in itertools.product((classes.per_class, labels.per_label), ([], {}, set(), iter([]))):
        with pytest.raises(ValueError, match=said):
            each(none)


@pytest.mark.parametrize("record", ['{"y": 1, "p": 1, "q": %s}', '{"y": 1, "p": %s, "y": 1}', "%s"])
def test_records_nested_a_hundred_thousand_deep_are_refused(tmp_path, record):
    rows = [json.dumps({"y": n % 2, "p": n // 2 % 2}) for n in range(20)]
    path = tmp_path / "deep.jsonl"
    path.write_text("\n".join([*rows, record % ("[" * 100_000 + "]" * 100_000)]) + "\n", "utf-8")
    with pytest.raises(ValueError, match="is not JSON-lines, one record per line"):
        cb.evaluate_frame(path, "y", "p", measures="f1")
