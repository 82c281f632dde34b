"""From labels, or class sizes, and a measure of scores to its bar."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clearbar.core._numbers import number_or_nan
from clearbar.core.counts import Population
from clearbar.data.counting import population_from_labels
from clearbar.data.scores import of_one_class
from clearbar.problems.scores._bar import ScoreBaseline
from clearbar.problems.scores._catalogue import get_score_measure
from clearbar.problems.scores._graded import gains_of, graded
from clearbar.problems.scores._measure import ScoreMeasure


def bars_of(
    measure: ScoreMeasure, population: Population, train_prevalence: float | None = None
) -> ScoreBaseline:
    """Return the bar of a measure on class sizes, or on arrays of them."""
    sizes = np.broadcast(population.total, population.positives)
    rows = [_row(measure, int(total), int(positives), train_prevalence) for total, positives in sizes]
    columns: list[Any] = [np.array(column).reshape(population.shape) for column in zip(*rows, strict=True)]
    if not population.shape:
        columns = [column.item() for column in columns]
    value, worst, best, error, reason, trained = columns
    if train_prevalence is None or measure.constant is None:
        trained = None
    return ScoreBaseline(measure, population, value, worst, best, error, reason, train_prevalence, trained)


def _row(
    measure: ScoreMeasure, total: int, positives: int, train_prevalence: float | None
) -> tuple[float, float, float, float, str, float]:
    """Return the bar, both ends, the error of the bar, why there is none, and what the constant has."""
    lacking = measure.needs(total, positives)
    if lacking:
        return math.nan, math.nan, math.nan, 0.0, lacking, math.nan
    value = float(measure.expected(total, positives))
    worst = value if measure.worst is None else float(measure.worst(total, positives))
    best = float(measure.best_possible(total, positives))
    error = 0.0 if measure.error is None else float(measure.error(total, positives))
    trained = math.nan
    if train_prevalence is not None and measure.constant is not None:
        trained = float(measure.constant(total, positives, train_prevalence))
    return value, worst, best, error, "", trained


def checked_prevalence(train_prevalence: Any, y_train: Any, pos_label: Any) -> float | None:
    """Return the share of positive samples in training, from a number or from labels."""
    if y_train is not None:
        if train_prevalence is not None:
            raise ValueError("y_train and train_prevalence say the same; pass one of them.")
        if isinstance(y_train, Population):
            return float(y_train.prevalence)
        with of_one_class():
            return float(population_from_labels(y_train, pos_label=pos_label).prevalence)
    if train_prevalence is None:
        return None
    share = number_or_nan(train_prevalence)
    if not 0 <= share <= 1:
        raise ValueError(f"train_prevalence must be a share from 0 to 1; found {train_prevalence!r:.60}.")
    return share


def baseline_scores(
    y_true: Any,
    measure: str | ScoreMeasure,
    *,
    pos_label: Any = None,
    y_train: Any = None,
    train_prevalence: float | None = None,
) -> ScoreBaseline:
    """Return the best expected value of scores that ignore the features.

    Of a score vector dealt out at random only the multiset of its values matters. The best multiset is a
    constant for log loss and the Brier score, any at all for ROC AUC, and one without ties for average
    precision and for everything at a threshold chosen on the test labels.

    Parameters
    ----------
    y_true : array_like of shape (M,), or Population
        True labels; only their numbers matter. An array of populations gives arrays. For NDCG also gains,
        0 or more.
    measure : str or ScoreMeasure
        ``roc_auc average_precision log_loss brier_score d2_log_loss d2_brier_score max_f1 max_accuracy
        max_balanced_accuracy max_mcc max_kappa ks ks_one_sided r_precision mrr ndcg``, one of the first k
        samples, such as ``precision@10 recall@10 hit@10 ap@10 ndcg@10``, or ``max_`` and the name of
        any measure of labels. scikit-learn's names reach the same measures, with or without ``neg_``.
    pos_label : object, optional
        The label of the positive class; 1 for labels within {0, 1}, {-1, 1} or booleans.
    y_train : array_like or Population, optional
        Labels that a model was trained on, or
    train_prevalence : float, optional
        the share of positives among them. The bar of log loss and the Brier score is the best constant
        on the test labels; with one of these `train_value` is what the best constant on the training
        labels has, which is never better.

    Returns
    -------
    ScoreBaseline

    Raises
    ------
    ValueError
        If the labels are not binary, or the measure is unknown or has no bar worth the name.

    References
    ----------
    Pries et al., The optimal input-independent baseline for binary classification, Statistica
    Neerlandica 2023, theorem 1, whose proof holds for scores as for labels.

    Examples
    --------
    >>> import clearbar as cb
    >>> round(cb.baseline_scores(cb.Population(10, 3), "max_f1").value, 3)
    0.576
    """
    entry = get_score_measure(measure)
    gains = gains_of(y_true, [entry])
    if gains is not None:
        return bars_of(*graded(entry, gains))
    with of_one_class():
        population = population_from_labels(y_true, pos_label=pos_label)
    return bars_of(entry, population, checked_prevalence(train_prevalence, y_train, pos_label))
