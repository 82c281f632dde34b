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
    standing, judged = standing[:, telling], [visible(labels[column]) for column in telling]
    outcome = next(name for name in _VERBS if (standing == name).any())
    cells: BoolArray = standing == outcome
    count = int(cells.any(axis=1).sum())
    bars = _bars(cells, judged, every=len(judged) == len(labels))
    loss = any(losses and losses[at] for at, column in zip(telling, cells.T, strict=True) if column.any())
    verb = _verb(outcome, several=count > 1, loss=loss)
    return f"{_models(models, count)} {verb} {bars}{CHANCE if outcome == 'doubt' else ''}"


def _verb(outcome: str, *, several: bool, loss: bool) -> str:
    verb = _VERBS[outcome][several]
    return verb.replace("above", "better than") if loss else verb


def _models(models: Sequence[str], count: int) -> str:
    if len(models) == 1:
        return capital(name_of(models[0])) if models[0] == "model" else name_of(models[0])
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


def _nothing(labels: Sequence[str], standing: Any) -> str:
    names = listed([visible(label) for label in labels], most=3)
    if (standing == "unbeatable").all():
        return f"No verdict: the bar{'s' * (len(labels) > 1)} of {names} cannot be beaten"
    return f"No verdict on {names}"


def of_slices(standing: Sequence[str], label: str, words: tuple[str, str], *, loss: bool = False) -> str:
    """Say in how many slices a bar is missed, else in how many it could be chance."""
    singular, several = words
    total = len(standing)
    for outcome in _VERBS:
        count = sum(1 for name in standing if name == outcome)
        if not count:
            continue
        slices = f"{count:,} of {total:,} {several if total > 1 else singular}"
        if count == total:
            slices = {1: f"The only {singular}", 2: f"Both {several}"}.get(count, f"All {count:,} {several}")
        verb = _verb(outcome, several=count > 1, loss=loss)
        bars = f"{'its' if count == 1 else 'their'} {visible(label)} bar{'s' * (count > 1)}"
        return f"{slices} {verb} {bars}{CHANCE if outcome == 'doubt' else ''}"
    return f"No {visible(label)} bar of {total:,} {several} can be beaten"


def of_score(model: str, bar: Any, score: float, standing: str, where: str = "") -> str:
    """Say how one score of a model, such as that at its best threshold, stands to one bar."""
    name, label, total = name_of(model), visible(bar.measure.label), int(bar.population.total)
    subject = capital(name) if model in {"", "model"} else f"{name}{where}"
    value = number(float(bar.value), total)
    if standing in _VERBS:
        verb = _verb(standing, several=False, loss=bar.measure.greater_is_better is False)
        against = "" if standing == "ties" else f": {number(score, total)}, bar {value}"
        return f"{subject} {verb} the {label} bar{CHANCE if standing == 'doubt' else ''}{against}"
    if math.isnan(score):
        return f"{subject} has no {label}: it has no value here"
    if math.isnan(float(bar.value)):
        return f"{subject} has {label} {number(score, total)}; there is no bar"
    return f"{subject} cannot beat the {label} bar: {value} is the best possible score"
