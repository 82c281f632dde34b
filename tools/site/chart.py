"""One curve as a drawing within the page: it takes the page's colours, in light and dark, and no script."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 560, 260, 56, 44, 14, 24


def curve(shares: Sequence[float], values: Sequence[float], *, across: str, up: str, description: str) -> str:
    """Return values over shares from 0 to 1 as SVG; where there is no value the line is broken."""
    known = [value for value in values if math.isfinite(value)]
    low, high, ticks = scale(known)

    def x(share: float) -> float:
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - BOTTOM - TOP)

    label = f'role="img" aria-label="{html.escape(description)}"'
    head = f'<svg class="cb-chart" viewBox="0 0 {WIDTH} {HEIGHT}" {label} xmlns="http://www.w3.org/2000/svg">'
    right, below, middle = WIDTH - RIGHT, HEIGHT - BOTTOM, (LEFT + WIDTH - RIGHT) / 2
    lines = [
        f'<line class="cb-grid" x1="{LEFT}" x2="{right}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>'
        for tick in ticks
    ]
    words = [_word(f"{tick:g}", LEFT - 8, y(tick) + 4, "end") for tick in ticks]
    words += [_word(f"{share:.0%}", x(share), below + 18) for share in (0, 0.25, 0.5, 0.75, 1)]
    words += [_word(across, middle, HEIGHT - 6), _word(up, 14, (TOP + below) / 2, turned=True)]
    points = [
        f"{x(share):.1f},{y(value):.1f}" if math.isfinite(value) else ""
        for share, value in zip(shares, values, strict=True)
    ]
    runs = [run.split() for run in " ".join(point or "|" for point in points).split("|")]
    drawn = [f'<polyline class="cb-line" points="{" ".join(run)}"/>' for run in runs if run]
    return "".join([head, *lines, *words, *drawn, "</svg>"])


def spark(shares: Sequence[float], values: Sequence[float], description: str, *, below: bool) -> str:
    """Return values over shares from 0 to 1 as a line of the height of a row, with one side of it shaded."""
    low, high, _ = scale(values)
    points = [
        f"{2 + 96 * share:.1f},{30 - 28 * (value - low) / (high - low):.1f}"
        for share, value in zip(shares, values, strict=True)
    ]
    ends, edge = (points[0].partition(",")[0], points[-1].partition(",")[0]), 32 if below else 0
    line = " ".join(points)
    return (
        f'<svg class="cb-spark" viewBox="0 0 100 32" preserveAspectRatio="none" role="img" '
        f'aria-label="{html.escape(description)}">'
        f'<polygon class="cb-side" points="{ends[0]},{edge} {line} {ends[1]},{edge}"/>'
        f'<polyline class="cb-line" points="{line}"/></svg>'
    )


def _word(text: str, x: float, y: float, anchor: str = "middle", *, turned: bool = False) -> str:
    turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{turn}>{html.escape(text)}</text>'


def scale(values: Sequence[float]) -> tuple[float, float, list[float]]:
    """Return the ends of an axis that holds all values, and round numbers on it."""
    low, high = min(0.0, *values), max(0.0, *values)
    if low >= 0 and high <= 1:
        return 0.0, 1.0, [0, 0.25, 0.5, 0.75, 1]
    step = 10 ** math.floor(math.log10(high - low))
    step *= next(factor for factor in (0.2, 0.25, 0.5, 1, 2) if (high - low) / (step * factor) <= 6)
    first, last = math.floor(low / step), math.ceil(high / step)
    return first * step, last * step, [round(i * step, 12) for i in range(first, last + 1)]
