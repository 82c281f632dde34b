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
    for lane, area in enumerate(areas, start=1):
        beside: dict[str, Any] = {"transform": canvas.right_of(lane * LANE * canvas.size), "clip_on": False}
        wide = LANE * canvas.size
        canvas.ax.plot([1], [bar], "_", ms=wide, color=canvas.text, mew=2.0 * canvas.unit, zorder=3, **beside)
        if not math.isnan(area.interval[0]):
            color = color_of(canvas, area.standing)
            whiskers.append(canvas.line([1, 1], area.interval, color, 1.6, zorder=4, **beside))
        points += canvas.ax.plot([1], [area.height], zorder=5, **beside, **marker(canvas, area.standing))
    middle = 0.5 * (len(areas) + 1) * LANE * canvas.size
    canvas.aside(
        label.replace(" ", "\n"), (1.0, 0.0), (middle, -3.5 - 0.4 * canvas.size), xycoords="axes fraction",
        ha="center", va="top", color=canvas.text, linespacing=1.1,
    )  # fmt: skip
    return points, whiskers
