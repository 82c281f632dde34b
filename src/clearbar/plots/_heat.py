"""Tables whose cells are shaded, and the scale beside them that shows where the bar is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.plots._canvas import Canvas


def mixed(canvas: Canvas, shares: FloatArray, color: Any) -> FloatArray:
    """Return the colours between the background, for 0, and a colour, for 1."""
    from matplotlib.colors import to_rgb

    face, full = np.array(canvas.face[:3]), np.array(to_rgb(color))
    share = np.clip(np.nan_to_num(shares), 0.0, 1.0)[..., None]
    mixed_colors: FloatArray = face + share * (full - face)
    return mixed_colors


def ink_on(canvas: Canvas, color: FloatArray) -> Any:
    """Return which of the two inks, that of text and that of the background, is read on a colour."""

    def light(one: Any) -> float:
        linear = np.where(
            np.array(one[:3]) <= 0.04, np.array(one[:3]) / 12.9, ((np.array(one[:3]) + 0.055) / 1.055) ** 2.4
        )
        return float(linear @ (0.2126, 0.7152, 0.0722)) + 0.05

    def contrast(one: Any) -> float:
        pair = sorted((light(one), light(color)))
        return pair[1] / pair[0]

    return max((canvas.text, canvas.face), key=contrast)


def shaded(canvas: Canvas, colors: FloatArray, aspect: str) -> Any:
    """Draw a table of coloured cells with a thin gap between them."""
    ax = canvas.ax
    image = ax.imshow(colors, aspect=aspect, interpolation="nearest")
    rows, columns = colors.shape[:2]
    for line, count in ((ax.axhline, rows), (ax.axvline, columns)):
        for at in range(1, count) if count <= 40 else ():
            line(at - 0.5, color=canvas.face, lw=0.8 * canvas.unit, zorder=1.5)
    ax.grid(visible=False)
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)
    return image


def scale(
    canvas: Canvas, box: Sequence[float], colors: FloatArray, ends: tuple[float, float], names: Sequence[str]
) -> Canvas:
    """Draw a scale of shades beside a table: its own axes, from one number below to another above."""
    ax = canvas.ax.inset_axes(box)
    ax.imshow(colors[::-1, None], aspect="auto", extent=(0.0, 1.0, *ends))
    ax.set_xticks([])
    ax.yaxis.tick_right()
    ax.set_yticks(ends, names, fontsize=canvas.small)
    ax.tick_params(length=0)
    ax.grid(visible=False)
    for side in ax.spines.values():
        side.set_color(canvas.muted)
        side.set_linewidth(0.6 * canvas.unit)
    return canvas.beside(ax)
