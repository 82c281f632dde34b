"""Rankings and power: what is drawn, in words, and that it stays inside the figure."""

from __future__ import annotations

import functools

import matplotlib.pyplot as plt
import numpy as np
import pytest

import clearbar as cb
from clearbar.plots import PowerDisplay, RankingDisplay


@functools.cache
def ranked():
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 2, 120)
    rights = {"a $model$ with a name that is long": 0.95, "b": 0.75, "c": 0.74, "d": 0.73, "e": 0.55}
    models = {name: np.where(rng.random(120) < right, y_true, 1 - y_true) for name, right in rights.items()}
    return RankingDisplay.from_predictions(y_true, models, "mcc")


@functools.cache
def found():
    rates = {"prevalence": 0.5, "sensitivity": 0.95, "specificity": 0.95}
    return PowerDisplay.from_rates("mcc", samples=[6, 8, 10], **rates)


def test_power_is_drawn_with_what_is_needed_and_the_doubt_of_a_simulation():
    display = found()
    needed = cb.samples_needed("mcc", prevalence=0.5, sensitivity=0.95, specificity=0.95)
    assert display.needed == needed
    assert f"{needed} samples reach 0.8" in display.description
    assert list(display.line_.get_xdata()) == [6, 8, 10]
    assert list(display.line_.get_ydata()) == list(display.powers)
    mcc = cb.get_measure("mcc")
    drawn = PowerDisplay(
        mcc, [600, 900], [0.5, 0.7], [0.01, 0.01], needed=None, wanted=0.8, rates=(0.5, 0.6, 0.6)
    )
    assert "two standard errors" in drawn.plot().note_.get_text()
    assert len(drawn.ax_.collections) == 1
    plt.close("all")


@pytest.mark.parametrize("samples", [[1, 2], ["x"], [2.5], []])
def test_numbers_of_samples_are_whole_and_two_at_least(samples):
    rates = {"prevalence": 0.5, "sensitivity": 0.95, "specificity": 0.95}
    with pytest.raises(ValueError, match="samples must be whole numbers from 2 up; found"):
        PowerDisplay.from_rates("mcc", samples=samples, **rates)


def test_where_models_have_no_room_the_ranking_says_how_many_are_not_drawn():
    rng = np.random.default_rng(1)
    y_true = rng.integers(0, 2, 60)
    models = {f"model {at}": np.where(rng.random(60) < 0.7, y_true, 1 - y_true) for at in range(15)}
    card = cb.evaluate(y_true, models, "accuracy", intervals=False)
    _, ax = plt.subplots(figsize=(3.3, 2.4), layout="constrained")
    display = RankingDisplay.from_scorecard(card, ax=ax)
    drawn = len(display.points_)
    assert drawn < 15
    assert f"{15 - drawn} more models not drawn here." in " ".join(display.note_.get_text().split())


def test_a_ranking_finds_who_may_be_best_and_shows_bar_scores_and_intervals():
    display = ranked()
    assert [text.get_text() for text in display.texts_] == [
        f"{score:.3f}" for score in display.ranking.scores
    ]
    assert list(display.bar_.get_xdata()) == [0, 0]
    ends = [list(line.get_xdata()) for line in display.whiskers_]
    assert ends == [pytest.approx(list(one)) for one in display.intervals]
    assert display.standing[0] == "clears"


def test_a_power_picture_says_how_many_samples_are_needed_and_where_the_wanted_power_is():
    display = found()
    assert display.title_.get_text().startswith(f"{display.needed} samples are needed to clear the MCC bar")
    assert list(display.wanted_.get_ydata()) == [0.8, 0.8]
    assert "wanted: 80 %" in {text.get_text() for text in display.ax_.texts}
