"""Distributions, expectations, thresholds and slices: what is drawn is what is computed elsewhere."""

from __future__ import annotations

import builtins
import itertools
import math
from fractions import Fraction
from math import comb

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.stats import hypergeom

import clearbar as cb
from clearbar.plots import (
    ExpectationDisplay,
    NullDisplay,
    ScorecardDisplay,
    SlicesDisplay,
    ThresholdDisplay,
)

CARELESS = cb.Counts(tp=13, fp=5, fn=5, tn=8)


def law(total, positives, k, score):
    """Return {score: probability} of one draw, in exact fractions."""
    found = {}
    for tp in range(max(0, k + positives - total), min(k, positives) + 1):
        weight = Fraction(comb(positives, tp) * comb(total - positives, k - tp), comb(total, k))
        value = score(tp, k - tp, positives - tp, total - positives - k + tp)
        found[value] = found.get(value, 0) + weight
    return found


def f1(tp, fp, fn, tn):
    return Fraction(2 * tp, 2 * tp + fp + fn)


class TestNull:
    def test_heights_are_the_exact_law_at_the_models_own_k(self):
        display = NullDisplay.from_counts(CARELESS, "f1")
        exact = law(31, 18, 18, f1)
        rest, tail = (part[0] for part in (display.bars_, display.tails_))
        drawn = {tuple(segment[1]) for part in (rest, tail) for segment in part.get_segments()}
        for value, probability in drawn:
            nearest = min(exact, key=lambda known: abs(known - value))
            assert value == pytest.approx(float(nearest))
            assert probability == pytest.approx(float(exact[nearest]))
        assert sum(probability for _, probability in drawn) == pytest.approx(1, abs=3e-6)

    def test_the_tail_is_what_is_at_least_as_good_and_its_p_is_written(self):
        display = NullDisplay.from_counts(CARELESS, "f1")
        exact = law(31, 18, 18, f1)
        p = sum(weight for value, weight in exact.items() if value >= Fraction(26, 36))
        assert display.own.tail == pytest.approx(float(p))
        assert display.own.probability[display.own.in_tail].sum() == pytest.approx(float(p), abs=2e-6)
        assert display.texts_[0].get_text().endswith(f"p = {float(p):.2g}")
        assert display.scores_[0].get_xdata()[0] == pytest.approx(26 / 36)

    def test_the_bars_draw_is_below_it(self):
        display = NullDisplay.from_counts(CARELESS, "f1")
        assert len(display.axes_) == 2
        assert display.bar.predicted_positives == 31
        (segment,) = display.tails_[1].get_segments()
        assert segment[1] == pytest.approx([36 / 49, 1])
        assert display.texts_[1].get_text().startswith("31 of 31 positive at random, as the bar\n")

    def test_a_number_that_attains_the_bar_needs_one_distribution(self):
        display = NullDisplay.from_counts(CARELESS, "mcc")
        assert len(display.axes_) == 1
        assert "as the model and the bar" in display.texts_[0].get_text()

    def test_losses_have_their_tail_below(self):
        display = NullDisplay.from_counts(CARELESS, "fdr")
        values = display.own.left[display.own.in_tail]
        assert values.max() <= 5 / 18 + 1e-12
        assert "less is better" in display.axes_[-1].get_xlabel()

    @pytest.mark.parametrize("measure", ["mcc", "f1", "fpr", "g_mean"])
    def test_many_atoms_are_gathered_in_bins_with_an_edge_at_the_score(self, measure):
        counts = cb.Counts(tp=50_200, fp=49_900, fn=49_800, tn=50_100)
        display = NullDisplay.from_counts(counts, measure)
        own = display.own
        score = float(cb.get_measure(measure)(counts))
        assert own.binned
        assert np.abs(np.concatenate((own.left, own.right)) - score).min() < 1e-12
        assert own.probability.sum() == pytest.approx(1, abs=3e-6)
        null = cb.Draw(counts.population, int(counts.predicted_positives)).distribution(measure)
        at = len(own.left) // 2
        inside = null.cdf(own.right[at]) - null.cdf(own.left[at])
        edges = null.pmf(own.right[at]) + null.pmf(own.left[at])
        assert abs(own.probability[at] - inside) <= edges + 1e-12
        assert display.axes_[0].get_ylabel() == "probability\nper bin"

    @pytest.mark.parametrize("measure", ["f1", "fdr", "diagnostic_odds_ratio"])
    @pytest.mark.parametrize(
        "counts", [(2_000, 1, 1, 3_000), (1_200, 800, 801, 2_200), (810, 1_191, 1_191, 1_810)]
    )
    def test_each_bin_gathers_as_many_atoms_so_that_a_hill_has_one_top(self, measure, counts):
        display = NullDisplay.from_counts(cb.Counts(*counts), measure)
        own, steps = display.own, np.sign(np.diff(display.own.probability[1:-1]))
        assert own.binned
        assert (np.diff(steps[steps != 0]) != 0).sum() <= 1
        assert own.right[:-1] == pytest.approx(own.left[1:])
        assert own.probability[own.in_tail].sum() == pytest.approx(own.tail, abs=2e-6)

    def test_few_atoms_of_a_wide_draw_are_stems_at_their_exact_places(self):
        """k = 100,000 of a billion reach 70,003 tables, but only two dozen matter."""
        tp, fp, fn, tn = 70_000, 30_000, 2, 10**9
        own = NullDisplay.from_counts(cb.Counts(tp, fp, fn, tn), "f1").own
        assert not own.binned
        assert len(own.left) < 30
        k, positives = tp + fp, tp + fn
        reached = np.rint(own.left * (k + positives) / 2)
        assert own.left == pytest.approx(2 * reached / (k + positives), rel=1e-12)
        assert own.probability == pytest.approx(
            hypergeom(tp + fp + fn + tn, positives, k).pmf(reached), rel=1e-5
        )

    def test_a_distribution_that_would_be_a_line_gets_an_axis_of_its_own(self):
        display = NullDisplay.from_counts(cb.Counts(tp=50_200, fp=49_900, fn=49_800, tn=50_100), "f1")
        low, high = display.axes_[0].get_xlim()
        assert high - low < 0.02
        assert low < display.verdict.score < high < 2 / 3
        assert "bar 0.6667 →" in {text.get_text() for text in display.axes_[0].texts}
        narrow, wide = (NullDisplay.from_counts(CARELESS, "f1").axes_[at].get_xlim() for at in (0, 1))
        assert narrow == wide

    def test_a_billion_samples_are_no_more_work(self):
        counts = cb.Counts(tp=10**8 + 9_000, fp=4 * 10**8, fn=10**8, tn=4 * 10**8)
        display = NullDisplay.from_counts(counts, "mcc")
        assert display.own.probability.sum() == pytest.approx(1, abs=3e-6)

    def test_one_axes_is_divided_and_two_are_taken(self):
        _, ax = plt.subplots()
        display = NullDisplay.from_counts(CARELESS, "f1", ax=ax)
        assert [panel in ax.child_axes for panel in display.axes_] == [True, True]
        _, pair = plt.subplots(2)
        assert display.plot(ax=pair).axes_ == tuple(pair)
        with pytest.raises(ValueError, match="ax must hold 2 axes, or be one; found 1"):
            display.plot(ax=[ax])

    def test_what_has_no_distribution_is_refused(self):
        with pytest.raises(ValueError, match="verdict must be a Verdict"):
            NullDisplay.from_verdict(0.7)
        with pytest.raises(ValueError, match="one confusion matrix; this verdict has none"):
            NullDisplay.from_verdict(cb.baseline(cb.Population(31, 18), "f1").judge(0.72))
        with pytest.raises(ValueError, match="one model and one measure; found 2 rows"):
            NullDisplay.from_counts({"a": CARELESS, "b": CARELESS}, "f1")
        with pytest.raises(ValueError, match="precision has no value here"):
            NullDisplay.from_counts(cb.Counts(tp=0, fp=0, fn=3, tn=4), "precision")

    def test_mass_without_a_value_is_said(self):
        display = NullDisplay.from_counts(cb.Counts(tp=2, fp=1, fn=1, tn=2), "diagnostic_odds_ratio")
        assert display.bar is None
        assert "has no value with a probability of" in display.note_.get_text()

    def test_next_to_no_mass_without_a_value_is_no_row_of_zeros(self):
        display = NullDisplay.from_counts(cb.Counts(tp=20, fp=5, fn=5, tn=30), "diagnostic_odds_ratio")
        assert f"a probability of {100 / comb(60, 25):.1e} %." in " ".join(display.note_.get_text().split())


class TestExpectation:
    def test_figure_1_of_statistica_neerlandica(self):
        """P = 5, N = 45: the expectation peaks at 0.4877 for a share of 0.54."""
        display = ExpectationDisplay.from_baseline(cb.baseline(cb.Population(50, 5), "g_mean"))
        x, y = display.line_.get_data()
        assert len(x) == 51
        at = int(np.argmax(y))
        assert (x[at], round(y[at], 4)) == (0.54, 0.4877)
        assert display.optima_[0].get_xdata() == pytest.approx([0.54])

    def test_the_band_holds_ninety_in_a_hundred_draws(self):
        display = ExpectationDisplay.from_baseline(cb.baseline(cb.Population(50, 5), "g_mean"))
        for k in (1, 7, 27, 49):
            exact = law(50, 5, k, lambda *cells: Fraction(cells[0] * cells[3], 5 * 45))
            low, high = display.low[k] ** 2, display.high[k] ** 2
            below = sum(float(weight) for value, weight in exact.items() if value < low - 1e-9)
            above = sum(float(weight) for value, weight in exact.items() if value > high + 1e-9)
            assert below < 0.05
            assert above <= 0.05 + 1e-12
            assert below + sum(float(w) for v, w in exact.items() if abs(v - low) < 1e-9) >= 0.05
        path = display.band_.get_paths()[0]
        assert path.vertices[:, 1].max() == pytest.approx(np.nanmax(display.high))

    def test_the_model_is_at_its_share_and_score(self):
        display = ExpectationDisplay.from_counts(CARELESS, "f1", name="tree")
        assert display.model_.get_xdata() == pytest.approx([18 / 31])
        assert display.model_.get_ydata() == pytest.approx([26 / 36])
        assert "tree 0.722" in [text.get_text() for text in display.legend_.get_texts()]
        assert display.ax_.get_xlabel() == "share predicted positive, θ = k / M"

    def test_an_interval_of_optima_is_a_line(self):
        display = ExpectationDisplay.from_counts(CARELESS, "precision")
        assert display.optima_[0].get_xdata() == pytest.approx([1 / 31, 1])
        assert math.isnan(display.line_.get_ydata()[0])
        assert "Gaps" in display.note_.get_text()

    def test_a_policy_moves_curve_and_band_alike(self):
        """Odds ratios without a value count as 1: the mean is the exact mixture, inside of the band."""
        display = ExpectationDisplay.from_counts(
            cb.Counts(tp=2, fp=1, fn=1, tn=2), "diagnostic_odds_ratio", undefined=1.0
        )
        for k in range(7):
            exact = law(
                6, 3, k, lambda tp, fp, fn, tn: Fraction(tp * tn, fp * fn) if fp * fn else Fraction(1)
            )
            mean = sum(value * weight for value, weight in exact.items())
            assert display.expectation[k] == pytest.approx(float(mean))
            running, quantile = Fraction(0), {}
            for value in sorted(exact):
                running += exact[value]
                for level in (Fraction(1, 20), Fraction(19, 20)):
                    if running >= level:
                        quantile.setdefault(level, float(value))
            assert [display.low[k], display.high[k]] == pytest.approx(list(quantile.values()))

    def test_other_things_are_refused(self):
        with pytest.raises(ValueError, match="bar must be what cb"):
            ExpectationDisplay.from_baseline(0.7)
        with pytest.raises(ValueError, match="counts must be one confusion matrix"):
            ExpectationDisplay.from_counts(cb.Counts(tp=[1], fp=[1], fn=[1], tn=[1]), "f1")
        with pytest.raises(ValueError, match="on the bar's population"):
            ExpectationDisplay.from_baseline(cb.baseline(cb.Population(30, 5), "f1"), counts=CARELESS)


class TestThresholdsCountedElsewhere:
    Y = np.array([0, 1, 1, 0, 1, 0, 0, 1, 0, 0])
    S = np.array([0.1, 0.9, 0.8, 0.7, 0.6, 0.6, 0.3, 0.2, 0.2, 0.0])

    def counts(self, thresholds):
        cells = [
            [int(((at <= self.S) == said)[self.Y.astype(bool) == real].sum()) for at in thresholds]
            for said, real in itertools.product((True, False), repeat=2)
        ]
        return cb.Counts(*cells)

    @pytest.mark.parametrize("measure", ["f1", "recall", "fdr"])
    def test_they_make_the_picture_that_the_scores_make(self, measure):
        thresholds = [0.2, 0.9, np.inf, 0.0, 0.6, 0.7, 0.1, 0.8, 0.3]
        display = ThresholdDisplay.from_counts(self.counts(thresholds), measure, thresholds=thresholds)
        other = ThresholdDisplay.from_predictions(self.Y, self.S, measure)
        for mine, theirs in ((display.line_, other.line_), (display.expected_, other.expected_)):
            assert np.array_equal(mine.get_xydata(), theirs.get_xydata(), equal_nan=True)
        assert display.thresholds.tolist() == other.thresholds.tolist()
        assert (display.best.threshold, display.best.score) == (other.best.threshold, other.best.score)
        assert display.best.p_picked >= other.best.p_picked, "a bound, where the other may be exact"
        assert not display.best.exact

    def test_the_bound_is_one_of_the_thresholds_given(self):
        """Two thresholds: it is the sum of two tails, and holds, as every ranking of ten samples shows."""
        counts = self.counts([0.8, 0.3])
        display = ThresholdDisplay.from_counts(counts, "f1")
        lucky = sum(
            max(
                2 * len([one for one in order[:k] if one < 4]) / (k + 4)
                for k in np.asarray(counts.predicted_positives)
            )
            >= display.best.score - 1e-12
            for order in itertools.permutations(range(10), 6)
        )
        assert lucky / math.perm(10, 6) <= display.best.p_picked
        tails = [
            sum(w for v, w in law(10, 4, k, f1).items() if v >= display.best.score - 1e-12) for k in (2, 6)
        ]
        assert display.best.p_picked == pytest.approx(float(sum(tails)))
        assert "at most" in display.warning

    def test_what_is_not_one_scores_thresholds_is_refused(self):
        with pytest.raises(ValueError, match=r"counts must be Counts of shape \(T,\)"):
            ThresholdDisplay.from_counts(CARELESS, "f1")
        with pytest.raises(ValueError, match="those of one score's thresholds"):
            ThresholdDisplay.from_counts(cb.Counts(tp=[2, 1], fp=[0, 3], fn=[2, 3], tn=[4, 1]), "f1")
        with pytest.raises(ValueError, match="thresholds must be as many as the counts, 2; found shape"):
            ThresholdDisplay.from_counts(self.counts([0.8, 0.3]), "f1", thresholds=[0.8])


class TestThreshold:
    Y = np.array([0, 1, 1, 0, 1, 0, 0, 1, 0, 0])
    S = np.array([0.1, 0.9, 0.8, 0.7, 0.6, 0.6, 0.3, 0.2, 0.2, 0.0])

    def test_recall_is_the_cumulative_gains_chart(self):
        display = ThresholdDisplay.from_predictions(self.Y, self.S, "recall")
        x, y = display.line_.get_data()
        expected = {0: 0.0}
        for threshold in np.unique(self.S):
            chosen = threshold <= self.S
            expected[int(chosen.sum())] = self.Y[chosen].sum() / self.Y.sum()
        assert dict(zip(x.tolist(), y.tolist(), strict=True)) == pytest.approx(expected)
        k, share = display.expected_.get_data()
        assert share == pytest.approx(k / 10)

    def test_precision_stands_over_its_true_chance_level(self):
        display = ThresholdDisplay.from_predictions(self.Y, self.S, "precision")
        k, level = display.expected_.get_data()
        assert k[1:] == pytest.approx(range(1, 11))
        assert level[1:] == pytest.approx([0.4] * 10)
        assert math.isnan(level[0])
        assert display.ax_.get_xlabel() == "number predicted positive, of 10"

    def test_what_picking_costs_is_the_law_of_the_best_threshold(self):
        """All 210 ways to give four of the ten scores, with their ties, a positive label."""
        display = ThresholdDisplay.from_predictions(self.Y, self.S, "f1")
        chosen = [threshold <= self.S for threshold in np.unique(self.S)]

        def best_of(y):
            return max(Fraction(2 * int(y[some].sum()), int(some.sum()) + 4) for some in chosen)

        found = best_of(self.Y)
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
        display = ThresholdDisplay.from_predictions(self.Y, self.S, measure, undefined=undefined)
        tails = []
        for k in sorted({0, *(int((threshold <= self.S).sum()) for threshold in self.S)}):
            null = cb.Draw(cb.Population(10, 4), k).distribution(measure)
            tails.append(null.tail(display.best.score))
        assert not display.best.exact
        assert display.best.p_picked == pytest.approx(min(sum(tails), 1))

    def test_the_bound_holds_for_random_rankings(self):
        """Of 2,000 rankings by chance, those whose best threshold is as good are no more than promised."""
        generator = np.random.default_rng(4)
        y = np.repeat([1, 0], [12, 18])
        found = ThresholdDisplay.from_predictions(y, y + generator.normal(0, 0.9, 30), "mcc")
        sums = np.cumsum(generator.permuted(np.tile(y, (2_000, 1)), axis=1), axis=1)
        k = np.arange(1, 31)
        mcc = cb.get_measure("mcc")(tp=sums, fp=k - sums, fn=12 - sums, tn=18 - k + sums)
        share = (np.nanmax(mcc, axis=1) >= found.best.score - 1e-12).mean()
        assert found.best.p_alone < found.best.p_picked
        assert share <= found.best.p_picked + 4 * math.sqrt(found.best.p_picked / 2_000)

    def test_losses_are_best_where_they_are_least(self):
        display = ThresholdDisplay.from_predictions(self.Y, self.S, "fpr")
        assert display.best.score == 0
        assert "less is better" in display.ax_.get_ylabel()

    def test_many_scores_are_thinned_without_losing_extremes(self):
        generator = np.random.default_rng(0)
        y = generator.random(200_000) < 0.3
        display = ThresholdDisplay.from_predictions(y, generator.normal(size=200_000) + y, "f1")
        x, drawn = display.line_.get_data()
        assert len(display.scores) == 200_001
        assert len(x) <= 4_000
        assert drawn.max() == display.scores.max()
        assert (x[0], x[-1]) == (0, 200_000)
        assert display.best.p_picked < 1e-16


class TestSlices:
    COUNTS = cb.Counts(tp=[30, 12, 4, 0], fp=[6, 9, 1, 0], fn=[5, 10, 0, 0], tn=[40, 8, 15, 9])
    NAMES = ("A", "$B$", "C", "none positive")

    def test_slices_are_sorted_by_the_distance_from_their_own_bars(self):
        display = SlicesDisplay.from_counts(self.COUNTS, "f1", groups=self.NAMES)
        bars = {"A": 70 / 116, "$B$": 44 / 61, "C": 8 / 24}
        scores = {"A": 60 / 71, "$B$": 24 / 43, "C": 8 / 9}
        assert display.groups == ("$B$", "A", "C")
        assert display.distance == pytest.approx([scores[name] - bars[name] for name in display.groups])
        assert [point.get_xdata()[0] for point in display.points_] == pytest.approx(
            [scores[name] for name in display.groups]
        )
        ticks = [segment[0][0] for segment in display.bars_.get_segments()]
        assert ticks == pytest.approx([bars[name] for name in display.groups])
        assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["\\$B\\$", "A", "C"]

    def test_support_is_written_and_what_cannot_be_judged_is_counted(self):
        display = SlicesDisplay.from_counts(self.COUNTS, "f1", groups=self.NAMES)
        assert [text.get_text() for text in display.support_] == ["39", "81", "20"]
        assert display.note_.get_text() == "1 slice without a score or a bar not shown."

    def test_of_many_slices_the_worst_are_drawn_and_the_rest_counted(self):
        tp = np.arange(40)
        counts = cb.Counts(tp=tp, fp=40 - tp, fn=40 - tp, tn=tp)
        display = SlicesDisplay.from_counts(counts, "accuracy", most=5)
        assert len(display.points_) == 5
        assert display.groups[:5] == (0, 1, 2, 3, 4)
        assert "35 more slices not shown, at a distance of −0.38 or better." in display.note_.get_text()

    def test_losses_run_from_right_to_left(self):
        display = SlicesDisplay.from_counts(self.COUNTS, "fdr", groups=self.NAMES)
        left, right = display.ax_.get_xlim()
        assert left > right
        assert display.distance == pytest.approx(sorted(display.distance))
        at = display.groups.index("C")
        assert display.distance[at] == pytest.approx(16 / 20 - 1 / 5)

    def test_several_models_or_measures_must_be_told_apart(self):
        card = cb.evaluate_counts({"tree": self.COUNTS, "forest": self.COUNTS}, ["f1", "mcc"])
        with pytest.raises(
            ValueError, match="measure must be named, since the scorecard has several: f1 and mcc"
        ):
            SlicesDisplay.from_scorecard(card)
        with pytest.raises(ValueError, match="model must be named"):
            SlicesDisplay.from_scorecard(card, "f1")
        assert SlicesDisplay.from_scorecard(card, "F1", model="tree").ax_.get_ylabel() == "tree"
        both = {"tree": self.COUNTS, "forest": self.COUNTS}
        assert SlicesDisplay.from_counts(both, "f1", model="forest").model == "forest"

    def test_a_scorecard_without_slices_is_refused(self):
        with pytest.raises(ValueError, match="card has no slices; pass by="):
            SlicesDisplay.from_scorecard(cb.evaluate_counts(CARELESS, "f1"))


def _scorecard(ax):
    counts = {"k_nearest_neighbours": CARELESS, "logistic_regression": cb.Counts(tp=14, fp=3, fn=4, tn=10)}
    return ScorecardDisplay.from_counts(counts, ["f1", "balanced_accuracy", "diagnostic_odds_ratio"], ax=ax)


DISPLAYS = {
    "scorecard": _scorecard,
    "null": lambda ax: NullDisplay.from_counts(CARELESS, "f1", ax=ax),
    "expectation": lambda ax: ExpectationDisplay.from_counts(
        CARELESS, "f1", name="k_nearest_neighbours", ax=ax
    ),
    "threshold": lambda ax: ThresholdDisplay.from_predictions(
        TestThreshold.Y, TestThreshold.S, "f1", name="k_nearest_neighbours", ax=ax
    ),
    "slices": lambda ax: SlicesDisplay.from_counts(TestSlices.COUNTS, "f1", groups=TestSlices.NAMES, ax=ax),
}


@pytest.mark.parametrize("width", [3.3, 6.4, 13.3])
@pytest.mark.parametrize("name", DISPLAYS)
def test_text_is_legible_and_inside_at_a_columns_width_and_on_a_slide(name, width):
    _, ax = plt.subplots(figsize=(width, 0.62 * width + 1.4), layout="constrained")
    display = DISPLAYS[name](ax)
    display.figure_.draw_without_rendering()
    whole = display.figure_.get_tightbbox()
    assert whole.x0 >= -0.05
    assert whole.x1 <= width + 0.05
    labels = [text for text in (*display.legend_.get_texts(), display.ax_.xaxis.label) if text.get_text()]
    sizes = [text.get_fontsize() for text in labels]
    assert 6.4 <= min(sizes) <= max(sizes) <= 8 if width == 3.3 else min(sizes) >= 1.1 * width


def test_scorecards_of_scores_and_folds_are_drawn_with_their_own_bars():
    y = np.array([0, 1, 1, 0, 1, 0, 0, 1, 0, 1])
    scores = cb.evaluate_scores(y, TestThreshold.S, ["roc_auc", "brier_score"])
    display = ScorecardDisplay.from_scorecard(scores)
    assert display.bars_["ROC AUC"].get_xdata() == pytest.approx([0.5, 0.5])
    assert display.bars_["Brier score"].get_xdata() == pytest.approx([0.75, 0.75])
    assert {"ROC AUC", "Brier score"} == set(display.bands_)
    folds = cb.evaluate_folds(y, 1 - y, np.arange(10) % 2, "f1", aggregate="mean")
    display = ScorecardDisplay.from_scorecard(folds)
    assert display.rows[0].bar == folds[0].baseline.value
    assert set(display.shortfalls_) == {("model", "F1")}


@pytest.mark.parametrize("measure", ["roc_auc", "brier_score"])
def test_beyond_the_reach_no_scores_that_ignore_the_features_get_with_five_percent(measure):
    y = np.repeat([1, 0], [9, 11])
    (row,) = ScorecardDisplay.from_scorecard(cb.evaluate_scores(y, np.linspace(1, 0, 20), measure)).rows
    bar = cb.baseline_scores(y, measure)
    step = (bar.best_possible - bar.value) / 2**13
    assert bar.judge(row.reach).p_value < 0.05 <= bar.judge(row.reach - step).p_value
    if measure == "roc_auc":  # a ranking without ties is one of them
        generator = np.random.default_rng(0)
        ranks = generator.permuted(np.tile(np.arange(20), (4_000, 1)), axis=1)[:, :9]
        auc = (ranks.sum(axis=1) - 36) / 99
        assert (auc >= row.reach).mean() < 0.05 + 4 * math.sqrt(0.05 / 4_000)


def test_without_matplotlib_it_is_said_what_to_install(monkeypatch):
    genuine = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return genuine(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"ScorecardDisplay\.plot needs matplotlib.*clearbar\[plots\]"):
        ScorecardDisplay.from_counts(CARELESS, "f1")
