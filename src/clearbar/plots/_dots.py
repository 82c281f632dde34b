"""Scores as dots in rows: name on the left, interval and bar in the middle, the number on the right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from clearbar.plots._canvas import Canvas
from clearbar.plots._marks import REACH, color_of, marker
from clearbar.plots._text import axis_label, text_width


@dataclass(frozen=True)
class Dot:
    """One score in its row; places are in the units of the horizontal axis."""

    y: float
    x: float  # nan where there is no score
    standing: str
    number: str  # the score in figures
    bar: float  # nan where there is none
    interval: tuple[float, float] = (math.nan, math.nan)


class Drawn(NamedTuple):
    """What is drawn of one score; None where it has no such thing."""

    point: Any
    text: Any
    whisker: Any
    shortfall: Any


def frame_rows(
    canvas: Canvas, names: Sequence[str], measure: Any, shown: Sequence[Any], room: float, title: str = ""
) -> None:
    """Name the rows, and let an axis of so many points hold what is shown, its better end on the right."""
    values = np.concatenate([np.ravel(part) for part in shown])
    values = values[np.isfinite(values)]
    spread = float(np.ptp(values)) or max(abs(float(values[0])), 1.0) * 0.2
    low, high = float(values.min()) - 0.08 * spread, float(values.max()) + 0.06 * spread
    ax = canvas.ax
    canvas.dress(axis_label(measure), title)
    ax.set_xlim(*((high, low) if measure.greater_is_better is False else (low, high)))
    canvas.ticks_that_fit(room)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_yticks(range(len(names)), names, fontsize=canvas.size)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)


def draw_dots(canvas: Canvas, dots: Sequence[Dot]) -> list[tuple[Any, ...]]:
    """Draw scores in rows; return points, texts, whiskers and shortfalls, as many as there are of each."""
    drawn = [draw_dot(canvas, dot) for dot in dots]
    return [tuple(artist for artist in artists if artist is not None) for artists in zip(*drawn, strict=True)]


def draw_dot(canvas: Canvas, dot: Dot) -> Drawn:
    """Draw a score, its interval, what it lacks to the bar, and its number right of the axes."""
    text = canvas.right_of(dot.number, dot.y, 5 * canvas.unit, color=canvas.text)
    if math.isnan(dot.x):
        return Drawn(None, text, None, None)
    whisker = shortfall = None
    level = [dot.y, dot.y]
    if not math.isnan(dot.interval[0]):
        whisker = canvas.line(dot.interval, level, canvas.text, 1.0, zorder=4.5, solid_capstyle="butt")
    if dot.standing == "fails":
        color = color_of(canvas, "fails")
        shortfall = canvas.line([dot.bar, dot.x], level, color, 2.4, zorder=4, solid_capstyle="butt")
    marks = marker(canvas, dot.standing)
    (point,) = canvas.ax.plot([dot.x], level[:1], clip_on=False, zorder=5, **marks)
    return Drawn(point, text, whisker, shortfall)


def draw_reach(canvas: Canvas, worst: float, reach: float, ends: tuple[float, float]) -> Any:
    """Shade what chance can reach in a row that goes from one height to another."""
    from matplotlib.patches import Rectangle

    low, high = ends
    return canvas.ax.add_patch(
        Rectangle(
            (worst, low),
            reach - worst,
            high - low,
            facecolor=canvas.muted,
            alpha=canvas.shade,
            lw=0,
            zorder=0.5,
        )
    )


def reach_words(canvas: Canvas, room: float) -> str:
    """Return what a band is called in so many points; empty where that has no room."""
    for words in (REACH, "chance"):
        if text_width(words, canvas.small) <= room - 6.0:
            return words
    return ""


def label_reach(canvas: Canvas, room: float, x: float) -> Any:
    """Write above the axes, where bands begin, what they are; None where that has no room."""
    words = reach_words(canvas, room)
    return canvas.above(words, x, 3, zorder=6) if words else None


def tick_bar(canvas: Canvas, x: float, ends: tuple[float, float]) -> Any:
    """Draw a bar across its row."""
    return canvas.line([x, x], ends, canvas.text, 2.2, zorder=3, solid_capstyle="butt")
