"""Slices sorted by how far they are from their own bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.evaluation import evaluate, evaluate_counts
from clearbar.formatting import capital, distinct, number, plural, signed, visible
from clearbar.plots._canvas import Canvas
from clearbar.plots._display import Display
from clearbar.plots._dots import Dot, draw_dots, draw_reach, frame_rows, label_reach, tick_bar
from clearbar.plots._findings import of_slices
from clearbar.plots._marks import outcome_keys
from clearbar.plots._rows import Order
from clearbar.plots._sorted import sorted_slices
from clearbar.plots._text import lines_of, plain, widest
from clearbar.scorecard import Scorecard


class SlicesDisplay(Display):
    """Slices from the furthest below their own bars to the furthest above, with scores and support.

    Bands are what chance can reach in each slice, whiskers the confidence intervals of the true scores.

    Parameters
    ----------
    measure : Measure
        What is evaluated.
    groups : sequence of object
        The slices, in the order drawn.
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
    intervals : sequence of (float, float)
        Of the slices drawn; empty where there are none.
    reaches : sequence of float
        How far chance can reach in each of the slices drawn; nan where that is not known.
    part : (str, str)
        What one of them is called, a slice, a class, a label or a task, and several of them.

    Attributes
    ----------
    distance : ndarray of float64
        Score minus bar, in the measure's units; for losses bar minus score.
    points_ : tuple of matplotlib.lines.Line2D
        Scores, one per slice drawn.
    bars_ : tuple of matplotlib.lines.Line2D
        Bars.
    bands_ : tuple of matplotlib.patches.Rectangle
        What chance can reach in each slice where that is known.
    whiskers_, shortfalls_ : tuple of matplotlib.lines.Line2D
        Intervals, and what each score below its bar lacks to it.
    texts_, support_ : tuple of matplotlib.text.Text
        Scores, and how many samples each slice has.
    ax_, figure_, title_, legend_, note_
        As in every `Display`.

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
        intervals: Sequence[tuple[float, float]] = (),
        reaches: Sequence[float] = (),
        part: tuple[str, str] = ("slice", "slices"),
    ) -> None:
        self.measure, self.groups = measure, tuple(groups)
        self.scores, self.bars = np.asarray(scores, dtype=np.float64), np.asarray(bars, dtype=np.float64)
        self.support, self.positives = np.asarray(support), np.asarray(positives)
        self.standing, self.model, self.most, self.unjudged = tuple(standing), model, most, unjudged
        self.intervals, self.reaches, self.part = tuple(intervals), tuple(reaches), part

    @classmethod
    def from_scorecard(
        cls,
        card: Scorecard,
        measure: Any = None,
        *,
        model: str | None = None,
        most: int = 20,
        order: Order = "worst",
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
            Slices drawn at most: the first in this order.
        order : {"worst", "best", "given"}
            Whether the slice furthest below its bar comes first, or last, or all as they were given.
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
        return cls(**sorted_slices(card, measure, model, most, order, alpha)).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        by: Any,
        measure: Any,
        *,
        model: str | None = None,
        most: int = 20,
        order: Order = "worst",
        ax: Any = None,
        **options: Any,
    ) -> SlicesDisplay:
        """Judge predictions and draw a model's slices; other options are those of `clearbar.evaluate`.

        Returns
        -------
        SlicesDisplay
        """
        card = evaluate(y_true, y_pred, measure, by=by, **options)
        return cls.from_scorecard(card, measure, model=model, most=most, order=order, ax=ax)

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        measure: Any,
        *,
        model: str | None = None,
        most: int = 20,
        order: Order = "worst",
        ax: Any = None,
        **options: Any,
    ) -> SlicesDisplay:
        """Judge counts and draw a model's slices; other options are those of `clearbar.evaluate_counts`.

        Returns
        -------
        SlicesDisplay
        """
        card = evaluate_counts(counts, measure, **options)
        return cls.from_scorecard(card, measure, model=model, most=most, order=order, ax=ax)

    @property
    def distance(self) -> FloatArray:
        """Score minus bar; for losses bar minus score."""
        distances = self.scores - self.bars
        return -distances if self._loss else distances

    @property
    def _loss(self) -> bool:
        return self.measure.greater_is_better is False

    @property
    def finding(self) -> str:
        """In how many slices the bar is missed."""
        model = f"{visible(self.model)}: " if self.model else ""
        return model + of_slices(self.standing, self.measure.label, self.part, loss=self._loss)

    @property
    def description(self) -> str:
        """The figure in words."""
        rows = list(zip(self.groups, self.distance, self.support, strict=True))[: self.most]
        parts = [f"{visible(name)} {signed(gap)} ({plural(int(size), 'sample')})" for name, gap, size in rows]
        model = f" of {visible(self.model)}" if self.model else ""
        slices = plural(len(self.groups), *self.part)
        return (
            f"{self.finding}. {capital(self.measure.label)}{model} in {slices}, by distance from their bars: "
            f"{', '.join(parts)}. {self.rest(self.most)}".rstrip()
        )

    def rest(self, drawn: int) -> str:
        """Say what is not drawn; empty where all is."""
        left, parts = len(self.groups) - drawn, []
        if left > 0:
            ends = [signed(float(end)) for end in (self.distance[drawn:].min(), self.distance[drawn:].max())]
            distance = f"at a distance of {' to '.join(dict.fromkeys(ends))}"
            parts.append(
                f"{plural(left, f'more {self.part[0]}', f'more {self.part[1]}')} not shown, {distance}."
            )
        if self.unjudged:
            parts.append(f"{plural(self.unjudged, *self.part)} without a score or a bar not shown.")
        return " ".join(parts)

    @property
    def _height(self) -> float:
        return 1.6 + 0.22 * min(len(self.groups), self.most)

    def _draw(self, canvas: Canvas) -> None:
        from matplotlib.lines import Line2D

        count = min(len(self.groups), self.most, canvas.lines_that_fit(9.0))
        names = [plain(name, 200) for name in distinct(self.groups[:count], 24)]
        scores = [number(*pair) for pair in zip(self.scores, self.support.tolist(), strict=True)][:count]
        sizes = [f"{int(size):,}" for size in self.support[:count]]
        left = widest(names, canvas.size) + 4.0
        column = widest(scores, canvas.small) + 14 * canvas.unit  # where the sizes begin
        points = canvas.inside(left, column + widest(sizes, canvas.small))
        shown = self.bars[:count], self.scores[:count], self.intervals[:count]
        frame_rows(canvas, names, self.measure, shown, points, lines_of(self.model, 40, 1))
        self._draw_rows(canvas, scores)
        self.support_ = tuple(canvas.right_of(size, row, column) for row, size in enumerate(sizes))
        self._head_columns(canvas, column, points)
        keys = outcome_keys(canvas, set(self.standing[:count]), bar="its bar", loss=self._loss)
        tick = Line2D(
            [], [], color=canvas.text, marker="|", ls="none", ms=9 * canvas.unit, mew=2.2 * canvas.unit
        )
        keys.insert(0, (tick, f"bar of the {self.part[0]}"))
        self.title_, self.legend_ = canvas.crown(self.finding, keys, lines=1.2, left=left)
        grey = "Grey: what chance can reach." if self.bands_ and not self.band_label_ else ""
        self.note_ = canvas.note([grey, self.rest(count)], left=left)

    def _draw_rows(self, canvas: Canvas, scores: Sequence[str]) -> None:
        rows = range(len(scores))
        axis = canvas.ax.get_xlim()
        self.bars_ = tuple(tick_bar(canvas, self.bars[row], (row - 0.34, row + 0.34)) for row in rows)
        self.bands_ = tuple(
            draw_reach(canvas, axis[0], float(np.clip(reach, *sorted(axis))), (row - 0.38, row + 0.38))
            for row, reach in zip(rows, self.reaches, strict=False)
            if not np.isnan(reach)
        )
        # More may be drawn now than when the intervals were found.
        unknown = [(np.nan, np.nan)] * (len(rows) - len(self.intervals))
        intervals = [*self.intervals, *unknown]
        self.points_, self.texts_, self.whiskers_, self.shortfalls_ = draw_dots(canvas, [
            Dot(row, self.scores[row], self.standing[row], scores[row], self.bars[row], intervals[row])
            for row in rows
        ])  # fmt: skip

    def _head_columns(self, canvas: Canvas, column: float, points: float) -> None:
        """Write what the columns on the right are, and what bands are."""
        worst, best = canvas.ax.get_xlim()
        for words, offset in (("score", 5 * canvas.unit), ("n", column)):
            canvas.above(words, best, offset)
        self.band_label_ = None
        if self.bands_:
            share = self.bands_[0].get_width() / (best - worst)
            self.band_label_ = label_reach(canvas, share * points, worst)
