"""Counts of two classes, or confusion matrices: bars, verdicts, scorecard."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from clearbar.core._typing import Undefined
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.counts import Counts
from clearbar.core.errors import in_given_order
from clearbar.evaluation._call import remembered
from clearbar.evaluation._judged import How, judged, stacked
from clearbar.evaluation._multiclass import evaluate_multiclass, refuse_two_classes
from clearbar.evaluation._options import chosen_measures
from clearbar.problems.binary import Labels, checked_policy
from clearbar.scorecard import Scorecard


@remembered
def evaluate_counts(
    counts: Counts | ConfusionMatrix | Mapping[str, Counts | ConfusionMatrix],
    measures: Any = None,
    *,
    groups: Iterable[Any] | None = None,
    undefined: Undefined = "exclude",
    confidence_level: float = 0.95,
    intervals: bool = True,
    tries: int = 1,  # noqa: ARG001 - for `remembered`
    random_state: Any = 0,
) -> Scorecard:
    """Judge confusion matrices; as `evaluate`, from what was counted elsewhere.

    Parameters
    ----------
    counts : Counts, ConfusionMatrix, or mapping of str to them
        One model's counts, or a mapping with the counts of each. Arrays hold one matrix per slice;
        all models then share the slices and their class sizes. A `ConfusionMatrix` is of any number of
        classes and judged as by `evaluate_multiclass`.
    measures, undefined, confidence_level, intervals, tries, random_state
        As for `evaluate`.
    groups : iterable, optional
        Names of the slices when `counts` are arrays; 0, 1, ... by default.

    Returns
    -------
    Scorecard

    Raises
    ------
    ValueError
        If models differ in their class sizes, counts have more than one axis, or the number of
        names is not that of the slices.

    Examples
    --------
    >>> import clearbar as cb
    >>> cb.evaluate_counts(cb.Counts(tp=14, fp=3, fn=4, tn=10), "f1")[0].outcome
    'clears'
    """
    if _are_matrices(counts):
        if groups is not None:
            raise ValueError("groups names slices of arrays of Counts; a ConfusionMatrix is of one group.")
        refuse_two_classes(None, checked_policy(undefined))
        return evaluate_multiclass(
            counts,
            None,
            measures,
            confidence_level=confidence_level,
            intervals=intervals,
            random_state=random_state,
        )
    chosen = chosen_measures(measures)
    policy = checked_policy(undefined)
    how = How.checked(confidence_level, intervals, random_state)
    names, together = stacked(counts, "samples", 1)
    length = together.shape[1]
    first: Any = next(iter(counts.values())) if isinstance(counts, Mapping) else counts
    slices: tuple[Any, ...] = tuple(range(length)) if first.shape else (None,)
    if groups is not None:
        slices = in_given_order("groups", groups)
        if len(slices) != length:
            raise ValueError(f"groups must name each of the {length:,} slices; found {len(slices):,} names.")
    problem = Labels(names, slices, together, policy)
    return judged(problem, chosen, how)


def _are_matrices(counts: Any) -> bool:
    """Whether these are confusion matrices of any number of classes."""
    several = counts.values() if isinstance(counts, Mapping) else [counts]
    return any(isinstance(matrix, ConfusionMatrix) for matrix in several)
