"""A scorecard as a picture: each measure on its own axis, with the bar and what chance can reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from clearbar.formatting import capital, distinct, number, plural, visible
from clearbar.plots._canvas import Canvas
from clearbar.plots._display import ModelsDisplay
from clearbar.plots._dots import Dot, draw_dot, draw_reach, reach_words, tick_bar
from clearbar.plots._findings import of_models
from clearbar.plots._marks import outcome_keys, words_of
from clearbar.plots._rows import Order, Row, not_drawn, notes_on, row_of, telling
from clearbar.plots._text import lines_of, plain, text_width, widest

NAME = 22
"""Columns of the name of a row."""

GAP = 0.35
"""Lines between two measures."""


class ScorecardDisplay(ModelsDisplay):
    """Each measure from worst to best possible, with its bar, what chance can reach, and the models.

    Every measure is an axis of its own, in its own units, its better end on the right, also for losses,
    with a line for each model. A thick tick is the bar. The band is what chance can reach: what some
    classifier that ignores its input gets with a probability of 5 % or more. Whiskers are confidence
    intervals of the true scores, where there are at most 40. A score below its bar is crossed and hangs on a
    thick line from it; one above it that could be chance is hollow. On axes too small for all of it fewer
    models and measures are drawn, those with the worst verdicts, and a line says how many are not.

    Parameters
    ----------
    models : sequence of str
        Names of the models, from top to bottom.
    rows : sequence of Row
        The measures.
    title : str
        What is judged, such as a slice; empty for all samples.
    finding : str
        What is to be said above; by default what is true of these models.
    notes : sequence of str
        What is to be said below.
    left_out : int
        Models of the scorecard that are not among these.

    Raises
    ------
    ValueError
        If there is no model or no row.

    Attributes
    ----------
    points_ : dict of (str, str) to matplotlib.lines.Line2D
        The marker of each model and measure.
    texts_ : dict of (str, str) to matplotlib.text.Text
        Its score, right of the axes.
    bars_ : dict of str to matplotlib.lines.Line2D
        The tick of each measure that has a bar.
    bands_ : dict of str to matplotlib.patches.Rectangle
        What chance can reach.
    shortfalls_ : dict of (str, str) to matplotlib.lines.Line2D
        The line from the bar to a score that fails.
    spreads_ : dict of (str, str) to matplotlib.lines.Line2D
        One standard deviation over runs to either side, where there are several.
    whiskers_ : dict of (str, str) to matplotlib.lines.Line2D
        The confidence interval of each score that has one.
    ax_, figure_, title_, legend_, note_
        As in every `Display`.

    Examples
    --------
    >>> import clearbar as cb
    >>> card = cb.evaluate_counts(cb.Counts(tp=3, fp=3, fn=15, tn=10), ["f1", "mcc"])
    >>> display = cb.plots.ScorecardDisplay.from_scorecard(card)
    >>> display.finding
    'The model misses the F1 and MCC bars'
    """

    def __init__(
        self,
        models: Sequence[str],
        rows: Sequence[Row],
        *,
        title: str = "",
        finding: str = "",
        notes: Sequence[str] = (),
        left_out: int = 0,
    ) -> None:
        self.models, self.rows = tuple(models), tuple(rows)
        if not self.models or not self.rows:
            raise ValueError("models and rows must hold at least one model and one measure.")
        standing = [[row.standing[at] for row in self.rows] for at in range(len(self.models))]
        self.title, self.notes, self.left_out = title, tuple(notes), left_out
        self.finding = finding or of_models(
            self.models, [row.label for row in self.rows], standing, [row.loss for row in self.rows]
        )

    @classmethod
    def _read(
        cls, card: Any, models: list[int], group: int, standing: Any, alpha: float, order: Order
    ) -> dict[str, Any]:
        rows = [
            row_of(card, models, group, measure, standing[:, measure].tolist(), alpha)
            for measure in range(len(card.measures))
        ]
        return {"rows": rows, "notes": notes_on(card, rows, card.bar(0, group), alpha, order)}

    @property
    def description(self) -> str:
        """The figure in words."""
        parts = []
        for row in self.rows:
            scores = ", ".join(
                f"{visible(model)} {number(score, row.samples)} ({words_of(standing, loss=row.loss)})"
                for model, score, standing in zip(self.models, row.scores, row.standing, strict=True)
            )
            bar = "no bar" if math.isnan(row.bar) else f"bar {number(row.bar, row.samples)}"
            parts.append(f"{capital(row.label)}: {bar}; {scores}")
        where = f" in {self.title}" if self.title else ""
        return (
            f"{self.finding}. Scores of {plural(len(self.models), 'model')}{where} against their bars. "
            + ". ".join(parts)
        )

    @property
    def _height(self) -> float:
        return 1.75 + 0.165 * len(self.rows) * (len(self.models) + 1 + GAP)

    def _draw(self, canvas: Canvas) -> None:
        self.points_: dict[tuple[str, str], Any] = {}
        self.texts_: dict[tuple[str, str], Any] = {}
        self.shortfalls_: dict[tuple[str, str], Any] = {}
        self.spreads_: dict[tuple[str, str], Any] = {}
        self.whiskers_: dict[tuple[str, str], Any] = {}
        self.bars_: dict[str, Any] = {}
        self.bands_: dict[str, Any] = {}
        models, rows = self._that_fit(canvas)
        height = len(models) + 1 + GAP  # of a measure, in lines
        for top, row in zip(height * np.arange(len(rows)), rows, strict=True):
            self._draw_axis(canvas, row, top, len(models))
            self._draw_scores(canvas, row, models, top)
        left = self._frame(canvas, rows, models, height)
        self._label_bands(canvas, rows, height, left)
        outcomes = {row.standing[model] for row in rows for model in models}
        keys = outcome_keys(canvas, outcomes, loss=any(row.loss and not row.remark for row in rows))
        self.title_, self.legend_ = canvas.crown(self.finding, keys, lines=0.6, left=left)
        left_out = len(self.models) - len(models) + self.left_out, len(self.rows) - len(rows)
        self.note_ = canvas.note([*self._notes_that_fit(canvas), not_drawn(*left_out)], lines=2.3, left=left)

    def _notes_that_fit(self, canvas: Canvas) -> tuple[str, ...]:
        """Return the notes, or the first one where there is little room."""
        return self.notes[:1] if canvas.narrow else self.notes

    def _that_fit(self, canvas: Canvas) -> tuple[list[int], list[Row]]:
        """Return the models and measures for which there is room: all, or those with the worst verdicts."""
        high = canvas.ax.bbox.height / canvas.ax.figure.dpi * 72 / 0.77
        notes = canvas.fitted([*self._notes_that_fit(canvas), "."]).count("\n") + 1
        words = 2.6 * canvas.size + 1.3 * canvas.small * notes + 6.2 * canvas.small
        lines = (high - words) / (1.3 * canvas.small)
        return telling(self.rows, len(self.models), lines, 1 + GAP)

    def _draw_axis(self, canvas: Canvas, row: Row, top: float, models: int) -> None:
        """Draw a measure's axis with its ends in its own units, its band and its bar."""
        canvas.line([0, 1], [top + 0.95] * 2, canvas.muted, 0.6, zorder=1, solid_capstyle="butt")
        for x, text, side, step in ((0, row.ends[0], "right", -4), (1, row.ends[1], "left", 5)):
            canvas.aside(text, (x, top + 0.5), (step * canvas.unit, 0), ha=side, va="center")
        bottom = top + 1.0 + models
        if not math.isnan(row.reach):
            reach = float(row.place(row.reach))
            self.bands_[row.label] = draw_reach(canvas, 0.0, reach, (top, bottom))
        if row.remark:
            canvas.aside(row.remark, (0, top + 0.5), (3, 0), ha="left", va="center", zorder=6)
        if math.isnan(row.bar):
            return
        bar = float(row.place(row.bar))
        self.bars_[row.label] = tick_bar(canvas, bar, (top + 0.95, bottom))
        side = "right" if bar > 0.9 else "left" if bar < 0.1 else "center"
        text = f"bar {number(row.bar, row.samples)}"
        canvas.aside(text, (bar, top + 0.5), (0, 0), color=canvas.text, ha=side, va="center", zorder=6)

    def _draw_scores(self, canvas: Canvas, row: Row, models: Sequence[int], top: float) -> None:
        whiskers = self.spreads_ if row.spread else self.whiskers_
        kinds = self.points_, self.texts_, whiskers, self.shortfalls_
        for line, model in enumerate(models):
            score = row.scores[model]
            ends = row.intervals[model] if row.intervals else (math.nan, math.nan)
            if row.spread:
                ends = score - row.spread[model], score + row.spread[model]
            place, bar, low, high = map(float, row.place((score, row.bar, *ends)))
            words = number(score, row.samples)
            dot = Dot(top + 1.5 + line, place, row.standing[model], words, bar, (low, high))
            for artists, artist in zip(kinds, draw_dot(canvas, dot), strict=True):
                if artist is not None:
                    artists[self.models[model], row.label] = artist

    def _label_bands(self, canvas: Canvas, rows: Sequence[Row], height: float, left: float) -> None:
        """Say on the first band that has room for it what bands are."""
        wide = canvas.inside(left, 4.0 * canvas.small)
        self.band_label_ = None
        for at, row in enumerate(rows):
            if math.isnan(row.reach) or row.remark:
                continue
            bar = text_width(f"bar {number(row.bar, row.samples)}", canvas.small) / 2
            room = min(float(row.place(row.reach)) * wide, float(row.place(row.bar)) * wide - bar)
            words = reach_words(canvas, room)
            if words:
                place = 0.0, at * height + 0.5
                self.band_label_ = canvas.aside(words, place, (3, 0), ha="left", va="center", zorder=6)
                return

    def _frame(self, canvas: Canvas, rows: Sequence[Row], models: Sequence[int], height: float) -> float:
        """Label rows and axes; return how far left of the axes the labels begin."""
        several = len(self.models) > 1
        names = distinct([self.models[model] for model in models], NAME)
        labels, places = [], []
        for at, row in enumerate(rows):
            labels += [lines_of(row.label, NAME, 1), *names] if several else [row.label]
            first = at * height + (0.5 if several else 1.5)
            places += [first + line for line in range(len(models) + several)]
        ax = canvas.ax
        canvas.dress()
        title = lines_of(self.title, 60, 1)
        if title:
            ax.set_ylabel(title, fontsize=canvas.size)
        ax.set_xlim(0, 1)
        ax.set_ylim(len(rows) * height - GAP + 0.1, -0.15)
        ax.set_xticks([0, 1], ["worst\npossible", "best\npossible"], fontsize=canvas.small)
        ax.set_yticks(places, [plain(label, 200) for label in labels], fontsize=canvas.small)
        heads = ax.get_yticklabels()[:: len(places) // len(rows)]
        for text in heads:
            text.set_fontsize(canvas.size)
            text.set_fontweight("bold" if several else "normal")
        gutter = 7 * canvas.unit + max(text_width(row.ends[0], canvas.small) for row in rows)
        ax.tick_params(axis="y", length=0, pad=gutter)
        for side in ("left", "bottom"):
            ax.spines[side].set_visible(False)
        return gutter + max(widest(labels, canvas.small), widest([row.label for row in rows], canvas.size))
