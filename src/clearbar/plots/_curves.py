"""ROC and precision–recall curves over the region that a random ranking reaches at this size."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.formatting import number
from clearbar.plots._canvas import Canvas
from clearbar.plots._curve_display import Curve, CurveDisplay
from clearbar.plots._places import freer_on_the_left, label_band, stairs
from clearbar.plots._reachable import numbers_predicted, precision_at_recall, precisions, reached


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
    lines_ : tuple of matplotlib.lines.Line2D
        The models, in the colours of their outcomes.
    points_, whiskers_ : tuple of matplotlib.lines.Line2D
        The areas under their curves, right of the axes, and the confidence intervals of these.
    bar_ : matplotlib.lines.Line2D or None
        What a random ranking expects.
    band_ : matplotlib.patches.Polygon or None
        What chance can reach.
    ax_, figure_, title_, legend_, note_
        As in every `Display`.

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
        low, high = (
            ((k - tp) / (self.total - self.positives), tp / self.positives)
            for tp in reached(self.total, self.positives, k)
        )
        corners = (np.concatenate((lower, upper[::-1])) for lower, upper in zip(low, high, strict=True))
        (self.band_,) = canvas.ax.fill(*corners, color=canvas.muted, alpha=canvas.shade, lw=0, zorder=1)
        self.bar_ = canvas.line([0, 1], [0, 1], canvas.text, 1.5, zorder=3.5)
        canvas.ax.text(
            0.86, 0.86, f"bar {number(self.bar, self.total)}", color=canvas.text, fontsize=canvas.small,
            ha="center", va="bottom", zorder=6, rotation=45, rotation_mode="anchor",
            transform_rotates_text=True,
        )  # fmt: skip
        bar_words = [0.78, 0.92], [0.82, 0.96]  # along their middle
        lines: list[Any] = [([0, 1], [0, 1]), bar_words, *((curve.x, curve.y) for curve in self.curves)]
        self.band_label_ = label_band(canvas, low, high, lines, along_diagonal=True)


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
        lower, upper = np.append(low[0], low), np.append(high[0], high)
        self.band_ = canvas.ax.fill_between(
            steps, lower, upper, step="pre", color=canvas.muted, alpha=canvas.shade, lw=0, zorder=1
        )
        reached_at, expected = precision_at_recall(self.total, self.positives)
        marks = "." if len(reached_at) <= 12 else "none"
        self.expected_ = canvas.line(reached_at, expected, canvas.muted, 1.4, ls="--", marker=marks, zorder=3)
        lines = [stairs(curve.x, curve.y) for curve in self.curves]
        left = freer_on_the_left(lines, self.bar)
        self.bar_ = canvas.bar_line(self.bar, f"bar {number(self.bar, self.total)}", left=left)
        lines += [(reached_at, expected), ([0, 1], [self.bar, self.bar])]
        self.band_label_ = label_band(canvas, stairs(steps, lower), stairs(steps, upper), lines)
