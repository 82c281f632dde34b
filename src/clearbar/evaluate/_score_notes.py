"""The sentences below a scorecard of scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from clearbar.display import visible
from clearbar.errors import listed
from clearbar.problems.scores import (
    CALIBRATED,
    FoldedScores,
    FoldScoreBaseline,
    ScoreBaseline,
    ScoreMeasure,
)


def notes_on(
    bars: Iterable[ScoreBaseline | FoldScoreBaseline], columns: Mapping[str, Any], *, refitted: bool = False
) -> tuple[str, ...]:
    """Return what a reader must know to read the table: whose labels a bar takes, what p is."""
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
            f"{listed(chosen)}: the threshold is chosen on these test labels, and the bar is what a guess "
            "expects that may choose too."
        )
    notes += [
        f"The bar of {bar.measure.label} is known to ±{float(np.max(bar.error)):.1g}."
        for bar in bars
        if np.max(bar.error) > 0
    ]
    if not refitted and not np.isnan(columns["p_value_blind"]).all():
        notes.append("p: how likely the model's own scores, dealt out at random, do at least this well.")
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
    total, positives = problem.sizes
    if problem.aggregate == "merged":
        notes = [CALIBRATED]
        if (positives * total.sum() != total * positives.sum()).any():
            notes.append("The folds differ in their share of positives, and the bars know it.")
    else:
        notes = [f"Scores and bars are means over {len(names):,} folds."]
        lacking: dict[str, list[str]] = {}
        for measure in measures:
            without = [
                visible(name)
                for name, m, p in zip(names, total.tolist(), positives.tolist(), strict=True)
                if measure.needs(m, p)
            ]
            if without:
                lacking.setdefault(listed(without, most=6), []).append(measure.label)
        notes += [
            f"{listed(labels)} {'has' if len(labels) == 1 else 'have'} no value in fold {names} and "
            f"{'is' if len(labels) == 1 else 'are'} averaged over the others."
            for names, labels in lacking.items()
        ]
    if prevalence is not None:
        notes.append("The constant at the training prevalence is compared without folds only.")
    return notes
