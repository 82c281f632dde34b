"""A measure at every threshold, and what picking the best one costs."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from matplotlib.colors import to_hex
from tests.plots.exact import CARELESS, S, Y, f1, law

import clearbar as cb
from clearbar.core.counts import counts_of
from clearbar.plots import ThresholdDisplay


class TestThreshold:
    def test_recall_is_the_cumulative_gains_chart(self):
        display = ThresholdDisplay.from_predictions(Y, S, "recall")
        x, y = display.line_.get_data()
        expected = {0: 0.0}
        for threshold in np.unique(S):
            chosen = threshold <= S
            expected[int(chosen.sum())] = Y[chosen].sum() / Y.sum()
        assert dict(zip(x.tolist(), y.tolist(), strict=True)) == pytest.approx(expected)
        k, share = display.expected_.get_data()
        assert share == pytest.approx(k / 10)

    def test_precision_stands_over_its_true_chance_level(self):
        display = ThresholdDisplay.from_predictions(Y, S, "precision")
        k, level = display.expected_.get_data()
        assert k[1:] == pytest.approx(range(1, 11))
        assert level[1:] == pytest.approx([0.4] * 10)
        assert math.isnan(level[0])
        assert display.ax_.get_xlabel() == "number predicted positive, of 10"

    def test_what_picking_costs_is_the_law_of_the_best_threshold(self):
        """All 210 ways to give four of the ten scores, with their ties, a positive label."""
        display = ThresholdDisplay.from_predictions(Y, S, "f1")
        chosen = [threshold <= S for threshold in np.unique(S)]

        def best_of(y):
            return max(Fraction(2 * int(y[some].sum()), int(some.sum()) + 4) for some in chosen)

        found = best_of(Y)
        bests = []
        for places in itertools.combinations(range(10), 4):
            y = np.zeros(10, dtype=int)
            y[list(places)] = 1
            bests.append(best_of(y))
        assert display.best.score == pytest.approx(float(found))
        assert display.best.exact
        assert display.best.p_picked == pytest.approx(sum(best >= found for best in bests) / 210)
        alone = law(10, 4, display.best.predicted_positives, f1)
        assert display.best.p_alone == pytest.approx(
            float(sum(weight for value, weight in alone.items() if value >= found))
        )
        assert display.warning.split()[0:4] == ["Best", "of", "9", "thresholds:"]
        assert " ".join(display.note_.get_text().split()) == display.warning

    def test_a_random_ranking_expects_something_at_its_best_threshold(self):
        """Without ties, all 210 orders of four positive among ten samples."""
        y = np.array([0, 1, 1, 0, 1, 0, 0, 1, 0, 0])
        display = ThresholdDisplay.from_predictions(y, np.arange(10), "mcc")
        bests = []
        for places in itertools.combinations(range(10), 4):
            tp = np.cumsum(np.isin(np.arange(10), places))[:9]
            fp = np.arange(1, 10) - tp
            bests.append(((tp * (6 - fp) - fp * (4 - tp)) / np.sqrt((tp + fp) * 24.0 * (10 - tp - fp))).max())
        assert display.best.expected == pytest.approx(np.mean(bests))
        assert display.random_best_.get_ydata()[0] == display.best.expected

    @pytest.mark.parametrize(("measure", "undefined"), [("fdr", "exclude"), ("f1", 0.0)])
    def test_elsewhere_it_is_bounded_by_the_sum_over_all_thresholds(self, measure, undefined):
        display = ThresholdDisplay.from_predictions(Y, S, measure, undefined=undefined)
        tails = []
        for k in sorted({0, *(int((threshold <= S).sum()) for threshold in S)}):
            null = cb.Draw(cb.Population(10, 4), k).distribution(measure)
            tails.append(null.tail(display.best.score))
        assert not display.best.exact
        assert display.best.p_picked == pytest.approx(min(sum(tails), 1))

    def test_its_title_says_how_the_best_threshold_stands(self):
        """By luck a ranking of ten has as good a best threshold with p = 0.3 or so: that is doubt."""
        display = ThresholdDisplay.from_predictions(Y, S, "f1")
        assert display.best.p_picked > 0.05
        assert display.standing == "doubt"
        best, bar = f"{display.best.score:.3f}", f"{display.bar.value:.3f}"
        assert display.finding == (
            f"The best threshold is above the F1 bar, but it could be chance: {best}, bar {bar}"
        )
        assert to_hex(display.best_.get_markeredgecolor()) == "#e69f00"
        assert {best, f"bar {bar}"} <= {text.get_text() for text in display.ax_.texts}
        sure = ThresholdDisplay.from_predictions(np.repeat([0, 1], 20), np.arange(40), "f1", name="tree")
        assert sure.finding == "tree at its best threshold clears the F1 bar: 1, bar 0.667"
        assert to_hex(sure.best_.get_markerfacecolor()) == "#0072b2"

    @pytest.mark.parametrize(
        ("y", "scores", "said"),
        [
            ([0, 1, 0, 1], [1.0] * 4, "All scores are equal: they predict all samples positive, or none."),
            ([1], [0.5], "One sample has no threshold to choose."),
            ([0, 0, 0], [1.0, 2.0, 3.0], "has no recall at any threshold: there are no positives"),
        ],
    )
    def test_where_there_is_nothing_to_choose_a_sentence_says_so(self, y, scores, said):
        measure = "recall" if "recall" in said else "f1"
        display = ThresholdDisplay.from_predictions(y, scores, measure, pos_label=1)
        assert said in " ".join(" ".join(text.get_text() for text in display.ax_.texts).split())

    def test_the_bar_is_named_where_the_curve_keeps_off_it(self):
        """FNR falls to its bar of 0 on the right, and precision of a good model to the prevalence."""
        y = np.repeat([0, 1], 30)
        for measure in ("fnr", "precision"):
            display = ThresholdDisplay.from_predictions(y, np.arange(60.0) % 40 + 20 * y, measure)
            (said,) = (text for text in display.ax_.texts if text.get_text().startswith("bar "))
            assert said.get_ha() == "left"


class TestThresholdsCountedElsewhere:
    def counts(self, thresholds):
        cells = [
            [int(((at <= S) == said)[Y.astype(bool) == real].sum()) for at in thresholds]
            for said, real in itertools.product((True, False), repeat=2)
        ]
        return counts_of(cells)

    @pytest.mark.parametrize("measure", ["f1", "recall", "fdr"])
    def test_they_make_the_picture_that_the_scores_make(self, measure):
        thresholds = [0.2, 0.9, np.inf, 0.0, 0.6, 0.7, 0.1, 0.8, 0.3]
        display = ThresholdDisplay.from_counts(self.counts(thresholds), measure, thresholds=thresholds)
        other = ThresholdDisplay.from_predictions(Y, S, measure)
        for mine, theirs in ((display.line_, other.line_), (display.expected_, other.expected_)):
            assert np.array_equal(mine.get_xydata(), theirs.get_xydata(), equal_nan=True)
        assert display.thresholds.tolist() == other.thresholds.tolist()
        assert (display.best.threshold, display.best.score) == (other.best.threshold, other.best.score)
        assert display.best.p_picked >= other.best.p_picked, "a bound, where the other may be exact"
        assert not display.best.exact

    def test_what_is_not_one_scores_thresholds_is_refused(self):
        with pytest.raises(ValueError, match=r"counts must be Counts of shape \(T,\)"):
            ThresholdDisplay.from_counts(CARELESS, "f1")
        with pytest.raises(ValueError, match="those of one score's thresholds"):
            ThresholdDisplay.from_counts(cb.Counts(tp=[2, 1], fp=[0, 3], fn=[2, 3], tn=[4, 1]), "f1")
        with pytest.raises(ValueError, match="thresholds must be as many as the counts, 2; found shape"):
            ThresholdDisplay.from_counts(self.counts([0.8, 0.3]), "f1", thresholds=[0.8])
