"""From a problem to its scorecard; from a scorecard to those of its classes, its labels, and many tries."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from clearbar.catalogue import KINDS, get_measure
from clearbar.verdict import FLOOR, corrected, judge_problem, surely

if TYPE_CHECKING:
    from clearbar.problems._protocol import Problem
    from clearbar.scorecard._card import Scorecard

Card = TypeVar("Card", bound="Scorecard")


def judged(
    kind: type[Card],
    problem: Problem,
    measures: tuple[Any, ...],
    *,
    confidence_level: float,
    intervals: bool,
    random_state: int,
    **fields: Any,
) -> Card:
    """Judge a problem; `fields` are what the scorecard holds beside the verdicts."""
    problem = problem.seeded(random_state)
    bars, columns = judge_problem(problem, measures, intervals=intervals, confidence_level=confidence_level)
    return kind(
        problem.models,
        problem.groups,
        measures,
        baselines=bars,
        columns=columns,
        confidence_level=confidence_level,
        has_p_values=intervals,
        problem=problem,
        **{"counts": None, "undefined": "exclude", **fields},
    )


def best_of_tries(card: Card, tries: int) -> Card:
    """Return a scorecard each of whose models is the best of so many, by Bonferroni's correction."""
    if tries == 1:
        return card
    columns: dict[str, Any] = dict(card.columns)
    columns["p_sure"] = np.minimum(tries * columns["p_sure"], 1.0)
    columns["p_corrected"] = corrected(columns, card.groups)
    columns["sure"] = surely(columns, card.alpha)
    fixed = f"Each model is the best of {tries:,} tries that were fixed before any score was seen"
    note = f"{fixed}: p is multiplied by {tries:,}."
    notes = (*card.notes, f"{note}{_unresolved(card, tries)}") if card.has_p_values else card.notes
    return dataclasses.replace(card, columns=columns, notes=notes, tries=tries)


def _unresolved(card: Scorecard, tries: int) -> str:
    """Say where a p-value is as small as its method has any, and times the tries still above alpha."""
    columns = card.columns
    least = np.full(np.shape(columns["p_sure"]), FLOOR if card.counts is not None else 0.0)
    for draws, sides in ((columns["p_draws"], 2), (columns["p_blind_draws"], 1)):
        least = np.where(draws > 0, np.maximum(least, sides / (draws + 1.0)), least)
    smallest = (columns["outcome"] == "clears") & (columns["p_sure"] <= least * (1 + 1e-9))
    lost = smallest & (tries * least > card.alpha)
    if not lost.any():
        return ""
    floor = float(least[lost].min())
    return (
        f" So many are not resolvable: no p is below {floor:.2g}, which times {tries:,} is "
        f"{tries * floor:.2g}."
    )


def per_class(card: Scorecard, measures: Any, group: int) -> Scorecard:
    """Judge each class against the rest by measures of two classes."""
    problem = None if card.problem is None else card.problem.per_class(group)
    if problem is None:
        tasks = range(0 if card.problem is None else len(card.groups))
        for at in tasks:  # whose classes are their own
            if card.problem.per_class(at) is not None:  # type: ignore[union-attr]
                raise ValueError(
                    f"each task has its own classes; name one, such as group={card.groups[at]!r}."
                )
        raise ValueError("per_class is for labels of more than two classes; this scorecard has none.")
    return _one_by_one(card, problem, measures)


def per_label(card: Scorecard, measures: Any, group: int) -> Scorecard:
    """Judge each label on its own by measures of two classes."""
    problem = None if card.problem is None else card.problem.per_label(group)
    if problem is None:
        raise ValueError("per_label is for samples with sets of labels; this scorecard has none.")
    return _one_by_one(card, problem, measures)


def _one_by_one(card: Scorecard, problem: Problem, measures: Any) -> Scorecard:
    named = KINDS["binary"].default if measures is None else measures
    several = [named] if isinstance(named, str) or not hasattr(named, "__iter__") else named
    chosen = tuple(get_measure(measure, "binary") for measure in several)
    if not chosen:
        raise ValueError("measures is empty; name at least one, or leave it out for the common ones.")
    counts: Any = problem.counts  # type: ignore[attr-defined]
    one_by_one = judged(
        type(card),
        problem,
        chosen,
        counts=counts,
        confidence_level=card.confidence_level,
        intervals=card.has_p_values,
        random_state=getattr(problem, "seed", 0),
    )
    return best_of_tries(one_by_one, card.tries)
