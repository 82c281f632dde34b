"""Slices sorted by how far they are from their own bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, Undefined
from clearbar.evaluation import evaluate, evaluate_counts
from clearbar.formatting import distinct, plural, signed, visible, width
from clearbar.plots._canvas import (
    Ink,
    dress,
    ink_of,
    legend_above,
    lines_of,
    literal,
    new_axes,
    note_below,
    plain,
    ticks_that_fit,
    toward,
)
from clearbar.plots._display import Display
from clearbar.plots._marks import SAID, color_of, marker
from clearbar.plots._sorted import sorted_slices
from clearbar.scorecard import Scorecard

JUDGED = ("clears", "doubt", "ties", "fails", "unbeatable")
"""Outcomes that a slice in the picture can have."""


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
    ) -> None:
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
        found = self.scores - self.bars
        return -found if self.measure.greater_is_better is False else found

    @property
    def description(self) -> str:
        """The figure in words."""
        shown = list(zip(self.groups, self.distance, self.support, strict=True))[: self.most]
        parts = [f"{visible(group)} {signed(far)} ({plural(int(n), 'sample')})" for group, far, n in shown]
        who = f" of {visible(self.model)}" if self.model else ""
        return (
            f"{self.measure.label}{who} in {plural(len(self.groups), 'slice')}, by distance from their bars: "
            f"{', '.join(parts)}. {self.rest}".rstrip()
        )

    @property
    def rest(self) -> str:
        """What is not drawn, in words; empty where all is."""
        left = len(self.groups) - self.most
        parts = []
        if left > 0:
            least = float(self.distance[self.most])
            parts.append(
                f"{plural(left, 'more slice')} not shown, at a distance of {signed(least)} or better."
            )
        if self.unjudged:
            parts.append(f"{plural(self.unjudged, 'slice')} without a score or a bar not shown.")
        return " ".join(parts)

    def plot(self, ax: Any = None) -> SlicesDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        SlicesDisplay
            Itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        count = min(len(self.groups), self.most)
        ax = new_axes(ax, "SlicesDisplay.plot", 1.35 + 0.25 * count)
        with literal():
            ink = ink_of(ax)
            left = 0.56 * ink.size * max(map(width, self._labels(count)))
            self._rows(ax, ink, count)
            self._frame(ax, ink, count)
            self.legend_ = legend_above(ax, ink, *self._legend(ink, count), lines=1.0, left=left)
            self.note_ = note_below(ax, ink, [self.rest], left=left)
        self._drawn(ax)
        return self

    def _rows(self, ax: Any, ink: Ink, count: int) -> None:
        from matplotlib.collections import LineCollection

        y = np.arange(count)
        bars, scores, names = self.bars[:count], self.scores[:count], self.standing[:count]
        colors = [color_of(ink, name) for name in names]
        wide = [(2.6 if name == "fails" else 1.3) * ink.unit for name in names]
        gaps = np.stack([np.column_stack((bars, y)), np.column_stack((scores, y))], axis=1)
        self.gaps_ = ax.add_collection(LineCollection(list(gaps), colors=colors, linewidths=wide, zorder=2))
        ticks = np.stack([np.column_stack((bars, y - 0.34)), np.column_stack((bars, y + 0.34))], axis=1)
        self.bars_ = ax.add_collection(
            LineCollection(list(ticks), colors=[ink.text], linewidths=2.2 * ink.unit, zorder=3)
        )
        self.points_ = tuple(
            ax.plot([score], [at], ls="none", zorder=5, clip_on=False, **self._marker(ink, name))[0]
            for at, (score, name) in enumerate(zip(scores, names, strict=True))
        )
        near = {"va": "center", "fontsize": ink.small, "color": ink.muted, "annotation_clip": False}
        self.support_ = tuple(
            ax.annotate(
                f"{int(n):,}", (1.0, at), (4, 0), xycoords=("axes fraction", "data"),
                textcoords="offset points", ha="left", **near,
            )
            for at, n in enumerate(self.support[:count])
        )  # fmt: skip
        near["va"] = "bottom"
        ax.annotate(
            "samples",
            (1.0, 1.0),
            (4, 2),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="left",
            **near,
        )

    def _marker(self, ink: Ink, standing: str) -> dict[str, Any]:
        return marker(ink, "X" if standing == "fails" else "o", standing)

    def _frame(self, ax: Any, ink: Ink, count: int) -> None:
        dress(ax, ink, f"{plain(self.measure.label)}{toward(self.measure)}", lines_of(self.model, 40, 1))
        shown = np.concatenate((self.bars[:count], self.scores[:count]))
        spread = float(np.ptp(shown)) or max(abs(float(shown[0])), 1.0) * 0.2
        low, high = float(shown.min()) - 0.06 * spread, float(shown.max()) + 0.06 * spread
        ax.set_xlim(*((high, low) if self.measure.greater_is_better is False else (low, high)))
        ax.set_ylim(count - 0.4, -0.6)
        ticks_that_fit(ax, ink)
        ax.set_yticks(range(count), self._labels(count), fontsize=ink.size)
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        ax.grid(visible=True, axis="y", color=ink.muted, alpha=0.25, lw=0.6 * ink.unit)
        ax.set_axisbelow(True)

    def _labels(self, count: int) -> list[str]:
        return [name.replace("$", r"\$") for name in distinct(self.groups[:count], 24)]

    def _legend(self, ink: Ink, count: int) -> tuple[list[Any], list[str]]:
        from matplotlib.lines import Line2D

        handles = [Line2D([], [], color=ink.text, marker="|", ls="none", ms=9 * ink.unit, mew=2.2 * ink.unit)]
        labels = ["the slice's own bar"]
        for standing in JUDGED:
            if standing in self.standing[:count]:
                handles.append(Line2D([], [], ls="none", **self._marker(ink, standing)))
                labels.append(SAID[standing].replace("the bar", "its bar"))
        return handles, labels
