"""Confusion matrices drawn: what is expected, what is said, what is refused."""

from __future__ import annotations

import dataclasses
import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest

import clearbar as cb
from clearbar.plots import ConfusionDisplay

MATRIX = cb.ConfusionMatrix([[50, 6, 4], [10, 25, 5], [5, 5, 15]], labels=["cat", "dog", "cow"])


def test_what_chance_expects_stands_beside_what_is():
    display = ConfusionDisplay.from_matrix(MATRIX)
    seen, blind = display.shares_
    rows = np.array([[60], [40], [25]])
    np.testing.assert_allclose(seen, MATRIX.to_array() / rows)
    np.testing.assert_allclose(blind * rows, np.outer([60, 40, 25], [65, 36, 24]) / 125)
    texts = {text.get_text() for text in display.figure_.axes[1].texts}
    assert {"31.2", "11.5"} <= texts
    assert "90 are right, where labels in random order leave 47.5" in display.description
    assert "dog is called cat in 10 of its 40 samples (25.0 %)" in display.description


def test_of_a_trillion_samples_no_product_overflows():
    """Sizes are 6e11 and 4e11, answers 5e11 each: 3e11 + 2e11 are right in random order."""
    matrix = cb.ConfusionMatrix([[4 * 10**11, 2 * 10**11], [10**11, 3 * 10**11]], labels=["no", "yes"])
    display = ConfusionDisplay.from_matrix(matrix)
    assert display.expected.tolist() == [[3e11, 3e11], [2e11, 2e11]]
    assert "labels in random order leave 500,000,000,000." in display.description


@pytest.mark.parametrize(("truth", "called"), [("a", "a"), ("a", "b"), ("aab", "aaa"), ("aabb", "abab")])
def test_what_is_written_beside_the_scale_never_overlaps(truth, called):
    display = ConfusionDisplay.from_predictions(list(truth), list(called))
    display.figure_.draw_without_rendering()
    beside = display.bar_.axes
    boxes = [
        text.get_window_extent() for text in (*beside.texts, *beside.get_yticklabels()) if text.get_text()
    ]
    boxes.sort(key=lambda box: box.y0)
    assert all(low.y1 <= high.y0 + 1 for low, high in itertools.pairwise(boxes))


def test_of_many_classes_the_smallest_share_a_row():
    sizes = np.arange(1, 51)
    truth = np.repeat(np.arange(50), sizes)
    display = ConfusionDisplay.from_predictions(truth, truth)
    assert len(display.images_[0].get_paths()) == 900
    assert display.figure_.axes[0].get_yticklabels()[-1].get_text() == "others"
    assert display.rest == "The 21 smallest classes share a row and a column."
    assert not display.figure_.axes[0].texts or len(display.figure_.axes[0].texts) < 30


def test_axes_may_be_given():
    _, ax = plt.subplots()
    display = ConfusionDisplay.from_matrix(MATRIX, ax=ax)
    assert display.figure_ is ax.figure
    _, axes = plt.subplots(1, 2)
    assert ConfusionDisplay.from_matrix(MATRIX, ax=axes).ax_ is axes[0]
    with pytest.raises(ValueError, match="ax must hold 2 axes, or be one; found 1"):
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
    with pytest.raises(ValueError, match=r"model must be named, .* has several: 'one' and 'two'"):
        ConfusionDisplay.from_scorecard(card)
    with pytest.raises(ValueError, match=r"two or more classes.*; this scorecard is of others"):
        ConfusionDisplay.from_scorecard(cb.evaluate([0.5, 1.5, 2.5], [0.5, 1, 2], "mae", intervals=False))
    with pytest.raises(ValueError, match="matrix must be a ConfusionMatrix"):
        ConfusionDisplay.from_matrix([[1, 0], [0, 1]])


def test_it_finds_how_accuracy_stands_to_its_bar_which_is_a_line_on_the_scale():
    display = ConfusionDisplay.from_matrix(MATRIX)
    assert display.finding == "The model clears the accuracy bar: 0.720, bar 0.480"
    assert display.bar_.get_ydata()[0] == pytest.approx(60 / 125)
    assert display.point_.get_ydata()[0] == pytest.approx(90 / 125)


def test_a_scorecard_of_two_classes_has_a_matrix_too():
    card = cb.evaluate_counts(cb.Counts(tp=3, fp=1, fn=2, tn=6), "mcc")
    display = ConfusionDisplay.from_scorecard(card)
    assert display.matrix.to_array().tolist() == [[6, 1], [2, 3]]
    bare = dataclasses.replace(card, problem=None)
    assert ConfusionDisplay.from_scorecard(bare).matrix == display.matrix
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["negative", "positive"]
