"""Slices sorted by how far they are from their own bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, Undefined
from clearbar.evaluation import evaluate, evaluate_counts
from clearbar.formatting import distinct, plural, signed, visible, width
from clearbar.plots._canvas import Canvas, Key, axis_label, lines_of
from clearbar.plots._display import Display
from clearbar.plots._marks import color_of, marker, outcome_keys
from clearbar.plots._sorted import sorted_slices
from clearbar.scorecard import Scorecard


class SlicesDisplay(Display):
    """Slices from the furthest below their own bars to the furthest above, with their support.

    Parameters
    ----------
    measure : Measure
        What is evaluated.
    groups : sequence of object
        The slices, sorted by `distance`.
    scores, bars : ndarray of float64
        Score and bar of each.
    support, positives : ndarray of int64
        Samples of each, and how many are positive.
    standing : sequence of str
        Outcome of each, or "doubt" where it is above its bar but could be there by chance.
    model : str
        The model; empty where there is only one.
    most : int
        Slices drawn at most.
    unjudged : int
        Slices without a score or a bar, which have no place in the order.
    part : (str, str)
        What one of them is called, a slice, a class, a label or a task, and several of them.

    Attributes
    ----------
    distance : ndarray of float64
        Score minus bar, in the measure's units; for losses bar minus score.
    ax_, figure_
        Axes and figure.
    points_ : tuple of matplotlib.lines.Line2D
        Scores, one per slice drawn.
    bars_ : matplotlib.collections.LineCollection
        Bars.
    gaps_ : matplotlib.collections.LineCollection
        From each bar to its score.
    support_ : tuple of matplotlib.text.Text
        How many samples each slice has.

    Examples
    --------
    >>> import clearbar as cb
    >>> counts = cb.Counts(tp=[30, 12, 4], fp=[6, 9, 1], fn=[5, 10, 0], tn=[40, 8, 15])
    >>> display = cb.plots.SlicesDisplay.from_counts(counts, "f1", groups=["A", "B", "C"])
    >>> list(display.groups), display.distance.round(3).tolist()
    (['B', 'A', 'C'], [-0.163, 0.242, 0.556])
    """

    def __init__(
        self,
        measure: Any,
        groups: Sequence[Any],
        scores: FloatArray,
        bars: FloatArray,
        support: Any,
        positives: Any,
        standing: Sequence[str],
        *,
        model: str = "",
        most: int = 20,
        unjudged: int = 0,
        part: tuple[str, str] = ("slice", "slices"),
    ) -> None:
        self.part = part
        self.measure, self.groups = measure, tuple(groups)
        self.scores, self.bars = np.asarray(scores, dtype=np.float64), np.asarray(bars, dtype=np.float64)
        self.support, self.positives = np.asarray(support), np.asarray(positives)
        self.standing, self.model, self.most, self.unjudged = tuple(standing), model, most, unjudged

    @classmethod
    def from_scorecard(
        cls,
        card: Scorecard,
        measure: Any = None,
        *,
        model: str | None = None,
        most: int = 20,
        alpha: float | None = None,
        ax: Any = None,
    ) -> SlicesDisplay:
        """Draw the slices of a scorecard.

        Parameters
        ----------
        card : Scorecard
            Of several slices.
        measure : str or Measure, optional
            Any name of a measure in it; needed where it has several.
        model : str, optional
            A model in it; needed where it has several.
        most : int
            Slices drawn at most: the worst.
        alpha : float
            The level at which a score is sure; by default that of the scorecard.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        SlicesDisplay

        Raises
        ------
        ValueError
            If the scorecard has no slices, none of them can be judged, or measure or model must be named.
        """
        return cls(**sorted_slices(card, measure, model, most, alpha)).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        by: Any,
        measure: Any,
        *,
        pos_label: Any = None,
        undefined: Undefined = "exclude",
        model: str | None = None,
        most: int = 20,
        ax: Any = None,
    ) -> SlicesDisplay:
        """Judge predictions slice by slice and draw a model's; parameters as for `clearbar.evaluate`.

        Returns
        -------
        SlicesDisplay
        """
        card = evaluate(y_true, y_pred, measure, pos_label=pos_label, by=by, undefined=undefined)
        return cls.from_scorecard(card, measure, model=model, most=most, ax=ax)

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        measure: Any,
        *,
        groups: Any = None,
        undefined: Undefined = "exclude",
        model: str | None = None,
        most: int = 20,
        ax: Any = None,
    ) -> SlicesDisplay:
        """Judge counts slice by slice and draw a model's; parameters as for `clearbar.evaluate_counts`.

        Returns
        -------
        SlicesDisplay
        """
        card = evaluate_counts(counts, measure, groups=groups, undefined=undefined)
        return cls.from_scorecard(card, measure, model=model, most=most, ax=ax)

    @property
    def distance(self) -> FloatArray:
        """Score minus bar; for losses bar minus score."""
        distances = self.scores - self.bars
        return -distances if self.measure.greater_is_better is False else distances

    @property
    def description(self) -> str:
        """The figure in words."""
        shown = list(zip(self.groups, self.distance, self.support, strict=True))[: self.most]
        parts = [f"{visible(group)} {signed(far)} ({plural(int(n), 'sample')})" for group, far, n in shown]
        who = f" of {visible(self.model)}" if self.model else ""
        return (
            f"{self.measure.label}{who} in {plural(len(self.groups), *self.part)}, "
            f"by distance from their bars: "
            f"{', '.join(parts)}. {self.rest}".rstrip()
        )

    @property
    def rest(self) -> str:
        """What is not drawn, in words; empty where all is."""
        left = len(self.groups) - self.most
        parts = []
        if left > 0:
            least = float(self.distance[self.most])
            more = plural(left, *(f"more {word}" for word in self.part))
            parts.append(f"{more} not shown, at a distance of {signed(least)} or better.")
        if self.unjudged:
            parts.append(f"{plural(self.unjudged, *self.part)} without a score or a bar not shown.")
        return " ".join(parts)

    @property
    def _count(self) -> int:
        """How many slices are drawn."""
        return min(len(self.groups), self.most)

    @property
    def _height(self) -> float:
        return 1.35 + 0.25 * self._count

    def _draw(self, canvas: Canvas) -> None:
        labels = [name.replace("$", r"\$") for name in distinct(self.groups[: self._count], 24)]
        left = 0.56 * canvas.size * max(map(width, labels))
        self._rows(canvas)
        self._write_support(canvas)
        self._frame(canvas, labels)
        self.legend_ = canvas.legend(self._keys(canvas), lines=1.0, left=left)
        self.note_ = canvas.note([self.rest], left=left)

    def _rows(self, canvas: Canvas) -> None:
        from matplotlib.collections import LineCollection

        ax, unit, y = canvas.ax, canvas.unit, np.arange(self._count)
        bars, scores, names = (part[: self._count] for part in (self.bars, self.scores, self.standing))
        colors = [color_of(canvas, name) for name in names]
        wide = [(2.6 if name == "fails" else 1.3) * unit for name in names]
        gaps = np.stack([np.column_stack((bars, y)), np.column_stack((scores, y))], axis=1)
        self.gaps_ = ax.add_collection(LineCollection(list(gaps), colors=colors, linewidths=wide, zorder=2))
        ticks = np.stack([np.column_stack((bars, y - 0.34)), np.column_stack((bars, y + 0.34))], axis=1)
        self.bars_ = ax.add_collection(
            LineCollection(list(ticks), colors=[canvas.text], linewidths=2.2 * unit, zorder=3)
        )
        shapes = ["X" if name == "fails" else "o" for name in names]
        self.points_ = tuple(
            ax.plot([score], [at], zorder=5, clip_on=False, **marker(canvas, shape, name))[0]
            for at, score, shape, name in zip(y, scores, shapes, names, strict=True)
        )

    def _write_support(self, canvas: Canvas) -> None:
        self.support_ = tuple(
            canvas.aside(
                f"{int(n):,}", (1.0, at), (4, 0), xycoords=("axes fraction", "data"), ha="left", va="center"
            )
            for at, n in enumerate(self.support[: self._count])
        )
        canvas.aside("samples", (1.0, 1.0), (4, 2), xycoords="axes fraction", ha="left", va="bottom")

    def _frame(self, canvas: Canvas, labels: Sequence[str]) -> None:
        ax, count = canvas.ax, self._count
        canvas.dress(axis_label(self.measure), lines_of(self.model, 40, 1))
        shown = np.concatenate((self.bars[:count], self.scores[:count]))
        spread = float(np.ptp(shown)) or max(abs(float(shown[0])), 1.0) * 0.2
        low, high = float(shown.min()) - 0.06 * spread, float(shown.max()) + 0.06 * spread
        ax.set_xlim(*((high, low) if self.measure.greater_is_better is False else (low, high)))
        ax.set_ylim(count - 0.4, -0.6)
        canvas.ticks_that_fit()
        ax.set_yticks(range(count), labels, fontsize=canvas.size)
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        ax.grid(visible=True, axis="y", color=canvas.muted, alpha=0.25, lw=0.6 * canvas.unit)
        ax.set_axisbelow(True)

    def _keys(self, canvas: Canvas) -> list[Key]:
        seen = set(self.standing[: self._count])
        outcomes = outcome_keys(canvas, seen, **marker(canvas, "X", "fails"))
        return [
            (canvas.bar_tick(), f"the {self.part[0]}'s own bar"),
            *((handle, said.replace("the bar", "its bar")) for handle, said in outcomes),
        ]
