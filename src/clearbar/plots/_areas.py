"""Areas under curves, marked right of the axes: an area over a width of one is the curve's mean height."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from clearbar.plots._canvas import Canvas
from clearbar.plots._marks import color_of, marker

LANE = 1.5
"""Sizes of text between two areas."""


@dataclass(frozen=True)
class Area:
    """One model's area."""

    height: float
    interval: tuple[float, float]  # nan where it is not known
    standing: str


def draw_areas(canvas: Canvas, areas: Sequence[Area], bar: float, label: str) -> tuple[list[Any], list[Any]]:
    """Mark areas, their intervals and their bar, a lane for each model; return points and whiskers."""
    points, whiskers = [], []
    beside: dict[str, Any] = {"transform": canvas.margin(canvas.ax.transData), "clip_on": False}
    ends = [_right(canvas, 0.5), _right(canvas, len(areas) + 0.5)]
    canvas.line(ends, [bar, bar], canvas.text, 2.2, zorder=3, solid_capstyle="butt", **beside)
    for lane, area in enumerate(areas, start=1):
        x = _right(canvas, lane)
        if not math.isnan(area.interval[0]):
            color = color_of(canvas, area.standing)
            whiskers.append(canvas.line([x, x], area.interval, color, 1.6, zorder=4, **beside))
        points += canvas.ax.plot([x], [area.height], zorder=5, **beside, **marker(canvas, area.standing))
    canvas.aside(
        label.replace(" ", "\n"), (1.0, 0.0), (1.2 * canvas.small, -3.5), xycoords="axes fraction",
        ha="left", va="top", color=canvas.text, linespacing=1.1,
    )  # fmt: skip
    return points, whiskers


def _right(canvas: Canvas, lane: float) -> float:
    """Return how many inches right of the axes a lane is."""
    return (0.6 + LANE * lane) * canvas.size / 72
