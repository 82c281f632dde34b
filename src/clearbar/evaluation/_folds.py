"""Cross-validation: labels and folds, or the counts of folds, to a scorecard."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import Undefined
from clearbar.core.counts import Counts
from clearbar.core.errors import ManyClassesError
from clearbar.data.counting import count_many
from clearbar.data.label_sets import is_label_sets
from clearbar.data.predictions import predictions_as_mapping
from clearbar.evaluation._call import remembered
from clearbar.evaluation._fold_classes import (
    are_fold_matrices,
    checked_class_options,
    judged_fold_classes,
    of_fold_matrices,
)
from clearbar.evaluation._judged import How, judged, stacked
from clearbar.evaluation._options import chosen_measures, kind_named, order_taken
from clearbar.evaluation._splits import Split, folds_of
from clearbar.problems.binary import checked_policy
from clearbar.problems.combine import FoldLabels, Way, chosen_way
from clearbar.problems.validation import UNKNOWN, Validation
from clearbar.scorecard import Scorecard


@remembered
def evaluate_folds(
    y_true: Any,
    y_pred: Any,
    folds: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    aggregate: str = "pooled",
    fold_aware: bool = False,
    pos_label: Any = None,
    undefined: Undefined = "exclude",
    confidence_level: float = 0.95,
    intervals: bool = True,
    tries: int = 1,  # noqa: ARG001 - for `remembered`
    random_state: Any = 0,
) -> Scorecard:
    """Judge cross-validated predictions, folds combined in one way, bar and p-value in the same.

    Parameters
    ----------
    y_true : array_like of shape (M,)
        True labels, of two classes or more.
    y_pred : array_like of shape (M,), mapping, or data frame
        Predicted labels, each made by the model that did not see the sample. A mapping or data frame
        holds a column per model.
    folds : array_like of shape (M,), or iterable of (train, test) pairs
        The fold in which each sample was tested, or what ``cv.split`` of scikit-learn yields.
    measures : str, Measure, or list of them, optional
        What to judge by; six common measures by default, ``"all"`` for the catalogue.
    aggregate : str
        ``"pooled"``: counts are added up over folds, then scored (F_tp,fp): scores the procedure.
        ``"mean"``: the mean of the folds' scores (F_avg): scores the models fitted; F scores count 0
        where they have no value. ``"mean_of_defined"``: the same over the folds in which what the
        measure requires holds. ``"precision_recall"``: the measure of mean precision and mean recall
        (F_pr,re), for functions of the two. ``"precision_recall_of_defined"``: the same over folds in
        which all have a value. More than two classes know the first two.
    fold_aware : bool
        Whether blind predictions that pooled scores are compared with may know each fold's share of
        positives. Other ways of combining always grant them that.
    pos_label : object, optional
        The label of the positive class; 1 for labels within {0, 1}, {-1, 1} or booleans.
    undefined : {"exclude", "worst"} or float
        What to do about outcomes without a value; see `baseline`.
    intervals : bool
        False leaves out the p-values. That of pooled counts is the exact conditional
        Cochran-Mantel-Haenszel test.
    confidence_level, tries, random_state
        As for `evaluate`.

    Returns
    -------
    Scorecard

    Raises
    ------
    ValueError
        If labels cannot be counted, there are fewer than two folds, fold ids are not as many as
        samples, a fold has no samples or samples are tested twice, or an option is unknown.

    References
    ----------
    Forman and Scholz, Apples-to-apples in cross-validation studies, SIGKDD Explorations 12(1), 2010.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true = [1, 0, 0, 1, 0, 0, 1, 0]
    >>> y_pred = [1, 0, 0, 1, 1, 0, 0, 0]
    >>> card = cb.evaluate_folds(y_true, y_pred, [1, 1, 1, 1, 2, 2, 2, 2], "f1", aggregate="mean")
    >>> card[0].score
    0.5
    """
    how = How.checked(confidence_level, intervals, random_state)
    options = measures, aggregate, fold_aware, undefined
    if is_label_sets(y_true):
        raise ValueError(
            "evaluate_folds is for one label of each sample; evaluate_multilabel(Y_true, Y_pred, by=folds) "
            "judges sets of labels, the tests of all folds together and each fold."
        )
    if kind_named(measures) == "multiclass":
        many = checked_class_options(*options, pos_label)
        return judged_fold_classes(y_true, y_pred, folds_of(folds, y_true), many, how)
    chosen, way, policy = checked_fold_options(*options)
    split = folds_of(folds, y_true)
    try:
        problem = fold_labels(y_true, y_pred, split, way, policy, pos_label=pos_label)
    except ManyClassesError:
        many = checked_class_options(*options, pos_label)
        return judged_fold_classes(y_true, y_pred, split, many, how)
    return judged(problem, chosen, how, split.notes)


def fold_labels(
    y_true: Any,
    y_pred: Any,
    split: Split,
    way: Way,
    undefined: Undefined,
    *,
    pos_label: Any,
    validation: Validation = UNKNOWN,
) -> FoldLabels:
    """Count what happened in each fold."""
    table = count_many(y_true, predictions_as_mapping(y_pred), pos_label=pos_label, by=split.codes)
    if len(table.counts.shape) == 3:
        raise ValueError(
            "y_pred must hold one prediction per sample and model; give repeated runs a name each, as models."
        )
    counts = table.counts[:, 1 + split.outside :]
    calls = None if split.outside or validation.overlaps else table.calls
    return FoldLabels(table.models, counts, split.names, way, undefined, validation=validation, calls=calls)


@remembered
def evaluate_fold_counts(
    counts: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    folds: Iterable[Any] | None = None,
    aggregate: str = "pooled",
    fold_aware: bool = False,
    undefined: Undefined = "exclude",
    confidence_level: float = 0.95,
    intervals: bool = True,
    tries: int = 1,  # noqa: ARG001 - for `remembered`
    random_state: Any = 0,
) -> Scorecard:
    """Judge the confusion matrices of folds; as `evaluate_folds`, from what was counted elsewhere.

    Parameters
    ----------
    counts : Counts, list of ConfusionMatrix, or mapping of str to them
        Arrays with a matrix per fold, or a list of a `ConfusionMatrix` for each; a mapping holds those of
        each model, on the same folds.
    measures, aggregate, fold_aware, undefined, confidence_level, intervals, tries, random_state
        As for `evaluate_folds`.
    folds : iterable, optional
        Names of the folds; 1, 2, ... by default.

    Returns
    -------
    Scorecard

    Raises
    ------
    ValueError
        If there are fewer than two folds, one has no samples, models differ in their class sizes, or
        an option is unknown.

    References
    ----------
    Forman and Scholz, Apples-to-apples in cross-validation studies, SIGKDD Explorations 12(1), 2010.

    Examples
    --------
    The counts of their table 1:

    >>> import clearbar as cb
    >>> counts = cb.Counts(tp=[3, 4, 4, 3], fp=[0, 1, 13, 5], fn=[0, 0, 0, 1], tn=[373, 371, 359, 367])
    >>> round(cb.evaluate_fold_counts(counts, "f1")[0].score, 4)
    0.5833
    >>> round(cb.evaluate_fold_counts(counts, "f1", aggregate="mean")[0].score, 4)
    0.6925
    """
    how = How.checked(confidence_level, intervals, random_state)
    if are_fold_matrices(counts):
        many, class_way = checked_class_options(measures, aggregate, fold_aware, undefined, None)
        of_classes = of_fold_matrices(counts, folds, class_way)
        order = order_taken(many, of_classes.sizes.labels)
        return judged(of_classes, many, how, order)
    chosen, way, policy = checked_fold_options(measures, aggregate, fold_aware, undefined)
    models, together = stacked(counts, "folds", 2)
    length = together.shape[1]
    names = tuple(range(1, length + 1)) if folds is None else tuple(folds)
    if len(names) != length:
        raise ValueError(f"folds must name each of the {length:,} folds; found {len(names):,} names.")
    _refuse_empty(together, names)
    problem = FoldLabels(models, together, names, way, policy)
    return judged(problem, chosen, how)


def checked_fold_options(
    measures: Any, aggregate: Any, fold_aware: Any, undefined: Any
) -> tuple[tuple[Measure, ...], Way, Undefined]:
    """Return the measures, the way and the policy, or say what can be asked for; nothing is computed."""
    chosen, policy = chosen_measures(measures), checked_policy(undefined)
    way = chosen_way(aggregate, fold_aware)
    way.refuse(chosen)
    return chosen, way, policy


def _refuse_empty(counts: Counts, names: tuple[Any, ...]) -> None:
    empty = np.flatnonzero(np.asarray(counts.total)[0] == 0)
    if empty.size:
        raise ValueError(
            f"fold {names[int(empty[0])]} has no samples, so nothing was tested there; leave it out."
        )
