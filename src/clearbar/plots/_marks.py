"""How an outcome is marked: by colour, by shape and by words, the same in every picture."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from clearbar.plots._canvas import Canvas, Key

SHAPES = {"fails": "X", "ties": "D"}
"""Which shape tells an outcome; the others are round."""

COLORS = {"clears": "clears", "doubt": "doubt", "fails": "fails", "ties": "fails"}
"""Which colour of the canvas tells an outcome; the others are muted."""

HOLLOW = {"doubt", "ties"}
"""What is neither here nor there."""

WORDS = {
    "clears": "clears the bar",
    "doubt": "above it, but it could be chance",
    "ties": "exactly at the bar",
    "fails": "below the bar",
    "unbeatable": "bar cannot be beaten",
    "undefined": "no verdict",
}
"""An outcome in words, in the order of a legend."""

JUDGED = ("clears", "doubt", "ties", "fails")
"""Outcomes of which a legend tells."""

REACH = "what chance can reach"
"""What a band is called."""


def words_of(outcome: str, *, loss: bool) -> str:
    """Return an outcome in words; a loss is better or worse than its bar, not above or below it."""
    words = WORDS[outcome]
    return words.replace("above", "better than").replace("below", "worse than") if loss else words


def color_of(canvas: Canvas, standing: str) -> Any:
    """Return the colour that tells an outcome."""
    return getattr(canvas, COLORS.get(standing, "muted"))


def marker(canvas: Canvas, standing: str, size: float = 6.0) -> dict[str, Any]:
    """Return what ``plot`` needs to mark how a score stands, with a marker of so many points."""
    color = color_of(canvas, standing)
    hollow = standing in HOLLOW
    larger = 1.2 if standing == "fails" else 0.85 if standing == "ties" else 1.0
    return {
        "linestyle": "none",
        "marker": SHAPES.get(standing, "o"),
        "markersize": size * canvas.unit * larger,
        "markerfacecolor": canvas.face if hollow else color,
        "markeredgecolor": color if hollow else canvas.face,
        "markeredgewidth": (1.6 if hollow else 0.5) * canvas.unit,
    }


def outcome_keys(
    canvas: Canvas, outcomes: Collection[str], bar: str = "the bar", *, loss: bool = False
) -> list[Key]:
    """Return a legend's keys of outcomes; `bar` is what they are compared with, by some loss or by none."""
    from matplotlib.lines import Line2D

    return [
        (Line2D([], [], **marker(canvas, name)), words_of(name, loss=loss).replace("the bar", bar))
        for name in JUDGED
        if name in outcomes
    ]
