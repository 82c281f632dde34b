"""Each class of many against the rest, or each label on its own, as a scorecard with a slice for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clearbar.catalogue import KINDS, get_measure
from clearbar.scorecard._tries import best_of_tries
from clearbar.verdict import judge_problem

if TYPE_CHECKING:
    from clearbar.problems._protocol import Problem
    from clearbar.scorecard._card import Scorecard


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
    return _judged(card, problem, measures)


def per_label(card: Scorecard, measures: Any, group: int) -> Scorecard:
    """Judge each label on its own by measures of two classes."""
    problem = None if card.problem is None else card.problem.per_label(group)
    if problem is None:
        raise ValueError("per_label is for samples with sets of labels; this scorecard has none.")
    return _judged(card, problem, measures)


def _judged(card: Scorecard, problem: Problem, measures: Any) -> Scorecard:
    named = KINDS["binary"].default if measures is None else measures
    several = [named] if isinstance(named, str) or not hasattr(named, "__iter__") else named
    chosen = tuple(get_measure(measure, "binary") for measure in several)
    bars, columns = judge_problem(
        problem, chosen, intervals=card.has_p_values, confidence_level=card.confidence_level
    )
    counts: Any = problem.counts  # type: ignore[attr-defined]
    one_by_one = type(card)(
        problem.models, problem.groups, chosen, counts, bars, columns, "exclude",
        confidence_level=card.confidence_level, has_p_values=card.has_p_values, problem=problem,
    )  # fmt: skip
    return best_of_tries(one_by_one, card.tries)
