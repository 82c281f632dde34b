"""An outcome in colour, shape and words, the same in every picture; titles say the worst of them."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray
from clearbar.core.errors import listed
from clearbar.formatting import capital, number, shorten, visible
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
    "fails": ("misses", "miss"),
    "ties": ("is exactly at", "are exactly at"),
    "doubt": ("is {above}", "are {above}"),
    "clears": ("clears", "clear"),
}
"""What is said of an outcome, of one model and of several; what is said first decides."""

_COMPARED = {
    False: {"above": "above", "below": "below"},
    True: {"above": "better than", "below": "worse than"},
}
"""A loss is better or worse than its bar, not above or below it."""

_BUT_CHANCE = ", but it could be chance"


def outcome_words(outcome: str, *, loss: bool, bar: str = "the bar") -> str:
    return _WORDS[outcome].format(bar=bar, **_COMPARED[loss])


def outcome_color(canvas: Canvas, outcome: str) -> Any:
    colors = {"clears": canvas.clears, "doubt": canvas.doubt, "fails": canvas.fails, "ties": canvas.fails}
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
    judged = np.flatnonzero(np.isin(outcomes, JUDGED).any(axis=0)).tolist()
    if not judged:
        names = listed([visible(label) for label in labels], most=3)
        if (outcomes == "unbeatable").all():
            return f"No verdict: the bar{'s' * (len(labels) > 1)} of {names} cannot be beaten"
        return f"No verdict on {names}"
    outcomes = outcomes[:, judged]
    worst = next(name for name in _VERBS if (outcomes == name).any())
    cells: BoolArray = outcomes == worst
    count = int(cells.any(axis=1).sum())
    bars = _bars(cells, [visible(labels[column]) for column in judged], every=len(judged) == len(labels))
    loss = any(losses and losses[column] for column, hits in zip(judged, cells.T, strict=True) if hits.any())
    return f"{_models(models, count)} {_verb(worst, several=count > 1, loss=loss)} {bars}{_chance(worst)}"


def _verb(outcome: str, *, several: bool, loss: bool) -> str:
    return _VERBS[outcome][several].format(**_COMPARED[loss])


def _chance(outcome: str) -> str:
    return _BUT_CHANCE if outcome == "doubt" else ""


def _models(models: Sequence[str], count: int) -> str:
    if len(models) == 1:
        return capital(model_name(models[0])) if models[0] == "model" else model_name(models[0])
    if count == len(models):
        return "Both models" if count == 2 else f"All {count:,} models"
    return f"{count:,} of {len(models):,} models"


def _bars(cells: BoolArray, labels: Sequence[str], *, every: bool) -> str:
    """Say which bars some models stand to in one way."""
    rows = cells[cells.any(axis=1)]
    columns = np.flatnonzero(rows.any(axis=0)).tolist()
    if len(columns) > 2 and rows.all() and len(columns) == len(labels):
        return f"all {len(labels):,} bars{'' if every else ' that can tell'}"
    if len(columns) <= 2 and rows[:, columns].all():
        return f"the {listed([labels[column] for column in columns])} bar{'s' * (len(columns) > 1)}"
    if len(rows) == 1:
        return f"{len(columns):,} of {len(labels):,} bars"
    return f"a bar, most often that of {labels[int(np.argmax(rows.sum(axis=0)))]}"


def slices_finding(outcomes: Sequence[str], label: str, words: tuple[str, str], *, loss: bool = False) -> str:
    """Say in how many slices a bar is missed, else in how many it could be chance."""
    singular, plural = words
    total, label = len(outcomes), visible(label)
    for outcome in _VERBS:
        count = sum(name == outcome for name in outcomes)
        if not count:
            continue
        slices = f"{count:,} of {total:,} {plural if total > 1 else singular}"
        if count == total:
            slices = {1: f"The only {singular}", 2: f"Both {plural}"}.get(count, f"All {count:,} {plural}")
        bars = f"its {label} bar" if count == 1 else f"their {label} bars"
        return f"{slices} {_verb(outcome, several=count > 1, loss=loss)} {bars}{_chance(outcome)}"
    return f"No {label} bar of {total:,} {plural} can be beaten"


def score_finding(model: str, bar: Any, score: float, outcome: str, where: str = "") -> str:
    """Say how one score of a model, such as that at its best threshold, stands to one bar."""
    label, total = visible(bar.measure.label), int(bar.population.total)
    subject = capital(model_name(model)) if model in {"", "model"} else f"{model_name(model)}{where}"
    value = number(float(bar.value), total)
    if outcome in _VERBS:
        verb = _verb(outcome, several=False, loss=bar.measure.greater_is_better is False)
        numbers = "" if outcome == "ties" else f": {number(score, total)}, bar {value}"
        return f"{subject} {verb} the {label} bar{_chance(outcome)}{numbers}"
    if math.isnan(score):
        return f"{subject} has no {label}: it has no value here"
    if math.isnan(float(bar.value)):
        return f"{subject} has {label} {number(score, total)}; there is no bar"
    return f"{subject} cannot beat the {label} bar: {value} is the best possible score"
