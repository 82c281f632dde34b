"""Null distributions: the bars that are drawn are the exact law."""

from __future__ import annotations

from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from scipy.stats import hypergeom
from tests.plots.exact import CARELESS, f1, law

import clearbar as cb
from clearbar.core.counts import counts_of
from clearbar.plots import NullDisplay


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
        display = NullDisplay.from_counts(counts_of(counts), measure)
        own, steps = display.own, np.sign(np.diff(display.own.probability[1:-1]))
        assert own.binned
        assert (np.diff(steps[steps != 0]) != 0).sum() <= 1
        assert own.right[:-1] == pytest.approx(own.left[1:])
        assert own.probability[own.in_tail].sum() == pytest.approx(own.tail, abs=2e-6)

    def test_few_atoms_of_a_wide_draw_are_stems_at_their_exact_places(self):
        """k = 100,000 of a billion reach 70,003 tables, but only two dozen matter."""
        tp, fp, fn, tn = 70_000, 30_000, 2, 10**9
        own = NullDisplay.from_counts(cb.Counts(tp=tp, fp=fp, fn=fn, tn=tn), "f1").own
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

    @pytest.mark.parametrize("thousands", [1, 10**6, 10**9])
    def test_of_a_million_and_of_a_trillion_samples_the_law_fills_its_axis_and_arrows_say_where_the_rest_is(
        self, thousands
    ):
        cells = [1_000 * thousands * cell for cell in (400, 100, 150, 350)]
        display = NullDisplay.from_counts(counts_of(cells), "f1")
        own, (low, high) = display.own, display.axes_[0].get_xlim()
        held = own.probability[(own.left >= low) & (own.right <= high)].sum()
        assert held == pytest.approx(1, abs=3e-6)
        assert own.right[-1] - own.left[0] > 0.2 * (high - low)
        texts = [text.get_text() for text in display.axes_[0].texts]
        assert sum(text.endswith("→") for text in texts) == 2
        assert any("bar 0.7" in text for text in texts)
        assert any("the model 0.76" in text for text in texts)
        assert display.whisker_ is None

    def test_its_title_says_how_the_model_stands_and_the_score_has_the_colour_of_that(self):
        display = NullDisplay.from_counts(CARELESS, "f1")
        assert display.title_.get_text() == "The model misses the F1 bar: 0.722, bar 0.735"
        assert to_hex(display.scores_[0].get_color()) == "#d55e00"
        assert display.lines_[0].get_xdata()[0] == pytest.approx(36 / 49)
        assert list(display.whisker_.get_xdata()) == [display.verdict.low, display.verdict.high]
        doubt = NullDisplay.from_counts(CARELESS, "mcc")
        assert to_hex(doubt.scores_[0].get_color()) == "#e69f00"
        assert "could be chance" in doubt.finding

    def test_where_only_one_score_is_possible_a_sentence_says_so(self):
        display = NullDisplay.from_counts(cb.Counts(tp=3, fp=5, fn=0, tn=0), "f1")
        assert "every such answer\nscores 0.545" in {text.get_text() for text in display.ax_.texts}

    def test_one_axes_is_divided_and_two_are_taken(self):
        _, ax = plt.subplots()
        display = NullDisplay.from_counts(CARELESS, "f1", ax=ax)
        assert [panel in ax.child_axes for panel in display.axes_] == [True, True]
        _, pair = plt.subplots(2)
        assert display.plot(ax=pair).axes_ == tuple(pair)
        with pytest.raises(ValueError, match="ax must hold 2 axes, or be one; found 1"):
            display.plot(ax=[ax])
        only = NullDisplay.from_counts(CARELESS, "mcc", ax=pair)
        assert only.axes_ == (pair[0],), "nobody knows before how many it takes"

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
