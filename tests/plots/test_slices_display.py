"""Slices by distance from their own bars."""

from __future__ import annotations

import numpy as np
import pytest
from tests.plots.exact import CARELESS, COUNTS, NAMES

import clearbar as cb
from clearbar.plots import SlicesDisplay


class TestSlices:
    def test_slices_are_sorted_by_the_distance_from_their_own_bars(self):
        display = SlicesDisplay.from_counts(COUNTS, "f1", groups=NAMES)
        bars = {"A": 70 / 116, "$B$": 44 / 61, "C": 8 / 24}
        scores = {"A": 60 / 71, "$B$": 24 / 43, "C": 8 / 9}
        assert display.groups == ("$B$", "A", "C")
        assert display.distance == pytest.approx([scores[name] - bars[name] for name in display.groups])
        assert [point.get_xdata()[0] for point in display.points_] == pytest.approx(
            [scores[name] for name in display.groups]
        )
        ticks = [line.get_xdata()[0] for line in display.bars_]
        assert ticks == pytest.approx([bars[name] for name in display.groups])
        assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["\\$B\\$", "A", "C"]

    def test_support_is_written_and_what_cannot_be_judged_is_counted(self):
        display = SlicesDisplay.from_counts(COUNTS, "f1", groups=NAMES)
        assert [text.get_text() for text in display.support_] == ["39", "81", "20"]
        assert display.note_.get_text() == "1 slice without a score or a bar not shown."

    def test_of_many_slices_the_worst_are_drawn_and_the_rest_counted(self):
        tp = np.arange(40)
        counts = cb.Counts(tp=tp, fp=40 - tp, fn=40 - tp, tn=tp)
        display = SlicesDisplay.from_counts(counts, "accuracy", most=5)
        assert len(display.points_) == 5
        assert display.groups[:5] == (0, 1, 2, 3, 4)
        assert "35 more slices not shown, at a distance of −0.38 to +0.47." in display.note_.get_text()

    def test_slices_without_an_interval_are_drawn_too(self):
        display = SlicesDisplay.from_counts(COUNTS, "f1", groups=NAMES, most=1)
        display.most = 2
        display.plot()
        assert (len(display.points_), len(display.whiskers_)) == (2, 1)

    def test_it_finds_how_many_slices_miss_and_writes_scores_intervals_and_reach(self):
        display = SlicesDisplay.from_counts(COUNTS, "f1", groups=NAMES)
        assert display.title_.get_text() == "1 of 3 slices misses its F1 bar"
        assert [text.get_text() for text in display.texts_] == ["0.558", "0.845", "0.889"]
        rows = {row.group: row for row in cb.evaluate_counts(COUNTS, "f1", groups=NAMES)}
        for name, line in zip(display.groups, display.whiskers_, strict=True):
            assert list(line.get_xdata()) == pytest.approx([rows[name].low, rows[name].high])
        assert len(display.shortfalls_) == 1
        assert len(display.bands_) == 3
        assert display.band_label_.get_text() == "what chance can reach"

    @pytest.mark.parametrize(
        ("order", "groups"),
        [("worst", ("$B$", "A", "C")), ("best", ("C", "A", "$B$")), ("given", ("A", "$B$", "C"))],
    )
    def test_the_worst_may_come_first_or_last_or_all_as_given(self, order, groups):
        card = cb.evaluate_counts(COUNTS, "f1", groups=NAMES, intervals=False)
        assert SlicesDisplay.from_scorecard(card, order=order).groups == groups
        assert SlicesDisplay.from_counts(COUNTS, "f1", groups=NAMES, order=order).groups == groups
        with pytest.raises(ValueError, match='order must be "best", "worst" or "given"; found'):
            SlicesDisplay.from_scorecard(card, order="up")

    def test_losses_run_from_right_to_left(self):
        display = SlicesDisplay.from_counts(COUNTS, "fdr", groups=NAMES)
        left, right = display.ax_.get_xlim()
        assert left > right
        assert display.distance == pytest.approx(sorted(display.distance))
        at = display.groups.index("C")
        assert display.distance[at] == pytest.approx(16 / 20 - 1 / 5)

    def test_several_models_or_measures_must_be_told_apart(self):
        card = cb.evaluate_counts({"tree": COUNTS, "forest": COUNTS}, ["f1", "mcc"])
        with pytest.raises(
            ValueError, match="measure must be named, since the scorecard has several: f1 and mcc"
        ):
            SlicesDisplay.from_scorecard(card)
        with pytest.raises(ValueError, match="model must be named"):
            SlicesDisplay.from_scorecard(card, "f1")
        assert SlicesDisplay.from_scorecard(card, "F1", model="tree").ax_.get_ylabel() == "tree"
        both = {"tree": COUNTS, "forest": COUNTS}
        assert SlicesDisplay.from_counts(both, "f1", model="forest").model == "forest"

    def test_classes_and_labels_are_called_so(self):
        classes = cb.ConfusionMatrix([[20, 4, 1], [5, 15, 5], [2, 3, 20]])
        card = cb.evaluate_multiclass(classes, intervals=False)
        display = SlicesDisplay.from_scorecard(card.per_class("f1"), most=2)
        assert "F1 in 3 classes" in display.description
        assert "1 more class not shown" in display.description
        sets = cb.evaluate_multilabel([{"a"}, {"b"}, {"a", "b"}], [{"a"}, {"b"}, {"b"}], intervals=False)
        assert "F1 in 2 labels" in SlicesDisplay.from_scorecard(sets.per_label("f1")).description

    def test_a_scorecard_without_slices_is_refused(self):
        with pytest.raises(ValueError, match="card has no slices; pass by="):
            SlicesDisplay.from_scorecard(cb.evaluate_counts(CARELESS, "f1"))

    def test_beyond_forty_slices_nobody_waits_for_intervals(self):
        tp = np.arange(41)
        counts = cb.Counts(tp=tp, fp=41 - tp, fn=41 - tp, tn=tp)
        display = SlicesDisplay.from_counts(counts, "accuracy", most=3)
        assert display.intervals == display.reaches == display.whiskers_ == display.bands_ == ()
