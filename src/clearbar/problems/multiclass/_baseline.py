"""The bar of many classes, from labels or class sizes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from clearbar.catalogue import get_measure
from clearbar.core._numbers import number_or_nan
from clearbar.core.classes import ClassSizes
from clearbar.core.counts import Population
from clearbar.core.errors import shown
from clearbar.problems.multiclass._measure import ClassMeasure
from clearbar.problems.multiclass.bars import ClassBaseline, bar_of


def baseline_multiclass(
    y_true: Any,
    measure: str | ClassMeasure,
    *,
    labels: Iterable[Any] | None = None,
    zero_division: float = 0.0,
) -> ClassBaseline:
    """Return the best expected score of predictions of many classes that ignore every feature.

    Samples are called classes at random, so many of them each; the best numbers are found in closed form, by
    a greedy search that is exact for sums of concave terms, or by one that says that it is not certified.

    Parameters
    ----------
    y_true : array_like of shape (M,), ClassSizes or Population
        True labels; only the sizes of the classes matter. A population has two: negative and positive.
    measure : str or ClassMeasure
        What is evaluated, such as ``"accuracy"``, ``"f1_macro"`` or ``"mcc"``.
    labels : sequence, optional
        The classes, in the order that weighted kappa takes; by default those that occur, sorted. A class that
        does not occur takes part in plain averages.
    zero_division : {0.0, 1.0, nan}
        What precision, recall, F and Jaccard of a class count as where they are 0/0, as in scikit-learn; nan
        leaves the class out of averages. Each has a bar of its own.

    Returns
    -------
    ClassBaseline

    Raises
    ------
    ValueError
        If labels cannot be read, `labels` lacks one of them, or the measure is unknown.

    Notes
    -----
    Which predictions are best, and why, is derived in the documentation on many classes: the law of a
    confusion matrix with fixed margins is that of the Dutch Draw (van de Bijl et al. 2024) for each pair of a
    true and a predicted class.

    Examples
    --------
    >>> import clearbar as cb
    >>> bar = cb.baseline_multiclass(["cat"] * 5 + ["dog"] * 3 + ["cow"] * 2, "accuracy")
    >>> print(bar)
    accuracy bar 0.500: label all 10 samples "cat"
    """
    entry = get_measure(measure, "multiclass")
    if isinstance(y_true, Population):
        y_true = _of_two(y_true)
    if isinstance(y_true, ClassSizes):
        sizes = y_true if labels is None else y_true.with_labels(labels)
    else:
        sizes = ClassSizes.from_labels(y_true, labels=labels)
    return bar_of(entry, sizes, checked_zero_division(zero_division))


def _of_two(population: Population) -> ClassSizes:
    if population.shape:
        raise ValueError("y_true must be one population; ask for the bars of several one by one.")
    return ClassSizes.of(("negative", "positive"), [population.negatives, population.positives])


def checked_zero_division(value: Any) -> float:
    """Return what 0/0 counts as, or say what it may be."""
    number = number_or_nan(value)
    if number in {0.0, 1.0} or (isinstance(value, float) and math.isnan(value)):
        return number
    raise ValueError(f"zero_division must be 0.0, 1.0 or nan; found {shown(value)}.")
