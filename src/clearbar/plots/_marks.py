"""How an outcome is marked: by colour, by filling and by words, the same in every picture."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from clearbar.plots._canvas import Canvas, Key

SHAPES = ("o", "s", "^", "D", "v", "P", "<", "*", ">", "p")
"""Markers that are told apart without colour; one per model."""

FACES = {"clears": "clears", "doubt": "doubt", "fails": "fails", "ties": "fails"}
"""Which colour of the canvas tells an outcome; the others are muted."""

HOLLOW = {"doubt", "ties"}
"""What is neither here nor there."""

SAID = {
    "clears": "clears the bar",
    "doubt": "above it, but it could be chance",
    "ties": "exactly at the bar",
    "fails": "below the bar",
    "unbeatable": "bar cannot be beaten",
    "undefined": "no verdict",
}
"""An outcome in words, in the order of a legend."""

_LARGER = {"*": 1.5, "D": 0.85, "^": 1.1, "v": 1.1, "<": 1.1, ">": 1.1, "P": 1.15, "X": 1.25}
"""Shapes of one nominal size look unequally large."""


def color_of(canvas: Canvas, standing: str) -> Any:
    """Return the colour that tells an outcome."""
    return getattr(canvas, FACES.get(standing, "muted"))


def marker(canvas: Canvas, shape: str, standing: str, size: float = 5.6) -> dict[str, Any]:
    """Return what ``plot`` needs to mark how a score stands, with a marker of so many points."""
    color = color_of(canvas, standing)
    hollow = standing in HOLLOW
    return {
        "linestyle": "none",
        "marker": shape,
        "markersize": size * canvas.unit * _LARGER.get(shape, 1.0),
        "markerfacecolor": canvas.face if hollow else color,
        "markeredgecolor": color if hollow else canvas.face,
        "markeredgewidth": (1.5 if hollow else 0.5) * canvas.unit,
    }


def outcome_keys(canvas: Canvas, outcomes: Collection[str], **of_a_failure: Any) -> list[Key]:
    """Return a legend's keys of outcomes, a failure's drawn in a way of its own."""
    from matplotlib.lines import Line2D

    return [
        (Line2D([], [], **marker(canvas, "o", name) | (of_a_failure if name == "fails" else {})), said)
        for name, said in SAID.items()
        if name in outcomes
    ]
