"""Labels of many classes: confusion matrices, bars, verdicts, scorecard."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from clearbar.core.classes import ConfusionMatrix
from clearbar.core.errors import shown
from clearbar.data.classes import confusion_matrices, read_classes, read_model_runs
from clearbar.data.predictions import by_argument, has_fractions, predictions_as_mapping
from clearbar.evaluation._call import remembered
from clearbar.evaluation._judged import How, judged
from clearbar.evaluation._options import chosen_measures, order_taken
from clearbar.evaluation._parts import Parts
from clearbar.evaluation._top import judged_top, names_top
from clearbar.problems.multiclass import ClassLabels, ClassMeasure, SampledClasses, checked_zero_division
from clearbar.scorecard import Scorecard


@remembered
def evaluate_multiclass(
    y_true: Any,
    y_pred: Any = None,
    measures: str | ClassMeasure | Iterable[str | ClassMeasure] | None = None,
    *,
    labels: Iterable[Any] | None = None,
    by: Any = None,
    clusters: Any = None,
    zero_division: float = 0.0,
    confidence_level: float = 0.95,
    intervals: bool = True,
    tries: int = 1,  # noqa: ARG001 - for `remembered`
    random_state: Any = 0,
) -> Scorecard:
    """Judge predictions of many classes against the best that ignores every feature.

    Parameters
    ----------
    y_true : array_like of shape (M,), ConfusionMatrix, or mapping of str to ConfusionMatrix
        True labels; or what was counted elsewhere, one matrix per model, and no `y_pred`.
    y_pred : array_like of shape (M,) or (runs, M), mapping, or data frame
        Predicted labels. A mapping or data frame holds a column per model; a 2-D array is one model run
        several times, judged by its mean score, as for `evaluate`. For top-k accuracy a score of
        each class: a matrix of shape (M, K), or a mapping of model names to them, columns in the order of
        `labels`; of equal scores the later class counts as the higher, as in scikit-learn.
    measures : str, ClassMeasure, or list of them, optional
        What to judge by; accuracy, balanced accuracy, macro and weighted F1 and MCC by default, ``"all"`` for
        all measures of many classes.
    labels : sequence, optional
        The classes, in the order that weighted kappa takes; by default those that occur in `y_true` or
        `y_pred`, sorted, text that is numbers by these: a class that is only predicted takes part in plain
        averages.
    by : array_like of shape (M,), optional
        Slice labels: one verdict for the whole, then one per slice.
    clusters : array_like of shape (M,), optional
        Which samples belong together, as for `evaluate`.
    zero_division : {0.0, 1.0, nan}
        What 0/0 counts as; see `baseline_multiclass`.
    intervals : bool
        False leaves out the p-values.
    confidence_level, tries, random_state
        As for `evaluate`.

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
    chosen = chosen_measures(measures, "multiclass")
    empty = checked_zero_division(zero_division)
    if y_pred is not None and isinstance(y_true, ConfusionMatrix):
        raise ValueError("y_true is a ConfusionMatrix, which holds the predictions; leave y_pred out.")
    how = How.checked(confidence_level, intervals, random_state)
    if names_top(chosen):
        if y_pred is None:
            raise ValueError(f"{chosen[0].name} judges a score of each class: pass y_true and y_pred.")
        return judged_top(y_true, y_pred, chosen, labels, by, clusters, how)
    if has_fractions(y_pred) and y_pred.ndim == 2:
        raise ValueError(
            f"y_pred has shape {y_pred.shape}; of scores of each class pass the largest, "
            "labels[y_pred.argmax(axis=1)], or judge them by 'top_2_accuracy'."
        )
    notes: tuple[str, ...] = ()
    if y_pred is None:
        if by is not None or labels is not None or clusters is not None:
            raise ValueError("by, clusters and labels are for labels; a ConfusionMatrix has its own.")
        problem = of_matrices(y_true, empty)
    else:
        problem, notes = of_labels(y_true, y_pred, labels, by, clusters, empty)
    return judged(problem, chosen, how, (*notes, *order_taken(chosen, problem.matrices[0][0].labels)))


def of_matrices(matrices: Any, zero_division: float) -> ClassLabels:
    """Return the problem of matrices that were counted elsewhere."""
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
    return ClassLabels(
        tuple(map(str, models)), (None,), tuple((matrix,) for matrix in models.values()), zero_division
    )


def of_labels(
    y_true: Any, y_pred: Any, labels: Iterable[Any] | None, by: Any, clusters: Any, zero_division: float
) -> tuple[ClassLabels, tuple[str, ...]]:
    """Return the problem of labels, and notes on what belongs together."""
    models = predictions_as_mapping(y_pred)
    named = by_argument(models, y_pred)
    columns, runs = read_model_runs(y_true, named)
    if "y_pred" in named and not runs and by is None and clusters is None:
        matrix = ConfusionMatrix.from_labels(y_true, columns["y_pred"], labels=labels)
        return ClassLabels(tuple(models), (None,), ((matrix,),), zero_division), ()
    known, truth, codes = read_classes(y_true, columns, labels)
    parts = Parts.of(y_true, by, clusters, len(truth))
    own = tuple(codes.values())
    counted = tuple(
        confusion_matrices(known, truth, one, parts.places, len(parts.groups) - 1)
        for one in own[:: max(runs, 1)]
    )
    held = tuple(models), parts.groups, counted, zero_division
    if parts.together is None and not runs:
        if len(models) == 1:
            return ClassLabels(*held), parts.notes
        narrow = np.min_scalar_type(len(known))  # kept for comparing models
        kept = tuple(one.astype(narrow) for one in (truth, *own))
        return ClassLabels(*held, truth=kept[0], predicted=kept[1:]), parts.notes
    if runs:
        own = tuple(np.stack(own[first : first + runs]) for first in range(0, len(own), runs))
    problem = SampledClasses(*held, truth=truth, predicted=own, rows=parts.rows, clusters=parts.together)
    return problem, parts.notes


def refuse_two_classes(pos_label: Any, undefined: Any) -> None:
    """Raise if something is asked that only two classes have."""
    if pos_label is not None:
        raise ValueError(
            f"pos_label={shown(pos_label)} is for labels of two classes; leave it out to judge all classes."
        )
    if undefined != "exclude":
        raise ValueError("undefined is for two classes; evaluate_multiclass has zero_division for many.")
