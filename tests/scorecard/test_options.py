"""What may be asked of how a scorecard is written: levels, numbers of rows, encodings."""

import itertools
import math
import sys
import types

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


def test_an_encoding_is_one_that_python_knows():
    for write, encoding in itertools.product((CARD.to_text, CARD.slices().to_text), ("zz", 3, "base64")):
        with pytest.raises(ValueError, match=r"^encoding must be one that Python knows, .*; found "):
            write(encoding=encoding)


def test_a_stream_of_an_encoding_that_python_does_not_know_gets_plain_letters(monkeypatch):
    monkeypatch.setattr(sys, "stdout", types.SimpleNamespace(encoding="zz"))
    assert str(CARD).isascii()
    assert str(CARD.slices()).isascii()
