"""Confusion matrices of a scorecard's models and slices."""

from __future__ import annotations

from typing import Any

from clearbar.core.classes import ConfusionMatrix
from clearbar.plots._rows import checked_card
from clearbar.problems.multiclass import ClassLabels
from clearbar.scorecard import Scorecard, which_group, which_model


def matrix_of(card: Any, model: str | None, group: Any) -> tuple[ConfusionMatrix, str]:
    """Return the matrix of a model and a slice, and the model's name where there are several."""
    checked_card(card)
    if card.several_runs:
        raise ValueError(
            f"card holds {card.runs:,} runs of each model; draw one of them with "
            "ConfusionDisplay.from_predictions(y_true, y_pred[0])."
        )
    of_classes = isinstance(card.problem, ClassLabels)
    if not of_classes and (card.counts is None or card.population.classes):
        raise ValueError(
            "card must be of labels of two or more classes; this scorecard is of "
            "others. Sets of labels have card.per_label(), which SlicesDisplay draws."
        )
    if model is None and len(card.models) > 1:
        names = ", ".join(map(repr, card.models[:6]))
        raise ValueError(f"model must be named, since the scorecard has several: {names}.")
    at = 0 if model is None else which_model(card, model)
    place = 0 if group is None else which_group(card, group)
    name = card.models[at] if len(card.models) > 1 else ""
    return card.problem.matrices[at][place] if of_classes else _of_two(card, at, place), name


def _of_two(card: Scorecard, at: int, place: int) -> ConfusionMatrix:
    counts: Any = card.counts
    matrix = counts[at, place]
    cells = [[int(matrix.tn), int(matrix.fp)], [int(matrix.fn), int(matrix.tp)]]
    return ConfusionMatrix(cells, labels=["negative", "positive"])
