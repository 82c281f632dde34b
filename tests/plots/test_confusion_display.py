"""Confusion matrices drawn: what is expected, what is said, what is refused."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

import clearbar as cb
from clearbar.plots import ConfusionDisplay

MATRIX = cb.ConfusionMatrix([[50, 6, 4], [10, 25, 5], [5, 5, 15]], labels=["cat", "dog", "cow"])


def test_what_chance_expects_stands_beside_what_is():
    display = ConfusionDisplay.from_matrix(MATRIX)
    seen, blind = (np.asarray(image.get_array()) for image in display.images_)
    rows = np.array([[60], [40], [25]])
    np.testing.assert_allclose(seen, MATRIX.to_array() / rows)
    np.testing.assert_allclose(blind * rows, np.outer([60, 40, 25], [65, 36, 24]) / 125)
    texts = {text.get_text() for text in display.figure_.axes[1].texts}
    assert {"31.2", "11.5"} <= texts
    assert "90 are right, where labels in random order leave 47.5" in display.description
    assert "dog is called cat 10 times (25.0 % of its samples)" in display.description


def test_of_many_classes_the_smallest_share_a_row():
    sizes = np.arange(1, 51)
    truth = np.repeat(np.arange(50), sizes)
    display = ConfusionDisplay.from_predictions(truth, truth)
    assert display.images_[0].get_array().shape == (30, 30)
    assert display.figure_.axes[0].get_yticklabels()[-1].get_text() == "others"
    assert display.rest == "The 21 smallest classes share a row and a column."
    assert not display.figure_.axes[0].texts or len(display.figure_.axes[0].texts) < 30


def test_names_are_shown_and_not_run():
    display = ConfusionDisplay.from_predictions(["$x$", "<b>", "c"], ["$x$", "c", "c"])
    display.figure_.draw_without_rendering()
    assert {text.get_text() for text in display.ax_.get_yticklabels()} == {r"\$x\$", "<b>", "c"}


def test_axes_may_be_given():
    _, ax = plt.subplots()
    display = ConfusionDisplay.from_matrix(MATRIX, ax=ax)
    assert display.figure_ is ax.figure
    _, axes = plt.subplots(1, 2)
    assert ConfusionDisplay.from_matrix(MATRIX, ax=axes).ax_ is axes[0]
    with pytest.raises(ValueError, match="ax must hold two axes, or be one; found 1"):
        ConfusionDisplay.from_matrix(MATRIX, ax=[axes[0]])
    with pytest.raises(ValueError, match="ax must be a matplotlib Axes"):
        ConfusionDisplay.from_matrix(MATRIX, ax="here")


def test_a_scorecard_has_a_matrix_of_each_model_and_slice():
    truth = np.repeat(["a", "b", "c"], 4)
    models = {"one": truth, "two": np.roll(truth, 1)}
    card = cb.evaluate(truth, models, "mcc", by=np.arange(12) % 2, intervals=False)
    display = ConfusionDisplay.from_scorecard(card, model="two", group=1)
    assert display.matrix.total == 6
    assert display.model == "two"
    with pytest.raises(ValueError, match="model must be named"):
        ConfusionDisplay.from_scorecard(card)
    with pytest.raises(ValueError, match="this scorecard is of others"):
        ConfusionDisplay.from_scorecard(cb.evaluate([0, 1], [0, 1], "mcc"))
    with pytest.raises(ValueError, match="matrix must be a ConfusionMatrix"):
        ConfusionDisplay.from_matrix([[1, 0], [0, 1]])
