"""The bar of sets of labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from clearbar.catalogue import get_measure
from clearbar.data.label_sets import read_label_sets
from clearbar.problems.multiclass import checked_zero_division
from clearbar.problems.multilabel.bars import LabelBaseline, label_bar
from clearbar.problems.multilabel.measures import LabelMeasure


def baseline_multilabel(
    Y_true: Any,
    measure: str | LabelMeasure,
    *,
    labels: Iterable[Any] | None = None,
    zero_division: float = 0.0,
) -> LabelBaseline:
    """Return the best expected score of sets of labels that ignore every feature.

    Parameters
    ----------
    Y_true : array_like or sparse matrix of shape (M, L), data frame, or list of sets
        The true labels: 0 and 1, a column per label; or the set of labels of each sample.
    measure : str or LabelMeasure
        What is evaluated, such as ``"f1_micro"``, ``"f1_samples"`` or ``"subset_accuracy"``.
    labels : sequence, optional
        The names of the labels: of the columns, in their order; of sets, all that could occur. By default a
        data frame's own, 0, 1, ... of an array, and those that occur in sets, sorted.
    zero_division : {0.0, 1.0, nan}
        What precision, recall, F and Jaccard of a label or a sample count as where they are 0/0, as in
        scikit-learn; nan leaves it out of averages. Each has a bar of its own.

    Returns
    -------
    LabelBaseline

    Raises
    ------
    ValueError
        If there are fewer than two labels or no sample, something else than 0 and 1 occurs, labels are not
        as many and distinct, or the measure is unknown.

    Notes
    -----
    Which predictions are best, and why, is derived in the documentation on many labels. The bars of
    ``"jaccard_samples"`` and ``"jaccard_micro"`` are searched; `certified` says whether the search is proved
    to have found the best.

    Examples
    --------
    >>> import clearbar as cb
    >>> Y_true = [[1, 1, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1], [0, 0, 1]]
    >>> print(cb.baseline_multilabel(Y_true, "subset_accuracy"))
    subset accuracy bar 0.400: predict labels 0 and 1 for every sample
    """
    entry = get_measure(measure, "multilabel")
    truth, _ = read_label_sets(Y_true, {}, labels)
    return label_bar(entry, (truth,), checked_zero_division(zero_division))[0]
