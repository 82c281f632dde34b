"""What a picture finds, in a line: its title, and the first sentence of its description."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray
from clearbar.core.errors import listed
from clearbar.formatting import capital, number, shorten, visible
from clearbar.plots._marks import JUDGED

NAME = 40
"""Columns that a name may take in a title."""

_VERBS = {
    "fails": ("misses", "miss"),
    "ties": ("is exactly at", "are exactly at"),
    "doubt": ("is above", "are above"),
    "clears": ("clears", "clear"),
}
"""What is said of an outcome, of one model and of several; what is said first decides."""

CHANCE = ", but it could be chance"


def name_of(model: str) -> str:
    """Return a model's name for a sentence."""
    return "the model" if model in {"", "model"} else shorten(visible(model), NAME)


def of_models(
    models: Sequence[str], labels: Sequence[str], standing: Any, losses: Sequence[bool] = ()
) -> str:
    """Say how models (rows) stand to the bars of some measures (columns), some of which may be losses."""
    standing = np.asarray(standing, dtype=object).reshape(len(models), len(labels))
    telling = np.flatnonzero(np.isin(standing, JUDGED).any(axis=0)).tolist()
    if not telling:
        return _nothing(labels, standing)
    standing, tells = standing[:, telling], [visible(labels[at]) for at in telling]
    outcome = next(name for name in _VERBS if (standing == name).any())
    cells: BoolArray = standing == outcome
    number_of = int(cells.any(axis=1).sum())
    who = _who(models, number_of)
    what = _bars(cells, tells, all_told=len(tells) == len(labels))
    loss = any(losses and losses[at] for at, column in zip(telling, cells.T, strict=True) if column.any())
    verb = _verb(outcome, several=number_of > 1, loss=loss)
    return f"{who} {verb} {what}{CHANCE if outcome == 'doubt' else ''}"


def _verb(outcome: str, *, several: bool, loss: bool) -> str:
    verb = _VERBS[outcome][several]
    return verb.replace("above", "better than") if loss else verb


def _who(models: Sequence[str], number_of: int) -> str:
    if len(models) == 1:
        return capital(name_of(models[0])) if models[0] == "model" else name_of(models[0])
    if number_of == len(models):
        return "Both models" if number_of == 2 else f"All {number_of:,} models"
    return f"{number_of:,} of {len(models):,} models"


def _bars(cells: BoolArray, labels: Sequence[str], *, all_told: bool) -> str:
    """Say which bars some models stand to in one way."""
    rows = cells[cells.any(axis=1)]
    which = np.flatnonzero(rows.any(axis=0)).tolist()
    if len(which) > 2 and rows.all() and len(which) == len(labels):
        return f"all {len(labels):,} bars{'' if all_told else ' that can tell'}"
    if len(which) <= 2 and rows[:, which].all():
        return f"the {listed([labels[at] for at in which])} bar{'s' * (len(which) > 1)}"
    if len(rows) == 1:
        return f"{len(which):,} of {len(labels):,} bars"
    return f"a bar, most often that of {labels[int(np.argmax(rows.sum(axis=0)))]}"


def _nothing(labels: Sequence[str], standing: Any) -> str:
    what = listed([visible(label) for label in labels], most=3)
    if (standing == "unbeatable").all():
        return f"No verdict: the bar{'s' * (len(labels) > 1)} of {what} cannot be beaten"
    return f"No verdict on {what}"


def of_slices(standing: Sequence[str], label: str, words: tuple[str, str], *, loss: bool = False) -> str:
    """Say in how many slices a bar is missed, else in how many it could be chance."""
    one, many = words
    for outcome in _VERBS:
        number_of = sum(1 for name in standing if name == outcome)
        if not number_of:
            continue
        who = f"{number_of:,} of {len(standing):,} {many if len(standing) > 1 else one}"
        if number_of == len(standing):
            who = {1: f"The only {one}", 2: f"Both {many}"}.get(number_of, f"All {number_of:,} {many}")
        verb = _verb(outcome, several=number_of > 1, loss=loss)
        its = "its" if number_of == 1 else "their"
        bar = f"{its} {visible(label)} bar{'s' * (number_of > 1)}"
        return f"{who} {verb} {bar}{CHANCE if outcome == 'doubt' else ''}"
    return f"No {visible(label)} bar of {len(standing):,} {many} can be beaten"


def of_score(model: str, bar: Any, score: float, standing: str, where: str = "") -> str:
    """Say how one score of a model, such as that at its best threshold, stands to one bar."""
    who, label, total = capital(name_of(model)), visible(bar.measure.label), int(bar.population.total)
    if model not in {"", "model"}:
        who = f"{name_of(model)}{where}"
    value = number(float(bar.value), total)
    if standing in _VERBS:
        verb = _verb(standing, several=False, loss=bar.measure.greater_is_better is False)
        against = "" if standing == "ties" else f": {number(score, total)}, bar {value}"
        return f"{who} {verb} the {label} bar{CHANCE if standing == 'doubt' else ''}{against}"
    if math.isnan(score):
        return f"{who} has no {label}: it has no value here"
    if math.isnan(float(bar.value)):
        return f"{who} has {label} {number(score, total)}; there is no bar"
    return f"{who} cannot beat the {label} bar: {value} is the best possible score"
