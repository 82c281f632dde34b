"""The bar of a measure of sets of labels, of one group of samples or several."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.core._typing import BoolArray, IntArray
from clearbar.core.errors import listed
from clearbar.core.label_sets import LabelSets
from clearbar.data.label_sets import read_label_sets
from clearbar.problems.bars import NOTHING_TO_DO, GroupSizes, Recipe
from clearbar.problems.multiclass import checked_zero_division
from clearbar.problems.multiclass.bars import MOST_NAMED, SearchedBar, shown_label
from clearbar.problems.multilabel.measures import LabelMeasure
from clearbar.problems.multilabel.optima import LabelOptimum
from clearbar.problems.multilabel.units import Compared

CLAIM = (
    "Among all predictions that ignore the features none expects more: they are mixtures of sets of labels, "
    "given out to the samples at random."
)
SEARCHED = (
    "No better one was found among predictions that ignore the features: mixtures of sets of labels, given "
    "out to the samples at random."
)


@dataclass(frozen=True, eq=False)
class LabelCounts(GroupSizes):
    """How many samples have each label, of shape (groups, labels) or (labels,), and how many there are."""

    labels: tuple[Any, ...]
    counts: IntArray
    total: Any

    parts = "with {} labels"
    arrays = ("counts", "total")

    @property
    def leading(self) -> tuple[str, Any]:
        """The label that readers are told the share of, by what it is called."""
        return "commonest label", self.counts.max(axis=-1)

    @property
    def classes(self) -> tuple[Any, ...]:
        """The labels, as a sentence counts them."""
        return tuple(label if isinstance(label, str) else f"label {label}" for label in self.labels)


@dataclass(frozen=True, eq=False, repr=False)
class LabelBaseline(SearchedBar):
    """The best expected score of sets of labels that ignore the features, and how to attain it.

    Made by `clearbar.baseline_multilabel`. ``float(bar)`` is the bar.

    Attributes
    ----------
    measure : LabelMeasure
        The measure.
    population : LabelCounts
        The number of samples, and of those with each label; of many groups, and every number here is
        an array.
    optima : tuple of LabelOptimum
        The best and the worst of each group.
    zero_division : float
        The value of precision, recall, F or Jaccard where it has none.

    Examples
    --------
    >>> import clearbar as cb
    >>> Y_true = [{"a"}, {"a", "b"}, {"a", "c"}, {"b"}, {"a"}]
    >>> bar = cb.baseline_multilabel(Y_true, "f1_micro")
    >>> print(bar)
    micro F1 bar 0.706: predict labels "a" and "b" for every sample
    >>> bar.predicted_labels
    ('a', 'b')
    """

    measure: LabelMeasure
    population: LabelCounts
    optima: tuple[LabelOptimum, ...]
    zero_division: float = 0.0

    claims = CLAIM, SEARCHED

    def _identity(self) -> tuple[Any, ...]:
        numbers = (np.asarray(value) for value in (self.value, self.worst_value, self.best_possible))
        return self.measure, self.population, self.zero_division, *numbers

    @property
    def predicted_labels(self) -> tuple[Any, ...] | None:
        """The labels to call for every sample; None where there is no bar."""
        labels, called = self.population.labels, self._one("predicted_labels").called
        return None if called is None else tuple(labels[code] for code in np.flatnonzero(called))

    @property
    def attained_by(self) -> Recipe:
        """The predictions that ignore the features and attain the bar."""
        optimum, labels = self._one("attained_by"), self.population.labels
        if optimum.called is None:
            return NOTHING_TO_DO
        named = "every label" if optimum.called.all() else _named(labels, optimum.called)
        what = f"{named} for every sample" if named else "no label for any sample"
        if optimum.for_some is None:
            return Recipe("predict", what, certain=True)
        label, times = optimum.for_some
        for_some = (
            f"label {shown_label(labels[label])} for {times:,} of {int(self.population.total):,} at random"
        )
        return Recipe("predict", f"{what} and {for_some}" if named else for_some)


def _named(labels: tuple[Any, ...], called: BoolArray) -> str:
    """Name labels; empty if there are none."""
    named = [shown_label(labels[label]) for label in np.flatnonzero(called)]
    return f"label{'s' * (len(named) > 1)} {listed(named, most=MOST_NAMED)}" if named else ""


def label_bar(measure: LabelMeasure, groups: tuple[LabelSets, ...], zero_division: float) -> LabelBaseline:
    """Return the bar of each group."""
    counts = np.stack([truth.counts for truth in groups])
    population = LabelCounts(groups[0].labels, counts, np.array([len(truth) for truth in groups]))
    optima = tuple(
        measure.optimum(truth, zero_division)._replace(
            best_possible=Compared(truth, truth).score(measure, zero_division)
        )
        for truth in groups
    )
    return LabelBaseline(measure, population, optima, zero_division)


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
        The measure, such as ``"f1_micro"``, ``"f1_samples"`` or ``"subset_accuracy"``.
    labels : sequence, optional
        The names of the labels: of the columns, in their order; of sets, all that could occur. By default a
        data frame's own, 0, 1, ... of an array, and those that occur in sets, sorted.
    zero_division : {0.0, 1.0, nan}
        The value of precision, recall, F and Jaccard of a label or a sample where they are 0/0, as in
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
