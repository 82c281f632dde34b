"""The heat table: skill in the cell, blue or red, hatched where it could be chance."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

import clearbar as cb
from clearbar.plots import SkillMapDisplay

COUNTS = {"careless": cb.Counts(tp=13, fp=5, fn=5, tn=8), "careful": cb.Counts(tp=14, fp=3, fn=4, tn=10)}
CARD = cb.evaluate_counts(COUNTS, ["f1", "mcc", "recall"])


def test_cells_hold_the_skill_of_the_scorecard_and_tell_its_side_by_colour_and_hatching():
    display = SkillMapDisplay.from_scorecard(CARD)
    rows = {(row.model, row.measure.label): row for row in CARD}
    assert display.models == ("careful", "careless")
    for key, text in display.texts_.items():
        skill = rows[key].skill
        shown = text.get_text()
        assert (
            shown == "–"
            if key[1] == "recall"
            else float(shown.replace("−", "-")) == pytest.approx(skill, abs=0.006)
        )
    assert set(display.hatches_) == {("careful", "F1"), ("careless", "MCC")}
    colors = display.image_.get_facecolors().reshape(2, 3, 4)
    red, blue = colors[1, 0], colors[0, 1]
    assert red[0] > red[2], "below the bar: more red than blue"
    assert blue[2] > blue[0]
    assert display.bar_.get_ydata()[0] == 0
    assert {"1/2", "0/2"} <= {text.get_text() for text in display.ax_.texts}


def test_its_title_and_description_say_the_finding():
    display = SkillMapDisplay.from_scorecard(CARD)
    assert display.description.startswith(
        "1 of 2 models misses the F1 bar. Skill of 2 models. careful: F1 +0.25"
    )
    keys = [text.get_text() for text in display.legend_.get_texts()]
    assert keys == ["clears the bar", "above it, but it could be chance", "below the bar"]


def test_a_small_one_has_fewer_cells_and_says_so():
    models = {f"model {i}": cb.Counts(tp=9 + i, fp=5, fn=9 - i, tn=8) for i in range(9)}
    card = cb.evaluate_counts(models, "all", intervals=False)
    _, ax = plt.subplots(figsize=(3.3, 3.0), layout="constrained")
    display = SkillMapDisplay.from_scorecard(card, ax=ax)
    assert len({label for _, label in display.texts_}) < 8
    assert "not drawn here." in " ".join(display.note_.get_text().split())
    assert display.texts_[next(iter(display.texts_))].get_fontsize() >= 6.3


@pytest.mark.parametrize(
    "card",
    [
        cb.evaluate(np.repeat(list("abc"), 8), {"m": np.roll(np.repeat(list("abc"), 8), 2)}, intervals=False),
        cb.evaluate([1.0, 2, 3, 4], {"m": [1.5, 2, 2.5, 4]}, ["mae", "r2"], intervals=False),
        cb.evaluate(
            np.eye(4, dtype=int)[[0, 1, 2, 3, 0]], np.eye(4, dtype=int)[[0, 1, 2, 0, 0]], intervals=False
        ),
        cb.evaluate_scores([0, 1, 0, 1], {"s": [0.1, 0.4, 0.3, 0.9]}, ["roc_auc", "brier_score"]),
    ],
    ids=["classes", "numbers", "sets of labels", "scores"],
)
def test_it_draws_whatever_has_a_scorecard(card):
    display = SkillMapDisplay.from_scorecard(card)
    display.figure_.draw_without_rendering()
    assert len(display.texts_) == len(card.models) * len(card.measures)


def test_a_map_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one model and one measure"):
        SkillMapDisplay([], [], np.empty((0, 0)), [])
