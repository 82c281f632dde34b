"""A scorecard as a picture: each measure on its own axis, with the bar and what chance can reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from clearbar.core._typing import Undefined
from clearbar.evaluation import evaluate, evaluate_counts
from clearbar.formatting import distinct, number, plural, visible, width
from clearbar.plots._canvas import (
    Ink,
    dress,
    inches,
    ink_of,
    legend_above,
    lines_of,
    literal,
    new_axes,
    note_below,
)
from clearbar.plots._display import Display
from clearbar.plots._marks import SAID, SHAPES, color_of, marker
from clearbar.plots._rows import Row, rows_of
from clearbar.scorecard import Scorecard

LABEL = 21
"""Columns of the labels of rows."""

SHADE = 0.26


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

    def plot(self, ax: Any = None) -> ScorecardDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        ScorecardDisplay
            Itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        tall = 1.6 + len(self.rows) * (0.38 + 0.10 * len(self.models))
        ax = new_axes(ax, "ScorecardDisplay.plot", tall)
        self.points_: dict[tuple[str, str], Any] = {}
        self.shortfalls_: dict[tuple[str, str], Any] = {}
        self.crosses_: dict[tuple[str, str], Any] = {}
        self.spreads_: dict[tuple[str, str], Any] = {}
        self.whiskers_: dict[tuple[str, str], Any] = {}
        self.bars_: dict[str, Any] = {}
        self.bands_: dict[str, Any] = {}
        with literal():
            ink = ink_of(ax)
            tight = self._tight(ax, ink)
            for at, row in enumerate(self.rows):
                self._row(ax, ink, row, float(at))
                if not tight and not math.isnan(row.bar):
                    self._bar_above(ax, ink, row, float(at))
            self._frame(ax, ink, tight=tight)
            left = self._label_width(ink, tight=tight)
            self.legend_ = legend_above(ax, ink, *self._legend(ink, tight=tight), lines=0.6, left=left)
            self.note_ = note_below(ax, ink, self.notes, lines=2.3, left=left)
        self._drawn(ax)
        return self

    def _label_width(self, ink: Ink, *, tight: bool) -> float:
        """Return how many points lie left of the axis: labels of the rows, the gutter."""
        labels = [line for row in self.rows for line in self._label(row, tight=tight).split("\n")]
        longest = max(map(width, labels), default=0)
        return 0.56 * ink.size * longest + self._gutter(ink) + 7 * ink.unit

    def _gutter(self, ink: Ink) -> float:
        """Return how many points left of the axes a failing score is crossed: beyond their ends."""
        return 10 * ink.unit + 0.68 * ink.small * max(width(row.ends[0]) for row in self.rows)

    @property
    def _size(self) -> float:
        """Points of a marker: larger where there are few models."""
        return max(5.6, 8.6 - 0.8 * len(self.models))

    def _offsets(self) -> Any:
        count = len(self.models)
        return np.linspace(-0.24, 0.30, count) if count > 1 else np.array([0.0])

    def _row(self, ax: Any, ink: Ink, row: Row, y: float) -> None:
        from matplotlib.patches import Rectangle

        ax.plot([0, 1], [y, y], color=ink.muted, lw=0.6 * ink.unit, zorder=1, solid_capstyle="butt")
        self._ends(ax, ink, row, y)
        if not math.isnan(row.reach):
            far = float(row.place(row.reach))
            patch = Rectangle((0, y - 0.34), far, 0.68, facecolor=ink.muted, alpha=SHADE, lw=0, zorder=0.5)
            self.bands_[row.label] = ax.add_patch(patch)
        if not math.isnan(row.bar):
            place = float(row.place(row.bar))
            (self.bars_[row.label],) = ax.plot(
                [place, place], [y - 0.36, y + 0.36], color=ink.text, lw=2.2 * ink.unit, zorder=3,
                solid_capstyle="butt",
            )  # fmt: skip
        around = [(score - sd, score + sd) for score, sd in zip(row.scores, row.spread, strict=False)]
        for drawn, stretches in ((self.spreads_, around), (self.whiskers_, row.intervals)):
            for at, ends in enumerate(stretches):
                if not math.isnan(ends[0]):
                    height = y + float(self._offsets()[at])
                    drawn[self.models[at], row.label] = ax.plot(
                        row.place(ends), [height, height], color=ink.text, lw=1.0 * ink.unit, zorder=4.5,
                        solid_capstyle="butt",
                    )[0]  # fmt: skip
        for name, shape, offset, score, standing in zip(
            self.models, SHAPES, self._offsets(), row.scores, row.standing, strict=False
        ):
            self._point(ax, ink, row, (name, row.label), (shape, y + float(offset), score, standing))

    def _point(self, ax: Any, ink: Ink, row: Row, key: tuple[str, str], what: tuple[Any, ...]) -> None:
        from matplotlib.transforms import ScaledTranslation

        shape, y, score, standing = what
        if math.isnan(score):
            return
        color = color_of(ink, standing)
        place = float(row.place(score))
        if standing == "fails":
            (line,) = ax.plot(
                [float(row.place(row.bar)), place], [y, y], color=color, lw=2.4 * ink.unit, zorder=4,
                solid_capstyle="butt",
            )  # fmt: skip
            self.shortfalls_[key] = line
            aside = ScaledTranslation(-self._gutter(ink) / 72, 0.0, ax.figure.dpi_scale_trans)
            (self.crosses_[key],) = ax.plot(
                [0.0], [y], "x", color=color, ms=4.6 * ink.unit, mew=1.7 * ink.unit, clip_on=False,
                transform=ax.get_yaxis_transform() + aside,
            )  # fmt: skip
        (self.points_[key],) = ax.plot(
            [place],
            [y],
            linestyle="none",
            clip_on=False,
            zorder=5,
            **marker(ink, shape, standing, self._size),
        )

    def _ends(self, ax: Any, ink: Ink, row: Row, y: float) -> None:
        """Write the ends of the axis in the measure's own units."""
        near = {"fontsize": ink.small, "color": ink.muted, "va": "center", "annotation_clip": False}
        for x, text, side, step in ((0, row.ends[0], "right", -4), (1, row.ends[1], "left", 6)):
            ax.annotate(text, (x, y), (step * ink.unit, 0), textcoords="offset points", ha=side, **near)

    def _bar_above(self, ax: Any, ink: Ink, row: Row, y: float) -> None:
        place = float(row.place(row.bar))
        side = "right" if place > 0.9 else "left" if place < 0.1 else "center"
        ax.annotate(
            number(row.bar, row.samples), (place, y - 0.36), (0, 0.8), textcoords="offset points",
            ha=side, va="bottom", fontsize=ink.small, color=ink.text, annotation_clip=False,
        )  # fmt: skip

    def _tight(self, ax: Any, ink: Ink) -> bool:
        """Whether rows are too low for a number between them: it then stands beside the label."""
        keys = len(self.models) + 5 if inches(ax) < 4.5 else (len(self.models) + 5) / 2
        taken = (1.5 * keys + 4.0 * len(self.notes) + 5.0) * ink.small
        whole = ax.bbox.height / ax.figure.dpi * 72 / 0.77
        return bool((whole - taken) / max(len(self.rows), 1) < 2.8 * ink.small)

    def _label(self, row: Row, *, tight: bool) -> str:
        if row.remark and tight:  # the axis needs the room
            return f"{lines_of(row.label, LABEL, 1)} – {row.remark.replace('cannot be beaten', 'unbeatable')}"
        if row.remark:
            return f"{lines_of(row.label, LABEL, 1)}\n{row.remark}"
        if not tight or math.isnan(row.bar):
            return lines_of(row.label, LABEL)
        return f"{lines_of(row.label, LABEL, 1)} {number(row.bar, row.samples)}"

    def _frame(self, ax: Any, ink: Ink, *, tight: bool) -> None:
        dress(ax, ink)
        title = lines_of(self.title, 60, 1)
        if title:
            ax.set_ylabel(title, fontsize=ink.size)
        ax.set_xlim(0, 1)
        ax.set_ylim(len(self.rows) - 0.45, -0.62)
        ax.set_xticks([0, 1], ["worst\npossible", "best\npossible"], fontsize=ink.small)
        labels = [self._label(row, tight=tight) for row in self.rows]
        ax.set_yticks(range(len(self.rows)), labels, fontsize=ink.size)
        ax.tick_params(axis="y", length=0, pad=self._gutter(ink) + 7 * ink.unit)
        for side in ("left", "bottom"):
            ax.spines[side].set_visible(False)

    def _legend(self, ink: Ink, *, tight: bool) -> tuple[list[Any], list[str]]:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        names = [name.replace("$", r"\$") for name in distinct(self.models, 24)]
        handles: list[Any] = []
        labels: list[str] = []
        if len(names) > 1:
            shapes = zip(SHAPES, names, strict=False)
            for shape, name in shapes:
                handles.append(Line2D([], [], ls="none", **marker(ink, shape, "")))
                labels.append(name)
        seen = {standing for row in self.rows for standing in row.standing}
        for standing in ("clears", "doubt", "ties", "fails"):
            if standing in seen:
                color = color_of(ink, standing)
                line = {"ls": "-", "lw": 2.4 * ink.unit} if standing == "fails" else {"ls": "none"}
                handles.append(Line2D([], [], color=color, **line, **marker(ink, "o", standing)))
                labels.append(SAID[standing])
        if self.bars_:
            handles.append(
                Line2D([], [], color=ink.text, marker="|", ls="none", ms=9 * ink.unit, mew=2.2 * ink.unit)
            )
            labels.append("bar, its value beside the label" if tight else "bar")
        if self.bands_:
            handles.append(Patch(facecolor=ink.muted, alpha=SHADE, lw=0))
            labels.append("what chance can reach")
        return handles, labels
