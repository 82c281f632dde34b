"""What all Displays share: legible text, honest bands, words where something is missing."""

import builtins
import functools
import itertools
import math
import re
import xml.etree.ElementTree as ET

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.text import Text
from matplotlib.ticker import MultipleLocator
from tests.plots.exact import CARELESS, COUNTS, NAMES, S, Y, said_of

import clearbar as cb
from clearbar import plots
from clearbar.plots._canvas import TITLE


@functools.cache
def card():
    counts = {"k_nearest_neighbours": CARELESS, "logistic_regression": cb.Counts(tp=14, fp=3, fn=4, tn=10)}
    return cb.evaluate_counts(counts, ["f1", "balanced_accuracy", "diagnostic_odds_ratio"], intervals=False)


EVERY = {
    "scorecard": lambda ax: plots.ScorecardDisplay.from_scorecard(card(), ax=ax),
    "null": lambda ax: plots.NullDisplay.from_counts(CARELESS, "f1", ax=ax),
    "expectation": lambda ax: plots.ExpectationDisplay.from_counts(CARELESS, "f1", name="a_long_name", ax=ax),
    "threshold": lambda ax: plots.ThresholdDisplay.from_predictions(Y, S, "f1", name="a_long_name", ax=ax),
    "slices": lambda ax: plots.SlicesDisplay.from_counts(COUNTS, "f1", groups=NAMES, ax=ax),
    "tasks": lambda ax: plots.TasksDisplay.from_counts(COUNTS, "f1", groups=[None, *NAMES[1:]], ax=ax),
    "gaps": lambda ax: plots.GapsDisplay.from_counts(COUNTS, "f1", groups=NAMES, ax=ax),
    "skill map": lambda ax: plots.SkillMapDisplay.from_scorecard(card(), ax=ax),
    "roc": lambda ax: plots.RocDisplay.from_predictions(Y, S, ax=ax),
    "precision-recall": lambda ax: plots.PrecisionRecallDisplay.from_predictions(Y, S, ax=ax),
    "confusion": lambda ax: plots.ConfusionDisplay.from_predictions(Y, S > 0.5, ax=ax),
    "ranking": lambda ax: plots.RankingDisplay.from_predictions(Y, {"a": Y, "b": 1 - Y}, "mcc", ax=ax),
    "claim": lambda ax: plots.ClaimDisplay.from_claim(cb.claim("0.90", "0.80", 100), ax=ax),
    "false claim": lambda ax: plots.FalseClaimDisplay.from_claim(cb.claim("0.85", "0.80", 150), ax=ax),
    "reliability": lambda ax: plots.ReliabilityDisplay.from_predictions(Y, S / max(S), ax=ax),
    "power": lambda ax: plots.PowerDisplay(
        cb.get_measure("mcc"), [6, 9], [0.5, 0.7], [0, 0], needed=8, wanted=0.6, rates=(0.5, 0.9, 0.9)
    ).plot(ax=ax),
}


@functools.cache
def drawn(name):
    """A picture, made once for all tests that draw it again."""
    return EVERY[name](None)


@pytest.mark.parametrize(
    "style", ["dark_background", "ggplot", {"font.size": 14, "axes.titleweight": "bold"}]
)
@pytest.mark.parametrize("name", ["roc", "skill map"])
def test_a_users_style_is_respected(name, style):
    with plt.style.context(style):
        expected = {key: plt.rcParams[key] for key in ("figure.facecolor", "axes.titleweight", "text.color")}
        display = EVERY[name](None)
        large = plt.rcParams["font.size"]
    assert to_hex(display.figure_.get_facecolor()) == to_hex(expected["figure.facecolor"])
    weight = expected["axes.titleweight"]
    assert display.title_.get_fontweight() in ({"semibold", "bold"} if weight == "normal" else {weight})
    assert display.title_.get_fontsize() == pytest.approx(0.9 * TITLE * large)


@pytest.mark.parametrize("name", ["expectation", "skill map"])
def test_a_notebook_shows_it_in_the_colours_of_its_page(name):
    html = drawn(name).plot()._repr_html_()
    root = ET.fromstring(html)  # noqa: S314 - our own
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"]
    assert "currentColor" in html
    assert not {"#000000", "#ffffff", "#525252"} & set(re.findall(r"#[0-9a-f]{6}", html))
    assert not [node for node in root.iter() if node.tag == "image"], "a strict page shows no embedded image"
    with plt.style.context("dark_background"):
        assert "#000000" in drawn(name).plot()._repr_html_(), "a user's own style is kept"
    _, ax = plt.subplots()
    assert drawn(name).plot(ax)._repr_html_() is None


def sizes_of(display):
    """Sizes of the title, of names of axes, of ticks and of small text."""
    ax = display.ax_
    headings = [text for text in (ax.xaxis.label, ax.yaxis.label) if text.get_text()]
    ticks = [text for text in (*ax.get_xticklabels(), *ax.get_yticklabels()) if text.get_text()]
    small = [*(display.legend_.get_texts() if display.legend_ else []), display.note_]
    groups = [display.title_], headings, ticks, [text for text in small if text]
    return [{text.get_fontsize() for text in texts} for texts in groups if texts]


@pytest.mark.parametrize(
    ("width", "size"),
    [(3.3, 14), (6.4, 10), *(pytest.param(*size, marks=pytest.mark.slow) for size in ((3.3, 7), (12, 7)))],
)
@pytest.mark.parametrize("name", EVERY)
def test_text_is_legible_and_inside_and_its_title_is_the_finding(name, width, size):
    with plt.rc_context({"font.size": size, "figure.figsize": (width, 4.8)}):
        display = drawn(name).plot()
        display.figure_.draw_without_rendering()
        whole = display.figure_.get_tightbbox()
        assert whole.x0 >= -0.05
        assert whole.x1 <= width + 0.05
        sizes = sizes_of(display)
    assert min(min(group) for group in sizes) >= 6
    assert max(sizes[0]) >= 1.1 * max(max(group) for group in sizes[1:])
    assert all(min(larger) >= max(smaller) for larger, smaller in itertools.pairwise(sizes[1:]))
    assert display.title_.get_text().replace("\n", " ").replace("\\$", "$") == display.finding
    assert display.description.startswith(display.finding)
    assert display.finding in repr(display)


LAYOUTS = ("scorecard", "skill map", "slices", "roc", "confusion", "ranking")
"""Rows, cells and curves, with and without something beside the axes: the others are laid out like one."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name not in LAYOUTS)) for name in EVERY]
)
def test_a_grid_of_ones_own_gets_a_layout_and_holds_the_picture_without_overlaps(name):
    """Two alike share it with one that is compact: beside it and below it."""
    figure, axes = plt.subplots(2, 2)
    for ax in axes.flat[1:3]:
        drawn(name).plot(ax)
    small = drawn(name).plot(axes[0, 0], compact=True)
    figure.draw_without_rendering()
    assert type(figure.get_layout_engine()).__name__ == "ConstrainedLayoutEngine"
    assert small.legend_ is None
    assert small.note_ is None or said_of(small).endswith("not shown.")
    boxes = [ax.get_tightbbox() for ax in axes.flat]
    for one, other in itertools.combinations(boxes, 2):
        shared = one.intersection(one, other)
        assert shared is None or min(shared.width, shared.height) < 2
    for box in boxes:
        assert -2 <= box.x0 < box.x1 <= figure.bbox.x1 + 2


def test_axes_that_are_too_small_say_so_once():
    _, axes = plt.subplots(5, 5)
    display = drawn("scorecard").plot(axes[0, 0])
    texts = [text.get_text() for text in axes[0, 0].texts]
    assert texts == [display.note_.get_text()]
    assert said_of(display).startswith("Too small: this picture takes")


@pytest.mark.parametrize(("name", "width"), [("paper", 3.3), ("slide", 12.0)])
def test_a_style_is_of_its_block_alone(name, width):
    before = dict(plt.rcParams)
    with plots.style(name):
        display = drawn("null").plot()
    assert dict(plt.rcParams) == before
    assert display.figure_.get_figwidth() == width
    with pytest.raises(ValueError, match='style must be "paper" or "slide"; found'):
        plots.style("poster")


@pytest.mark.parametrize("name", ["null", "slices", "ranking", "power"])
def test_a_users_ticks_are_kept(name):
    _, ax = plt.subplots()
    ax.xaxis.set_major_formatter("{x:.2f}")
    ax.xaxis.set_major_locator(MultipleLocator(0.25))
    drawn(name).plot(ax)
    assert ax.xaxis.get_major_formatter()(0.5) == "0.50"
    assert (ax.get_xticks() % 0.25 == 0).all()


def test_an_interval_is_said_at_the_level_it_is_drawn_at():
    (row,) = cb.evaluate_counts(CARELESS, "f1", confidence_level=0.9)
    null = plots.NullDisplay.from_verdict(row)
    curve = plots.ExpectationDisplay.from_counts(CARELESS, "f1", confidence_level=0.9)
    for display in (null, curve):
        assert "90 % interval." in said_of(display)
        assert "95 %" not in said_of(display)
    assert curve.whisker_.get_ydata() == pytest.approx([row.low, row.high])


def test_scorecards_of_scores_and_folds_are_drawn_with_their_own_bars():
    y = np.array([0, 1, 1, 0, 1, 0, 0, 1, 0, 1])
    scores = cb.evaluate_scores(y, S, ["roc_auc", "brier_score"])
    display = plots.ScorecardDisplay.from_scorecard(scores)
    for label, at in (("ROC AUC", 0.5), ("Brier score", 0.75)):
        assert display.bars_[label].get_xdata() == pytest.approx([at, at])
        assert label in display.bands_
    folds = cb.evaluate_folds(y, 1 - y, np.arange(10) % 2, "f1", aggregate="mean")
    display = plots.ScorecardDisplay.from_scorecard(folds)
    assert display.rows[0].bar == folds[0].baseline.value
    assert set(display.shortfalls_) == {("model", "F1")}


@pytest.mark.parametrize("measure", ["roc_auc", "brier_score"])
def test_beyond_the_reach_no_scores_that_ignore_the_features_get_with_five_percent(measure):
    y = np.repeat([1, 0], [9, 11])
    (row,) = plots.ScorecardDisplay.from_scorecard(cb.evaluate_scores(y, np.linspace(1, 0, 20), measure)).rows
    bar = cb.baseline_scores(y, measure)
    step = (bar.best_possible - bar.value) / 2**13
    assert bar.judge(row.limit).p_value_blind < 0.05 <= bar.judge(row.limit - step).p_value_blind
    if measure == "roc_auc":  # a ranking without ties is one of them
        generator = np.random.default_rng(0)
        ranks = generator.permuted(np.tile(np.arange(20), (4_000, 1)), axis=1)[:, :9]
        auc = (ranks.sum(axis=1) - 36) / 99
        assert (auc >= row.limit).mean() < 0.05 + 4 * math.sqrt(0.05 / 4_000)


def test_without_matplotlib_it_is_said_what_to_install(monkeypatch):
    genuine = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return genuine(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"ScorecardDisplay\.plot needs matplotlib.*'\.\[plots\]'"):
        plots.ScorecardDisplay.from_counts(CARELESS, "f1")


def test_pictures_call_the_classes_by_their_names():
    """No word of a picture says positive where the class has another name, but for the names of the rates."""
    y = np.repeat(["benign", "malignant"], [25, 15])
    guess, score = np.where(np.arange(40) > 20, "malignant", "benign"), np.arange(40.0) % 29
    named = {"pos_label": "malignant"}
    displays = [
        cb.plots.ExpectationDisplay.from_predictions(y, guess, "f1", **named),
        cb.plots.ThresholdDisplay.from_predictions(y, score, "f1", **named),
        cb.plots.RocDisplay.from_predictions(y, score, **named),
        cb.plots.PrecisionRecallDisplay.from_predictions(y, score, **named),
        cb.plots.ConfusionDisplay.from_predictions(y, guess),
    ]
    for display in displays:
        drawn = [text.get_text() for text in display.figure_.findobj(Text)]
        said = re.sub("(true|false) positive rate", "", " ".join([*drawn, display.description]).lower())
        assert "positive" not in said, type(display)
        assert "malignant" in said, type(display)
        plt.close(display.figure_)
