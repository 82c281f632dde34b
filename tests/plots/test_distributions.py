"""Null distributions, expected scores against theta, and a measure at every threshold: the exact law."""

import functools
import itertools
import math
from bisect import bisect_left
from fractions import Fraction

import numpy as np
import pytest
from matplotlib.colors import to_hex
from tests.plots.exact import CARELESS, S, Y, f1, law, said_of, texts_of

import clearbar as cb
from clearbar.core.counts import counts_of
from clearbar.formatting import TELLS, p_phrase, p_value_text
from clearbar.plots import ExpectationDisplay, NullDisplay, ThresholdDisplay

LUCKY = cb.Counts(tp=2, fp=1, fn=1, tn=2)
MILLION = cb.Counts(tp=50_200, fp=49_900, fn=49_800, tn=50_100)


@functools.cache
def null(measure, counts=CARELESS):
    return NullDisplay.from_counts(counts, measure)


def heights(display):
    """The score and the probability of each stem."""
    collections = display.rest_, display.tail_
    return [tuple(segment[1]) for part in collections for segment in part.get_segments()]


SURE = cb.Counts(tp=23, fp=4, fn=9, tn=20)


class TestNull:
    def test_blind_predictions_have_the_exact_law_at_the_models_own_k_where_they_decide(self):
        display = null("fdr", SURE)
        assert display.question == "blind"
        exact = law(56, 32, 27, lambda tp, fp, fn, tn: Fraction(fp, tp + fp))  # noqa: ARG005
        for value, probability in heights(display):
            nearest = min(exact, key=lambda known: abs(known - value))
            assert (value, probability) == pytest.approx((float(nearest), float(exact[nearest])))
        p = float(sum(weight for value, weight in exact.items() if value <= Fraction(4, 27)))
        assert display.p_value == pytest.approx(p)
        held = display.histogram
        assert held.left[held.in_tail].max() <= 4 / 27 + 1e-12, "of losses it is below"
        assert "less is better" in display.ax_.get_xlabel()

    @pytest.mark.parametrize("measure", ["f1", "fdr", "g_mean"])
    @pytest.mark.parametrize("counts", [CARELESS, SURE, cb.Counts(tp=40, fp=30, fn=25, tn=31)])
    def test_its_p_is_that_of_the_row_and_of_the_larger_question(self, measure, counts):
        display = null(measure, counts)
        row = display.verdict
        if row.outcome == "clears":
            assert display.p_value == row.p_sure == row.p_corrected
            assert (display.question == "blind") == (row.p_value_blind > row.p_value)
        else:
            assert (display.question, display.p_value) == ("bar", row.p_value)
        written = p_value_text(display.p_value, floor=TELLS)
        told = [
            words.endswith((f"{written})", written)) for words in (display.finding, display.text_.get_text())
        ]
        assert sorted(told) == [False, True], "in the title, or beside the mark"

    def test_of_several_models_its_p_is_the_corrected_one_and_stands_in_the_title_alone(self):
        counts = cb.Counts(tp=20, fp=10, fn=12, tn=14)
        row, _ = cb.evaluate_counts({"one": counts, "two": counts}, "mcc")
        assert row.p_sure < row.p_corrected
        display = NullDisplay.from_verdict(row)
        assert display.p_value == row.p_corrected
        assert f"({p_phrase(row.p_corrected)})" in display.finding
        assert "p = " not in display.text_.get_text()
        assert "Only the p in the title is corrected" in said_of(display)

    @pytest.mark.parametrize("measure", ["f1", "accuracy", "threat_score", "g_mean"])
    def test_at_the_bar_models_score_the_bar_on_average_and_the_tail_is_about_half_of_p(self, measure):
        counts = cb.Counts(tp=400, fp=310, fn=100, tn=190)
        display = null(measure, counts)
        held, bar = display.histogram, float(display.verdict.baseline.value)
        assert display.question == "bar" or measure == "g_mean"
        middle = (held.left + held.right) / 2
        assert (middle * held.probability).sum() == pytest.approx(bar, abs=0.004)
        assert held.probability.sum() == pytest.approx(1, abs=1e-4)

    @pytest.mark.parametrize(("measure", "shift"), [("f1", 70), ("f1", 60), ("f1", 30), ("threat_score", 60)])
    def test_the_shaded_tail_is_about_half_of_a_two_sided_p(self, measure, shift):
        """Its rates are the likeliest, those of p the least favourable: they differ little at this size."""
        display = null(measure, cb.Counts(tp=300 + shift, fp=260 - shift, fn=200 - shift, tn=240 + shift))
        held = display.histogram
        p = display.verdict.p_value
        assert 1e-3 < p < 0.9
        assert 2 * held.probability[held.in_tail].sum() == pytest.approx(p, rel=0.15, abs=0.01)

    @pytest.mark.parametrize("measure", ["mcc", "f1", "fpr", "g_mean"])
    def test_many_atoms_are_gathered_in_bins_with_an_edge_at_the_score(self, measure):
        display = null(measure, MILLION)
        held, score = display.histogram, display.verdict.score
        assert held.binned
        assert held.probability.sum() == pytest.approx(1, abs=1e-4)
        rising = (display.verdict.measure.greater_is_better is not False) == (
            display.question == "blind" or display.verdict.outcome == "clears"
        )
        if held.in_tail.any():
            beyond = held.left[held.in_tail] if rising else -held.right[held.in_tail]
            assert beyond.min() >= (score if rising else -score) - 1e-3

    @pytest.mark.parametrize("thousands", [1, 10**9])
    def test_limits_hold_score_bar_and_interval_at_any_size(self, thousands):
        cells = [1_000 * thousands * cell for cell in (400, 100, 150, 350)]
        display = NullDisplay.from_counts(counts_of(cells), "f1")
        low, high = display.ax_.get_xlim()
        row = display.verdict
        for value in (row.score, row.low, row.high, float(row.baseline.value), *display.histogram.left):
            assert low <= value <= high

    def test_its_title_says_how_the_model_stands_and_the_score_has_the_colour_of_that(self):
        display, doubt = null("f1"), null("mcc")
        assert "0.722 is below the bar 0.735" in display.finding
        assert to_hex(display.score_.get_color()) == "#d55e00"
        assert display.bar_.get_xdata()[0] == pytest.approx(36 / 49)
        assert display.score_.get_xdata()[0] == pytest.approx(26 / 36)
        assert list(display.whisker_.get_xdata()) == [display.verdict.low, display.verdict.high]
        assert to_hex(doubt.score_.get_color()) == "#e69f00"
        assert "could be chance" in doubt.finding

    def test_without_p_values_the_tail_of_blind_predictions_is_said(self):
        display = NullDisplay.from_counts(CARELESS, "mcc", intervals=False)
        exact = law(31, 18, 18, f1)
        p = float(sum(weight for value, weight in exact.items() if value >= Fraction(26, 36)))
        assert display.p_value == pytest.approx(p, rel=1e-4)
        assert display.whisker_ is None

    def test_mass_without_a_value_is_said(self):
        lucky = NullDisplay.from_counts(LUCKY, "diagnostic_odds_ratio")
        assert "the score has no value" in said_of(lucky)

    @pytest.mark.parametrize(
        ("make", "said"),
        [
            (lambda: NullDisplay.from_verdict(0.7), "verdict must be a Verdict"),
            (
                lambda: NullDisplay.from_verdict(cb.baseline([0, 1, 1], "f1").judge(0.72)),
                "one confusion matrix; this verdict has none",
            ),
            (lambda: null("f1", cb.Counts(tp=[1, 2], fp=1, fn=1, tn=1)), "one model and one measure; found"),
            (lambda: null("precision", cb.Counts(tp=0, fp=0, fn=3, tn=4)), "precision has no value here"),
        ],
    )
    def test_what_has_no_distribution_is_refused(self, make, said):
        with pytest.raises(ValueError, match=said):
            make()


class TestExpectation:
    def test_figure_1_of_statistica_neerlandica_and_its_band_that_holds_ninety_in_a_hundred_draws(self):
        """P = 5, N = 45: the expectation peaks at 0.4877 for a share of 0.54."""
        display = ExpectationDisplay.from_baseline(cb.baseline(cb.Population(50, 5), "g_mean"))
        x, y = display.line_.get_data()
        assert len(x) == 51
        assert (x[np.argmax(y)], round(y.max(), 4)) == (0.54, 0.4877)
        assert display.optima_[0].get_xdata() == pytest.approx([0.54])
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

    def test_a_model_is_at_its_share_and_score_and_hangs_below_the_bar_that_it_fails(self):
        display = ExpectationDisplay.from_counts(CARELESS, "f1", name="tree")
        assert display.model_.get_xdata() == pytest.approx([18 / 31])
        assert display.model_.get_ydata() == pytest.approx([26 / 36])
        assert "tree" in [text.get_text() for text in display.legend_.get_texts()]
        assert "tree: F1 0.722 is below the bar 0.735" in display.finding
        assert list(display.bar_.get_ydata()) == pytest.approx([36 / 49] * 2)
        assert list(display.gap_.get_ydata()) == pytest.approx([36 / 49, 26 / 36])
        assert (to_hex(display.model_.get_markerfacecolor()), display.model_.get_marker()) == ("#d55e00", "X")
        good = ExpectationDisplay.from_counts(cb.Counts(tp=17, fp=1, fn=1, tn=12), "f1")
        assert to_hex(good.model_.get_markerfacecolor()) == "#0072b2"
        assert good.gap_ is None

    def test_without_positives_it_says_why_there_is_no_bar(self):
        display = ExpectationDisplay.from_counts(cb.Counts(tp=0, fp=2, fn=0, tn=9), "f1")
        assert display.bar_ is None
        assert "F1 has no bar: there are no positives" in texts_of(display)

    def test_an_interval_of_optima_is_a_line(self):
        display = ExpectationDisplay.from_counts(CARELESS, "precision")
        assert display.optima_[0].get_xdata() == pytest.approx([1 / 31, 1])
        assert math.isnan(display.line_.get_ydata()[0])
        assert "Gaps" in said_of(display)

    def test_a_policy_moves_curve_and_band_alike(self):
        """Odds ratios without a value count as 1: the mean is the exact mixture, inside of the band."""
        display = ExpectationDisplay.from_counts(LUCKY, "diagnostic_odds_ratio", undefined=1.0)

        def odds(tp, fp, fn, tn):
            return Fraction(tp * tn, fp * fn) if fp * fn else Fraction(1)

        for k in range(7):
            exact = law(6, 3, k, odds)
            mean = sum(value * weight for value, weight in exact.items())
            assert display.expectation[k] == pytest.approx(float(mean))
            values = sorted(exact)
            reached = list(itertools.accumulate(map(exact.get, values)))
            low, high = (float(values[bisect_left(reached, Fraction(n, 20))]) for n in (1, 19))
            assert (display.low[k], display.high[k]) == pytest.approx((low, high))

    def test_other_things_are_refused(self):
        with pytest.raises(ValueError, match="bar must be what cb"):
            ExpectationDisplay.from_baseline(0.7)
        with pytest.raises(ValueError, match="counts must be one confusion matrix"):
            ExpectationDisplay.from_counts(cb.Counts(tp=[1], fp=[1], fn=[1], tn=[1]), "f1")
        with pytest.raises(ValueError, match="on the bar's population"):
            ExpectationDisplay.from_baseline(cb.baseline(cb.Population(30, 5), "f1"), counts=CARELESS)


class TestThreshold:
    def test_recall_is_the_cumulative_gains_chart_and_precision_stands_over_its_chance_level(self):
        display = ThresholdDisplay.from_predictions(Y, S, "recall")
        x, y = display.line_.get_data()
        expected = {0: 0.0} | {int((at <= S).sum()): Y[at <= S].sum() / Y.sum() for at in np.unique(S)}
        assert dict(zip(x.tolist(), y.tolist(), strict=True)) == pytest.approx(expected)
        k, share = display.expected_.get_data()
        assert share == pytest.approx(k / 10)
        k, level = ThresholdDisplay.from_predictions(Y, S, "precision").expected_.get_data()
        assert k[1:] == pytest.approx(range(1, 11))
        assert level == pytest.approx([math.nan, *[0.4] * 10], nan_ok=True)

    def test_what_picking_costs_is_the_law_of_the_best_threshold(self):
        """All 210 ways to give four of the ten scores, with their ties, a positive label."""
        display = ThresholdDisplay.from_predictions(Y, S, "f1")
        chosen = [threshold <= S for threshold in np.unique(S)]

        def best_of(y):
            return max(Fraction(2 * int(y[some].sum()), int(some.sum()) + 4) for some in chosen)

        found = best_of(Y)
        bests = [best_of(np.isin(range(10), places)) for places in itertools.combinations(range(10), 4)]
        assert display.best.score == pytest.approx(float(found))
        assert display.best.exact
        assert display.best.p_picked == pytest.approx(sum(best >= found for best in bests) / 210)
        alone = law(10, 4, display.best.predicted_positives, f1)
        p = float(sum(weight for value, weight in alone.items() if value >= found))
        assert display.best.p_alone == pytest.approx(p)
        assert display.warning.startswith("Best of 9 thresholds:")
        assert said_of(display) == display.warning

    def test_a_random_ranking_expects_something_at_its_best_threshold(self):
        """Without ties, all 210 orders of four positive among ten samples."""
        display = ThresholdDisplay.from_predictions(Y, np.arange(10), "mcc")
        bests = []
        for places in itertools.combinations(range(10), 4):
            tp = np.cumsum(np.isin(np.arange(10), places))[:9]
            fp = np.arange(1, 10) - tp
            bests.append(((tp * (6 - fp) - fp * (4 - tp)) / np.sqrt((tp + fp) * 24.0 * (10 - tp - fp))).max())
        assert display.best.expected == pytest.approx(np.mean(bests))
        assert display.random_best_.get_ydata()[0] == display.best.expected

    @pytest.mark.parametrize(("measure", "undefined"), [("fdr", "exclude"), ("f1", 0.0)])
    def test_elsewhere_it_is_bounded_by_the_sum_over_all_thresholds(self, measure, undefined):
        best = ThresholdDisplay.from_predictions(Y, S, measure, undefined=undefined).best
        sizes = {0, *(int((threshold <= S).sum()) for threshold in S)}
        draws = [cb.Draw(cb.Population(10, 4), k).distribution(measure) for k in sizes]
        assert not best.exact
        assert best.p_picked == pytest.approx(min(sum(one.tail(best.score) for one in draws), 1))

    def test_its_title_says_how_the_best_threshold_stands(self):
        """By luck a ranking of ten has as good a best threshold with p = 0.3 or so: that is doubt."""
        display = ThresholdDisplay.from_predictions(Y, S, "f1")
        assert display.best.p_picked > 0.05
        best, bar = f"{display.best.score:.3f}", f"{display.bar.value:.3f}"
        said = f"F1 {best} at the best of 9 thresholds is above the bar {bar}, but it could be chance"
        assert (display.standing, display.finding) == ("doubt", said)
        assert to_hex(display.best_.get_markeredgecolor()) == "#e69f00"
        sure = ThresholdDisplay.from_predictions(np.repeat([0, 1], 20), np.arange(40), "f1", name="tree")
        assert sure.finding == "tree: F1 1 at the best of 41 thresholds clears the bar 0.667"
        assert to_hex(sure.best_.get_markerfacecolor()) == "#0072b2"

    @pytest.mark.parametrize(
        ("y", "scores", "measure", "said"),
        [
            ([0, 1, 0, 1], [1.0] * 4, "f1", "All scores are equal: they predict all samples positive, or"),
            ([1], [0.5], "f1", "One sample has no threshold to choose."),
            ([0, 0, 0], [1.0, 2, 3], "recall", "has no recall at any threshold: there are no positives"),
        ],
    )
    def test_where_there_is_nothing_to_choose_a_sentence_says_so(self, y, scores, measure, said):
        display = ThresholdDisplay.from_predictions(y, scores, measure, pos_label=1)
        assert said in texts_of(display)

    @staticmethod
    def counts(thresholds):
        cells = [
            [int(((at <= S) == said)[Y.astype(bool) == real].sum()) for at in thresholds]
            for said, real in itertools.product((True, False), repeat=2)
        ]
        return counts_of(cells)

    @pytest.mark.parametrize("measure", ["f1", "recall", "fdr"])
    def test_thresholds_counted_elsewhere_make_the_picture_that_the_scores_make(self, measure):
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
