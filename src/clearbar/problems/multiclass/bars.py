"""The bar of a measure of many classes, of one set of class sizes or an array of them.

The best blind predictions of each measure (`optimum=` of its entry in `measures.py`) are found in
`optima.py`, those that look at all classes together (MCC, G-mean) in `joint.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.core._typing import IntArray
from clearbar.core._value import number_or_nan
from clearbar.core.classes import ClassSizes
from clearbar.core.counts import Population
from clearbar.core.errors import listed, shown
from clearbar.core.reasons import Reason
from clearbar.formatting import plural
from clearbar.inference import Tail
from clearbar.problems.bars import NOTHING_TO_DO, GroupBars, GroupSizes, Recipe
from clearbar.problems.multiclass.exact import certified_p_value
from clearbar.problems.multiclass.measures import ClassMeasure
from clearbar.problems.multiclass.optima import ClassOptimum
from clearbar.problems.multiclass.probability import ProbabilityMeasure
from clearbar.problems.multiclass.tables import Tables

MOST_NAMED = 6  # classes that a recipe tells numbers of; more are counted

CLAIM = (
    "Among all predictions that ignore the features none expects more: they are mixtures of numbers of "
    "samples called each class, given out at random."
)
SEARCHED = (
    "No better one was found among predictions that ignore the features: mixtures of numbers of samples "
    "called each class, given out at random."
)


@dataclass(frozen=True, eq=False)
class Sizes(GroupSizes):
    """Class sizes of many groups of samples, an array of shape (groups, classes); or of one, (classes,)."""

    labels: tuple[Any, ...]
    counts: IntArray

    @property
    def parts(self) -> str:
        """How readers are told the number of classes."""
        return "of {} class" if len(self.labels) == 1 else "of {} classes"

    @property
    def total(self) -> Any:
        """Samples of each group."""
        return self.counts.sum(axis=-1)

    @property
    def leading(self) -> tuple[str, Any]:
        """The class that readers are told the share of, by what it is called."""
        return "largest class", self.counts.max(axis=-1)

    @property
    def classes(self) -> tuple[Any, ...]:
        """The labels of the classes."""
        return self.labels


@dataclass(frozen=True, eq=False, repr=False)
class SearchedBar(GroupBars):
    """The best blind predictions of classes or of sets of labels, found in closed form or by a search.

    A kind brings its `claims`: why nothing does better, and that a search found nothing better.
    """

    certified_units = "samples"
    claims: ClassVar[tuple[str, str]]

    measure: Any
    population: Any
    optima: tuple[Any, ...]
    zero_division: float = 0.0

    def _identity(self) -> tuple[Any, ...]:
        return self.measure, self.population, self.zero_division  # the optima follow from these

    @property
    def claim(self) -> str:
        """The sentence that says why nothing does better, or that nothing better was found."""
        proved, searched = self.claims
        return proved if self._one("claim").certified else searched

    def clearing_score(self, alpha: float = 0.05, *, tries: int = 1) -> float:
        """Refuse: what blind predictions reach, of any number of each class, cannot be listed."""
        raise ValueError(
            f"clearing_score is for two classes: how often blind predictions reach {self.measure.label} "
            f"depends on {self.needed}; judge that."
        )

    def bare(self, near: float, far: float | None = None) -> Tail:
        """Return what is known of question A without predictions: of the share that is right, all."""
        total = int(self.population.total)
        if not self.measure.counts_right or math.isnan(float(self.value)):
            return super().bare(near, far)
        share = [
            value if self.measure.greater_is_better else 1 - value for value in (near, float(self.value))
        ]
        right = (
            math.floor(share[0] * total + 1e-9) if share[0] > share[1] else math.ceil(share[0] * total - 1e-9)
        )
        p_value = certified_p_value(right, total, share[1])
        return Tail.between(p_value, p_value, Reason.of("hoeffding", units=self.certified_units))


@dataclass(frozen=True, eq=False, repr=False)
class ClassBaseline(SearchedBar):
    """The best expected score of predictions that ignore the features, and how to attain it.

    Made by `clearbar.baseline_multiclass`. ``float(bar)`` is the bar.

    Attributes
    ----------
    measure : ClassMeasure
        The measure.
    population : Sizes
        Class sizes; of many groups, and every number here is an array.
    optima : tuple of ClassOptimum
        The best and the worst of each group.
    zero_division : float
        The value of precision, recall or F of a class where it has none.

    Examples
    --------
    >>> import clearbar as cb
    >>> bar = cb.baseline_multiclass(cb.ClassSizes({"a": 50, "b": 30, "c": 20}), "f1_macro")
    >>> print(bar)
    macro F1 bar 0.333: label as many samples with each class as it has, at random
    >>> bar.predicted_counts
    {'a': 50, 'b': 30, 'c': 20}
    """

    measure: ClassMeasure
    population: Sizes
    optima: tuple[ClassOptimum, ...]
    zero_division: float = 0.0

    needed = "the confusion matrix"
    claims = CLAIM, SEARCHED

    @property
    def best_possible(self) -> Any:
        """The score of perfect predictions."""
        perfect = self.measure(Tables.perfect(self.population.counts), self.zero_division)
        return perfect if self.population.shape else float(perfect)

    @property
    def predicted_counts(self) -> dict[Any, int] | None:
        """The number of samples to call each class, one optimum; None where there is no bar."""
        counts = self._one("predicted_counts").counts
        return None if counts is None else dict(zip(self.population.labels, counts.tolist(), strict=True))

    @property
    def attained_by(self) -> Recipe:
        """The predictions that ignore the features and attain the bar."""
        optimum, total = self._one("attained_by"), int(self.population.total)
        if optimum.counts is None:
            return NOTHING_TO_DO
        if optimum.how == "single":
            label = str(self.population.labels[int(np.argmax(optimum.counts))])
            return Recipe("label", f"all {total:,} samples {shown_label(label)}", certain=True, always=label)
        if optimum.how == "first":
            named = np.argsort(-self.population.counts, kind="stable")[: np.count_nonzero(optimum.counts)]
            labels = (shown_label(self.population.labels[code]) for code in named.tolist())
            names = listed(labels, most=MOST_NAMED)
            return Recipe("name", f"{names} for all {total:,} samples", certain=True)
        return {
            "sizes": Recipe("label", "as many samples with each class as it has", "at random"),
            "any": Recipe("label", f"the {total:,} samples with any classes that occur", "at random"),
            "several": Recipe("label", "the samples with two classes at least", "at random"),
            "every": Recipe("label", "samples with each class at least once", "at random"),
        }.get(optimum.how) or Recipe("label", self._numbers(optimum.counts), "at random")

    def _numbers(self, counts: IntArray) -> str:
        order = np.argsort(-counts, kind="stable")
        used = order[: np.count_nonzero(counts)].tolist()
        sizes = [
            plural(int(counts[used[0]]), "sample"),
            *(f"{int(counts[code]):,}" for code in used[1:]),
        ]
        labels = (shown_label(self.population.labels[code]) for code in used)
        return listed(map(" ".join, zip(sizes, labels, strict=True)), most=MOST_NAMED)


@dataclass(frozen=True, eq=False, repr=False)
class ProbabilityBaseline(ClassBaseline):
    """The best expected score of probabilities that ignore the features, and how to attain it."""

    measure: ProbabilityMeasure  # type: ignore[assignment]

    needed = "the probabilities"

    @property
    def best_possible(self) -> Any:
        """The score of a perfect model."""
        return self._of_each(self.measure.perfect)

    @property
    def rounding(self) -> Any:  # type: ignore[override]
        """What constants lose that are off by one sample, as the shares of a split may be."""
        return self._of_each(self.measure.lost_by_one)

    def _of_each(self, function: Callable[[IntArray], float]) -> Any:
        counts = self.population.counts
        return np.array(list(map(function, counts))) if self.population.shape else function(counts)

    @property
    def predicted_counts(self) -> None:
        """None: probabilities call no sample a class."""

    @property
    def claim(self) -> str:
        """The sentence that says why nothing does better."""
        return self.measure.claim

    @property
    def attained_by(self) -> Recipe:
        """What probabilities that ignore the features do to get the bar."""
        how = self._one("attained_by").how
        if how == "shares":
            shares = self.population.counts / int(self.population.total)
            each = (
                f"{share:.3g} of {shown_label(label)}"
                for share, label in zip(shares.tolist(), self.population.labels, strict=True)
            )
            what = (
                f"the probabilities {listed(each)}"
                if len(shares) <= MOST_NAMED
                else "the shares of the classes"
            )
            return Recipe("give", f"every sample {what}", certain=True)
        return SAME_SCORES if how == "scores" else NOTHING_TO_DO


SAME_SCORES = Recipe("give", "every sample the same scores", certain=True)


def get_class_measure(measure: Any) -> Any:
    """Return a measure of predicted classes, or one of probabilities of classes."""
    try:
        return get_measure(measure, "multiclass")
    except ValueError:
        with suppress(ValueError):
            return get_measure(measure, "probabilities")
        raise


def shown_label(label: Any) -> str:
    """Return a label as a sentence has it."""
    return shown(label) if not isinstance(label, str) else f'"{label}"'


def class_bar(
    measure: ClassMeasure | ProbabilityMeasure, sizes: Sizes, zero_division: float
) -> ClassBaseline:
    """Return the bar of each group; equal sizes are looked at once."""
    rows = sizes.counts.reshape(-1, sizes.counts.shape[-1])
    optima = {row.tobytes(): measure.optimum(row, zero_division) for row in np.unique(rows, axis=0)}
    kind: Any = ProbabilityBaseline if isinstance(measure, ProbabilityMeasure) else ClassBaseline
    bar: ClassBaseline = kind(measure, sizes, tuple(optima[row.tobytes()] for row in rows), zero_division)
    return bar


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
        The measure, such as ``"accuracy"``, ``"f1_macro"`` or ``"mcc"``; or, of a probability for each
        class, ``"log_loss"``, ``"brier_score"``, ``"rps"``, ``"roc_auc_ovr"`` or ``"roc_auc_ovo"``.
    labels : sequence, optional
        The classes, in the order that weighted kappa takes; by default those that occur, sorted. A class that
        does not occur takes part in plain averages.
    zero_division : {0.0, 1.0, nan}
        The value of precision, recall, F and Jaccard of a class where they are 0/0, as in scikit-learn; nan
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
    Which predictions are best is in the documentation on many classes: the distribution of a confusion
    matrix with fixed margins is that of the Dutch Draw (van de Bijl et al. 2024) for each pair of a true and
    a predicted class.

    Examples
    --------
    >>> import clearbar as cb
    >>> bar = cb.baseline_multiclass(["cat"] * 5 + ["dog"] * 3 + ["cow"] * 2, "accuracy")
    >>> print(bar)
    accuracy bar 0.500: label all 10 samples "cat"
    """
    entry = get_class_measure(measure)
    if isinstance(y_true, Population):
        if y_true.shape:
            raise ValueError("y_true must be one population; ask for the bars of several one by one.")
        y_true = ClassSizes.of(("negative", "positive"), [y_true.negatives, y_true.positives])
    if isinstance(y_true, ClassSizes):
        sizes = y_true if labels is None else y_true.with_labels(labels)
    else:
        sizes = ClassSizes.from_labels(y_true, labels=labels)
    return class_bar(entry, Sizes(sizes.labels, sizes.counts), checked_zero_division(zero_division))


def checked_zero_division(value: Any) -> float:
    """Return what 0/0 counts as, or say what it may be."""
    number = number_or_nan(value)
    if number in {0.0, 1.0} or (isinstance(value, float) and math.isnan(value)):
        return number
    raise ValueError(f"zero_division must be 0.0, 1.0 or nan; found {shown(value)}.")
