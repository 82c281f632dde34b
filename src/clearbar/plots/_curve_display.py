"""What ROC and precision–recall curves share: models' verdicts, their lines, and their areas."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.data.scores import counts_at_thresholds
from clearbar.evaluation import evaluate_scores
from clearbar.formatting import capital, distinct, number, plural, visible, whole_percent
from clearbar.plots._canvas import Canvas, Key
from clearbar.plots._display import Display
from clearbar.plots._findings import of_models, of_score
from clearbar.plots._marks import REACH, color_of, marker, outcome_keys
from clearbar.plots._text import plain
from clearbar.plots._thresholds import thinned
from clearbar.scorecard import Scorecard, standing

LANE = 1.5
"""Sizes of text between two areas right of the axes."""

CROWDED = 3
"""Models beyond which a column of a paper has no room for areas, and no corner for names."""

STYLES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 3)))
"""Lines that are told apart without colour; one per model."""


@dataclass(frozen=True)
class Curve:
    """The points of one model's curve, from the highest threshold down."""

    model: str
    x: FloatArray
    y: FloatArray
    thresholds: int  # how many tell samples apart: 1 where all scores are equal


class CurveDisplay(Display):
    """What both curves share: the models' verdicts, the band of random rankings, the bar."""

    _height = 4.4
    _judged_by: str
    _axes_called: tuple[str, str]
    points_: tuple[Any, ...]
    whiskers_: tuple[Any, ...]

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
        samples = f"{plural(self.total, 'sample')}, {self.positives:,} positive"
        return (
            f"{self.finding}. {capital(up)} against {across} at every threshold, over what random rankings "
            f"of {samples}, reach. {capital(label)}: {bar}; {scores}."
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
        self.band_ = self.bar_ = self.expected_ = self.band_label_ = self.legend_ = None
        self.points_, self.whiskers_ = (), ()
        canvas.dress(*self._axes_called)
        canvas.ax.set_xlim(-0.01, 1.01)
        canvas.ax.set_ylim(-0.01, 1.02)
        if not math.isnan(self.bar):
            self._blind(canvas)
        self.lines_ = tuple(self._line(canvas, at) for at in range(len(self.curves)))
        keys = outcome_keys(canvas, set(self.standing)) if len(self.curves) > 1 else []
        if self.expected_ is not None:
            keys.append((self.expected_, "random ranking, expected"))
        if self.band_ is not None and self.band_label_ is None:
            keys.append((self.band_, REACH))
        models: list[Key] = []
        if self._why_empty:
            canvas.say(self._why_empty)
        else:
            self._draw_areas(canvas)
            models = list(zip(self.lines_, self._scores(canvas), strict=True))
        above = self._crowded(canvas) and self._corner == "best"  # then curves leave no corner free
        lines = canvas.height_of(models) + 1.5 if above else 0.0  # one of them is the legend's title
        self.title_, outcomes = canvas.crown(self.finding, keys, lines=lines)
        if models:
            self.legend_ = canvas.legend(models) if above else self._legend_inside(canvas, models)
            self.legend_.set_title(plain(self.card.measures[0].label), prop={"size": canvas.small})
            self.legend_.get_title().set_color(canvas.text)
            self.legend_.set_alignment("left")
            if outcomes is not None:
                canvas.ax.add_artist(outcomes)
        self.note_ = canvas.note([" ".join(self._about())])

    def _crowded(self, canvas: Canvas) -> bool:
        return canvas.narrow and len(self.curves) > CROWDED

    def _about(self) -> list[str]:
        """Say what is seen."""
        about = [f"{plural(self.total, 'sample')}, {self.positives:,} positive."]
        if not math.isnan(self.bar):
            about.append("Grey: what 90 of 100 random rankings reach at each number predicted positive.")
        if self.points_:
            level = whole_percent(self.card.confidence_level)
            interval = f" with its {level} interval" if self.whiskers_ else ""
            order = ", in the order of the legend" if len(self.curves) > 1 else ""
            about.append(f"On the right: {self.card.measures[0].label}{interval}{order}.")
        return about

    def _line(self, canvas: Canvas, at: int) -> Any:
        curve, options = self.curves[at], self._drawn
        color = color_of(canvas, self.standing[at])
        x, y = thinned(curve.x, curve.y)
        return canvas.line(x, y, color, 2.0, ls=STYLES[at], zorder=4, **options)

    @property
    def _drawn(self) -> dict[str, Any]:
        return {}

    def _draw_areas(self, canvas: Canvas) -> None:
        """Mark right of the axes how large the areas are: over a width of one, an area is a mean height.

        Only a layout makes room on a figure of the user's, where another picture may stand there.
        """
        if canvas.ax.figure.get_layout_engine() is None or self._crowded(canvas):
            return
        beside: dict[str, Any] = {"transform": canvas.margin(canvas.ax.transData), "clip_on": False}
        lanes = (0.6 + LANE * np.arange(0.5, len(self.curves) + 1, 0.5)) * canvas.size / 72
        canvas.line(
            lanes[[0, -1]], [self.bar] * 2, canvas.text, 2.2, zorder=3, solid_capstyle="butt", **beside
        )
        points, whiskers = [], []
        for at, (x, row, outcome) in enumerate(zip(lanes[1::2], self.card, self.standing, strict=True)):
            interval = self.card.interval(at, 0, 0)
            if not math.isnan(interval[0]):
                color = color_of(canvas, outcome)
                whiskers.append(canvas.line([x, x], interval, color, 1.6, zorder=4, **beside))
            points += canvas.ax.plot([x], [row.score], zorder=5, **beside, **marker(canvas, outcome))
        self.points_, self.whiskers_ = tuple(points), tuple(whiskers)
        canvas.aside(
            visible(self.card.measures[0].label).replace(" ", "\n"), (1.0, 0.0), (1.2 * canvas.small, -3.5),
            xycoords="axes fraction", ha="left", va="top", color=canvas.text, linespacing=1.1,
        )  # fmt: skip

    def _scores(self, canvas: Canvas) -> list[str]:
        """Return the models' names, scores and, where there is room, intervals."""
        names = ["model"] if self.card.models == ("model",) else distinct(self.card.models, 24)
        scores = []
        for at, (name, row) in enumerate(zip(names, self.card, strict=True)):
            low, high = self.card.interval(at, 0, 0)
            between = f" ({number(low, self.total)} – {number(high, self.total)})"
            room = not math.isnan(low) and not canvas.narrow
            scores.append(f"{plain(name, 200)} {number(row.score, self.total)}{between if room else ''}")
        return scores

    def _legend_inside(self, canvas: Canvas, models: Sequence[Key]) -> Any:
        """Write the models' scores beside their lines, in a corner that curves leave free."""
        legend = canvas.ax.legend(
            self.lines_, ["·"] * len(models), loc=self._corner, fontsize=canvas.small, handlelength=2.4,
            borderaxespad=0.3, framealpha=0.85, edgecolor="none", facecolor=canvas.face, labelspacing=0.3,
        )  # fmt: skip
        canvas.label(legend, models)
        return legend

    _corner = "lower right"

    def _blind(self, canvas: Canvas) -> None:
        raise NotImplementedError
