"""The bar of labels and a measure."""

from __future__ import annotations

import importlib
from typing import Any

from clearbar.catalogue import Measure, door, get_measure
from clearbar.core._typing import Undefined
from clearbar.core.classes import ClassSizes
from clearbar.core.counts import Population, already_counted
from clearbar.core.errors import ManyClassesError, shown
from clearbar.problems.binary._baseline import Baseline
from clearbar.problems.binary._policy import checked_policy
from clearbar.problems.binary._search import extremes
from clearbar.problems.binary._tries import checked_tries, extremes_of_tries


def baseline(
    y_true: Any,
    measure: str | Measure,
    *,
    pos_label: Any = None,
    undefined: Undefined = "exclude",
    given: Any = None,
    tries: int = 1,
) -> Baseline:
    """Return the best expected score of any classifier that ignores its input.

    Parameters
    ----------
    y_true : array_like of shape (M,), Population or ClassSizes
        True labels; only their numbers matter; of more than two classes, for
        `baseline_multiclass`, and sets of labels (2-D, of 0 and 1) for `baseline_multilabel`. An array of
        populations gives arrays.
    measure : str or Measure
        What is evaluated. A measure of scores, such as ``"roc_auc"``, is handed to `baseline_scores`.
    pos_label : object, optional
        The label of the positive class; 1 for labels within {0, 1}, {-1, 1} or booleans.
    undefined : {"exclude", "worst"} or float
        What to do about outcomes at which the measure has no value: leave out the draws that can
        lead to one, count them as the worst value that any table of M samples has (Stat. Neerl.
        2.2.1), or give them this number (scikit-learn's ``zero_division``).
    given : array_like of shape (M,), optional
        A column that predictions may see, such as the site of each sample: the bar is then that of the best
        draw for each of its values. For labels of two classes, and for numbers.
    tries : int
        What the best of so many tries can expect, all with the same number of predicted positives and each
        drawn anew, of two classes: the bar for the best of so many models.

    Returns
    -------
    Baseline

    Raises
    ------
    ValueError
        If the labels are not binary, the measure is unknown or the policy is none of the above.

    References
    ----------
    van de Bijl et al., The Dutch Draw, J. Appl. Prob. 2024, section 4; Pries et al., The optimal
    input-independent baseline for binary classification, Statistica Neerlandica 2023, theorem 1.

    Examples
    --------
    >>> import clearbar as cb
    >>> bar = cb.baseline(cb.Population(303, 139), "f1")
    >>> round(bar.value, 3), bar.max.predicted_positives
    (0.629, (range(303, 304),))
    """
    policy, several = checked_policy(undefined), checked_tries(tries)
    kind, entry = _kind_of(y_true, measure)
    if given is None and kind == "binary":
        population = population_of(y_true, pos_label)
        if population is not None:
            return _of_two_classes(entry, population, policy, several)
        kind = "multiclass"
    if several > 1:
        raise ValueError(f"tries={several} is for labels and measures of two classes; leave it out.")
    bar: Baseline
    if given is not None:
        bar = _seeing_column(y_true, kind, entry, given, pos_label, policy)
        return bar
    if policy != "exclude":
        raise ValueError(f"undefined={undefined!r} is for measures of two classes; {measure} takes none.")
    answer: Any = door("baseline", kind)
    if kind == "scores":
        bar = answer(y_true, entry, pos_label=pos_label)
        return bar
    if pos_label is not None:
        raise ValueError(f"pos_label={shown(pos_label)} is for labels of two classes; leave it out.")
    needed = {"regression": "targets", "multilabel": "sets of labels"}.get(kind)
    if needed and isinstance(y_true, (Population, ClassSizes)):
        raise ValueError(f"{entry.name} needs the {needed} themselves; found {type(y_true).__name__}.")
    bar = answer(y_true, measure)
    return bar


def _kind_of(y_true: Any, measure: str | Measure) -> tuple[str, Measure]:
    """Return the kind of labels and measure, as far as labels of two and of more classes need no look."""
    if isinstance(y_true, ClassSizes):
        return "multiclass", get_measure(measure)
    if not isinstance(y_true, Population):  # of numbers alone, no reader of labels is loaded
        from clearbar.data.label_sets import is_label_sets

        if is_label_sets(y_true):
            return "multilabel", get_measure(measure, "multilabel")
    entry = get_measure(measure)
    return entry.kind, entry


def population_of(y_true: Any, pos_label: Any) -> Population | None:
    """Return the class sizes; None of more than two classes."""
    if isinstance(y_true, Population):
        return already_counted(y_true, pos_label)
    from clearbar.data.counting import population_from_labels

    try:
        return population_from_labels(y_true, pos_label=pos_label)
    except ManyClassesError:
        return None


def _of_two_classes(measure: Measure, population: Population, policy: Undefined, tries: int) -> Baseline:
    if tries == 1:
        return Baseline(measure, population, policy, *extremes(measure, population, policy))
    if population.shape:
        raise ValueError("tries is for one population; ask for the bars of several one by one.")
    ends = extremes_of_tries(measure, int(population.total), int(population.positives), policy, tries)
    return Baseline(measure, population, policy, *ends, tries)


def _seeing_column(
    y_true: Any, kind: str, entry: Measure, given: Any, pos_label: Any, policy: Undefined
) -> Any:
    """Return the bar of predictions that see one column."""
    refuse_column(kind, y_true)
    if kind == "binary":
        folds: Any = importlib.import_module("clearbar.problems.folds")  # which stands above this room
        return folds.column_baseline(y_true, entry, given, pos_label, policy)
    if policy != "exclude" or pos_label is not None:
        raise ValueError(f"undefined and pos_label are for labels; leave them out for {entry.name}.")
    answer: Any = door("baseline", kind)
    return answer(y_true, entry, given=given)


def refuse_column(kind: str, y_true: Any = None) -> None:
    """Raise where no bar may see a column."""
    if kind not in {"binary", "regression"}:
        raise ValueError("given is for measures of two classes and of numbers; leave it out for others.")
    if isinstance(y_true, Population):
        raise ValueError("given needs the labels themselves, sample by sample; found a Population.")
