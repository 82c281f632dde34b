"""The expected score of classifiers that ignore their input, against how much they predict positive."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, Undefined
from clearbar.core.counts import Counts, refuse_matrix
from clearbar.data.counting import count
from clearbar.formatting import number, visible
from clearbar.plots._blind import FEW, band, grid
from clearbar.plots._canvas import Canvas, Key, axis_label, plain
from clearbar.plots._display import Display
from clearbar.problems.binary import Baseline, baseline


class ExpectationDisplay(Display):
    """Expected score against the share predicted positive, with the band of ninety in a hundred draws.

    Parameters
    ----------
    bar : Baseline
        The bar of one population.
    model : (float, float), optional
        A model's share predicted positive and its score.
    name : str
        The model's name.

    Attributes
    ----------
    theta, expectation : ndarray of float64
        Shares predicted positive, and the expected scores there.
    band_theta, low, high : ndarray of float64
        Shares, and the 5 % and 95 % quantiles of the score there.
    ax_, figure_
        Axes and figure.
    line_ : matplotlib.lines.Line2D
        Expected score.
    band_ : matplotlib.collections.PolyCollection or None
        From the 5 % to the 95 % quantile.
    optima_ : tuple of matplotlib.lines.Line2D
        Where the bar is attained: a point, or a line where many shares attain it.
    model_ : matplotlib.lines.Line2D or None
        The model.
    legend_, note_
        Legend and note, or None.

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

    _height = 3.7

    def __init__(
        self, bar: Baseline, *, model: tuple[float, float] | None = None, name: str = "model"
    ) -> None:
        self.bar, self.model, self.name = bar, model, name
        self.theta: FloatArray
        self.expectation: FloatArray
        self.theta, self.expectation = bar.curve()
        k = grid(int(bar.population.total))
        self.band_theta = k / int(bar.population.total)
        self.low, self.high = band(bar, k)

    @classmethod
    def from_baseline(
        cls, bar: Any, *, counts: Counts | None = None, name: str = "model", ax: Any = None, **options: Any
    ) -> ExpectationDisplay:
        """Draw the curve of a bar, and a model on it.

        Parameters
        ----------
        bar : Baseline
            The bar of one population.
        counts : Counts, optional
            A model's confusion matrix on that population.
        name : str
            The model's name.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.
        **options
            Of `plot`.

        Returns
        -------
        ExpectationDisplay

        Raises
        ------
        ValueError
            If the bar is not that of one population of labels, or the counts are of another one.
        """
        if not isinstance(bar, Baseline) or bar.population.shape:
            given = (
                f"one of shape {bar.population.shape}" if isinstance(bar, Baseline) else type(bar).__name__
            )
            raise ValueError(f"bar must be what cb.baseline(...) returns for one population; found {given}.")
        model = None
        if counts is not None:
            if counts.shape or counts.population != bar.population:
                raise ValueError("counts must be one confusion matrix on the bar's population.")
            share = int(counts.predicted_positives) / int(bar.population.total)
            model = (share, float(bar.measure(counts)))
        return cls(bar, model=model, name=name).plot(ax=ax, **options)

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        measure: Any,
        *,
        undefined: Undefined = "exclude",
        name: str = "model",
        ax: Any = None,
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
        name : str
            The model's name.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        ExpectationDisplay
        """
        refuse_matrix(counts)
        if not isinstance(counts, Counts) or counts.shape:
            raise ValueError("counts must be one confusion matrix: Counts of whole numbers, not of arrays.")
        bar = baseline(counts.population, measure, undefined=undefined)
        return cls.from_baseline(bar, counts=counts, name=name, ax=ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        measure: Any,
        *,
        pos_label: Any = None,
        undefined: Undefined = "exclude",
        name: str = "model",
        ax: Any = None,
    ) -> ExpectationDisplay:
        """Count one model's predictions and draw; parameters as for `clearbar.count` and `from_counts`.

        Returns
        -------
        ExpectationDisplay
        """
        counts = count(y_true, y_pred, pos_label=pos_label)
        return cls.from_counts(counts, measure, undefined=undefined, name=name, ax=ax)

    @property
    def description(self) -> str:
        """The figure in words."""
        text = (
            f"Expected {self.bar.measure.label} against the share predicted positive at random. {self.bar}."
        )
        if self.model is None:
            return text
        theta, score = self.model
        total = int(self.bar.population.total)
        return f"{text} {visible(self.name)}: {number(score, total)} at a share of {number(theta, total)}."

    def plot(self, ax: Any = None, *, spread: bool = True, legend: bool = True) -> ExpectationDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.
        spread : bool
            Whether to draw the band.
        legend : bool
            Whether to add the legend and the note; without them, several curves share axes.

        Returns
        -------
        ExpectationDisplay
            Itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        return self._plot(ax, partial(self._draw, spread=spread, legend=legend))

    def _draw(self, canvas: Canvas, *, spread: bool, legend: bool) -> None:
        few = int(self.bar.population.total) <= FEW
        self.band_ = None
        if spread:
            self.band_ = canvas.ax.fill_between(
                self.band_theta, self.low, self.high, color=canvas.clears, alpha=0.2, lw=0, zorder=1,
                step="mid" if few else None,
            )  # fmt: skip
        self.line_ = canvas.line(
            self.theta, self.expectation, canvas.clears, 1.6, zorder=3,
            marker="." if few else "none", ms=3.6 * canvas.unit,
        )  # fmt: skip
        self.optima_ = tuple(self._optima(canvas))
        self.model_ = None
        if self.model is not None and not math.isnan(self.model[1]):
            self.model_ = canvas.point(
                *self.model, "D", 7, color=canvas.fails, mec=canvas.face, mew=0.6, zorder=6
            )
        canvas.dress("share predicted positive, θ = k / M", axis_label(self.bar.measure))
        canvas.ax.set_xlim(-0.015, 1.015)
        self.legend_ = canvas.legend(self._keys()) if legend else None
        self.note_ = canvas.note(self._notes()) if legend else None

    def _optima(self, canvas: Canvas) -> Iterator[Any]:
        value = float(self.bar.value)
        for low, high in () if self.bar.best is None else self.bar.best.theta_star:
            if low == high:
                yield canvas.point(low, value, "o", 7, color=canvas.text, mec=canvas.face, mew=0.6, zorder=5)
            else:
                yield canvas.line([low, high], [value] * 2, canvas.text, 4.5, zorder=2)

    def _keys(self) -> list[Key]:
        total = int(self.bar.population.total)
        keys = [(one, f"bar {number(float(self.bar.value), total)}") for one in self.optima_[:1]]
        keys.append((self.line_, "random answers, expected"))
        if self.band_ is not None:
            keys.append((self.band_, "90 % of random answers"))
        if self.model_ is not None and self.model is not None:
            keys.append((self.model_, f"{plain(self.name, 24)} {number(self.model[1], total)}"))
        return keys

    def _notes(self) -> list[str]:
        population = self.bar.population
        notes = [f"{int(population.total):,} samples, {int(population.positives):,} positive. {self.bar}."]
        if self.model is not None and math.isnan(self.model[1]):
            notes.append(
                f"{visible(self.name)} has no score: {self.bar.measure.label} has no value on its counts."
            )
        if np.isnan(self.expectation).any():
            notes.append("Gaps: the score has no value there.")
        return notes
