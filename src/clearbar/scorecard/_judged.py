"""From a problem to its scorecard; from a scorecard to those of its classes, its labels, and many tries."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.catalogue import KINDS, get_measure
from clearbar.core._typing import BoolArray
from clearbar.scorecard._rows import which_group
from clearbar.verdict import FLOOR, corrected, judge, level_of, surely, undecided, with_reasons

if TYPE_CHECKING:
    from clearbar.problems._protocol import Problem
    from clearbar.scorecard._card import Scorecard


def judged(
    problem: Any,
    measures: tuple[Any, ...],
    *,
    confidence_level: float,
    intervals: bool,
    random_state: int,
    notes: Sequence[str] = (),
) -> Scorecard:
    """Judge a problem; `notes` are more to say below the tables."""
    from clearbar.scorecard._card import Scorecard

    problem = problem.seeded(random_state)
    how: dict[str, Any] = {"intervals": intervals, "confidence_level": confidence_level}
    bars, columns = judge(problem, measures, **how)
    doubted = undecided(columns, level_of(confidence_level))
    columns = _resolved(problem, measures, columns, doubted, confidence_level=confidence_level)
    columns = columns | {"reason": with_reasons(columns, level_of(confidence_level))}
    labels = problem if problem.fold_counts is None else problem.pooled  # what holds counts of two classes
    return Scorecard(
        problem.models,
        problem.groups,
        measures,
        counts=getattr(labels, "counts", None),
        baselines=bars,
        columns=columns,
        undefined=getattr(problem, "undefined", "exclude"),
        notes=(*_about_folds(problem, measures, intervals=intervals), *notes),
        confidence_level=confidence_level,
        has_p_values=intervals,
        problem=problem,
    )


def _about_folds(problem: Any, measures: tuple[Any, ...], *, intervals: bool) -> list[str]:
    """Say how folds of labels are combined, and what their blind p-values take as given."""
    if problem.fold_counts is None:
        return []
    from clearbar.scorecard._folds import notes_on

    return [*notes_on(problem, measures), *problem.validation.caveats(intervals=intervals)]


def best_of_tries(card: Scorecard, tries: int) -> Scorecard:
    """Return a scorecard each of whose models is the best of so many, by Bonferroni's correction."""
    if tries == 1:
        return card
    columns = _of_tries(card.columns, card, tries)
    if card.problem is not None:
        doubted, level = undecided(columns, card.alpha), card.confidence_level
        again = _resolved(
            card.problem, card.measures, card.columns, doubted, confidence_level=level, tries=tries
        )
        columns = _of_tries(again, card, tries)
    if card.has_p_values:
        columns["reason"] = with_reasons(columns, card.alpha)
    fixed = f"Each model is the best of {tries:,} tries that were fixed before any score was seen"
    note = f"{fixed}: p is multiplied by {tries:,}."
    notes = (*card.notes, f"{note}{_unresolved(card, columns, tries)}") if card.has_p_values else card.notes
    return dataclasses.replace(card, columns=columns, notes=notes, tries=tries)


def _of_tries(judged: Mapping[str, Any], card: Scorecard, tries: int) -> dict[str, Any]:
    columns = dict(judged)
    columns["p_sure"] = np.minimum(tries * columns["p_sure"], 1.0)
    columns["p_corrected"] = corrected(columns, card.groups)
    columns["sure"] = surely(columns, card.alpha)
    return columns


def _resolved(
    problem: Problem,
    measures: tuple[Any, ...],
    columns: Mapping[str, Any],
    doubted: BoolArray,
    *,
    confidence_level: float,
    tries: int = 1,
) -> dict[str, Any]:
    """Return columns in which models that the number of random draws would decide are judged by more draws.

    Of slices there may be so many that this would never end: of these it is said that p is not resolvable.
    """
    alpha = level_of(confidence_level)
    finer = problem.resolving(alpha / (len(problem.models) * tries))
    if len(problem.groups) > 1 or finer is problem or not doubted.any():
        return dict(columns)
    again = {name: np.array(column) for name, column in columns.items()}
    for model in np.flatnonzero(doubted.any(axis=(1, 2))).tolist():
        _, own = judge(finer.one(model, 0), measures, confidence_level=confidence_level)
        for name, column in own.items():
            again[name][model] = column[0]
    again["p_corrected"] = corrected(again, problem.groups)
    again["sure"] = surely(again, alpha)
    return again


def _unresolved(card: Scorecard, columns: Mapping[str, Any], tries: int) -> str:
    """Say where the exact test of two classes has no p-value that is small enough for so many tries."""
    smallest = (columns["outcome"] == "clears") & (card.columns["p_sure"] <= FLOOR * (1 + 1e-9))
    if card.counts is None or tries * FLOOR <= card.alpha or not smallest.any():
        return ""
    product = f"{FLOOR:.2g}, which times {tries:,} is {tries * FLOOR:.2g}"
    return f" So many are not resolvable: no p is below {product}."


def per_class(card: Scorecard, measures: Any = None, *, group: Any = None) -> Scorecard:
    """Judge each class against the rest.

    Parameters
    ----------
    measures : str, Measure, or list of them, optional
        Measures of two classes; the common ones by default.
    group : object, optional
        The slice; all samples by default.

    Returns
    -------
    Scorecard
        Its slices are the classes; ``card.per_class("accuracy").slices()`` judges them together.

    Raises
    ------
    ValueError
        If the labels were not of more than two classes, or nothing matches.

    Examples
    --------
    >>> import clearbar as cb
    >>> matrix = cb.ConfusionMatrix([[50, 6, 4], [10, 25, 5], [5, 5, 15]], labels=["a", "b", "c"])
    >>> card = cb.evaluate_multiclass(matrix).per_class("f1")
    >>> [(verdict.group, verdict.outcome) for verdict in card]
    [('a', 'clears'), ('b', 'clears'), ('c', 'clears')]
    """
    place = 0 if group is None else which_group(card, group)
    problem = None if card.problem is None else card.problem.per_class(place)
    if problem is None:
        tasks = range(0 if card.problem is None else len(card.groups))
        for at in tasks:  # whose classes are their own
            if card.problem.per_class(at) is not None:  # type: ignore[union-attr]
                raise ValueError(
                    f"each task has its own classes; name one, such as group={card.groups[at]!r}."
                )
        raise ValueError("per_class is for labels of more than two classes; this scorecard has none.")
    return _one_by_one(card, problem, measures)


def per_label(card: Scorecard, measures: Any = None, *, group: Any = None) -> Scorecard:
    """Judge each label on its own, where samples have sets of labels.

    Parameters
    ----------
    measures : str, Measure, or list of them, optional
        Measures of two classes; the common ones by default.
    group : object, optional
        The slice; all samples by default.

    Returns
    -------
    Scorecard
        Its slices are the labels; ``card.per_label("accuracy").slices()`` judges them together.

    Raises
    ------
    ValueError
        If samples had no sets of labels, or nothing matches.

    Examples
    --------
    >>> import clearbar as cb
    >>> Y_true = [{"a"}, {"a", "b"}, {"c"}, {"b"}, {"a"}, {"a", "c"}]
    >>> Y_pred = [{"a"}, {"a", "b"}, {"c"}, {"c"}, {"a"}, {"a"}]
    >>> card = cb.evaluate_multilabel(Y_true, Y_pred).per_label("f1")
    >>> [(verdict.group, verdict.outcome) for verdict in card]
    [('a', 'clears'), ('b', 'clears'), ('c', 'ties')]
    """
    place = 0 if group is None else which_group(card, group)
    problem = None if card.problem is None else card.problem.per_label(place)
    if problem is None:
        raise ValueError("per_label is for samples with sets of labels; this scorecard has none.")
    return _one_by_one(card, problem, measures)


def _one_by_one(card: Scorecard, problem: Problem, measures: Any) -> Scorecard:
    named = KINDS["binary"].default if measures is None else measures
    several = [named] if isinstance(named, str) or not hasattr(named, "__iter__") else named
    chosen = tuple(get_measure(measure, "binary") for measure in several)
    if not chosen:
        raise ValueError("measures is empty; name at least one, or leave it out for the common ones.")
    one_by_one = judged(
        problem,
        chosen,
        confidence_level=card.confidence_level,
        intervals=card.has_p_values,
        random_state=getattr(problem, "seed", 0),
    )
    return best_of_tries(one_by_one, card.tries)
