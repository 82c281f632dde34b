"""Positions of labels that no line crosses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.plots._canvas import Canvas, text_width
from clearbar.plots._outcomes import CHANCE_BAND

Line = tuple[Any, Any]
"""The corners of a line: positions across and up."""

TRACED = 2_000
"""Points along a line, also between its corners."""

COLUMNS, ROWS = 25, 40
"""Positions across and up that are tried."""


def stairs(x: Any, y: Any) -> Line:
    """Return the corners of a curve that goes up or down first, then on."""
    return np.repeat(x, 2)[:-1], np.repeat(y, 2)[1:]


def is_freer_on_left(curves: Iterable[Line], height: float) -> bool:
    """Whether curves keep further off a height in the left quarter than in the right one."""
    nearest = [math.inf, math.inf]
    for curve in curves:
        x, y = _traced(*curve)
        share, distance = x / max(x[-1], 1e-300), np.abs(y - height)
        for quarter, inside in enumerate((share <= 0.25, share >= 0.75)):
            distances = distance[inside & ~np.isnan(distance)]
            nearest[quarter] = min(nearest[quarter], np.min(distances, initial=math.inf))
    return nearest[0] > nearest[1]


def label_band(
    canvas: Canvas, low: Line, high: Line, lines: Sequence[Line], *, along_diagonal: bool = False
) -> Any:
    """Write on a band what it is, where that has most room and crosses no line; None where it has none.

    The band is between two curves whose positions across ascend; words may run along the axes' diagonal.
    """
    (left, right), (bottom, top) = canvas.ax.get_xlim(), canvas.ax.get_ylim()
    width, height = (0.8 * float(side) / canvas.ax.figure.dpi * 72 for side in canvas.ax.bbox.size)
    angle = math.atan2(height, width) if along_diagonal else 0.0
    rotation = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])

    def points(x: Any, y: Any) -> FloatArray:
        """Return positions in points, turned so that the words run from left to right."""
        across, up = (np.asarray(x) - left) / (right - left), (np.asarray(y) - bottom) / (top - bottom)
        turned: FloatArray = rotation @ np.array((across * width, up * height))
        return turned

    position = _roomiest(
        points(*low), points(*high), [points(*_traced(*line)) for line in lines],
        0.55 * text_width(CHANCE_BAND, canvas.small), 0.9 * canvas.small,
    )  # fmt: skip
    if position is None:
        return None
    x, y = np.array(position) @ rotation / (width, height)
    options: dict[str, Any] = {}
    if along_diagonal:
        options = {"rotation": 45, "rotation_mode": "anchor", "transform_rotates_text": True}
    return canvas.ax.text(
        left + x * (right - left), bottom + y * (top - bottom), CHANCE_BAND, ha="center", va="center",
        color=canvas.muted, fontsize=canvas.small, zorder=2.5, **options,
    )  # fmt: skip


def _roomiest(
    low: FloatArray, high: FloatArray, lines: Sequence[FloatArray], half_width: float, half_height: float
) -> tuple[float, float] | None:
    """Return the middle of words of this size that have most room within a band."""
    low, high = (curve[:, np.isfinite(curve).all(axis=0)] for curve in (low, high))
    if not low.size or not high.size:
        return None
    first, last = max(low[0, 0], high[0, 0]) + half_width, min(low[0, -1], high[0, -1]) - half_width
    if first > last:
        return None
    across = np.linspace(first, last, COLUMNS)
    letters = across[:, None] + half_width * np.linspace(-1.0, 1.0, 9)
    floor = np.interp(letters, *low).max(axis=1)
    ceiling = np.interp(letters, *high).min(axis=1)
    heights = np.linspace(low[1].min() + half_height, high[1].max() - half_height, ROWS)
    room = np.minimum(heights - floor[:, None], ceiling[:, None] - heights) - half_height
    for x, y in lines:
        near = (abs(across[:, None] - x) < half_width)[:, None] & (abs(heights[:, None] - y) < half_height)
        room[near.any(axis=2)] = -1.0
    column, row = np.unravel_index(int(np.argmax(room)), room.shape)
    return (float(across[column]), float(heights[row])) if room[column, row] > 0 else None


def _traced(x: Any, y: Any) -> Line:
    """Return points along a line, also between its corners."""
    steps = np.linspace(0, len(x) - 1, TRACED)
    across, up = (np.interp(steps, np.arange(len(x)), side) for side in (x, y))
    return across, up
