"""The scale of shades beside confusion matrices, with accuracy and its bar on it."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.formatting import number
from clearbar.plots._canvas import Canvas
from clearbar.plots._heat import STEPS, scale, tinted
from clearbar.plots._marks import marker
from clearbar.verdict import Verdict


def draw_accuracy_scale(canvas: Canvas, accuracy: Verdict, standing: str, total: int) -> tuple[Any, Any]:
    """Draw the scale, and return a line at the bar and a mark at the model's accuracy."""
    bar, score = float(accuracy.baseline.value), accuracy.score
    side = min(canvas.ax.bbox.size) / canvas.ax.figure.dpi * 72 * 0.9  # points of height
    half = 1.15 * canvas.small / side  # of two lines
    places = apart(score, bar, half)
    free = {0.0: min(places) > 1.5 * half, 1.0: max(places) < 1 - 1.5 * half}
    ends = {end: f"{end:.0f}" if room else "" for end, room in free.items()}
    shades = tinted(canvas.muted, np.linspace(0.0, 1.0, STEPS))
    beside = scale(canvas, (1.07, 0.0, 0.07, 1.0), shades, ends)
    line = beside.ax.axhline(bar, color=canvas.text, lw=2.2 * canvas.unit)
    (point,) = beside.ax.plot([0.5], [score], clip_on=False, zorder=5, **marker(canvas, standing))
    for place, said, value in zip(places, ("right", "bar"), (score, bar), strict=True):
        beside.aside(
            f"{said}\n{number(value, total)}", (1.0, place), (4, 0), ha="left", va="center",
            color=canvas.text, linespacing=1.0,
        )  # fmt: skip
    return line, point


def apart(first: float, second: float, half: float) -> tuple[float, float]:
    """Return heights as near to two values as labels, each so much high to either side, do not overlap."""
    low, high = sorted((first, second))
    if high - low < 2 * half:
        middle = (low + high) / 2
        low, high = middle - half, middle + half
    low = min(max(low, half), 1 - 3 * half)
    high = min(max(high, low + 2 * half), 1 - half)
    return (high, low) if first >= second else (low, high)
