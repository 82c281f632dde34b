"""The report of many slices: how large it is, which are shown, and where the others are found."""

import csv
import html
import re
import urllib.parse

import numpy as np
import pytest
from tests.report.conftest import predictions

import clearbar as cb
from clearbar.report import page

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("slices", "models", "shown"), [(2000, 2, 3600), (400, 9, 2400)])
def test_of_thousands_of_slices_the_worst_are_shown_and_the_rest_counted(slices, models, shown):
    names = [f"m{at}" for at in range(models)]
    y, guesses = predictions(20 * slices, names)
    card = cb.evaluate(y, guesses, ["f1", "mcc", "accuracy"], by=np.arange(len(y)) % slices, intervals=False)
    text = page(card, pictures=False)
    table = text[text.index('id="sliced"') :].partition("</table>")[0]
    rows = re.findall(r"<tr id=\S+>\s*(<th scope=row>.*?)(?=<tr |</tbody>)", table, re.DOTALL)
    verdicts = slices * 3 * (1 if models <= 6 else models)
    assert len(rows) == shown
    assert f"… worst first; {verdicts - shown:,} more rows are left out of this page" in text
    skill = card.columns["skill"][:, 1:]
    judged = np.where(np.isin(card.columns["outcome"][:, 1:], ("undefined", "unbeatable")), np.inf, skill)
    least = np.sort((judged.min(axis=0) if models <= 6 else judged).reshape(-1))
    first = [float(one.replace("−", "-")) for one in re.findall(r"[+−]\d[\d.]*", rows[0])]
    assert any(abs(one - least[0]) < 0.006 for one in first)


def test_where_some_slices_have_no_place_the_counts_of_all_are_a_download():
    names = ["=a", "b"]
    y, guesses = predictions(20 * 1300, names)
    card = cb.evaluate(y, guesses, ["f1", "mcc", "accuracy"], by=np.arange(len(y)) % 1300, intervals=False)
    text = page(card, pictures=False)
    assert 'id="sliced" data-left="300"' in text
    address = re.search('<a download="slices.csv" href="data:text/csv;charset=utf-8,([^"]*)"', text)[1]
    head, *rows = csv.reader(urllib.parse.unquote(html.unescape(address)).splitlines())
    cells = ["tp", "fp", "fn", "tn"]
    assert head[:3] == ["slice", "samples", "positive"]
    assert head[3:] == [f"{name} {cell}" for name in ("'=a", "b") for cell in cells]
    found = np.array(rows, dtype=np.int64)
    assert found[:, 0].tolist() == list(card.groups[1:])
    counts = [np.asarray(cell)[at, 1:] for at in range(2) for cell in card.counts.cells]
    assert (found[:, 3:] == np.stack(counts, axis=1)).all()
    assert (found[:, 1] == 20).all()


@pytest.mark.parametrize(("models", "measures", "most"), [(5, 12, 600_000), (20, 40, 1_000_000)])
def test_three_hundred_slices_stay_small(models, measures, most):
    rng = np.random.default_rng(0)
    tp, fp = rng.integers(0, 21, (2, models, 301))
    counts = {
        f"model number {at}": cb.Counts(tp=tp[at], fp=fp[at], fn=20 - tp[at], tn=40 - fp[at])
        for at in range(models)
    }
    groups = [None, *(f"clinic {at:04d}" for at in range(300))]
    text = page(cb.evaluate_counts(counts, cb.measures()[:measures], groups=groups, intervals=False))
    assert len(text.encode()) < most
    assert 'href="data:text/csv' in text
