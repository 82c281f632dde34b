"""Predictions of any kind: which kind they are of, and labels of two classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from inspect import signature
from typing import Any

from clearbar.catalogue import KINDS, Measure, door
from clearbar.core._typing import Undefined
from clearbar.core.errors import ManyClassesError, listed, shown
from clearbar.data.counting import count_many
from clearbar.data.label_sets import is_label_sets
from clearbar.data.labels import MOST_CLASSES, kind_of
from clearbar.data.predictions import predictions_as_mapping
from clearbar.evaluation._call import remembered
from clearbar.evaluation._judged import How, judged
from clearbar.evaluation._options import chosen_measures, kind_named
from clearbar.evaluation._parts import read_clusters
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
    options = {
        "pos_label": pos_label,
        "by": by,
        "clusters": clusters,
        "given": given,
        "undefined": undefined,
        "confidence_level": confidence_level,
        "intervals": intervals,
        "random_state": random_state,
    }
    kind = "multilabel" if is_label_sets(y_true) else kind_named(measures)
    if given is not None:
        refuse_column(kind)
    if kind != "binary":
        return of_kind(kind, y_true, y_pred, measures, options)
    if given is not None:
        return _seeing_column(y_true, y_pred, measures, options)
    try:
        return _of_two_classes(y_true, y_pred, measures, options)
    except ManyClassesError:
        card = of_kind("multiclass", y_true, y_pred, measures, options)
    return replace(card, notes=(*card.notes, *_of_many_numbers(card.problem)))


def _of_many_numbers(problem: Any) -> tuple[str, ...]:
    """Say that numbers were taken for classes, where they are so many that they may be counts."""
    labels = problem.sizes.labels
    if len(labels) <= MOST_CLASSES or kind_of(labels[0]) != "numbers":
        return ()
    sentence = (
        f"The {len(labels):,} different numbers of y_true and y_pred are taken for classes; counts and other "
        "amounts are judged by evaluate_regression."
    )
    return (sentence,)


def of_kind(kind: str, y_true: Any, y_pred: Any, measures: Any, options: Mapping[str, Any]) -> Scorecard:
    """Judge predictions by the function of a kind, with the options of `evaluate` that were given to it."""
    answer: Any = door("evaluate", kind)
    defaults = {name: it.default for name, it in signature(evaluate).parameters.items()}
    given = {name: value for name, value in options.items() if not _is_default(value, defaults[name])}
    taken = signature(answer).parameters
    foreign = [name for name in given if name not in taken]
    if foreign:
        value = f"={shown(given[foreign[0]])}" if len(foreign) == 1 else ""
        are, them = ("are", "them") if len(foreign) > 1 else ("is", "it")
        instead = "undefined" in foreign and "zero_division" in taken
        hint = f"; {answer.__name__} has zero_division" if instead else ""
        raise ValueError(
            f"{listed(foreign)}{value} {are} not for {KINDS[kind].judges}; leave {them} out{hint}."
        )
    card: Scorecard = answer(y_true, y_pred, measures, **given)
    return card


def _is_default(value: Any, default: Any) -> bool:
    """Whether an option is as it is where it is not given; arrays are compared with nothing."""
    return value is default or (isinstance(value, (str, float, int)) and value == default)


def _of_two_classes(y_true: Any, y_pred: Any, measures: Any, options: Mapping[str, Any]) -> Scorecard:
    """Judge labels of two classes."""
    chosen, policy, how = chosen_measures(measures), checked_policy(options["undefined"]), _how(options)
    predictions = predictions_as_mapping(y_pred)
    by, clusters = options["by"], options["clusters"]
    table = count_many(y_true, predictions, pos_label=options["pos_label"], by=by, keep=clusters is not None)
    problem = Labels(table.models, table.groups, table.counts, policy, table.calls)
    notes: tuple[str, ...] = ()
    if table.samples is not None:
        codes, notes = read_clusters(clusters, y_true, len(table.samples.truth))
        problem = SampledLabels(
            table.models, table.groups, table.counts, policy, **table.samples._asdict(), clusters=codes
        )
    return judged(problem, chosen, how, notes)


def _how(options: Mapping[str, Any]) -> How:
    return How.checked(options["confidence_level"], options["intervals"], options["random_state"])


def _seeing_column(y_true: Any, y_pred: Any, measures: Any, options: Mapping[str, Any]) -> Scorecard:
    """Judge labels of two classes against bars that see one column."""
    for name, why in _NOT_WITH_GIVEN.items():
        if options[name] is not None:
            raise ValueError(why)
    chosen, policy, how = chosen_measures(measures), checked_policy(options["undefined"]), _how(options)
    models = predictions_as_mapping(y_pred)
    problem = column_labels(y_true, models, options["given"], options["pos_label"], policy)
    return judged(problem, chosen, how, (_SEES.format(values=plural(len(problem.names), "value")),))
