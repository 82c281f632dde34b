"""Labels of many classes, scores of each class, and sets of labels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Unpack

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core._value import numbers
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.errors import listed, shown
from clearbar.data.arrays import read
from clearbar.data.classes import confusion_matrices, read_classes
from clearbar.data.counting import (
    by_argument,
    columns_of_runs,
    has_fractions,
    holds_matrices,
    predictions_as_mapping,
)
from clearbar.data.label_sets import read_label_sets
from clearbar.evaluation.options import (
    Inference,
    Partition,
    Question,
    all_judge,
    chosen_measures,
    class_order_note,
    door,
    is_all,
)
from clearbar.formatting import plural
from clearbar.problems.multiclass import (
    ClassColumns,
    ClassLabels,
    ClassMeasure,
    ProbabilityMeasure,
    TopClasses,
    checked_zero_division,
)
from clearbar.problems.multilabel import LabelledSamples, LabelMeasure

SUM_OFF = 1e-5  # how far rows of probabilities may be from a sum of 1: as far as float32 is


@door
def evaluate_multiclass(
    y_true: Any,
    y_pred: Any = None,
    measures: str | ClassMeasure | Iterable[str | ClassMeasure] | None = None,
    *,
    labels: Iterable[Any] | None = None,
    by: Any = None,
    clusters: Any = None,
    zero_division: float = 0.0,
    **inference: Unpack[Inference],
) -> Question:
    """Judge predictions of many classes against the best that ignores every feature.

    Parameters
    ----------
    y_true : array_like of shape (M,), ConfusionMatrix, or mapping of str to ConfusionMatrix
        True labels; or what was counted elsewhere, one matrix per model, and no `y_pred`.
    y_pred : array_like of shape (M,) or (runs, M), mapping, or data frame
        Predicted labels. A mapping or data frame holds a column per model; a 2-D array is one model run
        several times, judged by its mean score, as for `evaluate`. For top-k accuracy and AUC a score, for
        log loss and its kin a probability of each class: a matrix of shape (M, K), or a mapping of model
        names to them, columns in the order of `labels`; of equal scores top-k takes the later class for the
        higher, as scikit-learn does.
    measures : str, ClassMeasure, or list of them, optional
        The measures; accuracy, balanced accuracy, macro and weighted F1 and MCC by default, ``"all"`` for
        all measures of many classes. Of probabilities ``"log_loss"``, ``"brier_score"``, ``"rps"``,
        ``"roc_auc_ovr"`` and ``"roc_auc_ovo"``, the last two also ``"_weighted"``.
    labels : sequence, optional
        The classes, in the order that weighted kappa takes; by default those that occur in `y_true` or
        `y_pred`, sorted, text that is numbers by these: a class that is only predicted takes part in plain
        averages.

    Returns
    -------
    Scorecard
        ``card.per_class()`` judges each class against the rest.

    Raises
    ------
    ValueError
        If labels cannot be read, `labels` lacks one, or a measure is unknown.

    Notes
    -----
    `p_value` and the interval of two classes are exact, those of the share that is right certified
    (Hoeffding 1956); those of other measures are estimated at the likeliest rates whose score is the bar, of
    more than 20 classes from a bootstrap of each. `p_value_blind` permutes the labels, exactly where that can
    be computed.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true = ["cat"] * 20 + ["dog"] * 12 + ["cow"] * 8
    >>> y_pred = ["cat"] * 18 + ["dog"] * 12 + ["cow"] * 10
    >>> card = cb.evaluate_multiclass(y_true, y_pred, ["accuracy", "f1_macro"])
    >>> [verdict.outcome for verdict in card]
    ['clears', 'clears']
    """
    named = measures is not None and not is_all(measures)
    if all_judge(measures, "probabilities") if named else holds_matrices(y_pred):
        return class_columns(y_true, y_pred, chosen_measures(measures, "probabilities"), labels, by, clusters)
    entries = chosen_measures(measures, "multiclass")
    of_empty = checked_zero_division(zero_division)
    if y_pred is not None and isinstance(y_true, ConfusionMatrix):
        raise ValueError("y_true is a ConfusionMatrix, which holds the predictions; leave y_pred out.")
    if _of_first_classes(entries):
        if y_pred is None:
            raise ValueError(f"{entries[0].name} judges a score of each class: pass y_true and y_pred.")
        return _first_classes(y_true, y_pred, entries, labels, by, clusters)
    if has_fractions(y_pred) and y_pred.ndim == 2:
        raise ValueError(
            f"y_pred has shape {y_pred.shape}; of scores of each class pass the largest, "
            "labels[y_pred.argmax(axis=1)], or judge them by 'log_loss' or 'top_2_accuracy'."
        )
    notes: tuple[str, ...] = ()
    if y_pred is not None:
        problem, notes = class_problem(y_true, y_pred, labels, by, clusters, of_empty)
    elif by is not None or labels is not None or clusters is not None:
        raise ValueError("by, clusters and labels are for labels; a ConfusionMatrix has its own.")
    else:
        models = _checked_matrices(y_true)
        matrices = tuple((matrix,) for matrix in models.values())
        problem = ClassLabels(tuple(map(str, models)), (None,), matrices, of_empty)
    order = class_order_note(entries, problem.matrices[0][0].labels)
    return Question(problem, entries, (*notes, *order))


def _checked_matrices(matrices: Any) -> dict[Any, ConfusionMatrix]:
    """Return the matrices of models, all of the same samples."""
    models = dict(matrices) if isinstance(matrices, Mapping) else {"model": matrices}
    if not models:
        raise ValueError("y_true holds no model; give a ConfusionMatrix, or a mapping of names to them.")
    first = next(iter(models.values()))
    if not any(isinstance(matrix, ConfusionMatrix) for matrix in models.values()):
        raise ValueError(
            "y_pred is missing: pass predicted labels, or a ConfusionMatrix as y_true; found "
            f"{shown(matrices)} alone."
        )
    for name, matrix in models.items():
        if not isinstance(matrix, ConfusionMatrix):
            raise ValueError(
                f"all models need a ConfusionMatrix where one has it; {name!r} is {shown(matrix)}."
            )
        if matrix.labels != first.labels or (matrix.true_counts != first.true_counts).any():
            raise ValueError(
                f"all models must be judged on the same samples; the class sizes of {name!r} differ."
            )
    return models


def class_problem(
    y_true: Any, y_pred: Any, labels: Iterable[Any] | None, by: Any, clusters: Any, zero_division: float
) -> tuple[ClassLabels, tuple[str, ...]]:
    """Count labels of many classes; keep the samples where models are compared or something is resampled."""
    models = predictions_as_mapping(y_pred)
    columns, runs = columns_of_runs(by_argument(models, y_pred), read(y_true, "y_true").length)
    if list(columns) == ["y_pred"] and not runs and by is None and clusters is None:
        matrix = ConfusionMatrix.from_labels(y_true, columns["y_pred"], labels=labels)
        return ClassLabels(tuple(models), (None,), ((matrix,),), zero_division), ()
    classes, truth, codes = read_classes(y_true, columns, labels)
    partition = Partition.of(y_true, by, clusters, len(truth))
    predicted = tuple(codes.values())
    counted = tuple(
        confusion_matrices(classes, truth, column, partition.codes, partition.coded)[: len(partition.groups)]
        for column in predicted[:: max(runs, 1)]
    )
    facts = tuple(models), partition.groups, counted, zero_division
    if partition.clusters is None and not runs:
        if len(models) == 1:
            return ClassLabels(*facts), partition.notes
        narrow = np.min_scalar_type(len(classes))
        truth, *predicted = (column.astype(narrow) for column in (truth, *predicted))  # type: ignore[assignment]
        samples: Any = {"truth": truth, "predicted": tuple(predicted), "rows": partition.rows}
        return ClassLabels(*facts, **samples), partition.notes
    if runs:
        starts = range(0, len(predicted), runs)
        predicted = tuple(np.stack(predicted[first : first + runs]) for first in starts)
    samples = {"truth": truth, "predicted": predicted, "rows": partition.rows}
    return ClassLabels(*facts, **samples, clusters=partition.clusters), partition.notes


def refuse_two_classes(pos_label: Any, undefined: Any) -> None:
    """Raise if something is asked that only two classes have."""
    if pos_label is not None:
        raise ValueError(
            f"pos_label={shown(pos_label)} is for labels of two classes; leave it out to judge all classes."
        )
    if undefined != "exclude":
        raise ValueError("undefined is for two classes; evaluate_multiclass has zero_division for many.")


def _of_first_classes(measures: tuple[ClassMeasure, ...]) -> bool:
    """Whether measures are of the first few classes, or say that these cannot be judged beside others."""
    first = [measure.named_classes > 0 for measure in measures]
    if any(first) and not all(first):
        of_scores, of_labels = measures[first.index(True)], measures[first.index(False)]
        raise ValueError(
            f"{of_scores.name} judges a score of each class, and {of_labels.name} predicted labels: judge "
            "them in separate calls."
        )
    return all(first)


def class_columns(
    y_true: Any,
    y_proba: Any,
    measures: tuple[ProbabilityMeasure, ...],
    labels: Iterable[Any] | None,
    by: Any,
    clusters: Any,
    called: str = "y_pred",
) -> Question:
    """Read a probability, or a score, of each class for each sample."""
    if y_proba is None:
        raise ValueError(f"{measures[0].name} judges a probability of each class: pass y_true and y_pred.")
    classes, truth, models = _matrices(y_true, y_proba, labels, called)
    wanting = [measure.label for measure in measures if measure.probabilities]
    for name, matrix in models.items() if wanting else ():
        _refuse_no_shares(matrix, _argument(called, name), wanting)
    partition = Partition.of(y_true, by, clusters, len(truth))
    facts = tuple(models), partition.groups, classes, truth, tuple(models.values())
    problem = ClassColumns(*facts, partition.rows, partition.clusters)
    return Question(problem, measures, (*partition.notes, *class_order_note(measures, classes)))


def _refuse_no_shares(matrix: FloatArray, argument: str, wanting: list[str]) -> None:
    """Raise if rows are no probabilities of all classes."""
    verb = "needs" if len(wanting) == 1 else "need"
    sums = matrix @ np.ones(matrix.shape[1])
    for wrong, what in (
        (matrix < 0 if matrix.min() < 0 else np.zeros((1, 1)), "a negative number"),
        (~(np.abs(sums - 1) <= SUM_OFF)[:, None], "a sum of {sum:.6g}"),
    ):
        if wrong.any():
            row = int(np.argmax(wrong.any(axis=1)))
            raise ValueError(
                f"{argument} must hold probabilities whose rows add up to 1, which {listed(wanting)} {verb}; "
                f"found {what.format(sum=sums[row])} in row {row}. Divide each row by its sum, or judge "
                "scores by roc_auc_ovr."
            )


def _first_classes(
    y_true: Any,
    y_score: Any,
    measures: tuple[ClassMeasure, ...],
    labels: Iterable[Any] | None,
    by: Any,
    clusters: Any,
) -> Question:
    """Read scores of shape (samples, classes): which classes come first for each sample."""
    classes, truth, models = _matrices(y_true, y_score, labels)
    most = max(measure.named_classes for measure in measures)
    if most >= len(classes):
        raise ValueError(
            f"k must be less than the number of classes, {len(classes):,}, since else every sample is right; "
            f"found {most:,}."
        )
    # Of equal scores the later class counts as the higher, as scikit-learn has it.
    orders = (np.argsort(matrix, axis=1, kind="stable")[:, ::-1] for matrix in models.values())
    first = tuple(np.ascontiguousarray(order[:, :most]) for order in orders)
    partition = Partition.of(y_true, by, clusters, len(truth))
    facts = tuple(models), partition.groups, classes, truth, first
    return Question(TopClasses(*facts, partition.rows, partition.clusters), measures, partition.notes)


def _matrices(
    y_true: Any, y_score: Any, labels: Iterable[Any] | None, called: str = "y_pred"
) -> tuple[tuple[Any, ...], IntArray, dict[str, FloatArray]]:
    """Return the classes, those of the samples, and the scores of each class by model."""
    # Columns of scores are in the order that estimators give classes, which is alphabetical for any text.
    classes, truth, _ = read_classes(y_true, {}, labels, as_numbers=False)
    models = dict(y_score) if isinstance(y_score, Mapping) else {"model": y_score}
    if not models:
        raise ValueError(f"{called} holds no model; give a matrix of scores, or a mapping of names to them.")
    read = {
        str(name): _matrix(_argument(called, name), matrix, len(truth), classes)
        for name, matrix in models.items()
    }
    return classes, truth, read


def _argument(called: str, name: Any) -> str:
    return called if name == "model" else f"{called}[{name!r}]"


def _matrix(argument: str, scores: Any, samples: int, classes: tuple[Any, ...]) -> FloatArray:
    """Return the scores of one model, a row per sample and a column per class."""
    try:
        matrix = numbers(argument, scores)
    except ValueError:
        matrix = np.full(0, np.nan)
    if matrix.ndim != 2:
        raise ValueError(
            f"{argument} must be a matrix of scores, a row per sample and a column per class; found "
            f"{shown(scores)}."
        )
    if math.isnan(float(matrix.sum())) and np.isnan(matrix).any():
        missing = plural(int(np.isnan(matrix).sum()), "missing value")
        raise ValueError(f"{argument} has {missing}; every sample needs its scores.")
    if len(matrix) != samples:
        raise ValueError(
            f"y_true and {argument} must have the same length; found {samples:,} and {len(matrix):,} samples."
        )
    if matrix.shape[1] != len(classes):
        named = listed(map(shown, classes), most=6)
        raise ValueError(
            f"{argument} must hold a score of each of {samples:,} samples for each of {len(classes):,} "
            f"classes ({named}); found shape {matrix.shape}. Name all classes, in the order of the columns, "
            "with labels."
        )
    return matrix


@door
def evaluate_multilabel(
    Y_true: Any,
    Y_pred: Any,
    measures: str | LabelMeasure | Iterable[str | LabelMeasure] | None = None,
    *,
    labels: Iterable[Any] | None = None,
    by: Any = None,
    clusters: Any = None,
    zero_division: float = 0.0,
    **inference: Unpack[Inference],
) -> Question:
    """Judge predicted sets of labels against the best that ignores every feature.

    Parameters
    ----------
    Y_true : array_like or sparse matrix of shape (M, L), data frame, or list of sets
        The true labels: 0 and 1, a column per label; or the set of labels of each sample.
    Y_pred : like `Y_true`, or mapping of str to such
        The predicted labels; a mapping holds those of several models. Columns of data frames are matched by
        their names.
    measures : str, LabelMeasure, or list of them, optional
        The measures; subset accuracy, Hamming loss and micro, macro and samples F1 by default, ``"all"``
        for all measures of sets of labels.
    labels : sequence, optional
        The names of the labels: of the columns, in their order; of sets, all that could occur. By default a
        data frame's own, 0, 1, ... of an array, and those that occur in sets, sorted.

    Returns
    -------
    Scorecard
        ``card.per_label()`` judges each label on its own.

    Raises
    ------
    ValueError
        If there are fewer than two labels or no sample, shapes differ, something else than 0 and 1 occurs,
        labels are not as many and distinct, or a measure is unknown.

    Notes
    -----
    `p_value_blind` is that of whole rows of labels in random order. `p_value`, `low` and `high` are certified
    for subset accuracy and zero-one loss, and come from resamples of the samples for the rest: of how far the
    score is ahead of the answer that attains the bar.

    Examples
    --------
    >>> import clearbar as cb
    >>> Y_true = [{"a"}, {"a", "b"}, {"c"}, {"b"}, {"a"}, {"a", "c"}]
    >>> Y_pred = [{"a"}, {"a", "b"}, {"c"}, {"c"}, {"a"}, {"a"}]
    >>> verdict = cb.evaluate_multilabel(Y_true, Y_pred, "f1_micro")[0]
    >>> round(verdict.score, 3), round(float(verdict.baseline), 3), verdict.outcome
    (0.8, 0.615, 'clears')
    """
    entries, of_empty = chosen_measures(measures, "multilabel"), checked_zero_division(zero_division)
    models = {"model": Y_pred}
    if isinstance(Y_pred, Mapping):
        models = {str(name): value for name, value in Y_pred.items()}
        if not models:
            raise ValueError(
                "Y_pred holds no model; give a table, a list of sets, or a mapping of names to them."
            )
        if len(models) < len(Y_pred):
            twice = [name for name in models if list(map(str, Y_pred)).count(name) > 1]
            raise ValueError(f"Y_pred names more than one model {shown(twice[0])}; give each its own name.")
    truth, sets = read_label_sets(Y_true, by_argument(models, Y_pred, "Y_pred"), labels)
    partition = Partition.of(Y_true, by, clusters, len(truth))
    facts = tuple(models), partition.groups, truth, tuple(sets.values()), partition.rows, of_empty
    return Question(LabelledSamples(*facts, partition.clusters), entries, partition.notes)
