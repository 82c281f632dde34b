"""A measure at every threshold, over what random answers get with as many predicted positive."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.core._typing import FloatArray, IntArray, Undefined
from clearbar.core.counts import Counts
from clearbar.data.scores import counts_at_thresholds
from clearbar.formatting import capital, number, visible
from clearbar.plots._best import EXACT, Best, best_of, cost_of, exactly, standing_of_best
from clearbar.plots._blind import FEW, band, fill_of, grid
from clearbar.plots._canvas import Canvas, Key
from clearbar.plots._display import Display
from clearbar.plots._findings import name_of, of_score
from clearbar.plots._marks import REACH, marker
from clearbar.plots._places import freer_on_the_left, label_band
from clearbar.plots._text import axis_label, plain, text_width
from clearbar.plots._thresholds import in_order, thinned
from clearbar.problems.binary import Baseline, baseline


class ThresholdDisplay(Display):
    """A model's measure at every threshold, against how many samples it predicts positive.

    Behind it are the expected score of random answers with as many predicted positive, and the band
    that holds ninety in a hundred of them. For recall this is the cumulative gains chart; for precision,
    the precision curve over its true chance level.

    Parameters
    ----------
    bar : Baseline
        The bar of the labels.
    predicted_positives : ndarray of int64
        Number predicted positive at each threshold, ascending.
    scores : ndarray of float64
        The measure there; nan where it has no value.
    thresholds : ndarray of float64
        Descending; the first is infinite.
    best : Best or None
        The best threshold; None where neither end is better.
    name : str
        The model's name.

    Attributes
    ----------
    k, low, high : ndarray
        Numbers predicted positive, and the 5 % and 95 % quantiles of random answers there.
    line_, expected_ : matplotlib.lines.Line2D
        The model, and the expected score of random answers.
    band_ : matplotlib.collections.PolyCollection
        Ninety in a hundred random answers.
    bar_ : matplotlib.lines.Line2D or None
        The bar, whatever the number predicted positive.
    best_ : matplotlib.lines.Line2D or None
        The best threshold, in the colour of its outcome.
    random_best_ : matplotlib.lines.Line2D or None
        What a random ranking expects at its best threshold, where that is computed.
    ax_, figure_, title_, legend_, note_
        As in every `Display`.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true, y_score = [0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.7]
    >>> display = cb.plots.ThresholdDisplay.from_predictions(y_true, y_score, "recall")
    >>> display.predicted_positives.tolist(), display.scores.round(2).tolist()
    ([0, 1, 2, 3, 4, 5, 6], [0.0, 0.33, 0.67, 0.67, 1.0, 1.0, 1.0])
    """

    _height = 4.1

    def __init__(
        self,
        bar: Baseline,
        predicted_positives: IntArray,
        scores: FloatArray,
        thresholds: FloatArray,
        *,
        best: Best | None = None,
        name: str = "model",
    ) -> None:
        self.bar, self.predicted_positives, self.scores = bar, predicted_positives, scores
        self.thresholds, self.best, self.name = thresholds, best, name
        self.k = grid(int(bar.population.total))
        self.low, self.high = band(bar, self.k)

    @classmethod
    def _of(
        cls, counts: Counts, thresholds: FloatArray, measure: Any, undefined: Undefined, name: str
    ) -> Self:
        """Return the display of one score's confusion matrices, from the highest threshold down."""
        bar = baseline(counts[0].population, get_measure(measure, "binary"), undefined=undefined)
        predicted = np.asarray(counts.predicted_positives)
        scores = np.asarray(bar.measure(counts), dtype=np.float64)
        if bar.undefined != "exclude":
            scores = np.where(np.isnan(scores), fill_of(bar), scores)
        best = best_of(bar, thresholds, predicted, scores)
        return cls(bar, predicted, scores, thresholds, best=best, name=name)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        measure: Any,
        *,
        pos_label: Any = None,
        undefined: Undefined = "exclude",
        name: str = "model",
        ax: Any = None,
    ) -> ThresholdDisplay:
        """Draw a measure of a confusion matrix at every threshold of scores.

        Parameters
        ----------
        y_true : array_like of shape (M,)
            True labels.
        y_score : array_like of shape (M,)
            Scores; the higher, the rather positive.
        measure : str or Measure
            What is evaluated.
        pos_label : object, optional
            The label of the positive class.
        undefined : {"exclude", "worst"} or float
            As for `clearbar.baseline`.
        name : str
            The model's name.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        ThresholdDisplay

        Raises
        ------
        ValueError
            If labels or scores are not what they should be, or the measure is unknown.
        """
        thresholds, counts = counts_at_thresholds(y_true, y_score, pos_label=pos_label)
        display = cls._of(counts, thresholds, measure, undefined, name)
        bar, best = display.bar, display.best
        exact = bar.measure.greater_is_better and undefined == "exclude"
        if best is not None and exact and int(bar.population.total) <= EXACT:
            display.best = exactly(best, y_true, y_score, bar.measure, pos_label)
        return display.plot(ax=ax)

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        measure: Any,
        *,
        thresholds: Any = None,
        undefined: Undefined = "exclude",
        name: str = "model",
        ax: Any = None,
    ) -> ThresholdDisplay:
        """Draw a measure at thresholds whose confusion matrices were counted elsewhere.

        The best of them is one of as many tries as there are matrices: how likely a random ranking has
        one as good is bounded, not computed.

        Parameters
        ----------
        counts : Counts of shape (T,)
            One confusion matrix per threshold, in any order, all of the same scores.
        measure : str or Measure
            What is evaluated.
        thresholds : array_like of shape (T,), optional
            The thresholds, as the counts are ordered.
        undefined, name, ax
            As for `from_predictions`.

        Returns
        -------
        ThresholdDisplay

        Raises
        ------
        ValueError
            If the counts are not those of one score's thresholds, or there are more or fewer thresholds.
        """
        counts, places = in_order(counts, thresholds)
        return cls._of(counts, places, measure, undefined, name).plot(ax=ax)

    @property
    def warning(self) -> str:
        """What picking the best threshold on the same labels costs, in words; empty where there is none."""
        if self.best is None:
            return ""
        return cost_of(self.best, self.bar.measure.label, int(self.bar.population.total))

    @property
    def brief(self) -> str:
        """The warning in a line, where there is no room for all of it."""
        if self.best is None:
            return ""
        return f"Picked on these labels, the best of {self.best.tries:,}: pick thresholds on other data."

    @property
    def standing(self) -> str:
        """How the best threshold stands to the bar, given that it was picked on the same labels."""
        return standing_of_best(self.best, self.bar)

    @property
    def finding(self) -> str:
        """How the best threshold stands to the bar."""
        if self.best is None:
            return f"{self.bar.measure.label} of {name_of(self.name)} at every threshold"
        if self.name == "model":
            return capital(of_score("the best threshold", self.bar, self.best.score, self.standing))
        return of_score(self.name, self.bar, self.best.score, self.standing, " at its best threshold")

    @property
    def description(self) -> str:
        """The figure in words."""
        label = self.bar.measure.label
        return (
            f"{self.finding}. {capital(label)} of {visible(self.name)} at every threshold, against the "
            f"number predicted positive, over what random answers with as many get. {self.warning}"
        )

    def _draw(self, canvas: Canvas) -> None:
        ax, total = canvas.ax, int(self.bar.population.total)
        self._blind(canvas, total)
        x, y = thinned(self.predicted_positives, self.scores)
        self.line_ = canvas.line(
            x, y, canvas.text, 1.8, zorder=4, marker="." if len(x) <= FEW else "none", ms=4 * canvas.unit
        )
        self.best_ = self.random_best_ = self.bar_ = None
        canvas.dress(f"number predicted positive, of {total:,}", axis_label(self.bar.measure))
        ax.set_xlim(-0.015 * total, 1.015 * total)
        if self.best is not None:
            if not math.isnan(self.best.expected):
                self.random_best_ = ax.axhline(
                    self.best.expected, color=canvas.muted, lw=1.1 * canvas.unit, ls="-.", zorder=2
                )
            self._draw_best(canvas, self.best, total)
        value = float(self.bar.value)
        if not math.isnan(value):
            left = freer_on_the_left([(x, y)], value)
            self.bar_ = canvas.bar_line(value, f"bar {number(value, total)}", left=left)
        ax.xaxis.set_major_formatter("{x:,.0f}")
        most = canvas.room / text_width(f"{total:,}  ", canvas.small)
        canvas.place_ticks("x", nbins=max(1, min(5, int(most))), integer=True)
        low, high = ax.get_ylim()
        ax.set_ylim(low - 0.06 * (high - low), high + 0.08 * (high - low))
        lines = [(x, y), self.expected_.get_data(), ([0, total], [value, value])]
        self.band_label_ = label_band(canvas, (self.k, self.low), (self.k, self.high), lines)
        self._say_why(canvas)
        self.title_, self.legend_ = canvas.crown(self.finding, self._keys()[canvas.narrow :])
        self.note_ = canvas.note([self.brief if canvas.narrow else self.warning])

    def _draw_best(self, canvas: Canvas, best: Best, total: int) -> None:
        place = best.predicted_positives, best.score
        (self.best_,) = canvas.ax.plot(
            *([value] for value in place), clip_on=False, zorder=6, **marker(canvas, self.standing, 7.5)
        )
        low = self.bar.measure.greater_is_better is False
        canvas.aside(
            number(best.score, total), place, (0, -7 * canvas.unit if low else 7 * canvas.unit), ha="center",
            va="top" if low else "bottom", color=canvas.text, zorder=7,
        )  # fmt: skip

    def _say_why(self, canvas: Canvas) -> None:
        """Say why there is little to be seen."""
        label = self.bar.measure.label
        if math.isnan(float(self.bar.value)) and np.isnan(self.scores).all():
            canvas.say(f"{capital(name_of(self.name))} has no {label} at any threshold: {self.bar.reason}.")
        elif len(self.scores) <= 2 and int(self.bar.population.total) == 1:
            canvas.say("One sample has no threshold to choose.")
        elif len(self.scores) <= 2:
            canvas.say("All scores are equal: they predict all samples positive, or none.")

    def _blind(self, canvas: Canvas, total: int) -> None:
        theta, expectation = self.bar.curve()
        self.expected_ = canvas.line(theta * total, expectation, canvas.muted, 1.3, ls="--", zorder=3)
        self.band_ = canvas.ax.fill_between(
            self.k, self.low, self.high, color=canvas.muted, alpha=canvas.shade, lw=0, zorder=1,
            step="mid" if total <= FEW else None,
        )  # fmt: skip

    def _keys(self) -> list[Key]:
        total = int(self.bar.population.total)
        keys = [(self.line_, plain(self.name, 24)), (self.expected_, "random answers, expected")]
        if self.band_label_ is None:
            keys.append((self.band_, REACH))
        if self.best is not None:
            expected = f"best of a random ranking, expected {number(self.best.expected, total)}"
            keys += [(self.random_best_, expected)] if self.random_best_ is not None else []
        return keys
