"""ROC and precision–recall curves over the region that a random ranking reaches at this size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.data.counting import counts_at_thresholds
from clearbar.evaluation import evaluate_scores
from clearbar.formatting import capital, distinct, number, plural, visible
from clearbar.plots._canvas import Canvas, plain
from clearbar.plots._display import Display
from clearbar.plots._findings import of_models, of_score
from clearbar.plots._marks import REACH, SHADE, color_of, outcome_keys
from clearbar.plots._reachable import numbers_predicted, precision_at_recall, precisions, reached
from clearbar.plots._threshold import thinned
from clearbar.scorecard import INTERVALS, Scorecard, standing

STYLES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 3)))
"""Lines that are told apart without colour; one per model."""


@dataclass(frozen=True)
class Curve:
    """The points of one model's curve, from the highest threshold down."""

    model: str
    x: FloatArray
    y: FloatArray
    thresholds: int  # how many tell samples apart: 1 where all scores are equal


class _CurveDisplay(Display):
    """What both curves share: the models' verdicts, the band of random rankings, the bar."""

    _height = 4.4
    _judged_by: str
    _axes_called: tuple[str, str]

    def __init__(self, card: Scorecard, curves: Sequence[Curve], total: int, positives: int) -> None:
        self.card, self.curves, self.total, self.positives = card, tuple(curves), total, positives

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_score: Any, *, pos_label: Any = None, name: str = "model", ax: Any = None
    ) -> Self:
        """Judge scores and draw their curves.

        Parameters
        ----------
        y_true : array_like of shape (M,)
            True labels, of two classes.
        y_score : array_like of shape (M,), or mapping of str to such
            Scores; the higher, the rather positive. Up to six models.
        pos_label : object, optional
            The label of the positive class.
        name : str
            The model's name, where there is one.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        RocDisplay or PrecisionRecallDisplay

        Raises
        ------
        ValueError
            If labels or scores are not what they should be, or there are more than six models.
        """
        models = dict(y_score) if isinstance(y_score, Mapping) else {name: y_score}
        if not 1 <= len(models) <= len(STYLES):
            raise ValueError(
                f"y_score must hold 1 to {len(STYLES)} models, since no more lines are told apart; found "
                f"{len(models)}."
            )
        card = evaluate_scores(y_true, models, cls._judged_by, pos_label=pos_label)
        counted = {
            model: counts_at_thresholds(y_true, scores, pos_label=pos_label)[1]
            for model, scores in models.items()
        }
        curves = [cls._curve(model, counts) for model, counts in counted.items()]
        population = next(iter(counted.values()))[0].population
        return cls(card, curves, int(population.total), int(population.positives)).plot(ax=ax)

    @classmethod
    def _curve(cls, model: str, counts: Any) -> Curve:
        raise NotImplementedError

    @property
    def standing(self) -> tuple[str, ...]:
        """How each model stands to the bar."""
        return tuple(str(name) for name in standing(self.card)[:, 0, 0])

    @property
    def bar(self) -> float:
        """What a random ranking expects; nan where there is only one class."""
        return float(self.card.bar(0, 0).value)

    @property
    def finding(self) -> str:
        """How the models stand to the bar of the area under their curves."""
        if len(self.curves) == 1:
            return of_score(self.curves[0].model, self.card.bar(0, 0), self.card[0].score, self.standing[0])
        return of_models(self.card.models, [self.card.measures[0].label], self.standing)

    @property
    def description(self) -> str:
        """The figure in words."""
        label = self.card.measures[0].label
        scores = ", ".join(f"{visible(row.model)} {number(row.score, self.total)}" for row in self.card)
        bar = "no bar" if math.isnan(self.bar) else f"bar {number(self.bar, self.total)}"
        across, up = self._axes_called
        return (
            f"{self.finding}. {up} against {across} at every threshold, over what random rankings of "
            f"{plural(self.total, 'sample')}, {self.positives:,} positive, reach. {capital(label)}: {bar}; "
            f"{scores}."
        )

    @property
    def _why_empty(self) -> str:
        """Why there is little to be seen; empty where there is something."""
        if math.isnan(self.bar):
            return f"No curve: {self.card[0].reason}."
        if all(curve.thresholds < 2 for curve in self.curves):
            return f"{'One sample ranks' if self.total == 1 else 'All scores are equal: they rank'} nothing."
        return ""

    def _draw(self, canvas: Canvas) -> None:
        self.band_ = self.bar_ = self.expected_ = self.band_label_ = None
        canvas.dress(*self._axes_called)
        canvas.ax.set_xlim(-0.01, 1.01)
        canvas.ax.set_ylim(-0.01, 1.02)
        if not math.isnan(self.bar):
            self._blind(canvas)
        self.lines_ = tuple(self._line(canvas, at) for at in range(len(self.curves)))
        if self._why_empty:
            canvas.say(self._why_empty)
        several = len(self.curves) > 1
        keys = outcome_keys(canvas, set(self.standing)) if several else []
        if self.expected_ is not None:
            keys.append((self.expected_, "random ranking, expected"))
        self.title_, outcomes = canvas.crown(self.finding, keys)
        self.legend_ = self._models(canvas) if not self._why_empty else None
        if outcomes is not None and self.legend_ is not None:
            canvas.ax.add_artist(outcomes)
        known = not math.isnan(self.bar)
        grey = "Grey: of 100 random rankings, 90 at each number predicted positive." if known else ""
        self.note_ = canvas.note(
            [f"{plural(self.total, 'sample')}, {self.positives:,} positive. {grey}".strip()]
        )

    def _line(self, canvas: Canvas, at: int) -> Any:
        curve, options = self.curves[at], self._drawn
        color = color_of(canvas, self.standing[at])
        x, y = thinned(curve.x, curve.y)
        return canvas.line(x, y, color, 2.0, ls=STYLES[at], zorder=4, **options)

    @property
    def _drawn(self) -> dict[str, Any]:
        return {}

    def _models(self, canvas: Canvas) -> Any:
        """Write the models' scores and intervals beside their lines, in a corner that curves leave free."""
        label = plain(self.card.measures[0].label)
        names = ["model"] if self.card.models == ("model",) else distinct(self.card.models, 24)
        said = []
        for at, (name, row) in enumerate(zip(names, self.card, strict=True)):
            ends = self.card.interval(at, 0, 0) if len(names) <= INTERVALS else (math.nan, math.nan)
            low, high = (number(end, self.total) for end in ends)
            between = "" if math.isnan(ends[0]) else f" ({low} – {high})"
            said.append(f"{plain(name, 200)} {number(row.score, self.total)}{between}")
        legend = canvas.ax.legend(
            self.lines_, ["·"] * len(said), title=label, loc=self._corner, fontsize=canvas.small,
            title_fontsize=canvas.small, handlelength=2.4, borderaxespad=0.3, framealpha=0.85,
            edgecolor="none", facecolor=canvas.face, alignment="left", labelspacing=0.3,
        )  # fmt: skip
        legend.get_title().set_color(canvas.text)
        for text, words in zip(legend.get_texts(), said, strict=True):
            text.set_text(words)
            text.set_color(canvas.text)
        return legend

    _corner = "lower right"

    def _blind(self, canvas: Canvas) -> None:
        raise NotImplementedError

    def _fill(
        self, canvas: Canvas, low: tuple[FloatArray, FloatArray], high: tuple[FloatArray, FloatArray]
    ) -> Any:
        """Shade the region between two curves."""
        x, y = (np.concatenate((one, other[::-1])) for one, other in zip(low, high, strict=True))
        return canvas.ax.fill(x, y, color=canvas.muted, alpha=SHADE, lw=0, zorder=1)[0]


class RocDisplay(_CurveDisplay):
    """ROC curves, over the region that random rankings reach at this size.

    For each number k predicted positive the true positives of a random ranking are hypergeometric; the
    region holds ninety in a hundred of them, for that k. Over all k together more rankings leave it
    somewhere: the title judges the area under the curve, whose p-value knows that.

    Parameters
    ----------
    card : Scorecard
        The models' verdicts on ROC AUC.
    curves : sequence of Curve
        Their points.
    total, positives : int
        Class sizes.

    Attributes
    ----------
    ax_, figure_
        Axes and figure.
    lines_ : tuple of matplotlib.lines.Line2D
        The models, in the colours of their outcomes.
    bar_ : matplotlib.lines.Line2D or None
        What a random ranking expects.
    band_ : matplotlib.patches.Polygon or None
        What chance can reach.
    title_, legend_, note_
        What it finds, the models with their scores, and the note.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true, y_score = [0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.7]
    >>> display = cb.plots.RocDisplay.from_predictions(y_true, y_score)
    >>> display.finding
    'The model is above the ROC AUC bar, but it could be chance: 0.889, bar 0.500'
    """

    _judged_by = "roc_auc"
    _axes_called = ("false positive rate", "true positive rate")

    @classmethod
    def _curve(cls, model: str, counts: Any) -> Curve:
        with np.errstate(invalid="ignore"):
            x, y = np.asarray(counts.fp) / counts.negatives, np.asarray(counts.tp) / counts.positives
        return Curve(model, x, y, len(x) - 1)

    def _blind(self, canvas: Canvas) -> None:
        k = np.append(0, numbers_predicted(self.total))
        ends = [
            ((k - tp) / (self.total - self.positives), tp / self.positives)
            for tp in reached(self.total, self.positives, k)
        ]
        self.band_ = self._fill(canvas, *ends)
        self.bar_ = canvas.line([0, 1], [0, 1], canvas.text, 1.5, zorder=3.5)
        how: dict[str, Any] = {"rotation": 45, "rotation_mode": "anchor", "transform_rotates_text": True}
        how |= {"fontsize": canvas.small, "zorder": 6, "ha": "center"}
        said = f"bar {number(self.bar, self.total)}"
        canvas.ax.text(0.86, 0.86, said, color=canvas.text, va="bottom", **how)
        points = canvas.ax.bbox.height / canvas.ax.figure.dpi * 72 * 0.7
        at = len(k) // 3
        deep = (ends[1][1] - ends[0][1])[at] / 2 * points  # half of the band, of which text takes most
        if deep > 1.5 * canvas.small:
            self.band_label_ = canvas.ax.text(0.36, 0.31, REACH, color=canvas.muted, va="top", **how)


class PrecisionRecallDisplay(_CurveDisplay):
    """Precision–recall curves, over the region that random rankings reach at this size.

    The region is that of `RocDisplay`. With few positives it lies far above the prevalence on the left, and
    so does what a random ranking expects: its precision when it finds the t-th positive is drawn dashed, and
    the mean of that is the bar of average precision.

    Parameters
    ----------
    card : Scorecard
        The models' verdicts on average precision.
    curves : sequence of Curve
        Their points.
    total, positives : int
        Class sizes.

    Attributes
    ----------
    ax_, figure_
        Axes and figure.
    lines_ : tuple of matplotlib.lines.Line2D
        The models, in the colours of their outcomes.
    bar_ : matplotlib.lines.Line2D or None
        The bar of average precision.
    expected_ : matplotlib.lines.Line2D or None
        What precision a random ranking expects where it first reaches each recall.
    band_ : matplotlib.collections.PolyCollection or None
        What chance can reach.
    title_, legend_, note_
        What it finds, the models with their scores, and the note.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true, y_score = [0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.7]
    >>> display = cb.plots.PrecisionRecallDisplay.from_predictions(y_true, y_score)
    >>> display.expected_.get_ydata().round(2).tolist()
    [0.71, 0.63, 0.59]
    """

    _judged_by = "average_precision"
    _axes_called = ("recall", "precision")
    _corner = "best"

    @classmethod
    def _curve(cls, model: str, counts: Any) -> Curve:
        some = counts[1:]  # without predicted positives there is no precision
        with np.errstate(invalid="ignore"):
            x = np.asarray(some.tp) / some.positives
        y = np.asarray(some.tp) / np.asarray(some.predicted_positives)
        return Curve(model, np.append(0.0, x), np.append(y[:1], y), len(x))

    @property
    def _drawn(self) -> dict[str, Any]:
        return {"drawstyle": "steps-pre"}  # as average precision adds up

    def _blind(self, canvas: Canvas) -> None:
        recall, low, high = precisions(self.total, self.positives)
        steps = np.append(0.0, recall)
        self.band_ = canvas.ax.fill_between(
            steps, np.append(low[0], low), np.append(high[0], high), step="pre", color=canvas.muted,
            alpha=SHADE, lw=0, zorder=1,
        )  # fmt: skip
        found, expected = precision_at_recall(self.total, self.positives)
        marks = "." if len(found) <= 12 else "none"
        self.expected_ = canvas.line(found, expected, canvas.muted, 1.4, ls="--", marker=marks, zorder=3)
        self.bar_ = canvas.bar_line(self.bar, f"bar {number(self.bar, self.total)}")
        at = int(np.argmin(np.abs(recall - 0.3)))
        deep = (high - low)[at] * canvas.ax.bbox.height / canvas.ax.figure.dpi * 72 * 0.7
        if deep > 3.4 * canvas.small:
            y = low[at] + 0.75 * (high - low)[at]
            self.band_label_ = canvas.aside(REACH, (0.3, y), (0, 0), ha="center", va="center", zorder=2.5)
