"""Labels as the older interface takes them: zeros and ones."""

from __future__ import annotations

from typing import Any

from clearbar.core.counts import Counts, Population
from clearbar.data.counting import count, population_from_labels
from clearbar.data.labels import read, refuse_empty


def population(y_true: Any) -> Population:
    """Count samples and positives."""
    _refuse_others(y_true, "y_true")
    return population_from_labels(y_true)


def table(y_true: Any, y_pred: Any) -> Counts:
    """Count true and false positives and negatives."""
    _refuse_others(y_true, "y_true")
    _refuse_others(y_pred, "y_pred")
    return count(y_true, y_pred)


def _refuse_others(labels: Any, name: str) -> None:
    column = read(labels, name)
    refuse_empty(name, column.length)
    others = [label for label in column.found() if label not in (0, 1)]
    if others:
        raise ValueError(
            f"{name} must hold zeros and ones only; found {others[0]!r}. For other labels use clearbar's own "
            "functions, with pos_label."
        )
