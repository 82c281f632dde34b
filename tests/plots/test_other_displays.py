"""Slices, confusion matrices, rankings and power; and the figures that the project ships."""

import dataclasses
import itertools
import re
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from tests.plots.exact import CARELESS, COUNTS, NAMES, said_of

import clearbar as cb
from clearbar.plots import (
    ConfusionDisplay,
    FalseClaimDisplay,
    NothingToDrawError,
    PowerDisplay,
    RankingDisplay,
    SlicesDisplay,
)

ROOT = Path(__file__).parents[2]
MATRIX = cb.ConfusionMatrix([[50, 6, 4], [10, 25, 5], [5, 5, 15]], labels=["cat", "dog", "cow"])
RATES = {"prevalence": 0.5, "sensitivity": 0.95, "specificity": 0.95}


class TestSlices:
    def test_slices_are_sorted_by_the_distance_from_their_own_bars(self):
        display = SlicesDisplay.from_counts(COUNTS, "f1", groups=NAMES)
        bars = {"$B$": 44 / 61, "A": 70 / 116, "C": 8 / 24}
        scores = {"$B$": 24 / 43, "A": 60 / 71, "C": 8 / 9}
        assert display.groups == tuple(bars)
        assert display.distance == pytest.approx([scores[name] - bars[name] for name in bars])
        assert [point.get_xdata()[0] for point in display.points_] == pytest.approx(list(scores.values()))
        assert [line.get_xdata()[0] for line in display.bars_] == pytest.approx(list(bars.values()))
        assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["\\$B\\$", "A", "C"]

    def test_it_counts_slices_by_their_verdicts_and_writes_scores_support_and_reach(self):
        display = SlicesDisplay.from_counts(COUNTS, "f1", groups=NAMES)
        assert display.finding == "F1: 2 of 4 slices surely clear, 1 below, 1 not judged"
        heads = [text.get_text() for text in display.headings_]
        assert heads == ["1 below their own bars", "2 surely above their own bars"]
        assert [text.get_text() for text in display.texts_] == ["0.558", "0.845", "0.889"]
        assert [text.get_text() for text in display.support_] == ["39", "81", "20"]
        rows = {row.group: row for row in cb.evaluate_counts(COUNTS, "f1", groups=NAMES)}
        for name, line in zip(display.groups, display.whiskers_, strict=True):
            assert list(line.get_xdata()) == pytest.approx([rows[name].low, rows[name].high])
        assert (len(display.shortfalls_), len(display.bands_)) == (1, 3)
        assert said_of(display).endswith("1 slice without a score or a bar not shown.")

    def test_verdicts_stand_together_and_in_each_the_slices_by_their_distance(self):
        tp = np.array([50, 9, 30, 8, 45, 2])
        size = np.array([60, 10, 60, 10, 60, 10])
        counts = cb.Counts(tp=tp, fp=size - tp, fn=size - tp, tn=tp)
        display = SlicesDisplay.from_counts(counts, "accuracy")
        zones = [outcome for outcome, _ in itertools.groupby(display.standing)]
        assert len(zones) == len(set(zones)), "each kind once"
        for zone in zones:
            distances = display.distance[np.array(display.standing) == zone]
            assert (np.diff(distances) >= 0).all()

    def test_of_many_slices_the_worst_are_drawn_and_nobody_waits_for_intervals(self):
        tp = np.arange(41)
        counts = cb.Counts(tp=tp, fp=41 - tp, fn=41 - tp, tn=tp)
        display = SlicesDisplay.from_counts(counts, "accuracy", most=5)
        assert len(display.points_) == 5
        assert display.groups[:5] == (0, 1, 2, 3, 4)
        assert "36 more slices not shown, at a distance of −0.38 to +0.48." in said_of(display)
        assert display.intervals == display.reaches == display.whiskers_ == display.bands_ == ()

    @pytest.mark.parametrize(
        ("order", "groups"),
        [("worst", ("$B$", "A", "C")), ("best", ("C", "A", "$B$")), ("given", ("A", "$B$", "C"))],
    )
    def test_the_worst_may_come_first_or_last_or_all_as_given(self, order, groups):
        card = cb.evaluate_counts(COUNTS, "f1", groups=NAMES, intervals=False)
        assert SlicesDisplay.from_scorecard(card, order=order).groups == groups
        assert SlicesDisplay.from_counts(COUNTS, "f1", groups=NAMES, order=order).groups == groups

    def test_losses_run_from_right_to_left(self):
        display = SlicesDisplay.from_counts(COUNTS, "fdr", groups=NAMES)
        left, right = display.ax_.get_xlim()
        assert left > right
        assert display.distance == pytest.approx(sorted(display.distance))
        assert display.distance[display.groups.index("C")] == pytest.approx(16 / 20 - 1 / 5)

    def test_several_models_or_measures_must_be_told_apart(self):
        card = cb.evaluate_counts({"tree": COUNTS, "forest": COUNTS}, ["f1", "mcc"], intervals=False)
        for given, options, said in (
            (card, {}, "measure must be named, since the scorecard has several: f1 and mcc"),
            (card, {"measure": "f1"}, "model must be named"),
            (card, {"measure": "f1", "model": "tree", "order": "up"}, 'order must be "best", "worst" or'),
            (cb.evaluate_counts(CARELESS, "f1"), {}, "card has no slices; pass by="),
        ):
            with pytest.raises(ValueError, match=said):
                SlicesDisplay.from_scorecard(given, **options)
        display = SlicesDisplay.from_scorecard(card, "F1", model="tree")
        assert display.title_.get_text().startswith("tree, F1: ")
        assert display.ax_.get_ylabel() == ""  # the title says whose slices these are

    def test_classes_and_labels_are_called_so(self):
        classes = cb.ConfusionMatrix([[20, 4, 1], [5, 15, 5], [2, 3, 20]])
        card = cb.evaluate_multiclass(classes, intervals=False)
        display = SlicesDisplay.from_scorecard(card.per_class("f1"), most=2)
        assert "F1 in 3 classes" in display.description
        assert "1 more class not shown" in display.description
        sets = cb.evaluate_multilabel([{"a"}, {"b"}, {"a", "b"}], [{"a"}, {"b"}, {"b"}], intervals=False)
        assert "F1 in 2 labels" in SlicesDisplay.from_scorecard(sets.per_label("f1")).description


class TestConfusion:
    def test_what_chance_expects_stands_beside_what_is_and_accuracy_beside_its_bar(self):
        display = ConfusionDisplay.from_matrix(MATRIX)
        seen, blind = display.shares_
        rows = np.array([[60], [40], [25]])
        np.testing.assert_allclose(seen, MATRIX.to_array() / rows)
        np.testing.assert_allclose(blind * rows, np.outer([60, 40, 25], [65, 36, 24]) / 125)
        assert {"31.2", "11.5"} <= {text.get_text() for text in display.texts_[1]}
        assert " ".join(text.get_text() for text in display.texts_[0]) == "50 6 4 10 25 5 5 5 15"
        assert "90 are right, where labels in random order leave 47.5" in display.description
        assert "dog is called cat in 10 of its 40 samples (25.0 %)" in display.description
        assert display.finding.startswith("Accuracy 0.720 clears the bar 0.480")

    @pytest.mark.parametrize(("classes", "width"), [(2, 3.3), (3, 6.4), (10, 3.3), (2, 12.0)])
    def test_both_tables_fill_the_picture(self, classes, width):
        truth = np.repeat(np.arange(classes), 20)
        with plt.rc_context({"figure.figsize": (width, 4.8)}):
            display = ConfusionDisplay.from_predictions(truth, np.roll(truth, 3))
        display.figure_.draw_without_rendering()
        box, figure = display.ax_.get_window_extent(), display.figure_.bbox
        assert box.x1 > 0.96 * figure.x1
        assert box.height > 0.4 * figure.height

    def test_of_a_trillion_samples_no_product_overflows(self):
        """Sizes are 6e11 and 4e11, answers 5e11 each: 3e11 + 2e11 are right in random order."""
        matrix = cb.ConfusionMatrix([[4 * 10**11, 2 * 10**11], [10**11, 3 * 10**11]], labels=["no", "yes"])
        display = ConfusionDisplay.from_matrix(matrix)
        assert display.expected.tolist() == [[3e11, 3e11], [2e11, 2e11]]
        assert "labels in random order leave 500,000,000,000." in display.description

    def test_of_many_classes_the_smallest_share_a_row(self):
        truth = np.repeat(np.arange(50), np.arange(1, 51))
        display = ConfusionDisplay.from_predictions(truth, truth)
        assert len(display.images_[0].get_paths()) == 900
        assert display.figure_.axes[0].get_yticklabels()[-1].get_text() == "others"
        assert display.rest == "The 21 smallest classes share a row and a column."

    def test_a_scorecard_has_a_matrix_of_each_model_and_slice(self):
        truth = np.repeat(["a", "b", "c"], 4)
        models = {"one": truth, "two": np.roll(truth, 1)}
        card = cb.evaluate(truth, models, "mcc", by=np.arange(12) % 2, intervals=False)
        display = ConfusionDisplay.from_scorecard(card, model="two", group=1)
        assert (display.matrix.total, display.model) == (6, "two")
        two = cb.evaluate_counts(cb.Counts(tp=3, fp=1, fn=2, tn=6), "mcc")
        for one in (two, dataclasses.replace(two, problem=None)):
            display = ConfusionDisplay.from_scorecard(one)
            assert display.matrix.to_array().tolist() == [[6, 1], [2, 3]]
        assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["negative", "positive"]
        named = cb.evaluate(["benign", "ill"] * 5, ["ill", "ill"] * 5, "mcc", pos_label="ill")
        assert ConfusionDisplay.from_scorecard(named).matrix.labels == ("benign", "ill")
        numbers = cb.evaluate([0.5, 1.5, 2.5], [0.5, 1, 2], "mae", intervals=False)
        _, axes = plt.subplots(1, 2)
        for make, said in (
            (lambda: ConfusionDisplay.from_scorecard(card), r"model must be named, .*: 'one' and 'two'"),
            (lambda: ConfusionDisplay.from_scorecard(numbers), r"two or more classes.*; this scorecard is"),
            (lambda: ConfusionDisplay.from_matrix([[1, 0], [0, 1]]), "matrix must be a ConfusionMatrix"),
            (lambda: ConfusionDisplay.from_matrix(MATRIX, ax=axes), "ax must be one Axes; found 2"),
            (lambda: ConfusionDisplay.from_matrix(MATRIX, ax="here"), "ax must be a matplotlib Axes"),
        ):
            with pytest.raises(ValueError, match=said):
                make()
        assert ConfusionDisplay.from_matrix(MATRIX, ax=axes[0]).figure_ is axes[0].figure


def test_a_false_claim_is_drawn_over_all_agreements_that_the_scores_allow():
    claim = cb.claim("0.85", "0.80", 150)
    display = FalseClaimDisplay.from_claim(claim)
    agreement = display.line_.get_xdata() / 100
    (least, _), (_, most) = claim.answers
    assert agreement[-1] == pytest.approx(1 - (least - most) / 150)
    np.testing.assert_allclose(display.line_.get_ydata(), claim.false_claim_probability(agreement))
    np.testing.assert_allclose(display.posterior_.get_ydata(), claim.posterior_not_better(agreement))
    share = float(re.search(r"agree on ([\d.]+) % or more", display.finding)[1]) / 100
    assert display.limit_.get_xdata()[0] == pytest.approx(100 * share)
    before, after = claim.false_claim_probability([share - 0.001, share])
    assert after <= 0.05 < before
    assert "whatever" in FalseClaimDisplay.from_claim(cb.claim("0.91", "0.90", 100)).finding
    other = FalseClaimDisplay.from_claim(cb.claim("0.85", "0.80", cb.Population(300, 100), "f1"))
    assert (other.posterior_, other.line_.get_xdata()[[0, -1]].tolist()) == (None, [0.0, 100.0])
    with pytest.raises(NothingToDrawError, match="F1 of 5,000 samples is not decided"):
        FalseClaimDisplay.from_claim(cb.claim("0.85", "0.80", cb.Population(5_000, 400), "f1"))
    with pytest.raises(ValueError, match=r"claim must be made by clearbar.claim; found 0.05"):
        FalseClaimDisplay.from_claim(0.05)


def test_power_is_drawn_with_what_is_needed_and_the_doubt_of_a_simulation():
    display = PowerDisplay.from_rates("mcc", samples=[6, 8, 10], **RATES)
    needed = cb.samples_needed("mcc", **RATES)
    assert display.finding == f"{needed} samples are needed for a chance of 80 % to surely clear the MCC bar"
    assert f"{needed} samples reach 0.8" in display.description
    assert list(display.line_.get_xdata()) == [6, 8, 10]
    assert list(display.line_.get_ydata()) == list(display.powers)
    assert list(display.wanted_.get_ydata()) == [0.8, 0.8]
    assert "wanted\n80 %" in {text.get_text() for text in display.ax_.texts}
    power = {"needed": None, "wanted": 0.8, "rates": (0.5, 0.6, 0.6)}
    drawn = PowerDisplay(cb.get_measure("mcc"), [600, 900], [0.5, 0.7], [0.01, 0.01], **power)
    assert "two standard errors" in said_of(drawn.plot())
    assert len(drawn.ax_.collections) == 1


@pytest.mark.parametrize("samples", [[1, 2], ["x"], []])
def test_numbers_of_samples_are_whole_and_two_at_least(samples):
    with pytest.raises(ValueError, match="samples must be whole numbers from 2 up; found"):
        PowerDisplay.from_rates("mcc", samples=samples, **RATES)


def test_a_ranking_shows_bar_scores_and_intervals_and_says_how_many_models_have_no_room():
    rng = np.random.default_rng(1)
    y_true = rng.integers(0, 2, 60)
    models = {f"model {at}": np.where(rng.random(60) < 0.7, y_true, 1 - y_true) for at in range(15)}
    display = RankingDisplay.from_predictions(y_true, dict(list(models.items())[:4]), "mcc")
    assert [text.get_text() for text in display.texts_] == [f"{one:.3f}" for one in display.ranking.scores]
    assert list(display.bar_.get_xdata()) == [0, 0]
    ends = [list(line.get_xdata()) for line in display.whiskers_]
    assert ends == [pytest.approx(list(one)) for one in display.intervals]
    assert display.standing[0] == "clears"
    _, ax = plt.subplots(figsize=(3.3, 2.4), layout="constrained")
    small = RankingDisplay.from_scorecard(cb.evaluate(y_true, models, "mcc", intervals=False), ax=ax)
    assert len(small.points_) < 15
    assert f"{15 - len(small.points_)} more models not drawn here." in said_of(small)


def test_the_papers_figures_come_out():
    names = runpy.run_path(str(ROOT / "examples" / "papers" / "dutch_draw_figures.py"))
    (ax,) = names["figure_1"]().axes
    peak = max(line.get_ydata().max() for line in ax.lines if len(line.get_ydata()) == 51)
    assert round(peak, 4) == 0.4877
    (ax,) = names["figure_2"]().axes
    drawn = {tuple(point) for line in ax.lines for point in line.get_xydata().round(2).tolist()}
    best = {1: 0.66, 2: 0.6, 5: 0.54, 10: 0.52, 25: 0.5, 40: 0.48, 45: 0.46, 48: 0.4, 49: 0.34}
    assert set(best.items()) <= drawn


PAGE = (ROOT / "docs" / "plots.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(re.findall(r"images/(\w+)\.png", PAGE))))
def test_every_picture_of_the_documents_can_be_made_again(name):
    assert runpy.run_path(str(ROOT / "tools" / "figures.py"))["FIGURES"][name]().description
    assert (ROOT / "docs" / "images" / f"{name}.png").stat().st_size < 150_000
