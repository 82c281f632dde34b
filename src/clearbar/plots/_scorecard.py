"""A scorecard as a picture: each measure on its own axis, with the bar and what chance can reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from clearbar.core._typing import Undefined
from clearbar.evaluation import evaluate, evaluate_counts
from clearbar.formatting import distinct, number, plural, visible, width
from clearbar.plots._canvas import Canvas, Key, inches, lines_of
from clearbar.plots._display import Display
from clearbar.plots._marks import SAID, SHAPES, color_of, marker, outcome_keys
from clearbar.plots._rows import Row, rows_of
from clearbar.scorecard import Scorecard

LABEL = 21
"""Columns of the labels of rows."""

SHADE = 0.26
"""How dark the band is."""


class ScorecardDisplay(Display):
    """Each measure from worst to best possible, with its bar, what chance can reach, and the models.

    Every row is an axis of its own, in the measure's own units, its better end on the right, also for
    losses. A thick tick is the bar. The band is what chance can reach: what some classifier that ignores
    its input gets with a probability of 5 % or more. Whiskers are confidence intervals of the true
    scores, where there are at most 40. A score below its bar hangs on a thick line from it and is
    crossed on the left; one above it that could be chance is hollow.

    Parameters
    ----------
    models : sequence of str
        Names of the models, one per marker.
    rows : sequence of Row
        The measures.
    title : str
        What is judged, such as a slice; empty for all samples.
    notes : sequence of str
        What is to be said below.

    Raises
    ------
    ValueError
        If there is no model or no row.

    Attributes
    ----------
    ax_, figure_
        Axes and figure.
    points_ : dict of (str, str) to matplotlib.lines.Line2D
        The marker of each model and measure.
    bars_ : dict of str to matplotlib.lines.Line2D
        The tick of each measure that has a bar.
    bands_ : dict of str to matplotlib.patches.Rectangle
        What chance can reach.
    shortfalls_ : dict of (str, str) to matplotlib.lines.Line2D
        The line from the bar to a score that fails.
    crosses_ : dict of (str, str) to matplotlib.lines.Line2D
        The cross beside it.
    spreads_ : dict of (str, str) to matplotlib.lines.Line2D
        One standard deviation over runs to either side, where there are several.
    whiskers_ : dict of (str, str) to matplotlib.lines.Line2D
        The confidence interval of each score that has one.
    legend_, note_
        Legend and note; None where there is nothing to say.

    Examples
    --------
    >>> import clearbar as cb
    >>> card = cb.evaluate_counts(cb.Counts(tp=3, fp=3, fn=15, tn=10), ["f1", "mcc"])
    >>> display = cb.plots.ScorecardDisplay.from_scorecard(card)
    >>> sorted(measure for _, measure in display.shortfalls_)
    ['F1', 'MCC']
    """

    def __init__(
        self, models: Sequence[str], rows: Sequence[Row], *, title: str = "", notes: Sequence[str] = ()
    ) -> None:
        self.models, self.rows = tuple(models), tuple(rows)
        if not self.models or not self.rows:
            raise ValueError("models and rows must hold at least one model and one measure.")
        self.title, self.notes = title, tuple(notes)

    @classmethod
    def from_scorecard(
        cls, card: Scorecard, *, group: Any = None, most: int = 8, alpha: float | None = None, ax: Any = None
    ) -> ScorecardDisplay:
        """Draw a scorecard.

        Parameters
        ----------
        card : Scorecard
            What `clearbar.evaluate` and its kin return.
        group : object, optional
            A slice; by default all samples, or the first slice where there is no whole.
        most : int
            Models drawn at most, up to 10: those with the lowest mean skill.
        alpha : float
            The level at which a score is sure; by default that of the scorecard.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        ScorecardDisplay

        Raises
        ------
        ValueError
            If `card` is not a scorecard, or has no such slice; the message lists what there is.
        """
        return cls(**rows_of(card, group, most, alpha)).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        measures: Any = None,
        *,
        pos_label: Any = None,
        undefined: Undefined = "exclude",
        ax: Any = None,
    ) -> ScorecardDisplay:
        """Judge predictions and draw the scorecard; parameters as for `clearbar.evaluate`.

        Returns
        -------
        ScorecardDisplay
        """
        card = evaluate(y_true, y_pred, measures, pos_label=pos_label, undefined=undefined)
        return cls.from_scorecard(card, ax=ax)

    @classmethod
    def from_counts(
        cls, counts: Any, measures: Any = None, *, undefined: Undefined = "exclude", ax: Any = None
    ) -> ScorecardDisplay:
        """Judge counts and draw the scorecard; parameters as for `clearbar.evaluate_counts`.

        Returns
        -------
        ScorecardDisplay
        """
        return cls.from_scorecard(evaluate_counts(counts, measures, undefined=undefined), ax=ax)

    @property
    def description(self) -> str:
        """The figure in words."""
        parts = []
        for row in self.rows:
            scores = ", ".join(
                f"{visible(model)} {number(score, row.samples)} ({SAID[standing]})"
                for model, score, standing in zip(self.models, row.scores, row.standing, strict=True)
            )
            bar = "no bar" if math.isnan(row.bar) else f"bar {number(row.bar, row.samples)}"
            parts.append(f"{row.label}: {bar}; {scores}")
        where = f" in {self.title}" if self.title else ""
        return f"Scores of {plural(len(self.models), 'model')}{where} against their bars. " + ". ".join(parts)

    @property
    def _height(self) -> float:
        return 1.6 + len(self.rows) * (0.38 + 0.10 * len(self.models))

    def _draw(self, canvas: Canvas) -> None:
        self.points_: dict[tuple[str, str], Any] = {}
        self.shortfalls_: dict[tuple[str, str], Any] = {}
        self.crosses_: dict[tuple[str, str], Any] = {}
        self.spreads_: dict[tuple[str, str], Any] = {}
        self.whiskers_: dict[tuple[str, str], Any] = {}
        self.bars_: dict[str, Any] = {}
        self.bands_: dict[str, Any] = {}
        tight = self._tight(canvas)
        labels = [self._label(row, tight=tight) for row in self.rows]
        gutter = self._gutter(canvas)
        for y, row in enumerate(self.rows):
            self._draw_axis(canvas, row, y, tight=tight)
            self._draw_scores(canvas, row, y, gutter)
        self._frame(canvas, labels, gutter)
        longest = max(width(line) for label in labels for line in label.split("\n"))
        left = 0.56 * canvas.size * longest + gutter + 7 * canvas.unit
        self.legend_ = canvas.legend(self._keys(canvas, tight=tight), lines=0.6, left=left)
        self.note_ = canvas.note(self.notes, lines=2.3, left=left)

    def _tight(self, canvas: Canvas) -> bool:
        """Whether rows are too low for a number between them: it then stands beside the label."""
        keys = len(self.models) + 5 if inches(canvas.ax) < 4.5 else (len(self.models) + 5) / 2
        taken = (1.5 * keys + 4.0 * len(self.notes) + 5.0) * canvas.small
        whole = canvas.ax.bbox.height / canvas.ax.figure.dpi * 72 / 0.77
        return bool((whole - taken) / len(self.rows) < 2.8 * canvas.small)

    def _gutter(self, canvas: Canvas) -> float:
        """Return how many points left of the axes a failing score is crossed: beyond their ends."""
        return 10 * canvas.unit + 0.68 * canvas.small * max(width(row.ends[0]) for row in self.rows)

    def _draw_axis(self, canvas: Canvas, row: Row, y: float, *, tight: bool) -> None:
        """Draw a row's axis with its ends in the measure's own units, its band and its bar."""
        from matplotlib.patches import Rectangle

        canvas.line([0, 1], [y, y], canvas.muted, 0.6, zorder=1, solid_capstyle="butt")
        for x, text, side, step in ((0, row.ends[0], "right", -4), (1, row.ends[1], "left", 6)):
            canvas.aside(text, (x, y), (step * canvas.unit, 0), ha=side, va="center")
        if not math.isnan(row.reach):
            far = float(row.place(row.reach))
            patch = Rectangle((0, y - 0.34), far, 0.68, facecolor=canvas.muted, alpha=SHADE, lw=0, zorder=0.5)
            self.bands_[row.label] = canvas.ax.add_patch(patch)
        if math.isnan(row.bar):
            return
        bar = float(row.place(row.bar))
        self.bars_[row.label] = canvas.line(
            [bar, bar], [y - 0.36, y + 0.36], canvas.text, 2.2, zorder=3, solid_capstyle="butt"
        )
        if not tight:
            side = "right" if bar > 0.9 else "left" if bar < 0.1 else "center"
            text = number(row.bar, row.samples)
            canvas.aside(text, (bar, y - 0.36), (0, 0.8), color=canvas.text, ha=side, va="bottom")

    def _draw_scores(self, canvas: Canvas, row: Row, y: float, gutter: float) -> None:
        """Draw each model's score, a cross and a line from the bar where it fails, and how far it varies."""
        count = len(self.models)
        heights = y + (np.linspace(-0.24, 0.30, count) if count > 1 else np.zeros(1))
        around = [(score - sd, score + sd) for score, sd in zip(row.scores, row.spread, strict=False)]
        for drawn, stretches in ((self.spreads_, around), (self.whiskers_, row.intervals)):
            for name, height, ends in zip(self.models, heights, stretches, strict=False):
                if not math.isnan(ends[0]):
                    drawn[name, row.label] = canvas.line(
                        row.place(ends), [height] * 2, canvas.text, 1.0, zorder=4.5, solid_capstyle="butt"
                    )
        size = max(5.6, 8.6 - 0.8 * count)  # larger where there are few models
        for name, shape, height, score, standing in zip(
            self.models, SHAPES, heights, row.scores, row.standing, strict=False
        ):
            if math.isnan(score):
                continue
            key, place = (name, row.label), float(row.place(score))
            if standing == "fails":
                self._draw_shortfall(canvas, key, (float(row.place(row.bar)), place), height, gutter)
            (self.points_[key],) = canvas.ax.plot(
                [place], [height], clip_on=False, zorder=5, **marker(canvas, shape, standing, size)
            )

    def _draw_shortfall(
        self, canvas: Canvas, key: tuple[str, str], ends: tuple[float, float], y: float, gutter: float
    ) -> None:
        from matplotlib.transforms import ScaledTranslation

        color = color_of(canvas, "fails")
        self.shortfalls_[key] = canvas.line(ends, [y, y], color, 2.4, zorder=4, solid_capstyle="butt")
        aside = ScaledTranslation(-gutter / 72, 0.0, canvas.ax.figure.dpi_scale_trans)
        self.crosses_[key] = canvas.point(
            0.0, y, "x", 4.6, color=color, mew=1.7, transform=canvas.ax.get_yaxis_transform() + aside
        )

    def _label(self, row: Row, *, tight: bool) -> str:
        if row.remark and tight:  # the axis needs the room
            return f"{lines_of(row.label, LABEL, 1)} – {row.remark.replace('cannot be beaten', 'unbeatable')}"
        if row.remark:
            return f"{lines_of(row.label, LABEL, 1)}\n{row.remark}"
        if not tight or math.isnan(row.bar):
            return lines_of(row.label, LABEL)
        return f"{lines_of(row.label, LABEL, 1)} {number(row.bar, row.samples)}"

    def _frame(self, canvas: Canvas, labels: Sequence[str], gutter: float) -> None:
        ax = canvas.ax
        canvas.dress()
        title = lines_of(self.title, 60, 1)
        if title:
            ax.set_ylabel(title, fontsize=canvas.size)
        ax.set_xlim(0, 1)
        ax.set_ylim(len(self.rows) - 0.45, -0.62)
        ax.set_xticks([0, 1], ["worst\npossible", "best\npossible"], fontsize=canvas.small)
        ax.set_yticks(range(len(self.rows)), labels, fontsize=canvas.size)
        ax.tick_params(axis="y", length=0, pad=gutter + 7 * canvas.unit)
        for side in ("left", "bottom"):
            ax.spines[side].set_visible(False)

    def _keys(self, canvas: Canvas, *, tight: bool) -> list[Key]:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        keys: list[Key] = []
        if len(self.models) > 1:
            names = [name.replace("$", r"\$") for name in distinct(self.models, 24)]
            shapes = [Line2D([], [], **marker(canvas, shape, "")) for shape in SHAPES]
            keys += zip(shapes, names, strict=False)
        seen = {standing for row in self.rows for standing in row.standing} & {
            "clears", "doubt", "ties", "fails",
        }  # fmt: skip
        keys += outcome_keys(canvas, seen, linestyle="-", color=canvas.fails, linewidth=2.4 * canvas.unit)
        if self.bars_:
            keys.append((canvas.bar_tick(), "bar, its value beside the label" if tight else "bar"))
        if self.bands_:
            keys.append((Patch(facecolor=canvas.muted, alpha=SHADE, lw=0), "what chance can reach"))
        return keys
