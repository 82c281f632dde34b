"""From a problem to its scorecard; from a scorecard to those of its classes, its labels, and many tries."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.catalogue import KINDS, get_measure
from clearbar.scorecard._rows import which_group
from clearbar.verdict import FLOOR, corrected, judge, level_of, surely, undecided, with_reasons

if TYPE_CHECKING:
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
    bars, columns = judge(problem, measures, intervals=intervals, confidence_level=confidence_level)
    labels, about = problem, []  # what holds counts of two classes, and what is said of folds of labels
    if problem.fold_counts is not None:
        from clearbar.scorecard._folds import notes_on

        labels = problem.pooled
        about = [*notes_on(problem, measures), *problem.validation.caveats(intervals=intervals)]
    return Scorecard(
        problem.models,
        problem.groups,
        measures,
        counts=getattr(labels, "counts", None),
        baselines=bars,
        columns=_resolved(problem, measures, columns, confidence_level),
        undefined=getattr(problem, "undefined", "exclude"),
        notes=(*about, *notes),
        confidence_level=confidence_level,
        has_p_values=intervals,
        problem=problem,
    )


def _resolved(
    problem: Any, measures: tuple[Any, ...], columns: Mapping[str, Any], level: float, tries: int = 1
) -> dict[str, Any]:
    """Return columns corrected for tries; models that the number of draws would decide get more draws.

    Of slices there may be so many that this would never end: of these p is said to be not resolvable.
    """
    alpha = level_of(level)

    def of_tries(columns: Mapping[str, Any]) -> dict[str, Any]:
        adjusted = dict(columns)
        adjusted["p_sure"] = np.minimum(tries * columns["p_sure"], 1.0)
        adjusted["p_corrected"] = corrected(adjusted, problem.groups)
        return adjusted | {"sure": surely(adjusted, alpha)}

    adjusted = of_tries(columns) if tries > 1 else dict(columns)
    doubted = undecided(adjusted, alpha).any(axis=(1, 2))
    finer = problem.resolving(alpha / (len(problem.models) * tries))
    if len(problem.groups) == 1 and finer is not problem and doubted.any():
        again = {name: np.array(column) for name, column in columns.items()}
        for model in np.flatnonzero(doubted).tolist():
            _, of_model = judge(finer.one(model, 0), measures, confidence_level=level)
            for name, column in of_model.items():
                again[name][model] = column[0]
        adjusted = of_tries(again)
    return adjusted | {"reason": with_reasons(adjusted, alpha)}


def best_of_tries(card: Scorecard, tries: int) -> Scorecard:
    """Return a scorecard each of whose models is the best of so many, by Bonferroni's correction."""
    if tries == 1:
        return card
    columns = _resolved(card.problem, card.measures, card.columns, card.confidence_level, tries)
    if not card.has_p_values:
        return dataclasses.replace(card, columns=columns, tries=tries)
    note = (
        f"Each model is the best of {tries:,} tries that were fixed before any score was seen: "
        f"p is multiplied by {tries:,}."
    )
    # The exact test of two classes has no p-value that is small enough for so many tries.
    smallest = (columns["outcome"] == "clears") & (card.columns["p_sure"] <= FLOOR * (1 + 1e-9))
    if card.counts is not None and tries * FLOOR > card.alpha and smallest.any():
        product = f"{FLOOR:.2g}, which times {tries:,} is {tries * FLOOR:.2g}"
        note += f" So many are not resolvable: no p is below {product}."
    return dataclasses.replace(card, columns=columns, notes=(*card.notes, note), tries=tries)


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
    problem = _views(card, "per_class", group)
    if problem is None:
        for other in range(len(card.groups)) if card.problem is not None else ():
            if card.problem.per_class(other) is not None:  # tasks, whose classes are their own
                raise ValueError(
                    f"each task has its own classes; name one, such as group={card.groups[other]!r}."
                )
        raise ValueError("per_class is for labels of more than two classes; this scorecard has none.")
    return _one_by_one(card, problem, measures)


def per_label(card: Scorecard, measures: Any = None, *, group: Any = None) -> Scorecard:
    """Judge each label on its own, where samples have sets of labels.

    Parameters
    ----------
    measures, group
        As for `per_class`.

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
    problem = _views(card, "per_label", group)
    if problem is None:
        raise ValueError("per_label is for samples with sets of labels; this scorecard has none.")
    return _one_by_one(card, problem, measures)


def _views(card: Scorecard, what: str, group: Any) -> Any:
    """Return the problem of each class or label on its own; None where there are none."""
    position = 0 if group is None else which_group(card, group)
    return None if card.problem is None else getattr(card.problem, what)(position)


def _one_by_one(card: Scorecard, problem: Any, measures: Any) -> Scorecard:
    named = KINDS["binary"].default if measures is None else measures
    several = [named] if isinstance(named, str) or not hasattr(named, "__iter__") else named
    entries = tuple(get_measure(measure, "binary") for measure in several)
    if not entries:
        raise ValueError("measures is empty; name at least one, or leave it out for the common ones.")
    return judged_likewise(card, problem, entries)


def judged_likewise(card: Scorecard, problem: Any, measures: tuple[Any, ...]) -> Scorecard:
    """Judge a problem with the options of a scorecard."""
    seed, level = getattr(problem, "seed", 0), card.confidence_level
    options: Any = {"confidence_level": level, "intervals": card.has_p_values, "random_state": seed}
    return best_of_tries(judged(problem, measures, **options), card.tries)
