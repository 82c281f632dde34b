"""The sentences below a scorecard of scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from clearbar.core.errors import listed
from clearbar.problems.scores import (
    FoldedScores,
    FoldScoreBaseline,
    ScoreBaseline,
    ScoreMeasure,
)


def notes_on(bars: Iterable[ScoreBaseline | FoldScoreBaseline]) -> tuple[str, ...]:
    """Return what a reader must know of the bars: whose labels they take, how well they are known."""
    bars = tuple(bars)
    notes = []
    constants = [bar for bar in bars if bar.measure.probabilities]
    if constants:
        labels = listed(bar.measure.label for bar in constants)
        several = len(constants) > 1
        notes.append(
            f"The bar{'s' * several} of {labels} take{'s' * (not several)} the best constant on these test "
            "labels; one from training labels does no better."
        )
    notes += [
        _on_training(bar) for bar in bars if isinstance(bar, ScoreBaseline) and bar.train_value is not None
    ]
    chosen = [bar.measure.label for bar in bars if bar.measure.error is not None]
    if chosen:
        notes.append(
            f"{listed(chosen)}: the threshold is chosen on these test labels, and the bar lets random "
            "scores choose too."
        )
    notes += [
        f"The bar of {bar.measure.label} is known to ±{float(np.max(bar.error)):.1g}."
        for bar in bars
        if np.max(bar.error) > 0
    ]
    return tuple(notes)


def _on_training(bar: ScoreBaseline) -> str:
    here, best = (float(np.asarray(value).ravel()[0]) for value in (bar.train_value, bar.value))
    return (
        f"The best constant on the training labels, {bar.train_prevalence:.3g}, has a {bar.measure.label} of "
        f"{here:.3g} here; the bar is {best:.3g}."
    )


def notes_on_folds(
    problem: FoldedScores, measures: tuple[ScoreMeasure, ...], names: Sequence[Any], prevalence: float | None
) -> list[str]:
    """Say how folds are combined, and name those without a value."""
    notes = problem.way.notes(measures, names, *problem.sizes)
    if prevalence is not None:
        notes.append("The constant at the training prevalence is compared without folds only.")
    return notes
