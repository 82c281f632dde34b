"""Rows of scores: name on the left, interval and bar in the middle, the number on the right."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from clearbar.formatting import plural
from clearbar.plots._canvas import Canvas, axis_label, text_width
from clearbar.plots._outcomes import CHANCE_BAND, JUDGED, marker, outcome_color


def first_and_last(models: int, most: int) -> list[int]:
    """Return so many models, half of them from either end: the best and the worst if they are in order."""
    return sorted({*range(most - most // 2), *range(models - most // 2, models)})


def worst_measures(outcomes: Sequence[Sequence[str]], most: int) -> list[int]:
    """Return the measures, of each of which the models' outcomes are given, with the worst outcomes."""
    badness = [sum(JUDGED.index(name) if name in JUDGED else -1 for name in names) for names in outcomes]
    return sorted(np.argsort(-np.array(badness), kind="stable")[:most].tolist())


def not_drawn(models: int, measures: int) -> str:
    """Say how many models and measures have no room; empty where all have."""
    counts = (models, "more model"), (measures, "more measure")
    left_out = [plural(count, words) for count, words in counts if count]
    return f"{' and '.join(left_out)} not drawn here." if left_out else ""


def frame_rows(
    canvas: Canvas, names: Sequence[str], measure: Any, shown: Sequence[Any], points: float, title: str = ""
) -> None:
    """Name the rows, and let an axis of so many points hold what is shown, its better end on the right."""
    values = np.concatenate([np.ravel(numbers) for numbers in shown])
    values = values[np.isfinite(values)]
    spread = float(np.ptp(values)) or max(abs(float(values[0])), 1.0) * 0.2
    low, high = float(values.min()) - 0.08 * spread, float(values.max()) + 0.06 * spread
    ax = canvas.ax
    canvas.style_axes(axis_label(measure), title)
    ax.set_xlim(*((high, low) if measure.greater_is_better is False else (low, high)))
    canvas.fit_ticks(points)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_yticks(range(len(names)), names, fontsize=canvas.size)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)


def draw_scores(canvas: Canvas, *columns: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Draw a score per row, given what `draw_score` takes; return points, texts, whiskers and shortfalls."""
    drawn = [draw_score(canvas, row, *values) for row, values in enumerate(zip(*columns, strict=True))]
    return [tuple(artist for artist in artists if artist is not None) for artists in zip(*drawn, strict=True)]


def draw_score(
    canvas: Canvas, y: float, x: float, outcome: str, text: str, bar: float, interval: tuple[float, float]
) -> tuple[Any, Any, Any, Any]:
    """Draw a score, what it is in figures right of the axes, its interval, and what it lacks to the bar.

    Returns None in place of what is nan.
    """
    written = canvas.annotate_right(text, y, 5 * canvas.unit, color=canvas.text)
    whisker = shortfall = None
    if math.isnan(x):
        return None, written, whisker, shortfall
    if not math.isnan(interval[0]):
        whisker = canvas.line(interval, [y, y], canvas.text, 1.0, zorder=4.5, solid_capstyle="butt")
    if outcome == "fails":
        color = outcome_color(canvas, "fails")
        shortfall = canvas.line([bar, x], [y, y], color, 2.4, zorder=4, solid_capstyle="butt")
    (point,) = canvas.ax.plot([x], [y], clip_on=False, zorder=5, **marker(canvas, outcome))
    return point, written, whisker, shortfall


def draw_band(canvas: Canvas, worst: float, limit: float, heights: tuple[float, float]) -> Any:
    """Shade in a row what chance can reach: from the worst score to its limit."""
    from matplotlib.patches import Rectangle

    size = limit - worst, heights[1] - heights[0]
    style = {"facecolor": canvas.muted, "alpha": canvas.shade, "lw": 0, "zorder": 0.5}
    return canvas.ax.add_patch(Rectangle((worst, heights[0]), *size, **style))


def band_words(canvas: Canvas, points: float) -> str:
    """Return what a band is called in so many points; empty where that has no room."""
    fitting = (words for words in (CHANCE_BAND, "chance") if text_width(words, canvas.small) <= points - 6.0)
    return next(fitting, "")


def label_band_above(canvas: Canvas, points: float, x: float) -> Any:
    """Write above the axes, where bands begin, what they are; None where that has no room."""
    words = band_words(canvas, points)
    return canvas.annotate_above(words, x, 3, zorder=6) if words else None


def tick_bar(canvas: Canvas, x: float, heights: tuple[float, float]) -> Any:
    return canvas.line([x, x], heights, canvas.text, 2.2, zorder=3, solid_capstyle="butt")
