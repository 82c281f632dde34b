"""The expected score of blind predictions, against how much they predict positive."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from clearbar.core._typing import Undefined
from clearbar.core.counts import Counts, refuse_matrix
from clearbar.data.counting import count
from clearbar.evaluation import evaluate_counts
from clearbar.formatting import capital, number, plural, visible, whole_percent
from clearbar.plots._canvas import Canvas, Key, axis_label, plain
from clearbar.plots._chance import BAND, FEW, k_grid, quantiles_by_k
from clearbar.plots._display import Display
from clearbar.plots._label_positions import label_band
from clearbar.plots._outcomes import CHANCE_BAND, marker, score_finding
from clearbar.problems.binary import Baseline, baseline
from clearbar.scorecard import standing


@dataclass(repr=False, eq=False)
class ExpectationDisplay(Display):
    """Expected score against the share predicted positive, with the band of ninety in a hundred draws.

    The bar is a line across; a model is a mark in the colour of its outcome, on a line from the bar.

    Parameters
    ----------
    bar : Baseline
        The bar of one population.
    model : (float, float), optional
        A model's share predicted positive and its score.
    name, standing : str
        The model's name, and how it stands to the bar.
    interval, confidence_level : (float, float), float
        Confidence interval of its true score, nan where there is none, and the level of that.

    Attributes
    ----------
    theta, expectation, band_theta, low, high : ndarray of float64
        Shares predicted positive and the expected scores there; shares and the 5 % and 95 % quantiles there.
    line_, band_, bar_ : artist or None
        Expected score, from the 5 % to the 95 % quantile, and the bar.
    optima_ : tuple of matplotlib.lines.Line2D
        Where the bar is attained: a point, or a line where many shares attain it.
    model_, gap_, whisker_ : matplotlib.lines.Line2D or None
        The model, the line from the bar to it, and its confidence interval.

    References
    ----------
    Pries et al., The optimal input-independent baseline for binary classification: The Dutch Draw,
    Statistica Neerlandica 2023, Figure 1.

    Examples
    --------
    >>> import clearbar as cb
    >>> display = cb.plots.ExpectationDisplay.from_baseline(cb.baseline(cb.Population(50, 5), "g_mean"))
    >>> display.optima_[0].get_xdata().tolist(), display.optima_[0].get_ydata().round(4).tolist()
    ([0.54], [0.4877])
    """

    bar: Baseline
    _: KW_ONLY
    model: tuple[float, float] | None = None
    name: str = "model"
    standing: str = "undefined"
    interval: tuple[float, float] = (math.nan, math.nan)
    confidence_level: float = 0.95

    _height = 3.9

    def __post_init__(self) -> None:
        self.theta, self.expectation = self.bar.curve()
        total = int(self.bar.population.total)
        k = k_grid(total)
        self.band_theta = k / total
        self.low, self.high = quantiles_by_k(self.bar, k, BAND)

    @classmethod
    def from_baseline(
        cls,
        bar: Any,
        *,
        counts: Counts | None = None,
        confidence_level: float = 0.95,
        name: str = "model",
        ax: Any = None,
        legend: bool = True,
    ) -> ExpectationDisplay:
        """Draw the curve of a bar, and a model on it.

        Parameters
        ----------
        bar : Baseline
            The bar of one population.
        counts : Counts, optional
            A model's confusion matrix on that population.
        confidence_level : float
            At which the model is judged, as by `clearbar.evaluate`.
        name : str
            The model's name.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.
        legend : bool
            As for `plot`.

        Returns
        -------
        ExpectationDisplay

        Raises
        ------
        ValueError
            If the bar is not that of one population of labels, or the counts are of another one.
        """
        if not isinstance(bar, Baseline) or bar.population.shape:
            kind = f"one of shape {bar.population.shape}" if isinstance(bar, Baseline) else type(bar).__name__
            raise ValueError(f"bar must be what cb.baseline(...) returns for one population; found {kind}.")
        judged: dict[str, Any] = {}
        if counts is not None:
            if counts.shape or counts.population != bar.population:
                raise ValueError("counts must be one confusion matrix on the bar's population.")
            card = evaluate_counts(
                counts, bar.measure, undefined=bar.undefined, confidence_level=confidence_level
            )
            judged = {
                "model": (int(counts.predicted_positives) / int(bar.population.total), card[0].score),
                "standing": str(standing(card)[0, 0, 0]),
                "interval": card.interval(0, 0, 0),
                "confidence_level": card.confidence_level,
            }
        return cls(bar, name=name, **judged).plot(ax=ax, legend=legend)

    @classmethod
    def from_counts(
        cls, counts: Any, measure: Any, *, undefined: Undefined = "exclude", ax: Any = None, **options: Any
    ) -> ExpectationDisplay:
        """Draw the curve on a model's own class sizes, and the model.

        Parameters
        ----------
        counts : Counts
            One confusion matrix.
        measure : str or Measure
            What is evaluated.
        undefined : {"exclude", "worst"} or float
            As for `clearbar.baseline`.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.
        **options
            ``name``, ``confidence_level`` and ``legend``, as for `from_baseline`.

        Returns
        -------
        ExpectationDisplay
        """
        refuse_matrix(counts)
        if not isinstance(counts, Counts) or counts.shape:
            raise ValueError("counts must be one confusion matrix: Counts of whole numbers, not of arrays.")
        bar = baseline(counts.population, measure, undefined=undefined)
        return cls.from_baseline(bar, counts=counts, ax=ax, **options)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, measure: Any, *, pos_label: Any = None, ax: Any = None, **options: Any
    ) -> ExpectationDisplay:
        """Count one model's predictions and draw; parameters as for `clearbar.count` and `from_counts`.

        Returns
        -------
        ExpectationDisplay
        """
        return cls.from_counts(count(y_true, y_pred, pos_label=pos_label), measure, ax=ax, **options)

    @property
    def finding(self) -> str:
        if self.model is None:
            return capital(str(self.bar))
        return score_finding(self.name, self.bar, self.model[1], self.standing)

    @property
    def description(self) -> str:
        curve = f"Expected {self.bar.measure.label} against the share predicted positive at random."
        if self.model is None:
            return f"{self.finding}. {curve}"
        theta, score = self.model
        total = int(self.bar.population.total)
        model = f"{visible(self.name)}: {number(score, total)} at a share of {number(theta, total)}."
        return f"{self.finding}. {curve} {capital(str(self.bar))}. {model}"

    def plot(self, ax: Any = None, *, legend: bool = True) -> ExpectationDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.
        legend : bool
            Whether to add title, legend and note; without them, several curves share axes.

        Returns
        -------
        ExpectationDisplay
            Itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        return self._plot(ax, legend=legend)

    def _draw(self, canvas: Canvas, *, legend: bool) -> None:
        ax, value, total = canvas.ax, float(self.bar.value), int(self.bar.population.total)
        few = total <= FEW
        self.band_ = self.bar_ = self.title_ = self.legend_ = self.note_ = self.band_label_ = None
        if not math.isnan(value):
            self.band_ = canvas.fill(self.band_theta, self.low, self.high, step="mid" if few else None)
        self.line_ = canvas.line(
            self.theta, self.expectation, canvas.muted, 1.6, zorder=3,
            marker="." if few else "none", ms=3.6 * canvas.unit,
        )  # fmt: skip
        self._draw_model(canvas, value)
        canvas.style_axes("share predicted positive, θ = k / M", axis_label(self.bar.measure))
        ax.set_xlim(-0.015, 1.015)
        ax.margins(y=0.09)  # what is written on a bar at the top stays below the legend
        if math.isnan(value):
            canvas.annotate_centre(f"{self.bar}.")
        else:
            words = f"bar {number(value, total)}" if legend else ""
            self.bar_ = canvas.bar_across(value, words, left=self.model is not None and self.model[0] > 0.42)
        self.optima_ = tuple(self._draw_optima(canvas, value))
        if legend:
            self._add_words(canvas, value)

    def _draw_model(self, canvas: Canvas, value: float) -> None:
        self.model_ = self.gap_ = self.whisker_ = None
        if self.model is None or math.isnan(self.model[1]):
            return
        share, score = self.model
        x = [share, share]
        if self.standing == "fails":
            gap = [value, score]
            self.gap_ = canvas.line(x, gap, canvas.fails, 2.4, zorder=4.5, solid_capstyle="butt")
        if not math.isnan(self.interval[0]):
            self.whisker_ = canvas.line(x, self.interval, canvas.text, 1.0, zorder=4)
        mark = marker(canvas, self.standing, 7.5)
        (self.model_,) = canvas.ax.plot([share], [score], clip_on=False, zorder=6, **mark)
        step, align = (-8, "right") if share > 0.6 else (8, "left")
        canvas.annotate(
            number(score, int(self.bar.population.total)), (share, score), (step * canvas.unit, 0), ha=align,
            va="center", color=canvas.text, zorder=7, bbox=canvas.backing,
        )  # fmt: skip

    def _draw_optima(self, canvas: Canvas, value: float) -> Iterator[Any]:
        for low, high in () if self.bar.best is None else self.bar.best.theta_star:
            if low == high:
                (point,) = canvas.ax.plot(
                    [low], [value], "o", ms=6 * canvas.unit, color=canvas.text, mec=canvas.face,
                    mew=0.6 * canvas.unit, zorder=5, clip_on=False,
                )  # fmt: skip
                yield point
            else:
                yield canvas.line([low, high], [value] * 2, canvas.text, 4.5, zorder=3)

    def _add_words(self, canvas: Canvas, value: float) -> None:
        if self.band_ is not None:
            lines: list[Any] = [(self.theta, self.expectation), ([0.0, 1.0], [value, value])]
            if self.model is not None:
                lines.append(([self.model[0]] * 2, [value, self.model[1]]))
            low, high = ((self.band_theta, limit) for limit in (self.low, self.high))
            self.band_label_ = label_band(canvas, low, high, lines)
        keys: list[Key] = [(self.line_, "random answers, expected")]
        if self.band_ is not None and self.band_label_ is None:
            keys.append((self.band_, CHANCE_BAND))
        if self.model_ is not None:
            keys.insert(0, (self.model_, plain(self.name, 24)))
        self.title_, self.legend_ = canvas.add_title_and_legend(self.finding, keys)
        self.note_ = canvas.add_note(self._notes())

    def _notes(self) -> list[str]:
        population = self.bar.population
        about = f"{plural(int(population.total), 'sample')}, {int(population.positives):,} positive."
        if self.model is not None and not math.isnan(float(self.bar.value)):
            about += f" {self.bar}."
        if self.band_ is not None:
            about += " Grey: 90 of 100 random answers."
        if self.whisker_ is not None:
            about += f" Whisker: {whole_percent(self.confidence_level)} interval."
        gaps = np.isnan(self.expectation)
        return [about, "Gaps: the score has no value there." if gaps.any() and not gaps.all() else ""]
