"""An outcome in colour, shape and words; titles say the worst outcome."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from clearbar.core.errors import listed
from clearbar.formatting import capital, number, shorten, visible
from clearbar.formatting._palette import BELOW, UNSETTLED
from clearbar.plots._canvas import Canvas, Key

JUDGED = ("clears", "doubt", "ties", "fails")
"""Outcomes of which a legend tells."""

CHANCE_BAND = "what chance can reach"
"""What a band is called."""

NAME_WIDTH = 40
"""Columns that a name may take in a title."""

_WORDS = {
    "clears": "clears {bar}",
    "doubt": "{above} it, but it could be chance",
    "ties": "exactly at {bar}",
    "fails": "{below} {bar}",
    "unbeatable": "bar cannot be beaten",
    "undefined": "no verdict",
}
_VERBS = {
    "fails": ("misses {bar}", "miss {bar}"),
    "ties": ("is exactly at {bar}", "are exactly at {bar}"),
    "doubt": ("is {above} {bar}, but it could be chance", "are {above} {bar}, but it could be chance"),
    "clears": ("clears {bar}", "clear {bar}"),
}
"""What is said of an outcome, of one model and of several; what is said first decides."""


def _compared(words: str, *, loss: bool, bar: str) -> str:
    """Fill in a bar: a loss is better or worse than it, not above or below it."""
    above, below = ("better than", "worse than") if loss else ("above", "below")
    return words.format(bar=bar, above=above, below=below)


def outcome_words(outcome: str, *, loss: bool, bar: str = "the bar") -> str:
    return _compared(_WORDS[outcome], loss=loss, bar=bar)


def outcome_color(canvas: Canvas, outcome: str) -> Any:
    colors = {"clears": canvas.clears, "doubt": UNSETTLED, "fails": BELOW, "ties": BELOW}
    return colors.get(outcome, canvas.muted)


def marker(canvas: Canvas, outcome: str, size: float = 6.0) -> dict[str, Any]:
    """Return what ``plot`` needs to mark how a score stands, with a marker of so many points."""
    color = outcome_color(canvas, outcome)
    hollow = outcome in {"doubt", "ties"}
    return {
        "linestyle": "none",
        "marker": {"fails": "X", "ties": "D"}.get(outcome, "o"),
        "markersize": size * canvas.unit * {"fails": 1.2, "ties": 0.85}.get(outcome, 1.0),
        "markerfacecolor": canvas.face if hollow else color,
        "markeredgecolor": color if hollow else canvas.face,
        "markeredgewidth": (1.6 if hollow else 0.5) * canvas.unit,
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


def model_name(model: str) -> str:
    return "the model" if model in {"", "model"} else shorten(visible(model), NAME_WIDTH)


def models_finding(
    models: Sequence[str], labels: Sequence[str], outcomes: Any, losses: Sequence[bool] = ()
) -> str:
    """Say how models (rows) stand to the bars of some measures (columns), some of which may be losses."""
    outcomes = np.asarray(outcomes, dtype=object).reshape(len(models), len(labels))
    labels = [visible(label) for label in labels]
    judged = np.flatnonzero(np.isin(outcomes, JUDGED).any(axis=0))
    if not judged.size:
        if (outcomes == "unbeatable").all():
            return (
                f"No verdict: the bar{'s' * (len(labels) > 1)} of {listed(labels, most=3)} cannot be beaten"
            )
        return f"No verdict on {listed(labels, most=3)}"
    worst = next(name for name in _VERBS if (outcomes[:, judged] == name).any())
    hits = outcomes == worst
    rows, columns = np.flatnonzero(hits.any(axis=1)), np.flatnonzero(hits.any(axis=0))
    missed = [labels[column] for column in columns]
    if len(columns) > 2 and hits[np.ix_(rows, judged)].all():
        bars = f"all {len(judged):,} bars{'' if len(judged) == len(labels) else ' that can tell'}"
    elif len(columns) <= 2 and hits[np.ix_(rows, columns)].all():
        bars = f"the {listed(missed)} bar{'s' * (len(columns) > 1)}"
    elif len(rows) == 1:
        bars = f"{len(columns):,} of {len(judged):,} bars"
    else:
        bars = f"a bar, most often that of {labels[int(np.argmax(hits.sum(axis=0)))]}"
    subject = f"{len(rows):,} of {len(models):,} models"
    if len(models) == 1:
        subject = capital(model_name(models[0])) if models[0] == "model" else model_name(models[0])
    elif len(rows) == len(models):
        subject = "Both models" if len(models) == 2 else f"All {len(models):,} models"
    loss = any(losses and losses[column] for column in columns.tolist())
    return f"{subject} {_compared(_VERBS[worst][len(rows) > 1], loss=loss, bar=bars)}"


def slices_finding(outcomes: Sequence[str], label: str, words: tuple[str, str], *, loss: bool = False) -> str:
    """Say in how many slices a bar is missed, else in how many it could be chance."""
    singular, plural = words
    total, label = len(outcomes), visible(label)
    for outcome, verbs in _VERBS.items():
        count = sum(name == outcome for name in outcomes)
        if not count:
            continue
        slices = f"{count:,} of {total:,} {plural if total > 1 else singular}"
        if count == total:
            slices = {1: f"The only {singular}", 2: f"Both {plural}"}.get(count, f"All {count:,} {plural}")
        bars = f"its {label} bar" if count == 1 else f"their {label} bars"
        return f"{slices} {_compared(verbs[count > 1], loss=loss, bar=bars)}"
    return f"No {label} bar of {total:,} {plural} can be beaten"


def score_finding(model: str, bar: Any, score: float, outcome: str, where: str = "") -> str:
    """Say how one score of a model, such as that at its best threshold, stands to one bar."""
    label, total = visible(bar.measure.label), int(bar.population.total)
    subject = capital(model_name(model)) if model in {"", "model"} else f"{model_name(model)}{where}"
    value = number(float(bar.value), total)
    if outcome in _VERBS:
        loss = bar.measure.greater_is_better is False
        numbers = "" if outcome == "ties" else f": {number(score, total)}, bar {value}"
        return f"{subject} {_compared(_VERBS[outcome][0], loss=loss, bar=f'the {label} bar')}{numbers}"
    if math.isnan(score):
        return f"{subject} has no {label}: it has no value here"
    if math.isnan(float(bar.value)):
        return f"{subject} has {label} {number(score, total)}; there is no bar"
    return f"{subject} cannot beat the {label} bar: {value} is the best possible score"
