"""ROC and precision–recall curves over the region that a random ranking reaches at this size."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.formatting import number
from clearbar.plots._canvas import Canvas
from clearbar.plots._curve_display import Curve, CurveDisplay
from clearbar.plots._marks import REACH
from clearbar.plots._reachable import numbers_predicted, precision_at_recall, precisions, reached
from clearbar.plots._text import text_width
from clearbar.plots._thresholds import freer_on_the_left, traced


class RocDisplay(CurveDisplay):
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
    points_, whiskers_ : tuple of matplotlib.lines.Line2D
        The areas under their curves, right of the axes, and the confidence intervals of these.
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
        place = _free_place(canvas, self.curves)
        if deep > 1.5 * canvas.small and place is not None:
            self.band_label_ = canvas.ax.text(
                place + 0.025, place - 0.025, REACH, color=canvas.muted, va="top", **how
            )


def _free_place(canvas: Canvas, curves: Sequence[Curve]) -> float | None:
    """Return where along the diagonal the label of the band, below it, is crossed by no curve."""
    wide, high = (0.8 * float(side) / canvas.ax.figure.dpi * 72 for side in canvas.ax.bbox.size)
    long = math.hypot(wide, high)
    half = 0.55 * text_width(REACH, canvas.small) / long
    crossed = np.concatenate([_below_diagonal(curve, wide, high, 2.0 * canvas.small) for curve in curves])
    for place in sorted(np.linspace(0.2, 0.8, 25).tolist(), key=lambda place: abs(place - 0.34)):
        if not (abs(crossed - place) < half).any():
            return float(place)
    return None


def _below_diagonal(curve: Curve, wide: float, high: float, depth: float) -> FloatArray:
    """Return where along the diagonal, from 0 to 1, a curve runs below it by less than so many points."""
    x, y = traced(curve.x, curve.y)
    square = wide**2 + high**2
    below = (x - y) * wide * high / math.sqrt(square)
    along: FloatArray = (x * wide**2 + y * high**2) / square
    return along[(below > -0.2 * depth) & (below < depth)]


class PrecisionRecallDisplay(CurveDisplay):
    """Precision–recall curves, over the region that random rankings reach at this size.

    The region is that of `RocDisplay`. With few positives it lies far above the prevalence on the left, and
    so does what a random ranking expects: its precision when it finds the t-th positive is drawn dashed, and
    the mean of that is the bar of average precision.

    Parameters and attributes are those of `RocDisplay`, and one more.

    Attributes
    ----------
    expected_ : matplotlib.lines.Line2D or None
        What precision a random ranking expects where it first reaches each recall.

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
        called = counts[1:]  # without predicted positives there is no precision
        with np.errstate(invalid="ignore"):
            x = np.asarray(called.tp) / called.positives
        y = np.asarray(called.tp) / np.asarray(called.predicted_positives)
        return Curve(model, np.append(0.0, x), np.append(y[:1], y), len(x))

    @property
    def _drawn(self) -> dict[str, Any]:
        return {"drawstyle": "steps-pre"}  # as average precision adds up

    def _blind(self, canvas: Canvas) -> None:
        recall, low, high = precisions(self.total, self.positives)
        steps = np.append(0.0, recall)
        self.band_ = canvas.ax.fill_between(
            steps, np.append(low[0], low), np.append(high[0], high), step="pre", color=canvas.muted,
            alpha=canvas.shade, lw=0, zorder=1,
        )  # fmt: skip
        reached_at, expected = precision_at_recall(self.total, self.positives)
        marks = "." if len(reached_at) <= 12 else "none"
        self.expected_ = canvas.line(reached_at, expected, canvas.muted, 1.4, ls="--", marker=marks, zorder=3)
        stairs = [_stairs(curve) for curve in self.curves]
        left = freer_on_the_left(stairs, self.bar)
        self.bar_ = canvas.bar_line(self.bar, f"bar {number(self.bar, self.total)}", left=left)
        lines = [*stairs, (reached_at, expected), (np.array([0.0, 1.0]), np.full(2, self.bar))]
        place = _free_in_band(canvas, (recall, low, high), lines)
        if place is not None:
            self.band_label_ = canvas.aside(REACH, place, (0, 0), ha="center", va="center", zorder=2.5)


def _stairs(curve: Curve) -> tuple[FloatArray, FloatArray]:
    """Return the corners of a curve that goes up or down first, then on."""
    return np.repeat(curve.x, 2)[:-1], np.repeat(curve.y, 2)[1:]


def _free_in_band(
    canvas: Canvas,
    band: tuple[FloatArray, FloatArray, FloatArray],
    lines: Sequence[tuple[FloatArray, FloatArray]],
) -> tuple[float, float] | None:
    """Return where in the band its label has most room and is crossed by no line."""
    recall, low, high = band
    wide, tall = (0.8 * float(side) / canvas.ax.figure.dpi * 72 for side in canvas.ax.bbox.size)
    half, up = 0.55 * text_width(REACH, canvas.small) / wide, 0.9 * canvas.small / tall
    grid = np.meshgrid(np.linspace(half, 1.0 - half, 25), np.linspace(up, 1.0 - up, 40))
    x, y = (side.ravel() for side in grid)
    over = np.searchsorted(recall, x[:, None] + half * np.linspace(-1.0, 1.0, 9)).clip(max=len(recall) - 1)
    room = np.minimum(y - low[over].max(axis=1), high[over].min(axis=1) - y) - up
    for across, height in itertools.starmap(traced, lines):
        crossed = (abs(x[:, None] - across) < half) & (abs(y[:, None] - height) < up)
        room[crossed.any(axis=1)] = -1.0
    at = int(np.argmax(room))
    return (float(x[at]), float(y[at])) if room[at] > 0 else None
