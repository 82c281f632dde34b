"""Where words stand that no line crosses."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.plots._canvas import Canvas
from clearbar.plots._marks import REACH
from clearbar.plots._text import text_width

Line = tuple[Any, Any]
"""Places across and up of the corners of a line."""

TRACED = 2_000
"""Places along a line, also between its corners."""

COLUMNS, ROWS = 25, 40
"""Places across and up that are tried."""


def stairs(x: Any, y: Any) -> Line:
    """Return the corners of a curve that goes up or down first, then on."""
    return np.repeat(x, 2)[:-1], np.repeat(y, 2)[1:]


def freer_on_the_left(curves: Iterable[Line], height: float) -> bool:
    """Whether curves keep further off a height in the left quarter than in the right one."""
    nearest = [math.inf, math.inf]
    for x, y in itertools.starmap(_traced, curves):
        share, off = x / max(x[-1], 1e-300), np.abs(y - height)
        for side, inside in enumerate((share <= 0.25, share >= 0.75)):
            nearest[side] = min(nearest[side], np.nanmin(off[inside & ~np.isnan(off)], initial=math.inf))
    return nearest[0] > nearest[1]


def label_band(
    canvas: Canvas, low: Line, high: Line, lines: Sequence[Line], *, along_diagonal: bool = False
) -> Any:
    """Write on a band what it is, where that has most room and crosses no line; None where it has none.

    The band is between two curves of ascending places across; words may run along the diagonal of the axes.
    """
    (left, right), (bottom, top) = canvas.ax.get_xlim(), canvas.ax.get_ylim()
    wide, tall = (0.8 * float(side) / canvas.ax.figure.dpi * 72 for side in canvas.ax.bbox.size)
    angle = math.atan2(tall, wide) if along_diagonal else 0.0
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])

    def points(x: Any, y: Any) -> FloatArray:
        """Return places in points, turned so that the words run from left to right."""
        scaled = (
            (np.asarray(x) - left) / (right - left) * wide,
            (np.asarray(y) - bottom) / (top - bottom) * tall,
        )
        turned: FloatArray = turn @ np.array(scaled)
        return turned

    place = _free(
        points(*low), points(*high), [points(*_traced(*line)) for line in lines],
        0.55 * text_width(REACH, canvas.small), 0.9 * canvas.small,
    )  # fmt: skip
    if place is None:
        return None
    x, y = np.array(place) @ turn / (wide, tall)
    options: dict[str, Any] = {}
    if along_diagonal:
        options = {"rotation": 45, "rotation_mode": "anchor", "transform_rotates_text": True}
    return canvas.ax.text(
        left + x * (right - left), bottom + y * (top - bottom), REACH, ha="center", va="center",
        color=canvas.muted, fontsize=canvas.small, zorder=2.5, **options,
    )  # fmt: skip


def _free(
    low: FloatArray, high: FloatArray, lines: Sequence[FloatArray], half: float, up: float
) -> tuple[float, float] | None:
    """Return the middle of words, so wide and high to either side, that have most room within a band."""
    low, high = (curve[:, np.isfinite(curve).all(axis=0)] for curve in (low, high))
    if not low.size or not high.size:
        return None
    first, last = max(low[0, 0], high[0, 0]) + half, min(low[0, -1], high[0, -1]) - half
    if first > last:
        return None
    across = np.linspace(first, last, COLUMNS)
    letters = across[:, None] + half * np.linspace(-1.0, 1.0, 9)
    floor = np.interp(letters, *low).max(axis=1)
    ceiling = np.interp(letters, *high).min(axis=1)
    heights = np.linspace(low[1].min() + up, high[1].max() - up, ROWS)
    room = np.minimum(heights - floor[:, None], ceiling[:, None] - heights) - up
    for x, y in lines:
        crossed = (abs(across[:, None] - x) < half)[:, None] & (abs(heights[:, None] - y) < up)
        room[crossed.any(axis=2)] = -1.0
    column, row = np.unravel_index(int(np.argmax(room)), room.shape)
    return (float(across[column]), float(heights[row])) if room[column, row] > 0 else None


def _traced(x: Any, y: Any) -> Line:
    """Return places along a line through points, also between these."""
    at = np.linspace(0, len(x) - 1, TRACED)
    across, up = (np.interp(at, np.arange(len(side)), side) for side in (x, y))
    return across, up
