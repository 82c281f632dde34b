"""An outcome in colour, shape and words, the same in every picture."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from clearbar.formatting import plural, shorten, visible, whole_percent
from clearbar.formatting._palette import BELOW, UNSETTLED
from clearbar.plots._canvas import Canvas, Key
from clearbar.scorecard import Scorecard, standing

JUDGED = ("clears", "doubt", "unknown", "ties", "fails")
"""Outcomes of which a legend tells."""

UNSURE = {"doubt", "unknown"}
"""Those of scores above their bars that are not settled: "unknown" where there is no p-value."""

CHANCE_BAND = "what chance can reach"
"""What a band is called."""

NAME_WIDTH = 40
"""Columns that a name may take in a title."""

_WORDS = {
    "clears": "clears {bar}",
    "doubt": "{above} it, but it could be chance",
    "unknown": "{above} it; how surely is not known",
    "ties": "exactly at {bar}",
    "fails": "{below} {bar}",
    "unbeatable": "bar cannot be beaten",
    "undefined": "no verdict",
}


def outcomes_of(card: Scorecard, alpha: float | None = None) -> Any:
    """Return how each score of a scorecard stands, "unknown" where it is above its bar and has no p-value."""
    states = standing(card, alpha)
    return np.where((states == "doubt") & np.isnan(card.columns["p_sure"]), "unknown", states)


def outcome_words(outcome: str, *, loss: bool, bar: str = "the bar") -> str:
    """Say how a score stands: a loss is better or worse than its bar, not above or below it."""
    above, below = ("better than", "worse than") if loss else ("above", "below")
    return _WORDS[outcome].format(bar=bar, above=above, below=below)


def outcome_color(canvas: Canvas, outcome: str) -> Any:
    colors = {"clears": canvas.clears, "fails": BELOW, "ties": BELOW, **dict.fromkeys(UNSURE, UNSETTLED)}
    return colors.get(outcome, canvas.muted)


def marker(canvas: Canvas, outcome: str, size: float = 6.0) -> dict[str, Any]:
    """Return what ``plot`` needs to mark how a score stands, with a marker of so many points."""
    color = outcome_color(canvas, outcome)
    hollow = outcome in {*UNSURE, "ties"}
    return {
        "linestyle": "none",
        "marker": {"fails": "X", "ties": "D"}.get(outcome, "o"),
        "markersize": size * canvas.unit * {"fails": 1.2, "ties": 0.85}.get(outcome, 1.0),
        "markerfacecolor": canvas.face if hollow else color,
        "markeredgecolor": color if hollow else canvas.face,
        "markeredgewidth": (max(1.1, size / 3.75) if hollow else 0.5) * canvas.unit,
    }


def outcome_keys(
    canvas: Canvas, outcomes: Collection[str], bar: str = "the bar", *, loss: bool = False
) -> list[Key]:
    """Return a legend's keys of outcomes; `bar` is what they are compared with."""
    from matplotlib.lines import Line2D

    return [
        (Line2D([], [], **marker(canvas, name)), outcome_words(name, loss=loss, bar=bar))
        for name in JUDGED
        if name in outcomes
    ]


def chance_key(canvas: Canvas, words: str = CHANCE_BAND) -> Key:
    from matplotlib.patches import Patch

    return Patch(facecolor=canvas.muted, alpha=canvas.shade, lw=0), words


def random_answers_key(canvas: Canvas, expected: Any, band: Any) -> Key:
    """Return the key of what random answers are expected to get, on the band that holds most of them."""
    if band is None:
        return expected, "random answers, expected"
    return (chance_key(canvas)[0], expected), "random answers: mean, 90 in 100"


def model_name(model: str) -> str:
    return "the model" if model in {"", "model"} else shorten(visible(model), NAME_WIDTH)


def draw_shortfall(canvas: Canvas, x: Any, y: Any) -> Any:
    """Draw what a score lacks to its bar: wide and pale, so that an interval is read on it."""
    return canvas.line(x, y, BELOW, 5.5, alpha=0.4, zorder=2.5, solid_capstyle="butt")


def draw_score(
    canvas: Canvas,
    y: float,
    x: float,
    outcome: str,
    bar: float,
    interval: tuple[float, float],
    size: float = 6.0,
) -> tuple[Any, Any, Any]:
    """Draw a score, its interval, and what it lacks to the bar; None in place of what is nan."""
    whisker = shortfall = None
    if x != x:  # noqa: PLR0124 - nan
        return None, whisker, shortfall
    if outcome == "fails":
        shortfall = draw_shortfall(canvas, [bar, x], [y, y])
    if interval[0] == interval[0]:
        whisker = draw_whisker(canvas, interval, [y, y])
    (point,) = canvas.ax.plot([x], [y], clip_on=False, zorder=5, **marker(canvas, outcome, size))
    return point, whisker, shortfall


def draw_scores(
    canvas: Canvas,
    heights: Sequence[float],
    texts: Sequence[str],
    scores: Any,
    outcomes: Any,
    bars: Any,
    intervals: Any,
) -> tuple[tuple[Any, ...], ...]:
    """Draw a score per row; return points, texts, whiskers and shortfalls, those that there are."""
    rows = zip(heights, scores, outcomes, bars, intervals, strict=True)
    drawn = zip(*(draw_score(canvas, *row) for row in rows), strict=True)
    points, whiskers, shortfalls = (tuple(artist for artist in artists if artist) for artists in drawn)
    written = zip(heights, texts, strict=True)
    figures = [canvas.annotate_right(text, y, 5 * canvas.unit, color=canvas.text) for y, text in written]
    return points, tuple(figures), whiskers, shortfalls


def tick_bar(canvas: Canvas, x: float, heights: tuple[float, float]) -> Any:
    return canvas.line([x, x], heights, canvas.text, 2.2, zorder=3, solid_capstyle="butt")


def draw_whisker(canvas: Canvas, x: Any, y: Any, cap: str = "|") -> Any:
    """Draw an interval between two points, with caps across it."""
    style: dict[str, Any] = {"marker": cap, "ms": 4.0 * canvas.unit, "mew": canvas.unit}
    return canvas.line(x, y, canvas.text, 1.0, zorder=4.5, solid_capstyle="butt", **style)


def whiskers_note(level: float) -> str:
    return f"Whiskers: {whole_percent(level)} intervals."


def not_drawn(models: int, columns: int, kind: tuple[str, str] = ("measure", "measures")) -> str:
    """Say how many models and measures, or columns of another kind, have no room; empty where all have."""
    counts = (models, ("model", "models")), (columns, kind)
    left_out = [plural(count, *(f"more {word}" for word in words)) for count, words in counts if count]
    return f"{' and '.join(left_out)} not drawn here." if left_out else ""
