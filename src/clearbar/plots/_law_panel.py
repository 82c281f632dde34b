"""A distribution on axes: its atoms or bins, the tail, and what lies beyond the axis."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from clearbar.plots._canvas import Canvas
from clearbar.plots._laws import Law

HATCH = "/////"
"""How a tail is hatched."""


def draw_law(canvas: Canvas, law: Law, *, in_tail: bool) -> Any:
    """Draw what lies in the tail, or outside of it: stems, or bins of many atoms."""
    from matplotlib.collections import LineCollection, PolyCollection

    where = law.in_tail if in_tail else ~law.in_tail
    color = canvas.text if in_tail else canvas.muted
    bars = list(zip(law.left[where], law.right[where], law.probability[where], strict=True))
    drawn: Any
    if law.binned:
        corners = [[(a, 0.0), (a, p), (b, p), (b, 0.0)] for a, b, p in bars]
        drawn = PolyCollection(
            corners, facecolor=color, edgecolor=canvas.face, linewidth=0.3 * canvas.unit,
            hatch=HATCH if in_tail else None, alpha=0.9 if in_tail else 0.55,
        )  # fmt: skip
    else:
        ends = [[(a, 0.0), (a, p)] for a, _, p in bars]
        wide = (3.4 if in_tail else 2.2) * min(1.0, 50 / max(len(law.left), 1))
        drawn = LineCollection(ends, colors=[color], linewidths=max(wide, 0.9) * canvas.unit)
    return canvas.ax.add_collection(drawn)


def say_the_only(canvas: Canvas, law: Law, score: float, said: str) -> None:
    """Say that there is no other score, where neither it nor the model's is in the way."""
    low, high = canvas.ax.get_xlim()
    places = sorted({low, high, float(law.left[0]), min(max(score, low), high)})
    left, right = max(pairwise(places), key=lambda gap: gap[1] - gap[0])
    canvas.aside(
        said, ((left + right) / 2, 0.5), (0, 0), xycoords=("data", "axes fraction"), ha="center", va="center",
        color=canvas.text, zorder=7, bbox=canvas.backing,
    )  # fmt: skip


def point_to(canvas: Canvas, said: str, value: float, window: tuple[float, float], line: int) -> None:
    """Say, so many lines from the top, on which side a value lies beyond the axis, if it does."""
    if math.isnan(value) or window[0] <= value <= window[1]:
        return
    right = value > window[1]
    canvas.aside(
        f"{said} →" if right else f"← {said}", (float(right), 1.0), (0, -1.35 * canvas.small * line),
        xycoords="axes fraction", ha="right" if right else "left", va="top", color=canvas.text, zorder=7,
    )  # fmt: skip
