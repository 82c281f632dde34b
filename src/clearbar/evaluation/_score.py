"""One score of one model, without a bar."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from clearbar.catalogue import Measure, get_measure
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.errors import ManyClassesError, UndefinedMeasureWarning, listed
from clearbar.data.counting import count
from clearbar.data.label_sets import is_label_sets
from clearbar.data.scores import read_numbers
from clearbar.evaluation._evaluate import of_kind
from clearbar.evaluation._multiclass import refuse_two_classes
from clearbar.evaluation._options import chosen_class_measures
from clearbar.problems.multiclass import ClassLabels, ClassMeasure
from clearbar.problems.numbers import NumberMeasure, read_targets, refuse_unfit
from clearbar.problems.scores import ScoreMeasure, read_ranking


def score(y_true: Any, y_pred: Any, measure: str | Measure, *, pos_label: Any = None) -> float:
    """Return the score of predictions.

    Parameters
    ----------
    y_true, y_pred : array_like of shape (M,)
        True and predicted labels, sets of them, or numbers; labels and scores for a measure of scores.
    measure : str, Measure, ScoreMeasure, ClassMeasure or LabelMeasure
        What to evaluate; of more than two labels the measure of many classes of that name.
    pos_label : object, optional
        The label of the positive class.

    Returns
    -------
    float
        nan, with an `UndefinedMeasureWarning` that names the condition, where there is no value.

    Raises
    ------
    ValueError
        If the labels cannot be counted or the measure is unknown.

    Examples
    --------
    >>> import clearbar as cb
    >>> round(cb.score([1, 1, 0, 0], [1, 0, 0, 0], "f1"), 4)
    0.6667
    """
    sets = is_label_sets(y_true)
    chosen = get_measure(measure, "multilabel" if sets else None)
    if sets or chosen.kind not in {"binary", *_SCORED}:
        quickly = {"intervals": False} if sets else {}
        card = of_kind(chosen.kind, y_true, y_pred, chosen, {"pos_label": pos_label, **quickly})
        return float(card.columns["score"][0, 0, 0])
    scorer: Callable[..., Scored] = _SCORED.get(chosen.kind, _of_two_classes)
    try:
        result = scorer(y_true, y_pred, chosen, pos_label)
    except ManyClassesError:
        if chosen.kind in _SCORED:
            raise
        result = _of_classes(y_true, y_pred, get_measure(measure, "multiclass"), pos_label)
    if np.isnan(result.value):
        warnings.warn(
            f"{result.why}. The score is nan{result.remedy}.", UndefinedMeasureWarning, stacklevel=2
        )
    return result.value


class Scored(NamedTuple):
    """A score, why it is nan where it is, and what to do then."""

    value: float
    why: str = ""
    remedy: str = ""


def _of_two_classes(y_true: Any, y_pred: Any, measure: Measure, pos_label: Any) -> Scored:
    counts = count(y_true, y_pred, pos_label=pos_label)
    value = float(measure(counts))
    if not np.isnan(value):
        return Scored(value)
    broken = listed(measure.domain.violated(counts.cells)) or "other counts"
    remedy = "; evaluate(..., undefined=0.0) gives such outcomes a value"
    return Scored(value, f"{measure.name} has no value here: it needs {broken}", remedy)


def _of_classes(y_true: Any, y_pred: Any, measure: ClassMeasure, pos_label: Any) -> Scored:
    refuse_two_classes(pos_label, "exclude")
    chosen_class_measures(measure)
    problem = ClassLabels(("model",), (None,), ((ConfusionMatrix.from_labels(y_true, y_pred),),))
    value = float(problem.scores([measure])[0, 0, 0])
    lost = np.ones((1, 1), dtype=bool)
    return Scored(value, str(problem.why_undefined(measure, lost)[0]) if np.isnan(value) else "")


def _of_scores(y_true: Any, y_score: Any, measure: ScoreMeasure, pos_label: Any) -> Scored:
    ranking = read_ranking(y_true, y_score, pos_label=pos_label, measures=(measure,))
    why = measure.needs(ranking.total, ranking.hits) or "it has none for these scores"
    return Scored(float(measure.value(ranking)), f"{measure.label} has no value here: {why}")


def _of_numbers(y_true: Any, y_pred: Any, measure: NumberMeasure, pos_label: Any) -> Scored:  # noqa: ARG001
    y = read_targets(y_true)
    predicted = read_numbers(y_pred, "y_pred", len(y))
    refuse_unfit([measure], y, "y_true")
    refuse_unfit([measure], predicted, "y_pred")
    alike = "its targets" if y.min() == y.max() else "its predictions"
    why = f"{measure.label} has no value here: {alike} are all the same"
    return Scored(float(measure(y, predicted)), why)


_SCORED: dict[str, Callable[..., Scored]] = {
    "scores": _of_scores,
    "regression": _of_numbers,
    "multiclass": _of_classes,
}
"""Kinds but that of two classes."""
