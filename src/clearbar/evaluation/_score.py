"""One score of one model, without a bar."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from clearbar.catalogue import Measure, get_measure
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.errors import ManyClassesError, UndefinedMeasureWarning, listed
from clearbar.data.counting import count, is_label_sets
from clearbar.evaluation._evaluate import of_label_sets
from clearbar.evaluation._multiclass import refuse_two_classes
from clearbar.evaluation._options import chosen_class_measures
from clearbar.evaluation._regression import score_of_numbers
from clearbar.problems.multiclass import ClassLabels, ClassMeasure
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
    if is_label_sets(y_true):
        card = of_label_sets(y_true, y_pred, measure, pos_label, "exclude", {"intervals": False})
        return float(card.columns["score"][0, 0, 0])
    chosen = get_measure(measure)
    if chosen.kind == "scores":
        return _score_of_scores(y_true, y_pred, chosen, pos_label)
    if chosen.kind == "regression":
        return score_of_numbers(y_true, y_pred, chosen)
    if chosen.kind == "multiclass":
        return _score_of_classes(y_true, y_pred, chosen, pos_label)
    try:
        counts = count(y_true, y_pred, pos_label=pos_label)
    except ManyClassesError:
        return _score_of_classes(y_true, y_pred, get_measure(measure, "multiclass"), pos_label)
    value = chosen(counts)
    if np.isnan(value):
        broken = listed(chosen.domain.violated(counts.cells)) or "other counts"
        msg = (
            f"{chosen.name} has no value here: it needs {broken}. The score is nan; "
            "evaluate(..., undefined=0.0) gives such outcomes a value."
        )
        warnings.warn(msg, UndefinedMeasureWarning, stacklevel=2)
    return float(value)


def _score_of_scores(y_true: Any, y_score: Any, measure: ScoreMeasure, pos_label: Any) -> float:
    ranking = read_ranking(y_true, y_score, pos_label=pos_label, measures=(measure,))
    value = float(measure.value(ranking))
    if np.isnan(value):
        why = measure.needs(ranking.total, ranking.hits) or "it has none for these scores"
        msg = f"{measure.label} has no value here: {why}. The score is nan."
        warnings.warn(msg, UndefinedMeasureWarning, stacklevel=3)
    return value


def _score_of_classes(y_true: Any, y_pred: Any, measure: ClassMeasure, pos_label: Any) -> float:
    refuse_two_classes(pos_label, "exclude")
    chosen_class_measures(measure)
    matrix = ConfusionMatrix.from_labels(y_true, y_pred)
    problem = ClassLabels(("model",), (None,), ((matrix,),))
    value = float(problem.scores([measure])[0, 0, 0])
    if np.isnan(value):
        why = problem.why_undefined(measure, np.ones((1, 1), dtype=bool))[0]
        warnings.warn(f"{why}. The score is nan.", UndefinedMeasureWarning, stacklevel=3)
    return value
