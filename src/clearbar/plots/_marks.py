"""How an outcome is marked: by colour, by filling and by words, the same in every picture."""

from __future__ import annotations

from typing import Any

from clearbar.plots._canvas import Ink

SHAPES = ("o", "s", "^", "D", "v", "P", "<", "*", ">", "p")
"""Markers that are told apart without colour; one per model."""

FACES = {"clears": "clears", "doubt": "doubt", "fails": "fails", "ties": "fails"}
"""Which ink tells an outcome; the others are muted."""

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


def color_of(ink: Ink, standing: str) -> Any:
    """Return the colour that tells an outcome."""
    return getattr(ink, FACES.get(standing, "muted"))


def marker(ink: Ink, shape: str, standing: str, size: float = 5.6) -> dict[str, Any]:
    """Return what ``plot`` needs to mark how a score stands, with a marker of so many points."""
    color = color_of(ink, standing)
    hollow = standing in HOLLOW
    return {
        "marker": shape,
        "markersize": size * ink.unit * _LARGER.get(shape, 1.0),
        "markerfacecolor": ink.face if hollow else color,
        "markeredgecolor": color if hollow else ink.face,
        "markeredgewidth": (1.5 if hollow else 0.5) * ink.unit,
    }
