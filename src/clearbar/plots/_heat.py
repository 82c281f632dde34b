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
from clearbar.plots._canvas import Canvas

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


def draw_cells(canvas: Canvas, tints: FloatArray, aspect: str) -> Any:
    """Draw a table of tinted cells, the first row above, with a thin gap between them."""
    from matplotlib.collections import PolyCollection

    ax, (rows, columns) = canvas.ax, tints.shape[:2]
    half = 0.485 if max(rows, columns) <= 40 else 0.5
    corners = np.array([(-half, -half), (half, -half), (half, half), (-half, half)])
    row, column = np.indices((rows, columns)).reshape(2, -1)
    cells = np.column_stack((column, row))[:, None, :] + corners
    drawn = PolyCollection(list(cells), facecolors=tints.reshape(-1, 4), edgecolors="none", linewidths=0.0)
    ax.add_collection(drawn, autolim=False)
    ax.set_xlim(-0.5, columns - 0.5)
    ax.set_ylim(rows - 0.5, -0.5)
    ax.set_aspect(aspect)
    ax.grid(visible=False)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return drawn


def draw_scale(
    canvas: Canvas, box: Sequence[float], tints: FloatArray, ticks: Mapping[float, str], where: Any = None
) -> Canvas:
    """Draw a scale of tints beside a table: its own axes, from its first tick to its last one.

    Its box is given in the units of a transform, or as shares of the table.
    """
    from matplotlib.collections import PolyCollection

    ax = canvas.ax.inset_axes(box, transform=where)
    heights = list(ticks)
    edges = np.linspace(heights[0], heights[-1], len(tints) + 1)
    strips = [[(0, low), (1, low), (1, high), (0, high)] for low, high in pairwise(edges.tolist())]
    drawn = PolyCollection(strips, facecolors=tints, edgecolors="none", linewidths=0.0)
    ax.add_collection(drawn, autolim=False)
    ax.set_xlim(0.0, 1.0)
    ax.set_ylim(heights[0], heights[-1])
    ax.set_facecolor("none")
    ax.set_xticks([])
    ax.yaxis.tick_right()
    ax.set_yticks(heights, list(ticks.values()), fontsize=canvas.small)
    ax.tick_params(length=0)
    ax.grid(visible=False)
    ax.spines[:].set(color=canvas.muted, linewidth=0.6 * canvas.unit)
    return canvas.beside(ax)
