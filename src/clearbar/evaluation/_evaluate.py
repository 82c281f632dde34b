"""Predictions of any kind: which kind they are of, and labels of two classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from clearbar.catalogue import Measure, door
from clearbar.core._typing import Undefined
from clearbar.core.errors import ManyClassesError, shown
from clearbar.data.counting import count_many, is_label_sets, predictions_as_mapping
from clearbar.evaluation._call import remembered
from clearbar.evaluation._judged import How, judged_labels
from clearbar.evaluation._multiclass import evaluate_multiclass, refuse_two_classes
from clearbar.evaluation._multilabel import evaluate_multilabel
from clearbar.evaluation._options import chosen_measures, kind_named
from clearbar.evaluation._parts import read_clusters
from clearbar.evaluation._regression import evaluate_regression
from clearbar.formatting import plural
from clearbar.problems.binary import Labels, SampledLabels, checked_policy, refuse_column
from clearbar.problems.combine import column_labels
from clearbar.scorecard import Scorecard

_NOT_WITH_GIVEN = {
    "by": "given and by cannot be combined for labels; judge the samples of each slice in a call of its own.",
    "clusters": "given and clusters cannot be combined; leave out one of them. Where the column names the "
    "groups, given alone tells what is known beyond the group.",
}

_SEES = "The bars see a column of {values}, and how many samples of each are positive."


@remembered
def evaluate(
    y_true: Any,
    y_pred: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    pos_label: Any = None,
    by: Any = None,
    clusters: Any = None,
    given: Any = None,
    undefined: Undefined = "exclude",
    confidence_level: float = 0.95,
    intervals: bool = True,
    tries: int = 1,  # noqa: ARG001 - for `remembered`
    random_state: Any = 0,
) -> Scorecard:
    """Judge predictions against the best that ignores every feature.

    Parameters
    ----------
    y_true : array_like of shape (M,)
        True labels; of more than two classes, `evaluate_multiclass` judges them, and sets of labels (2-D, of
        0 and 1) `evaluate_multilabel`.
    y_pred : array_like of shape (M,) or (runs, M), mapping, or data frame
        Predicted labels. A mapping or data frame holds a column per model; a 2-D array is one model
        run several times, judged by its mean score: runs share their samples, so the labels are permuted for
        all of them together, and samples and runs are resampled.
    measures : str, Measure, or list of them, optional
        What to judge by; six common measures by default, ``"all"`` for the catalogue. With measures
        of scores, such as ``"roc_auc"``, `y_pred` holds scores, and `evaluate_scores` judges them.
    pos_label : object, optional
        The label of the positive class; 1 for labels within {0, 1}, {-1, 1} or booleans.
    by : array_like of shape (M,), optional
        Slice labels: one verdict for the whole, then one per slice.
    clusters : array_like of shape (M,), optional
        Which samples belong together, such as the patient of each: at least five groups. Then p-values and
        intervals take whole groups, not samples, for independent.
    given : array_like of shape (M,), optional
        A column that the bar may see; see `baseline`. Labels are then permuted within its values.
    undefined : {"exclude", "worst"} or float
        What to do about outcomes without a value; see `baseline`.
    confidence_level : float
        That of `low` and `high`; a score is sure at one minus it.
    intervals : bool
        False leaves out the p-values, for millions of rows in a hurry.
    tries : int
        Each model is the best of so many that were fixed before any score was seen: what is sure is corrected
        for them (Bonferroni). Tries that were chosen by their scores on these labels have no such bound.
    random_state : int, Generator, RandomState or None
        Seed of what is drawn at random, resamples and permutations: the same seed, the same card. None takes
        another each time.

    Returns
    -------
    Scorecard

    Raises
    ------
    ValueError
        If labels cannot be counted, a measure is unknown, or an option is not one of those above.

    Examples
    --------
    >>> import clearbar as cb
    >>> card = cb.evaluate([1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0, 0], ["f1", "mcc"])
    >>> card.clears("f1", alpha=None), card.clears("f1")  # of eight samples none is sure
    (True, False)
    """
    rest = {
        "by": by,
        "clusters": clusters,
        "confidence_level": confidence_level,
        "intervals": intervals,
        "random_state": random_state,
    }
    if given is not None:
        return _seeing_column(y_true, y_pred, measures, given, pos_label, undefined, rest)
    kind = "multilabel" if is_label_sets(y_true) else kind_named(measures)
    return _JUDGED.get(kind, _of_another_kind)(y_true, y_pred, measures, pos_label, undefined, rest)


def _of_two_classes(
    y_true: Any, y_pred: Any, measures: Any, pos_label: Any, undefined: Any, rest: dict[str, Any]
) -> Scorecard:
    """Judge labels of two classes, or of more if there are more."""
    options = {name: value for name, value in rest.items() if name not in {"by", "clusters"}}
    chosen, policy, how = chosen_measures(measures), checked_policy(undefined), How.checked(**options)
    predictions = predictions_as_mapping(y_pred)
    by, clusters = rest["by"], rest["clusters"]
    try:
        table = count_many(y_true, predictions, pos_label=pos_label, by=by, keep=clusters is not None)
    except ManyClassesError:
        return _of_many_classes(y_true, y_pred, measures, pos_label, undefined, rest)
    problem = Labels(table.models, table.groups, table.counts, policy, table.calls)
    notes: tuple[str, ...] = ()
    if table.samples is not None:
        codes, notes = read_clusters(clusters, y_true, len(table.samples.truth))
        problem = SampledLabels(
            table.models, table.groups, table.counts, policy, **table.samples._asdict(), clusters=codes
        )
    return judged_labels(problem, chosen, how, notes)


def _of_another_kind(
    y_true: Any, y_pred: Any, measures: Any, pos_label: Any, undefined: Any, rest: dict[str, Any]
) -> Scorecard:
    """Judge scores, or what measures of one's own kind judge, by the function of that name."""
    if checked_policy(undefined) != "exclude":
        raise ValueError(f"undefined={undefined!r} is for measures of labels; {measures} takes none.")
    answer: Any = door("evaluate", kind_named(measures))
    card: Scorecard = answer(y_true, y_pred, measures, pos_label=pos_label, **rest)
    return card


def _of_many_classes(
    y_true: Any, y_pred: Any, measures: Any, pos_label: Any, undefined: Any, rest: dict[str, Any]
) -> Scorecard:
    """Judge labels of more than two classes, or by a measure of these."""
    refuse_two_classes(pos_label, checked_policy(undefined))
    return evaluate_multiclass(y_true, y_pred, measures, **rest)


def of_label_sets(
    y_true: Any, y_pred: Any, measures: Any, pos_label: Any, undefined: Any, rest: dict[str, Any]
) -> Scorecard:
    """Judge sets of labels."""
    if pos_label is not None:
        raise ValueError(
            f"pos_label={shown(pos_label)} is for one label per sample; leave it out for sets of them."
        )
    if checked_policy(undefined) != "exclude":
        raise ValueError(
            "undefined is for two classes; evaluate_multilabel has zero_division for sets of labels."
        )
    return evaluate_multilabel(y_true, y_pred, measures, **rest)


def _seeing_column(
    y_true: Any, y_pred: Any, measures: Any, given: Any, pos_label: Any, undefined: Any, rest: dict[str, Any]
) -> Scorecard:
    """Judge against bars that see one column."""
    kind = "multilabel" if is_label_sets(y_true) else kind_named(measures)
    refuse_column(kind)
    if kind == "regression":
        return _of_numbers(y_true, y_pred, measures, pos_label, undefined, rest | {"given": given})
    for name in ("by", "clusters"):
        if rest[name] is not None:
            raise ValueError(_NOT_WITH_GIVEN[name])
    options = {name: value for name, value in rest.items() if name not in _NOT_WITH_GIVEN}
    chosen, how = chosen_measures(measures), How.checked(**options)
    models, policy = predictions_as_mapping(y_pred), checked_policy(undefined)
    problem = column_labels(y_true, models, given, pos_label, policy)
    return judged_labels(problem, chosen, how, (_SEES.format(values=plural(len(problem.names), "value")),))


def _of_numbers(
    y_true: Any, y_pred: Any, measures: Any, pos_label: Any, undefined: Any, rest: dict[str, Any]
) -> Scorecard:
    """Judge predicted numbers."""
    if pos_label is not None or checked_policy(undefined) != "exclude":
        raise ValueError("undefined and pos_label are for labels; leave them out for measures of numbers.")
    return evaluate_regression(y_true, y_pred, measures, **rest)


_JUDGED = {
    "binary": _of_two_classes,
    "multiclass": _of_many_classes,
    "multilabel": of_label_sets,
    "regression": _of_numbers,
}
"""Kinds that mind `pos_label` and `undefined` in a way of their own."""
