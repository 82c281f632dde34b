"""Expected scores against theta: curve, band, optimum and model."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from matplotlib.colors import to_hex
from tests.plots.exact import CARELESS, law

import clearbar as cb
from clearbar.plots import ExpectationDisplay


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
        assert "tree" in [text.get_text() for text in display.legend_.get_texts()]
        assert {"0.722", "bar 0.735"} <= {text.get_text() for text in display.ax_.texts}

    def test_a_model_that_fails_hangs_below_the_bar_which_is_a_line(self):
        display = ExpectationDisplay.from_counts(CARELESS, "f1", name="tree")
        assert display.title_.get_text() == "tree misses the F1 bar: 0.722, bar 0.735"
        assert list(display.bar_.get_ydata()) == pytest.approx([36 / 49] * 2)
        assert list(display.gap_.get_ydata()) == pytest.approx([36 / 49, 26 / 36])
        row = cb.evaluate_counts(CARELESS, "f1")[0]
        assert list(display.whisker_.get_ydata()) == pytest.approx([row.low, row.high])
        assert (to_hex(display.model_.get_markerfacecolor()), display.model_.get_marker()) == ("#d55e00", "X")
        good = ExpectationDisplay.from_counts(cb.Counts(tp=17, fp=1, fn=1, tn=12), "f1")
        assert to_hex(good.model_.get_markerfacecolor()) == "#0072b2"
        assert good.gap_ is None
        assert to_hex(good.line_.get_color()) not in {"#0072b2", "#d55e00"}

    def test_without_positives_it_says_why_there_is_no_bar(self):
        display = ExpectationDisplay.from_counts(cb.Counts(tp=0, fp=2, fn=0, tn=9), "f1")
        assert display.bar_ is None
        said = " ".join(" ".join(text.get_text() for text in display.ax_.texts).split())
        assert "F1 has no bar: there are no positives" in said
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
