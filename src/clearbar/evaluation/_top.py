"""Scores of each class: the first few classes of every sample, judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from clearbar.core._numbers import numbers
from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.errors import listed, shown
from clearbar.data.classes import read_classes
from clearbar.evaluation._judged import How, judged
from clearbar.evaluation._parts import Parts
from clearbar.problems.multiclass import ClassMeasure, TopClasses
from clearbar.scorecard import Scorecard


def names_top(measures: tuple[ClassMeasure, ...]) -> bool:
    """Whether measures are of the first few classes, or say that these cannot be judged beside others."""
    top = [measure.named_classes > 0 for measure in measures]
    if any(top) and not all(top):
        one, other = measures[top.index(True)], measures[top.index(False)]
        raise ValueError(
            f"{one.name} judges a score of each class, and {other.name} predicted labels: judge them in "
            "separate calls."
        )
    return all(top)


def judged_top(
    y_true: Any,
    y_score: Any,
    measures: tuple[ClassMeasure, ...],
    labels: Iterable[Any] | None,
    by: Any,
    clusters: Any,
    how: How,
) -> Scorecard:
    """Judge scores of shape (samples, classes) by the first few classes that they name."""
    # Columns of scores are in the order that estimators give classes, which is alphabetical for any text.
    known, truth, _ = read_classes(y_true, {}, labels, as_numbers=False)
    most = max(measure.named_classes for measure in measures)
    if most >= len(known):
        raise ValueError(
            f"k must be less than the number of classes, {len(known):,}, since else every sample is right; "
            f"found {most:,}."
        )
    models = dict(y_score) if isinstance(y_score, Mapping) else {"model": y_score}
    if not models:
        raise ValueError("y_pred holds no model; give a matrix of scores, or a mapping of names to them.")
    named = tuple(_first(name, own, len(truth), known, most) for name, own in models.items())
    parts = Parts.of(y_true, by, clusters, len(truth))
    held = tuple(map(str, models)), parts.groups, known, truth, named
    problem = TopClasses(*held, parts.rows, parts.together)
    return judged(problem, measures, how, parts.notes)


def _first(name: str, scores: Any, samples: int, known: tuple[Any, ...], most: int) -> IntArray:
    """Return the first classes of each sample; of equal scores the later class, as scikit-learn has it."""
    argument = "y_pred" if name == "model" else f"y_pred[{name!r}]"
    matrix = _matrix(argument, scores)
    if matrix.shape != (samples, len(known)):
        classes = listed(map(shown, known), most=6)
        raise ValueError(
            f"{argument} must hold a score of each of {samples:,} samples for each of {len(known):,} classes "
            f"({classes}); found shape {matrix.shape}. Name all classes, in the order of the columns, with "
            "labels."
        )
    order = np.argsort(matrix, axis=1, kind="stable")[:, ::-1]
    return np.ascontiguousarray(order[:, :most])


def _matrix(argument: str, scores: Any) -> FloatArray:
    try:
        matrix = numbers(argument, scores)
    except ValueError:
        matrix = np.full(0, np.nan)
    if matrix.ndim != 2:
        raise ValueError(
            f"{argument} must be a matrix of scores, a row per sample and a column per class; found "
            f"{shown(scores)}."
        )
    if np.isnan(matrix).any():
        raise ValueError(f"{argument} has {int(np.isnan(matrix).sum()):,} missing values; fill them in.")
    return matrix
