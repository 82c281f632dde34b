"""Tables whose cells are tinted, and the scale beside them that shows where the bar is.

A tint is a colour and how opaque it is, so that it fits whatever page is behind, and text is read on it in
the page's ink. Cells are paths, since a page of a strict content security policy shows no embedded images.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.formatting import number
from clearbar.plots._canvas import Canvas
from clearbar.plots._marks import marker
from clearbar.verdict import Verdict

STRONGEST = 0.7
"""How opaque the strongest tint is: black is read on it on white, and white on black."""

STEPS = 32
"""Steps of a scale."""


def tinted(color: Any, shares: FloatArray) -> FloatArray:
    """Return a colour, red, green, blue and how opaque, for shares from 0, nothing, to 1, all of it."""
    from matplotlib.colors import to_rgb

    share = np.clip(np.nan_to_num(np.asarray(shares, dtype=np.float64)), 0.0, 1.0)
    tints = np.empty((*share.shape, 4))
    tints[..., :3], tints[..., 3] = to_rgb(color), STRONGEST * share
    return tints


def shaded(canvas: Canvas, tints: FloatArray, aspect: str) -> Any:
    """Draw a table of tinted cells, the first row above, with a thin gap between them."""
    from matplotlib.collections import PolyCollection

    ax, (rows, columns) = canvas.ax, tints.shape[:2]
    half = 0.485 if max(rows, columns) <= 40 else 0.5
    corners = np.array([(-half, -half), (half, -half), (half, half), (-half, half)])
    row, column = np.indices((rows, columns)).reshape(2, -1)
    places = np.column_stack((column, row))[:, None, :] + corners
    cells = PolyCollection(list(places), facecolors=tints.reshape(-1, 4), edgecolors="none", linewidths=0.0)
    ax.add_collection(cells, autolim=False)
    ax.set_xlim(-0.5, columns - 0.5)
    ax.set_ylim(rows - 0.5, -0.5)
    ax.set_aspect(aspect)
    ax.grid(visible=False)
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)
    return cells


def scale(
    canvas: Canvas, box: Sequence[float], tints: FloatArray, ticks: Mapping[float, str], where: Any = None
) -> Canvas:
    """Draw a scale of tints beside a table: its own axes, from its first tick to its last one.

    Its box is given in the units of a transform, or as shares of the table.
    """
    from matplotlib.collections import PolyCollection

    ax = canvas.ax.inset_axes(box, transform=where)
    places = list(ticks)
    edges = np.linspace(places[0], places[-1], len(tints) + 1)
    strips = [[(0, low), (1, low), (1, high), (0, high)] for low, high in pairwise(edges.tolist())]
    ax.add_collection(
        PolyCollection(strips, facecolors=tints, edgecolors="none", linewidths=0.0), autolim=False
    )
    ax.set_xlim(0.0, 1.0)
    ax.set_ylim(places[0], places[-1])
    ax.set_facecolor("none")
    ax.set_xticks([])
    ax.yaxis.tick_right()
    ax.set_yticks(places, list(ticks.values()), fontsize=canvas.small)
    ax.tick_params(length=0)
    ax.grid(visible=False)
    for side in ax.spines.values():
        side.set_color(canvas.muted)
        side.set_linewidth(0.6 * canvas.unit)
    return canvas.beside(ax)


def draw_accuracy_scale(canvas: Canvas, accuracy: Verdict, standing: str, total: int) -> tuple[Any, Any]:
    """Draw the scale, and return a line at the bar and a mark at the model's accuracy."""
    bar, score = float(accuracy.baseline.value), accuracy.score
    side = min(canvas.ax.bbox.size) / canvas.ax.figure.dpi * 72 * 0.9  # points of height
    half = 1.15 * canvas.small / side  # of two lines
    places = apart(score, bar, half)
    free = {0.0: min(places) > 1.5 * half, 1.0: max(places) < 1 - 1.5 * half}
    ends = {end: f"{end:.0f}" if room else "" for end, room in free.items()}
    shades = tinted(canvas.muted, np.linspace(0.0, 1.0, STEPS))
    bar_scale = scale(canvas, (1.07, 0.0, 0.07, 1.0), shades, ends)
    line = bar_scale.ax.axhline(bar, color=canvas.text, lw=2.2 * canvas.unit)
    (point,) = bar_scale.ax.plot([0.5], [score], clip_on=False, zorder=5, **marker(canvas, standing))
    for place, words, value in zip(places, ("right", "bar"), (score, bar), strict=True):
        bar_scale.aside(
            f"{words}\n{number(value, total)}", (1.0, place), (4, 0), ha="left", va="center",
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
